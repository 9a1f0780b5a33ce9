//! Markdown as GitHub and GitLab show it, for the summary of a job.

use std::fmt::{self, Display, Write};

use super::document::{Contract, Document, Interaction, Part};
use super::{Status, Summary};
use crate::escape::{Escaped, duration, visible};

/// GitHub takes summaries up to 1 MiB; failures beyond this many bytes are counted only.
const LARGEST: usize = 800 * 1024;
/// Most rows of the table of all interactions.
const ROWS: usize = 500;

pub(super) fn write(document: &Document<'_>) -> String {
    let mut out = String::new();
    // Writing to a text cannot fail.
    let _ = page(document, &mut out);
    out
}

fn page(document: &Document<'_>, out: &mut String) -> fmt::Result {
    let Summary {
        total,
        failed,
        duration_ms,
        ..
    } = document.summary;
    let sign = if failed > 0 { "❌" } else { "✅" };
    writeln!(out, "## {sign} Verification of {}\n", Inline(document.provider))?;
    let counts: Vec<_> = document
        .counts()
        .iter()
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    writeln!(
        out,
        "{}.\n\n**{}** in {}: {}\n",
        document.verdict(),
        super::interactions(total),
        duration(duration_ms),
        counts.join(", ")
    )?;
    contracts(document, out)?;
    for warning in &document.warnings {
        writeln!(out, "> ⚠️ {}\n", Inline(warning))?;
    }
    failures(document, Status::Failed, "Failures", out)?;
    failures(document, Status::Pending, "Pending failures", out)?;
    all(document, out)
}

fn contracts(document: &Document<'_>, out: &mut String) -> fmt::Result {
    if document.contracts.is_empty() {
        return Ok(());
    }
    out.push_str("| | Consumer | Passed | Failed | Pending | Skipped | Source |\n|:-:|---|--:|--:|--:|--:|---|\n");
    for contract in &document.contracts {
        let count = |status| contract.interactions.iter().filter(|one| one.status == status).count();
        let failed = count(Status::Failed);
        writeln!(
            out,
            "| {} | {}{} | {} | {failed} | {} | {} | {} |",
            if failed > 0 { "❌" } else { "✅" },
            Inline(contract.consumer),
            if contract.pending { " (pending)" } else { "" },
            count(Status::Passed),
            count(Status::Pending),
            count(Status::Skipped),
            Inline(contract.source)
        )?;
    }
    out.push('\n');
    Ok(())
}

fn failures(document: &Document<'_>, status: Status, title: &str, out: &mut String) -> fmt::Result {
    let mut number = 0;
    for (contract, interaction) in document.of_status(status) {
        if number == 0 {
            writeln!(out, "### {title}\n")?;
        }
        if out.len() > LARGEST {
            let more = document.of_status(status).count() - number;
            return writeln!(out, "… and {more} more, which the other reports show\n");
        }
        number += 1;
        failure(number, contract, interaction, out)?;
    }
    Ok(())
}

fn failure(number: usize, contract: &Contract<'_>, interaction: &Interaction<'_>, out: &mut String) -> fmt::Result {
    writeln!(
        out,
        "<details open><summary><b>{number}. {}</b> ({} - {})</summary>\n",
        Escaped(one_line(interaction.description)),
        Escaped(one_line(contract.consumer)),
        Escaped(one_line(contract.provider))
    )?;
    for (at, state) in interaction.states.iter().enumerate() {
        let word = if at == 0 { "Given" } else { "And" };
        writeln!(
            out,
            "- {word} {}{}",
            Inline(state.name),
            Parameters(state.parameters.as_deref())
        )?;
    }
    if let Some(name) = interaction.test_name {
        writeln!(out, "- Test: {}", Inline(name))?;
    }
    if let Some(request) = &interaction.request {
        writeln!(out, "- Request: {}", Code(&request.first_line))?;
    }
    for comment in &interaction.comments {
        writeln!(out, "- Comment: {}", Inline(comment))?;
    }
    out.push('\n');
    for part in &interaction.parts {
        self::part(part, out)?;
    }
    writeln!(
        out,
        "Run it again with\n\n{}\n</details>\n",
        Block("sh", &interaction.run_again)
    )
}

fn part(part: &Part<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "**{}**\n", part.title)?;
    if let Some((_, message)) = part.error {
        writeln!(out, "{}", Block("", message))?;
    }
    for mismatch in part.mismatches.iter().take(super::text::LISTED) {
        match &mismatch.place {
            Some(place) => writeln!(out, "- {}: {}", Code(place), Inline(&mismatch.text))?,
            None => writeln!(out, "- {}", Inline(&mismatch.text))?,
        }
        if let Some(explanation) = mismatch.explanation {
            if !explanation.contains('\n') {
                writeln!(out, "  <br>{}", Inline(explanation))?;
                continue;
            }
            for line in Block("", explanation).to_string().lines() {
                writeln!(out, "  {line}")?;
            }
        }
    }
    if let Some(more) = part.not_listed() {
        writeln!(out, "- … and {more} more")?;
    }
    if !part.mismatches.is_empty() {
        out.push('\n');
    }
    if let Some(diff) = part.diff {
        writeln!(out, "{}", Block("diff", diff))?;
    }
    Ok(())
}

fn all(document: &Document<'_>, out: &mut String) -> fmt::Result {
    let total = document.summary.total;
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "<details><summary>All {}</summary>\n", super::interactions(total))?;
    out.push_str("| | Interaction | Provider states | Time |\n|:-:|---|---|--:|\n");
    let rows = document.contracts.iter().flat_map(|contract| &contract.interactions);
    for interaction in rows.take(ROWS) {
        let states: Vec<_> = interaction
            .states
            .iter()
            .map(|state| format!("{}{}", Inline(state.name), Parameters(state.parameters.as_deref())))
            .collect();
        writeln!(
            out,
            "| {} | {} | {} | {} |",
            sign(interaction.status),
            Inline(interaction.description),
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

/// Inside of HTML an empty line would end it.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Text in one line that means nothing to Markdown, tables included.
struct Inline<'a>(&'a str);

impl Display for Inline<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '\n' | '\r' | '\t' => f.write_char(' ')?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '&' => f.write_str("&amp;")?,
                // Behind it GitHub would look for the name of a user or the number of an issue.
                '@' => f.write_str("&#64;")?,
                '#' => f.write_str("&#35;")?,
                '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '~' | '$' | '!' => write!(f, "\\{c}")?,
                c => f.write_char(visible(c))?,
            }
        }
        Ok(())
    }
}

/// Parameters of a state behind its name.
struct Parameters<'a>(Option<&'a str>);

impl Display for Parameters<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |parameters| write!(f, " {}", Code(parameters)))
    }
}

/// Code in a line. In tables a bar ends the cell even there, so it is HTML.
struct Code<'a>(&'a str);

impl Display for Code<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "<code>{}</code>", Inline(self.0))
    }
}

/// Lines of code, in a language.
struct Block<'a>(&'static str, &'a str);

impl Display for Block<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(language, text) = self;
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
        let fence = "`".repeat(3.max(longest + 1));
        writeln!(f, "{fence}{language}")?;
        for line in text.lines() {
            writeln!(f, "{}", line.chars().map(visible).collect::<String>())?;
        }
        writeln!(f, "{fence}")
    }
}
