//! Determines which answer to serve next, and isolates the change that a consumer cannot handle.
//!
//! The consumer runs outside of this crate. Therefore, the search is a function of the results so far: it either has a
//! conclusion, or returns the answer that it needs next.

use std::collections::{BTreeMap, BTreeSet};

use crate::pack::{packs, pairs};
use crate::settings::Settings;
use crate::variants::Variants;

/// Maximum number of failures to isolate. More failures would not help to find the first cause.
const FINDINGS: usize = 5;
/// Maximum number of answers to serve for isolating failures.
const ISOLATING: usize = 60;

/// A failure of the consumer, with the changes to the answer that cause it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// The changes that cause the failure, as indexes in the list of variants.
    pub changes: Vec<usize>,
    /// Number of the served answer that failed, counted from 0.
    pub run: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FindingKind {
    /// The consumer fails if the answer contains all these changes, and passes if one of them is missing.
    Failed,
    /// The consumer failed once and passed once with the same answer.
    NotDeterministic,
    /// At least one of these changes causes a failure. The time or the number of answers was not sufficient to isolate
    /// it.
    NotIsolated,
}

/// The changes of an answer, as indexes, and the number of times that the answer was served before.
type Key = (Vec<usize>, u8);

#[derive(Debug)]
pub struct Search {
    packs: Vec<Vec<usize>>,
    /// The kind and place of each variant, such as `null@$.id`, by index.
    groups: Vec<String>,
    results: BTreeMap<Key, (bool, usize)>,
    needed: Option<Key>,
    left_out: Vec<usize>,
    is_stopped: bool,
}

/// The search cannot continue until this answer has been served and its result is known.
struct Needs(Key);

#[derive(Default)]
struct Evaluation {
    findings: Vec<Finding>,
    /// The changes among which the cause of the current failure is searched. Empty if there is no such failure.
    suspects: Vec<usize>,
}

impl Search {
    pub fn new(variants: &Variants, settings: &Settings) -> Self {
        let mut packs = packs(variants);
        if settings.pairs {
            packs.extend(pairs(variants));
        }
        Self::from_packs(variants, packs, settings.max)
    }

    /// Creates a search that serves only this variant, by index.
    pub fn replay(variants: &Variants, variant: usize) -> Self {
        Self::from_packs(variants, vec![vec![variant]], 1)
    }

    /// Creates a search that serves no answers.
    pub fn nothing(variants: &Variants) -> Self {
        Self::from_packs(variants, Vec::new(), 0)
    }

    fn from_packs(variants: &Variants, mut packs: Vec<Vec<usize>>, max: usize) -> Self {
        let cut = packs.split_off(packs.len().min(max));
        let kept: BTreeSet<usize> = packs.iter().flatten().copied().collect();
        let left_out: BTreeSet<usize> = cut
            .into_iter()
            .flatten()
            .filter(|change| !kept.contains(change))
            .collect();
        let groups = variants
            .list()
            .iter()
            .map(|variant| format!("{}@{}", variant.kind, variant.place));
        Self {
            packs,
            groups: groups.collect(),
            results: BTreeMap::new(),
            needed: None,
            left_out: left_out.into_iter().collect(),
            is_stopped: false,
        }
    }

    /// Returns the changes of the next answer to serve, as indexes. Returns `None` if the search is complete, was
    /// stopped, or reached its maximum number of answers.
    pub fn next_run(&mut self) -> Option<Vec<usize>> {
        let mut evaluation = Evaluation::default();
        self.needed = match self.evaluate(&mut evaluation) {
            Err(Needs(key)) if !self.is_stopped && self.results.len() < self.packs.len() + ISOLATING => Some(key),
            _ => None,
        };
        self.needed.as_ref().map(|(changes, _)| changes.clone())
    }

    /// Records whether the consumer passed with the answer from [`Self::next_run`].
    pub fn record(&mut self, passed: bool) {
        if let Some(key) = self.needed.take() {
            let number = self.results.len();
            self.results.insert(key, (passed, number));
        }
    }

    /// Ends the search, for example after a timeout.
    pub fn stop(&mut self) {
        self.is_stopped = true;
        self.needed = None;
    }

    /// Returns the number of answers to serve if none of them fails.
    pub fn planned(&self) -> usize {
        self.packs.len()
    }

    /// Returns the number of answers served so far.
    pub fn runs(&self) -> usize {
        self.results.len()
    }

    pub fn findings(&self) -> Vec<Finding> {
        self.evaluation().findings
    }

    /// Returns the number of variants that were tried, alone or together with others.
    pub fn tried(&self) -> usize {
        let tried: BTreeSet<usize> = self.results.keys().flat_map(|(changes, _)| changes).copied().collect();
        tried.len()
    }

    /// Returns the indexes of the variants that were not tried because of the maximum number of answers.
    pub fn left_out(&self) -> &[usize] {
        &self.left_out
    }

    /// Returns the indexes of the planned variants that were not tried: the search ended early, or another variant with
    /// the same place and kind had failed.
    pub fn skipped(&self) -> Vec<usize> {
        let tried: BTreeSet<usize> = self.results.keys().flat_map(|(changes, _)| changes).copied().collect();
        let planned: BTreeSet<usize> = self.packs.iter().flatten().copied().collect();
        planned.difference(&tried).copied().collect()
    }

    fn evaluation(&self) -> Evaluation {
        let mut evaluation = Evaluation::default();
        if self.evaluate(&mut evaluation).is_err() && !evaluation.suspects.is_empty() {
            let changes = std::mem::take(&mut evaluation.suspects);
            let run = self.run_of(&(changes.clone(), 0)).unwrap_or_default();
            evaluation.findings.push(Finding {
                kind: FindingKind::NotIsolated,
                changes,
                run,
            });
        }
        evaluation
    }

    fn run_of(&self, key: &Key) -> Option<usize> {
        self.results.get(key).map(|(_, run)| *run)
    }

    /// Returns whether the consumer passes with these changes. `attempt` is 1 for the second try with the same answer.
    fn passes(&self, changes: &[usize], attempt: u8) -> Result<bool, Needs> {
        let mut changes = changes.to_vec();
        changes.sort_unstable();
        if changes.is_empty() {
            // The search starts only if the consumer passes with the example.
            return Ok(true);
        }
        let key = (changes, attempt);
        self.results.get(&key).map(|(passed, _)| *passed).ok_or(Needs(key))
    }

    fn evaluate(&self, into: &mut Evaluation) -> Result<(), Needs> {
        let mut failed: BTreeSet<&str> = BTreeSet::new();
        for pack in &self.packs {
            let mut suspects = pack.clone();
            loop {
                suspects.retain(|change| !failed.contains(self.groups[*change].as_str()));
                into.suspects.clear();
                if self.passes(&suspects, 0)? {
                    break;
                }
                suspects.sort_unstable();
                into.suspects.clone_from(&suspects);
                let finding = self.isolate(&suspects)?;
                failed.extend(finding.changes.iter().map(|change| self.groups[*change].as_str()));
                into.findings.push(finding);
                if into.findings.len() >= FINDINGS {
                    into.suspects.clear();
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Finds the changes that cause a failure among the suspects.
    fn isolate(&self, suspects: &[usize]) -> Result<Finding, Needs> {
        let finding = |kind, changes: Vec<usize>, attempt| {
            let run = self.run_of(&(changes.clone(), attempt));
            let run = run.or_else(|| self.run_of(&(suspects.to_vec(), 0))).unwrap_or_default();
            Finding { kind, changes, run }
        };
        // Usually, a single change is the cause. Finding it takes one answer for each halving, and one to confirm it.
        let single = self.halve(suspects)?;
        if suspects.len() > 1 && !self.passes(&single, 0)? {
            return Ok(finding(FindingKind::Failed, single, 0));
        }
        // The cause is a combination of changes, or the consumer is not deterministic.
        if self.passes(suspects, 1)? {
            return Ok(finding(FindingKind::NotDeterministic, suspects.to_vec(), 0));
        }
        let mut minimal = self.minimize(suspects, &[])?;
        minimal.sort_unstable();
        if minimal.len() < suspects.len() && self.passes(&minimal, 1)? {
            return Ok(finding(FindingKind::NotDeterministic, minimal, 1));
        }
        Ok(finding(FindingKind::Failed, minimal, 1))
    }

    /// Returns one suspect, found by halving the list repeatedly. It is the cause if the cause is a single change.
    fn halve(&self, suspects: &[usize]) -> Result<Vec<usize>, Needs> {
        let mut rest = suspects;
        while rest.len() > 1 {
            let (first, second) = rest.split_at(rest.len() / 2);
            rest = if self.passes(first, 0)? { second } else { first };
        }
        Ok(rest.to_vec())
    }

    /// Returns a minimal subset of the suspects that still fails together with the changes in `context` (delta
    /// debugging).
    fn minimize(&self, suspects: &[usize], context: &[usize]) -> Result<Vec<usize>, Needs> {
        if suspects.len() <= 1 {
            return Ok(suspects.to_vec());
        }
        let (first, second) = suspects.split_at(suspects.len() / 2);
        if !self.passes(&[first, context].concat(), 0)? {
            return self.minimize(first, context);
        }
        if !self.passes(&[second, context].concat(), 0)? {
            return self.minimize(second, context);
        }
        let mut both = self.minimize(first, &[context, second].concat())?;
        both.extend(self.minimize(second, &[context, first].concat())?);
        Ok(both)
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Combine, Content, Json, Object, Response, Rule, RuleList};

    use super::*;
    use crate::answer::Answer;
    use crate::kind::Kind;

    /// Returns the variants of an answer with nullable members `f0`, `f1`, …
    fn nullable(count: usize) -> Variants {
        let body: Object = (0..count)
            .map(|number| (format!("f{number}"), Json::from("x")))
            .collect();
        let mut response = Response {
            body: Body::Present(Content::json(body.into())),
            ..Response::default()
        };
        for number in 0..count {
            let list = RuleList {
                rules: vec![Rule::Type { min: None, max: None }, Rule::Null],
                combine: Combine::Or,
            };
            response
                .rules
                .body
                .insert(format!("$.f{number}").parse().unwrap(), list);
        }
        Variants::new(Answer::Response(response), &settings()).unwrap()
    }

    fn settings() -> Settings {
        Settings {
            kinds: vec![Kind::Null],
            ..Settings::default()
        }
    }

    fn run(search: &mut Search, mut passes: impl FnMut(&[usize]) -> bool) -> Vec<(FindingKind, Vec<usize>)> {
        let mut runs = 0;
        while let Some(changes) = search.next_run() {
            search.record(passes(&changes));
            runs += 1;
            assert!(runs < 1000, "the search does not end");
        }
        let findings = search.findings().into_iter();
        findings.map(|finding| (finding.kind, finding.changes)).collect()
    }

    #[test]
    fn one_answer_clears_all_places() {
        let mut search = Search::new(&nullable(20), &settings());
        assert_eq!(run(&mut search, |_| true), []);
        assert_eq!((search.runs(), search.tried()), (1, 20));
    }

    #[test]
    fn isolates_each_of_twenty_places_in_at_most_ten_runs() {
        let variants = nullable(20);
        for culprit in 0..20 {
            let mut search = Search::new(&variants, &settings());
            let found = run(&mut search, |changes| !changes.contains(&culprit));
            assert_eq!(found, [(FindingKind::Failed, vec![culprit])]);
            // One answer fails, the following ones isolate the place, and the last one tries the remaining places.
            assert!(search.runs() <= 10, "{} runs for place {culprit}", search.runs());
        }
    }

    #[test]
    fn isolates_several_places() {
        let mut search = Search::new(&nullable(20), &settings());
        let found = run(&mut search, |changes| !changes.contains(&3) && !changes.contains(&17));
        assert_eq!(found, [(FindingKind::Failed, vec![3]), (FindingKind::Failed, vec![17])]);
    }

    #[test]
    fn isolates_a_combination() {
        let mut search = Search::new(&nullable(20), &settings());
        let found = run(&mut search, |changes| !(changes.contains(&3) && changes.contains(&17)));
        assert_eq!(found[0], (FindingKind::Failed, vec![3, 17]));
    }

    #[test]
    fn a_consumer_that_passes_the_second_time_is_not_deterministic() {
        let mut runs = 0;
        let mut search = Search::new(&nullable(1), &settings());
        let found = run(&mut search, |_| {
            runs += 1;
            runs > 1
        });
        assert_eq!(found, [(FindingKind::NotDeterministic, vec![0])]);
        let mut runs = 0;
        let mut search = Search::new(&nullable(8), &settings());
        let found = run(&mut search, |_| {
            runs += 1;
            runs > 1
        });
        assert_eq!(found[0].0, FindingKind::NotDeterministic);
    }

    #[test]
    fn a_search_that_is_stopped_names_the_suspects() {
        let mut search = Search::new(&nullable(4), &settings());
        assert_eq!(search.next_run(), Some(vec![0, 1, 2, 3]));
        search.record(false);
        search.stop();
        assert_eq!(search.next_run(), None);
        assert_eq!(search.findings()[0].kind, FindingKind::NotIsolated);
        assert_eq!(search.findings()[0].changes, [0, 1, 2, 3]);
    }

    #[test]
    fn the_maximum_cuts_the_list() {
        let mut response = Response {
            body: Body::Present(Content::json(Json::from("a"))),
            ..Response::default()
        };
        response
            .rules
            .body
            .insert("$".parse().unwrap(), RuleList::single(Rule::Regex("a|b|c|d".into())));
        let settings = Settings {
            kinds: vec![Kind::Branch],
            max: 2,
            ..Settings::default()
        };
        let variants = Variants::new(Answer::Response(response), &settings).unwrap();
        let mut search = Search::new(&variants, &settings);
        assert_eq!(run(&mut search, |_| true), []);
        assert_eq!((search.runs(), search.left_out()), (2, &[2][..]));
        let mut search = Search::replay(&variants, 2);
        assert_eq!(run(&mut search, |_| false), [(FindingKind::Failed, vec![2])]);
    }

    #[test]
    fn other_values_of_a_failed_place_are_skipped() {
        let mut response = Response {
            body: Body::Present(Content::json(Json::from("a"))),
            ..Response::default()
        };
        response
            .rules
            .body
            .insert("$".parse().unwrap(), RuleList::single(Rule::Regex("a|b|c|d".into())));
        let variants = Variants::new(
            Answer::Response(response),
            &Settings {
                kinds: vec![Kind::Branch],
                ..settings()
            },
        )
        .unwrap();
        let mut search = Search::new(&variants, &settings());
        assert_eq!(run(&mut search, |_| false).len(), 1);
        assert_eq!(search.skipped(), [1, 2]);
    }

    #[test]
    fn pairs_occur_together() {
        let mut response = Response {
            body: Body::Present(Content::json(
                Json::parse(br#"{"a": "x", "b": "x", "c": "x"}"#).unwrap(),
            )),
            ..Response::default()
        };
        for path in ["$.a", "$.b", "$.c"] {
            response
                .rules
                .body
                .insert(path.parse().unwrap(), RuleList::single(Rule::Regex("x|y|z".into())));
        }
        let settings = Settings {
            kinds: vec![Kind::Branch],
            pairs: true,
            ..Settings::default()
        };
        let variants = Variants::new(Answer::Response(response), &settings).unwrap();
        let (one, other) = (
            variants.find("branch@$.a=y").unwrap(),
            variants.find("branch@$.c=z").unwrap(),
        );
        let mut search = Search::new(&variants, &settings);
        let found = run(&mut search, |changes| {
            !(changes.contains(&one) && changes.contains(&other))
        });
        assert_eq!(found, [(FindingKind::Failed, vec![one.min(other), one.max(other)])]);
        assert!(search.runs() <= 20, "{}", search.runs());
    }
}
