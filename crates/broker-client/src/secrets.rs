//! Redacts the client's credentials in text from the broker, because a response may repeat parts of the request.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::prelude::{BASE64_STANDARD, BASE64_STANDARD_NO_PAD, BASE64_URL_SAFE_NO_PAD};
use contract_model::{Json, REDACTED, is_secret};
use http::HeaderMap;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::credentials::Credentials;
use crate::error::{BrokerError, Notice};

/// Secrets of at least this length, in bytes, are redacted wherever they occur.
const ANYWHERE: usize = 8;
/// Secrets of at least this length, in bytes, are redacted if they are whole words: the secret `pass` is not redacted
/// in `password`. Shorter secrets are not redacted.
const SHORTEST: usize = 3;

/// The secrets of a client, in plain and encoded forms. Clones share the list. `Debug` omits the secrets.
#[derive(Clone, Default)]
pub struct Secrets(Arc<[String]>);

impl std::fmt::Debug for Secrets {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secrets")
    }
}

impl Secrets {
    pub(crate) fn new(credentials: &Credentials, headers: &HeaderMap) -> Self {
        let headers = headers
            .iter()
            .filter_map(|(name, value)| Some((name.as_str(), value.to_str().ok()?)));
        Self::collect([credentials], headers)
    }

    /// Collects the secrets of several connections: passwords, tokens, and the values of headers whose names look
    /// sensitive, such as `X-Api-Key`.
    pub fn collect<'a>(
        credentials: impl IntoIterator<Item = &'a Credentials>,
        headers: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut plain = Vec::new();
        for credentials in credentials {
            match credentials {
                Credentials::None => {}
                Credentials::Token(token) => plain.push(token.clone()),
                Credentials::Basic { username, password } => {
                    plain.push(password.clone());
                    plain.push(format!("{username}:{password}"));
                }
            }
        }
        for (name, value) in headers {
            if name.eq_ignore_ascii_case("authorization") {
                // The part after `Bearer` or `Basic`.
                let (_, secret) = value.split_once(' ').unwrap_or(("", value));
                let decoded = BASE64_STANDARD.decode(secret.trim()).ok();
                if let Some(decoded) = decoded.and_then(|bytes| String::from_utf8(bytes).ok()) {
                    plain.extend(decoded.split_once(':').map(|(_, password)| password.to_owned()));
                }
                plain.push(secret.trim().to_owned());
            } else if is_secret(name) {
                plain.push(value.to_owned());
            }
        }
        let mut all: Vec<String> = Vec::new();
        for secret in plain.iter().filter(|secret| secret.len() >= SHORTEST) {
            all.push(secret.clone());
            for set in [NON_ALPHANUMERIC, RESERVED] {
                let encoded = utf8_percent_encode(secret, set).to_string();
                all.push(lower_case_escapes(&encoded));
                all.push(encoded.replace("%20", "+"));
                all.push(encoded);
            }
            // As it appears inside a JSON document.
            let json = Json::from(secret.as_str()).to_text();
            all.push(json[1..json.len() - 1].to_owned());
            // With and without padding.
            all.push(BASE64_STANDARD.encode(secret));
            all.push(BASE64_STANDARD_NO_PAD.encode(secret));
            all.push(BASE64_URL_SAFE_NO_PAD.encode(secret));
        }
        // Longest first, because one may contain another.
        all.sort_by(|a, b| b.len().cmp(&a.len()).then_with(|| a.cmp(b)));
        all.dedup();
        Self(all.into())
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Replaces the secrets in a string. Returns `None` if the string contains no secret.
    pub fn redacted(&self, text: &str) -> Option<String> {
        match self.redact(text) {
            Cow::Owned(changed) => Some(changed),
            Cow::Borrowed(_) => None,
        }
    }

    pub fn redact<'a>(&self, text: &'a str) -> Cow<'a, str> {
        let mut out = Cow::Borrowed(text);
        for secret in self.0.iter() {
            if let Some(changed) = without(&out, secret) {
                out = Cow::Owned(changed);
            }
        }
        out
    }

    /// Replaces the secrets in the strings and the member names of a document.
    #[must_use]
    pub fn redact_json(&self, json: Json) -> Json {
        if self.0.is_empty() {
            return json;
        }
        match json {
            Json::String(text) => match self.redact(&text) {
                Cow::Owned(changed) => Json::from(changed),
                Cow::Borrowed(_) => Json::String(text),
            },
            Json::Array(items) => Json::from(items.into_iter().map(|item| self.redact_json(item)).collect::<Vec<_>>()),
            Json::Object(members) => {
                let mut out = contract_model::Object::new();
                for (name, value) in members {
                    out.insert(self.redact(&name).into_owned(), self.redact_json(value));
                }
                out.into()
            }
            other => other,
        }
    }

    #[must_use]
    pub fn redact_error(&self, error: BrokerError) -> BrokerError {
        error.map_texts(|text| self.redact(text).into_owned())
    }

    pub(crate) fn redact_notice(&self, notice: &Notice) -> Notice {
        Notice {
            kind: self.redact(&notice.kind).into_owned(),
            text: self.redact(&notice.text).into_owned(),
        }
    }
}

/// Characters that are percent-encoded in URLs: all except the unreserved ones (RFC 3986, section 2.3).
const RESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Converts percent-escapes to lowercase: `%2F` becomes `%2f`.
fn lower_case_escapes(encoded: &str) -> String {
    let mut pieces = encoded.split('%');
    let mut out = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let (digits, rest) = piece.split_at(piece.len().min(2));
        out.push('%');
        out.push_str(&digits.to_ascii_lowercase());
        out.push_str(rest);
    }
    out
}

/// Replaces one secret in a string. Returns `None` if nothing was replaced.
fn without(text: &str, secret: &str) -> Option<String> {
    let is_word = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    let mut out: Option<String> = None;
    let mut from = 0;
    for (at, found) in text.match_indices(secret) {
        let end = at + found.len();
        let is_part = is_word(text[..at].chars().next_back()) || is_word(text[end..].chars().next());
        if secret.len() < ANYWHERE && is_part {
            continue;
        }
        let out = out.get_or_insert_default();
        out.push_str(&text[from..at]);
        out.push_str(REDACTED);
        from = end;
    }
    let mut out = out?;
    out.push_str(&text[from..]);
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::Secrets;
    use crate::Credentials;
    use contract_model::Json;
    use http::HeaderMap;

    #[test]
    fn redacts_each_form_of_a_secret() {
        let headers: HeaderMap = [
            ("x-api-key", "key of the gateway"),
            ("x-tenant", "tenant seven"),
            ("x-other-token", "a-token/with.dots"),
            ("x-third-token", r#"a "quoted" key"#),
            ("authorization", "Basic Y2k6b3RoZXItc2VjcmV0"),
        ]
        .into_iter()
        .map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()))
        .collect();
        let secrets = Secrets::new(&Credentials::basic("me", "s3cr?t/§ long"), &headers);
        for echoed in [
            "s3cr?t/§ long",
            "me:s3cr?t/§ long",
            "s3cr%3Ft%2F%C2%A7%20long",
            "s3cr%3ft%2f%c2%a7%20long",
            "s3cr%3Ft%2F%C2%A7+long",
            "a-token%2Fwith.dots",
            "a%2Dtoken%2Fwith%2Edots",
            r#"a \"quoted\" key"#,
            // Base64 of the password and of user name and password, with and without padding.
            "czNjcj90L8KnIGxvbmc=",
            "bWU6czNjcj90L8KnIGxvbmc=",
            "bWU6czNjcj90L8KnIGxvbmc",
            "bWU6czNjcj90L8KnIGxvbmc",
            "key of the gateway",
            "Y2k6b3RoZXItc2VjcmV0",
            "other-secret",
        ] {
            let text = secrets
                .redact(&format!("I saw <{echoed}> twice: {echoed}."))
                .into_owned();
            assert!(!text.contains(echoed), "{echoed}: {text}");
            assert_eq!(text.matches("[redacted]").count(), 2, "{echoed}: {text}");
        }
        assert_eq!(secrets.redact("me, tenant seven"), "me, tenant seven");
        let json = Json::parse(br#"{"s3cr?t/\u00a7 long": ["other-secret", 1, null]}"#).unwrap();
        assert_eq!(
            secrets.redact_json(json).to_text(),
            r#"{"[redacted]":["[redacted]",1,null]}"#
        );
    }

    #[test]
    fn redacts_short_secrets_as_whole_words() {
        let secrets = Secrets::new(&Credentials::token("pass"), &HeaderMap::new());
        assert_eq!(
            secrets.redact("Bearer pass, \"pass\" and a password"),
            "Bearer [redacted], \"[redacted]\" and a password"
        );
        let secrets = Secrets::new(&Credentials::token("ab"), &HeaderMap::new());
        assert_eq!(secrets.redact("ab"), "ab");
        assert_eq!(
            Secrets::new(&Credentials::token(""), &HeaderMap::new()).redact("a b"),
            "a b"
        );
    }
}
