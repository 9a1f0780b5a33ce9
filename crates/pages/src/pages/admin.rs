//! Pages for administrators: tokens, users, and the audit log.

use maud::{Markup, html};

use crate::address::Query;
use crate::layout::{Section, Shell, page};
use crate::parts::{Column, Status, Tab, Table, badge_text, cell, command, empty, name, options, tabs, when};

/// A page of the administration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Tokens,
    Users,
    Audit,
}

fn frame(shell: &Shell, part: Part, lede: &str, content: &Markup) -> String {
    let all = [
        (Part::Tokens, "Tokens", "/admin/tokens"),
        (Part::Users, "Users", "/admin/users"),
        (Part::Audit, "Audit log", "/admin/audit"),
    ];
    let all = all.map(|(one, title, path)| Tab {
        title,
        href: format!("{}{path}", shell.root),
        count: None,
        is_current: one == part,
    });
    let title = all.iter().find(|tab| tab.is_current).map_or("", |tab| tab.title);
    let main = html! {
        div class="head" { h1 { (title) } p class="lede" { (lede) } }
        (tabs("Administration", &all))
        (content)
    };
    page(shell, Section::Tokens, title, &main)
}

fn table(caption: &str, columns: &[Column], rows: &Markup) -> Markup {
    let table = Table {
        caption,
        columns,
        sorting: None,
        class: "",
        id: None,
    };
    table.show(rows)
}

#[derive(Debug)]
pub struct Token {
    pub id: String,
    pub label: String,
    pub scopes: Vec<String>,
    pub created_by: String,
    pub created_at: i64,
    pub expires_at: Option<i64>,
    pub last_used_at: Option<i64>,
    pub is_revoked: bool,
}

/// Renders the list of API tokens.
pub fn tokens(shell: &Shell, all: &[Token]) -> String {
    let columns = [
        Column::new("Token", "c24"),
        Column::new("Scopes", ""),
        Column::new("Created by", "c16"),
        Column::new("Status", "c14"),
        Column::new("Last used", "c12 num"),
    ];
    let status = |token: &Token| match token.expires_at {
        _ if token.is_revoked => badge_text(Status::Failed, "Revoked"),
        Some(at) if at <= shell.now => badge_text(Status::Pending, "Expired"),
        Some(_) => badge_text(Status::Verified, "Active, expires"),
        None => badge_text(Status::Verified, "Active"),
    };
    let content = html! {
        section aria-label="Tokens" {
            div class="panel" {
                @if all.is_empty() {
                    (empty("No tokens", &html! { "A token is the credential of a pipeline." }))
                } @else {
                    (table("API tokens", &columns, &html! {
                        @for token in all {
                            tr role="row" {
                                th scope="row" role="rowheader" class="full" { (name(&token.label)) br; span class="muted small mono" { (token.id) } }
                                (cell("full", &html! { @for scope in &token.scopes { span class="scope" { (scope) } " " } }))
                                (cell("", &html! { (name(&token.created_by)) }))
                                (cell("", &status(token)))
                                (when(token.last_used_at, shell.now))
                            }
                        }
                    }))
                }
            }
        }
        section class="part" {
            h2 { "Create a token" }
            (command("create", "contract-broker token create --label \"web CI\" --scope publish:web --scope read"))
            p class="small muted" { "The token is shown once. " code { "contract-broker token revoke ID" } " revokes it." }
        }
    };
    frame(
        shell,
        Part::Tokens,
        "Credentials of pipelines, and what each of them may do.",
        &content,
    )
}

#[derive(Debug)]
pub struct Account {
    pub name: String,
    pub scopes: Vec<String>,
    pub created_at: i64,
}

/// Renders the list of users with a password.
pub fn users(shell: &Shell, all: &[Account]) -> String {
    let columns = [
        Column::new("User", "c28"),
        Column::new("Scopes", ""),
        Column::new("Created", "c12 num"),
    ];
    let content = html! {
        section aria-label="Users" {
            div class="panel" {
                @if all.is_empty() {
                    (empty("No users", &html! { "Users sign in to these pages with a password." }))
                } @else {
                    (table("Users", &columns, &html! {
                        @for account in all {
                            tr role="row" {
                                th scope="row" role="rowheader" { (name(&account.name)) }
                                (cell("full", &html! { @for scope in &account.scopes { span class="scope" { (scope) } " " } }))
                                (when(Some(account.created_at), shell.now))
                            }
                        }
                    }))
                }
            }
        }
        section class="part" { h2 { "Add a user" } (command("add", "contract-broker user add rosa --scope read")) }
    };
    frame(shell, Part::Users, "People who sign in with a password.", &content)
}

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
    pub occurrences: i64,
}

/// Renders the audit log. `older` is the ID before which the next page starts.
pub fn audit(shell: &Shell, query: &Query, all: &[AuditEntry], older: Option<i64>) -> String {
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
                @if all.is_empty() {
                    (empty("No entries", &html! { "No write or denied request matches. " a href="?" { "Clear filters" } }))
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
                    @if let Some(reason) = &self.reason { " " span class="muted small" { (reason) } }
                }))
                (cell("muted", &html! { (self.address) }))
                (when(Some(self.at), now))
            }
        }
    }
}
