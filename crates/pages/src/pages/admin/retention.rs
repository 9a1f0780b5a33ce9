//! Renders a preview of what the next retention run would delete.

use maud::{Markup, html};

use super::{Part, frame, table};
use crate::layout::Shell;
use crate::parts::{Column, Paths, application, cell, command, counted, empty, thousands};

/// Maximum number of version numbers that are listed for an application.
const NUMBERS: usize = 8;

#[derive(Debug, Default)]
pub struct Retention {
    /// The rules of the retention policy, as sentences, or `None` if retention is off.
    pub rules: Option<Vec<String>>,
    pub applications: Vec<Application>,
    /// The branches to delete: pairs of the application's name and the branch.
    pub branches: Vec<(String, String)>,
    pub revisions: i64,
    pub results: i64,
    /// The number of contract contents to delete, or `None` if it is unknown because not all versions were examined.
    pub contents: Option<i64>,
    /// Whether all versions were examined. Otherwise, only the oldest versions were examined.
    pub is_complete: bool,
}

/// The versions of an application that would be deleted and kept.
#[derive(Debug)]
pub struct Application {
    pub name: String,
    /// Numbers of the versions to delete, oldest first.
    pub deleted: Vec<String>,
    pub young: u64,
    /// The rules that keep old versions, each with the number of versions that it keeps.
    pub kept: Vec<(&'static str, u64)>,
}

impl Retention {
    pub fn page(&self, shell: &Shell) -> String {
        let content = html! {
            @match &self.rules {
                None => div class="panel" {
                    (empty("Retention is off", &html! {
                        "This broker keeps all versions. To delete old versions, restart it with " code { "--retention true" } "."
                    }))
                },
                Some(rules) => {
                    section class="part" {
                        h2 { "Rules" }
                        ul class="panel panel-pad tight" { @for rule in rules { li { (rule) } } }
                    }
                    (self.summary())
                    (self.table(shell))
                },
            }
            section class="part" {
                h2 { "Complete preview" }
                (command("clean", "contract-broker clean --db DATABASE --dry-run"))
            }
        };
        frame(
            shell,
            Part::Retention,
            "What the next retention run would delete, and why other old versions are kept.",
            &content,
        )
    }

    fn summary(&self) -> Markup {
        let versions: usize = self.applications.iter().map(|one| one.deleted.len()).sum();
        let number = |count: i64| thousands(count);
        html! {
            dl class="facts panel panel-pad" {
                div { dt { "Versions to delete" } dd { (number(i64::try_from(versions).unwrap_or(i64::MAX))) } }
                div { dt { "Branches" } dd { (self.branches.len()) } }
                div { dt { "Earlier revisions" } dd { (number(self.revisions)) } }
                div { dt { "Earlier results" } dd { (number(self.results)) } }
                @if let Some(contents) = self.contents {
                    div { dt { "Unused contents" } dd { (number(contents)) } }
                }
            }
            @if !self.is_complete {
                p class="small muted" { "Only the oldest versions were examined. The command below examines all of them." }
            }
        }
    }

    fn table(&self, shell: &Shell) -> Markup {
        let columns = [
            Column::new("Application", "c20"),
            Column::new("Delete", ""),
            Column::new("Kept, recent", "c12 num"),
            Column::new("Kept by a rule", "c28"),
        ];
        let old: Vec<&Application> = self.applications.iter().filter(|one| one.has_old()).collect();
        let young = self.applications.len() - old.len();
        html! {
            section aria-labelledby="applications" {
                div class="section" {
                    h2 id="applications" { "Applications with old versions" }
                    @if young > 0 { p { (counted(young, "other application has", "other applications have")) " no old versions." } }
                }
                div class="panel" {
                    @if old.is_empty() {
                        (empty("Nothing to delete", &html! { "No application has old versions." }))
                    } @else {
                        (table("Versions by application", &columns, &html! { @for one in &old { (one.row(shell)) } }))
                    }
                }
            }
        }
    }
}

impl Application {
    fn has_old(&self) -> bool {
        !self.deleted.is_empty() || !self.kept.is_empty()
    }

    fn row(&self, shell: &Shell) -> Markup {
        let more = self.deleted.len().saturating_sub(NUMBERS);
        html! {
            tr role="row" {
                th scope="row" role="rowheader" { (application(Paths(&shell.root), &self.name)) }
                (cell("full", &html! {
                    @if self.deleted.is_empty() { span class="muted" { "nothing" } } @else {
                        (counted(self.deleted.len(), "version", "versions")) ": "
                        @for (at, number) in self.deleted.iter().take(NUMBERS).enumerate() {
                            @if at > 0 { ", " } span class="mono" { bdi { (number) } }
                        }
                        @if more > 0 { " and " (more) " more" }
                    }
                }))
                td role="cell" class="num" data-label="recent" { (self.young) }
                (cell("full small", &html! {
                    @for (at, (rule, count)) in self.kept.iter().enumerate() {
                        @if at > 0 { ", " } (count) " " (rule)
                    }
                }))
            }
        }
    }
}
