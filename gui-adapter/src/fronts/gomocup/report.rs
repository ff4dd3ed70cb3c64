//! What a search has found, as clients of Rapfi and Yixin read it.

use tengen_engine::game::Point;
use tengen_engine::protocol::{Info, Proven};

use super::words::Order;

/// 1234, 150K, 1.5M, 2.0G
fn short(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}K", count / 1_000),
        1_000_000..1_000_000_000 => format!("{}.{}M", count / 1_000_000, count / 100_000 % 10),
        _ => format!("{}.{}G", count / 1_000_000_000, count / 100_000_000 % 10),
    }
}

/// The value for the side to move: hundredths of the engine's unit, or the plies to a certain end.
fn value(info: &Info) -> String {
    match info.proven {
        Some(Proven::Win) => format!("+M{}", info.pv.len()),
        Some(Proven::Loss) => format!("-M{}", info.pv.len()),
        Some(Proven::Draw) => "0".to_owned(),
        None => format!("{:.0}", info.score * 100.0),
    }
}

fn deepest(info: &Info) -> usize {
    info.pv.len().max(usize::try_from(info.depth).unwrap_or(usize::MAX))
}

/// `MESSAGE depth 5-8 [multipv 1] ev 123 n 1.5M n/ms 150 tm 1234 pv h8 i9` and a line end.
pub(super) fn message(info: &Info, ranked: bool) -> String {
    let rank = if ranked { format!("multipv {} ", info.multipv) } else { String::new() };
    format!(
        "MESSAGE depth {}-{} {rank}ev {} n {} n/ms {} tm {} pv {}\n",
        info.depth,
        deepest(info),
        value(info),
        short(info.nodes),
        info.nps / 1_000,
        info.time.as_millis(),
        info.pv.join(" ")
    )
}

/// What Rapfi prints of a line after `INFO show_detail 2`, line ends included.
pub(super) fn detail(info: &Info, lines: usize, order: Order, points: &[Point]) -> String {
    let best: Vec<String> = points.iter().map(|&point| order.text(point)).collect();
    let fields = [
        format!("PV {}", info.multipv.saturating_sub(1)),
        format!("NUMPV {lines}"),
        format!("DEPTH {}", info.depth),
        format!("SELDEPTH {}", deepest(info)),
        format!("NODES {}", info.nodes),
        format!("TOTALNODES {}", info.nodes),
        format!("TOTALTIME {}", info.time.as_millis()),
        format!("SPEED {}", info.nps),
        format!("EVAL {}", value(info)),
        format!("WINRATE {:.4}", info.winrate),
        format!("BESTLINE {}", best.join(" ")),
        "PV DONE".to_owned(),
    ];
    fields.iter().map(|field| format!("INFO {field}\n")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn lines_as_the_clients_parse_them() {
        let mut info = Info {
            depth: 5,
            nodes: 1_534_000,
            nps: 150_400,
            time: Duration::from_millis(1234),
            score: 1.23,
            multipv: 2,
            pv: vec!["h8".into(), "i9".into()],
            ..Info::default()
        };
        assert_eq!(message(&info, false), "MESSAGE depth 5-5 ev 123 n 1.5M n/ms 150 tm 1234 pv h8 i9\n");
        info.proven = Some(Proven::Loss);
        assert_eq!(
            message(&info, true),
            "MESSAGE depth 5-5 multipv 2 ev -M2 n 1.5M n/ms 150 tm 1234 pv h8 i9\n"
        );
        assert_eq!([0, 9_999, 10_000, 2_000_000_000].map(short), ["0", "9999", "10K", "2.0G"]);
        let points = [Point { column: 7, row: 6 }];
        let text = detail(&info, 2, Order::ColumnFirst, &points);
        assert!(
            text.starts_with("INFO PV 1\nINFO NUMPV 2\n") && text.ends_with("BESTLINE 7,6\nINFO PV DONE\n")
        );
    }
}
