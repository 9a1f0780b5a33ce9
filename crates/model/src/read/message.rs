//! Reads messages: contents and metadata.

use super::error::ReadError;
use super::members::{object, take_object};
use super::reader::Reader;
use crate::place::Place;
use crate::{Body, ContentType, Json, Message, Object};

impl Reader {
    /// Reads a message that is a separate object. Stores its unknown members in the message.
    pub(super) fn message(&mut self, json: Json, place: &Place) -> Result<Message, ReadError> {
        let mut members = object(json, place)?;
        let mut message = self.message_members(&mut members, place)?;
        message.other = members;
        Ok(message)
    }

    /// Reads a message whose members are part of the interaction.
    pub(super) fn message_members(&mut self, members: &mut Object, place: &Place) -> Result<Message, ReadError> {
        let mut metadata = take_object(members, "metadata", place)?;
        for (name, value) in take_object(members, "metaData", place)? {
            if !metadata.contains_key(&name) {
                metadata.insert(name, value);
            }
        }
        let contents = match members.remove("contents") {
            Some(contents) => {
                let declared = self.declared_in_metadata(&metadata, place);
                self.body(contents, declared, "contents", members, place)
            }
            None => Body::Missing,
        };
        let rules = self.rules_of(members, &["matchingRules"], place)?;
        let generators = self.generators_of(members, place)?;
        Ok(Message {
            contents,
            metadata,
            rules,
            generators,
            other: Object::new(),
        })
    }

    fn declared_in_metadata(&mut self, metadata: &Object, place: &Place) -> Option<ContentType> {
        let (name, value) = metadata.iter().find(|(name, _)| Message::is_content_type(name))?;
        self.content_type(value.as_str()?, &place.key("metadata").key(name))
    }
}
