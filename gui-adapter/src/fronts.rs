//! The protocols of the GUIs, one module each.

pub mod gtp;
