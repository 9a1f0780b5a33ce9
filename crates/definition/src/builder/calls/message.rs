//! The operation that sets the metadata of a message.

use contract_model::Json;

use super::rules::rules_for_name;
use crate::builder::draft::Draft;
use crate::builder::operation::Pairs;
use crate::builder::part::{Kind, Part};
use crate::builder::value::Value;
use contract_call::error::{ArgumentError, Done, METADATA};

impl Draft {
    pub(super) fn with_metadata(&mut self, metadata: Pairs, part: Option<Part>) -> Done {
        if self.kind == Kind::Http {
            let message = "HTTP interactions have no metadata; use headers";
            return Err(ArgumentError::new(METADATA, message));
        }
        let part = self.checked_part(part)?;
        let mut entries = Vec::with_capacity(metadata.0.len());
        for (key, value) in metadata.0 {
            let value = self
                .checked_entry(&key, value, part)
                .map_err(|error| error.within(format!("{:?}", key.as_str())))?;
            entries.push((key, value));
        }
        let known = &mut self.part(part).metadata;
        for (key, value) in entries {
            match value {
                Some(value) => known.set(&key, vec![value]),
                None => known.remove(&key),
            }
        }
        Ok(())
    }

    fn checked_entry(&self, key: &str, value: Json, part: Part) -> Result<Option<Value>, ArgumentError> {
        let value = match value {
            Json::Null => return Ok(None),
            Json::String(text) if text == "null" => Value::literal(Json::Null),
            other => Value::parse(other)?,
        };
        let known = self
            .existing_part(part)
            .map(|part| rules_for_name(&part.rules.metadata, key, false));
        let known = known.unwrap_or_default();
        self.check_alone(part, !known.is_empty() || value.rules.is_some(), &|alone| {
            let part = alone.part(part);
            part.metadata.set(key, vec![value.clone()]);
            part.rules.metadata.clone_from(&known);
        })?;
        Ok(Some(value))
    }
}
