#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1 without TLS. With TLS, HTTP/2 if the provider supports it, otherwise HTTP/1.1.
    #[default]
    Negotiated,
    Http1,
    /// HTTP/2. Without TLS, the client assumes that the provider supports it (prior knowledge).
    Http2,
}
