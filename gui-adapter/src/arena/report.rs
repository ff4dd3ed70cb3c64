//! What a list of finished games comes to.
