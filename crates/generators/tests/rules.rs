//! Checks, using the matching crate, that rules accept the generated values in a body, a header, a query, and a path.

use contract_datetime::DateTime;
use contract_generators::{Context, Mode, Random, applies, apply};
use contract_matching::{ActualRequest, Options, RequestPlan};
use contract_model::{
    Body, Content, DataType, Generator, Json, Moment, Object, PathExpression, Request, Rule, RuleList, UuidFormat,
};
use proptest::prelude::*;

const STATE: &[u8] = br#"{"text": "a b", "integer": 42, "decimal": 1.5, "flag": true, "none": null, "list": [1]}"#;

fn number(text: &str) -> Json {
    Json::parse(text.as_bytes()).expect("a number")
}

/// Creates random triples of a generator, a corresponding rule, and an example that the rule accepts.
fn pair() -> impl Strategy<Value = (Generator, Rule, Json)> {
    prop_oneof![
        integers(),
        (1..60_usize).prop_map(|digits| (
            Generator::RandomDecimal { digits: Some(digits) },
            Rule::Decimal,
            number("1.5")
        )),
        prop::option::of(1..60_usize).prop_map(|digits| {
            let pattern = format!("[0-9a-fA-F]{{{}}}", digits.unwrap_or(10));
            let example = "0".repeat(digits.unwrap_or(10));
            (
                Generator::RandomHexadecimal { digits },
                Rule::Regex(pattern.into()),
                example.into(),
            )
        }),
        prop::option::of(0..60_usize).prop_map(|size| {
            let pattern = format!("[0-9A-Za-z]{{{}}}", size.unwrap_or(10));
            (
                Generator::RandomString { size },
                Rule::Regex(pattern.into()),
                "a".repeat(size.unwrap_or(10)).into(),
            )
        }),
        pattern().prop_map(|(pattern, example)| {
            (
                Generator::Regex(pattern.into()),
                Rule::Regex(pattern.into()),
                example.into(),
            )
        }),
        uuids(),
        moments(),
        any::<bool>().prop_map(|flag| (Generator::RandomBoolean, Rule::Boolean, flag.into())),
        states(),
        Just((
            Generator::MockServerUrl {
                example: "http://localhost:1/orders/7".into(),
                regex: r".*(/orders/\d+)$".into()
            },
            Rule::Regex(r"^.*(/orders/\d+)$".into()),
            "http://localhost:1/orders/7".into(),
        )),
    ]
}

fn integers() -> impl Strategy<Value = (Generator, Rule, Json)> {
    let bounds = (any::<i64>(), 0..=u32::MAX).prop_map(|(min, width)| (min, min.saturating_add(width.into())));
    let rule = prop::sample::select(vec![Rule::Integer, Rule::Number, Rule::Type { min: None, max: None }]);
    (prop::option::of(bounds), rule).prop_map(|(bounds, rule)| {
        let (min, max) = bounds.unzip();
        (Generator::RandomInt { min, max }, rule, 1_u64.into())
    })
}

/// Generates a typical pattern and an example for it.
fn pattern() -> impl Strategy<Value = (&'static str, &'static str)> {
    prop::sample::select(vec![
        (r"\d+", "1"),
        (r"^[A-Z]{3}-\d{4,}$", "ABC-1234"),
        (r"(GET|POST|PUT)", "GET"),
        (r"[\w.+-]+@[a-z0-9-]+\.(com|org)", "a@b.com"),
        (r"^(?:[01]\d|2[0-3]):[0-5]\d$", "10:00"),
        (r"(?i)yes|no", "YES"),
        (r"(\+\d{1,3} )?\d{3}-\d{4}", "555-1234"),
        ("(?x) [a-f]+ # a hexadecimal digit", "abc"),
        (r"[^/?#]+", "x"),
        (r"\p{Lu}\p{Ll}*", "Ab"),
        (r"1{0,2}(0|[1-9]\d*)(\.\d+)?", "1.5"),
        (r"(?:a|b){2}c?|d*", "ab"),
    ])
}

fn uuids() -> impl Strategy<Value = (Generator, Rule, Json)> {
    const LOWER: &str = "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}";
    const UPPER: &str = "[0-9A-F]{8}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{4}-[0-9A-F]{12}";
    const EXAMPLE: &str = "fc763eba-0905-41c5-a27f-3934ab26786c";
    prop::sample::select(vec![
        (None, LOWER.to_owned(), EXAMPLE.to_owned()),
        (
            Some(UuidFormat::LowerCaseHyphenated),
            LOWER.to_owned(),
            EXAMPLE.to_owned(),
        ),
        (
            Some(UuidFormat::UpperCaseHyphenated),
            UPPER.to_owned(),
            EXAMPLE.to_uppercase(),
        ),
        (
            Some(UuidFormat::Simple),
            "[0-9a-f]{32}".to_owned(),
            EXAMPLE.replace('-', ""),
        ),
        (
            Some(UuidFormat::Urn),
            format!("urn:uuid:{LOWER}"),
            format!("urn:uuid:{EXAMPLE}"),
        ),
    ])
    .prop_map(|(format, pattern, example)| (Generator::Uuid(format), Rule::Regex(pattern.into()), example.into()))
}

/// Generates date and time generators with the default format or a typical one, with and without an expression.
fn moments() -> impl Strategy<Value = (Generator, Rule, Json)> {
    let date = [
        "",
        "yyyy-MM-dd",
        "dd/MM/yy",
        "EEE, d MMM uuuu",
        "uuuu-DDD",
        "YYYY-'W'ww-e",
        "MMMM d, yyyy G",
    ];
    let time = [
        "",
        "HH:mm",
        "hh:mm:ss a",
        "KK 'past' mm",
        "HH:mm:ss.SSS",
        "kk:mm",
        "A",
        "HH:mm[:ss]",
    ];
    let both = [
        "",
        "yyyy-MM-dd'T'HH:mm:ssXXX",
        "yyyy-MM-dd'T'HH:mm:ss.SSSZ",
        "uuuu-MM-dd HH:mm:ss.SSSSSSSSS xx",
        "EEE, dd MMM yyyy HH:mm:ss O",
        "yyyyMMddHHmmssX",
    ];
    let format = |formats: &[&'static str]| prop::sample::select(formats.to_vec());
    let steps = |steps: &[&'static str]| prop::sample::select(steps.to_vec());
    let dates = (
        format(&date),
        steps(&["", "tomorrow", "+ 3 weeks - 1 day", "next monday", "last december"]),
    );
    let times = (format(&time), steps(&["", "noon", "+ 90 minutes", "5 o'clock pm"]));
    let moments = (
        format(&both),
        steps(&["", "+ 1 month @ midnight", "yesterday @ + 1 millisecond"]),
    );
    let moment = |(format, expression): (&str, &str)| {
        let given = |text: &str| (!text.is_empty()).then(|| text.into());
        Moment {
            format: given(format),
            expression: given(expression),
        }
    };
    // A value for another time replaces this example later.
    prop_oneof![
        dates.prop_map(move |pieces| {
            let made = moment(pieces);
            (Rule::Date(made.format.clone()), Generator::Date(made))
        }),
        times.prop_map(move |pieces| {
            let made = moment(pieces);
            (Rule::Time(made.format.clone()), Generator::Time(made))
        }),
        moments.prop_map(move |pieces| {
            let made = moment(pieces);
            (Rule::DateTime(made.format.clone()), Generator::DateTime(made))
        }),
    ]
    .prop_map(|(rule, generator)| (generator, rule, "an example".into()))
}

fn states() -> impl Strategy<Value = (Generator, Rule, Json)> {
    let same = Rule::Type { min: None, max: None };
    let cases = vec![
        ("${text}", None, same.clone(), "x".into()),
        ("${text}", Some(DataType::String), same.clone(), "x".into()),
        ("${integer}", Some(DataType::String), same.clone(), "x".into()),
        ("${integer}", Some(DataType::Integer), Rule::Integer, 1_u64.into()),
        ("integer", None, Rule::Integer, 1_u64.into()),
        ("${decimal}", Some(DataType::Decimal), Rule::Decimal, number("2.5")),
        ("${integer}", Some(DataType::Float), Rule::Number, number("2.5")),
        ("${flag}", Some(DataType::Boolean), Rule::Boolean, true.into()),
        ("${flag}", Some(DataType::Raw), same.clone(), true.into()),
        ("no ${integer} of ${text}", None, same, "x".into()),
        (
            "/orders/${integer}",
            None,
            Rule::Regex(r"/orders/\d+".into()),
            "/orders/1".into(),
        ),
    ];
    prop::sample::select(cases).prop_map(|(expression, data_type, rule, example)| {
        let expression = expression.into();
        (Generator::ProviderState { expression, data_type }, rule, example)
    })
}

fn now() -> impl Strategy<Value = DateTime> {
    // Years from 1900 to 9000, because formats with two or four letters cannot represent other years.
    let range = (
        -2_208_988_800..221_845_392_000_i64,
        0..1_000_000_000_u32,
        -18 * 4..=18 * 4,
    );
    range.prop_map(|(seconds, nanosecond, quarters)| {
        DateTime::from_unix(seconds, nanosecond, quarters * 900).expect("a moment in range")
    })
}

/// Returns a request with the value, rule, and generator in its path, query, header, and body.
fn request(generator: &Generator, rule: &Rule, example: &Json) -> Request {
    let text = example.text_form().into_owned();
    let list = || RuleList::single(rule.clone());
    let mut request = Request {
        path: text.as_str().into(),
        body: Body::Present(Content::json(Object::from_iter([("a", example.clone())]).into())),
        ..Request::default()
    };
    request.query.append("a", Some(text.as_str().into()));
    request.headers.append("X-A", text);
    let path: PathExpression = "$.a".parse().expect("a path");
    request.rules.path = Some(list());
    request.rules.query.insert("a".into(), list());
    request.rules.header.insert("X-A".into(), list());
    request.rules.body.insert(path.clone(), list());
    request.generators.path = Some(generator.clone());
    request.generators.query.insert("a".into(), generator.clone());
    request.generators.header.insert("X-A".into(), generator.clone());
    request.generators.body.insert(path, generator.clone());
    request
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn generated_values_satisfy_their_rules((generator, rule, example) in pair(), now in now(), seed: u64) {
        let state = Json::parse(STATE).expect("the state");
        let expected = request(&generator, &rule, &example);
        let plan = RequestPlan::new(&expected, Options::STRICT).expect("the rule can be used");
        let mode = match generator {
            Generator::MockServerUrl { .. } => Mode::Consumer,
            _ => Mode::Provider,
        };
        let mut context = Context {
            state_values: state.as_object().expect("an object"),
            base_url: Some("http://127.0.0.1:8080"),
            ..Context::new(mode, now.clone(), Random::from_seed(seed))
        };
        let mut made = expected.clone();
        let problems = apply::request(&mut made, &mut context);
        prop_assert!(problems.is_empty(), "{:?} at {now:?}: {}", generator, problems[0]);
        prop_assert!(applies(&generator, mode), "the examples satisfy the rules, too");
        let found = plan.compare(&ActualRequest::from(&made));
        prop_assert!(found.is_empty(), "{generator:?} made {:?} and {:?}: {}", made.path, String::from_utf8_lossy(&made.body.bytes()), found[0]);
    }
}
