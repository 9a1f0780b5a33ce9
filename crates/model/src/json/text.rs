use compact_str::CompactString;

/// Short text: up to 24 bytes are kept inline.
pub type Text = CompactString;
