//! Renders the overview: the problems that need attention, and the status of each integration.

use maud::{Markup, html};

use crate::address::Query;
use crate::forms::post;
use crate::icons::{icon, line};
use crate::layout::{Section, Shell, page};
use crate::parts::{
    Column, Pages, Paths, Status, Tab, Table, VersionLabel, application, badge, cell, counted, dot, empty_list,
    environment, hidden, name, options, pager, tabs, version_linked, when,
};
use crate::time::ago;

/// Maximum number of problems that are listed.
const MAX_CONCERNS: usize = 5;

#[derive(Debug)]
pub struct Overview {
    pub query: Query,
    pub applications: usize,
    /// The number of integrations for each status.
    pub counts: Vec<(Status, i64)>,
    pub concerns: Vec<Concern>,
    pub rows: Vec<Row>,
    pub pages: Pages,
    /// The value of the `sort` parameter.
    pub sort: String,
    /// The names of the environments that have a column, and whether each is a production environment.
    pub environments: Vec<(String, bool)>,
    /// The names of all environments, including those without a column.
    pub all_environments: Vec<String>,
    pub labels: Vec<String>,
    /// Whether the broker contains sample data.
    pub has_sample: bool,
}

/// A problem that needs attention.
#[derive(Debug)]
pub struct Concern {
    pub status: Status,
    pub title: Markup,
    pub text: Markup,
    pub owner: String,
    pub at: i64,
    pub href: String,
    pub action: &'static str,
}

/// A row of the table: an integration, and the status of its current contract.
#[derive(Clone, Debug)]
pub struct Row {
    pub consumer: String,
    pub provider: String,
    pub status: Status,
    /// How many interactions failed, such as `1 of 8`, or `None` if this is unknown.
    pub detail: Option<String>,
    pub version: VersionLabel,
    pub updated_at: i64,
    /// One entry for each environment with a column: the status, or `None` if both applications do not run together
    /// there.
    pub environments: Vec<Option<Status>>,
}

impl Overview {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            div class="head" { h1 { "Overview" } p class="lede" { (self.summary()) } }
            @if self.has_sample { (sample(shell)) }
            @if !self.concerns.is_empty() { (self.attention(shell)) }
            (self.integrations(shell))
        };
        page(shell, Section::Overview, "Overview", &main)
    }

    pub fn is_known_environment(&self) -> bool {
        let chosen = self.query.value("environment");
        chosen.is_empty() || self.all_environments.iter().any(|known| known == chosen)
    }

    fn total(&self) -> i64 {
        self.counts.iter().map(|(_, count)| count).sum()
    }

    fn summary(&self) -> String {
        let total = usize::try_from(self.total()).unwrap_or(0);
        let count = |statuses: &[Status]| -> i64 {
            let counts = self.counts.iter().filter(|(status, _)| statuses.contains(status));
            counts.map(|(_, count)| count).sum()
        };
        let (verified, failed) = (count(&[Status::Verified]), count(&[Status::Failed]));
        let unverified = self.total() - verified - failed;
        format!(
            "{} between {}: {verified} verified, {failed} failed, {unverified} not yet verified.",
            counted(total, "integration", "integrations"),
            counted(self.applications, "application", "applications"),
        )
    }

    fn attention(&self, shell: &Shell) -> Markup {
        html! {
            section class="panel" aria-labelledby="attention" {
                div class="panel-head" {
                    h2 id="attention" { "Needs attention " span class="count" { (self.concerns.len()) } }
                    @if self.concerns.len() > MAX_CONCERNS {
                        a class="end small" href=(Query::default().with("status", "failed").href()) { "Show all " (self.concerns.len()) }
                    }
                }
                ul class="todo" {
                    @for concern in self.concerns.iter().take(MAX_CONCERNS) { (concern.show(shell.now)) }
                }
            }
        }
    }

    fn integrations(&self, shell: &Shell) -> Markup {
        html! {
            section aria-labelledby="integrations" {
                div class="section" {
                    h2 id="integrations" { "Integrations" }
                    p { "The latest contract from each consumer’s main branch, and the versions that run together in each environment." }
                    p class="end" id="rows-status" role="status" {}
                }
                div class="panel" {
                    (tabs("Status", &self.tabs()))
                    (self.filters(shell))
                    @if self.rows.is_empty() {
                        (empty_list(&self.query, self.pages, "No integration matches", &html! { a href="?" { "Clear filters" } }))
                    } @else {
                        (self.table(shell))
                        (pager(&self.query, self.pages))
                    }
                }
            }
        }
    }

    fn tabs(&self) -> Vec<Tab> {
        let current = self.query.value("status");
        let tab = |title, status: &str, count| Tab {
            title,
            href: self.query.with("status", status).with("page", "").href(),
            count: Some(count),
            is_current: current == status,
        };
        let of_statuses = self
            .counts
            .iter()
            .map(|(status, count)| tab(status.word(), status.name(), *count));
        std::iter::once(tab("All", "", self.total()))
            .chain(of_statuses)
            .collect()
    }

    fn filters(&self, shell: &Shell) -> Markup {
        let value = |name| self.query.value(name);
        let named = |names: &'_ [String]| {
            names
                .iter()
                .map(|name| (name.clone(), name.clone()))
                .collect::<Vec<_>>()
        };
        let (environments, labels) = (named(&self.all_environments), named(&self.labels));
        let choices = |first: &'static str, all: &[(String, String)], selected: &str| {
            let all = all.iter().map(|(value, title)| (value.as_str(), title.as_str()));
            options(selected, std::iter::once(("", first)).chain(all))
        };
        html! {
            form class="filters" action={ (shell.root) "/" } {
                (hidden(&self.query, &["q", "role", "environment", "label", "page"]))
                div class="field grow" {
                    label for="f-name" { "Application" }
                    input id="f-name" name="q" value=(value("q")) data-filter="rows" data-total=(self.pages.total)
                        placeholder="For example payments" autocomplete="off";
                }
                div class="field" {
                    label for="f-role" { "Role" }
                    select id="f-role" name="role" {
                        (options(value("role"), [("", "Consumer or provider"), ("consumer", "Consumer"), ("provider", "Provider")]))
                    }
                }
                @if !environments.is_empty() || !self.is_known_environment() {
                    div class="field" {
                        label for="f-env" { "Deployed in" }
                        select id="f-env" name="environment" aria-invalid=[(!self.is_known_environment()).then_some("true")]
                            aria-describedby=[(!self.is_known_environment()).then_some("f-env-error")] {
                            (choices("Any environment", &environments, value("environment")))
                        }
                        @if !self.is_known_environment() {
                            p class="err" id="f-env-error" { "Environment " (name(value("environment"))) " does not exist." }
                        }
                    }
                }
                @if !labels.is_empty() {
                    div class="field" {
                        label for="f-label" { "Label" }
                        select id="f-label" name="label" { (choices("Any label", &labels, value("label"))) }
                    }
                }
                button class="btn" { "Apply" }
            }
        }
    }

    fn table(&self, shell: &Shell) -> Markup {
        let mut columns = vec![
            Column::new("Consumer", "c16").sorted_by("consumer"),
            Column::hidden("Link", "c6"),
            Column::new("Provider", "c16").sorted_by("provider"),
            Column::new("Status", "c14").sorted_by("status"),
            Column::new("Contract", "c20"),
        ];
        for (name, production) in &self.environments {
            columns.push(Column {
                title: environment(name, *production),
                class: "c8 mid",
                sort: None,
            });
        }
        columns.push(Column::new("Updated", "c10 num").sorted_by("updated"));
        let table = Table {
            caption: "Integrations",
            columns: &columns,
            sorting: Some((&self.query, &self.sort)),
            class: "",
            id: Some("rows"),
        };
        table.show(&html! { @for row in &self.rows { (self.row(shell, row)) } })
    }

    fn row(&self, shell: &Shell, row: &Row) -> Markup {
        let paths = Paths(&shell.root);
        let pact = paths.pact(&row.consumer, &row.provider, &row.version.number);
        let text = format!("{} {} {}", row.consumer, row.provider, row.status.word()).to_lowercase();
        html! {
            tr role="row" data-status=[row.status.is_failed().then_some("failed")] data-text=(text) {
                th scope="row" role="rowheader" { (application(paths, &row.consumer)) }
                (cell("mid", &line(row.status.name())))
                (cell("name", &application(paths, &row.provider)))
                (cell("full", &html! { a class="plain" href=(pact) { (badge(row.status, row.detail.as_deref())) } }))
                (cell("", &version_linked(&row.version, &pact)))
                @for ((name, _), status) in self.environments.iter().zip(&row.environments) {
                    td role="cell" class="mid" data-label=(name) {
                        @match status {
                            Some(status) => (dot(*status)),
                            None => span class="muted" { "–" span class="vh" { " not together" } },
                        }
                    }
                }
                (when(Some(row.updated_at), shell.now))
            }
        }
    }
}

/// Renders a notice that explains the sample data, with a button that removes it.
fn sample(shell: &Shell) -> Markup {
    html! {
        div class="notice" data-status="info" {
            (icon("info"))
            p class="grow" { "This is sample data: the applications with the " code { "sample-data" } " label are a fictional shop." }
            @if shell.is_admin {
                (post(shell, "/sample-data/remove", "end", &html! { button class="btn btn-s" { "Remove sample data" } }))
            }
        }
    }
}

impl Concern {
    fn show(&self, now: i64) -> Markup {
        html! {
            li data-status=(self.status.name()) {
                (icon(self.status.name()))
                div { h3 { a href=(self.href) { (self.title) } } p { (self.text) } }
                div class="side" {
                    b { (self.owner) }
                    (ago(self.at, now))
                    a class="btn btn-s" href=(self.href) { (self.action) }
                }
            }
        }
    }

    /// Creates the entry for two versions that run together although the verification between them failed.
    pub fn incompatible(
        root: &str,
        (consumer, consumer_version): (&str, &str),
        (provider, provider_version): (&str, &str),
        (environment, owner): (&str, &str),
        at: i64,
    ) -> Self {
        Self {
            status: Status::Failed,
            title: html! { (name(consumer)) " and " (name(provider)) " are incompatible in " (name(environment)) },
            text: html! {
                (name(provider)) " " (provider_version) " failed the contract with " (name(consumer)) " " (consumer_version)
                ", and both are deployed there."
            },
            owner: owner.to_owned(),
            at,
            href: Paths(root).pact(consumer, provider, consumer_version),
            action: "View failure",
        }
    }

    /// Creates the entry for a contract on the consumer's main branch whose newest result failed.
    pub fn failed(root: &str, row: &Row, provider_version: &str, owner: &str) -> Self {
        let Row { consumer, provider, .. } = row;
        Self {
            status: Status::Failed,
            title: html! { (name(provider)) " failed the contract with " (name(consumer)) " " (row.version.number) },
            text: html! {
                "The newest result is from " (name(provider)) " " (provider_version)
                @if let Some(detail) = &row.detail { ": " (detail) " interactions failed" } "."
            },
            owner: owner.to_owned(),
            at: row.updated_at,
            href: Paths(root).pact(consumer, provider, &row.version.number),
            action: "View failure",
        }
    }
}
