//! Renders the log of a webhook delivery or of a webhook test.

use maud::{Markup, html};

use super::{Delivery, Outcome};
use crate::layout::{Section, Shell, page};
use crate::parts::{Status, badge_text, crumbs, empty, pair};
use crate::time::{ago, exact};

/// The page of a delivery and its attempts.
#[derive(Debug)]
pub struct DeliveryLog {
    pub delivery: Delivery,
    /// The UUID of the webhook, or `None` if it was deleted.
    pub webhook: Option<String>,
    /// The attempts, oldest first.
    pub attempts: Vec<Attempt>,
}

#[derive(Debug)]
pub struct Attempt {
    pub has_succeeded: bool,
    pub at: i64,
    /// The log of the attempt, with line breaks.
    pub log: String,
}

impl DeliveryLog {
    pub fn page(&self, shell: &Shell) -> String {
        let delivery = &self.delivery;
        let mut parents = vec![(format!("{}/webhooks", shell.root), "Webhooks")];
        parents.extend(self.webhook.as_ref().map(|uuid| {
            let href = format!("{}/webhooks/{}", shell.root, crate::encode(uuid));
            (href, delivery.target.as_str())
        }));
        let last = self.attempts.len().checked_sub(1);
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &parents, "Delivery"))
                div class="title" {
                    h1 { "Delivery" }
                    (delivery.outcome.badge())
                    @if self.webhook.is_some() && delivery.can_replay(shell) {
                        div class="end" { (delivery.replay(shell, "btn-main")) }
                    }
                }
            }
            dl class="facts" {
                div { dt { "Contract" } dd { (pair(&delivery.consumer, &delivery.provider, Status::Verified)) } }
                div { dt { "Event" } dd { span class="scope" { (delivery.event) } } }
                div { dt { "Sent to" } dd { (delivery.target) } }
                div { dt { "Created" } dd { (ago(delivery.at, shell.now)) } }
            }
            @if self.webhook.is_none() { p class="small muted" { "The webhook was deleted." } }
            @if self.attempts.is_empty() {
                div class="panel" { (empty("Not sent yet", &html! { "The broker sends the request within seconds. Load the page again." })) }
            }
            div class="stack" {
                @for (at, attempt) in self.attempts.iter().enumerate() { (attempt.show(at, Some(at) == last)) }
            }
            @if delivery.outcome == Outcome::Waiting && !self.attempts.is_empty() {
                p class="small muted" { "The broker will retry the request." }
            }
        };
        page(shell, Section::Webhooks, "Delivery", &main)
    }
}

impl Attempt {
    fn show(&self, at: usize, is_open: bool) -> Markup {
        let (status, text) = if self.has_succeeded {
            (Status::Verified, "Delivered")
        } else {
            (Status::Failed, "Failed")
        };
        html! {
            details class="inter" data-status=(status.name()) open[is_open] {
                summary {
                    (crate::icons::icon("chev"))
                    span { span class="what" { "Attempt " (at + 1) } br; span class="muted small" { (exact(self.at)) } }
                    (badge_text(status, text))
                }
                div class="inter-body" { div class="cmd" { code { (self.log) } } }
            }
        }
    }
}

/// The page that shows the result of a webhook test.
#[derive(Debug)]
pub struct TestLog {
    /// The path of the webhook's page, relative to the broker's base URL.
    pub webhook: String,
    pub has_succeeded: bool,
    pub log: String,
}

impl TestLog {
    pub fn page(&self, shell: &Shell) -> String {
        let parents = [(format!("{}/webhooks", shell.root), "Webhooks")];
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &parents, "Test"))
                div class="title" {
                    h1 { "Test" }
                    @if self.has_succeeded { (badge_text(Status::Verified, "Delivered")) }
                    @else { (badge_text(Status::Failed, "Failed")) }
                }
                p class="lede" { "The broker sent the webhook’s request once, for the newest contract that the webhook applies to." }
            }
            div class="cmd" { code { (self.log) } }
            p { a class="btn" href={ (shell.root) (self.webhook) } { "Back to the webhook" } }
        };
        page(shell, Section::Webhooks, "Webhook test", &main)
    }
}
