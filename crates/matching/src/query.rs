//! Comparison of query parameters. Unexpected parameters are mismatches, and the order of values is significant.

use std::collections::{HashMap, HashSet};

use contract_model::{Query, Rules, SpecificationVersion, Text};

use crate::error::PlanError;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::names::{Case, NamedChecks, NamedRules, length};
use crate::sink::Sink;

#[derive(Debug)]
pub(crate) enum QueryPlan {
    /// The decoded query of a V1 contract. It is compared as a string, including the order of parameters and a trailing
    /// `&`.
    Text(String),
    Parameters(Vec<ParameterPlan>),
}

/// Creates the location of a parameter in a query or a form.
pub(crate) type Place = fn(&str, Option<usize>) -> Location;

#[derive(Debug)]
pub(crate) struct ParameterPlan {
    name: Text,
    expected: Vec<Text>,
    checks: NamedChecks,
    place: Place,
}

impl QueryPlan {
    pub(crate) fn new(query: &Query, rules: &Rules, version: SpecificationVersion) -> Result<Self, PlanError> {
        if let (SpecificationVersion::V1, Some(raw)) = (version, query.raw()) {
            return Ok(Self::Text(raw.to_owned()));
        }
        let mut examples = by_name(query);
        let rules = NamedRules::new(&rules.query, Case::Matters);
        query
            .names()
            .into_iter()
            .map(|name| {
                let expected = examples.remove(name).unwrap_or_default();
                let checks = rules
                    .checks(name)
                    .map_err(|(key, problem)| PlanError::new(format!("query parameter {key}"), problem))?;
                Ok(ParameterPlan::new(name, expected, checks, in_query))
            })
            .collect::<Result<_, _>>()
            .map(Self::Parameters)
    }

    pub(crate) fn compare(&self, actual: &Query, sink: &mut Sink) {
        match self {
            Self::Text(expected) => compare_text(expected, actual, sink),
            Self::Parameters(parameters) => compare_parameters(parameters, actual, in_query, sink),
        }
    }
}

/// Compares the parameters. Unexpected parameters are mismatches.
pub(crate) fn compare_parameters(parameters: &[ParameterPlan], actual: &Query, place: Place, sink: &mut Sink) {
    let received = by_name(actual);
    for parameter in parameters {
        parameter.compare(received.get(&parameter.name).map_or(&[], Vec::as_slice), sink);
        if sink.is_done() {
            return;
        }
    }
    let expected: HashSet<&Text> = parameters.iter().map(|parameter| &parameter.name).collect();
    for name in actual.names().into_iter().filter(|name| !expected.contains(name)) {
        let values = received.get(name).map_or(&[][..], Vec::as_slice);
        sink.add(|| Mismatch::new(place(name, None), MismatchKind::Unexpected).actual(values.join(", ")));
        if sink.is_done() {
            return;
        }
    }
}

fn in_query(name: &str, index: Option<usize>) -> Location {
    Location::Query {
        name: name.into(),
        index,
    }
}

impl ParameterPlan {
    pub(crate) fn new(name: &Text, expected: Vec<Text>, checks: NamedChecks, place: Place) -> Self {
        Self {
            name: name.clone(),
            expected,
            checks,
            place,
        }
    }

    fn place(&self, index: Option<usize>) -> Location {
        (self.place)(&self.name, index)
    }

    fn compare(&self, actual: &[Text], sink: &mut Sink) {
        if actual.is_empty() {
            return sink
                .add(|| Mismatch::new(self.place(None), MismatchKind::Missing).expected(self.expected.join(", ")));
        }
        if !self.checks.is_empty() {
            return self
                .checks
                .compare(&self.expected, actual, &|index| self.place(index), sink);
        }
        if self.expected.len() != actual.len() {
            sink.add(|| length(self.place(None), &self.expected, actual));
        }
        for (index, (expected, actual)) in self.expected.iter().zip(actual).enumerate() {
            if expected != actual {
                let index = (self.expected.len() > 1).then_some(index);
                sink.add(|| {
                    Mismatch::new(self.place(index), MismatchKind::NotEqual)
                        .expected(expected.clone())
                        .actual(actual.clone())
                });
            }
        }
    }
}

/// Returns the values of each parameter. `a` and `a=` have the same value.
pub(crate) fn by_name(query: &Query) -> HashMap<&Text, Vec<Text>> {
    let mut values: HashMap<_, Vec<Text>> = HashMap::new();
    for (name, value) in query.pairs() {
        values.entry(name).or_default().push(value.clone().unwrap_or_default());
    }
    values
}

fn compare_text(expected: &str, actual: &Query, sink: &mut Sink) {
    let actual_text = actual.raw().map_or_else(|| actual.to_text(), str::to_owned);
    let decoded = |text: &str| Query::parse(&text.replace('&', "%26")).pairs().to_vec();
    let separators = |text: &str| text.matches('&').count();
    if separators(expected) != separators(&actual_text) || decoded(expected) != decoded(&actual_text) {
        let place = Location::Query {
            name: "".into(),
            index: None,
        };
        sink.add(|| {
            Mismatch::new(place, MismatchKind::NotEqual)
                .expected(expected)
                .actual(actual_text)
        });
    }
}
