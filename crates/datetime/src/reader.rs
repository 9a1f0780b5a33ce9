//! A place in the text that is being checked.

#[derive(Debug, Clone, Copy)]
pub(crate) struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Reader<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Self { text, at: 0 }
    }

    /// In bytes; always between two characters.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    pub(crate) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// Passes over the next `bytes` of the rest.
    pub(crate) fn skip(&mut self, bytes: usize) -> &'t str {
        let skipped = &self.rest()[..bytes];
        self.at += bytes;
        skipped
    }

    pub(crate) fn eat(&mut self, wanted: &str) -> bool {
        let found = self.rest().starts_with(wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    pub(crate) fn eat_ignoring_case(&mut self, wanted: &str) -> bool {
        let found = starts_ignoring_case(self.rest(), wanted);
        self.at += if found { wanted.len() } else { 0 };
        found
    }

    /// How many ASCII digits come next, counted up to `most`.
    pub(crate) fn count_digits(&self, most: usize) -> usize {
        self.rest().bytes().take(most).take_while(u8::is_ascii_digit).count()
    }
}

/// Whether `text` begins with `start`, ASCII letters compared without case.
pub(crate) fn starts_ignoring_case(text: &str, start: &str) -> bool {
    text.get(..start.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(start))
}
