use tengen_engine::game::Cell;

use super::*;
use crate::arena::statistics::{Model, Sprt};

fn data(html: &str) -> serde_json::Value {
    let (_, rest) = html.split_once("<script type=\"application/json\" id=\"data\">").unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

/// The boards of a game as the script builds them.
fn decoded(game: &serde_json::Value) -> Vec<String> {
    let mut cells: Vec<char> = game["i"].as_str().unwrap().chars().collect();
    let mut boards = vec![cells.iter().collect()];
    let moves = game["m"].as_str().unwrap();
    for change in game["c"].as_str().unwrap().split(',').take(moves.split_terminator(' ').count()) {
        let change: Vec<char> = change.chars().collect();
        for part in change.chunks(3) {
            let place = part[0].to_digit(36).unwrap() * 36 + part[1].to_digit(36).unwrap();
            cells[place as usize] = part[2];
        }
        boards.push(cells.iter().collect());
    }
    boards
}

#[test]
fn the_page_has_the_boards_of_the_referee() {
    for setup in SETUPS {
        let engines = names(3);
        let games = random_match(setup, &engines, 1, 21);
        let html = page("a match", &engines, None, &games).unwrap();
        assert_eq!(page("a match", &engines, None, &shuffled(&games, 4)).unwrap(), html);
        let data = data(&html);
        assert_eq!(data["engines"][2], HOSTILE);
        assert_eq!(data["boards"].as_array().unwrap().len(), 1);
        for (encoded, game) in data["games"].as_array().unwrap().iter().zip(&games) {
            let show = |referee: &dyn tengen_engine::games::Referee| -> String {
                referee.geometry().points_from_top().map(|point| Cell::letter(referee.cell(point))).collect()
            };
            let mut expected = vec![show(&*replay::start(game).unwrap())];
            replay::replay(game, |referee, _| expected.push(show(referee))).unwrap();
            assert_eq!(decoded(encoded), expected, "{setup}");
            assert_eq!(encoded["n"], game.game);
            assert_eq!(encoded["d"].as_str().unwrap().split_terminator(' ').count(), game.moves.len());
            assert_eq!(encoded["h"].as_str().unwrap().split_terminator(' ').count(), game.moves.len());
        }
    }
}

#[test]
fn rows_and_columns_are_the_games_own() {
    let board = |setup: &str| {
        let engines = names(2);
        let html = page("", &engines, None, &random_match(setup, &engines, 1, 1)).unwrap();
        data(&html)["boards"][0].clone()
    };
    assert_eq!(board("othello")["rows"][0], 1);
    assert_eq!(board("othello")["columns"], "abcdefgh");
    assert_eq!(board("nogo")["rows"][0], 9);
    assert_eq!(board("nogo")["columns"], "abcdefghj");
    assert_eq!(board("gomoku size 9")["columns"], "abcdefghi");
    assert_eq!(board("amazons size 5")["lines"], false);
}

#[test]
fn texts_of_engines_cannot_become_markup() {
    let engines = names(3);
    let mut games = random_match("gomoku size 9", &engines, 1, 22);
    games[0].reason = "<img src=x onerror=alert(1)> \u{2028} </SCRIPT> --><!--".to_owned();
    games[1].opening.name = HOSTILE.to_owned();
    let html = page(HOSTILE, &engines, None, &games).unwrap();
    // Our two scripts, and no other element that a text could have opened or closed.
    for (needle, count) in [("<script", 2), ("</script", 2), ("<img", 0), ("<!--", 0), ("\u{2028}", 0)] {
        assert_eq!(html.to_lowercase().matches(needle).count(), count, "{needle}");
    }
    assert!(html.contains("&lt;/script&gt;&lt;script&gt;alert(&quot;1&quot;)"));
    assert!(data(&html)["games"][0]["y"].as_str().unwrap().contains("<img src=x"));
    for outside in ["http://", "https://", "src=\"", "@import", "url("] {
        let found = html.replace("http://www.w3.org/2000/svg", "");
        assert!(!found.contains(outside), "{outside}");
    }
}

#[test]
fn plots_show_what_there_is() {
    let sprt = Sprt::new(0.0, 10.0, 0.05, 0.05, Model::Normalized, true).unwrap();
    let engines = names(2);
    let games = random_match("nogo size 4", &engines, 30, 23);
    let html = page("two", &engines, Some(sprt), &games).unwrap();
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 2);
    assert!(html.contains("accept H1") && html.contains("class=\"band\""));
    let html = page("two", &engines, None, &games).unwrap();
    assert_eq!(html.matches("<svg class=\"plot\"").count(), 1);

    let engines = names(4);
    let html = page("four", &engines, None, &random_match("nogo size 4", &engines, 2, 24)).unwrap();
    assert_eq!(html.matches("<circle class=\"dot\"").count(), 4);
    assert!(html.contains("<a href=\"#p=0,1\">"));

    for count in [0, 1, 2, 3] {
        let html = page("none", &names(count), Some(sprt), &[]).unwrap();
        assert!(!html.contains("=\"NaN") && !html.contains("=\"inf"), "{count}");
    }
    let sweep: Vec<Finished> =
        (1..4).map(|number| decided(number, ["alpha", "beta"], Verdict::Black, End::Rules)).collect();
    let html = page("sweep", &names(2), Some(sprt), &sweep).unwrap();
    assert!(!html.contains("NaN"));
}

#[test]
fn a_damaged_game_has_no_page() {
    let mut game = decided(7, ["alpha", "beta"], Verdict::Black, End::Rules);
    game.moves[0] = "q".to_owned();
    let error = page("", &names(2), None, &[game]).unwrap_err().to_string();
    assert!(error.starts_with("game 7 cannot be replayed: move 2 (q): bad move"), "{error}");
}

#[test]
fn two_thousand_games_stay_small() {
    let engines = names(2);
    let once = random_match("gomoku", &engines, 25, 25);
    let games: Vec<Finished> = (0..2000_u32)
        .map(|index| Finished {
            game: index + 1,
            pair: index / 2 + 1,
            ..once[index as usize % once.len()].clone()
        })
        .collect();
    let html = page("many", &engines, None, &games).unwrap();
    // Random games are longer than real ones.
    let plies: usize = games.iter().map(length).sum();
    assert!(plies > 150_000, "{plies}");
    assert!(html.len() < 10_000_000, "{}", html.len());
}
