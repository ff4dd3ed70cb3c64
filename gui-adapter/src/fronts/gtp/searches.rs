//! From a command that needs a search to its reply.

use std::time::Duration;

use tengen_engine::game::{Color, Move};
use tengen_engine::protocol::{Info, SearchLimits};

use super::analyze::Analysis;
use super::table::Ready;
use super::{Answered, Gtp, Outcome, Profile, Purpose, Running, reply};
use crate::bridge::Action;
use crate::client::{Answer, Request, SearchKind};

impl Gtp {
    /// The search, with the position as it stands. `lines` is how many moves are to be reported, if not
    /// as many as the option says.
    pub(super) fn request(&mut self, color: Color, kind: SearchKind, lines: Option<u32>) -> Box<Request> {
        let mut options = self.options.clone().into_pairs();
        let lines = lines.unwrap_or_else(|| self.options.all().multipv).to_string();
        options.retain(|(name, _)| name != "multipv");
        options.push(("multipv".to_owned(), lines));
        Box::new(Request {
            engine: 0,
            cleared: 0,
            game: self.table.game(),
            position: self.table.snapshot(color),
            color,
            kind,
            options,
            clock: self.clock.take(),
        })
    }

    /// Writes a report where one is due, else keeps it: an analysis never ends without its last report.
    pub(super) fn report(&mut self, infos: Vec<Info>, out: &mut Vec<Action>) {
        if let Some(running) = &mut self.running
            && let Purpose::Analyze(analysis) | Purpose::GenMoveAnalyze(analysis) = &running.purpose
        {
            let time = infos.first().map_or(Duration::ZERO, |info| info.time);
            let due = match (analysis.interval, running.written) {
                (Some(interval), Some(written)) => written + interval <= time + interval / 4,
                (Some(_), None) => true,
                (None, _) => false,
            };
            let text = analysis.report(&self.notation, &self.table, &infos);
            running.unwritten = (!text.is_empty()).then_some(text);
            if due {
                write_report(running, out);
                running.written = Some(time);
            }
        }
        self.last = infos;
    }

    /// Writes the reply to the command whose search has ended.
    pub(super) fn done(&mut self, result: Result<Answer, String>, out: &mut Vec<Action>) {
        let Some(mut running) = self.running.take() else { return };
        let text = result.and_then(|answer| {
            if matches!(running.purpose, Purpose::GenMove | Purpose::GenMoveAnalyze(_)) {
                self.spent += answer.elapsed;
            }
            self.answer(&running, &answer)
        });
        match (&running.purpose, text) {
            (Purpose::Analyze(_), Ok(_)) if !running.stopping => {
                // A position that is solved leaves nothing to search, but only the client ends an analysis.
                write_header(&mut running, out);
                write_report(&mut running, out);
                running.searching = false;
                self.running = Some(running);
                if !self.queue.is_empty() || self.ended {
                    self.end_analysis(out);
                }
            }
            (Purpose::Analyze(_), text) if running.header || text.is_ok() => {
                write_header(&mut running, out);
                write_report(&mut running, out);
                out.push(Action::ToGui("\n".to_owned()));
            }
            (Purpose::GenMoveAnalyze(_), Ok(text)) => {
                write_header(&mut running, out);
                write_report(&mut running, out);
                out.push(Action::ToGui(format!("play {text}\n\n")));
            }
            (Purpose::GenMoveAnalyze(_), Err(text)) if running.header => {
                // The reply has begun with `=`: a lost engine can no longer be reported but by resigning.
                log::error!(target: "adapter::gtp", "{text}");
                out.push(Action::ToGui("play resign\n\n".to_owned()));
            }
            (Purpose::GenMove, Err(text)) if self.profile == Profile::Quarry => {
                // Quarry waits for ever after a failed genmove; a resignation it shows.
                log::error!(target: "adapter::gtp", "{text}");
                reply(running.id, Ok("resign".to_owned()), out);
            }
            (_, text) => reply(running.id, text, out),
        }
    }

    /// The reply to the command that asked for the search.
    fn answer(&mut self, running: &Running, answer: &Answer) -> Result<String, String> {
        match &running.purpose {
            Purpose::GenMoveAnalyze(analysis) if analysis.filtered() => {
                let text = self.allowed(analysis, &answer.text);
                self.told(running.color, &text, true)
            }
            Purpose::GenMove | Purpose::GenMoveAnalyze(_) => self.told(running.color, &answer.text, true),
            Purpose::RegGenMove => self.told(running.color, &answer.text, false),
            &Purpose::Show(shape) => Ok(shape.text(&self.notation, &self.table, &self.last)),
            Purpose::Analyze(_) | Purpose::Load(_) | Purpose::Save => Ok(String::new()),
        }
    }

    /// The engine's move if the client allows it, else the best of the last report that it allows, else
    /// any: the daemon knows nothing of filters. That it has played another move is set right before the
    /// next search.
    fn allowed(&self, analysis: &Analysis, text: &str) -> String {
        let referee = self.table.referee();
        let reported = self.last.iter().filter_map(|info| Some(info.pv.first()?.as_str()));
        let admitted = std::iter::once(text).chain(reported).find(|text| {
            *text == "resign" || referee.parse_move(text).is_ok_and(|mv| analysis.admits(&self.table, mv))
        });
        let any = || analysis.first_allowed(&self.table).map(|mv| referee.move_text(mv));
        admitted.map(str::to_owned).or_else(any).unwrap_or_else(|| text.to_owned())
    }

    /// The engine's move as the client is told it, and played if it is to be.
    fn told(&mut self, color: Color, text: &str, play: bool) -> Result<String, String> {
        if text == "resign" {
            return Ok(text.to_owned());
        }
        let referee = self.table.referee();
        let illegal = |why: String| format!("the engine answered \"{}\": {why}", text.escape_default());
        let mv = referee.parse_move(text).map_err(|error| illegal(error.to_string()))?;
        if self.notation.steps() && mv != Move::PASS {
            let others = self.last.iter().filter_map(|info| referee.parse_move(info.pv.first()?).ok());
            let rest = self.table.rest_of(std::iter::once(mv).chain(others));
            let Some(&point) = rest.first() else { return Err(illegal("not a move".to_owned())) };
            if play {
                self.table.play(color, &[point]).map_err(|error| illegal(error.to_string()))?;
                self.rest = rest.into_iter().skip(1).collect();
                self.pondering = Some(self.table.undoable() + self.rest.len());
            }
            return Ok(self.notation.point(point));
        }
        let told = self.notation.text(referee, mv);
        if play {
            self.table.play_move(color, mv).map_err(|error| illegal(error.to_string()))?;
            self.pondering = Some(self.table.undoable());
        }
        Ok(told)
    }

    /// What is said without a search, or the search that is needed.
    pub(super) fn think(&mut self, color: Color, purpose: Purpose) -> Answered {
        let plays = matches!(purpose, Purpose::GenMove | Purpose::GenMoveAnalyze(_));
        let ready = self.table.ready(color).map_err(|error| error.to_string())?;
        let at_once = match ready {
            Ready::Over(text) => Some(text.to_owned()),
            Ready::MustPass => Some("pass".to_owned()),
            Ready::Choice { .. } => None,
        };
        if let Some(text) = at_once {
            if plays && text == "pass" {
                self.table.play(color, &[]).map_err(|error| error.to_string())?;
            }
            return Ok(match purpose {
                Purpose::Analyze(analysis) => Outcome::Idle(color, analysis),
                Purpose::GenMoveAnalyze(_) => Outcome::Text(format!("\nplay {text}")),
                Purpose::Show(_) => Outcome::Text(String::new()),
                _ => Outcome::Text(text),
            });
        }
        if plays && let Some(point) = self.rest.pop_at(0) {
            self.table.play(color, &[point]).map_err(|error| error.to_string())?;
            return Ok(Outcome::Text(self.notation.point(point)));
        }
        match &purpose {
            Purpose::Analyze(analysis) | Purpose::GenMoveAnalyze(analysis)
                if analysis.filtered() && analysis.first_allowed(&self.table).is_none() =>
            {
                return if plays {
                    Err("no legal move is allowed".to_owned())
                } else {
                    Ok(Outcome::Idle(color, analysis.clone()))
                };
            }
            _ => {}
        }
        let kind = match &purpose {
            Purpose::GenMove | Purpose::GenMoveAnalyze(_) => SearchKind::GenMove,
            Purpose::Analyze(analysis) => {
                SearchKind::Analyze { interval: analysis.pace(), limits: SearchLimits::default() }
            }
            _ => SearchKind::RegGenMove,
        };
        Ok(Outcome::Search(color, kind, purpose))
    }
}

/// The first line of an analysis, once. It has no blank after the id: Leela Zero and KataGo write none.
pub(super) fn write_header(running: &mut Running, out: &mut Vec<Action>) {
    if !running.header {
        running.header = true;
        out.push(Action::ToGui(format!("={}\n", running.id.as_deref().unwrap_or_default())));
    }
}

/// The last report, if it was not written.
fn write_report(running: &mut Running, out: &mut Vec<Action>) {
    if let Some(text) = running.unwritten.take() {
        out.push(Action::ToGui(text + "\n"));
    }
}
