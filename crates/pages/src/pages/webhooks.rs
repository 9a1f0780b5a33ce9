//! Webhooks and their deliveries.

use maud::{Markup, html};

use crate::layout::{Section, Shell, page};
use crate::parts::{Column, Status, Table, badge_text, cell, command, empty, name, pair, when};

#[derive(Debug)]
pub struct Webhooks {
    pub webhooks: Vec<Webhook>,
    pub deliveries: Vec<Delivery>,
    /// Whether the list of deliveries belongs to one webhook.
    pub of_one: bool,
}

#[derive(Debug)]
pub struct Webhook {
    pub uuid: String,
    pub description: String,
    /// Method and host.
    pub target: String,
    pub subject: String,
    pub events: Vec<String>,
    pub is_enabled: bool,
    /// The outcome and the time of the last delivery.
    pub last: Option<(Outcome, i64)>,
}

/// The outcome of a delivery.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Failed,
    Waiting,
}

impl Outcome {
    fn badge(self) -> Markup {
        match self {
            Self::Delivered => badge_text(Status::Verified, "Delivered"),
            Self::Failed => badge_text(Status::Failed, "Failed"),
            Self::Waiting => badge_text(Status::Pending, "Waiting"),
        }
    }
}

#[derive(Debug)]
pub struct Delivery {
    pub uuid: String,
    pub outcome: Outcome,
    pub event: String,
    pub consumer: String,
    pub provider: String,
    pub target: String,
    pub attempts: i64,
    pub at: i64,
}

impl Webhooks {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            div class="head" {
                h1 { @match self.webhooks.as_slice() { [one] if self.of_one => (one.description), _ => "Webhooks" } }
                p class="lede" { "Requests that the broker sends when contracts or results change." }
            }
            @if self.webhooks.is_empty() {
                div class="panel" { (empty("No webhooks", &html! { "Create one to start builds or to send messages." })) }
                (command("create", "contract-broker create-webhook https://ci.example.com/build --request POST \\\n  --contract-requiring-verification-published"))
            } @else {
                (self.table(shell))
            }
            @if !self.webhooks.is_empty() { (self.log(shell)) }
        };
        page(shell, Section::Webhooks, "Webhooks", &main)
    }

    fn table(&self, shell: &Shell) -> Markup {
        let columns = [
            Column::new("Webhook", "c28"),
            Column::new("Events", ""),
            Column::new("Last delivery", "c20"),
            Column::new("When", "c12 num"),
        ];
        let table = Table {
            caption: "Webhooks",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        html! {
            section aria-labelledby="hooks" {
                div class="section" { h2 id="hooks" { "Webhooks " span class="count" { (self.webhooks.len()) } } }
                div class="panel" {
                    (table.show(&html! {
                        @for webhook in &self.webhooks {
                            tr role="row" {
                                th scope="row" role="rowheader" class="full" {
                                    a href={ (shell.root) "/webhooks/" (webhook.uuid) } { (name(&webhook.description)) }
                                    @if !webhook.is_enabled { " " span class="label" { "disabled" } }
                                    br;
                                    span class="muted small" { (webhook.target) ", " (webhook.subject) }
                                }
                                (cell("full", &html! { @for event in &webhook.events { span class="scope" { (event) } " " } }))
                                (cell("", &html! {
                                    @match webhook.last { Some((outcome, _)) => (outcome.badge()), None => span class="muted" { "none" } }
                                }))
                                (when(webhook.last.map(|(_, at)| at), shell.now))
                            }
                        }
                    }))
                }
            }
        }
    }

    fn log(&self, shell: &Shell) -> Markup {
        let columns = [
            Column::new("Status", "c14"),
            Column::new("Event", ""),
            Column::new("Sent to", "c24"),
            Column::new("Attempts", "c8 num"),
            Column::new("Created", "c12 num"),
            Column::hidden("Log", "c8 num"),
        ];
        let table = Table {
            caption: "Deliveries, newest first",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        html! {
            section aria-labelledby="log" {
                div class="section" { h2 id="log" { "Deliveries" } p { "Newest first." } }
                div class="panel" {
                    @if self.deliveries.is_empty() {
                        (empty("No deliveries", &html! { "The first one appears when an event happens." }))
                    } @else {
                        (table.show(&html! {
                            @for one in &self.deliveries {
                                tr role="row" {
                                    th scope="row" role="rowheader" { (one.outcome.badge()) }
                                    (cell("full", &html! {
                                        (pair(&one.consumer, &one.provider, Status::Verified)) " " span class="muted" { (one.event) }
                                    }))
                                    (cell("", &html! { (one.target) }))
                                    td role="cell" class="num" data-label="attempts" { (one.attempts) }
                                    (when(Some(one.at), shell.now))
                                    (cell("num", &html! {
                                        a href={ (shell.root) "/triggered-webhooks/" (one.uuid) "/logs" } { "Log" }
                                    }))
                                }
                            }
                        }))
                    }
                }
            }
        }
    }
}
