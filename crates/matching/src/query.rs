//! Query parameters: the names of the contract and no others, values in order.

use contract_model::{Query, Rules, SpecificationVersion, Text};

use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::names::{Case, NamedChecks, length};
use crate::plan::PlanError;
use crate::sink::Sink;

/// The query that a contract expects, ready to compare.
#[derive(Debug)]
pub(crate) enum QueryPlan {
    /// V1 contracts compare the decoded string: order and a trailing `&` count.
    Text(String),
    Parameters(Vec<ParameterPlan>),
}

/// Where a parameter stands: the query, or a form.
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
        query
            .names()
            .into_iter()
            .map(|name| {
                let checks = NamedChecks::new(&rules.query, name, Case::Matters)
                    .map_err(|(key, problem)| PlanError::new(format!("query parameter {key}"), problem))?;
                Ok(ParameterPlan::new(query, name, checks, in_query))
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

/// The parameters that are expected, and no others.
pub(crate) fn compare_parameters(parameters: &[ParameterPlan], actual: &Query, place: Place, sink: &mut Sink) {
    for parameter in parameters {
        parameter.compare(actual, sink);
        if sink.is_done() {
            return;
        }
    }
    for name in actual.names() {
        if !parameters.iter().any(|parameter| parameter.name == name) {
            let place = place(name, None);
            sink.add(|| Mismatch::new(place, MismatchKind::Unexpected).actual(values(actual, name).join(", ")));
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
    pub(crate) fn new(query: &Query, name: &Text, checks: NamedChecks, place: Place) -> Self {
        Self {
            name: name.clone(),
            expected: values(query, name),
            checks,
            place,
        }
    }

    fn place(&self, index: Option<usize>) -> Location {
        (self.place)(&self.name, index)
    }

    fn compare(&self, actual: &Query, sink: &mut Sink) {
        let actual = values(actual, &self.name);
        if actual.is_empty() {
            return sink
                .add(|| Mismatch::new(self.place(None), MismatchKind::Missing).expected(self.expected.join(", ")));
        }
        if !self.checks.is_empty() {
            return self
                .checks
                .compare(&self.expected, &actual, &|index| self.place(index), sink);
        }
        if self.expected.len() != actual.len() {
            sink.add(|| length(self.place(None), &self.expected, &actual));
        }
        for (index, (expected, actual)) in self.expected.iter().zip(&actual).enumerate() {
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

/// The values of a parameter; `a` and `a=` are the same.
fn values(query: &Query, name: &str) -> Vec<Text> {
    query
        .values(name)
        .map(|value| value.cloned().unwrap_or_default())
        .collect()
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
