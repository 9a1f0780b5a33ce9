//! Renders the versions in each environment, and which of them can be promoted to the next one.

use maud::{Markup, html};

use crate::address::Query;
use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::pages::can_i_deploy::Verdict;
use crate::parts::{
    Column, Paths, Status, Tab, Table, VersionLabel, application, badge_text, command, counted, empty, empty_list,
    environment, group_row, hidden, listed, name, options, pair, tabs, version,
};
use crate::parts::{Pages, pager};
use crate::time::ago;

#[derive(Debug)]
pub struct Environments {
    pub environments: Vec<Environment>,
    /// The environment from which versions are promoted. `to` is the environment to which they are promoted.
    pub from: String,
    pub to: String,
    /// Pairs of versions that run together although the verification between them failed.
    pub incompatible: Vec<Incompatible>,
    pub rows: Vec<Row>,
    /// The number of rows in each group, on all pages.
    pub counts: Vec<(Group, i64)>,
    /// Which of the fields `from` and `to` name an environment that does not exist.
    pub unknown: Vec<&'static str>,
    pub query: Query,
    pub pages: Pages,
}

#[derive(Debug)]
pub struct Environment {
    pub name: String,
    pub production: bool,
    pub applications: usize,
    pub failed: usize,
    pub verified: usize,
    /// Number of pairs of a consumer and a provider that run in this environment.
    pub integrations: usize,
}

#[derive(Debug)]
pub struct Incompatible {
    pub consumer: String,
    pub consumer_version: String,
    pub provider: String,
    pub provider_version: String,
    /// The names of the environments in which both versions run.
    pub environments: Vec<String>,
    pub since: i64,
}

/// The groups of rows, in the order in which they are displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Group {
    Incompatible,
    Blocked,
    Deployable,
    /// The version in `from` is newer. No verdict was computed for it, because the number of verdicts per page is
    /// limited.
    Unchecked,
    Missing,
    Same,
}

impl Group {
    pub const ALL: [Self; 6] = [
        Self::Incompatible,
        Self::Blocked,
        Self::Deployable,
        Self::Unchecked,
        Self::Missing,
        Self::Same,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Incompatible => "incompatible",
            Self::Blocked => "blocked",
            Self::Deployable => "deployable",
            Self::Unchecked => "unchecked",
            Self::Missing => "missing",
            Self::Same => "same",
        }
    }

    fn title(self) -> &'static str {
        match self {
            Self::Incompatible => "Incompatible",
            Self::Blocked => "Blocked",
            Self::Deployable => "Deployable",
            Self::Unchecked => "Not checked",
            Self::Missing => "Not there",
            Self::Same => "Same",
        }
    }

    fn heading(self, from: &str, to: &str) -> String {
        match self {
            Self::Incompatible => "Incompatible now".to_owned(),
            Self::Blocked => format!("Ahead in {from}, blocked"),
            Self::Deployable => format!("Ahead in {from}, deployable"),
            Self::Unchecked => format!("Ahead in {from}, not checked. Filter by application to check"),
            Self::Missing => format!("Not in {from}"),
            Self::Same => format!("Same version in {from} and {to}"),
        }
    }
}

/// A row of the table: an application with its versions in each environment.
#[derive(Clone, Debug)]
pub struct Row {
    pub application: String,
    pub group: Group,
    /// One cell for each environment, in their order.
    pub cells: Vec<Cell>,
    pub promotion: Promotion,
}

#[derive(Clone, Debug, Default)]
pub struct Cell {
    pub versions: Vec<(VersionLabel, i64)>,
    /// The names of the applications in the environment with which this one is incompatible.
    pub incompatible_with: Vec<String>,
}

#[derive(Clone, Debug)]
pub enum Promotion {
    /// The application has no version in `from`.
    Nothing,
    UpToDate,
    /// The number of a newer version in `from` for which no verdict was computed.
    Unchecked(String),
    Version {
        number: String,
        verdict: Verdict,
        /// The names of the applications that must act before the deployment.
        waits_for: Vec<String>,
    },
}

impl Environments {
    pub fn page(&self, shell: &Shell) -> String {
        let main = if self.environments.is_empty() {
            html! {
                div class="head" { h1 { "Environments" } }
                div class="panel" {
                    (empty("No environments yet", &html! { "Create one, then record deployments to it." }))
                }
                (command("create", "contract-broker create-environment --name production --production"))
            }
        } else {
            html! {
                div class="head" {
                    h1 { "Environments" }
                    p class="lede" { "Which versions run in each environment, since when, and what would break if you promoted them." }
                }
                h2 class="vh" { "State of each environment" }
                ul class="envs" { @for one in &self.environments { (one.card()) } }
                @if !self.incompatible.is_empty() { (self.attention(shell)) }
                (self.board(shell))
            }
        };
        page(shell, Section::Environments, "Environments", &main)
    }

    fn attention(&self, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        html! {
            section class="panel" aria-labelledby="broken" {
                div class="panel-head" {
                    h2 id="broken" { "Incompatible right now " span class="count" { (self.incompatible.len()) } }
                }
                ul class="todo" {
                    @for one in self.incompatible.iter().take(10) {
                        @let pact = paths.pact(&one.consumer, &one.provider, &one.consumer_version);
                        li data-status="failed" {
                            (icon("failed"))
                            div {
                                h3 { a href=(pact) { (pair(&one.consumer, &one.provider, Status::Failed)) } }
                                p {
                                    (name(&one.provider)) " " (one.provider_version) " fails the contract with "
                                    (name(&one.consumer)) " " (one.consumer_version) ". Both run in "
                                    (listed(&one.environments)) "."
                                }
                            }
                            div class="side" { (ago(one.since, shell.now)) a class="btn btn-s" href=(pact) { "View failure" } }
                        }
                    }
                }
            }
        }
    }

    fn board(&self, shell: &Shell) -> Markup {
        html! {
            section aria-labelledby="board" {
                div class="section" {
                    h2 id="board" { "Board" }
                    @if self.promotes() { p { "Problems first, then versions that are ahead in " (self.from) "." } }
                    p class="end" id="rows-status" role="status" {}
                }
                div class="panel" {
                    (tabs("Show", &self.tabs()))
                    (self.filters(shell))
                    @if self.rows.is_empty() {
                        (empty_list(&self.query, self.pages, "No application matches", &html! { a href="?" { "Clear filters" } }))
                    } @else {
                        (self.table(shell))
                        (pager(&self.query, self.pages))
                    }
                }
            }
        }
    }

    fn tabs(&self) -> Vec<Tab> {
        let current = self.query.value("show");
        let total = self.counts.iter().map(|(_, count)| count).sum();
        let tab = |title, show: &str, count| Tab {
            title,
            href: self.query.with("show", show).with("page", "").href(),
            count: Some(count),
            is_current: current == show,
        };
        let groups = self
            .counts
            .iter()
            .filter(|(group, count)| *group != Group::Unchecked || *count > 0)
            .map(|(group, count)| tab(group.title(), group.name(), *count));
        std::iter::once(tab("All", "", total)).chain(groups).collect()
    }

    fn filters(&self, shell: &Shell) -> Markup {
        let all = || {
            self.environments
                .iter()
                .map(|one| (one.name.as_str(), one.name.as_str()))
        };
        html! {
            form class="filters" action={ (shell.root) "/environments" } {
                (hidden(&self.query, &["application", "from", "to", "page"]))
                div class="field grow" {
                    label for="application" { "Application" }
                    input id="application" name="application" value=(self.query.value("application")) data-filter="rows"
                        data-total=(self.pages.total) placeholder="For example payments" autocomplete="off";
                }
                @if self.environments.len() > 1 || !self.unknown.is_empty() {
                    (self.choice("from", "Promote from", &html! { (options(&self.from, all())) }))
                    (self.choice("to", "to", &html! { (options(&self.to, all())) }))
                }
                button class="btn" { "Apply" }
            }
        }
    }

    /// Renders a field in which the user selects an environment.
    fn choice(&self, field: &str, title: &str, options: &Markup) -> Markup {
        let is_unknown = self.unknown.contains(&field);
        let error = format!("{field}-error");
        html! {
            div class="field" {
                label for=(field) { (title) }
                select id=(field) name=(field) aria-invalid=[is_unknown.then_some("true")]
                    aria-describedby=[is_unknown.then_some(&error)] { (options) }
                @if is_unknown { p class="err" id=(error) { "Environment " (name(self.query.value(field))) " does not exist." } }
            }
        }
    }

    fn table(&self, shell: &Shell) -> Markup {
        let mut columns = vec![Column::new("Application", "c18")];
        for one in &self.environments {
            columns.push(Column {
                title: environment(&one.name, one.production),
                class: "",
                sort: None,
            });
            if one.name == self.from && self.promotes() {
                columns.push(Column::new(&format!("Promote to {}", self.to), "c20"));
            }
        }
        let table = Table {
            caption: "Versions in each environment",
            columns: &columns,
            sorting: None,
            class: "board",
            id: Some("rows"),
        };
        table.show(&html! {
            @for group in Group::ALL {
                @let rows: Vec<&Row> = self.rows.iter().filter(|row| row.group == group).collect();
                @if !rows.is_empty() {
                    (group_row(columns.len(), &html! { (group.heading(&self.from, &self.to)) }))
                    @for row in rows { (self.row(row, shell)) }
                }
            }
        })
    }

    fn promotes(&self) -> bool {
        !self.to.is_empty() && self.from != self.to
    }

    fn row(&self, row: &Row, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        html! {
            tr role="row" data-text=(row.application.to_lowercase()) {
                th scope="row" role="rowheader" class="full" { (application(paths, &row.application)) }
                @for (one, cell) in self.environments.iter().zip(&row.cells) {
                    (cell.show(&one.name, shell, paths))
                    @if one.name == self.from && self.promotes() {
                        td role="cell" class="full" data-label={ "Promote to " (self.to) } { (self.promotion(row, paths)) }
                    }
                }
            }
        }
    }

    fn promotion(&self, row: &Row, paths: Paths<'_>) -> Markup {
        match &row.promotion {
            Promotion::Nothing => html! { span class="muted" { "–" } },
            Promotion::UpToDate => html! { span class="muted" { "Up to date" } },
            Promotion::Unchecked(number) => html! {
                a class="inline-link" href=(paths.can_i_deploy(&row.application, number, &self.to)) { "Check " (number) }
            },
            Promotion::Version {
                number,
                verdict,
                waits_for,
            } => html! {
                div class="cell" {
                    a class="plain" href=(paths.can_i_deploy(&row.application, number, &self.to)) { (verdict.badge()) }
                    @if !waits_for.is_empty() { span class="since" { "waits for " (waits_for.join(", ")) } }
                }
            },
        }
    }
}

impl Environment {
    fn card(&self) -> Markup {
        let (status, text) = match (self.failed, self.integrations - self.verified) {
            (0, 0) => (Status::Verified, "All verified".to_owned()),
            (0, open) => (Status::Unverified, format!("{open} unverified")),
            (failed, _) => (Status::Failed, format!("{failed} failed")),
        };
        html! {
            li class="panel envcard" {
                h3 { (environment(&self.name, self.production)) }
                (badge_text(status, &text))
                p {
                    (counted(self.applications, "application", "applications")) ". " (self.verified) " of "
                    (counted(self.integrations, "integration", "integrations")) " verified."
                }
            }
        }
    }
}

impl Cell {
    fn show(&self, label: &str, shell: &Shell, paths: Paths<'_>) -> Markup {
        let has_failed = !self.incompatible_with.is_empty();
        html! {
            td role="cell" data-label=(label) data-status=[has_failed.then_some("failed")] {
                @if self.versions.is_empty() { span class="muted" { "not deployed" } }
                @for (label, since) in self.versions.iter().take(3) {
                    div class="cell" { (version(paths, label)) span class="since" { (ago(*since, shell.now)) } }
                }
                @if self.versions.len() > 3 { span class="muted small" { (self.versions.len() - 3) " more" } }
                @if has_failed {
                    (badge_text(Status::Failed, &format!("incompatible with {}", self.incompatible_with.join(", "))))
                }
            }
        }
    }
}
