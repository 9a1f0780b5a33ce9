//! Formats reports as Markdown for job summaries on GitHub and GitLab.

use std::fmt::{self, Display, Write};

use super::failures::{OUTPUT_HEADING, parameters};
use super::origin::NoticeTime;
use super::{ContractReport, InteractionReport, PartFailure, Report, Status, Summary};
use crate::escape::{Escaped, duration, escape_lines, push_visible};

/// Size in bytes after which further failures are only counted. GitHub accepts summaries of up to 1 MiB.
const LARGEST: usize = 800 * 1024;
/// Maximum number of rows in the table of interactions.
const ROWS: usize = 500;

pub(super) fn write(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string never fails.
    let _ = page(report, &mut out);
    out
}

fn page(report: &Report, out: &mut String) -> fmt::Result {
    let Summary {
        total,
        failed,
        duration_ms,
        ..
    } = report.summary;
    let sign = if failed > 0 || !report.success { "❌" } else { "✅" };
    writeln!(out, "## {sign} Verification of {}\n", Inline(&report.provider))?;
    writeln!(
        out,
        "{}.\n\n**{}** in {}: {}\n",
        report.verdict(),
        super::interactions(total),
        duration(duration_ms),
        report.summary.count_summary()
    )?;
    contracts(report, out)?;
    origins(report, out)?;
    for warning in &report.warnings {
        writeln!(out, "> ⚠️ {}\n", Inline(warning))?;
    }
    failures(report, Status::Failed, "Failures", out)?;
    failures(report, Status::Pending, "Pending failures", out)?;
    all(report, out)
}

fn contracts(report: &Report, out: &mut String) -> fmt::Result {
    if report.contracts.is_empty() {
        return Ok(());
    }
    out.push_str("| | Consumer | Passed | Failed | Pending | Skipped | Source |\n|:-:|---|--:|--:|--:|--:|---|\n");
    for contract in &report.contracts {
        let count = |status| contract.interactions.iter().filter(|one| one.status == status).count();
        let failed = count(Status::Failed);
        writeln!(
            out,
            "| {} | {}{} | {} | {failed} | {} | {} | {} |",
            if failed > 0 { "❌" } else { "✅" },
            Inline(&contract.consumer),
            contract.state().map(|state| format!(" ({state})")).unwrap_or_default(),
            count(Status::Passed),
            count(Status::Pending),
            count(Status::Skipped),
            Inline(&contract.source)
        )?;
    }
    out.push('\n');
    Ok(())
}

fn origins(report: &Report, out: &mut String) -> fmt::Result {
    for contract in &report.contracts {
        let notes = contract
            .selection_reason()
            .into_iter()
            .chain(contract.notices_of(NoticeTime::Before).map(str::to_owned))
            .chain(contract.notices_of(NoticeTime::After).map(str::to_owned))
            .chain(contract.publication_summary());
        let notes: Vec<_> = notes.collect();
        if notes.is_empty() {
            continue;
        }
        writeln!(
            out,
            "<details><summary>{} - {}: broker information</summary>\n",
            Escaped(one_line(&contract.consumer)),
            Escaped(one_line(&contract.provider))
        )?;
        for text in notes {
            writeln!(out, "- {}", Inline(&text))?;
        }
        out.push_str("\n</details>\n\n");
    }
    if let Some(publication) = &report.publication {
        let sign = if publication.error.is_some() { "❌ " } else { "" };
        writeln!(out, "{sign}{}.\n", Inline(&publication.message(&report.provider)))?;
    }
    Ok(())
}

fn failures(report: &Report, status: Status, title: &str, out: &mut String) -> fmt::Result {
    let mut number = 0;
    for (contract, interaction) in report.of_status(status) {
        if number == 0 {
            writeln!(out, "### {title}\n")?;
        }
        if out.len() > LARGEST {
            let more = report.of_status(status).count() - number;
            return writeln!(out, "… and {more} more (see the other report formats)\n");
        }
        number += 1;
        failure(report, number, contract, interaction, out)?;
    }
    Ok(())
}

fn failure(
    report: &Report,
    number: usize,
    contract: &ContractReport,
    interaction: &InteractionReport,
    out: &mut String,
) -> fmt::Result {
    writeln!(
        out,
        "<details open><summary><b>{number}. {}</b> ({} - {})</summary>\n",
        Escaped(one_line(&interaction.description)),
        Escaped(one_line(&contract.consumer)),
        Escaped(one_line(&contract.provider))
    )?;
    for (at, state) in interaction.states.iter().enumerate() {
        let word = if at == 0 { "Given" } else { "And" };
        writeln!(out, "- {word} {}{}", Inline(&state.name), Parameters(parameters(state)))?;
    }
    if let Some(name) = &interaction.test_name {
        writeln!(out, "- Test: {}", Inline(name))?;
    }
    if let Some(request) = &interaction.request {
        writeln!(out, "- Request: {}", Code(&request.first_line()))?;
    }
    for comment in interaction.texts() {
        writeln!(out, "- Comment: {}", Inline(&comment))?;
    }
    out.push('\n');
    for failure in &interaction.failures() {
        part(failure, out)?;
    }
    if !interaction.output.is_empty() {
        writeln!(out, "{OUTPUT_HEADING}\n\n{}", Block("", &interaction.output.join("\n")))?;
    }
    if let Some(command) = interaction.rerun_command(report.command.as_deref()) {
        writeln!(out, "Run only this interaction:\n\n{}", Block("sh", &command))?;
    }
    out.push_str("</details>\n\n");
    Ok(())
}

fn part(failure: &PartFailure<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "**{}**\n", failure.title)?;
    if let Some(error) = failure.error {
        writeln!(out, "{}", Block("", &error.message))?;
    }
    for finding in failure.listed() {
        match finding.place_if_unnamed() {
            Some(place) => writeln!(out, "- {}: {}", Code(&place), Inline(&finding.sentence))?,
            None => writeln!(out, "- {}", Inline(&finding.sentence))?,
        }
        let explanation = &*failure.explanation(finding);
        if explanation.contains('\n') {
            for line in explained(explanation).lines() {
                writeln!(out, "  {line}")?;
            }
        } else if !explanation.is_empty() {
            writeln!(out, "  <br>{}", Inline(explanation))?;
        }
    }
    if let Some(more) = failure.omitted_count() {
        writeln!(out, "- … and {more} more")?;
    }
    if !failure.findings.is_empty() {
        out.push('\n');
    }
    if let Some((title, body)) = failure.response_excerpt() {
        writeln!(out, "{}\n", Inline(&title))?;
        if !body.is_empty() {
            writeln!(out, "{}", Block("", &body))?;
        }
    }
    if let Some(diff) = failure.diff {
        writeln!(out, "Expected: `+` (green), actual: `-` (red)\n")?;
        writeln!(out, "{}", Block("diff", &green_expected(diff)))?;
    }
    Ok(())
}

/// Formats an explanation, with highlighting if it contains a diff.
fn explained(explanation: &str) -> String {
    if explanation.lines().any(|line| line.starts_with(['-', '+'])) {
        Block("diff", &green_expected(explanation)).to_string()
    } else {
        Block("", explanation).to_string()
    }
}

/// Swaps the signs of changed lines. Markdown displays `+` lines in green and `-` lines in red, but reports display
/// expected values in green.
fn green_expected(diff: &str) -> String {
    let mut out = String::with_capacity(diff.len());
    for line in diff.lines() {
        let swapped = match line.as_bytes().first() {
            Some(b'-') => Some('+'),
            Some(b'+') => Some('-'),
            _ => None,
        };
        match (swapped, hunk(line)) {
            (Some(sign), _) => {
                out.push(sign);
                out.push_str(&line[1..]);
            }
            (None, Some((expected, actual))) => {
                // Writing to a string never fails.
                let _ = write!(out, "@@ -{actual} +{expected} @@");
            }
            (None, None) => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// Returns the two ranges of a line such as `@@ -1,3 +1,4 @@`, or `None` for other lines.
fn hunk(line: &str) -> Option<(&str, &str)> {
    let ranges = line.strip_prefix("@@ -")?.strip_suffix(" @@")?;
    ranges.split_once(" +")
}

fn all(report: &Report, out: &mut String) -> fmt::Result {
    let total = report.summary.total;
    if total == 0 {
        return Ok(());
    }
    let all = if total == 1 { "" } else { "All " };
    writeln!(out, "<details><summary>{all}{}</summary>\n", super::interactions(total))?;
    out.push_str("| | Interaction | Provider states | Time |\n|:-:|---|---|--:|\n");
    let rows = report.contracts.iter().flat_map(|contract| &contract.interactions);
    for interaction in rows.take(ROWS) {
        let states: Vec<_> = interaction
            .states
            .iter()
            .map(|state| format!("{}{}", Inline(&state.name), Parameters(parameters(state))))
            .collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            sign(interaction.status),
            Inline(&interaction.description),
            states.join("<br>"),
            duration(interaction.duration_ms)
        )?;
    }
    out.push('\n');
    if let Some(more) = total.checked_sub(ROWS).filter(|more| *more > 0) {
        writeln!(out, "… and {more} more\n")?;
    }
    out.push_str("</details>\n");
    Ok(())
}

fn sign(status: Status) -> &'static str {
    match status {
        Status::Passed => "✅",
        Status::Failed => "❌",
        Status::Pending => "⏳",
        Status::Skipped => "⏭️",
    }
}

/// Joins lines, because an empty line would end HTML inside Markdown.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Escapes Markdown in a single line, including table syntax.
struct Inline<'a>(&'a str);

impl Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' | '\r' | '\t' => f.write_char(' ')?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                // GitHub would interpret the following characters as a user name or an issue number.
                '@' => f.write_str("&#64;")?,
                '#' => f.write_str("&#35;")?,
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => write!(f, "\\{c}")?,
                c => push_visible(f, c, false),
            }
        }
        Ok(())
    }
}

/// The parameters of a provider state as JSON, displayed after its name. `None` if it has none.
struct Parameters(Option<String>);

impl Display for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0
            .as_deref()
            .map_or(Ok(()), |parameters| write!(f, " {}", Code(parameters)))
    }
}

/// Formats inline code as HTML, because a vertical bar in Markdown code would end a table cell.
struct Code<'a>(&'a str);

impl Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<code>{}</code>", Inline(self.0))
    }
}

/// A code block: the language for highlighting, and the code.
struct Block<'a>(&'static str, &'a str);

impl Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(language, text) = self;
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(3.max(longest + 1));
        writeln!(f, "{fence}{language}")?;
        for line in escape_lines(text) {
            writeln!(f, "{line}")?;
        }
        writeln!(f, "{fence}")
    }
}
