//! Elo, likelihood of superiority and sequential tests.
