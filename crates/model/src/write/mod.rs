//! Writes contract documents in V2, V3, and V4. The output is sorted and deterministic.
//!
//! Content that a version cannot represent is either omitted with a warning or rejected with an error.

mod body;
mod error;
mod http;
mod interaction;
mod rules;

use std::cmp::Ordering;

pub use error::{Loss, WriteError, WriteWarning};
pub use rules::is_flat_name;

use crate::interaction::ASYNC_MESSAGE;
use crate::read::RESERVED_METADATA;
use crate::{Contract, Interaction, InteractionKind, Json, Layout, Object, SpecificationVersion, Text};

/// A contract as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The whole file: members are sorted and indented by two spaces. Ends with a newline.
    pub text: String,
    /// Warnings about content that was omitted or changed.
    pub warnings: Vec<WriteWarning>,
}

/// Compares interactions by their order in a file: by description, provider states, type, and key. Interactions that
/// differ only in their full text come last, in the order of that text.
pub fn file_order(a: &Interaction, b: &Interaction) -> Ordering {
    identity_order(a, b).then_with(|| a.key.cmp(&b.key)).then_with(|| {
        match (a.kind.only_identity(), b.kind.only_identity()) {
            (Some(a), Some(b)) => json_order(a, b),
            _ => Ordering::Equal,
        }
    })
}

/// Compares interactions by description, provider states, and type, in the order of [`file_order`]. The same
/// interactions compare equal.
pub(crate) fn identity_order(a: &Interaction, b: &Interaction) -> Ordering {
    a.description
        .cmp(&b.description)
        .then_with(|| states_order(a, b))
        .then_with(|| a.kind.type_name().cmp(b.kind.type_name()))
        .then_with(|| {
            let is_apart = |interaction: &Interaction| interaction.kind.only_identity().is_some();
            is_apart(a).cmp(&is_apart(b))
        })
}

fn states_order(a: &Interaction, b: &Interaction) -> Ordering {
    for (a, b) in a.states.iter().zip(&b.states) {
        let order = a.name.cmp(&b.name).then_with(|| {
            if a.parameters == b.parameters {
                return Ordering::Equal;
            }
            json_order(&a.parameters.clone().into(), &b.parameters.clone().into())
        });
        if order.is_ne() {
            return order;
        }
    }
    a.states.len().cmp(&b.states.len())
}

/// Compares values by their canonical text, so that the notation of numbers does not affect the order.
fn json_order(a: &Json, b: &Json) -> Ordering {
    canonical_text(a).cmp(&canonical_text(b))
}

/// Returns a string that is equal for two values only if the values are equal.
pub(crate) fn canonical_text(json: &Json) -> String {
    canonical(json).to_layout(Layout::Sorted)
}

fn canonical(json: &Json) -> Json {
    match json {
        Json::Number(number) => Json::Number(number.canonical()),
        Json::Array(items) => Json::Array(items.iter().map(canonical).collect()),
        Json::Object(members) => {
            let members = members.iter().map(|(name, value)| (name.clone(), canonical(value)));
            Object::from_distinct(members.collect()).into()
        }
        scalar => scalar.clone(),
    }
}

impl Contract {
    /// Returns the contract as a JSON document in the given version, with interactions in [`file_order`].
    ///
    /// If there are no warnings, reading the document returns this contract again, with these exceptions: the
    /// interactions are in [`file_order`], `specification` is the written version, and the broker's interaction IDs are
    /// missing, because they are never written.
    pub fn to_json(&self, version: SpecificationVersion) -> Result<(Json, Vec<WriteWarning>), WriteError> {
        check_version(version)?;
        let mut warnings = Vec::new();
        let mut ordered: Vec<&Interaction> = self.interactions.iter().collect();
        ordered.sort_by(|a, b| file_order(a, b));
        let list_name = self.list_name(version)?;
        let mut elements = Vec::with_capacity(ordered.len());
        for interaction in ordered {
            let (json, lost) = interaction.to_json(version)?;
            elements.push(json);
            warnings.extend(lost);
        }
        let mut document = self.envelope(version, &mut warnings);
        document.insert(list_name, elements);
        Ok((document.into(), warnings))
    }

    /// Returns the contract as the text of a file. The warnings and the order are those of [`Contract::to_json`].
    pub fn write(&self, version: SpecificationVersion) -> Result<Written, WriteError> {
        let (document, warnings) = self.to_json(version)?;
        let mut text = document.to_layout(Layout::Sorted);
        text.push('\n');
        Ok(Written { text, warnings })
    }

    /// Returns the document without its array of interactions. Writers that store interactions as text insert them
    /// under the name that [`Contract::list_name`] returns.
    pub fn envelope(&self, version: SpecificationVersion, warnings: &mut Vec<WriteWarning>) -> Object {
        let mut lost = |loss| {
            warnings.push(WriteWarning {
                interaction: None,
                version,
                loss,
            });
        };
        let mut document = Object::new();
        for (role, name) in [("consumer", &self.consumer), ("provider", &self.provider)] {
            let mut pacticipant = Object::new();
            pacticipant.insert("name", name.clone());
            if let Some(Json::Object(other)) = self.other.get(role) {
                add_unknown(&mut pacticipant, other, &["_links"], &mut lost);
            }
            document.insert(role, pacticipant);
        }
        let mut metadata = Object::new();
        let mut specification = match self.metadata.get("pactSpecification") {
            Some(Json::Object(members)) => members.clone(),
            other => {
                if other.is_some() {
                    lost(Loss::Unknown {
                        name: Text::const_new("pactSpecification"),
                    });
                }
                Object::new()
            }
        };
        specification.insert("version", version.number());
        metadata.insert("pactSpecification", specification);
        if version >= SpecificationVersion::V4 {
            if !self.plugins.is_empty() {
                metadata.insert("plugins", self.plugins.clone());
            }
        } else if !self.plugins.is_empty() {
            lost(Loss::Member { member: "plugins" });
        }
        for (name, value) in &self.metadata {
            if RESERVED_METADATA.contains(&name.as_str()) {
                lost(Loss::Unknown { name: name.clone() });
            } else if !metadata.contains_key(name) {
                metadata.insert(name.clone(), value.clone());
            }
        }
        document.insert("metadata", metadata);
        let mut other = self.other.clone();
        other.retain(|name, value| !(matches!(name, "consumer" | "provider") && value.as_object().is_some()));
        let reserved = [
            "interactions",
            "messages",
            "_links",
            "_embedded",
            "_id",
            "createdAt",
            "updatedAt",
        ];
        add_unknown(&mut document, &other, &reserved, &mut lost);
        document
    }

    /// Returns the name of the array of interactions: `messages` for messages in V3, otherwise `interactions`.
    pub fn list_name(&self, version: SpecificationVersion) -> Result<&'static str, WriteError> {
        check_version(version)?;
        if version >= SpecificationVersion::V4 {
            return Ok("interactions");
        }
        let find = |predicate: fn(&InteractionKind) -> bool| self.interactions.iter().find(|i| predicate(&i.kind));
        let http = find(|kind| match kind {
            InteractionKind::Unreadable(unreadable) => unreadable.kind != ASYNC_MESSAGE,
            kind => matches!(kind, InteractionKind::Http(_)),
        });
        let message = find(|kind| match kind {
            InteractionKind::Unreadable(unreadable) => unreadable.kind == ASYNC_MESSAGE,
            kind => matches!(kind, InteractionKind::AsyncMessage(_)),
        });
        match (http, message) {
            (Some(http), Some(message)) if version == SpecificationVersion::V3 => Err(WriteError::Mixed {
                version,
                http: http.description.clone(),
                message: message.description.clone(),
            }),
            (None, Some(_)) => Ok("messages"),
            _ => Ok("interactions"),
        }
    }
}

fn check_version(version: SpecificationVersion) -> Result<(), WriteError> {
    if version < SpecificationVersion::V2 {
        Err(WriteError::Version { version })
    } else {
        Ok(())
    }
}

/// Known values that may contain unknown members. The unknown members of a part are stored under these names, and the
/// writer merges them into the values.
const INSIDE: [&str; 3] = ["body", "contents", "providerStates"];

fn inside(other: &Object, name: &str) -> Option<Json> {
    let unknown = other.get(name)?;
    matches!(unknown, Json::Object(_) | Json::Array(_)).then(|| unknown.clone())
}

/// Merges unknown members into a value. Returns false if some of them do not fit.
fn merge_unknown(value: &mut Json, unknown: &Json) -> bool {
    match (value, unknown) {
        (_, Json::Null) => true,
        (Json::Object(members), Json::Object(unknown)) => {
            let mut is_whole = true;
            for (name, unknown) in unknown {
                match members.get_mut(name) {
                    Some(member) => is_whole &= merge_unknown(member, unknown),
                    None => drop(members.insert(name.clone(), unknown.clone())),
                }
            }
            is_whole
        }
        (Json::Array(items), Json::Array(unknown)) => {
            let mut is_whole = unknown.len() <= items.len();
            for (item, unknown) in items.iter_mut().zip(unknown) {
                is_whole &= merge_unknown(item, unknown);
            }
            is_whole
        }
        _ => false,
    }
}

/// Adds unknown members. Skips names that already exist or that the version defines, because readers would misinterpret
/// them.
fn add_unknown(object: &mut Object, other: &Object, reserved: &[&str], lost: &mut impl FnMut(Loss)) {
    for (name, value) in other {
        let is_reserved = reserved.contains(&name.as_str());
        if is_reserved && INSIDE.contains(&name.as_str()) && inside(other, name).is_some() {
            // The code that wrote this value has already merged its unknown members.
            continue;
        }
        if is_reserved || object.contains_key(name) {
            lost(Loss::Unknown { name: name.clone() });
        } else {
            object.insert(name.clone(), value.clone());
        }
    }
}

struct Writer<'a> {
    version: SpecificationVersion,
    description: &'a Text,
    /// Name of the part that is being written, such as `request`, for warnings.
    part: &'static str,
    warnings: Vec<WriteWarning>,
}

impl Writer<'_> {
    fn lost(&mut self, loss: Loss) {
        self.warnings.push(WriteWarning {
            interaction: Some(self.description.clone()),
            version: self.version,
            loss,
        });
    }

    /// Merges unknown members into a value. `value` is `None` if the version writes it in another format.
    fn add_inside(&mut self, name: &'static str, value: Option<&mut Json>, unknown: Option<Json>) {
        let Some(unknown) = unknown else { return };
        if !value.is_some_and(|value| merge_unknown(value, &unknown)) {
            self.lost(Loss::Inside { part: self.part, name });
        }
    }

    fn add_unknown(&mut self, object: &mut Object, other: &Object, reserved: &[&str]) {
        add_unknown(object, other, reserved, &mut |loss| self.lost(loss));
    }
}

#[cfg(test)]
mod tests;
