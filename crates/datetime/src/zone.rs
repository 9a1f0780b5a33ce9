//! Time zone names. They are recognized by their shape, because a list of zones would become outdated.

use crate::offset::OffsetStyle;
use crate::problem::ParseProblemKind;
use crate::reader::{Reader, starts_ignoring_case};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ZoneStyle {
    /// An ID: `Europe/Berlin`, `UTC`, `+02:00`.
    Id,
    /// An abbreviation such as `CET`, or an ID.
    Abbreviation,
    /// A full name such as `Central European Time`, an abbreviation, or an ID.
    Full,
}

/// The parts before the first slash of time zone IDs, such as `Europe` in `Europe/Berlin`.
const AREAS: [&str; 17] = [
    "Africa/",
    "America/",
    "Antarctica/",
    "Arctic/",
    "Asia/",
    "Atlantic/",
    "Australia/",
    "Brazil/",
    "Canada/",
    "Chile/",
    "Etc/",
    "Europe/",
    "Indian/",
    "Mexico/",
    "Pacific/",
    "SystemV/",
    "US/",
];

/// Time zone IDs without a slash, such as `Japan` and `EST5EDT`.
const SINGLE_IDS: [&str; 40] = [
    "CET",
    "CST6CDT",
    "Cuba",
    "EET",
    "EST",
    "EST5EDT",
    "Egypt",
    "Eire",
    "GB",
    "GB-Eire",
    "GMT",
    "GMT0",
    "Greenwich",
    "HST",
    "Hongkong",
    "Iceland",
    "Iran",
    "Israel",
    "Jamaica",
    "Japan",
    "Kwajalein",
    "Libya",
    "MET",
    "MST",
    "MST7MDT",
    "NZ",
    "NZ-CHAT",
    "Navajo",
    "PRC",
    "PST8PDT",
    "Poland",
    "Portugal",
    "ROC",
    "ROK",
    "Singapore",
    "Turkey",
    "UCT",
    "Universal",
    "W-SU",
    "Zulu",
];

/// Common abbreviations. Some are ambiguous: `IST` is used in India, Ireland, and Israel.
const ABBREVIATIONS: [&str; 120] = [
    "ACDT", "ACST", "ACWST", "ADT", "AEDT", "AEST", "AFT", "AKDT", "AKST", "ALMT", "AMST", "AMT", "ART", "AST", "AWST",
    "AZOST", "AZOT", "AZT", "BDT", "BNT", "BOT", "BRST", "BRT", "BST", "BTT", "CAT", "CCT", "CDT", "CEST", "CET",
    "CHADT", "CHAST", "CHST", "CKT", "CLST", "CLT", "COT", "CST", "CVT", "CXT", "EAST", "EASST", "EAT", "ECT", "EDT",
    "EEST", "EET", "EGST", "EGT", "EST", "FJT", "FKT", "GALT", "GET", "GFT", "GILT", "GMT", "GST", "GYT", "HDT", "HKT",
    "HOVT", "HST", "ICT", "IDT", "IRDT", "IRKT", "IRST", "IST", "JST", "KGT", "KRAT", "KST", "LHDT", "LHST", "MAGT",
    "MDT", "MEST", "MET", "MMT", "MSD", "MSK", "MST", "MUT", "MVT", "MYT", "NDT", "NFT", "NPT", "NST", "NZDT", "NZST",
    "OMST", "PDT", "PET", "PETT", "PGT", "PHT", "PKT", "PST", "PYST", "PYT", "SAMT", "SAST", "SGT", "SST", "TJT",
    "TMT", "TRT", "ULAT", "UTC", "UYT", "UZT", "VET", "VLAT", "WAT", "WEST", "WET", "WIB", "YEKT",
];

impl ZoneStyle {
    /// Returns the style of `count` letters `z`, or `None` for more than four letters.
    pub(crate) fn of_z(count: usize) -> Option<Self> {
        match count {
            1..=3 => Some(Self::Abbreviation),
            4 => Some(Self::Full),
            _ => None,
        }
    }

    pub(crate) fn read(self, reader: &mut Reader<'_>) -> Result<(), ParseProblemKind> {
        let text = reader.rest();
        let lengths = match self {
            Self::Id => [id(text), None, None],
            Self::Abbreviation => [id(text), abbreviation(text), None],
            Self::Full => [id(text), abbreviation(text), full_name(text)],
        };
        let longest = lengths.into_iter().flatten().max();
        let length = longest.ok_or(ParseProblemKind::Zone {
            example: self.example(),
        })?;
        reader.skip(length);
        Ok(())
    }

    /// Writes the zone name if it has the right shape. Otherwise, writes the offset, which every style accepts.
    pub(crate) fn write(self, zone: Option<&str>, offset_seconds: i32, out: &mut String) {
        match zone {
            Some(name) if self != Self::Id || is_id(name) => out.push_str(name),
            _ => OffsetStyle::ID.write(offset_seconds, out),
        }
    }

    fn example(self) -> &'static str {
        match self {
            Self::Id => "Europe/Berlin",
            Self::Abbreviation => "CET",
            Self::Full => "Central European Time",
        }
    }
}

pub(crate) fn is_id(name: &str) -> bool {
    id(name) == Some(name.len())
}

pub(crate) fn is_abbreviation(name: &str) -> bool {
    abbreviation(name) == Some(name.len())
}

/// Returns the length of the zone ID at the start of the text in bytes, or `None` if the text does not start with one.
fn id(text: &str) -> Option<usize> {
    let single = SINGLE_IDS
        .iter()
        .filter(|id| text.starts_with(**id))
        .map(|id| id.len())
        .max();
    [single, offset_id(text), area_id(text)].into_iter().flatten().max()
}

/// Returns the length of `Z`, `+02:00`, `UTC`, `UTC+2`, or `GMT-03:30` at the start of the text.
fn offset_id(text: &str) -> Option<usize> {
    let mut reader = Reader::new(text);
    if reader.eat("UTC") || reader.eat("GMT") || reader.eat("UT") {
        let prefix = reader.at();
        return Some(offset(&mut reader).unwrap_or(prefix));
    }
    if reader.eat("Z") {
        Some(reader.at())
    } else {
        offset(&mut reader)
    }
}

/// Returns the byte position after an offset such as `+h`, `+hh`, `+hhmm`, `+hh:mm`, or `+hh:mm:ss`. Returns `None` if
/// the text does not start with one.
fn offset(reader: &mut Reader<'_>) -> Option<usize> {
    let start = *reader;
    if OffsetStyle::ID.read(reader).is_ok() {
        return Some(reader.at());
    }
    *reader = start;
    if OffsetStyle::of_x(1, false)?.read(reader).is_ok() {
        return Some(reader.at());
    }
    *reader = start;
    let short = (reader.eat("+") || reader.eat("-")) && reader.count_digits(2) == 1;
    short.then(|| reader.at() + 1)
}

/// Returns the length of a zone ID at the start of the text: `Area/City`, `Area/Region/City`, or `Etc/GMT+5`.
fn area_id(text: &str) -> Option<usize> {
    let area = AREAS.iter().find(|area| text.starts_with(**area))?;
    let mut end = area.len() + place(&text[area.len()..])?;
    while let Some(more) = text[end..].strip_prefix('/').and_then(place) {
        end += 1 + more;
    }
    Some(end)
}

/// Returns the length of the part of a zone ID at the start of the text: words joined by `_` or `-`, such as
/// `Port-au-Prince`, or `GMT` with an offset.
fn place(text: &str) -> Option<usize> {
    let mut end = word(text)?;
    while let Some(more) = text[end..].strip_prefix(['_', '-']).and_then(word) {
        end += 1 + more;
    }
    let offset = text[end..].strip_prefix(['+', '-']).filter(|_| &text[..end] == "GMT");
    let digits = offset.map_or(0, |rest| rest.bytes().take(2).take_while(u8::is_ascii_digit).count());
    Some(if digits == 0 { end } else { end + 1 + digits })
}

/// Returns the length of the word at the start of the text: a letter, then letters and digits, as in `EST5EDT`.
fn word(text: &str) -> Option<usize> {
    let length = text.bytes().take_while(u8::is_ascii_alphanumeric).count();
    text.starts_with(|first: char| first.is_ascii_alphabetic())
        .then_some(length)
}

/// Returns the length of the abbreviation at the start of the text. Ignores case.
fn abbreviation(text: &str) -> Option<usize> {
    let known = ABBREVIATIONS.iter().filter(|name| starts_ignoring_case(text, name));
    known.map(|name| name.len()).max()
}

/// Returns the length in bytes of the English zone name at the start of the text. The name ends in `Time`, as in
/// `Central European Summer Time`. Returns `None` if there is no such name.
fn full_name(text: &str) -> Option<usize> {
    const MOST_WORDS: usize = 7;
    let mut end = 0;
    for count in 0..MOST_WORDS {
        let length = text[end..]
            .bytes()
            .take_while(|byte| byte.is_ascii_alphabetic() || b"'.-".contains(byte))
            .count();
        let word = &text[end..end + length];
        end += length;
        if word.eq_ignore_ascii_case("Time") {
            return (count > 0).then_some(end);
        }
        if word.is_empty() || !text[end..].starts_with(' ') {
            return None;
        }
        end += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(style: ZoneStyle, text: &str, rest: &str) {
        let mut reader = Reader::new(text);
        style.read(&mut reader).unwrap();
        assert_eq!(reader.rest(), rest, "{text}");
    }

    #[test]
    fn recognizes_ids_by_their_shape() {
        for id in [
            "Europe/Berlin",
            "America/Argentina/Buenos_Aires",
            "America/Port-au-Prince",
            "Etc/GMT+12",
            "UTC",
        ] {
            check(ZoneStyle::Id, id, "");
        }
        for id in [
            "Z",
            "+02:00",
            "-0330",
            "UTC+2",
            "GMT-03:30",
            "EST5EDT",
            "W-SU",
            "Etc/GMT0",
        ] {
            check(ZoneStyle::Id, id, "");
        }
        for text in [
            "Europe",
            "Europe/",
            "Mars/Phobos",
            "CEST",
            "",
            "+",
            "Europe/é",
            "+25:00",
        ] {
            assert!(ZoneStyle::Id.read(&mut Reader::new(text)).is_err(), "{text}");
        }
    }

    #[test]
    fn ids_end_before_other_text() {
        check(ZoneStyle::Id, "Europe/Berlin]", "]");
        check(ZoneStyle::Id, "Europe/Berlin-2026", "-2026");
        check(ZoneStyle::Id, "GMT -1", " -1");
    }

    #[test]
    fn abbreviations_and_full_names() {
        check(ZoneStyle::Abbreviation, "cest 2026", " 2026");
        check(ZoneStyle::Abbreviation, "+03", "");
        check(ZoneStyle::Abbreviation, "Europe/Berlin", "");
        check(ZoneStyle::Full, "Israel Daylight Time 2026", " 2026");
        check(ZoneStyle::Full, "CET Time", "");
        check(ZoneStyle::Full, "CET 2026", " 2026");
        assert!(ZoneStyle::Abbreviation.read(&mut Reader::new("XYZ")).is_err());
        assert!(ZoneStyle::Full.read(&mut Reader::new("Time")).is_err());
    }
}
