//! Renders the matrix, which shows the versions that work together.

use maud::{Markup, html};

use crate::icons::{icon, line};
use crate::layout::{Section, Shell, page};
use crate::pages::can_i_deploy::Verdict;
use crate::parts::{
    Column, Paths, Status, Table, VersionLabel, application_list, badge, cell, command, empty, group_row, name,
    options, version, when,
};

/// The kinds of selectors: pairs of the value in the URL and the displayed title.
const KINDS: [(&str, &str); 7] = [
    ("", "All versions"),
    ("version", "Version"),
    ("latest", "Latest"),
    ("branch", "Branch"),
    ("main", "Main branch"),
    ("tag", "Tag"),
    ("environment", "Environment"),
];
/// Minimum number of selectors that the form shows.
const SELECTORS: usize = 2;

#[derive(Debug, Default)]
pub struct Matrix {
    pub selectors: Vec<Selector>,
    pub latest_by: String,
    pub environment: String,
    /// The results to show: `true`, `false`, or `null` for rows without a result. If empty, all rows are shown.
    pub success: Vec<String>,
    pub limit: i64,
    pub applications: Vec<String>,
    pub environments: Vec<String>,
    pub errors: Vec<String>,
    pub answer: Option<Answer>,
    /// The URL of the query, which API clients can use as well.
    pub url: String,
}

/// Selects versions of an application. `kind` is for example `version` or `branch`, and `value` is the number or name.
#[derive(Clone, Debug, Default)]
pub struct Selector {
    pub pacticipant: String,
    pub kind: String,
    pub value: String,
}

#[derive(Debug)]
pub struct Answer {
    /// The verdict and the sentence below it, or `None` if the query covers the history and not a deployment.
    pub verdict: Option<(Verdict, String)>,
    pub rows: Vec<Row>,
    pub is_truncated: bool,
}

/// A row of the matrix: a contract, and its result for a provider version if there is one.
#[derive(Debug)]
pub struct Row {
    pub consumer: VersionLabel,
    pub provider: String,
    /// The provider version that published the result, or `None` if there is no result.
    pub version: Option<VersionLabel>,
    pub status: Status,
    pub sha: String,
    pub at: Option<i64>,
    pub is_ignored: bool,
}

impl Matrix {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            div class="head" {
                h1 { "Matrix" }
                p class="lede" { "Which versions of your applications work together." }
            }
            (self.form(shell))
            @if !self.errors.is_empty() {
                div class="notice" data-status="failed" role="alert" {
                    (icon("failed")) div { @for error in &self.errors { p { (error) } } }
                }
            }
            @if let Some(answer) = &self.answer { (self.show_answer(answer, shell)) }
        };
        page(shell, Section::Matrix, "Matrix", &main)
    }

    fn form(&self, shell: &Shell) -> Markup {
        let count = self.selectors.len().max(SELECTORS);
        let none = Selector::default();
        let environments = self.environments.iter().map(|name| (name.as_str(), name.as_str()));
        let is_checked = |value: &str| self.success.is_empty() || self.success.iter().any(|known| known == value);
        html! {
            form class="panel" action={ (shell.root) "/matrix" } {
                div class="panel-pad stack" {
                    @for number in 0..count {
                        (selector(number + 1, self.selectors.get(number).unwrap_or(&none)))
                    }
                    (application_list("apps", &self.applications))
                    div class="row" { button class="btn" name="add" value="1" { "Add an application" } }
                }
                div class="panel-foot filters" {
                    div class="field" {
                        label for="latestby" { "Show" }
                        select id="latestby" name="latestby" {
                            (options(&self.latest_by, [
                                ("cvpv", "Latest result of each pair of versions"),
                                ("cvp", "Latest result of each consumer version"),
                                ("", "All results"),
                            ]))
                        }
                    }
                    @if !self.environments.is_empty() {
                        div class="field" {
                            label for="to" { "Deployed together with" }
                            select id="to" name="environment" {
                                (options(&self.environment, std::iter::once(("", "Nothing else")).chain(environments)))
                            }
                        }
                    }
                    fieldset class="field" {
                        legend { "Result" }
                        div class="row" {
                            @for (value, title) in [("true", "Verified"), ("false", "Failed"), ("null", "No result")] {
                                label class="check" { input type="checkbox" name="success[]" value=(value) checked[is_checked(value)]; (title) }
                            }
                        }
                    }
                    div class="field" {
                        label for="limit" { "Limit" }
                        select id="limit" name="limit" { (options(&self.limit.to_string(), [("50", "50"), ("100", "100"), ("500", "500"), ("1000", "1000")])) }
                    }
                    button class="btn btn-main" { "Show" }
                }
            }
        }
    }

    fn show_answer(&self, answer: &Answer, shell: &Shell) -> Markup {
        html! {
            @match &answer.verdict {
                Some((verdict, reason)) => p class="panel verdict-line" data-status=(verdict.name()) {
                    (icon(verdict.icon())) strong { (verdict.title()) } span { (reason) }
                },
                None => p class="panel verdict-line" data-status="unknown" {
                    (icon("unknown")) strong { "No verdict" }
                    span { "The query covers all versions of each application. Choose a version to get a verdict." }
                },
            }
            section aria-labelledby="rows-h" {
                div class="section" {
                    h2 id="rows-h" { "Results " span class="count" { (answer.rows.len()) } }
                    @if answer.is_truncated { p { "Only the first " (answer.rows.len()) ". Increase the limit to see more." } }
                }
                div class="panel" {
                    @if answer.rows.is_empty() {
                        (empty("No results", &html! { "No contracts were found for these versions." }))
                    } @else {
                        (table(&answer.rows, shell))
                    }
                }
            }
            section class="part" {
                h2 { "Share this query" }
                (command("share", &self.url))
                p class="small muted" { "API clients receive JSON from the same URL." }
            }
        }
    }
}

fn selector(number: usize, selector: &Selector) -> Markup {
    let id = |part: &str| format!("q{number}-{part}");
    html! {
        fieldset class="row" {
            legend class="vh" { "Application " (number) }
            div class="field grow" {
                label for=(id("name")) { "Application " (number) }
                input id=(id("name")) name="q[][pacticipant]" value=(selector.pacticipant) list="apps" autocomplete="off";
            }
            div class="field" {
                label for=(id("by")) { "Versions" }
                select id=(id("by")) name="q[][by]" { (options(&selector.kind, KINDS)) }
            }
            div class="field" {
                label for=(id("value")) { "Value" }
                input id=(id("value")) name="q[][value]" value=(selector.value) autocomplete="off";
            }
        }
    }
}

fn table(rows: &[Row], shell: &Shell) -> Markup {
    let paths = Paths(&shell.root);
    let columns = [
        Column::new("Consumer version", "c32"),
        Column::hidden("Link", "c8"),
        Column::new("Provider version", "c28"),
        Column::new("Result", "c18"),
        Column::new("Verified", "c14 num"),
    ];
    let table = Table {
        caption: "Results between versions",
        columns: &columns,
        sorting: None,
        class: "",
        id: None,
    };
    // Rows with the same content are one group.
    let groups = rows.chunk_by(|one, other| {
        (&one.consumer.pacticipant, &one.provider, &one.sha)
            == (&other.consumer.pacticipant, &other.provider, &other.sha)
    });
    table.show(&html! {
        @for group in groups {
            @let first = &group[0];
            @let versions: std::collections::BTreeSet<&str> = group.iter().map(|row| row.consumer.number.as_str()).collect();
            (group_row(5, &html! {
                (name(&first.consumer.pacticipant)) " to " (name(&first.provider)) ": content of " (first.consumer.number)
                @if versions.len() > 1 { " and " (versions.len() - 1) " more" }
            }))
            @for row in group { (row.show(paths, shell.now)) }
        }
    })
}

impl Row {
    fn show(&self, paths: Paths<'_>, now: i64) -> Markup {
        let pact = paths.pact(&self.consumer.pacticipant, &self.provider, &self.consumer.number);
        html! {
            tr role="row" data-status=[self.status.is_failed().then_some("failed")] {
                th scope="row" role="rowheader" class="full" { (version(paths, &self.consumer)) }
                (cell("mid", &line(self.status.name())))
                (cell("", &html! {
                    @match &self.version { Some(label) => (version(paths, label)), None => span class="muted" { "no version yet" } }
                }))
                (cell("", &html! {
                    a class="plain" href=(pact) { (badge(self.status, self.is_ignored.then_some("ignored"))) }
                }))
                (when(self.at, now))
            }
        }
    }
}
