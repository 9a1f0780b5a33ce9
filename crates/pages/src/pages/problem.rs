//! Renders the error page.

use maud::{Markup, html};

use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::parts::{Paths, application, crumbs, name};
use crate::time::ago;

#[derive(Debug)]
pub struct Problem {
    pub status: u16,
    /// The reasons for the error, as sentences.
    pub details: Vec<String>,
    /// The names of applications to suggest if the user may have misspelled a name.
    pub applications: Vec<String>,
    /// The time at which an application with this name was deleted, in milliseconds since 1970, or `None`.
    pub deleted_at: Option<i64>,
    /// Links to related pages: pairs of a path, relative to the broker's base URL, and a text.
    pub links: Vec<(String, String)>,
}

impl Problem {
    pub fn page(&self, shell: &Shell) -> String {
        let (title, lede) = self.texts();
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &[], title))
                h1 { (title) }
                p class="lede" { (lede) " " span class="mono small" { (self.status) " " (shell.target) } }
            }
            @if !self.details.is_empty() && self.status != 401 {
                ul class="panel panel-pad tight" { @for detail in &self.details { li { (detail) } } }
            }
            @if !self.applications.is_empty() {
                p {
                    "Did you mean "
                    @for (at, known) in self.applications.iter().enumerate() {
                        @if at > 0 { " or " } (application(Paths(&shell.root), known))
                    }
                    "?"
                }
            }
            @if let Some(at) = self.deleted_at {
                div class="notice" data-status="info" {
                    (icon("info"))
                    p { "An application with this name was deleted " (ago(at, shell.now)) ", and can be restored." }
                    a class="btn btn-s" href={ (shell.root) "/deletions" } { "View deletions" }
                }
            } @else if matches!(self.status, 404 | 410) {
                p class="second" {
                    "Deleted applications and environments can be restored for 30 days. "
                    a class="inline-link" href={ (shell.root) "/deletions" } { "View deletions" }
                }
            }
            p class="row" {
                (self.next(shell))
                @for (path, text) in &self.links { a class="btn" href={ (shell.root) (path) } { (name(text)) } }
                a class="btn" href={ (shell.root) "/" } { "Go to the overview" }
                span class="muted small js-only" { "Press " kbd { "/" } " to search." }
            }
        };
        page(shell, Section::Other, title, &main)
    }

    /// Returns the title and the explanation for the status.
    fn texts(&self) -> (&'static str, &'static str) {
        match self.status {
            400 => ("The address is invalid", "The broker cannot read part of the address."),
            401 => (
                "Sign in to see this page",
                "The broker requires credentials, or your session has ended.",
            ),
            403 => (
                "You are not allowed to do this",
                "Your account does not have the required permission.",
            ),
            404 => (
                "Not found",
                "The name may be misspelled, or the resource may have been renamed or deleted.",
            ),
            409 => (
                "Not possible at the moment",
                "The request conflicts with the current state of the resource.",
            ),
            410 => ("Deleted", "The resource at this address was deleted."),
            429 => ("Too many requests", "Wait a moment, then load the page again."),
            503 => (
                "Not available at the moment",
                "Wait a moment, then load the page again.",
            ),
            507 => (
                "The broker’s disk is full",
                "Nothing was written. An administrator must free space.",
            ),
            status if status < 500 => ("The broker rejected the request", "The reason is below."),
            _ => ("Something went wrong", "The broker’s log has the details."),
        }
    }

    fn next(&self, shell: &Shell) -> Markup {
        html! {
            @if matches!(self.status, 401 | 403) && shell.user.is_none() {
                a class="btn btn-main" href={ (shell.root) "/login?next=" (crate::encode(&shell.target)) } { "Sign in" }
            }
        }
    }
}
