//! JUnit's XML: a suite per contract, a test case per interaction.

use std::fmt::Write;

use super::Status;
use super::document::{Contract, Document, Interaction};
use crate::escape::{Attribute, Escaped};

/// Counts as JUnit has them: what differs is a failure, what could not be compared is an error.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
    milliseconds: f64,
}

pub(super) fn write(document: &Document<'_>) -> String {
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    // Writing to a text cannot fail.
    let _ = testsuites(document, &mut out);
    out
}

fn testsuites(document: &Document<'_>, out: &mut String) -> std::fmt::Result {
    let all = document.contracts.iter().flat_map(|contract| &contract.interactions);
    let counts = Counts {
        milliseconds: document.summary.duration_ms,
        ..Counts::of(all)
    };
    let name = format!("Verification of {}", document.provider);
    writeln!(out, "<testsuites name=\"{}\" {}>", Attribute(name), counts.attributes())?;
    for contract in &document.contracts {
        testsuite(contract, out)?;
    }
    out.push_str("</testsuites>\n");
    Ok(())
}

fn testsuite(contract: &Contract<'_>, out: &mut String) -> std::fmt::Result {
    let name = format!("Contract between {} and {}", contract.consumer, contract.provider);
    let counts = Counts::of(contract.interactions.iter());
    writeln!(
        out,
        "  <testsuite name=\"{}\" {}>",
        Attribute(name),
        counts.attributes()
    )?;
    out.push_str("    <properties>\n");
    for (name, value) in [
        ("consumer", contract.consumer),
        ("provider", contract.provider),
        ("source", contract.source),
    ] {
        writeln!(out, "      <property name=\"{name}\" value=\"{}\"/>", Attribute(value))?;
    }
    out.push_str("    </properties>\n");
    for interaction in &contract.interactions {
        testcase(contract, interaction, out)?;
    }
    out.push_str("  </testsuite>\n");
    Ok(())
}

fn testcase(contract: &Contract<'_>, interaction: &Interaction<'_>, out: &mut String) -> std::fmt::Result {
    let given = interaction.given();
    // Class and name together are what CI systems know a test by, and descriptions repeat under other states.
    let name = if given.is_empty() {
        interaction.description.to_owned()
    } else {
        format!("{} (given {given})", interaction.description)
    };
    write!(
        out,
        "    <testcase classname=\"{}\" name=\"{}\" time=\"{:.3}\"",
        Attribute(format!("{} - {}", contract.consumer, contract.provider)),
        Attribute(name),
        interaction.duration_ms / 1000.0
    )?;
    let explained = || {
        Escaped(format!(
            "{}Run it again with {}",
            interaction.explained(),
            interaction.run_again
        ))
    };
    match interaction.status {
        Status::Passed => {
            out.push_str("/>\n");
            return Ok(());
        }
        Status::Skipped => {
            out.push_str(">\n      <skipped message=\"was skipped, because an earlier one failed\"/>\n");
        }
        Status::Pending => {
            let message = Attribute(format!(
                "pending, so it does not fail the verification: {}",
                titles(interaction)
            ));
            write!(out, ">\n      <skipped message=\"{message}\"/>\n")?;
            writeln!(out, "      <system-out>{}</system-out>", explained())?;
        }
        Status::Failed => {
            let (element, of) = match error_code(interaction) {
                Some(code) => ("error", code),
                None => ("failure", "mismatch"),
            };
            let message = Attribute(titles(interaction));
            let of = Attribute(of);
            writeln!(
                out,
                ">\n      <{element} type=\"{of}\" message=\"{message}\">{}</{element}>",
                explained()
            )?;
        }
    }
    out.push_str("    </testcase>\n");
    Ok(())
}

/// What failed, in one line: the titles, and what the only failure says.
fn titles(interaction: &Interaction<'_>) -> String {
    let titles: Vec<_> = interaction.parts.iter().map(|part| part.title).collect();
    let detail = match interaction.parts.as_slice() {
        [part] => match (part.error, part.mismatches.as_slice()) {
            (Some((_, message)), _) => message.lines().next(),
            (None, [mismatch]) => Some(&*mismatch.text),
            _ => None,
        },
        _ => None,
    };
    match detail {
        Some(detail) => format!("{}: {detail}", titles.join("; ")),
        None => titles.join("; "),
    }
}

/// The code of what kept the interaction from being compared, unless something differs as well.
fn error_code<'a>(interaction: &Interaction<'a>) -> Option<&'a str> {
    let differs = interaction.parts.iter().any(|part| part.error.is_none());
    let code = interaction
        .parts
        .iter()
        .find_map(|part| part.error.map(|(code, _)| code));
    code.filter(|_| !differs)
}

impl Counts {
    fn of<'a>(interactions: impl Iterator<Item = &'a Interaction<'a>>) -> Self {
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
