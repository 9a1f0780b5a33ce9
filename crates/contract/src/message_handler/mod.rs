//! What message handlers receive and return.

mod arguments;
pub(crate) mod result;

pub(crate) use arguments::{handed, question, states};
