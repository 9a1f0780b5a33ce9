//! Writes the log of an attempt to send a webhook request, in the format of the Pact Broker.

use contract_broker_domain::time;
use contract_broker_domain::webhook::{MASK, WebhookRequest, is_secret_header};
use http::HeaderMap;

/// Maximum size of a log, in bytes.
const MAX_LOG: usize = 64 * 1024;

/// Collects the lines of a log, and masks secrets in them.
pub(super) struct ExchangeLog<'a> {
    text: String,
    secrets: Vec<&'a str>,
}

impl<'a> ExchangeLog<'a> {
    pub(super) fn new(secrets: Vec<&'a str>) -> Self {
        Self {
            text: String::new(),
            secrets,
        }
    }

    fn line(&mut self, level: &str, text: &str) {
        let mut text = text.to_owned();
        for secret in &self.secrets {
            text = text.replace(secret, MASK);
        }
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
        let mut log = ExchangeLog::new(vec!["hunter2"]);
        log.info("password hunter2\u{1b}[31m");
        let text = log.finish();
        assert!(text.contains("INFO: password **********[31m"), "{text}");
    }

    #[test]
    fn long_logs_keep_their_start_and_end() {
        let mut log = ExchangeLog::new(vec![]);
        log.info("first");
        log.info(&"ä".repeat(MAX_LOG));
        log.info("last");
        let text = log.finish();
        assert!(text.len() < MAX_LOG + 10 && text.contains("first") && text.contains("last"));
    }
}
