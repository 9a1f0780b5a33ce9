//! Decompresses the bodies of HTTP messages.

use std::io::Read;

use bytes::Bytes;
use flate2::read::{DeflateDecoder, MultiGzDecoder, ZlibDecoder};
use http::HeaderValue;

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Problem {
    /// The body is not valid for this `Content-Encoding`. `detail` is the decoder's message.
    Corrupt { coding: String, detail: String },
    /// This `Content-Encoding` is not supported.
    Unknown(String),
    /// The decompressed body exceeds the limit.
    TooLarge,
}

/// Removes all encodings in `Content-Encoding`, starting with the last one. Returns empty bodies unchanged. Each result
/// may have at most `limit` bytes.
pub(crate) fn decode<'a>(
    mut body: Bytes,
    declared: impl IntoIterator<Item = &'a HeaderValue>,
    limit: usize,
) -> Result<Bytes, Problem> {
    let codings: Vec<String> = declared
        .into_iter()
        .filter_map(|line| line.to_str().ok())
        .flat_map(|line| line.split(','))
        .map(|coding| coding.trim().to_ascii_lowercase())
        .collect();
    for coding in codings.iter().rev() {
        if body.is_empty() {
            break;
        }
        body = match coding.as_str() {
            "" | "identity" => body,
            "gzip" | "x-gzip" => read(MultiGzDecoder::new(&body[..]), coding, limit)?,
            // RFC 9110 requires the zlib format, but many servers send raw deflate data.
            "deflate" if is_zlib(&body) => read(ZlibDecoder::new(&body[..]), coding, limit)?,
            "deflate" => read(DeflateDecoder::new(&body[..]), coding, limit)?,
            "br" => read(
                brotli_decompressor::Decompressor::new(&body[..], 16 * 1024),
                coding,
                limit,
            )?,
            other => return Err(Problem::Unknown(other.to_owned())),
        };
    }
    Ok(body)
}

/// Returns true if the bytes start with a zlib header (RFC 1950, section 2.2).
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [first, second, ..] if first & 0x0f == 8 && (u16::from(*first) << 8 | u16::from(*second)) % 31 == 0)
}

fn read(decoder: impl Read, coding: &str, limit: usize) -> Result<Bytes, Problem> {
    let mut out = Vec::new();
    // Read one byte more than the limit to detect a body that is too large.
    let most = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    decoder
        .take(most)
        .read_to_end(&mut out)
        .map_err(|error| Problem::Corrupt {
            coding: coding.to_owned(),
            detail: error.to_string(),
        })?;
    if out.len() > limit {
        return Err(Problem::TooLarge);
    }
    Ok(out.into())
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use bytes::Bytes;
    use flate2::Compression;
    use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
    use http::HeaderValue;

    use super::{Problem, decode};

    fn decoded(bytes: impl Into<Bytes>, coding: &str) -> Result<Bytes, Problem> {
        decode(bytes.into(), [&HeaderValue::from_str(coding).unwrap()], 1000)
    }

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn decodes_bodies() {
        let mut zlib = ZlibEncoder::new(Vec::new(), Compression::default());
        zlib.write_all(b"hello").unwrap();
        let mut bare = DeflateEncoder::new(Vec::new(), Compression::default());
        bare.write_all(b"hello").unwrap();
        // Brotli data with five uncompressed bytes.
        let brotli = b"\x0b\x02\x80hello\x03".to_vec();
        for (bytes, coding) in [
            (gzip(b"hello"), "gzip"),
            (gzip(b"hello"), "X-GZIP"),
            (gzip(&gzip(b"hello")), "gzip, gzip"),
            (zlib.finish().unwrap(), "deflate"),
            (bare.finish().unwrap(), "deflate"),
            (brotli, "br"),
            (b"hello".to_vec(), "identity"),
            (b"hello".to_vec(), ""),
        ] {
            assert_eq!(decoded(bytes, coding).unwrap(), "hello", "{coding}");
        }
    }

    #[test]
    fn rejects_invalid_encodings() {
        for coding in ["gzip", "deflate", "br"] {
            let error = decoded("{\"plain\": true}", coding).unwrap_err();
            assert!(matches!(error, Problem::Corrupt { .. }), "{coding}: {error:?}");
        }
        assert!(matches!(
            decoded(gzip(b"hello")[..12].to_vec(), "gzip"),
            Err(Problem::Corrupt { .. })
        ));
        assert_eq!(decoded("x", "zstd"), Err(Problem::Unknown("zstd".into())));
        assert_eq!(decoded("", "gzip").unwrap(), "");
    }

    #[test]
    fn limits_the_decompressed_size() {
        assert_eq!(decoded(gzip(&vec![0; 100_000]), "gzip"), Err(Problem::TooLarge));
        assert_eq!(decoded(gzip(&[0; 1000]), "gzip").unwrap().len(), 1000);
    }
}
