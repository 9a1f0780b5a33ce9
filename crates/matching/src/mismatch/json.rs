//! Mismatches as JSON, for reporters, bindings and brokers.

use serde::ser::{Serialize, SerializeMap, Serializer};

use super::text::customary_path;
use super::{Location, Mismatch, MismatchKind};

impl Serialize for Mismatch {
    /// The customary members `type`, `path`, `key`, `parameter`, `expected`, `actual`, `mismatch`, and ours: `kind`,
    /// `place`, `pointer`, `rule`, `explanation`.
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("type", self.at.mismatch_type())?;
        map.serialize_entry("kind", self.kind.code())?;
        map.serialize_entry("place", &self.at.to_string())?;
        match &self.at {
            Location::Query { name, index } => {
                map.serialize_entry("parameter", name.as_str())?;
                if let Some(index) = index {
                    map.serialize_entry("index", index)?;
                }
            }
            Location::Header { name, index } => {
                map.serialize_entry("key", name.as_str())?;
                if let Some(index) = index {
                    map.serialize_entry("index", index)?;
                }
            }
            Location::Metadata { key, path } => {
                map.serialize_entry("key", key.as_str())?;
                if !path.tokens().is_empty() {
                    map.serialize_entry("path", &customary_path(path))?;
                    map.serialize_entry("pointer", &self.at.pointer())?;
                }
            }
            Location::Body(_) | Location::Form { .. } => {
                map.serialize_entry("path", &self.at.path().map(|path| customary_path(&path)))?;
                map.serialize_entry("pointer", &self.at.pointer())?;
            }
            Location::Method | Location::Path | Location::Status | Location::BodyType => {}
        }
        if let MismatchKind::BodyType { expected, actual } = &self.kind {
            map.serialize_entry("expected", expected.as_str())?;
            map.serialize_entry("actual", actual.as_str())?;
        } else {
            if let Some(expected) = &self.expected {
                map.serialize_entry("expected", expected)?;
            }
            if let Some(actual) = &self.actual {
                map.serialize_entry("actual", actual)?;
            }
        }
        if let Some(rule) = &self.rule {
            map.serialize_entry("rule", &rule.to_json())?;
        }
        map.serialize_entry("mismatch", &self.to_string())?;
        if let Some(explanation) = &self.explanation {
            map.serialize_entry("explanation", explanation)?;
        }
        map.end()
    }
}
