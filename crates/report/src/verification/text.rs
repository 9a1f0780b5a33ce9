//! Formats reports as text for terminals.

use std::fmt::Write;

use contract_model::ProviderState;

use super::failures::{CheckedPart, OUTPUT_HEADING, parameters};
use super::origin::NoticeTime;
use super::{ContractReport, InteractionError, InteractionReport, PartFailure, Report, Status};
use crate::page::{Page, Span, Style, plain};

/// Options for text output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextOptions {
    /// True to use terminal colors.
    pub color: bool,
    /// True to include requests, responses, and durations.
    pub verbose: bool,
}

impl Report {
    /// Formats the complete report: all interactions, and the failures with commands that verify only the interaction
    /// that failed.
    pub fn to_text(&self, options: TextOptions) -> String {
        Writer::render(options, |writer| writer.report(self))
    }

    /// Formats the failures for an error message with a limited size. Failures that exceed it are only counted.
    pub fn failures_to_text(&self, options: TextOptions) -> String {
        let total = super::interactions(self.summary.total);
        let heading = match self.publication_error().filter(|_| self.summary.failed == 0) {
            Some(problem) => problem,
            None => format!(
                "{} of {total} failed for provider {}:",
                self.summary.failed, self.provider
            ),
        };
        let mut text = Writer::render(options, |writer| {
            writer.page.line(0, [plain(heading)]);
            writer.page.gap();
        });
        for (number, (contract, interaction)) in self.of_status(Status::Failed).enumerate() {
            let failure = Writer::render(options, |writer| {
                writer.failure(number + 1, contract, interaction, self.command.as_deref());
            });
            let failure = truncate_failure(&failure);
            if number > 0 && text.len() + failure.len() > MAX_ERROR_SIZE {
                let more = self.summary.failed - number;
                let _ = writeln!(text, "… and {more} more (see the full output or the report)\n");
                break;
            }
            text.push_str(&failure);
        }
        text + &Writer::render(options, |writer| writer.summary(self))
    }

    /// Formats everything except the failures: pending failures, broker notices, warnings, and, if `has_publication` is
    /// true, the results of publishing. Returns `None` if there is nothing to print.
    pub fn notes_to_text(&self, options: TextOptions, has_publication: bool) -> Option<String> {
        let pending = self.pending_to_text(options);
        let rest = Writer::render(options, |writer| writer.notes(self, has_publication));
        if pending.is_empty() && rest.is_empty() {
            return None;
        }
        let heading = format!("Verification of {}: {}", self.provider, self.summary.count_summary());
        let heading = Writer::render(options, |writer| {
            writer.page.line(0, [Style::Bold.span(heading)]);
            writer.page.gap();
        });
        Some((heading + &pending + &rest).trim_end().to_owned() + "\n")
    }

    /// Formats the pending failures. Failures that exceed the size limit are only counted.
    fn pending_to_text(&self, options: TextOptions) -> String {
        let mut text = String::new();
        for (number, (contract, interaction)) in self.of_status(Status::Pending).enumerate() {
            let failure = Writer::render(options, |writer| {
                if number == 0 {
                    writer.page.line(
                        0,
                        [Style::Yellow.span("Pending failures (they do not fail the build):")],
                    );
                    writer.page.gap();
                }
                writer.failure(number + 1, contract, interaction, self.command.as_deref());
            });
            let failure = truncate_failure(&failure);
            if number > 0 && (number == MAX_NOTES || text.len() + failure.len() > MAX_ERROR_SIZE) {
                let more = self.summary.pending - number;
                let _ = writeln!(text, "… and {more} more (see the report)\n");
                break;
            }
            text.push_str(&failure);
        }
        text
    }
}

/// Maximum number of pending failures and of notices to display.
const MAX_NOTES: usize = 10;

/// Maximum size of an error message in bytes.
const MAX_ERROR_SIZE: usize = 16 * 1024;
/// Maximum size of a single failure in an error message, in bytes.
const MAX_FAILURE_SIZE: usize = 6 * 1024;

/// Truncates the text of a failure at the end of a line.
fn truncate_failure(text: &str) -> String {
    if text.len() <= MAX_FAILURE_SIZE {
        return text.to_owned();
    }
    let mut size = 0;
    let kept: Vec<_> = text
        .lines()
        .take_while(|line| {
            size += line.len() + 1;
            size <= MAX_FAILURE_SIZE
        })
        .collect();
    format!("{}\n     … (see the full output)\n\n", kept.join("\n"))
}

struct Writer {
    page: Page,
    verbose: bool,
}

fn result_span<'a>(is_ok: bool) -> Span<'a> {
    if is_ok {
        Style::Green.span("OK")
    } else {
        Style::Red.span("FAILED")
    }
}

impl Writer {
    fn render(options: TextOptions, write: impl FnOnce(&mut Self)) -> String {
        let mut writer = Self {
            page: Page::new(options.color),
            verbose: options.verbose,
        };
        write(&mut writer);
        writer.page.finish()
    }

    fn report(&mut self, report: &Report) {
        for contract in &report.contracts {
            self.contract(contract);
        }
        for warning in &report.warnings {
            self.page
                .line(0, [Style::Yellow.span("Warning:"), plain(" "), plain(warning)]);
            self.page.gap();
        }
        self.failures(report, Status::Failed, "Failures:");
        self.failures(report, Status::Pending, "Pending failures:");
        self.summary(report);
    }

    fn notes(&mut self, report: &Report, has_publication: bool) {
        let mut notices: Vec<(&str, &str)> = Vec::new();
        for contract in &report.contracts {
            for moment in [NoticeTime::Before, NoticeTime::After] {
                for text in contract.notices_of(moment) {
                    let notice = (contract.consumer.as_str(), text);
                    if !notices.contains(&notice) {
                        notices.push(notice);
                    }
                }
            }
        }
        self.list("Broker notices:", Style::Cyan, &notices, |(consumer, text)| {
            format!("{consumer}: {text}")
        });
        self.list("Warnings:", Style::Yellow, &report.warnings, Clone::clone);
        if let Some(publication) = report.publication.as_ref().filter(|_| has_publication) {
            let line = match report.contracts.iter().find_map(ContractReport::result_url) {
                Some(url) if publication.published == 1 => format!("{}: {url}", publication.message(&report.provider)),
                _ => publication.message(&report.provider),
            };
            self.page.line(0, [plain(line)]);
        }
    }

    fn list<T>(&mut self, title: &str, style: Style, all: &[T], text: impl Fn(&T) -> String) {
        if all.is_empty() {
            return;
        }
        self.page.line(0, [style.span(title)]);
        for item in all.iter().take(MAX_NOTES) {
            self.page.lines(2, None, &text(item));
        }
        if all.len() > MAX_NOTES {
            let more = all.len() - MAX_NOTES;
            self.page
                .line(2, [plain(format!("… and {more} more (see the report)"))]);
        }
        self.page.gap();
    }

    fn contract(&mut self, contract: &ContractReport) {
        let state = contract.state().map(|state| format!(" [{}]", state.to_uppercase()));
        self.page.line(
            0,
            [
                plain("Verifying a contract between "),
                Style::Bold.span(&contract.consumer),
                plain(" and "),
                Style::Bold.span(&contract.provider),
                Style::Yellow.span(state.unwrap_or_default()),
            ],
        );
        self.page.line(2, [Style::Dim.span(&contract.source)]);
        if let Some(selection_reason) = contract.selection_reason() {
            self.page.line(2, [Style::Dim.span(selection_reason)]);
        }
        self.notices(contract, NoticeTime::Before);
        self.page.gap();
        for interaction in &contract.interactions {
            self.interaction(interaction);
        }
        let published = contract.publication_summary();
        if published.is_none() && contract.notices_of(NoticeTime::After).next().is_none() {
            return;
        }
        self.notices(contract, NoticeTime::After);
        if let Some(published) = published {
            self.page.line(2, [plain(published)]);
        }
        self.page.gap();
    }

    fn notices(&mut self, contract: &ContractReport, moment: NoticeTime) {
        for notice in contract.notices_of(moment) {
            self.page.lines(2, Some(Style::Cyan), notice);
        }
    }

    fn interaction(&mut self, interaction: &InteractionReport) {
        let pending = if interaction.pending { " [PENDING]" } else { "" };
        let time = if self.verbose {
            format!(" ({} ms)", interaction.duration_ms)
        } else {
            String::new()
        };
        self.page.line(
            2,
            [
                plain(&interaction.description),
                Style::Yellow.span(pending),
                Style::Dim.span(time),
            ],
        );
        self.states(&interaction.states, 5);
        if let Some(name) = &interaction.test_name {
            self.page.line(5, [plain("Test name: "), plain(name)]);
        }
        let texts = interaction.texts();
        if !texts.is_empty() {
            self.page.line(5, [plain("Comments:")]);
        }
        for text in texts {
            self.page.lines(7, None, &text);
        }
        if self.verbose
            && let Some(request) = &interaction.request
        {
            self.page.line(5, [plain(request.first_line())]);
        }
        self.parts(interaction);
        if interaction.status == Status::Passed {
            self.output(interaction, 4);
        }
        self.page.gap();
    }

    /// Writes the lines that a plugin printed. For a failed interaction, they are part of the failure instead.
    fn output(&mut self, interaction: &InteractionReport, indent: usize) {
        if interaction.output.is_empty() {
            return;
        }
        self.page.line(indent, [Style::Dim.span(OUTPUT_HEADING)]);
        for line in &interaction.output {
            self.page.lines(indent + 2, None, line);
        }
    }

    fn states(&mut self, states: &[ProviderState], indent: usize) {
        for (at, state) in states.iter().enumerate() {
            let word = if at == 0 { "Given " } else { "  And " };
            let parameters = parameters(state).map(|text| format!(" {text}")).unwrap_or_default();
            self.page.line(
                indent,
                [plain(word), plain(state.name.as_str()), Style::Dim.span(parameters)],
            );
        }
    }

    fn parts(&mut self, interaction: &InteractionReport) {
        if interaction.status == Status::Skipped {
            let skipped = Style::Yellow.span("skipped because an earlier interaction failed");
            return self.page.line(4, [skipped]);
        }
        if let Some(error) = &interaction.error {
            self.failed(error);
        } else {
            self.expectation(interaction);
        }
        if let Some(error) = &interaction.teardown_error {
            self.failed(error);
        }
    }

    fn failed(&mut self, error: &InteractionError) {
        self.part(4, [plain(error.title())], false);
    }

    /// Writes each expectation of the contract, and whether the response met it.
    fn expectation(&mut self, interaction: &InteractionReport) {
        let Some(expected) = &interaction.expected else { return };
        let beginning = match expected.status {
            Some(_) => "returns a response which",
            None => "generates a message which",
        };
        self.page.line(4, [plain(beginning)]);
        let (mut has_headers, mut has_metadata) = (false, false);
        for check in interaction.checks() {
            match check.part {
                CheckedPart::Status(status) => {
                    let status = Style::Bold.span(status.to_string());
                    self.part(6, [plain("has status code "), status], check.is_ok);
                }
                CheckedPart::Header(name, value) => {
                    if !std::mem::replace(&mut has_headers, true) {
                        self.page.line(6, [plain("includes headers")]);
                    }
                    self.part(8, [plain(format!("\"{name}\" with value \"{value}\""))], check.is_ok);
                }
                CheckedPart::Metadata(name, value) => {
                    if !std::mem::replace(&mut has_metadata, true) {
                        self.page.line(6, [plain("includes metadata")]);
                    }
                    self.part(8, [plain(format!("\"{name}\" with value {value}"))], check.is_ok);
                }
                CheckedPart::Body => self.part(6, [plain("has a matching body")], check.is_ok),
                CheckedPart::Other(place) => self.part(6, [plain(format!("has the expected {place}"))], check.is_ok),
            }
        }
    }

    fn part<const N: usize>(&mut self, indent: usize, description: [Span<'_>; N], is_ok: bool) {
        let verdict = [plain(" ("), result_span(is_ok), plain(")")];
        self.page.line(indent, description.into_iter().chain(verdict));
    }

    fn failures(&mut self, report: &Report, status: Status, title: &str) {
        for (at, (contract, interaction)) in report.of_status(status).enumerate() {
            if at == 0 {
                self.page.line(0, [Style::Bold.span(title)]);
                self.page.gap();
            }
            self.failure(at + 1, contract, interaction, report.command.as_deref());
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
        self.page.line(0, [Style::Bold.span(title)]);
        self.states(&interaction.states, 5);
        if let Some(request) = &interaction.request {
            self.page.line(5, [plain(request.first_line())]);
        }
        for (part, failure) in interaction.failures().iter().enumerate() {
            self.page.gap();
            let number = format!("{number}.{}) ", part + 1);
            self.page.line(2, [plain(number), Style::Red.span(failure.title)]);
            if let Some(error) = failure.error {
                self.page.lines(7, None, &error.message);
            }
            self.findings(failure);
            if let Some((title, body)) = failure.response_excerpt().filter(|_| !self.verbose) {
                self.page.line(7, [Style::Dim.span(title)]);
                self.page.lines(9, None, &body);
            }
            if let Some(diff) = failure.diff {
                self.diff(diff);
            }
        }
        self.output(interaction, 5);
        if self.verbose {
            self.response(interaction);
        }
        self.page.gap();
        if let Some(command) = interaction.rerun_command(command) {
            self.page
                .line(5, [Style::Dim.span(format!("Run only this interaction: {command}"))]);
            self.page.gap();
        }
    }

    fn response(&mut self, interaction: &InteractionReport) {
        let Some(response) = &interaction.response else { return };
        self.page.gap();
        let title = match response.status {
            Some(status) => format!("Response with status {status}:"),
            None => "Message:".to_owned(),
        };
        self.page.line(5, [plain(title)]);
        for (name, value) in response.view().headers {
            self.page.line(7, [plain(format!("{name}: {value}"))]);
        }
        if let Some(body) = &response.body {
            self.page.gap();
            self.page.lines(7, None, &body.content);
            if body.truncated {
                self.page.line(7, [plain(format!("… ({} bytes in total)", body.size))]);
            }
        }
    }

    /// Writes mismatches and their explanations. If the complete body has a diff, omits the diffs of single values.
    fn findings(&mut self, failure: &PartFailure<'_>) {
        for finding in failure.listed() {
            let sentence = plain(&finding.sentence);
            match finding.place_if_unnamed() {
                Some(place) => self.page.line(7, [Style::Cyan.span(place), plain(" -> "), sentence]),
                None => self.page.line(7, [sentence]),
            }
            self.page.lines(9, Some(Style::Dim), &failure.explanation(finding));
        }
        if let Some(more) = failure.omitted_count() {
            self.page.line(7, [plain(format!("… and {more} more"))]);
        }
    }

    fn diff(&mut self, diff: &str) {
        self.page.gap();
        let legend = [Style::Green.span("-expected"), plain(" "), Style::Red.span("+actual")];
        self.page.line(7, legend);
        for line in diff.lines() {
            let style = match line.as_bytes().first() {
                Some(b'-') => Some(Style::Green),
                Some(b'+') => Some(Style::Red),
                _ => None,
            };
            self.page.lines(7, style, line);
        }
    }

    fn summary(&mut self, report: &Report) {
        let summary = &report.summary;
        let time = if self.verbose {
            format!(" in {} ms", summary.duration_ms)
        } else {
            String::new()
        };
        let counts = format!(
            "{} verified{time}: {}",
            super::interactions(summary.total),
            summary.count_summary()
        );
        self.page.line(0, [plain(counts)]);
        let style = match (summary.failed, summary.pending) {
            (0, 0) => Style::Green,
            (0, _) => Style::Yellow,
            _ => Style::Red,
        };
        self.page.line(0, [style.span(summary.verdict())]);
        if let Some(publication) = &report.publication {
            let message = publication.message(&report.provider);
            let style = if publication.error.is_some() {
                Style::Red
            } else {
                Style::Dim
            };
            self.page.line(0, [style.span(message)]);
        }
    }
}
