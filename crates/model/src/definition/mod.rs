//! Matching expressions such as `matching(type, 'x')`, `eachKey(…)`, and `notEmpty(…)`, which plugins and some builders
//! use. Specification: "Matching Rule definition expressions" of the Pact plugins project.
//!
//! ```text
//! expression := item ("," item)*
//! item       := "matching" "(" rule ")" | "notEmpty" "(" value ")"
//!             | "eachKey" "(" item ")" | "eachValue" "(" item ")"
//!             | "atLeast" "(" digits ")" | "atMost" "(" digits ")"
//!             | "arrayContains" "(" item ("," item)* ")"
//! rule       := "equalTo" "," value | "type" "," value
//!             | ("number" | "integer" | "decimal") "," number
//!             | ("datetime" | "date" | "time") "," 'format' "," 'example'
//!             | "regex" "," 'pattern' "," 'example' | "include" "," 'text'
//!             | "boolean" "," ("true" | "false") | "semver" "," 'version'
//!             | "contentType" "," 'type' "," 'example'
//!             | "$" 'name'
//!             | name "," ('configuration' ",")? value
//! value      := 'text' | number | "true" | "false" | "null"
//!             | "fromProviderState" "(" 'expression' "," value ")"
//! ```
//!
//! `fromProviderState` is allowed wherever an example is allowed. Inside quotes, `\'`, `\b`, `\f`, `\n`,
//! `\r`, `\t`, `\uXXXX`, and `\u{X…}` are escapes. Any other backslash is literal, so patterns do not need doubled
//! backslashes.

mod error;
mod parse;
mod scan;

pub use error::{Expected, ExpressionError};

use crate::{Combine, Definition, Generator, Json, Number, PathExpression, PathRules, Rule, RuleList, Text, Variant};

/// A parsed matching expression.
///
/// ```
/// use contract_model::MatchingExpression;
/// let expression: MatchingExpression = r"matching(regex, '\d+', '12'), notEmpty('12')".parse()?;
/// assert_eq!(expression.rules(|_| false).unwrap().len(), 2);
/// assert_eq!(expression.example().unwrap().to_text(), r#""12""#);
/// # Ok::<(), contract_model::ExpressionError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Default)]
pub struct MatchingExpression {
    /// The parsed terms, all of which must match.
    pub terms: Vec<Term>,
    /// The first example value. `None` if no term contains one.
    pub value: Option<ExampleValue>,
    /// The first generator: of a date, a time, or a provider state value. `None` if no term implies one.
    pub generator: Option<Generator>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Term {
    Rule(Rule),
    /// Rules that each key of an object must match.
    EachKey(MatchingExpression),
    /// Rules that each value of an object or array must match.
    EachValue(MatchingExpression),
    /// One expression for each required item. The array must contain a match for each of them, in any order.
    ArrayContains(Vec<MatchingExpression>),
    /// `$'name'`: a reference to the member called `name` in the object that contains the expression.
    Reference(Text),
}

/// An example value in a matching expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleValue {
    /// The value as text, without quotes and with escapes resolved.
    pub text: Text,
    pub kind: ExampleKind,
}

/// The type of an [`ExampleValue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExampleKind {
    /// `null`: the type is unknown.
    Unknown,
    String,
    /// An integer or a decimal.
    Number,
    Integer,
    Decimal,
    Boolean,
}

impl ExampleValue {
    /// Converts the example to JSON.
    pub fn to_json(&self) -> Json {
        match self.kind {
            ExampleKind::Unknown => Json::Null,
            ExampleKind::String => self.text.clone().into(),
            ExampleKind::Boolean => (self.text == "true").into(),
            ExampleKind::Number | ExampleKind::Integer | ExampleKind::Decimal => match Number::from_text(&self.text) {
                Some(number) => Json::Number(number),
                None => self.text.clone().into(),
            },
        }
    }
}

impl MatchingExpression {
    /// Returns the example as JSON, or `None` if the expression has none. For `arrayContains`, returns an array with
    /// the example of each item.
    pub fn example(&self) -> Option<Json> {
        if let Some(value) = &self.value {
            return Some(value.to_json());
        }
        self.terms.iter().find_map(|term| match term {
            Term::ArrayContains(variants) => {
                let examples = variants.iter().map(|variant| variant.example().unwrap_or_default());
                Some(Json::Array(examples.collect()))
            }
            _ => None,
        })
    }

    /// Returns the matching rules. A reference becomes a `type` rule. If `exists` returns false for the name in a
    /// reference, returns that name as the error.
    pub fn rules(&self, exists: impl Fn(&str) -> bool) -> Result<Vec<Rule>, Text> {
        self.resolve(&exists)
    }

    /// Returns the name of the first reference in the expression, if there is one.
    pub fn reference(&self) -> Option<&Text> {
        self.terms.iter().find_map(|term| match term {
            Term::Reference(name) => Some(name),
            Term::EachKey(inner) | Term::EachValue(inner) => inner.reference(),
            Term::ArrayContains(variants) => variants.iter().find_map(Self::reference),
            Term::Rule(_) => None,
        })
    }

    /// Returns true if an item of `arrayContains` has no example.
    pub(crate) fn has_variant_without_example(&self) -> bool {
        self.terms.iter().any(|term| match term {
            Term::ArrayContains(variants) => variants
                .iter()
                .any(|variant| variant.example().is_none() || variant.has_variant_without_example()),
            Term::EachKey(inner) | Term::EachValue(inner) => inner.has_variant_without_example(),
            Term::Rule(_) | Term::Reference(_) => false,
        })
    }

    fn resolve(&self, exists: &dyn Fn(&str) -> bool) -> Result<Vec<Rule>, Text> {
        self.terms.iter().map(|term| term.resolve(exists)).collect()
    }

    fn definition(&self, exists: &dyn Fn(&str) -> bool) -> Result<Box<Definition>, Text> {
        Ok(Box::new(Definition {
            rules: self.resolve(exists)?,
            value: self.example(),
            generator: self.generator.clone(),
        }))
    }

    fn variant(&self, index: usize, exists: &dyn Fn(&str) -> bool) -> Result<Variant, Text> {
        let list = RuleList {
            rules: self.resolve(exists)?,
            combine: Combine::And,
        };
        let generator = self.generator.clone();
        Ok(Variant {
            index,
            rules: PathRules::from([(PathExpression::root(), list)]),
            generators: generator.into_iter().map(|g| (PathExpression::root(), g)).collect(),
        })
    }
}

impl Term {
    fn resolve(&self, exists: &dyn Fn(&str) -> bool) -> Result<Rule, Text> {
        Ok(match self {
            Self::Rule(rule) => rule.clone(),
            Self::EachKey(inner) => Rule::EachKey(inner.definition(exists)?),
            Self::EachValue(inner) => Rule::EachValue(inner.definition(exists)?),
            Self::ArrayContains(variants) => Rule::ArrayContains(
                variants
                    .iter()
                    .enumerate()
                    .map(|(index, variant)| variant.variant(index, exists))
                    .collect::<Result<_, _>>()?,
            ),
            Self::Reference(name) if exists(name) => Rule::Type { min: None, max: None },
            Self::Reference(name) => return Err(name.clone()),
        })
    }
}

#[cfg(test)]
mod tests;
