//! From a JSON query to the searches it asks for.

use std::collections::HashSet;
use std::time::Duration;

use serde_json::{Map, Value, json};
use tengen_engine::game::Color;
use tengen_engine::games::{self, Referee, Setup};
use tengen_engine::protocol::SearchLimits;

use super::{Config, Task, reply};
use crate::client::{ClockRequest, Request, SearchKind, Snapshot};

/// The fields of a query; others get a warning.
const FIELDS: [&str; 19] = [
    "id",
    "game",
    "size",
    "rules",
    "options",
    "boardXSize",
    "boardYSize",
    "position",
    "initialStones",
    "initialPlayer",
    "moves",
    "analyzeTurns",
    "maxVisits",
    "maxDepth",
    "maxTime",
    "multipv",
    "priority",
    "reportDuringSearchEvery",
    "overrideSettings",
];
/// Lines given when the query does not say how many.
const LINES: u64 = 10;
/// Bytes of an id, which every answer and every warning repeats.
const LONGEST_ID: usize = 256;
/// Turns one query may ask for.
const MOST_TURNS: usize = 2000;
/// What a turn may take when the query sets no limit.
const DEFAULT_TIME: Duration = Duration::from_secs(2);
/// Reports inside the service when the query wants none: only the last one counts.
const QUIET: Duration = Duration::from_secs(3600);

/// Why a query is dropped.
#[derive(Debug, thiserror::Error)]
#[error("{field} {problem}")]
pub(super) struct Fault {
    field: &'static str,
    problem: String,
}

impl Fault {
    pub(super) fn new(field: &'static str, problem: impl Into<String>) -> Fault {
        Fault { field, problem: problem.into() }
    }

    /// The error line.
    pub(super) fn json(&self, id: Option<Value>) -> Value {
        let mut object = Map::new();
        object.insert("error".to_owned(), json!(self.to_string()));
        object.insert("field".to_owned(), json!(self.field));
        if let Some(id) = id {
            object.insert("id".to_owned(), id);
        }
        Value::Object(object)
    }
}

/// A query that is sound.
#[derive(Debug, Default)]
pub(super) struct Query {
    pub(super) tasks: Vec<Task>,
    /// Answers to turns at which the game is over.
    pub(super) over: Vec<Value>,
    pub(super) warnings: Vec<Value>,
}

/// The id of a query: text or a number.
pub(super) fn id(object: &Map<String, Value>) -> Result<Value, Fault> {
    match object.get("id") {
        Some(Value::String(id)) if id.len() > LONGEST_ID => {
            Err(Fault::new("id", format!("may have {LONGEST_ID} bytes at most")))
        }
        Some(id @ (Value::String(_) | Value::Number(_))) => Ok(id.clone()),
        Some(_) => Err(Fault::new("id", "must be text or a number")),
        None => Err(Fault::new("id", "is missing")),
    }
}

fn number(object: &Map<String, Value>, field: &'static str) -> Result<Option<u64>, Fault> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            value.as_u64().map(Some).ok_or_else(|| Fault::new(field, "must be a whole number from 0"))
        }
    }
}

fn seconds(object: &Map<String, Value>, field: &'static str) -> Result<Option<Duration>, Fault> {
    let bad = || Fault::new(field, "must be a number of seconds above 0");
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => {
            let seconds = value.as_f64().filter(|&seconds| seconds > 0.0).ok_or_else(bad)?;
            Duration::try_from_secs_f64(seconds.min(1e6)).map(Some).map_err(|_| bad())
        }
    }
}

fn text<'a>(object: &'a Map<String, Value>, field: &'static str) -> Result<Option<&'a str>, Fault> {
    match object.get(field) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => value.as_str().map(Some).ok_or_else(|| Fault::new(field, "must be text")),
    }
}

/// A list of turn numbers, `None` when it is not there.
pub(super) fn turns(object: &Map<String, Value>, field: &'static str) -> Result<Option<Vec<usize>>, Fault> {
    let bad = || Fault::new(field, "must be a list of turn numbers");
    let Some(value) = object.get(field) else { return Ok(None) };
    let list = value.as_array().ok_or_else(bad)?;
    let turn = |value: &Value| value.as_u64().and_then(|turn| usize::try_from(turn).ok()).ok_or_else(bad);
    list.iter().map(turn).collect::<Result<_, _>>().map(Some)
}

/// The set-up that the fields `game`, `size`, `rules` and `options` describe; what is missing is as the
/// front was started.
pub(super) fn setup(object: &Map<String, Value>, default: &Setup) -> Result<Setup, Fault> {
    let mut setup = match text(object, "game")? {
        Some(game) => Setup::parse(game.split_ascii_whitespace())
            .map_err(|error| Fault::new("game", error.to_string()))?,
        None => default.clone(),
    };
    if let Some(rules) = text(object, "rules")? {
        setup.set_rules(rules).map_err(|error| Fault::new("rules", error.to_string()))?;
    }
    let size = |error: games::SetupError| Fault::new("size", error.to_string());
    match object.get("size") {
        None | Some(Value::Null) => {}
        Some(Value::Number(side)) => setup.set_size(&side.to_string()).map_err(size)?,
        Some(Value::String(sides)) => setup.set_size(sides).map_err(size)?,
        Some(_) => return Err(Fault::new("size", "must be a number or text such as \"9x7\"")),
    }
    match (number(object, "boardXSize")?, number(object, "boardYSize")?) {
        (None, None) => {}
        (Some(columns), Some(rows)) => setup.set_size(&format!("{columns}x{rows}")).map_err(size)?,
        _ => return Err(Fault::new("boardXSize", "and boardYSize belong together")),
    }
    if let Some(options) = object.get("options") {
        let options = options.as_object().ok_or_else(|| Fault::new("options", "must be an object"))?;
        for (key, value) in options {
            let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
            setup.set_choice(key, &value).map_err(|error| Fault::new("options", error.to_string()))?;
        }
    }
    Ok(setup)
}

/// A move of the list: `"d4"`, or `["b", "d4"]`.
fn read_move(value: &Value) -> Option<(Option<Color>, &str)> {
    match value {
        Value::String(text) => Some((None, text)),
        Value::Array(pair) => match pair.as_slice() {
            [color, text] => Some((Some(Color::parse(color.as_str()?)?), text.as_str()?)),
            _ => None,
        },
        _ => None,
    }
}

fn play(referee: &mut dyn Referee, number: usize, value: &Value) -> Result<(), Fault> {
    let fault = |problem: String| Fault::new("moves", format!("number {}: {problem}", number + 1));
    let (color, text) =
        read_move(value).ok_or_else(|| fault("must be a move or a pair of colour and move".to_owned()))?;
    let mv = referee.parse_move(text).map_err(|error| fault(error.to_string()))?;
    referee.play(color, mv).map_err(|error| fault(format!("illegal move: {error}")))
}

/// KataGo's fields for another start position. They are refused when they would make a difference: another
/// position would be analysed than the one that was meant.
fn start_as_katago_says(object: &Map<String, Value>, referee: &dyn Referee) -> Result<(), Fault> {
    let refused = |field| Err(Fault::new(field, "is not supported: \"position\" gives a start position"));
    match object.get("initialStones") {
        None | Some(Value::Null) => {}
        Some(Value::Array(stones)) if stones.is_empty() => {}
        Some(_) => return refused("initialStones"),
    }
    match object.get("initialPlayer") {
        None | Some(Value::Null) => Ok(()),
        Some(Value::String(color)) if Color::parse(color) == Some(referee.turn()) => Ok(()),
        Some(_) => refused("initialPlayer"),
    }
}

/// Reads a query whole before anything of it is done.
pub(super) fn read(
    object: &Map<String, Value>,
    config: &Config,
    overridden: &mut Vec<String>,
) -> Result<Query, Fault> {
    let id = id(object)?;
    let setup = setup(object, &config.setup)?;
    let mut referee = games::referee(setup).map_err(|error| Fault::new("game", error.to_string()))?;
    if let Some(position) = text(object, "position")? {
        referee.set_position(position).map_err(|error| Fault::new("position", error.to_string()))?;
    }
    start_as_katago_says(object, &*referee)?;
    let none = Vec::new();
    let moves = match object.get("moves") {
        None | Some(Value::Null) => &none,
        Some(Value::Array(moves)) => moves,
        Some(_) => return Err(Fault::new("moves", "must be a list")),
    };
    let wanted = turns(object, "analyzeTurns")?.unwrap_or_else(|| vec![moves.len()]);
    if wanted.len() > MOST_TURNS {
        return Err(Fault::new("analyzeTurns", format!("may be {MOST_TURNS} at most")));
    }
    let mut seen = HashSet::new();
    if let Some(turn) = wanted.iter().find(|&&turn| !seen.insert(turn)) {
        return Err(Fault::new("analyzeTurns", format!("has turn {turn} twice")));
    }
    if let Some(turn) = wanted.iter().find(|&&turn| turn > moves.len()) {
        return Err(Fault::new("analyzeTurns", format!("has no turn {turn}: there are {}", moves.len())));
    }
    let (kind, during) = search_kind(object)?;
    let options = options(object, config, overridden)?;
    let priority = match object.get("priority") {
        None => 0,
        Some(value) => {
            let number = value.as_i64().ok_or_else(|| Fault::new("priority", "must be a whole number"))?;
            number.clamp(i64::from(i32::MIN), i64::from(i32::MAX))
        }
    };
    let mut query = Query::default();
    for turn in 0..=moves.len() {
        if let Some(mv) = turn.checked_sub(1).and_then(|last| moves.get(last)) {
            play(&mut *referee, turn - 1, mv)?;
        }
        if seen.contains(&turn) {
            if let Some(ending) = referee.ending() {
                query.over.push(reply::over(&id, turn, referee.turn(), ending));
                continue;
            }
            let request = Box::new(Request {
                engine: 0,
                cleared: 0,
                game: 0,
                position: Snapshot::of(&*referee),
                color: referee.turn(),
                kind,
                options: options.clone(),
                clock: ClockRequest::default(),
            });
            query.tasks.push(Task { id: id.clone(), turn, priority, serial: 0, request, during });
        }
    }
    let unknown = object.keys().filter(|key| !FIELDS.contains(&key.as_str()));
    query.warnings =
        unknown.map(|key| json!({ "warning": "unknown field", "field": key, "id": id })).collect();
    Ok(query)
}

fn search_kind(object: &Map<String, Value>) -> Result<(SearchKind, bool), Fault> {
    let mut limits = SearchLimits {
        nodes: number(object, "maxVisits")?,
        depth: number(object, "maxDepth")?.map(|depth| u32::try_from(depth).unwrap_or(u32::MAX)),
        time: seconds(object, "maxTime")?,
    };
    if limits == SearchLimits::default() {
        limits.time = Some(DEFAULT_TIME);
    }
    let every = seconds(object, "reportDuringSearchEvery")?;
    let interval = every.unwrap_or(QUIET).max(Duration::from_millis(10));
    Ok((SearchKind::Analyze { interval, limits }, every.is_some()))
}

/// The options of a search. `overridden` are the names any query has set.
fn options(
    object: &Map<String, Value>,
    config: &Config,
    overridden: &mut Vec<String>,
) -> Result<Vec<(String, String)>, Fault> {
    let mut options = config.options.clone();
    let lines = number(object, "multipv")?.unwrap_or(LINES).clamp(1, 500);
    options.set("multipv", &lines.to_string()).map_err(|error| Fault::new("multipv", error.to_string()))?;
    if let Some(settings) = object.get("overrideSettings") {
        let bad = |problem: String| Fault::new("overrideSettings", problem);
        let settings = settings.as_object().ok_or_else(|| bad("must be an object".to_owned()))?;
        for (name, value) in settings {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Bool(on) => if *on { "on" } else { "off" }.to_owned(),
                other => other.to_string(),
            };
            options.set(name, &text).map_err(|error| bad(error.to_string()))?;
        }
    }
    // What one query sets must not linger for the next on the same engine.
    for (name, _) in options.pairs() {
        if !overridden.iter().any(|known| known == name) {
            overridden.push(name.to_owned());
        }
    }
    let all = config.options.all();
    for name in overridden.iter() {
        if options.get(name).is_none() {
            let lasting = all.get(name).and_then(|value| options.set(name, &value));
            lasting.map_err(|error| Fault::new("overrideSettings", error.to_string()))?;
        }
    }
    Ok(options.into_pairs())
}
