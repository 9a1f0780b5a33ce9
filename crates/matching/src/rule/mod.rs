//! Compiled matching rules. Each rule has its own file with its check, its errors, and its mismatch sentence; this
//! module dispatches to them.

pub(crate) mod array_contains;
pub(crate) mod boolean;
pub(crate) mod content_type;
pub(crate) mod custom;
pub(crate) mod each_key;
pub(crate) mod equality;
pub(crate) mod include;
mod known_patterns;
pub(crate) mod moment;
pub(crate) mod not_empty;
pub(crate) mod null;
pub(crate) mod numbers;
pub(crate) mod regex;
pub(crate) mod same_type;
pub(crate) mod semver;
mod sniff;
pub(crate) mod status_code;
mod verdict;

use std::sync::Arc;

use contract_model::{Combine, ContentType, Json, PathExpression, PathRules, Rule, RuleList, StatusClass, Text};

use self::array_contains::VariantChecks;
use self::each_key::EachKey;
use self::moment::Moment;
use self::regex::Regex;
use self::same_type::Sizes;
use self::verdict::require;
use crate::error::RuleProblem;
use crate::mismatch::MismatchKind;
use crate::scope::{self, PlaceRules};

pub use self::known_patterns::{GRAPHQL_IGNORED, UUID_PATTERN, date_time_pattern, time_pattern};
pub use self::sniff::content_type as sniffed_content_type;
pub(crate) use self::verdict::Verdict;

pub(crate) type Scopes = scope::Scopes<Checks>;
pub(crate) type Scope = scope::Scope<Checks>;
pub(crate) type Selected = scope::Selected<Checks>;

/// A rule and the data that its check requires.
#[derive(Debug)]
pub(crate) struct CheckedRule {
    pub(crate) rule: Arc<Rule>,
    pub(crate) check: Check,
}

#[derive(Debug)]
pub(crate) enum Check {
    Equality,
    Regex(Regex),
    Type(Sizes),
    Include(Text),
    Number,
    Integer,
    Decimal,
    Boolean,
    Null,
    Moment(Moment),
    ContentType(ContentType),
    Values,
    ArrayContains(Vec<VariantChecks>),
    StatusCode(StatusClass),
    NotEmpty,
    Semver,
    EachKey(EachKey),
    /// The rules for each value. For documents, they are also compiled into the nested scopes; see
    /// [`scope::Scopes::new`].
    EachValue(Checks),
    /// An unknown rule. It never passes: every comparison reports a mismatch.
    Unknown(Text),
}

/// The rules that apply to one place.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) list: Vec<CheckedRule>,
    pub(crate) combine: Combine,
}

impl CheckedRule {
    pub(crate) fn new(rule: &Rule) -> Result<Self, RuleProblem> {
        let check = match rule {
            Rule::Equality => Check::Equality,
            Rule::Regex(pattern) => Check::Regex(Regex::new(pattern)?),
            Rule::Type { min, max } => Check::Type(Sizes::new(*min, *max)?),
            Rule::Include(text) => Check::Include(text.clone()),
            Rule::Number => Check::Number,
            Rule::Integer => Check::Integer,
            Rule::Decimal => Check::Decimal,
            Rule::Boolean => Check::Boolean,
            Rule::Null => Check::Null,
            Rule::Date(format) => Check::Moment(Moment::new("date", format.as_ref(), "yyyy-MM-dd")?),
            Rule::Time(format) => Check::Moment(Moment::new("time", format.as_ref(), "HH:mm:ss")?),
            Rule::DateTime(format) => {
                Check::Moment(Moment::new("datetime", format.as_ref(), "yyyy-MM-dd'T'HH:mm:ssXXX")?)
            }
            Rule::ContentType(content_type) => Check::ContentType(content_type.clone()),
            Rule::Values => Check::Values,
            Rule::ArrayContains(variants) => {
                Check::ArrayContains(variants.iter().map(VariantChecks::new).collect::<Result<_, _>>()?)
            }
            Rule::StatusCode(class) => Check::StatusCode(class.clone()),
            Rule::NotEmpty => Check::NotEmpty,
            Rule::Semver => Check::Semver,
            Rule::EachKey(definition) => Check::EachKey(EachKey::new(definition)?),
            Rule::EachValue(definition) => Check::EachValue(Checks::all(&definition.rules)?),
            Rule::Custom { name, .. } => Check::Unknown(name.clone()),
        };
        Ok(Self {
            rule: Arc::new(rule.clone()),
            check,
        })
    }

    /// Checks a JSON value. The expected value is neither an object nor an array.
    pub(crate) fn scalar(&self, expected: &Json, actual: &Json) -> Verdict {
        match &self.check {
            Check::Equality | Check::Values => equality::scalar(expected, actual),
            Check::Type(_) => same_type::scalar(expected, actual),
            Check::Number => numbers::number(actual),
            Check::Integer => numbers::integer(actual),
            Check::Decimal => numbers::decimal(actual),
            Check::Boolean => boolean::scalar(actual),
            Check::Null => null::scalar(actual),
            Check::NotEmpty => not_empty::scalar(actual),
            Check::Semver => semver::scalar(actual),
            Check::StatusCode(class) => status_code::scalar(class, actual),
            Check::EachKey(_) | Check::EachValue(_) | Check::ArrayContains(_) => Err(self.not_applicable(expected)),
            Check::Unknown(name) => Err(custom::unknown(name)),
            Check::ContentType(expected) if content_type::is_encoded(expected, actual) => Ok(()),
            Check::Regex(_) | Check::Include(_) | Check::Moment(_) | Check::ContentType(_) => match actual {
                Json::Array(_) | Json::Object(_) => Err(MismatchKind::Type),
                _ => self.text_alone(&actual.text_form()),
            },
        }
    }

    /// Checks a value that is always text, such as a header.
    pub(crate) fn text(&self, expected: &str, actual: &str) -> Verdict {
        match &self.check {
            Check::Equality => equality::text(expected, actual),
            _ => self.text_alone(actual),
        }
    }

    /// Checks text with a rule that does not compare it with the example.
    fn text_alone(&self, actual: &str) -> Verdict {
        match &self.check {
            Check::Type(_) => Ok(()),
            Check::Regex(regex) => regex.text(actual),
            Check::Include(text) => include::text(text, actual),
            Check::Number => numbers::number_text(actual),
            Check::Integer => numbers::integer_text(actual),
            Check::Decimal => numbers::decimal_text(actual),
            Check::Boolean => boolean::text(actual),
            Check::Moment(moment) => moment.text(actual),
            Check::ContentType(expected) => content_type::bytes(expected, actual.as_bytes()),
            Check::NotEmpty => not_empty::text(actual),
            Check::Semver => semver::text(actual),
            Check::StatusCode(class) => status_code::text(class, actual),
            Check::Null => Err(MismatchKind::Null),
            Check::Unknown(name) => Err(custom::unknown(name)),
            Check::Equality | Check::Values | Check::EachKey(_) | Check::EachValue(_) | Check::ArrayContains(_) => {
                Err(MismatchKind::NotApplicable {
                    problem: format!(
                        "Unable to match '{actual}' using {}: the rule applies only to objects and arrays",
                        self.rule.name()
                    ),
                })
            }
        }
    }

    /// Checks an object or array itself, but not its contents. `cascaded` is true if the rule belongs to an ancestor.
    pub(crate) fn container(&self, actual: &Json, cascaded: bool) -> Verdict {
        let (size, is_map) = match actual {
            Json::Object(object) => (object.len(), true),
            Json::Array(items) => (items.len(), false),
            _ => return Ok(()),
        };
        match &self.check {
            Check::Type(sizes) if !cascaded => sizes.check(size),
            Check::NotEmpty => require(size > 0, MismatchKind::Empty),
            Check::Unknown(name) => Err(custom::unknown(name)),
            Check::EachKey(_) if !is_map => Err(self.not_applicable(actual)),
            Check::ArrayContains(_) if is_map => Err(self.not_applicable(actual)),
            check if is_map && check.applies_to_single_values() => Err(self.not_applicable(actual)),
            _ => Ok(()),
        }
    }

    fn not_applicable(&self, value: &Json) -> MismatchKind {
        MismatchKind::NotApplicable {
            problem: format!(
                "Unable to match a value of type {} using {}",
                value.kind(),
                self.rule.name()
            ),
        }
    }
}

impl Check {
    /// Returns whether the rule also applies to values below its path. Rules for objects and arrays do not.
    fn cascades(&self) -> bool {
        !matches!(
            self,
            Self::Values | Self::EachKey(_) | Self::EachValue(_) | Self::ArrayContains(_)
        )
    }

    /// Returns true if the rule is an error for objects.
    fn applies_to_single_values(&self) -> bool {
        matches!(
            self,
            Self::Include(_)
                | Self::Number
                | Self::Integer
                | Self::Decimal
                | Self::Boolean
                | Self::Moment(_)
                | Self::ContentType(_)
                | Self::StatusCode(_)
                | Self::Semver
        )
    }

    /// Returns whether the rule applies to the individual values of a list or to the number of values.
    pub(crate) fn applies_to_items(&self) -> bool {
        match self {
            Self::ArrayContains(_) | Self::EachValue(_) | Self::Values => true,
            Self::Type(sizes) => sizes.is_bounded(),
            _ => false,
        }
    }

    /// Checks the values of a name together, such as their number, but not the individual values.
    pub(crate) fn check_list(&self, expected: &[Text], actual: &[Text]) -> Vec<MismatchKind> {
        let (required, count) = (expected.len(), actual.len());
        let of_length = |is_wrong: bool| {
            is_wrong.then_some(MismatchKind::Length {
                expected: required,
                actual: count,
            })
        };
        match self {
            Self::Type(sizes) => sizes.check(count).err().into_iter().collect(),
            Self::Values => of_length(count < required).into_iter().collect(),
            Self::Equality => of_length(count != required).into_iter().collect(),
            Self::ArrayContains(variants) => array_contains::missing(variants, expected, actual),
            _ => Vec::new(),
        }
    }
}

impl PlaceRules for Checks {
    fn new(rules: &RuleList) -> Result<Self, RuleProblem> {
        Self::new(rules)
    }

    fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    fn cascade(&self) -> bool {
        self.list.iter().any(|checked| checked.check.cascades())
    }
}

impl Selected {
    /// Returns the rules that reject the string, with the reasons.
    pub(crate) fn text(&self, expected: &str, actual: &str) -> Vec<(&CheckedRule, MismatchKind)> {
        self.checks
            .failures(self.cascaded, |checked| checked.text(expected, actual))
    }
}

impl Scopes {
    /// Creates scopes in which the rules apply to the root, for a value that is compared on its own.
    pub(crate) fn of_value(checks: &Checks) -> Result<Self, RuleProblem> {
        let rules = checks.list.iter().map(|checked| (*checked.rule).clone()).collect();
        let combine = checks.combine;
        Self::new(&PathRules::from([(
            PathExpression::default(),
            RuleList { rules, combine },
        )]))
    }
}

impl Checks {
    pub(crate) fn new(rules: &RuleList) -> Result<Self, RuleProblem> {
        let list = rules.rules.iter().map(CheckedRule::new).collect::<Result<_, _>>()?;
        Ok(Self {
            list,
            combine: rules.combine,
        })
    }

    /// Creates checks for rules that must all match.
    fn all(rules: &[Rule]) -> Result<Self, RuleProblem> {
        Ok(Self {
            list: rules.iter().map(CheckedRule::new).collect::<Result<_, _>>()?,
            combine: Combine::And,
        })
    }

    /// Returns the rules that apply to a value. If `cascaded` is true, the value is below the path of the rules, and
    /// only some of the rules apply.
    pub(crate) fn applicable(&self, cascaded: bool) -> impl Iterator<Item = &CheckedRule> {
        self.list
            .iter()
            .filter(move |checked| !cascaded || checked.check.cascades())
    }

    /// Checks a single string, such as a path or an attribute. Returns the rules that failed.
    pub(crate) fn text<'a>(&'a self, expected: &str, actual: &str) -> Vec<(&'a CheckedRule, MismatchKind)> {
        self.failures(false, |checked| checked.text(expected, actual))
    }

    /// Checks one of several values of a header or parameter. Rules for the list apply to each value, except for
    /// `arrayContains`. Only rules for which `counts` returns true are checked.
    pub(crate) fn item(
        &self,
        expected: &str,
        actual: &str,
        counts: &dyn Fn(&CheckedRule) -> bool,
    ) -> Vec<(&CheckedRule, MismatchKind)> {
        let mut failures = Vec::new();
        for checked in self.list.iter().filter(|checked| counts(checked)) {
            let failed = match &checked.check {
                Check::ArrayContains(_) => continue,
                Check::EachValue(inner) => inner.item(expected, actual, &|_| true),
                Check::Values if expected == actual => Vec::new(),
                Check::Values => vec![(checked, MismatchKind::NotEqual)],
                _ => checked
                    .text(expected, actual)
                    .err()
                    .map(|kind| (checked, kind))
                    .into_iter()
                    .collect(),
            };
            if failed.is_empty() && self.combine == Combine::Or {
                return Vec::new();
            }
            failures.extend(failed);
        }
        failures
    }

    /// Returns the rules that reject a value, with the reasons. Returns an empty list if the rules accept the list as a
    /// whole.
    pub(crate) fn failures(
        &self,
        cascaded: bool,
        check: impl Fn(&CheckedRule) -> Result<(), MismatchKind>,
    ) -> Vec<(&CheckedRule, MismatchKind)> {
        let mut failures = Vec::new();
        for checked in self.applicable(cascaded) {
            match check(checked) {
                Ok(()) if self.combine == Combine::Or => return Vec::new(),
                Ok(()) => {}
                Err(kind) => failures.push((checked, kind)),
            }
        }
        failures
    }
}

#[cfg(test)]
mod tests;
