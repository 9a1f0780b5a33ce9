//! Reads contract documents of all specification versions, including common deviations of other tools.
//!
//! Specification: <https://github.com/pact-foundation/pact-specification>, the "Format" chapters of versions 1 to 4.

mod body;
mod document;
mod error;
mod http;
mod interaction;
mod members;
mod message;
mod reader;
mod rules;
mod unknown;
mod version;

pub use error::{ReadError, ReadWarning};
pub use reader::Reading;

use reader::Reader;

pub(crate) use body::{base64_of, is_json_document, may_be_base64, plain as plain_body, wrapped as wrapped_body};
pub(crate) use document::RESERVED_METADATA;

use crate::place::Place;
use crate::{Contract, Generators, Interaction, Json, Message, Request, Response, Rules, SpecificationVersion};

/// Reads one part of a contract. Returns it with the warnings.
fn part<T>(
    version: SpecificationVersion,
    read: impl FnOnce(&mut Reader) -> Result<T, ReadError>,
) -> Result<(T, Vec<ReadWarning>), ReadError> {
    let mut reader = Reader::new(version);
    let part = read(&mut reader)?;
    Ok((part, reader.warnings))
}

impl Contract {
    /// Reads a contract file of any version, V1 to V4.
    ///
    /// Also accepts common deviations of other tools: older spellings of members, V2 rules in later files, and V3
    /// bodies in V4 files. Keeps unknown members, except for those that brokers add to the root (such as `_links` and
    /// `createdAt`). Keeps an interaction that cannot be parsed as
    /// [`InteractionKind::Unreadable`](crate::InteractionKind::Unreadable); it does not affect the others.
    ///
    /// ```
    /// use contract_model::Contract;
    /// let reading = Contract::read(br#"{
    ///     "consumer": {"name": "web"}, "provider": {"name": "users"},
    ///     "interactions": [{"description": "all users", "request": {"path": "/users"}, "response": {"status": 200}}],
    ///     "metadata": {"pactSpecification": {"version": "2.0.0"}}
    /// }"#)?;
    /// assert_eq!(reading.contract.interactions[0].description, "all users");
    /// # Ok::<(), contract_model::ReadError>(())
    /// ```
    pub fn read(bytes: &[u8]) -> Result<Reading, ReadError> {
        // Keeping unreadable interactions requires a copy of the whole document, so only the second attempt keeps them.
        document::read(Json::parse_contract(bytes)?, false)
            .or_else(|_| document::read(Json::parse_contract(bytes)?, true))
    }

    /// Like [`Contract::read`], for a document that is already parsed.
    pub fn from_json(document: Json) -> Result<Reading, ReadError> {
        document::read(document, true)
    }
}

impl Interaction {
    /// Reads one interaction in the format of the given version. V3 stores messages in a separate array; use
    /// [`Message::read`] for those.
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.interaction(json.clone(), 0, &Place::Root))
    }
}

impl Request {
    /// Reads a request, which is the value of the `request` member.
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.request(json.clone(), &Place::Root))
    }
}

impl Response {
    /// Reads a response, which is the value of the `response` member.
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.response(json.clone(), &Place::Root))
    }
}

impl Message {
    /// Reads a message: contents, metadata, rules, and generators. Stores all other members in [`Message::other`].
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.message(json.clone(), &Place::Root))
    }
}

impl Rules {
    /// Reads the value of the `matchingRules` member, in the format of V2 (`$.body.a`) or of V3 and V4 (categories).
    pub fn read(json: &Json) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(SpecificationVersion::V4, |reader| {
            reader.rules(json.clone(), &Place::Root)
        })
    }
}

impl Generators {
    /// Reads generators, which are the value of the `generators` member.
    pub fn read(json: &Json) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(SpecificationVersion::V4, |reader| {
            reader.generators(json.clone(), &Place::Root)
        })
    }
}

#[cfg(test)]
mod tests;
