//! Detects content that a version of the Pact Specification cannot represent.

use contract_model::{Headers, Interaction, InteractionKind, Loss, SpecificationVersion, WriteError};

use contract_call::error::{ArgumentError, Done, SPECIFICATION};
use contract_call::message::{message, operation};

/// Returns the interaction if the version supports it, or an error that lists everything the version does not support.
pub(super) fn convert_to_version(
    mut interaction: Interaction,
    version: SpecificationVersion,
) -> Result<Interaction, ArgumentError> {
    if version >= SpecificationVersion::V4 {
        return Ok(interaction);
    }
    declare_type(&mut interaction);
    let losses = match interaction.to_json(version) {
        Ok((_, warnings)) => warnings,
        Err(error @ WriteError::Kind { .. }) => return Err(ArgumentError::new(SPECIFICATION, error.to_string())),
        // Errors that concern the whole contract are reported when the file is written.
        Err(_) => return Ok(interaction),
    };
    let serious = losses.iter().filter(|warning| is_serious(&warning.loss, &interaction));
    let losses: Vec<_> = serious.map(|warning| warning.loss.to_string()).collect();
    if losses.is_empty() {
        return Ok(interaction);
    }
    let message = message![
        format!(
            "this cannot be written in a {version} contract: {}; remove it, or choose a later version with ",
            losses.join("; ")
        ),
        operation("with_specification")
    ];
    Err(ArgumentError::new(SPECIFICATION, message))
}

/// Returns an error if the version is below V4. `what` names the feature that requires V4.
pub(super) fn check_v4(version: SpecificationVersion, feature: &str) -> Done {
    if version >= SpecificationVersion::V4 {
        return Ok(());
    }
    let message = message![
        format!("{feature} requires V4, but the contract is written in {version}; use "),
        operation("with_specification"),
        "('V4')"
    ];
    Err(ArgumentError::new(SPECIFICATION, message))
}

/// Returns true if the loss changes the meaning of the contract. The loss of generators does not, because the examples
/// and rules remain; the loss of test names does not either, because they are only comments.
fn is_serious(loss: &Loss, interaction: &Interaction) -> bool {
    match loss {
        Loss::Member { member: "comments" } => interaction.comments.keys().any(|name| name != "testname"),
        Loss::Member { .. }
        | Loss::FurtherStates { .. }
        | Loss::StateParameters { .. }
        | Loss::FurtherRules { .. }
        | Loss::BodyType { .. }
        | Loss::Body { .. } => true,
        // A joined line is equivalent to its values, unless there are rules for single values or the header cannot be
        // joined.
        Loss::HeaderValues { part, name } => {
            Headers::is_never_joined(name) || has_header_rules(interaction, part, name)
        }
        _ => false,
    }
}

/// Stores the content type in the metadata of a message. Before V4, messages have no other place for it.
fn declare_type(interaction: &mut Interaction) {
    if let InteractionKind::AsyncMessage(message) = &mut interaction.kind
        && message.metadata_content_type().is_none()
        && let Some(content_type) = message.contents.content_type().map(ToString::to_string)
    {
        message.metadata.insert("contentType", content_type);
    }
}

/// Returns true if the header or one of its values has rules.
fn has_header_rules(interaction: &Interaction, part: &str, name: &str) -> bool {
    let InteractionKind::Http(http) = &interaction.kind else {
        return false;
    };
    let rules = if part == "request" {
        &http.request.rules.header
    } else {
        &http.response.rules.header
    };
    rules.keys().any(|key| {
        let key_name = key.split_once('[').map_or(key.as_str(), |(key_name, _)| key_name);
        key_name.eq_ignore_ascii_case(name)
    })
}
