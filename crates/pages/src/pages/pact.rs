//! Renders a contract with its interactions and verification results.

use maud::{Markup, html};

use crate::address::Query;
use crate::contract::{InteractionView, index, show_within};
use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::parts::{
    Pages, Paths, Status, Tab, VersionLabel, badge, badge_sample, crumbs, empty_list, pager, pair, tabs, version,
};
use crate::time::{ago, exact};

/// Maximum total size of the rendered examples and rules, in bytes. If they exceed it, some interactions contain only a
/// link.
const BODIES: usize = 40 * 1024;

#[derive(Debug)]
pub struct Pact<'a> {
    pub consumer: String,
    pub provider: String,
    pub version: VersionLabel,
    pub status: Status,
    /// How many interactions failed, such as `1 of 8`, or `None` if this is unknown.
    pub detail: Option<String>,
    pub published_at: i64,
    pub build_url: Option<String>,
    /// The first version that published the same content, or `None` if it is this version.
    pub same_since: Option<String>,
    pub specification: &'static str,
    /// The newest result of each provider version, newest first.
    pub results: Vec<ResultEntry>,
    /// The interactions on this page.
    pub interactions: Vec<InteractionView<'a>>,
    pub query: Query,
    pub pages: Pages,
    /// Number of the consumer's versions that have a contract with the provider.
    pub versions: i64,
    /// Whether an earlier version has different content.
    pub has_changes: bool,
}

/// A verification result for this content.
#[derive(Clone, Debug)]
pub struct ResultEntry {
    pub version: VersionLabel,
    pub success: bool,
    /// The result in words, such as `1 of 8 interactions failed`, or `None` if it is unknown.
    pub detail: Option<String>,
    pub build_url: Option<String>,
    pub at: i64,
}

impl Pact<'_> {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let (consumer, provider) = (&self.consumer, &self.provider);
        let title = format!("{consumer} {} to {provider}", self.version.number);
        let main = html! {
            div class="head" {
                (crumbs(
                    &shell.root,
                    &[(paths.application(consumer), consumer), (paths.application(provider), provider)],
                    &self.version.number,
                ))
                div class="title" {
                    h1 { (pair(consumer, provider, self.status)) }
                    (badge(self.status, self.detail.as_deref()))
                    div class="end" {
                        @if self.has_changes { a class="btn" href=(self.diff(paths)) { "Compare" } }
                        a class="btn" href=(paths.can_i_deploy(consumer, &self.version.number, "")) { "Can I deploy?" }
                    }
                }
            }
            (self.facts(shell, paths))
            (tabs("Contract", &self.tabs(paths)))
            @if self.interactions.is_empty() {
                div class="panel" {
                    (empty_list(&self.query, self.pages, "No interactions", &html! { "The contract has no interactions." }))
                }
            } @else {
                (self.show_interactions())
            }
            (self.show_results(shell, paths))
            (self.badge(shell))
        };
        page(shell, Section::Other, &title, &main)
    }

    /// Renders a sample of the badge for the integration's latest contract.
    fn badge(&self, shell: &Shell) -> Markup {
        let latest = Paths("").pair(&self.consumer, &self.provider) + "/latest";
        let title = format!("Contract between {} and {}", self.consumer, self.provider);
        badge_sample(shell, &format!("{latest}/badge.svg"), &latest, &title)
    }

    fn address(&self, paths: Paths<'_>) -> String {
        paths.pact(&self.consumer, &self.provider, &self.version.number)
    }

    fn diff(&self, paths: Paths<'_>) -> String {
        self.address(paths) + "/diff/previous-distinct"
    }

    fn facts(&self, shell: &Shell, paths: Paths<'_>) -> Markup {
        html! {
            dl class="facts" {
                div { dt { "Consumer version" } dd { (version(paths, &self.version)) } }
                @if let Some(last) = self.results.first() {
                    div { dt { "Last result from" } dd { (version(paths, &last.version)) } }
                }
                div {
                    dt { "Published" }
                    dd {
                        (ago(self.published_at, shell.now))
                        @if let Some(url) = web(self.build_url.as_deref()) { " by " a class="inline-link" href=(url) rel="noopener" { "this build" } }
                    }
                }
                div {
                    dt { "Content" }
                    dd {
                        @match &self.same_since { Some(version) => { "unchanged since " (version) }, None => "new in this version" }
                        @if self.has_changes { " " a class="inline-link" href=(self.diff(paths)) { "View changes" } }
                    }
                }
                div { dt { "Format" } dd { "Pact Specification " (self.specification) } }
            }
        }
    }

    fn tabs(&self, paths: Paths<'_>) -> Vec<Tab> {
        let tab = |title, href: String, count, is_current| Tab {
            title,
            href,
            count,
            is_current,
        };
        let results = i64::try_from(self.results.len()).ok();
        let mut all = vec![tab("Interactions", self.address(paths), Some(self.pages.total), true)];
        if self.has_changes {
            all.push(tab("Changes", self.diff(paths), None, false));
        }
        all.push(tab("Results", "#results".to_owned(), results, false));
        let matrix = paths.matrix(&[(&self.consumer, None), (&self.provider, None)]);
        all.push(tab("Versions", matrix, Some(self.versions), false));
        all.push(tab("JSON", self.address(paths) + "?format=json", None, false));
        all
    }

    fn show_interactions(&self) -> Markup {
        let full = |number: usize| self.query.with("full", &(number + 1).to_string()).href();
        html! {
            div class="with-toc" {
                (index(&self.interactions))
                div id="interactions" class="tight" {
                    h2 class="vh" { "Interactions" }
                    div class="row" {
                        @if let Some(last) = self.results.first() {
                            p class="small muted" {
                                "Result from " bdi { (self.provider) } " " (last.version.number) ", " (exact(last.at)) "."
                                @if let Some(url) = web(last.build_url.as_deref()) { " " a href=(url) rel="noopener" { "View the build" } }
                            }
                        } @else {
                            p class="small muted" { "No provider version has verified this content." }
                        }
                        button type="button" class="btn btn-s js-only end" data-toggle="interactions" { "Expand all" }
                    }
                    @for interaction in show_within(BODIES, &self.interactions, full) { (interaction) }
                    @if self.pages.total > self.pages.size { div class="panel" { (pager(&self.query, self.pages)) } }
                }
            }
        }
    }

    fn show_results(&self, shell: &Shell, paths: Paths<'_>) -> Markup {
        html! {
            section id="results" aria-labelledby="h-results" {
                div class="section" { h2 id="h-results" { "Results for this content" } p { "Newest result of each provider version." } }
                ol class="events panel panel-pad" {
                    @for result in &self.results {
                        @let status = Status::of_result(Some(result.success));
                        li data-status=(status.name()) {
                            (icon(status.name()))
                            div {
                                (version(paths, &result.version))
                                p class="second" {
                                    (result.detail.as_deref().unwrap_or(if result.success { "Verified" } else { "Failed" })) "."
                                    @if let Some(url) = web(result.build_url.as_deref()) { " " a href=(url) rel="noopener" { "View the build" } }
                                }
                            }
                            (ago(result.at, shell.now))
                        }
                    }
                    li data-status="neutral" {
                        (icon("box"))
                        div { "Published by " bdi { (self.consumer) } " " (self.version.number) }
                        (ago(self.published_at, shell.now))
                    }
                }
            }
        }
    }
}

/// Returns the URL if its scheme is `http` or `https`, and `None` otherwise. Other schemes, such as `javascript:`, must
/// not become links.
pub(crate) fn web(url: Option<&str>) -> Option<&str> {
    url.filter(|url| url.starts_with("https://") || url.starts_with("http://"))
}
