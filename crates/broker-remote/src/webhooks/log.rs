//! Writes the log of an attempt to send a webhook request, in the format of the Pact Broker.

use contract_broker_domain::time;
use contract_broker_domain::webhook::{MASK, Parameters, WebhookRequest, is_secret_header, json_escaped};
use http::HeaderMap;

use super::credentials::basic;

/// Maximum size of a log, in bytes.
const MAX_LOG: usize = 64 * 1024;

/// The secrets of a request, which must not appear in logs and responses.
#[derive(Default)]
pub(super) struct Masks(Vec<String>);

impl Masks {
    pub(super) fn new(request: &WebhookRequest, parameters: &Parameters) -> Self {
        let mut secrets = request.secrets();
        // If the credentials are too long, they are not sent.
        secrets.extend(basic(request, parameters).ok().flatten());
        secrets.extend(request.url_secrets(parameters));
        let escaped = secrets.iter().map(|secret| json_escaped(secret));
        let mut all: Vec<String> = escaped.collect();
        all.append(&mut secrets);
        // Replace the longest secret first, because it may contain another one.
        all.sort_by_key(|secret| std::cmp::Reverse(secret.len()));
        all.dedup();
        Self(all)
    }

    pub(super) fn apply(&self, text: &str) -> String {
        self.0
            .iter()
            .fold(text.to_owned(), |text, secret| text.replace(secret, MASK))
    }
}

/// Collects the lines of a log, and masks secrets in them.
#[derive(Default)]
pub(super) struct ExchangeLog {
    text: String,
    pub(super) masks: Masks,
}

impl ExchangeLog {
    pub(super) fn new(masks: Masks) -> Self {
        Self {
            text: String::new(),
            masks,
        }
    }

    fn line(&mut self, level: &str, text: &str) {
        let text = self.masks.apply(text);
        // Remove control characters, which could manipulate a terminal.
        let text: String = text
            .chars()
            .filter(|character| !character.is_control() || matches!(character, '\n' | '\t'))
            .collect();
        // The Pact Broker writes times in whole seconds, followed by Z.
        let now = time::iso(time::now());
        let at = now.split('+').next().unwrap_or_default();
        self.text.extend(["[", at, "Z] ", level, ": ", &text, "\n"]);
    }

    pub(super) fn debug(&mut self, text: &str) {
        self.line("DEBUG", text);
    }

    pub(super) fn info(&mut self, text: &str) {
        self.line("INFO", text);
    }

    pub(super) fn error(&mut self, text: &str) {
        self.line("ERROR", text);
    }

    /// Returns the log. If it is longer than [`MAX_LOG`], replaces its middle with `[…]`.
    pub(super) fn finish(self) -> String {
        if self.text.len() <= MAX_LOG {
            return self.text;
        }
        let start = (0..=MAX_LOG / 2).rev().find(|at| self.text.is_char_boundary(*at));
        let length = self.text.len();
        let end = (length - MAX_LOG / 2..length).find(|at| self.text.is_char_boundary(*at));
        let (start, end) = (start.unwrap_or(0), end.unwrap_or(length));
        format!("{}\n[…]\n{}", &self.text[..start], &self.text[end..])
    }
}

/// Returns the names and values of headers for the log. The values of secret headers are masked.
pub(super) fn shown_headers(request: &WebhookRequest, headers: &HeaderMap) -> Vec<(String, String)> {
    let with_parameters = |name: &str| {
        let configured = request.headers.iter().find(|(known, _)| known == name);
        configured.is_some_and(|(_, value)| value.contains("${pactbroker."))
    };
    let displayed = headers.iter().map(|(name, value)| {
        let name = name.as_str();
        let is_secret = name == "authorization" || name == "set-cookie" || is_secret_header(name);
        let value = if is_secret && !with_parameters(name) && name != "webhook-signature" {
            MASK.to_owned()
        } else {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        (name.to_owned(), value)
    });
    displayed.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_secrets_and_removes_control_characters() {
        let request = WebhookRequest {
            url: "https://hooks.slack.com/services/T0/B0/x?a=1".to_owned(),
            password: Some("hunter\"2".to_owned()),
            ..WebhookRequest::default()
        };
        let mut log = ExchangeLog::new(Masks::new(&request, &Parameters::default()));
        log.info("password hunter\"2\u{1b}[31m, as JSON \"hunter\\\"2\", cannot POST /services/T0/B0/x");
        let text = log.finish();
        let expected = "INFO: password **********[31m, as JSON \"**********\", cannot POST **********\n";
        assert!(text.ends_with(expected), "{text}");
    }

    #[test]
    fn long_logs_keep_their_start_and_end() {
        let mut log = ExchangeLog::default();
        log.info("first");
        log.info(&"ä".repeat(MAX_LOG));
        log.info("last");
        let text = log.finish();
        assert!(text.len() < MAX_LOG + 10 && text.contains("first") && text.contains("last"));
    }
}
