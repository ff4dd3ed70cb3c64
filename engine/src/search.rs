//! Searchers.
