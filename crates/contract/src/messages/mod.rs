//! Messages in consumer tests, and the endpoint of a provider that produces them.

mod consumer_session;
mod provider_endpoint;

pub use consumer_session::{Handled, MessageFailure, MessageSession, MessageVerdict, TakeMessages};
pub use provider_endpoint::{EndpointRequest, EndpointResponse, MessageEndpoint};
