use std::sync::Arc;

use serde_json::{Map, Value};

use crate::domain::time;

/// Something that happened, for whoever keeps logs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// How much it matters.
    pub level: Level,
    /// What happened.
    pub message: String,
    /// More of it, by name.
    pub fields: Vec<(&'static str, String)>,
}

impl Entry {
    /// One line of JSON, with the time.
    pub fn to_json(&self) -> String {
        let mut members = Map::new();
        members.insert("time".to_owned(), time::iso(time::now()).into());
        members.insert("level".to_owned(), self.level.name().into());
        members.insert("message".to_owned(), self.message.as_str().into());
        for (name, value) in &self.fields {
            members.insert((*name).to_owned(), value.as_str().into());
        }
        Value::Object(members).to_string()
    }

    /// One line for people, with the time. Nothing that an asker sends begins another line.
    pub fn to_text(&self) -> String {
        let fields: Vec<String> = self
            .fields
            .iter()
            .map(|(name, value)| format!(" {name}={}", value.escape_debug()))
            .collect();
        let (at, level) = (time::iso(time::now()), self.level.name());
        format!("{at} {level} {}{}", self.message.escape_debug(), fields.concat())
    }
}

/// How much an entry matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// A request was answered, the broker began or ended.
    Info,
    /// Something needs attention.
    Error,
}

impl Level {
    fn name(self) -> &'static str {
        match self {
            Self::Info => "info",
            Self::Error => "error",
        }
    }
}

/// Where entries go.
pub type Log = Arc<dyn Fn(&Entry) + Send + Sync>;
