//! Texts that are read whole: records, what an engine prints, the configuration file.

use tengen_adapter::client::args::{EngineArgs, SetupArgs};
use tengen_adapter::client::{Incoming, Parser};
use tengen_adapter::config::Config;
use tengen_adapter::records::{ggf, sgf};
use tengen_engine::games::{Referee, Setup};
use tengen_engine::protocol::Info;

use crate::{lines, split};

/// Game records, SGF and GGF. One that was read is read again as it is printed.
pub fn records(data: &[u8]) {
    let (form, text) = split(data);
    if form % 2 == 1 {
        let Ok(loaded) = ggf::load(&text) else { return };
        let record = ggf::print(&*loaded.referee, &[], &[]).expect("a game of the format");
        let again = ggf::load(&record).unwrap_or_else(|error| panic!("{error}: {record}"));
        return same(&*loaded.referee, &*again.referee, &record);
    }
    let hints = ["nogo", "gomoku", "othello", "amazons", "gomoku size 9 rules renju"];
    let hint = Setup::parse(hints[form / 2 % hints.len()].split(' ')).expect("a set-up of the table");
    let number = [None, Some(1), Some(3)][form / 10 % 3];
    let Ok(referee) = sgf::load(&text, &hint, number) else { return };
    let record = sgf::print(&*referee, &[]);
    let again = sgf::load(&record, &hint, None).unwrap_or_else(|error| panic!("{error}: {record}"));
    same(&*referee, &*again, &record);
}

fn same(one: &dyn Referee, other: &dyn Referee, record: &str) {
    assert_eq!(one.setup(), other.setup(), "{record}");
    assert_eq!(one.position_text(), other.position_text(), "{record}");
    assert_eq!(one.plies(), other.plies(), "{record}");
}

/// What an engine prints.
pub fn wire(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut parser = Parser::default();
    for line in lines(&text) {
        if let Some(Incoming::Info(info)) = parser.line(line) {
            let printed = info.to_string();
            let again = Info::parse(&printed);
            assert_eq!(again.map(|again| again.to_string()), Some(printed), "{line:?}");
        }
    }
}

/// The configuration file.
pub fn config(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let Ok(config) = Config::parse(&text) else { return };
    let (mut setup, mut engine) = (SetupArgs::default(), EngineArgs::default());
    config.complete_setup(&mut setup);
    config.complete_engine(&mut engine);
    // Errors are for the user; they are no panics.
    let _setup = setup.setup();
    let _launcher = engine.launcher();
}
