//! An outcome as people read it, in a terminal or a test's output.

use std::fmt;
use std::time::{Duration, Instant};

use contract_matching::diff::{self, Line};
use contract_matching::{Location, Mismatch, MismatchKind};
use contract_model::{Json, Layout, ProviderState};

use super::shown::{ShownBody, ShownRequest, floor};
use super::{Closest, Counts, InteractionRef, Outcome, ServerMismatch};

/// Differences shown of one request, and of the nearest interaction of one that is not expected.
const DIFFERENCES: usize = 20;
const NEAREST_DIFFERENCES: usize = 5;
/// Longest value that stays in one line.
const LINE: usize = 100;
/// Lines of one value, of one diff and of one body.
const VALUE_LINES: usize = 12;
const DIFF_LINES: usize = 24;
const BODY_LINES: usize = 40;
/// Longest search for the smallest difference; after it a larger one will do.
const LONGEST: Duration = Duration::from_millis(200);
/// Lines that are searched to the end.
const UNBOUNDED: usize = 2_000;
/// Headers of a request, and bytes of one of their values.
const HEADERS: usize = 30;
const HEADER_BYTES: usize = 200;

impl Outcome {
    /// Everything that is wrong, for people: which interaction came closest, what differs, the request as received, what
    /// was never requested. With colours for a terminal, or without.
    pub fn to_text(&self, colour: bool) -> String {
        let mut page = Page::new(colour);
        page.line(0, &page.paint(Style::Bold, &self.heading()));
        for (number, mismatch) in self.mismatches.iter().enumerate() {
            page.gap();
            page.mismatch(Some(number + 1), mismatch);
        }
        if self.omitted > 0 {
            page.gap();
            page.line(
                0,
                &format!("… and {} that are not kept in detail", failed(self.omitted)),
            );
        }
        page.section(
            "Pending, which is no failure:",
            self.pending.iter().map(ServerMismatch::title),
        );
        if self.is_silent() {
            page.gap();
            page.line(
                0,
                "No request came at all: does the code under test use the URL of this server?",
            );
        }
        page.section("Also noticed:", self.troubles.iter().map(ToString::to_string));
        page.out
    }

    /// Nothing came that would say why an expected request is missing.
    fn is_silent(&self) -> bool {
        let is_missing = |mismatch: &ServerMismatch| matches!(mismatch, ServerMismatch::MissingRequest { .. });
        self.requests == Counts::default() && self.troubles.is_empty() && self.mismatches.iter().any(is_missing)
    }

    /// What is wrong in one line.
    pub fn heading(&self) -> String {
        let mut counts = [0; KINDS.len()];
        for mismatch in &self.mismatches {
            let (kind, count) = mismatch.kind();
            counts[kind] += count;
        }
        let said: Vec<String> = counts
            .into_iter()
            .zip(KINDS)
            .filter_map(|(count, (one, more))| match count {
                0 => None,
                1 => Some(format!("1 {one}")),
                _ => Some(format!("{count} {more}")),
            })
            .collect();
        match (said.is_empty(), self.matched, self.pending.is_empty()) {
            (false, _, _) => said.join(", "),
            (true, false, _) => failed(self.omitted),
            (true, true, true) => "All requests matched".into(),
            (true, true, false) => "Nothing failed".into(),
        }
    }
}

/// What a heading says of one mismatch of a kind, and of several.
const KINDS: [(&str, &str); 6] = [
    ("request did not match", "requests did not match"),
    ("request is not in the contract", "requests are not in the contract"),
    ("request could not be read", "requests could not be read"),
    ("request was refused", "requests were refused"),
    ("expected request never came", "expected requests never came"),
    (
        "request came too often or too seldom",
        "requests came too often or too seldom",
    ),
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
    /// Its place among the kinds, and how often it happened.
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
        }
    }

    /// What is wrong in one line.
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
                format!("{} is not in the contract{}", request.target(), times(*count))
            }
            Self::RequestRefused {
                status: Some(status),
                count,
                ..
            } => format!("A request was refused with {status}{}", times(*count)),
            Self::RequestRefused { count, .. } => format!("A request was not answered{}", times(*count)),
            Self::MissingRequest {
                request, interaction, ..
            } => format!(
                "{} was never requested: {:?}",
                request.target(),
                interaction.description
            ),
            Self::TimesMismatch {
                method,
                path,
                interaction,
                min,
                max,
                actual,
            } => {
                let allowed = match (*min, *max) {
                    (min, Some(max)) if min == max => often(max),
                    (_, Some(max)) if *actual > max => format!("at most {}", often(max)),
                    (min, _) => format!("at least {}", often(min)),
                };
                format!(
                    "{method} {path} was requested {} instead of {allowed}: {:?}",
                    often(*actual),
                    interaction.description
                )
            }
        }
    }

    /// This alone, see [`Outcome::to_text`].
    pub fn to_text(&self, colour: bool) -> String {
        let mut page = Page::new(colour);
        page.mismatch(None, self);
        page.out
    }
}

fn times(count: u64) -> String {
    if count > 1 {
        format!(" ({})", often(count))
    } else {
        String::new()
    }
}

fn often(count: u64) -> String {
    match count {
        0 => "never".into(),
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

#[derive(Clone, Copy)]
enum Style {
    Bold,
    Dim,
    Expected,
    Received,
}

/// Text under construction.
struct Page {
    out: String,
    colour: bool,
}

impl Page {
    fn new(colour: bool) -> Self {
        Self {
            out: String::new(),
            colour,
        }
    }

    fn paint(&self, style: Style, text: &str) -> String {
        if !self.colour || text.is_empty() {
            return text.to_owned();
        }
        let code = match style {
            Style::Bold => 1,
            Style::Dim => 2,
            Style::Expected => 32,
            Style::Received => 31,
        };
        format!("\u{1b}[{code}m{text}\u{1b}[0m")
    }

    fn line(&mut self, indent: usize, text: &str) {
        if !text.is_empty() {
            self.out.extend(std::iter::repeat_n(' ', indent));
            self.out.push_str(text);
        }
        self.out.push('\n');
    }

    fn gap(&mut self) {
        self.line(0, "");
    }

    fn section(&mut self, title: &str, lines: impl Iterator<Item = String>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        self.gap();
        self.line(0, &self.paint(Style::Bold, title));
        for line in lines {
            self.line(2, &line);
        }
    }

    fn mismatch(&mut self, number: Option<usize>, mismatch: &ServerMismatch) {
        let number = number.map(|number| format!("{number}) ")).unwrap_or_default();
        let title = self.paint(Style::Bold, &mismatch.title());
        self.line(0, &format!("{number}{title}"));
        match mismatch {
            ServerMismatch::RequestMismatch {
                interaction,
                mismatches,
                omitted,
                request,
                ..
            } => {
                self.states(interaction);
                self.differences(mismatches, *omitted, DIFFERENCES);
                self.request(request);
            }
            ServerMismatch::RequestNotFound {
                closest,
                reason,
                request,
                ..
            } => {
                match (reason, closest) {
                    (Some(reason), _) => self.line(3, &capitalised(reason)),
                    (None, Some(closest)) => self.closest(closest),
                    (None, None) => self.line(3, "Nothing in the contract comes close."),
                }
                self.request(request);
            }
            ServerMismatch::RequestRefused { reason, .. } => self.line(3, reason),
            ServerMismatch::MissingRequest { interaction, .. } | ServerMismatch::TimesMismatch { interaction, .. } => {
                self.states(interaction);
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
        self.line(
            3,
            &format!("The closest is {method} {path}: {:?}", interaction.description),
        );
        self.states(interaction);
        self.differences(mismatches, *omitted, NEAREST_DIFFERENCES);
    }

    fn states(&mut self, interaction: &InteractionRef) {
        for ProviderState { name, parameters } in &interaction.states {
            let mut line = format!("given {name:?}");
            if !parameters.is_empty() {
                line.push(' ');
                line.push_str(&in_one_line(&Json::Object(parameters.clone())));
            }
            self.line(3, &self.paint(Style::Dim, &line));
        }
    }

    fn differences(&mut self, mismatches: &[Mismatch], omitted: u64, most: usize) {
        for mismatch in mismatches.iter().take(most) {
            self.gap();
            self.difference(mismatch);
        }
        let more = omitted + mismatches.len().saturating_sub(most) as u64;
        if more > 0 {
            self.gap();
            self.line(3, &format!("… and {more} more differences"));
        }
    }

    fn difference(&mut self, mismatch: &Mismatch) {
        let sentence = sentence(mismatch);
        let place = place(&mismatch.at, &sentence).map(|place| self.paint(Style::Bold, &place));
        self.line(3, &with_place(place, sentence));
        // Under a rule the contract holds an example, not the only value.
        let wanted = if mismatch.rule.is_some() { "example" } else { "expected" };
        let explanation = mismatch.explanation.as_deref().unwrap_or_default();
        match (&mismatch.expected, &mismatch.actual) {
            // What differs line by line is the explanation.
            (Some(_), Some(_)) if explanation.starts_with("@@") => {}
            (Some(expected), Some(actual)) if is_long(expected) && is_long(actual) => {
                self.diff(wanted, expected, actual);
            }
            (expected, actual) => {
                let is_text = match &mismatch.at {
                    Location::Body(path) => path.tokens().is_empty(),
                    Location::Form { .. } => false,
                    _ => true,
                };
                self.value(wanted, Style::Expected, expected.as_ref(), is_text);
                self.value("received", Style::Received, actual.as_ref(), is_text);
            }
        }
        // Where a diff stands in the whole is nothing to a reader who sees its lines.
        for line in explanation.lines().filter(|line| !line.starts_with("@@")) {
            let style = match line.chars().next() {
                Some('-') => Style::Expected,
                Some('+') => Style::Received,
                _ => Style::Dim,
            };
            self.line(5, &self.paint(style, &cut(line, 2 * LINE)));
        }
    }

    fn value(&mut self, label: &str, style: Style, value: Option<&Json>, is_text: bool) {
        let Some(value) = value else { return };
        if !is_long(value) {
            let value = match value {
                // Where only text can stand, quotes would be noise.
                Json::String(text) if is_text && !text.is_empty() && text.trim() == text => text.to_string(),
                value => in_one_line(value),
            };
            let value = self.paint(style, &value);
            return self.line(5, &format!("{label:<8}  {value}"));
        }
        self.line(5, label);
        let lines = in_lines(value);
        for line in lines.iter().take(VALUE_LINES) {
            self.line(7, &self.paint(style, line));
        }
        if lines.len() > VALUE_LINES {
            self.line(7, &format!("… {} more lines", lines.len() - VALUE_LINES));
        }
    }

    /// Both values in one, line by line, with two lines around each change.
    fn diff(&mut self, wanted: &str, expected: &Json, actual: &Json) {
        let minus = self.paint(Style::Expected, &format!("- {wanted}"));
        let plus = self.paint(Style::Received, "+ received");
        self.line(5, &format!("{minus}  {plus}"));
        let (expected, actual) = (in_lines(expected), in_lines(actual));
        let expected: Vec<_> = expected.iter().map(String::as_str).collect();
        let actual: Vec<_> = actual.iter().map(String::as_str).collect();
        // Few lines are compared in no time, and the same whatever the clock says.
        let deadline = (expected.len() + actual.len() > UNBOUNDED).then(|| Instant::now() + LONGEST);
        let groups = diff::groups(&expected, &actual, 2, deadline);
        let mut shown = 0;
        for (number, group) in groups.iter().enumerate() {
            if number > 0 {
                self.line(7, "…");
            }
            for line in &group.lines {
                shown += 1;
                if shown > DIFF_LINES {
                    return self.line(7, "…");
                }
                let text = cut(line.text(), LINE);
                let line = match line {
                    Line::Same(_) => format!("  {text}"),
                    Line::Expected(_) => self.paint(Style::Expected, &format!("- {text}")),
                    Line::Actual(_) => self.paint(Style::Received, &format!("+ {text}")),
                };
                self.line(7, &line);
            }
        }
    }

    fn request(&mut self, request: &ShownRequest) {
        self.gap();
        self.line(3, &self.paint(Style::Dim, "The request as received:"));
        self.line(5, &request.target());
        for (name, values) in request.headers.iter().take(HEADERS) {
            self.line(5, &format!("{name}: {}", cut(&values.join(", "), HEADER_BYTES)));
        }
        let Some(body) = &request.body else { return };
        self.gap();
        let (lines, is_cut) = body_lines(body, request.body_length);
        for line in lines.iter().take(BODY_LINES) {
            self.line(5, &cut(line, 2 * LINE));
        }
        if is_cut || lines.len() > BODY_LINES {
            self.line(5, &format!("… ({} bytes)", request.body_length));
        }
    }
}

/// A difference in one line with its place.
pub fn located(mismatch: &Mismatch) -> String {
    let sentence = sentence(mismatch);
    with_place(place(&mismatch.at, &sentence), sentence)
}

fn with_place(place: Option<String>, sentence: String) -> String {
    match place {
        Some(place) => format!("{place}: {sentence}"),
        None => sentence,
    }
}

/// The place of a difference, unless the sentence names it.
fn place(at: &Location, sentence: &str) -> Option<String> {
    match at {
        Location::Body(path) if path.tokens().is_empty() => Some("body".into()),
        Location::Body(_) | Location::Form { .. } => Some(format!("body {at}")),
        Location::BodyType => Some("body".into()),
        Location::Query { name, index } | Location::Header { name, index } => {
            let is_named = index.is_none() && !name.is_empty() && sentence.contains(name.as_str());
            (!is_named).then(|| at.to_string())
        }
        Location::Method | Location::Path => (!sentence.contains(&at.to_string())).then(|| at.to_string()),
        Location::Status | Location::Metadata { .. } => Some(at.to_string()),
    }
}

/// The sentence of a difference, in one line: long values stand below it.
fn sentence(mismatch: &Mismatch) -> String {
    // This sentence quotes both texts.
    if mismatch.kind == MismatchKind::Body {
        return "the text is not the expected one".into();
    }
    let mut brief = mismatch.clone();
    for value in [&mut brief.expected, &mut brief.actual].into_iter().flatten() {
        abbreviate(value);
    }
    let sentence = brief.to_string().replace(['\n', '\r'], " ");
    let sentence = sentence.replace("[\"…\"]", "[…]").replace("{\"…\":\"…\"}", "{…}");
    cut(&sentence, 3 * LINE)
}

fn abbreviate(value: &mut Json) {
    if !is_long(value) {
        return;
    }
    match value {
        Json::String(text) => {
            let start = text.lines().next().unwrap_or_default();
            *text = format!("{}…", &start[..floor(start, LINE)]).into();
        }
        Json::Array(items) => *items = vec!["…".into()],
        Json::Object(members) => *members = [("…", "…")].into_iter().collect(),
        _ => {}
    }
}

/// Whether a value needs lines of its own.
fn is_long(value: &Json) -> bool {
    match value {
        Json::String(text) => text.contains('\n') || text.len() > LINE,
        Json::Array(_) | Json::Object(_) => in_one_line(value).len() > LINE,
        _ => false,
    }
}

/// `{ "id": 1 }` as it is written, strings in quotes.
fn in_one_line(value: &Json) -> String {
    value.to_text()
}

fn in_lines(value: &Json) -> Vec<String> {
    match value {
        Json::String(text) => text.lines().map(|line| cut(line, 2 * LINE)).collect(),
        other => other
            .to_layout(Layout::Pretty)
            .lines()
            .map(|line| cut(line, 2 * LINE))
            .collect(),
    }
}

/// The lines of a body, and whether it has more.
fn body_lines(body: &ShownBody, length: u64) -> (Vec<String>, bool) {
    match body {
        ShownBody::Json(value) => (in_lines(value), false),
        ShownBody::Text(text) => (text.lines().map(str::to_owned).collect(), (text.len() as u64) < length),
        ShownBody::Binary(bytes) => {
            let start: Vec<String> = bytes.iter().take(32).map(|byte| format!("{byte:02x}")).collect();
            (vec![start.join(" ")], length > 32)
        }
    }
}

fn cut(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    format!("{}…", &text[..floor(text, most)])
}

fn capitalised(text: &str) -> String {
    let mut characters = text.chars();
    match characters.next() {
        Some(first) => first.to_uppercase().chain(characters).collect(),
        None => String::new(),
    }
}
