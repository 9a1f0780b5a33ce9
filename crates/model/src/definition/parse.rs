//! Parser for matching expressions. The documentation of the parent module contains the grammar.

use super::scan::Scanner;
use super::{ExampleKind, ExampleValue, Expected, ExpressionError, MatchingExpression, Term};
use crate::{DataType, Generator, Moment, Number, NumberKind, Object, Rule, Text};

/// Maximum nesting depth of terms.
const MAX_NESTING: usize = 32;

type Parsed<T> = Result<T, ExpressionError>;

impl std::str::FromStr for MatchingExpression {
    type Err = ExpressionError;

    fn from_str(text: &str) -> Result<Self, ExpressionError> {
        expression(text)
    }
}

fn expression(text: &str) -> Parsed<MatchingExpression> {
    let mut scanner = Scanner::new(text);
    let mut whole = MatchingExpression::default();
    loop {
        whole.join(item(&mut scanner, 0)?);
        if scanner.at_end() {
            return Ok(whole);
        }
        scanner.need(',', Expected::CommaOrEnd)?;
    }
}

impl MatchingExpression {
    fn from_term(term: Term) -> Self {
        Self {
            terms: vec![term],
            ..Self::default()
        }
    }

    fn with(rule: Rule, (value, generator): Example) -> Self {
        Self {
            terms: vec![Term::Rule(rule)],
            value: Some(value),
            generator,
        }
    }

    /// Appends the terms of `other`. Keeps the existing example and generator if there are any.
    fn join(&mut self, other: Self) {
        self.terms.extend(other.terms);
        self.value = self.value.take().or(other.value);
        self.generator = self.generator.take().or(other.generator);
    }
}

fn item(scanner: &mut Scanner, depth: usize) -> Parsed<MatchingExpression> {
    if depth >= MAX_NESTING {
        return Err(scanner.error(Expected::LessNesting));
    }
    let name = scanner.word();
    if !matches!(
        name,
        "matching" | "notEmpty" | "eachKey" | "eachValue" | "atLeast" | "atMost" | "arrayContains"
    ) {
        return Err(scanner.error(Expected::Item));
    }
    scanner.take(name);
    scanner.need('(', Expected::Open)?;
    let found = match name {
        "matching" => matching(scanner)?,
        "notEmpty" => MatchingExpression::with(Rule::NotEmpty, value(scanner)?),
        "eachKey" => MatchingExpression::from_term(Term::EachKey(item(scanner, depth + 1)?)),
        "eachValue" => MatchingExpression::from_term(Term::EachValue(item(scanner, depth + 1)?)),
        "atLeast" => MatchingExpression::from_term(Term::Rule(Rule::Type {
            min: Some(count(scanner)?),
            max: None,
        })),
        "atMost" => MatchingExpression::from_term(Term::Rule(Rule::Type {
            min: None,
            max: Some(count(scanner)?),
        })),
        _ => {
            let mut variants = vec![item(scanner, depth + 1)?];
            while scanner.eat(',') {
                variants.push(item(scanner, depth + 1)?);
            }
            scanner.need(')', Expected::CommaOrClose)?;
            return Ok(MatchingExpression::from_term(Term::ArrayContains(variants)));
        }
    };
    scanner.need(')', Expected::Close)?;
    Ok(found)
}

fn count(scanner: &mut Scanner) -> Parsed<usize> {
    let before = scanner.error(Expected::Count);
    let number = scanner.number(Expected::Count)?;
    number
        .as_u64()
        .and_then(|count| usize::try_from(count).ok())
        .ok_or(before)
}

fn comma(scanner: &mut Scanner) -> Parsed<()> {
    scanner.need(',', Expected::Comma)
}

/// Parses the arguments of `matching`.
fn matching(scanner: &mut Scanner) -> Parsed<MatchingExpression> {
    if scanner.eat('$') {
        return Ok(MatchingExpression::from_term(Term::Reference(
            scanner.quoted(Expected::Text)?,
        )));
    }
    let name = scanner.word();
    if name.is_empty() {
        return Err(scanner.error(Expected::RuleName));
    }
    let unknown = scanner.error(Expected::RuleName);
    scanner.take(name);
    comma(scanner)?;
    let any_type = Rule::Type { min: None, max: None };
    Ok(match name {
        "equalTo" | "equality" => MatchingExpression::with(Rule::Equality, value(scanner)?),
        "type" => MatchingExpression::with(any_type, value(scanner)?),
        "number" => numeric(scanner, Rule::Number, ExampleKind::Number)?,
        "integer" => numeric(scanner, Rule::Integer, ExampleKind::Integer)?,
        "decimal" => numeric(scanner, Rule::Decimal, ExampleKind::Decimal)?,
        "datetime" | "timestamp" | "date" | "time" => moment(scanner, name)?,
        "regex" => {
            let pattern = scanner.quoted(Expected::Text)?;
            comma(scanner)?;
            MatchingExpression::with(Rule::Regex(pattern), text(scanner)?)
        }
        "include" => {
            let text = scanner.quoted(Expected::Text)?;
            MatchingExpression::with(Rule::Include(text.clone()), (example(text), None))
        }
        "boolean" => boolean(scanner)?,
        "semver" => MatchingExpression::with(Rule::Semver, text(scanner)?),
        "contentType" => {
            let before = scanner.error(Expected::ContentType);
            let content_type = scanner.quoted(Expected::ContentType)?.parse().map_err(|_| before)?;
            comma(scanner)?;
            MatchingExpression::with(Rule::ContentType(content_type), text(scanner)?)
        }
        other if is_specified_rule(other) => return Err(unknown),
        other => custom(scanner, other)?,
    })
}

/// An example value and its generator.
type Example = (ExampleValue, Option<Generator>);

fn example(text: Text) -> ExampleValue {
    ExampleValue {
        text,
        kind: ExampleKind::String,
    }
}

fn text(scanner: &mut Scanner) -> Parsed<Example> {
    provided(scanner, |scanner| Ok((example(scanner.quoted(Expected::Text)?), None)))
}

/// Parses either a value with `read`, or a `fromProviderState` call with an example of any type.
fn provided(scanner: &mut Scanner, read: impl FnOnce(&mut Scanner) -> Parsed<Example>) -> Parsed<Example> {
    const NAME: &str = "fromProviderState";
    if scanner.word() != NAME {
        return read(scanner);
    }
    scanner.take(NAME);
    scanner.need('(', Expected::Open)?;
    let expression = scanner.quoted(Expected::Text)?;
    comma(scanner)?;
    let value = primitive(scanner)?;
    scanner.need(')', Expected::Close)?;
    let data_type = match value.kind {
        ExampleKind::String => Some(DataType::String),
        ExampleKind::Integer => Some(DataType::Integer),
        ExampleKind::Decimal | ExampleKind::Number => Some(DataType::Decimal),
        ExampleKind::Boolean => Some(DataType::Boolean),
        ExampleKind::Unknown => None,
    };
    Ok((value, Some(Generator::ProviderState { expression, data_type })))
}

fn value(scanner: &mut Scanner) -> Parsed<Example> {
    provided(scanner, |scanner| Ok((primitive(scanner)?, None)))
}

fn primitive(scanner: &mut Scanner) -> Parsed<ExampleValue> {
    let word = scanner.word();
    let kind = match word {
        "true" | "false" => ExampleKind::Boolean,
        "null" => ExampleKind::Unknown,
        "" if scanner.peek() == Some('\'') => return Ok(example(scanner.quoted(Expected::Value)?)),
        "" => return Ok(number_example(&scanner.number(Expected::Value)?, None)),
        _ => return Err(scanner.error(Expected::Value)),
    };
    scanner.take(word);
    Ok(ExampleValue {
        text: word.into(),
        kind,
    })
}

/// Creates an example from a number. Without `kind`, the notation determines whether it is an integer or a decimal.
fn number_example(number: &Number, kind: Option<ExampleKind>) -> ExampleValue {
    ExampleValue {
        text: number.as_str().into(),
        kind: kind.unwrap_or(match number.kind() {
            NumberKind::Integer => ExampleKind::Integer,
            NumberKind::Decimal => ExampleKind::Decimal,
        }),
    }
}

fn numeric(scanner: &mut Scanner, rule: Rule, kind: ExampleKind) -> Parsed<MatchingExpression> {
    let found = provided(scanner, |scanner| {
        let expected = match kind {
            ExampleKind::Integer => Expected::Integer,
            _ => Expected::Number,
        };
        let before = scanner.error(expected);
        let number = scanner.number(expected)?;
        if kind == ExampleKind::Integer && number.kind() == NumberKind::Decimal {
            return Err(before);
        }
        Ok((number_example(&number, Some(kind)), None))
    })?;
    Ok(MatchingExpression::with(rule, found))
}

fn boolean(scanner: &mut Scanner) -> Parsed<MatchingExpression> {
    let found = provided(scanner, |scanner| {
        let word = scanner.word();
        if !matches!(word, "true" | "false") {
            return Err(scanner.error(Expected::Boolean));
        }
        Ok((primitive(scanner)?, None))
    })?;
    Ok(MatchingExpression::with(Rule::Boolean, found))
}

/// Parses a date or time rule. Adds a generator with the same format, unless the value comes from a provider state.
fn moment(scanner: &mut Scanner, name: &str) -> Parsed<MatchingExpression> {
    let format = Some(scanner.quoted(Expected::Text)?).filter(|format| !format.is_empty());
    comma(scanner)?;
    let (value, generator) = text(scanner)?;
    let moment = Moment {
        format: format.clone(),
        expression: None,
    };
    let (rule, own) = match name {
        "date" => (Rule::Date(format), Generator::Date(moment)),
        "time" => (Rule::Time(format), Generator::Time(moment)),
        _ => (Rule::DateTime(format), Generator::DateTime(moment)),
    };
    Ok(MatchingExpression::with(rule, (value, Some(generator.unwrap_or(own)))))
}

/// Returns true for rules that the specification defines, including rules such as `statusCode` and `max` that have no
/// syntax in matching expressions.
fn is_specified_rule(name: &str) -> bool {
    !matches!(Rule::from_attributes(name, &Object::new()), Ok(Rule::Custom { .. }))
}

/// Parses a rule whose name the specification does not define, because it belongs to a plugin.
fn custom(scanner: &mut Scanner, name: &str) -> Parsed<MatchingExpression> {
    let mut attributes = Object::new();
    let mut found = value(scanner)?;
    if scanner.eat(',') {
        attributes.insert("config", found.0.to_json());
        found = value(scanner)?;
    }
    let rule = Rule::Custom {
        name: name.into(),
        attributes,
    };
    Ok(MatchingExpression::with(rule, found))
}
