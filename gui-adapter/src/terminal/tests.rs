use std::collections::HashMap;

use tengen_engine::game::Color;
use tengen_engine::games::GameId;
use tengen_engine::options::Options;

use super::opponent::{Opponent, Purpose, Thought};
use super::*;

/// Plays the first legal move in the order of the alphabet, or what it is told to.
#[derive(Default)]
struct Stub {
    told: Option<Result<&'static str, &'static str>>,
    options: HashMap<String, String>,
    /// Purpose, number of moves played, and the number of the game, of every question.
    asked: Vec<(Purpose, usize, u64)>,
}

fn first_move(referee: &dyn Referee) -> String {
    let moves = referee.legal_moves(None).unwrap();
    moves.into_iter().map(|mv| referee.move_text(mv)).min().unwrap()
}

fn last_move(referee: &dyn Referee) -> String {
    let moves = referee.legal_moves(None).unwrap();
    moves.into_iter().map(|mv| referee.move_text(mv)).max().unwrap()
}

impl Opponent for Stub {
    fn think(&mut self, referee: &dyn Referee, purpose: Purpose, game: u64) -> Result<Thought, String> {
        self.asked.push((purpose, referee.plies(), game));
        let text = match self.told {
            Some(told) => told?.to_owned(),
            None => first_move(referee),
        };
        let line = vec![text.clone(), "then".to_owned()];
        Ok(Thought { text, chance: Some(0.54), proven: None, line })
    }

    fn set(&mut self, name: &str, value: &str) -> Result<(), String> {
        let mut all = Options::default();
        all.set(name, value).map_err(|error| error.to_string())?;
        self.options.insert(name.to_owned(), value.to_owned());
        Ok(())
    }

    fn get(&self, name: &str) -> String {
        self.options.get(name).cloned().unwrap_or_else(|| opponent::default_of(name))
    }
}

fn new(setup: &str) -> Box<dyn Referee> {
    games::referee(Setup::parse(setup.split(' ')).unwrap()).unwrap()
}

/// What is written when a person on the sides of `humans` types `script`.
fn sitting(stub: &mut Stub, setup: &str, humans: [bool; 2], script: &str) -> String {
    let mut output = Vec::new();
    Session::new(script.as_bytes(), &mut output, Style::default(), stub, new(setup), humans).run().unwrap();
    String::from_utf8(output).unwrap()
}

/// Against the stub, the person moving first.
fn against(setup: &str, script: &str) -> String {
    let first = first_mover(new(setup).setup().game);
    let humans = Color::ALL.map(|color| color == first);
    sitting(&mut Stub::default(), setup, humans, script)
}

/// What a person must type to play the last move of the alphabet to the end, against the stub.
fn whole_game(setup: &str, human: Color) -> (String, Box<dyn Referee>) {
    let mut referee = new(setup);
    let mut script = String::new();
    while referee.ending().is_none() {
        let own = referee.turn() == human;
        let text = if own { last_move(&*referee) } else { first_move(&*referee) };
        if own && !referee.must_pass() {
            script.push_str(&text);
            script.push('\n');
        }
        let mv = referee.parse_move(&text).unwrap();
        referee.play(None, mv).unwrap();
    }
    (script, referee)
}

#[test]
fn whole_games_of_every_kind() {
    for setup in
        ["nogo size 5", "gomoku size 7", "renju size 6", "othello size 6", "othello", "amazons size 5"]
    {
        for human in Color::ALL {
            let (script, end) = whole_game(setup, human);
            let humans = Color::ALL.map(|color| color == human);
            let text = sitting(&mut Stub::default(), setup, humans, &script);
            let result = words::result(end.setup().game, end.ending().unwrap());
            assert!(text.contains(&format!("The game is over. {result}\n")), "{setup} {human}: {text}");
            assert!(text.ends_with("new, undo, save FILE, help, quit> \n"), "{setup} {human}: {text}");
            let passes =
                end.history().iter().filter(|(_, mv)| *mv == tengen_engine::game::Move::PASS).count();
            assert_eq!(text.matches("has no move and must pass.").count(), passes, "{setup} {human}: {text}");
            assert!(!text.contains("not possible"), "{setup} {human}: {text}");
        }
    }
}

#[test]
fn some_game_had_a_pass() {
    let games = [("othello size 6", Color::Black), ("othello", Color::Black), ("othello", Color::White)];
    let passes = games.iter().flat_map(|&(setup, human)| whole_game(setup, human).1.history());
    assert!(passes.into_iter().any(|(_, mv)| mv == tengen_engine::game::Move::PASS));
}

#[test]
fn the_engine_against_itself() {
    let text = sitting(&mut Stub::default(), "nogo size 3", [false; 2], "");
    assert!(text.contains("The game is over."), "{text}");
    assert!(text.contains("Black X: Tengen plays a1"), "{text}");
    assert!(text.matches("\n   a b c\n").count() > 4, "a board after every move: {text}");
}

#[test]
fn what_a_game_looks_like() {
    let text = against("othello size 6", "c2\n");
    assert_eq!(
        text,
        "\nOthello 6x6. Black X is you; White O is Tengen (level 20).\n\
         A move is a square: letter and number, such as d3. Forced passes are made for you.\n\
         Type help for the commands.\n\
         \n   a b c d e f\n 1 . . . . . . 1\n 2 . . + . . . 2\n 3 . + O X . . 3\n 4 . . X O + . 4\n \
         5 . . . + . . 5\n 6 . . . . . . 6\n   a b c d e f\n\n\
         Black X to move (e4, hint, undo, help, quit)> \
         White O: Tengen plays b2 (winning chance 54 %).\n\
         \n   a b c d e f\n 1 . . . . . . 1\n 2 +(O)X . . . 2\n 3 . + O X . . 3\n 4 . . X O + . 4\n \
         5 . . . + . . 5\n 6 . . . . . . 6\n   a b c d e f\n\n\
         Black X to move (e4, hint, undo, help, quit)> \n"
    );
}

#[test]
fn illegal_moves_are_explained_and_the_game_goes_on() {
    for (setup, script, expected) in [
        ("nogo size 3", "b2\nb2\nc3\n", "b2 is not possible: something stands there already."),
        ("nogo size 3", "i1\n", "\"i1\" is neither a command (type help) nor a move: expected "),
        ("nogo size 3", "d9\n", "\"d9\" is neither a command (type help) nor a move: expected "),
        ("nogo size 3", "pass\n", "pass is not possible: this game has no pass."),
        ("othello", "a1\nd3\n", "a1 is not possible: it would turn no disc over."),
        ("othello", "pass\n", "pass is not possible: you may pass only when you have no move."),
        ("amazons", "d1-e3-e4\n", "d1-e3-e4 is not possible: amazons and arrows go straight along a row"),
        (
            "amazons",
            "d2 d3 d4\n",
            "d2-d3-d4 is not possible: none of your amazons stands on the first square.",
        ),
        ("amazons", "d1 d10 d9\n", "d1-d10-d9 is not possible: something stands there already."),
        ("amazons", "xyzzy\u{7}\n", "\"xyzzy\\u{7}\" is neither a command (type help) nor a move"),
    ] {
        let text = against(setup, script);
        assert!(text.contains(expected), "{setup} {script}: {text}");
        assert!(text.ends_with("> \n"), "{setup} {script}: {text}");
    }
    // Renju's reasons.
    let moves = "h8\na1\nh9\na3\ng10\na5\nf10\na7\nh10\n";
    let text = sitting(&mut Stub::default(), "renju", [true; 2], moves);
    assert!(text.contains("h10 is not possible: making two open threes at once is forbidden"), "{text}");
}

#[test]
fn blanks_and_capitals_do_not_matter() {
    let text = against("amazons", "  D1 d7  G7 \nHISTORY\n");
    assert!(text.contains("1.w d1-d7-g7  2.b "), "{text}");
}

#[test]
fn the_end_of_input_is_a_clean_end() {
    for script in ["", "d4", "\n\n", "hint", "undo\n", "\0\n", "new nonsense\n"] {
        let text = against("nogo", script);
        assert!(text.ends_with("> \n"), "{script:?}: {text}");
    }
    assert!(against("nogo", "quit\nd4\n").ends_with("> "));
    let mut output = Vec::new();
    let mut stub = Stub::default();
    let bytes: Vec<u8> = [&[0xFF; 10_000][..], b"\nd4\n"].concat();
    Session::new(&*bytes, &mut output, Style::default(), &mut stub, new("nogo"), [true; 2]).run().unwrap();
    let text = String::from_utf8(output).unwrap();
    assert!(text.contains("White O to move"), "{text}");
}

#[test]
fn undo_takes_back_both_moves() {
    let mut stub = Stub::default();
    let text = sitting(
        &mut stub,
        "nogo size 5",
        [true, false],
        "undo\nc3\nb2\nundo\nhistory\nundo\nhistory\nundo\n",
    );
    assert!(text.contains("  1.b c3  2.w a1\n"), "{text}");
    assert!(text.contains("No move has been played.\n"), "{text}");
    assert_eq!(text.matches("You have made no move that could be taken back.").count(), 2, "{text}");
    // As White, the engine's first move stays.
    let text = sitting(&mut stub, "nogo size 5", [false, true], "undo\nc3\nundo\nhistory\n");
    assert_eq!(text.matches("You have made no move").count(), 1, "{text}");
    assert!(text.contains("  1.b a1\n"), "{text}");
    // Alone, one move goes.
    let text = sitting(&mut stub, "nogo size 5", [true; 2], "c3\nb2\nundo\nhistory\n");
    assert!(text.contains("  1.b c3\n"), "{text}");
    // A finished game can be taken back, and so can giving up.
    let text = against("nogo size 2x1", "a1\nundo\nhistory\nresign\nundo\n");
    assert!(text.contains("The game is over. Black wins: no legal move."), "{text}");
    assert!(text.contains("No move has been played."), "{text}");
    assert!(text.contains("The game is over. White wins: Black has resigned."), "{text}");
    assert!(text.ends_with("Black X to move (b1, hint, undo, help, quit)> \n"), "{text}");
}

#[test]
fn hints_do_not_change_the_game() {
    let mut stub = Stub::default();
    let text = sitting(&mut stub, "nogo size 5", [true, false], "c3\nhint\nhistory\n");
    assert!(text.contains("Tengen would play a2 (winning chance 54 %). It expects a2 then.\n"), "{text}");
    assert!(text.contains("  1.b c3  2.w a1\n"), "{text}");
    assert_eq!(stub.asked, [(Purpose::Play, 1, 1), (Purpose::Hint, 2, 1)]);
}

#[test]
fn an_engine_that_fails_leaves_the_game_to_the_person() {
    for told in [Err("it is gone"), Ok("c3"), Ok("nonsense"), Ok("pass")] {
        let mut stub = Stub { told: Some(told), ..Stub::default() };
        let text = sitting(&mut stub, "nogo size 5", [true, false], "c3\nd4\nhistory\nhint\n");
        assert!(text.contains("The engine has failed ("), "{told:?}: {text}");
        assert!(text.contains("You now play both sides."), "{told:?}: {text}");
        assert!(text.contains("  1.b c3  2.w d4\n"), "{told:?}: {text}");
    }
    let mut stub = Stub { told: Some(Ok("resign")), ..Stub::default() };
    let text = sitting(&mut stub, "nogo size 5", [true, false], "c3\nd4\nsave\n");
    assert!(text.contains("White O: Tengen resigns.\n"), "{text}");
    assert!(text.contains("The game is over. Black wins: White has resigned.\n"), "{text}");
    assert!(text.contains("The game is over. Type new for another one, or undo.\n"), "{text}");
}

#[test]
fn switching_sides_and_beginning_anew() {
    let mut stub = Stub::default();
    let text = sitting(
        &mut stub,
        "nogo size 5",
        [true, false],
        "c3\nswitch\nhistory\nnew\nnew amazons size 6\nquit\n",
    );
    // Black's second move is the engine's now.
    assert!(text.contains("Black X is Tengen (level 20); White O is you."), "{text}");
    assert!(text.contains("  1.b c3  2.w a1  3.b a2\n"), "{text}");
    // The engine begins the new game as Black, and, first to move still, as White.
    assert_eq!(stub.asked.last(), Some(&(Purpose::Play, 0, 3)));
    assert!(text.contains("Amazons 6x6. Black X is you; White O is Tengen (level 20)."), "{text}");
    let text = sitting(&mut stub, "nogo size 5", [true; 2], "switch\nswitch\n");
    assert!(text.contains("Black X: Tengen plays a1"), "{text}");
    assert!(against("nogo", "new chess\n").contains("no such game: \"chess\""));
    assert!(against("nogo", "new othello size 7\n").contains("unacceptable size 7"));
}

#[test]
fn strength_and_lists() {
    let text = against(
        "nogo size 3",
        "level\nlevel 5\nlevel 21\ntime 0.5\ntime x\ntime 0\nmoves\nmoves b2\nmoves z9\n",
    );
    for expected in [
        "The engine's level is 20.",
        "The engine's level is 5.",
        "bad value \"21\" for level: expected a whole number from 1 to 20",
        "The engine thinks 0.5 s about a move.",
        "\"x\" is no number of seconds.",
        "bad value \"0\" for move_time",
        "9 moves:\n  a1  b1  c1  a2  b2  c2  a3  b3  c3\n",
        "1 move:\n  b2\n",
        "No move begins with z9.",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
    let text = against("amazons", "moves\nmoves d1\nhelp\n");
    assert!(text.contains("2176 moves:\n"), "{text}");
    assert!(text.contains("  d1 (544)  g1 (544)  a4 (544)  j4 (544)\n"), "{text}");
    assert!(text.contains("544 moves:\n  d1-a1 (16)  d1-b1 ("), "{text}");
    assert!(text.contains("  save FILE     write the game"), "{text}");
    let text = against("amazons", "moves d1-a1\n");
    assert!(text.contains("16 moves:\n  d1-a1-b1  d1-a1-c1"), "{text}");
}

#[test]
fn games_are_saved_and_loaded() {
    let folder = std::env::temp_dir().join(format!("tengen-terminal-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("my game.sgf");
    let other = folder.join("notes.txt");
    std::fs::write(&other, "keep me").unwrap();
    let (file, other) = (file.display(), other.display());
    let script = format!(
        "d3\nsave {file}\nundo\nload {file}\nhistory\nsave {file}\n\
         save {other}\nload {other}\nload {}\nload /nowhere\n",
        folder.display()
    );
    let text = against("othello", &script);
    assert!(text.contains(&format!("Saved to {file}.\n")), "{text}");
    assert!(text.contains(&format!("Loaded {file}: 2 moves.\n")), "{text}");
    assert!(text.contains("  1.b d3  2.w c3\n"), "{text}");
    assert!(text.contains("notes.txt exists and is no game record"), "{text}");
    assert!(text.contains("notes.txt: not an SGF record"), "{text}");
    assert_eq!(text.matches("Cannot read ").count(), 2, "{text}");
    assert_eq!(std::fs::read_to_string(folder.join("notes.txt")).unwrap(), "keep me");
    let record = std::fs::read_to_string(folder.join("my game.sgf")).unwrap();
    assert!(record.contains("PB[Human]PW[Tengen]"), "{record}");
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn the_game_is_asked_for() {
    let menu = |script: &str, args: &Args| {
        let mut output = Vec::new();
        let referee = ask(args, &mut script.as_bytes(), &mut output).unwrap();
        (referee.map(|referee| referee.setup().to_string()), String::from_utf8(output).unwrap())
    };
    let none = Args::default();
    for (script, expected) in [
        ("1\n", Some("nogo size 9 rules standard")),
        ("\n", Some("nogo size 9 rules standard")),
        ("3\n", Some("gomoku size 15 rules renju")),
        ("Othello\n", Some("othello size 8 rules standard")),
        ("0\n9\nchess\n5\n", Some("amazons size 10 rules standard")),
        ("nogo size 7 hole=none\n", Some("nogo size 7 rules standard")),
        ("quit\n", None),
        ("", None),
        ("99999999999999999999\n", None),
    ] {
        let (setup, text) = menu(script, &none);
        assert_eq!(setup.as_deref(), expected, "{script}: {text}");
    }
    let (_, text) = menu("0\nchess\n", &none);
    assert!(text.contains("There are only the games 1 to 5."), "{text}");
    assert!(text.contains("no such game: \"chess\""), "{text}");
    let sized = Args { size: Some("7".into()), ..Args::default() };
    let (setup, text) = menu("othello\nnogo\n", &sized);
    assert!(text.contains("unacceptable size 7: othello has"), "{text}");
    assert_eq!(setup.as_deref(), Some("nogo size 7 rules standard"));
    for (name, _) in MENU {
        assert!(GameId::parse(name).is_some(), "{name}");
    }
}

#[test]
fn arguments_that_make_no_game() {
    let problem = |args: Args| play(&args, Style::default(), &b""[..], Vec::new()).unwrap().unwrap_err();
    let game = || Args { game: Some("othello".into()), ..Args::default() };
    assert_eq!(
        problem(Args { size: Some("7".into()), ..game() }),
        "unacceptable size 7: othello has 6, 8, 10, square"
    );
    assert!(problem(Args { rules: Some("renju".into()), ..game() }).contains("no such rule"));
    assert!(problem(Args { time: Some("soon".into()), ..game() }).contains("bad time \"soon\""));
    assert!(problem(Args { time: Some("0".into()), ..game() }).contains("bad time \"0\""));
}
