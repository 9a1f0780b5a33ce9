//! Form bodies (`application/x-www-form-urlencoded`). They are compared like a query, but with the rules of the body.

use contract_model::{PathRules, Query};

use crate::actual::ActualBody;
use crate::at::At;
use crate::at::Step;
use crate::error::PlanError;
use crate::mismatch::{Location, MismatchKind};
use crate::names::NamedChecks;
use crate::query::{ParameterPlan, by_name, compare_parameters};
use crate::rule::Scopes;
use crate::sink::Sink;

/// The form cannot be read because it is not valid UTF-8.
#[derive(Debug, thiserror::Error)]
#[error("it is not valid UTF-8")]
pub(crate) struct NotUtf8;

#[derive(Debug)]
pub(crate) struct FormPlan {
    parameters: Vec<ParameterPlan>,
    /// True if the example ends with a line break, which suggests that it was written by hand. In this case, a trailing
    /// line break in the actual body is ignored.
    ends_with_line_break: bool,
}

impl FormPlan {
    /// Parses the example. If it is not a valid form, returns the error to report as a mismatch.
    pub(crate) fn new(bytes: &[u8], rules: &PathRules) -> Result<Result<Self, NotUtf8>, PlanError> {
        let line = without_line_end(bytes);
        let form = match parse(line) {
            Ok(form) => form,
            Err(error) => return Ok(Err(error)),
        };
        let scopes = Scopes::for_body(rules)?;
        let mut examples = by_name(&form);
        let parameters = form.names().into_iter().map(|name| {
            let scope = scopes.root().child(Step::Key(name));
            let expected = examples.remove(name).unwrap_or_default();
            let checks = NamedChecks::from_scope(scope, expected.len());
            ParameterPlan::new(name, expected, checks, place)
        });
        Ok(Ok(Self {
            parameters: parameters.collect(),
            ends_with_line_break: line.len() < bytes.len(),
        }))
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        let bytes = &actual.bytes()[..];
        match parse(if self.ends_with_line_break {
            without_line_end(bytes)
        } else {
            bytes
        }) {
            Ok(form) => compare_parameters(&self.parameters, &form, place, sink),
            Err(error) => {
                let kind = MismatchKind::Unreadable {
                    format: "a form",
                    problem: error.to_string(),
                };
                sink.add(|| At::ROOT.mismatch(kind));
            }
        }
    }
}

fn without_line_end(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|byte| !matches!(byte, b'\r' | b'\n'));
    &bytes[..end.map_or(0, |end| end + 1)]
}

fn parse(bytes: &[u8]) -> Result<Query, NotUtf8> {
    let text = std::str::from_utf8(bytes).map_err(|_| NotUtf8)?;
    // A leading question mark is part of the first name, because a form is not a URL.
    Ok(match text.strip_prefix('?') {
        Some(rest) => Query::parse(&format!("%3F{rest}")),
        None => Query::parse(text),
    })
}

fn place(name: &str, index: Option<usize>) -> Location {
    Location::Form {
        name: name.into(),
        index,
    }
}
