//! Message tests of consumers, and the message endpoint of providers.

mod consumer_session;
mod provider_endpoint;

pub use consumer_session::{Handled, MessageFailure, MessageSession, MessageVariant, MessageVerdict, TakeMessages};
pub use provider_endpoint::{EndpointRequest, EndpointResponse, MessageEndpoint};
