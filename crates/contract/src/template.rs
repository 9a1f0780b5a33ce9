//! Compares values with templates that contain matchers, for assertions in test runners.

use contract_call::error::{ArgumentError, MATCHER};
use contract_definition::{ContractBuilder, Kind};
use contract_matching::{ActualBody, ActualMessage, Location, MessagePlan, Options};
use contract_model::{ContentType, InteractionKind, Json, Object, SpecificationVersion};
use contract_report::Finding;

/// Compares a value with a template, which may contain matchers. Object members that the template does not contain are
/// allowed. Returns the mismatches as a JSON array.
pub fn compare_with_template(template: &Json, value: &Json) -> Result<String, ArgumentError> {
    let contract = ContractBuilder::new("template", "value")?;
    let message = contract.upon_receiving("a value", Kind::Async, "")?;
    message.apply_text(&format!(r#"{{"with_json_body":{{"body":{}}}}}"#, template.to_text()))?;
    let interaction = message.build()?;
    let InteractionKind::AsyncMessage(expected) = &interaction.kind else {
        return Ok("[]".to_owned());
    };
    let options = Options {
        specification: SpecificationVersion::V4,
        ..Options::LENIENT
    };
    let plan = MessagePlan::new(expected, options).map_err(|error| ArgumentError::new(MATCHER, error.to_string()))?;
    let actual = ActualMessage {
        contents: ActualBody::new(value.to_text().into_bytes(), Some(ContentType::json())),
        metadata: Object::new(),
    };
    let mut found = plan.compare(&actual);
    // The metadata contains only the content type of the template, so its mismatches are irrelevant.
    found.retain(|mismatch| !matches!(mismatch.at, Location::Metadata { .. }));
    Ok(contract_call::json::to_text(&Finding::all(found)))
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::compare_with_template;

    #[test]
    fn compares_by_the_matchers_of_the_template() {
        let compare = |template: &str, value: &str| {
            let (template, value) = (Json::parse(template.as_bytes()), Json::parse(value.as_bytes()));
            compare_with_template(&template.unwrap(), &value.unwrap()).map_err(|error| error.to_string())
        };
        let template = r#"{"id":{"contract:matcher:type":"integer","value":1},"name":"a"}"#;
        assert_eq!(
            compare(template, r#"{"id":7,"name":"a","more":true}"#),
            Ok("[]".to_owned())
        );
        let found = compare(template, r#"{"id":"7","name":"b"}"#).unwrap();
        assert!(
            found.contains(r#""place":"$.id""#) && found.contains(r#""place":"$.name""#),
            "{found}"
        );
        assert_eq!(compare(r#""text""#, r#""text""#), Ok("[]".to_owned()));
        assert_ne!(compare("1", "null"), Ok("[]".to_owned()));
        assert!(compare(r#"{"contract:matcher:type":"nonsense","value":1}"#, "1").is_err());
    }
}
