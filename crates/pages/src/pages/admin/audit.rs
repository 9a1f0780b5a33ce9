//! Renders the audit log.

use maud::{Markup, html};

use super::{Part, frame, table};
use crate::address::Query;
use crate::layout::Shell;
use crate::parts::{Column, Status, badge_text, cell, command, empty, name, options, when};

#[derive(Debug)]
pub struct AuditEntry {
    pub at: i64,
    pub actor: String,
    pub kind: String,
    pub address: String,
    pub method: String,
    pub path: String,
    pub status: i64,
    pub reason: Option<String>,
    pub resource: Option<String>,
    pub occurrences: i64,
}

/// Renders one page of the audit log, newest entries first. `older` is the ID before which the next page starts, or
/// `None` on the last page.
pub fn page(shell: &Shell, query: &Query, all: &[AuditEntry], older: Option<i64>) -> String {
    let columns = [
        Column::new("Who", "c14"),
        Column::new("What", ""),
        Column::new("Outcome", "c18"),
        Column::new("From", "c10"),
        Column::new("When", "c10 num"),
    ];
    let content = html! {
        section aria-label="Entries" {
            div class="panel" {
                form class="filters" action={ (shell.root) "/admin/audit" } {
                    div class="field grow" {
                        label for="actor" { "Who" }
                        input id="actor" name="actor" value=(query.value("actor")) autocomplete="off";
                    }
                    div class="field grow" {
                        label for="path" { "Path" }
                        input id="path" name="path" value=(query.value("path")) autocomplete="off";
                    }
                    div class="field" {
                        label for="outcome" { "Outcome" }
                        select id="outcome" name="outcome" {
                            (options(query.value("outcome"), [("", "All"), ("written", "Written"), ("denied", "Denied")]))
                        }
                    }
                    button class="btn" { "Apply" }
                }
                @if all.is_empty() && ["actor", "path", "outcome", "before"].iter().all(|field| query.value(field).is_empty()) {
                    (empty("No entries yet", &html! { "Each write and each denied request is recorded here." }))
                } @else if all.is_empty() {
                    (empty("No entries", &html! { "No write or denied request matches the filters. " a href="?" { "Clear filters" } }))
                } @else {
                    (table("Audit log, newest first", &columns, &html! { @for entry in all { (entry.row(shell.now)) } }))
                }
                @if let Some(older) = older {
                    div class="panel-foot" {
                        nav class="pager" aria-label="Pages" {
                            ul { li { a href=(query.with("before", &older.to_string()).href()) rel="next" { "Older" } } }
                        }
                    }
                }
            }
        }
        section class="part" {
            h2 { "Export" }
            (command("export", &format!(
                "curl -H \"Authorization: Bearer $CONTRACT_BROKER_TOKEN\" \\\n  -H \"Accept: application/x-ndjson\" {}/admin/audit",
                shell.base
            )))
        }
    };
    frame(shell, Part::Audit, "Every write and every denied request.", &content)
}

impl AuditEntry {
    fn row(&self, now: i64) -> Markup {
        let is_denied = self.status >= 400;
        html! {
            tr role="row" data-status=[is_denied.then_some("failed")] {
                th scope="row" role="rowheader" class="full" {
                    @if self.actor.is_empty() { span class="muted" { (self.kind) } }
                    @else { (name(&self.actor)) " " span class="muted small" { (self.kind) } }
                }
                (cell("full", &html! { span class="http" { span class="method" { (self.method) } " " (self.path) } }))
                (cell("", &html! {
                    @if is_denied { (badge_text(Status::Failed, &format!("Denied, {}", self.status))) }
                    @else { (badge_text(Status::Verified, "Written")) }
                    @if self.occurrences > 1 { " " span class="muted small" { (self.occurrences) " times" } }
                    @if let Some(resource) = &self.resource { " " span class="muted small" { (resource) } }
                    @if let Some(reason) = &self.reason { " " span class="muted small" { (reason) } }
                }))
                (cell("muted", &html! { (self.address) }))
                (when(Some(self.at), now))
            }
        }
    }
}
