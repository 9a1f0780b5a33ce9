use crate::{
    Body, Contract, Headers, HttpInteraction, Interaction, InteractionKind, Json, Message, Object, Query, Request,
    Response, Rule, RuleList, Rules,
    SpecificationVersion::{self, V2, V3, V4},
    file_order,
};

fn interaction(request: Request) -> Interaction {
    let http = HttpInteraction {
        request,
        response: Response::default(),
    };
    Interaction {
        description: "it".into(),
        kind: InteractionKind::Http(Box::new(http)),
        ..Interaction::default()
    }
}

/// Checks the value at `pointer` in the written interaction, and the warnings.
#[track_caller]
fn check(request: Request, version: SpecificationVersion, pointer: &str, want: &str, lost: &[&str]) {
    let (json, warnings) = interaction(request).to_json(version).unwrap();
    assert_eq!(json.pointer(pointer).map_or(String::new(), Json::to_text), want);
    let found: Vec<String> = warnings.iter().map(|warning| warning.loss.to_string()).collect();
    assert_eq!(found, lost);
}

fn with_body(body: Body, content_type: &str) -> Request {
    let mut headers = Headers::new();
    if !content_type.is_empty() {
        headers.append("Content-Type", content_type);
    }
    Request {
        headers,
        body,
        ..Request::default()
    }
}

fn present(bytes: &[u8], content_type: &str) -> Body {
    Body::from_bytes(bytes.to_vec(), content_type.parse().ok())
}

#[test]
fn bodies_of_v4() {
    for (body, want) in [
        (Body::Missing, ""),
        (Body::Empty, r#"{"content":""}"#),
        (Body::Null, r#"{"content":null}"#),
        (
            present(b"{\"a\":1.0}", "application/json"),
            r#"{"content":{"a":1.0},"contentType":"application/json","encoded":false}"#,
        ),
        (
            present(b"\"\"", "application/json"),
            r#"{"content":"\"\"","contentType":"application/json","encoded":"json"}"#,
        ),
        (
            present(b"null", "application/json"),
            r#"{"content":"null","contentType":"application/json","encoded":"json"}"#,
        ),
        (
            present(b"{", "application/json"),
            r#"{"content":"ew==","contentType":"application/json","encoded":"base64"}"#,
        ),
        (
            present(b"abc", "text/plain"),
            r#"{"content":"abc","contentType":"text/plain","encoded":false}"#,
        ),
        (
            present(b"\xff", "text/plain"),
            r#"{"content":"/w==","contentType":"text/plain","encoded":"base64"}"#,
        ),
        (
            present(b"abc", "image/png"),
            r#"{"content":"YWJj","contentType":"image/png","encoded":"base64"}"#,
        ),
        (
            present(b"\xff\xfe", ""),
            r#"{"content":"//4=","contentType":"*/*","encoded":"base64"}"#,
        ),
    ] {
        check(with_body(body, ""), V4, "/request/body", want, &[]);
    }
}

#[test]
fn bodies_before_v4() {
    for version in [V2, V3] {
        let json = |text: &[u8]| present(text, "application/json");
        check(with_body(Body::Null, ""), version, "/request/body", "null", &[]);
        check(
            with_body(json(b"\"a\""), ""),
            version,
            "/request/body",
            r#""\"a\"""#,
            &[],
        );
        check(with_body(json(b"[1.0]"), ""), version, "/request/body", "[1.0]", &[]);
        check(
            with_body(present(b"abcd", "image/png"), "image/png"),
            version,
            "/request/body",
            r#""YWJjZA==""#,
            &[],
        );
        check(
            with_body(present(b"no base64", "image/png"), "image/png"),
            version,
            "/request/body",
            r#""no base64""#,
            &[],
        );
        let lost =
            "request: the body cannot be represented exactly; set its content type as a header or in the metadata";
        check(
            with_body(present(b"abcd", "image/png"), ""),
            version,
            "/request/body",
            r#""YWJjZA==""#,
            &[lost],
        );
        check(
            with_body(json(b"{}"), "text/plain"),
            version,
            "/request/body",
            "{}",
            &[lost],
        );
        check(
            with_body(present(b"\xff", "text/plain"), "text/plain"),
            version,
            "/request/body",
            r#""/w==""#,
            &["request: this version cannot represent the body exactly"],
        );
    }
}

#[test]
fn queries() {
    let request = |query: &str| Request {
        query: Query::parse(query),
        ..Request::default()
    };
    check(
        request("b=%C3%A9&a=1&b"),
        V4,
        "/request/query",
        r#"{"b":["é",null],"a":["1"]}"#,
        &[],
    );
    check(
        request("b=%C3%A9&a=1&b"),
        V3,
        "/request/query",
        r#"{"b":["é",""],"a":["1"]}"#,
        &["request: the query parameter \"b\" without '=' is written with an empty value"],
    );
    check(
        request("b=%c3%a9&a=%0A"),
        V2,
        "/request/query",
        r#""b=%c3%a9&a=%0A""#,
        &[],
    );
    let mut built = request("");
    for text in ["\n", "ā", "😀", "é€"] {
        built.query.append("a", Some(text.into()));
    }
    check(
        built,
        V2,
        "/request/query",
        r#""a=%0A&a=%C4%81&a=%F0%9F%98%80&a=%C3%A9%E2%82%AC""#,
        &[],
    );
}

#[test]
fn header_lines() {
    let request = |name: &str, values: &[&str]| Request {
        headers: values.iter().map(|value| (name, *value)).collect(),
        ..Request::default()
    };
    check(
        request("X", &["a", "b"]),
        V4,
        "/request/headers",
        r#"{"X":["a","b"]}"#,
        &[],
    );
    check(
        request("Accept", &["a", "b"]),
        V3,
        "/request/headers",
        r#"{"Accept":"a, b"}"#,
        &[],
    );
    check(
        request("Set-Cookie", &["a", "b"]),
        V3,
        "/request/headers",
        r#"{"Set-Cookie":"a, b"}"#,
        &["request: the values of the header \"Set-Cookie\" are written as one string, which is read as one value"],
    );
}

#[test]
fn names_of_rules() {
    let mut rules = Rules::default();
    for name in ["X-A", "a[]", "b[0]", "it's", ""] {
        rules
            .query
            .insert(name.into(), RuleList::single(Rule::Regex("a".into())));
    }
    let request = Request {
        rules,
        ..Request::default()
    };
    let (json, warnings) = interaction(request).to_json(V2).unwrap();
    let names = json
        .pointer("/request/matchingRules")
        .unwrap()
        .as_object()
        .unwrap()
        .keys();
    assert_eq!(
        names.cloned().collect::<Vec<_>>(),
        [
            "$.query['']",
            "$.query.X-A",
            "$.query['a[]']",
            "$.query.b[0]",
            r"$.query['it\'s']"
        ]
    );
    let warnings: Vec<_> = warnings.iter().map(|warning| warning.loss.to_string()).collect();
    let unreadable = |path| {
        format!(
            "request: other Pact implementations cannot parse the path {path}; most of them reject the whole contract"
        )
    };
    assert_eq!(
        warnings,
        ["$.query['']", "$.query['a[]']", r"$.query['it\'s']"].map(unreadable)
    );
}

#[test]
fn reports_paths_that_other_tools_cannot_read() {
    let mut request = Request::default();
    for path in ["$.a", r"$['b\c']", r"$['it\'s'].id", "$['']"] {
        let path: crate::PathExpression = path.parse().unwrap();
        request.rules.body.insert(path.clone(), RuleList::single(Rule::Integer));
        request.generators.body.insert(path, crate::Generator::RandomBoolean);
    }
    for version in [V2, V3, V4] {
        let (json, warnings) = interaction(request.clone()).to_json(version).unwrap();
        let foreign: Vec<_> = warnings
            .iter()
            .filter_map(|warning| match &warning.loss {
                crate::Loss::ForeignPath { path, .. } => Some(path.as_str()),
                _ => None,
            })
            .collect();
        let each = ["$['']", r"$['it\'s'].id"];
        let expected = if version == V2 {
            each.to_vec()
        } else {
            [each, each].concat()
        };
        assert_eq!(foreign, expected, "{version}");
        let (read, _) = Interaction::read(&json, version).unwrap();
        let InteractionKind::Http(http) = read.kind else {
            panic!()
        };
        assert_eq!(http.request.rules, request.rules, "{version}");
    }
}

#[test]
fn reports_null_bodies_before_v4() {
    let null = || with_body(present(b"null", "application/json"), "application/json");
    for version in [V2, V3] {
        check(
            null(),
            version,
            "/request/body",
            "null",
            &["request: other tools treat the body null as a missing body; V4 distinguishes the two"],
        );
    }
}

#[test]
fn date_and_time_has_an_older_name() {
    let request = || Request {
        rules: Rules {
            path: Some(RuleList::single(Rule::DateTime(Some("yyyy".into())))),
            ..Rules::default()
        },
        ..Request::default()
    };
    let name = "/request/matchingRules/path/matchers/0/match";
    check(request(), V4, name, r#""datetime""#, &[]);
    check(request(), V3, name, r#""timestamp""#, &[]);
}

#[test]
fn unknown_members_never_replace_known_ones() {
    let mut request = Request::default();
    request.other.insert("x", 1_u64);
    request.other.insert("path", "elsewhere");
    request.other.insert("requestMatchingRules", 5_u64);
    check(
        request,
        V4,
        "/request",
        r#"{"method":"GET","path":"/","x":1}"#,
        &[
            "the unknown member \"path\" is left out, because the specification defines a different member with this name",
            "the unknown member \"requestMatchingRules\" is left out, because the specification defines a different member with this name",
        ],
    );
}

#[test]
fn unknown_members_do_not_turn_a_rule_into_a_list() {
    let rules = r#"{"matchingRules":{"path":{"matchers":[{"match":"type","matchers":[1],"x":1}]}}}"#;
    let (request, _) = Request::read(&Json::parse(rules.as_bytes()).unwrap(), V4).unwrap();
    check(
        request.clone(),
        V4,
        "/request/matchingRules/path/matchers/0",
        r#"{"match":"type","matchers":[1],"x":1}"#,
        &[],
    );
    check(
        request,
        V2,
        "/request/matchingRules/$.path",
        r#"{"match":"type","x":1}"#,
        &["request: unknown members of matchingRules are left out"],
    );
}

#[test]
fn keeps_unknown_categories() {
    let mut request = Request::default();
    request.generators.other.insert("$x", 1_u64);
    check(request.clone(), V4, "/request/generators", r#"{"$x":1}"#, &[]);
    request.generators.other = Object::new();
    request.generators.other.insert("content", 1_u64);
    check(
        request,
        V4,
        "/request",
        r#"{"method":"GET","path":"/"}"#,
        &[
            "the unknown member \"content\" is left out, because the specification defines a different member with this name",
        ],
    );
}

#[test]
fn rejects_invalid_status_codes() {
    let mut wrong = interaction(Request::default());
    if let InteractionKind::Http(http) = &mut wrong.kind {
        http.response.status = 42;
    }
    assert_eq!(
        wrong.to_json(V4).unwrap_err().to_string(),
        "the interaction \"it\" has the status 42; it must be from 100 to 599"
    );
}

#[test]
fn output_is_deterministic() {
    let read = |text: &str| {
        Contract::read(text.as_bytes())
            .unwrap()
            .contract
            .write(V4)
            .unwrap()
            .text
    };
    let a = r#"{"consumer":{"name":"c"},"provider":{"name":"p"},"interactions":[
        {"description":"b","request":{"headers":{"A":"1","B":"2"}},"response":{}},
        {"description":"a","providerStates":[{"name":"y"}],"request":{},"response":{}},
        {"description":"a","providerStates":[{"name":"x","params":{"a":1,"b":2}}],"request":{},"response":{}}]}"#;
    let b = r#"{"provider":{"name":"p"},"interactions":[
        {"description":"a","providerStates":[{"name":"x","params":{"b":2,"a":1}}],"request":{},"response":{}},
        {"request":{"headers":{"B":"2","A":"1"}},"response":{},"description":"b"},
        {"description":"a","providerStates":[{"name":"y"}],"request":{},"response":{}}],"consumer":{"name":"c"}}"#;
    assert_eq!(read(a), read(b));
    assert!(read(a).ends_with("}\n"));
}

#[test]
fn the_order_is_by_description_states_and_type() {
    let described = |description: &str| Interaction {
        description: description.into(),
        ..Interaction::default()
    };
    assert!(file_order(&described("a"), &described("b")).is_lt());
    assert!(file_order(&described("a"), &described("a")).is_eq());
}

#[test]
fn a_document_without_interactions() {
    let contract = Contract {
        consumer: "c".into(),
        provider: "p".into(),
        ..Contract::default()
    };
    assert_eq!(
        contract.to_json(V4).unwrap().0.to_text(),
        r#"{"consumer":{"name":"c"},"provider":{"name":"p"},"metadata":{"pactSpecification":{"version":"4.0"}},"interactions":[]}"#
    );
}

#[test]
fn metadata_of_messages() {
    let message = Message {
        metadata: [("topic", Json::from("orders"))].into_iter().collect(),
        ..Message::default()
    };
    let interaction = Interaction {
        kind: InteractionKind::AsyncMessage(Box::new(message)),
        ..Interaction::default()
    };
    for (version, name) in [(V3, "metaData"), (V4, "metadata")] {
        let (json, _) = interaction.to_json(version).unwrap();
        let found: Vec<_> = json
            .as_object()
            .unwrap()
            .keys()
            .filter(|name| name.starts_with("meta"))
            .collect();
        assert_eq!(found, [name]);
        assert_eq!(json.pointer(&format!("/{name}/topic")), Some(&Json::from("orders")));
    }
}
