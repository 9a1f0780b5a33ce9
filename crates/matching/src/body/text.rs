//! Text bodies: compared for equality, or by the rule at `$`.

use bytes::Bytes;
use contract_model::PathRules;

use crate::actual::ActualBody;
use crate::at::At;
use crate::body::binary;
use crate::error::PlanError;
use crate::excerpt;
use crate::mismatch::{Explanation, Mismatch, MismatchKind};
use crate::rule::{CheckedRule, Scopes};
use crate::sink::Sink;

#[derive(Debug)]
pub(crate) struct TextPlan {
    expected: Bytes,
    scopes: Scopes,
    /// Reason why the example is not valid for its content type and is therefore compared as text. `None` if text is
    /// the regular comparison.
    unreadable: Option<String>,
    /// True if the content type does not imply text. A binary body is then checked by the rule at `$` if the rule
    /// supports bytes.
    may_be_bytes: bool,
}

impl TextPlan {
    /// Creates a plan. `text` must be valid UTF-8. `unreadable` is the reason why a document is compared as text, if
    /// there is one.
    pub(crate) fn new(text: &Bytes, rules: &PathRules, unreadable: Option<String>) -> Result<Self, PlanError> {
        Ok(Self {
            expected: text.clone(),
            scopes: Scopes::for_body(rules)?,
            unreadable,
            may_be_bytes: false,
        })
    }

    /// Sets whether binary bodies may satisfy a rule at `$`.
    pub(crate) fn or_bytes(self, may_be_bytes: bool) -> Self {
        Self { may_be_bytes, ..self }
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        let expected = std::str::from_utf8(&self.expected).unwrap_or_default();
        let Ok(text) = std::str::from_utf8(actual.bytes()) else {
            let kind = MismatchKind::Unreadable {
                format: "text",
                problem: "it is not valid UTF-8".into(),
            };
            match self.scopes.root().selected().filter(|_| self.may_be_bytes) {
                None => sink.add(|| At::ROOT.mismatch(kind).expected(expected)),
                Some(selected) => {
                    let check = |checked: &CheckedRule| binary::check(checked, expected.as_bytes(), None, actual);
                    for (checked, kind) in selected.checks.failures(false, check) {
                        sink.add(|| At::ROOT.mismatch(kind).expected(expected).rule(&checked.rule));
                    }
                }
            }
            return;
        };
        match self.scopes.root().selected() {
            None if expected == text => {}
            None => sink.add(|| {
                let difference = Explanation::Between {
                    expected: self.expected.clone(),
                    actual: actual.bytes().clone(),
                };
                self.explain(At::ROOT.mismatch(MismatchKind::Body), Some(difference))
                    .expected(expected)
                    .actual(excerpt::bytes(actual.bytes()))
            }),
            Some(selected) => {
                for (checked, kind) in selected.text(expected, text) {
                    sink.add(|| {
                        self.explain(At::ROOT.mismatch(kind), None)
                            .expected(expected)
                            .actual(excerpt::bytes(actual.bytes()))
                            .rule(&checked.rule)
                    });
                }
            }
        }
    }

    fn explain(&self, mismatch: Mismatch, difference: Option<Explanation>) -> Mismatch {
        let explanation = match (&self.unreadable, difference) {
            (Some(reason), difference) => Some(Explanation::AsText {
                reason: reason.clone(),
                more: difference.map(Box::new),
            }),
            (None, difference) => difference,
        };
        Mismatch {
            explanation,
            ..mismatch
        }
    }
}
