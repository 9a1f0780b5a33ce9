//! The report as people read it in a terminal.

use std::fmt::{Display, Write};

use contract_matching::{Location, Mismatch};
use contract_model::{Json, ProviderState};

use super::failures::BODY;
use super::{ContractReport, Expectation, InteractionReport, Report, Status, Summary};
use crate::InteractionError;
use crate::escape::{LONGEST_LINE, cut, visible};

/// How a report is written for people.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// Whether terminal colours are used.
    pub colour: bool,
    /// Whether request, response and times are shown as well.
    pub verbose: bool,
}

/// Most mismatches of one part that are listed.
pub(super) const LISTED: usize = 20;

impl Report {
    /// The report as people of the field know it: what was verified, what failed and why, how to run one again.
    pub fn to_text(&self, options: TextOptions) -> String {
        let mut writer = Writer {
            out: String::new(),
            options,
        };
        writer.report(self);
        writer.finish()
    }

    /// What failed and why, for an error to carry: as much of it as fits, and how many failures there are.
    pub fn failures_to_text(&self, options: TextOptions) -> String {
        let writer = || Writer {
            out: String::new(),
            options,
        };
        let failed = |(_, interaction): &(&ContractReport, &InteractionReport)| interaction.status == Status::Failed;
        let mut head = writer();
        let total = super::interactions(self.summary.total);
        head.line(
            0,
            format!(
                "{} of {total} failed for the provider {}:",
                self.summary.failed, self.provider
            ),
        );
        head.gap();
        let mut text = head.finish();
        for (number, (contract, interaction)) in self.interactions().filter(failed).enumerate() {
            let mut one = writer();
            one.failure(number + 1, contract, interaction, self.command.as_deref());
            let one = beginning(&one.finish());
            if number > 0 && text.len() + one.len() > LONGEST_ERROR {
                let more = self.summary.failed - number;
                let _ = writeln!(text, "… and {more} more; the whole output and the report have them\n");
                break;
            }
            text.push_str(&one);
        }
        let mut end = writer();
        end.summary(self);
        text + &end.finish()
    }
}

/// Bytes of an error's text, as far as whole failures fit.
const LONGEST_ERROR: usize = 16 * 1024;
/// Bytes of one failure in it.
const LONGEST_FAILURE: usize = 6 * 1024;

/// The lines of a failure that fit.
fn beginning(text: &str) -> String {
    if text.len() <= LONGEST_FAILURE {
        return text.to_owned();
    }
    let mut size = 0;
    let kept: Vec<_> = text
        .lines()
        .take_while(|line| {
            size += line.len() + 1;
            size <= LONGEST_FAILURE
        })
        .collect();
    format!("{}\n     … the whole output has the rest\n\n", kept.join("\n"))
}

/// Whether the sentence of a mismatch names the place, or there is only one such place.
fn is_named(at: &Location, sentence: &str) -> bool {
    match at {
        Location::Body(_) | Location::Form { .. } => false,
        Location::Header { name, .. } => names(sentence, "header", name),
        Location::Metadata { key, path } => path.tokens().is_empty() && names(sentence, "metadata", key),
        Location::Method | Location::Path | Location::Query { .. } | Location::Status | Location::BodyType => true,
    }
}

/// Whether a sentence says `header Name …` or `metadata key 'name'`.
pub(super) fn names(sentence: &str, part: &str, name: &str) -> bool {
    [
        format!("{part} {name} "),
        format!("{part} '{name}'"),
        format!("{part} key '{name}'"),
    ]
    .iter()
    .any(|words| sentence.contains(words))
}

/// While a text is put together, a colour is a character of the private use area: descriptions, headers and bodies come
/// from elsewhere, and what they bring of escape sequences must not reach the terminal.
#[derive(Clone, Copy)]
enum Colour {
    Red,
    Green,
    Yellow,
    Cyan,
    Bold,
    Dim,
}

impl Colour {
    const END: char = '\u{e007}';

    fn mark(self) -> char {
        match self {
            Self::Red => '\u{e000}',
            Self::Green => '\u{e001}',
            Self::Yellow => '\u{e002}',
            Self::Cyan => '\u{e003}',
            Self::Bold => '\u{e004}',
            Self::Dim => '\u{e005}',
        }
    }

    /// The escape sequence of a mark.
    fn code(mark: char) -> Option<&'static str> {
        Some(match mark {
            '\u{e000}' => "\u{1b}[31m",
            '\u{e001}' => "\u{1b}[32m",
            '\u{e002}' => "\u{1b}[33m",
            '\u{e003}' => "\u{1b}[36m",
            '\u{e004}' => "\u{1b}[1m",
            '\u{e005}' => "\u{1b}[2m",
            Self::END => "\u{1b}[0m",
            _ => return None,
        })
    }
}

struct Writer {
    out: String,
    options: TextOptions,
}

impl Writer {
    fn line(&mut self, indent: usize, text: impl Display) {
        let text = text.to_string();
        for line in text.lines() {
            let _ = writeln!(self.out, "{:indent$}{line}", "");
        }
        if text.is_empty() {
            self.out.push('\n');
        }
    }

    fn gap(&mut self) {
        self.out.push('\n');
    }

    fn paint(&self, colour: Colour, text: impl Display) -> String {
        if !self.options.colour {
            return text.to_string();
        }
        format!("{}{text}{}", colour.mark(), Colour::END)
    }

    /// Turns marks into escape sequences, and control characters into their pictures.
    fn finish(&self) -> String {
        let mut out = String::with_capacity(self.out.len() + self.out.len() / 8);
        for c in self.out.chars() {
            match Colour::code(c) {
                Some(code) if self.options.colour => out.push_str(code),
                _ => out.push(visible(c)),
            }
        }
        out
    }

    fn verdict(&self, is_ok: bool) -> String {
        if is_ok {
            self.paint(Colour::Green, "OK")
        } else {
            self.paint(Colour::Red, "FAILED")
        }
    }

    fn report(&mut self, report: &Report) {
        for contract in &report.contracts {
            self.contract(contract);
        }
        for warning in &report.warnings {
            let label = self.paint(Colour::Yellow, "Warning:");
            self.line(0, format!("{label} {warning}"));
            self.gap();
        }
        self.failures(report, Status::Failed, "Failures:");
        self.failures(report, Status::Pending, "Pending failures:");
        self.summary(report);
    }

    fn contract(&mut self, contract: &ContractReport) {
        let title = format!(
            "Verifying a contract between {} and {}",
            self.paint(Colour::Bold, &contract.consumer),
            self.paint(Colour::Bold, &contract.provider)
        );
        let pending = if contract.pending {
            self.paint(Colour::Yellow, " [PENDING]")
        } else {
            String::new()
        };
        self.line(0, format!("{title}{pending}"));
        let source = self.paint(Colour::Dim, format!("  {}", contract.source));
        self.line(0, source);
        self.gap();
        for interaction in &contract.interactions {
            self.interaction(interaction);
        }
    }

    fn interaction(&mut self, interaction: &InteractionReport) {
        let pending = if interaction.pending {
            self.paint(Colour::Yellow, " [PENDING]")
        } else {
            String::new()
        };
        let time = if self.options.verbose {
            format!(" ({} ms)", interaction.duration_ms)
        } else {
            String::new()
        };
        let time = self.paint(Colour::Dim, time);
        self.line(2, format!("{}{pending}{time}", interaction.description));
        self.given(&interaction.states, 5);
        if let Some(name) = &interaction.test_name {
            self.line(5, format!("Test name: {name}"));
        }
        self.comments(interaction);
        if self.options.verbose {
            self.exchange(interaction);
        }
        self.parts(interaction);
        self.gap();
    }

    fn given(&mut self, states: &[ProviderState], indent: usize) {
        for (at, state) in states.iter().enumerate() {
            let word = if at == 0 { "Given" } else { "  And" };
            let parameters = if state.parameters.is_empty() {
                String::new()
            } else {
                self.paint(Colour::Dim, format!(" {}", Json::from(state.parameters.clone())))
            };
            self.line(indent, format!("{word} {}{parameters}", state.name));
        }
    }

    fn comments(&mut self, interaction: &InteractionReport) {
        let texts = match interaction.comments.as_ref().and_then(|comments| comments.get("text")) {
            Some(Json::Array(texts)) => texts.as_slice(),
            Some(text) => std::slice::from_ref(text),
            None => return,
        };
        if texts.is_empty() {
            return;
        }
        self.line(5, "Comments:");
        for text in texts {
            self.line(7, text.text_form());
        }
    }

    fn exchange(&mut self, interaction: &InteractionReport) {
        if let Some(request) = &interaction.request {
            self.line(5, format!("{} {}", request.method, request.url));
        }
    }

    fn parts(&mut self, interaction: &InteractionReport) {
        if interaction.status == Status::Skipped {
            let skipped = self.paint(Colour::Yellow, "was skipped, because an earlier one failed");
            return self.line(4, skipped);
        }
        match (&interaction.error, &interaction.expected) {
            (Some(error), _) => self.failed(error),
            (None, Some(expected)) => self.expectation(expected, interaction),
            (None, None) => {}
        }
        if let Some(error) = &interaction.teardown_error {
            self.failed(error);
        }
    }

    fn failed(&mut self, error: &InteractionError) {
        let verdict = self.verdict(false);
        self.line(4, format!("{} ({verdict})", error.title()));
    }

    /// Part by part, what was expected and whether it came.
    fn expectation(&mut self, expected: &Expectation, interaction: &InteractionReport) {
        let agrees = |takes: &dyn Fn(&Location) -> bool| !interaction.mismatches.iter().any(|one| takes(&one.at));
        if let Some(status) = expected.status {
            self.line(4, "returns a response which");
            let status = self.paint(Colour::Bold, status);
            let is_ok = agrees(&|at| matches!(at, Location::Status));
            self.part(6, format!("has status code {status}"), is_ok);
        } else {
            self.line(4, "generates a message which");
        }
        if !expected.headers.is_empty() {
            self.line(6, "includes headers");
        }
        for header in &expected.headers {
            let is_ok =
                agrees(&|at| matches!(at, Location::Header { name, .. } if name.eq_ignore_ascii_case(&header.name)));
            let values = header.values.join(", ");
            self.part(8, format!("\"{}\" with value \"{values}\"", header.name), is_ok);
        }
        if let Some(Json::Object(metadata)) = &expected.metadata {
            self.line(6, "includes metadata");
            for (key, value) in metadata {
                let is_ok = agrees(&|at| matches!(at, Location::Metadata { key: name, .. } if name == key));
                self.part(8, format!("\"{key}\" with value {value}"), is_ok);
            }
        }
        if expected.body {
            self.part(
                6,
                "has a matching body",
                agrees(&|at| BODY.contains(&at.mismatch_type())),
            );
        }
    }

    fn part(&mut self, indent: usize, text: impl Display, is_ok: bool) {
        let verdict = self.verdict(is_ok);
        self.line(indent, format!("{text} ({verdict})"));
    }

    fn failures(&mut self, report: &Report, status: Status, title: &str) {
        let mut number = 0;
        for (contract, interaction) in report
            .interactions()
            .filter(|(_, interaction)| interaction.status == status)
        {
            if number == 0 {
                let title = self.paint(Colour::Bold, title);
                self.line(0, title);
                self.gap();
            }
            number += 1;
            self.failure(number, contract, interaction, report.command.as_deref());
        }
    }

    fn failure(
        &mut self,
        number: usize,
        contract: &ContractReport,
        interaction: &InteractionReport,
        command: Option<&str>,
    ) {
        let title = format!(
            "{number}) Verifying a contract between {} and {} - {}",
            contract.consumer, contract.provider, interaction.description
        );
        let title = self.paint(Colour::Bold, title);
        self.line(0, title);
        self.given(&interaction.states, 5);
        if let Some(request) = &interaction.request {
            self.line(5, format!("{} {}", request.method, request.url));
        }
        for (part, failure) in interaction.failures().iter().enumerate() {
            self.gap();
            let title = self.paint(Colour::Red, failure.title);
            self.line(2, format!("{number}.{}) {title}", part + 1));
            if let Some(error) = failure.error {
                self.line(7, &error.message);
            }
            self.mismatches(&failure.mismatches, failure.diff.is_some());
            if let Some(diff) = failure.diff {
                self.diff(diff);
            }
        }
        if self.options.verbose {
            self.answer(interaction);
        }
        self.gap();
        let again = self.paint(
            Colour::Dim,
            format!("Run it again with {}", interaction.run_again(command)),
        );
        self.line(5, again);
        self.gap();
    }

    /// What came back, whole.
    fn answer(&mut self, interaction: &InteractionReport) {
        let Some(response) = &interaction.response else { return };
        self.gap();
        match response.status {
            Some(status) => self.line(5, format!("The answer had status {status}")),
            None => self.line(5, "The message"),
        }
        for header in response.headers.iter().flatten() {
            self.line(7, format!("{}: {}", header.name, header.values.join(", ")));
        }
        if let Some(Json::Object(metadata)) = &response.metadata {
            for (name, value) in metadata {
                self.line(7, format!("{name}: {}", value.text_form()));
            }
        }
        if let Some(body) = &response.body {
            self.gap();
            self.line(7, &body.content);
            if body.truncated {
                self.line(7, format!("… ({} bytes in all)", body.size));
            }
        }
    }

    /// One line each, and their explanations; differences line by line only when there is no diff of the whole body.
    fn mismatches(&mut self, mismatches: &[&Mismatch], has_diff: bool) {
        for mismatch in mismatches.iter().take(LISTED) {
            let text = mismatch.to_string();
            let text = cut(&text, LONGEST_LINE);
            if is_named(&mismatch.at, &text) {
                self.line(7, text);
            } else {
                let at = self.paint(Colour::Cyan, &mismatch.at);
                self.line(7, format!("{at} -> {text}"));
            }
            let explanation = mismatch.explanation.as_deref().unwrap_or_default();
            let end = if has_diff { explanation.find("@@ ") } else { None };
            let explanation = explanation[..end.unwrap_or(explanation.len())].trim_end();
            if !explanation.is_empty() {
                let explanation = self.paint(Colour::Dim, explanation);
                self.line(9, explanation);
            }
        }
        if mismatches.len() > LISTED {
            self.line(7, format!("… and {} more", mismatches.len() - LISTED));
        }
    }

    fn diff(&mut self, diff: &str) {
        self.gap();
        let legend = format!(
            "{} {}",
            self.paint(Colour::Green, "-expected"),
            self.paint(Colour::Red, "+actual")
        );
        self.line(7, legend);
        for line in diff.lines() {
            let line = match line.as_bytes().first() {
                Some(b'-') => self.paint(Colour::Green, line),
                Some(b'+') => self.paint(Colour::Red, line),
                _ => line.to_owned(),
            };
            self.line(7, line);
        }
    }

    fn summary(&mut self, report: &Report) {
        let summary = &report.summary;
        let mut parts = vec![format!("{} passed", summary.passed)];
        for (count, word) in [
            (summary.failed, "failed"),
            (summary.pending, "pending"),
            (summary.skipped, "skipped"),
            (summary.filtered, "filtered out"),
        ] {
            if count > 0 {
                parts.push(format!("{count} {word}"));
            }
        }
        let time = if self.options.verbose {
            format!(" in {} ms", summary.duration_ms)
        } else {
            String::new()
        };
        let counts = format!(
            "{} verified{time}: {}",
            super::interactions(summary.total),
            parts.join(", ")
        );
        self.line(0, counts);
        let colour = match (summary.failed, summary.pending) {
            (0, 0) => Colour::Green,
            (0, _) => Colour::Yellow,
            _ => Colour::Red,
        };
        let verdict = self.paint(colour, verdict(summary));
        self.line(0, verdict);
    }
}

/// What became of it, in one line.
pub(super) fn verdict(summary: &Summary) -> String {
    if summary.failed > 0 {
        let were = if summary.failed == 1 { "was" } else { "were" };
        format!("There {were} {}", failures(summary.failed))
    } else if summary.pending > 0 {
        format!(
            "The verification passed: the {} {} pending, and what is pending does not fail it",
            failures(summary.pending),
            if summary.pending == 1 { "is" } else { "are" }
        )
    } else if summary.total > 0 {
        "The verification passed".to_owned()
    } else {
        "There was nothing to verify, which was allowed".to_owned()
    }
}

fn failures(count: usize) -> String {
    if count == 1 {
        "1 failure".to_owned()
    } else {
        format!("{count} failures")
    }
}

#[cfg(test)]
mod tests {
    use contract_matching::Location;

    use super::is_named;

    #[test]
    fn a_place_is_told_where_the_sentence_does_not() {
        let header = Location::Header {
            name: "X-Kind".into(),
            index: None,
        };
        let metadata = |path: &str| Location::Metadata {
            key: "topic".into(),
            path: path.parse().unwrap(),
        };
        for (at, sentence, want) in [
            (&header, "Expected header X-Kind to have value 'a' but was 'b'", true),
            (&header, "Expected a header 'X-Kind' but was missing", true),
            (&header, "Expected 'b' to match 'a+'", false),
            (&header, "Expected 'X-Kind' to match 'a+'", false),
            (
                &metadata("$"),
                "Expected metadata key 'topic' to have value 'a' but was 'b'",
                true,
            ),
            (&metadata("$"), "Expected 'topic' to match 'a+'", false),
            (
                &metadata("$.a"),
                "Expected metadata key 'topic' to have value 'a' but was 'b'",
                false,
            ),
        ] {
            assert_eq!(is_named(at, sentence), want, "{at} in {sentence}");
        }
    }
}
