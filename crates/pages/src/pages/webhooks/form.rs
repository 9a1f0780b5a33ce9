//! Renders the form that creates or changes a webhook.

use maud::{Markup, html};

use crate::forms::{Notice, post};
use crate::layout::{Section, Shell, page};
use crate::parts::{application_list, crumbs, options};

const METHODS: [&str; 5] = ["POST", "PUT", "PATCH", "GET", "DELETE"];

#[derive(Debug, Default)]
pub struct WebhookForm {
    /// The UUID of the webhook to change, or `None` to create one.
    pub uuid: Option<String>,
    pub description: String,
    pub consumer: Applications,
    pub provider: Applications,
    /// The names of the selected events.
    pub events: Vec<String>,
    pub is_enabled: bool,
    pub method: String,
    pub url: String,
    /// The headers as `Name: value`, one per line.
    pub headers: String,
    pub body: String,
    pub username: String,
    /// Whether the stored webhook has a password. The password itself is never shown.
    pub has_password: bool,
    pub has_signing_secret: bool,
    /// Pairs of the name and the description of each event.
    pub all_events: Vec<(&'static str, &'static str)>,
    /// The names of applications that the browser suggests.
    pub applications: Vec<String>,
    /// Pairs of an API field, such as `request.url`, and the error in its value.
    pub errors: Vec<(String, String)>,
    /// Errors that do not belong to a single field.
    pub problems: Vec<String>,
}

/// The consumers or providers to which the webhook applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Applications {
    /// `name`, `label`, or an empty string if the webhook applies to all applications. `value` is the name or the
    /// label.
    pub by: String,
    pub value: String,
}

impl WebhookForm {
    pub fn page(&self, shell: &Shell) -> String {
        let webhooks = (format!("{}/webhooks", shell.root), "Webhooks");
        let (title, path, button) = match &self.uuid {
            None => ("New webhook", "/webhooks".to_owned(), "Create webhook"),
            Some(uuid) => (
                "Edit webhook",
                format!("/webhooks/{}/edit", crate::encode(uuid)),
                "Save webhook",
            ),
        };
        let back = match &self.uuid {
            None => format!("{}/webhooks", shell.root),
            Some(uuid) => format!("{}/webhooks/{}", shell.root, crate::encode(uuid)),
        };
        let main = html! {
            div class="head" {
                (crumbs(&shell.root, &[webhooks], title))
                h1 { (title) }
                p class="lede" {
                    "The broker sends a request when an event happens. The URL, the headers, and the body can contain parameters such as "
                    code { "${pactbroker.consumerName}" } "."
                }
            }
            @if !self.problems.is_empty() { (Notice::Rejected(self.problems.clone()).show()) }
            (post(shell, &path, "panel", &html! {
                div class="panel-pad halves" {
                    div class="stack" { (self.when()) }
                    div class="stack" { (self.request()) }
                }
                div class="panel-foot row" {
                    button class="btn btn-main" { (button) }
                    a class="btn btn-bare" href=(back) { "Cancel" }
                }
            }))
        };
        page(shell, Section::Webhooks, title, &main)
    }

    /// Returns the errors in a field and in its subfields.
    fn errors_of(&self, field: &str) -> Vec<&str> {
        let is_below = |name: &str| {
            name.strip_prefix(field)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
        };
        let errors = self.errors.iter().filter(|(name, _)| is_below(name));
        errors.map(|(_, text)| text.as_str()).collect()
    }

    /// Renders a control with its label, hint, and errors. `field` is the API field, and `hint` may be empty.
    fn field(&self, id: &str, field: &str, label: &str, hint: &str, control: impl Fn(&Attributes) -> Markup) -> Markup {
        let errors = self.errors_of(field);
        let ids = [
            (!hint.is_empty()).then(|| format!("{id}-hint")),
            (!errors.is_empty()).then(|| format!("{id}-error")),
        ];
        let described_by: Vec<String> = ids.into_iter().flatten().collect();
        let attributes = Attributes {
            described_by: (!described_by.is_empty()).then(|| described_by.join(" ")),
            invalid: (!errors.is_empty()).then_some("true"),
        };
        html! {
            div class="field" {
                label for=(id) { (label) }
                (control(&attributes))
                @if !hint.is_empty() { span class="hint" id={ (id) "-hint" } { (hint) } }
                @if !errors.is_empty() { p class="err" id={ (id) "-error" } { (errors.join(" ")) } }
            }
        }
    }

    fn input(&self, id: &str, field: &str, label: &str, hint: &str, value: &str) -> Markup {
        self.field(id, field, label, hint, |attributes| {
            html! {
                input id=(id) name=(id) value=(value) autocomplete="off" aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid];
            }
        })
    }

    fn when(&self) -> Markup {
        let errors = self.errors_of("events");
        html! {
            h2 { "When" }
            (self.input("description", "description", "Description", "", &self.description))
            fieldset class="field" aria-describedby=[(!errors.is_empty()).then_some("events-error")] {
                legend { "Events" }
                @for (name, meaning) in &self.all_events {
                    label class="check" {
                        input type="checkbox" name="event" value=(name) checked[self.events.iter().any(|chosen| chosen == name)];
                        span { (meaning) " " span class="scope" { (name) } }
                    }
                }
                @if !errors.is_empty() { p class="err" id="events-error" { (errors.join(" ")) } }
            }
            (self.choice("consumer", "Consumers", &self.consumer))
            (self.choice("provider", "Providers", &self.provider))
            (application_list("apps", &self.applications))
            label class="check" {
                input type="checkbox" name="enabled" value="true" checked[self.is_enabled];
                "Enabled"
            }
        }
    }

    fn choice(&self, id: &str, title: &str, chosen: &Applications) -> Markup {
        let kinds = [("", "All"), ("name", "Application"), ("label", "Label")];
        html! {
            div class="row top" {
                div class="field" {
                    label for={ (id) "-by" } { (title) }
                    select id={ (id) "-by" } name={ (id) "-by" } { (options(&chosen.by, kinds)) }
                }
                div class="grow" {
                    (self.field(id, id, "Name or label", "", |attributes| html! {
                        input id=(id) name=(id) value=(chosen.value) list="apps" autocomplete="off"
                            aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid];
                    }))
                }
            }
        }
    }

    fn request(&self) -> Markup {
        let known = METHODS.iter().map(|method| (*method, *method));
        let other = (!METHODS.contains(&self.method.as_str())).then_some((self.method.as_str(), self.method.as_str()));
        let secret = |has: bool| {
            if has {
                "Leave empty to keep the stored value."
            } else {
                ""
            }
        };
        html! {
            h2 { "Request" }
            (self.field("method", "request.method", "Method", "", |attributes| html! {
                select id="method" name="method" aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid] {
                    (options(&self.method, other.into_iter().chain(known.clone())))
                }
            }))
            (self.field("url", "request.url", "URL", "", |attributes| html! {
                input id="url" name="url" value=(self.url) required placeholder="https://ci.example.com/build" autocomplete="off"
                    aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid];
            }))
            (self.field("headers", "request.headers", "Headers", "One header per line. Secret values are shown as asterisks. Leave the asterisks to keep the value.", |attributes| html! {
                textarea id="headers" name="headers" rows="3" spellcheck="false" class="mono" placeholder="Content-Type: application/json"
                    aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid] { "\n" (self.headers) }
            }))
            (self.field("body", "request.body", "Body", "JSON or text.", |attributes| html! {
                textarea id="body" name="body" rows="8" spellcheck="false" class="mono"
                    aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid] { "\n" (self.body) }
            }))
            details open[!self.errors_of("request.username").is_empty() || !self.errors_of("request.password").is_empty()
                || !self.errors_of("request.signingSecret").is_empty()] {
                summary { "Credentials and signature" }
                div class="stack" {
                    (self.input("username", "request.username", "User name", "", &self.username))
                    (self.secret("password", "request.password", "Password", secret(self.has_password)))
                    (self.secret("signing-secret", "request.signingSecret", "Signing secret", secret(self.has_signing_secret)))
                    @if self.has_signing_secret {
                        label class="check" { input type="checkbox" name="remove-signature" value="true"; "Remove the signature" }
                    }
                }
            }
        }
    }

    fn secret(&self, id: &str, field: &str, label: &str, hint: &str) -> Markup {
        self.field(id, field, label, hint, |attributes| {
            html! {
                input id=(id) name=(id) type="password" autocomplete="new-password"
                    aria-describedby=[&attributes.described_by] aria-invalid=[attributes.invalid];
            }
        })
    }
}

/// The attributes that connect a control with its hint and errors for screen readers.
struct Attributes {
    described_by: Option<String>,
    invalid: Option<&'static str>,
}
