//! Replaces template parameters, such as `${pactbroker.consumerName}`, in the URL, the headers, the body, and the
//! credentials of a webhook.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

/// The names of all template parameters.
pub const PARAMETERS: [&str; 21] = [
    "pactUrl",
    "verificationResultUrl",
    "consumerName",
    "providerName",
    "consumerVersionNumber",
    "providerVersionNumber",
    "consumerVersionTags",
    "providerVersionTags",
    "consumerVersionBranch",
    "providerVersionBranch",
    "providerVersionDescriptions",
    "consumerLabels",
    "providerLabels",
    "githubVerificationStatus",
    "bitbucketVerificationStatus",
    "azureDevOpsVerificationStatus",
    "gitlabVerificationStatus",
    "buildUrl",
    "eventName",
    "currentlyDeployedProviderVersionNumber",
    "verificationOverdueMinutes",
];

const START: &str = "${pactbroker.";
/// Maximum size in bytes of a text in which parameters were replaced. Without a limit, a short template could repeat
/// a long value many times.
const MAX_RENDERED: usize = 8 * 1024 * 1024;
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The values of template parameters, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(BTreeMap<&'static str, String>);

/// A text would be too long after parameters were replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a part of the request is larger than {} MiB after replacing the parameters", MAX_RENDERED / 1024 / 1024)]
pub struct TooLong;

impl Parameters {
    pub fn new(values: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// Replaces the known parameters, encoding their values with `encode`. Unknown parameters remain unchanged, and so
    /// do parameters inside values.
    fn render(&self, template: &str, encode: impl Fn(&str) -> String) -> Result<String, TooLong> {
        let mut text = String::with_capacity(template.len());
        let mut rest = template;
        while let Some((before, after)) = rest.split_once(START) {
            text.push_str(before);
            let known = after
                .split_once('}')
                .and_then(|(name, after)| Some((self.0.get(name)?, after)));
            rest = if let Some((value, after)) = known {
                text.push_str(&encode(value));
                after
            } else {
                text.push_str(START);
                after
            };
            if text.len() > MAX_RENDERED {
                return Err(TooLong);
            }
        }
        text.push_str(rest);
        Ok(text)
    }

    pub fn render_text(&self, template: &str) -> Result<String, TooLong> {
        self.render(template, str::to_owned)
    }

    /// Replaces parameters with percent-encoded values.
    pub fn render_url(&self, template: &str) -> Result<String, TooLong> {
        self.render(template, |value| utf8_percent_encode(value, UNRESERVED).to_string())
    }

    /// Replaces parameters in a header value. Control characters in parameter values become spaces, because headers
    /// cannot contain them.
    pub fn render_header(&self, template: &str) -> Result<String, TooLong> {
        self.render(template, |value| value.replace(char::is_control, " "))
    }

    /// Replaces parameters in the text of a JSON document. Values are escaped as in a JSON string, so that they cannot
    /// end the string that contains them.
    pub fn render_json_text(&self, template: &str) -> Result<String, TooLong> {
        self.render(template, json_escaped)
    }

    /// Replaces parameters in all strings and member names of a JSON value. Parameter values cannot change its
    /// structure.
    pub fn render_json(&self, template: &Value) -> Result<String, TooLong> {
        // In the text of a JSON value, parameters occur only in strings. Their names need no escapes.
        self.render_json_text(&template.to_string())
    }
}

/// Escapes a text for a JSON string, without the quotation marks.
pub fn json_escaped(text: &str) -> String {
    let quoted = Value::from(text).to_string();
    quoted[1..quoted.len() - 1].to_owned()
}

/// Replaces all parameters, known or unknown, with `replacement`.
pub(super) fn without_parameters(template: &str, replacement: &str) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(START) {
        text.push_str(before);
        let Some((_, after)) = after.split_once('}') else {
            text.push_str(START);
            rest = after;
            continue;
        };
        text.push_str(replacement);
        rest = after;
    }
    text.push_str(rest);
    text
}

/// Returns the name of the first parameter in a template that is not one of [`PARAMETERS`], for example because of a
/// typing error. The name is truncated to 50 characters.
pub fn unknown_parameter(template: &str) -> Option<String> {
    let names = template.split(START).skip(1);
    let names = names.map(|rest| rest.split_once('}').map_or(rest, |(name, _)| name));
    let mut unknown = names.filter(|name| !PARAMETERS.contains(name));
    unknown.next().map(|name| name.chars().take(50).collect())
}

pub fn has_parameter(text: &str) -> bool {
    text.contains(START)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn parameters() -> Parameters {
        Parameters::new([
            ("consumerName", "a \"b\" & ${pactbroker.providerName}".to_owned()),
            ("providerName", "p".to_owned()),
            ("buildUrl", String::new()),
        ])
    }

    #[test]
    fn replaces_parameters_once() {
        let parameters = parameters();
        let rendered = |text: &str| parameters.render_text(text).expect("a short text");
        assert_eq!(
            rendered("<${pactbroker.providerName}|${pactbroker.providerName}>"),
            "<p|p>"
        );
        assert_eq!(
            rendered("${pactbroker.consumerName}"),
            "a \"b\" & ${pactbroker.providerName}"
        );
        assert_eq!(rendered("[${pactbroker.buildUrl}]"), "[]");
        for unknown in ["${pactbroker.nope}", "${pactbroker.", "${pactbroker.x", "${other}", "$"] {
            assert_eq!(rendered(unknown), unknown);
        }
        assert_eq!(rendered("${pactbroker.${pactbroker.providerName}}"), "${pactbroker.p}");
    }

    #[test]
    fn finds_unknown_parameters() {
        for known in ["${pactbroker.pactUrl}/${pactbroker.eventName}", "${user.token}", ""] {
            assert_eq!(unknown_parameter(known), None, "{known}");
        }
        for (template, name) in [
            ("${pactbroker.pactUrl}${pactbroker.pactURL}", "pactURL"),
            ("${pactbroker.}", ""),
            ("${pactbroker.nope", "nope"),
        ] {
            assert_eq!(unknown_parameter(template).as_deref(), Some(name), "{template}");
        }
        let long = format!("${{pactbroker.{}}}", "é".repeat(100_000));
        assert_eq!(unknown_parameter(&long), Some("é".repeat(50)));
    }

    #[test]
    fn encodes_values() {
        let parameters = parameters();
        assert_eq!(
            parameters.render_url("/x?a=${pactbroker.consumerName}").as_deref(),
            Ok("/x?a=a%20%22b%22%20%26%20%24%7Bpactbroker.providerName%7D")
        );
        for body in [
            parameters.render_json(&json!({ "a": ["${pactbroker.consumerName}"], "${pactbroker.providerName}": 1 })),
            parameters.render_json_text("{\"a\": [\"${pactbroker.consumerName}\"], \"p\": 1}"),
        ] {
            let body: Value = serde_json::from_str(&body.expect("a short text")).expect("JSON");
            assert_eq!(body, json!({ "a": ["a \"b\" & ${pactbroker.providerName}"], "p": 1 }));
        }
        let lines = Parameters::new([("buildUrl", "a\r\nx: y".to_owned())]);
        assert_eq!(lines.render_header("${pactbroker.buildUrl}").as_deref(), Ok("a  x: y"));
    }

    #[test]
    fn takes_linear_time() {
        let parameters = parameters();
        let template = "${pactbroker.".repeat(100_000);
        assert_eq!(parameters.render_text(&template).as_deref(), Ok(template.as_str()));
    }

    #[test]
    fn repeated_values_have_a_limit() {
        let parameters = Parameters::new([("consumerVersionTags", "x".repeat(100_000))]);
        let template = "${pactbroker.consumerVersionTags}".repeat(1_000);
        assert_eq!(parameters.render_text(&template), Err(TooLong));
        assert_eq!(parameters.render_json(&json!({ "a": template })), Err(TooLong));
    }
}
