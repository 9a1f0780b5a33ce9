//! Messages: consumer tests, the provider's endpoint, and the values that handlers receive and return.

mod consumer_session;
mod handler_arguments;
pub(crate) mod handler_result;
mod provider_endpoint;

pub use consumer_session::{Handled, MessageFailure, MessageSession, MessageVerdict, TakeMessages};
pub(crate) use handler_arguments::{handed, question};
pub use provider_endpoint::{EndpointRequest, EndpointResponse, MessageEndpoint};
