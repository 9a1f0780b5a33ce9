//! Cursor over the text to check.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// Returns the position in bytes, which is always a character boundary.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    pub(crate) fn skip(&mut self, bytes: usize) -> &'t str {
        let skipped = &self.rest()[..bytes];
        self.at += bytes;
        skipped
    }

    pub(crate) fn eat(&mut self, expected: &str) -> bool {
        let found = self.rest().starts_with(expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    pub(crate) fn eat_ignoring_case(&mut self, expected: &str) -> bool {
        let found = starts_ignoring_case(self.rest(), expected);
        self.at += if found { expected.len() } else { 0 };
        found
    }

    /// Returns the number of ASCII digits that follow, up to `most`.
    pub(crate) fn count_digits(&self, most: usize) -> usize {
        self.rest().bytes().take(most).take_while(u8::is_ascii_digit).count()
    }
}

/// Returns true if the text starts with `start`. Ignores the case of ASCII letters.
pub(crate) fn starts_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}
