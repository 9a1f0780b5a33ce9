//! Reports the variants with which a test failed.

use std::fmt::Write as _;

use contract_definition::UnreadFields;
use contract_variants::{FindingKind, Kind, Unread, Variant};
use serde::Serialize;

use super::run::{RunEnd, ServedAnswer, VariantRun, VariedPart};

/// Error code: the test failed with an answer that the contract allows.
const FAILED: &str = "ERR_CONTRACT_VARIANTS";
/// Error code: the test both failed and passed with the same answer.
const UNSTABLE: &str = "ERR_CONTRACT_VARIANTS_UNSTABLE";
/// Error code: the result of the test does not depend on a field of the answer.
const UNREAD: &str = "ERR_CONTRACT_VARIANTS_UNREAD";
/// Maximum number of variants that a text lists or describes.
const NAMES: usize = 5;

/// What a binding must do next after a run of the test: run it with another variant, or report the failures.
#[derive(Clone, Debug, Serialize)]
pub struct VariantStep {
    /// The answer for the next run, or `null` if no run is left.
    pub next: Option<ServedAnswer>,
    /// The failures, or `null` if a run is left or no run failed.
    pub report: Option<VariantReport>,
    /// A note to print about variants that were not tried and fields that are not read. `null` if a run is left, or if
    /// there is nothing to print.
    pub print: Option<String>,
}

/// The failures of a test that ran against variants.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct VariantReport {
    /// The error code: `ERR_CONTRACT_VARIANTS`, `ERR_CONTRACT_VARIANTS_UNSTABLE` if all failures have the reason
    /// `unstable`, or `ERR_CONTRACT_VARIANTS_UNREAD` if they have the reason `unread`.
    pub code: &'static str,
    /// The failures as text for an error message.
    pub text: String,
    /// The variants with which the test failed, or the fields that the consumer does not read.
    pub failures: Vec<FailedVariant>,
    /// The number of variants that were tried.
    pub tried: usize,
    /// The number of responses or messages that were served, without the example.
    pub answers: usize,
    /// Names of the variants that were not tried, because the maximum number of answers or the time limit was reached,
    /// or because a variant with the same location and kind had failed.
    pub left_out: Vec<String>,
}

/// A variant, or a combination of variants, with which a test failed. If the reason is `unread`, a field that the
/// consumer does not read.
#[derive(Clone, Debug, Serialize)]
pub struct FailedVariant {
    /// Name of the variant, such as `null@$.note`. `CONTRACT_VARIANT` accepts it to serve only this variant. Names of a
    /// combination are separated by ` + `.
    pub name: String,
    /// Description of the interaction.
    pub interaction: String,
    /// Location of the changed value, such as `$.status`. Locations of a combination are separated by ` + `.
    pub place: String,
    /// Why the contract allows the value. Reasons of a combination are separated by ` + `. Empty if the reason is
    /// `unread`.
    pub rule: String,
    /// The value that was served. Values of a combination are separated by ` + `. Empty if the reason is `unread`.
    pub value: String,
    /// How the test failed: `error` (the callback threw an error), `requests` (the consumer's requests did not match),
    /// `timeout`, `unstable` (the test both failed and passed with this answer), `not-isolated` (there was no time to
    /// find out which of these variants causes the failure), or `unread` (the result of the test does not depend on the
    /// field).
    pub reason: &'static str,
    /// Number of the run that failed, starting with 0. 0 if the reason is `unread`.
    pub run: usize,
}

pub(crate) fn report(run: &VariantRun) -> Option<VariantReport> {
    let mut failures = Vec::new();
    let mut texts = Vec::new();
    for (at, part) in run.parts.iter().enumerate() {
        for finding in part.search.findings() {
            let number = number_of(run, at, finding.run);
            let end = number
                .and_then(|number| run.records.get(number))
                .map(|record| &record.end);
            let variants: Vec<&Variant> = finding
                .changes
                .iter()
                .filter_map(|at| part.variants.list().get(*at))
                .collect();
            let mut failure = failed(&part.description, &variants, finding.kind, end);
            failure.name = joined(&variants, |variant| run.name(part, variant));
            failure.run = number.unwrap_or_default();
            texts.push(text(&failure, &variants, finding.kind, end, failures.len() + 1));
            failures.push(failure);
        }
    }
    if failures.is_empty() {
        return None;
    }
    let is_unstable = failures.iter().all(|failure| failure.reason == "unstable");
    let tried = run.parts.iter().map(|part| part.search.tried()).sum();
    let answers = run.records.len();
    let (cut, skipped) = (cut(run), skipped(run));
    let heading = if is_unstable {
        "The test is not deterministic: it failed and passed with the same answer."
    } else {
        "The test failed with answers that the contract allows. It passed with the example."
    };
    let mut all = format!("{heading}\n\n{}\n\n", texts.join("\n\n"));
    let _ = write!(
        all,
        "{} tried in {}, {} failed",
        counted(tried, "variant"),
        counted(answers, "answer"),
        failures.len()
    );
    if !cut.is_empty() {
        let _ = write!(all, ", {} left out (max: {}): {}", cut.len(), run.max, listed(&cut));
    }
    if !skipped.is_empty() {
        let reason = if run.is_late {
            "time limit reached, or another variant at the same path had already failed"
        } else {
            "another variant at the same path had already failed"
        };
        let _ = write!(all, ", {} skipped ({reason}): {}", skipped.len(), listed(&skipped));
    }
    all.push('.');
    Some(VariantReport {
        code: if is_unstable { UNSTABLE } else { FAILED },
        text: all,
        failures,
        tried,
        answers,
        left_out: cut.into_iter().chain(skipped).collect(),
    })
}

/// Returns the names of the variants that were not tried because of the maximum number of answers.
fn cut(run: &VariantRun) -> Vec<String> {
    let parts = run.parts.iter();
    parts
        .flat_map(|part| names(run, part, part.search.left_out()))
        .collect()
}

/// Returns the names of the variants that were not tried because of the time limit, or because a similar variant had
/// failed.
fn skipped(run: &VariantRun) -> Vec<String> {
    let parts = run.parts.iter();
    parts
        .flat_map(|part| names(run, part, &part.search.skipped()))
        .collect()
}

fn names(run: &VariantRun, part: &VariedPart, list: &[usize]) -> Vec<String> {
    let variants = list.iter().filter_map(|at| part.variants.list().get(*at));
    variants.map(|variant| run.name(part, variant)).collect()
}

/// Returns a note about variants that were not tried although the test passed. Returns `None` if all were tried.
pub(crate) fn untried(run: &VariantRun) -> Option<String> {
    let (cut, skipped) = (cut(run), skipped(run));
    let mut lines = Vec::new();
    if !cut.is_empty() {
        let count = counted(cut.len(), "variant");
        lines.push(format!("{count} left out (max: {}): {}", run.max, listed(&cut)));
    }
    if !skipped.is_empty() {
        let count = counted(skipped.len(), "variant");
        lines.push(format!("{count} not tried (time limit): {}", listed(&skipped)));
    }
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// Converts the number of a run among the runs of its part to its number among the runs of all parts.
fn number_of(run: &VariantRun, part: usize, own: usize) -> Option<usize> {
    let own_runs = run.records.iter().enumerate().filter(|(_, record)| record.part == part);
    own_runs.map(|(number, _)| number).nth(own)
}

fn joined(variants: &[&Variant], describe: impl Fn(&Variant) -> String) -> String {
    let each: Vec<String> = variants.iter().map(|variant| describe(variant)).collect();
    each.join(" + ")
}

fn failed(description: &str, variants: &[&Variant], kind: FindingKind, end: Option<&RunEnd>) -> FailedVariant {
    FailedVariant {
        name: joined(variants, |variant| variant.name.clone()),
        interaction: description.to_owned(),
        place: joined(variants, |variant| variant.place.clone()),
        rule: joined(variants, |variant| variant.rule.clone()),
        value: joined(variants, |variant| variant.value.clone()),
        reason: match (kind, end) {
            (FindingKind::NotDeterministic, _) => "unstable",
            (FindingKind::NotIsolated, _) => "not-isolated",
            (FindingKind::Failed, Some(RunEnd::Requests(_))) => "requests",
            (FindingKind::Failed, Some(RunEnd::TimedOut(_))) => "timeout",
            (FindingKind::Failed, _) => "error",
        },
        run: 0,
    }
}

/// Returns the report of a failed test that received only this variant.
pub(crate) fn single_report(name: &str, description: &str, variant: &Variant, end: &RunEnd) -> VariantReport {
    let variants = [variant];
    let mut failure = failed(description, &variants, FindingKind::Failed, Some(end));
    name.clone_into(&mut failure.name);
    let failed = text(&failure, &variants, FindingKind::Failed, Some(end), 1);
    VariantReport {
        code: FAILED,
        text: format!("The test failed with an answer that the contract allows.\n\n{failed}"),
        failures: vec![failure],
        tried: 1,
        answers: 1,
        left_out: Vec::new(),
    }
}

/// Returns the fields that the consumer does not read, if the options search for them: as a failure or as a note to
/// print.
pub(crate) fn unread_report(run: &VariantRun) -> (Option<VariantReport>, Option<String>) {
    let Some(mode) = run.unread else {
        return (None, None);
    };
    let mut texts = Vec::new();
    let mut failures = Vec::new();
    for part in &run.parts {
        let fields = part.unread.as_ref().map(Unread::fields).unwrap_or_default();
        if !fields.is_empty() {
            texts.push(format!("{:?}\n  {}", part.description, fields.join("\n  ")));
        }
        failures.extend(fields.into_iter().map(|place| FailedVariant {
            name: format!("unread@{place}"),
            interaction: part.description.clone(),
            place,
            rule: String::new(),
            value: String::new(),
            reason: "unread",
            run: 0,
        }));
    }
    if failures.is_empty() {
        return (None, None);
    }
    let is_complete = run
        .parts
        .iter()
        .all(|part| part.unread.as_ref().is_some_and(Unread::is_complete));
    let incomplete = if is_complete {
        ""
    } else {
        "\nSome fields were not checked, because the time limit or the maximum number of answers was reached."
    };
    let text = format!(
        "The result of the test does not depend on these fields: neither another value nor their absence changes it.\n{}\nRemove them from the contract if the consumer does not need them, or exclude them with \"except\".{incomplete}",
        texts.join("\n")
    );
    match mode {
        UnreadFields::Print => (None, Some(text)),
        UnreadFields::Error => {
            let report = VariantReport {
                code: UNREAD,
                text,
                failures,
                tried: run.parts.iter().map(|part| part.search.tried()).sum(),
                answers: run.records.len(),
                left_out: Vec::new(),
            };
            (Some(report), None)
        }
    }
}

fn text(
    failure: &FailedVariant,
    variants: &[&Variant],
    kind: FindingKind,
    end: Option<&RunEnd>,
    number: usize,
) -> String {
    let mut text = format!("{number}) {} ({:?})", failure.name, failure.interaction);
    for variant in variants.iter().take(NAMES) {
        let _ = write!(text, "\n   place   {}", variant.place);
        let _ = write!(text, "\n   served  {}", variant.value);
        let _ = write!(text, "\n   allowed {}", variant.rule);
    }
    let indented = |text: &str| text.trim_end().replace('\n', "\n           ");
    match end {
        Some(RunEnd::Threw(error)) => {
            let _ = write!(text, "\n   error   {}", indented(error));
        }
        Some(RunEnd::Requests(mismatches)) => {
            let _ = write!(
                text,
                "\n   error   The consumer did not send the same requests as for the example:"
            );
            let _ = write!(text, "\n           {}", indented(mismatches));
        }
        Some(RunEnd::TimedOut(limit)) => {
            let _ = write!(
                text,
                "\n   error   The callback did not finish within {} ms.",
                limit.as_millis()
            );
        }
        Some(RunEnd::Passed) | None => {}
    }
    match kind {
        FindingKind::NotDeterministic => {
            text.push_str("\n   fix     Make each run independent of earlier runs, for example by resetting state that a run leaves behind.");
        }
        FindingKind::NotIsolated => {
            text.push_str("\n   fix     There was no time to isolate the change. Set a longer timeout, or include fewer kinds of variants.");
        }
        FindingKind::Failed => {
            if let [variant] = variants {
                let _ = write!(
                    text,
                    "\n   replay  CONTRACT_VARIANT='{}'",
                    failure.name.replace('\'', r"'\''")
                );
                let _ = write!(
                    text,
                    "\n   fix     Handle the value in the consumer, or {}.",
                    narrowing(variant.kind)
                );
            } else {
                text.push_str("\n   fix     The test fails only with this combination. Handle it in the consumer, or narrow one of the matchers.");
            }
        }
    }
    text
}

/// Returns advice on how to change the contract so that it no longer allows the value.
fn narrowing(kind: Kind) -> &'static str {
    match kind {
        Kind::Branch => "remove this alternative from the matcher",
        Kind::Null => "do not allow null in the matcher",
        Kind::EmptyList => "require more items in the matcher, such as a minimum of 1",
        Kind::Absent => "require the member by setting a matching rule for it",
        Kind::Extra => {
            "leave the kind \"extra\" out of \"include\", because contracts always allow unknown members and headers"
        }
        Kind::Order => {
            "leave the kind \"order\" out of \"include\", because the order of members in a JSON object is not significant"
        }
        Kind::Member | Kind::Text => "use a matcher with a narrower pattern",
        Kind::Number | Kind::BigInteger | Kind::Boolean => "match the exact value",
        Kind::Date => "use a matcher with a narrower format",
        Kind::Many => "set a maximum number of items in the matcher",
        Kind::Status => "match the exact status",
        Kind::Media => "match the exact content type",
        Kind::Casing => "leave the kind \"casing\" out of \"include\", because header names are case-insensitive",
    }
}

fn listed(names: &[String]) -> String {
    let listing = names.iter().take(NAMES).cloned().collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(NAMES) {
        0 => listing,
        more => format!("{listing}, and {more} more"),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use contract_model::{Body, Content, Json, Response, Rule, RuleList};
    use contract_variants::{Answer, Settings};

    use super::*;
    use crate::variants::VariantSettings;

    /// Returns the runs of a test whose answer can also be `b` or `c`.
    fn run(max: usize, example: Duration) -> VariantRun {
        let mut response = Response {
            body: Body::Present(Content::json(Json::from("a"))),
            ..Response::default()
        };
        let rules = RuleList::single(Rule::Regex("a|b|c".into()));
        response.rules.body.insert("$".parse().unwrap(), rules);
        let settings = VariantSettings {
            settings: Settings {
                kinds: vec![Kind::Branch],
                max,
                ..Settings::default()
            },
            replay: None,
            unread: None,
        };
        let answers = [(0, "order 7".to_owned(), Answer::Response(response))];
        VariantRun::new(answers, &settings, example, Some(Duration::from_secs(60))).unwrap()
    }

    /// Passes with all variants, and returns their number.
    fn pass(run: &mut VariantRun) -> usize {
        let mut runs = 0;
        while run.next().is_some() {
            run.record(RunEnd::Passed);
            runs += 1;
        }
        runs
    }

    #[test]
    fn variants_that_were_not_tried_are_named() {
        let mut complete = run(30, Duration::ZERO);
        assert_eq!((pass(&mut complete), untried(&complete)), (2, None));
        let mut limited = run(1, Duration::ZERO);
        assert_eq!(pass(&mut limited), 1);
        let expected = "1 variant left out (max: 1): branch@$=c";
        assert_eq!(untried(&limited).as_deref(), Some(expected));
    }

    #[test]
    fn a_slow_callback_gets_twice_the_time_of_the_example() {
        let mut slow = run(30, Duration::from_secs(4));
        assert!(slow.next().is_some());
        assert_eq!(slow.timeout(), Duration::from_secs(8));
        let mut slower = run(30, Duration::from_secs(6));
        assert_eq!(pass(&mut slower), 0);
        let expected = "2 variants not tried (time limit): branch@$=b, branch@$=c";
        assert_eq!(untried(&slower).as_deref(), Some(expected));
    }
}
