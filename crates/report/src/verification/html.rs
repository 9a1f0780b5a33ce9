//! Formats reports as a self-contained HTML page. Its content security policy prevents the page from loading anything
//! else.

use std::fmt::{self, Write};

use super::failures::{OUTPUT_HEADING, parameters};
use super::origin::NoticeTime;
use super::parts::MessageView;
use super::{ContractReport, InteractionReport, PartFailure, Report, Status};
use crate::escape::{Escaped, duration};

const STYLE: &str = concat!(
    include_str!("../../../pages/assets/tokens.css"),
    include_str!("html/page.css")
);
const SCRIPT: &str = include_str!("html/page.js");
/// Base64-encoded SHA-256 hash of the style. The content security policy allows only this style and the script below,
/// so that provider responses cannot inject code.
const STYLE_HASH: &str = "i5T6gdKwF3NLxEqB114523BD5etGBd+hAZGQwSyhC84=";
const SCRIPT_HASH: &str = "baRuRrqvcJbQyRzdCtEXElU/oV9SLbZhJJqnxvxnRCs=";

/// The bar at the top of the page, which looks like the bar of the broker's pages.
const BAR: &str = "<div class=\"bar\"><div class=\"brand\"><svg viewBox=\"0 0 16 16\" aria-hidden=\"true\" fill=\"none\" \
    stroke=\"currentColor\" stroke-width=\"2.2\"><path stroke-linejoin=\"round\" d=\"M7 2H2.2v12H7M9 2h4.8v12H9\"/><path d=\"M5 8h6\"/></svg>\
    Contract</div></div>";

/// Minimum number of interactions for which the page contains links to the failures.
const MIN_INTERACTIONS_FOR_LINKS: usize = 10;

pub(super) fn write(report: &Report) -> String {
    let mut out = String::new();
    // Writing to a string never fails.
    let _ = page(report, &mut out);
    out
}

fn page(report: &Report, out: &mut String) -> fmt::Result {
    let provider = Escaped(&report.provider);
    let outcome = if report.success { "passed" } else { "failed" };
    writeln!(
        out,
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{STYLE_HASH}'; \
         script-src 'sha256-{SCRIPT_HASH}'; base-uri 'none'; form-action 'none'\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>{provider} {outcome} – contract verification</title>\n<style>{STYLE}</style>\n</head>\n<body>"
    )?;
    header(report, out)?;
    out.push_str("<main>\n");
    tools(report, out)?;
    let mut number = 0;
    for contract in &report.contracts {
        section(report, contract, &mut number, out)?;
    }
    writeln!(
        out,
        "</main>\n<footer><p>contract {}</p></footer>\n<script>{SCRIPT}</script>\n</body>\n</html>",
        env!("CARGO_PKG_VERSION")
    )
}

fn header(report: &Report, out: &mut String) -> fmt::Result {
    let summary = &report.summary;
    let class = match (summary.failed, summary.pending) {
        _ if !report.success => "is-failed",
        (0, 0) => "is-passed",
        (0, _) => "is-pending",
        _ => "is-failed",
    };
    writeln!(
        out,
        "{BAR}\n<header>\n<h1>Verification of {}</h1>\n<p class=\"verdict {class}\">{}</p>\n<ul class=\"counts\">",
        Escaped(&report.provider),
        Escaped(report.verdict())
    )?;
    for (count, word) in report.summary.counts() {
        writeln!(out, "<li><b>{count}</b> {word}</li>")?;
    }
    writeln!(out, "<li><b>{}</b></li>\n</ul>", duration(summary.duration_ms))?;
    about(report, out)?;
    if !report.warnings.is_empty() {
        out.push_str("<ul class=\"warnings\" aria-label=\"Warnings\">\n");
        for warning in &report.warnings {
            writeln!(out, "<li>{}</li>", Escaped(warning))?;
        }
        out.push_str("</ul>\n");
    }
    if let Some(publication) = &report.publication {
        writeln!(
            out,
            "<p class=\"soft\">{}</p>",
            Escaped(publication.message(&report.provider))
        )?;
    }
    failed(report, out)?;
    out.push_str("</header>\n");
    Ok(())
}

fn about(report: &Report, out: &mut String) -> fmt::Result {
    let publication = report.publication.as_ref();
    let version = report.provider_version.as_ref().or(publication.map(|one| &one.version));
    let branch = report
        .provider_branch
        .as_ref()
        .or(publication.and_then(|one| one.branch.as_ref()));
    let facts = [("Date", report.date.as_ref()), ("Version", version), ("Branch", branch)];
    let build = report.build_url.as_deref();
    if build.is_none() && facts.iter().all(|(_, value)| value.is_none()) {
        return Ok(());
    }
    out.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        if let Some(value) = value {
            writeln!(out, "<dt>{name}</dt><dd>{}</dd>", Escaped(value))?;
        }
    }
    if let Some(url) = build {
        let url = Escaped(url).to_string();
        // URLs with other schemes, such as `javascript:`, must not become links.
        if ["http://", "https://"].iter().any(|scheme| url.starts_with(scheme)) {
            writeln!(out, "<dt>Build</dt><dd><a href=\"{url}\">{url}</a></dd>")?;
        } else {
            writeln!(out, "<dt>Build</dt><dd>{url}</dd>")?;
        }
    }
    out.push_str("</dl>\n");
    Ok(())
}

/// Writes links to the failures, with which they can be found in a long report.
fn failed(report: &Report, out: &mut String) -> fmt::Result {
    let total = report.summary.total;
    if report.summary.failed == 0 || total < MIN_INTERACTIONS_FOR_LINKS {
        return Ok(());
    }
    out.push_str("<nav aria-label=\"Failures\">\n<h2>Failures</h2>\n<ol>\n");
    let all = report.interactions().enumerate();
    for (at, (contract, interaction)) in all.filter(|(_, (_, one))| one.status == Status::Failed) {
        writeln!(
            out,
            "<li>{}: <a href=\"#interaction-{}\">{}</a></li>",
            Escaped(&contract.consumer),
            at + 1,
            Escaped(&interaction.description)
        )?;
    }
    out.push_str("</ol>\n</nav>\n");
    Ok(())
}

/// Writes the filter controls. They are hidden until the script runs.
fn tools(report: &Report, out: &mut String) -> fmt::Result {
    out.push_str(
        "<div class=\"tools\" id=\"tools\" role=\"search\" hidden>\n\
         <input type=\"search\" id=\"search\" placeholder=\"Search (press /)\" aria-label=\"Search interactions\">\n\
         <fieldset aria-label=\"Show\">\n",
    );
    for status in [Status::Failed, Status::Pending, Status::Passed, Status::Skipped] {
        if report.of_status(status).next().is_some() {
            let word = word(status);
            writeln!(
                out,
                "<label><input type=\"checkbox\" value=\"{word}\" checked> {word}</label>"
            )?;
        }
    }
    out.push_str(
        "</fieldset>\n<button type=\"button\" value=\"open\">Open all</button>\n\
         <button type=\"button\" value=\"close\">Close all</button>\n\
         <span id=\"shown\" class=\"soft\" role=\"status\"></span>\n</div>\n",
    );
    Ok(())
}

fn section(report: &Report, contract: &ContractReport, number: &mut usize, out: &mut String) -> fmt::Result {
    let pending = match contract.state() {
        Some(state) => format!(" <span class=\"badge is-pending\">{state}</span>"),
        None => String::new(),
    };
    writeln!(
        out,
        "<section>\n<h2>{} - {}{pending}</h2>\n<p class=\"soft\"><code>{}</code></p>",
        Escaped(&contract.consumer),
        Escaped(&contract.provider),
        Escaped(&contract.source)
    )?;
    let selection_reason = contract.selection_reason();
    notes(
        selection_reason
            .as_deref()
            .into_iter()
            .chain(contract.notices_of(NoticeTime::Before)),
        out,
    )?;
    for interaction in &contract.interactions {
        *number += 1;
        self::interaction(report, interaction, *number, out)?;
    }
    let published = contract.publication_summary();
    notes(contract.notices_of(NoticeTime::After).chain(published.as_deref()), out)?;
    out.push_str("</section>\n");
    Ok(())
}

fn notes<'a>(texts: impl Iterator<Item = &'a str>, out: &mut String) -> fmt::Result {
    for text in texts {
        out.push_str("<p class=\"soft\">");
        for (at, line) in text.lines().enumerate() {
            if at > 0 {
                out.push_str("<br>");
            }
            write!(out, "{}", Escaped(line.trim_end()))?;
        }
        out.push_str("</p>\n");
    }
    Ok(())
}

fn interaction(report: &Report, interaction: &InteractionReport, number: usize, out: &mut String) -> fmt::Result {
    let word = word(interaction.status);
    let open = if interaction.status == Status::Failed {
        " open"
    } else {
        ""
    };
    writeln!(
        out,
        "<details class=\"interaction {word}\" id=\"interaction-{number}\" data-status=\"{word}\"{open}>\n<summary>\
         <span class=\"badge is-{word}\">{word}</span> <h3 class=\"what\">{}",
        Escaped(&interaction.description)
    )?;
    if !interaction.states.is_empty() {
        writeln!(
            out,
            "<span class=\"given\">Given {}</span>",
            Escaped(interaction.state_names())
        )?;
    }
    writeln!(
        out,
        "</h3> <span class=\"time\">{}</span></summary>\n<div class=\"inside\">",
        duration(interaction.duration_ms)
    )?;
    facts(interaction, out)?;
    checks(interaction, out)?;
    for failure in &interaction.failures() {
        part(failure, out)?;
    }
    if !interaction.output.is_empty() {
        writeln!(
            out,
            "<h4>{}</h4>\n<pre class=\"wrap\">{}</pre>",
            OUTPUT_HEADING.trim_end_matches(':'),
            Escaped(interaction.output.join("\n"))
        )?;
    }
    if let Some(request) = &interaction.request {
        view("Request", &request.view(), out)?;
    }
    if let Some(response) = &interaction.response {
        let title = if response.status.is_none() {
            "Message"
        } else {
            "Response"
        };
        view(title, &response.view(), out)?;
    }
    if matches!(interaction.status, Status::Failed | Status::Pending)
        && let Some(command) = interaction.rerun_command(report.command.as_deref())
    {
        writeln!(
            out,
            "<h4>Run only this interaction</h4>\n<div class=\"again\"><pre class=\"wrap\">{}</pre>\
             <button type=\"button\" hidden>Copy</button></div>",
            Escaped(command)
        )?;
    }
    out.push_str("</div>\n</details>\n");
    Ok(())
}

fn facts(interaction: &InteractionReport, out: &mut String) -> fmt::Result {
    out.push_str("<dl class=\"facts\">\n");
    for state in &interaction.states {
        write!(out, "<dt>Provider state</dt><dd>{}", Escaped(&state.name))?;
        if let Some(parameters) = parameters(state) {
            write!(out, " <code>{}</code>", Escaped(parameters))?;
        }
        out.push_str("</dd>\n");
    }
    if let Some(name) = &interaction.test_name {
        writeln!(out, "<dt>Test</dt><dd>{}</dd>", Escaped(name))?;
    }
    for comment in interaction.texts() {
        writeln!(out, "<dt>Comment</dt><dd>{}</dd>", Escaped(comment))?;
    }
    if let Some(request) = &interaction.request {
        writeln!(
            out,
            "<dt>Request</dt><dd><code>{}</code></dd>",
            Escaped(request.first_line())
        )?;
    }
    writeln!(out, "<dt>Kind</dt><dd>{}</dd>", Escaped(&interaction.kind))?;
    if interaction.pending {
        out.push_str("<dt>Pending</dt><dd>failures do not fail the verification</dd>\n");
    }
    if interaction.status == Status::Skipped {
        out.push_str("<dt>Skipped</dt><dd>an earlier interaction failed</dd>\n");
    }
    out.push_str("</dl>\n");
    Ok(())
}

fn checks(interaction: &InteractionReport, out: &mut String) -> fmt::Result {
    let checks = interaction.checks();
    if checks.is_empty() {
        return Ok(());
    }
    out.push_str("<h4>Expected</h4>\n<ul class=\"plain\">\n");
    for check in &checks {
        let (class, mark, word) = if check.is_ok {
            ("ok", "✓", "OK")
        } else {
            ("wrong", "✗", "FAILED")
        };
        writeln!(
            out,
            "<li class=\"{class}\"><span class=\"mark\" aria-hidden=\"true\">{mark}</span>{} \
             <span class=\"word\">({word})</span></li>",
            Escaped(&check.part)
        )?;
    }
    out.push_str("</ul>\n");
    Ok(())
}

fn part(failure: &PartFailure<'_>, out: &mut String) -> fmt::Result {
    writeln!(out, "<h4 class=\"part\">{}</h4>", failure.title)?;
    if let Some(error) = failure.error {
        writeln!(
            out,
            "<pre class=\"wrap\">{}</pre>\n<p class=\"soft\">{}</p>",
            Escaped(&error.message),
            Escaped(error.code.as_str())
        )?;
    }
    if !failure.findings.is_empty() {
        out.push_str("<ul class=\"plain\">\n");
        for finding in failure.listed() {
            out.push_str("<li>");
            if let Some(place) = finding.place_if_unnamed() {
                write!(out, "<code>{}</code> ", Escaped(place))?;
            }
            write!(out, "{}", Escaped(&finding.sentence))?;
            let explanation = &*failure.explanation(finding);
            if !explanation.is_empty() {
                lines(explanation, out)?;
            }
            out.push_str("</li>\n");
        }
        if let Some(more) = failure.omitted_count() {
            writeln!(out, "<li class=\"soft\">… and {more} more</li>")?;
        }
        out.push_str("</ul>\n");
    }
    if let Some((title, body)) = failure.response_excerpt() {
        writeln!(
            out,
            "<p class=\"soft\">{}</p>\n<pre class=\"wrap\">{}</pre>",
            Escaped(title),
            Escaped(body)
        )?;
    }
    if let Some(diff) = failure.diff {
        out.push_str("<p class=\"legend\"><span class=\"expected\">- expected</span> <span class=\"actual\">+ actual</span></p>\n");
        lines(diff, out)?;
    }
    Ok(())
}

/// Writes lines of text and highlights those that start with `-` or `+`.
fn lines(text: &str, out: &mut String) -> fmt::Result {
    if !text.contains('\n') {
        return writeln!(out, "<p class=\"soft\">{}</p>", Escaped(text));
    }
    if !text.lines().any(|line| line.starts_with(['-', '+'])) {
        return writeln!(out, "<pre class=\"wrap\">{}</pre>", Escaped(text));
    }
    out.push_str("<pre class=\"diff\" tabindex=\"0\">");
    for line in text.lines() {
        let class = match line.as_bytes().first() {
            Some(b'-') => " class=\"expected\"",
            Some(b'+') => " class=\"actual\"",
            _ => "",
        };
        let line = if line.is_empty() { " " } else { line };
        write!(out, "<span{class}>{}</span>", Escaped(line))?;
    }
    out.push_str("</pre>\n");
    Ok(())
}

fn view(title: &str, view: &MessageView<'_>, out: &mut String) -> fmt::Result {
    if !view.has_details() {
        return Ok(());
    }
    writeln!(out, "<details class=\"exchange\">\n<summary>{title}</summary>")?;
    let mut text = String::new();
    if !view.first_line.is_empty() {
        writeln!(text, "{}", view.first_line)?;
    }
    for (name, value) in &view.headers {
        writeln!(text, "{name}: {value}")?;
    }
    if let Some(body) = &view.body {
        let note = if body.is_text() { "" } else { "(binary, base64)\n" };
        write!(text, "\n{note}{}", body.content)?;
        if body.truncated {
            write!(text, "\n… ({} bytes in total)", body.size)?;
        }
    }
    writeln!(
        out,
        "<pre class=\"wrap\" tabindex=\"0\">{}</pre>\n</details>",
        Escaped(text.trim_end())
    )
}

fn word(status: Status) -> &'static str {
    match status {
        Status::Passed => "passed",
        Status::Failed => "failed",
        Status::Pending => "pending",
        Status::Skipped => "skipped",
    }
}
