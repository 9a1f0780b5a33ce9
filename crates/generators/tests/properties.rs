//! Checks that generated values satisfy the corresponding rules and that no input causes a panic.

#![expect(clippy::unwrap_used, reason = "a test that cannot be set up has failed")]

use std::collections::BTreeMap;

use contract_datetime::{DateTime, Format};
use contract_generators::{Context, Mode, Random, apply, generate};
use contract_model::{
    Body, DataType, Generator, Json, Message, Moment, NumberKind, Object, PathExpression, Request, Response,
};
use proptest::prelude::*;

fn now() -> impl Strategy<Value = DateTime> {
    (
        -60_000_000_000_i64..250_000_000_000,
        0..1_000_000_000_u32,
        -18 * 3600..=18 * 3600,
    )
        .prop_map(|(seconds, nanosecond, offset)| DateTime::from_unix(seconds, nanosecond, offset).unwrap())
}

fn generate_value(generator: &Generator, now: &DateTime, seed: u64) -> Result<Json, String> {
    let mut context = Context::new(Mode::Provider, now.clone(), Random::from_seed(seed));
    match generate(generator, None, &mut context) {
        Ok(value) => Ok(value.unwrap()),
        Err(error) => Err(error.to_string()),
    }
}

fn noon() -> DateTime {
    DateTime::new(2026, 7, 1).unwrap().at(12, 0, 0, 0).unwrap()
}

/// Generates typical patterns by combining a few pieces.
fn pattern() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "é",
        "[a-z]",
        "[^,]",
        r"\d",
        r"\w",
        r"\s",
        ".",
        r"\p{Greek}",
        "(?i:k)",
        r"\.",
        r"\b",
        "^",
        "$",
        "(?-u:[0-9])",
    ]);
    let count = prop::sample::select(vec!["", "?", "*", "+", "{3}", "{2,5}", "{2,}", "*?"]);
    let leaf = (piece, count).prop_map(|(piece, count)| match piece {
        "^" | "$" | r"\b" => piece.to_owned(),
        _ => format!("{piece}{count}"),
    });
    leaf.prop_recursive(4, 16, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 1..4).prop_map(|pieces| pieces.concat()),
            prop::collection::vec(inner.clone(), 1..4).prop_map(|choices| format!("({})", choices.join("|"))),
            inner.prop_map(|inner| format!("(?:{inner}){{0,2}}")),
        ]
    })
}

fn format() -> impl Strategy<Value = String> {
    let field = prop::sample::select(vec![
        "yyyy", "uuuu", "MM", "M", "MMM", "MMMM", "dd", "d", "D", "E", "EEEE", "e", "HH", "H", "hh", "h", "K", "k",
        "mm", "ss", "SSS", "SSSSSS", "n", "A", "N", "a", "G", "Q", "q", "w", "W", "YYYY", "X", "XX", "XXX", "x", "Z",
        "ZZZZZ", "O", "'T'", "[X]", "''",
    ]);
    let separator = prop::sample::select(vec!["-", " ", ":", ".", "/", ", "]);
    prop::collection::vec((field, separator), 1..6).prop_map(|pieces| {
        let pieces: String = pieces
            .into_iter()
            .flat_map(|(field, separator)| [field, separator])
            .collect();
        pieces.trim_end_matches(['-', ' ', ':', '.', '/', ',']).to_owned()
    })
}

fn expression() -> impl Strategy<Value = String> {
    let base = prop::sample::select(vec![
        "",
        "now",
        "today",
        "yesterday",
        "next monday",
        "last december",
        "next fortnight",
    ]);
    let unit = prop::sample::select(vec!["day", "days", "week", "month", "years"]);
    let step = (any::<bool>(), 0..5000_u32, unit)
        .prop_map(|(plus, count, unit)| format!(" {} {count} {unit}", if plus { '+' } else { '-' }));
    (base, prop::collection::vec(step, 0..3))
        .prop_map(|(base, steps)| format!("{base}{}", steps.concat()).trim().to_owned())
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        Just(Json::Null),
        any::<bool>().prop_map(Json::from),
        any::<i64>().prop_map(Json::from),
        "[a-c ]{0,3}".prop_map(Json::from),
    ];
    leaf.prop_recursive(4, 32, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
            prop::collection::btree_map("[a-c]", inner, 0..4)
                .prop_map(|members| Json::Object(members.into_iter().collect())),
        ]
    })
}

fn path() -> impl Strategy<Value = PathExpression> {
    let step = prop::sample::select(vec![".a", ".b", ".c", ".*", "[0]", "[1]", "[*]", "['#text']", "['@a']"]);
    prop::collection::vec(step, 0..4).prop_map(|steps| format!("${}", steps.concat()).parse().unwrap())
}

fn generator() -> impl Strategy<Value = Generator> {
    let text = || prop::option::of("[a-zA-Z0-9 +@'-]{0,12}".prop_map(contract_model::Text::from));
    let moment = move || (text(), text()).prop_map(|(format, expression)| Moment { format, expression });
    let data_type = prop::option::of(prop::sample::select(vec![
        DataType::String,
        DataType::Integer,
        DataType::Decimal,
        DataType::Float,
        DataType::Boolean,
        DataType::Raw,
    ]));
    prop_oneof![
        any::<(Option<i64>, Option<i64>)>().prop_map(|(min, max)| Generator::RandomInt { min, max }),
        prop::option::of(0..50_usize).prop_map(|digits| Generator::RandomDecimal { digits }),
        prop::option::of(0..50_usize).prop_map(|digits| Generator::RandomHexadecimal { digits }),
        any::<Option<usize>>().prop_map(|size| Generator::RandomString {
            size: size.map(|size| size | 1 << 40)
        }),
        r"[abc\[\](){}|*+?^$\\dwb<=!:,0-9.]{0,12}".prop_map(|regex| Generator::Regex(regex.into())),
        moment().prop_map(Generator::Date),
        moment().prop_map(Generator::Time),
        moment().prop_map(Generator::DateTime),
        Just(Generator::RandomBoolean),
        ("[${}a-c.\\[\\]0é ]{0,12}", data_type).prop_map(|(expression, data_type)| Generator::ProviderState {
            expression: expression.into(),
            data_type
        }),
        ("[a-c/:]{0,8}", r"[a-c/.*()\\1?]{0,8}").prop_map(|(example, regex)| Generator::MockServerUrl {
            example: example.into(),
            regex: regex.into()
        }),
        Just(Generator::Custom {
            name: "x".into(),
            attributes: Object::new()
        }),
    ]
}

proptest! {
    #[test]
    fn integers_are_within_their_bounds(min: Option<i64>, max: Option<i64>, seed: u64) {
        match generate_value(&Generator::RandomInt { min, max }, &noon(), seed) {
            Ok(value) => {
                let value = value.as_i64().unwrap();
                prop_assert!(min.is_none_or(|min| min <= value) && max.is_none_or(|max| value <= max));
            }
            Err(_) => prop_assert!(min.unwrap() > max.unwrap()),
        }
    }

    #[test]
    fn decimals_are_decimals(digits in 1..100_usize, seed: u64) {
        let Json::Number(number) = generate_value(&Generator::RandomDecimal { digits: Some(digits) }, &noon(), seed).unwrap() else {
            panic!("no number");
        };
        prop_assert_eq!(number.kind(), NumberKind::Decimal);
    }

    #[test]
    fn strings_match_their_pattern(pattern in pattern(), seed: u64) {
        let whole = regex::RegexBuilder::new(&format!(r"\A(?:{pattern})\z")).size_limit(1 << 26).build().unwrap();
        let text = generate_value(&Generator::Regex(pattern.as_str().into()), &noon(), seed);
        // Anchors in the middle can make a pattern unsatisfiable.
        prop_assume!(text.is_ok());
        let text = text.unwrap();
        prop_assert!(whole.is_match(text.as_str().unwrap()), "{pattern} made {text}");
    }

    #[test]
    fn dates_are_in_their_format(format in format(), expression in expression(), now in now()) {
        let moment = Moment { format: Some(format.as_str().into()), expression: Some(expression.as_str().into()) };
        let text = generate_value(&Generator::Date(moment), &now, 0);
        prop_assume!(text.is_ok());
        prop_assert_eq!(Format::parse(&format).unwrap().check(text.unwrap().as_str().unwrap()), Ok(()), "{}", format);
    }

    #[test]
    fn an_integer_from_the_state_is_one(value in "-?[0-9]{1,30}(\\.0+)?") {
        let state: Object = [("v", Json::from(value.as_str()))].into_iter().collect();
        let mut context =
            Context { state_values: &state, ..Context::new(Mode::Provider, noon(), Random::from_seed(0)) };
        for (data_type, kind) in [(DataType::Integer, NumberKind::Integer), (DataType::Decimal, NumberKind::Decimal)] {
            let generator = Generator::ProviderState { expression: "${v}".into(), data_type: Some(data_type) };
            match generate(&generator, None, &mut context) {
                Ok(Some(Json::Number(number))) => prop_assert_eq!(number.kind(), kind),
                Ok(other) => prop_assert!(false, "{other:?}"),
                // 007 is an integer, but not a JSON number.
                Err(_) => prop_assert!(data_type == DataType::Decimal && value.trim_start_matches('-').starts_with('0')),
            }
        }
    }

    #[test]
    fn expressions_never_panic(text in "\\PC{0,40}", seed: u64) {
        let moment = |format: &str, expression: &str| Moment {
            format: (!format.is_empty()).then(|| format.into()),
            expression: (!expression.is_empty()).then(|| expression.into()),
        };
        for generator in [
            Generator::Regex(text.as_str().into()),
            Generator::Date(moment(&text, "")),
            Generator::Date(moment("", &text)),
            Generator::Time(moment("", &text)),
            Generator::DateTime(moment("", &text)),
            Generator::ProviderState { expression: text.as_str().into(), data_type: None },
        ] {
            let _ = generate_value(&generator, &noon(), seed);
        }
    }

    #[test]
    fn generation_never_panics_and_is_deterministic(
        bodies in (json(), path(), path(), path()),
        generators in prop::collection::vec(generator(), 4),
        names in ("[ab\\[\\]0]{0,5}", "[ab\\[\\]0]{0,5}"),
        text in "(<|>|/|a|b|=|'|&|;|#|!|-|\\[|\\]|é| |\\?|<a>|</a>|<b a='c'/>|CDATA|&#x0;|&amp;){0,12}",
        seed: u64,
        provider: bool,
    ) {
        let (json, first, second, third) = bodies;
        let [one, two, three, four] = <[Generator; 4]>::try_from(generators).unwrap();
        let state = json.as_object().cloned().unwrap_or_default();
        let context = Context {
            state_values: &state,
            base_url: Some("http://h:1"),
            ..Context::new(if provider { Mode::Provider } else { Mode::Consumer }, noon(), Random::from_seed(seed))
        };
        let types = ["application/json", "application/xml", "application/x-www-form-urlencoded", "text/plain", "image/png"];
        for content_type in types {
            let bytes = if content_type.ends_with("json") { json.to_text() } else { text.clone() };
            let body = Body::from_bytes(bytes, content_type.parse().ok());
            let places =
                BTreeMap::from([(first.clone(), one.clone()), (second.clone(), two.clone()), (third.clone(), three.clone())]);
            let mut request = Request { body: body.clone(), ..Request::default() };
            request.query.append("a", Some("1".into()));
            request.headers.append("a", "1");
            request.generators.body = places.clone();
            request.generators.path = Some(four.clone());
            request.generators.query.insert(names.0.as_str().into(), one.clone());
            request.generators.header.insert(names.1.as_str().into(), two.clone());
            let mut again = request.clone();
            let problems = apply::request(&mut request, &mut context.clone());
            prop_assert_eq!(apply::request(&mut again, &mut context.clone()), problems);
            prop_assert_eq!(again, request);

            let mut response = Response { body: body.clone(), ..Response::default() };
            response.generators.status = Some(three.clone());
            response.generators.body = places.clone();
            apply::response(&mut response, &mut context.clone());
            let mut message = Message { contents: body, ..Message::default() };
            message.generators.metadata.insert(names.0.as_str().into(), four.clone());
            apply::message(&mut message, &mut context.clone());
        }
    }
}
