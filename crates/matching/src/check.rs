//! Rules made ready: patterns compiled, formats read, variants planned. One arm for each rule.

use std::sync::Arc;

use base64::Engine;
use contract_datetime::Format;
use contract_model::{
    Combine, ContentType, Json, JsonKind, NumberKind, PathExpression, PathRules, Rule, RuleList, StatusClass, Text,
};

use crate::mismatch::MismatchKind;
use crate::pattern::{BudgetExceeded, Pattern};
use crate::problem::RuleProblem;
use crate::scope::{self, PlaceRules};
use crate::sniff;

/// Which rules hold where.
pub(crate) type Scopes = scope::Scopes<Checks>;
/// A place in a document, as far as rules are concerned.
pub(crate) type Scope = scope::Scope<Checks>;
/// The rules selected at a place.
pub(crate) type Selected = scope::Selected<Checks>;

/// A rule and what its check needs.
#[derive(Debug)]
pub(crate) struct CheckedRule {
    pub(crate) rule: Arc<Rule>,
    pub(crate) check: Check,
}

#[derive(Debug)]
pub(crate) enum Check {
    Equality,
    Regex {
        pattern: Text,
        compiled: Pattern,
    },
    Type {
        min: Option<usize>,
        max: Option<usize>,
    },
    Include(Text),
    Number,
    Integer,
    Decimal,
    Boolean,
    Null,
    Moment {
        what: &'static str,
        text: Text,
        format: Format,
    },
    ContentType(ContentType),
    Values,
    ArrayContains(Vec<VariantChecks>),
    StatusCode(StatusClass),
    NotEmpty,
    Semver,
    EachKey {
        checks: Checks,
        /// The key that the contract gives as an example.
        example: Option<Json>,
    },
    /// What each value must satisfy. For documents it is compiled into the scopes below as well, see [`Scopes::new`].
    EachValue(Checks),
    /// Kept so that comparing says so: never a pass.
    Unknown(Text),
}

/// A variant of `arrayContains`: where its example stands and the rules below it.
#[derive(Debug)]
pub(crate) struct VariantChecks {
    pub(crate) index: usize,
    pub(crate) scopes: Scopes,
}

/// The rules that hold at one place.
#[derive(Debug)]
pub(crate) struct Checks {
    pub(crate) list: Vec<CheckedRule>,
    pub(crate) combine: Combine,
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
    /// The rules that hold here and refuse the text, with the reasons.
    pub(crate) fn text(&self, expected: &str, actual: &str) -> Vec<(&CheckedRule, MismatchKind)> {
        self.checks
            .failures(self.cascaded, |checked| checked.text(expected, actual))
    }
}

impl Scopes {
    /// The rules of one value, which stand at its root.
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

    /// Rules of which all must hold.
    fn all_of(rules: &[Rule]) -> Result<Self, RuleProblem> {
        Ok(Self {
            list: rules.iter().map(CheckedRule::new).collect::<Result<_, _>>()?,
            combine: Combine::And,
        })
    }

    /// The rules that hold at a place: below the one where they stand, only those that cascade.
    pub(crate) fn holding(&self, cascaded: bool) -> impl Iterator<Item = &CheckedRule> {
        self.list
            .iter()
            .filter(move |checked| !cascaded || checked.check.cascades())
    }

    /// Checks a text that stands alone: a path, a header, an attribute. Failures come with the rule that failed.
    pub(crate) fn text<'a>(&'a self, expected: &str, actual: &str) -> Vec<(&'a CheckedRule, MismatchKind)> {
        self.failures(false, |checked| checked.text(expected, actual))
    }

    /// Checks one of several texts of a name: a header's or a parameter's. Rules about the list of them hold for each, save
    /// `arrayContains`. Only rules that count are asked.
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

    /// The rules that refuse a value, with the reasons; none when the list as a whole accepts it.
    pub(crate) fn failures(
        &self,
        cascaded: bool,
        check: impl Fn(&CheckedRule) -> Result<(), MismatchKind>,
    ) -> Vec<(&CheckedRule, MismatchKind)> {
        let mut failures = Vec::new();
        for checked in self.holding(cascaded) {
            match check(checked) {
                Ok(()) if self.combine == Combine::Or => return Vec::new(),
                Ok(()) => {}
                Err(kind) => failures.push((checked, kind)),
            }
        }
        failures
    }
}

impl Check {
    /// Whether the rule also holds below the place where it stands. Rules about the collection itself do not.
    pub(crate) fn cascades(&self) -> bool {
        !matches!(
            self,
            Self::Values | Self::EachKey { .. } | Self::EachValue(_) | Self::ArrayContains(_)
        )
    }
}

impl CheckedRule {
    pub(crate) fn new(rule: &Rule) -> Result<Self, RuleProblem> {
        let moment = |what: &'static str, format: Option<&Text>, default: &str| {
            let text = format.cloned().unwrap_or_else(|| default.into());
            match Format::parse(&text) {
                Ok(format) => Ok(Check::Moment { what, text, format }),
                Err(error) => Err(RuleProblem::Format {
                    rule: what.into(),
                    problem: error.to_string(),
                }),
            }
        };
        let check = match rule {
            Rule::Equality => Check::Equality,
            Rule::Regex(pattern) => Check::Regex {
                pattern: pattern.clone(),
                compiled: Pattern::new(pattern)?,
            },
            Rule::Type {
                min: Some(min),
                max: Some(max),
            } if min > max => {
                return Err(RuleProblem::Sizes { min: *min, max: *max });
            }
            Rule::Type { min, max } => Check::Type { min: *min, max: *max },
            Rule::Include(text) => Check::Include(text.clone()),
            Rule::Number => Check::Number,
            Rule::Integer => Check::Integer,
            Rule::Decimal => Check::Decimal,
            Rule::Boolean => Check::Boolean,
            Rule::Null => Check::Null,
            Rule::Date(format) => moment("date", format.as_ref(), "yyyy-MM-dd")?,
            Rule::Time(format) => moment("time", format.as_ref(), "HH:mm:ss")?,
            Rule::DateTime(format) => moment("datetime", format.as_ref(), "yyyy-MM-dd'T'HH:mm:ssXXX")?,
            Rule::ContentType(content_type) => Check::ContentType(content_type.clone()),
            Rule::Values => Check::Values,
            Rule::ArrayContains(variants) => Check::ArrayContains(
                variants
                    .iter()
                    .map(|variant| {
                        Ok(VariantChecks {
                            index: variant.index,
                            scopes: Scopes::new(&variant.rules)?,
                        })
                    })
                    .collect::<Result<_, RuleProblem>>()?,
            ),
            Rule::StatusCode(class) => Check::StatusCode(class.clone()),
            Rule::NotEmpty => Check::NotEmpty,
            Rule::Semver => Check::Semver,
            Rule::EachKey(definition) => Check::EachKey {
                checks: Checks::all_of(&definition.rules)?,
                example: definition.value.clone().filter(|value| value.as_str().is_some()),
            },
            Rule::EachValue(definition) => Check::EachValue(Checks::all_of(&definition.rules)?),
            Rule::Custom { name, .. } => Check::Unknown(name.clone()),
        };
        Ok(Self {
            rule: Arc::new(rule.clone()),
            check,
        })
    }

    /// Checks a JSON value that is no container on the expected side.
    pub(crate) fn scalar(&self, expected: &Json, actual: &Json) -> Result<(), MismatchKind> {
        let want = |holds: bool, kind: MismatchKind| if holds { Ok(()) } else { Err(kind) };
        match &self.check {
            Check::Equality | Check::Values => want(expected == actual, MismatchKind::NotEqual),
            Check::Type { .. } => want(expected.kind() == actual.kind(), MismatchKind::Type),
            Check::Number => want(actual.kind() == JsonKind::Number, MismatchKind::Number),
            Check::Integer => want(number_kind(actual) == Some(NumberKind::Integer), MismatchKind::Integer),
            Check::Decimal => want(number_kind(actual) == Some(NumberKind::Decimal), MismatchKind::Decimal),
            Check::Boolean => {
                let holds = matches!(actual, Json::Bool(_)) || actual.as_str().is_some_and(is_boolean);
                want(holds, MismatchKind::Boolean)
            }
            Check::Null => want(actual.is_null(), MismatchKind::Null),
            Check::NotEmpty => want(!is_empty(actual), MismatchKind::Empty),
            Check::Semver => match actual {
                Json::String(text) => self.text_alone(text),
                _ => Err(MismatchKind::Semver),
            },
            Check::StatusCode(class) => {
                let code = actual.as_u64().and_then(|code| u16::try_from(code).ok());
                want(
                    code.is_some_and(|code| class.contains(code)),
                    MismatchKind::StatusCode(class.clone()),
                )
            }
            Check::EachKey { .. } | Check::EachValue(_) | Check::ArrayContains(_) => {
                Err(not_applicable(&self.rule, expected))
            }
            Check::Unknown(name) => Err(unknown(name)),
            Check::ContentType(expected) if actual.as_str().is_some_and(|text| encodes(text, expected)) => Ok(()),
            Check::Regex { .. } | Check::Include(_) | Check::Moment { .. } | Check::ContentType(_) => {
                if matches!(actual, Json::Array(_) | Json::Object(_)) {
                    return Err(MismatchKind::Type);
                }
                self.text_alone(&actual.text_form())
            }
        }
    }

    /// Checks a text where nothing but text can stand.
    pub(crate) fn text(&self, expected: &str, actual: &str) -> Result<(), MismatchKind> {
        match &self.check {
            Check::Equality if expected == actual => Ok(()),
            Check::Equality => Err(MismatchKind::NotEqual),
            _ => self.text_alone(actual),
        }
    }

    /// Checks that do not look at the example.
    fn text_alone(&self, actual: &str) -> Result<(), MismatchKind> {
        let want = |holds: bool, kind: MismatchKind| if holds { Ok(()) } else { Err(kind) };
        match &self.check {
            Check::Type { .. } => Ok(()),
            Check::Regex { pattern, compiled } => match compiled.matches(actual) {
                Ok(true) => Ok(()),
                Ok(false) => Err(MismatchKind::Regex {
                    pattern: pattern.clone(),
                }),
                Err(BudgetExceeded) => Err(MismatchKind::RegexBudget {
                    pattern: pattern.clone(),
                }),
            },
            Check::Include(text) => want(
                actual.contains(text.as_str()),
                MismatchKind::Include { text: text.clone() },
            ),
            Check::Number => want(is_number(actual), MismatchKind::Number),
            Check::Integer => want(is_integer(actual), MismatchKind::Integer),
            // Outside JSON a number has no kind of its own: `5` is what a decimal of five looks like in a query.
            Check::Decimal => want(is_number(actual), MismatchKind::Decimal),
            Check::Boolean => want(is_boolean(actual), MismatchKind::Boolean),
            Check::Moment { what, text, format } => want(
                format.check(actual).is_ok(),
                MismatchKind::Moment {
                    what,
                    format: text.clone(),
                },
            ),
            Check::ContentType(expected) => content_type(expected, actual.as_bytes()),
            Check::NotEmpty => want(!actual.is_empty(), MismatchKind::Empty),
            Check::Semver => want(semver::Version::parse(actual).is_ok(), MismatchKind::Semver),
            Check::StatusCode(class) => {
                let holds = actual.parse().is_ok_and(|code| class.contains(code));
                want(holds, MismatchKind::StatusCode(class.clone()))
            }
            Check::Null => Err(MismatchKind::Null),
            Check::Unknown(name) => Err(unknown(name)),
            Check::Equality | Check::Values | Check::EachKey { .. } | Check::EachValue(_) | Check::ArrayContains(_) => {
                Err(MismatchKind::NotApplicable {
                    problem: format!(
                        "Unable to match '{actual}' using {}: the rule is about collections",
                        self.rule.name()
                    ),
                })
            }
        }
    }
}

/// Whether the bytes are recognised as the type. A declared type that no content tells apart, such as CSV, is taken for
/// what the recognised family allows: text for text.
pub(crate) fn content_type(expected: &ContentType, actual: &[u8]) -> Result<(), MismatchKind> {
    let found = sniff::content_type(actual);
    if sniff::satisfies(expected, &found, actual) {
        return Ok(());
    }
    Err(MismatchKind::ContentType {
        expected: expected.essence().into(),
        actual: found.essence().into(),
    })
}

/// Whether the text is base64 of bytes of the type: JSON has no other way to hold them.
fn encodes(text: &str, expected: &ContentType) -> bool {
    let bytes = base64::engine::general_purpose::STANDARD.decode(text);
    bytes.is_ok_and(|bytes| content_type(expected, &bytes).is_ok())
}

fn number_kind(value: &Json) -> Option<NumberKind> {
    if let Json::Number(number) = value {
        Some(number.kind())
    } else {
        None
    }
}

fn is_empty(value: &Json) -> bool {
    match value {
        Json::Null => true,
        Json::String(text) => text.is_empty(),
        Json::Array(items) => items.is_empty(),
        Json::Object(object) => object.is_empty(),
        Json::Bool(_) | Json::Number(_) => false,
    }
}

fn is_boolean(text: &str) -> bool {
    matches!(text, "true" | "false")
}

fn unsigned(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

fn is_integer(text: &str) -> bool {
    let digits = unsigned(text);
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Decimal digits with an optional sign, point and exponent; leading zeros are common outside JSON and allowed.
fn is_number(text: &str) -> bool {
    let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    let (mantissa, exponent) = match unsigned(text).split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned(text), None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    !(whole.is_empty() && fraction.is_empty()) && digits(whole) && digits(fraction) && exponent.is_none_or(is_integer)
}

pub(crate) fn not_applicable(rule: &Rule, value: &Json) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!("Unable to match a value of type {} using {}", value.kind(), rule.name()),
    }
}

pub(crate) fn unknown(name: &str) -> MismatchKind {
    MismatchKind::NotApplicable {
        problem: format!(
            "Unable to match with the rule '{name}': it is not known; it needs a plugin, or it is misspelt"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::{CheckedRule, Json, Rule};

    /// Whether the value satisfies the rule; the example is only looked at by rules that compare with it.
    fn holds(rule: &str, expected: &str, actual: &str) -> bool {
        let parse = |text: &str| Json::parse(text.as_bytes()).unwrap();
        let rule = CheckedRule::new(&Rule::from_json(&parse(rule)).unwrap()).unwrap();
        rule.scalar(&parse(expected), &parse(actual)).is_ok()
    }

    fn text_holds(rule: &str, expected: &str, actual: &str) -> bool {
        CheckedRule::new(&Rule::from_json(&Json::parse(rule.as_bytes()).unwrap()).unwrap())
            .unwrap()
            .text(expected, actual)
            .is_ok()
    }

    #[test]
    fn json_values() {
        for (rule, passing, failing) in [
            (r#"{"match":"equality"}"#, vec!["1"], vec!["1.0", "2", "\"1\""]),
            (r#"{"match":"type"}"#, vec!["1.5", "-3"], vec!["\"1\"", "null", "[]"]),
            (r#"{"match":"number"}"#, vec!["1", "1.5", "1e3"], vec!["\"1\"", "true"]),
            (
                r#"{"match":"integer"}"#,
                vec!["0", "-12", "12345678901234567890123"],
                vec!["1.0", "1e2", "\"1\"", "null"],
            ),
            (
                r#"{"match":"decimal"}"#,
                vec!["1.0", "1e2", "-0.5"],
                vec!["1", "\"1.0\""],
            ),
            (
                r#"{"match":"boolean"}"#,
                vec!["true", "\"false\""],
                vec!["0", "\"yes\"", "null"],
            ),
            (r#"{"match":"null"}"#, vec!["null"], vec!["0", "\"\"", "[]"]),
            (
                r#"{"match":"regex","regex":"\\d+"}"#,
                vec!["\"12\"", "12"],
                vec!["\"a12\"", "1.5", "[12]"],
            ),
            (
                r#"{"match":"include","value":"ell"}"#,
                vec!["\"hello\""],
                vec!["\"hallo\"", "12"],
            ),
            (
                r#"{"match":"date","format":"yyyy-MM-dd"}"#,
                vec!["\"2024-02-29\""],
                vec!["\"2023-02-29\"", "20240229"],
            ),
            (
                r#"{"match":"time","format":"HH:mm"}"#,
                vec!["\"23:59\""],
                vec!["\"24:00\""],
            ),
            (
                r#"{"match":"datetime"}"#,
                vec!["\"2024-01-02T03:04:05+14:00\""],
                vec!["\"2024-01-02\""],
            ),
            (
                r#"{"match":"notEmpty"}"#,
                vec!["0", "\"a\"", "false"],
                vec!["\"\"", "null", "[]", "{}"],
            ),
            (
                r#"{"match":"semver"}"#,
                vec!["\"1.0.0-rc.1+b\""],
                vec!["\"1.0\"", "1.0"],
            ),
            (
                r#"{"match":"statusCode","status":"success"}"#,
                vec!["200", "299"],
                vec!["300", "\"200\""],
            ),
            (r#"{"match":"made-up"}"#, vec![], vec!["1"]),
        ] {
            for value in passing {
                assert!(holds(rule, "1", value), "{rule} accepts {value}");
            }
            for value in failing {
                assert!(!holds(rule, "1", value), "{rule} refuses {value}");
            }
        }
    }

    #[test]
    fn texts() {
        for (rule, passing, failing) in [
            (r#"{"match":"equality"}"#, vec!["1"], vec!["1.0"]),
            (r#"{"match":"type"}"#, vec!["x", ""], vec![]),
            (
                r#"{"match":"number"}"#,
                vec!["-1", "1.5", "1e-3", ".5"],
                vec!["", "NaN", "inf", "1x", "."],
            ),
            (r#"{"match":"integer"}"#, vec!["-12", "007"], vec!["1.0", "", "-"]),
            (r#"{"match":"decimal"}"#, vec!["5", "5.5"], vec!["a"]),
            (r#"{"match":"boolean"}"#, vec!["true"], vec!["TRUE", "1"]),
            (r#"{"match":"null"}"#, vec![], vec!["null", ""]),
            (r#"{"match":"notEmpty"}"#, vec!["a"], vec![""]),
            (r#"{"match":"semver"}"#, vec!["1.2.3"], vec!["1.2"]),
            (r#"{"match":"arrayContains","variants":[]}"#, vec![], vec!["a"]),
        ] {
            for value in passing {
                assert!(text_holds(rule, "1", value), "{rule} accepts {value}");
            }
            for value in failing {
                assert!(!text_holds(rule, "1", value), "{rule} refuses {value}");
            }
        }
    }

    #[test]
    fn rules_that_cannot_work_are_refused() {
        let problem = |rule: &str| {
            CheckedRule::new(&Rule::from_json(&Json::parse(rule.as_bytes()).unwrap()).unwrap())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            problem(r#"{"match":"regex","regex":"("}"#),
            r#""(" is not a regular expression: unclosed group"#
        );
        assert_eq!(
            problem(r#"{"match":"type","min":3,"max":1}"#),
            r#"the rule "type" has min 3 above max 1"#
        );
        assert!(
            problem(r#"{"match":"date","format":"yyyy-MM-ddT"}"#)
                .starts_with(r#"the format of the rule "date" is wrong"#)
        );
    }
}
