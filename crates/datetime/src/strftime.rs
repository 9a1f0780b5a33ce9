//! Translates strftime formats.

use crate::FormatError;

/// Returns true if a format contains a strftime directive.
///
/// ```
/// assert!(contract_datetime::is_strftime("%Y-%m-%d"));
/// assert!(!contract_datetime::is_strftime("yyyy-MM-dd"));
/// assert!(!contract_datetime::is_strftime("ss.SSS '%'"));
/// ```
pub fn is_strftime(format: &str) -> bool {
    format
        .as_bytes()
        .windows(2)
        .any(|pair| pair[0] == b'%' && (pair[1].is_ascii_alphabetic() || b"%:-".contains(&pair[1])))
}

/// Translates a strftime format into the letters of [`Format`](crate::Format). Columns of errors refer to the strftime
/// format.
///
/// Supported directives: `%Y %y %m %B %b %h %d %e %j %H %I %M %S %f %p %a %A %z %:z %Z %u %V %G %T %D %F %R %%`.
///
/// - `%u` becomes `e`, `%V` becomes `ww`, and `%G` becomes `YYYY`. As in strftime, they refer to ISO 8601 weeks, which
///   start on Monday.
/// - `%e` becomes `d`, which has no padding: `5` is accepted, ` 5` is not.
/// - `%f` becomes `SSSSSS` and accepts one to six digits.
///
/// ```
/// use contract_datetime::from_strftime;
///
/// assert_eq!(from_strftime("%Y-%m-%dT%H:%M:%S%:z")?, "yyyy-MM-dd'T'HH:mm:ssXXX");
/// assert_eq!(
///     from_strftime("%d %c").unwrap_err().to_string(),
///     "the directive \"%c\" at column 4 cannot be translated: it depends on the locale; use a directive for each field"
/// );
/// # Ok::<(), contract_datetime::FormatError>(())
/// ```
pub fn from_strftime(format: &str) -> Result<String, FormatError> {
    if format.is_empty() {
        return Err(FormatError::Empty);
    }
    let mut out = String::new();
    let mut literal = String::new();
    let mut rest = (1..).zip(format.chars()).peekable();
    while let Some((column, character)) = rest.next() {
        if character != '%' {
            literal.push(character);
            continue;
        }
        let mut directive = rest
            .next()
            .map(|(_, character)| character.to_string())
            .unwrap_or_default();
        if matches!(directive.as_str(), ":" | "-") {
            directive.extend(rest.next().map(|(_, character)| character));
        }
        if directive == "%" {
            literal.push('%');
            continue;
        }
        push_literal(&mut out, &std::mem::take(&mut literal));
        push_fields(&mut out, fields(&directive, column)?);
    }
    push_literal(&mut out, &literal);
    Ok(out)
}

fn fields(directive: &str, column: usize) -> Result<&'static str, FormatError> {
    let hint = match directive {
        "Y" => return Ok("yyyy"),
        "y" => return Ok("yy"),
        "m" => return Ok("MM"),
        "B" => return Ok("MMMM"),
        "b" | "h" => return Ok("MMM"),
        "d" => return Ok("dd"),
        "e" => return Ok("d"),
        "j" => return Ok("DDD"),
        "H" => return Ok("HH"),
        "I" => return Ok("hh"),
        "M" => return Ok("mm"),
        "S" => return Ok("ss"),
        "f" => return Ok("SSSSSS"),
        "p" => return Ok("a"),
        "a" => return Ok("EEE"),
        "A" => return Ok("EEEE"),
        "z" => return Ok("Z"),
        ":z" => return Ok("XXX"),
        "Z" => return Ok("z"),
        "u" => return Ok("e"),
        "V" => return Ok("ww"),
        "G" => return Ok("YYYY"),
        "T" => return Ok("HH:mm:ss"),
        "D" => return Ok("MM/dd/yy"),
        "F" => return Ok("yyyy-MM-dd"),
        "R" => return Ok("HH:mm"),
        "c" | "x" | "X" => "it depends on the locale; use a directive for each field",
        "w" => "weekday numbers that start on Sunday have no equivalent; use \"%u\"",
        "U" | "W" => "only ISO 8601 weeks have an equivalent; use \"%G\" and \"%V\"",
        "s" => "Unix time is a number; use an integer matcher",
        "" => "write \"%%\" for a percent sign",
        unpadded if unpadded.starts_with('-') => {
            "use format letters instead: \"d\" is the day without a leading zero, \"dd\" with one"
        }
        _ => "it has no equivalent",
    };
    Err(FormatError::UnknownDirective {
        directive: format!("%{directive}"),
        column,
        hint,
    })
}

/// Appends the fields. If they start with the letter that ends `out`, an empty optional section separates the two runs.
fn push_fields(out: &mut String, fields: &str) {
    let first = fields.chars().next().filter(char::is_ascii_alphabetic);
    if first.is_some() && out.ends_with(|last| Some(last) == first) {
        out.push_str("[]");
    }
    out.push_str(fields);
}

fn push_literal(out: &mut String, text: &str) {
    if !text.contains(|c: char| c.is_ascii_alphabetic() || "'[]{}#".contains(c)) {
        out.push_str(text);
        return;
    }
    out.push('\'');
    out.push_str(&text.replace('\'', "''"));
    out.push('\'');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(strftime: &str, want: &str) {
        assert_eq!(from_strftime(strftime).as_deref(), Ok(want));
    }

    #[test]
    fn directives_become_fields() {
        check("%Y-%m-%d %H:%M:%S.%f %z", "yyyy-MM-dd HH:mm:ss.SSSSSS Z");
        check("%a %A %b %B %y %j %I %p %Z", "EEE EEEE MMM MMMM yy DDD hh a z");
        check("%FT%T%:z", "yyyy-MM-dd'T'HH:mm:ssXXX");
        check("%D %R", "MM/dd/yy HH:mm");
        check("%G-W%V-%u", "YYYY'-W'ww-e");
        check("%e.%m.", "d.MM.");
    }

    #[test]
    fn literal_text_is_quoted_where_it_must_be() {
        check("%H o'clock", "HH' o''clock'");
        check("100%% [%S]", "'100% ['ss']'");
        check("%dth", "dd'th'");
        check("%H:%M", "HH:mm");
    }

    #[test]
    fn equal_letters_stay_two_fields() {
        check("%m%b", "MM[]MMM");
        check("%m%d", "MMdd");
    }

    #[test]
    fn reports_unsupported_directives() {
        let error = |text| from_strftime(text).unwrap_err();
        assert_eq!(error("%Y %c").column(), 4);
        assert_eq!(error("50 %").column(), 4);
        assert_eq!(error("%-d").column(), 1);
        assert_eq!(
            error("%é").to_string(),
            "the directive \"%é\" at column 1 cannot be translated: it has no equivalent"
        );
        assert_eq!(error(""), FormatError::Empty);
    }
}
