//! Reading contract documents: every version of the specification, and what other tools make of it, into one model.
//!
//! Specification: <https://github.com/pact-foundation/pact-specification>, chapters "Format" of version 1 to 4.

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

/// Reads one part on its own and hands back the warnings beside it.
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
    /// Read as well, because files of other tools hold it: older spellings of members, rules of V2 in later files and
    /// bodies of V3 in V4 files. Members that are not known are kept; those that brokers add at the top
    /// (`_links`, `createdAt` and the like) are dropped. An interaction that cannot be read is kept as
    /// [`InteractionKind::Unreadable`](crate::InteractionKind::Unreadable), and does the others no harm.
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
        // To keep what cannot be read costs a copy of everything, so that is for the second try.
        document::read(Json::parse_contract(bytes)?, false)
            .or_else(|_| document::read(Json::parse_contract(bytes)?, true))
    }

    /// Reads a contract that has been parsed already.
    pub fn from_json(document: Json) -> Result<Reading, ReadError> {
        document::read(document, true)
    }
}

impl Interaction {
    /// Reads one interaction as it stands in a file of that version. Messages of V3 stand in a list of their own, so
    /// they are read by [`Message::read`].
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.interaction(json.clone(), 0, &Place::Root))
    }
}

impl Request {
    /// Reads what stands under `request`.
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.request(json.clone(), &Place::Root))
    }
}

impl Response {
    /// Reads what stands under `response`.
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.response(json.clone(), &Place::Root))
    }
}

impl Message {
    /// Reads a message: contents, metadata, rules and generators. Other members are kept in [`Message::other`].
    pub fn read(json: &Json, version: SpecificationVersion) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(version, |reader| reader.message(json.clone(), &Place::Root))
    }
}

impl Rules {
    /// Reads what stands under `matchingRules`, in the form of V2 (`$.body.a`) or of V3 and V4 (categories).
    pub fn read(json: &Json) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(SpecificationVersion::V4, |reader| {
            reader.rules(json.clone(), &Place::Root)
        })
    }
}

impl Generators {
    /// Reads what stands under `generators`.
    pub fn read(json: &Json) -> Result<(Self, Vec<ReadWarning>), ReadError> {
        part(SpecificationVersion::V4, |reader| {
            reader.generators(json.clone(), &Place::Root)
        })
    }
}

#[cfg(test)]
mod tests;
