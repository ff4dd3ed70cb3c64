//! The bench: fixed positions of each game, one thread, fixed nodes. Its signature changes exactly
//! when the play of the engine changes.

use std::io::Write;
use std::time::{Duration, Instant};

use crate::game::random::mix;
use crate::games::Setup;
use crate::options::{Algorithm, Options};
use crate::player::{self, Ask, Player};
use crate::search::{Control, Goal, Limits, Stopwatch};

/// Set-up, nodes of a search, and lines of play that lead to the positions searched.
const POSITIONS: &[(&str, u64, &[&str])] = &[
    (
        "nogo",
        20_000,
        &["", "e5 c3 g7 g3 c7", "d4 f6 f4 d6 e2 b5 h5 e8 c2 g8 b8 h2 a4 j6 a6 j4 b3 h7 h3 b7 e4 e6 d5 f5"],
    ),
    ("nogo rules capture size 7", 5_000, &["d4 c3 e3 d5"]),
    ("gomoku", 20_000, &["h8 i9 h10 h9 g9", "h8 h9 i9 g7 j10 k11 i8 i10 g8 f8 j8 k8"]),
    ("gomoku rules renju", 20_000, &["h8 h9 i9 g7 j10 k11", "h8 i9 g9 h10 f8 g8 h7 i6 j9 i8"]),
    ("gomoku rules caro size 17", 10_000, &["i9 j10 j9 i10"]),
    (
        "othello",
        100_000,
        &[
            "",
            "f5 f6 c4 f4 g7 f7 e7 d3 g4 b5 e6 g6",
            "f5 f6 c4 f4 g7 f7 e7 d3 g4 b5 e6 g6 b4 c3 c2 g8 h7 f8 g5 d6 a6 a4",
        ],
    ),
    ("amazons", 5_000, &["", "d1-d7-g7 g10-g8-e6 a4-b4-h4 a7-a6-a2 g1-f2-f6 j7-j8-j9"]),
    ("amazons size 6", 5_000, &["b1-b5-d3 e6-e2-c2"]),
];

/// Runs the bench and writes a line for each set-up and algorithm and, last, `Bench: SIGNATURE`.
/// Other `nodes` than the default give another signature.
///
/// # Errors
/// When the output cannot be written, or a position of the table cannot be reached (a defect).
pub fn run(nodes: Option<u64>, out: &mut dyn Write) -> Result<(), String> {
    let mut signature = 0_u64;
    let (mut all_nodes, mut all_time) = (0, Duration::ZERO);
    for &(setup, standard, lines) in POSITIONS {
        // Where `auto` is neither of the two it is a searcher of its own.
        let expert = setup.starts_with("othello").then_some(Algorithm::Auto);
        for algorithm in [Algorithm::Mcts, Algorithm::AlphaBeta].into_iter().chain(expert) {
            let options = Options { algorithm, hash: 16, ..Options::default() };
            let (mut sum, mut time) = (0, Duration::ZERO);
            let setup = Setup::parse(setup.split(' ')).map_err(|error| error.to_string())?;
            let mut player = player::open(setup.clone()).map_err(|error| error.to_string())?;
            for line in lines {
                let begun = Instant::now();
                let (searched, part) = position(player.as_mut(), line, &options, nodes.unwrap_or(standard))?;
                time += begun.elapsed();
                sum += searched;
                signature = mix(signature ^ part);
            }
            let name = options.get("algorithm").unwrap_or_default();
            let rate = sum as f64 / time.as_secs_f64().max(1e-9);
            writeln!(out, "{setup} {name}: {sum} nodes, {rate:.0} nodes a second")
                .map_err(|error| error.to_string())?;
            all_nodes += sum;
            all_time += time;
        }
    }
    let rate = all_nodes as f64 / all_time.as_secs_f64().max(1e-9);
    writeln!(out, "total: {all_nodes} nodes, {rate:.0} nodes a second").map_err(|error| error.to_string())?;
    writeln!(out, "Bench: {signature:016x}").map_err(|error| error.to_string())
}

/// Searches one position as after a new game; gives the nodes and a hash of everything found.
fn position(
    player: &mut dyn Player,
    line: &str,
    options: &Options,
    nodes: u64,
) -> Result<(u64, u64), String> {
    player.forget();
    let referee = player.referee_mut();
    referee.reset();
    for text in line.split_ascii_whitespace() {
        let mv = referee.parse_move(text).map_err(|error| error.to_string())?;
        referee.play(None, mv).map_err(|reason| format!("{text} in \"{line}\": {reason}"))?;
    }
    let found = player.search(
        options,
        Ask {
            limits: Limits { nodes: Some(nodes), ..Limits::default() },
            control: &Control::default(),
            started: Stopwatch::wall(Instant::now()),
            threads: 1,
            goal: Goal::Move,
            weaken: false,
            interval: None,
            on_info: &mut |_| {},
        },
    );
    let mut hash = mix(found.nodes ^ u64::from(found.depth) << 40);
    for info in &found.lines {
        hash = mix(hash ^ u64::from(info.winrate.to_bits()));
        for text in &info.pv {
            hash = text.bytes().fold(hash, |hash, byte| mix(hash ^ u64::from(byte)));
        }
    }
    Ok((found.nodes, hash))
}
