#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// With TLS, HTTP/2 if the provider supports it, otherwise HTTP/1.1. Without TLS, HTTP/1.1.
    #[default]
    Negotiated,
    Http1,
    /// HTTP/2 only. Without TLS, the client uses it without negotiation (prior knowledge).
    Http2,
}
