//! A bad engine: plays legal moves, the first it finds, until its fault comes.
//!
//! `test-zoo PROTOCOL FAULT [MOVE]` speaks gtp (which is enough of the native protocol too), ugi or gomocup,
//! and shows the fault at its so-manieth move of a game, from 1.

#![expect(clippy::print_stdout, clippy::print_stderr, reason = "an engine speaks on its standard streams")]

use std::io::{BufRead, Write};
use std::process::exit;
use std::time::Duration;

use tengen_engine::game::{Move, Outcome, Point};
use tengen_engine::games::{self, Referee, Setup};

struct Zoo {
    referee: Box<dyn Referee>,
    fault: String,
    at: usize,
    moves: usize,
    /// A block of swap2 is being read.
    swap2: bool,
}

fn say(text: &str) {
    println!("{text}");
    // A runner that is gone needs no more.
    std::io::stdout().flush().ok();
}

fn for_ever() -> ! {
    loop {
        std::thread::sleep(Duration::from_secs(1000));
    }
}

impl Zoo {
    fn new_game(&mut self, words: &str) {
        if let Some(referee) =
            Setup::parse(words.split_ascii_whitespace()).ok().and_then(|s| games::referee(s).ok())
        {
            self.referee = referee;
        }
        self.moves = 0;
    }

    fn play(&mut self, mv: Option<Move>) -> bool {
        mv.is_some_and(|mv| self.referee.play(None, mv).is_ok())
    }

    /// The move it plays, already played; what it does instead when its time has come, or the text it says.
    fn think(&mut self) -> Result<Move, String> {
        self.moves += 1;
        let mv = self.referee.legal_moves(None).unwrap_or_default()[0];
        if self.moves == self.at {
            match self.fault.as_str() {
                "silent" => for_ever(),
                fault if fault.ends_with("late") => std::thread::sleep(Duration::from_millis(1500)),
                "busy" => loop {
                    std::hint::spin_loop();
                },
                "crash" => {
                    eprintln!("something is wrong");
                    exit(7);
                }
                "abort" => std::process::abort(),
                "flood" => {
                    for line in 0..60_000 {
                        say(&format!(
                            "info thinking and thinking about line number {line} of very many lines"
                        ));
                    }
                }
                "endless" => loop {
                    say("thinking and thinking and thinking and thinking and thinking and thinking");
                },
                "long-line" => say(&"x".repeat(5_000_000)),
                "illegal" => {
                    return Err(self
                        .referee
                        .history()
                        .last()
                        .map_or("a0".into(), |&(_, mv)| self.referee.move_text(mv)));
                }
                "garbage" => return Err("\u{7}§$%&/()= what?".into()),
                "resign" => return Err("resign".into()),
                "pass" => return Err("pass".into()),
                _ => {}
            }
        }
        self.play(Some(mv));
        Ok(mv)
    }

    fn text(&self, thought: Result<Move, String>) -> String {
        thought.map_or_else(|text| text, |mv| self.referee.move_text(mv))
    }

    fn gtp(&mut self, line: &str) {
        let (id, line) = line.split_at(line.bytes().take_while(u8::is_ascii_digit).count());
        let mut words = line.split_ascii_whitespace();
        let reply = match (words.next().unwrap_or_default(), words.collect::<Vec<_>>().as_slice()) {
            ("protocol_version", _) => "2".to_owned(),
            ("newgame", words) => {
                self.new_game(&words.join(" "));
                String::new()
            }
            ("boardsize", [size]) => {
                self.new_game(&format!("{} size {size}", self.referee.setup().game));
                String::new()
            }
            ("clear_board", _) => {
                self.referee.reset();
                self.moves = 0;
                String::new()
            }
            ("play", [_, text]) => {
                let mv = self.referee.parse_move(text).ok();
                if !self.play(mv) || (self.fault == "refuses" && self.moves + 1 == self.at) {
                    say(&format!("?{id} illegal move\n"));
                    return;
                }
                if self.fault == "deaf" && self.moves + 1 == self.at {
                    for_ever();
                }
                String::new()
            }
            ("genmove", _) => {
                let thought = self.think();
                self.text(thought)
            }
            ("quit", _) => {
                say(&format!("={id} \n"));
                exit(0)
            }
            ("list_commands" | "info" | "set" | "time_control" | "time_settings" | "time_left", _) => {
                String::new()
            }
            _ => {
                say(&format!("?{id} unknown command\n"));
                return;
            }
        };
        say(&format!("={id} {reply}\n"));
        if self.fault == "doubled" && line.contains("genmove") {
            say(&format!("={id} {reply}\n"));
        }
    }

    fn ugi(&mut self, line: &str) {
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["ugi"] => say("id name zoo\noption name Game type string\noption name Size type string\nugiok"),
            ["setoption", "name", "Game", "value", game] => self.new_game(game),
            ["setoption", "name", "Size", "value", size] => {
                self.new_game(&format!("{} size {size}", self.referee.setup().game));
            }
            ["uginewgame"] => self.moves = 0,
            ["isready"] => say("readyok"),
            ["position", "startpos", moves @ ..] => {
                self.referee.reset();
                for text in moves.iter().skip(1) {
                    let mv = self.referee.parse_move(text).ok();
                    self.play(mv);
                }
            }
            ["query", "gameover"] => {
                let over = self.referee.ending().is_some();
                let lies = match self.fault.as_str() {
                    "early-end" => !over && self.moves + 1 == self.at,
                    "no-end" => over,
                    _ => false,
                };
                say(&format!("response {}", over != lies));
            }
            ["query", "result"] => say(match self.referee.ending().map(|ending| ending.outcome) {
                None => "response none",
                Some(Outcome::Win(winner)) => {
                    let start = self.referee.plies().is_multiple_of(2);
                    let first = if start { self.referee.turn() } else { !self.referee.turn() };
                    match (winner == first) != (self.fault == "wrong-result") {
                        true => "response p1win",
                        false => "response p2win",
                    }
                }
                Some(Outcome::Draw) => "response draw",
            }),
            ["go", ..] => {
                let thought = self.think();
                let text = match (self.fault.as_str(), self.moves == self.at) {
                    ("no-move", true) => "0000".to_owned(),
                    ("two-words", true) => String::new(),
                    _ => self.text(thought),
                };
                say(&format!("bestmove {text}"));
            }
            ["quit"] => exit(0),
            _ => {}
        }
    }

    /// Its word in the opening: what to do with three stones, then with five.
    fn swap2_step(&self) -> &'static str {
        let named = |part: &str| self.fault.split('-').any(|other| other == part);
        match self.referee.plies() {
            0 if named("four") => "1,1 2,2 3,3 4,4",
            0 => "1,1 2,2 3,3",
            3 if named("two") => "5,5 6,6",
            3 if named("occupied") => "1,1",
            _ if named("swap") => "SWAP",
            _ => "7,7",
        }
    }

    fn gomocup(&mut self, line: &str, block: &mut bool) {
        let point = |text: &str| {
            let mut numbers = text.split(',').map_while(|word| word.parse().ok());
            Some(Point { column: numbers.next()?, row: numbers.next()? })
        };
        let words: Vec<&str> = line.split_ascii_whitespace().collect();
        match words.as_slice() {
            ["START", size] => {
                self.new_game(&format!("gomoku size {size}"));
                say("OK");
            }
            ["BOARD"] => {
                self.referee.reset();
                *block = true;
                return;
            }
            ["SWAP2BOARD"] => {
                self.referee.reset();
                (*block, self.swap2) = (true, true);
                return;
            }
            ["DONE"] if self.swap2 => {
                (*block, self.swap2) = (false, false);
                return say(self.swap2_step());
            }
            ["DONE"] => *block = false,
            ["BEGIN"] => {}
            ["TURN", text] => {
                let mv = point(text).and_then(|point| self.referee.move_of(&[point]));
                self.play(mv);
            }
            ["END"] => exit(0),
            ["PLAY", text] => say(text),
            [text] if *block => {
                let mv = point(text).and_then(|point| self.referee.move_of(&[point]));
                self.play(mv);
            }
            _ => {}
        }
        if !*block && matches!(words.first(), Some(&("DONE" | "BEGIN" | "TURN"))) {
            let at = self.moves + 1 == self.at;
            match self.fault.as_str() {
                "error" if at => say("ERROR I do not feel well"),
                "off-board" if at => say("77,-1"),
                "far" if at => say("77,1"),
                _ => {
                    say("MESSAGE let me see");
                    let thought = self.think();
                    let Ok(mv) = thought else { return say(&self.text(thought)) };
                    let point = self.referee.points(mv)[0];
                    let suggestion = if self.fault == "suggests" { "SUGGEST " } else { "" };
                    say(&format!("{suggestion}{},{}", point.column, point.row));
                }
            }
        }
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let arg = |index: usize| args.get(index).cloned().unwrap_or_default();
    let referee = games::referee(Setup::parse(["nogo", "size", "5"]).expect("a set-up")).expect("a board");
    let mut zoo = Zoo { referee, fault: arg(1), at: arg(2).parse().unwrap_or(1), moves: 0, swap2: false };
    match zoo.fault.as_str() {
        "dies" => {
            eprintln!("no licence");
            exit(1);
        }
        "mute" => for_ever(),
        _ => {}
    }
    let mut block = false;
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        if zoo.fault == "stays" && matches!(line.trim(), "quit" | "END") {
            continue;
        }
        match arg(0).as_str() {
            "gtp" => zoo.gtp(line.trim()),
            "ugi" => zoo.ugi(line.trim()),
            _ => zoo.gomocup(line.trim(), &mut block),
        }
    }
    if zoo.fault == "stays" {
        for_ever();
    }
}
