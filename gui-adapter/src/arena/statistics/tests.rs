mod simulation;

use tengen_engine::game::random::{self, below};

use super::*;

fn close(found: f64, expected: f64, within: f64) {
    assert!((found - expected).abs() <= within, "found {found}, expected {expected} within {within}");
}

fn trinomial(wins: u32, losses: u32, draws: u32) -> Trinomial {
    Trinomial { wins, draws, losses }
}

/// In fastchess's order: LL, LD, WL, DD, WD, WW.
fn pentanomial([ll, ld, wl, dd, wd, ww]: [u32; 6]) -> Pentanomial {
    Pentanomial([ll, ld, wl + dd, wd, ww])
}

fn test(elo0: f64, elo1: f64, model: Model, pairs: bool) -> Sprt {
    Sprt::new(elo0, elo1, 0.05, 0.05, model, pairs).unwrap()
}

/// One case of fastchess's `app/tests/elo_test.cpp`: what the test states, to its two decimals, and all
/// digits as the classes `EloWDL` and `EloPentanomial` (commit 74deac23) compute them.
struct Published {
    found: Estimate,
    nelo: [f64; 2],
    elo: Option<[f64; 2]>,
    score: f64,
    /// Score, Elo, error, normalised Elo, its error, likelihood of superiority.
    digits: [f64; 6],
}

#[test]
fn estimates_agree_with_fastchess() {
    let cases = [
        Published {
            found: trinomial(76, 89, 123).estimate(),
            nelo: [-20.76, 40.13],
            elo: None,
            score: 0.477,
            digits: [
                0.477430555556,
                -15.6935207054,
                30.458000717,
                -20.7564497774,
                40.1260255576,
                0.155326434927,
            ],
        },
        Published {
            found: trinomial(136, 96, 111).estimate(),
            nelo: [49.77, 36.77],
            elo: Some([40.70, 30.43]),
            score: 0.558,
            digits: [
                0.558309037901,
                40.7024581865,
                30.4272179436,
                49.768415381,
                36.768450595,
                0.996010235733,
            ],
        },
        Published {
            found: trinomial(34, 356, 0).estimate(),
            nelo: [-508.44, 34.48],
            elo: None,
            score: 0.087,
            digits: [0.0871794871795, -407.988432372, 63.1645147358, -508.43532504, 34.4818124854, 0.0],
        },
        Published {
            found: pentanomial([34, 54, 31, 32, 64, 75]).estimate(),
            nelo: [57.94, 28.28],
            elo: Some([55.58, 27.65]),
            score: 0.579,
            digits: [
                0.579310344828,
                55.5797804204,
                27.6534295064,
                57.9355999381,
                28.2753762434,
                0.999970393008,
            ],
        },
        Published {
            found: pentanomial([332, 433, 457, 41, 333, 334]).estimate(),
            nelo: [-9.17, 10.96],
            elo: Some([-8.64, 10.33]),
            score: 0.488,
            digits: [
                0.487564766839,
                -8.64266726797,
                10.3341944244,
                -9.17291427005,
                10.9604588775,
                0.0504700669825,
            ],
        },
        Published {
            found: pentanomial([7895, 8757, 5485, 200, 568, 9999]).estimate(),
            nelo: [-19.01, 2.65],
            elo: Some([-21.04, 2.95]),
            score: 0.470,
            digits: [0.469752917578, -21.0435205782, 2.94528086853, -19.0128342789, 2.6545019165, 0.0],
        },
    ];
    for Published { found, nelo, elo, score, digits } in cases {
        close(found.nelo, nelo[0], 0.006);
        close(found.nelo_error, nelo[1], 0.006);
        if let Some(elo) = elo {
            close(found.elo, elo[0], 0.006);
            close(found.error, elo[1], 0.006);
        }
        close(found.score, score, 0.0006);
        let all = [found.score, found.elo, found.error, found.nelo, found.nelo_error, found.los];
        for (found, expected) in all.into_iter().zip(digits) {
            close(found, expected, 1e-6);
        }
    }
}

/// The cases of fastchess's `app/tests/sprt_test.cpp` with the value its tests state (to 1 % there), the
/// value of its own code, and that of the same code with the tolerances of its equation solver
/// (`theta_epsilon`, `mle_epsilon`) set to 1e-13. The solver stops early: on 200,000 games its own ratio is
/// off by 1e-3, so it is the last column that has to agree to 1e-6.
#[test]
fn likelihood_ratios_agree_with_fastchess() {
    use Model::{Logistic, Normalized};
    let games = |sprt: (f64, f64, Model), counts: [u32; 3]| {
        test(sprt.0, sprt.1, sprt.2, false).llr_games(&trinomial(counts[0], counts[1], counts[2]))
    };
    let pairs = |sprt: (f64, f64, Model), counts: [u32; 6]| {
        test(sprt.0, sprt.1, sprt.2, true).llr_pairs(&pentanomial(counts))
    };
    let cases = [
        (games((0.0, 2.0, Normalized), [36433, 36027, 68692]), 0.92, 0.923293449221, 0.923293450946),
        (games((-1.75, 0.25, Normalized), [10871, 10650, 20431]), 2.30, 2.29750040957, 2.29750040711),
        (games((0.0, 10.0, Normalized), [4250, 0, 0]), 120.56, 120.548267741, 120.548267741),
        (games((0.5, 2.5, Logistic), [21404, 21184, 40708]), -1.57, -1.57203160976, -1.57188879269),
        (games((0.0, 2.0, Logistic), [57433, 57030, 106593]), -2.59, -2.59333136395, -2.59302416354),
        (
            pairs((0.0, 2.0, Normalized), [365, 16618, 36029, 200, 16974, 390]),
            2.25,
            2.25036770355,
            2.25036770355,
        ),
        (
            pairs((-1.75, 0.25, Normalized), [127, 4883, 10311, 401, 5150, 104]),
            3.01,
            3.0101542048,
            3.0101541966,
        ),
        (pairs((0.0, 5.0, Normalized), [0, 0, 0, 0, 0, 5550]), 111.82, 111.797555087, 111.797555087),
        (
            pairs((0.5, 2.5, Logistic), [223, 9863, 20279, 1000, 10037, 246]),
            -3.07,
            -3.07442285974,
            -3.07412643959,
        ),
        (
            pairs((0.0, 2.0, Logistic), [871, 26175, 55003, 980, 26678, 821]),
            -4.98,
            -4.97961187202,
            -4.97867286344,
        ),
        (pairs((0.0, 10.0, Logistic), [1, 2, 3, 4, 5, 6]), 0.43, 0.426715002446, 0.426714979787),
        (pairs((0.0, 10.0, Normalized), [1, 2, 3, 4, 5, 6]), 0.39, 0.390352469134, 0.390352469132),
    ];
    for (found, published, own, exact) in cases {
        close(found, published, 0.01 * published.abs());
        close(found, own, 1e-3);
        close(found, exact, 1e-6);
    }
}

/// cutechess's `projects/lib/tests/sprt/tst_sprt.cpp` (tolerance 0.01 there). Its ratio is that of another
/// model (Elo with a separate parameter for draws, half a game added to each result), so on few or
/// one-sided games it differs from ours; the bounds are the same ones.
#[test]
fn bounds_and_ratio_agree_with_cutechess() {
    let sprt = Sprt::new(0.0, 10.0, 0.01, 0.01, Model::Logistic, false).unwrap();
    let state = sprt.state(&trinomial(1477, 1351, 2942), &Pentanomial::default());
    close(state.llr, 2.52, 0.01);
    close(state.lower, -4.6, 0.01);
    close(state.upper, 4.6, 0.01);
    assert_eq!(state.verdict, Verdict::Continue);
    close(sprt.llr_games(&trinomial(555, 555, 298)), -0.74, 0.01);
}

/// `Elo::diff` and `Elo::errorMargin` of cutechess (`projects/lib/src/elo.cpp`, compiled and run). Its
/// quantile of the normal law is an approximation (1.957 for 1.960), so the margin agrees to 2e-3 only.
#[test]
fn estimates_agree_with_cutechess() {
    for ((wins, losses, draws), diff, margin) in
        [((136, 96, 111), 40.7024581865, 30.3834863456), ((1477, 1351, 2942), 7.58818790747, 6.26769559172)]
    {
        let found = trinomial(wins, losses, draws).estimate();
        close(found.elo, diff, 1e-6);
        close(found.error, margin, 2e-3 * margin);
    }
}

#[test]
fn results_without_spread_have_defined_estimates() {
    let none = Trinomial::default().estimate();
    assert_eq!((none.score, none.elo, none.error, none.los), (0.5, 0.0, f64::INFINITY, 0.5));

    let all = trinomial(9, 0, 0).estimate();
    assert_eq!((all.score, all.elo, all.error), (1.0, f64::INFINITY, f64::INFINITY));
    assert_eq!((all.nelo, all.nelo_error), (f64::INFINITY, f64::INFINITY));
    close(all.los, 0.998650, 1e-6);
    let nothing = trinomial(0, 9, 0).estimate();
    assert_eq!((nothing.elo, nothing.nelo), (f64::NEG_INFINITY, f64::NEG_INFINITY));
    close(all.los + nothing.los, 1.0, 1e-12);

    let level = trinomial(0, 0, 9).estimate();
    assert_eq!((level.elo, level.nelo, level.los), (0.0, 0.0, 0.5));
    // Nine draws do not show that the tenth will be one.
    assert_eq!((level.error, level.nelo_error), (f64::INFINITY, f64::INFINITY));

    let wide = trinomial(3, 1, 0).estimate();
    assert!(wide.elo.is_finite() && wide.low.is_finite());
    assert_eq!((wide.high, wide.error), (f64::INFINITY, f64::INFINITY));

    let json = serde_json::to_string(&all).unwrap();
    assert!(json.contains(r#""elo":null"#), "{json}");

    assert_eq!(Pentanomial::default().ratio(), None);
    assert_eq!(Pentanomial([0, 0, 4, 2, 1]).ratio(), Some(f64::INFINITY));
    assert_eq!(Pentanomial([1, 3, 4, 2, 1]).ratio(), Some(0.75));
}

#[test]
fn the_opponent_sees_the_reverse() {
    let mut rng = random::rng(1);
    for _ in 0..2000 {
        let top = 1 + below(&mut rng, 1000);
        let games = trinomial(below(&mut rng, top), below(&mut rng, top), below(&mut rng, top));
        let pairs = Pentanomial(std::array::from_fn(|_| below(&mut rng, top)));
        for (a, b) in
            [(games.estimate(), games.reversed().estimate()), (pairs.estimate(), pairs.reversed().estimate())]
        {
            let near = |a: f64, b: f64| a == b || (a - b).abs() < 1e-6 * (1.0 + a.abs());
            assert!(near(a.elo, -b.elo) && near(a.nelo, -b.nelo) && near(a.error, b.error), "{a:?} {b:?}");
            assert!(near(a.low, -b.high) && near(a.los, 1.0 - b.los), "{a:?} {b:?}");
        }
        for model in [Model::Logistic, Model::Normalized] {
            let sprt = test(-5.0, 5.0, model, true);
            close(sprt.llr_pairs(&pairs), -sprt.llr_pairs(&pairs.reversed()), 1e-6);
            close(sprt.llr_games(&games), -sprt.llr_games(&games.reversed()), 1e-6);
        }
    }
}

/// Every test that can be made gives a finite ratio for every result, however one-sided.
#[test]
fn ratios_are_finite() {
    let mut rng = random::rng(2);
    for _ in 0..20_000 {
        let model = if below(&mut rng, 2) == 0 { Model::Logistic } else { Model::Normalized };
        let largest = if model == Model::Logistic { 2000 } else { 400 };
        let ends = [below(&mut rng, largest), below(&mut rng, largest)]
            .map(|elo| f64::from(elo) - f64::from(largest / 2));
        let Ok(sprt) = Sprt::new(ends[0], ends[1], 0.05, 0.05, model, true) else { continue };
        let pairs = Pentanomial(std::array::from_fn(|_| match below(&mut rng, 4) {
            0 | 1 => 0,
            2 => below(&mut rng, 10),
            _ => below(&mut rng, 100_000),
        }));
        let llr = sprt.llr_pairs(&pairs);
        assert!(llr.is_finite(), "{sprt} {pairs:?}: {llr}");
        let better = Pentanomial([0, 0, 0, 0, 1000]);
        assert!(sprt.llr_pairs(&better) > sprt.llr_pairs(&better.reversed()), "{sprt}");
    }
}

#[test]
fn senseless_tests_are_refused() {
    let new = |elo0, elo1, alpha, beta| Sprt::new(elo0, elo1, alpha, beta, Model::Logistic, true);
    assert!(new(0.0, 10.0, 0.05, 0.05).is_ok());
    for (elo0, elo1) in [(10.0, 0.0), (5.0, 5.0), (f64::NAN, 5.0), (0.0, f64::INFINITY), (0.0, 5000.0)] {
        assert!(matches!(new(elo0, elo1, 0.05, 0.05), Err(SprtError::Elo(..))), "{elo0} {elo1}");
    }
    for (alpha, beta) in [(0.0, 0.1), (0.1, 0.0), (0.5, 0.5), (f64::NAN, 0.1), (-0.1, 0.5)] {
        assert!(matches!(new(0.0, 10.0, alpha, beta), Err(SprtError::Rates(..))), "{alpha} {beta}");
    }
    assert_eq!("Normalized".parse(), Ok(Model::Normalized));
    assert_eq!(
        "bayesian".parse::<Model>().unwrap_err().to_string(),
        "no such model: \"bayesian\"; expected logistic or normalized"
    );
}

fn table(results: &[(usize, usize, f64, f64)], count: usize) -> Vec<Vec<f64>> {
    let mut points = vec![vec![0.0; count]; count];
    for &(i, j, won, lost) in results {
        points[i][j] += won;
        points[j][i] += lost;
    }
    points
}

#[test]
fn ratings_of_two_are_their_difference() {
    let found = ratings(&table(&[(0, 1, 191.5, 151.5)], 2));
    assert!(!found.prior);
    let estimate = trinomial(136, 96, 111).estimate();
    close(found.ratings[0].elo - found.ratings[1].elo, estimate.elo, 1e-6);
    close(found.ratings[0].elo + found.ratings[1].elo, 0.0, 1e-9);
    // The information of 343 games at this score: each rating moves half as much as the difference.
    let score = estimate.score;
    let per_elo = std::f64::consts::LN_10 / 400.0;
    let expected = 0.5 * 1.959964 / (per_elo * (343.0 * score * (1.0 - score)).sqrt());
    close(found.ratings[0].error, expected, 1e-5);
}

#[test]
fn ratings_explain_everyones_points() {
    let mut rng = random::rng(3);
    for _ in 0..200 {
        let count = 3 + below(&mut rng, 6) as usize;
        let mut results = Vec::new();
        for i in 0..count {
            for j in 0..i {
                results.push((
                    i,
                    j,
                    0.5 + f64::from(below(&mut rng, 60)),
                    0.5 + f64::from(below(&mut rng, 60)) / f64::from(1 + below(&mut rng, 20)),
                ));
            }
        }
        let points = table(&results, count);
        let found = ratings(&points);
        assert!(!found.prior);
        let elo = |i: usize| found.ratings[i].elo;
        close((0..count).map(elo).sum::<f64>(), 0.0, 1e-6);
        for (i, row) in points.iter().enumerate() {
            let expected = |(j, won): (usize, &f64)| (won + points[j][i]) * elo_to_score(elo(i) - elo(j));
            close(row.iter().enumerate().map(expected).sum(), row.iter().sum(), 1e-6);
            assert!(found.ratings[i].error > 0.0 && found.ratings[i].error < 1000.0);
        }
    }
}

#[test]
fn ratings_of_swept_ladders_stay_finite() {
    let ladder: Vec<_> = (0..5).map(|i| (i + 1, i, 100.0, 0.0)).collect();
    let found = ratings(&table(&ladder, 6));
    assert!(found.prior);
    for pair in found.ratings.windows(2) {
        assert!(pair[1].elo > pair[0].elo + 50.0 && pair[0].error.is_finite(), "{pair:?}");
    }
    let alone = ratings(&table(&[(0, 1, 3.0, 1.0)], 3));
    assert!(alone.prior && alone.ratings[2].error == f64::INFINITY);
    assert_eq!(ratings(&[]), Ratings { ratings: Vec::new(), prior: false });
}
