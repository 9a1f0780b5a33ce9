//! Formats the results of a mock server for terminals and test output.

use std::fmt;

use contract_model::{Json, Layout, ProviderState};

use super::view::{BodyView, RequestView};
use super::{Closest, Counts, InteractionRef, Outcome, ServerMismatch};
use crate::diff::{self, Line};
use crate::finding::{Finding, Part};
use crate::page::{Page, Style, plain};
use crate::shorten::{LINE, cut_line, is_long};

/// Maximum number of mismatches to display for a request, and for the interaction that is closest to an unexpected
/// request.
const MAX_MISMATCHES: usize = 20;
const MAX_CLOSEST_MISMATCHES: usize = 5;
/// Maximum number of lines to display for a value, a diff, or a body.
const VALUE_LINES: usize = 12;
const DIFF_LINES: usize = 24;
const BODY_LINES: usize = 40;
/// Maximum number of headers to display for a request, and maximum size of each displayed header value in bytes.
const HEADERS: usize = 30;
const HEADER_BYTES: usize = 200;

impl Outcome {
    /// Formats all mismatches: requests that matched no interaction, each with its differences from the closest
    /// interaction, and missing requests.
    pub fn to_text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        page.line(0, [Style::Bold.span(self.heading())]);
        for (number, mismatch) in self.mismatches.iter().enumerate() {
            page.gap();
            page.mismatch(Some(number + 1), mismatch);
        }
        if self.omitted > 0 {
            page.gap();
            let more = format!("… and {} more (details not recorded)", self.omitted);
            page.line(0, [plain(more)]);
        }
        page.section(
            "Pending (not counted as failures):",
            self.pending.iter().map(ServerMismatch::title),
        );
        if self.has_no_requests() {
            page.gap();
            let hint = "No request was received. Does the client use the URL of the mock server?";
            page.line(0, [plain(hint)]);
        }
        page.section("Other problems:", self.troubles.iter().map(ToString::to_string));
        page.finish()
    }

    /// Returns true if no request was received and no problem explains why.
    fn has_no_requests(&self) -> bool {
        let is_missing = |mismatch: &ServerMismatch| matches!(mismatch, ServerMismatch::MissingRequest { .. });
        self.requests == Counts::default() && self.troubles.is_empty() && self.mismatches.iter().any(is_missing)
    }

    /// Summarizes all mismatches in one line, with the number of each kind.
    pub fn heading(&self) -> String {
        let mut counts = [0; KINDS.len()];
        for mismatch in &self.mismatches {
            let (kind, count) = mismatch.kind();
            counts[kind] += count;
        }
        let parts: Vec<String> = counts
            .into_iter()
            .zip(KINDS)
            .filter_map(|(count, (singular, plural))| match count {
                0 => None,
                1 => Some(format!("1 {singular}")),
                _ => Some(format!("{count} {plural}")),
            })
            .collect();
        match (parts.is_empty(), self.matched, self.pending.is_empty()) {
            (false, _, _) => parts.join(", "),
            (true, false, _) => failed(self.omitted),
            (true, true, true) => "All requests matched".into(),
            (true, true, false) => "Nothing failed".into(),
        }
    }
}

/// Singular and plural of each kind of mismatch for [`Outcome::heading`].
const KINDS: [(&str, &str); 7] = [
    ("mismatched request", "mismatched requests"),
    ("unexpected request", "unexpected requests"),
    ("unreadable request", "unreadable requests"),
    ("rejected request", "rejected requests"),
    ("missing request", "missing requests"),
    (
        "interaction called the wrong number of times",
        "interactions called the wrong number of times",
    ),
    ("plugin mismatch", "plugin mismatches"),
];

fn failed(number: u64) -> String {
    match number {
        1 => "1 failed request".into(),
        more => format!("{more} failed requests"),
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(false))
    }
}

impl ServerMismatch {
    /// Returns the index in [`KINDS`] and the number of occurrences.
    fn kind(&self) -> (usize, u64) {
        match self {
            Self::RequestMismatch { count, .. } => (0, *count),
            Self::RequestNotFound {
                reason: None, count, ..
            } => (1, *count),
            Self::RequestNotFound { count, .. } => (2, *count),
            Self::RequestRefused { count, .. } => (3, *count),
            Self::MissingRequest { .. } => (4, 1),
            Self::TimesMismatch { .. } => (5, 1),
            Self::PluginMismatch { .. } => (6, 1),
        }
    }

    /// Summarizes the mismatch in one line.
    pub fn title(&self) -> String {
        match self {
            Self::RequestMismatch {
                interaction,
                request,
                count,
                ..
            } => format!(
                "{} does not match {:?}{}",
                request.target(),
                interaction.description,
                times(*count)
            ),
            Self::RequestNotFound {
                request,
                reason: Some(_),
                count,
                ..
            } => format!("{} could not be read{}", request.target(), times(*count)),
            Self::RequestNotFound { request, count, .. } => {
                format!("Unexpected request: {}{}", request.target(), times(*count))
            }
            Self::RequestRefused {
                status: Some(status),
                count,
                ..
            } => format!("A request was rejected with status {status}{}", times(*count)),
            Self::RequestRefused { count, .. } => format!("A request received no response{}", times(*count)),
            Self::MissingRequest {
                request, interaction, ..
            } => format!("Missing request: {:?} ({})", interaction.description, request.target()),
            Self::TimesMismatch {
                method,
                path,
                interaction,
                min,
                max,
                actual,
            } => {
                let allowed = match (*min, *max) {
                    (min, Some(max)) if min == max => format_count(max),
                    (_, Some(max)) if *actual > max => format!("at most {}", format_count(max)),
                    (min, _) => format!("at least {}", format_count(min)),
                };
                format!(
                    "{method} {path} was requested {} instead of {allowed}: {:?}",
                    format_count(*actual),
                    interaction.description
                )
            }
            Self::PluginMismatch {
                plugin,
                transport,
                path,
                error,
                ..
            } => {
                let subject = if path.is_empty() { transport } else { path };
                let first = error.as_ref().and_then(|error| error.trim().lines().next());
                let error = first.map_or_else(String::new, |error| format!(": {error}"));
                format!("{subject} does not match (plugin {plugin}){error}")
            }
        }
    }

    /// Formats only this mismatch; see [`Outcome::to_text`].
    pub fn to_text(&self, color: bool) -> String {
        let mut page = Page::new(color);
        page.mismatch(None, self);
        page.finish()
    }
}

fn times(count: u64) -> String {
    if count > 1 {
        format!(" ({})", format_count(count))
    } else {
        String::new()
    }
}

fn format_count(count: u64) -> String {
    match count {
        0 => "0 times".into(),
        1 => "once".into(),
        2 => "twice".into(),
        more => format!("{more} times"),
    }
}

impl fmt::Display for ServerMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_text(false))
    }
}

impl Page {
    fn section(&mut self, title: &str, lines: impl Iterator<Item = String>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        self.gap();
        self.line(0, [Style::Bold.span(title)]);
        for line in lines {
            self.line(2, [plain(line)]);
        }
    }

    fn mismatch(&mut self, number: Option<usize>, mismatch: &ServerMismatch) {
        let number = number.map(|number| format!("{number}) ")).unwrap_or_default();
        self.line(0, [plain(number), Style::Bold.span(mismatch.title())]);
        match mismatch {
            ServerMismatch::RequestMismatch {
                interaction,
                mismatches,
                omitted,
                request,
                ..
            } => {
                self.states(interaction);
                self.differences(mismatches, *omitted, MAX_MISMATCHES);
                self.request(request);
            }
            ServerMismatch::RequestNotFound {
                closest,
                reason,
                request,
                ..
            } => {
                match (reason, closest) {
                    (Some(reason), _) => self.line(3, [plain(capitalized(reason))]),
                    (None, Some(closest)) => self.closest(closest),
                    (None, None) => self.line(3, [plain("No similar interaction was found.")]),
                }
                self.request(request);
            }
            ServerMismatch::RequestRefused { reason, .. } => self.line(3, [plain(reason)]),
            ServerMismatch::MissingRequest { interaction, .. } | ServerMismatch::TimesMismatch { interaction, .. } => {
                self.states(interaction);
            }
            ServerMismatch::PluginMismatch { error, mismatches, .. } => {
                for line in error.iter().flat_map(|error| error.trim().lines().skip(1)) {
                    self.line(3, [plain(line)]);
                }
                self.differences(mismatches, 0, MAX_MISMATCHES);
            }
        }
    }

    fn closest(&mut self, closest: &Closest) {
        let Closest {
            interaction,
            method,
            path,
            mismatches,
            omitted,
        } = closest;
        let title = format!("Closest interaction: {:?} ({method} {path})", interaction.description);
        self.line(3, [plain(title)]);
        self.states(interaction);
        self.differences(mismatches, *omitted, MAX_CLOSEST_MISMATCHES);
    }

    fn states(&mut self, interaction: &InteractionRef) {
        for ProviderState { name, parameters } in &interaction.states {
            let mut line = format!("given {name:?}");
            if !parameters.is_empty() {
                line.push(' ');
                line.push_str(&Json::Object(parameters.clone()).to_text());
            }
            self.line(3, [Style::Dim.span(line)]);
        }
    }

    fn differences(&mut self, findings: &[Finding], omitted: u64, most: usize) {
        for finding in findings.iter().take(most) {
            self.gap();
            self.difference(finding);
        }
        let more = omitted + findings.len().saturating_sub(most) as u64;
        if more > 0 {
            self.gap();
            self.line(3, [plain(format!("… and {more} more mismatches"))]);
        }
    }

    fn difference(&mut self, finding: &Finding) {
        let sentence = plain(finding.short_sentence());
        match finding.place_with_part() {
            Some(place) => self.line(3, [Style::Bold.span(place), plain(": "), sentence]),
            None => self.line(3, [sentence]),
        }
        // If a rule applies, the expected value is only an example.
        let expected_label = if finding.rule.is_some() { "example" } else { "expected" };
        let explanation = finding.explanation.as_deref().unwrap_or_default();
        match (&finding.expected, &finding.actual) {
            // The sentence already contains both values.
            _ if finding.part == Part::BodyType => {}
            // The explanation is already a diff of the values.
            (Some(_), Some(_)) if explanation.starts_with("@@") => {}
            (Some(expected), Some(actual)) if is_long(expected) && is_long(actual) => {
                self.diff(expected_label, expected, actual);
            }
            (expected, actual) => {
                // Display values that are always strings without quotes.
                let is_text = finding.part != Part::Body || finding.path.as_deref() == Some("$");
                self.value((expected_label, Style::Green), expected.as_ref(), is_text);
                self.value(("received", Style::Red), actual.as_ref(), is_text);
            }
        }
        // Omit hunk headers.
        for line in explanation.lines().filter(|line| !line.starts_with("@@")) {
            let style = match line.chars().next() {
                Some('-') => Style::Green,
                Some('+') => Style::Red,
                _ => Style::Dim,
            };
            self.line(5, [style.span(cut_line(line, 2 * LINE))]);
        }
    }

    fn value(&mut self, (label, style): (&str, Style), value: Option<&Json>, is_text: bool) {
        let Some(value) = value else { return };
        if !is_long(value) {
            let value = match value {
                Json::String(text) if is_text && !text.is_empty() && text.trim() == text => text.to_string(),
                value => value.to_text(),
            };
            return self.line(5, [plain(format!("{label:<8}  ")), style.span(value)]);
        }
        self.line(5, [plain(label)]);
        let lines = in_lines(value);
        for line in lines.iter().take(VALUE_LINES) {
            self.line(7, [style.span(line)]);
        }
        if lines.len() > VALUE_LINES {
            self.line(7, [plain(format!("… {} more lines", lines.len() - VALUE_LINES))]);
        }
    }

    /// Writes a diff of two values with two lines of context.
    fn diff(&mut self, expected_label: &str, expected: &Json, actual: &Json) {
        let legend = [
            Style::Green.span(format!("- {expected_label}")),
            plain("  "),
            Style::Red.span("+ received"),
        ];
        self.line(5, legend);
        let (expected, actual) = (in_lines(expected), in_lines(actual));
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        let actual: Vec<_> = actual.iter().map(String::as_str).collect();
        let groups = diff::groups(&expected, &actual, 2);
        let mut line_count = 0;
        for (number, group) in groups.iter().enumerate() {
            if number > 0 {
                self.line(7, [plain("…")]);
            }
            for line in &group.lines {
                line_count += 1;
                if line_count > DIFF_LINES {
                    return self.line(7, [plain("…")]);
                }
                let text = cut_line(line.text(), LINE);
                let line = match line {
                    Line::Same(_) => plain(format!("  {text}")),
                    Line::Expected(_) => Style::Green.span(format!("- {text}")),
                    Line::Actual(_) => Style::Red.span(format!("+ {text}")),
                };
                self.line(7, [line]);
            }
        }
    }

    fn request(&mut self, request: &RequestView) {
        self.gap();
        self.line(3, [Style::Dim.span("Received request:")]);
        self.line(5, [plain(request.target())]);
        for (name, values) in request.headers.iter().take(HEADERS) {
            let value = cut_line(&values.join(", "), HEADER_BYTES);
            self.line(5, [plain(format!("{name}: {value}"))]);
        }
        let Some(body) = &request.body else { return };
        self.gap();
        let (lines, is_cut) = body_lines(body, request.body_length);
        for line in lines.iter().take(BODY_LINES) {
            self.line(5, [plain(cut_line(line, 2 * LINE))]);
        }
        if is_cut || lines.len() > BODY_LINES {
            self.line(5, [plain(format!("… ({} bytes)", request.body_length))]);
        }
    }
}

fn in_lines(value: &Json) -> Vec<String> {
    let cut = |text: &str| text.lines().map(|line| cut_line(line, 2 * LINE)).collect();
    match value {
        Json::String(text) => cut(text),
        other => cut(&other.to_layout(Layout::Pretty)),
    }
}

/// Returns the lines of a body and whether the body is truncated.
fn body_lines(body: &BodyView, length: u64) -> (Vec<String>, bool) {
    match body {
        BodyView::Json(value) => (in_lines(value), false),
        BodyView::Text(text) => (text.lines().map(str::to_owned).collect(), (text.len() as u64) < length),
        BodyView::Binary(bytes) => {
            let start: Vec<String> = bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
            (vec![start.join(" ")], length > 32)
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
