//! Multipart bodies. Parts are matched by name, or by index if they have no name. Each part is compared according to
//! its own content type.
//!
//! Rules below `$.name` apply to the part called `name`. Their paths are relative to the root of that part.

mod parse;

use bytes::Bytes;
use contract_model::{Content, ContentType, Headers, PathExpression, PathRules, PathToken, Rules, Text};

use crate::actual::ActualBody;
use crate::at::At;
use crate::body::{ContentPlan, has_content_type_rule};
use crate::error::PlanError;
use crate::headers::HeadersPlan;
use crate::mismatch::{Location, Mismatch, MismatchKind};
use crate::sink::Sink;
use parse::{MultipartError, Part, parse};

/// Maximum nesting of multipart bodies.
const MAX_DEPTH: usize = 8;

#[derive(Debug)]
pub(crate) struct MultipartPlan(Vec<PartPlan>);

#[derive(Debug)]
struct PartPlan {
    token: PathToken,
    /// Index among the parts with the same name, counted from 0.
    occurrence: usize,
    headers: HeadersPlan,
    content: ContentPlan,
    /// True if any content type is accepted, because the contract specifies none or a rule checks the bytes.
    any_type: bool,
    /// True for a form field, false for a file. `None` allows both. This is the case for a field with its own content
    /// type: browsers can set a type only for a `Blob`, and they send every `Blob` with a file name.
    is_field: Option<bool>,
}

impl MultipartPlan {
    /// Parses the example. If it is not a valid multipart body, returns the error to report as a mismatch.
    pub(crate) fn new(
        bytes: &Bytes,
        content_type: &ContentType,
        rules: &PathRules,
        strict: bool,
        depth: usize,
    ) -> Result<Result<Self, MultipartError>, PlanError> {
        if depth >= MAX_DEPTH {
            return Ok(Err(MultipartError::Depth(MAX_DEPTH)));
        }
        let parts = match parse(bytes, content_type) {
            Ok(parts) => parts,
            Err(error) => return Ok(Err(error)),
        };
        let mut plans: Vec<PartPlan> = Vec::with_capacity(parts.len());
        for (index, part) in parts.iter().enumerate() {
            let token = token(part, index);
            let occurrence = plans.iter().filter(|plan| plan.token == token).count();
            plans.push(PartPlan::new(part, token, occurrence, rules, strict, depth)?);
        }
        Ok(Ok(Self(plans)))
    }

    pub(crate) fn compare(&self, actual: &ActualBody, sink: &mut Sink) {
        // Only the Content-Type header contains the boundary.
        let parts = match actual.declared() {
            Some(content_type) => parse(actual.bytes(), content_type),
            None => Err(MultipartError::NoContentType),
        };
        let parts = match parts {
            Ok(parts) => parts,
            Err(error) => {
                let kind = MismatchKind::Unreadable {
                    format: "a multipart body",
                    problem: error.to_string(),
                };
                return sink.add(|| At::ROOT.mismatch(kind));
            }
        };
        let tokens: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(index, part)| token(part, index))
            .collect();
        for plan in &self.0 {
            if sink.is_done() {
                return;
            }
            let mut same = tokens.iter().zip(&parts).filter(|(token, _)| **token == plan.token);
            if let Some((_, part)) = same.nth(plan.occurrence) {
                plan.compare(part, sink);
            } else {
                let kind = MismatchKind::Part { name: plan.name() };
                sink.add(|| Mismatch::new(Location::Body(plan.path()), kind).expected(plan.content.excerpt()));
            }
        }
    }
}

fn token(part: &Part, index: usize) -> PathToken {
    part.name()
        .map_or(PathToken::Index(index), |name| PathToken::Key(name.into()))
}

impl PartPlan {
    fn new(
        part: &Part,
        token: PathToken,
        occurrence: usize,
        rules: &PathRules,
        strict: bool,
        depth: usize,
    ) -> Result<Self, PlanError> {
        let rules = rules_of(rules, &token);
        let about_bytes = has_content_type_rule(&rules);
        let declared = part.headers.content_type();
        let is_field = (!part.is_field() || declared.is_none()).then(|| part.is_field());
        let any_type = declared.is_none() || about_bytes;
        let assumed = part.is_field().then(ContentType::text);
        let content = Content::new(part.content.clone(), declared.or(assumed));
        let content = if about_bytes {
            ContentPlan::for_bytes(&content, &rules)?
        } else {
            ContentPlan::new(&content, &rules, strict, depth + 1)?
        };
        Ok(Self {
            headers: decode_headers(part, &rules)?,
            token,
            occurrence,
            content,
            any_type,
            is_field,
        })
    }

    fn name(&self) -> Text {
        match &self.token {
            PathToken::Key(name) => name.clone(),
            other => other.to_string().into(),
        }
    }

    fn path(&self) -> PathExpression {
        vec![self.token.clone()].into()
    }

    fn compare(&self, part: &Part, sink: &mut Sink) {
        if part.name().is_some() && self.is_field.is_some_and(|is_field| is_field != part.is_field()) {
            let kind = MismatchKind::PartKind {
                name: self.name(),
                file: part.is_field(),
            };
            let name = |is_field| if is_field { "field" } else { "file" };
            sink.add(|| {
                Mismatch::new(Location::Body(self.path()), kind)
                    .expected(name(!part.is_field()))
                    .actual(name(part.is_field()))
            });
        }
        let mut inside = sink.new_like();
        self.headers.compare(&part.headers, &mut inside);
        let content = ActualBody::for_part(part.content.clone(), part.headers.content_type());
        let accepts = || self.any_type || self.headers.rule_accepts("content-type", &part.headers);
        self.content.compare(&content, accepts, &mut inside);
        for mismatch in &mut inside.mismatches {
            mismatch.at = self.place(&mismatch.at);
        }
        sink.append(inside);
    }

    /// Converts a location inside the part to a location in the complete body.
    fn place(&self, at: &Location) -> Location {
        let below = match at {
            Location::Header { name, .. } => vec![PathToken::Key(name.clone())],
            other => other.path().map(|path| path.tokens().to_vec()).unwrap_or_default(),
        };
        let tokens: Vec<_> = std::iter::once(self.token.clone()).chain(below).collect();
        Location::Body(tokens.into())
    }
}

/// Returns the rules for a part, with paths relative to the root of the part. If several paths denote the same place, a
/// path with the name of the part takes precedence over a wildcard, and a wildcard over the rules for the complete
/// body.
fn rules_of(rules: &PathRules, token: &PathToken) -> PathRules {
    let mut own = PathRules::new();
    let wild = |first: &PathToken| match first {
        PathToken::AnyKey => true,
        PathToken::AnyIndex => matches!(token, PathToken::Index(_)),
        PathToken::Key(_) | PathToken::Index(_) => false,
    };
    let closeness = |path: &PathExpression| match path.tokens().first() {
        None => Some(0),
        Some(first) if wild(first) => Some(1),
        Some(first) if first == token => Some(2),
        Some(_) => None,
    };
    for precedence in 0..3 {
        for (path, list) in rules.iter().filter(|(path, _)| closeness(path) == Some(precedence)) {
            own.insert(path.below(1), list.clone());
        }
    }
    own
}

/// Returns the headers to compare. `Content-Disposition` and `Content-Type` are compared only if a rule applies to
/// them, because the type of the content is checked in any case. Transfer headers are ignored.
fn decode_headers(part: &Part, rules: &PathRules) -> Result<HeadersPlan, PlanError> {
    let mut part_rules = Rules::default();
    for (path, list) in rules {
        if let [PathToken::Key(name)] = path.tokens()
            && part.headers.get(name).is_some()
        {
            part_rules.header.insert(name.clone(), list.clone());
        }
    }
    let has_rule = |name: &str| part_rules.header.keys().any(|key| key.eq_ignore_ascii_case(name));
    let mut headers = Headers::new();
    for (name, values) in part.headers.iter() {
        let counts = match name.to_ascii_lowercase().as_str() {
            "content-disposition" | "content-type" => has_rule(name),
            "content-transfer-encoding" | "content-length" => false,
            _ => true,
        };
        if counts {
            headers.set(name.clone(), values.to_vec());
        }
    }
    HeadersPlan::for_part(&headers, &part_rules)
}
