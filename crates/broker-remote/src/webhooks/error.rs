//! The errors of webhook requests that get no response.

use std::error::Error;
use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use contract_broker_domain::webhook::{RuleViolation, TooLong};
use http::uri::InvalidUri;
use thiserror::Error;
use tokio_rustls::rustls;
use tokio_rustls::rustls::pki_types::InvalidDnsNameError;

/// Why a webhook request was not sent or got no response.
#[derive(Debug, Error)]
pub enum SendError {
    #[error("the {0} is invalid")]
    Invalid(&'static str),
    #[error(transparent)]
    TooLong(#[from] TooLong),
    #[error("the URL has no {0}")]
    IncompleteUrl(&'static str),
    #[error("URL {0}")]
    Url(RuleViolation),
    #[error("method {0}")]
    Method(RuleViolation),
    #[error("the host {0}")]
    Address(RuleViolation),
    #[error("the header name {0:?} is invalid")]
    HeaderName(String),
    #[error("a header has an invalid value")]
    HeaderValue,
    #[error("invalid URL: {0}")]
    Target(#[from] InvalidUri),
    #[error("could not start a thread for the DNS lookup: {0}")]
    Thread(io::Error),
    #[error("host {0} has no address")]
    NoAddress(String),
    #[error("host {0} not found: {1}")]
    HostNotFound(String, io::Error),
    #[error("could not connect to {0}: {1}")]
    Connect(SocketAddr, io::Error),
    #[error("could not read the trusted certificates")]
    Certificates,
    #[error("no trusted certificates found. Set SSL_CERT_FILE to a PEM file.")]
    NoCertificates,
    #[error(transparent)]
    Tls(#[from] rustls::Error),
    #[error(transparent)]
    ServerName(#[from] InvalidDnsNameError),
    #[error("TLS handshake failed: {error}{advice}", error = .0, advice = handshake_advice(.0))]
    Handshake(io::Error),
    #[error("{}", with_causes(.0))]
    Http(#[from] hyper::Error),
    #[error("timed out after {} s", .0.as_secs_f32())]
    TimedOut(Duration),
}

fn handshake_advice(error: &io::Error) -> &'static str {
    let cause = error.get_ref().and_then(|cause| cause.downcast_ref::<rustls::Error>());
    match cause {
        Some(rustls::Error::InvalidCertificate(_)) => {
            ". If the receiver has a certificate of your own CA, set SSL_CERT_FILE to a PEM file with the certificates to trust"
        }
        Some(rustls::Error::InvalidMessage(_)) => ". The receiver does not use TLS on this port",
        _ => "",
    }
}

/// Returns the message of an error, followed by the messages of its causes.
fn with_causes(error: &hyper::Error) -> String {
    let mut text = error.to_string();
    let mut source = Error::source(error);
    while let Some(cause) = source {
        text = format!("{text}: {cause}");
        source = cause.source();
    }
    text
}
