//! Offsets from UTC.

use std::fmt::Write;

use crate::problem::ParseProblemKind;
use crate::reader::Reader;

/// The maximum of `java.time.ZoneOffset`. Time zones in use are at most 14 hours from UTC; ISO 8601 allows 23:59.
pub(crate) const LIMIT_SECONDS: u32 = 18 * 3600;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct OffsetStyle {
    form: Form,
    /// True if UTC is written as `Z`.
    zulu: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    /// `+hh`, or `+hhmm` if there are minutes.
    Hours,
    /// Always `+hhmm`.
    Compact,
    /// Always `+hh:mm`.
    Colon,
    /// `+hhmm`, or `+hhmmss` if there are seconds.
    CompactSeconds,
    /// `+hh:mm`, or `+hh:mm:ss` if there are seconds.
    ColonSeconds,
    /// `GMT+h`, with `:mm` and `:ss` unless they are zero.
    ShortGmt,
    /// `GMT+hh:mm`, with `:ss` unless the seconds are zero.
    LongGmt,
}

impl OffsetStyle {
    /// The style of an offset in a zone ID.
    pub(crate) const ID: Self = Self {
        form: Form::ColonSeconds,
        zulu: true,
    };

    /// Returns the style of `count` letters `x` or `X`, or `None` for more than five letters. `zulu` is true for `X`,
    /// which writes UTC as `Z`.
    pub(crate) fn of_x(count: usize, zulu: bool) -> Option<Self> {
        let forms = [
            Form::Hours,
            Form::Compact,
            Form::Colon,
            Form::CompactSeconds,
            Form::ColonSeconds,
        ];
        forms.get(count - 1).map(|&form| Self { form, zulu })
    }

    /// Returns the style of `count` letters `Z`, or `None` for more than five letters.
    pub(crate) fn of_z(count: usize) -> Option<Self> {
        match count {
            1..=3 => Some(Self {
                form: Form::Compact,
                zulu: false,
            }),
            4 => Some(Self {
                form: Form::LongGmt,
                zulu: false,
            }),
            5 => Some(Self::ID),
            _ => None,
        }
    }

    /// Returns the style of `count` letters `O`, or `None` unless there are one or four.
    pub(crate) fn of_o(count: usize) -> Option<Self> {
        match count {
            1 => Some(Self {
                form: Form::ShortGmt,
                zulu: false,
            }),
            4 => Some(Self {
                form: Form::LongGmt,
                zulu: false,
            }),
            _ => None,
        }
    }

    /// Reads an offset and returns it in seconds east of UTC.
    pub(crate) fn read(self, reader: &mut Reader<'_>) -> Result<i32, ParseProblemKind> {
        self.try_read(reader).ok_or(ParseProblemKind::Offset {
            example: self.example(),
            zulu: self.zulu,
        })
    }

    fn try_read(self, reader: &mut Reader<'_>) -> Option<i32> {
        if self.zulu && reader.eat("Z") {
            return Some(0);
        }
        let is_named = matches!(self.form, Form::ShortGmt | Form::LongGmt);
        if is_named && !reader.eat_ignoring_case("GMT") {
            return None;
        }
        let sign = match reader.rest().bytes().next() {
            Some(b'+') => 1,
            Some(b'-') => -1,
            _ => return is_named.then_some(0),
        };
        reader.skip(1);
        let seconds = self.read_distance(reader)?;
        (seconds.unsigned_abs() <= LIMIT_SECONDS).then_some(sign * seconds)
    }

    fn read_distance(self, reader: &mut Reader<'_>) -> Option<i32> {
        let hours = if matches!(self.form, Form::ShortGmt | Form::LongGmt) && reader.count_digits(2) == 1 {
            number(reader.skip(1))
        } else {
            two_digits(reader)?
        };
        let minutes = match self.form {
            Form::Hours => optional_part(reader, "").unwrap_or(0),
            Form::Compact | Form::CompactSeconds => part(reader, "")?,
            Form::Colon | Form::ColonSeconds => part(reader, ":")?,
            Form::ShortGmt | Form::LongGmt => optional_part(reader, ":").unwrap_or(0),
        };
        let seconds = match self.form {
            Form::Hours | Form::Compact | Form::Colon => 0,
            Form::CompactSeconds => optional_part(reader, "").unwrap_or(0),
            Form::ColonSeconds | Form::ShortGmt | Form::LongGmt => optional_part(reader, ":").unwrap_or(0),
        };
        Some((hours * 60 + minutes) * 60 + seconds)
    }

    /// Writes an offset in seconds east of UTC. Omits the seconds if the style has none, as Java does.
    pub(crate) fn write(self, seconds: i32, out: &mut String) {
        let sign = if seconds < 0 { '-' } else { '+' };
        let distance = seconds.unsigned_abs();
        let (hours, minutes, rest) = (distance / 3600, distance / 60 % 60, distance % 60);
        let shows_seconds = rest != 0 && !matches!(self.form, Form::Hours | Form::Compact | Form::Colon);
        if hours == 0 && minutes == 0 && !shows_seconds {
            return out.push_str(self.zero());
        }
        let written = match self.form {
            Form::Hours if minutes == 0 => write!(out, "{sign}{hours:02}"),
            Form::Hours | Form::Compact | Form::CompactSeconds => write!(out, "{sign}{hours:02}{minutes:02}"),
            Form::Colon | Form::ColonSeconds => write!(out, "{sign}{hours:02}:{minutes:02}"),
            Form::ShortGmt if minutes == 0 && rest == 0 => write!(out, "GMT{sign}{hours}"),
            Form::ShortGmt => write!(out, "GMT{sign}{hours}:{minutes:02}"),
            Form::LongGmt => write!(out, "GMT{sign}{hours:02}:{minutes:02}"),
        };
        let written = written.and_then(|()| match self.form {
            _ if !shows_seconds => Ok(()),
            Form::CompactSeconds => write!(out, "{rest:02}"),
            _ => write!(out, ":{rest:02}"),
        });
        written.expect("writing to a String never fails");
    }

    fn zero(self) -> &'static str {
        match self.form {
            _ if self.zulu => "Z",
            Form::Hours => "+00",
            Form::Compact | Form::CompactSeconds => "+0000",
            Form::Colon | Form::ColonSeconds => "+00:00",
            Form::ShortGmt | Form::LongGmt => "GMT",
        }
    }

    fn example(self) -> &'static str {
        match self.form {
            Form::Hours => "+02",
            Form::Compact | Form::CompactSeconds => "+0200",
            Form::Colon | Form::ColonSeconds => "+02:00",
            Form::ShortGmt => "GMT+2",
            Form::LongGmt => "GMT+02:00",
        }
    }
}

/// Reads minutes or seconds after `separator`. Consumes nothing if they are missing.
fn optional_part(reader: &mut Reader<'_>, separator: &str) -> Option<i32> {
    let mut ahead = *reader;
    let value = part(&mut ahead, separator)?;
    *reader = ahead;
    Some(value)
}

fn part(reader: &mut Reader<'_>, separator: &str) -> Option<i32> {
    reader
        .eat(separator)
        .then(|| two_digits(reader))
        .flatten()
        .filter(|&value| value < 60)
}

fn two_digits(reader: &mut Reader<'_>) -> Option<i32> {
    (reader.count_digits(2) == 2).then(|| number(reader.skip(2)))
}

fn number(digits: &str) -> i32 {
    digits
        .bytes()
        .fold(0, |value, digit| value * 10 + i32::from(digit - b'0'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(style: OffsetStyle, seconds: i32) -> String {
        let mut out = String::new();
        style.write(seconds, &mut out);
        out
    }

    #[track_caller]
    fn round_trip(style: Option<OffsetStyle>, cases: &[(i32, &str)]) {
        let style = style.unwrap();
        for &(seconds, text) in cases {
            assert_eq!(written(style, seconds), text);
            assert_eq!(style.try_read(&mut Reader::new(text)), Some(seconds), "{text}");
        }
    }

    #[test]
    fn all_styles_round_trip() {
        round_trip(
            OffsetStyle::of_x(1, true),
            &[(0, "Z"), (7200, "+02"), (-12_600, "-0330")],
        );
        round_trip(OffsetStyle::of_x(1, false), &[(0, "+00"), (50_400, "+14")]);
        round_trip(OffsetStyle::of_x(2, false), &[(0, "+0000"), (-43_200, "-1200")]);
        round_trip(
            OffsetStyle::of_x(3, true),
            &[(0, "Z"), (43_200, "+12:00"), (64_800, "+18:00")],
        );
        round_trip(OffsetStyle::of_x(4, true), &[(1172, "+001932"), (3600, "+0100")]);
        round_trip(OffsetStyle::of_x(5, false), &[(0, "+00:00"), (-1172, "-00:19:32")]);
        round_trip(OffsetStyle::of_z(1), &[(0, "+0000"), (7200, "+0200")]);
        round_trip(OffsetStyle::of_z(4), &[(0, "GMT"), (28_800, "GMT+08:00")]);
        round_trip(
            OffsetStyle::of_o(1),
            &[
                (0, "GMT"),
                (28_800, "GMT+8"),
                (-12_600, "GMT-3:30"),
                (3601, "GMT+1:00:01"),
            ],
        );
    }

    #[test]
    fn omits_seconds_that_the_style_lacks() {
        assert_eq!(written(OffsetStyle::of_x(3, true).unwrap(), 1172), "+00:19");
        assert_eq!(written(OffsetStyle::of_x(3, true).unwrap(), -32), "Z");
        assert_eq!(written(OffsetStyle::ID, -32), "-00:00:32");
    }

    #[test]
    fn offsets_end_at_eighteen_hours_and_minutes_at_59() {
        for text in ["+18:01", "+19:00", "+01:60", "+1:00", "01:00", "+99:99", "+"] {
            assert_eq!(OffsetStyle::ID.try_read(&mut Reader::new(text)), None, "{text}");
        }
    }
}
