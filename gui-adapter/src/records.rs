//! Game records in the formats of other programs, read and written by a referee.

pub mod ggf;
pub mod renju;
pub mod sgf;
