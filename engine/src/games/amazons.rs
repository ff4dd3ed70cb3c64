//! Stub: being written.
use super::{Setup, SetupError, Visitor};
pub(crate) fn open<V: Visitor>(_setup: Setup, _visitor: V) -> Result<V::Out, SetupError> {
    Err(SetupError("not yet".into()))
}
