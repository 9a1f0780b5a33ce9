//! Parses the matchers and generators in a template.

use super::error::{DEFAULT_EXAMPLE_LIMIT, TemplateError, TemplateErrorKind as Kind};
use super::split::{Below, Splitter, error, generator_type, matcher_type};
use crate::place::Place;
use crate::rule::size_of;
use crate::{
    Combine, Generator, Json, MatchingExpression, Object, PathToken, Rule, RuleError, RuleList, StatusClass, Variant,
};

/// Number of nesting levels between `arrayContains` and a rule of a variant: variants, variant, rules, path, matchers,
/// rule.
const LEVELS_OF_A_VARIANT: usize = 6;

/// The result of parsing the type of a matcher.
#[derive(Default)]
struct Found<'a> {
    rules: Vec<Rule>,
    combine: Combine,
    /// The generator that a matching expression implies, or `None` if it implies none.
    generator: Option<Generator>,
    /// The complete example, or `None` if the type does not imply one.
    example: Option<Json>,
    /// The template to use if `value` is missing, and its location. `None` if there is none.
    template: Option<(&'a Json, String)>,
}

impl Splitter {
    /// Parses a matcher, a generator, or an object that is both. Returns its example.
    pub(super) fn matcher(
        &mut self,
        object: &Object,
        kind: Option<&Json>,
        generator: Option<&Json>,
        place: &Place,
    ) -> Result<Json, TemplateError> {
        let mut found = match kind {
            Some(kind) => self.matcher_kind(kind, object, place)?,
            None => Found::default(),
        };
        let generator = match generator {
            Some(name) => Some(read_generator(name, object, place)?),
            None => found.generator.take(),
        };
        if let Some(Generator::RandomInt { .. }) = generator {
            // The bounds of a RandomInt generator are attributes of the same object, but not of the rule.
            for rule in &mut found.rules {
                if let Rule::Type { .. } = rule {
                    *rule = Rule::Type { min: None, max: None };
                }
            }
        }
        let has_value = object.contains_key("value");
        if kind.is_none() && !(has_value && generator.as_ref().is_some_and(is_exact)) {
            found.rules.push(Rule::Type { min: None, max: None });
        }
        if !found.rules.is_empty() {
            let list = RuleList {
                rules: found.rules.clone(),
                combine: found.combine,
            };
            self.add_rules(list, place)?;
        }
        if let Some(generator) = &generator {
            self.generators.insert(self.path.clone(), generator.clone());
        }
        self.example(object, found, generator, place)
    }

    fn example(
        &mut self,
        object: &Object,
        mut found: Found,
        generator: Option<Generator>,
        place: &Place,
    ) -> Result<Json, TemplateError> {
        let below = Below {
            any_index: true,
            any_key: found
                .rules
                .iter()
                .any(|rule| matches!(rule, Rule::Values | Rule::EachValue(_))),
        };
        let is_list_of_variants = found.rules.iter().any(|rule| matches!(rule, Rule::ArrayContains(_)));
        if is_list_of_variants && let Some(example) = found.example.take() {
            return Ok(example);
        }
        if let Some(template) = object.get("value") {
            let place = place.key("value");
            let example = self.value(template, &place, below)?;
            return repeated(template, example, object, &found.rules).map_err(|kind| error(&place, kind));
        }
        if let Some((template, at)) = found.template {
            return self.value(template, place, below).map_err(|inner| TemplateError {
                at: format!("{at}{}", inner.at.strip_prefix(&place.to_string()).unwrap_or(&inner.at)),
                ..inner
            });
        }
        if let Some(example) = found.example.or_else(|| found.rules.iter().find_map(own_example)) {
            return Ok(example);
        }
        if let Some(generator) = generator {
            self.needs.push((self.path.clone(), generator));
            return Ok(Json::Null);
        }
        let name = found.rules.first().map_or("", Rule::name).to_owned();
        Err(error(place, Kind::MissingValue(name)))
    }

    fn matcher_kind<'a>(
        &mut self,
        kind: &'a Json,
        object: &'a Object,
        place: &Place,
    ) -> Result<Found<'a>, TemplateError> {
        match kind {
            // Names of matchers do not contain parentheses.
            Json::String(text) if text.contains('(') => expression(text, object, place),
            Json::String(name) => {
                let (rule, example) = self.rule(name, object, place)?;
                Ok(Found {
                    rules: vec![rule],
                    example,
                    ..Found::default()
                })
            }
            Json::Array(kinds) if !kinds.is_empty() => self.several(kinds, object, place),
            _ => Err(error(place, Kind::MatcherType)),
        }
    }

    /// Parses an array of matchers. Each item is either an object, or a name whose attributes are next to the array.
    fn several<'a>(
        &mut self,
        kinds: &'a [Json],
        object: &'a Object,
        place: &Place,
    ) -> Result<Found<'a>, TemplateError> {
        let mut found = Found {
            combine: combine(object, place)?,
            ..Found::default()
        };
        let list = place.key("contract:matcher:type");
        for (index, kind) in kinds.iter().enumerate() {
            let place = list.index(index);
            let wrong = || error(&place, Kind::MatcherType);
            let (name, attributes) = match kind {
                Json::String(name) => (name, object),
                Json::Object(own) => match matcher_type(own) {
                    Some(Json::String(name)) => (name, own),
                    _ => return Err(wrong()),
                },
                _ => return Err(wrong()),
            };
            if name.contains('(') {
                let inner = expression(name, attributes, &place)?;
                found.rules.extend(inner.rules);
                found.example = found.example.or(inner.example);
                continue;
            }
            let (rule, example) = self.rule(name, attributes, &place)?;
            if found.template.is_none()
                && !std::ptr::eq(attributes, object)
                && let Some(value) = attributes.get("value")
            {
                found.template = Some((value, place.key("value").to_string()));
            }
            found.rules.push(rule);
            found.example = found.example.or(example);
        }
        Ok(found)
    }

    /// Creates a rule from its name and attributes. Also returns an example if the rule implies one.
    fn rule(&mut self, name: &str, attributes: &Object, place: &Place) -> Result<(Rule, Option<Json>), TemplateError> {
        if matches!(name, "arrayContains" | "array-contains") {
            return self.array_contains(name, attributes, place);
        }
        let wrong = |kind| error(place, kind);
        let mut rule = Rule::from_attributes(name, attributes).map_err(|e| wrong(Kind::Rule(e)))?;
        match &mut rule {
            Rule::Custom { .. } => return Err(wrong(Kind::UnknownMatcher(name.to_owned()))),
            // The bounds of a RandomInt generator are attributes of the same object, but not of the rule.
            Rule::Type { min, max } if generator_type(attributes).and_then(Json::as_str) == Some("RandomInt") => {
                (*min, *max) = (None, None);
            }
            Rule::Type { min, max } => check_sizes(name, attributes, *min, *max).map_err(wrong)?,
            Rule::Date(_) | Rule::Time(_) | Rule::DateTime(_)
                if attributes
                    .get("format")
                    .is_some_and(|format| !format.is_null() && format.as_str().is_none()) =>
            {
                return Err(wrong(missing(name, "format", "a format string")));
            }
            Rule::StatusCode(StatusClass::Codes(codes)) if codes.is_empty() => {
                return Err(wrong(missing(name, "status", "an array of at least one status code")));
            }
            Rule::EachKey(definition) | Rule::EachValue(definition) => {
                // The example is stored in the body. A rule would interpret it as a template.
                definition.value = None;
                if definition.rules.is_empty() {
                    return Err(wrong(missing(name, "rules", "an array of at least one rule")));
                }
                if let Some(unknown) = definition.rules.iter().find_map(unknown_rule) {
                    return Err(wrong(Kind::UnknownMatcher(unknown.to_owned())));
                }
            }
            _ => {}
        }
        Ok((rule, None))
    }

    /// Parses the variants of `arrayContains` as separate templates, with paths relative to the item.
    fn array_contains(
        &mut self,
        name: &str,
        attributes: &Object,
        place: &Place,
    ) -> Result<(Rule, Option<Json>), TemplateError> {
        let templates = attributes
            .get("variants")
            .and_then(Json::as_array)
            .filter(|variants| !variants.is_empty())
            .ok_or_else(|| error(place, missing(name, "variants", "an array of at least one example")))?;
        let place = place.key("variants");
        let mut variants = Vec::with_capacity(templates.len());
        let mut examples = Vec::with_capacity(templates.len());
        for (index, template) in templates.iter().enumerate() {
            let mut inner = Self {
                // In the file, the rules of a variant are nested more deeply than in the template.
                depth: self.depth + LEVELS_OF_A_VARIANT - 1,
                ..Self::default()
            };
            examples.push(inner.value(template, &place.index(index), Below::default())?);
            for (path, generator) in inner.needs {
                let mut whole = self.path.join(PathToken::Index(index));
                path.tokens().iter().for_each(|token| whole.push(token.clone()));
                self.needs.push((whole, generator));
            }
            variants.push(Variant {
                index,
                rules: inner.rules,
                generators: inner.generators,
            });
        }
        Ok((Rule::ArrayContains(variants), Some(Json::Array(examples))))
    }
}

/// Returns true for generators with an example that the consumer test receives unchanged.
fn is_exact(generator: &Generator) -> bool {
    matches!(
        generator,
        Generator::ProviderState { .. } | Generator::MockServerUrl { .. }
    )
}

fn read_generator(name: &Json, object: &Object, place: &Place) -> Result<Generator, TemplateError> {
    let name = name.as_str().ok_or_else(|| error(place, Kind::GeneratorType))?;
    match Generator::from_attributes(name, object).map_err(|e| error(place, Kind::Generator(e)))? {
        Generator::Custom { name, .. } => Err(error(place, Kind::UnknownGenerator(name.to_string()))),
        generator => Ok(generator),
    }
}

/// Parses a type that is a matching expression. A reference takes its example from the member that it names.
fn expression<'a>(text: &str, object: &'a Object, place: &Place) -> Result<Found<'a>, TemplateError> {
    let expression: MatchingExpression = text.parse().map_err(|e| error(place, Kind::Expression(e)))?;
    let rules = expression
        .rules(|name| object.contains_key(name))
        .map_err(|name| error(place, Kind::Reference(name.to_string())))?;
    if let Some(unknown) = rules.iter().find_map(unknown_rule) {
        return Err(error(place, Kind::UnknownMatcher(unknown.to_owned())));
    }
    if expression.has_variant_without_example() {
        return Err(error(place, Kind::VariantWithoutExample));
    }
    let template = expression
        .reference()
        .and_then(|name| Some((object.get(name)?, place.key(name).to_string())));
    Ok(Found {
        rules,
        example: expression.example(),
        generator: expression.generator,
        template,
        ..Found::default()
    })
}

fn combine(object: &Object, place: &Place) -> Result<Combine, TemplateError> {
    match object.get("combine") {
        None | Some(Json::Null) => Ok(Combine::And),
        Some(Json::String(text)) if text.eq_ignore_ascii_case("and") => Ok(Combine::And),
        Some(Json::String(text)) if text.eq_ignore_ascii_case("or") => Ok(Combine::Or),
        Some(_) => Err(error(&place.key("combine"), Kind::Combine)),
    }
}

fn missing(rule: &str, attribute: &'static str, expected: &'static str) -> Kind {
    Kind::Rule(RuleError::Attribute {
        rule: rule.to_owned(),
        attribute,
        expected,
    })
}

/// Rejects invalid sizes. The readers of contract files are more lenient: they ignore invalid sizes and truncate
/// fractions.
fn check_sizes(name: &str, attributes: &Object, min: Option<usize>, max: Option<usize>) -> Result<(), Kind> {
    for (attribute, size) in [("min", min), ("max", max)] {
        let attribute_value = attributes.get(attribute).filter(|value| !value.is_null());
        let is_fraction = attribute_value
            .is_some_and(|value| matches!(value, Json::Number(number) if number.as_f64().fract() != 0.0));
        if is_fraction || attribute_value.is_some_and(|value| size.is_none() && size_of(value).is_none()) {
            return Err(missing(name, attribute, "a non-negative integer"));
        }
    }
    match (min, max) {
        (Some(min), Some(max)) if min > max => Err(Kind::Bounds { min, max }),
        _ => Ok(()),
    }
}

/// Returns the name of the first unknown rule at any depth.
fn unknown_rule(rule: &Rule) -> Option<&str> {
    match rule {
        Rule::Custom { name, .. } => Some(name),
        Rule::EachKey(definition) | Rule::EachValue(definition) => definition.rules.iter().find_map(unknown_rule),
        Rule::ArrayContains(variants) => variants
            .iter()
            .flat_map(|variant| variant.rules.values())
            .flat_map(|list| &list.rules)
            .find_map(unknown_rule),
        _ => None,
    }
}

/// Returns the example of a rule that allows only specific values, or `None` for other rules.
fn own_example(rule: &Rule) -> Option<Json> {
    match rule {
        Rule::Null => Some(Json::Null),
        Rule::StatusCode(class) => Some(u64::from(representative(class)?).into()),
        _ => None,
    }
}

fn representative(class: &StatusClass) -> Option<u16> {
    Some(match class {
        StatusClass::Information => 100,
        StatusClass::Success | StatusClass::NonError => 200,
        StatusClass::Redirect => 300,
        StatusClass::ClientError | StatusClass::Error => 400,
        StatusClass::ServerError => 500,
        StatusClass::Codes(codes) => *codes.first()?,
    })
}

/// Repeats the only item of an array in a `type` matcher.
fn repeated(template: &Json, mut example: Json, object: &Object, rules: &[Rule]) -> Result<Json, Kind> {
    let size = |name| match object.get(name) {
        None | Some(Json::Null) => Ok(None),
        Some(count) => size_of(count).map(Some).ok_or(Kind::Examples),
    };
    let examples = size("examples")?;
    let sizes = rules.iter().find_map(|rule| match rule {
        Rule::Type { min, max } => Some((min.unwrap_or(0), max.unwrap_or(usize::MAX))),
        _ => None,
    });
    let is_template = template.as_array().is_some_and(|items| items.len() == 1);
    if let (Some((min, max)), true, Json::Array(items)) = (sizes, is_template, &mut example)
        && (examples.is_some() || min > 1)
    {
        let count = examples.unwrap_or(min);
        if count < min || count > max {
            return Err(Kind::Examples);
        }
        let item = items.pop().unwrap_or_default();
        let limit = size("exampleLimit")?.unwrap_or(DEFAULT_EXAMPLE_LIMIT);
        let bytes = weight(&item);
        if bytes.saturating_mul(count) > limit {
            return Err(Kind::ExampleLimit { count, bytes, limit });
        }
        items.resize(count, item);
    }
    Ok(example)
}

/// Returns the approximate size of a value as JSON text in bytes, including a comma. An escaped character counts as one
/// byte.
fn weight(value: &Json) -> usize {
    1 + match value {
        Json::Null | Json::Bool(true) => 4,
        Json::Bool(false) => 5,
        Json::Number(number) => number.as_str().len(),
        Json::String(text) => text.len() + 2,
        Json::Array(items) => 2 + items.iter().map(weight).sum::<usize>(),
        Json::Object(members) => {
            2 + members
                .iter()
                .map(|(name, value)| name.len() + 3 + weight(value))
                .sum::<usize>()
        }
    }
}
