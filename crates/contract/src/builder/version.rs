//! What a version of the specification cannot say, where a file without it would promise something else.

use contract_model::{Headers, Interaction, InteractionKind, Loss, SpecificationVersion, WriteError};

use crate::error::{ArgumentError, Done, SPECIFICATION};
use crate::message::{operation, told};

/// The interaction as the version can say it; refuses what it cannot say, all of it at once.
pub(super) fn fitted(
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
        // What contracts as a whole cannot hold is told when the file is written.
        Err(_) => return Ok(interaction),
    };
    let serious = losses.iter().filter(|warning| is_serious(&warning.loss, &interaction));
    let losses: Vec<_> = serious.map(|warning| warning.loss.to_string()).collect();
    if losses.is_empty() {
        return Ok(interaction);
    }
    let message = told![
        format!(
            "this cannot be written in a {version} contract: {}; remove it, or choose a later version with ",
            losses.join("; ")
        ),
        operation("with_specification")
    ];
    Err(ArgumentError::new(SPECIFICATION, message))
}

/// Refuses what only V4 can do.
pub(super) fn check_v4(version: SpecificationVersion, what: &str) -> Done {
    if version >= SpecificationVersion::V4 {
        return Ok(());
    }
    let message = told![
        format!("{what} requires V4, but the contract is written in {version}; use "),
        operation("with_specification"),
        "('V4')"
    ];
    Err(ArgumentError::new(SPECIFICATION, message))
}

/// Whether a file without it says something else. Without its generators a contract still has its examples and its rules,
/// and the name of a test is a remark.
fn is_serious(loss: &Loss, interaction: &Interaction) -> bool {
    match loss {
        Loss::Member { member: "comments" } => interaction.comments.keys().any(|name| name != "testname"),
        Loss::Member { .. }
        | Loss::FurtherStates { .. }
        | Loss::StateParameters { .. }
        | Loss::FurtherRules { .. }
        | Loss::Body { .. } => true,
        // A line says the same as its values, unless there are rules for each of them, or the header has no such line.
        Loss::HeaderValues { part, name } => {
            Headers::is_never_joined(name) || has_header_rules(interaction, part, name)
        }
        _ => false,
    }
}

/// Before V4 the metadata are the only place for the content type of a message; without it a reader would have to guess.
fn declare_type(interaction: &mut Interaction) {
    if let InteractionKind::AsyncMessage(message) = &mut interaction.kind
        && message.metadata_content_type().is_none()
        && let Some(content_type) = message.contents.content_type().map(ToString::to_string)
    {
        message.metadata.insert("contentType", content_type);
    }
}

/// Whether there are rules for a header of that part, or for one of its values.
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
        let named = key.split_once('[').map_or(key.as_str(), |(named, _)| named);
        named.eq_ignore_ascii_case(name)
    })
}
