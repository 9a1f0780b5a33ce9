//! Media types of requests and responses.

use bytes::Bytes;
use http::Method;
use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};

use contract_broker_api::reply::{Media, Reply};

/// Returns an error response with status 415 unless the body has a JSON content type and no content encoding. A POST
/// request without a body needs no content type. `place` is the path for the message.
pub(super) fn check_content_type(method: &Method, place: &str, headers: &HeaderMap, body: &Bytes) -> Result<(), Reply> {
    let refused = |text: String| Err(Accepted::from_headers(headers).error(415, text));
    if let Some(coding) = headers.get(CONTENT_ENCODING).filter(|coding| *coding != "identity") {
        return refused(format!(
            "The content encoding {coding:?} is not supported. Send the body without compression."
        ));
    }
    let content_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .map(essence);
    let is_json = match content_type.as_deref() {
        Some("application/json" | "application/hal+json") => true,
        Some("application/merge-patch+json") => method == Method::PATCH,
        Some(_) => false,
        None => method == Method::POST && body.is_empty(),
    };
    if is_json {
        return Ok(());
    }
    let problem = content_type.map_or_else(
        || "has no content type".to_owned(),
        |content_type| format!("has the content type {content_type:?}"),
    );
    let patch = if method == Method::PATCH {
        " or application/merge-patch+json"
    } else {
        ""
    };
    refused(format!(
        "The body of {method} {place} {problem}. Send JSON with the content type application/json{patch}."
    ))
}

/// Returns true if the content type is `application/x-www-form-urlencoded`.
pub(super) fn is_form(headers: &HeaderMap) -> bool {
    let media = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    media.is_some_and(|media| essence(media) == "application/x-www-form-urlencoded")
}

fn essence(media: &str) -> String {
    media.split(';').next().unwrap_or_default().trim().to_ascii_lowercase()
}

/// Returns true if the client accepts gzip-compressed responses.
pub(super) fn accepts_gzip(headers: &HeaderMap) -> bool {
    let values = headers
        .get_all(ACCEPT_ENCODING)
        .iter()
        .filter_map(|value| value.to_str().ok());
    let mut codings = values.flat_map(|value| value.split(','));
    codings.any(|coding| {
        let (name, weight) = coding.split_once(';').unwrap_or((coding, ""));
        name.trim().eq_ignore_ascii_case("gzip") && !matches!(weight.trim(), "q=0" | "q=0.0" | "q=0.00" | "q=0.000")
    })
}

/// The media types in the `Accept` header. If empty, the client accepts any type.
pub(super) struct Accepted(Vec<String>);

impl Accepted {
    pub(super) fn from_headers(headers: &HeaderMap) -> Self {
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        let all = values.flat_map(|value| value.split(',')).map(essence);
        Self(all.filter(|media| !media.is_empty()).collect())
    }

    /// Creates an error response: plain text if the client accepts plain text but not HAL, and JSON otherwise.
    pub(super) fn error(&self, status: u16, text: String) -> Reply {
        if !self.takes(Media::Hal) && self.takes(Media::Text) {
            Reply::text(status, Media::Text, text)
        } else {
            Reply::error(status, text)
        }
    }

    /// Returns true if the client accepts the media type explicitly, not only through a wildcard.
    pub(super) fn names(&self, media: Media) -> bool {
        self.0.iter().any(|accepted| media.names().contains(&accepted.as_str()))
    }

    /// Returns true if the client is probably a browser: it accepts HTML explicitly, but not HAL or JSON.
    pub(super) fn prefers_pages(&self) -> bool {
        self.names(Media::Html) && !self.names(Media::Hal)
    }

    pub(super) fn takes(&self, media: Media) -> bool {
        let is_taken = |name: &str| {
            let family = name.split('/').next().unwrap_or_default();
            self.0.iter().any(|accepted| {
                accepted == name || accepted == "*/*" || accepted == "*" || *accepted == format!("{family}/*")
            })
        };
        self.0.is_empty() || media.names().iter().any(|name| is_taken(name))
    }
}
