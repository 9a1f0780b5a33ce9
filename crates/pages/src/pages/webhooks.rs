//! Renders the webhooks and their deliveries.

mod delivery;
mod form;

pub use delivery::{Attempt, DeliveryLog, TestLog};
pub use form::{Applications, WebhookForm};

use maud::{Markup, html};

use crate::forms::{Notice, action};
use crate::layout::{Section, Shell, page};
use crate::parts::{Column, Status, Table, badge_text, cell, command, crumbs, empty, name, pair, when};

#[derive(Debug)]
pub struct Webhooks {
    pub webhooks: Vec<Webhook>,
    pub deliveries: Vec<Delivery>,
}

/// The page of one webhook.
#[derive(Debug)]
pub struct WebhookDetails {
    pub webhook: Webhook,
    /// The request that the webhook sends. Secrets are masked.
    pub request: SentRequest,
    pub deliveries: Vec<Delivery>,
    pub notice: Option<Notice>,
}

#[derive(Debug, Default)]
pub struct SentRequest {
    pub method: String,
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub body: String,
}

#[derive(Debug)]
pub struct Webhook {
    pub uuid: String,
    pub description: String,
    /// The method and the host of the request, such as `POST ci.example.com`.
    pub target: String,
    /// The contracts to which the webhook applies, such as `contracts between any consumer and users`.
    pub subject: String,
    pub events: Vec<String>,
    pub is_enabled: bool,
    /// The outcome and the time of the newest delivery, or `None` if there is none.
    pub last: Option<(Outcome, i64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Delivered,
    Failed,
    /// The broker has not sent the request yet, or will retry it.
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
                div class="title" {
                    h1 { "Webhooks" }
                    @if shell.can_change_webhooks {
                        div class="end" { a class="btn btn-main" href={ (shell.root) "/webhooks/new" } { "New webhook" } }
                    }
                }
                p class="lede" { "Requests that the broker sends when contracts or results change." }
            }
            @if self.webhooks.is_empty() {
                div class="panel" { (empty("No webhooks", &html! { "Create one to start builds or to send messages." })) }
            } @else {
                (self.table(shell))
                (deliveries(shell, &self.deliveries))
            }
            section class="part" {
                h2 { "From a script" }
                (command("create", "contract-broker create-webhook https://ci.example.com/build --request POST \\\n  --contract-requiring-verification-published"))
            }
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
        html! {
            section aria-labelledby="hooks" {
                div class="section" { h2 id="hooks" { "Webhooks " span class="count" { (self.webhooks.len()) } } }
                div class="panel" {
                    (table("Webhooks", &columns, &html! { @for webhook in &self.webhooks { (webhook.row(shell)) } }))
                }
            }
        }
    }
}

impl Webhook {
    fn row(&self, shell: &Shell) -> Markup {
        let has_failed = self.is_enabled && self.last.is_some_and(|(outcome, _)| outcome == Outcome::Failed);
        html! {
            tr role="row" data-status=[has_failed.then_some("failed")] {
                th scope="row" role="rowheader" class="full" {
                    a href={ (shell.root) "/webhooks/" (crate::encode(&self.uuid)) } { (name(&self.description)) }
                    @if !self.is_enabled { " " span class="label" { "disabled" } }
                    br;
                    span class="muted small" { (self.target) ", " (self.subject) }
                }
                (cell("full", &self.events()))
                (cell("", &html! {
                    @match self.last { Some((outcome, _)) => (outcome.badge()), None => span class="muted" { "none" } }
                }))
                (when(self.last.map(|(_, at)| at), shell.now))
            }
        }
    }

    fn events(&self) -> Markup {
        html! { @for event in &self.events { span class="scope" { (event) } " " } }
    }
}

impl WebhookDetails {
    pub fn page(&self, shell: &Shell) -> String {
        let webhook = &self.webhook;
        let path = format!("/webhooks/{}", crate::encode(&webhook.uuid));
        let webhooks = (format!("{}/webhooks", shell.root), "Webhooks");
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &[webhooks], &webhook.description))
                div class="title" {
                    h1 { (name(&webhook.description)) }
                    @if !webhook.is_enabled { span class="label" { "disabled" } }
                    @if shell.can_change_webhooks {
                        div class="end" {
                            (action(shell, &format!("{path}/execute"), "Send a test", &webhook.description, ""))
                            @if webhook.is_enabled {
                                (action(shell, &format!("{path}/disable"), "Disable", &webhook.description, ""))
                            } @else {
                                (action(shell, &format!("{path}/enable"), "Enable", &webhook.description, "btn-main"))
                            }
                            a class="btn" href={ (shell.root) (path) "/edit" } { "Edit" }
                        }
                    }
                }
                p class="lede" { "Sent for " (webhook.subject) "." }
            }
            @if let Some(notice) = &self.notice { (notice.show()) }
            section class="part" { h2 { "Events" } p { (webhook.events()) } }
            section class="part" { h2 { "Request" } (self.request.show()) }
            (deliveries(shell, &self.deliveries))
            @if shell.can_change_webhooks {
                section class="part" {
                    h2 { "Delete the webhook" }
                    p class="second small" { "The delivery logs are kept. Requests that the broker has not sent yet are discarded." }
                    (action(shell, &format!("{path}/delete"), "Delete", &webhook.description, "btn-bad"))
                }
            }
        };
        page(shell, Section::Webhooks, &webhook.description, &main)
    }
}

impl SentRequest {
    fn show(&self) -> Markup {
        html! {
            div class="cmd" {
                code {
                    (self.method) " " (self.url)
                    @for (name, value) in &self.headers { "\n" (name) ": " (value) }
                    @if !self.body.is_empty() { "\n\n" (self.body) }
                }
            }
        }
    }
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

fn deliveries(shell: &Shell, all: &[Delivery]) -> Markup {
    let columns = [
        Column::new("Status", "c12"),
        Column::new("Event", ""),
        Column::new("Sent to", "c20"),
        Column::new("Attempts", "c8 num"),
        Column::new("Created", "c12 num"),
        Column::hidden("Log", "c6 num"),
        Column::hidden("Action", "c10 num"),
    ];
    html! {
        section aria-labelledby="log" {
            div class="section" { h2 id="log" { "Deliveries" } p { "Newest first. A replay sends the request again." } }
            div class="panel" {
                @if all.is_empty() {
                    (empty("No deliveries", &html! { "Deliveries appear here when an event occurs." }))
                } @else {
                    (table("Deliveries, newest first", &columns, &html! {
                        @for one in all { (one.row(shell)) }
                    }))
                }
            }
        }
    }
}

impl Delivery {
    fn log(&self, shell: &Shell) -> String {
        format!("{}/triggered-webhooks/{}/logs", shell.root, crate::encode(&self.uuid))
    }

    fn row(&self, shell: &Shell) -> Markup {
        let subject = format!("{} to {}", self.consumer, self.provider);
        html! {
            tr role="row" data-status=[(self.outcome == Outcome::Failed).then_some("failed")] {
                th scope="row" role="rowheader" { (self.outcome.badge()) }
                (cell("full", &html! {
                    (pair(&self.consumer, &self.provider, Status::Verified)) " " span class="muted" { (self.event) }
                }))
                (cell("", &html! { (self.target) }))
                td role="cell" class="num" data-label="attempts" { (self.attempts) }
                (when(Some(self.at), shell.now))
                (cell("num", &html! { a href=(self.log(shell)) aria-label={ "Log, " (subject) } { "Log" } }))
                (cell("num", &html! { @if self.can_replay(shell) { (self.replay(shell, "btn-s")) } }))
            }
        }
    }

    fn can_replay(&self, shell: &Shell) -> bool {
        shell.can_change_webhooks && self.outcome != Outcome::Waiting
    }

    fn replay(&self, shell: &Shell, class: &str) -> Markup {
        let path = format!("/triggered-webhooks/{}/retry", crate::encode(&self.uuid));
        action(
            shell,
            &path,
            "Replay",
            &format!("{} to {}", self.consumer, self.provider),
            class,
        )
    }
}
