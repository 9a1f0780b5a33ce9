//! Options as the user gave them, checked one by one: a message names the option and what it may be.

use std::time::Duration;

use contract_model::{Json, Object};

use crate::error::ArgumentError;

/// What options that make no sense are refused with.
pub(crate) const OPTIONS: &str = "ERR_CONTRACT_OPTIONS";
/// Milliseconds in a day: nothing waits longer, and sums of such times stay far from overflow.
const DAY: u64 = 24 * 60 * 60 * 1000;

/// The members of an object of options. Null stands for absent.
pub(crate) struct Given<'a> {
    /// Stands before every message, such as `serve`.
    call: &'a str,
    members: &'a Object,
}

type Read<T> = Result<Option<T>, ArgumentError>;

impl<'a> Given<'a> {
    /// Refuses options with other names than these.
    pub(crate) fn new(call: &'a str, value: &'a Json, known: &[&str]) -> Result<Self, ArgumentError> {
        let Json::Object(members) = value else {
            let message = format!("{call}: options must be an object, got {}", value.kind());
            return Err(ArgumentError::new(OPTIONS, message));
        };
        let given = Self { call, members };
        match members.keys().find(|name| !known.contains(&name.as_str())) {
            None => Ok(given),
            Some(name) => Err(given.refused(format!("there is no option {name}; options are {}", known.join(", ")))),
        }
    }

    fn refused(&self, problem: impl std::fmt::Display) -> ArgumentError {
        ArgumentError::new(OPTIONS, format!("{}: {problem}", self.call))
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'a Json> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    fn read<T>(&self, name: &str, wanted: &str, read: impl Fn(&'a Json) -> Option<T>) -> Read<T> {
        let Some(value) = self.get(name) else { return Ok(None) };
        match read(value) {
            Some(value) => Ok(Some(value)),
            None => Err(self.refused(format!("{name} must be {wanted}, got {value}"))),
        }
    }

    pub(crate) fn text(&self, name: &str) -> Read<&'a str> {
        self.read(name, "text", Json::as_str)
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, ArgumentError> {
        Ok(self.choice(name)?.unwrap_or(false))
    }

    pub(crate) fn choice(&self, name: &str) -> Read<bool> {
        self.read(name, "true or false", Json::as_bool)
    }

    /// One of two words; whether it is the second.
    pub(crate) fn word(&self, name: &str, words: [&str; 2]) -> Read<bool> {
        let wanted = format!("{} or {}", words[0], words[1]);
        self.read(name, &wanted, |value| {
            let place = words.iter().position(|word| value.as_str() == Some(word))?;
            Some(place == 1)
        })
    }

    pub(crate) fn whole(&self, name: &str, min: u64, max: u64) -> Read<u64> {
        let wanted = format!("a whole number from {min} to {max}");
        self.read(name, &wanted, |value| {
            value.as_u64().filter(|number| (min..=max).contains(number))
        })
    }

    pub(crate) fn size(&self, name: &str, min: u64) -> Read<usize> {
        // What a double holds exactly, and more than any machine.
        let number = self.whole(name, min, 1 << 53)?;
        Ok(number.map(|number| usize::try_from(number).unwrap_or(usize::MAX)))
    }

    /// In milliseconds, at least one.
    pub(crate) fn time(&self, name: &str) -> Read<Duration> {
        let wanted = format!("a whole number of milliseconds from 1 to {DAY} (one day)");
        let number = self.read(name, &wanted, |value| {
            value.as_u64().filter(|number| (1..=DAY).contains(number))
        })?;
        Ok(number.map(Duration::from_millis))
    }

    /// In milliseconds; zero is without end.
    pub(crate) fn time_or_none(&self, name: &str) -> Read<Duration> {
        Ok(self.whole(name, 0, DAY)?.map(Duration::from_millis))
    }
}

#[cfg(test)]
mod tests {
    use contract_model::Json;

    use super::Given;

    fn refusal(text: &str) -> String {
        let json = Json::parse(text.as_bytes()).unwrap();
        let read = || {
            let given = Given::new("serve", &json, &["port", "cors", "mode", "wait"])?;
            given.whole("port", 0, 65535)?;
            given.choice("cors")?;
            given.word("mode", ["ignore", "error"])?;
            given.time("wait")
        };
        read().map_or_else(|error| error.message, |_| String::new())
    }

    #[test]
    fn each_mistake_is_named() {
        assert_eq!(refusal(r#"{"port":80,"cors":null,"mode":"error","wait":5}"#), "");
        assert_eq!(
            refusal(r#"{"prot":80}"#),
            "serve: there is no option prot; options are port, cors, mode, wait"
        );
        assert_eq!(
            refusal(r#"{"port":70000}"#),
            "serve: port must be a whole number from 0 to 65535, got 70000"
        );
        assert_eq!(
            refusal(r#"{"cors":"yes"}"#),
            "serve: cors must be true or false, got \"yes\""
        );
        assert_eq!(
            refusal(r#"{"mode":"warn"}"#),
            "serve: mode must be ignore or error, got \"warn\""
        );
        assert_eq!(
            refusal(r#"{"wait":0.5}"#),
            "serve: wait must be a whole number of milliseconds from 1 to 86400000 (one day), got 0.5"
        );
        assert_eq!(refusal("[]"), "serve: options must be an object, got Array");
    }
}
