//! Writes to standard output and standard error.

use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};

use clap::builder::styling::AnsiColor;

use crate::error::CliError;
use crate::exit_code::ExitCode;

static HAS_LOST_OUTPUT: AtomicBool = AtomicBool::new(false);

/// Writes to standard output. If this fails, for example because the disk is full, prints an error once. A closed pipe
/// is not an error, because readers such as `head` stop reading early.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    if let Err(error) = out.write_all(text.as_bytes()).and_then(|()| out.flush())
        && error.kind() != ErrorKind::BrokenPipe
        && !HAS_LOST_OUTPUT.swap(true, Ordering::Relaxed)
    {
        print_error(&format!("could not write to standard output: {error}"));
    }
}

/// Returns true if output could not be written.
pub(crate) fn has_lost_output() -> bool {
    HAS_LOST_OUTPUT.load(Ordering::Relaxed)
}

/// Prints an error to standard error, and returns its exit code.
pub(crate) fn fail(error: &CliError) -> ExitCode {
    print_error(&error.to_string());
    ExitCode::from(error.exit_code)
}

/// Prints an error to standard error in clap's format. Escapes the message, which may contain untrusted text from
/// contracts and brokers.
pub(crate) fn print_error(message: &str) {
    let label = if is_colored(false, std::io::stderr().is_terminal()) {
        let red = AnsiColor::Red.on_default().bold();
        format!("{red}error:{red:#}")
    } else {
        "error:".to_owned()
    };
    let _ = writeln!(std::io::stderr(), "{label} {}", contract::escape_text(message));
}

/// Returns true if output is colored. `is_disabled` takes precedence, then `NO_COLOR`, then `FORCE_COLOR`. Otherwise,
/// the output must be a terminal, and `TERM` must not be `dumb`.
pub(crate) fn is_colored(is_disabled: bool, is_terminal: bool) -> bool {
    !is_disabled && is_colored_by(is_terminal, |name| std::env::var(name).ok())
}

fn is_colored_by(is_terminal: bool, variable: impl Fn(&str) -> Option<String>) -> bool {
    let set = |name| variable(name).filter(|value| !value.is_empty());
    if set("NO_COLOR").is_some() {
        return false;
    }
    match set("FORCE_COLOR").as_deref() {
        Some("0" | "false") => false,
        Some(_) => true,
        None => is_terminal && set("TERM").as_deref() != Some("dumb"),
    }
}

/// Writes a line to standard error with a single call, so that lines from several threads are not mixed.
pub(crate) fn log(line: &str) {
    let mut out = std::io::stderr().lock();
    let _ = out.write_all(format!("{line}\n").as_bytes());
}

/// Returns the names used in advice, from `fixtures/operations/advice.json`.
#[cfg(test)]
pub(crate) fn advice(subject: &str, kind: &str) -> Vec<String> {
    let table = include_str!("../../../fixtures/operations/advice.json");
    let table = contract::parse_json(table).expect("a JSON document");
    let rows = table.as_array().expect("an array").iter();
    let row = rows.filter(|row| row.get("of").and_then(contract::Json::as_str) == Some(subject));
    let names = row.flat_map(|row| row.get(kind).and_then(contract::Json::as_array).unwrap_or_default());
    names.filter_map(|name| name.as_str().map(str::to_owned)).collect()
}

#[cfg(test)]
mod tests {
    use super::is_colored_by;

    #[test]
    fn colors_depend_on_the_terminal_and_the_environment() {
        for (is_terminal, set, expected) in [
            (true, ("TERM", "xterm"), true),
            (true, ("TERM", "dumb"), false),
            (false, ("TERM", "xterm"), false),
            (true, ("NO_COLOR", "1"), false),
            (false, ("FORCE_COLOR", "1"), true),
            (true, ("FORCE_COLOR", "0"), false),
        ] {
            let variable = |name: &str| (name == set.0).then(|| set.1.to_owned());
            assert_eq!(is_colored_by(is_terminal, variable), expected, "{set:?}");
        }
    }
}
