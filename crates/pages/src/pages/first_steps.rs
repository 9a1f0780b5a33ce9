//! Renders the instructions for a new broker.

use std::fmt::{self, Display, Formatter};

use maud::{Markup, html};

use crate::forms::post;
use crate::layout::{Section, Shell, page as layout};
use crate::parts::{command, empty, shell_quoted};

/// The steps that are done.
#[derive(Clone, Copy, Debug, Default)]
pub struct Progress {
    pub has_contract: bool,
    pub has_result: bool,
    pub has_deployment: bool,
}

/// The numbers of the steps that are done, such as `2.3`.
impl Display for Progress {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let done = self.done().into_iter().zip(1_u8..).filter(|(is_done, _)| *is_done);
        let numbers: Vec<String> = done.map(|(_, number)| number.to_string()).collect();
        f.write_str(&numbers.join("."))
    }
}

impl Progress {
    /// Whether each step is done. The broker cannot see whether its address is set.
    fn done(self) -> [bool; 4] {
        [false, self.has_contract, self.has_result, self.has_deployment]
    }

    fn is_complete(self) -> bool {
        self.has_contract && self.has_result && self.has_deployment
    }
}

/// What the page shows about the data of the broker.
#[derive(Clone, Copy, Debug, Default)]
pub struct FirstSteps {
    /// Whether the broker has no applications.
    pub is_empty: bool,
    pub can_load_sample: bool,
    pub has_sample: bool,
    pub progress: Progress,
}

impl FirstSteps {
    pub fn page(self, shell: &Shell) -> String {
        let main = html! {
            div class="head" {
                h1 { "First steps" }
                p class="lede" {
                    @if self.is_empty { "This broker is empty. " }
                    "Four steps lead to the first “deployable” verdict. The commands use this broker’s address, " code { (shell.base) } "."
                }
            }
            div class="cols" {
                div class="panel verdict-body"
                    data-live=[(!self.progress.is_complete()).then(|| format!("{}/first-steps/events?done={}", shell.root, self.progress))] {
                    h2 class="vh" { "Steps" }
                    ol class="steps" { (steps(shell, self.progress)) }
                }
                aside class="stack" aria-label="Other ways to start" {
                    @if shell.is_admin && self.can_load_sample { (load(shell)) }
                    @if shell.is_admin && self.has_sample { (remove(shell)) }
                    section class="panel panel-pad tight" {
                        h2 { "Move from another broker" }
                        p class="small second" { "Imports applications, contracts, results, deployments, and webhooks with their dates." }
                        (command("import", "contract-broker import \\\n  --from-broker https://old-broker.example"))
                    }
                    (read_on(shell))
                }
            }
            @if self.is_empty {
                section aria-labelledby="int" {
                    div class="section" { h2 id="int" { "Integrations" } }
                    div class="panel" { (empty("No contracts yet", &html! { "The first published contract appears on the overview." })) }
                }
            }
        };
        layout(shell, Section::Other, "First steps", &main)
    }
}

fn load(shell: &Shell) -> Markup {
    html! {
        section class="panel panel-pad tight" {
            h2 { "Just looking?" }
            p class="small second" {
                "Load a fictional shop with 40 applications, their contracts, results, and deployments. You can remove it with one click."
            }
            (post(shell, "/sample-data", "", &html! { button class="btn" { "Load sample data" } }))
        }
    }
}

fn remove(shell: &Shell) -> Markup {
    html! {
        section class="panel panel-pad tight" {
            h2 { "Sample data" }
            p class="small second" { "The shop with the " code { "sample-data" } " label is fictional. Removing it also deletes anything published for its applications since it was loaded." }
            (post(shell, "/sample-data/remove", "", &html! { button class="btn" { "Remove sample data" } }))
        }
    }
}

/// Renders links to other pages, and commands that print help.
fn read_on(shell: &Shell) -> Markup {
    let root = &shell.root;
    html! {
        section class="panel panel-pad tight" {
            h2 { "Read on" }
            ul class="tight small" {
                @if shell.is_admin { li { a href={ (root) "/admin/tokens" } { "Create a token for a CI job" } } }
                li { a href={ (root) "/webhooks" } { "Start builds with webhooks" } }
                li { a href={ (root) "/can-i-deploy" } { "Ask whether a version can be deployed" } }
                li { a href={ (root) "/graph" } { "See what depends on what" } }
            }
            p class="small second" { "Each command explains its options:" }
            (command("help", "npx contract-broker publish --help\nnpx contract verify --help"))
        }
    }
}

fn steps(shell: &Shell, progress: Progress) -> Markup {
    let base = shell_quoted(&shell.base);
    let token = if shell.can_sign_in || shell.user.is_some() {
        "\nexport CONTRACT_BROKER_TOKEN=…   # contract-broker token create"
    } else {
        ""
    };
    let steps = [
        ("Set the broker address", None, format!("export CONTRACT_BROKER_BASE_URL={base}{token}")),
        (
            "Publish the consumer’s contracts",
            Some(
                "Run the consumer’s tests first. They write contract files to ./contracts. Files from pact-js, pact-jvm, and the other \
                 Pact libraries work too.",
            ),
            "npx contract-broker publish ./contracts \\\n  --consumer-app-version \"$(git rev-parse HEAD)\" --branch main".to_owned(),
        ),
        (
            "Verify the provider and publish the result",
            None,
            "npx contract verify --provider-name orders --port 3000 \\\n  \
             --broker-url \"$CONTRACT_BROKER_BASE_URL\" --publish \\\n  \
             --provider-version \"$(git rev-parse HEAD)\" --provider-branch main"
                .to_owned(),
        ),
        (
            "Record a deployment, and check before the next one",
            None,
            "npx contract-broker create-environment --name production --production\n\
             npx contract-broker record-deployment --pacticipant orders \\\n  \
             --version \"$(git rev-parse HEAD)\" --environment production\n\
             npx contract-broker can-i-deploy --pacticipant web \\\n  \
             --version \"$(git rev-parse HEAD)\" --to-environment production"
                .to_owned(),
        ),
    ];
    html! {
        @for ((number, (title, text, commands)), is_done) in steps.iter().enumerate().zip(progress.done()) {
            li data-status=(if is_done { "verified" } else { "info" }) class=[is_done.then_some("done")] {
                h3 { (title) @if is_done { span class="vh" { " (done)" } } }
                @if let Some(text) = text { p class="second" { (text) } }
                (command(&format!("step-{number}"), commands))
            }
        }
    }
}
