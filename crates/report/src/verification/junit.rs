//! Formats reports as JUnit XML, with a test suite for each contract and a test case for each interaction.

use std::fmt::Write;

use super::origin::NoticeTime;
use super::{ContractReport, InteractionReport, Report, Status};
use crate::escape::{Attribute, Escaped, escape_lines};

/// Numbers of tests by result. In JUnit, mismatches are failures, and interactions that could not be compared are
/// errors.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    milliseconds: f64,
}

pub(super) fn write(report: &Report) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a string never fails.
    let _ = testsuites(report, &mut out);
    out
}

fn testsuites(report: &Report, out: &mut String) -> std::fmt::Result {
    let all = report.contracts.iter().flat_map(|contract| &contract.interactions);
    let mut counts = Counts {
        milliseconds: report.summary.duration_ms,
        ..Counts::from_interactions(all)
    };
    let publication_error = report.publication_error();
    counts.tests += usize::from(publication_error.is_some());
    counts.errors += usize::from(publication_error.is_some());
    let name = format!("Verification of {}", report.provider);
    writeln!(out, "<testsuites name=\"{}\" {}>", Attribute(name), counts.attributes())?;
    for contract in &report.contracts {
        testsuite(report, contract, out)?;
    }
    if let Some(problem) = publication_error {
        // CI systems evaluate only test cases, so a publishing error must be a test case.
        let counts = Counts {
            tests: 1,
            errors: 1,
            ..Counts::default()
        };
        writeln!(
            out,
            "  <testsuite name=\"Publishing results\" {}>\n    <testcase classname=\"{}\" name=\"publish \
             results\" time=\"0.000\">\n      <error type=\"ERR_CONTRACT_PUBLICATION\" message=\"{}\"/>\n    \
             </testcase>\n  </testsuite>",
            counts.attributes(),
            Attribute(&report.provider),
            Attribute(problem)
        )?;
    }
    out.push_str("</testsuites>\n");
    Ok(())
}

fn testsuite(report: &Report, contract: &ContractReport, out: &mut String) -> std::fmt::Result {
    let name = format!("Contract between {} and {}", contract.consumer, contract.provider);
    let counts = Counts::from_interactions(contract.interactions.iter());
    writeln!(
        out,
        "  <testsuite name=\"{}\" {}>",
        Attribute(name),
        counts.attributes()
    )?;
    out.push_str("    <properties>\n");
    for (name, value) in [
        ("consumer", &contract.consumer),
        ("provider", &contract.provider),
        ("source", &contract.source),
    ] {
        writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", Attribute(value))?;
    }
    if let Some(origin) = &contract.origin {
        let state = contract.state().map(str::to_owned);
        for (name, value) in [
            ("origin", Some(origin.kind.name().to_owned())),
            ("broker", origin.broker.clone()),
            ("chosen", contract.selection_reason()),
            ("state", state),
            ("publication", contract.publication_summary()),
        ] {
            if let Some(value) = value {
                writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", Attribute(value))?;
            }
        }
    }
    out.push_str("    </properties>\n");
    for interaction in &contract.interactions {
        testcase(report, contract, interaction, out)?;
    }
    if !contract.notices.is_empty() {
        let notices =
            [NoticeTime::Before, NoticeTime::After].map(|moment| contract.notices_of(moment).collect::<Vec<_>>());
        let lines: Vec<_> = notices.concat().iter().flat_map(|text| escape_lines(text)).collect();
        writeln!(out, "    <system-out>{}</system-out>", Escaped(lines.join("\n")))?;
    }
    out.push_str("  </testsuite>\n");
    Ok(())
}

fn testcase(
    report: &Report,
    contract: &ContractReport,
    interaction: &InteractionReport,
    out: &mut String,
) -> std::fmt::Result {
    let states = interaction.state_names();
    // CI systems identify a test by class and name, and several interactions may have the same description but
    // different provider states.
    let name = if states.is_empty() {
        interaction.description.clone()
    } else {
        format!("{} (given {states})", interaction.description)
    };
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        Attribute(format!("{} - {}", contract.consumer, contract.provider)),
        Attribute(name),
        interaction.duration_ms / 1000.0
    )?;
    let explained = || {
        let rerun = interaction.rerun_command(report.command.as_deref());
        let rerun = rerun.map(|command| format!("Run only this interaction: {command}"));
        Escaped(format!("{}{}", interaction.explained(), rerun.unwrap_or_default()))
    };
    match interaction.status {
        Status::Passed => {
            out.push_str("/>\n");
            return Ok(());
        }
        Status::Skipped => {
            out.push_str(">\n      <skipped message=\"skipped because an earlier interaction failed\"/>\n");
        }
        Status::Pending => {
            let message = Attribute(format!(
                "pending (does not fail the verification): {}",
                titles(interaction)
            ));
            write!(out, ">\n      <skipped message=\"{message}\"/>\n")?;
            writeln!(out, "      <system-out>{}</system-out>", explained())?;
        }
        Status::Failed => {
            let (element, kind) = match error_code(interaction) {
                Some(code) => ("error", code),
                None => ("failure", "mismatch"),
            };
            let message = Attribute(titles(interaction));
            let kind = Attribute(kind);
            writeln!(
                out,
                ">\n      <{element} type=\"{kind}\" message=\"{message}\">{}</{element}>",
                explained()
            )?;
        }
    }
    out.push_str("    </testcase>\n");
    Ok(())
}

/// Summarizes the failures in one line: for each part, its title and first mismatch.
fn titles(interaction: &InteractionReport) -> String {
    let failures = interaction.failures();
    let titles = failures.iter().map(|failure| match failure.line() {
        Some(line) => format!("{}: {line}", failure.title),
        None => failure.title.to_owned(),
    });
    titles.collect::<Vec<_>>().join("; ")
}

fn error_code(interaction: &InteractionReport) -> Option<&'static str> {
    let error = interaction.error.as_ref().or(interaction.teardown_error.as_ref())?;
    interaction.mismatches.is_empty().then(|| error.code.as_str())
}

impl Counts {
    fn from_interactions<'a>(interactions: impl Iterator<Item = &'a InteractionReport>) -> Self {
        interactions.fold(Self::default(), |mut counts, interaction| {
            counts.tests += 1;
            counts.milliseconds += interaction.duration_ms;
            match interaction.status {
                Status::Passed => {}
                Status::Failed if error_code(interaction).is_some() => counts.errors += 1,
                Status::Failed => counts.failures += 1,
                Status::Pending | Status::Skipped => counts.skipped += 1,
            }
            counts
        })
    }

    fn attributes(&self) -> String {
        format!(
            "tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{:.3}\"",
            self.tests,
            self.failures,
            self.errors,
            self.skipped,
            self.milliseconds / 1000.0
        )
    }
}
