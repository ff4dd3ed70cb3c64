//! From a command that needs a search to its answer.

use tengen_engine::game::Point;
use tengen_engine::protocol::{Info, Opening};

use super::{Answered, Gomocup, Purpose, Running, report};
use crate::bridge::Action;
use crate::client::{Answer, SearchKind};

impl Gomocup {
    /// Whether there is a game in which to do something.
    pub(super) fn ready(&self) -> Result<(), String> {
        if !self.started {
            return Err("no game: use START first".to_owned());
        }
        self.rules.as_ref().map(|_| ()).map_err(Clone::clone)
    }

    /// Asks for a search. The answer comes with its end.
    pub(super) fn think(
        &mut self,
        purpose: Purpose,
        opening: Option<Opening>,
        out: &mut Vec<Action>,
    ) -> Answered {
        self.ready()?;
        if let Some(ending) = self.desk.referee.ending() {
            return Err(format!("the game is over: {ending}"));
        }
        let color = self.desk.referee.turn();
        self.times.tell(&mut self.desk.clocks, color);
        let kind = opening.map_or(SearchKind::GenMove, SearchKind::Opening);
        let only = match purpose {
            Purpose::Best(lines) => vec![("multipv", lines.to_string())],
            _ => Vec::new(),
        };
        out.push(Action::Search(self.desk.request(kind, &only)));
        self.running = Some(Running { purpose, stopping: false, last: Vec::new(), shown: None });
        Ok(String::new())
    }

    /// Ends the search; it answers with what it has.
    pub(super) fn stop(&mut self, out: &mut Vec<Action>) {
        if let Some(running) = &mut self.running
            && !running.stopping
        {
            running.stopping = true;
            out.push(Action::Stop(0));
        }
    }

    /// The points of a line, as far as they are moves.
    fn points(&self, texts: &[String]) -> Vec<Point> {
        let referee = &self.desk.referee;
        let points = texts.iter().map_while(|text| {
            let mv = referee.parse_move(text).ok()?;
            referee.points(mv).first().copied()
        });
        points.collect()
    }

    pub(super) fn report(&mut self, infos: Vec<Info>, out: &mut Vec<Action>) {
        let best = infos.first().and_then(|info| self.points(&info.pv).first().copied());
        let ranked = matches!(self.running, Some(Running { purpose: Purpose::Best(_), .. }));
        let mut text = String::new();
        if self.detail & 2 != 0 {
            for info in &infos {
                text += &report::detail(info, infos.len(), self.order, &self.points(&info.pv));
            }
        }
        if self.detail > 0 {
            text.extend(infos.iter().map(|info| report::message(info, ranked)));
        }
        let Some(running) = &mut self.running else { return };
        if self.detail & 1 != 0 && running.shown != best {
            running.shown = best;
            text += "MESSAGE REALTIME REFRESH\n";
            if let Some(point) = best {
                text += &format!("MESSAGE REALTIME BEST {}\n", self.order.text(point));
            }
        }
        running.last = infos;
        if !text.is_empty() {
            out.push(Action::ToGui(text));
        }
    }

    /// The answer of the search that has ended, its moves played.
    pub(super) fn done(&mut self, result: Result<Answer, String>, out: &mut Vec<Action>) -> Answered {
        let Some(running) = self.running.take() else { return Ok(String::new()) };
        let text = result?.text;
        // With details on, every report was shown as it came.
        if self.detail == 0 {
            let ranked = matches!(running.purpose, Purpose::Best(_));
            let lines: String = running.last.iter().map(|info| report::message(info, ranked)).collect();
            if !lines.is_empty() {
                out.push(Action::ToGui(lines));
            }
        }
        if running.purpose == Purpose::Swap2 && text == "swap" {
            return Ok("SWAP".to_owned());
        }
        let words: Vec<String> = text.split_ascii_whitespace().map(str::to_owned).collect();
        let points = self.points(&words);
        let moves = matches!(running.purpose, Purpose::Move | Purpose::Best(_));
        if points.len() != words.len() || points.is_empty() || (moves && points.len() != 1) {
            return Err(format!("the engine answered \"{}\"", text.escape_default()));
        }
        // All or nothing.
        let before = self.desk.referee.plies();
        for &point in &points {
            let mv = self.desk.referee.move_of(&[point]);
            let played = mv.is_some_and(|mv| self.desk.referee.play(None, mv).is_ok());
            if !played {
                let extra = self.desk.referee.plies().saturating_sub(before);
                self.desk.referee.undo(extra).ok();
                return Err(format!("the engine answered an illegal move: {}", text.escape_default()));
            }
            self.name_opening(out);
        }
        let answers: Vec<String> = points.into_iter().map(|point| self.order.text(point)).collect();
        Ok(answers.join(" "))
    }
}
