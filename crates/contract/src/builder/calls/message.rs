//! What only messages have.

use contract_model::Json;

use super::rules::of_name;
use crate::builder::draft::Draft;
use crate::builder::operation::Pairs;
use crate::builder::part::{Kind, Part};
use crate::builder::value::Value;
use crate::error::{ArgumentError, Done, METADATA};

impl Draft {
    pub(super) fn with_metadata(&mut self, metadata: Pairs, part: Option<Part>) -> Done {
        if self.kind == Kind::Http {
            let message = "an HTTP interaction has no metadata; use headers";
            return Err(ArgumentError::new(METADATA, message));
        }
        let part = self.existing(part)?;
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
            other => Value::given(&other)?,
        };
        let mut alone = self.alone();
        let draft = alone.part(part);
        draft.metadata.set(key, vec![value.clone()]);
        if let Some(known) = self.known(part) {
            draft.rules.metadata = of_name(&known.rules.metadata, key, false);
        }
        alone.check()?;
        Ok(Some(value))
    }
}
