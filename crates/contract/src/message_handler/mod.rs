//! Converts the arguments and results of message handlers.

mod arguments;
pub(crate) mod result;

pub(crate) use arguments::{handler_argument, states, to_handler_form};
