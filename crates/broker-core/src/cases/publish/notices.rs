//! Creates the notices that the broker returns for a publication.

use super::{ContentChange, ContentChanged, ContractToPublish, PublishRejection, PublishedContract, PublishedVersion};
use super::{PublishEffect, Triggered, VersionToPublish};
use contract_broker_domain::content;
use contract_broker_domain::verdict::Notice;
use contract_broker_domain::webhook::Event;

/// Maximum number of notices for one publication. An additional notice reports how many are omitted.
const MAX_NOTICES: usize = 200;
/// Maximum size of a diff in a notice, in bytes.
const MAX_DIFF: usize = 64 * 1024;

impl PublishedVersion {
    /// Describes what was published. `url` returns the contract URL for a provider's name, and `log_url` returns the
    /// log URL for a delivery's UUID.
    pub fn notices(
        &self,
        publishing: &VersionToPublish,
        url: impl Fn(&str) -> String,
        log_url: impl Fn(&str) -> String,
    ) -> Vec<Notice> {
        let mut notices = vec![Notice::new("debug", version_text(publishing, self.is_new))];
        for (contract, published) in publishing.contracts.iter().zip(&self.contracts) {
            add_contract(&mut notices, publishing, contract, published, &url(&contract.provider));
            let triggered = published
                .triggered
                .iter()
                .map(|triggered| Notice::new("debug", triggered.describe(&log_url(&triggered.delivery))));
            notices.extend(triggered);
            if !published.is_verified {
                add_next_steps(&mut notices, &contract.provider, published.requires_verification());
            }
        }
        let more = notices.len().saturating_sub(MAX_NOTICES);
        if more > 0 {
            notices.truncate(MAX_NOTICES);
            notices.push(Notice::new("debug", format!("{more} more notices are omitted.")));
        }
        notices
    }
}

impl PublishRejection {
    /// Returns the reason. If the version has already published different content, a diff of both contracts follows.
    pub fn notices(&self) -> Vec<Notice> {
        let mut notices = vec![Notice::new("error", self.to_string())];
        if let Self::ContentChanged(changed) = self {
            notices.push(Notice::new("info", changed.diff()));
        }
        notices
    }
}

impl ContentChanged {
    fn diff(&self) -> String {
        let mut diff = content::text_diff(&self.published, &self.rejected);
        if diff.len() > MAX_DIFF {
            let end = (0..=MAX_DIFF).rev().find(|at| diff.is_char_boundary(*at));
            diff.truncate(end.unwrap_or(0));
            // End at a line break.
            diff.truncate(diff.rfind('\n').unwrap_or(diff.len()));
            diff.push_str("\nThe rest of the diff is omitted.");
        }
        diff
    }
}

fn version_text(publishing: &VersionToPublish, is_new: bool) -> String {
    let (consumer, number) = (&publishing.consumer, &publishing.number);
    let outcome = if is_new { "was created" } else { "already existed" };
    let branch = publishing
        .branch
        .as_ref()
        .map_or_else(String::new, |branch| format!(", on branch {branch}"));
    let tags = match publishing.tags.as_slice() {
        [] => String::new(),
        tags => format!(", with tags {}", tags.join(", ")),
    };
    format!("{consumer} {number} {outcome}{branch}{tags}.")
}

fn add_contract(
    notices: &mut Vec<Notice>,
    publishing: &VersionToPublish,
    contract: &ContractToPublish,
    published: &PublishedContract,
    url: &str,
) {
    let (consumer, number, provider) = (&publishing.consumer, &publishing.number, &contract.provider);
    let effect = match published.effect {
        PublishEffect::New => "was published",
        PublishEffect::Unchanged => "was published before with the same content",
        PublishEffect::Changed if contract.merge => "was merged into the published contract",
        PublishEffect::Changed => "replaced the published contract",
    };
    let mut add = |kind: &'static str, text: String| notices.push(Notice::new(kind, text));
    add(
        "success",
        format!("The contract between {consumer} {number} and {provider} {effect}."),
    );
    add("debug", format!("  View the contract at {url}"));
    let requires = if published.requires_verification() {
        ", contract_requiring_verification_published"
    } else {
        ""
    };
    let changed = match (published.effect, published.change) {
        (PublishEffect::Unchanged, _) => "",
        (_, ContentChange::First) => ", contract_content_changed (first contract of the integration with these tags)",
        (_, ContentChange::Same) => " (same content as the previous version with these tags)",
        (_, ContentChange::Different) => {
            ", contract_content_changed (different content than the previous version with these tags)"
        }
    };
    add("debug", format!("  Events: contract_published{requires}{changed}"));
}

fn add_next_steps(notices: &mut Vec<Notice>, provider: &str, has_webhook: bool) {
    let mut steps = vec![
        "  Next steps:".to_owned(),
        format!("    * Verify the contract in the CI build of {provider}, and publish the result"),
    ];
    if !has_webhook {
        steps.push("    * Create a webhook that starts this build when a contract requires verification".to_owned());
    }
    notices.extend(steps.into_iter().map(|text| Notice::new("prompt", text)));
}

impl PublishedContract {
    /// Returns whether a webhook was triggered because a provider version must verify the contract.
    fn requires_verification(&self) -> bool {
        let mut triggered = self.triggered.iter();
        triggered.any(|triggered| triggered.event == Event::RequiringVerification)
    }
}

impl Triggered {
    fn describe(&self, log_url: &str) -> String {
        format!(
            "  Webhook {:?} triggered for event {}.\n    View logs at {log_url}",
            self.webhook,
            self.event.name()
        )
    }
}
