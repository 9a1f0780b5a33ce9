use compact_str::CompactString;

/// A short string. Up to 24 bytes are stored inline.
pub type Text = CompactString;
