//! Property tests of formats and expressions.
#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use contract_datetime::{DateTime, Expression, Format, from_strftime, is_strftime};
use proptest::prelude::*;

/// All fields with every supported number of letters.
const FIELDS: &str = "G GG GGG GGGG GGGGG u uu uuu uuuu uuuuu y yy yyy yyyy yyyyy yyyyyyyyyyyyyyyyyyy Y YY YYY YYYY YYYYY \
    D DD DDD M MM MMM MMMM MMMMM L LL LLL LLLL LLLLL d dd Q QQ QQQ QQQQ QQQQQ q qq qqq qqqq qqqqq w ww W F \
    E EE EEE EEEE EEEEE e ee eee eeee eeeee c ccc cccc ccccc a h hh K KK k kk H HH m mm s ss S SS SSS SSSSSS SSSSSSSSS \
    A AAAAAAAAAA n nnnnnnnnn N NNNNNNNNNNNNNNNNNNN VV z zz zzz zzzz O OOOO X XX XXX XXXX XXXXX x xx xxx xxxx xxxxx \
    Z ZZ ZZZ ZZZZ ZZZZZ";

fn field() -> impl Strategy<Value = &'static str> {
    proptest::sample::select(FIELDS.split_whitespace().collect::<Vec<_>>())
}

/// Generates formats with separated fields. Some fields are optional.
fn separated_format() -> impl Strategy<Value = String> {
    let piece = (
        field(),
        proptest::sample::select(vec![" ", "|", ", ", "' T'", "年", "''"]),
        any::<bool>(),
    );
    proptest::collection::vec(piece, 1..8).prop_map(|pieces| {
        let parts = pieces.into_iter().map(|(field, separator, optional)| {
            if optional {
                format!("[{field}{separator}]")
            } else {
                format!("{field}{separator}")
            }
        });
        parts.collect()
    })
}

/// Generates formats with adjacent fields. All fields except the first have a fixed width.
fn adjacent_format() -> impl Strategy<Value = String> {
    let first = proptest::sample::select(vec!["yyyy", "y", "uuuu", "H", "d", "h", "D", "HH", "N"]);
    let other = proptest::sample::select(vec![
        "MM", "dd", "HH", "mm", "ss", "SSS", "DDD", "e", "kk", "yy", "Q", "MMM", "a",
    ]);
    (first, proptest::collection::vec(other, 0..6)).prop_map(|(first, others)| {
        let mut format = first.to_owned();
        for field in others {
            let same = field
                .chars()
                .next()
                .is_some_and(|letter| format.ends_with(letter) || (letter == 'M' && format.ends_with('M')));
            format.push_str(if same { "" } else { field });
        }
        format
    })
}

fn date_time() -> impl Strategy<Value = DateTime> {
    let zones = vec![
        None,
        Some("Europe/Berlin"),
        Some("CEST"),
        Some("UTC"),
        Some("+05:30"),
        Some("America/Port-au-Prince"),
    ];
    let seconds = prop_oneof![
        -62_167_219_200_i64..253_402_300_800,
        -8_000_000_000_000_i64..8_000_000_000_000
    ];
    let offset = prop_oneof![
        Just(0),
        (-72_i32..=72).prop_map(|quarters| quarters * 900),
        -64_800..=64_800
    ];
    (seconds, 0..1_000_000_000_u32, offset, proptest::sample::select(zones)).prop_map(
        |(seconds, nanosecond, offset, zone)| {
            let at = DateTime::from_unix(seconds, nanosecond, offset).unwrap();
            zone.map_or(at.clone(), |zone| at.with_zone(zone).unwrap())
        },
    )
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        "[-+0-9:.TZ /a-zA-Z,]{0,40}",
        "[0-9]{0,60}",
        "[-+]?[0-9]{4,40}-[0-9]{2}-[0-9]{2}.*"
    ]
}

fn pattern() -> impl Strategy<Value = String> {
    let noise = proptest::collection::vec(
        prop_oneof![field().prop_map(str::to_owned), "[\\[\\]'T{}#0-9 -]{0,2}"],
        0..10,
    );
    prop_oneof![
        any::<String>(),
        "[a-zA-Z\\[\\]' ]{0,20}",
        noise.prop_map(|pieces| pieces.concat())
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn formatted_values_pass_the_check(format in prop_oneof![separated_format(), adjacent_format()], at in date_time()) {
        let parsed = Format::parse(&format).unwrap();
        let text = parsed.format(&at);
        prop_assert!(text.is_ok(), "{format}: {text:?}");
        prop_assert_eq!(parsed.check(&text.unwrap()), Ok(()));
    }

    #[test]
    fn formatted_values_pass_the_check_or_formatting_fails(format in pattern(), at in date_time()) {
        if let Ok(parsed) = Format::parse(&format) {
            match parsed.format(&at) {
                Ok(text) => prop_assert_eq!(parsed.check(&text), Ok(())),
                Err(ambiguous) => prop_assert_eq!(parsed.check(&ambiguous.text), Err(ambiguous.problem)),
            }
        }
    }

    #[test]
    fn checking_never_panics_and_columns_are_in_range(format in prop_oneof![separated_format(), adjacent_format(), pattern()], text in text()) {
        let checked = Format::parse(&format).map(|parsed| parsed.check(&text));
        if let Ok(Err(problem)) = checked {
            prop_assert!((1..=text.chars().count() + 1).contains(&problem.column));
            prop_assert!(text.contains(&problem.found));
            prop_assert!(!problem.to_string().is_empty());
        }
    }

    #[test]
    fn damaged_texts_do_not_panic(format in separated_format(), at in date_time(), cut in any::<prop::sample::Index>(), more in ".{0,3}") {
        let parsed = Format::parse(&format).unwrap();
        let text = parsed.format(&at).unwrap();
        let mut characters: Vec<char> = text.chars().collect();
        characters.splice(cut.index(characters.len())..=cut.index(characters.len()), more.chars());
        let damaged: String = characters.into_iter().collect();
        if let Err(problem) = parsed.check(&damaged) {
            prop_assert!((1..=damaged.chars().count() + 1).contains(&problem.column));
        }
    }

    #[test]
    fn format_errors_point_into_the_format(format in pattern()) {
        match Format::parse(&format) {
            Ok(parsed) => {
                prop_assert_eq!(parsed.as_str(), &format);
                prop_assert!(parsed.hints().iter().all(|hint| (1..=format.chars().count()).contains(&hint.column)));
            }
            Err(error) => prop_assert!((1..=format.chars().count().max(1)).contains(&error.column()), "{error}"),
        }
    }

    #[test]
    fn translated_formats_are_formats(format in prop_oneof![any::<String>(), "(%[a-zA-Z:%-]|[ 'T\\[{#:é-]){0,8}"], at in date_time()) {
        match from_strftime(&format) {
            Ok(translated) => {
                let parsed = Format::parse(&translated);
                prop_assert!(parsed.is_ok(), "{translated}: {parsed:?}");
                prop_assert!(is_strftime(&translated) <= is_strftime(&format), "{translated}");
                let _ = parsed.unwrap().format(&at);
            }
            Err(error) => prop_assert!((1..=format.chars().count().max(1)).contains(&error.column()), "{error}"),
        }
    }

    #[test]
    fn expressions_never_panic(text in prop_oneof![any::<String>(), expression()], at in date_time()) {
        for parse in [Expression::date, Expression::time, Expression::date_time] {
            match parse(&text) {
                Ok(expression) => drop(expression.apply(&at)),
                Err(error) => prop_assert!((1..=text.chars().count() + 1).contains(&error.column()), "{error}"),
            }
        }
    }

    #[test]
    fn steps_of_days_are_reversible(days in 0..10_000_u32, at in date_time()) {
        let there_and_back = Expression::date(&format!("+ {days} days - {days} days")).unwrap();
        prop_assert_eq!(there_and_back.apply(&at).unwrap(), at);
    }
}

fn expression() -> impl Strategy<Value = String> {
    let words = "now today tomorrow next last + - @ 1 12 31 4294967295 4294967296 day weeks month year fortnight monday june \
        hour minutes second milliseconds noon midnight o'clock am pm";
    let word = proptest::sample::select(words.split_whitespace().collect::<Vec<_>>());
    proptest::collection::vec(word, 0..8).prop_map(|words| words.join(" "))
}
