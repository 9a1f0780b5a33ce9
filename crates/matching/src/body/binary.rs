//! Binary bodies: compared for equality, or by the rule at `$`.

use std::fmt::Write;

use bytes::Bytes;
use contract_model::{ContentType, Json, PathRules, Text};

use crate::actual::ActualBody;
use crate::at::At;
use crate::error::PlanError;
use crate::mismatch::{Explanation, Mismatch, MismatchKind};
use crate::rule::{Check, CheckedRule, Scopes, Verdict, content_type, custom, sniffed_content_type};
use crate::sink::Sink;

/// Number of leading bytes to show in a mismatch.
const HEAD: usize = 32;

#[derive(Debug)]
pub(crate) struct BinaryPlan {
    expected: Bytes,
    content_type: Option<ContentType>,
    scopes: Scopes,
}

impl BinaryPlan {
    pub(crate) fn new(
        expected: &Bytes,
        content_type: Option<&ContentType>,
        rules: &PathRules,
    ) -> Result<Self, PlanError> {
        Ok(Self {
            expected: expected.clone(),
            content_type: content_type.cloned(),
            scopes: Scopes::for_body(rules)?,
        })
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        let bytes = actual.bytes();
        let Some(selected) = self.scopes.root().selected() else {
            if self.expected != *bytes {
                let kind = MismatchKind::Bytes {
                    expected: described(&self.expected, self.content_type.as_ref()),
                    actual: described(bytes, actual.declared()),
                };
                let explain = || {
                    Some(Explanation::Bytes {
                        expected: self.expected.clone(),
                        actual: bytes.clone(),
                    })
                };
                sink.add_explained(|| self.mismatch(kind, bytes), explain);
            }
            return;
        };
        let failures = selected.checks.failures(false, |checked| {
            check(checked, &self.expected, self.content_type.as_ref(), actual)
        });
        for (checked, kind) in failures {
            sink.add(|| self.mismatch(kind, bytes).rule(&checked.rule));
        }
    }

    pub(crate) fn missing(&self, sink: &mut Sink) {
        let not_empty = |checked: &&CheckedRule| matches!(checked.check, Check::NotEmpty);
        let selected = self.scopes.root().selected();
        if let Some(checked) = selected.and_then(|selected| selected.checks.list.iter().find(not_empty)) {
            let kind = MismatchKind::EmptyBytes;
            sink.add(|| At::ROOT.mismatch(kind).rule(&checked.rule));
        } else {
            let expected = described(&self.expected, self.content_type.as_ref());
            sink.add(|| At::ROOT.mismatch(MismatchKind::Missing).expected(expected));
        }
    }

    fn mismatch(&self, kind: MismatchKind, actual: &[u8]) -> Mismatch {
        At::ROOT
            .mismatch(kind)
            .expected(start(&self.expected))
            .actual(start(actual))
    }
}

/// Checks a body with the rules. The body may be text or binary.
pub(crate) fn check(
    checked: &CheckedRule,
    expected: &[u8],
    content_type: Option<&ContentType>,
    actual: &ActualBody,
) -> Verdict {
    let bytes = &actual.bytes()[..];
    match &checked.check {
        Check::ContentType(content_type_rule) => content_type::bytes(content_type_rule, bytes),
        Check::Equality if expected == bytes => Ok(()),
        Check::Equality => Err(MismatchKind::Bytes {
            expected: described(expected, content_type),
            actual: described(bytes, actual.declared()),
        }),
        Check::NotEmpty if bytes.is_empty() => Err(MismatchKind::EmptyBytes),
        Check::Type(_) | Check::NotEmpty => Ok(()),
        Check::Unknown(name) => Err(custom::unknown(name)),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => checked.text("", text),
            Err(_) => Err(MismatchKind::NotApplicable {
                problem: format!(
                    "Unable to match {} using {}: the bytes are not UTF-8",
                    described(bytes, actual.declared()),
                    checked.rule.name()
                ),
            }),
        },
    }
}

/// Formats bytes in the same way as other Pact implementations: `[image/jpeg, 28058 bytes, starting with ffd8…]`.
fn described(bytes: &[u8], declared: Option<&ContentType>) -> Text {
    let content_type = declared.map_or_else(|| sniffed_content_type(bytes), ContentType::clone);
    let head = head(bytes);
    format!(
        "[{}, {} bytes, starting with {head}]",
        content_type.essence(),
        bytes.len()
    )
    .into()
}

fn head(bytes: &[u8]) -> String {
    hex(&bytes[..bytes.len().min(HEAD)])
}

/// Returns the first bytes, followed by `…` if there are more bytes.
fn start(bytes: &[u8]) -> Json {
    let head = head(bytes);
    Json::from(if bytes.len() > HEAD {
        format!("{head}… ({} bytes)", bytes.len())
    } else {
        head
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut out, byte| {
        let _ = write!(out, "{byte:02x}");
        out
    })
}
