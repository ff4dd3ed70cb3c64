//! `tengen-adapter json` as a process, with real daemons behind it.

use serde_json::{Value, json};

use crate::harness::Process;

fn hear(process: &mut Process) -> Value {
    serde_json::from_str(&process.hear()).expect("a line of JSON")
}

#[test]
fn positions_of_all_games_are_analysed_at_once() {
    let mut service = Process::adapter(&["json", "--parallel", "2"]);
    let queries = [
        json!({ "id": "nogo", "game": "nogo", "moves": ["d4"], "maxVisits": 300 }),
        json!({ "id": "gomoku", "game": "renju", "moves": ["h8", "h9"], "analyzeTurns": [0, 1, 2], "maxVisits": 300 }),
        json!({ "id": "othello", "game": "othello", "maxDepth": 4, "multipv": 4 }),
        json!({ "id": "amazons", "game": "amazons", "size": 6, "maxTime": 0.2, "reportDuringSearchEvery": 0.05 }),
    ];
    for query in &queries {
        service.tell(&query.to_string());
    }
    let mut finals = Vec::new();
    let mut during = 0;
    while finals.len() < 6 {
        let answer = hear(&mut service);
        assert!(answer["error"].is_null(), "{answer}");
        if answer["isDuringSearch"] == true {
            during += 1;
            continue;
        }
        let lines = answer["moveInfos"].as_array().expect("lines");
        assert!(!lines.is_empty(), "{answer}");
        assert!(lines.iter().enumerate().all(|(order, line)| line["order"] == order), "{answer}");
        match answer["id"].as_str() {
            Some("othello") => assert_eq!(lines.len(), 4),
            Some("nogo") => {
                let visits = answer["rootInfo"]["visits"].as_u64().expect("visits");
                assert!((250..=350).contains(&visits), "{visits}");
            }
            _ => {}
        }
        finals.push(answer["id"].as_str().expect("an id").to_owned());
    }
    assert!(during > 0, "reports on the way");
    finals.sort();
    assert_eq!(finals, ["amazons", "gomoku", "gomoku", "gomoku", "nogo", "othello"]);
    let (status, rest) = service.finish();
    assert!(status.success() && rest.is_empty(), "{status} {rest:?}");
}

/// Field bugs 19 and 30.
#[test]
fn queries_are_finished_after_the_end_of_the_input_and_terminated_on_demand() {
    let mut service = Process::adapter(&["json"]);
    service.tell(r#"{"id":"endless","maxTime":1000}"#);
    service.tell(r#"{"id":"short","maxVisits":50}"#);
    service.tell(r#"{"id":"t","action":"terminate","terminateId":"endless"}"#);
    let (status, lines) = service.finish();
    assert!(status.success());
    let lines: Vec<Value> = lines.iter().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 3, "{lines:?}");
    assert!(lines.iter().any(|line| line["action"] == "terminate"));
    for id in ["endless", "short"] {
        assert_eq!(
            lines.iter().filter(|line| line["id"] == id && line["isDuringSearch"] == false).count(),
            1
        );
    }
}
