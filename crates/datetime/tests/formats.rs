//! Checks strings against formats.
#![expect(clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use contract_datetime::Format;

#[track_caller]
fn check(format: &str, accepted: &[&str], refused: &[&str]) {
    let parsed = Format::parse(format).unwrap_or_else(|error| panic!("{format}: {error}"));
    for text in accepted {
        assert_eq!(
            parsed.check(text).map_err(|problem| problem.to_string()),
            Ok(()),
            "{format}: {text}"
        );
    }
    for text in refused {
        assert!(parsed.check(text).is_err(), "{format} should refuse {text:?}");
    }
}

#[track_caller]
fn explains(format: &str, text: &str, want: &str) {
    assert_eq!(
        Format::parse(format).unwrap().check(text).unwrap_err().to_string(),
        want
    );
}

#[test]
fn dates() {
    check(
        "yyyy-MM-dd",
        &[
            "2026-01-02",
            "2026-1-2",
            "26-01-02",
            "0000-01-01",
            "-0044-03-15",
            "+12026-01-02",
            "2024-02-29",
        ],
        &[
            "",
            "2026-01",
            "2026-01-02T",
            "2026-13-01",
            "2026-00-01",
            "2026-04-31",
            "2026-02-29",
            "99999-01-01",
            "+2026-01-02",
        ],
    );
    check(
        "d.M.y",
        &["2.1.2026", "02.01.99999", "31.12.-5"],
        &["32.1.2026", "2.1.", "2.1.+2026", "31.4.2026"],
    );
    check(
        "yyyyMMdd",
        &["20260102", "+120260102"],
        &["2026012", "202601021", "120260102", "20261301", "2026-01-02"],
    );
    check("yyyyy", &["99999", "2026", "+199999"], &["199999", "+99999"]);
    check(
        "uuuu",
        &["2026", "-2026", "0000"],
        &["-0", "--1", "123456789012345678901234567890"],
    );
    check(
        "yyyy",
        &["+999999999"],
        &["+9999999999", "-99999999999999999999999999999999"],
    );
    check(
        "yy-MM-dd",
        &["26-01-02", "00-02-29", "96-02-29"],
        &["6-01-02", "2026-01-02", "97-02-29"],
    );
}

#[test]
fn days_of_the_year_and_weeks() {
    check(
        "yyyy-DDD",
        &["2024-366", "2025-365", "2025-1", "2025-001"],
        &["2025-366", "2024-367", "2024-0"],
    );
    check("DDD", &["366", "365"], &["367", "000"]);
    check("D", &["366"], &[""]);
    check(
        "YYYY-'W'ww-e",
        &["2026-W53-5", "2025-W01-1", "2026-W5-1"],
        &["2025-W53-1", "2026-W54-1", "2026-W01-8", "2026-W01-0"],
    );
    check(
        "yyyy-MM-dd W F",
        &["2026-03-01 0 1", "2026-03-31 5 5"],
        &["2026-03-01 1 1", "2026-03-01 0 2"],
    );
    check(
        "Q yyyy-MM",
        &["1 2026-03", "2 2026-04"],
        &["1 2026-04", "5 2026-04", "0 2026-01"],
    );
    check(
        "QQQ QQQQ qq qqqqq",
        &["Q4 4th quarter 04 4", "q4 4TH QUARTER 4 4"],
        &["Q4 3rd quarter 04 4", "Q5 5th quarter 05 5"],
    );
}

#[test]
fn names() {
    check(
        "d MMM yyyy",
        &["1 Jan 2026", "1 JAN 2026", "9 Sept 2026", "29 feb 2024"],
        &["1 January 2026", "1 Foo 2026", "29 feb 2026"],
    );
    check("MMMM", &["May", "december"], &["Dec", "Decembers", ""]);
    check(
        "LLL LLLL MMMMM",
        &["Jun June J", "Jan January J"],
        &["Jun July J", "Jun June A"],
    );
    check(
        "EEE, dd MMM yyyy",
        &["Fri, 02 Jan 2026", "FRI, 02 jan 2026"],
        &["Mon, 02 Jan 2026", "Friday, 02 Jan 2026"],
    );
    check(
        "E EE EEE EEEE EEEEE",
        &["Fri Fri Fri Friday F"],
        &["Fri Fri Fri Friday M", "Fri Sat Fri Friday F"],
    );
    check(
        "e ee eee eeee c ccc",
        &["5 05 Fri Friday 5 fri"],
        &["6 05 Fri Friday 5 fri"],
    );
    check(
        "EEEE, dd-MMM-yy",
        &["Sunday, 06-Nov-94", "Monday, 06-Nov-95"],
        &["Wednesday, 06-Nov-94"],
    );
    check(
        "y G",
        &["44 BC", "2026 AD", "1 bc"],
        &["0 BC", "-5 AD", "2026 XX", "0 AD"],
    );
    check(
        "u G GGGG GGGGG",
        &["-43 BC Before Christ B", "2026 AD Anno Domini A"],
        &["2026 BC Before Christ B", "2026 AD Anno Domini B"],
    );
    check("E dd MMM", &["Mon 29 Feb", "Fri 13 Mar"], &["Mon 30 Feb", "Fri 32 Mar"]);
}

#[test]
fn times() {
    check(
        "HH:mm:ss",
        &["00:00:00", "23:59:59", "1:2:3"],
        &["24:00:00", "23:60:00", "23:59:60", "23:59", "123:00:00", "-1:00:00"],
    );
    check(
        "HH:mm:ss.SSS",
        &["10:00:00.123", "10:00:00.1"],
        &["10:00:00.", "10:00:00.1234", "10:00:00,123"],
    );
    check("SSSSSSSSS", &["123456789", "5"], &["1234567890", "x"]);
    check("HHmmssSSS", &["100000123"], &["10000012", "1000001234", "250000123"]);
    check("Hmm", &["930", "1530", "0930"], &["30", "2460", "2530"]);
    check(
        "h:mm a",
        &["12:00 AM", "1:05 pm"],
        &["0:00 AM", "13:00 PM", "1:05", "1:05 xm"],
    );
    check(
        "k K h H",
        &["24 0 12 0", "13 1 1 13"],
        &["0 0 12 0", "24 12 12 0", "25 1 1 1", "13 1 1 14"],
    );
    check("HH a", &["13 PM", "00 AM"], &["13 AM", "00 PM"]);
    check("A", &["0", "86399999", "00001500"], &["86400000", "-1"]);
    check(
        "AAAAAAAAAAAAAAAAAAA",
        &["0000000000086399999"],
        &["9999999999999999999"],
    );
    check(
        "n N",
        &["999999999 86399999999999", "0 0"],
        &["1000000000 0", "999999999 86400000000000", "1 2"],
    );
    check(
        "HH:mm:ss.SSS A",
        &["00:00:01.500 1500"],
        &["00:00:01.500 1501", "00:01:01.500 1500"],
    );
}

#[test]
fn offsets() {
    check(
        "HH:mmXXX",
        &[
            "10:00Z",
            "10:00+02:00",
            "10:00+12:00",
            "10:00+13:00",
            "10:00+14:00",
            "10:00-12:00",
            "10:00+18:00",
            "10:00-00:00",
        ],
        &[
            "10:00",
            "10:00z",
            "10:00+0200",
            "10:00+02",
            "10:00+2:00",
            "10:00+18:01",
            "10:00+19:00",
            "10:00+01:60",
            "10:00-99:99",
        ],
    );
    check("XX", &["Z", "+0200"], &["+02:00", "+02", "+020000"]);
    check("X", &["Z", "+02", "+0230", "-03"], &["+02:30", "+2", "+023"]);
    check(
        "XXXX XXXXX",
        &["+0200 +02:00", "+020030 +02:00:30", "Z Z"],
        &["+0200 +03:00", "+02 +02:00"],
    );
    check("x", &["+00", "+0530"], &["Z"]);
    check("xx", &["+0000"], &["Z", "+00"]);
    check("xxx", &["+00:00"], &["Z", "+0000"]);
    check("Z", &["+0000", "-0300", "+1400"], &["Z", "+00:00", "+00"]);
    check(
        "ZZZZ",
        &["GMT", "GMT+8", "GMT+08:00", "gmt-03:30"],
        &["UTC", "+08:00", "GMT+19"],
    );
    check("ZZZZZ", &["Z", "+02:00", "+02:00:30"], &["+0200"]);
    check("O", &["GMT", "GMT+8", "GMT-3:30"], &["GMT+", "Z"]);
    check("OOOO", &["GMT+08:00"], &[""]);
}

#[test]
fn zones() {
    check(
        "VV",
        &[
            "Europe/Berlin",
            "America/Indiana/Knox",
            "Etc/GMT-14",
            "UTC",
            "Z",
            "+02:00",
        ],
        &["CEST", "Berlin", "Mars/Phobos"],
    );
    check(
        "z",
        &["CET", "cest", "PDT", "UTC", "+03", "Asia/Tokyo"],
        &["XXT", "C", ""],
    );
    check(
        "zzzz",
        &["Central European Summer Time", "Coordinated Universal Time", "CET"],
        &["Central European", "Time"],
    );
    check(
        "yyyy-MM-dd'T'HH:mm:ssXXX'['VV']'",
        &["2026-01-02T10:00:00+01:00[Europe/Berlin]"],
        &["2026-01-02T10:00:00+01:00", "2026-01-02T10:00:00+01:00[]"],
    );
    check(
        "EEE MMM dd HH:mm:ss zzz yyyy",
        &["Fri Jan 02 10:00:00 UTC 2026"],
        &["Fri Jan 02 10:00:00 2026"],
    );
}

#[test]
fn literal_text() {
    check(
        "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'",
        &["2026-01-02T10:00:00.000Z"],
        &["2026-01-02t10:00:00.000Z", "2026-01-02T10:00:00.000"],
    );
    check(
        "hh 'o''clock' a",
        &["09 o'clock AM"],
        &["09 oclock AM", "09 O'Clock AM"],
    );
    check("yyyy年M月d日", &["2026年1月2日"], &["2026年1月2"]);
    check("'''' ''", &["' '"], &["'"]);
    check("HH'2'mm", &["10230"], &["1030"]);
    check("H'30'", &["930", "1030"], &["30", "9300"]);
    check("12:mm", &["12:30"], &["13:30"]);
}

#[test]
fn optional_sections() {
    check(
        "yyyy-MM-dd[ HH:mm[:ss[.SSS]]][XXX]",
        &[
            "2026-01-02",
            "2026-01-02 10:00",
            "2026-01-02 10:00:59.5",
            "2026-01-02Z",
            "2026-01-02 10:00+14:00",
        ],
        &["2026-01-02 ", "2026-01-02 10", "2026-01-02 10:00.5", "2026-01-02 25:00"],
    );
    check(
        "yyyy[MM[dd]]",
        &["2026", "202601", "20260102"],
        &["20261", "2026010", "20260132"],
    );
    check("yyyyMMdd[HHmm]", &["20260102", "202601021030"], &["2026010210"]);
    check(
        "[yyyy-MM-dd][dd/MM/yyyy]",
        &["2026-01-02", "02/01/2026", ""],
        &["2026/01/02"],
    );
    check("y[ G]", &["44", "44 BC"], &["0"]);
}

#[test]
fn problems_contain_position_and_expectation() {
    explains(
        "yyyy-MM-dd",
        "2026-02-30",
        r#"column 9: February 2026 has no day 30, found "30""#,
    );
    explains("MM-dd", "02-30", r#"column 4: February has no day 30, found "30""#);
    explains("yyyy-DDD", "2025-366", r#"column 6: 2025 has no day 366, found "366""#);
    explains(
        "yyyy-MM-dd EEEE",
        "2026-01-02 Monday",
        r#"column 12: the date is a Friday, found "Monday""#,
    );
    explains(
        "HH:mm",
        "25:00",
        r#"column 1: expected an hour (0 to 23), found "25:00""#,
    );
    explains(
        "HHmm",
        "123",
        r#"column 3: expected a minute (0 to 59, 2 digits), found "3""#,
    );
    explains(
        "ss.SSS",
        "10.",
        "column 4: expected a fraction with 1 to 3 digits, found the end of the text",
    );
    explains(
        "HH a",
        "13 AM",
        r#"column 4: the AM/PM marker contradicts an earlier field, found "AM""#,
    );
    explains(
        "d MMM",
        "1 Foo",
        r#"column 3: expected a month from Jan to Dec, found "Foo""#,
    );
    explains("'é' HH", "é x", r#"column 3: expected an hour (0 to 23), found "x""#);
    explains(
        "yyyy-MM",
        "2026-01-02",
        r#"column 8: expected the end of the text, found "-02""#,
    );
    explains(
        "yyyy[-MM[-dd]]",
        "2026-01-32",
        r#"column 9: expected a day of the month (1 to 31), found "32""#,
    );
    explains(
        "w yyyy-MM",
        "53 2026-01",
        r#"column 4: the fields contradict each other, found "2026-01""#,
    );
    explains("yyyy Z", "2026 Z", CONFUSED_Z);
    explains(
        "HH:mmXXX",
        "10:00+0200",
        r#"column 6: expected an offset of at most 18 hours such as +02:00 or Z, found "+0200""#,
    );
    explains(
        "VV",
        "Berlin",
        r#"column 1: expected a time zone such as Europe/Berlin, found "Berlin""#,
    );
}

const CONFUSED_Z: &str = "column 6: expected an offset of at most 18 hours such as +0200, found \"Z\" \
    (the format letters XXX accept Z and +02:00)";

#[test]
fn rejects_invalid_formats() {
    let refused = |format: &str, want: &str| assert_eq!(Format::parse(format).unwrap_err().to_string(), want);
    refused("", "the format is empty; use at least one field, such as \"yyyy\"");
    refused(&"yyyy ".repeat(201), "the format is longer than 1000 characters");
    refused(
        "yyyy-MM-ddTHH:mm",
        "unquoted letter \"T\" at column 11; to include it as text, write 'T'",
    );
    refused(
        "yyyy年 j",
        "unquoted letter \"j\" at column 7; to include it as text, write 'j'",
    );
    refused(
        "yyyy{MM}",
        "reserved character \"{\" at column 5; to include it as text, write '{'",
    );
    refused(
        "yyyy#",
        "reserved character \"#\" at column 5; to include it as text, write '#'",
    );
    refused(
        "yyyy 'T",
        "the quote at column 6 is never closed; for an apostrophe, write ''",
    );
    refused(
        "yyyy[-MM",
        "the optional section at column 5 is never closed; add \"]\", or write '[' to include the bracket as text",
    );
    refused(
        "yyyy-MM]",
        "the \"]\" at column 8 does not close an optional section; to include it as text, write ']'",
    );
    refused(
        "DDDD",
        "the letter \"D\" occurs 4 times at column 1, but must occur 1 to 3 times",
    );
    refused(
        "HH:mm aa",
        "the letter \"a\" occurs twice at column 7, but must occur once",
    );
    refused("V", "the letter \"V\" occurs once at column 1, but must occur twice");
    for format in [
        "GGGGGG",
        "yyyyyyyyyyyyyyyyyyyy",
        "MMMMMM",
        "ddd",
        "QQQQQQ",
        "www",
        "WW",
        "FF",
        "EEEEEE",
        "cc",
        "eeeeee",
    ] {
        assert!(Format::parse(format).is_err(), "{format}");
    }
    for format in [
        "HHH",
        "kkk",
        "KKK",
        "hhh",
        "mmm",
        "sss",
        "SSSSSSSSSS",
        "VVV",
        "zzzzz",
        "OO",
        "XXXXXX",
        "xxxxxx",
        "ZZZZZZ",
    ] {
        assert!(Format::parse(format).is_err(), "{format}");
    }
    for letter in "bfgijlopqrtvBCIJPRTU".chars().filter(|letter| *letter != 'q') {
        assert!(Format::parse(&letter.to_string()).is_err(), "{letter}");
    }
}
