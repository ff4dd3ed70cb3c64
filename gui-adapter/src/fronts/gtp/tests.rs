//! The front driven in process: golden transcripts, and properties that must hold whatever is sent.

#![allow(clippy::indexing_slicing, clippy::panic, reason = "a test may stop at the first surprise")]

use std::time::Duration;

use super::*;
use tengen_engine::game::random::{below, rng};
use tengen_engine::games::GameId;

use crate::client::Answer;
use crate::fronts::transcripts;

fn config(setup: &str) -> Config {
    Config {
        setup: Setup::parse(setup.split(' ')).unwrap(),
        profile: None,
        row_one_at_bottom: false,
        options: EngineOptions::default(),
    }
}

fn front(setup: &str) -> Gtp {
    Gtp::new(config(setup)).unwrap()
}

/// What the front does with one line, searches and stops left out.
fn ask(gtp: &mut Gtp, line: &str) -> String {
    let mut out = Vec::new();
    gtp.line(line, &mut out);
    out.into_iter()
        .filter_map(|action| if let Action::ToGui(text) = action { Some(text) } else { None })
        .collect()
}

/// The text of a reply that must be a success.
fn told(gtp: &mut Gtp, line: &str) -> String {
    let reply = ask(gtp, line);
    match reply.strip_prefix("= ") {
        Some(text) => text.trim_end_matches('\n').to_owned(),
        None => panic!("{line}: {reply}"),
    }
}

fn configured(words: &str) -> Config {
    let mut parts = words.split(" | ");
    let mut config = config(parts.next().unwrap());
    for part in parts {
        match part {
            "gogui" => config.profile = Some(Profile::GoGui),
            "quarry" => config.profile = Some(Profile::Quarry),
            "gtp" => config.profile = Some(Profile::Plain),
            "bottom" => config.row_one_at_bottom = true,
            pair => {
                let (name, value) = pair.split_once('=').unwrap();
                config.options.set(name, value).unwrap();
            }
        }
    }
    config
}

/// Field bugs 4 and 27: under byo-yomi the third field of `time_left` is the periods (`time.txt`); ids are
/// glued to their replies (`lizzie.txt`).
#[test]
fn transcripts() {
    transcripts::check("gtp", |words| {
        Gtp::new(configured(if words.is_empty() { "nogo" } else { words })).unwrap()
    });
}

#[test]
fn list_commands_and_known_command_tell_the_truth() {
    let mut gtp = front("nogo");
    let names = told(&mut gtp, "list_commands");
    for name in names.lines() {
        assert!(!name.is_empty() && !name.contains(' '), "{name:?}");
        assert_eq!(told(&mut gtp, &format!("known_command {name}")), "true");
        let mut fresh = front("nogo");
        assert!(!ask(&mut fresh, name).contains("unknown command"), "{name}");
    }
    assert_eq!(told(&mut gtp, "known_command foo"), "false");
}

#[test]
fn every_analyze_command_works() {
    for game in ["nogo", "gomoku", "renju", "othello", "amazons"] {
        let mut gtp = front(game);
        assert!(ask(&mut gtp, "gogui-rules_game_id").starts_with("= "));
        for line in told(&mut gtp, "gogui-analyze_commands").lines() {
            let parts: Vec<&str> = line.splitn(3, '/').collect();
            let turn = told(&mut gtp, "gogui-rules_side_to_move");
            let command = parts[2].replace("%m", &turn);
            assert!(!command.contains('%'), "{line}");
            let mut out = Vec::new();
            gtp.line(&command, &mut out);
            if matches!(out[0], Action::Search(_)) {
                out.clear();
                gtp.search(
                    0,
                    Event::Done(Ok(Answer { text: "resign".into(), elapsed: Duration::ZERO })),
                    &mut out,
                );
            }
            assert!(matches!(&out[0], Action::ToGui(text) if text.starts_with('=')), "{line}: {out:?}");
        }
        assert!(told(&mut gtp, "tengen-param").contains("[bool] ponder 0\n"));
        assert_eq!(told(&mut gtp, "tengen-param ponder 1"), "");
        assert!(told(&mut gtp, "tengen-param").contains("[bool] ponder 1\n"));
        assert!(ask(&mut gtp, "tengen-param threads 0").starts_with('?'));
    }
}

/// Everything a client can see of the state.
fn visible(gtp: &mut Gtp) -> String {
    let questions = ["showboard", "tengen-history", "tengen-position", "get_komi", "tengen-param"];
    questions.map(|question| told(gtp, question)).join("\n")
}

#[test]
fn failed_commands_change_nothing() {
    let long = format!("play b {}", "d".repeat(100_000));
    let bad = [
        "foo",
        "-3 name",
        "99999999999 name",
        "4",
        "PLAY b a1",
        "play",
        "play b",
        "play b d4 d5",
        "play x d4",
        "play b z99",
        "play b i5",
        "play b d0",
        "play b resign",
        "play b \u{e9}\u{fc}",
        "play b d\u{200b}4",
        "genmove",
        "genmove x",
        "genmove b b",
        "reg_genmove",
        "undo 1",
        "gg-undo -1",
        "gg-undo 999",
        "gg-undo 99999999999999999999",
        "boardsize",
        "boardsize x",
        "boardsize 0",
        "boardsize 99",
        "boardsize 1000",
        "boardsize 3 4 5",
        "boardsize -9",
        "rectangular_boardsize 5 99",
        "komi",
        "komi x",
        "komi nan",
        "komi inf",
        "set_game",
        "set_game Chess",
        "time_settings",
        "time_settings 1 2",
        "time_settings a b c",
        "time_left",
        "time_left x 1 1",
        "time_left b x 1",
        "kgs-time_settings",
        "kgs-time_settings fischer 1 1",
        "kgs-time_settings byoyomi 1 2",
        "kata-time_settings x",
        "kata-time_settings fischer 1",
        "kata-time_settings fischer-capped 1 2 x 3",
        "loadsgf",
        "loadsgf \"\"",
        "loadsgf \"\" 2",
        "printsgf \"\"",
        "gogui-play_sequence b",
        "gogui-play_sequence x d4",
        "gogui-play_sequence b zz w zz",
        "gogui-setup b a1",
        "gogui-setup_player x",
        "gogui-setup_player b",
        "lz-analyze x",
        "lz-analyze b 50 foo",
        "kata-analyze b avoid w",
        "analyze b 1e99",
        "tengen-param foo 1",
        "tengen-param threads",
        "known_command",
        "tengen-best_moves x",
        &long,
    ];
    for (setup, moves) in [
        ("nogo", &["play b d4", "play w e5"][..]),
        ("gomoku", &["play b h8", "play w j9"]),
        ("othello", &["play b f5"]),
        ("amazons", &["play w d1-d7-g7"]),
        ("amazons | gogui", &["play w d1", "play w d7", "play w g7", "play b d10"]),
    ] {
        let mut gtp = Gtp::new(configured(setup)).unwrap();
        for line in moves {
            told(&mut gtp, line);
        }
        let before = visible(&mut gtp);
        for line in bad {
            let reply = ask(&mut gtp, line);
            assert!(reply.starts_with('?') && reply.ends_with("\n\n"), "{setup}: {line:.40}: {reply:?}");
            assert_eq!(reply.matches("\n\n").count(), 1, "{reply:?}");
            assert_eq!(visible(&mut gtp), before, "{setup}: {line:.40}");
        }
    }
}

/// Games of random legal moves, entered as GoGui enters them: the rules commands agree with the board
/// at every step, and taking everything back leads to the start.
#[test]
fn random_games_by_rules_commands() {
    let mut rng = rng(7);
    for setup in ["nogo", "nogo size 3x5", "gomoku size 9", "othello", "othello | bottom", "amazons size 6"] {
        let mut gtp = Gtp::new(configured(&format!("{setup} | gogui"))).unwrap();
        let start = visible(&mut gtp);
        let mut entered = 0;
        loop {
            let legal = told(&mut gtp, "gogui-rules_legal_moves");
            let side = told(&mut gtp, "gogui-rules_side_to_move");
            let moves: Vec<&str> = legal.split(' ').filter(|mv| !mv.is_empty()).collect();
            let Some(mv) = moves.get(below(&mut rng, moves.len().max(1) as u32) as usize) else { break };
            assert_eq!(told(&mut gtp, &format!("play {side} {mv}")), "");
            entered += 1;
            let before = visible(&mut gtp);
            if *mv != "pass" {
                assert!(ask(&mut gtp, &format!("play {side} {mv}")).starts_with('?'), "{setup}: {mv} twice");
            }
            told(&mut gtp, "undo");
            told(&mut gtp, &format!("play {side} {mv}"));
            assert_eq!(visible(&mut gtp), before);
        }
        assert_ne!(told(&mut gtp, "gogui-rules_final_result"), "");
        told(&mut gtp, "final_score");
        told(&mut gtp, &format!("gg-undo {entered}"));
        assert_eq!(visible(&mut gtp), start, "{setup}");
        assert!(ask(&mut gtp, "undo").starts_with("? cannot undo"));
    }
}

/// Whatever bytes come, the front answers each command once and stays whole.
#[test]
fn noise_is_answered_line_by_line() {
    let mut rng = rng(11);
    let names = told(&mut front("nogo"), "list_commands");
    let names: Vec<&str> =
        names.lines().filter(|name| !name.contains("analyze") && *name != "quit").collect();
    let words = [
        "b", "w", "d4", "e5", "pass", "9", "0", "-1", "1e9", "\u{0}", "\u{fffd}", "#", "d1-d7-g7", "Othello",
    ];
    let mut pick = |list: &[&str]| list[below(&mut rng, list.len() as u32) as usize].to_owned();
    let mut gtp = front("amazons");
    for number in 0..5000 {
        let mut line = format!("{number} {}", pick(&names));
        while pick(&["more", "more", "end"]) == "more" {
            line.push(' ');
            line.push_str(&pick(&words));
        }
        let mut out = Vec::new();
        gtp.line(&line, &mut out);
        if gtp.running.is_some() {
            let file = matches!(out.last(), Some(Action::Read(_) | Action::Write { .. }));
            let answer = pick(&["resign", "d4", "nonsense", "a4-a5-a6"]);
            match file {
                true => gtp.file(Ok("(;GM[1]SZ[9])".into()), &mut out),
                false => {
                    gtp.search(
                        0,
                        Event::Done(Ok(Answer { text: answer, elapsed: Duration::ZERO })),
                        &mut out,
                    );
                }
            }
        }
        let text: String = out
            .iter()
            .filter_map(|a| if let Action::ToGui(text) = a { Some(text.as_str()) } else { None })
            .collect();
        assert_eq!(text.matches("\n\n").count(), 1, "{line:?}: {text:?}");
        let id = format!("{number} ");
        assert!(text[1..].starts_with(&id), "{line:?}: {text:?}");
    }
}

#[test]
fn waiting_lines_are_bounded() {
    let mut gtp = front("nogo");
    let mut out = Vec::new();
    gtp.line("genmove b", &mut out);
    let line = "x".repeat(1 << 16);
    let mut taken = 0;
    while gtp.accepts() {
        gtp.line(&line, &mut out);
        taken += 1;
    }
    assert!((60..70).contains(&taken), "{taken}");
    gtp.search(0, Event::Done(Ok(Answer { text: "d4".into(), elapsed: Duration::ZERO })), &mut out);
    assert!(gtp.accepts());
    assert_eq!(out.len(), 2 + taken);
}

/// A daemon that is silent must not keep the adapter when the client has said good-bye.
#[test]
fn a_quit_that_waits_is_announced() {
    let mut gtp = front("nogo");
    let mut out = Vec::new();
    gtp.line("genmove b", &mut out);
    out.clear();
    gtp.line("name", &mut out);
    assert_eq!(out, []);
    gtp.line("7 quit # at last", &mut out);
    assert_eq!(out, [Action::Leave]);
    out.clear();
    gtp.search(0, Event::Done(Err("gone".into())), &mut out);
    let text = |text: &str| Action::ToGui(text.to_owned());
    assert_eq!(out, [text("? gone\n\n"), text("= Tengen\n\n"), text("=7 \n\n"), Action::Quit]);
}

#[test]
fn a_line_too_long_is_answered_with_its_id() {
    let mut gtp = front("nogo");
    let mut out = Vec::new();
    gtp.too_long("17 gogui-play_sequence b A1", &mut out);
    assert_eq!(out, [Action::ToGui("?17 line too long\n\n".into())]);
}

/// GoGui replays the game to its rulers again and again, some ten thousand commands a game.
#[test]
fn rules_commands_take_microseconds() {
    let mut gtp = front("amazons");
    told(&mut gtp, "gogui-rules_game_id");
    let begun = std::time::Instant::now();
    for _ in 0..300 {
        for line in ["clear_board", "play w D1", "play w D7", "play w G7"] {
            told(&mut gtp, line);
        }
        for question in ["board_size", "board", "board_gfx", "side_to_move", "legal_moves", "final_result"] {
            told(&mut gtp, &format!("gogui-rules_{question}"));
        }
    }
    // 3000 commands; the bound is loose because test machines are shared.
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    assert_eq!(GameId::parse("amazons"), Some(gtp.table.referee().setup().game));
}

#[test]
fn filters_of_a_whole_line_are_looked_at_for_every_report() {
    let mut gtp = front("amazons");
    let begun = std::time::Instant::now();
    let avoided = "avoid w A4,D1 9 avoid w A4 1 ".repeat((1 << 20) / 29);
    let mut out = Vec::new();
    gtp.line(&format!("kata-analyze w 10 allow w A4,D1,G1 9 {avoided}"), &mut out);
    assert!(out.iter().any(|action| matches!(action, Action::Search(_))), "{:?}", out.len());
    gtp.search(0, Event::Started, &mut out);
    for time in 1..=20 {
        let lines = ["a4-a5-a6", "g1-g7-d7"].map(|mv| format!("info time {time} multipv 1 pv {mv}"));
        let infos = lines.iter().map(|line| Info::parse(line).unwrap()).collect();
        out.clear();
        gtp.search(0, Event::Report(infos), &mut out);
        let text = format!("{out:?}");
        assert!(text.contains("info move G1") && text.matches("info move").count() == 1, "{text}");
    }
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

/// Field bug 7: what is said last counts, from the search it comes before.
#[test]
fn a_second_time_left_or_time_settings_adds_up_with_the_first() {
    let mut gtp = front("nogo");
    let clock = |gtp: &mut Gtp, lines: &[&str]| {
        for line in lines {
            told(gtp, line);
        }
        let mut out = Vec::new();
        gtp.line("reg_genmove b", &mut out);
        let request =
            out.iter().find_map(|a| if let Action::Search(request) = a { Some(request) } else { None });
        let clock = request.unwrap().clock;
        gtp.search(0, Event::Done(Ok(Answer { text: "d4".into(), elapsed: Duration::ZERO })), &mut out);
        clock
    };
    let seconds = |s: u64, stones: u32| Some((Duration::from_secs(s), stones));
    let first = clock(&mut gtp, &["time_settings 60 30 5", "time_left b 50 0", "time_left b 20 3"]);
    assert_eq!(first.left, [seconds(20, 3), None]);
    let untold = clock(&mut gtp, &[]);
    assert_eq!((untold.settings, untold.left), (first.settings, [None; 2]), "it is told once");
    let again = clock(&mut gtp, &["time_left b 9 1", "time_settings 60 30 5"]);
    assert_ne!(again.settings, first.settings);
    assert_eq!((again.control, again.left), (first.control, [None; 2]), "the clock begins anew");
}
