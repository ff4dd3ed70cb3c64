//! Time controls as the managers write them.

use std::time::Duration;

use tengen_engine::game::Color;
use tengen_engine::search::clock::{TimeControl, parse_seconds};

use super::commands::{expected, text};
use super::{Answered, Gtp};

fn seconds(word: &str) -> Result<Duration, String> {
    parse_seconds(word).map_or_else(|| expected("seconds"), Ok)
}

/// A number of stones or periods; managers that subtract too much send negative ones.
fn count(word: &str) -> Result<u32, String> {
    match word.parse::<i64>() {
        Ok(number) => Ok(u32::try_from(number.max(0)).unwrap_or(u32::MAX)),
        Err(_) => expected("a number of stones"),
    }
}

/// `time_settings MAIN BYO_YOMI STONES`
pub(super) fn time_settings(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let [main, byo, stones] = args else { return expected("time_settings MAIN BYO_YOMI STONES") };
    gtp.clock.set(TimeControl::from_gtp(seconds(main)?, seconds(byo)?, count(stones)?), None);
    text("")
}

/// `time_left COLOUR SECONDS STONES`; under Japanese byo-yomi the last are periods.
pub(super) fn time_left(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let [color, time, stones] = args else { return expected("time_left COLOUR SECONDS STONES") };
    let Some(color) = Color::parse(color) else { return expected("a colour (b or w)") };
    gtp.clock.correct(color, seconds(time)?, count(stones)?);
    text("")
}

/// `kgs-time_settings none | absolute M | byoyomi M PERIOD PERIODS | canadian M PERIOD STONES`
pub(super) fn kgs_time_settings(gtp: &mut Gtp, args: &[&str]) -> Answered {
    match args.first() {
        Some(&("none" | "absolute" | "byoyomi" | "canadian")) => named(gtp, args),
        _ => expected("none | absolute M | byoyomi M PERIOD PERIODS | canadian M PERIOD STONES"),
    }
}

/// As for KGS, and `fischer M INC`, `fischer-capped M INC MAIN_LIMIT MOVE_LIMIT` (-1 is no limit).
pub(super) fn kata_time_settings(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let limit = |word: &str| if word.starts_with('-') { Ok(None) } else { seconds(word).map(Some) };
    match args {
        ["fischer", _, _] => named(gtp, args),
        ["fischer-capped", main, increment, main_limit, move_limit] => {
            let (main, increment) = (seconds(main)?, seconds(increment)?);
            let main_limit = limit(main_limit)?;
            let cap = limit(move_limit)?;
            let main = [main_limit, cap].into_iter().flatten().fold(main, Duration::min);
            gtp.clock.set(TimeControl::Fischer { main, increment }, cap);
            text("")
        }
        ["fischer" | "fischer-capped", ..] => {
            expected("fischer M INC or fischer-capped M INC MAIN_LIMIT MOVE_LIMIT")
        }
        _ => kgs_time_settings(gtp, args),
    }
}

/// The kinds `kata-time_settings` takes.
pub(super) fn kata_list_time_settings(_: &mut Gtp, _: &[&str]) -> Answered {
    text("none absolute byoyomi canadian fischer fischer-capped")
}

fn named(gtp: &mut Gtp, args: &[&str]) -> Answered {
    let control = TimeControl::parse(args).map_err(|error| format!("syntax error: {error}"))?;
    gtp.clock.set(control, None);
    text("")
}
