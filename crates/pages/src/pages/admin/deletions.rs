//! Renders the list of deletions that can be undone.

use maud::{Markup, html};

use super::{Part, frame, table};
use crate::Query;
use crate::forms::{Notice, action};
use crate::layout::Shell;
use crate::parts::{Column, Pages, cell, empty_list, name, pager, when};
use crate::time::until;

#[derive(Debug)]
pub struct Deletions {
    pub query: Query,
    pub pages: Pages,
    pub deletions: Vec<Deletion>,
    pub notice: Option<Notice>,
}

#[derive(Debug)]
pub struct Deletion {
    pub uuid: String,
    /// What was deleted: `pacticipant` or `environment`.
    pub kind: String,
    pub name: String,
    pub deleted_at: i64,
    pub undoable_until: i64,
}

impl Deletion {
    fn title(&self) -> &str {
        match self.kind.as_str() {
            "pacticipant" => "Application",
            "environment" => "Environment",
            other => other,
        }
    }

    fn row(&self, shell: &Shell) -> Markup {
        let path = format!("/deletions/{}/undo", crate::encode(&self.uuid));
        html! {
            tr role="row" {
                th scope="row" role="rowheader" class="full" { (name(&self.name)) }
                (cell("", &html! { (self.title()) }))
                (when(Some(self.deleted_at), shell.now))
                td role="cell" class="num muted" data-label="restorable until" { (until(self.undoable_until, shell.now)) }
                (cell("num", &html! {
                    @if shell.can_write { (action(shell, &path, "Restore", &self.name, "btn-s")) }
                }))
            }
        }
    }
}

impl Deletions {
    pub fn page(&self, shell: &Shell) -> String {
        let columns = [
            Column::new("Name", ""),
            Column::new("Kind", "c16"),
            Column::new("Deleted", "c16 num"),
            Column::new("Restorable until", "c18 num"),
            Column::hidden("Action", "c12 num"),
        ];
        let nothing = html! { "Deleted applications and environments appear here, and can be restored for 30 days." };
        let content = html! {
            @if let Some(notice) = &self.notice { (notice.show()) }
            section aria-label="Deletions" {
                div class="panel" {
                    @if self.deletions.is_empty() {
                        (empty_list(&self.query, self.pages, "Nothing to restore", &nothing))
                    } @else {
                        (table("Deletions, newest first", &columns, &html! {
                            @for deletion in &self.deletions { (deletion.row(shell)) }
                        }))
                        (pager(&self.query, self.pages))
                    }
                }
            }
        };
        frame(
            shell,
            Part::Deletions,
            "Deleted applications and environments. They can be restored for 30 days.",
            &content,
        )
    }
}
