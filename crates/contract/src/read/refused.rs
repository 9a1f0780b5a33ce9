use std::fmt;

use serde::de;

use super::{near, snake};
use crate::error::ArgumentError;
use crate::message::{Message, listed, option, told};

/// Why a value was not read, and where in it.
#[derive(Debug)]
pub(crate) struct Refused {
    /// The outermost name.
    pub(super) argument: Option<String>,
    /// Steps to it, outermost last.
    pub(super) path: Vec<String>,
    pub(super) message: Message,
    /// Whether the message begins with what is at the place: `must be …`.
    pub(super) is_predicate: bool,
    /// Whether there is no such name.
    pub(crate) is_unknown: bool,
}

impl Refused {
    pub(super) fn new(message: impl Into<Message>) -> Self {
        Self {
            argument: None,
            path: Vec::new(),
            message: message.into(),
            is_predicate: false,
            is_unknown: false,
        }
    }

    /// As the member of an object: its name as it was given, and as the core has it.
    pub(super) fn below(mut self, name: &str) -> Self {
        let separator = if self.path.is_empty() || self.path.last().is_some_and(|step| step.starts_with('[')) {
            ""
        } else {
            "."
        };
        self.path.push(format!("{name}{separator}"));
        self.argument = Some(name.to_owned());
        self
    }

    pub(super) fn item(mut self, index: usize) -> Self {
        let separator = if self.path.is_empty() || self.path.last().is_some_and(|step| step.starts_with('[')) {
            ""
        } else {
            "."
        };
        self.path.push(format!("[{index}]{separator}"));
        self
    }

    /// The outermost name.
    pub(crate) fn argument(&self) -> Option<&str> {
        self.argument.as_deref()
    }

    pub(crate) fn into_error(self, code: &'static str) -> ArgumentError {
        let place: String = self.path.iter().rev().map(String::as_str).collect();
        let message = match (self.is_predicate, place.as_str()) {
            (true, "") => told!["this ", self.message],
            (true, place) => told![option(place.to_owned()), " ", self.message],
            (false, _) => self.message,
        };
        let mut error = ArgumentError::new(code, message);
        if !self.is_predicate && !place.is_empty() {
            error = error.within(place.clone());
        }
        if let Some(argument) = self.argument {
            error = error.about(snake(&argument));
        }
        error
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.message.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            is_predicate: true,
            ..Self::new(message.to_string())
        }
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::custom(format!("must be {expected}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let message = told!["must be ", listed(expected, ", ", " or "), format!(", got {variant:?}")];
        Self {
            is_predicate: true,
            ..Self::new(message)
        }
    }

    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut message = told![format!("there is no option {field}; ")];
        if let Some(near) = near(field, expected) {
            message.push(told!["did you mean ", option(near), "? "]);
        }
        message.push(match expected {
            [] => "there are none".into(),
            [only] => told!["the only option is ", option(*only)],
            known => told!["options are ", listed(known, ", ", ", ")],
        });
        Self {
            is_unknown: true,
            ..Self::new(message)
        }
    }

    fn missing_field(field: &'static str) -> Self {
        Self {
            argument: Some(field.to_owned()),
            ..Self::new(told![option(field), " is missing"])
        }
    }
}
