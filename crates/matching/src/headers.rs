//! Comparison of headers. Names are case-insensitive. Additional headers are ignored. A list header may be sent as one
//! or several lines.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use contract_model::{ContentType, Headers, Text};

use crate::content_type;
use crate::error::PlanError;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::names::{Case, NamedChecks, NamedRules, length};
use crate::sink::Sink;
use contract_model::Rules;

#[derive(Debug)]
pub(crate) struct HeadersPlan(Vec<Expected>);

/// The expected values and rules for one header.
#[derive(Debug)]
struct Expected {
    header: HeaderPlan,
    /// Further headers in the contract whose names differ from this one only in case.
    others: Vec<HeaderPlan>,
    /// This header and `others` combined into one. `None` if there are no others.
    joined: Option<HeaderPlan>,
}

#[derive(Debug)]
struct HeaderPlan {
    name: Text,
    expected: Vec<Text>,
    checks: NamedChecks,
    /// True if the header may be missing.
    optional: bool,
}

impl HeadersPlan {
    /// Creates a plan for the headers of a multipart part. Headers that describe the content are optional.
    pub(crate) fn for_part(headers: &Headers, rules: &Rules) -> Result<Self, PlanError> {
        let mut plan = Self::new(headers, rules)?;
        for header in plan.0.iter_mut().flat_map(Expected::all_mut) {
            header.optional = header.name.to_ascii_lowercase().starts_with("content-");
        }
        Ok(plan)
    }

    pub(crate) fn new(headers: &Headers, rules: &Rules) -> Result<Self, PlanError> {
        let rules = NamedRules::new(&rules.header, Case::Ignored);
        let names: HashSet<&str> = headers.iter().map(|(name, _)| name.as_str()).collect();
        let mut plans: Vec<Expected> = Vec::with_capacity(names.len());
        let mut places: HashMap<Text, usize> = HashMap::with_capacity(names.len());
        for (name, values) in headers.iter() {
            let is_another = |other: &str| other != name && names.contains(other);
            let checks = rules
                .checks_but(name, is_another)
                .map_err(|(key, problem)| PlanError::new(format!("header {key}"), problem))?;
            let header = HeaderPlan {
                name: name.clone(),
                expected: values.iter().map(|value| Text::from(value.trim())).collect(),
                checks,
                optional: false,
            };
            match places.entry(name.to_ascii_lowercase()) {
                Entry::Vacant(place) => {
                    place.insert(plans.len());
                    plans.push(Expected::new(header));
                }
                Entry::Occupied(place) => plans[*place.get()].add(header),
            }
        }
        Ok(Self(plans))
    }

    pub(crate) fn compare(&self, actual: &Headers, sink: &mut Sink) {
        for expected in &self.0 {
            if sink.is_done() {
                return;
            }
            let gathered = expected.gathered(actual);
            let values = match &gathered {
                Some(values) => Some(values.as_slice()),
                None => actual.get(&expected.header.name),
            };
            let mut apart = sink.new_like();
            for header in expected.all() {
                header.compare_present(values, &mut apart);
            }
            if !apart.is_clean()
                && let (Some(joined), Some(values)) = (&expected.joined, values)
            {
                let mut trial = Sink::deciding();
                joined.compare(values, &mut trial);
                if trial.is_clean() {
                    continue;
                }
            }
            sink.append(apart);
        }
    }

    /// Returns true if the contract has a rule for this header and the rule accepts the values.
    pub(crate) fn rule_accepts(&self, name: &str, actual: &Headers) -> bool {
        let header = self
            .0
            .iter()
            .flat_map(Expected::all)
            .find(|header| header.name.eq_ignore_ascii_case(name) && !header.checks.is_empty());
        let Some((header, values)) = header.zip(actual.get(name)) else {
            return false;
        };
        let mut trial = Sink::deciding();
        header.compare(values, &mut trial);
        trial.is_clean()
    }
}

impl Expected {
    fn new(header: HeaderPlan) -> Self {
        Self {
            header,
            others: Vec::new(),
            joined: None,
        }
    }

    /// Adds an expected header. The actual header is accepted if it satisfies each expected header of this name, or if
    /// it contains all their values: a server receives several lines with the same name as one header.
    fn add(&mut self, header: HeaderPlan) {
        let joined = self.joined.get_or_insert_with(|| HeaderPlan {
            name: self.header.name.clone(),
            expected: self.header.expected.clone(),
            checks: NamedChecks::default(),
            optional: false,
        });
        joined.expected.extend(header.expected.iter().cloned());
        self.others.push(header);
    }

    /// Returns the values of all actual headers with this name, in any case. Returns `None` if the contract contains
    /// the header only once, or if there are no values.
    fn gathered(&self, actual: &Headers) -> Option<Vec<Text>> {
        self.joined.as_ref()?;
        let found = actual
            .iter()
            .filter(|(name, _)| name.eq_ignore_ascii_case(&self.header.name));
        let values: Vec<Text> = found.flat_map(|(_, values)| values.iter().cloned()).collect();
        (!values.is_empty()).then_some(values)
    }

    fn all(&self) -> impl Iterator<Item = &HeaderPlan> {
        std::iter::once(&self.header).chain(&self.others)
    }

    fn all_mut(&mut self) -> impl Iterator<Item = &mut HeaderPlan> {
        std::iter::once(&mut self.header).chain(&mut self.others)
    }
}

impl HeaderPlan {
    fn place(&self, index: Option<usize>) -> Location {
        Location::Header {
            name: self.name.clone(),
            index,
        }
    }

    fn compare_present(&self, actual: Option<&[Text]>, sink: &mut Sink) {
        match actual {
            Some(values) => self.compare(values, sink),
            None if self.expected.is_empty() || self.optional => {}
            None => {
                sink.add(|| Mismatch::new(self.place(None), MismatchKind::Missing).expected(self.expected.join(", ")));
            }
        }
    }

    fn compare(&self, actual: &[Text], sink: &mut Sink) {
        let actual: Vec<Text> = actual.iter().map(|value| value.trim().into()).collect();
        let mut as_list = sink.new_like();
        self.compare_lists(&self.expected, &actual, &mut as_list);
        if as_list.is_clean() {
            return;
        }
        // One line "a, b" and two lines "a" and "b" denote the same header (RFC 9110, section 5.3).
        if let Some((expected, actual)) = self.other_form(&actual) {
            let mut trial = sink.new_like();
            self.compare_lists(&expected, &actual, &mut trial);
            if trial.is_clean() {
                return;
            }
        }
        sink.append(as_list);
    }

    /// Returns the expected and actual values in their other form: split at commas, or joined into one line. Returns
    /// `None` if the header has no other form.
    fn other_form(&self, actual: &[Text]) -> Option<(Vec<Text>, Vec<Text>)> {
        if Headers::is_never_joined(&self.name) {
            return None;
        }
        let (ours, theirs) = (self.expected.len(), actual.len());
        let of_items = || Some((items(&self.expected), items(actual)));
        let of_line = || Some((vec![self.line(&self.expected)], vec![self.line(actual)]));
        if self.checks.is_empty() {
            return if ours > 1 || theirs > 1 { of_line() } else { None };
        }
        // Rules apply to each value, not to a joined line. Otherwise, `include` would accept a line in which only one
        // value matches. If the comma may be part of the text, the number of examples determines the form: one example
        // is a line, several examples are separate values.
        if self.checks.applies_to_items() || Headers::is_list(&self.name) || ours > 1 {
            of_items()
        } else if theirs > 1 {
            of_line()
        } else {
            None
        }
    }

    /// Joins the values into one line. Adds a space after each comma, unless the example has none.
    fn line(&self, values: &[Text]) -> Text {
        let separator = match self.expected.as_slice() {
            [one] if one.contains(',') && !one.contains(", ") => ",",
            _ => ", ",
        };
        values.join(separator).into()
    }

    fn compare_lists(&self, expected: &[Text], actual: &[Text], sink: &mut Sink) {
        if !self.checks.is_empty() {
            return self.checks.compare(expected, actual, &|index| self.place(index), sink);
        }
        if expected.len() != actual.len() {
            return sink.add(|| length(self.place(None), expected, actual));
        }
        for (index, (expected, actual)) in expected.iter().zip(actual).enumerate() {
            if !self.same_value(expected, actual) {
                let index = (self.expected.len() > 1).then_some(index);
                sink.add(|| {
                    Mismatch::new(self.place(index), MismatchKind::NotEqual)
                        .expected(expected.clone())
                        .actual(actual.clone())
                });
            }
        }
    }

    fn same_value(&self, expected: &str, actual: &str) -> bool {
        let with_parameters = ["accept", "content-type"]
            .iter()
            .any(|name| self.name.eq_ignore_ascii_case(name));
        if with_parameters
            && let (Ok(expected), Ok(actual)) = (expected.parse::<ContentType>(), actual.parse::<ContentType>())
        {
            return expected.essence() == actual.essence() && content_type::accepts(&expected, &actual);
        }
        expected == actual || split_trimmed(expected).eq(split_trimmed(actual))
    }
}

/// Splits the values at commas.
fn items(values: &[Text]) -> Vec<Text> {
    let of_value = |value: &Text| value.split(',').map(|item| Text::from(item.trim())).collect::<Vec<_>>();
    values.iter().flat_map(of_value).collect()
}

/// Splits at commas. Whitespace around commas is ignored.
fn split_trimmed(value: &str) -> impl Iterator<Item = &str> {
    value.split(',').map(str::trim)
}
