//! Creates the notices that explain why a contract was selected for verification, and whether a failure fails the
//! build.

use super::{PendingStatus, SelectedContract};
use contract_broker_domain::selector::{Group, VerificationScope};

/// Maximum number of reasons, and of branch or tag names, that one notice lists.
const MAX_LISTED: usize = 20;

/// A sentence for the verifier to print. `when` is `before_verification`, or for example
/// `after_verification:success_true_published_false`.
#[derive(Debug, PartialEq, Eq)]
pub struct SelectionNotice {
    pub when: String,
    pub text: String,
}

impl SelectionNotice {
    pub fn before(text: impl Into<String>) -> Self {
        Self {
            when: "before_verification".to_owned(),
            text: text.into(),
        }
    }

    fn after(success: bool, published: bool, text: String) -> Self {
        Self {
            when: format!("after_verification:success_{success}_published_{published}"),
            text,
        }
    }
}

impl SelectedContract {
    pub fn notices(&self, provider: &str, url: &str) -> Vec<SelectionNotice> {
        let scope = describe_scopes(provider, &self.scopes);
        let reasons = self.reasons();
        let mut notices = vec![SelectionNotice::before(
            if self.status == PendingStatus::WorkInProgress {
                format!(
                    "The contract {url} is work in progress: it has not been verified successfully for {scope}. It belongs to:{reasons}"
                )
            } else {
                format!("The contract {url} is being verified because it belongs to:{reasons}")
            },
        )];
        match self.status {
            PendingStatus::NotRequested => {}
            PendingStatus::Verified => notices.push(SelectionNotice::before(format!(
                "This contract has been verified successfully for {scope}. A failure fails the build."
            ))),
            PendingStatus::Pending | PendingStatus::WorkInProgress => notices.extend(pending(&scope)),
        }
        notices
    }

    /// Returns one line for each reason why the contract was selected.
    fn reasons(&self) -> String {
        let consumer = &self.publication.consumer;
        let reasons = self
            .choices
            .iter()
            .map(|choice| format!("\n    * {consumer} {}: {}", choice.version, choice.reason.long()))
            .collect();
        limited(reasons, |more| format!("\n    * and {more} more versions")).concat()
    }
}

fn pending(scope: &str) -> [SelectionNotice; 5] {
    let not_published = format!("This contract is still pending for {scope}: the result was not published.");
    [
        SelectionNotice::before(format!(
            "This contract is pending: it has not been verified successfully for {scope}. A failure does not fail the build."
        )),
        SelectionNotice::after(true, false, not_published.clone()),
        SelectionNotice::after(false, false, not_published),
        SelectionNotice::after(
            true,
            true,
            format!("This contract is no longer pending for {scope}. From now on, a failure fails the build."),
        ),
        SelectionNotice::after(
            false,
            true,
            format!("This contract is still pending for {scope}: the verification failed."),
        ),
    ]
}

/// Returns the provider's name, preceded by the branch or tags for which the status is computed, for example `branch
/// main of users`.
fn describe_scopes(provider: &str, scopes: &[VerificationScope]) -> String {
    let names: Vec<String> = scopes
        .iter()
        .filter_map(|scope| match &scope.group {
            Group::Branch(name) => Some(format!("branch {name}")),
            Group::Tag(name) => Some(format!("tag {name}")),
            Group::Any => None,
        })
        .collect();
    let names = limited(names, |more| format!("{more} more"));
    if names.is_empty() {
        provider.to_owned()
    } else {
        format!("{} of {provider}", names.join(" and "))
    }
}

/// Keeps the first [`MAX_LISTED`] strings. If others are omitted, adds a string that reports their number.
fn limited(mut texts: Vec<String>, more: impl Fn(usize) -> String) -> Vec<String> {
    let cut = texts.len().saturating_sub(MAX_LISTED);
    texts.truncate(MAX_LISTED);
    if cut > 0 {
        texts.push(more(cut));
    }
    texts
}
