//! Sources of contracts, notices of brokers, and outcomes of publishing.

use serde::{Deserialize, Serialize};

use super::{ContractReport, Report, Status};
use crate::redact;

/// Kind of the source of a contract.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OriginKind {
    File,
    /// The URL of a single contract.
    Url,
    /// A document that the calling process passed.
    Document,
    /// A broker that selected contracts of the provider.
    Broker,
}

impl OriginKind {
    pub fn name(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Url => "url",
            Self::Document => "document",
            Self::Broker => "broker",
        }
    }
}

/// Where a contract comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// Kind of the source: `file`, `url`, `document` (passed by the calling process), or `broker`.
    pub kind: OriginKind,
    /// Base URL of the broker. Missing for other sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
    /// The broker's name for the contract, which includes the consumer version. Missing for other sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Reason why the broker selected the contract, in the broker's words, such as `latest from main branch`. Missing
    /// if the broker states none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// True if the broker selected the contract as work in progress (WIP).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wip: bool,
}

/// When a notice is displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NoticeTime {
    /// Before the verification.
    Before,
    /// After the verification.
    After,
}

/// A broker's notice about a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// When to display the notice: `before` or `after` the verification.
    pub moment: NoticeTime,
    /// Text of the notice, with secrets redacted.
    pub text: String,
}

/// Outcome of publishing the verification result of one contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractPublication {
    /// True if the broker accepted the result.
    pub published: bool,
    /// URL of the published result. Missing if the result was not published or the broker returned no URL.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Reason why the result was not published. Missing if it was published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Outcome of publishing all results of a verification.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    /// Provider version for which the results were published.
    pub version: String,
    /// Branch of the provider version. Missing if none is set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Tags of the provider version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Number of contracts whose results were published.
    pub published: usize,
    /// Error because of which results could not be published. The verification then fails. Missing if there was no
    /// error.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Origin {
    pub fn new(kind: OriginKind) -> Self {
        Self {
            kind,
            broker: None,
            name: None,
            selection: None,
            wip: false,
        }
    }

    #[must_use]
    pub fn redacted(&self) -> Self {
        let hidden = |text: &Option<String>| text.as_deref().map(|text| redact::text(text).into_owned());
        Self {
            kind: self.kind,
            broker: hidden(&self.broker),
            name: hidden(&self.name),
            selection: hidden(&self.selection),
            wip: self.wip,
        }
    }
}

impl Notice {
    /// Creates a notice. Redacts secrets in the text.
    pub fn new(moment: NoticeTime, text: &str) -> Self {
        Self {
            moment,
            text: redact::text(text).into_owned(),
        }
    }
}

impl Publication {
    /// Summarizes the publication in one line.
    pub(super) fn message(&self, provider: &str) -> String {
        let as_version = match &self.branch {
            Some(branch) => format!("{provider} {} ({branch})", self.version),
            None => format!("{provider} {}", self.version),
        };
        let results = match self.published {
            0 => "No results".to_owned(),
            1 => "1 result".to_owned(),
            count => format!("{count} results"),
        };
        match &self.error {
            None => format!("{results} published for {as_version}"),
            Some(error) => format!("Results could not be published for {as_version}: {error}"),
        }
    }

    fn failed(&self) -> bool {
        self.error.is_some()
    }
}

impl ContractReport {
    pub(super) fn is_wip(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.wip)
    }

    /// Returns `WIP` or `pending`. Returns `None` if a failure of the contract fails the verification.
    pub(super) fn state(&self) -> Option<&'static str> {
        match (self.is_wip(), self.pending) {
            (true, _) => Some("WIP"),
            (false, true) => Some("pending"),
            (false, false) => None,
        }
    }

    /// Returns the contract's name in the broker and the reason why the broker selected it, as far as they are known.
    pub(super) fn selection_reason(&self) -> Option<String> {
        let origin = self.origin.as_ref()?;
        let name = origin.name.as_deref();
        match (origin.selection.as_deref().filter(|text| !text.is_empty()), name) {
            (Some(selection), Some(name)) => Some(format!("{name}: {selection}")),
            (one, other) => one.or(other).map(str::to_owned),
        }
    }

    /// Returns the notices to display at this time.
    pub(super) fn notices_of(&self, moment: NoticeTime) -> impl Iterator<Item = &str> {
        let is_selected = move |notice: &&Notice| notice.moment == moment;
        self.notices
            .iter()
            .filter(is_selected)
            .map(|notice| notice.text.as_str())
    }

    /// Returns the URL of the published result, or `None` if there is none.
    pub(super) fn result_url(&self) -> Option<&str> {
        self.publication.as_ref()?.url.as_deref()
    }

    /// Summarizes the outcome of publishing in one line. Returns `None` if publishing was not requested.
    pub(super) fn publication_summary(&self) -> Option<String> {
        let publication = self.publication.as_ref()?;
        Some(match (publication.published, &publication.url, &publication.reason) {
            (true, Some(url), _) => format!("Result published: {url}"),
            (true, None, _) => "Result published".to_owned(),
            (false, _, Some(reason)) => format!("Result not published: {reason}"),
            (false, _, None) => "Result not published".to_owned(),
        })
    }

    /// Returns whether the published result says that the provider satisfies the contract. Interactions that are
    /// pending in the contract file (`is_pending`) may fail. The pending state of the complete contract is ignored.
    pub fn is_satisfied(&self, is_pending: impl Fn(usize) -> bool) -> bool {
        self.interactions
            .iter()
            .enumerate()
            .all(|(at, interaction)| match interaction.status {
                Status::Passed => true,
                Status::Pending => is_pending(at),
                Status::Failed | Status::Skipped => false,
            })
    }
}

impl Report {
    /// Stores the outcome of publishing. If it contains an error, the verification has failed.
    pub fn set_publication(&mut self, publication: Publication) {
        self.success &= !publication.failed();
        self.publication = Some(publication);
    }

    /// Returns the error that occurred while publishing, as one line.
    pub(super) fn publication_error(&self) -> Option<String> {
        let publication = self.publication.as_ref().filter(|publication| publication.failed())?;
        Some(publication.message(&self.provider))
    }
}
