//! Sources of contracts, broker notices, and results of publishing.

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
    /// A broker that selected the contracts of the provider.
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

/// Source of a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// Kind of the source: a file, a URL, a document from the calling process, or a broker.
    pub kind: OriginKind,
    /// Base URL of the broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
    /// Name of the contract in the broker, which includes the version of the consumer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Reason why the broker selected the contract, in the words of the broker: `latest from main branch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// True if the contract is work in progress (WIP).
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

/// Notice of a broker about a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Whether the notice is displayed before or after the verification.
    pub moment: NoticeTime,
    /// Text of the notice.
    pub text: String,
}

/// Result of publishing the verification result of one contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractPublication {
    /// True if the broker accepted the result.
    pub published: bool,
    /// URL of the published result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Reason why the result was not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Result of publishing the verification results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    /// Version of the provider.
    pub version: String,
    /// Branch of the provider version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Tags of the provider version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Number of contracts whose results were published.
    pub published: usize,
    /// Error that prevented the results from being published. It fails the verification.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

impl Origin {
    /// Creates an origin of this kind.
    pub fn new(kind: OriginKind) -> Self {
        Self {
            kind,
            broker: None,
            name: None,
            selection: None,
            wip: false,
        }
    }

    /// Returns a copy with redacted secrets.
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

    /// Returns `WIP` or `pending`. Returns `None` if failures of the contract count.
    pub(super) fn state(&self) -> Option<&'static str> {
        match (self.is_wip(), self.pending) {
            (true, _) => Some("WIP"),
            (false, true) => Some("pending"),
            (false, false) => None,
        }
    }

    /// Returns the reason why the broker selected the contract, if known.
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
        let wanted = move |notice: &&Notice| notice.moment == moment;
        self.notices.iter().filter(wanted).map(|notice| notice.text.as_str())
    }

    /// Returns the URL of the published result.
    pub(super) fn result_url(&self) -> Option<&str> {
        self.publication.as_ref()?.url.as_deref()
    }

    /// Summarizes the publication in one line.
    pub(super) fn publication_summary(&self) -> Option<String> {
        let publication = self.publication.as_ref()?;
        Some(match (publication.published, &publication.url, &publication.reason) {
            (true, Some(url), _) => format!("Result published: {url}"),
            (true, None, _) => "Result published".to_owned(),
            (false, _, Some(reason)) => format!("Result not published: {reason}"),
            (false, _, None) => "Result not published".to_owned(),
        })
    }

    /// Returns whether the provider satisfies the contract, for the published result. Interactions that are pending in
    /// the contract file may fail. The pending state of the complete contract is ignored.
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
    /// Stores the result of publishing. An error fails the verification.
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
