//! The commands, but for `INFO`.

use std::fmt::Write;

use tengen_engine::game::{Cell, Color, EVAL_MAX, Knowledge, Point};
use tengen_engine::games::gomoku::GomokuSearch;
use tengen_engine::games::{self, Referee};
use tengen_engine::protocol::Opening;
use tengen_engine::search::value;

use super::board::{self, Stone, Wanted};
use super::settings::greatest;
use super::{Answered, Block, BlockKind, Gomocup, Purpose, words};
use crate::bridge::Action;

impl Gomocup {
    /// Carries out a command. One that opens a block leaves the words behind it to the caller.
    pub(super) fn command(&mut self, name: &str, args: &[&str], out: &mut Vec<Action>) {
        let upper = name.to_ascii_uppercase();
        if upper == "INFO" {
            return self.info(args, out);
        }
        for note in std::mem::take(&mut self.notes) {
            out.push(Action::ToGui(format!("MESSAGE {note}\n")));
        }
        let block = match upper.as_str() {
            "BOARD" => BlockKind::Board,
            "YXBOARD" => BlockKind::Silent,
            "SWAP2BOARD" => BlockKind::Swap2,
            _ => {
                let result = self.plain(&upper, name, args, out);
                return self.answer(result, out);
            }
        };
        self.block = Some(Block { kind: block, stones: Vec::new(), error: None });
    }

    fn plain(&mut self, upper: &str, name: &str, args: &[&str], out: &mut Vec<Action>) -> Answered {
        let silent = Ok(String::new());
        match upper {
            "START" | "RECTSTART" => self.start(args, out),
            "RESTART" => {
                self.ready()?;
                self.calm(out);
                let setup = self.desk.referee.setup().clone();
                self.begin_game(setup)
            }
            "BEGIN" => self.think(Purpose::Move, None, out),
            "TURN" => {
                self.ready()?;
                let point = self.point(args)?;
                self.play(point, out)?;
                self.think(Purpose::Move, None, out)
            }
            "PLAY" => {
                self.ready()?;
                let point = self.point(args)?;
                self.play(point, out)?;
                Ok(self.order.text(point))
            }
            "TAKEBACK" => {
                self.ready()?;
                let point = self.point(args)?;
                self.calm(out);
                self.take_back(point)
            }
            "ABOUT" => Ok(about()),
            "YXSTOP" | "STOP" => {
                self.calm(out);
                silent
            }
            "YXNBEST" => {
                let lines = args.first().and_then(|word| word.parse::<u32>().ok()).filter(|&n| n > 0);
                let Some(lines) = lines else { return Err("expected YXNBEST N".to_owned()) };
                let most = u32::try_from(greatest("multipv")).unwrap_or(1);
                self.think(Purpose::Best(lines.min(most)), None, out)
            }
            "YXBALANCEONE" => self.balance(1, args, out),
            "YXBALANCETWO" => self.balance(2, args, out),
            "YXSHOWFORBID" => {
                self.ready()?;
                Ok(self.forbidden())
            }
            "YXHASHCLEAR" => {
                self.calm(out);
                self.desk.clear_cache();
                silent
            }
            // The size in the form of the Yixin-Board: the exponent of two, in KiB.
            "YXSHOWINFO" => Ok(format!(
                "MESSAGE INFO MAX_THREAD_NUM {}\nMESSAGE INFO MAX_HASH_SIZE {}",
                greatest("threads"),
                (greatest("hash") << 10).ilog2()
            )),
            // A block that was given up.
            "DONE" => Err("DONE without BOARD".to_owned()),
            _ => Ok(format!("UNKNOWN command: {}", name.escape_default())),
        }
    }

    /// `START side`, `START side side`, `RECTSTART side,side`.
    fn start(&mut self, args: &[&str], out: &mut Vec<Action>) -> Answered {
        let sides = words::numbers(&args.join(",")).unwrap_or_default();
        let side = match sides.as_slice() {
            [side] => *side,
            [width, height] if width == height => *width,
            [_, _] => return Err("rectangular boards are not supported".to_owned()),
            _ => return Err("expected START SIZE".to_owned()),
        };
        let rules = self.rules.clone()?;
        let mut setup = self.desk.referee.setup().clone();
        setup.rules = rules;
        // Zero is no side either.
        let side = u8::try_from(side).unwrap_or(0);
        setup.set_sides(side, side).map_err(|error| error.to_string())?;
        self.calm(out);
        self.begin_game(setup)
    }

    fn begin_game(&mut self, mut setup: games::Setup) -> Answered {
        setup.rules = self.rules.clone()?;
        if self.desk.referee.plies() > 0 {
            self.before = Some(self.desk.referee.boxed_clone());
        }
        self.desk.new_game(setup).map_err(|error| error.to_string())?;
        self.started = true;
        Ok("OK".to_owned())
    }

    /// The one point of the arguments.
    fn point(&self, args: &[&str]) -> Result<Point, String> {
        let text = args.join(",");
        let point = match words::numbers(&text).as_deref() {
            Some([a, b]) => self.order.point(*a, *b),
            _ => return Err(format!("expected X,Y, not \"{}\"", text.escape_default())),
        };
        let on_board = |point: &Point| self.desk.referee.move_of(&[*point]).is_some();
        point.filter(on_board).ok_or_else(|| format!("not on the board: {}", text.escape_default()))
    }

    fn take_back(&mut self, point: Point) -> Answered {
        let referee = &mut self.desk.referee;
        let last = referee.history().last().map(|&(_, mv)| referee.points(mv));
        match last {
            Some(points) if points.contains(&point) => {
                referee.undo(1).map_err(|error| error.to_string())?;
            }
            None if referee.cell(point) == Cell::Stone(!referee.turn()) => {
                let changed = board::changed(&**referee, point, Cell::Empty)?;
                self.desk.replace(changed);
            }
            _ => return Err(format!("{} is not the last move", self.order.text(point))),
        }
        self.follow_rule();
        Ok("OK".to_owned())
    }

    /// The record that a position is likely to continue.
    fn known(&self) -> &dyn Referee {
        let present = &*self.desk.referee;
        let fresh = present.plies() == 0 && present.start_text().is_none();
        self.before.as_deref().filter(|_| fresh).unwrap_or(present)
    }

    pub(super) fn finish_block(&mut self, block: Block, out: &mut Vec<Action>) -> Answered {
        self.ready()?;
        if let Some(why) = block.error {
            return Err(why);
        }
        let mut setup = self.desk.referee.setup().clone();
        setup.rules = self.rules.clone()?;
        let renju = setup.rules == "renju";
        if block.kind == BlockKind::Swap2 {
            let order = block.stones.iter().zip([true, false].into_iter().cycle());
            // White is to move, or on the empty board Black: the engine, whichever it will be.
            let white = !block.stones.is_empty();
            let stones: Vec<Stone> =
                order.map(|(stone, black)| Stone { point: stone.point, own: black != white }).collect();
            let record = Wanted::new(&stones, true, false).arrange(&setup, self.known())?;
            if !matches!(stones.len(), 0 | 3 | 5) || record.plies() != stones.len() {
                return Err("SWAP2BOARD takes no, three or five stones".to_owned());
            }
            self.desk.replace(record);
            return self.think(Purpose::Swap2, Some(Opening::Swap2), out);
        }
        let silent = block.kind == BlockKind::Silent;
        let record = Wanted::new(&block.stones, renju, silent).arrange(&setup, self.known())?;
        self.desk.replace(record);
        self.name_opening(out);
        if silent {
            self.calm(out);
            return Ok(String::new());
        }
        self.think(Purpose::Move, None, out)
    }

    /// `YXBALANCEONE [BIAS]`: the bias is the value wanted for the side to move.
    fn balance(&mut self, moves: u8, args: &[&str], out: &mut Vec<Action>) -> Answered {
        let bias = match args {
            [] => 0,
            [word, ..] => word.parse::<i32>().map_err(|_| "expected a whole number".to_owned())?,
        };
        let chance = value::chance(bias.clamp(-EVAL_MAX, EVAL_MAX), GomokuSearch::SCALE);
        let percent = (0..=100_u8)
            .min_by(|a, b| {
                let away = |percent: u8| (f32::from(percent) - 100.0 * chance).abs();
                away(*a).total_cmp(&away(*b))
            })
            .unwrap_or(50);
        self.think(Purpose::Balance, Some(Opening::Balance { moves, percent }), out)
    }

    /// Black's forbidden points, whoever is to move: two digits for each coordinate.
    fn forbidden(&self) -> String {
        let referee = &self.desk.referee;
        let mut text = "FORBID ".to_owned();
        let points = match referee.turn() {
            Color::Black => referee.forbidden(),
            Color::White => {
                let mut black = referee.boxed_clone();
                let position = referee.position_text();
                let board = position.split(' ').next().unwrap_or_default();
                // A finished game has none.
                if black.set_position(&format!("{board} b")).is_err() {
                    Vec::new()
                } else {
                    black.forbidden()
                }
            }
        };
        for (point, _) in points {
            let (a, b) = self.order.pair(point);
            write!(text, "{a:02}{b:02}").ok();
        }
        text + "."
    }
}

fn about() -> String {
    format!(
        "name=\"Tengen\", version=\"{}\", author=\"The Tengen developers\", country=\"International\"",
        env!("CARGO_PKG_VERSION")
    )
}
