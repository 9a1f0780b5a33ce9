//! Where a contract came from, what a broker had to say about it, and what became of its result.

use serde::{Deserialize, Serialize};

use super::{ContractReport, Report, Status};
use crate::redact;

/// The kind of place that a contract came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum OriginKind {
    /// A file.
    File,
    /// The address of one contract.
    Url,
    /// The caller's own process.
    Document,
    /// A broker that was asked for the contracts of the provider.
    Broker,
}

impl OriginKind {
    /// As reports call it: `file`, `url`, `document` or `broker`.
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

/// When a notice is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum Moment {
    /// Before the contract is verified.
    Before,
    /// When it has been, and the result is published or is not.
    After,
}

/// A notice of a broker about a contract.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Notice {
    /// Whether the notice is shown before or after the verification.
    pub moment: Moment,
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
    /// A place of that kind.
    pub fn new(kind: OriginKind) -> Self {
        Self {
            kind,
            broker: None,
            name: None,
            selection: None,
            wip: false,
        }
    }

    /// Without what is secret in it.
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
    /// Secrets in it are hidden.
    pub fn new(moment: Moment, text: &str) -> Self {
        Self {
            moment,
            text: redact::text(text).into_owned(),
        }
    }
}

impl Publication {
    /// What became of the results, in one line.
    pub(super) fn told(&self, provider: &str) -> String {
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
    /// Whether it is work in progress.
    pub(super) fn is_wip(&self) -> bool {
        self.origin.as_ref().is_some_and(|origin| origin.wip)
    }

    /// What a failure of it means, in a word: nothing for a contract of which every failure counts.
    pub(super) fn state(&self) -> Option<&'static str> {
        match (self.is_wip(), self.pending) {
            (true, _) => Some("WIP"),
            (false, true) => Some("pending"),
            (false, false) => None,
        }
    }

    /// Why a broker chose it.
    pub(super) fn chosen(&self) -> Option<String> {
        let origin = self.origin.as_ref()?;
        let name = origin.name.as_deref();
        match (origin.selection.as_deref().filter(|text| !text.is_empty()), name) {
            (Some(selection), Some(name)) => Some(format!("{name}: {selection}")),
            (one, other) => one.or(other).map(str::to_owned),
        }
    }

    /// What the broker has to say at that moment.
    pub(super) fn notices_of(&self, moment: Moment) -> impl Iterator<Item = &str> {
        let wanted = move |notice: &&Notice| notice.moment == moment;
        self.notices.iter().filter(wanted).map(|notice| notice.text.as_str())
    }

    /// Where its result is at the broker.
    pub(super) fn result_url(&self) -> Option<&str> {
        self.publication.as_ref()?.url.as_deref()
    }

    /// What became of its result, in one line.
    pub(super) fn published(&self) -> Option<String> {
        let publication = self.publication.as_ref()?;
        Some(match (publication.published, &publication.url, &publication.reason) {
            (true, Some(url), _) => format!("Result published: {url}"),
            (true, None, _) => "Result published".to_owned(),
            (false, _, Some(reason)) => format!("Result not published: {reason}"),
            (false, _, None) => "Result not published".to_owned(),
        })
    }

    /// Whether the provider honours it: what is pending by the contract itself need not be honoured, but a contract that is
    /// pending as a whole is not for that.
    pub fn is_honoured(&self, is_pending: impl Fn(usize) -> bool) -> bool {
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
    /// Takes in what became of the results. What could not be published fails the verification.
    pub fn set_publication(&mut self, publication: Publication) {
        self.success &= !publication.failed();
        self.publication = Some(publication);
    }

    /// What went wrong besides interactions, in one line.
    pub(super) fn unpublished(&self) -> Option<String> {
        let publication = self.publication.as_ref().filter(|publication| publication.failed())?;
        Some(publication.told(&self.provider))
    }
}
