//! Expected requests, responses, and messages, compiled so that they can be compared efficiently.

use std::borrow::Cow;

use contract_model::{Body, Json, Message, Request, Response, Rule, RuleList, SpecificationVersion, Text};

use crate::actual::{ActualMessage, ActualRequest, ActualResponse};
use crate::body::BodyPlan;
use crate::error::PlanError;
use crate::headers::HeadersPlan;
use crate::metadata::MetadataPlan;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::patterns::compiled;
use crate::query::QueryPlan;
use crate::rule::Checks;
use crate::sink::Sink;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Options {
    /// True if body fields, XML attributes, and child elements that are not in the contract are mismatches. Unexpected
    /// query parameters and array items are always mismatches. Unexpected headers never are.
    pub strict: bool,
    /// The specification version of the contract file. It matters only for V1, in which the query is a string.
    pub specification: SpecificationVersion,
    /// Maximum total size in bytes of the compiled regular expressions of the part.
    pub pattern_size: usize,
}

impl Options {
    /// Reports unexpected fields as mismatches, as in the published test cases for requests of the Pact Specification.
    pub const STRICT: Self = Self {
        strict: true,
        specification: SpecificationVersion::V4,
        pattern_size: usize::MAX,
    };
    /// Ignores unexpected fields, as for responses and messages.
    pub const LENIENT: Self = Self {
        strict: false,
        specification: SpecificationVersion::V4,
        pattern_size: usize::MAX,
    };
}

/// An expected request, compiled so that it can be compared with any number of requests.
///
/// ```
/// use contract_matching::{ActualRequest, Options, RequestPlan};
/// use contract_model::Request;
/// let expected = Request { path: "/orders".into(), ..Request::default() };
/// let plan = RequestPlan::new(&expected, Options::STRICT)?;
/// let actual = ActualRequest { method: "GET".into(), path: "/order".into(), ..ActualRequest::default() };
/// assert_eq!(plan.compare(&actual)[0].to_string(), "Expected path '/orders' but received '/order'");
/// # Ok::<(), contract_matching::PlanError>(())
/// ```
#[derive(Debug)]
pub struct RequestPlan {
    method: TextPlan,
    path: TextPlan,
    query: QueryPlan,
    headers: HeadersPlan,
    body: BodyPlan,
}

/// An expected response, compiled so that it can be compared with any number of responses.
#[derive(Debug)]
pub struct ResponsePlan {
    status: u16,
    status_checks: Option<Checks>,
    headers: HeadersPlan,
    body: BodyPlan,
}

/// An expected message, compiled so that it can be compared with any number of messages.
#[derive(Debug)]
pub struct MessagePlan {
    metadata: MetadataPlan,
    contents: BodyPlan,
}

/// An expected string, such as a path, with its rules.
#[derive(Debug)]
struct TextPlan {
    expected: Text,
    checks: Option<Checks>,
}

impl TextPlan {
    fn new(expected: &Text, rules: Option<&RuleList>, place: &str) -> Result<Self, PlanError> {
        Ok(Self {
            expected: expected.clone(),
            checks: checks_of(rules, place)?,
        })
    }

    fn compare(&self, actual: &str, same: impl Fn(&str, &str) -> bool, at: &Location, sink: &mut Sink) {
        let difference = |kind| {
            Mismatch::new(at.clone(), kind)
                .expected(self.expected.clone())
                .actual(actual)
        };
        match &self.checks {
            None if same(&self.expected, actual) => {}
            None => sink.add(|| difference(MismatchKind::NotEqual)),
            Some(checks) => {
                for (checked, kind) in checks.text(&self.expected, actual) {
                    sink.add(|| difference(kind).rule(&checked.rule));
                }
            }
        }
    }
}

fn checks_of(rules: Option<&RuleList>, place: &str) -> Result<Option<Checks>, PlanError> {
    let checks = rules
        .map(Checks::new)
        .transpose()
        .map_err(|problem| PlanError::new(place, problem))?;
    Ok(checks.filter(|checks| !checks.list.is_empty()))
}

impl RequestPlan {
    /// Compiles a request. Returns an error if a rule is invalid.
    pub fn new(expected: &Request, options: Options) -> Result<Self, PlanError> {
        let rules = &expected.rules;
        let _compiled = compiled(rules, options.pattern_size)?;
        Ok(Self {
            method: TextPlan::new(&expected.method, rules.method.as_ref(), "the method")?,
            path: TextPlan::new(&expected.path, rules.path.as_ref(), "the path")?,
            query: QueryPlan::new(&expected.query, rules, options.specification)?,
            headers: HeadersPlan::new(&expected.headers, rules)?,
            body: BodyPlan::new(&expected.body, &rules.body, options.strict)?,
        })
    }

    /// Returns a mismatch if the rules of a request reject its own example, because no request could satisfy such a
    /// contract.
    pub fn rejected_example(request: &Request) -> Result<Option<Mismatch>, PlanError> {
        let plan = Self::new(request, Options::LENIENT)?;
        Ok(first_known(plan.compare(&ActualRequest::from(request))))
    }

    /// Returns all mismatches in this order: method, path, query, headers, body.
    pub fn compare(&self, actual: &ActualRequest) -> Vec<Mismatch> {
        let mut sink = Sink::collecting();
        self.walk(actual, &mut sink);
        sink.mismatches
    }

    /// Returns whether the request matches. Stops at the first mismatch.
    pub fn matches(&self, actual: &ActualRequest) -> bool {
        let mut sink = Sink::deciding();
        self.walk(actual, &mut sink);
        sink.is_clean()
    }

    /// Returns true if the method and the path match.
    pub fn matches_target(&self, actual: &ActualRequest) -> bool {
        let mut sink = Sink::deciding();
        self.target(actual, &mut sink);
        sink.is_clean()
    }

    fn target(&self, actual: &ActualRequest, sink: &mut Sink) {
        self.method
            .compare(&actual.method, str::eq_ignore_ascii_case, &Location::Method, sink);
        self.compare_path(&actual.path, sink);
    }

    /// Compares the path as received. If it differs, compares the decoded path: contracts contain `/café`, requests
    /// `/caf%C3%A9`.
    fn compare_path(&self, actual: &str, sink: &mut Sink) {
        let mut raw = sink.new_like();
        self.path.compare(actual, |a, b| a == b, &Location::Path, &mut raw);
        if raw.is_clean() {
            return;
        }
        if (actual.contains('%') || self.path.expected.contains('%'))
            && let (Some(decoded), Some(expected)) = (decoded_segments(actual), decoded_segments(&self.path.expected))
        {
            let mut trial = Sink::deciding();
            self.path.compare(
                &joined(&decoded),
                |_, _| expected == decoded,
                &Location::Path,
                &mut trial,
            );
            if trial.is_clean() {
                return;
            }
        }
        sink.append(raw);
    }

    fn walk(&self, actual: &ActualRequest, sink: &mut Sink) {
        self.target(actual, sink);
        if !sink.is_done() {
            self.query.compare(&actual.query, sink);
        }
        if !sink.is_done() {
            self.headers.compare(&actual.headers, sink);
        }
        if !sink.is_done() {
            self.body.compare(
                &actual.body,
                || self.headers.rule_accepts("content-type", &actual.headers),
                sink,
            );
        }
    }
}

/// Returns the decoded segments of a path, or `None` if one of them is not UTF-8. An encoded slash is part of its
/// segment, so `/a%2Fb` and `/a/b` are different paths (RFC 3986, section 2.2).
pub(crate) fn decoded_segments(path: &str) -> Option<Vec<Cow<'_, str>>> {
    let decoded = |segment| percent_encoding::percent_decode_str(segment).decode_utf8().ok();
    path.split('/').map(decoded).collect()
}

/// Returns the path with these decoded segments. A slash that is part of a segment stays encoded.
pub(crate) fn joined(segments: &[Cow<'_, str>]) -> String {
    let text = segments.iter().map(|segment| segment.replace('/', "%2F"));
    text.collect::<Vec<_>>().join("/")
}

impl ResponsePlan {
    /// Compiles a response. Returns an error if a rule is invalid.
    pub fn new(expected: &Response, options: Options) -> Result<Self, PlanError> {
        let rules = &expected.rules;
        let _compiled = compiled(rules, options.pattern_size)?;
        Ok(Self {
            status: expected.status,
            status_checks: checks_of(rules.status.as_ref(), "the status")?,
            headers: HeadersPlan::new(&expected.headers, rules)?,
            body: BodyPlan::new(&expected.body, &rules.body, options.strict)?,
        })
    }

    /// Returns a mismatch if the rules of a response reject its own example.
    pub fn rejected_example(response: &Response) -> Result<Option<Mismatch>, PlanError> {
        let plan = Self::new(response, Options::LENIENT)?;
        Ok(first_known(plan.compare(&ActualResponse::from(response))))
    }

    /// Returns all mismatches in this order: status, headers, body.
    pub fn compare(&self, actual: &ActualResponse) -> Vec<Mismatch> {
        let mut sink = Sink::collecting();
        self.compare_status(actual.status, &mut sink);
        self.headers.compare(&actual.headers, &mut sink);
        self.body.compare(
            &actual.body,
            || self.headers.rule_accepts("content-type", &actual.headers),
            &mut sink,
        );
        sink.mismatches
    }

    fn compare_status(&self, actual: u16, sink: &mut Sink) {
        let (expected, actual_value) = (Json::from(u64::from(self.status)), Json::from(u64::from(actual)));
        match &self.status_checks {
            None if self.status == actual => {}
            None => sink.add(|| {
                Mismatch::new(Location::Status, MismatchKind::NotEqual)
                    .expected(expected)
                    .actual(actual_value)
            }),
            Some(checks) => {
                for (checked, kind) in checks.failures(false, |checked| checked.scalar(&expected, &actual_value)) {
                    sink.add(|| {
                        Mismatch::new(Location::Status, kind)
                            .expected(expected.clone())
                            .actual(actual_value.clone())
                            .rule(&checked.rule)
                    });
                }
            }
        }
    }
}

impl MessagePlan {
    /// Compiles a message. Returns an error if a rule is invalid.
    pub fn new(expected: &Message, options: Options) -> Result<Self, PlanError> {
        let _compiled = compiled(&expected.rules, options.pattern_size)?;
        Ok(Self {
            metadata: MetadataPlan::new(&expected.metadata, &expected.rules)?,
            contents: if is_unspecified(&expected.contents, options.specification) {
                BodyPlan::Any
            } else {
                BodyPlan::new(&expected.contents, &expected.rules.body, options.strict)?
            },
        })
    }

    /// Returns a mismatch if the rules of a message reject its own example.
    pub fn rejected_example(message: &Message) -> Result<Option<Mismatch>, PlanError> {
        let plan = Self::new(message, Options::LENIENT)?;
        Ok(first_known(plan.compare(&ActualMessage::from(message))))
    }

    /// Returns all mismatches in this order: contents, metadata.
    pub fn compare(&self, actual: &ActualMessage) -> Vec<Mismatch> {
        let mut sink = Sink::collecting();
        let rule_accepts = || self.metadata.accepts_content_type(&actual.metadata);
        match self.contents.message_type_mismatch(&actual.contents) {
            Some(kind) if !rule_accepts() => sink.add(|| Mismatch::new(Location::BodyType, kind)),
            _ => self.contents.compare(&actual.contents, rule_accepts, &mut sink),
        }
        self.metadata.compare(&actual.metadata, &mut sink);
        sink.mismatches
    }
}

/// Returns whether a message does not restrict its contents. pact-js writes empty contents if it receives none or XML,
/// and null means no contents in V3 files. In these cases, pact-js and pact-jvm accept any contents.
fn is_unspecified(contents: &Body, version: SpecificationVersion) -> bool {
    match contents {
        Body::Empty => true,
        Body::Null => version < SpecificationVersion::V4,
        _ => false,
    }
}

/// Returns the first mismatch that is not caused by an unknown rule. Only a plugin can determine whether the example
/// satisfies an unknown rule.
fn first_known(mismatches: Vec<Mismatch>) -> Option<Mismatch> {
    let is_custom = |mismatch: &Mismatch| matches!(mismatch.rule.as_deref(), Some(Rule::Custom { .. }));
    mismatches.into_iter().find(|mismatch| !is_custom(mismatch))
}
