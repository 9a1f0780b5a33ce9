//! Which version of the specification a document was written in.

use super::error::{ReadError, ReadWarning};
use super::members::take;
use super::reader::Reader;
use crate::place::Place;
use crate::{Json, Object, SpecificationVersion};

/// The members of `metadata` that hold the version, as objects with a member `version`, best first.
const OBJECTS: [&str; 3] = ["pactSpecification", "contractSpecification", "pact-specification"];
/// The name that old Ruby tools gave it, as a text.
pub(super) const TEXT: &str = "pactSpecificationVersion";

impl Reader {
    /// Finds the version and takes its members out of `metadata`. What else stood beside the version goes back under
    /// the name that is written. A document without one is of the version that its interactions look like.
    pub(super) fn find_version(
        &mut self,
        metadata: &mut Object,
        interactions: Option<&Json>,
    ) -> Result<SpecificationVersion, ReadError> {
        let root = Place::Root;
        let at = root.key("metadata");
        let mut found = None;
        let mut beside = Object::new();
        for name in OBJECTS {
            match take(metadata, name) {
                Some(Json::Object(mut object)) => {
                    if let Some(version) = take(&mut object, "version") {
                        found.get_or_insert((at.key(name).key("version").to_string(), version));
                    }
                    for (key, value) in object {
                        if !beside.contains_key(&key) {
                            beside.insert(key, value);
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
        if !beside.is_empty() {
            metadata.insert(OBJECTS[0], beside);
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

/// Whether an interaction says what it is, as those of V4 do. As one of V3 a message would be read as `GET /`.
fn has_type(interaction: &Json) -> bool {
    let name = interaction.get("type").and_then(Json::as_str);
    name.is_some_and(|name| {
        matches!(
            name,
            "Synchronous/HTTP" | "Asynchronous/Messages" | "Synchronous/Messages"
        )
    })
}

/// Whether there is such a version, and not only one before it: of V1 there is 1.0 and 1.1, of the others only `.0`.
fn is_published(version: SpecificationVersion, text: &str) -> bool {
    let minor = text.split(['-', '+']).next().unwrap_or_default().split('.').nth(1);
    version == SpecificationVersion::V1_1 || minor.is_none_or(|minor| minor.trim().parse() == Ok(0))
}

/// Versions are texts; some tools write numbers. What follows a hyphen or a plus sign is no part of the version proper
/// (semver.org).
fn parse(version: &Json) -> Option<SpecificationVersion> {
    match version {
        Json::String(text) => SpecificationVersion::parse(text.split(['-', '+']).next()?),
        Json::Number(number) => SpecificationVersion::parse(number.as_str()),
        _ => None,
    }
}
