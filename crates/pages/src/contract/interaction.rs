//! Renders an interaction of a contract and its verification result.

use contract_model::{
    Body, Headers, HttpInteraction, Interaction, InteractionKind, Json, Message, PathExpression, RuleList, Text,
};
use maud::{Markup, html};

use super::example::{Line, MAX_FOLDED, lines, size};
use super::markdown;
use super::rules::{Scope, list};
use crate::icons::icon;
use crate::parts::{Status, badge_text, counted};

/// Maximum number of mismatches that are displayed for an interaction.
const MAX_MISMATCHES: usize = 10;

#[derive(Debug)]
pub struct InteractionView<'a> {
    pub interaction: &'a Interaction,
    /// Index of the interaction in the contract, from 0.
    pub number: usize,
    pub outcome: Option<Outcome>,
    /// Whether bodies are shown even if they are large.
    pub is_full: bool,
    /// Whether the page shows verification results. False in static sites.
    pub has_results: bool,
}

/// The verification result of an interaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    pub success: bool,
    pub mismatches: Vec<Mismatch>,
    pub errors: Vec<String>,
}

/// A difference between the expected and the actual response or message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mismatch {
    /// Name of the part that differs, such as `body` or `header`.
    pub part: String,
    /// Location within the part: a path such as `$.id`, or the name of a header. `None` if the verifier reported none.
    pub place: Option<String>,
    pub description: String,
    pub expected: Option<String>,
    pub actual: Option<String>,
}

impl InteractionView<'_> {
    pub(crate) fn status(&self) -> Status {
        Status::of_result(self.outcome.as_ref().map(|outcome| outcome.success))
    }

    /// Returns the interaction's HTML ID, such as `interaction-1`.
    pub(crate) fn anchor(&self) -> String {
        format!("interaction-{}", self.number + 1)
    }

    fn failed_paths(&self) -> Vec<PathExpression> {
        let mismatches = self.outcome.iter().flat_map(|outcome| &outcome.mismatches);
        let of_bodies = mismatches.filter(|mismatch| mismatch.part == "body");
        of_bodies
            .filter_map(|mismatch| mismatch.place.as_ref()?.parse().ok())
            .collect()
    }
}

/// Renders a list of links to the interactions on the page.
pub(crate) fn index(views: &[InteractionView<'_>]) -> Markup {
    html! {
        nav class="toc" aria-label="Interactions" {
            ul {
                @for view in views {
                    @let status = view.status();
                    li {
                        a href={ "#" (view.anchor()) } data-status=(status.name()) {
                            @if view.has_results { (icon(status.name())) }
                            span {
                                (view.interaction.description)
                                @if view.has_results { span class="vh" { ", " (status.word()) } }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Renders an interaction, which is expanded if it failed. `full` is the address of the page on which its large bodies
/// are shown.
pub(crate) fn show(view: &InteractionView<'_>, full: &str) -> Markup {
    details(view, &show_parts(view, full))
}

/// Renders an interaction without its examples and rules, but with a link to them.
fn show_linked(view: &InteractionView<'_>, full: &str) -> Markup {
    let link = html! {
        p class="small" { a class="inline-link" href={ (full) "#" (view.anchor()) } { "Show the example and its rules" } }
    };
    details(view, &link)
}

/// Renders interactions within a limit for their total size, in bytes. Interactions that the user requested in full are
/// always rendered, and failed interactions come before others. An interaction that does not fit gets a link in place
/// of its examples and rules.
pub(crate) fn show_within(budget: usize, views: &[InteractionView<'_>], full: impl Fn(usize) -> String) -> Vec<Markup> {
    let mut order: Vec<&InteractionView<'_>> = views.iter().collect();
    order.sort_by_key(|view| (!view.is_full, !view.status().is_failed()));
    let mut left = budget;
    let mut rendered: Vec<(usize, Markup)> = Vec::with_capacity(views.len());
    for view in order {
        let address = full(view.number);
        // Once the budget is used up, parts are not rendered.
        let markup = (view.is_full || left > 0).then(|| show(view, &address));
        let markup = markup.filter(|markup| view.is_full || markup.0.len() <= left);
        left = left.saturating_sub(markup.as_ref().map_or(0, |markup| markup.0.len()));
        rendered.push((view.number, markup.unwrap_or_else(|| show_linked(view, &address))));
    }
    rendered.sort_by_key(|(number, _)| *number);
    rendered.into_iter().map(|(_, markup)| markup).collect()
}

fn details(view: &InteractionView<'_>, parts: &Markup) -> Markup {
    let status = view.status();
    let interaction = view.interaction;
    html! {
        details class="inter" id=(view.anchor()) data-status=(status.name()) open[status.is_failed() || (view.is_full && view.has_results)] {
            summary {
                (icon("chev"))
                h3 class="what" { bdi { (interaction.description) } " " span class="http" { (headline(interaction)) } }
                @if view.has_results { (badge_text(status, status.word())) }
            }
            div class="inter-body" {
                @if let Some(outcome) = &view.outcome { (show_outcome(outcome)) }
                @if !interaction.states.is_empty() { (show_states(interaction)) }
                (show_comments(interaction))
                (parts)
            }
        }
    }
}

fn headline(interaction: &Interaction) -> Markup {
    match &interaction.kind {
        InteractionKind::Http(http) => request_line(http),
        InteractionKind::AsyncMessage(message) => html! { span class="method" { "MESSAGE" } " " (topic(message)) },
        InteractionKind::SyncMessage(message) => {
            html! { span class="method" { "MESSAGE" } " " (topic(&message.request)) }
        }
        InteractionKind::Unknown { kind, .. } => html! { span class="method" { (kind) } },
        InteractionKind::Unreadable(unreadable) => html! { span class="method" { (unreadable.kind) } },
    }
}

fn request_line(http: &HttpInteraction) -> Markup {
    let request = &http.request;
    html! {
        span class="method" { (request.method) } " " (request.path)
        @if !request.query.is_empty() { "?" (request.query.to_text()) }
    }
}

/// Returns the destination of a message: the first metadata value with a known name, such as `topic` or `queue`. Empty
/// if there is none.
fn topic(message: &Message) -> String {
    let names = ["topic", "queue", "destination", "channel", "kafka_topic"];
    let found = names.iter().find_map(|name| message.metadata.get(name)?.as_str());
    found.unwrap_or_default().to_owned()
}

fn show_outcome(outcome: &Outcome) -> Markup {
    html! {
        @for error in &outcome.errors {
            div class="mismatch" data-status="failed" { h4 { "Error" } p { (error) } }
        }
        @for mismatch in outcome.mismatches.iter().take(MAX_MISMATCHES) {
            div class="mismatch" data-status="failed" {
                h4 { (place(mismatch)) }
                @if mismatch.expected.is_some() || mismatch.actual.is_some() {
                    dl {
                        dt { "Expected" } dd { code { (mismatch.expected.as_deref().unwrap_or("no value")) } }
                        dt { "Received" } dd { code { (mismatch.actual.as_deref().unwrap_or("no value")) } }
                    }
                }
                p class="second" { (mismatch.description) }
            }
        }
        @if outcome.mismatches.len() > MAX_MISMATCHES {
            p class="small muted" {
                "The JSON result contains "
                (counted(outcome.mismatches.len() - MAX_MISMATCHES, "more mismatch", "more mismatches")) "."
            }
        }
        @if !outcome.success && outcome.mismatches.is_empty() && outcome.errors.is_empty() {
            p class="small muted" { "The verifier sent no details. See the provider’s build." }
        }
    }
}

fn place(mismatch: &Mismatch) -> Markup {
    let part = match mismatch.part.as_str() {
        "body" => "Body",
        "header" => "Header",
        "status" => "Status",
        "metadata" => "Metadata",
        _ => "Interaction",
    };
    html! { (part) @if let Some(place) = &mismatch.place { ": " code { (place) } } }
}

fn show_states(interaction: &Interaction) -> Markup {
    html! {
        div class="part" {
            h4 { "Provider states" }
            ul class="given" {
                @for state in &interaction.states {
                    li class="label" {
                        bdi { (state.name) }
                        @for (name, value) in state.parameters.iter() { " " span class="mono" { (name) "=" (value.text_form()) } }
                    }
                }
            }
        }
    }
}

fn show_comments(interaction: &Interaction) -> Markup {
    let texts: Vec<&str> = match interaction.comments.get("text") {
        Some(Json::Array(texts)) => texts.iter().filter_map(Json::as_str).collect(),
        Some(Json::String(text)) => vec![text.as_str()],
        _ => Vec::new(),
    };
    let test = interaction.comments.get("testname").and_then(Json::as_str);
    html! {
        @if !texts.is_empty() { div class="comment prose" { (markdown::show(&texts.join("\n\n"))) } }
        @if let Some(test) = test { p class="small muted" { "Defined by the test “" bdi { (test) } "”." } }
    }
}

fn show_parts(view: &InteractionView<'_>, full: &str) -> Markup {
    let failed = view.failed_paths();
    match &view.interaction.kind {
        InteractionKind::Http(http) => {
            let (request, response) = (&http.request, &http.response);
            let request_part = Part {
                title: "Request",
                line: html! { span class="http" { (request_line(http)) } },
                extra: request_rules(http),
                headers: header_lines(&request.headers, &request.rules.header),
                body: &request.body,
                scope: Scope(&request.rules.body),
                failed: &[],
            };
            let response_part = Part {
                title: "Response",
                line: html! { span class="http" { span class="method" { (response.status) } " " (reason(response.status)) } },
                extra: response
                    .rules
                    .status
                    .as_ref()
                    .map(|rules| Line::plain(html! { "Status " (response.status) }, Some(list(rules, None))))
                    .into_iter()
                    .collect(),
                headers: header_lines(&response.headers, &response.rules.header),
                body: &response.body,
                scope: Scope(&response.rules.body),
                failed: &failed,
            };
            html! { (request_part.show(view, full)) (response_part.show(view, full)) }
        }
        InteractionKind::AsyncMessage(message) => message_part("Message", message, &failed).show(view, full),
        InteractionKind::SyncMessage(message) => html! {
            (message_part("Request", &message.request, &[]).show(view, full))
            @for response in &message.responses { (message_part("Response", response, &failed).show(view, full)) }
        },
        InteractionKind::Unknown { kind, .. } => html! {
            p class="small muted" { "Interactions of the type " code { (kind) } " cannot be shown." }
        },
        InteractionKind::Unreadable(unreadable) => html! {
            div class="mismatch" data-status="failed" {
                h4 { "This interaction is invalid" } p { (unreadable.reason) " (" code { (unreadable.at) } ")" }
            }
        },
    }
}

fn message_part<'a>(title: &'static str, message: &'a Message, failed: &'a [PathExpression]) -> Part<'a> {
    let metadata = message.metadata.iter().map(|(name, value)| {
        let rules = message.rules.metadata.get(name);
        Line::plain(
            html! { (name) ": " (value.text_form()) },
            rules.map(|rules| list(rules, Some(value))),
        )
    });
    Part {
        title,
        line: html! { span class="http" { (topic(message)) } },
        extra: Vec::new(),
        headers: metadata.collect(),
        body: &message.contents,
        scope: Scope(&message.rules.body),
        failed,
    }
}

/// Returns one line for the path if it has matching rules, and one for each query parameter with matching rules.
fn request_rules(http: &HttpInteraction) -> Vec<Line> {
    let request = &http.request;
    let line = |text: Markup, rules: &RuleList| Line::plain(text, Some(list(rules, None)));
    let mut lines: Vec<Line> = Vec::new();
    lines.extend(
        request
            .rules
            .path
            .as_ref()
            .map(|rules| line(html! { "Path " (request.path) }, rules)),
    );
    for (name, rules) in &request.rules.query {
        let values: Vec<&str> = request.query.values(name).flatten().map(Text::as_str).collect();
        lines.push(line(html! { "Parameter " (name) "=" (values.join(", ")) }, rules));
    }
    lines
}

fn header_lines(headers: &Headers, rules: &std::collections::BTreeMap<Text, RuleList>) -> Vec<Line> {
    let rule = |name: &str| {
        let found = rules.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        found.map(|(_, rules)| list(rules, Some(&Json::from(""))))
    };
    let lines = headers.iter().map(|(name, values)| {
        let values: Vec<&str> = values.iter().map(Text::as_str).collect();
        Line::plain(html! { (name) ": " (values.join(", ")) }, rule(name))
    });
    lines.collect()
}

/// The request or the response of an interaction, or a message.
struct Part<'a> {
    title: &'static str,
    line: Markup,
    extra: Vec<Line>,
    headers: Vec<Line>,
    body: &'a Body,
    scope: Scope<'a>,
    failed: &'a [PathExpression],
}

impl Part<'_> {
    fn show(self, view: &InteractionView<'_>, full: &str) -> Markup {
        let length = self.body.bytes().len();
        let is_folded = length > MAX_FOLDED && !view.is_full;
        let body = if is_folded {
            Vec::new()
        } else {
            lines(self.body, &self.scope, self.failed)
        };
        let heads: Vec<Line> = self.extra.into_iter().chain(self.headers).collect();
        let count = heads.len();
        let is_empty = count == 0 && body.is_empty();
        html! {
            div class="codebox" {
                div class="codebox-head" {
                    h4 { (self.title) } (self.line)
                    @if let Some(media) = self.body.content_type() { span class="end" { (media) } }
                }
                @if !is_empty {
                    table class="code" {
                        caption class="vh" { (self.title) ": example lines and their rules" }
                        thead class="vh" { tr { th scope="col" { "Example" } th scope="col" { "Rule" } } }
                        tbody {
                            @for (number, line) in heads.into_iter().enumerate() {
                                (row(&line, (number + 1 == count && !body.is_empty()).then_some("before-gap")))
                            }
                            @for (number, line) in body.iter().enumerate() {
                                (row(line, (number == 0 && count > 0).then_some("gap")))
                            }
                        }
                    }
                }
                @if is_folded {
                    p class="small muted panel-pad" {
                        "The body has " (size(length)) ". " a href={ (full) "#" (view.anchor()) } { "Show the body" }
                    }
                }
            }
        }
    }
}

fn row(line: &Line, class: Option<&str>) -> Markup {
    html! {
        tr class=[class] data-status=[line.has_failed.then_some("failed")] {
            td { (line.text) }
            td { @if let Some(rule) = &line.rule { (rule) } }
        }
    }
}

/// Returns the reason phrase of a status (RFC 9110, section 15).
fn reason(status: u16) -> &'static str {
    match status {
        200 => "OK",
        201 => "Created",
        202 => "Accepted",
        204 => "No Content",
        301 => "Moved Permanently",
        302 => "Found",
        303 => "See Other",
        304 => "Not Modified",
        400 => "Bad Request",
        401 => "Unauthorized",
        402 => "Payment Required",
        403 => "Forbidden",
        404 => "Not Found",
        409 => "Conflict",
        410 => "Gone",
        415 => "Unsupported Media Type",
        422 => "Unprocessable Content",
        429 => "Too Many Requests",
        500 => "Internal Server Error",
        502 => "Bad Gateway",
        503 => "Service Unavailable",
        _ => "",
    }
}
