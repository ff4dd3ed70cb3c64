//! From search reports to JSON.

use serde_json::{Map, Value, json};
use tengen_engine::game::{Color, Outcome};
use tengen_engine::games::Ending;
use tengen_engine::protocol::Info;

use super::Task;

/// A rate with four digits, so that lines stay short.
pub(super) fn rate(value: f32) -> f64 {
    (f64::from(value) * 1e4).round() / 1e4
}

/// `B` or `W`.
pub(super) fn letter(color: Color) -> String {
    color.letter().to_ascii_uppercase().to_string()
}

fn root(task: &Task, infos: &[Info]) -> Value {
    let mut root = Map::new();
    root.insert("currentPlayer".to_owned(), json!(letter(task.request.color)));
    if let Some(best) = infos.first() {
        root.insert("visits".to_owned(), json!(best.nodes));
        root.insert("winrate".to_owned(), json!(rate(best.winrate)));
        root.insert("score".to_owned(), json!(rate(best.score)));
        root.insert("depth".to_owned(), json!(best.depth));
        root.insert("time".to_owned(), json!((best.time.as_secs_f64() * 1e3).round() / 1e3));
        if let Some(proven) = best.proven {
            root.insert("proven".to_owned(), json!(proven.to_string()));
        }
    }
    Value::Object(root)
}

fn move_info(order: usize, info: &Info) -> Value {
    let mut object = Map::new();
    object.insert("move".to_owned(), json!(info.pv.first()));
    object.insert("order".to_owned(), json!(order));
    object.insert("winrate".to_owned(), json!(rate(info.winrate)));
    object.insert("score".to_owned(), json!(rate(info.score)));
    if let Some(visits) = info.visits {
        object.insert("visits".to_owned(), json!(visits));
    }
    if let Some(prior) = info.prior {
        object.insert("prior".to_owned(), json!(rate(prior)));
    }
    if let Some(proven) = info.proven {
        object.insert("proven".to_owned(), json!(proven.to_string()));
    }
    object.insert("pv".to_owned(), json!(info.pv));
    Value::Object(object)
}

/// A report, or the result. Rates and scores are those of the side to move.
pub(super) fn report(task: &Task, infos: &[Info], during: bool) -> Value {
    let lines: Vec<Value> = infos.iter().enumerate().map(|(order, info)| move_info(order, info)).collect();
    json!({
        "id": task.id,
        "turnNumber": task.turn,
        "isDuringSearch": during,
        "moveInfos": lines,
        "rootInfo": root(task, infos),
    })
}

/// The end of a turn that was not searched.
pub(super) fn no_results(task: &Task) -> Value {
    json!({ "id": task.id, "turnNumber": task.turn, "isDuringSearch": false, "noResults": true })
}

/// The answer to a turn at which the game is over.
pub(super) fn over(id: &Value, turn: usize, color: Color, ending: Ending) -> Value {
    let winrate = match ending.outcome {
        Outcome::Draw => 0.5,
        Outcome::Win(winner) => f64::from(u8::from(winner == color)),
    };
    json!({
        "id": id,
        "turnNumber": turn,
        "isDuringSearch": false,
        "moveInfos": [],
        "rootInfo": {
            "currentPlayer": letter(color),
            "visits": 0,
            "winrate": winrate,
            "result": ending.to_string(),
        },
    })
}
