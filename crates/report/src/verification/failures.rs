//! Groups the failures of an interaction by the part that failed, for all report formats.

use std::borrow::Cow;
use std::fmt::Write;

use contract_model::{Json, ProviderState};

use super::{ErrorCode, InteractionError, InteractionReport, ReportedResponse};
use crate::escape::{escape_line, escape_lines};
use crate::finding::{Finding, Part};
use crate::redact;
use crate::shorten::{beginning, cut_text};

/// Description of the interaction that stands for a contract that could not be read.
pub const WHOLE_CONTRACT: &str = "the whole contract";

/// A part of an interaction that failed, such as the body.
#[derive(Clone, Debug, PartialEq)]
pub struct PartFailure<'a> {
    /// Title of the failure, such as `Body had differences`.
    pub title: &'static str,
    /// Reason why the interaction could not be compared. If it is set, `findings` is empty.
    pub error: Option<&'a InteractionError>,
    pub findings: Vec<&'a Finding>,
    /// Diff of a JSON body. Each line starts with `-` (expected), `+` (actual), or a space. `None` for other parts.
    pub diff: Option<&'a str>,
    /// The response if its status differs, because its body often explains why. `None` for other parts.
    pub response: Option<&'a ReportedResponse>,
}

/// Titles of failures, and the parts of the mismatches that they summarize.
const TITLES: [(&str, &[Part]); 4] = [
    ("Response status did not match", &[Part::Status]),
    ("Headers had differences", &[Part::Header]),
    ("Metadata had differences", &[Part::Metadata]),
    ("Body had differences", &BODY),
];

/// The `kind` of mismatches that plugins report.
const PLUGIN: &str = "plugin";

const BODY: [Part; 2] = [Part::BodyType, Part::Body];

pub(super) const OUTPUT_HEADING: &str = "Plugin output:";

/// Maximum number of mismatches to list for a part.
const MAX_LISTED: usize = 20;
/// Maximum size in bytes and maximum number of lines of a response body's excerpt.
const RESPONSE_LIMITS: (usize, usize) = (1000, 20);

/// An expectation of the contract, and whether the response met it.
pub(super) struct Check<'a> {
    pub(super) part: CheckedPart<'a>,
    pub(super) is_ok: bool,
}

/// The part of a response or message that an expectation applies to.
pub(super) enum CheckedPart<'a> {
    Status(u16),
    Header(&'a str, String),
    Metadata(&'a str, &'a Json),
    Body,
    /// A part that the contract does not define and that a plugin compares, such as the gRPC status.
    Other(&'a str),
}

impl std::fmt::Display for CheckedPart<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status(status) => write!(f, "status code {status}"),
            Self::Header(name, value) => write!(f, "header {name}: {value}"),
            Self::Metadata(name, value) => write!(f, "metadata {name}: {value}"),
            Self::Body => f.write_str("a matching body"),
            Self::Other(place) => write!(f, "the expected {place}"),
        }
    }
}

impl InteractionReport {
    /// Returns the failures in this order: error, status, headers, metadata, body, teardown. Returns an empty list if
    /// the interaction passed.
    pub fn failures(&self) -> Vec<PartFailure<'_>> {
        let of_error = |error| PartFailure {
            title: InteractionError::title(error),
            error: Some(error),
            findings: Vec::new(),
            diff: None,
            response: None,
        };
        let parts = TITLES.iter().filter_map(|(title, parts)| {
            let findings: Vec<_> = self.mismatches.iter().filter(|one| parts.contains(&one.part)).collect();
            (!findings.is_empty()).then_some(PartFailure {
                title,
                error: None,
                findings,
                diff: self.diff.as_deref().filter(|_| **parts == BODY),
                response: self.response.as_ref().filter(|_| parts.contains(&Part::Status)),
            })
        });
        let error = self.error.as_ref().map(of_error);
        let teardown = self.teardown_error.as_ref().map(of_error);
        error.into_iter().chain(parts).chain(teardown).collect()
    }

    /// Returns the expectations of the contract. Returns none if the interaction could not be compared.
    pub(super) fn checks(&self) -> Vec<Check<'_>> {
        let Some(expected) = self.expected.as_ref().filter(|_| self.error.is_none()) else {
            return Vec::new();
        };
        let check = |checked, differs: &dyn Fn(&Finding) -> bool| Check {
            part: checked,
            is_ok: !self.mismatches.iter().any(differs),
        };
        let is_about = |finding: &Finding, part, name: &str| {
            finding.part == part && finding.key.as_deref().is_some_and(|key| key.eq_ignore_ascii_case(name))
        };
        let status = expected
            .status
            .map(|status| check(CheckedPart::Status(status), &|finding| finding.part == Part::Status));
        let headers = expected.headers.iter().map(|header| {
            let checked = CheckedPart::Header(&header.name, header.values.join(", "));
            check(checked, &|finding| is_about(finding, Part::Header, &header.name))
        });
        let metadata = expected
            .metadata
            .as_ref()
            .and_then(Json::as_object)
            .into_iter()
            .flatten();
        let metadata = metadata.map(|(name, value)| {
            check(CheckedPart::Metadata(name, value), &|finding| {
                is_about(finding, Part::Metadata, name)
            })
        });
        let body = expected
            .body
            .then(|| check(CheckedPart::Body, &|finding| BODY.contains(&finding.part)));
        let mut all: Vec<_> = status.into_iter().chain(headers).chain(metadata).chain(body).collect();
        let is_listed = |finding: &Finding| {
            all.iter().any(|check| match check.part {
                CheckedPart::Status(_) => finding.part == Part::Status,
                CheckedPart::Header(name, _) => is_about(finding, Part::Header, name),
                CheckedPart::Metadata(name, _) => is_about(finding, Part::Metadata, name),
                CheckedPart::Body => BODY.contains(&finding.part),
                CheckedPart::Other(_) => false,
            })
        };
        let mut other_places: Vec<&str> = Vec::new();
        for finding in self
            .mismatches
            .iter()
            .filter(|finding| finding.kind == PLUGIN && !is_listed(finding))
        {
            if other_places.len() < MAX_LISTED && !other_places.contains(&finding.place.as_str()) {
                other_places.push(&finding.place);
            }
        }
        all.extend(other_places.into_iter().map(|place| Check {
            part: CheckedPart::Other(place),
            is_ok: false,
        }));
        all
    }

    /// Returns the names of the provider states as one string, such as `order 7 exists and the user is logged in`.
    /// Returns an empty string if there are none.
    pub(super) fn state_names(&self) -> String {
        let names: Vec<_> = self.states.iter().map(|state| state.name.as_str()).collect();
        names.join(" and ")
    }

    /// Returns the text comments of the interaction.
    pub(super) fn texts(&self) -> Vec<Cow<'_, str>> {
        match self.comments.as_ref().and_then(|comments| comments.get("text")) {
            Some(Json::Array(texts)) => texts.iter().map(Json::text_form).collect(),
            Some(text) => vec![text.text_form()],
            None => Vec::new(),
        }
    }

    /// Formats all failures as plain text in which CI systems recognize no commands.
    pub(super) fn explained(&self) -> String {
        let mut out = String::new();
        for failure in self.failures() {
            let mut line = |text: &str, indent: &str| {
                for text in escape_lines(text) {
                    out.push_str(indent);
                    out.push_str(&text);
                    out.push('\n');
                }
            };
            line(failure.title, "");
            if let Some(error) = failure.error {
                line(&error.with_code(), "  ");
            }
            for finding in failure.listed() {
                match finding.place_if_unnamed() {
                    Some(place) => line(&format!("{place} -> {}", finding.sentence), "  "),
                    None => line(&finding.sentence, "  "),
                }
                line(&failure.explanation(finding), "    ");
            }
            if let Some(more) = failure.omitted_count() {
                line(&format!("… and {more} more"), "  ");
            }
            if let Some((title, body)) = failure.response_excerpt() {
                line(&title, "  ");
                line(&body, "    ");
            }
            if let Some(diff) = failure.diff {
                line("-expected +actual", "  ");
                line(diff, "  ");
            }
        }
        if !self.output.is_empty() {
            out.push_str(OUTPUT_HEADING);
            out.push('\n');
            for text in self.output.iter().flat_map(|line| escape_lines(line)) {
                out.push_str("  ");
                out.push_str(&text);
                out.push('\n');
            }
        }
        out
    }

    /// Returns a shell command that verifies only this interaction: environment variables that select it, followed by
    /// `command`. Returns `None` if the entry stands for a contract that could not be read.
    pub fn rerun_command(&self, command: Option<&str>) -> Option<String> {
        if self.is_whole_contract() {
            return None;
        }
        let description = quoted(&self.description);
        let mut command_line = match self.states.first() {
            Some(state) => format!(
                "CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_STATE={}",
                quoted(&state.name)
            ),
            None => format!("CONTRACT_DESCRIPTION={description} CONTRACT_PROVIDER_NO_STATE=true"),
        };
        if let Some(command) = command {
            command_line.push(' ');
            command_line.push_str(command);
        }
        Some(command_line)
    }

    /// Returns whether the entry stands for a contract that could not be read.
    fn is_whole_contract(&self) -> bool {
        let is_unreadable = |error: &InteractionError| error.code == ErrorCode::Unreadable;
        self.description == WHOLE_CONTRACT && self.error.as_ref().is_some_and(is_unreadable)
    }
}

impl<'a> PartFailure<'a> {
    pub(super) fn listed(&self) -> impl Iterator<Item = &'a Finding> {
        self.findings.iter().copied().take(MAX_LISTED)
    }

    /// Returns the number of mismatches that [`Self::listed`] omits, or `None` if it omits none.
    pub(super) fn omitted_count(&self) -> Option<usize> {
        self.findings.len().checked_sub(MAX_LISTED).filter(|more| *more > 0)
    }

    /// Returns the explanation of a mismatch. Omits the explanation's diff if the complete body has a diff.
    pub(super) fn explanation(&self, finding: &'a Finding) -> Cow<'a, str> {
        let explanation = finding.explanation.as_deref().unwrap_or_default();
        let end = self.diff.and_then(|_| explanation.find("@@ "));
        let explanation = explanation[..end.unwrap_or(explanation.len())].trim_end();
        let values = plugin_values(finding);
        if values.is_empty() {
            return explanation.into();
        }
        format!("{values}{explanation}").trim_end().to_owned().into()
    }

    /// If the status differs, returns a title with the content type and size of the response, and an excerpt of its
    /// body.
    pub(super) fn response_excerpt(&self) -> Option<(String, String)> {
        let response = self.response?;
        let status = response.status?;
        let Some(body) = &response.body else {
            return Some((format!("The response with status {status} has no body"), String::new()));
        };
        let content_type = body.content_type.as_deref().unwrap_or("no content type");
        let title = format!("Response with status {status} ({content_type}, {} bytes):", body.size);
        if !body.is_text() {
            return Some((title, "(binary content)".to_owned()));
        }
        let start = beginning(&body.content, RESPONSE_LIMITS.0);
        let lines: Vec<_> = start.lines().take(RESPONSE_LIMITS.1).collect();
        let mut excerpt = lines.join("\n");
        if excerpt.len() < body.content.trim_end().len() || body.truncated {
            excerpt.push('…');
        }
        Some((title, excerpt))
    }

    /// Summarizes the failure in one line: the error, or the first mismatch and the number of the others.
    pub(super) fn line(&self) -> Option<String> {
        match (self.error, self.findings.as_slice()) {
            (Some(error), _) => error.message.lines().next().map(str::to_owned),
            (None, [first, more @ ..]) => {
                let more = if more.is_empty() {
                    String::new()
                } else {
                    format!(" (and {} more)", more.len())
                };
                Some(format!("{}{more}", first.headline()))
            }
            (None, []) => None,
        }
    }
}

/// Returns the expected and actual values of a plugin mismatch on separate lines. Returns an empty string if the
/// sentence already contains both.
fn plugin_values(finding: &Finding) -> String {
    let mut lines = String::new();
    if finding.kind != PLUGIN {
        return lines;
    }
    let texts = [("expected", &finding.expected), ("actual", &finding.actual)]
        .map(|(label, value)| Some((label, value.as_ref()?.text_form())));
    let is_mentioned = |text: &str| !text.is_empty() && finding.sentence.contains(text);
    if texts.iter().flatten().all(|(_, text)| is_mentioned(text)) {
        return lines;
    }
    for (label, text) in texts.into_iter().flatten() {
        let mut values = text.lines();
        let _ = writeln!(lines, "{label:<8}  {}", values.next().unwrap_or("(empty)"));
        for line in values {
            let _ = writeln!(lines, "          {line}");
        }
    }
    lines
}

/// Maximum number of lines of plugin output, and maximum size of a line in bytes.
const OUTPUT_LINES: (usize, usize) = (200, 2000);

/// Prepares plugin output for a report: redacts its secrets, escapes it, and limits its size.
pub fn output_lines(texts: &[String]) -> Vec<String> {
    let lines = texts.iter().flat_map(|text| text.lines()).take(OUTPUT_LINES.0);
    let kept = lines.map(|line| escape_line(&cut_text(&redact::text(line), OUTPUT_LINES.1)));
    kept.collect()
}

/// Returns the parameters of a provider state as JSON text, or `None` if it has none.
pub(super) fn parameters(state: &ProviderState) -> Option<String> {
    (!state.parameters.is_empty()).then(|| Json::from(state.parameters.clone()).to_text())
}

/// Returns a shell-quoted regular expression that matches exactly this string.
fn quoted(text: &str) -> String {
    let mut pattern = String::from("^");
    for c in text.chars() {
        if "\\.+*?()|[]{}^$".contains(c) {
            pattern.push('\\');
        }
        if contract_matching::is_hidden(c) {
            let _ = write!(pattern, "\\x{{{:x}}}", u32::from(c));
        } else {
            pattern.push(c);
        }
    }
    pattern.push('$');
    format!("'{}'", pattern.replace('\'', "'\\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_for_a_shell() {
        assert_eq!(quoted("it's (new) a.b"), r"'^it'\''s \(new\) a\.b$'");
        // Commands must be single lines without control characters.
        assert_eq!(quoted("a\n\u{1b}\u{202e}"), r"'^a\x{a}\x{1b}\x{202e}$'");
    }
}
