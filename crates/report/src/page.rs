//! Builds text for a terminal or a log, line by line. Escapes untrusted text, so that terminals and CI systems do not
//! interpret it.

use std::borrow::Cow;
use std::fmt::Write;

use crate::escape::{push_line, push_piece};

/// The style of a span. It has no effect if color is disabled.
#[derive(Clone, Copy)]
pub(crate) enum Style {
    Bold,
    Dim,
    Red,
    Green,
    Yellow,
    Cyan,
}

impl Style {
    fn code(self) -> u8 {
        match self {
            Self::Bold => 1,
            Self::Dim => 2,
            Self::Red => 31,
            Self::Green => 32,
            Self::Yellow => 33,
            Self::Cyan => 36,
        }
    }

    pub(crate) fn span<'a>(self, text: impl Into<Cow<'a, str>>) -> Span<'a> {
        Span {
            style: Some(self),
            text: text.into(),
        }
    }
}

/// A piece of text with a style.
pub(crate) struct Span<'a> {
    style: Option<Style>,
    text: Cow<'a, str>,
}

pub(crate) fn plain<'a>(text: impl Into<Cow<'a, str>>) -> Span<'a> {
    Span {
        style: None,
        text: text.into(),
    }
}

pub(crate) struct Page {
    out: String,
    color: bool,
}

impl Page {
    pub(crate) fn new(color: bool) -> Self {
        Self {
            out: String::new(),
            color,
        }
    }

    /// Writes one line. Escapes line breaks in the spans.
    pub(crate) fn line<'a>(&mut self, indent: usize, pieces: impl IntoIterator<Item = Span<'a>>) {
        let mut is_start = true;
        for Span { style, text } in pieces {
            if text.is_empty() {
                continue;
            }
            if is_start {
                self.out.extend(std::iter::repeat_n(' ', indent));
            }
            let style = style.filter(|_| self.color);
            if let Some(style) = style {
                // Writing to a string never fails.
                let _ = write!(self.out, "\u{1b}[{}m", style.code());
            }
            if is_start {
                push_line(&mut self.out, &text);
            } else {
                push_piece(&mut self.out, &text);
            }
            if style.is_some() {
                self.out.push_str("\u{1b}[0m");
            }
            is_start = false;
        }
        self.out.push('\n');
    }

    pub(crate) fn lines(&mut self, indent: usize, style: Option<Style>, text: &str) {
        for line in text.lines() {
            self.line(
                indent,
                [Span {
                    style,
                    text: line.into(),
                }],
            );
        }
    }

    pub(crate) fn gap(&mut self) {
        self.out.push('\n');
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }
}
