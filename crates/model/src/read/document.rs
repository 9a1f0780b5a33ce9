//! Reads the root of the document: names, metadata, and the lists of interactions.

use super::error::{ReadError, ReadWarning};
use super::members::{list, take, take_list, take_object, take_text};
use super::reader::{Reader, Reading};
use crate::place::Place;
use crate::{Contract, Interaction, Json, Object, SpecificationVersion, Text};

/// Members that brokers add to contracts. They are not kept.
const ADDED_BY_BROKERS: [&str; 5] = ["_links", "_embedded", "_id", "createdAt", "updatedAt"];

/// Members of `metadata` that the specification defines. The model stores them in fields.
pub(crate) const RESERVED_METADATA: [&str; 4] = [
    "plugins",
    "contractSpecification",
    "pact-specification",
    super::version::TEXT,
];

pub(super) fn read(document: Json, keeps_unreadable: bool) -> Result<Reading, ReadError> {
    let mut members = match document {
        Json::Object(members) if is_contract(&members) => members,
        other => return Err(ReadError::NotAContract { found: other.kind() }),
    };
    let root = Place::Root;
    let mut reader = Reader::new(SpecificationVersion::V3);
    reader.keeps_unreadable = keeps_unreadable;
    for name in ADDED_BY_BROKERS {
        members.remove(name);
    }
    let mut metadata = take_object(&mut members, "metadata", &root)?;
    reader.version = reader.find_version(&mut metadata, members.get("interactions"))?;
    let plugins = take_list(&mut metadata, "plugins", &root.key("metadata"))?;

    let mut contract = Contract {
        specification: reader.version,
        metadata,
        plugins,
        ..Contract::default()
    };
    let mut other = Object::new();
    contract.consumer = reader.pacticipant(&mut members, "consumer", &mut other)?;
    contract.provider = reader.pacticipant(&mut members, "provider", &mut other)?;
    reader.interactions(&mut members, &mut contract)?;
    for (name, value) in members {
        other.insert(name, value);
    }
    contract.other = other;

    let mut warnings = reader.warnings;
    if !contract.plugins.is_empty() {
        // Plugins handle the rules and generators that are unknown to this library.
        warnings.retain(|warning| {
            !matches!(
                warning,
                ReadWarning::UnknownRule { .. } | ReadWarning::UnknownGenerator { .. }
            )
        });
    }
    Ok(Reading { contract, warnings })
}

fn is_contract(members: &Object) -> bool {
    ["consumer", "provider", "interactions", "messages"]
        .iter()
        .any(|name| members.contains_key(name))
}

impl Reader {
    /// Reads the name of the consumer or the provider. Stores other members in `other` under the same name.
    fn pacticipant(&mut self, members: &mut Object, role: &'static str, other: &mut Object) -> Result<Text, ReadError> {
        let root = Place::Root;
        let place = root.key(role);
        let mut object = take_object(members, role, &root)?;
        let name = take_text(&mut object, "name", &place)?;
        object.remove("_links");
        if !object.is_empty() {
            other.insert(role, object);
        }
        Ok(name.unwrap_or_else(|| {
            self.warnings.push(ReadWarning::Missing {
                at: place.key("name").to_string(),
                read_as: role,
            });
            Text::const_new(role)
        }))
    }

    fn interactions(&mut self, members: &mut Object, contract: &mut Contract) -> Result<(), ReadError> {
        let root = Place::Root;
        let place = root.key("interactions");
        for (index, json) in take_list(members, "interactions", &root)?.into_iter().enumerate() {
            let read = |reader: &mut Self, json, place: &Place| reader.interaction(json, index, place);
            contract
                .interactions
                .push(self.or_unreadable(json, &place.index(index), read)?);
        }
        let Some(messages) = take(members, "messages") else {
            return Ok(());
        };
        if self.version != SpecificationVersion::V3 {
            self.warnings.push(ReadWarning::Messages);
        }
        let place = root.key("messages");
        // Bodies in this list have the V3 form, regardless of the declared version.
        let version = std::mem::replace(&mut self.version, SpecificationVersion::V3);
        for (index, json) in list(messages, &place)?.into_iter().enumerate() {
            let read = |reader: &mut Self, json, place: &Place| reader.listed_message(json, index, place);
            contract
                .interactions
                .push(self.or_unreadable(json, &place.index(index), read)?);
        }
        self.version = version;
        Ok(())
    }

    /// Reads an interaction. If it cannot be parsed and the reader keeps such interactions, returns an unreadable
    /// interaction instead of an error.
    fn or_unreadable(
        &mut self,
        json: Json,
        place: &Place,
        read: impl FnOnce(&mut Self, Json, &Place) -> Result<Interaction, ReadError>,
    ) -> Result<Interaction, ReadError> {
        if !self.keeps_unreadable {
            return read(self, json, place);
        }
        let (document, warnings) = (json.clone(), self.warnings.len());
        read(self, json, place).or_else(|error| {
            // Warnings about an unreadable interaction are not useful if its content is not available.
            self.warnings.truncate(warnings);
            Ok(self.unreadable(document, place, &error))
        })
    }
}
