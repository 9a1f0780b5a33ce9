//! Calls to plugins that compare and generate single values. They require interface version 2.

use std::time::Duration;

use contract_model::{Generator, Json, NumberKind, Object, Rule};

use crate::catalogue::EntryKind;
use crate::contents::{Difference, write_generator, write_rule};
use crate::error::PluginError;
use crate::plugin::{Configuration, Plugin};
use crate::values::{as_struct, from_number, from_value, test_mode, to_value};
use crate::wire::v2;
use crate::wire::v2::field_value::Value as FieldValue;

/// A single value to compare, using a matching rule that a plugin defines.
#[derive(Clone, Copy, Debug)]
pub struct FieldComparison<'a> {
    /// The matching rule. Its name is the key of the plugin's catalogue entry.
    pub rule: &'a Rule,
    /// Path expression of a value in the body, or name of a header, query parameter, or metadata value.
    pub path: &'a str,
    /// Part of the message, such as `body` or `header`.
    pub part: &'a str,
    pub expected: &'a Json,
    pub actual: &'a Json,
    pub configuration: &'a Configuration,
    /// Data about the test for the plugin, such as `testRunId`.
    pub context: &'a Object,
}

impl Plugin {
    /// Compares a value. Returns an empty list if it matches.
    pub async fn match_field(
        &self,
        comparison: FieldComparison<'_>,
        limit: Duration,
    ) -> Result<Vec<Difference>, PluginError> {
        let key = comparison.rule.name();
        let request = v2::MatchFieldRequest {
            key: key.to_owned(),
            rule: Some(write_rule(comparison.rule)),
            path: comparison.path.to_owned(),
            mismatch_type: comparison.part.to_owned(),
            expected: Some(write_field(comparison.expected)),
            actual: Some(write_field(comparison.actual)),
            plugin_configuration: Some(comparison.configuration.on_wire()),
            test_context: Some(as_struct(comparison.context)),
        };
        let link = self.0.chain(&self.entry(EntryKind::Matcher, key), limit);
        let mark = self.mark();
        let answer = self.0.match_field(request, limit, Some(&link.id)).await?;
        if !answer.error.is_empty() {
            return Err(self.refusal("compare the value", &answer.error, mark));
        }
        let differences = answer.mismatches.into_iter().map(Difference::from_wire);
        Ok(differences.collect())
    }

    /// Returns a generated value. `is_provider` is true when a provider is verified, and false in a consumer test.
    pub async fn generate_field(
        &self,
        generator: &Generator,
        path: &str,
        example: &Json,
        configuration: &Configuration,
        (context, is_provider): (&Object, bool),
        limit: Duration,
    ) -> Result<Json, PluginError> {
        let key = generator.name();
        let request = v2::GenerateFieldRequest {
            key: key.to_owned(),
            generator: Some(write_generator(generator)),
            path: path.to_owned(),
            example_value: Some(write_field(example)),
            plugin_configuration: Some(configuration.on_wire()),
            test_context: Some(as_struct(context)),
            test_mode: test_mode(is_provider),
        };
        let link = self.0.chain(&self.entry(EntryKind::Generator, key), limit);
        let mark = self.mark();
        let answer = self.0.generate_field(request, limit, Some(&link.id)).await?;
        if !answer.error.is_empty() {
            return Err(self.refusal("generate the value", &answer.error, mark));
        }
        Ok(read_field(answer.value))
    }
}

/// Converts JSON to a protobuf value. Unlike `google.protobuf.Value`, it distinguishes integers from decimal numbers.
pub(crate) fn write_field(json: &Json) -> v2::FieldValue {
    let value = match json {
        Json::Null => FieldValue::NullValue(0),
        Json::Bool(value) => FieldValue::BooleanValue(*value),
        Json::String(text) => FieldValue::StringValue(text.to_string()),
        Json::Number(number) => match number.as_i64() {
            Some(whole) if number.kind() == NumberKind::Integer => FieldValue::IntegerValue(whole),
            _ => FieldValue::DecimalValue(number.as_f64()),
        },
        Json::Array(_) | Json::Object(_) => FieldValue::StructuredValue(to_value(json, &mut Vec::new())),
    };
    v2::FieldValue { value: Some(value) }
}

pub(crate) fn read_field(value: Option<v2::FieldValue>) -> Json {
    match value.and_then(|value| value.value) {
        None | Some(FieldValue::NullValue(_)) => Json::Null,
        Some(FieldValue::BooleanValue(value)) => Json::Bool(value),
        Some(FieldValue::StringValue(text)) => text.into(),
        Some(FieldValue::IntegerValue(whole)) => Json::parse(whole.to_string().as_bytes()).unwrap_or_default(),
        Some(FieldValue::DecimalValue(value)) => decimal(value),
        Some(FieldValue::BinaryValue(bytes)) => String::from_utf8_lossy(&bytes).into_owned().into(),
        Some(FieldValue::StructuredValue(value)) => from_value(value),
    }
}

/// Converts a decimal number. 3 becomes 3.0, so that it is not read as an integer.
fn decimal(value: f64) -> Json {
    let json = from_number(value);
    match &json {
        Json::Number(number) if number.kind() == NumberKind::Integer => {
            Json::parse(format!("{}.0", number.as_str()).as_bytes()).unwrap_or(json)
        }
        _ => json,
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::{read_field, write_field};

    #[test]
    fn distinguishes_integers_and_decimals() {
        for text in [
            "null",
            "true",
            "7",
            "-7",
            "9007199254740993",
            "7.0",
            "7.5",
            "\"7\"",
            "[7]",
            "{\"a\":7}",
        ] {
            let json = Json::parse(text.as_bytes()).unwrap();
            assert_eq!(read_field(Some(write_field(&json))).to_text(), text);
        }
    }
}
