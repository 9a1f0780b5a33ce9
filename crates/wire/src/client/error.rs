//! Errors for failed requests. Messages contain the reason and advice.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::{HeaderValue, Uri};
use tokio_rustls::rustls::pki_types::{InvalidDnsNameError, UnixTime};
use tokio_rustls::rustls::{CertificateError, Error as Rustls};

use super::connect::{ConnectTimeout, ProxyFailure, TlsUnusable};
use crate::coding::Problem;
use crate::{BodyError, redact};

/// A failed request. The message contains the URL, the problem, and usually advice, but no secrets.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct RequestError {
    kind: RequestErrorKind,
    message: String,
}

/// The category of a [`RequestError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RequestErrorKind {
    /// The request cannot be sent, because its URL has no host.
    Invalid,
    /// No connection could be established.
    Connect,
    /// The connection was closed before the response was complete.
    Closed,
    /// The response was not complete before the request timeout expired.
    Timeout,
    /// The TLS handshake failed, or the server rejected the client certificate.
    Tls,
    /// There were too many redirects, or the `Location` header is invalid.
    Redirect,
    TooLarge,
    /// The response is not valid HTTP, or its body cannot be decompressed.
    InvalidResponse,
}

impl RequestError {
    pub fn kind(&self) -> RequestErrorKind {
        self.kind
    }
}

impl RequestError {
    fn new(kind: RequestErrorKind, message: String) -> Self {
        Self { kind, message }
    }

    pub(super) fn invalid(uri: &Uri, problem: &str) -> Self {
        Self::new(
            RequestErrorKind::Invalid,
            format!("the request to {} cannot be sent: {problem}", redact::redact_uri(uri)),
        )
    }

    pub(super) fn timeout(uri: &Uri, after: Duration) -> Self {
        Self::timeout_of(uri, after, "provider")
    }

    fn timeout_of(uri: &Uri, after: Duration, peer: &str) -> Self {
        Self::new(
            RequestErrorKind::Timeout,
            format!(
                "no complete response from {} within {}. If the {peer} needs longer, increase the request timeout",
                redact::redact_uri(uri),
                seconds(after)
            ),
        )
    }

    pub(super) fn redirects(trail: &[Uri], limit: usize) -> Self {
        const SHOWN: usize = 4;
        let mut hops: Vec<_> = trail.iter().take(SHOWN).map(redact::redact_uri).collect();
        if trail.len() > SHOWN {
            hops.push("…".to_owned());
        }
        Self::new(
            RequestErrorKind::Redirect,
            format!("more than {limit} redirects: {}", hops.join(" → ")),
        )
    }

    pub(super) fn location(uri: &Uri, location: &HeaderValue) -> Self {
        Self::new(
            RequestErrorKind::Redirect,
            format!(
                "{} redirects to {:?}, but that is not a valid http or https URL",
                redact::redact_uri(uri),
                redact::redact_url(&String::from_utf8_lossy(location.as_bytes()))
            ),
        )
    }

    fn too_large(uri: &Uri, limit: usize, decompressed: bool) -> Self {
        let after = if decompressed { " after decompression" } else { "" };
        Self::new(
            RequestErrorKind::TooLarge,
            format!(
                "the response from {} is larger than {limit} bytes{after}",
                redact::redact_uri(uri)
            ),
        )
    }

    pub(super) fn decoding(uri: &Uri, limit: usize, problem: Problem) -> Self {
        let uri_text = redact::redact_uri(uri);
        match problem {
            Problem::TooLarge => Self::too_large(uri, limit, true),
            Problem::Corrupt { coding, detail } => Self::new(
                RequestErrorKind::InvalidResponse,
                format!(
                    "the response from {uri_text} has Content-Encoding {coding:?}, but its body cannot be decompressed: {detail}"
                ),
            ),
            Problem::Unknown(coding) => Self::new(
                RequestErrorKind::InvalidResponse,
                format!(
                    "the response from {uri_text} has Content-Encoding {coding:?}, but only gzip, deflate, and br are \
                     supported. Request one of them with a custom Accept-Encoding header"
                ),
            ),
        }
    }

    pub(super) fn body(uri: &Uri, error: &BodyError) -> Self {
        match error {
            BodyError::TooLarge { limit } => Self::too_large(uri, *limit, false),
            BodyError::Broken { source, .. } => Self::broken(uri, source),
        }
    }

    fn broken(uri: &Uri, error: &hyper::Error) -> Self {
        let is_malformed = error.is_parse()
            || cause::<io::Error>(error)
                .is_some_and(|error| matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData));
        let (kind, description) = if is_malformed {
            (RequestErrorKind::InvalidResponse, "violated the HTTP protocol")
        } else {
            (RequestErrorKind::Closed, "closed the connection")
        };
        Self::new(
            kind,
            format!(
                "{} {description} before the response was complete: {}",
                redact::redact_uri(uri),
                innermost(error)
            ),
        )
    }

    /// Converts an error of a hyper-based client. `who` is the role of the server in the message, such as `broker` or
    /// `provider`. `after` is the request timeout.
    pub fn from_error(uri: &Uri, error: &(dyn Error + 'static), peer: &str, after: Duration) -> Self {
        if let Some(found) = cause::<hyper_util::client::legacy::Error>(error) {
            return Self::request(uri, found, peer);
        }
        if let Some(io) = cause::<io::Error>(error).filter(|error| error.kind() != io::ErrorKind::TimedOut) {
            let text = format!(
                "{} closed the connection before the response was complete: {io}",
                redact::redact_uri(uri)
            );
            return Self::new(RequestErrorKind::Closed, text);
        }
        match cause::<hyper::Error>(error).filter(|error| !error.is_timeout()) {
            Some(error) => Self::broken(uri, error),
            None => Self::timeout_of(uri, after, peer),
        }
    }

    pub fn response_too_large(uri: &Uri, limit: usize) -> Self {
        Self::too_large(uri, limit, false)
    }

    /// Creates an error for a request that received no response. `who` is the role of the server in the message.
    pub(super) fn request(uri: &Uri, error: &hyper_util::client::legacy::Error, peer: &str) -> Self {
        let server = redact::origin(uri);
        if let Some(problem) = tls_problem(error, uri, peer) {
            return Self::new(
                RequestErrorKind::Tls,
                format!("could not connect to {server}: {problem}"),
            );
        }
        if let Some(ConnectTimeout(after)) = cause(error) {
            return Self::new(
                RequestErrorKind::Connect,
                format!(
                    "could not connect to {server} within {}. Is the address correct?",
                    seconds(*after)
                ),
            );
        }
        if error.is_connect() {
            let through = cause::<ProxyFailure>(error).map(|failure| format!(" through the proxy {}", failure.proxy));
            let (problem, advice) = connect_problem(error, uri, peer);
            return Self::new(
                RequestErrorKind::Connect,
                format!(
                    "could not connect to {server}{}: {problem}. {advice}",
                    through.unwrap_or_default()
                ),
            );
        }
        // With TLS 1.3, the server rejects a missing client certificate only after the handshake.
        if let Some(problem) = cause::<io::Error>(error).and_then(rustls) {
            return Self::new(
                RequestErrorKind::Tls,
                format!(
                    "the TLS connection to {server} failed: {problem}{}",
                    tls_advice(problem, peer)
                ),
            );
        }
        let hyper = cause::<hyper::Error>(error);
        if hyper.is_some_and(|error| error.is_parse() || error.is_parse_too_large()) {
            return Self::new(
                RequestErrorKind::InvalidResponse,
                format!(
                    "the response from {server} is not HTTP: {}. Does the {peer} listen on this port{}?",
                    innermost(error),
                    if uri.scheme_str() == Some("http") {
                        ", and does it use http://, not https://"
                    } else {
                        ""
                    }
                ),
            );
        }
        if is_cut(error) {
            return Self::new(
                RequestErrorKind::Closed,
                format!(
                    "{server} closed the connection without a response. Did the {peer} crash or reject the request?"
                ),
            );
        }
        Self::new(
            RequestErrorKind::Closed,
            format!("the request to {server} failed: {}", innermost(error)),
        )
    }
}

/// Returns true if the server closed the connection before it sent a response.
pub(super) fn is_cut(error: &hyper_util::client::legacy::Error) -> bool {
    if error.is_connect() {
        return false;
    }
    let closed = |error: &hyper::Error| {
        error.is_incomplete_message() || error.is_canceled() || error.is_closed() || error.is_body_write_aborted()
    };
    cause::<hyper::Error>(error).is_some_and(closed)
        || cause::<io::Error>(error).is_some_and(|error| {
            matches!(
                error.kind(),
                io::ErrorKind::ConnectionReset
                    | io::ErrorKind::ConnectionAborted
                    | io::ErrorKind::BrokenPipe
                    | io::ErrorKind::UnexpectedEof
            )
        })
}

fn cause<'a, T: Error + 'static>(error: &'a (dyn Error + 'static)) -> Option<&'a T> {
    let mut at = Some(error);
    while let Some(error) = at {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        at = error.source();
    }
    None
}

fn innermost<'a>(error: &'a (dyn Error + 'static)) -> String {
    let mut at = error;
    while let Some(source) = at.source() {
        at = source;
    }
    at.to_string()
}

fn connect_problem(error: &hyper_util::client::legacy::Error, uri: &Uri, peer: &str) -> (String, String) {
    const ADDRESS: &str = "Is the address correct?";
    let Some(io) = cause::<io::Error>(error) else {
        return (innermost(error), ADDRESS.into());
    };
    let (problem, advice) = match io.kind() {
        io::ErrorKind::ConnectionRefused => return ("connection refused".into(), format!("Is the {peer} running?")),
        io::ErrorKind::TimedOut => ("timed out".into(), ADDRESS),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => ("host unreachable".into(), ADDRESS),
        // Name resolution errors do not have their own `ErrorKind`.
        _ if format!("{error:?}").contains("dns error") => (
            format!("host not found: {:?}", uri.host().unwrap_or_default()),
            "Is it spelled correctly?",
        ),
        _ => (io.to_string(), ADDRESS),
    };
    (problem, advice.into())
}

/// Describes why a TLS connection failed. Returns `None` if the failure has another cause.
fn tls_problem(error: &hyper_util::client::legacy::Error, uri: &Uri, peer: &str) -> Option<String> {
    if let Some(unusable) = cause::<TlsUnusable>(error) {
        return Some(unusable.to_string());
    }
    if cause::<InvalidDnsNameError>(error).is_some() {
        let host = uri.host().unwrap_or_default();
        return Some(format!("{host:?} is not a valid host name for a certificate"));
    }
    // A handshake error is nested in another I/O error, unlike a connection error.
    let handshake: &io::Error = cause::<io::Error>(error)?.get_ref()?.downcast_ref()?;
    let advice = rustls(handshake).map_or(String::new(), |error| tls_advice(error, peer));
    let problem = rustls(handshake).and_then(certificate_problem);
    let problem = problem.unwrap_or_else(|| handshake.to_string());
    Some(format!("the TLS handshake failed: {problem}{advice}"))
}

/// Returns the rustls error that an I/O error contains, or `None` if it contains none.
fn rustls(error: &io::Error) -> Option<&Rustls> {
    error.get_ref()?.downcast_ref()
}

/// Maximum number of certificate names in a message. Some certificates contain hundreds.
const SHOWN: usize = 5;

/// Describes a problem with the server's certificate. Returns `None` for other errors.
fn certificate_problem(error: &Rustls) -> Option<String> {
    let Rustls::InvalidCertificate(problem) = error else {
        return None;
    };
    let days = |from: UnixTime, to: UnixTime| match to.as_secs().saturating_sub(from.as_secs()) / 86_400 {
        0 => "less than a day".to_owned(),
        1 => "1 day".to_owned(),
        days => format!("{days} days"),
    };
    Some(match problem {
        CertificateError::UnknownIssuer => {
            "its certificate is not issued by a trusted authority (UnknownIssuer)".to_owned()
        }
        CertificateError::NotValidForNameContext { expected, presented } => {
            // The name has a form such as `DnsName("broker.example")`.
            let bare = |name: &str| {
                let inner = name.split_once('(').map_or(name, |(_, inner)| inner);
                inner.trim_end_matches(')').trim_matches('"').to_owned()
            };
            let names: Vec<String> = presented.iter().take(SHOWN).map(|name| bare(name)).collect();
            let other = match (names.as_slice(), presented.len().saturating_sub(SHOWN)) {
                ([], _) => "another host".to_owned(),
                (names, 0) => names.join(", "),
                (names, more) => format!("{} and {more} more names", names.join(", ")),
            };
            format!("its certificate is for {other}, not for {}", expected.to_str())
        }
        CertificateError::ExpiredContext { time, not_after } => {
            format!("its certificate expired {} ago", days(*not_after, *time))
        }
        CertificateError::NotValidYetContext { time, not_before } => {
            format!("its certificate becomes valid in {}", days(*time, *not_before))
        }
        CertificateError::BadSignature => "the signature of its certificate is invalid".to_owned(),
        _ if is_ca_certificate(problem) => "its certificate is a CA certificate (basicConstraints CA:TRUE)".to_owned(),
        _ => return None,
    })
}

/// Returns true if the server presented a CA certificate. `openssl req -x509` creates such certificates by default.
fn is_ca_certificate(problem: &CertificateError) -> bool {
    matches!(problem, CertificateError::Other(other) if other.0.to_string() == "CaUsedAsEndEntity")
}

fn tls_advice(error: &Rustls, peer: &str) -> String {
    let advice = match error {
        Rustls::InvalidCertificate(CertificateError::UnknownIssuer | CertificateError::BadSignature) => {
            ". Pass the certificate of its authority, or disable certificate checks"
        }
        Rustls::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => ". Use a host name that the certificate covers",
        Rustls::InvalidCertificate(CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. }) => {
            ". Is the clock of this machine correct?"
        }
        Rustls::InvalidCertificate(problem) if is_ca_certificate(problem) => {
            return format!(". Create one with CA:FALSE for the {peer}, or disable certificate checks");
        }
        Rustls::InvalidCertificate(_) => ". Renew the certificate, or disable certificate checks",
        Rustls::InvalidMessage(_) => return format!(". Does the {peer} use TLS on this port?"),
        Rustls::AlertReceived(_) => return format!(". Does the {peer} require a client certificate?"),
        _ => "",
    };
    advice.to_owned()
}

/// Formats a duration, such as `5 s` or `1500 ms`. Durations that are not whole seconds are printed in milliseconds.
pub fn seconds(duration: Duration) -> String {
    if duration.subsec_millis() == 0 && duration.as_secs() > 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}

#[cfg(test)]
mod tests {
    use tokio_rustls::rustls::pki_types::{ServerName, UnixTime};
    use tokio_rustls::rustls::{CertificateError, Error as Rustls};

    use super::{Duration, certificate_problem, tls_advice};

    #[test]
    fn describes_certificate_problems() {
        let at = |days: u64| UnixTime::since_unix_epoch(Duration::from_secs(days * 86_400));
        let other = |presented: &[&str]| CertificateError::NotValidForNameContext {
            expected: ServerName::try_from("localhost").expect("a name"),
            presented: presented.iter().map(|name| (*name).to_owned()).collect(),
        };
        let expired = CertificateError::ExpiredContext {
            time: at(12),
            not_after: at(5),
        };
        let early = CertificateError::NotValidYetContext {
            time: at(4),
            not_before: at(5),
        };
        for (problem, expected) in [
            (
                other(&["DnsName(\"a.example\")", "IpAddress(10.0.0.1)"]),
                "its certificate is for a.example, 10.0.0.1, not for localhost. Use a host name that the certificate covers",
            ),
            (
                other(&["a"; 7]),
                "its certificate is for a, a, a, a, a and 2 more names, not for localhost. Use a host name that the certificate covers",
            ),
            (
                other(&[]),
                "its certificate is for another host, not for localhost. Use a host name that the certificate covers",
            ),
            (
                expired,
                "its certificate expired 7 days ago. Renew the certificate, or disable certificate checks",
            ),
            (
                early,
                "its certificate becomes valid in 1 day. Is the clock of this machine correct?",
            ),
        ] {
            let error = Rustls::InvalidCertificate(problem);
            let description = certificate_problem(&error).expect("a description");
            assert_eq!(description + &tls_advice(&error, "broker"), expected);
        }
    }
}
