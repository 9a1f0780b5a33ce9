//! Pages for administrators.

pub mod audit;
pub mod deletions;
pub mod retention;
pub mod tokens;
pub mod users;

use maud::{Markup, html};

use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::parts::{Column, Tab, Table, tabs};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Tokens,
    Users,
    Audit,
    Retention,
    Deletions,
}

/// Renders an administration page below its tabs. `lede` is the sentence that explains the page.
fn frame(shell: &Shell, part: Part, lede: &str, content: &Markup) -> String {
    let all = [
        (Part::Tokens, "Tokens", "/admin/tokens"),
        (Part::Users, "Users", "/admin/users"),
        (Part::Audit, "Audit log", "/admin/audit"),
        (Part::Retention, "Retention", "/admin/retention"),
        (Part::Deletions, "Deletions", "/deletions"),
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
        @if shell.is_admin { (tabs("Administration", &all)) }
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

/// Renders a warning that the broker is open to everyone. `consequence` explains what changes when the first credential
/// is created.
fn open_broker(consequence: &Markup) -> Markup {
    html! {
        div class="notice" data-status="warning" {
            (icon("warning"))
            p { strong { "This broker is open to everyone." } " " (consequence) }
        }
    }
}

fn scopes(all: &[String]) -> Markup {
    html! {
        @for scope in all {
            span class="scope" data-status=[(scope == "admin").then_some("warning")] { (scope) } " "
        }
    }
}
