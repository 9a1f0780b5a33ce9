//! Texts of others, made fit for terminals, XML and HTML.

use std::fmt::{self, Display, Write};

use contract_matching::is_hidden;

/// Writes a character so that it is seen and does nothing: what others write must not reach a terminal as a command, turn the
/// text around it, hide, or make XML invalid. Tabs stay, line breaks where there may be lines.
pub(crate) fn push_visible(out: &mut impl Write, c: char, line_breaks: bool) {
    // Writing to a text cannot fail.
    let _ = write_visible(out, c, line_breaks);
}

fn write_visible(out: &mut impl Write, c: char, line_breaks: bool) -> fmt::Result {
    match c {
        '\t' => out.write_char(c),
        '\n' if line_breaks => out.write_char(c),
        '\u{7f}' => out.write_char('\u{2421}'),
        c if c.is_ascii_control() => out.write_char(char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}')),
        // Terminals take U+009B for the beginning of an escape sequence, XML 1.0 has no place for the last two.
        '\u{80}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}' => out.write_char('\u{fffd}'),
        c if is_hidden(c) => write!(out, "{}", c.escape_default()),
        c => out.write_char(c),
    }
}

/// Writes a line that others wrote, or its beginning. CI systems look for commands at the start of a line, some of them
/// anywhere in it.
pub(crate) fn push_line(out: &mut String, line: &str) {
    if line.trim_start().starts_with("::") {
        out.push('\\');
    }
    push_piece(out, line);
}

/// Writes what stands further on in a line.
pub(crate) fn push_piece(out: &mut String, line: &str) {
    let mut rest = line;
    // What is plain goes over at once.
    while let Some(at) = rest.find(|c: char| c == '#' || !matches!(c, ' '..='~')) {
        let (plain, odd) = rest.split_at(at);
        out.push_str(plain);
        let mut left = odd.chars();
        if let Some(c) = left.next() {
            push_visible(out, c, false);
            if c == '#' && begins_command(odd) {
                out.push('\\');
            }
        }
        rest = left.as_str();
    }
    out.push_str(rest);
}

/// Whether a CI system would take what stands here for a command, wherever in a line it is.
fn begins_command(rest: &str) -> bool {
    ["##[", "##vso[", "##teamcity["]
        .iter()
        .any(|start| rest.starts_with(start))
}

/// A text that others wrote as one line for a terminal or a log: line breaks, control characters and what hides or turns text are
/// seen and do nothing, and no CI system takes it for a command.
pub fn harmless_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    push_line(&mut out, text);
    out
}

/// The same for a text of several lines.
pub fn harmless_text(text: &str) -> String {
    harmless_lines(text).collect::<Vec<_>>().join("\n")
}

/// JSON in which characters that act on a terminal or hide text are escaped, as `\u202e`. The value stays the same: outside of texts
/// JSON has no such characters.
pub fn harmless_json(json: &str) -> String {
    let acts = |c: char| is_hidden(c) && !matches!(c, '\n' | '\t');
    if !json.contains(acts) {
        return json.to_owned();
    }
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if acts(c) {
            for unit in c.encode_utf16(&mut [0; 2]) {
                // Writing to a text cannot fail.
                let _ = write!(out, "\\u{unit:04x}");
            }
        } else {
            out.push(c);
        }
    }
    out
}

/// A text that others wrote within lines of ours: harmless, and its further lines are indented.
pub fn indented_text(text: &str, indent: &str) -> String {
    harmless_lines(text.trim_end())
        .collect::<Vec<_>>()
        .join(&format!("\n{indent}"))
}

/// The lines of a text that others wrote, none of them a command.
pub(crate) fn harmless_lines(text: &str) -> impl Iterator<Item = String> {
    text.lines().map(harmless_line)
}

/// Text between tags or in quotes, of XML and of HTML alike.
pub(crate) struct Escaped<T>(pub(crate) T);

impl<T: Display> Display for Escaped<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: true,
                at_start: false,
            },
            "{}",
            self.0
        )
    }
}

/// The value of an attribute: XML would make a blank of a line break.
pub(crate) struct Attribute<T>(pub(crate) T);

impl<T: Display> Display for Attribute<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            Escaping {
                to: f,
                line_breaks: false,
                at_start: false,
            },
            "{}",
            self.0
        )
    }
}

struct Escaping<'a, 'b> {
    to: &'a mut fmt::Formatter<'b>,
    line_breaks: bool,
    /// Nothing but blanks since the last line break.
    at_start: bool,
}

impl Write for Escaping<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        for (at, c) in text.char_indices() {
            if self.at_start && text[at..].starts_with("::") {
                self.to.write_char('\\')?;
            }
            self.at_start = c == '\n' || (self.at_start && c.is_whitespace());
            match c {
                '#' if begins_command(&text[at..]) => self.to.write_str("#\\")?,
                '&' => self.to.write_str("&amp;")?,
                '<' => self.to.write_str("&lt;")?,
                '>' => self.to.write_str("&gt;")?,
                '"' => self.to.write_str("&quot;")?,
                '\'' => self.to.write_str("&#39;")?,
                '\n' if !self.line_breaks => self.to.write_str("&#10;")?,
                '\t' if !self.line_breaks => self.to.write_str("&#9;")?,
                c => write_visible(self.to, c, self.line_breaks)?,
            }
        }
        Ok(())
    }
}

/// A time for people: `0.4 ms`, `12 ms`, `1.25 s`.
pub(crate) fn duration(milliseconds: f64) -> String {
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
    use super::{Attribute, Escaped, duration};

    #[test]
    fn texts() {
        assert_eq!(
            Escaped("a<b> & \"c\"\n\u{1b}[2J\u{9b}\u{ffff}").to_string(),
            "a&lt;b&gt; &amp; &quot;c&quot;\n␛[2J\u{fffd}\u{fffd}"
        );
        assert_eq!(Attribute("a\tb\n'").to_string(), "a&#9;b&#10;&#39;");
    }

    #[test]
    fn nothing_is_a_command() {
        let shown = |text: &str| super::harmless_lines(text).collect::<Vec<_>>();
        for (given, want) in [
            ("::error::x", "\\::error::x"),
            ("  ::set-output name=a::b", "\\  ::set-output name=a::b"),
            ("a ::error::x", "a ::error::x"),
            ("a ##[error]x ## b", "a #\\#[error]x ## b"),
            ("##teamcity[x] ##vso[y]", "#\\#teamcity[x] #\\#vso[y]"),
            (
                "\u{e000}\u{202e}a\u{200b}\u{1b}[31m\r",
                "\\u{e000}\\u{202e}a\\u{200b}␛[31m␍",
            ),
            ("עברית 🎉 é", "עברית 🎉 é"),
        ] {
            assert_eq!(shown(given), [want]);
        }
        assert_eq!(shown("a\n::b"), ["a", "\\::b"]);
        assert_eq!(super::harmless_text("a\n::b\u{202e}\n"), "a\n\\::b\\u{202e}");
        assert_eq!(super::harmless_line("a\n::b\u{202e}"), "a␊::b\\u{202e}");
    }

    #[test]
    fn json_stays_the_same_value() {
        let json = "{\n  \"a\": \"\u{202e}b\u{9b}\u{e0001}é 🎉\u{7f}\"\n}";
        let harmless = super::harmless_json(json);
        assert_eq!(harmless, "{\n  \"a\": \"\\u202eb\\u009b\\udb40\\udc01é 🎉\\u007f\"\n}");
        let parse = |text: &str| contract_model::Json::parse(text.as_bytes()).unwrap();
        assert_eq!(parse(&harmless), parse(json));
    }

    #[test]
    fn further_lines_are_indented() {
        assert_eq!(super::indented_text("a\n::b\r\nYes.\n", "  "), "a\n  \\::b\n  Yes.");
    }

    #[test]
    fn times() {
        for (milliseconds, want) in [(0.04, "0.0 ms"), (9.96, "10.0 ms"), (12.4, "12 ms"), (1250.0, "1.25 s")] {
            assert_eq!(duration(milliseconds), want);
        }
    }
}
