//! Why a request got no answer, in words that say what to do.

use std::error::Error;
use std::io;
use std::time::Duration;

use http::{HeaderValue, Uri};
use tokio_rustls::rustls::{CertificateError, Error as Rustls};

use super::connect::{ConnectTimeout, ProxyFailure};
use super::decode::Problem;
use super::tls::TlsFailure;
use crate::redact;
use crate::{ErrorCode, InteractionError};

/// Why a request got no answer.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) code: ErrorCode,
    pub(crate) message: String,
}

impl From<Failure> for InteractionError {
    fn from(failure: Failure) -> Self {
        Self::new(failure.code, failure.message)
    }
}

impl Failure {
    fn new(code: ErrorCode, message: String) -> Self {
        Self { code, message }
    }

    pub(crate) fn invalid(uri: &Uri, problem: &str) -> Self {
        Self::new(
            ErrorCode::RequestInvalid,
            format!("the request to {} cannot be sent: {problem}", redact::uri(uri)),
        )
    }

    pub(super) fn timeout(uri: &Uri, after: Duration) -> Self {
        Self::new(
            ErrorCode::RequestTimeout,
            format!(
                "no complete answer from {} within {}; if the provider needs longer, raise the request timeout",
                redact::uri(uri),
                seconds(after)
            ),
        )
    }

    pub(super) fn redirects(trail: &[Uri], limit: usize) -> Self {
        const SHOWN: usize = 4;
        let mut shown: Vec<_> = trail.iter().take(SHOWN).map(redact::uri).collect();
        if trail.len() > SHOWN {
            shown.push("…".to_owned());
        }
        Self::new(
            ErrorCode::RequestRedirect,
            format!("more than {limit} redirects: {}", shown.join(" → ")),
        )
    }

    pub(super) fn location(uri: &Uri, location: &HeaderValue) -> Self {
        Self::new(
            ErrorCode::RequestRedirect,
            format!(
                "{} redirects to {:?}, which is no URL that could be followed",
                redact::uri(uri),
                redact::location(&String::from_utf8_lossy(location.as_bytes()))
            ),
        )
    }

    pub(super) fn too_large(uri: &Uri, limit: usize, decompressed: bool) -> Self {
        let after = if decompressed { " after decompression" } else { "" };
        Self::new(
            ErrorCode::ResponseTooLarge,
            format!(
                "the answer from {} is larger than {limit} bytes{after}; if that is right, raise the body limit",
                redact::uri(uri)
            ),
        )
    }

    pub(super) fn decoding(uri: &Uri, limit: usize, problem: Problem) -> Self {
        let uri_text = redact::uri(uri);
        match problem {
            Problem::TooLarge => Self::too_large(uri, limit, true),
            Problem::Lie { coding, detail } => Self::new(
                ErrorCode::ResponseInvalid,
                format!(
                    "the answer from {uri_text} says Content-Encoding: {coding}, but its body cannot be decompressed: {detail}"
                ),
            ),
            Problem::Unknown(coding) => Self::new(
                ErrorCode::ResponseInvalid,
                format!(
                    "the answer from {uri_text} has the Content-Encoding {coding:?}; gzip, deflate and br can be read, so \
                     ask for one of them with a custom header Accept-Encoding"
                ),
            ),
        }
    }

    /// The answer's body broke off.
    pub(super) fn body(uri: &Uri, error: &hyper::Error) -> Self {
        let is_malformed = error.is_parse()
            || cause::<io::Error>(error)
                .is_some_and(|error| matches!(error.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData));
        let (code, what) = if is_malformed {
            (ErrorCode::ResponseInvalid, "broke the rules of HTTP")
        } else {
            (ErrorCode::RequestClosed, "closed the connection")
        };
        Self::new(
            code,
            format!(
                "{} {what} before its answer was complete: {}",
                redact::uri(uri),
                innermost(error)
            ),
        )
    }

    /// No answer began.
    pub(super) fn request(uri: &Uri, error: &hyper_util::client::legacy::Error) -> Self {
        let server = redact::origin(uri);
        if let Some(tls) = cause::<TlsFailure>(error) {
            return Self::new(
                ErrorCode::RequestTls,
                format!("could not connect to {server}: {}", tls_problem(tls)),
            );
        }
        if let Some(ConnectTimeout(after)) = cause(error) {
            return Self::new(
                ErrorCode::RequestConnect,
                format!(
                    "could not connect to {server} within {}; is the address right?",
                    seconds(*after)
                ),
            );
        }
        if error.is_connect() {
            let through = cause::<ProxyFailure>(error).map(|failure| format!(" through the proxy {}", failure.proxy));
            let (problem, advice) = connect_problem(error, uri);
            return Self::new(
                ErrorCode::RequestConnect,
                format!(
                    "could not connect to {server}{}: {problem}; {advice}",
                    through.unwrap_or_default()
                ),
            );
        }
        // TLS 1.3 tells of a missing client certificate only after the handshake.
        if let Some(problem) = cause::<io::Error>(error).and_then(rustls) {
            return Self::new(
                ErrorCode::RequestTls,
                format!(
                    "the TLS connection to {server} broke off: {problem}{}",
                    tls_advice(problem)
                ),
            );
        }
        let hyper = cause::<hyper::Error>(error);
        if hyper.is_some_and(|error| error.is_parse() || error.is_parse_too_large()) {
            return Self::new(
                ErrorCode::ResponseInvalid,
                format!(
                    "the answer from {server} is not HTTP: {}; does the provider listen on this port{}?",
                    innermost(error),
                    if uri.scheme_str() == Some("http") {
                        ", and is it not https://"
                    } else {
                        ""
                    }
                ),
            );
        }
        if is_cut(error) {
            return Self::new(
                ErrorCode::RequestClosed,
                format!(
                    "{server} closed the connection before it answered; did the provider crash or refuse the request?"
                ),
            );
        }
        Self::new(
            ErrorCode::RequestClosed,
            format!("the request to {server} failed: {}", innermost(error)),
        )
    }
}

/// Whether the other side closed the connection before an answer began.
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

fn connect_problem(error: &hyper_util::client::legacy::Error, uri: &Uri) -> (String, &'static str) {
    let Some(io) = cause::<io::Error>(error) else {
        return (innermost(error), "is the address right?");
    };
    match io.kind() {
        io::ErrorKind::ConnectionRefused => ("connection refused".into(), "is the provider running?"),
        io::ErrorKind::TimedOut => ("no answer".into(), "is the address right?"),
        io::ErrorKind::NetworkUnreachable | io::ErrorKind::HostUnreachable => {
            ("the host cannot be reached".into(), "is the address right?")
        }
        // Name look-up has no error kind of its own.
        _ if format!("{error:?}").contains("dns error") => (
            format!("the name {:?} cannot be resolved", uri.host().unwrap_or_default()),
            "is it spelt right?",
        ),
        _ => (io.to_string(), "is the address right?"),
    }
}

fn tls_problem(failure: &TlsFailure) -> String {
    let TlsFailure::Handshake(error) = failure else {
        return failure.to_string();
    };
    let advice = rustls(error).map_or("", tls_advice);
    format!("the TLS handshake failed: {error}{advice}")
}

/// What rustls put into an input or output error.
fn rustls(error: &io::Error) -> Option<&Rustls> {
    error.get_ref()?.downcast_ref()
}

fn tls_advice(error: &Rustls) -> &'static str {
    match error {
        Rustls::InvalidCertificate(CertificateError::UnknownIssuer) => {
            "; hand over the certificate of its authority, or switch certificate checks off"
        }
        Rustls::InvalidCertificate(
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. },
        ) => "; use the name that the certificate is for",
        Rustls::InvalidCertificate(_) => "; renew the certificate, or switch certificate checks off",
        Rustls::InvalidMessage(_) => "; does the provider speak TLS on this port?",
        Rustls::AlertReceived(_) => "; does the provider want a client certificate?",
        _ => "",
    }
}

pub(crate) fn seconds(duration: Duration) -> String {
    if duration.subsec_millis() == 0 && duration.as_secs() > 0 {
        format!("{} s", duration.as_secs())
    } else {
        format!("{} ms", duration.as_millis())
    }
}
