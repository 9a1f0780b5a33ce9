//! Renders the differences between two versions of a contract.

use maud::{Markup, PreEscaped, html};

use crate::contract::{Change, Effect, InteractionChanges, Side};
use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::parts::{Paths, Status, counted, crumbs, empty, pair};

#[derive(Debug)]
pub struct Diff {
    pub consumer: String,
    pub provider: String,
    pub older: String,
    pub newer: String,
    pub status: Status,
    pub changed: Vec<InteractionChanges>,
    pub unchanged: usize,
    /// Whether both versions have the same contract content.
    pub is_same: bool,
    /// A line diff of both contracts, formatted as JSON.
    pub text: String,
}

impl Diff {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let (consumer, provider) = (&self.consumer, &self.provider);
        let title = format!("Changes from {} to {}", self.older, self.newer);
        let pact = paths.pact(consumer, provider, &self.newer);
        let main = html! {
            div class="head" {
                (crumbs(
                    &shell.root,
                    &[
                        (paths.application(consumer), consumer),
                        (paths.application(provider), provider),
                        (pact.clone(), &self.newer),
                    ],
                    "Changes",
                ))
                div class="title" { h1 { (title) } }
                p class="lede" { (pair(consumer, provider, self.status)) ": " (self.summary()) }
            }
            @if self.changed.is_empty() {
                div class="panel" {
                    (empty(
                        if self.is_same { "The same content" } else { "The same meaning" },
                        &html! { @if !self.is_same { "Only the formatting or the order differs. " } a href=(pact) { "View the contract" } },
                    ))
                }
            }
            (self.group(Effect::More, "more", "Requires more from the provider", "A provider that passed before may fail now.", &pact))
            (self.group(Effect::Less, "less", "Requires less from the provider", "No provider can fail because of these changes.", &pact))
            (self.examples())
            (self.show_text())
        };
        page(shell, Section::Other, &title, &main)
    }

    fn count(&self, effect: Effect) -> usize {
        let changes = self.changed.iter().flat_map(|one| &one.changes);
        changes.filter(|change| change.effect == effect).count()
    }

    fn summary(&self) -> String {
        if self.is_same {
            return "both versions have the same content.".to_owned();
        }
        format!(
            "{} more from the provider, {} less. {} of {} unchanged.",
            counted(self.count(Effect::More), "change requires", "changes require"),
            counted(self.count(Effect::Less), "requires", "require"),
            self.unchanged,
            counted(
                self.unchanged + self.changed.len(),
                "interaction is",
                "interactions are"
            ),
        )
    }

    fn group(&self, effect: Effect, id: &str, title: &str, meaning: &str, pact: &str) -> Markup {
        let count = self.count(effect);
        let has_effect = |one: &&InteractionChanges| one.changes.iter().any(|change| change.effect == effect);
        html! {
            @if count > 0 {
                section aria-labelledby=(id) {
                    div class="section" { h2 id=(id) { (title) " " span class="count" { (count) } } p { (meaning) } }
                    div class="panel" {
                        @for one in self.changed.iter().filter(has_effect) {
                            div class="panel-head" {
                                h3 {
                                    @match one.number {
                                        Some(number) => a class="plain" href={ (pact) "#interaction-" (number + 1) } { bdi { (one.description) } },
                                        None => bdi { (one.description) },
                                    }
                                }
                            }
                            @for change in one.changes.iter().filter(|change| change.effect == effect) { (show(change)) }
                        }
                    }
                }
            }
        }
    }

    fn examples(&self) -> Markup {
        let count = self.count(Effect::Example);
        html! {
            @if count > 0 {
                details class="inter" {
                    summary {
                        (icon("chev"))
                        span {
                            span class="what" { "Examples only" } " "
                            span class="muted" { (counted(count, "value", "values")) " changed, with the same rules" }
                        }
                    }
                    div class="inter-body" {
                        div {
                            @for change in self.changed.iter().flat_map(|one| &one.changes).filter(|change| change.effect == Effect::Example) {
                                (show(change))
                            }
                        }
                    }
                }
            }
        }
    }

    fn show_text(&self) -> Markup {
        html! {
            @if !self.text.is_empty() && !self.is_same {
                section aria-labelledby="text" {
                    div class="section" { h2 id="text" { "As text" } p { "Changed lines with context." } }
                    div class="codebox" {
                        table class="code" {
                            caption class="vh" { "Changed lines" }
                            thead class="vh" { tr { th scope="col" { "Line" } } }
                            tbody {
                                @for line in self.text.lines().take(2_000) {
                                    tr data-status=[tone(line)] { td { (line) } }
                                }
                            }
                        }
                    }
                }
            }
        }
    }
}

fn tone(line: &str) -> Option<&'static str> {
    match line.chars().next() {
        Some('+') => Some("verified"),
        Some('-') => Some("failed"),
        _ => None,
    }
}

fn show(change: &Change) -> Markup {
    html! {
        div class="change" {
            div { (change.kind) }
            div {
                @if !change.place.is_empty() { p class="where" { (change.place) } }
                @if change.before.is_some() || change.after.is_some() {
                    dl class="was-now" {
                        @if let Some(before) = &change.before { dt { "Before" } dd { (side(before, true)) } }
                        dt { "Now" }
                        dd { @match &change.after { Some(after) => (side(after, false)), None => "no longer used" } }
                    }
                }
            }
        }
    }
}

fn side(side: &Side, is_before: bool) -> Markup {
    html! {
        @if !side.example.is_empty() {
            @if is_before { del { (side.example) } } @else { ins { (side.example) } }
            " "
        }
        // The words of a rule are HTML that this crate created.
        (PreEscaped(&side.rule))
    }
}
