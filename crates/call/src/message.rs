//! Messages in which the names of operations and options are marked, because each language spells them differently:
//! `with_header` is `withHeader` in TypeScript.

use std::borrow::Cow;
use std::fmt;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message(Vec<Piece>);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Piece {
    Text(String),
    /// The name of an operation, matcher, generator, or function in snake case, such as `with_header` or
    /// `match.each_like`.
    Operation(Cow<'static, str>),
    /// The name of an argument or option, or an enum value, in snake case, such as `content_type`.
    Option(Cow<'static, str>),
    /// The name and the value of an option. Bindings print it as `{ allowEmpty: true }`, `allow_empty=True`, or
    /// `--allow-empty`.
    Setting(Cow<'static, str>, Cow<'static, str>),
}

/// Spells names in the convention of a language or of the command line.
pub trait Spelling {
    /// Spells the name of an operation, matcher, or function that is passed in snake case, such as `with_header`.
    fn operation(&self, name: &str) -> String;
    /// Spells an argument, option, or enum value that is passed in snake case, such as `content_type`.
    fn option(&self, name: &str) -> String;
    /// Spells an option with its value. The name is passed in snake case.
    fn setting(&self, name: &str, value: &str) -> String;
    /// Adapts the text between the names. A language with other names for JSON values replaces them, for example `null`
    /// with `None`. By default, the text is unchanged.
    fn plain_text<'a>(&self, text: &'a str) -> Cow<'a, str> {
        text.into()
    }
}

/// Spells names in snake case.
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

    /// Applies `change` to the text between the names.
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
    /// Compares with the text that has its names in snake case.
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

/// Lists names separated by `between`, with `last` before the last name: `a, b, and c` for `", "` and `" and "`.
pub fn listed(names: &[&'static str], separator: &str, last: &str) -> Message {
    let mut message = Message::default();
    for (at, name) in names.iter().enumerate() {
        if at > 0 {
            if at + 1 < names.len() {
                message.push(separator);
            } else {
                // Add the serial comma: `a, b, and c`.
                message.push(if names.len() > 2 && last != separator { "," } else { "" });
                message.push(last);
            }
        }
        message.push(option(*name));
    }
    message
}

/// Builds a message from text and names: `message!["use ", operation("set_header"), format!(" for {name:?}")]`.
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
