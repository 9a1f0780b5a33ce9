//! In which form it is told what came of a command. What the standard output gets is that form alone.

use clap::ValueEnum;
use contract::{BrokerFailure, BrokerReply, Json, Object, harmless_json, harmless_text, indented_text};

use super::table;
use crate::terminal;

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Tables and text
    #[value(alias = "text")]
    Table,
    /// The broker's document as JSON
    #[value(alias = "pretty")]
    Json,
    /// One line of JSON per item
    Ndjson,
    /// JUnit XML for CI systems
    Junit,
    /// Annotations and job summary for GitHub Actions
    Github,
    /// Only the number or UUID
    Id,
}

/// How a command ended.
pub(super) struct Ended<'a> {
    pub(super) command: &'static str,
    /// What came of it, if it came to an end.
    pub(super) reply: Option<&'a BrokerReply>,
    /// The same for people.
    pub(super) text: String,
    /// What it consists of, each a test of its own; none: the command itself.
    pub(super) cases: Vec<Case>,
    /// Why it had no success.
    pub(super) failure: Option<Failure<'a>>,
}

/// One thing that can be well or not.
pub(super) struct Case {
    pub(super) name: String,
    /// Why not.
    pub(super) problem: Option<String>,
}

/// Why a command had no success.
pub(super) struct Failure<'a> {
    pub(super) text: String,
    pub(super) data: Option<&'a BrokerFailure>,
}

impl Ended<'_> {
    pub(super) fn print(&self, format: Format) {
        match format {
            Format::Table => self.print_text(),
            Format::Json => {
                if let Some(json) = self.json() {
                    let text = json.to_layout(contract::Layout::Pretty);
                    terminal::print(&format!("{}\n", harmless_json(&text)));
                }
            }
            Format::Ndjson => self.print_lines(),
            Format::Junit => terminal::print(&self.junit()),
            Format::Github => self.print_github(),
            Format::Id => self.print_id(),
        }
        // What a table tells, it tells once.
        let is_told = format == Format::Table && !self.text.is_empty();
        if let Some(failure) = self.failure.as_ref().filter(|_| !is_told) {
            terminal::error(&failure.text);
            for notice in failure.data.map(BrokerFailure::notices).unwrap_or_default() {
                terminal::log(&format!("  {}", indented_text(&notice.text, "  ")));
            }
        }
    }

    fn print_text(&self) {
        if !self.text.is_empty() {
            terminal::print(&self.text);
        }
    }

    /// The document, or why there is none.
    fn json(&self) -> Option<Json> {
        self.reply.map(|reply| reply.document.clone()).or_else(|| self.error())
    }

    fn error(&self) -> Option<Json> {
        let failure = self.failure.as_ref()?;
        let mut error = Object::new();
        error.insert("code", failure.data.map_or("ERR_CONTRACT_OPTIONS", BrokerFailure::code));
        error.insert("message", failure.text.as_str());
        if let Some(data) = failure.data {
            for (name, value) in data.details() {
                error.insert(name, value);
            }
        }
        let mut out = Object::new();
        out.insert("error", error);
        Some(out.into())
    }

    fn print_lines(&self) {
        let Some(reply) = self.reply else {
            if let Some(error) = self.error() {
                terminal::print(&format!("{}\n", harmless_json(&error.to_text())));
            }
            return;
        };
        let lines: Vec<String> = match &reply.value {
            Json::Array(items) => items.iter().map(Json::to_text).collect(),
            // The pairs, and the verdict behind them.
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
        terminal::print(&harmless_json(&text));
    }

    fn print_id(&self) {
        let Some(reply) = self.reply else { return };
        let items = reply.value.as_array().unwrap_or(std::slice::from_ref(&reply.value));
        for item in items {
            let id = ["uuid", "number", "version", "name", "url"]
                .iter()
                .find_map(|name| item.get(name));
            if let Some(id) = id {
                terminal::print(&format!("{}\n", table::cell(Some(id))));
            }
        }
    }

    /// What stands in reports: the cases, or the command itself.
    fn told_cases(&self) -> Vec<Case> {
        let failure = self.failure.as_ref().map(|failure| failure.text.clone());
        let mut cases: Vec<Case> = self
            .cases
            .iter()
            .map(|case| Case {
                name: case.name.clone(),
                problem: case.problem.clone(),
            })
            .collect();
        let is_told = cases.iter().any(|case| case.problem.is_some());
        if cases.is_empty() || (failure.is_some() && !is_told) {
            cases.push(Case {
                name: self.command.to_owned(),
                problem: failure,
            });
        }
        cases
    }

    fn junit(&self) -> String {
        let cases = self.told_cases();
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

    fn print_github(&self) {
        let mut out = String::new();
        for case in self.told_cases() {
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
        let summary = std::env::var_os("GITHUB_STEP_SUMMARY").filter(|path| !path.is_empty());
        if let Some(path) = summary {
            let text = if self.text.is_empty() {
                self.failure
                    .as_ref()
                    .map(|failure| failure.text.clone())
                    .unwrap_or_default()
            } else {
                self.text.clone()
            };
            // A fence that the text cannot close.
            let text = harmless_text(&text).replace("```", "'''");
            let block = format!(
                "### contract-broker {}\n\n```\n{}\n```\n",
                self.command,
                text.trim_end()
            );
            if let Err(problem) = append(std::path::Path::new(&path), &block) {
                terminal::error(&problem);
            }
        }
    }
}

/// Other steps of the job may have written there.
fn append(path: &std::path::Path, text: &str) -> Result<(), String> {
    use std::io::Write as _;
    contract::open_to_append(path)
        .and_then(|mut file| file.write_all(text.as_bytes()))
        .map_err(|error| contract::file_problem(path, "add to the summary", &error))
}

/// Text in XML; what XML cannot hold is left out.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in harmless_text(text).chars() {
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

/// Text in a command to GitHub. Whoever reads the log sees what others wrote in it, and nothing of it acts on their terminal.
fn command_data(text: &str) -> String {
    harmless_text(text)
        .replace('%', "%25")
        .replace('\r', "%0D")
        .replace('\n', "%0A")
}

fn command_property(text: &str) -> String {
    command_data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{Case, Ended, Failure, command_property, escaped};

    #[test]
    fn reports_hold_what_others_wrote() {
        assert_eq!(escaped("a<b>&\"\u{1b}[1m"), escaped("a<b>&\"\u{1b}[1m"));
        assert!(!escaped("<script>\u{0}").contains(['<', '\u{0}']));
        assert_eq!(
            command_property("a:b,c\n::error::\u{1b}[2J\u{202e}"),
            "a%3Ab%2Cc%0A\\%3A%3Aerror%3A%3A␛[2J\\u{202e}"
        );
    }

    #[test]
    fn every_case_is_a_test() {
        let ended = Ended {
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
            failure: Some(Failure {
                text: "no".to_owned(),
                data: None,
            }),
        };
        let junit = ended.junit();
        assert!(junit.contains("tests=\"2\" failures=\"1\""), "{junit}");
        assert!(junit.contains("<failure message=\"no &lt;result&gt;\">"), "{junit}");
    }
}
