//! Message tests for consumers, and a message endpoint for providers.

mod consumer_session;
mod provider_endpoint;

pub use consumer_session::{Handled, MessageFailure, MessageSession, MessageVariant, MessageVerdict, TakeMessages};
pub use provider_endpoint::{EndpointRequest, EndpointResponse, MessageEndpoint};
