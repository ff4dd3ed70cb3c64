//! The one integration-test binary.

mod games;
