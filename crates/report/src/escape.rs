//! Texts of others, made fit for terminals, XML and HTML.

use std::borrow::Cow;
use std::fmt::{self, Display, Write};

/// A control character as its picture: what others write must not reach a terminal or make XML invalid. Line breaks and
/// tabs stay.
pub(super) fn visible(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\u{7f}' => '\u{2421}',
        c if c.is_ascii_control() => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        // Terminals take U+009B for the beginning of an escape sequence, XML 1.0 has no place for the last two.
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c => c,
    }
}

/// Text between tags or in quotes, of XML and of HTML alike.
pub(super) struct Escaped<T>(pub(super) T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: true
            },
            "{}",
            self.0
        )
    }
}

/// The value of an attribute: XML would make a blank of a line break.
pub(super) struct Attribute<T>(pub(super) T);

impl<T: Display> Display for Attribute<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: false
            },
            "{}",
            self.0
        )
    }
}

struct Escaping<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    line_breaks: bool,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.to.write_str("&amp;")?,
                '<' => self.to.write_str("&lt;")?,
                '>' => self.to.write_str("&gt;")?,
                '"' => self.to.write_str("&quot;")?,
                '\'' => self.to.write_str("&#39;")?,
                '\n' if !self.line_breaks => self.to.write_str("&#10;")?,
                '\t' if !self.line_breaks => self.to.write_str("&#9;")?,
                c => self.to.write_char(visible(c))?,
            }
        }
        Ok(())
    }
}

/// Longest line of a mismatch or diff that is shown whole; what is cut off stands in the report as data.
pub(crate) const LONGEST_LINE: usize = 2000;

/// The beginning of a text that is longer than so many characters.
pub(crate) fn cut(text: &str, longest: usize) -> Cow<'_, str> {
    match text.char_indices().nth(longest) {
        Some((end, _)) => format!("{}… ({} characters in all)", &text[..end], text.chars().count()).into(),
        None => text.into(),
    }
}

/// A time for people: `0.4 ms`, `12 ms`, `1.25 s`.
pub(super) fn duration(milliseconds: f64) -> String {
    if milliseconds >= 1000.0 {
        format!("{:.2} s", milliseconds / 1000.0)
    } else if milliseconds >= 10.0 {
        format!("{milliseconds:.0} ms")
    } else {
        format!("{milliseconds:.1} ms")
    }
}

#[cfg(test)]
mod tests {
    use super::{Attribute, Escaped, cut, duration};

    #[test]
    fn texts() {
        assert_eq!(
            Escaped("a<b> & \"c\"\n\u{1b}[2J\u{9b}\u{ffff}").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot;\n␛[2J\u{fffd}\u{fffd}"
        );
        assert_eq!(Attribute("a\tb\n'").to_string(), "a&#9;b&#10;&#39;");
    }

    #[test]
    fn long_texts() {
        assert_eq!(cut("äöü", 3), "äöü");
        assert_eq!(cut("äöüß", 3), "äöü… (4 characters in all)");
    }

    #[test]
    fn times() {
        for (milliseconds, want) in [(0.04, "0.0 ms"), (9.96, "10.0 ms"), (12.4, "12 ms"), (1250.0, "1.25 s")] {
            assert_eq!(duration(milliseconds), want);
        }
    }
}
