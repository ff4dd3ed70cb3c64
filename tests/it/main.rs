//! The one integration-test binary.

mod arena;
mod auto;
mod book;
mod botzone;
mod botzone_local;
mod clients;
mod cluster;
mod corpus;
mod daemon;
mod docs;
mod faults;
mod field_bugs;
mod games;
mod gomocup;
mod gtp;
mod harness;
mod json;
mod nboard;
mod search;
mod tidy;
mod transcripts;
mod uci;
