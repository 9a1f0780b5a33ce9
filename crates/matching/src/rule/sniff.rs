//! Detects content types by magic numbers. The table is part of this crate, so that the result is the same on all
//! machines; see docs/decisions/0006-content-type-table.md.

use contract_model::{ContentType, Json};
use memchr::memmem;

/// Number of bytes to inspect for detecting text and for finding names in an archive.
const INSPECTED_SIZE: usize = 64 * 1024;

/// Offset, magic number, and content type. The first match is used.
const TABLE: &[(usize, &[u8], &str)] = &[
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"II+\0", "image/tiff"),
    (0, b"MM\0+", "image/tiff"),
    (0, b"\0\0\x01\0", "image/vnd.microsoft.icon"),
    (0, b"8BPS", "image/vnd.adobe.photoshop"),
    (0, b"\0\0\0\x0cjP  \r\n\x87\n", "image/jp2"),
    (0, b"\0\0\0\x0cJXL \r\n\x87\n", "image/jxl"),
    (0, b"\xff\x0a", "image/jxl"),
    (0, b"fLaC", "audio/flac"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"MThd", "audio/midi"),
    (0, b"#!AMR", "audio/amr"),
    (0, b"FLV\x01", "video/x-flv"),
    (0, b"\0\0\x01\xba", "video/mpeg"),
    (0, b"\0\0\x01\xb3", "video/mpeg"),
    (0, b"\x30\x26\xb2\x75\x8e\x66\xcf\x11", "video/x-ms-asf"),
    (0, b"wOFF", "font/woff"),
    (0, b"wOF2", "font/woff2"),
    (0, b"OTTO\0", "font/otf"),
    (0, b"\0\x01\0\0\0", "font/ttf"),
    (0, b"true\0", "font/ttf"),
    (0, b"ttcf\0", "font/collection"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"%!PS", "application/postscript"),
    (0, b"{\\rtf", "application/rtf"),
    (0, b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "application/x-ole-storage"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"\x1f\x9d", "application/x-compress"),
    (0, b"BZh", "application/x-bzip2"),
    (0, b"\xfd7zXZ\0", "application/x-xz"),
    (0, b"\x28\xb5\x2f\xfd", "application/zstd"),
    (0, b"\x04\x22\x4d\x18", "application/x-lz4"),
    (0, b"7z\xbc\xaf\x27\x1c", "application/x-7z-compressed"),
    (0, b"Rar!\x1a\x07", "application/vnd.rar"),
    (0, b"MSCF\0", "application/vnd.ms-cab-compressed"),
    (0, b"!<arch>\ndebian", "application/vnd.debian.binary-package"),
    (0, b"!<arch>\n", "application/x-archive"),
    (0, b"\xed\xab\xee\xdb", "application/x-rpm"),
    (257, b"ustar", "application/x-tar"),
    (0, b"\0asm", "application/wasm"),
    (0, b"SQLite format 3\0", "application/vnd.sqlite3"),
    (0, b"PAR1", "application/vnd.apache.parquet"),
    (0, b"\x7fELF", "application/x-elf"),
    (0, b"\xfe\xed\xfa\xce", "application/x-mach-binary"),
    (0, b"\xfe\xed\xfa\xcf", "application/x-mach-binary"),
    (0, b"\xce\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"\xcf\xfa\xed\xfe", "application/x-mach-binary"),
    (0, b"dex\n", "application/vnd.android.dex"),
];

/// Types that only a closer inspection can detect; see [`container`] and [`archive`].
const BY_CONTENTS: &[&str] = &[
    "image/bmp",
    "image/webp",
    "image/avif",
    "image/heic",
    "image/heif",
    "image/svg+xml",
    "audio/wav",
    "audio/aiff",
    "audio/ogg",
    "audio/aac",
    "audio/mp4",
    "video/ogg",
    "video/mp4",
    "video/x-m4v",
    "video/3gpp",
    "video/quicktime",
    "video/x-msvideo",
    "video/webm",
    "video/x-matroska",
    "application/java-vm",
    "application/vnd.microsoft.portable-executable",
    "application/zip",
    "application/java-archive",
    "application/vnd.android.package-archive",
    "application/epub+zip",
    "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    "application/vnd.openxmlformats-officedocument.presentationml.presentation",
];

/// Pairs of an alias and the canonical content type.
const ALIASES: &[(&str, &str)] = &[
    ("image/jpg", "image/jpeg"),
    ("image/pjpeg", "image/jpeg"),
    ("image/x-png", "image/png"),
    ("image/x-icon", "image/vnd.microsoft.icon"),
    ("image/x-ms-bmp", "image/bmp"),
    ("image/x-bmp", "image/bmp"),
    ("audio/mp3", "audio/mpeg"),
    ("audio/x-wav", "audio/wav"),
    ("audio/wave", "audio/wav"),
    ("audio/vnd.wave", "audio/wav"),
    ("audio/x-flac", "audio/flac"),
    ("audio/x-aiff", "audio/aiff"),
    ("audio/x-aac", "audio/aac"),
    ("audio/m4a", "audio/mp4"),
    ("audio/x-m4a", "audio/mp4"),
    ("audio/opus", "audio/ogg"),
    ("application/ogg", "audio/ogg"),
    ("video/avi", "video/x-msvideo"),
    ("video/vnd.avi", "video/x-msvideo"),
    ("video/matroska", "video/x-matroska"),
    ("video/x-ms-wmv", "video/x-ms-asf"),
    ("application/font-woff", "font/woff"),
    ("application/font-woff2", "font/woff2"),
    ("application/font-sfnt", "font/ttf"),
    ("application/x-font-ttf", "font/ttf"),
    ("application/x-font-otf", "font/otf"),
    ("font/sfnt", "font/ttf"),
    ("application/x-pdf", "application/pdf"),
    ("text/rtf", "application/rtf"),
    ("application/x-gzip", "application/gzip"),
    ("application/x-zip-compressed", "application/zip"),
    ("application/x-zip", "application/zip"),
    ("application/x-bzip", "application/x-bzip2"),
    ("application/bzip2", "application/x-bzip2"),
    ("application/x-zstd", "application/zstd"),
    ("application/x-rar-compressed", "application/vnd.rar"),
    ("application/x-rar", "application/vnd.rar"),
    ("application/tar", "application/x-tar"),
    ("application/x-java-archive", "application/java-archive"),
    ("application/x-sqlite3", "application/vnd.sqlite3"),
    ("application/x-executable", "application/x-elf"),
    ("application/x-sharedlib", "application/x-elf"),
    (
        "application/x-msdownload",
        "application/vnd.microsoft.portable-executable",
    ),
    ("application/x-java-class", "application/java-vm"),
    ("application/java", "application/java-vm"),
    ("application/msword", "application/x-ole-storage"),
    ("application/vnd.ms-excel", "application/x-ole-storage"),
    ("application/vnd.ms-powerpoint", "application/x-ole-storage"),
    ("text/xml", "application/xml"),
    ("text/json", "application/json"),
    ("application/xhtml+xml", "text/html"),
];

/// Detects the content type of the bytes.
pub fn content_type(bytes: &[u8]) -> ContentType {
    essence(bytes).parse().unwrap_or_else(|_| ContentType::binary())
}

fn essence(bytes: &[u8]) -> String {
    let by_table = || {
        TABLE
            .iter()
            .find(|(at, magic, _)| bytes.get(*at..).is_some_and(|rest| rest.starts_with(magic)))
            .map(|(_, _, essence)| (*essence).to_owned())
    };
    if let Some(text) = as_text(bytes) {
        // Text is detected as another format only if it has an unambiguous marker, because ordinary text may also start
        // with `BZh`.
        let marked = ["%PDF-", "%!PS", "{\\rtf"].iter().any(|mark| text.starts_with(mark));
        return by_table()
            .filter(|_| marked)
            .unwrap_or_else(|| detect_text(text, bytes).to_owned());
    }
    container(bytes)
        .map(str::to_owned)
        .or_else(|| archive(bytes))
        .or_else(by_table)
        .unwrap_or_else(|| "application/octet-stream".to_owned())
}

/// Returns the start of the bytes as text, or `None` if the bytes are binary.
fn as_text(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(INSPECTED_SIZE)];
    let text = match std::str::from_utf8(head) {
        Ok(text) => text,
        // The end of the head may be in the middle of a character.
        Err(error) if error.error_len().is_none() && head.len() < bytes.len() => {
            std::str::from_utf8(&head[..error.valid_up_to()]).ok()?
        }
        Err(_) => return None,
    };
    let is_control = |c: char| c.is_ascii_control() && !matches!(c, '\t' | '\n' | '\r' | '\x0c' | '\x1b');
    (!text.is_empty() && !text.contains(is_control)).then_some(text)
}

fn detect_text(text: &str, bytes: &[u8]) -> &'static str {
    let start = text.trim_start_matches('\u{feff}').trim_start();
    if start.starts_with('<') {
        return match root_name(start) {
            Some(name) if name.eq_ignore_ascii_case("svg") => "image/svg+xml",
            Some(name) if name.eq_ignore_ascii_case("html") => "text/html",
            Some(_) => "application/xml",
            None => "text/plain",
        };
    }
    if start.starts_with(['{', '[']) && Json::parse(bytes).is_ok() {
        "application/json"
    } else {
        "text/plain"
    }
}

/// Returns the name of the root element, or the name in the document type declaration.
fn root_name(mut text: &str) -> Option<&str> {
    loop {
        text = text.trim_start();
        let end = if text.starts_with("<!--") {
            text.find("-->")? + 3
        } else if text.starts_with("<?") {
            text.find("?>")? + 2
        } else if text.get(..9).is_some_and(|head| head.eq_ignore_ascii_case("<!doctype")) {
            let ends = |c: char| c.is_whitespace() || matches!(c, '>' | '[');
            return text[9..].split(ends).find(|name| !name.is_empty());
        } else {
            let name = text.strip_prefix('<')?;
            let length = name.find(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':')));
            let name = &name[..length.unwrap_or(name.len())];
            let begins = name.starts_with(|c: char| c.is_alphabetic() || c == '_');
            return begins.then(|| name.rsplit(':').next().unwrap_or(name));
        };
        text = &text[end..];
    }
}

/// Detects formats that share a magic number with other formats.
fn container(bytes: &[u8]) -> Option<&'static str> {
    let tag = |at: usize| bytes.get(at..at + 4).unwrap_or_default();
    let within = |needle: &[u8]| memmem::find(&bytes[..bytes.len().min(256)], needle).is_some();
    Some(match (tag(0), tag(4), tag(8)) {
        (b"RIFF", _, b"WEBP") => "image/webp",
        (b"RIFF", _, b"WAVE") => "audio/wav",
        (b"RIFF", _, b"AVI ") => "video/x-msvideo",
        (b"FORM", _, b"AIFF" | b"AIFC") => "audio/aiff",
        (_, b"ftyp", brand) => match brand {
            b"avif" | b"avis" => "image/avif",
            b"heic" | b"heix" | b"hevc" | b"hevx" => "image/heic",
            b"mif1" | b"msf1" => "image/heif",
            b"M4A " | b"M4B " => "audio/mp4",
            b"M4V " => "video/x-m4v",
            b"qt  " => "video/quicktime",
            [b'3', b'g', ..] => "video/3gpp",
            _ => "video/mp4",
        },
        (b"\x1a\x45\xdf\xa3", ..) if within(b"webm") => "video/webm",
        (b"\x1a\x45\xdf\xa3", ..) => "video/x-matroska",
        (b"OggS", ..) if within(b"theora") => "video/ogg",
        (b"OggS", ..) => "audio/ogg",
        // Java class files and universal Mach-O files start with the same four bytes. In a Mach-O file, a small number
        // of architectures follows.
        (b"\xca\xfe\xba\xbe", [0, 0, 0, 0..=40], _) => "application/x-mach-binary",
        (b"\xca\xfe\xba\xbe", ..) => "application/java-vm",
        ([b'B', b'M', ..], ..) if bytes.get(6..10) == Some(&[0; 4]) => "image/bmp",
        ([b'M', b'Z', ..], ..) if is_program(bytes) => "application/vnd.microsoft.portable-executable",
        ([0xff, 0xf1 | 0xf9 | 0xf0 | 0xf8, ..], ..) => "audio/aac",
        ([0xff, second, ..], ..) if second & 0xe6 == 0xe2 => "audio/mpeg",
        _ => return None,
    })
}

fn is_program(bytes: &[u8]) -> bool {
    let at = bytes
        .get(0x3c..0x40)
        .and_then(|at| at.try_into().ok())
        .map(u32::from_le_bytes);
    at.and_then(|at| bytes.get(usize::try_from(at).ok()?..))
        .is_some_and(|header| header.starts_with(b"PE\0\0"))
}

/// Detects the type of a Zip archive from the names of its entries.
fn archive(bytes: &[u8]) -> Option<String> {
    const NAME: usize = 30;
    if ![&b"PK\x03\x04"[..], b"PK\x05\x06", b"PK\x07\x08"]
        .iter()
        .any(|magic| bytes.starts_with(magic))
    {
        return None;
    }
    let length = |at: usize| {
        bytes
            .get(at..at + 2)
            .map_or(0, |two| usize::from(u16::from_le_bytes([two[0], two[1]])))
    };
    // If the first entry has this name, it contains the type without compression.
    let declared = bytes.get(NAME..).and_then(|name| name.strip_prefix(b"mimetype"));
    if let Some(declared) = declared.filter(|_| length(26) == 8 && length(28) == 0) {
        let text = &declared[..declared.len().min(length(18))];
        let essence = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.trim().parse::<ContentType>().ok());
        if let Some(essence) = essence {
            return Some(essence.essence().to_owned());
        }
    }
    // The name of each entry is in its header, and also in the central directory at the end.
    let head = &bytes[..bytes.len().min(INSPECTED_SIZE)];
    let tail = &bytes[bytes.len().saturating_sub(INSPECTED_SIZE)..];
    let entry = |name: &[u8]| {
        let named = |part: &[u8], signature: &[u8], offset: usize| {
            memmem::find_iter(part, signature)
                .any(|at| part.get(at + offset..).is_some_and(|rest| rest.starts_with(name)))
        };
        named(head, b"PK\x03\x04", NAME) || named(tail, b"PK\x01\x02", 46)
    };
    let office = "application/vnd.openxmlformats-officedocument";
    Some(if entry(b"[Content_Types].xml") && entry(b"word/") {
        format!("{office}.wordprocessingml.document")
    } else if entry(b"[Content_Types].xml") && entry(b"xl/") {
        format!("{office}.spreadsheetml.sheet")
    } else if entry(b"[Content_Types].xml") && entry(b"ppt/") {
        format!("{office}.presentationml.presentation")
    } else if entry(b"AndroidManifest.xml") {
        "application/vnd.android.package-archive".to_owned()
    } else if entry(b"META-INF/MANIFEST.MF") {
        "application/java-archive".to_owned()
    } else {
        "application/zip".to_owned()
    })
}

/// Returns whether a detected type satisfies an expected type. The following are accepted:
/// - the same type, under any of its names;
/// - JSON, XML, and zip for all types that are based on them;
/// - any text for `text/plain`, and unmarked text for text types that cannot be detected (CSV, YAML, CSS);
/// - anything for `application/octet-stream`;
/// - for unknown types: data without a detected type, and for `application` types also the formats on which they may be
///   based (text, JSON, XML, zip, gzip, `SQLite`).
pub(crate) fn satisfies(expected: &ContentType, found: &ContentType, bytes: &[u8]) -> bool {
    let (required, got) = (canonical(expected.essence()), canonical(found.essence()));
    let is_json = || Json::parse(bytes).is_ok();
    let is_xml = got == "application/xml" || found.suffix() == Some("xml");
    let is_plain = got == "text/plain";
    let is_text = is_plain || is_xml || got == "application/json" || found.main_type() == "text";
    if required == got || required == "application/octet-stream" {
        return true;
    }
    if expected.is_json() {
        return is_json();
    }
    if required == "text/html" {
        return is_xml || got == "text/html";
    }
    if required == "text/plain" {
        return is_text || bytes.is_empty();
    }
    if is_known(required) {
        let zipped = got == "application/zip" || found.suffix() == Some("zip") || is_zip_based(got);
        return (required == "application/zip" && zipped) || (required == "image/heif" && got == "image/heic");
    }
    if expected.is_xml() || expected.suffix() == Some("xml") {
        return is_xml;
    }
    if expected.suffix() == Some("zip") {
        return got == "application/zip" || is_zip_based(got);
    }
    if !expected.is_binary() {
        // CSV and similar formats are text without the marker of another format.
        return is_plain;
    }
    let made_of = [
        "application/json",
        "application/xml",
        "application/zip",
        "application/gzip",
        "application/vnd.sqlite3",
    ];
    got == "application/octet-stream" || (expected.main_type() == "application" && (is_plain || made_of.contains(&got)))
}

fn canonical(essence: &str) -> &str {
    let alias = ALIASES.iter().find(|(alias, _)| *alias == essence);
    alias.map_or(essence, |(_, name)| name)
}

fn is_known(essence: &str) -> bool {
    TABLE.iter().any(|(_, _, known)| *known == essence) || BY_CONTENTS.contains(&essence)
}

fn is_zip_based(essence: &str) -> bool {
    essence.starts_with("application/vnd.openxmlformats-officedocument.")
        || essence.starts_with("application/vnd.oasis.opendocument.")
        || ["application/java-archive", "application/vnd.android.package-archive"].contains(&essence)
}

#[cfg(test)]
mod tests {
    use super::{content_type, satisfies};

    fn zip(entries: &[(&str, &str)]) -> Vec<u8> {
        let mut out = Vec::new();
        for (name, content) in entries {
            let size = u32::try_from(content.len()).unwrap().to_le_bytes();
            out.extend(b"PK\x03\x04\x14\0\0\0\0\0\0\0\0\0\0\0\0\0");
            out.extend(size);
            out.extend(size);
            out.extend(u16::try_from(name.len()).unwrap().to_le_bytes());
            out.extend([0, 0]);
            out.extend(name.bytes().chain(content.bytes()));
        }
        out
    }

    fn at(offset: usize, bytes: &[u8]) -> Vec<u8> {
        let mut out = vec![0; offset];
        out.extend(bytes);
        out
    }

    #[test]
    fn detects_types() {
        let mut program = at(0x3c, &[0x40, 0, 0, 0]);
        program.extend(b"PE\0\0");
        program[..2].copy_from_slice(b"MZ");
        for (bytes, require) in [
            (b"\x89PNG\r\n\x1a\n...".to_vec(), "image/png"),
            (b"\xff\xd8\xff\xe0\0\x10JFIF".to_vec(), "image/jpeg"),
            (b"GIF89a\x01\0".to_vec(), "image/gif"),
            (b"RIFF\x24\0\0\0WEBPVP8 ".to_vec(), "image/webp"),
            (b"RIFF\x24\0\0\0WAVEfmt \0".to_vec(), "audio/wav"),
            (b"BM\x46\0\0\0\0\0\0\0\x36".to_vec(), "image/bmp"),
            (b"\0\0\x01\0\x01\0".to_vec(), "image/vnd.microsoft.icon"),
            (b"\0\0\0\x1cftypavif\0\0\0\0".to_vec(), "image/avif"),
            (b"\0\0\0\x1cftypheic\0\0\0\0".to_vec(), "image/heic"),
            (b"\0\0\0\x1cftypisom\0\0\0\0".to_vec(), "video/mp4"),
            (b"\0\0\0\x1cftypM4A \0\0\0\0".to_vec(), "audio/mp4"),
            (b"\x1a\x45\xdf\xa3\x01\0\x42\x82\x84webm".to_vec(), "video/webm"),
            (
                b"\x1a\x45\xdf\xa3\x01\0\x42\x82\x88matroska".to_vec(),
                "video/x-matroska",
            ),
            (b"\xff\xfb\x90\0".to_vec(), "audio/mpeg"),
            (b"\xff\xf1\x50\x80".to_vec(), "audio/aac"),
            (b"OggS\0\x02\0\0".to_vec(), "audio/ogg"),
            (b"\xca\xfe\xba\xbe\0\0\0\x34".to_vec(), "application/java-vm"),
            (b"\xca\xfe\xba\xbe\0\0\0\x02".to_vec(), "application/x-mach-binary"),
            (b"\x7fELF\x02\x01\x01\0".to_vec(), "application/x-elf"),
            (program, "application/vnd.microsoft.portable-executable"),
            (at(257, b"ustar\0"), "application/x-tar"),
            (b"%PDF-1.7\n".to_vec(), "application/pdf"),
            (b"%PDF-1.7\n\xff\0".to_vec(), "application/pdf"),
            (zip(&[("a.txt", "x")]), "application/zip"),
            (
                zip(&[("mimetype", "application/epub+zip"), ("META-INF/container.xml", "")]),
                "application/epub+zip",
            ),
            (
                zip(&[("mimetype", "application/vnd.oasis.opendocument.text")]),
                "application/vnd.oasis.opendocument.text",
            ),
            (
                zip(&[
                    ("[Content_Types].xml", ""),
                    ("_rels/.rels", ""),
                    ("xl/workbook.xml", ""),
                ]),
                "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
            ),
            (zip(&[("META-INF/MANIFEST.MF", "")]), "application/java-archive"),
            (
                b"<?xml version='1.0'?><!-- x --><svg xmlns='s'/>".to_vec(),
                "image/svg+xml",
            ),
            (b"<!DOCTYPE html><p>".to_vec(), "text/html"),
            (b"<note/>".to_vec(), "application/xml"),
            (b" {\"a\": 1}".to_vec(), "application/json"),
            (b"{not json".to_vec(), "text/plain"),
            (b"BZhello, MZ and BM are words here".to_vec(), "text/plain"),
            (b"\x01\x02\x03".to_vec(), "application/octet-stream"),
            (Vec::new(), "application/octet-stream"),
        ] {
            assert_eq!(
                content_type(&bytes).essence(),
                require,
                "{}",
                String::from_utf8_lossy(&bytes)
            );
        }
    }

    #[test]
    fn accepts_undetectable_types_of_the_same_family() {
        for (expected, bytes, require) in [
            ("image/jpg", &b"\xff\xd8\xff\xe0"[..], true),
            ("image/png", b"\xff\xd8\xff\xe0", false),
            ("image/png", b"some text", false),
            ("text/csv", b"a,b\n1,2\n", true),
            ("text/csv", b"{\"a\": 1}", false),
            ("application/yaml", b"a: 1\n", true),
            ("application/yaml", b"\x89PNG\r\n\x1a\n", false),
            ("text/plain", b"{\"a\": 1}", true),
            ("application/hal+json", b"{\"a\": 1}", true),
            ("application/json", b"12", true),
            ("application/json", b"{", false),
            ("application/atom+xml", b"<feed/>", true),
            ("image/svg+xml", b"<feed/>", false),
            ("application/octet-stream", b"\x89PNG\r\n\x1a\n", true),
            ("application/x-protobuf", b"\x08\x96\x01", true),
            ("application/vnd.acme", b"a: 1", true),
            ("application/vnd.acme", b"\xff\xd8\xff\xe0", false),
            ("image/x-unheard-of", b"\x01\x02", true),
            ("image/x-unheard-of", b"text", false),
        ] {
            let found = content_type(bytes);
            assert_eq!(
                satisfies(&expected.parse().unwrap(), &found, bytes),
                require,
                "{expected} and {found}"
            );
        }
    }
}
