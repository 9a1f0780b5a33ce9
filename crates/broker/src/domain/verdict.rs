//! The answer to "may this be deployed?": yes, no, or not known.

use std::collections::HashSet;

/// Versions of one application that take part in a question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Party {
    pub(crate) pacticipant: i64,
    pub(crate) name: String,
    pub(crate) versions: Among,
    /// Named in the question, rather than found at the destination.
    pub(crate) is_specified: bool,
    /// Which versions these are, for people: `version 3`, `the version in prod (11)`.
    pub(crate) phrase: String,
}

/// Which versions of an application are meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Among {
    Every,
    /// In no order; empty: there is none of the kind.
    These(Vec<i64>),
}

/// A consumer version's contract with a provider, and what one provider version made of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Row {
    pub(crate) consumer: i64,
    pub(crate) consumer_version: i64,
    pub(crate) revision: i64,
    pub(crate) provider: i64,
    pub(crate) published_at: i64,
    pub(crate) sha: String,
    /// `None`: none of the provider versions in question verified it.
    pub(crate) verified: Option<Verified>,
}

/// The result of one provider version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Verified {
    pub(crate) version: i64,
    pub(crate) number: i64,
    pub(crate) success: bool,
    pub(crate) at: i64,
}

/// All that a verdict is made from.
#[derive(Debug, Default)]
pub(crate) struct Evidence {
    pub(crate) parties: Vec<Party>,
    /// Those that count.
    pub(crate) rows: Vec<Row>,
    /// Those that were to be ignored.
    pub(crate) ignored: Vec<Row>,
    /// Consumers and providers between which there must be a row.
    pub(crate) required: Vec<(i64, i64)>,
    /// What was named and does not exist, as sentences.
    pub(crate) missing: Vec<String>,
    pub(crate) warnings: Vec<String>,
}

/// The answer with its reasons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Verdict {
    /// `None`: something was not verified.
    pub(crate) deployable: Option<bool>,
    pub(crate) success: usize,
    pub(crate) failed: usize,
    pub(crate) unknown: usize,
    pub(crate) notices: Vec<Notice>,
}

/// A sentence with its weight: `warning`, `error` or `success`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Notice {
    pub(crate) kind: &'static str,
    pub(crate) text: String,
}

impl Verdict {
    /// All notices as one text.
    pub(crate) fn reason(&self) -> String {
        self.notices
            .iter()
            .map(|notice| notice.text.as_str())
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// Decides. `name_of_version` tells a version's number.
pub(crate) fn decide(evidence: &Evidence, number_of: impl Fn(i64) -> String) -> Verdict {
    let pairs: HashSet<(i64, i64)> = evidence.rows.iter().map(|row| (row.consumer, row.provider)).collect();
    let unmet: Vec<(i64, i64)> = evidence
        .required
        .iter()
        .copied()
        .filter(|pair| !pairs.contains(pair))
        .collect();
    let count = |wanted: Option<bool>| {
        evidence
            .rows
            .iter()
            .filter(|row| row.verified.map(|verified| verified.success) == wanted)
            .count()
    };
    let (success, failed) = (count(Some(true)), count(Some(false)));
    let mut verdict = Verdict {
        deployable: None,
        success,
        failed,
        unknown: count(None) + unmet.len(),
        notices: vec![],
    };
    verdict.notices.extend(evidence.warnings.iter().map(|text| Notice {
        kind: "warning",
        text: text.clone(),
    }));
    if !evidence.missing.is_empty() {
        verdict.deployable = Some(false);
        verdict.notices.extend(evidence.missing.iter().map(|text| Notice {
            kind: "error",
            text: text.clone(),
        }));
        return verdict;
    }
    let mut errors = Vec::new();
    for row in evidence
        .rows
        .iter()
        .filter(|row| row.verified.is_some_and(|verified| !verified.success))
    {
        errors.push(evidence.failed(row, &number_of));
    }
    for row in evidence.rows.iter().filter(|row| row.verified.is_none()) {
        errors.push(evidence.unverified(row, &number_of));
    }
    for (consumer, provider) in &unmet {
        errors.push(evidence.unpublished(*consumer, *provider));
    }
    verdict.deployable = if verdict.unknown > 0 { None } else { Some(failed == 0) };
    if errors.is_empty() {
        let text = if evidence.rows.is_empty() {
            "Nothing stands in the way: no contract is concerned."
        } else {
            "Every contract concerned was verified with success."
        };
        verdict.notices.push(Notice {
            kind: "success",
            text: text.to_owned(),
        });
    }
    verdict
        .notices
        .extend(errors.into_iter().map(|text| Notice { kind: "error", text }));
    verdict
}

impl Evidence {
    fn party(&self, pacticipant: i64) -> (&str, &str) {
        let party = self.parties.iter().find(|party| party.pacticipant == pacticipant);
        party.map_or(("?", "any version"), |party| {
            (party.name.as_str(), party.phrase.as_str())
        })
    }

    fn failed(&self, row: &Row, number_of: &impl Fn(i64) -> String) -> String {
        let ((consumer, _), (provider, phrase)) = (self.party(row.consumer), self.party(row.provider));
        let version = row
            .verified
            .map(|verified| number_of(verified.version))
            .unwrap_or_default();
        let number = number_of(row.consumer_version);
        format!("{provider} {version} ({phrase}) failed to verify its contract with {consumer} {number}.")
    }

    fn unverified(&self, row: &Row, number_of: &impl Fn(i64) -> String) -> String {
        let ((consumer, consumers), (provider, phrase)) = (self.party(row.consumer), self.party(row.provider));
        let number = number_of(row.consumer_version);
        format!(
            "The contract of {consumer} {number} ({consumers}) with {provider} was not verified by {phrase} of {provider}."
        )
    }

    fn unpublished(&self, consumer: i64, provider: i64) -> String {
        let ((consumer, phrase), (provider, _)) = (self.party(consumer), self.party(provider));
        format!("There is no contract of {phrase} of {consumer} with {provider}, though they depend on each other.")
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

    fn of(rows: &[Option<bool>]) -> Verdict {
        let rows = (1..)
            .zip(rows)
            .map(|(version, success)| row(version, *success))
            .collect();
        decide(
            &Evidence {
                rows,
                ..Evidence::default()
            },
            |id| id.to_string(),
        )
    }

    #[test]
    fn unknown_wins_over_failed_and_failed_over_success() {
        assert_eq!(of(&[]).deployable, Some(true));
        assert_eq!(of(&[Some(true)]).deployable, Some(true));
        assert_eq!(of(&[Some(true), Some(false)]).deployable, Some(false));
        let verdict = of(&[Some(true), Some(false), None]);
        assert_eq!(
            (verdict.deployable, verdict.success, verdict.failed, verdict.unknown),
            (None, 1, 1, 1)
        );
        assert_eq!(verdict.notices.len(), 2, "a reason for each row that stands in the way");
    }

    #[test]
    fn a_required_pair_without_a_row_is_unknown() {
        let evidence = Evidence {
            required: vec![(1, 2)],
            ..Evidence::default()
        };
        let verdict = decide(&evidence, |id| id.to_string());
        assert_eq!((verdict.deployable, verdict.unknown), (None, 1));
    }

    #[test]
    fn what_does_not_exist_is_all_that_is_told() {
        let evidence = Evidence {
            missing: vec!["no".to_owned()],
            required: vec![(1, 2)],
            ..Evidence::default()
        };
        let verdict = decide(&evidence, |id| id.to_string());
        assert_eq!((verdict.deployable, verdict.notices.len()), (Some(false), 1));
    }
}
