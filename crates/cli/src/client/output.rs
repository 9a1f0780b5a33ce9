//! Output formats of commands. Standard output contains only the selected format.

use clap::ValueEnum;
use contract::{BrokerFailure, BrokerReply, Json, Object, Spelling, escape_indented, escape_json, escape_text};

use super::table;
use crate::error::{Result, with_code};
use crate::files::{append_summary, summary_path};
use crate::terminal;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text and tables
    #[value(alias = "text")]
    Table,
    /// The broker's response as JSON
    #[value(alias = "pretty")]
    Json,
    /// JSON, with one item per line
    Ndjson,
    /// JUnit XML for CI systems
    Junit,
    /// Annotations and job summary for GitHub Actions
    Github,
    /// Only the ID, version number, name, or URL of each item, one per line
    Id,
}

pub(super) struct CommandResult<'a> {
    pub(super) command: &'static str,
    /// The broker's response, or `None` if the call failed.
    pub(super) reply: Option<&'a BrokerReply>,
    pub(super) text: String,
    /// Test cases for the formats `junit` and `github`. If empty, the command itself is the only test case.
    pub(super) cases: Vec<Case>,
    pub(super) failure: Option<CommandFailure<'a>>,
}

#[derive(Clone)]
pub(super) struct Case {
    pub(super) name: String,
    /// Reason why the test case failed, or `None` if it passed.
    pub(super) problem: Option<String>,
}

pub(super) struct CommandFailure<'a> {
    message: String,
    /// The error of the call, or `None` if the call succeeded with a negative result, such as "not deployable".
    error: Option<&'a BrokerFailure>,
}

impl<'a> CommandFailure<'a> {
    /// Creates the failure for a call that succeeded with a negative result.
    pub(super) fn negative(message: String) -> Self {
        Self { message, error: None }
    }

    pub(super) fn from_call(error: &'a BrokerFailure, spelling: &dyn Spelling) -> Self {
        Self {
            message: error.text(spelling),
            error: Some(error),
        }
    }
}

impl CommandFailure<'_> {
    /// Returns the message, followed by the error code if there is one.
    fn text(&self) -> String {
        with_code(&self.message, self.error.map(BrokerFailure::code))
    }
}

impl CommandResult<'_> {
    /// Prints the result in the given format. Returns an error if the job summary could not be written.
    pub(super) fn print(&self, format: Format) -> Result<()> {
        let mut written = Ok(());
        match format {
            Format::Table => self.print_text(),
            Format::Json => {
                if let Some(json) = self.json() {
                    let text = json.to_layout(contract::Layout::Pretty);
                    terminal::print(&format!("{}\n", escape_json(&text)));
                }
            }
            Format::Ndjson => self.print_lines(),
            Format::Junit => terminal::print(&self.junit()),
            Format::Github => written = self.print_github(),
            Format::Id => self.print_id(),
        }
        // The text already contains a negative result.
        let is_printed = format == Format::Table && !self.text.is_empty();
        if let Some(failure) = self.failure.as_ref().filter(|_| !is_printed) {
            terminal::print_error(&failure.text());
            for notice in failure.error.map(BrokerFailure::notices).unwrap_or_default() {
                terminal::log(&format!("  {}", escape_indented(&notice.text, "  ")));
            }
        }
        written
    }

    fn print_text(&self) {
        if !self.text.is_empty() {
            terminal::print(&self.text);
        }
    }

    /// Returns the broker's response unchanged, or the error as an object. Returns `None` if there is neither.
    fn json(&self) -> Option<Json> {
        self.reply.map(|reply| reply.document.clone()).or_else(|| self.error())
    }

    fn error(&self) -> Option<Json> {
        let failure = self.failure.as_ref()?;
        let data = failure.error?;
        let mut error = Object::new();
        error.insert("code", data.code());
        error.insert("message", failure.message.as_str());
        for (name, value) in data.details() {
            error.insert(name, value);
        }
        let mut out = Object::new();
        out.insert("error", error);
        Some(out.into())
    }

    fn print_lines(&self) {
        let Some(reply) = self.reply else {
            if let Some(error) = self.error() {
                terminal::print(&format!("{}\n", escape_json(&error.to_text())));
            }
            return;
        };
        let lines: Vec<String> = match &reply.value {
            Json::Array(items) => items.iter().map(Json::to_text).collect(),
            // The pairs, followed by the verdict.
            Json::Object(members) if members.get("rows").is_some() => {
                let rows = members.get("rows").and_then(Json::as_array).unwrap_or_default();
                let mut verdict = members.clone();
                verdict.remove("rows");
                let verdict = Json::from(verdict).to_text();
                rows.iter().map(Json::to_text).chain([verdict]).collect()
            }
            other => vec![other.to_text()],
        };
        let text: String = lines.iter().flat_map(|line| [line.as_str(), "\n"]).collect();
        terminal::print(&escape_json(&text));
    }

    fn print_id(&self) {
        let Some(reply) = self.reply else { return };
        let items = reply.value.as_array().unwrap_or(std::slice::from_ref(&reply.value));
        for item in items {
            let id = ["uuid", "number", "version", "name", "id", "url"]
                .iter()
                .find_map(|name| item.get(name));
            if let Some(id) = id {
                terminal::print(&format!("{}\n", table::cell(Some(id))));
            }
        }
    }

    /// Returns the test cases to print. Adds the command itself if there are none, or if it failed although they all
    /// passed.
    fn reported_cases(&self) -> Vec<Case> {
        let failure = self.failure.as_ref().map(CommandFailure::text);
        let mut cases = self.cases.clone();
        let is_explained = cases.iter().any(|case| case.problem.is_some());
        if cases.is_empty() || (failure.is_some() && !is_explained) {
            cases.push(Case {
                name: self.command.to_owned(),
                problem: failure,
            });
        }
        cases
    }

    fn junit(&self) -> String {
        let cases = self.reported_cases();
        let failures = cases.iter().filter(|case| case.problem.is_some()).count();
        let suite = escaped(self.command);
        let mut out = format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite name=\"contract-broker {suite}\" tests=\"{}\" \
             failures=\"{failures}\" errors=\"0\" skipped=\"0\">\n",
            cases.len()
        );
        for case in cases {
            let head = format!(
                "    <testcase classname=\"contract-broker.{suite}\" name=\"{}\"",
                escaped(&case.name)
            );
            out.push_str(&match case.problem {
                None => format!("{head}/>\n"),
                Some(problem) => {
                    let first = problem.lines().next().unwrap_or_default();
                    format!(
                        "{head}>\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                        escaped(first),
                        escaped(&problem)
                    )
                }
            });
        }
        out.push_str("  </testsuite>\n</testsuites>\n");
        out
    }

    fn print_github(&self) -> Result<()> {
        let mut out = String::new();
        for case in self.reported_cases() {
            if let Some(problem) = case.problem {
                out.push_str(&format!(
                    "::error title={}::{}\n",
                    command_property(&format!("contract-broker {}: {}", self.command, case.name)),
                    command_data(&problem)
                ));
            }
        }
        if out.is_empty() {
            out = format!("::notice title=contract-broker {}::done\n", self.command);
        }
        terminal::print(&out);
        if let Some(path) = summary_path() {
            let text = if self.text.is_empty() {
                let failure = self.failure.as_ref();
                failure.map(CommandFailure::text).unwrap_or_default()
            } else {
                self.text.clone()
            };
            // The text must not close the code block.
            let text = escape_text(&text).replace("```", "'''");
            let block = format!(
                "### contract-broker {}\n\n```\n{}\n```\n",
                self.command,
                text.trim_end()
            );
            append_summary(&path, &block)?;
        }
        Ok(())
    }
}

/// Escapes text for XML, and removes characters that XML does not allow.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in escape_text(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' | '\t' => out.push(character),
            c if c.is_control() => (),
            c => out.push(c),
        }
    }
    out
}

/// Escapes untrusted text for a GitHub Actions workflow command, and for terminals on which its log is shown.
fn command_data(text: &str) -> String {
    escape_text(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{Case, CommandFailure, CommandResult, command_property, escaped};

    #[test]
    fn escapes_untrusted_text() {
        assert_eq!(escaped("a<b>&\"\u{1b}[1m"), escaped("a<b>&\"\u{1b}[1m"));
        assert!(!escaped("<script>\u{0}").contains(['<', '\u{0}']));
        assert_eq!(
            command_property("a:b,c\n::error::\u{1b}[2J\u{202e}"),
            "a%3Ab%2Cc%0A\\%3A%3Aerror%3A%3A␛[2J\\u{202e}"
        );
    }

    #[test]
    fn reports_every_case_as_a_test() {
        let result = CommandResult {
            command: "can-i-deploy",
            reply: None,
            text: String::new(),
            cases: vec![
                Case {
                    name: "web 1 → orders 2".to_owned(),
                    problem: None,
                },
                Case {
                    name: "app 1 → orders 2".to_owned(),
                    problem: Some("no <result>".to_owned()),
                },
            ],
            failure: Some(CommandFailure::negative("no".to_owned())),
        };
        let junit = result.junit();
        assert!(junit.contains("tests=\"2\" failures=\"1\""), "{junit}");
        assert!(junit.contains("<failure message=\"no &lt;result&gt;\">"), "{junit}");
    }
}
