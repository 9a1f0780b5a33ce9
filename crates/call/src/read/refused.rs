use std::fmt;

use serde::de;

use super::words::{near, nearest, snake};
use crate::error::ArgumentError;
use crate::message::{Message, listed, option, told};

/// Why a value could not be read, and where. Boxed, because every read returns a `Result` with it.
#[derive(Debug)]
pub struct Refused(Box<Refusal>);

#[derive(Debug)]
struct Refusal {
    /// The outermost name.
    argument: Option<String>,
    /// Path segments from the inside out.
    path: Vec<String>,
    message: Message,
    /// True if the message is a predicate about the place: `must be …`.
    is_predicate: bool,
    /// The unknown name, and the known names.
    unknown: Option<(String, &'static [&'static str])>,
}

impl Refused {
    fn new(message: Message) -> Self {
        Self(Box::new(Refusal {
            argument: None,
            path: Vec::new(),
            message,
            is_predicate: false,
            unknown: None,
        }))
    }

    /// Creates an error with a predicate as message: `must be …`.
    pub(super) fn predicate(message: impl Into<Message>) -> Self {
        let mut refused = Self::new(message.into());
        refused.0.is_predicate = true;
        refused
    }

    /// Adds an object member to the path.
    #[cold]
    pub(super) fn below(mut self, name: &str) -> Self {
        self.step(name);
        self.0.argument = Some(name.to_owned());
        self
    }

    #[cold]
    pub(super) fn item(mut self, index: usize) -> Self {
        self.step(&format!("[{index}]"));
        self
    }

    fn step(&mut self, step: &str) {
        let separator = match self.0.path.last() {
            Some(inner) if !inner.starts_with('[') => ".",
            _ => "",
        };
        self.0.path.push(format!("{step}{separator}"));
    }

    /// Returns the outermost name.
    pub fn argument(&self) -> Option<&str> {
        self.0.argument.as_deref()
    }

    /// True if the error is an unknown name.
    pub fn is_unknown(&self) -> bool {
        self.0.unknown.is_some()
    }

    /// Removes positional arguments from the list of options in the message.
    #[must_use]
    pub fn beside(mut self, arguments: &[String]) -> Self {
        if let (Some((field, expected)), true) = (&self.0.unknown, self.0.path.is_empty()) {
            let is_option = |name: &&&'static str| !arguments.iter().any(|argument| argument == **name);
            let options: Vec<_> = expected.iter().filter(is_option).copied().collect();
            self.0.message = no_option(field, &options);
        }
        self
    }

    pub fn into_error(self, code: &'static str) -> ArgumentError {
        let refusal = *self.0;
        let place: String = refusal.path.iter().rev().map(String::as_str).collect();
        let message = match (refusal.is_predicate, place.as_str()) {
            (true, "") => told!["the value ", refusal.message],
            (true, place) => told![option(place.to_owned()), " ", refusal.message],
            (false, _) => refusal.message,
        };
        let mut error = ArgumentError::new(code, message);
        if !refusal.is_predicate && !place.is_empty() {
            error = error.within(place.clone());
        }
        if let Some(argument) = refusal.argument {
            error = error.about(snake(&argument));
        }
        error
    }
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.fmt(f)
    }
}

impl std::error::Error for Refused {}

impl de::Error for Refused {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self::predicate(message.to_string())
    }

    fn invalid_type(_: de::Unexpected<'_>, expected: &dyn de::Expected) -> Self {
        Self::predicate(format!("must be {expected}"))
    }

    fn invalid_length(_: usize, expected: &dyn de::Expected) -> Self {
        Self::predicate(format!("must be {expected}"))
    }

    #[cold]
    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        const MANY: usize = 16;
        let (first, names) = if expected.len() > MANY {
            let first = format!("must be one of {} names, such as ", expected.len());
            (first, nearest(variant, expected))
        } else {
            ("must be ".to_owned(), expected.to_vec())
        };
        Self::predicate(told![first, listed(&names, ", ", " or "), format!(", got {variant:?}")])
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut refused = Self::new(no_option(field, expected));
        refused.0.unknown = Some((field.to_owned(), expected));
        refused
    }

    #[cold]
    fn missing_field(field: &'static str) -> Self {
        let mut refused = Self::new(told![option(field), " is missing"]);
        refused.0.argument = Some(field.to_owned());
        refused
    }
}

fn no_option(field: &str, options: &[&'static str]) -> Message {
    let mut message = told![format!("unknown option \"{field}\".")];
    if let Some(near) = near(field, options) {
        message.push(told![" Did you mean \"", option(near), "\"?"]);
    }
    message.push(match options {
        [] => " There are no options.".into(),
        [only] => told!["\n  Options: ", option(*only)],
        known => told!["\n  Options: ", listed(known, ", ", ", ")],
    });
    message
}
