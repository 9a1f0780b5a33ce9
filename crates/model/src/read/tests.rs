use crate::{
    Body, Contract, Generators, Interaction, InteractionKind, Json, Message, ReadWarning, Request, Response, Rules,
    SpecificationVersion::{self, V1, V2, V3, V4},
};

fn json(text: &str) -> Json {
    Json::parse(text.as_bytes()).unwrap()
}

fn contract(text: &str) -> Contract {
    Contract::read(text.as_bytes()).unwrap().contract
}

/// Returns the variant, the content, and the content type of a body as text.
fn in_words(body: &Body) -> String {
    match body {
        Body::Missing => "missing".to_owned(),
        Body::Empty => "empty".to_owned(),
        Body::Null => "null".to_owned(),
        Body::Present(content) => {
            let kind = match &content.value {
                crate::ContentValue::Json(_) => "json",
                crate::ContentValue::Bytes(_) => "bytes",
            };
            let content_type = content
                .content_type
                .as_ref()
                .map_or("unknown".to_owned(), ToString::to_string);
            let text = content
                .text()
                .map_or_else(|| format!("{:?}", content.bytes()), String::from);
            format!("{kind} {text} ({content_type})")
        }
    }
}

#[track_caller]
fn check_body(version: SpecificationVersion, content_type: &str, body: &str, want: &str) {
    let headers = if content_type.is_empty() {
        String::new()
    } else {
        format!(r#""headers":{{"content-type":"{content_type}"}},"#)
    };
    let response = json(&format!(r#"{{{headers}"body":{body}}}"#));
    let (response, _) = Response::read(&response, version).unwrap();
    assert_eq!(in_words(&response.body), want, "{version} {content_type} {body}");
}

#[test]
fn finds_the_version_in_all_known_members() {
    for (metadata, want) in [
        (r#"{"pactSpecification":{"version":"4.0"}}"#, V4),
        (r#"{"pactSpecification":{"version":4}}"#, V4),
        (r#"{"pactSpecification":"2.0.0"}"#, V2),
        (r#"{"contractSpecification":{"version":"2.0.0"}}"#, V2),
        (r#"{"pact-specification":{"version":"3.0.0-rc.1"}}"#, V3),
        (r#"{"pactSpecificationVersion":"2.0.0"}"#, V2),
        (
            r#"{"pactSpecificationVersion":"2.0.0","pactSpecification":{"version":"1.1.0"}}"#,
            SpecificationVersion::V1_1,
        ),
        ("{}", V3),
        ("null", V3),
    ] {
        let contract = contract(&format!(r#"{{"interactions":[],"metadata":{metadata}}}"#));
        assert_eq!(contract.specification, want, "{metadata}");
        assert!(contract.metadata.is_empty(), "{metadata}");
    }
}

#[test]
fn derives_a_missing_version_from_interactions() {
    for (interaction, want) in [
        (
            r#"{"type":"Asynchronous/Messages","contents":{"content":"a","contentType":"text/plain"}}"#,
            V4,
        ),
        (r#"{"type":"Synchronous/HTTP","request":{},"response":{}}"#, V4),
        (r#"{"type":"a type of somebody","request":{},"response":{}}"#, V3),
        (r#"{"request":{},"response":{}}"#, V3),
    ] {
        let text = format!(r#"{{"consumer":{{"name":"c"}},"provider":{{"name":"p"}},"interactions":[{interaction}]}}"#);
        let reading = Contract::read(text.as_bytes()).unwrap();
        assert_eq!(reading.contract.specification, want, "{interaction}");
        assert_eq!(reading.warnings, [ReadWarning::NoVersion { read_as: want }]);
        assert!(
            reading.warnings[0]
                .to_string()
                .ends_with(&format!("it is read as {want}"))
        );
    }
}

#[test]
fn reports_unpublished_versions() {
    let warnings = |version: &str| {
        let text = format!(
            r#"{{"consumer":{{"name":"c"}},"provider":{{"name":"p"}},"metadata":{{"pactSpecification":{{"version":{version}}}}}}}"#
        );
        let warnings = Contract::read(text.as_bytes()).unwrap().warnings;
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        warnings("\"1.2.0\""),
        "/metadata/pactSpecification/version: the specification version 1.2.0 does not exist; the contract is read as V1"
    );
    assert_eq!(
        warnings("4.1"),
        "/metadata/pactSpecification/version: the specification version 4.1 does not exist; the contract is read as V4"
    );
    for version in [
        "\"1.0.0\"",
        "\"1.1.0\"",
        "\"v2\"",
        "3.0",
        "\"4.0\"",
        "4",
        "\"3.0.0-beta.1\"",
    ] {
        assert_eq!(warnings(version), "", "{version}");
    }
}

#[test]
fn keeps_members_next_to_the_version() {
    let contract =
        contract(r#"{"interactions":[],"metadata":{"contractSpecification":{"version":"4.0","a":1},"b":2}}"#);
    assert_eq!(
        Json::from(contract.metadata),
        json(r#"{"pactSpecification":{"a":1},"b":2}"#)
    );
}

#[test]
fn rejects_unknown_versions() {
    for version in ["\"5.0\"", "\"x\"", "\"\"", "\"-4\"", "[]", "5"] {
        let text = format!(r#"{{"interactions":[],"metadata":{{"pactSpecification":{{"version":{version}}}}}}}"#);
        let error = Contract::read(text.as_bytes()).unwrap_err().to_string();
        assert!(error.contains(version), "{error}");
    }
}

#[test]
fn drops_broker_members_and_keeps_unknown_ones() {
    let contract = contract(
        r#"{"consumer":{"name":"c","_links":{},"x":1},"provider":{"name":"p"},"interactions":[],"_links":{},"createdAt":"now","updatedAt":"now","y":2}"#,
    );
    assert_eq!(Json::from(contract.other), json(r#"{"consumer":{"x":1},"y":2}"#));
}

#[test]
fn states_have_many_spellings() {
    for (text, want) in [
        (r#"{"providerState":"a"}"#, "a"),
        (r#"{"provider_state":"a"}"#, "a"),
        (r#"{"providerStates":"a"}"#, "a"),
        (
            r#"{"providerStates":["a",{"name":"b","params":null},{"name":"c","params":{"d":1}}]}"#,
            "a b c",
        ),
        (r#"{"providerStates":null,"providerState":"a"}"#, "a"),
        (r#"{"providerStates":[],"providerState":"a"}"#, "a"),
        (r#"{"providerStates":[],"provider_state":null}"#, ""),
        (r#"{"providerState":null}"#, ""),
        (r#"{"providerState":""}"#, ""),
        ("{}", ""),
    ] {
        for version in [V1, V2, V3, V4] {
            let (interaction, _) = Interaction::read(&json(text), version).unwrap();
            let names: Vec<&str> = interaction.states.iter().map(|state| state.name.as_str()).collect();
            assert_eq!(names.join(" "), want, "{text}");
        }
    }
}

#[test]
fn a_request_has_defaults() {
    let (request, _) = Request::read(&json("{}"), V3).unwrap();
    assert_eq!(request, Request::default());
    let (request, _) = Request::read(&json(r#"{"method":"patch","path":""}"#), V3).unwrap();
    assert_eq!((request.method.as_str(), request.path.as_str()), ("PATCH", ""));
}

#[test]
fn splits_list_headers_only() {
    let text =
        r#"{"headers":{"accept":"a, b","Date":"Mon, 1","Set-Cookie":["a=1, 2","b"],"X":5,"x":true,"none":null}}"#;
    let (response, _) = Response::read(&json(text), V2).unwrap();
    let headers = response.headers;
    assert_eq!(headers.get("Accept").unwrap(), ["a", "b"]);
    assert_eq!(headers.get("date").unwrap(), ["Mon, 1"]);
    assert_eq!(headers.get("set-cookie").unwrap(), ["a=1, 2", "b"]);
    assert_eq!(headers.get("X").unwrap(), ["5"]);
    assert_eq!(headers.get("x").unwrap(), ["true"]);
    assert!(headers.get("none").unwrap().is_empty());
}

#[test]
fn a_query_has_many_forms() {
    for (text, want) in [
        (r#""a=1&b=%C3%A9&a=2&c""#, "a=1&b=%C3%A9&a=2&c"),
        (
            r#"{"a":["1","2"],"b":"é","c":null,"d":[null,""],"e":[],"f":5}"#,
            "a=1&a=2&b=%C3%A9&c&d&d=&e&f=5",
        ),
        (r#""""#, ""),
        ("{}", ""),
        ("null", ""),
    ] {
        for version in [V1, V2, V3, V4] {
            let (request, _) = Request::read(&json(&format!(r#"{{"query":{text}}}"#)), version).unwrap();
            assert_eq!(request.query.to_text(), want, "{text}");
        }
    }
}

#[test]
fn bodies_before_v4() {
    for version in [V1, V2, V3] {
        let check = |content_type, body, want| check_body(version, content_type, body, want);
        check("", "null", "null");
        check("application/json", r#""""#, "empty");
        check("", r#"{"a":1.0}"#, r#"json {"a":1.0} (application/json)"#);
        check("application/hal+json", "[]", "json [] (application/hal+json)");
        // JSON content types: strings that contain the JSON text of a string or an object, and strings with other text.
        check("application/json", r#""\"a\"""#, r#"json "a" (application/json)"#);
        check(
            "application/json",
            r#""{\"a\":1}""#,
            r#"json {"a":1} (application/json)"#,
        );
        check(
            "application/json",
            r#""say \"a\"\n""#,
            r#"json "say \"a\"\n" (application/json)"#,
        );
        check("application/json", r#""[1]""#, r#"json "[1]" (application/json)"#);
        check("application/json", r#""true""#, r#"json "true" (application/json)"#);
        check("text/plain", r#""{\"a\":1}""#, r#"bytes {"a":1} (text/plain)"#);
        check("text/plain", "5", "bytes 5 (text/plain)");
        check("application/xml", r#""<a/>""#, "bytes <a/> (application/xml)");
        check("", r#""<a/>""#, "bytes <a/> (application/xml)");
        check("", r#""hello""#, "bytes hello (text/plain)");
        check(
            "application/graphql",
            r#""query { a }""#,
            "bytes query { a } (application/graphql)",
        );
        // Base64 is assumed only for binary types, and only if the text is valid base64.
        check("image/png", r#""AP8=""#, r#"bytes b"\0\xff" (image/png)"#);
        check("image/png", r#""not base64""#, "bytes not base64 (image/png)");
        check("text/plain", r#""AP8=""#, "bytes AP8= (text/plain)");
        check("", r#""2026-01-05""#, "bytes 2026-01-05 (text/plain)");
        check("", r#""-- a""#, "bytes -- a (text/plain)");
        check("", r#""12""#, r#"json "12" (application/json)"#);
        check("no type", r#""hello""#, "bytes hello (text/plain)");
    }
    assert_eq!(Response::read(&json("{}"), V3).unwrap().0.body, Body::Missing);
}

#[test]
fn bodies_of_v4() {
    let check = |content_type, body, want| check_body(V4, content_type, body, want);
    check("", r#"{"content":null}"#, "null");
    check("", r#"{"content":""}"#, "empty");
    check(
        "application/json",
        r#"{"content":"","contentType":"application/json"}"#,
        "empty",
    );
    check("", r#"{"contentType":"application/json","encoded":false}"#, "missing");
    check("", "{}", "missing");
    check("", r#"{"content":{"a":1}}"#, r#"json {"a":1} (application/json)"#);
    check(
        "",
        r#"{"content":"abc","contentType":"application/json"}"#,
        r#"json "abc" (application/json)"#,
    );
    check(
        "",
        r#"{"content":"abc","contentType":"text/plain"}"#,
        "bytes abc (text/plain)",
    );
    check("text/plain", r#"{"content":{"a":1}}"#, r#"bytes {"a":1} (text/plain)"#);
    check(
        "text/plain",
        r#"{"content":[1],"contentType":"application/json"}"#,
        "json [1] (application/json)",
    );
    check(
        "",
        r#"{"content":"<a/>","contentType":"*/*"}"#,
        "bytes <a/> (application/xml)",
    );
    check(
        "",
        r#"{"content":"AP8=","encoded":"base64"}"#,
        r#"bytes b"\0\xff" (unknown)"#,
    );
    check(
        "",
        r#"{"content":"A\nP8","encoded":"BASE64","contentType":"image/png"}"#,
        r#"bytes b"\0\xff" (image/png)"#,
    );
    check(
        "",
        r#"{"content":"eyJhIjoxfQ==","encoded":true,"contentType":"application/json"}"#,
        r#"json {"a":1} (application/json)"#,
    );
    check(
        "",
        r#"{"content":"[1.0]","encoded":"json"}"#,
        "json [1.0] (application/json)",
    );
    check(
        "",
        r#"{"content":"[1","encoded":"JSON","contentType":"application/json"}"#,
        "bytes [1 (application/json)",
    );
    check(
        "",
        r#"{"content":"%","encoded":"base64","contentType":"text/plain"}"#,
        "bytes % (text/plain)",
    );
    check(
        "",
        r#"{"contents":"abc","contentType":"text/plain"}"#,
        "bytes abc (text/plain)",
    );
    // Read as in V3, or without the wrapper object.
    check("", "null", "null");
    check("", "[1]", "json [1] (application/json)");
    check("text/plain", r#""abc""#, "bytes abc (text/plain)");
    check(
        "",
        r#"{"id":1,"encoded":false}"#,
        r#"json {"id":1,"encoded":false} (application/json)"#,
    );
    check("", r#"{"contents":1}"#, r#"json {"contents":1} (application/json)"#);
}

#[test]
fn reports_invalid_bodies() {
    let warnings = |text: &str| {
        let (_, warnings) = Response::read(&json(text), V4).unwrap();
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert_eq!(
        warnings(r#"{"body":{"content":"%","encoded":"base64"}}"#),
        r#"/body: the body is declared as "base64", but it is not valid "base64"; the text is used unchanged"#
    );
    assert_eq!(
        warnings(r#"{"body":{"content":"x","encoded":"gzip"}}"#),
        r#"/body: the body is declared as "gzip", but it is not valid "gzip"; the text is used unchanged"#
    );
    assert_eq!(
        warnings(r#"{"headers":{"Content-Type":"hippos"},"body":1}"#),
        r#"/headers/Content-Type: "hippos" is not a valid content type; the type is detected from the body"#
    );
    assert_eq!(warnings(r#"{"headers":{"Content-Type":"hippos"}}"#), "");
}

#[test]
fn metadata_and_contents_of_messages() {
    for text in [
        r#"{"contents":"<a/>","metaData":{"contentType":"text/plain","a":[1]}}"#,
        r#"{"contents":"<a/>","metadata":{"content-type":"text/plain","a":[1]}}"#,
        r#"{"contents":"<a/>","metaData":{"a":2},"metadata":{"Content-Type":"text/plain","a":[1]}}"#,
    ] {
        let (message, _) = Message::read(&json(text), V3).unwrap();
        assert_eq!(in_words(&message.contents), "bytes <a/> (text/plain)");
        assert_eq!(message.metadata.get("a").unwrap().to_text(), "[1]");
    }
    let (message, _) = Message::read(&json("{}"), V4).unwrap();
    assert_eq!(message, Message::default());
}

/// Checks the rules in the V4 format, regardless of the format in which they were written.
#[track_caller]
fn check_rules(text: &str, want: &str) {
    let (rules, _) = Rules::read(&json(text)).unwrap();
    let request = Request {
        rules,
        ..Request::default()
    };
    let interaction = Interaction {
        kind: InteractionKind::Http(Box::new(crate::HttpInteraction {
            request,
            ..crate::HttpInteraction::default()
        })),
        ..Interaction::default()
    };
    let (written, _) = interaction.to_json(V4).unwrap();
    let rules = written
        .pointer("/request/matchingRules")
        .map_or(String::new(), Json::to_text);
    assert_eq!(
        rules.replace(r#""combine":"AND","#, "").replace(r#""matchers":"#, ""),
        want,
        "{text}"
    );
}

#[test]
fn rules_of_v2() {
    for (name, want) in [
        ("$.body", r#"{"body":{"$":{[{"match":"type"}]}}}"#),
        (
            "$.body.a[0]['b c']",
            r#"{"body":{"$.a[0]['b c']":{[{"match":"type"}]}}}"#,
        ),
        ("$['body']['a']", r#"{"body":{"$.a":{[{"match":"type"}]}}}"#),
        ("$.path", r#"{"path":{[{"match":"type"}]}}"#),
        ("$.status", r#"{"status":{[{"match":"type"}]}}"#),
        ("$.headers.X-A", r#"{"header":{"X-A":{[{"match":"type"}]}}}"#),
        ("$.header['X A']", r#"{"header":{"X A":{[{"match":"type"}]}}}"#),
        ("$.query['a[]']", r#"{"query":{"a[]":{[{"match":"type"}]}}}"#),
        ("$.query.a[]", r#"{"query":{"a[]":{[{"match":"type"}]}}}"#),
        ("$.query['a b'][0]", r#"{"query":{"a b[0]":{[{"match":"type"}]}}}"#),
        (r"$.query['it\\'s']", r#"{"query":{"it's":{[{"match":"type"}]}}}"#),
        ("$.metadata.to", r#"{"metadata":{"to":{[{"match":"type"}]}}}"#),
    ] {
        check_rules(&format!(r#"{{"{name}":{{"match":"type"}}}}"#), want);
    }
    check_rules(
        r#"{"$.body.a":{"match":"type"},"$.body['a']":{"match":"integer"}}"#,
        r#"{"body":{"$.a":{[{"match":"type"},{"match":"integer"}]}}}"#,
    );
}

#[test]
fn rules_of_v3_and_v4() {
    check_rules(
        r#"{"body":{"$.a":{"matchers":[{"match":"type"}]}},"content":{"$.b":{"match":"type"}},"contents":null}"#,
        r#"{"body":{"$.a":{[{"match":"type"}]},"$.b":{[{"match":"type"}]}}}"#,
    );
    check_rules(
        r#"{"path":{},"status":{"":{"matchers":[{"match":"integer"}]}},"method":{"matchers":[]},"header":{"$.X":{"match":"type"}}}"#,
        r#"{"method":{[]},"status":{[{"match":"integer"}]},"header":{"$.X":{[{"match":"type"}]}}}"#,
    );
    check_rules(
        r#"{"status":{"$":{"combine":"AND","matchers":[{"match":"integer"}]}},"path":{"$":{"match":"type"}}}"#,
        r#"{"path":{[{"match":"type"}]},"status":{[{"match":"integer"}]}}"#,
    );
}

#[test]
fn status_rule_errors_contain_the_path() {
    for (name, place) in [("$", "/status/$"), ("", "/status/")] {
        let text =
            format!(r#"{{"status":{{"{name}":{{"combine":"AND","matchers":[{{"match":"regex","regex":1}}]}}}}}}"#);
        let error = Rules::read(&json(&text)).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{place}: ")), "{error}");
        let mine = format!(r#"{{"status":{{"{name}":{{"matchers":[{{"match":"integer"}}],"mine":1}}}}}}"#);
        let (rules, _) = Rules::read(&json(&mine)).unwrap();
        assert!(rules.status.is_some());
    }
}

#[test]
fn keeps_and_reports_unknown_rules() {
    let text = r#"{"cookie":{"a":{"match":"type"}},"body":{"$.a":{"match":"mine"},"$.b":{"match":"eachKey","rules":[{"match":"yours"}]}}}"#;
    let (rules, warnings) = Rules::read(&json(text)).unwrap();
    assert_eq!(Json::from(rules.other), json(r#"{"cookie":{"a":{"match":"type"}}}"#));
    let warnings: Vec<String> = warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "/cookie: unknown category of rules or generators; it is kept, but has no effect",
            "/body/$.a: unknown matching rule \"mine\"; comparisons that use it will fail",
            "/body/$.b: unknown matching rule \"yours\"; comparisons that use it will fail",
        ]
    );
    for odd in ["$.cookie.a", "$.query", "$", "$.path.x", "$['x", "$.query['a"] {
        let (rules, warnings) = Rules::read(&json(&format!(r#"{{"{odd}":{{"match":"type"}}}}"#))).unwrap();
        assert!(rules.other.contains_key(odd));
        assert!(matches!(&warnings[..], [ReadWarning::UnknownCategory { .. }]), "{odd}");
    }
}

#[test]
fn does_not_report_unknown_rules_with_plugins() {
    let reading = |plugins: &str| {
        let text = format!(
            r#"{{"interactions":[{{"request":{{"matchingRules":{{"body":{{"$":{{"match":"mine"}}}}}}}},"response":{{}}}}],
                "consumer":{{"name":"c"}},"provider":{{"name":"p"}},
                "metadata":{{"pactSpecification":{{"version":"4.0"}},"plugins":{plugins}}}}}"#
        );
        Contract::read(text.as_bytes()).unwrap().warnings.len()
    };
    assert_eq!((reading("[]"), reading(r#"[{"name":"mine"}]"#)), (1, 0));
}

#[test]
fn generators_of_messages_are_read() {
    let text = r#"{"content":{"$.a":{"type":"RandomInt"}},"metadata":{"b":{"type":"Uuid"}},"status":{},"path":{"type":"RandomString"}}"#;
    let (generators, _) = Generators::read(&json(text)).unwrap();
    assert!(generators.body.contains_key(&"$.a".parse().unwrap()));
    assert!(generators.metadata.contains_key("b") && generators.path.is_some() && generators.status.is_none());
    let (nested, _) = Generators::read(&json(
        r#"{"status":{"$":{"type":"RandomInt"}},"path":{"":{"type":"Uuid"}}}"#,
    ))
    .unwrap();
    assert!(nested.status.is_some() && nested.path.is_some());
}

#[test]
fn older_names_of_rules_are_fallbacks() {
    let rules = r#"{"$.path":{"match":"type"}}"#;
    for text in [
        format!(r#"{{"requestMatchingRules":{rules}}}"#),
        format!(r#"{{"matchingRules":{{}},"requestMatchingRules":{rules}}}"#),
        format!(r#"{{"matchingRules":{rules},"requestMatchingRules":{{"$.body":{{"match":"type"}}}}}}"#),
    ] {
        let (request, _) = Request::read(&json(&text), V3).unwrap();
        assert!(request.rules.path.is_some() && request.rules.body.is_empty(), "{text}");
    }
}

#[test]
fn reports_missing_responses() {
    let document = json(r#"{"type":"Synchronous/Messages","request":{}}"#);
    let (_, warnings) = Interaction::read(&document, V4).unwrap();
    assert_eq!(
        warnings.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["/response: the value is missing; it is read as no responses"]
    );
}

#[test]
fn v4_without_types() {
    let kind = |text: &str| {
        let (interaction, _) = Interaction::read(&json(text), V4).unwrap();
        interaction.kind.type_name().to_owned()
    };
    assert_eq!(kind(r#"{"request":{},"response":{}}"#), "Synchronous/HTTP");
    assert_eq!(kind(r#"{"contents":{"content":1}}"#), "Asynchronous/Messages");
    assert_eq!(
        kind(r#"{"type":"Synchronous/Messages","request":{},"response":{}}"#),
        "Synchronous/Messages"
    );
}

#[test]
fn interactions_of_unknown_types_may_contain_anything() {
    let document = json(r#"{"type":"New","description":[],"providerStates":5,"key":7}"#);
    let (interaction, warnings) = Interaction::read(&document, V4).unwrap();
    assert_eq!(interaction.description, "New");
    assert_eq!(warnings.len(), 1);
    assert_eq!(interaction.to_json(V4).unwrap().0, document);
    assert!(interaction.to_json(V3).is_err());
}

#[test]
fn reads_messages_next_to_interactions() {
    let text = r#"{"interactions":[{"description":"a","request":{},"response":{}}],"messages":[{"description":"b"}],"metadata":{"pactSpecification":{"version":"4.0"}}}"#;
    let reading = Contract::read(text.as_bytes()).unwrap();
    let kinds: Vec<&str> = reading
        .contract
        .interactions
        .iter()
        .map(|i| i.kind.type_name())
        .collect();
    assert_eq!(kinds, ["Synchronous/HTTP", "Asynchronous/Messages"]);
    assert!(reading.warnings.contains(&ReadWarning::Messages));
}

#[test]
fn rejects_deep_documents() {
    let text = format!(r#"{{"interactions":{}1{}}}"#, "[".repeat(10_000), "]".repeat(10_000));
    assert!(Contract::read(text.as_bytes()).is_err());
}

#[test]
fn keeps_unreadable_interactions() {
    for (version, list, odd, kind, at) in [
        (
            "4.0",
            "interactions",
            r#"{"description":"b","pending":true,"key":"k","response":{"status":0}}"#,
            "Synchronous/HTTP",
            "/response/status",
        ),
        (
            "4.0",
            "interactions",
            r#"{"description":"b","type":"Asynchronous/Messages","matchingRules":{"body":{"$.a":{"matchers":[{"match":"regex"}]}}}}"#,
            "Asynchronous/Messages",
            "/matchingRules/body/$.a",
        ),
        ("4.0", "interactions", "7", "Synchronous/HTTP", ""),
        (
            "4.0",
            "interactions",
            r#"{"description":"b","providerStates":[1],"response":{"status":0}}"#,
            "Synchronous/HTTP",
            "/providerStates/0",
        ),
        (
            "3.0.0",
            "messages",
            r#"{"description":"b","contents":{},"metaData":1}"#,
            "Asynchronous/Messages",
            "/metaData",
        ),
        (
            "2.0.0",
            "interactions",
            r#"{"description":"b","request":[]}"#,
            "Synchronous/HTTP",
            "/request",
        ),
    ] {
        let good = if list == "messages" {
            r#"{"description":"a","contents":"x"}"#
        } else {
            r#"{"description":"a","request":{},"response":{}}"#
        };
        let text = format!(
            r#"{{"consumer":{{"name":"c"}},"provider":{{"name":"p"}},"{list}":[{good},{odd},{good}],"metadata":{{"pactSpecification":{{"version":"{version}"}}}}}}"#
        );
        for reading in [Contract::read(text.as_bytes()), Contract::from_json(json(&text))] {
            let Contract {
                interactions,
                specification,
                ..
            } = reading.unwrap().contract;
            let InteractionKind::Unreadable(unreadable) = &interactions[1].kind else {
                panic!("{odd} could be read");
            };
            assert_eq!(
                (unreadable.kind.as_str(), &*unreadable.at),
                (kind, &*format!("/{list}/1{at}"))
            );
            assert!(unreadable.reason.starts_with(&unreadable.at), "{}", unreadable.reason);
            assert_eq!(unreadable.document, json(odd));
            assert_eq!(
                (
                    interactions[0].description.as_str(),
                    interactions[2].description.as_str()
                ),
                ("a", "a")
            );
            let (written, warnings) = interactions[1].to_json(specification).unwrap();
            assert_eq!((written, warnings.len()), (json(odd), 0));
        }
        let contract = contract(&text);
        let reread = Contract::read(contract.write(contract.specification).unwrap().text.as_bytes()).unwrap();
        assert!(
            reread.contract.interactions.contains(&contract.interactions[1]),
            "{odd}"
        );
        if list == "messages" {
            assert_eq!(contract.list_name(V3).unwrap(), "messages");
        }
    }
}

#[test]
fn reads_the_identity_of_unreadable_interactions() {
    let text = r#"{"interactions":[
        {"description":"b","providerStates":[{"name":"s"}],"pending":true,"key":"k","_id":"7","response":{"status":0}},
        {"description":"b","providerStates":[{"name":"s"}],"response":{}},
        {"providerStates":[{"name":"s"}],"response":{"status":0}},
        {"response":{"status":0}}],"metadata":{"pactSpecification":{"version":"4.0"}}}"#;
    let list = contract(text).interactions;
    assert_eq!(
        (list[0].pending, list[0].key.as_deref(), list[0].broker_id.as_deref()),
        (true, Some("k"), Some("7"))
    );
    assert!(list[0].is_same_as(&list[1]) && list[0].states == list[1].states);
    // An interaction without an identity is equal only to itself.
    assert!(!list[2].is_same_as(&list[3]) && list[2].is_same_as(&list[2].clone()));
    assert_eq!(crate::file_order(&list[2], &list[2]), std::cmp::Ordering::Equal);
}

#[test]
fn a_status_with_only_a_rule_gets_an_example() {
    for (rule, want) in [
        (r#"{"match":"statusCode","status":"clientError"}"#, 400),
        (r#"{"match":"statusCode","status":[404,410]}"#, 404),
        (r#"{"match":"integer"}"#, 200),
    ] {
        let text = format!(r#"{{"status":0,"matchingRules":{{"status":{{"matchers":[{rule}]}}}}}}"#);
        let (response, _) = Response::read(&json(&text), V4).unwrap();
        assert_eq!(response.status, want, "{rule}");
    }
    assert!(Response::read(&json(r#"{"status":0}"#), V4).is_err());
}
