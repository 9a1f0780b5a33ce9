//! Random requests and responses, with rules and random changes. The same seed produces the same values.

use contract_model::{
    Body, Combine, Content, ContentType, ContentValue, Definition, Headers, Json, Number, Object, PathExpression,
    PathRules, PathToken, Query, Request, Response, Rule, RuleList, Rules, StatusClass, Text, Variant,
};

/// A pseudo-random number generator (`SplitMix64`).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let limit = u64::try_from(limit).expect("a small number");
        usize::try_from(self.next() % limit).expect("a small number")
    }

    /// Returns true with a probability of 1 in `cases`.
    pub(crate) fn one_in(&mut self, cases: usize) -> bool {
        self.below(cases) == 0
    }

    pub(crate) fn choose<'a, T>(&mut self, all: &'a [T]) -> &'a T {
        &all[self.below(all.len())]
    }
}

/// Strings for the format rules. Each of these rules accepts some of them and rejects others.
pub(crate) const TEXTS: [&str; 24] = [
    "abc",
    "ab1",
    "x",
    "",
    "7",
    "42",
    "-7",
    "1.5",
    "1.50",
    "2024-02-29",
    "2023-02-29",
    "2024-12-31",
    "2024-13-01",
    "00:00:00",
    "23:59:59",
    "24:00:00",
    "2024-02-29T10:20:30",
    "2024-02-29T25:20:30",
    "1.2.3",
    "1.02.3",
    "1.2.3-beta",
    "true",
    "false",
    "no-cache",
];
const NAMES: [&str; 5] = ["a", "b", "id", "a b", "12"];
const NUMBERS: [&str; 8] = ["0", "1", "7", "-7", "42", "1.5", "2.0", "-0.25"];

fn number(text: &str) -> Json {
    Json::Number(Number::from_text(text).expect("a number"))
}

fn text(random: &mut Random) -> Text {
    Text::from(*random.choose(&TEXTS))
}

pub(crate) fn scalar(random: &mut Random) -> Json {
    match random.below(8) {
        0 => Json::Null,
        1 => Json::Bool(random.one_in(2)),
        2..=4 => number(random.choose::<&str>(&NUMBERS)),
        _ => Json::String(text(random)),
    }
}

/// Creates a rule for a single value. The example does not necessarily satisfy it.
pub(crate) fn rule(random: &mut Random) -> Rule {
    let patterns = ["[a-z]+", r"\d+", "[a-z][a-z][a-z]", r"[a-z]+\d", ".*", r"\d.\d+"];
    match random.below(16) {
        0 | 1 => Rule::Type { min: None, max: None },
        2 => Rule::Equality,
        3 => Rule::Number,
        4 => Rule::Integer,
        5 => Rule::Decimal,
        6 => Rule::Boolean,
        7 => Rule::Null,
        8 => Rule::NotEmpty,
        9 => Rule::Include(Text::from(*random.choose(&["a", "1", "-"]))),
        10 => Rule::Date(Some("yyyy-MM-dd".into())),
        11 => Rule::Time(Some("HH:mm:ss".into())),
        12 => Rule::DateTime(Some("yyyy-MM-dd'T'HH:mm:ss".into())),
        13 => Rule::Semver,
        _ => Rule::Regex(Text::from(*random.choose(&patterns))),
    }
}

/// Creates a list of one rule, or of two rules combined with AND or OR.
pub(crate) fn list(random: &mut Random, rule: impl Fn(&mut Random) -> Rule) -> RuleList {
    match random.below(6) {
        0 => RuleList {
            rules: vec![rule(random), rule(random)],
            combine: Combine::Or,
        },
        1 => RuleList {
            rules: vec![rule(random), rule(random)],
            combine: Combine::And,
        },
        _ => RuleList::single(rule(random)),
    }
}

/// Creates a document and rules for its values. An example may violate its own rules, as in the files of other Pact
/// implementations.
pub(crate) fn document(random: &mut Random, path: &PathExpression, depth: usize, rules: &mut PathRules) -> Json {
    match random.below(if depth == 0 { 1 } else { 4 }) {
        0 => {
            if random.one_in(2) {
                rules.insert(path.clone(), list(random, rule));
            }
            scalar(random)
        }
        1 => array(random, path, depth, rules),
        _ => object(random, path, depth, rules),
    }
}

fn object(random: &mut Random, path: &PathExpression, depth: usize, rules: &mut PathRules) -> Json {
    if random.one_in(5) {
        // An object with arbitrary keys and similar values.
        rules.insert(path.clone(), RuleList::single(Rule::Values));
        let example = document(random, &path.join(PathToken::AnyKey), depth - 1, rules);
        return Object::from_iter([("a", example)]).into();
    }
    if random.one_in(6) {
        return keyed(random, path, depth, rules);
    }
    if random.one_in(5) {
        rules.insert(path.clone(), RuleList::single(Rule::Type { min: None, max: None }));
    }
    let mut members = Object::new();
    for _ in 0..random.below(4) {
        let name = *random.choose(&NAMES);
        if !members.contains_key(name) {
            let value = document(random, &path.join(PathToken::Key(name.into())), depth - 1, rules);
            members.insert(name, value);
        }
    }
    members.into()
}

/// Creates an object with rules for its keys, its values, or both.
fn keyed(random: &mut Random, path: &PathExpression, depth: usize, rules: &mut PathRules) -> Json {
    let mut all = Vec::new();
    if !random.one_in(3) {
        let pattern = Rule::Regex(Text::from(*random.choose(&["[a-z]+", ".", r"\d+", ".*"])));
        all.push(Rule::EachKey(Box::new(definition(vec![pattern]))));
    }
    if all.is_empty() || random.one_in(2) {
        all.push(Rule::EachValue(Box::new(definition(vec![rule(random)]))));
    }
    rules.insert(
        path.clone(),
        RuleList {
            rules: all,
            combine: Combine::And,
        },
    );
    let value = if random.one_in(2) {
        scalar(random)
    } else {
        document(random, &path.join(PathToken::AnyKey), depth - 1, rules)
    };
    Object::from_iter([(*random.choose(&["a", "b"]), value)]).into()
}

fn definition(rules: Vec<Rule>) -> Definition {
    Definition {
        rules,
        value: None,
        generator: None,
    }
}

fn array(random: &mut Random, path: &PathExpression, depth: usize, rules: &mut PathRules) -> Json {
    match random.below(3) {
        0 => {
            let (min, max) = (random.one_in(2).then_some(1), random.one_in(3).then_some(2));
            rules.insert(path.clone(), RuleList::single(Rule::Type { min, max }));
            vec![document(random, &path.join(PathToken::AnyIndex), depth - 1, rules)].into()
        }
        1 if depth == 1 => {
            let variants = (0..=random.below(2)).map(|index| {
                let list = random.one_in(2).then(|| (PathExpression::root(), list(random, rule)));
                Variant {
                    index,
                    rules: list.into_iter().collect(),
                    generators: std::collections::BTreeMap::new(),
                }
            });
            let variants: Vec<Variant> = variants.collect();
            let items: Vec<Json> = variants.iter().map(|_| scalar(random)).collect();
            rules.insert(path.clone(), RuleList::single(Rule::ArrayContains(variants)));
            items.into()
        }
        _ => {
            let items = (0..random.below(3))
                .map(|index| document(random, &path.join(PathToken::Index(index)), depth - 1, rules));
            items.collect::<Vec<_>>().into()
        }
    }
}

/// Makes one change to the document.
pub(crate) fn changed(random: &mut Random, value: &Json) -> Json {
    match value {
        Json::Object(object) if !object.is_empty() && !random.one_in(5) => {
            let mut members = object.clone();
            let name = random.choose(object.members()).0.clone();
            match random.below(6) {
                0 => drop(members.remove(&name)),
                1 => drop(members.insert(*random.choose(&["new", "c"]), scalar(random))),
                _ => {
                    let member = changed(random, object.get(&name).expect("the name is listed"));
                    members.insert(name, member);
                }
            }
            members.into()
        }
        Json::Array(items) if !items.is_empty() && !random.one_in(5) => {
            let mut items = items.clone();
            let at = random.below(items.len());
            match random.below(6) {
                0 => drop(items.remove(at)),
                1 => items.push(items[at].clone()),
                2 => items.reverse(),
                _ => items[at] = changed(random, &items[at]),
            }
            items.into()
        }
        _ => match random.below(8) {
            0 => Json::object(),
            1 => Json::Array(vec![scalar(random)]),
            _ => scalar(random),
        },
    }
}

/// Creates a JSON or text body with its rules.
fn body(random: &mut Random, rules: &mut PathRules) -> Body {
    if random.one_in(4) {
        if random.one_in(2) {
            rules.insert(PathExpression::root(), list(random, rule));
        }
        let words = format!("text: {}", random.choose(&TEXTS));
        return Body::Present(Content::new(words, Some(ContentType::text())));
    }
    Body::Present(Content::json(document(random, &PathExpression::root(), 3, rules)))
}

fn changed_body(random: &mut Random, body: &Body) -> Body {
    match body.content() {
        Some(content) => match &content.value {
            ContentValue::Json(value) => Body::Present(Content::json(changed(random, value))),
            ContentValue::Bytes(_) => {
                let words = format!("text: {}", random.choose(&TEXTS));
                Body::Present(Content::new(words, Some(ContentType::text())))
            }
        },
        None => body.clone(),
    }
}

/// Creates rules for the values of a name. Some of them check the number of values.
fn rule_of_name(random: &mut Random) -> Rule {
    match random.below(10) {
        0 => Rule::Type {
            min: Some(1),
            max: Some(2),
        },
        1 => Rule::Values,
        _ => rule(random),
    }
}

const HEADERS: [&str; 5] = ["X-One", "X-Two", "Vary", "Cache-Control", "Content-Language"];

fn headers(random: &mut Random, rules: &mut Rules) -> Headers {
    let mut headers = Headers::new();
    for _ in 0..random.below(3) {
        let name = *random.choose(&HEADERS);
        if headers.get(name).is_none() {
            headers.set(name, header_values(random, name));
            if random.one_in(2) {
                rules
                    .header
                    .insert(name.into(), RuleList::single(rule_of_header(random)));
            }
        }
    }
    headers
}

/// Creates rules for a header. `Values` requires as many values as there are examples, regardless of how the lines are
/// split. The naive matcher does not support this.
fn rule_of_header(random: &mut Random) -> Rule {
    match rule_of_name(random) {
        Rule::Values => Rule::Equality,
        other => other,
    }
}

/// Creates header lines as a server receives them: one line, two lines, or one line with commas. Values of list headers
/// are split.
fn header_values(random: &mut Random, name: &str) -> Vec<Text> {
    // HTTP preserves neither empty lines nor surrounding spaces.
    let word = |random: &mut Random| {
        Text::from(*random.choose(&TEXTS.map(|text| if text.is_empty() { "none" } else { text })))
    };
    let lines = match random.below(4) {
        0 => vec![word(random), word(random)],
        1 => vec![Text::from(format!("{}, {}", word(random), word(random)))],
        _ => vec![word(random)],
    };
    lines.iter().flat_map(|line| Headers::split(name, line)).collect()
}

fn changed_headers(random: &mut Random, headers: &Headers) -> Headers {
    let names: Vec<Text> = headers.iter().map(|(name, _)| name.clone()).collect();
    let mut changed = headers.clone();
    if names.is_empty() || random.one_in(8) {
        changed.append("X-Other", text(random));
        return changed;
    }
    let name = random.choose(&names);
    let mut values = headers.get(name).map(<[Text]>::to_vec).unwrap_or_default();
    match random.below(5) {
        0 => {
            changed.remove(name);
            return changed;
        }
        1 => values = vec![Text::from(values.join(", "))],
        2 => values.reverse(),
        _ => values = header_values(random, name),
    }
    changed.set(
        name.clone(),
        values.iter().flat_map(|line| Headers::split(name, line)).collect(),
    );
    changed
}

fn query(random: &mut Random, rules: &mut Rules) -> Query {
    let mut query = Query::new();
    for name in ["q", "a[]"] {
        if random.one_in(2) {
            for _ in 0..=random.below(2) {
                query.append(name, Some(text(random)));
            }
            if random.one_in(2) {
                rules.query.insert(name.into(), RuleList::single(rule_of_query(random)));
            }
        }
    }
    query
}

pub(crate) fn rule_of_query(random: &mut Random) -> Rule {
    match rule_of_name(random) {
        Rule::Values => Rule::NotEmpty,
        other => other,
    }
}

pub(crate) fn changed_query(random: &mut Random, query: &Query) -> Query {
    let mut pairs = query.pairs().to_vec();
    match random.below(4) {
        0 => pairs.push(("other".into(), Some(text(random)))),
        1 if !pairs.is_empty() => drop(pairs.remove(random.below(pairs.len()))),
        2 if !pairs.is_empty() => pairs.push(pairs[random.below(pairs.len())].clone()),
        _ if !pairs.is_empty() => {
            let at = random.below(pairs.len());
            pairs[at].1 = Some(text(random));
        }
        _ => {}
    }
    let mut changed = Query::new();
    for (name, value) in pairs {
        changed.append(name, value);
    }
    changed
}

pub(crate) fn request(random: &mut Random) -> Request {
    let mut rules = Rules::default();
    if random.one_in(2) {
        rules.path = Some(RuleList::single(Rule::Regex(Text::from(
            *random.choose(&[r".[a-z]+.\d+", ".*"]),
        ))));
    }
    Request {
        method: Text::from(*random.choose(&["GET", "POST"])),
        path: Text::from(*random.choose(&["/users/7", "/users/42", "/users"])),
        query: query(random, &mut rules),
        headers: headers(random, &mut rules),
        body: body(random, &mut rules.body),
        rules,
        ..Request::default()
    }
}

pub(crate) fn changed_request(random: &mut Random, request: &Request) -> Request {
    let mut changed = request.clone();
    match random.below(8) {
        0 => changed.method = Text::from(*random.choose(&["GET", "POST", "get"])),
        1 => changed.path = Text::from(*random.choose(&["/users/7", "/users/x", "/users", "/"])),
        2 | 3 => changed.query = changed_query(random, &request.query),
        4 | 5 => changed.headers = changed_headers(random, &request.headers),
        _ => changed.body = changed_body(random, &request.body),
    }
    changed
}

pub(crate) fn response(random: &mut Random) -> Response {
    let mut rules = Rules::default();
    let classes = [
        StatusClass::Success,
        StatusClass::ClientError,
        StatusClass::NonError,
        StatusClass::Error,
        StatusClass::Codes(vec![200, 404]),
    ];
    if random.one_in(2) {
        rules.status = Some(RuleList::single(match random.below(4) {
            0 => Rule::Integer,
            1 => Rule::Regex(r"\d\d\d".into()),
            _ => Rule::StatusCode(random.choose(&classes).clone()),
        }));
    }
    Response {
        status: *random.choose(&[200, 201, 404]),
        headers: headers(random, &mut rules),
        body: body(random, &mut rules.body),
        rules,
        ..Response::default()
    }
}

pub(crate) fn changed_response(random: &mut Random, response: &Response) -> Response {
    let mut changed = response.clone();
    match random.below(6) {
        0 => changed.status = *random.choose(&[100, 200, 204, 302, 404, 500]),
        1 | 2 => changed.headers = changed_headers(random, &response.headers),
        _ => changed.body = changed_body(random, &response.body),
    }
    changed
}
