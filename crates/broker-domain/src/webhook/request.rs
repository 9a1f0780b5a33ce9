//! The request that a webhook sends, and its secrets.

use contract_model::is_secret;
use serde_json::{Map, Value, json};

use url::Position;

use super::rules::{parse, parse_template};
use super::template::{Parameters, has_parameter};

/// The string that responses contain in place of a secret.
pub const MASK: &str = "**********";

/// Domains of services whose webhook URLs contain a secret in the path.
const SECRET_HOSTS: [&str; 12] = [
    "api.telegram.org",
    "chat.googleapis.com",
    "discord.com",
    "events.pagerduty.com",
    "hooks.slack-gov.com",
    "hooks.slack.com",
    "hooks.zapier.com",
    "logic.azure.com",
    "outlook.office.com",
    "powerautomate.com",
    "powerplatform.com",
    "webhook.office.com",
];
/// The start of the path of incoming webhooks, for example in Mattermost and Rocket.Chat.
const SECRET_PATH: &str = "/hooks/";
/// Parts of a URL that are not longer than this are too short for a secret, such as `/`.
const MIN_URL_SECRET: usize = 3;
/// Names of the members in the stored JSON.
const URL: &str = "url";
const PASSWORD: &str = "password";
const SIGNING_SECRET: &str = "signingSecret";

#[derive(Clone, Default, PartialEq)]
pub struct WebhookRequest {
    pub method: String,
    /// The URL, which may contain template parameters, as may the headers, the body, and the credentials.
    pub url: String,
    /// Pairs of a header name in lower case and its value.
    pub headers: Vec<(String, String)>,
    pub body: Option<Value>,
    pub username: Option<String>,
    pub password: Option<String>,
    /// The key with which the broker signs requests: `whsec_` followed by 24 to 64 bytes in base64. `None` if requests
    /// are not signed.
    pub signing_secret: Option<String>,
}

impl std::fmt::Debug for WebhookRequest {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("WebhookRequest")
            .field("method", &self.method)
            .finish_non_exhaustive()
    }
}

/// Returns whether the name of a header, in lower case, suggests that its value is a secret.
pub fn is_secret_header(name: &str) -> bool {
    is_secret(name)
        || ["authorization", "token", "api-key"]
            .iter()
            .any(|part| name.contains(part))
}

/// Returns the origin of the URL followed by a mask if its path or query contains a secret, or `None` if it contains
/// none.
fn masked_url(template: &str) -> Option<String> {
    let url = parse_template(template)?;
    let host = url.host_str()?.trim_end_matches('.');
    let is_secret_host = SECRET_HOSTS.iter().any(|known| {
        host.strip_suffix(known)
            .is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
    });
    let has_secret = || {
        url.query_pairs()
            .any(|(name, value)| is_secret(&name) && !value.is_empty())
    };
    (is_secret_host || url.path().starts_with(SECRET_PATH) || has_secret())
        .then(|| format!("{}/{MASK}", url.origin().ascii_serialization()))
}

/// Returns whether the value of a secret field must be hidden. Values with template parameters are shown, because they
/// contain no secret themselves.
fn is_hidden(value: &str) -> bool {
    !has_parameter(value)
}

fn is_mask(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'*')
}

/// The new request contains a mask in place of a secret, but no stored secret can replace the mask.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{reason}", .header.as_ref().map_or_else(String::new, |name| format!("{name} ")))]
pub struct MissingSecret {
    pub field: &'static str,
    /// Name of the header, if the field is `request.headers`.
    header: Option<String>,
    reason: &'static str,
}

impl MissingSecret {
    fn new(field: &'static str, reason: &'static str) -> Self {
        Self {
            field,
            header: None,
            reason,
        }
    }

    fn of_header(name: &str, reason: &'static str) -> Self {
        Self {
            header: Some(name.to_owned()),
            ..Self::new("request.headers", reason)
        }
    }
}

const OTHER_ORIGIN: &str = "must be sent again, because the scheme, host, or port of the URL changed";
const NOTHING_STORED: &str = "is masked, but the broker has no such secret of this webhook. Send the secret itself";

/// The stored request that a new one replaces.
pub struct Replaced<'a> {
    pub request: &'a WebhookRequest,
    /// Whether both requests have the same scheme, host, and port. Otherwise, stored secrets are not reused, because
    /// anyone who can edit the webhook could send them to another host.
    pub has_same_host: bool,
    /// Whether the client explicitly removes the signing secret. Otherwise, an omitted signing secret is kept.
    pub removes_signature: bool,
}

impl WebhookRequest {
    /// Copies secrets from the stored request if this request masks or omits them.
    pub fn keep_secrets(&mut self, replaced: &Replaced<'_>) -> Result<(), MissingSecret> {
        let old = replaced.request;
        if masked_url(&old.url).is_some_and(|masked| masked == self.url) {
            old.url.clone_into(&mut self.url);
        }
        let kept = |new: &Option<String>, old: &Option<String>, field| match new {
            Some(value) if !is_mask(value) => Ok(new.clone()),
            Some(value) if !value.is_empty() && !replaced.has_same_host => Err(MissingSecret::new(field, OTHER_ORIGIN)),
            _ => Ok(old.clone().filter(|_| replaced.has_same_host)),
        };
        self.password = kept(&self.password, &old.password, "request.password")?;
        self.signing_secret = if replaced.removes_signature {
            None
        } else {
            kept(&self.signing_secret, &old.signing_secret, "request.signingSecret")?
        };
        for (name, value) in &mut self.headers {
            if !is_mask(value) || (value.is_empty() && !is_secret_header(name)) {
                continue;
            }
            let known = old.headers.iter().find(|(known, _)| known == name);
            match known {
                Some((_, known)) if replaced.has_same_host => known.clone_into(value),
                Some(_) => return Err(MissingSecret::of_header(name, OTHER_ORIGIN)),
                None => {}
            }
        }
        Ok(())
    }

    /// Returns an error if the request still contains a mask in place of a secret.
    pub fn check_masks(&self) -> Result<(), MissingSecret> {
        let is_masked =
            |value: &Option<String>| value.as_ref().is_some_and(|value| !value.is_empty() && is_mask(value));
        if self.url.ends_with(&format!("/{MASK}")) {
            return Err(MissingSecret::new("request.url", NOTHING_STORED));
        }
        if is_masked(&self.password) {
            return Err(MissingSecret::new("request.password", NOTHING_STORED));
        }
        if is_masked(&self.signing_secret) {
            return Err(MissingSecret::new("request.signingSecret", NOTHING_STORED));
        }
        let mut headers = self.headers.iter();
        match headers.find(|(name, value)| is_secret_header(name) && !value.is_empty() && is_mask(value)) {
            Some((name, _)) => Err(MissingSecret::of_header(name, NOTHING_STORED)),
            None => Ok(()),
        }
    }

    /// Returns the request as JSON with null in place of secrets, and the secrets as a separate JSON document, or
    /// `None` if there are none.
    pub fn to_stored(&self) -> (String, Option<String>) {
        let masked = masked_url(&self.url);
        let mut open = json!({ "method": self.method, "url": masked.as_deref().unwrap_or(&self.url) });
        let mut secrets = Map::new();
        if masked.is_some() {
            secrets.insert(URL.to_owned(), self.url.as_str().into());
        }
        let mut headers = Map::new();
        let mut secret_headers = Map::new();
        for (name, value) in &self.headers {
            let is_hidden = is_secret_header(name) && is_hidden(value);
            if is_hidden {
                secret_headers.insert(name.clone(), value.as_str().into());
            }
            headers.insert(
                name.clone(),
                if is_hidden { Value::Null } else { value.as_str().into() },
            );
        }
        if !headers.is_empty() {
            open["headers"] = headers.into();
        }
        if !secret_headers.is_empty() {
            secrets.insert("headers".to_owned(), secret_headers.into());
        }
        if let Some(body) = &self.body {
            open["body"] = body.clone();
        }
        if let Some(username) = &self.username {
            open["username"] = username.as_str().into();
        }
        for (name, value) in [(PASSWORD, &self.password), (SIGNING_SECRET, &self.signing_secret)] {
            let Some(value) = value else { continue };
            if is_hidden(value) {
                secrets.insert(name.to_owned(), value.as_str().into());
                open[name] = Value::Null;
            } else {
                open[name] = value.as_str().into();
            }
        }
        let secrets = (!secrets.is_empty()).then(|| Value::Object(secrets).to_string());
        (open.to_string(), secrets)
    }

    /// Parses the two documents that [`WebhookRequest::to_stored`] returned.
    pub fn from_stored(open: &str, secrets: Option<&str>) -> Self {
        let mut open: Value = serde_json::from_str(open).unwrap_or_default();
        let secrets: Value = secrets
            .and_then(|text| serde_json::from_str(text).ok())
            .unwrap_or_default();
        let text = |name: &str| {
            open[name]
                .as_str()
                .or_else(|| secrets[name].as_str())
                .map(str::to_owned)
        };
        let headers = open["headers"].as_object().into_iter().flatten();
        let headers = headers.map(|(name, value)| {
            let value = value.as_str().or_else(|| secrets["headers"][name].as_str());
            (name.clone(), value.unwrap_or_default().to_owned())
        });
        Self {
            method: text("method").unwrap_or_default(),
            url: secrets[URL]
                .as_str()
                .map(str::to_owned)
                .or_else(|| text(URL))
                .unwrap_or_default(),
            headers: headers.collect(),
            username: text("username"),
            password: text(PASSWORD),
            signing_secret: text(SIGNING_SECRET),
            body: open.get_mut("body").map(Value::take),
        }
    }

    /// Converts a stored request for a response, with [`MASK`] in place of secrets.
    pub fn display(open: &str) -> Value {
        let mut open: Value = serde_json::from_str(open).unwrap_or_default();
        for name in [PASSWORD, SIGNING_SECRET] {
            if let Some(value @ Value::Null) = open.get_mut(name) {
                *value = MASK.into();
            }
        }
        if let Some(headers) = open.get_mut("headers").and_then(Value::as_object_mut) {
            for (_, value) in headers.iter_mut().filter(|(_, value)| value.is_null()) {
                *value = MASK.into();
            }
        }
        open
    }

    /// Returns the URL for logs: `rendered`, which is the URL with replaced parameters, or a masked URL if it contains
    /// a secret.
    pub fn shown_url(&self, rendered: &str) -> String {
        masked_url(&self.url).unwrap_or_else(|| rendered.to_owned())
    }

    /// Returns the parts of the URL that contain its secret, if it contains one. They must not appear in logs.
    pub fn url_secrets(&self, parameters: &Parameters) -> Vec<String> {
        let url = parameters.render_url(&self.url).ok().and_then(|url| parse(&url));
        let (Some(url), Some(_)) = (url, masked_url(&self.url)) else {
            return Vec::new();
        };
        let values = url.query_pairs().filter(|(name, _)| is_secret(name));
        let mut secrets: Vec<String> = values.map(|(_, value)| value.into_owned()).collect();
        let raw = [
            &url[Position::BeforePath..Position::AfterQuery],
            url.path(),
            url.query().unwrap_or_default(),
        ];
        secrets.extend(raw.map(str::to_owned));
        secrets.retain(|secret| secret.len() > MIN_URL_SECRET);
        secrets
    }

    /// Returns the secret values of headers and credentials. They must not appear in logs.
    pub fn secrets(&self) -> Vec<String> {
        let headers = self.headers.iter().filter(|(name, _)| is_secret_header(name));
        let headers = headers.map(|(_, value)| value.as_str());
        let stored_values = [&self.password, &self.signing_secret];
        let stored_values = stored_values.into_iter().filter_map(|value| value.as_deref());
        headers
            .chain(stored_values)
            .filter(|value| is_hidden(value) && !value.is_empty())
            .map(str::to_owned)
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> WebhookRequest {
        WebhookRequest {
            method: "POST".to_owned(),
            url: "https://ci/x".to_owned(),
            headers: [
                ("authorization", "Bearer abc"),
                ("accept", "*/*"),
                ("x-token", "${pactbroker.consumerName}"),
            ]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .to_vec(),
            body: Some(json!({ "a": 1 })),
            username: Some("u".to_owned()),
            password: Some("p".to_owned()),
            signing_secret: None,
        }
    }

    #[test]
    fn separates_secrets() {
        let request = request();
        let (open, secrets) = request.to_stored();
        assert!(!open.contains("Bearer abc") && !open.contains("\"p\""), "{open}");
        let mut read = WebhookRequest::from_stored(&open, secrets.as_deref());
        read.headers.sort();
        let mut expected = request.clone();
        expected.headers.sort();
        assert_eq!(read, expected);
        let display = WebhookRequest::display(&open);
        assert_eq!(display["headers"]["authorization"], MASK);
        assert_eq!(display["headers"]["x-token"], "${pactbroker.consumerName}");
        assert_eq!(display["password"], MASK);
        assert_eq!(display.get("signingSecret"), None);
        assert_eq!(request.secrets(), ["Bearer abc", "p"]);
        assert!(!format!("{request:?}").contains("abc"));
    }

    #[test]
    fn hides_urls_that_contain_secrets() {
        for (url, masked) in [
            (
                "https://hooks.slack.com/services/T/B/x",
                Some("https://hooks.slack.com/**********"),
            ),
            (
                "https://acme.webhook.office.com/webhookb2/x",
                Some("https://acme.webhook.office.com/**********"),
            ),
            (
                "https://git.example.com:8443/trigger?token=x&ref=a",
                Some("https://git.example.com:8443/**********"),
            ),
            (
                "https://HOOKS.slack.com./services/T/B/x",
                Some("https://hooks.slack.com./**********"),
            ),
            (
                "https://chat.example.com/hooks/abc",
                Some("https://chat.example.com/**********"),
            ),
            ("https://nothooks.slack.com.example.com/x", None),
            ("https://ci.example.com/x?token=&a=${pactbroker.consumerName}", None),
        ] {
            assert_eq!(masked_url(url).as_deref(), masked, "{url}");
        }
        let slack = WebhookRequest {
            url: "https://hooks.slack.com/services/T/B/x".to_owned(),
            ..request()
        };
        let (open, secrets) = slack.to_stored();
        assert!(!open.contains("services"), "{open}");
        assert_eq!(WebhookRequest::from_stored(&open, secrets.as_deref()).url, slack.url);
        let mut new = WebhookRequest {
            url: "https://hooks.slack.com/**********".to_owned(),
            ..request()
        };
        let replaced = Replaced {
            request: &slack,
            has_same_host: true,
            removes_signature: false,
        };
        new.keep_secrets(&replaced).expect("the same host");
        assert_eq!(new.url, slack.url);
    }

    #[test]
    fn keeps_masked_secrets_for_the_same_host() {
        let old = request();
        let masked = || WebhookRequest {
            headers: vec![("authorization".to_owned(), MASK.to_owned())],
            password: Some("***".to_owned()),
            ..request()
        };
        let replaced = |has_same_host| Replaced {
            request: &old,
            has_same_host,
            removes_signature: false,
        };
        let mut new = masked();
        new.keep_secrets(&replaced(true)).expect("the same host");
        assert_eq!(new.password.as_deref(), Some("p"));
        assert_eq!(new.headers[0].1, "Bearer abc");
        let missing = masked().keep_secrets(&replaced(false)).expect_err("another host");
        assert_eq!(missing.field, "request.password");
        let error = masked().check_masks().expect_err("nothing is stored");
        assert!(error.to_string().starts_with("is masked"), "{error}");
        new.check_masks().expect("no mask");
        let mut without = WebhookRequest {
            password: None,
            headers: vec![],
            ..masked()
        };
        without.keep_secrets(&replaced(false)).expect("no secret");
        assert_eq!(without.password, None);
    }
}
