use std::fmt;
use std::str::FromStr;

use contract_model::{Json, Layout};

use super::{Report, github, html, junit, markdown};

/// The format of a report file. For terminals, use [`Report::to_text`](crate::Report::to_text).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ReportFormat {
    /// The report as JSON; see [`FORMAT_VERSION`](crate::FORMAT_VERSION).
    Json,
    /// JUnit XML, which CI systems display.
    Junit,
    /// Markdown, for the summary of a CI job.
    Markdown,
    /// A self-contained HTML page.
    Html,
    /// Workflow commands that GitHub Actions displays as annotations when a job prints them.
    Github,
}

impl ReportFormat {
    pub const ALL: [Self; 5] = [Self::Json, Self::Junit, Self::Markdown, Self::Html, Self::Github];

    /// Returns the name of the format: `json`, `junit`, `markdown`, `html`, or `github`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Json => "json",
            Self::Junit => "junit",
            Self::Markdown => "markdown",
            Self::Html => "html",
            Self::Github => "github",
        }
    }

    pub fn write(self, report: &Report) -> String {
        match self {
            Self::Json => json(report),
            Self::Junit => junit::write(report),
            Self::Markdown => markdown::write(report),
            Self::Html => html::write(report),
            Self::Github => github::write(report),
        }
    }
}

fn json(report: &Report) -> String {
    let text = serde_json::to_vec(report).unwrap_or_default();
    let json = Json::parse(&text).unwrap_or_default();
    json.to_layout(Layout::Pretty) + "\n"
}

impl fmt::Display for ReportFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The name of an unknown report format.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown report format {0:?}; valid formats are json, junit, markdown, html, and github")]
pub struct UnknownFormat(pub String);

impl FromStr for ReportFormat {
    type Err = UnknownFormat;

    fn from_str(name: &str) -> Result<Self, UnknownFormat> {
        let format = Self::ALL.into_iter().find(|format| format.name() == name);
        format.ok_or_else(|| UnknownFormat(name.to_owned()))
    }
}
