//! How Botzone writes moves: as a JSON object, or as numbers on a line ("simplified IO").

use arrayvec::ArrayVec;
use serde_json::{Map, Value};
use tengen_engine::game::Point;

use super::Kind;

/// The points of a move, or the impossible coordinate -1 that stands for "no move": "you begin", a pass
/// in Reversi, the exchange of colours in Renju.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Coordinates {
    /// -1, -1.
    None,
    /// One point, or from, to and arrow.
    Points(ArrayVec<Point, 3>),
}

/// The names of the numbers in a move's object, x before y.
fn names(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Amazons => &["x0", "y0", "x1", "y1", "x2", "y2"],
        _ => &["x", "y"],
    }
}

impl Coordinates {
    /// Reads an object, or a text that holds one of both forms.
    ///
    /// # Errors
    /// What was expected instead.
    pub(super) fn of_json(kind: Kind, value: &Value) -> Result<Coordinates, String> {
        match value {
            Value::Object(fields) => {
                let number = |name: &&str| {
                    // A number may come as a text or with a fraction of nothing.
                    let field = fields.get(*name)?;
                    let text = field.as_str().and_then(|text| text.trim().parse::<f64>().ok());
                    field.as_f64().or(text)
                };
                let numbers: Option<Vec<f64>> = names(kind).iter().map(number).collect();
                Coordinates::of_numbers(kind, numbers.as_deref())
            }
            Value::String(text) => Coordinates::of_text(kind, text),
            _ => Coordinates::of_numbers(kind, None),
        }
    }

    /// Reads `x y` or `x0 y0 x1 y1 x2 y2`, or the text of an object.
    ///
    /// # Errors
    /// What was expected instead.
    pub(super) fn of_text(kind: Kind, text: &str) -> Result<Coordinates, String> {
        if text.trim_start().starts_with('{') {
            let value: Value = serde_json::from_str(text).map_err(|error| format!("bad JSON: {error}"))?;
            return Coordinates::of_json(kind, &value);
        }
        let numbers: Option<Vec<f64>> = text.split_ascii_whitespace().map(|word| word.parse().ok()).collect();
        Coordinates::of_numbers(kind, numbers.as_deref())
    }

    fn of_numbers(kind: Kind, numbers: Option<&[f64]>) -> Result<Coordinates, String> {
        let expected = || format!("bad move: expected {}", names(kind).join(", "));
        let numbers = numbers.filter(|numbers| numbers.len() == names(kind).len()).ok_or_else(expected)?;
        // Judges look at the first number alone.
        if numbers.first() == Some(&-1.0) {
            return Ok(Coordinates::None);
        }
        let mut points = ArrayVec::new();
        for pair in numbers.chunks_exact(2) {
            let [column, row] = pair else { return Err(expected()) };
            let side = f64::from(kind.side());
            let on_board = |number: f64| number.fract() == 0.0 && (0.0..side).contains(&number);
            if !on_board(*column) || !on_board(*row) {
                return Err(format!("bad move: {column}, {row} is not on the board"));
            }
            let small = |number: f64| (0..kind.side()).find(|&small| f64::from(small) == number);
            let (Some(column), Some(row)) = (small(*column), small(*row)) else { return Err(expected()) };
            points.try_push(Point { column, row }).map_err(|_| expected())?;
        }
        Ok(Coordinates::Points(points))
    }

    fn numbers(&self, kind: Kind) -> Vec<i16> {
        match self {
            Coordinates::None => vec![-1; names(kind).len()],
            Coordinates::Points(points) => {
                points.iter().flat_map(|point| [i16::from(point.column), i16::from(point.row)]).collect()
            }
        }
    }

    /// As an object.
    pub(super) fn to_json(&self, kind: Kind) -> Value {
        let names = names(kind).iter().map(|name| (*name).to_owned());
        Value::Object(names.zip(self.numbers(kind).into_iter().map(Value::from)).collect::<Map<_, _>>())
    }

    /// As numbers on a line.
    pub(super) fn to_text(&self, kind: Kind) -> String {
        self.numbers(kind).iter().map(i16::to_string).collect::<Vec<_>>().join(" ")
    }
}
