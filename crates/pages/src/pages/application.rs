//! Renders the pages of an application: its consumers and providers, versions, branches, provider states, and activity.

use maud::{Markup, html};

use crate::address::Query;
use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::pages::pact::web;
use crate::parts::{
    Column, Pages, Paths, Status, Tab, Table, VersionLabel, application, badge, badge_text, branch, cell, counted,
    crumbs, empty, empty_list, environment, name, pager, tabs, thousands, version, version_linked, when,
};
use crate::time::ago;

/// Maximum number of operations on the page.
const OPERATIONS: usize = 30;
/// Maximum number of provider states on the first tab.
const STATES: usize = 5;
/// Maximum number of consumers, and of providers, on the page.
const PARTNERS: usize = 50;
/// Maximum number of consumers that are listed for an operation or a provider state.
const USERS: usize = 20;

/// The top of an application's pages: title, facts, and tabs.
#[derive(Debug)]
pub struct Head {
    pub name: String,
    pub labels: Vec<String>,
    pub repository_url: Option<String>,
    pub main_branch: Option<String>,
    pub versions: i64,
    pub branches: i64,
    /// Number of provider states, or `None` on pages that do not show the number.
    pub states: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TabOf {
    Overview,
    Versions,
    Branches,
    States,
    Activity,
}

impl Head {
    fn show(&self, shell: &Shell, current: TabOf) -> Markup {
        let paths = Paths(&shell.root);
        let own = paths.application(&self.name);
        let crumb = match current {
            TabOf::Overview => crumbs(&shell.root, &[], &self.name),
            TabOf::Versions => crumbs(&shell.root, &[(own.clone(), &self.name)], "Versions"),
            TabOf::Branches => crumbs(&shell.root, &[(own.clone(), &self.name)], "Branches"),
            TabOf::States => crumbs(&shell.root, &[(own.clone(), &self.name)], "Provider states"),
            TabOf::Activity => crumbs(&shell.root, &[(own.clone(), &self.name)], "Activity"),
        };
        let tab = |title, path: &str, count, tab| Tab {
            title,
            href: format!("{own}{path}"),
            count,
            is_current: tab == current,
        };
        let states = self.states.and_then(|count| i64::try_from(count).ok());
        let all = [
            tab("Overview", "", None, TabOf::Overview),
            tab("Versions", "/versions", Some(self.versions), TabOf::Versions),
            tab("Branches", "/branches", Some(self.branches), TabOf::Branches),
            tab("Provider states", "/provider-states", states, TabOf::States),
            tab("Activity", "/activity", None, TabOf::Activity),
        ];
        let graph = Query::new([("focus", self.name.as_str())]).href();
        let check = Query::new([("pacticipant", self.name.as_str())]).href();
        html! {
            div class="head" {
                (crumb)
                div class="title" {
                    h1 { (name(&self.name)) }
                    @for label in &self.labels { span class="label" { bdi { (label) } } }
                    div class="end" {
                        a class="btn" href={ (shell.root) "/graph" (graph) } { "Graph" }
                        a class="btn btn-main" href={ (shell.root) "/can-i-deploy" (check) } { "Can I deploy?" }
                    }
                }
                @if let Some(url) = web(self.repository_url.as_deref()) {
                    p class="lede" { a href=(url) rel="noopener" { (url.trim_start_matches("https://")) } }
                }
            }
            (tabs("Application", &all))
        }
    }
}

#[derive(Debug)]
pub struct Application {
    pub head: Head,
    pub consumers: Vec<Partner>,
    pub providers: Vec<Partner>,
    pub operations: Vec<Operation>,
    /// Number of contracts whose operations are not listed because the contracts are too large.
    pub skipped: usize,
    pub states: Vec<StateEntry>,
    pub latest: Vec<VersionEntry>,
    pub environments: Vec<Presence>,
    pub owner: Option<String>,
    pub broken: Vec<Broken>,
}

/// A provider state. `consumers` contains the name and version of each consumer that needs it.
#[derive(Clone, Debug)]
pub struct StateEntry {
    pub name: String,
    pub parameters: Vec<String>,
    pub consumers: Vec<(String, String)>,
}

/// An application with which this one has a contract, and the status of that contract.
#[derive(Debug)]
pub struct Partner {
    pub name: String,
    pub status: Status,
    pub detail: Option<String>,
    pub version: VersionLabel,
    /// The provider version that published the newest result, or `None` if there is no result.
    pub verified_by: Option<VersionLabel>,
    /// What identifies the contract: the consumer, the provider, and the consumer version.
    pub contract: (String, String, String),
}

/// A method and path that contracts use.
#[derive(Debug)]
pub struct Operation {
    pub method: String,
    pub path: String,
    /// The name and version of each consumer that uses the operation.
    pub consumers: Vec<(String, String)>,
    pub fields: Vec<String>,
}

#[derive(Debug)]
pub struct VersionEntry {
    pub version: VersionLabel,
    pub failed: i64,
    pub contracts: i64,
    pub verified: i64,
    pub at: i64,
}

#[derive(Debug)]
pub struct Presence {
    pub environment: String,
    pub production: bool,
    pub version: VersionLabel,
    pub since: i64,
}

/// Two versions that run together in an environment although the verification between them failed. Each pair contains a
/// name and a version number.
#[derive(Debug)]
pub struct Broken {
    pub environment: String,
    pub consumer: (String, String),
    pub provider: (String, String),
}

impl Application {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let main = html! {
            (self.head.show(shell, TabOf::Overview))
            @if let Some(broken) = self.broken.first() { (broken.notice(paths)) }
            div class="cols" {
                div class="stack" {
                    @if self.consumers.is_empty() && self.providers.is_empty() {
                        div class="panel" {
                            (empty("No contracts", &html! { "No contract has this application as consumer or provider." }))
                        }
                    }
                    @if !self.consumers.is_empty() {
                        (partners("provides", "Provides for", "consumer", &self.consumers, &self.head.name, paths))
                    }
                    @if !self.operations.is_empty() { (self.impact(paths)) }
                    @if !self.providers.is_empty() {
                        (partners("consumes", "Consumes", "provider", &self.providers, &self.head.name, paths))
                    }
                    @if !self.latest.is_empty() {
                        section aria-labelledby="h-versions" {
                            div class="section" {
                                h2 id="h-versions" { "Latest versions" }
                                a class="end small" href={ (paths.application(&self.head.name)) "/versions" } {
                                    "All " (thousands(self.head.versions)) " versions"
                                }
                            }
                            div class="panel" { (versions_table(&self.latest, shell)) }
                        }
                    }
                }
                aside class="stack" aria-label={ "About " (self.head.name) } { (self.details(shell)) }
            }
        };
        page(shell, Section::Overview, &self.head.name, &main)
    }

    fn impact(&self, paths: Paths<'_>) -> Markup {
        let columns = [
            Column::new("Operation", "c32"),
            Column::new("Used by", ""),
            Column::new("Fields in use", "c32"),
        ];
        let table = Table {
            caption: "Operations and the consumers that use them",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        let own = &self.head.name;
        html! {
            section aria-labelledby="impact" {
                div class="section" { h2 id="impact" { "Who is affected by a change" } p { "Operations used in contracts, with the consumers that depend on them." } }
                div class="panel" {
                    (table.show(&html! {
                        @for operation in self.operations.iter().take(OPERATIONS) {
                            tr role="row" {
                                th scope="row" role="rowheader" class="full" {
                                    span class="http" { span class="method" { (operation.method) } " " (operation.path) }
                                }
                                (cell("full", &html! {
                                    (users(&operation.consumers, own, paths))
                                }))
                                (cell("muted full", &html! { (operation.fields.join(", ")) }))
                            }
                        }
                    }))
                    @if self.operations.len() > OPERATIONS || self.skipped > 0 {
                        p class="panel-foot small muted" {
                            @if self.operations.len() > OPERATIONS {
                                (counted(self.operations.len() - OPERATIONS, "more operation", "more operations")) ". "
                            }
                            @if self.skipped > 0 { (counted(self.skipped, "contract is", "contracts are")) " too large to list here." }
                        }
                    }
                }
            }
        }
    }

    fn details(&self, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        html! {
            section class="panel panel-pad" {
                h2 class="vh" { "Details" }
                dl class="kv" {
                    @if let Some(main) = &self.head.main_branch { dt { "Main branch" } dd { (branch(main)) } }
                    @if let Some(latest) = self.latest.first() { dt { "Latest" } dd { (version(paths, &VersionLabel::new(&self.head.name, &latest.version.number))) } }
                    @if let Some(owner) = &self.owner { dt { "Owner" } dd { (owner) } }
                    dt { "Versions" } dd { (thousands(self.head.versions)) }
                }
            }
            @if !self.environments.is_empty() {
                section class="panel" {
                    div class="panel-head" { h2 { "Environments" } }
                    div class="panel-pad" {
                        dl class="kv" {
                            @for running in &self.environments {
                                dt { (environment(&running.environment, running.production)) }
                                dd class="cell" { (version(paths, &running.version)) " " span class="muted" { (ago(running.since, shell.now)) } }
                            }
                        }
                    }
                }
            }
            @if !self.states.is_empty() {
                section class="panel" id="states" {
                    div class="panel-head" { h2 { "Provider states " span class="count" { (self.states.len()) } } }
                    div class="panel-pad" {
                        ul class="tight small" {
                            @for state in self.states.iter().take(STATES) { li { (name(&state.name)) } }
                            @if self.states.len() > STATES {
                                li {
                                    a href={ (paths.application(&self.head.name)) "/provider-states" } {
                                        "All " (self.states.len()) " provider states"
                                    }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn partners(id: &str, title: &str, role: &str, all: &[Partner], own: &str, paths: Paths<'_>) -> Markup {
    let is_provider = role == "provider";
    let columns = [
        Column::new(if is_provider { "Provider" } else { "Consumer" }, "c28"),
        Column::new("Status", "c24"),
        Column::new("Contract", "c24"),
        Column::new("Last result from", "c24"),
    ];
    let table = Table {
        caption: &format!("{} of {own}", if is_provider { "Providers" } else { "Consumers" }),
        columns: &columns,
        sorting: None,
        class: "",
        id: None,
    };
    html! {
        section aria-labelledby=(id) {
            div class="section" {
                h2 id=(id) { (title) " " span class="count" { (counted(all.len(), role, &format!("{role}s"))) } }
            }
            div class="panel" {
                (table.show(&html! {
                    @for partner in all.iter().take(PARTNERS) {
                        @let (consumer, provider, number) = &partner.contract;
                        @let pact = paths.pact(consumer, provider, number);
                        tr role="row" data-status=[partner.status.is_failed().then_some("failed")] {
                            th scope="row" role="rowheader" { (application(paths, &partner.name)) }
                            (cell("", &html! { a class="plain" href=(pact) { (badge(partner.status, partner.detail.as_deref())) } }))
                            (cell("", &version_linked(&partner.version, &pact)))
                            (cell("", &html! {
                                @match &partner.verified_by { Some(label) => (version(paths, label)), None => span class="muted" { "none" } }
                            }))
                        }
                    }
                }))
                @if all.len() > PARTNERS {
                    p class="panel-foot small" {
                        (all.len() - PARTNERS) " more. "
                        @let query = Query::new([("q", own), ("role", if is_provider { "consumer" } else { "provider" })]);
                        a class="inline-link" href={ (paths.0) "/" (query.href()) } { "View all on the overview" }
                    }
                }
            }
        }
    }
}

/// Renders links to consumers' contracts, at most [`USERS`].
fn users(consumers: &[(String, String)], own: &str, paths: Paths<'_>) -> Markup {
    html! {
        @for (number, (consumer, version)) in consumers.iter().take(USERS).enumerate() {
            @if number > 0 { ", " }
            a class="plain" href=(paths.pact(consumer, own, version)) { (name(consumer)) }
        }
        @if consumers.len() > USERS { ", and " (consumers.len() - USERS) " more" }
    }
}

impl Broken {
    fn notice(&self, paths: Paths<'_>) -> Markup {
        let ((consumer, consumer_version), (provider, provider_version)) = (&self.consumer, &self.provider);
        html! {
            div class="notice" data-status="failed" {
                (icon("failed"))
                p {
                    strong { (name(provider)) " " (provider_version) " in " (name(&self.environment)) " fails the contract with "
                    (name(consumer)) " " (consumer_version) "." }
                    " Both run there."
                }
                a class="btn btn-s" href=(paths.pact(consumer, provider, consumer_version)) { "View failure" }
            }
        }
    }
}

fn versions_table(all: &[VersionEntry], shell: &Shell) -> Markup {
    let paths = Paths(&shell.root);
    let columns = [
        Column::new("Version", "c32"),
        Column::new("Environments", "c24"),
        Column::new("Contracts", "c24"),
        Column::new("Created", "c20 num"),
    ];
    let table = Table {
        caption: "Versions",
        columns: &columns,
        sorting: None,
        class: "",
        id: None,
    };
    table.show(&html! {
        @for entry in all {
            @let label = VersionLabel { environments: Vec::new(), ..entry.version.clone() };
            tr role="row" {
                th scope="row" role="rowheader" class="full" { (version(paths, &label)) }
                (cell("", &html! {
                    span class="row" { @for (name, production) in &entry.version.environments { (environment(name, *production)) } }
                }))
                (cell("", &html! {
                    a class="plain" href=(paths.matrix(&[(&label.pacticipant, Some(&label.number))])) { (entry.badge()) }
                }))
                (when(Some(entry.at), shell.now))
            }
        }
    })
}

impl VersionEntry {
    fn badge(&self) -> Markup {
        match (self.contracts, self.failed) {
            (0, _) => html! { span class="muted" { "no contracts" } },
            (all, 0) if self.verified == all => badge_text(Status::Verified, &format!("{all} of {all} verified")),
            (all, 0) => badge_text(Status::Unverified, &format!("{} of {all} verified", self.verified)),
            (all, failed) => badge_text(Status::Failed, &format!("{failed} of {all} failed")),
        }
    }
}

/// The page that lists an application's versions.
#[derive(Debug)]
pub struct Versions {
    pub head: Head,
    pub rows: Vec<VersionEntry>,
    pub query: Query,
    pub pages: Pages,
}

impl Versions {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            (self.head.show(shell, TabOf::Versions))
            section aria-label="Versions" {
                div class="panel" {
                    @if self.rows.is_empty() {
                        (empty_list(&self.query, self.pages, "No versions", &html! { "A version appears here after a contract or a verification result is published for it." }))
                    } @else {
                        (versions_table(&self.rows, shell))
                        (pager(&self.query, self.pages))
                    }
                }
            }
        };
        page(
            shell,
            Section::Overview,
            &format!("Versions of {}", self.head.name),
            &main,
        )
    }
}

/// The page that lists an application's branches.
#[derive(Debug)]
pub struct Branches {
    pub head: Head,
    pub rows: Vec<BranchEntry>,
    pub query: Query,
    pub pages: Pages,
}

#[derive(Debug)]
pub struct BranchEntry {
    pub name: String,
    pub version: Option<VersionLabel>,
    pub is_main: bool,
    pub at: i64,
}

impl Branches {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let columns = [
            Column::new("Branch", ""),
            Column::new("Latest version", "c32"),
            Column::new("Since", "c20 num"),
        ];
        let table = Table {
            caption: "Branches",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        let main = html! {
            (self.head.show(shell, TabOf::Branches))
            section aria-label="Branches" {
                div class="panel" {
                    @if self.rows.is_empty() {
                        (empty_list(&self.query, self.pages, "No branches", &html! { "Branches appear here when you publish with --branch." }))
                    } @else {
                        (table.show(&html! {
                            @for entry in &self.rows {
                                tr role="row" {
                                    th scope="row" role="rowheader" class="full" {
                                        (branch(&entry.name)) @if entry.is_main { " " span class="label" { "main branch" } }
                                    }
                                    (cell("", &html! { @if let Some(label) = &entry.version { (version(paths, label)) } }))
                                    (when(Some(entry.at), shell.now))
                                }
                            }
                        }))
                        (pager(&self.query, self.pages))
                    }
                }
            }
        };
        page(
            shell,
            Section::Overview,
            &format!("Branches of {}", self.head.name),
            &main,
        )
    }
}

/// The page that lists the provider states that consumers need.
#[derive(Debug)]
pub struct States {
    pub head: Head,
    pub rows: Vec<StateEntry>,
    /// Number of contracts whose provider states are not listed because the contracts are too large.
    pub skipped: usize,
    pub query: Query,
    pub pages: Pages,
}

impl States {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let own = &self.head.name;
        let columns = [
            Column::new("Provider state", ""),
            Column::new("Parameters", "c24"),
            Column::new("Used by", "c32"),
        ];
        let table = Table {
            caption: "Provider states and the consumers that need them",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        let main = html! {
            (self.head.show(shell, TabOf::States))
            section aria-label="Provider states" {
                div class="panel" {
                    @if self.rows.is_empty() {
                        (empty_list(&self.query, self.pages, "No provider states", &html! {
                            "No current contract with this provider needs a state."
                        }))
                    } @else {
                        (table.show(&html! {
                            @for state in &self.rows {
                                tr role="row" {
                                    th scope="row" role="rowheader" class="full" { (name(&state.name)) }
                                    (cell("muted full", &html! { (state.parameters.join(", ")) }))
                                    (cell("full", &html! {
                                        (users(&state.consumers, own, paths))
                                    }))
                                }
                            }
                        }))
                        (pager(&self.query, self.pages))
                    }
                    @if self.skipped > 0 {
                        p class="panel-foot small muted" {
                            (counted(self.skipped, "contract is", "contracts are")) " too large to list here."
                        }
                    }
                }
            }
        };
        page(shell, Section::Overview, &format!("Provider states of {own}"), &main)
    }
}

/// The page that lists an application's events, newest first.
#[derive(Debug)]
pub struct Activity {
    pub head: Head,
    pub events: Vec<Event>,
}

#[derive(Debug)]
pub struct Event {
    pub version: String,
    pub at: i64,
    pub kind: EventKind,
}

#[derive(Debug)]
pub enum EventKind {
    /// The version published a contract for the provider with this name.
    Published(String),
    /// The version verified a contract: the name and version of the consumer, and whether the verification passed.
    Verified((String, String), bool),
    /// A contract of the version was verified: the name and version of the provider, and whether the verification
    /// passed.
    Result((String, String), bool),
    /// The version was deployed: the name of the environment, and whether it is a production environment.
    Deployed(String, bool),
    Undeployed(String, bool),
    Released(String, bool),
}

impl Activity {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            (self.head.show(shell, TabOf::Activity))
            section aria-labelledby="h-activity" {
                div class="section" { h2 id="h-activity" { "Newest events" } p { "Contracts, results, deployments, and releases." } }
                @if self.events.is_empty() {
                    div class="panel" { (empty("No events", &html! { "Nothing has been published, verified, or deployed yet." })) }
                } @else {
                    ol class="events panel panel-pad" { @for event in &self.events { (event.show(&self.head.name, shell)) } }
                }
            }
        };
        page(
            shell,
            Section::Overview,
            &format!("Activity of {}", self.head.name),
            &main,
        )
    }
}

impl Event {
    fn show(&self, own: &str, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        let number = version(paths, &VersionLabel::new(own, &self.version));
        let result = |success: bool| Status::of_result(Some(success)).name();
        let (status, text) = match &self.kind {
            EventKind::Published(provider) => (
                "neutral",
                html! {
                    (number) " published a "
                    a class="inline-link" href=(paths.pact(own, provider, &self.version)) { "contract with " (name(provider)) }
                },
            ),
            EventKind::Verified((consumer, other_version), success) => (
                result(*success),
                html! {
                    (number) @if *success { " verified the " } @else { " failed the " }
                    a class="inline-link" href=(paths.pact(consumer, own, other_version)) { "contract with " (name(consumer)) }
                },
            ),
            EventKind::Result((provider, other_version), success) => (
                result(*success),
                html! {
                    (name(provider)) " " (version(paths, &VersionLabel::new(provider, other_version)))
                    @if *success { " verified the " } @else { " failed the " }
                    a class="inline-link" href=(paths.pact(own, provider, &self.version)) { "contract of " (self.version) }
                },
            ),
            EventKind::Deployed(to, production) => (
                "neutral",
                html! { (number) " was deployed to " (environment(to, *production)) },
            ),
            EventKind::Undeployed(from, production) => (
                "neutral",
                html! { (number) " no longer runs in " (environment(from, *production)) },
            ),
            EventKind::Released(to, production) => (
                "neutral",
                html! { (number) " was released to " (environment(to, *production)) },
            ),
        };
        html! {
            li data-status=(status) {
                (icon(if status == "neutral" { "box" } else { status }))
                div { (text) }
                (ago(self.at, shell.now))
            }
        }
    }
}

/// The page of one version of an application.
#[derive(Debug)]
pub struct Version {
    pub version: VersionLabel,
    pub branches: Vec<String>,
    pub tags: Vec<String>,
    pub build_url: Option<String>,
    pub created_at: i64,
    /// The contracts that this version published.
    pub published: Vec<Partner>,
}

impl Version {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let (owner, number) = (&self.version.pacticipant, &self.version.number);
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &[(paths.application(owner), owner)], number))
                div class="title" {
                    h1 { (name(owner)) " " (name(number)) }
                    @for (name, production) in &self.version.environments { (environment(name, *production)) }
                    div class="end" {
                        a class="btn" href=(paths.matrix(&[(owner, Some(number))])) { "Results in the matrix" }
                        a class="btn btn-main" href=(paths.can_i_deploy(owner, number, "")) { "Can I deploy?" }
                    }
                }
            }
            dl class="facts" {
                div {
                    dt { "Branches" }
                    dd { @if self.branches.is_empty() { "none" } @for one in &self.branches { (branch(one)) " " } }
                }
                @if !self.tags.is_empty() {
                    div { dt { "Tags" } dd { @for tag in &self.tags { span class="label" { bdi { (tag) } } " " } } }
                }
                div { dt { "Created" } dd { (ago(self.created_at, shell.now)) } }
                @if let Some(url) = web(self.build_url.as_deref()) {
                    div { dt { "Build" } dd { a class="inline-link" href=(url) rel="noopener" { "View the build" } } }
                }
            }
            @if self.published.is_empty() {
                div class="panel" {
                    (empty("No contracts published", &html! {
                        "No contract was published with this version. "
                        a href=(paths.matrix(&[(owner, Some(number))])) { "Its results as a provider" } " are in the matrix."
                    }))
                }
            } @else {
                (partners("published", "Published contracts", "provider", &self.published, owner, paths))
            }
        };
        page(shell, Section::Overview, &format!("{owner} {number}"), &main)
    }
}
