//! The source of a contract, the notices of the broker, and the results of publishing.

use serde::{Deserialize, Serialize};

use super::{ContractReport, Report, Status};
use crate::redact;

/// The kind of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OriginKind {
    File,
    /// The URL of one contract.
    Url,
    /// A document from the calling process.
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

/// Where a contract came from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Origin {
    /// The kind of source: a file, a URL, a document from the calling process, or a broker.
    pub kind: OriginKind,
    /// The base URL of the broker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<String>,
    /// The broker's name for the contract, which includes the consumer version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Why the broker selected the contract, in its words: `latest from main branch`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub selection: Option<String>,
    /// Whether it is a WIP contract.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub wip: bool,
}

/// When a notice is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum NoticeTime {
    /// Before the verification.
    Before,
    /// After the verification.
    After,
}

/// A notice of a broker about a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Whether the notice is shown before or after the verification.
    pub moment: NoticeTime,
    /// The text of the broker.
    pub text: String,
}

/// Whether the result of one contract was published.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ContractPublication {
    /// Whether the broker has the result.
    pub published: bool,
    /// The URL of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Why the result was not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// The outcome of publishing results.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Publication {
    /// The version of the provider.
    pub version: String,
    /// The branch of the version.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub branch: Option<String>,
    /// Tags of the version.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// Number of contracts whose results were published.
    pub published: usize,
    /// Why results could not be published. The verification has failed.
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

    /// Redacts secrets.
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
    /// Creates a notice. Secrets are redacted.
    pub fn new(moment: NoticeTime, text: &str) -> Self {
        Self {
            moment,
            text: redact::text(text).into_owned(),
        }
    }
}

impl Publication {
    /// Summarizes the published results in one line.
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

    /// Returns `WIP` or `pending`; `None` if failures count.
    pub(super) fn state(&self) -> Option<&'static str> {
        match (self.is_wip(), self.pending) {
            (true, _) => Some("WIP"),
            (false, true) => Some("pending"),
            (false, false) => None,
        }
    }

    /// Returns why the broker selected the contract.
    pub(super) fn selection_reason(&self) -> Option<String> {
        let origin = self.origin.as_ref()?;
        let name = origin.name.as_deref();
        match (origin.selection.as_deref().filter(|text| !text.is_empty()), name) {
            (Some(selection), Some(name)) => Some(format!("{name}: {selection}")),
            (one, other) => one.or(other).map(str::to_owned),
        }
    }

    /// Returns the notices for this moment.
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
    /// the contract file may fail. The pending state of the whole contract is ignored.
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
    /// Stores the results of publishing. An error fails the verification.
    pub fn set_publication(&mut self, publication: Publication) {
        self.success &= !publication.failed();
        self.publication = Some(publication);
    }

    /// Returns the error of publishing, in one line.
    pub(super) fn publication_error(&self) -> Option<String> {
        let publication = self.publication.as_ref().filter(|publication| publication.failed())?;
        Some(publication.message(&self.provider))
    }
}
