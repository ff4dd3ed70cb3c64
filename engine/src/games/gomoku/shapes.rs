//! What a stone on an empty point would make: per line a [shape](Shape), per point a [threat](Threat).
//!
//! Every table is computed from the rule's definition of five when a search first needs it: a shape
//! says how many stones are missing to a five and in how many ways, by counting what each further
//! stone on the line would make of it.

use std::sync::OnceLock;

use super::{Five, Rule};
use crate::game::Color;

/// What a line becomes when the point's owner plays there. `Closed` shapes reach a five in one way
/// only, `Open` ones in several.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Shape {
    /// Nothing: no five fits.
    Dead = 0,
    /// One stone, open on one side.
    ClosedOne,
    /// One stone in the open.
    OpenOne,
    /// Two stones, four away from nothing better than a closed three.
    ClosedTwo,
    /// Two stones, one point makes an open three.
    OpenTwo,
    /// Two stones, two points make an open three.
    OpenTwoWide,
    /// Two stones, three or more points make an open three.
    OpenTwoFree,
    /// Three stones: one more makes a closed four.
    ClosedThree,
    /// Three stones: one point makes an open four.
    OpenThree,
    /// Three stones: two or more points make an open four.
    OpenThreeFree,
    /// Four stones: one point makes five (or one enemy stone stops every five).
    ClosedFour,
    /// Four stones: no single enemy stone stops the five.
    OpenFour,
    /// A winning run.
    Five,
    /// A run too long to win; for Black in Renju also two fours on one line.
    Over,
}

/// Number of shapes.
const SHAPES: usize = 14;

/// What a point is worth to one side, by the shapes of its four lines; rising but for the first three.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(super) enum Threat {
    /// Less than anything below.
    None = 0,
    /// Renju: certainly forbidden.
    Forbidden,
    /// Renju: two open threes at least, so forbidden unless they are none under the recursive rule.
    Unsure,
    /// An open two.
    Two,
    /// Two open twos or more.
    TwoTwo,
    /// A closed three.
    Closed,
    /// A closed three and an open two or another closed three.
    ClosedPlus,
    /// An open three.
    Three,
    /// An open three and a closed three or open two.
    ThreePlus,
    /// Two open threes.
    ThreeThree,
    /// A closed four.
    Four,
    /// A closed four and a closed three or open two.
    FourPlus,
    /// A closed four and an open three.
    FourThree,
    /// An open four, or two closed ones: five next, whatever the enemy does but make five himself.
    OpenFour,
    /// Five.
    Five,
}

/// Number of threats, rounded up to a power of two.
pub(super) const THREATS: usize = 16;

/// What a position keeps count of: one point for one side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Info {
    /// Share in the static value while this side is to move.
    pub(super) moving: i16,
    /// Share in the static value while the other side is to move.
    pub(super) waiting: i16,
    /// The [`Threat`].
    pub(super) threat: u8,
    /// 1 when a stone makes a four or five on some line.
    pub(super) four: u8,
}

/// Ordering scores of one point for one side.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scores {
    /// When this side takes the point.
    pub(super) own: i16,
    /// When the other side takes it away.
    pub(super) block: i16,
}

/// Combined shapes of one point: a nibble for each direction.
const CODES: usize = 1 << 16;
/// Windows: five cells either way of a point at two bits, the point left out.
const WINDOWS: usize = 1 << 20;

/// The tables of one rule.
pub(super) struct Tables {
    /// The shapes of a window, Black's in the lower nibble, White's in the upper.
    lines: Box<[u8; WINDOWS]>,
    /// By colour and combined shapes.
    infos: [Box<[Info; CODES]>; 2],
    /// By colour and combined shapes.
    scores: [Box<[Scores; CODES]>; 2],
}

impl std::fmt::Debug for Tables {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Tables")
    }
}

impl Tables {
    /// The tables of a rule, built on the first call.
    pub(super) fn get(rule: Rule) -> &'static Tables {
        static ALL: [OnceLock<Tables>; 4] = [const { OnceLock::new() }; 4];
        ALL[rule as usize].get_or_init(|| Tables::new(rule))
    }

    fn new(rule: Rule) -> Tables {
        let sides = Color::ALL.map(|color| Windows::of(rule, color));
        let mut lines = boxed::<u8, WINDOWS>();
        for (window, shapes) in lines.iter_mut().enumerate() {
            *shapes = sides[0].stored(window) | sides[1].stored(swapped(window)) << 4;
        }
        let mut infos = Color::ALL.map(|_| boxed::<Info, CODES>());
        let mut scores = Color::ALL.map(|_| boxed::<Scores, CODES>());
        for color in Color::ALL {
            for code in 0..CODES {
                if let Some(shapes) = decoded(code) {
                    let threat = threat(shapes, rule, color);
                    infos[color.index()][code] = super::knowledge::info(shapes, threat);
                    scores[color.index()][code] = super::knowledge::scores(shapes, threat);
                }
            }
        }
        Tables { lines, infos, scores }
    }

    /// The shapes of the cell in the middle of a window (22 bits and whatever follows).
    #[inline]
    pub(super) fn shapes(&self, window: u64) -> u8 {
        let index = window & 0x3FF | window >> 2 & 0xF_FC00;
        self.lines[index as usize]
    }

    /// What four shapes of one colour come to.
    #[inline]
    pub(super) fn info(&self, color: Color, code: u16) -> &Info {
        &self.infos[color.index()][usize::from(code)]
    }

    /// How four shapes of one colour rank.
    #[inline]
    pub(super) fn scores(&self, color: Color, code: u16) -> Scores {
        self.scores[color.index()][usize::from(code)]
    }
}

/// Shapes of both sides as two nibbles far apart: Black's in bits 0..4, White's in bits 16..20.
#[inline]
pub(super) const fn spread(shapes: u8) -> u32 {
    (shapes & 15) as u32 | ((shapes >> 4) as u32) << 16
}

fn boxed<T: Copy + Default, const N: usize>() -> Box<[T; N]> {
    match vec![T::default(); N].into_boxed_slice().try_into() {
        Ok(array) => array,
        Err(_) => unreachable!("the slice has N elements"),
    }
}

/// The four shapes of a code, `None` when a nibble is no shape.
fn decoded(code: usize) -> Option<[Shape; 4]> {
    const ALL: [Shape; SHAPES] = [
        Shape::Dead,
        Shape::ClosedOne,
        Shape::OpenOne,
        Shape::ClosedTwo,
        Shape::OpenTwo,
        Shape::OpenTwoWide,
        Shape::OpenTwoFree,
        Shape::ClosedThree,
        Shape::OpenThree,
        Shape::OpenThreeFree,
        Shape::ClosedFour,
        Shape::OpenFour,
        Shape::Five,
        Shape::Over,
    ];
    let mut shapes = [Shape::Dead; 4];
    for (direction, shape) in shapes.iter_mut().enumerate() {
        *shape = *ALL.get(code >> (4 * direction) & 15)?;
    }
    Some(shapes)
}

fn threat(shapes: [Shape; 4], rule: Rule, color: Color) -> Threat {
    let count = |wanted: &[Shape]| shapes.iter().filter(|shape| wanted.contains(shape)).count();
    let fours = count(&[Shape::ClosedFour, Shape::OpenFour]);
    let threes = count(&[Shape::OpenThree, Shape::OpenThreeFree]);
    let closed = count(&[Shape::ClosedThree]);
    let twos = count(&[Shape::OpenTwo, Shape::OpenTwoWide, Shape::OpenTwoFree]);
    if count(&[Shape::Five]) > 0 {
        return Threat::Five;
    }
    if rule == Rule::Renju && color == Color::Black {
        if count(&[Shape::Over]) > 0 || fours >= 2 {
            return Threat::Forbidden;
        }
        if threes >= 2 {
            return Threat::Unsure;
        }
    }
    let plus = closed + twos > 0;
    if count(&[Shape::OpenFour]) > 0 || fours >= 2 {
        Threat::OpenFour
    } else if fours == 1 {
        if threes > 0 {
            Threat::FourThree
        } else if plus {
            Threat::FourPlus
        } else {
            Threat::Four
        }
    } else if threes >= 2 {
        Threat::ThreeThree
    } else if threes == 1 {
        if plus { Threat::ThreePlus } else { Threat::Three }
    } else if closed > 0 {
        if closed + twos > 1 { Threat::ClosedPlus } else { Threat::Closed }
    } else if twos > 1 {
        Threat::TwoTwo
    } else if twos == 1 {
        Threat::Two
    } else {
        Threat::None
    }
}

/// A window seen by the other side: stones change colour.
const fn swapped(window: usize) -> usize {
    (window & 0x5_5555) << 1 | window >> 1 & 0x5_5555
}

/// The shapes of all windows for one side: its own stones are 1, enemy stones 2, walls 3.
struct Windows {
    five: Five,
    /// Renju's Black: two fours on one line are forbidden.
    strict: bool,
    shapes: Vec<u8>,
}

/// Not yet computed.
const UNKNOWN: u8 = u8::MAX;

impl Windows {
    fn of(rule: Rule, color: Color) -> Windows {
        let strict = rule == Rule::Renju && color == Color::Black;
        let mut windows = Windows { five: rule.five(color), strict, shapes: vec![UNKNOWN; WINDOWS] };
        for window in 0..WINDOWS {
            let window = windows.canonical(window);
            if possible(window) {
                windows.shape(window);
            }
        }
        windows
    }

    /// The shape of a window in a finished table; windows no board has are dead.
    fn stored(&self, window: usize) -> u8 {
        match self.shapes[self.canonical(window)] {
            UNKNOWN => Shape::Dead as u8,
            shape => shape,
        }
    }

    /// Walls count as enemy stones where the rule makes no difference.
    fn canonical(&self, window: usize) -> usize {
        if self.five == Five::Unblocked { window } else { window & !(window & window >> 1 & 0x5_5555) }
    }

    /// The eleven cells, the middle one with an own stone.
    fn cells(window: usize) -> [u8; 11] {
        std::array::from_fn(|i| match i {
            5 => 1,
            0..5 => (window >> (2 * i) & 3) as u8,
            _ => (window >> (2 * i - 2) & 3) as u8,
        })
    }

    fn with(window: usize, i: usize, cell: usize) -> usize {
        window | cell << (if i < 5 { 2 * i } else { 2 * i - 2 })
    }

    fn shape(&mut self, window: usize) -> Shape {
        let known = self.shapes[window];
        if known == UNKNOWN {
            let shape = self.computed(window);
            self.shapes[window] = shape as u8;
            return shape;
        }
        decoded(usize::from(known)).map_or(Shape::Dead, |shapes| shapes[0])
    }

    fn computed(&mut self, window: usize) -> Shape {
        let cells = Windows::cells(window);
        let left = (0..5).rev().take_while(|&i| cells[i] == 1).count();
        let right = (6..11).take_while(|&i| cells[i] == 1).count();
        match (left + right + 1, self.five) {
            (..5, _) => {}
            (_, Five::OrMore) | (5, Five::Exactly) => return Shape::Five,
            (5, Five::Unblocked) if cells[4 - left] == 2 && cells[6 + right] == 2 => return Shape::Dead,
            (5, Five::Unblocked) => return Shape::Five,
            _ => return Shape::Over,
        }
        let room = 1
            + (0..5).rev().take_while(|&i| cells[i] < 2).count()
            + (6..11).take_while(|&i| cells[i] < 2).count();
        if room < 5 {
            return Shape::Dead;
        }
        let mut counts = [0_u8; SHAPES];
        let mut fives = [0; 9];
        for i in (1..10).filter(|&i| cells[i] == 0) {
            let shape = self.shape(Windows::with(window, i, 1));
            if shape == Shape::Five {
                fives[usize::from(counts[Shape::Five as usize])] = i;
            }
            counts[shape as usize] += 1;
        }
        let count = |shape: Shape| counts[shape as usize];
        match count(Shape::Five) {
            0 => {}
            1 => return Shape::ClosedFour,
            2 if self.strict && fives[1] - fives[0] == 5 => return Shape::OpenFour,
            _ if self.strict => return Shape::Over,
            _ if self.five == Five::Unblocked && self.one_stone_stops(window, &cells) => {
                return Shape::ClosedFour;
            }
            _ => return Shape::OpenFour,
        }
        let threes = count(Shape::OpenThree) + count(Shape::OpenThreeFree);
        let twos = count(Shape::OpenTwo) + count(Shape::OpenTwoWide) + count(Shape::OpenTwoFree);
        if count(Shape::OpenFour) >= 2 {
            Shape::OpenThreeFree
        } else if count(Shape::OpenFour) == 1 {
            Shape::OpenThree
        } else if count(Shape::ClosedFour) > 0 {
            Shape::ClosedThree
        } else if threes > 0 {
            match threes {
                1 => Shape::OpenTwo,
                2 => Shape::OpenTwoWide,
                _ => Shape::OpenTwoFree,
            }
        } else if count(Shape::ClosedThree) > 0 {
            Shape::ClosedTwo
        } else if twos > 0 {
            Shape::OpenOne
        } else if count(Shape::ClosedTwo) > 0 {
            Shape::ClosedOne
        } else {
            Shape::Dead
        }
    }

    /// Caro: whether one enemy stone leaves no point that makes five: it may take a point or close
    /// the end of a row that is closed at the other.
    fn one_stone_stops(&mut self, window: usize, cells: &[u8; 11]) -> bool {
        let empty = |i: &usize| cells[*i] == 0;
        (0..11).filter(empty).any(|stop| {
            let after = Windows::with(window, stop, 2);
            (1..10)
                .filter(|&i| i != stop && empty(&i))
                .all(|i| self.shape(Windows::with(after, i, 1)) != Shape::Five)
        })
    }
}

/// Whether walls, if any, are outermost.
fn possible(window: usize) -> bool {
    let cells = Windows::cells(window);
    (1..5).all(|i| cells[i] != 3 || cells[i - 1] == 3) && (6..10).all(|i| cells[i] != 3 || cells[i + 1] == 3)
}
