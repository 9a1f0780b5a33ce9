use std::fmt;

use serde::de;

use super::names::{most_similar, snake, suggest};
use super::pact_js;
use crate::error::ArgumentError;
use crate::message::{Message, listed, message, option};

/// An error with the path of the value that could not be read. Boxed, so that every `Result` stays small.
#[derive(Debug)]
pub struct ReadError(Box<ReadErrorDetails>);

#[derive(Debug)]
struct ReadErrorDetails {
    /// The name of the outermost member that contains the invalid value. `None` if the error concerns the whole value.
    argument: Option<String>,
    /// Path segments of the invalid value, innermost first.
    path: Vec<String>,
    message: Message,
    /// True if the message is a predicate whose subject is the path of the value, such as `must be …`.
    is_predicate: bool,
    /// For an unknown option, its name and the names of the known options. `None` for other errors.
    unknown: Option<(String, &'static [&'static str])>,
}

impl ReadError {
    fn new(message: Message) -> Self {
        Self(Box::new(ReadErrorDetails {
            argument: None,
            path: Vec::new(),
            message,
            is_predicate: false,
            unknown: None,
        }))
    }

    /// Creates an error from a predicate, such as `must be …`. Its subject is the path of the value.
    pub(super) fn predicate(message: impl Into<Message>) -> Self {
        let mut error = Self::new(message.into());
        error.0.is_predicate = true;
        error
    }

    /// Prepends the name of the object member that contains the value.
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

    /// Returns the name of the outermost member that contains the invalid value, or `None` if the error concerns the
    /// whole value.
    pub fn argument(&self) -> Option<&str> {
        self.0.argument.as_deref()
    }

    /// Returns true if the error reports an unknown option.
    pub fn is_unknown(&self) -> bool {
        self.0.unknown.is_some()
    }

    /// For an unknown option, removes the names of positional arguments from the options that the message lists.
    #[must_use]
    pub fn without_positional(mut self, arguments: &[String]) -> Self {
        if let (Some((field, expected)), true) = (&self.0.unknown, self.0.path.is_empty()) {
            let is_option = |name: &&&'static str| !arguments.iter().any(|argument| argument == **name);
            let options: Vec<_> = expected.iter().filter(is_option).copied().collect();
            self.0.message = unknown_option(field, &options);
        }
        self
    }

    pub fn into_error(self, code: &'static str) -> ArgumentError {
        let details = *self.0;
        let place: String = details.path.iter().rev().map(String::as_str).collect();
        let message = match (details.is_predicate, place.as_str()) {
            (true, "") => message!["the value ", details.message],
            (true, place) => message![option(place.to_owned()), " ", details.message],
            (false, _) => details.message,
        };
        let mut error = ArgumentError::new(code, message);
        if !details.is_predicate && !place.is_empty() {
            error = error.within(place.clone());
        }
        if let Some(argument) = details.argument {
            error = error.for_argument(snake(&argument));
        }
        error
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.message.fmt(f)
    }
}

impl std::error::Error for ReadError {}

impl de::Error for ReadError {
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
            (first, most_similar(variant, expected))
        } else {
            ("must be ".to_owned(), expected.to_vec())
        };
        Self::predicate(message![
            first,
            listed(&names, ", ", " or "),
            format!("{} received {variant:?}", separator(names.len()))
        ])
    }

    #[cold]
    fn unknown_field(field: &str, expected: &'static [&'static str]) -> Self {
        let mut error = Self::new(unknown_option(field, expected));
        error.0.unknown = Some((field.to_owned(), expected));
        error
    }

    #[cold]
    fn missing_field(field: &'static str) -> Self {
        let mut error = Self::new(message![option(field), " is missing"]);
        error.0.argument = Some(field.to_owned());
        error
    }
}

/// Returns the punctuation between a list of names and the received value.
pub(super) fn separator(names: usize) -> char {
    if names > 2 { ';' } else { ',' }
}

fn unknown_option(field: &str, options: &[&'static str]) -> Message {
    let mut message = message![format!("unknown option \"{field}\".")];
    if let Some(advice) = pact_js::advice(field, options) {
        message.push(advice);
    } else if let Some(near) = suggest(field, options) {
        message.push(message![" Did you mean \"", option(near), "\"?"]);
    }
    message.push(match options {
        [] => " There are no options.".into(),
        [only] => message!["\n  Options: ", option(*only)],
        known => message!["\n  Options: ", listed(known, ", ", ", ")],
    });
    message
}
