//! State of applying generators to a request, a response, or a message.

use contract_model::{Generator, Generators, Json, PathExpression, Text};

use super::values;
use crate::{Context, GenerateError, generate};

/// A generator failed, so the value keeps its example.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no value was generated for {location}: {error}")]
pub struct GenerateProblem {
    pub location: Location,
    pub error: GenerateError,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Location {
    Method,
    Path,
    Status,
    /// A query parameter, as named in the contract: `name` for all of its values, `name[0]` for one of them.
    Query(Text),
    /// A header, as named in the contract: `name` for all of its values, `name[0]` for one of them.
    Header(Text),
    Metadata(Text),
    Body(PathExpression),
}

impl std::fmt::Display for Location {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Method => f.write_str("the method"),
            Self::Path => f.write_str("the path"),
            Self::Status => f.write_str("the status"),
            Self::Query(name) => write!(f, "the query parameter {name:?}"),
            Self::Header(name) => write!(f, "the header {name:?}"),
            Self::Metadata(name) => write!(f, "the metadata {name:?}"),
            Self::Body(path) => write!(f, "the body at {path}"),
        }
    }
}

pub(super) struct Run<'r, 'c> {
    pub(super) context: &'r mut Context<'c>,
    pub(super) problems: Vec<GenerateProblem>,
}

impl Run<'_, '_> {
    pub(super) fn note(&mut self, outcome: Result<(), GenerateError>, location: impl FnOnce() -> Location) {
        if let Err(error) = outcome {
            self.problems.push(GenerateProblem {
                location: location(),
                error,
            });
        }
    }

    pub(super) fn text(
        &mut self,
        generator: &Generator,
        text: &mut Text,
        location: Location,
        read: fn(&str) -> Result<Text, GenerateError>,
    ) {
        let example = Json::String(text.clone());
        let outcome = generate(generator, Some(&example), self.context).and_then(|value| {
            if let Some(value) = value {
                *text = read(&values::text_of(&value)?)?;
            }
            Ok(())
        });
        self.note(outcome, || location);
    }

    /// Reports a problem only once, even if it affects many values. `before` is the number of problems before the
    /// generator was applied.
    pub(super) fn body_problem(&mut self, before: usize, path: &PathExpression, error: GenerateError) {
        let known = self.problems.get(before..).and_then(<[_]>::last);
        if known.is_none_or(|known| known.error != error) {
            self.problems.push(GenerateProblem {
                location: Location::Body(path.clone()),
                error,
            });
        }
    }

    pub(super) fn headers(&mut self, headers: &mut contract_model::Headers, generators: &Generators) {
        for (name, generator) in &generators.header {
            let outcome = values::header(headers, name, generator, self.context);
            self.note(outcome, || Location::Header(name.clone()));
        }
    }
}
