//! Compresses the texts that take most of the database: the contracts.
//!
//! A packed text is the number of its bytes (32 bits, little-endian), followed by an LZ4 block of the text.

/// The maximum factor by which LZ4 can compress a text. A greater factor means that the data is damaged.
const MAX_RATIO: usize = 256;

/// A text that is stored compressed.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Packed(Vec<u8>);

#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("a compressed text is damaged")]
pub struct Damaged;

impl Packed {
    pub fn new(text: &str) -> Self {
        Self(lz4_flex::block::compress_prepend_size(text.as_bytes()))
    }

    pub fn bytes(&self) -> &[u8] {
        &self.0
    }
}

/// Returns the text that was packed.
pub fn unpack(packed: &[u8]) -> Result<String, Damaged> {
    let (size, block) = lz4_flex::block::uncompressed_size(packed).map_err(|_| Damaged)?;
    // Do not allocate the memory that damaged data asks for.
    if size / MAX_RATIO > block.len() {
        return Err(Damaged);
    }
    let bytes = lz4_flex::block::decompress(block, size).map_err(|_| Damaged)?;
    if bytes.len() != size {
        return Err(Damaged);
    }
    String::from_utf8(bytes).map_err(|_| Damaged)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_restored() {
        let long = "{\"a\": [1, 2, \"\u{e9}\u{1f600}\"]}, ".repeat(100_000);
        for text in ["", "a", "{}", &long, &"\0".repeat(1_000_000)] {
            assert_eq!(unpack(Packed::new(text).bytes()).as_deref(), Ok(text));
        }
        assert!(Packed::new(&long).bytes().len() * 100 < long.len());
    }

    #[test]
    fn damaged_data_is_an_error() {
        let packed = Packed::new(&"{\"description\": \"a request\"}".repeat(10));
        let packed = packed.bytes();
        for end in 0..packed.len() {
            assert_eq!(unpack(&packed[..end]), Err(Damaged), "{end}");
        }
        for at in 0..packed.len() {
            let mut changed = packed.to_vec();
            changed[at] ^= 0xff;
            // Changed letters cannot be detected, but nothing panics.
            let _ = unpack(&changed);
        }
        // The size of an enormous text.
        assert_eq!(unpack(&[0xff, 0xff, 0xff, 0xff, 0x10, b'a']), Err(Damaged));
    }
}
