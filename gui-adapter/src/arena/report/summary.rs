//! The standings in numbers, as `result.json` has them.

use std::collections::BTreeMap;

use serde::Serialize;

use super::super::statistics::{self, Estimate, Pentanomial, Rating, Sprt, SprtState, Trinomial};
use super::standings::{Meeting, Standings, Tally};
use super::{ENDS, end_name};

/// What a match has come to. In JSON a number without a bound (Elo after nothing but wins) is `null`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// Number of games.
    pub games: u32,
    /// Games that neither engine could begin, which count for nothing else.
    pub unplayed: u32,
    /// Mean length of a game in plies, the opening included.
    pub plies: f64,
    /// Median over the games of the seconds between one engine's answer and the start of the other's time
    /// (see [`Finished::overhead`](super::super::record::Finished::overhead)).
    pub overhead: Option<f64>,
    /// The engines in the order of the command line.
    pub engines: Vec<EngineSummary>,
    /// Each two engines that have met.
    pub pairings: Vec<Pairing>,
    /// The test, if there is one.
    pub sprt: Option<SprtSummary>,
    /// Whether the ratings rest on a drawn game added for each engine (see [`statistics::Ratings`]).
    pub prior: bool,
}

/// What one engine has come to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct EngineSummary {
    /// The name.
    pub name: String,
    /// The place by Elo, then points, from 1.
    pub rank: usize,
    /// Number of games.
    pub games: u32,
    /// Wins, draws and losses.
    pub results: Trinomial,
    /// The same with Black.
    pub black: Trinomial,
    /// The same with White.
    pub white: Trinomial,
    /// Points.
    pub points: f64,
    /// Points a game, 0 to 1.
    pub score: f64,
    /// Share of drawn games, 0 to 1.
    pub draw_rate: f64,
    /// Logistic Elo: the difference to the opponent if there is one opponent; a rating with the mean 0 if
    /// there are more.
    pub elo: f64,
    /// Half the width of the 95 % interval of `elo`.
    pub error: f64,
    /// Likelihood of superiority over the field, 0 to 1.
    pub los: f64,
    /// Games lost by its own fault, by the kind of end.
    pub forfeits: BTreeMap<&'static str, u32>,
    /// Games it resigned.
    pub resignations: u32,
    /// Mean length of its games in plies, the opening included.
    pub plies: f64,
    /// Its moves and their times.
    pub thinking: Thinking,
}

/// How an engine used its time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Thinking {
    /// Number of its own moves.
    pub moves: u64,
    /// Seconds of all of them.
    pub seconds: f64,
    /// Mean seconds of a move.
    pub mean: f64,
    /// Seconds of the longest one.
    pub longest: f64,
}

/// What two engines have come to against each other, as `first` sees it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Pairing {
    /// The engine that comes first on the command line.
    pub first: String,
    /// Its opponent.
    pub second: String,
    /// Number of games.
    pub games: u32,
    /// Wins, draws and losses.
    pub results: Trinomial,
    /// The same with Black.
    pub black: Trinomial,
    /// The same with White.
    pub white: Trinomial,
    /// Pairs that brought 0, 0.5, 1, 1.5 and 2 points.
    pub pairs: Pentanomial,
    /// Pairs won for each one lost.
    pub pairs_ratio: Option<f64>,
    /// Whether `estimate` counts pairs rather than games: at least half of the games are in a pair.
    pub by_pairs: bool,
    /// The difference in strength.
    pub estimate: Estimate,
}

/// A test and where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct SprtSummary {
    /// The test.
    #[serde(flatten)]
    pub test: Sprt,
    /// Where it stands.
    #[serde(flatten)]
    pub state: SprtState,
}

impl Standings {
    /// The standings in numbers.
    #[must_use]
    pub fn summary(&self) -> Summary {
        let count = self.engines.len();
        let mut pairings = Vec::new();
        for i in 0..count {
            for j in i + 1..count {
                let meeting = self.meeting(i, j);
                if meeting.results().games() > 0 {
                    pairings.push(pairing(&self.engines[i], &self.engines[j], &meeting));
                }
            }
        }
        let fields: Vec<Estimate> = (0..count).map(|i| self.field(i).estimate()).collect();
        let (ratings, prior) = self.ratings(&fields);
        let mut engines: Vec<EngineSummary> = self
            .engines
            .iter()
            .zip(&self.tallies)
            .zip(ratings.iter().zip(&fields))
            .map(|((name, tally), (rating, field))| engine(name, tally, rating, field))
            .collect();
        let mut order: Vec<usize> = (0..count).collect();
        order.sort_by(|&a, &b| {
            let (a, b) = (&engines[a], &engines[b]);
            let idle = |engine: &EngineSummary| engine.games == 0;
            idle(a).cmp(&idle(b)).then(b.elo.total_cmp(&a.elo)).then(b.points.total_cmp(&a.points))
        });
        for (place, &index) in order.iter().enumerate() {
            engines[index].rank = place + 1;
        }
        Summary {
            games: u32::try_from(self.games()).unwrap_or(u32::MAX),
            unplayed: self.unplayed,
            plies: ratio(self.plies, self.games() as u64),
            overhead: self.overhead(),
            engines,
            pairings,
            sprt: self.sprt.map(|test| {
                let meeting = self.meeting(0, 1);
                SprtSummary { test, state: test.state(&meeting.results(), &meeting.pairs) }
            }),
            prior,
        }
    }

    /// What an engine did against all others together.
    fn field(&self, i: usize) -> Meeting {
        let mut field = Meeting::default();
        for j in (0..self.engines.len()).filter(|&j| j != i) {
            let meeting = self.meeting(i, j);
            field.black += meeting.black;
            field.white += meeting.white;
            field.pairs += meeting.pairs;
        }
        field
    }

    fn ratings(&self, fields: &[Estimate]) -> (Vec<Rating>, bool) {
        let count = self.engines.len();
        if count <= 2 {
            let ratings = fields.iter().map(|field| Rating { elo: field.elo, error: field.error });
            return (ratings.collect(), false);
        }
        // Who has not played has no rating, and no part in those of the others.
        let played: Vec<usize> = (0..count).filter(|&i| self.tallies[i].results().games() > 0).collect();
        let points = |i, j| if i == j { 0.0 } else { self.meeting(i, j).results().points() };
        let points: Vec<Vec<f64>> =
            played.iter().map(|&i| played.iter().map(|&j| points(i, j)).collect()).collect();
        let found = statistics::ratings(&points);
        let mut ratings = vec![Rating { elo: 0.0, error: f64::INFINITY }; count];
        for (&i, rating) in played.iter().zip(found.ratings) {
            ratings[i] = rating;
        }
        (ratings, found.prior)
    }
}

fn engine(name: &str, tally: &Tally, rating: &Rating, field: &Estimate) -> EngineSummary {
    let results = tally.results();
    let games = results.games();
    let seconds = |micros: u64| micros as f64 / 1e6;
    EngineSummary {
        name: name.to_owned(),
        rank: 0,
        games,
        results,
        black: tally.black,
        white: tally.white,
        points: results.points(),
        score: if games > 0 { results.points() / f64::from(games) } else { 0.5 },
        draw_rate: results.draw_rate(),
        elo: rating.elo,
        error: rating.error,
        los: field.los,
        forfeits: ENDS
            .iter()
            .zip(tally.forfeits)
            .filter(|&(_, count)| count > 0)
            .map(|(&end, count)| (end_name(end), count))
            .collect(),
        resignations: tally.resignations,
        plies: ratio(tally.plies, u64::from(games)),
        thinking: Thinking {
            moves: tally.moves,
            seconds: seconds(tally.micros),
            mean: ratio(tally.micros, tally.moves) / 1e6,
            longest: seconds(tally.slowest),
        },
    }
}

fn pairing(first: &str, second: &str, meeting: &Meeting) -> Pairing {
    let results = meeting.results();
    Pairing {
        first: first.to_owned(),
        second: second.to_owned(),
        games: results.games(),
        results,
        black: meeting.black,
        white: meeting.white,
        pairs: meeting.pairs,
        pairs_ratio: meeting.pairs.ratio(),
        by_pairs: meeting.by_pairs(),
        estimate: meeting.estimate(),
    }
}

fn ratio(sum: u64, count: u64) -> f64 {
    sum as f64 / count.max(1) as f64
}

impl Summary {
    /// The text of `result.json`: the same bytes for the same games.
    #[must_use]
    pub fn json(&self) -> String {
        serde_json::to_string_pretty(self).expect("numbers, texts and maps by text are JSON") + "\n"
    }

    /// The engines, best first.
    #[must_use]
    pub fn ranked(&self) -> Vec<&EngineSummary> {
        let mut engines: Vec<&EngineSummary> = self.engines.iter().collect();
        engines.sort_by_key(|engine| engine.rank);
        engines
    }

    /// What `first` did against `second`, if they have met.
    pub(super) fn between(&self, first: &str, second: &str) -> Option<Trinomial> {
        self.pairings.iter().find_map(|pairing| {
            if pairing.first == first && pairing.second == second {
                Some(pairing.results)
            } else if pairing.first == second && pairing.second == first {
                Some(pairing.results.reversed())
            } else {
                None
            }
        })
    }
}
