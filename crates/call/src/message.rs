//! Messages with marked names of operations and options, because each language spells them differently: `with_header`
//! is `withHeader` in TypeScript.

use std::borrow::Cow;
use std::fmt;

/// A message: plain text and names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<Piece>);

/// A piece of a [`Message`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    /// Plain text.
    Text(String),
    /// An operation, matcher, generator, or function, in snake case: `with_header`, `match.each_like`.
    Operation(Cow<'static, str>),
    /// An argument, option, or enum value in snake case: `content_type`.
    Option(Cow<'static, str>),
    /// An option with its value: `{ allowEmpty: true }`, `allow_empty=True`, `--allow-empty`.
    Setting(Cow<'static, str>, Cow<'static, str>),
}

/// Spells names in the convention of a language or of the command line.
pub trait Spelling {
    /// Returns the name of an operation, matcher, or function, such as `with_header` or `match.each_like`.
    fn operation(&self, name: &str) -> String;
    /// Returns the name of an argument, option, or enum value, such as `content_type`.
    fn option(&self, name: &str) -> String;
    /// Returns an option with its value.
    fn setting(&self, name: &str, value: &str) -> String;
    /// Returns the plain text of a message. Languages that use other names for JSON values replace them, for example
    /// `null` with `None`.
    fn plain_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        text.into()
    }
}

/// Spells names in snake case, as in Rust.
#[derive(Clone, Copy, Debug)]
pub struct Canonical;

impl Spelling for Canonical {
    fn operation(&self, name: &str) -> String {
        name.to_owned()
    }

    fn option(&self, name: &str) -> String {
        name.to_owned()
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{name}: {value}")
    }
}

impl Message {
    /// Returns the text with the names in a binding's convention.
    pub fn text(&self, spelling: &dyn Spelling) -> String {
        let spelled = self.0.iter().map(|piece| match piece {
            Piece::Text(text) => spelling.plain_text(text),
            Piece::Operation(name) => spelling.operation(name).into(),
            Piece::Option(name) => spelling.option(name).into(),
            Piece::Setting(name, value) => spelling.setting(name, value).into(),
        });
        spelled.collect()
    }

    pub fn pieces(&self) -> &[Piece] {
        &self.0
    }

    /// Applies a function to the plain text, and leaves the names unchanged.
    #[must_use]
    pub fn map_plain_text(mut self, change: impl Fn(&str) -> String) -> Self {
        for piece in &mut self.0 {
            if let Piece::Text(text) = piece {
                *text = change(text);
            }
        }
        self
    }

    pub fn push(&mut self, more: impl Into<Self>) {
        self.0.extend(more.into().0);
    }
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text(&Canonical))
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Self {
        text.to_owned().into()
    }
}

impl From<String> for Message {
    fn from(text: String) -> Self {
        Self(vec![Piece::Text(text)])
    }
}

impl From<Piece> for Message {
    fn from(piece: Piece) -> Self {
        Self(vec![piece])
    }
}

impl PartialEq<&str> for Message {
    /// Compares the text, with names in snake case.
    fn eq(&self, other: &&str) -> bool {
        self.text(&Canonical) == **other
    }
}

pub fn operation(name: impl Into<Cow<'static, str>>) -> Piece {
    Piece::Operation(name.into())
}

pub fn option(name: impl Into<Cow<'static, str>>) -> Piece {
    Piece::Option(name.into())
}

pub fn setting(name: impl Into<Cow<'static, str>>, value: impl Into<Cow<'static, str>>) -> Piece {
    Piece::Setting(name.into(), value.into())
}

/// Lists names with commas and a final conjunction: `a, b, and c`.
pub fn listed(names: &[&'static str], between: &str, last: &str) -> Message {
    let mut message = Message::default();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            if at + 1 < names.len() {
                message.push(between);
            } else {
                // Add the serial comma: `a, b, and c`.
                message.push(if names.len() > 2 && last != between { "," } else { "" });
                message.push(last);
            }
        }
        message.push(option(*name));
    }
    message
}

/// Builds a message from pieces: `message!["use ", operation("set_header"), format!(" for {name:?}")]`.
#[macro_export]
macro_rules! message {
    ($($piece:expr),+ $(,)?) => {{
        let mut message = $crate::message::Message::default();
        $(message.push($piece);)+
        message
    }};
}
pub use message;

#[cfg(test)]
mod tests {
    use super::{Canonical, Message, Spelling, listed, operation, setting};

    struct Loud;

    impl Spelling for Loud {
        fn operation(&self, name: &str) -> String {
            format!("{}!", name.to_uppercase())
        }

        fn option(&self, name: &str) -> String {
            format!("--{}", name.replace('_', "-"))
        }

        fn setting(&self, name: &str, value: &str) -> String {
            format!("{}={value}", self.option(name))
        }
    }

    #[test]
    fn changes_only_the_spelling_of_names() {
        let message: Message = message![
            "with_body is plain text here; use ",
            operation("with_body"),
            " with ",
            setting("allow_empty", "true"),
            " or ",
            listed(&["a_b", "c"], ", ", " and ")
        ];
        assert_eq!(
            message.text(&Loud),
            "with_body is plain text here; use WITH_BODY! with --allow-empty=true or --a-b and --c"
        );
        assert_eq!(
            message.text(&Canonical),
            "with_body is plain text here; use with_body with allow_empty: true or a_b and c"
        );
    }
}
