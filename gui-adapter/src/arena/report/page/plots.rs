//! Plots as SVG within the page. Colours come from the style sheet.

use super::super::summary::Summary;
use super::super::table::{elo, error};
use super::escape;

/// Width and height of a plot, and its margins: left, right, top, bottom.
const SIZE: (f64, f64) = (640.0, 260.0);
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 34.0;
/// The most points of a line.
const POINTS: usize = 500;
/// Elo beyond this is drawn at the edge.
const FARTHEST: f64 = 800.0;

/// The estimate of a match of two as it went on.
#[derive(Debug, Default)]
pub(super) struct Running {
    /// Elo with the ends of its interval.
    elo: Vec<[f64; 3]>,
    llr: Vec<f64>,
    names: Vec<String>,
}

/// A linear scale from values to places.
struct Scale {
    from: (f64, f64),
    to: (f64, f64),
}

impl Scale {
    fn at(&self, value: f64) -> f64 {
        let (low, high) = self.from;
        let share = (value.clamp(low, high) - low) / (high - low);
        self.to.0 + share * (self.to.1 - self.to.0)
    }

    /// Round values about `count` to the scale.
    fn ticks(&self, count: f64) -> Vec<f64> {
        let (low, high) = self.from;
        let raw = (high - low) / count;
        let power = 10.0_f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .map(|factor| factor * power)
            .find(|&step| step >= raw)
            .unwrap_or(10.0 * power);
        let first = (low / step).ceil() as i64;
        let last = (high / step).floor() as i64;
        (first..=last).map(|index| index as f64 * step).collect()
    }
}

impl Running {
    /// Adds where the match stands after one more game.
    pub(super) fn push(&mut self, summary: &Summary) {
        if let [pairing] = &summary.pairings[..] {
            let estimate = &pairing.estimate;
            self.elo.push([estimate.low, estimate.elo, estimate.high]);
            if self.names.is_empty() {
                self.names = vec![pairing.first.clone(), pairing.second.clone()];
            }
        }
        self.llr.extend(summary.sprt.map(|sprt| sprt.state.llr));
    }

    /// Elo over games with its band of 95 %.
    pub(super) fn elo(&self) -> String {
        let [first, second] = &self.names[..] else { return String::new() };
        let title = format!("Elo of {} over {} with 95 % band", escape(first), escape(second));
        let clamped: Vec<[f64; 3]> =
            self.elo.iter().map(|point| point.map(|elo| elo.clamp(-FARTHEST, FARTHEST))).collect();
        // The first games say nothing: the scale is that of the later ones.
        let later = clamped.iter().skip(clamped.len() / 10);
        let reach = later.flatten().fold(20.0_f64, |reach, elo| reach.max(elo.abs()));
        let y = Scale { from: (-1.05 * reach, 1.05 * reach), to: (SIZE.1 - BOTTOM, TOP) };
        let x = self.games();
        let upper = path(&clamped, &x, |point| y.at(point[2]));
        let lower = path(&clamped, &x, |point| y.at(point[0]));
        let band: Vec<String> = upper.iter().chain(lower.iter().rev()).cloned().collect();
        let line = path(&clamped, &x, |point| y.at(point[1]));
        frame(
            &title,
            &x,
            &y,
            &format!(
                "<polygon class=\"band\" points=\"{}\"/><polyline class=\"line\" points=\"{}\"/>",
                band.join(" "),
                line.join(" ")
            ),
        )
    }

    /// The log-likelihood ratio over games between its bounds; nothing without a test.
    pub(super) fn llr(&self, summary: &Summary) -> String {
        let Some(sprt) = &summary.sprt else { return String::new() };
        let state = &sprt.state;
        let (low, high) = self
            .llr
            .iter()
            .fold((state.lower, state.upper), |(low, high), llr| (low.min(*llr), high.max(*llr)));
        let spare = 0.06 * (high - low);
        let y = Scale { from: (low - spare, high + spare), to: (SIZE.1 - BOTTOM, TOP) };
        let x = self.games();
        let bound = |value: f64, name: &str| {
            let place = y.at(value);
            format!(
                "<line class=\"bound\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
                 <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{name}</text>",
                SIZE.0 - RIGHT,
                SIZE.0 - RIGHT - 4.0,
                place + if value > 0.0 { 14.0 } else { -5.0 }
            )
        };
        let line = path(&self.llr, &x, |llr| y.at(*llr)).join(" ");
        frame(
            "Log-likelihood ratio of the test",
            &x,
            &y,
            &format!(
                "{}{}<polyline class=\"line\" points=\"{line}\"/>",
                bound(state.upper, "accept H1"),
                bound(state.lower, "accept H0")
            ),
        )
    }

    fn games(&self) -> Scale {
        Scale { from: (0.0, self.elo.len().max(2) as f64), to: (LEFT, SIZE.0 - RIGHT) }
    }
}

/// The points of a line with a value for each game, thinned out where there are too many.
fn path<T>(values: &[T], x: &Scale, y: impl Fn(&T) -> f64) -> Vec<String> {
    let step = values.len().div_ceil(POINTS).max(1);
    let last = values.len().saturating_sub(1);
    values
        .iter()
        .enumerate()
        .filter(|(index, _)| index.is_multiple_of(step) || *index == last)
        .map(|(index, value)| format!("{:.1},{:.1}", x.at((index + 1) as f64), y(value)))
        .collect()
}

fn figure(title: &str, height: f64, content: &str) -> String {
    let (width, _) = SIZE;
    format!(
        "<svg class=\"plot\" viewBox=\"0 0 {width} {height}\" role=\"img\" aria-label=\"{title}\">\
         <text class=\"title\" x=\"8\" y=\"18\">{title}</text>{content}</svg>\n"
    )
}

/// A plot over games with its axes.
fn frame(title: &str, x: &Scale, y: &Scale, content: &str) -> String {
    let (width, height) = SIZE;
    let mut axes = String::new();
    for value in y.ticks(6.0) {
        let place = y.at(value);
        let class = if value == 0.0 { "zero" } else { "grid" };
        axes.push_str(&format!(
            "<line class=\"{class}\" x1=\"{LEFT}\" x2=\"{}\" y1=\"{place:.1}\" y2=\"{place:.1}\"/>\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            width - RIGHT,
            LEFT - 6.0,
            place + 4.0,
            label(value)
        ));
    }
    for value in x.ticks(8.0).into_iter().filter(|value| value.fract() == 0.0) {
        axes.push_str(&format!(
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{value}</text>",
            x.at(value),
            height - BOTTOM + 16.0
        ));
    }
    axes.push_str(&format!(
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">games</text>",
        width - RIGHT,
        height - 4.0
    ));
    figure(title, height, &(axes + content))
}

/// A value of an axis without a tail of rounding.
fn label(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// Each engine's rating with its error bar, best first.
pub(super) fn ratings(summary: &Summary) -> String {
    const ROW: f64 = 24.0;
    const NAMES: f64 = 170.0;
    let ranked = summary.ranked();
    if ranked.is_empty() {
        return String::new();
    }
    let ends = |sign: f64| {
        ranked.iter().map(move |engine| {
            let error = if engine.error.is_finite() { engine.error } else { 0.0 };
            (engine.elo + sign * error).clamp(-4.0 * FARTHEST, 4.0 * FARTHEST)
        })
    };
    let low = ends(-1.0).fold(0.0, f64::min);
    let high = ends(1.0).fold(0.0, f64::max);
    let spare = (0.05 * (high - low)).max(5.0);
    let x = Scale { from: (low - spare, high + spare), to: (NAMES, SIZE.0 - 110.0) };
    let height = TOP + BOTTOM + ROW * ranked.len() as f64;
    let mut content = String::new();
    for value in x.ticks(6.0) {
        let place = x.at(value);
        let class = if value == 0.0 { "zero" } else { "grid" };
        content.push_str(&format!(
            "<line class=\"{class}\" x1=\"{place:.1}\" x2=\"{place:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>\
             <text x=\"{place:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            height - BOTTOM,
            height - BOTTOM + 16.0,
            label(value)
        ));
    }
    for (index, engine) in ranked.iter().enumerate() {
        let middle = TOP + ROW * (index as f64 + 0.5);
        let name: String = engine.name.chars().take(22).collect();
        let error_width = if engine.error.is_finite() { engine.error } else { f64::MAX };
        content.push_str(&format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <line class=\"error\" x1=\"{:.1}\" x2=\"{:.1}\" y1=\"{middle:.1}\" y2=\"{middle:.1}\"/>\
             <circle class=\"dot\" cx=\"{:.1}\" cy=\"{middle:.1}\" r=\"4.5\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{} ± {}</text>",
            NAMES - 10.0,
            middle + 4.0,
            escape(&name),
            x.at(engine.elo - error_width),
            x.at(engine.elo + error_width),
            x.at(engine.elo),
            SIZE.0 - 100.0,
            middle + 4.0,
            elo(engine.elo),
            error(engine.error)
        ));
    }
    figure("Elo with 95 % intervals", height, &content)
}
