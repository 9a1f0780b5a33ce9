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
const UNRESERVED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// The values of template parameters, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parameters(BTreeMap<&'static str, String>);

impl Parameters {
    pub fn new(values: impl IntoIterator<Item = (&'static str, String)>) -> Self {
        Self(values.into_iter().collect())
    }

    /// Replaces the known parameters, encoding their values with `encode`. Unknown parameters remain unchanged, and so
    /// do parameters inside values.
    fn render(&self, template: &str, encode: impl Fn(&str) -> String) -> String {
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
        }
        text.push_str(rest);
        text
    }

    pub fn render_text(&self, template: &str) -> String {
        self.render(template, str::to_owned)
    }

    /// Replaces parameters with percent-encoded values.
    pub fn render_url(&self, template: &str) -> String {
        self.render(template, |value| utf8_percent_encode(value, UNRESERVED).to_string())
    }

    /// Replaces parameters in a header value. Control characters in parameter values become spaces, because headers
    /// cannot contain them.
    pub fn render_header(&self, template: &str) -> String {
        self.render(template, |value| value.replace(char::is_control, " "))
    }

    /// Replaces parameters in all strings and member names of a JSON value. Parameter values cannot change its
    /// structure.
    pub fn render_json(&self, template: &Value) -> Value {
        match template {
            Value::String(text) => self.render_text(text).into(),
            Value::Array(list) => list.iter().map(|item| self.render_json(item)).collect(),
            Value::Object(members) => {
                let rendered = members
                    .iter()
                    .map(|(name, value)| (self.render_text(name), self.render_json(value)));
                Value::Object(rendered.collect())
            }
            other => other.clone(),
        }
    }
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
    let names = template.split(START).skip(1).filter_map(|rest| rest.split_once('}'));
    let mut unknown = names.map(|(name, _)| name).filter(|name| !PARAMETERS.contains(name));
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
        let rendered = |text: &str| parameters.render_text(text);
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
        for known in [
            "${pactbroker.pactUrl}/${pactbroker.eventName}",
            "${user.token}",
            "${pactbroker.",
            "",
        ] {
            assert_eq!(unknown_parameter(known), None, "{known}");
        }
        for (template, name) in [
            ("${pactbroker.pactUrl}${pactbroker.pactURL}", "pactURL"),
            ("${pactbroker.}", ""),
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
            parameters.render_url("/x?a=${pactbroker.consumerName}"),
            "/x?a=a%20%22b%22%20%26%20%24%7Bpactbroker.providerName%7D"
        );
        let body = parameters.render_json(&json!({ "a": ["${pactbroker.consumerName}"], "b": 1 }));
        assert_eq!(body["a"][0], "a \"b\" & ${pactbroker.providerName}");
        let lines = Parameters::new([("buildUrl", "a\r\nx: y".to_owned())]);
        assert_eq!(lines.render_header("${pactbroker.buildUrl}"), "a  x: y");
    }

    #[test]
    fn takes_linear_time() {
        let parameters = parameters();
        let template = "${pactbroker.".repeat(100_000);
        assert_eq!(parameters.render_text(&template), template);
    }
}
