//! Verdicts: whether versions are deployable, not deployable, or unknown.

use std::collections::HashSet;

/// Maximum number of reasons in a verdict. An additional sentence reports how many are omitted.
const MAX_REASONS: usize = 100;
/// Maximum number of version numbers that one sentence lists.
const MAX_NUMBERS: usize = 5;

/// An application that takes part in a verdict, with its selected versions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Participant {
    pub pacticipant: i64,
    pub name: String,
    pub versions: VersionSet,
    /// The version numbers, in the same order as the IDs in `versions`.
    pub numbers: Vec<String>,
    /// Suffix for messages that describes how the versions were selected, such as ` in prod` or ` on branch main`.
    /// Empty if they were selected by version number, or if all versions or the latest version were selected.
    pub selection_suffix: String,
    /// The sentence to report if no version was found.
    pub absence: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum VersionSet {
    Every,
    /// The IDs of the selected versions, in no particular order. Empty if no version was found.
    These(Vec<i64>),
}

impl Participant {
    pub fn is_missing(&self) -> bool {
        self.versions == VersionSet::These(Vec::new())
    }

    /// Adds the versions that another selector selected for this application.
    pub fn extend(&mut self, other: Self) {
        if self.selection_suffix != other.selection_suffix {
            self.selection_suffix = String::new();
        }
        if self.is_missing() {
            self.absence = other.absence;
        }
        match (&mut self.versions, other.versions) {
            (VersionSet::These(known), VersionSet::These(more)) => {
                let ids: HashSet<i64> = known.iter().copied().collect();
                for (id, number) in more.into_iter().zip(other.numbers) {
                    if !ids.contains(&id) {
                        known.push(id);
                        self.numbers.push(number);
                    }
                }
            }
            (versions, _) => *versions = VersionSet::Every,
        }
    }

    fn version(&self, number: &str) -> String {
        format!("version {number} of {}{}", self.name, self.selection_suffix)
    }

    fn any_version(&self) -> String {
        match (&self.versions, self.numbers.as_slice()) {
            (VersionSet::These(_), [number]) => self.version(number),
            (VersionSet::These(_), [_, ..]) => {
                let listed = self.numbers[..self.numbers.len().min(MAX_NUMBERS)].join(", ");
                let more = if self.numbers.len() > MAX_NUMBERS { ", …" } else { "" };
                format!(
                    "any of the versions of {}{} ({listed}{more})",
                    self.name, self.selection_suffix
                )
            }
            _ => format!("any version of {}", self.name),
        }
    }
}

/// A consumer and a provider, given by their IDs, whose contracts and results are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pair {
    pub consumer: i64,
    pub provider: i64,
    /// Whether to omit contracts without a result. Otherwise, such a contract becomes a row without a result.
    pub only_verified: bool,
}

/// A revision of a contract, with its result for one provider version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    pub consumer: i64,
    pub consumer_version: i64,
    pub revision: i64,
    pub provider: i64,
    pub published_at: i64,
    pub sha: String,
    /// The result, or `None` if none of the selected provider versions has one.
    pub verified: Option<Verified>,
}

impl Row {
    /// Returns whether the verification succeeded, or `None` if there is no result.
    pub fn success(&self) -> Option<bool> {
        self.verified.map(|verified| verified.success)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verified {
    pub version: i64,
    pub number: i64,
    pub success: bool,
    pub at: i64,
}

/// Everything on which a verdict is based.
#[derive(Debug, Default)]
pub struct Evidence {
    pub participants: Vec<Participant>,
    /// The rows that count for the verdict.
    pub rows: Vec<Row>,
    pub ignored: Vec<Row>,
    /// One sentence for each selector that found no version.
    pub missing: Vec<String>,
    pub warnings: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Whether the versions are deployable. `Some(false)` if a selected version does not exist, or if all results are
    /// known and at least one failed. `None` if a result is missing.
    pub deployable: Option<bool>,
    pub success: usize,
    pub failed: usize,
    pub unknown: usize,
    pub notices: Vec<Notice>,
}

/// A sentence for users, with a kind such as `warning`, `error`, or `success`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    pub kind: &'static str,
    pub text: String,
}

impl Notice {
    pub fn new(kind: &'static str, text: String) -> Self {
        Self { kind, text }
    }
}

impl Verdict {
    /// Joins the texts of all notices with line breaks.
    pub fn reason(&self) -> String {
        self.notices
            .iter()
            .map(|notice| notice.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// Decides whether the selected versions are deployable. `number_of` returns the number of a version.
///
/// Each contract of a selected consumer version with a required provider must have at least one row. A missing
/// verification is a row without a result.
pub fn decide(evidence: &Evidence, number_of: impl Fn(i64) -> String) -> Verdict {
    let count = |outcome: Option<bool>| evidence.rows.iter().filter(|row| row.success() == outcome).count();
    let (success, failed, unknown) = (count(Some(true)), count(Some(false)), count(None));
    let deployable = if !evidence.missing.is_empty() {
        Some(false)
    } else if unknown > 0 {
        None
    } else {
        Some(failed == 0)
    };
    let errors = if evidence.missing.is_empty() {
        evidence.reasons(&number_of)
    } else {
        evidence.missing.clone()
    };
    let mut notices: Vec<Notice> = Vec::new();
    let mut add = |kind: &'static str, text: String| notices.push(Notice::new(kind, text));
    for text in &evidence.warnings {
        add("warning", text.clone());
    }
    if deployable == Some(true) {
        let text = if evidence.rows.is_empty() {
            "No contracts apply."
        } else {
            "All required verifications passed."
        };
        add("success", text.to_owned());
    }
    for text in errors {
        add("error", text);
    }
    Verdict {
        deployable,
        success,
        failed,
        unknown,
        notices,
    }
}

impl Evidence {
    /// Returns one sentence for each failed or missing verification.
    fn reasons(&self, number_of: &impl Fn(i64) -> String) -> Vec<String> {
        let rows_with = |success: Option<bool>| self.rows.iter().filter(move |row| row.success() == success);
        let mut reasons: Vec<String> = rows_with(Some(false))
            .map(|row| self.failed(row, number_of))
            .chain(rows_with(None).map(|row| self.unverified(row, number_of)))
            .collect();
        let more = reasons.len().saturating_sub(MAX_REASONS);
        reasons.truncate(MAX_REASONS);
        if more > 0 {
            reasons.push(format!("{more} more verifications failed or are missing."));
        }
        reasons
    }

    /// Returns an application's selected versions. For an application that is not part of the verdict, returns all
    /// versions.
    pub fn versions(&self, pacticipant: i64) -> &VersionSet {
        let known = self.participant(pacticipant);
        known.map_or(&VersionSet::Every, |known| &known.versions)
    }

    pub fn participant(&self, pacticipant: i64) -> Option<&Participant> {
        self.participants
            .iter()
            .find(|participant| participant.pacticipant == pacticipant)
    }

    fn version(&self, pacticipant: i64, number: &str) -> String {
        self.participant(pacticipant)
            .map_or_else(String::new, |participant| participant.version(number))
    }

    fn failed(&self, row: &Row, number_of: &impl Fn(i64) -> String) -> String {
        let provider_version = row.verified.map_or(0, |verified| verified.version);
        let consumer = self.version(row.consumer, &number_of(row.consumer_version));
        let provider = self.version(row.provider, &number_of(provider_version));
        format!("The contract between {consumer} and {provider} failed verification.")
    }

    fn unverified(&self, row: &Row, number_of: &impl Fn(i64) -> String) -> String {
        let consumer = self.version(row.consumer, &number_of(row.consumer_version));
        let Some(provider) = self.participant(row.provider) else {
            return String::new();
        };
        let name = &provider.name;
        if provider.is_missing() {
            return format!(
                "The contract between {consumer} and {name} is not verified. {}",
                provider.absence
            );
        }
        let by = provider.any_version();
        format!("The contract between {consumer} and {name} is not verified by {by}.")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(consumer_version: i64, success: Option<bool>) -> Row {
        let verified = success.map(|success| Verified {
            version: 9,
            number: 101,
            success,
            at: 0,
        });
        Row {
            consumer: 1,
            consumer_version,
            revision: 1,
            provider: 2,
            published_at: 0,
            sha: String::new(),
            verified,
        }
    }

    fn participant(pacticipant: i64, name: &str) -> Participant {
        Participant {
            pacticipant,
            name: name.to_owned(),
            versions: VersionSet::Every,
            numbers: vec![],
            selection_suffix: String::new(),
            absence: String::new(),
        }
    }

    fn verdict(rows: &[Option<bool>]) -> Verdict {
        let rows = (1..)
            .zip(rows)
            .map(|(version, success)| row(version, *success))
            .collect();
        decide(
            &Evidence {
                participants: vec![participant(1, "web"), participant(2, "bill")],
                rows,
                ..Evidence::default()
            },
            |id| id.to_string(),
        )
    }

    #[test]
    fn unknown_overrides_failed_and_failed_overrides_success() {
        assert_eq!(verdict(&[]).deployable, Some(true));
        assert_eq!(verdict(&[Some(true)]).deployable, Some(true));
        assert_eq!(verdict(&[Some(true), Some(false)]).deployable, Some(false));
        let verdict = verdict(&[Some(true), Some(false), None]);
        assert_eq!(
            (verdict.deployable, verdict.success, verdict.failed, verdict.unknown),
            (None, 1, 1, 1)
        );
        assert_eq!(
            verdict.notices.len(),
            2,
            "one reason for each row that prevents a deployment"
        );
    }

    #[test]
    fn a_missing_version_is_the_only_reason() {
        let evidence = Evidence {
            participants: vec![participant(1, "web"), participant(2, "bill")],
            rows: vec![row(1, None), row(2, Some(false))],
            missing: vec!["Version 3 of web does not exist.".to_owned()],
            ..Evidence::default()
        };
        let verdict = decide(&evidence, |id| id.to_string());
        assert_eq!(
            (verdict.deployable, verdict.failed, verdict.unknown),
            (Some(false), 1, 1)
        );
        assert_eq!(verdict.reason(), "Version 3 of web does not exist.");
    }

    #[test]
    fn the_number_of_reasons_is_limited() {
        let mut evidence = Evidence {
            participants: vec![participant(1, "web"), participant(2, "bill")],
            rows: vec![row(1, Some(false))],
            ..Evidence::default()
        };
        let reasons = |evidence: &Evidence| decide(evidence, |id| id.to_string()).reason();
        assert_eq!(
            reasons(&evidence),
            "The contract between version 1 of web and version 9 of bill failed verification."
        );
        evidence.rows = (0..105).map(|version| row(version, Some(false))).collect();
        assert_eq!(reasons(&evidence).lines().count(), 101);
        assert!(reasons(&evidence).ends_with("\n5 more verifications failed or are missing."));
    }
}
