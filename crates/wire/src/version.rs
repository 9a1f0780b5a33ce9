/// The version of HTTP.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HttpVersion {
    /// HTTP/1.1 without TLS; with TLS, HTTP/2 if the provider supports it.
    #[default]
    Negotiated,
    Http1,
    /// HTTP/2; without TLS, with prior knowledge.
    Http2,
}
