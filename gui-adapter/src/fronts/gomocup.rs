//! The Gomocup protocol of Piskvork and its tournaments, with the extensions of Yixin and Rapfi: for
//! Piskvork, c-gomoku-cli, the Gomocup judge, pygomo, the Yixin-Board and web pages written for Rapfi.
//!
//! The front keeps the game; a search takes the whole position with it. While a search runs lines wait
//! in order, but `YXSTOP` ends it at once, and after `END` nothing is written any more.

mod board;
mod commands;
mod report;
mod searches;
mod settings;
mod words;

use tengen_engine::game::{Cell, Move, Point};
use tengen_engine::games::{GameId, Referee, Setup, SetupError};
use tengen_engine::protocol::Info;

use crate::bridge::{Action, Dialect};
use crate::client::Event;
use crate::client::args::EngineOptions;
use crate::fronts::desk::Desk;
use crate::fronts::queue::{Queue, Waiting};
use crate::records::renju;

use board::Stone;
use settings::{Memory, Times};
use words::Order;

/// Most notes kept for the next answer.
const MOST_NOTES: usize = 8;
/// Most stones taken in a block; more do not fit on any board.
const MOST_STONES: usize = 22 * 22;

/// How the front begins.
#[derive(Clone, Debug)]
pub struct Config {
    /// The rule until `INFO rule` names one.
    pub rules: Option<String>,
    /// Whether coordinates are row first and rule 2 is Renju, as the Yixin-Board has it.
    pub yixin: bool,
    /// Options for the engine.
    pub options: EngineOptions,
}

/// What the lines up to `DONE` are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    /// A position, and a move is wanted.
    Board,
    /// A position, without an answer.
    Silent,
    /// The stones of the opening rule swap2.
    Swap2,
}

/// Lines up to `DONE`.
#[derive(Debug)]
struct Block {
    kind: BlockKind,
    stones: Vec<Stone>,
    /// The first thing wrong with it, told after `DONE`.
    error: Option<String>,
}

/// What a search is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// A move.
    Move,
    /// A move, with so many lines reported.
    Best(u32),
    /// A step of swap2.
    Swap2,
    /// Moves that balance the position.
    Balance,
}

/// The search under way.
#[derive(Debug)]
struct Running {
    purpose: Purpose,
    stopping: bool,
    /// The last report.
    last: Vec<Info>,
    /// The best move shown last.
    shown: Option<Point>,
}

/// The Gomocup front.
#[derive(Debug)]
pub struct Gomocup {
    order: Order,
    desk: Desk,
    /// The game before `START`: a position sent after it often is that game, a move further.
    before: Option<Box<dyn Referee>>,
    started: bool,
    /// The rule wanted, or why there is none.
    rules: Result<&'static str, String>,
    times: Times,
    memory: Memory,
    /// `INFO show_detail`: 1 shows the best move as it changes, 2 the details of every report.
    detail: u64,
    /// What was wrong with the `INFO` lines since the last other command.
    notes: Vec<String>,
    block: Option<Block>,
    running: Option<Running>,
    queue: Queue,
    /// No more lines will come.
    ended: bool,
    /// The manager has said `END`.
    over: bool,
}

/// What a command answers at once, or why it cannot be done.
type Answered = Result<String, String>;

impl Gomocup {
    /// A front that waits for `START`.
    ///
    /// # Errors
    /// When there is no such rule.
    pub fn new(config: Config) -> Result<Gomocup, SetupError> {
        let mut setup = Setup::new(GameId::Gomoku);
        if let Some(rules) = &config.rules {
            setup.set_rules(rules)?;
        }
        let rules = Ok(setup.rules);
        let memory = Memory::new(config.options.get("hash").and_then(|value| value.parse().ok()));
        let mut desk = Desk::new(setup, config.options)?;
        // The protocol has no word for it.
        desk.set("resign", "0").ok();
        Ok(Gomocup {
            order: if config.yixin { Order::RowFirst } else { Order::ColumnFirst },
            desk,
            before: None,
            started: false,
            rules,
            times: Times::default(),
            memory,
            detail: 0,
            notes: Vec::new(),
            block: None,
            running: None,
            queue: Queue::default(),
            ended: false,
            over: false,
        })
    }

    fn yixin(&self) -> bool {
        self.order == Order::RowFirst
    }

    /// Ends the engine's thinking on the opponent's time, if it may think.
    fn calm(&self, out: &mut Vec<Action>) {
        if self.desk.options().ponder {
            out.push(Action::Stop(0));
        }
    }

    fn execute(&mut self, line: &str, out: &mut Vec<Action>) {
        let words = words::words(line);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut rest = words.as_slice();
        loop {
            if self.block.is_some() {
                let stones = rest.iter().take_while(|word| words::looks_like_stone(word)).count();
                let (stones, after) = rest.split_at(stones);
                stones.iter().for_each(|word| self.take_stone(word));
                rest = after;
                let Some((first, after)) = rest.split_first() else { return };
                // Any other command gives the block up.
                let block = self.block.take().filter(|_| first.eq_ignore_ascii_case("done"));
                if let Some(block) = block {
                    let result = self.finish_block(block, out);
                    self.answer(result, out);
                    // What follows on the line of a search has nobody to hear it.
                    if self.running.is_some() {
                        return;
                    }
                    rest = after;
                }
            }
            let Some((name, args)) = rest.split_first() else { return };
            self.command(name, args, out);
            if self.block.is_none() {
                return;
            }
            rest = args;
        }
    }

    fn take_stone(&mut self, word: &str) {
        let Some(block) = &mut self.block else { return };
        let read = match words::numbers(word).as_deref() {
            // Points the manager takes out of the game: continuous games have them.
            Some([_, _, 3]) => Err("continuous games are not supported"),
            Some([a, b, owner @ (1 | 2)]) => Ok((*a, *b, *owner == 1)),
            Some([a, b]) if block.kind == BlockKind::Swap2 => Ok((*a, *b, true)),
            _ => Err("a stone is X,Y,1 or X,Y,2"),
        };
        let side = i64::from(self.desk.referee.setup().width);
        let stone = read.and_then(|(a, b, own)| {
            let fits = (0..side).contains(&a) && (0..side).contains(&b);
            let point = self.order.point(a, b).filter(|_| fits).ok_or("not on the board")?;
            Ok(Stone { point, own })
        });
        let full = block.stones.len() >= MOST_STONES;
        match stone {
            Ok(stone) if !full => block.stones.push(stone),
            Ok(_) => {
                block.error.get_or_insert("too many stones".to_owned());
            }
            Err(why) => {
                block.error.get_or_insert_with(|| format!("{why}: {}", word.escape_default()));
            }
        }
    }

    fn answer(&mut self, result: Answered, out: &mut Vec<Action>) {
        match result {
            Ok(text) if text.is_empty() => {}
            Ok(text) => out.push(Action::ToGui(text + "\n")),
            Err(why) => out.push(Action::ToGui(format!("ERROR {why}\n"))),
        }
    }

    /// Plays a move of the side to move.
    fn play(&mut self, point: Point, out: &mut Vec<Action>) -> Result<(), String> {
        let mv = self.desk.referee.move_of(&[point]).unwrap_or(Move::NONE);
        let color = self.desk.referee.turn();
        match self.desk.referee.play(None, mv) {
            Ok(()) => {}
            // What the manager allows is played: whether it loses is the manager's affair.
            Err(_) if self.desk.referee.forbidden().iter().any(|(forbidden, _)| *forbidden == point) => {
                let changed = board::changed(&*self.desk.referee, point, Cell::Stone(color))?;
                self.desk.replace(changed);
            }
            Err(why) => return Err(format!("illegal move: {why}")),
        }
        self.name_opening(out);
        Ok(())
    }

    /// Tells the name of a Renju opening when its third stone has been put.
    fn name_opening(&self, out: &mut Vec<Action>) {
        let referee = &self.desk.referee;
        if self.detail == 0 || referee.setup().rules != "renju" || referee.plies() != 3 {
            return;
        }
        let points: Vec<Point> =
            referee.history().into_iter().flat_map(|(_, mv)| referee.points(mv)).collect();
        if let Ok(stones) = points.try_into()
            && let Some(opening) = renju::recognize(referee.setup().width, stones)
        {
            out.push(Action::ToGui(format!("MESSAGE opening {} {}\n", opening.code, opening.name)));
        }
    }

    fn wait(&mut self, waiting: Waiting, out: &mut Vec<Action>) {
        self.queue.push(waiting);
        self.pump(out);
    }

    /// Does the waiting lines until one of them has to wait for a search.
    fn pump(&mut self, out: &mut Vec<Action>) {
        while self.running.is_none()
            && !self.over
            && let Some(waiting) = self.queue.pop()
        {
            match waiting {
                Waiting::Line(line) => self.execute(&line, out),
                Waiting::TooLong(_) => {
                    self.block = None;
                    self.answer(Err("line too long".to_owned()), out);
                }
            }
        }
        if self.ended && self.running.is_none() && !self.over {
            out.push(Action::Quit);
        }
    }
}

impl Dialect for Gomocup {
    fn line(&mut self, line: &str, out: &mut Vec<Action>) {
        if self.over {
            return;
        }
        let first = line.split_ascii_whitespace().next().unwrap_or_default().to_ascii_uppercase();
        match first.as_str() {
            "END" => {
                self.over = true;
                self.queue.clear();
                // An engine that goes on thinking would hold up the end.
                self.stop(out);
                out.push(Action::Quit);
            }
            "YXSTOP" | "STOP" if self.running.is_some() => self.stop(out),
            _ => self.wait(Waiting::Line(line.to_owned()), out),
        }
    }

    fn too_long(&mut self, head: &str, out: &mut Vec<Action>) {
        if !self.over {
            self.wait(Waiting::TooLong(head.to_owned()), out);
        }
    }

    fn search(&mut self, _: usize, event: Event, out: &mut Vec<Action>) {
        if self.over {
            return;
        }
        match event {
            Event::Started => {}
            Event::Report(infos) => self.report(infos, out),
            Event::Done(result) => {
                let answered = self.done(result, out);
                self.answer(answered, out);
                self.pump(out);
            }
        }
    }

    fn end_of_input(&mut self, out: &mut Vec<Action>) {
        self.ended = true;
        self.pump(out);
    }

    fn accepts(&self) -> bool {
        self.queue.has_room()
    }
}

#[cfg(test)]
mod tests;
