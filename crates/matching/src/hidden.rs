//! Control characters and invisible characters, which are escaped in output.

use std::fmt::{self, Write};

/// Returns whether a terminal could interpret the character as a command, hide it, move it, or (for private use
/// characters) display it depending on the font.
pub fn is_hidden(character: char) -> bool {
    character.is_control()
        || matches!(
            character,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
                | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e007f}'
                | '\u{f0000}'..='\u{10ffff}'
        )
}

/// Writes text on one line. Escapes line breaks, control characters, and characters that hide or reorder text, so that
/// received data cannot control a terminal.
pub(crate) struct OneLine<'a, 'b>(pub(crate) &'a mut fmt::Formatter<'b>);

impl Write for OneLine<'_, '_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let mut rest = text;
        while let Some((at, hidden)) = rest.char_indices().find(|&(_, c)| is_hidden(c)) {
            write!(self.0, "{}{}", &rest[..at], hidden.escape_default())?;
            rest = &rest[at + hidden.len_utf8()..];
        }
        self.0.write_str(rest)
    }
}
