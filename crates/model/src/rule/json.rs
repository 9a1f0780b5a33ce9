//! Converts matching rules from and to the JSON of contract files.

use std::collections::BTreeMap;

use super::{Combine, Definition, PathRules, Rule, RuleError, RuleList, StatusClass, Variant};
use crate::{Found, Generator, Json, Number, Object, SpecificationVersion, Text};

impl StatusClass {
    /// Parses the `status` attribute: the name of a class such as `success`, or an array of status codes. Returns
    /// `None` for other values.
    pub fn from_json(value: &Json) -> Option<Self> {
        match value {
            Json::String(name) => Some(match name.as_str() {
                "info" | "information" => Self::Information,
                "success" => Self::Success,
                "redirect" => Self::Redirect,
                "clientError" | "client-error" => Self::ClientError,
                "serverError" | "server-error" => Self::ServerError,
                "nonError" | "non-error" => Self::NonError,
                "error" => Self::Error,
                _ => return None,
            }),
            Json::Array(codes) => codes
                .iter()
                .map(|code| code.as_u64().and_then(|code| u16::try_from(code).ok()))
                .collect::<Option<_>>()
                .map(Self::Codes),
            _ => None,
        }
    }

    pub fn to_json(&self) -> Json {
        match self {
            Self::Information => "info".into(),
            Self::Success => "success".into(),
            Self::Redirect => "redirect".into(),
            Self::ClientError => "clientError".into(),
            Self::ServerError => "serverError".into(),
            Self::NonError => "nonError".into(),
            Self::Error => "error".into(),
            Self::Codes(codes) => Json::Array(codes.iter().map(|&code| u64::from(code).into()).collect()),
        }
    }
}

impl Rule {
    /// Parses a rule such as `{"match": "type", …}`. Without `match`, the attributes determine the rule, as in V2
    /// files.
    pub fn from_json(json: &Json) -> Result<Self, RuleError> {
        let object = json
            .as_object()
            .ok_or_else(|| RuleError::NotAnObject(Found::Kind(json.kind())))?;
        let name = match NAMES
            .iter()
            .find_map(|name| object.get(name).filter(|name| !name.is_null()))
        {
            Some(Json::String(name)) => name.as_str(),
            Some(_) => return Err(RuleError::Nameless(json.to_text())),
            None => guess(object).ok_or_else(|| RuleError::Nameless(json.to_text()))?,
        };
        Self::from_attributes(name, object)
    }

    /// Creates a rule from its name and attributes. Ignores unknown attributes, except those of unknown rules.
    pub fn from_attributes(name: &str, attributes: &Object) -> Result<Self, RuleError> {
        let missing = |attribute, expected| RuleError::Attribute {
            rule: name.to_owned(),
            attribute,
            expected,
        };
        let text = |attribute| attributes.get(attribute).and_then(Json::as_str).map(Text::from);
        // Negative sizes are ignored. Any other invalid size is an error.
        let size = |attribute| match attributes.get(attribute) {
            None | Some(Json::Null) => Ok(None),
            Some(value) => match size_of(value) {
                None if !is_negative(value) => Err(missing(attribute, "a number of items")),
                size => Ok(size),
            },
        };
        let format = |aliases: &[&'static str]| {
            for attribute in aliases {
                match attributes.get(attribute) {
                    Some(Json::String(format)) if !format.is_empty() => return Ok(Some(format.clone())),
                    None | Some(Json::Null | Json::String(_)) => {}
                    Some(_) => return Err(missing(attribute, "a format string")),
                }
            }
            Ok(None)
        };
        Ok(match name {
            "equality" => Self::Equality,
            "regex" => Self::Regex(text("regex").ok_or_else(|| missing("regex", "a pattern string"))?),
            "type" => Self::Type {
                min: size("min")?,
                max: size("max")?,
            },
            "min" | "min-type" | "minType" => Self::Type {
                min: Some(size("min")?.ok_or_else(|| missing("min", "a whole number"))?),
                max: None,
            },
            "max" | "max-type" | "maxType" => Self::Type {
                min: None,
                max: Some(size("max")?.ok_or_else(|| missing("max", "a whole number"))?),
            },
            "include" => Self::Include(
                attributes
                    .get("value")
                    .map(|value| Text::from(value.text_form()))
                    .ok_or_else(|| missing("value", "a string"))?,
            ),
            "number" => Self::Number,
            "integer" => Self::Integer,
            "decimal" | "real" => Self::Decimal,
            "boolean" => Self::Boolean,
            "null" => Self::Null,
            "date" => Self::Date(format(&["format", "date"])?),
            "time" => Self::Time(format(&["format", "time"])?),
            "datetime" | "timestamp" => Self::DateTime(format(&["format", "timestamp", "datetime"])?),
            "contentType" | "content-type" => Self::ContentType(
                text("value")
                    .and_then(|value| value.parse().ok())
                    .ok_or_else(|| missing("value", "a content type"))?,
            ),
            "values" => Self::Values,
            "arrayContains" | "array-contains" => Self::ArrayContains(variants(name, attributes)?),
            "statusCode" | "status-code" => Self::StatusCode(
                attributes
                    .get("status")
                    .and_then(StatusClass::from_json)
                    .ok_or_else(|| missing("status", "a class such as \"success\", or an array of codes"))?,
            ),
            "notEmpty" | "not-empty" => Self::NotEmpty,
            "semver" => Self::Semver,
            "eachKey" | "each-key" => Self::EachKey(Box::new(Definition::from_attributes(name, attributes)?)),
            "eachValue" | "each-value" => Self::EachValue(Box::new(Definition::from_attributes(name, attributes)?)),
            other => Self::Custom {
                name: other.into(),
                attributes: attributes.without(&NAMES),
            },
        })
    }

    /// Returns the names of the attributes that the rule defines, or `None` for an unknown rule, which keeps all
    /// attributes.
    pub(crate) fn attributes(&self) -> Option<&'static [&'static str]> {
        Some(match self {
            Self::Regex(_) => &["regex"],
            Self::Type { .. } => &["min", "max"],
            Self::Include(_) | Self::ContentType(_) => &["value"],
            Self::Date(_) => &["format", "date"],
            Self::Time(_) => &["format", "time"],
            Self::DateTime(_) => &["format", "timestamp", "datetime"],
            Self::ArrayContains(_) => &["variants"],
            Self::StatusCode(_) => &["status"],
            Self::EachKey(_) | Self::EachValue(_) => &["rules", "value", "generator"],
            Self::Custom { .. } => return None,
            _ => &[],
        })
    }

    /// Converts the rule to JSON in the V4 format, such as `{"match": "type", …}`.
    pub fn to_json(&self) -> Json {
        self.to_json_in(SpecificationVersion::V4)
    }

    /// Converts the rule to JSON in the format of the given version, from V2 to V4. The formats differ only in the name
    /// of [`Rule::DateTime`], which is `timestamp` before V4.
    pub fn to_json_in(&self, version: SpecificationVersion) -> Json {
        let mut object = Object::new();
        let name = match self {
            Self::DateTime(_) if version < SpecificationVersion::V4 => "timestamp",
            other => other.name(),
        };
        object.insert("match", name);
        match self {
            Self::Regex(pattern) => {
                object.insert("regex", pattern.clone());
            }
            Self::Type { min, max } => {
                for (attribute, size) in [("min", min), ("max", max)] {
                    if let Some(size) = size {
                        object.insert(attribute, *size as u64);
                    }
                }
            }
            Self::Include(text) => {
                object.insert("value", text.clone());
            }
            Self::Date(format) | Self::Time(format) | Self::DateTime(format) => {
                if let Some(format) = format {
                    object.insert("format", format.clone());
                }
            }
            Self::ContentType(content_type) => {
                object.insert("value", content_type.to_string());
            }
            Self::ArrayContains(variants) => {
                let variants: Vec<_> = variants.iter().map(|variant| variant.to_json(version)).collect();
                object.insert("variants", variants);
            }
            Self::StatusCode(class) => {
                object.insert("status", class.to_json());
            }
            Self::EachKey(definition) | Self::EachValue(definition) => definition.write_into(version, &mut object),
            Self::Custom { attributes, .. } => {
                for (key, value) in attributes {
                    object.insert(key.clone(), value.clone());
                }
            }
            Self::Equality
            | Self::Number
            | Self::Integer
            | Self::Decimal
            | Self::Boolean
            | Self::Null
            | Self::Values
            | Self::NotEmpty
            | Self::Semver => {}
        }
        object.into()
    }
}

pub(crate) const NAMES: [&str; 3] = ["match", "contract:matcher:type", "pact:matcher:type"];

/// Returns the name of the rule that the attributes of an object without `match` imply, or `None` if they imply none.
/// If several attributes imply a rule, the first one in this function decides.
fn guess(object: &Object) -> Option<&'static str> {
    [
        ("regex", "regex"),
        ("min", "type"),
        ("max", "type"),
        ("timestamp", "datetime"),
        ("datetime", "datetime"),
        ("time", "time"),
        ("date", "date"),
    ]
    .into_iter()
    .find(|(attribute, _)| object.contains_key(attribute))
    .map(|(_, name)| name)
}

/// Parses a size. Also accepts `1.0` and `"1"`, which some tools write. Returns `None` for other values.
pub(crate) fn size_of(value: &Json) -> Option<usize> {
    match value {
        Json::Number(number) => match number.as_u64() {
            Some(size) => usize::try_from(size).ok(),
            // Fractions are truncated, as in other Pact implementations.
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "bounded by the filter"
            )]
            None => Some(number.as_f64())
                .filter(|size| (0.0..9e15).contains(size))
                .map(|size| size as usize),
        },
        Json::String(text) => size_of(&Json::Number(Number::from_text(text)?)),
        _ => None,
    }
}

fn is_negative(value: &Json) -> bool {
    match value {
        Json::Number(number) => number.as_str().starts_with('-'),
        Json::String(text) => text.starts_with('-') && Number::from_text(text).is_some(),
        _ => false,
    }
}

fn variants(rule: &str, attributes: &Object) -> Result<Vec<Variant>, RuleError> {
    let missing = || RuleError::Attribute {
        rule: rule.to_owned(),
        attribute: "variants",
        expected: "an array of variants",
    };
    let variants = match attributes.get("variants") {
        None => return Ok(Vec::new()),
        Some(variants) => variants.as_array().ok_or_else(missing)?,
    };
    variants
        .iter()
        .enumerate()
        .map(|(position, variant)| {
            let object = variant.as_object().ok_or_else(missing)?;
            let index = match object.get("index") {
                None | Some(Json::Null) => position,
                Some(index) => size_of(index).ok_or_else(|| RuleError::Attribute {
                    rule: rule.to_owned(),
                    attribute: "index",
                    expected: "the index of the variant's example in the array",
                })?,
            };
            let mut parsed = Variant {
                index,
                rules: PathRules::new(),
                generators: BTreeMap::new(),
            };
            for (path, list) in object.get("rules").and_then(Json::as_object).into_iter().flatten() {
                parsed.rules.insert(path.parse()?, RuleList::from_json(list)?);
            }
            for (path, generator) in object.get("generators").and_then(Json::as_object).into_iter().flatten() {
                parsed
                    .generators
                    .insert(path.parse()?, Generator::from_json(generator)?);
            }
            Ok(parsed)
        })
        .collect()
}

impl Variant {
    fn to_json(&self, version: SpecificationVersion) -> Json {
        let mut object = Object::new();
        object.insert("index", self.index as u64);
        if !self.generators.is_empty() {
            let generators = self.generators.iter();
            let generators = generators.map(|(path, generator)| (Text::from(path.to_string()), generator.to_json()));
            object.insert("generators", Object::from_distinct(generators.collect()));
        }
        let rules = self.rules.iter();
        let rules = rules.map(|(path, list)| (Text::from(path.to_string()), list.to_json_in(version)));
        object.insert("rules", Object::from_distinct(rules.collect()));
        object.into()
    }
}

impl Definition {
    fn from_attributes(rule: &str, attributes: &Object) -> Result<Self, RuleError> {
        let rules = match attributes.get("rules") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(rules)) => rules.iter().map(Rule::from_json).collect::<Result<_, _>>()?,
            Some(single @ Json::Object(_)) => vec![Rule::from_json(single)?],
            Some(_) => {
                return Err(RuleError::Attribute {
                    rule: rule.to_owned(),
                    attribute: "rules",
                    expected: "an array of rules",
                });
            }
        };
        let generator = attributes
            .get("generator")
            .filter(|g| !g.is_null())
            .map(Generator::from_json)
            .transpose()?;
        Ok(Self {
            rules,
            value: attributes.get("value").cloned(),
            generator,
        })
    }

    fn write_into(&self, version: SpecificationVersion, object: &mut Object) {
        let rules: Vec<_> = self.rules.iter().map(|rule| rule.to_json_in(version)).collect();
        object.insert("rules", rules);
        if let Some(value) = &self.value {
            object.insert("value", value.clone());
        }
        if let Some(generator) = &self.generator {
            object.insert("generator", generator.to_json());
        }
    }
}

impl RuleList {
    /// Parses rules such as `{"combine": "AND", "matchers": […]}`, or a single rule.
    pub fn from_json(json: &Json) -> Result<Self, RuleError> {
        let object = json
            .as_object()
            .ok_or_else(|| RuleError::NotAnObject(Found::Kind(json.kind())))?;
        let Some(matchers) = object.get("matchers") else {
            return Rule::from_json(json).map(Self::single);
        };
        let matchers = matchers
            .as_array()
            .ok_or_else(|| RuleError::NotAList(Found::Kind(matchers.kind())))?;
        let or = object
            .get("combine")
            .and_then(Json::as_str)
            .is_some_and(|combine| combine.eq_ignore_ascii_case("or"));
        Ok(Self {
            rules: matchers.iter().map(Rule::from_json).collect::<Result<_, _>>()?,
            combine: if or { Combine::Or } else { Combine::And },
        })
    }

    /// Converts the rules to JSON in the V4 format, such as `{"combine": "AND", "matchers": […]}`.
    pub fn to_json(&self) -> Json {
        self.to_json_in(SpecificationVersion::V4)
    }

    /// Converts the rules to JSON in the format of the given version, such as `{"combine": "AND", "matchers": […]}`.
    pub fn to_json_in(&self, version: SpecificationVersion) -> Json {
        let combine = match self.combine {
            Combine::And => "AND",
            Combine::Or => "OR",
        };
        let mut object = Object::new();
        object.insert("combine", combine);
        let rules: Vec<_> = self.rules.iter().map(|rule| rule.to_json_in(version)).collect();
        object.insert("matchers", rules);
        object.into()
    }
}

#[cfg(test)]
mod tests {
    use super::{Json, Rule, RuleList};

    fn rewritten(text: &str) -> String {
        RuleList::from_json(&Json::parse(text.as_bytes()).unwrap())
            .unwrap()
            .to_json()
            .to_text()
    }

    #[test]
    fn lists_are_written_as_read() {
        for text in [
            r#"{"combine":"AND","matchers":[{"match":"type","min":1,"max":3}]}"#,
            r#"{"combine":"OR","matchers":[{"match":"null"},{"match":"regex","regex":"\\d+"}]}"#,
            r#"{"combine":"AND","matchers":[{"match":"arrayContains","variants":[{"index":0,"rules":{"$.a":{"combine":"AND","matchers":[{"match":"type"}]}}}]}]}"#,
            r#"{"combine":"AND","matchers":[{"match":"eachKey","rules":[{"match":"regex","regex":"a.*"}],"value":"ab"}]}"#,
            r#"{"combine":"AND","matchers":[{"match":"statusCode","status":[200,201]},{"match":"datetime","format":"yyyy"}]}"#,
            r#"{"combine":"AND","matchers":[{"match":"my-plugin-rule","depth":3}]}"#,
        ] {
            assert_eq!(rewritten(text), text);
        }
    }

    #[test]
    fn attributes_determine_rules_without_a_name() {
        assert_eq!(
            rewritten(r#"{"min":"2"}"#),
            r#"{"combine":"AND","matchers":[{"match":"type","min":2}]}"#
        );
        assert_eq!(
            rewritten(r#"{"timestamp":"yyyy"}"#),
            r#"{"combine":"AND","matchers":[{"match":"datetime","format":"yyyy"}]}"#
        );
    }

    #[test]
    fn reports_missing_attributes() {
        let error = |text: &str| {
            Rule::from_json(&Json::parse(text.as_bytes()).unwrap())
                .unwrap_err()
                .to_string()
        };
        assert_eq!(
            error(r#"{"match":"regex"}"#),
            r#"the rule "regex" requires the attribute "regex" (a pattern string)"#
        );
        assert_eq!(error("{}"), r#"the rule {} requires the attribute "match""#);
        assert_eq!(error("[]"), "a matching rule must be an object, found an array");
    }

    #[test]
    fn rejects_rules_that_are_not_a_list() {
        let error = |text: &str| RuleList::from_json(&Json::parse(text.as_bytes()).unwrap()).unwrap_err();
        assert_eq!(
            error(r#"{"matchers":{"match":"type"}}"#).to_string(),
            r#""matchers" must be an array of matching rules, found an object"#
        );
        assert_eq!(
            error("5").to_string(),
            "a matching rule must be an object, found a number"
        );
    }

    #[test]
    fn rejects_invalid_sizes() {
        for (size, want) in [
            ("1.9", r#"{"match":"type","min":1}"#),
            ("\"2.0\"", r#"{"match":"type","min":2}"#),
            ("null", r#"{"match":"type"}"#),
            ("-1", r#"{"match":"type"}"#),
            ("\"-1.5\"", r#"{"match":"type"}"#),
        ] {
            assert_eq!(
                rewritten(&format!(r#"{{"match":"type","min":{size}}}"#)),
                format!(r#"{{"combine":"AND","matchers":[{want}]}}"#)
            );
        }
        let refused = |text: &str| {
            Rule::from_json(&Json::parse(text.as_bytes()).unwrap())
                .unwrap_err()
                .to_string()
        };
        for size in ["99999999999999999999", "1e400", "\"x\"", "true", "[1]"] {
            assert_eq!(
                refused(&format!(r#"{{"match":null,"max":{size}}}"#)),
                r#"the rule "type" requires the attribute "max" (a number of items)"#,
                "{size}"
            );
        }
        assert_eq!(
            refused(r#"{"match":"date","format":5}"#),
            r#"the rule "date" requires the attribute "format" (a format string)"#
        );
        assert_eq!(
            refused(r#"{"match":"arrayContains","variants":[{"index":99999999999999999999}]}"#),
            r#"the rule "arrayContains" requires the attribute "index" (the index of the variant's example in the array)"#
        );
    }
}
