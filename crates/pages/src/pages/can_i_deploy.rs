//! Renders the page that checks whether a version can be deployed.

use maud::{Markup, html};

use crate::icons::icon;
use crate::layout::{Section, Shell, page};
use crate::parts::{
    Column, Paths, Status, Table, VersionLabel, application, application_list, badge, badge_sample, badge_text, cell,
    command, counted, crumbs, empty, group_row, name, options, shell_quoted, version, version_linked, when,
};
use crate::{Query, encode};

#[derive(Debug, Default)]
pub struct CanIDeploy {
    pub pacticipant: String,
    pub version: String,
    pub environment: String,
    pub applications: Vec<String>,
    pub environments: Vec<String>,
    /// The application's main branch, or `None` if it has none.
    pub main_branch: Option<String>,
    /// Pairs of a field and the error in it. Fields are `pacticipant`, `version`, and `environment`, among others.
    pub errors: Vec<(String, String)>,
    pub answer: Option<Answer>,
    /// The verdicts for all other environments.
    pub related: Vec<Related>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Deployable,
    NotDeployable,
    Unknown,
}

impl Verdict {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deployable => "deployable",
            Self::NotDeployable => "not-deployable",
            Self::Unknown => "unknown",
        }
    }

    pub(crate) fn icon(self) -> &'static str {
        match self {
            Self::Deployable => "deployable",
            Self::NotDeployable => "failed",
            Self::Unknown => "unknown",
        }
    }

    pub(crate) fn badge(self) -> Markup {
        let status = match self {
            Self::Deployable => Status::Verified,
            Self::NotDeployable => Status::Failed,
            Self::Unknown => Status::Unknown,
        };
        badge_text(status, self.title())
    }

    pub(crate) fn title(self) -> &'static str {
        match self {
            Self::Deployable => "Deployable",
            Self::NotDeployable => "Not deployable",
            Self::Unknown => "Unknown",
        }
    }
}

#[derive(Debug)]
pub struct Answer {
    pub verdict: Verdict,
    pub failed: usize,
    pub unknown: usize,
    pub verified: usize,
    pub steps: Vec<Step>,
    /// Warnings, and one sentence for each selector that matches no version.
    pub notices: Vec<String>,
    pub evidence: Vec<Evidence>,
    /// The name of the target environment, such as `production`.
    pub place: String,
}

/// A failed or missing verification, which must pass before the deployment.
#[derive(Debug)]
pub struct Step {
    pub has_failed: bool,
    /// The name of the application whose team must act. `version` is its version.
    pub pacticipant: String,
    pub version: String,
    pub consumer: String,
    pub consumer_version: String,
    pub provider: String,
    pub owner: String,
    /// How many interactions failed, such as `1 of 8`, or `None` if this is unknown.
    pub detail: Option<String>,
    /// The first mismatch that the verifier reported, or `None` if it reported none.
    pub mismatch: Option<String>,
    pub proposal: Option<Proposal>,
}

/// Another version, which passes the verification.
#[derive(Debug)]
pub struct Proposal {
    pub version: VersionLabel,
    pub is_deployable: bool,
}

/// A contract between the version to deploy and another application, and its result.
#[derive(Debug)]
pub struct Evidence {
    pub other: String,
    pub version: Option<VersionLabel>,
    pub role: &'static str,
    pub status: Status,
    pub detail: Option<String>,
    pub at: Option<i64>,
    /// What identifies the contract: the consumer, the provider, and the consumer version.
    pub contract: (String, String, String),
}

#[derive(Debug)]
pub struct Related {
    pub environment: String,
    pub verdict: Verdict,
    pub failed: usize,
    pub unknown: usize,
    pub verified: usize,
}

impl CanIDeploy {
    pub fn page(&self, shell: &Shell) -> String {
        let paths = Paths(&shell.root);
        let title = self.title();
        let crumb = (paths.application(&self.pacticipant), self.pacticipant.as_str());
        let main = html! {
            div class="head" {
                @if self.answer.is_some() {
                    (crumbs(&shell.root, &[crumb], "Can I deploy?"))
                    h1 { "Can I deploy " (name(&self.pacticipant)) " " (self.version) " to " (name(&self.environment)) "?" }
                } @else {
                    h1 { "Can I deploy?" }
                    p class="lede" { "Check whether a version works with the versions in an environment, and what is missing if not." }
                }
            }
            (self.form(shell))
            @if self.environments.is_empty() {
                div class="panel" {
                    (empty("No environments yet", &html! { "Create one, then record deployments to it." }))
                }
                (command("create", "contract-broker create-environment --name production --production"))
            }
            @if let Some(answer) = &self.answer {
                (self.show_verdict(answer, shell))
                @if !answer.evidence.is_empty() { (self.show_evidence(answer, shell)) }
            }
            @if !self.related.is_empty() { (self.show_related(paths)) }
            @if let Some(branch) = self.main_branch.as_ref().filter(|_| self.answer.is_some()) { (self.badge(branch, shell)) }
        };
        page(shell, Section::CanIDeploy, &title, &main)
    }

    /// Renders a sample of the badge for the latest version on the main branch.
    fn badge(&self, branch: &str, shell: &Shell) -> Markup {
        let address = format!(
            "{}/branches/{}/latest-version/can-i-deploy/to-environment/{}",
            Paths("").application(&self.pacticipant),
            encode(branch),
            encode(&self.environment)
        );
        let title = format!("Can I deploy {} to {}?", self.pacticipant, self.environment);
        badge_sample(shell, &format!("{address}/badge.svg"), &address, &title)
    }

    fn title(&self) -> String {
        match &self.answer {
            Some(answer) => format!(
                "{}: {} {} to {}",
                answer.verdict.title(),
                self.pacticipant,
                self.version,
                self.environment
            ),
            None => "Can I deploy?".to_owned(),
        }
    }

    fn form(&self, shell: &Shell) -> Markup {
        let environments = self.environments.iter().map(|name| (name.as_str(), name.as_str()));
        html! {
            form class="panel filters" action={ (shell.root) "/can-i-deploy" } {
                (self.field("pacticipant", "Application", "grow", &html! {
                    input id="pacticipant" name="pacticipant" value=(self.pacticipant) list="apps" autocomplete="off" required
                        aria-invalid=[self.error("pacticipant").map(|_| "true")] aria-describedby=[self.error("pacticipant").map(|_| "pacticipant-error")];
                    (application_list("apps", &self.applications))
                }))
                (self.field("version", "Version", "", &html! {
                    input id="version" name="version" value=(self.version) autocomplete="off" placeholder="Latest on the main branch"
                        aria-invalid=[self.error("version").map(|_| "true")] aria-describedby=[self.error("version").map(|_| "version-error")];
                }))
                (self.field("environment", "Environment", "", &html! {
                    select id="environment" name="environment"
                        aria-invalid=[self.error("environment").map(|_| "true")] aria-describedby=[self.error("environment").map(|_| "environment-error")] {
                        (options(&self.environment, environments))
                    }
                }))
                button class="btn btn-main" { "Check" }
            }
        }
    }

    fn error(&self, field: &str) -> Option<&str> {
        let found = self.errors.iter().find(|(known, _)| known == field);
        found.map(|(_, text)| text.as_str())
    }

    fn field(&self, id: &str, title: &str, class: &str, input: &Markup) -> Markup {
        html! {
            div class={ "field " (class) } {
                label for=(id) { (title) }
                (input)
                @if let Some(error) = self.error(id) { p class="err" id={ (id) "-error" } { (error) } }
            }
        }
    }

    fn show_verdict(&self, answer: &Answer, shell: &Shell) -> Markup {
        let verdict = answer.verdict;
        html! {
            section class="verdict" data-status=(verdict.name()) aria-labelledby="verdict"
                data-live=[(verdict != Verdict::Deployable).then(|| self.events(answer, shell))] {
                div class="verdict-head" {
                    (icon(verdict.icon()))
                    div { h2 id="verdict" { (verdict.title()) } p { (answer.summary()) } }
                    dl class="tally" {
                        (tally("failed", "failed", answer.failed))
                        (tally("unknown", "no result", answer.unknown))
                        (tally("verified", "verified", answer.verified))
                    }
                }
                @if !answer.steps.is_empty() || !answer.notices.is_empty() {
                    div class="verdict-body" {
                        @for notice in &answer.notices { p class="second" { (notice) } }
                        ol class="steps" {
                            @for (number, step) in answer.steps.iter().enumerate() { (self.step(step, number, shell)) }
                        }
                    }
                }
                @if verdict != Verdict::Deployable {
                    p class="panel-foot small muted js-only" { "This page reloads when new results arrive." }
                }
                div class="panel-foot part" { h3 class="small" { "Check from CI" } (command("ci", &self.ci())) }
            }
        }
    }

    /// Returns the address of the event stream that reports when the verdict changes.
    fn events(&self, answer: &Answer, shell: &Shell) -> String {
        let counts = format!("{}.{}.{}", answer.failed, answer.unknown, answer.verified);
        let query = Query::new([
            ("pacticipant", self.pacticipant.as_str()),
            ("version", &self.version),
            ("environment", &self.environment),
            ("counts", &counts),
        ]);
        format!("{}/can-i-deploy/events{}", shell.root, query.href())
    }

    fn ci(&self) -> String {
        format!(
            "contract-broker can-i-deploy --pacticipant {} --version {} \\\n  --to-environment {} --wait 10m",
            shell_quoted(&self.pacticipant),
            shell_quoted(&self.version),
            shell_quoted(&self.environment),
        )
    }

    fn step(&self, step: &Step, number: usize, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        let pact = paths.pact(&step.consumer, &step.provider, &step.consumer_version);
        let status = if step.has_failed {
            Status::Failed
        } else {
            Status::Unverified
        };
        html! {
            li data-status=(status.name()) {
                div class="top" {
                    h3 {
                        (name(&step.pacticipant)) " " (step.version)
                        @if step.has_failed { " fails the contract with " } @else { " has not verified the contract with " }
                        (name(&step.consumer)) " " (step.consumer_version)
                    }
                    span class="owner" { "Waits for " b { (step.owner) } }
                }
                @if let Some(mismatch) = &step.mismatch {
                    p class="second" { @if let Some(detail) = &step.detail { (detail) " interactions failed. " } (mismatch) }
                }
                @if let Some(proposal) = &step.proposal { (self.proposal(step, proposal, paths)) }
                @if !step.has_failed {
                    p class="second" { "Run the verification:" }
                    (command(&format!("verify-{number}"), &self.verification(step, &shell.base)))
                }
                p class="row" {
                    @if let Some(proposal) = &step.proposal {
                        @let number = &proposal.version.number;
                        a class="btn" href=(paths.can_i_deploy(&step.pacticipant, number, &self.environment)) {
                            "Check " (step.pacticipant) " " (number)
                        }
                    }
                    a class="btn" href=(pact) { @if step.has_failed { "View the failure" } @else { "View the contract" } }
                }
            }
        }
    }

    fn verification(&self, step: &Step, base: &str) -> String {
        // All other consumers are the versions deployed in the environment.
        let selector = if step.consumer == self.pacticipant {
            "\"latest\":true".to_owned()
        } else {
            format!("\"environment\":{}", quoted(&self.environment))
        };
        verification(step, base, &selector)
    }

    fn proposal(&self, step: &Step, proposal: &Proposal, paths: Paths<'_>) -> Markup {
        html! {
            p class="second" {
                @if proposal.is_deployable {
                    "Deploy " (name(&step.pacticipant)) " " (version(paths, &proposal.version))
                    " first. It passes, and it is deployable to " (name(&self.environment)) "."
                } @else {
                    (name(&step.pacticipant)) " " (version(paths, &proposal.version))
                    " passes, but it is not deployable to " (name(&self.environment)) " yet."
                }
            }
        }
    }

    fn show_evidence(&self, answer: &Answer, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        let columns = [
            Column::new("Application", "c24"),
            Column::new(&format!("Version in {}", answer.place), "c28"),
            Column::new("Role", "c14"),
            Column::new("Result", "c18"),
            Column::new("Verified", "c14 num"),
        ];
        let table = Table {
            caption: "Results with the other versions",
            columns: &columns,
            sorting: None,
            class: "",
            id: None,
        };
        let (open, verified): (Vec<&Evidence>, Vec<&Evidence>) = answer
            .evidence
            .iter()
            .partition(|evidence| evidence.status != Status::Verified);
        let selectors = [(self.pacticipant.as_str(), Some(self.version.as_str()))];
        let matrix = format!("{}&environment={}", paths.matrix(&selectors), encode(&self.environment));
        html! {
            section aria-labelledby="evidence" {
                div class="section" {
                    h2 id="evidence" { "Evidence " span class="count" { (answer.evidence.len()) } }
                    p { "Every version in " (answer.place) " that shares a contract with " (name(&self.pacticipant)) " " (self.version) "." }
                    a class="end small" href=(matrix) { "Open in the matrix" }
                }
                div class="panel" {
                    (table.show(&html! {
                        @if !open.is_empty() {
                            (group_row(5, &html! { "Needs action" }))
                            @for evidence in open { (evidence.row(paths, shell.now)) }
                        }
                        @if !verified.is_empty() {
                            (group_row(5, &html! { "Verified" }))
                            @for evidence in verified { (evidence.row(paths, shell.now)) }
                        }
                    }))
                }
            }
        }
    }

    fn show_related(&self, paths: Paths<'_>) -> Markup {
        html! {
            section aria-labelledby="related" {
                div class="section" { h2 id="related" { @if self.answer.is_some() { "Other environments" } @else { "Environments" } } }
                div class="panel" {
                    @for related in &self.related {
                        p class="verdict-line" data-status=(related.verdict.name()) {
                            (icon(related.verdict.icon()))
                            strong { (related.verdict.title()) }
                            span {
                                (name(&self.pacticipant)) " " (self.version) " to " (name(&related.environment)) ". "
                                (summary(related.verdict, related.failed, related.unknown, related.verified))
                            }
                            a class="end small" href=(paths.can_i_deploy(&self.pacticipant, &self.version, &related.environment)) { "View reasons" }
                        }
                    }
                }
            }
        }
    }
}

impl Answer {
    fn summary(&self) -> String {
        summary(self.verdict, self.failed, self.unknown, self.verified)
    }
}

impl Evidence {
    fn row(&self, paths: Paths<'_>, now: i64) -> Markup {
        let (consumer, provider, number) = &self.contract;
        let pact = paths.pact(consumer, provider, number);
        html! {
            tr role="row" data-status=[self.status.is_failed().then_some("failed")] {
                th scope="row" role="rowheader" class="full" { (application(paths, &self.other)) }
                (cell("", &html! {
                    @match &self.version {
                        Some(label) => (version_linked(label, &paths.version(&label.pacticipant, &label.number))),
                        None => span class="muted" { "no version" },
                    }
                }))
                (cell("muted", &html! { (self.role) }))
                (cell("", &html! { a class="plain" href=(pact) { (badge(self.status, self.detail.as_deref())) } }))
                (when(self.at, now))
            }
        }
    }
}

/// Returns the sentence below a verdict, such as `2 results are missing. Nothing has failed.`
pub fn summary(verdict: Verdict, failed: usize, unknown: usize, verified: usize) -> String {
    let results = |count: usize| counted(count, "result is missing", "results are missing");
    match verdict {
        Verdict::Deployable if verified == 0 => "No contracts apply.".to_owned(),
        Verdict::Deployable if verified == 1 => "The required contract is verified.".to_owned(),
        Verdict::Deployable => format!("All {verified} required contracts are verified."),
        Verdict::Unknown => format!("{}. Nothing has failed.", results(unknown)),
        Verdict::NotDeployable => match (failed, unknown) {
            (0, _) => "A required version is missing.".to_owned(),
            (failed, 0) => format!("{}.", counted(failed, "contract fails", "contracts fail")),
            (failed, unknown) => format!(
                "{} and {}. {} must pass before you deploy.",
                counted(failed, "contract fails", "contracts fail"),
                counted(unknown, "has no result", "have no result"),
                if failed + unknown == 2 { "Both" } else { "All" },
            ),
        },
    }
}

fn tally(status: &str, title: &str, count: usize) -> Markup {
    html! { div data-status=(status) data-zero[count == 0] { dt { (title) } dd { (count) } } }
}

/// Returns a command that verifies the consumer's contracts against the provider version. `selector` is a part of the
/// consumer version selector, such as `"latest":true`.
fn verification(step: &Step, base: &str, selector: &str) -> String {
    format!(
        "contract verify --provider-name {} --port 3000 \\\n  \
         --broker-url {} --consumer-version-selectors {} \\\n  --provider-version {} --publish",
        shell_quoted(&step.provider),
        shell_quoted(base),
        shell_quoted(&format!("{{\"consumer\":{},{selector}}}", quoted(&step.consumer))),
        shell_quoted(&step.version),
    )
}

/// Formats text as a JSON string.
fn quoted(text: &str) -> String {
    contract_model::Json::from(text).to_text()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verdicts_are_summed_up() {
        for (verdict, counts, expected) in [
            (
                Verdict::Deployable,
                (0, 0, 11),
                "All 11 required contracts are verified.",
            ),
            (Verdict::Deployable, (0, 0, 0), "No contracts apply."),
            (
                Verdict::NotDeployable,
                (1, 1, 9),
                "1 contract fails and 1 has no result. Both must pass before you deploy.",
            ),
            (Verdict::NotDeployable, (2, 0, 9), "2 contracts fail."),
            (
                Verdict::Unknown,
                (0, 2, 1),
                "2 results are missing. Nothing has failed.",
            ),
        ] {
            let (failed, unknown, verified) = counts;
            assert_eq!(summary(verdict, failed, unknown, verified), expected);
        }
    }
}
