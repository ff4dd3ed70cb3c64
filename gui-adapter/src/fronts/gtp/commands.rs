//! The table of commands, and those that concern neither game nor search.

use super::{Answered, Gtp, Outcome, analyze, gogui, play, rules, setup, time};

/// What does a command: it gets the arguments.
pub(super) type Run = fn(&mut Gtp, &[&str]) -> Answered;

/// Every command, in the order `list_commands` prints them.
const COMMANDS: &[(&str, Run)] = &[
    ("protocol_version", |_, _| text("2")),
    ("name", |_, _| text("Tengen")),
    ("version", |_, _| text(env!("CARGO_PKG_VERSION"))),
    ("known_command", known_command),
    ("list_commands", list_commands),
    ("quit", |_, _| Ok(Outcome::Quit)),
    ("list_games", setup::list_games),
    ("set_game", setup::set_game),
    ("boardsize", setup::boardsize),
    ("rectangular_boardsize", setup::boardsize),
    ("clear_board", setup::clear_board),
    ("komi", setup::komi),
    ("get_komi", setup::get_komi),
    ("loadsgf", setup::loadsgf),
    ("printsgf", setup::printsgf),
    ("play", play::play),
    ("genmove", play::genmove),
    ("reg_genmove", play::reg_genmove),
    ("undo", play::undo),
    ("gg-undo", play::undo_many),
    ("showboard", play::showboard),
    ("final_score", play::final_score),
    ("time_settings", time::time_settings),
    ("time_left", time::time_left),
    ("kgs-time_settings", time::kgs_time_settings),
    ("kata-time_settings", time::kata_time_settings),
    ("kata-list_time_settings", time::kata_list_time_settings),
    ("cputime", play::cputime),
    ("gomill-cpu_time", play::cputime),
    ("gomill-describe_engine", describe_engine),
    ("gomill-explain_last_move", play::explain_last_move),
    ("analyze", |gtp, args| analyze::analyze(gtp, args, analyze::Style::Sabaki)),
    ("lz-analyze", |gtp, args| analyze::analyze(gtp, args, analyze::Style::Leela)),
    ("kata-analyze", |gtp, args| analyze::analyze(gtp, args, analyze::Style::Kata)),
    ("genmove_analyze", |gtp, args| analyze::genmove_analyze(gtp, args, analyze::Style::Sabaki)),
    ("lz-genmove_analyze", |gtp, args| analyze::genmove_analyze(gtp, args, analyze::Style::Leela)),
    ("kata-genmove_analyze", |gtp, args| analyze::genmove_analyze(gtp, args, analyze::Style::Kata)),
    ("stop", |_, _| Ok(Outcome::Halt)),
    ("gogui-analyze_commands", gogui::analyze_commands),
    ("gogui-interrupt", |_, _| text("")),
    ("gogui-play_sequence", play::play_sequence),
    ("gogui-setup", setup::gogui_setup),
    ("gogui-setup_player", setup::gogui_setup_player),
    ("gogui-rules_game_id", rules::game_id),
    ("gogui-rules_board_size", rules::board_size),
    ("gogui-rules_board", rules::board),
    ("gogui-rules_board_gfx", rules::board_gfx),
    ("gogui-rules_side_to_move", rules::side_to_move),
    ("gogui-rules_legal_moves", rules::legal_moves),
    ("gogui-rules_final_result", rules::final_result),
    ("gogui-rules_setup", |_, _| text("")),
    ("tengen-best_moves", |gtp, args| gogui::show(gtp, args, gogui::Shape::Moves)),
    ("tengen-variation", |gtp, args| gogui::show(gtp, args, gogui::Shape::Variation)),
    ("tengen-evaluation", |gtp, args| gogui::show(gtp, args, gogui::Shape::Evaluation)),
    ("tengen-forbidden", gogui::forbidden),
    ("tengen-history", gogui::history),
    ("tengen-position", gogui::position),
    ("tengen-param", gogui::param),
];

/// The command of that name.
pub(super) fn find(name: &str) -> Option<Run> {
    COMMANDS.iter().find(|(known, _)| *known == name).map(|(_, run)| *run)
}

/// Commands whose argument is a path, which may have blanks in it: they get all that follows their name
/// as one argument, or none.
const PATHS: [&str; 2] = ["loadsgf", "printsgf"];

/// Whether the command wants all that follows its name as one argument.
pub(super) fn takes_path(name: &str) -> bool {
    PATHS.contains(&name)
}

/// A reply.
pub(super) fn text(text: impl Into<String>) -> Answered {
    Ok(Outcome::Text(text.into()))
}

/// A failure because of the arguments.
pub(super) fn expected<T>(what: &str) -> Result<T, String> {
    Err(format!("syntax error: expected {what}"))
}

fn known_command(_: &mut Gtp, args: &[&str]) -> Answered {
    match args {
        [name] => text(find(name).is_some().to_string()),
        _ => expected("known_command NAME"),
    }
}

fn list_commands(_: &mut Gtp, _: &[&str]) -> Answered {
    let names: Vec<&str> = COMMANDS.iter().map(|(name, _)| *name).collect();
    text(names.join("\n"))
}

fn describe_engine(gtp: &mut Gtp, _: &[&str]) -> Answered {
    let mut lines =
        vec![format!("Tengen {}", env!("CARGO_PKG_VERSION")), gtp.table.referee().setup().to_string()];
    lines.extend(gtp.options.pairs().map(|(name, value)| format!("{name} {value}")));
    text(lines.join("\n"))
}
