//! Formats reports as GitHub Actions workflow commands, which GitHub displays as annotations.

use std::fmt::Write;

use super::origin::NoticeTime;
use super::{ContractReport, InteractionReport, Report, Status};
use crate::escape::push_visible;
use crate::shorten::beginning;

/// Maximum size of an annotation in bytes. GitHub truncates annotations at 4,096 bytes.
const LONGEST: usize = 3500;

pub(super) fn write(report: &Report) -> String {
    let mut out = String::new();
    // GitHub displays the first ten errors and the first ten warnings of each step.
    for (contract, interaction) in report.of_status(Status::Failed) {
        annotation(&mut out, report, ("error", ""), contract, interaction);
    }
    for (contract, interaction) in report.of_status(Status::Pending) {
        annotation(&mut out, report, ("warning", "Pending: "), contract, interaction);
    }
    let title = Property(&format!("Verification of {}", report.provider)).to_string();
    if let Some(problem) = report.publication_error() {
        let _ = writeln!(
            out,
            "::error title={title}::{} [ERR_CONTRACT_PUBLICATION]",
            Data(&problem)
        );
    }
    for warning in &report.warnings {
        let _ = writeln!(out, "::warning title={title}::{}", Data(warning));
    }
    for contract in &report.contracts {
        notices(&mut out, contract);
    }
    let verdict = format!("{} ({})", report.verdict(), report.summary.count_summary());
    let _ = writeln!(out, "::notice title={title}::{}", Data(&verdict));
    out
}

/// Writes all notices about a contract as one annotation, because GitHub displays at most ten annotations.
fn notices(out: &mut String, contract: &ContractReport) {
    if contract.notices.is_empty() && contract.publication.is_none() {
        return;
    }
    let title = match contract.state() {
        Some(state) => format!("{} - {} ({state})", contract.consumer, contract.provider),
        None => format!("{} - {}", contract.consumer, contract.provider),
    };
    let moments = [NoticeTime::Before, NoticeTime::After].map(|moment| contract.notices_of(moment).collect::<Vec<_>>());
    let mut text = moments.concat().join("\n");
    if let Some(published) = contract.publication_summary() {
        let _ = write!(text, "{}{published}", if text.is_empty() { "" } else { "\n" });
    }
    let _ = writeln!(
        out,
        "::notice title={}::{}",
        Property(&title),
        Data(beginning(&text, LONGEST))
    );
}

fn annotation(
    out: &mut String,
    report: &Report,
    (command, prefix): (&str, &str),
    contract: &ContractReport,
    interaction: &InteractionReport,
) {
    let title = format!(
        "{prefix}{} - {}: {}",
        contract.consumer, contract.provider, interaction.description
    );
    let mut text = String::new();
    let states = interaction.state_names();
    if !states.is_empty() {
        let _ = writeln!(text, "Given {states}");
    }
    text.push_str(&interaction.explained());
    if text.len() > LONGEST {
        text.truncate(beginning(&text, LONGEST).len());
        text.push_str("…\n");
    }
    if let Some(command) = interaction.rerun_command(report.command.as_deref()) {
        let _ = write!(text, "Run only this interaction: {command}");
    }
    let file = if is_file_of_the_checkout(&contract.source) {
        let line = interaction.line.map(|line| format!("line={line},")).unwrap_or_default();
        format!("file={},{line}", Property(&contract.source))
    } else {
        String::new()
    };
    let _ = writeln!(out, "::{command} {file}title={}::{}", Property(&title), Data(&text));
}

/// Returns whether the source is a file in the checkout, next to which GitHub displays the annotation.
fn is_file_of_the_checkout(source: &str) -> bool {
    source.to_ascii_lowercase().ends_with(".json")
        && !source.contains("://")
        && !source.starts_with(['/', '\\'])
        && source.as_bytes().get(1) != Some(&b':')
        && !source.starts_with("..")
}

struct Data<'a>(&'a str);

/// Escapes the value of a workflow command's property, including commas and colons.
struct Property<'a>(&'a str);

impl std::fmt::Display for Data<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        escape(self.0, false, f)
    }
}

impl std::fmt::Display for Property<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        escape(self.0, true, f)
    }
}

fn escape(text: &str, is_property: bool, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
    for c in text.chars() {
        match c {
            '%' => f.write_str("%25")?,
            '\r' => f.write_str("%0D")?,
            '\n' => f.write_str("%0A")?,
            ':' if is_property => f.write_str("%3A")?,
            ',' if is_property => f.write_str("%2C")?,
            c => push_visible(f, c, false),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Data, Property, is_file_of_the_checkout};

    #[test]
    fn escapes_commands() {
        assert_eq!(Data("100%,\r\na: b").to_string(), "100%25,%0D%0Aa: b");
        assert_eq!(Property("a: 5%, b").to_string(), "a%3A 5%25%2C b");
    }

    #[test]
    fn recognizes_files_in_the_checkout() {
        for (source, want) in [
            ("contracts/web-orders.json", true),
            ("/tmp/web-orders.json", false),
            ("C:\\web-orders.json", false),
            ("../web-orders.json", false),
            ("https://example.com/web-orders.json", false),
            ("a contract given as JSON", false),
        ] {
            assert_eq!(is_file_of_the_checkout(source), want, "{source}");
        }
    }
}
