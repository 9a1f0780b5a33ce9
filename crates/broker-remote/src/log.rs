use std::sync::Arc;

use serde_json::{Map, Number, Value};

use contract_broker_domain::time;

/// Fields whose values are numbers in JSON.
const NUMBERS: [&str; 2] = ["milliseconds", "status"];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogEntry {
    pub level: Level,
    pub message: String,
    /// Names and values of further details.
    pub fields: Vec<(&'static str, String)>,
}

impl LogEntry {
    /// Formats the entry as one line of JSON without a line break at the end. Adds the current time.
    pub fn to_json(&self) -> String {
        let mut members = Map::new();
        members.insert("time".to_owned(), time::iso(time::now()).into());
        members.insert("level".to_owned(), self.level.name().into());
        members.insert("message".to_owned(), self.message.as_str().into());
        for (name, value) in &self.fields {
            let number = value.parse::<Number>().ok().filter(|_| NUMBERS.contains(name));
            let value = number.map_or_else(|| value.as_str().into(), Value::Number);
            members.insert((*name).to_owned(), value);
        }
        Value::Object(members).to_string()
    }

    /// Formats the entry as one line of text without a line break at the end. Adds the current time, and escapes line
    /// breaks in values.
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

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Normal operation, such as requests, startup, and shutdown.
    Info,
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

pub type Log = Arc<dyn Fn(&LogEntry) + Send + Sync>;
