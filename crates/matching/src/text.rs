//! Text bodies: equal, or as the rule at `$` says.

use contract_model::{Content, ContentValue, Json, PathRules};

use crate::explain;
use crate::mismatch::{Mismatch, MismatchKind};
use crate::plan::{ActualBody, PlanError};
use crate::scope::Scopes;
use crate::sink::{At, Sink};

/// An expected text, ready to compare.
#[derive(Debug)]
pub(crate) struct TextPlan {
    expected: String,
    scopes: Scopes,
    /// Why the body is not compared as what its content type says.
    unreadable: Option<String>,
}

impl TextPlan {
    pub(crate) fn new(text: &str, rules: &PathRules, unreadable: Option<String>) -> Result<Self, PlanError> {
        Ok(Self {
            expected: text.to_owned(),
            scopes: Scopes::of_body(rules)?,
            unreadable,
        })
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        let expected = self.expected.as_str();
        let Ok(text) = std::str::from_utf8(actual.bytes()) else {
            let kind = MismatchKind::Unreadable {
                format: "text",
                problem: "it is not UTF-8".into(),
            };
            return sink.add(|| At::ROOT.mismatch(kind).expected(expected));
        };
        match self.scopes.root().selected() {
            None if expected == text => {}
            None => sink.add(|| {
                self.explain(At::ROOT.mismatch(MismatchKind::Body), explain::lines(expected, text))
                    .expected(expected)
                    .actual(shown_bytes(actual.bytes()))
            }),
            Some(selected) => {
                for (checked, kind) in selected.text(expected, text) {
                    sink.add(|| {
                        self.explain(At::ROOT.mismatch(kind), None)
                            .expected(expected)
                            .actual(shown_bytes(actual.bytes()))
                            .rule(&checked.rule)
                    });
                }
            }
        }
    }

    fn explain(&self, mismatch: Mismatch, difference: Option<String>) -> Mismatch {
        let reason = self
            .unreadable
            .as_ref()
            .map(|reason| format!("The example in the contract is not {reason}; the bodies were compared as text."));
        match (reason, difference) {
            (None, None) => mismatch,
            (reason, difference) => {
                let lines: Vec<_> = reason.into_iter().chain(difference).collect();
                mismatch.explain(lines.join("\n"))
            }
        }
    }
}

/// Longest body that a mismatch carries whole when it has no JSON form.
const SHOWN: usize = 64 * 1024;

/// The body as a mismatch shows it.
pub(crate) fn shown(actual: &ActualBody) -> Json {
    match actual.json_if_read() {
        Some(value) => value.clone(),
        None => shown_bytes(actual.bytes()),
    }
}

/// The example as a mismatch shows it.
pub(crate) fn shown_content(content: &Content) -> Json {
    match &content.value {
        ContentValue::Json(value) => (**value).clone(),
        ContentValue::Bytes(bytes) => shown_bytes(bytes),
    }
}

fn shown_bytes(bytes: &[u8]) -> Json {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(SHOWN)]);
    if bytes.len() > SHOWN {
        Json::from(format!("{text}… ({} bytes)", bytes.len()))
    } else {
        Json::from(text.into_owned())
    }
}
