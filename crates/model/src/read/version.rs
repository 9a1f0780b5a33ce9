//! Determines the specification version of a document.

use super::error::{ReadError, ReadWarning};
use super::members::take;
use super::reader::Reader;
use crate::place::Place;
use crate::{Json, Object, SpecificationVersion};

/// Members of `metadata` that may be an object with the version in its `version` member, in order of preference.
const OBJECTS: [&str; 3] = ["pactSpecification", "contractSpecification", "pact-specification"];
/// The member that older Ruby tools write. Its value is a string.
pub(super) const TEXT: &str = "pactSpecificationVersion";

impl Reader {
    /// Returns the specification version and removes its members from `metadata`. Unknown members next to the version
    /// are kept under the name that the writer uses. If the version is missing, it is derived from the interactions.
    pub(super) fn find_version(
        &mut self,
        metadata: &mut Object,
        interactions: Option<&Json>,
    ) -> Result<SpecificationVersion, ReadError> {
        let root = Place::Root;
        let at = root.key("metadata");
        let mut found = None;
        let mut merged = Object::new();
        for name in OBJECTS {
            match take(metadata, name) {
                Some(Json::Object(mut object)) => {
                    if let Some(version) = take(&mut object, "version") {
                        found.get_or_insert((at.key(name).key("version").to_string(), version));
                    }
                    for (key, value) in object {
                        if !merged.contains_key(&key) {
                            merged.insert(key, value);
                        }
                    }
                }
                Some(bare) => {
                    found.get_or_insert((at.key(name).to_string(), bare));
                }
                None => {}
            }
        }
        if let Some(version) = take(metadata, TEXT) {
            found.get_or_insert((at.key(TEXT).to_string(), version));
        }
        if !merged.is_empty() {
            metadata.insert(OBJECTS[0], merged);
        }
        match found {
            None => {
                let listed = interactions.and_then(Json::as_array).unwrap_or_default();
                let read_as = if listed.iter().any(has_type) {
                    SpecificationVersion::V4
                } else {
                    SpecificationVersion::V3
                };
                self.warnings.push(ReadWarning::NoVersion { read_as });
                Ok(read_as)
            }
            Some((at, version)) => {
                let found = version.text_form();
                let Some(known) = parse(&version) else {
                    return Err(ReadError::Version {
                        at,
                        found: version.to_text(),
                    });
                };
                if !is_published(known, &found) {
                    self.warnings.push(ReadWarning::Version {
                        at,
                        found: found.as_ref().into(),
                        read_as: known,
                    });
                }
                Ok(known)
            }
        }
    }
}

/// Returns true if the interaction has a V4 type. If it were read as V3, a message would become the request `GET /`.
fn has_type(interaction: &Json) -> bool {
    let name = interaction.get("type").and_then(Json::as_str);
    name.is_some_and(|name| {
        matches!(
            name,
            "Synchronous/HTTP" | "Asynchronous/Messages" | "Synchronous/Messages"
        )
    })
}

/// Returns true if the version was published. V1 was published as 1.0 and 1.1, all others only as `.0`.
fn is_published(version: SpecificationVersion, text: &str) -> bool {
    let minor = text.split(['-', '+']).next().unwrap_or_default().split('.').nth(1);
    version == SpecificationVersion::V1_1 || minor.is_none_or(|minor| minor.trim().parse() == Ok(0))
}

/// Parses a version. Accepts numbers, which some tools write. Ignores pre-release and build suffixes (semver.org).
fn parse(version: &Json) -> Option<SpecificationVersion> {
    match version {
        Json::String(text) => SpecificationVersion::parse(text.split(['-', '+']).next()?),
        Json::Number(number) => SpecificationVersion::parse(number.as_str()),
        _ => None,
    }
}
