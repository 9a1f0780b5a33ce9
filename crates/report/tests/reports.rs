//! Formats reports that contain dangerous text, secrets, and large numbers in every format.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use contract_matching::{ActualBody, ActualResponse, Options, ResponsePlan};
use contract_model::{ContentType, Json, Response, SpecificationVersion};
use contract_report::{Finding, InteractionError, ReadReportError, Report, ReportFormat, TextOptions};

/// Returns the JSON of a report with one interaction, which has these members.
fn report(members: &str) -> String {
    let parse = |text: &str| Json::parse(text.as_bytes()).unwrap();
    let mut interaction = parse(
        r#"{"description": "d", "states": [], "fingerprint": "1", "kind": "Synchronous/HTTP", "pending": false,
            "status": "failed", "durationMs": 1, "mismatches": []}"#,
    );
    let Json::Object(all) = &mut interaction else {
        unreachable!()
    };
    for (name, value) in parse(&format!("{{{members}}}")).as_object().unwrap() {
        all.insert(name.clone(), value.clone());
    }
    format!(
        r#"{{"formatVersion": 1, "provider": "orders", "success": false, "warnings": [],
            "summary": {{"total": 1, "passed": 0, "failed": 1, "pending": 0, "skipped": 0, "filtered": 0, "durationMs": 1}},
            "contracts": [{{"consumer": "web", "provider": "orders", "source": "web.json", "pending": false,
                "interactions": [{interaction}]}}]}}"#
    )
}

/// Formats a report in every format. Returns pairs of format name and text.
fn every(report: &Report) -> Vec<(String, String)> {
    let text = |color| report.to_text(TextOptions { color, verbose: true });
    let mut all: Vec<_> = ReportFormat::ALL
        .iter()
        .map(|format| (format.to_string(), format.write(report)))
        .collect();
    all.push(("text".to_owned(), text(false)));
    all.push(("coloured".to_owned(), text(true)));
    all.push(("failures".to_owned(), report.failures_to_text(TextOptions::default())));
    all
}

fn response(json: &str) -> Response {
    let json = Json::parse(json.as_bytes()).unwrap();
    Response::read(&json, SpecificationVersion::V4).unwrap().0
}

/// Returns the mismatches between an expected response and an actual one.
fn findings(expected: &str, headers: &[(&str, &str)], body: &str) -> Vec<Finding> {
    let actual = ActualResponse {
        status: 200,
        headers: headers.iter().copied().collect(),
        body: ActualBody::new(body.to_owned(), Some(ContentType::json())),
    };
    let plan = ResponsePlan::new(&response(expected), Options::LENIENT).unwrap();
    Finding::all(plan.compare(&actual))
}

#[test]
fn numbers_keep_their_notation_in_every_format() {
    let numbers = ["1e400", "1.0", "123456789012345678901234567890", "-0", "1.50"];
    for number in numbers {
        let text = report(&format!(
            r#""mismatches": [{{"type": "BodyMismatch", "kind": "type", "path": "$.a", "pointer": "/a", "expected": {number},
                "actual": {number}, "mismatch": "Expected {number} (Decimal) to be an integer"}}],
               "states": [{{"name": "s", "parameters": {{"n": {number}}}}}]"#
        ));
        let read = Report::read(&text).unwrap();
        for (format, written) in every(&read) {
            assert!(written.contains(number), "{number} in {format}: {written}");
        }
        let json = ReportFormat::Json.write(&read);
        assert!(json.contains(&format!("\"expected\": {number}")), "{json}");
        assert_eq!(ReportFormat::Json.write(&Report::read(&json).unwrap()), json);
    }
}

#[test]
fn every_format_shows_the_output_of_plugins() {
    let read = Report::read(&report(r#""output": ["  Test Name: a <b>", "status 5"]"#)).unwrap();
    for (format, written) in every(&read) {
        assert!(written.contains("status 5"), "{format}: {written}");
        assert!(format != "html" || written.contains("a &lt;b&gt;"), "{written}");
    }
}

#[test]
fn places_that_the_contract_does_not_name_are_listed_as_failed() {
    let read = Report::read(&report(
        r#""expected": {"status": 200, "headers": [], "body": false},
           "mismatches": [{"type": "MetadataMismatch", "kind": "plugin", "key": "grpc-status", "mismatch": "Expected status 5"}]"#,
    ))
    .unwrap();
    let options = TextOptions::default();
    let text = read.to_text(options);
    assert!(text.contains("      has status code 200 (OK)\n"), "{text}");
    assert!(
        text.contains("      has the expected metadata grpc-status (FAILED)\n"),
        "{text}"
    );
}

#[test]
fn escapes_untrusted_text() {
    let evil = r"x\n::error::gotcha\n  ::set-output name=a::b\n##[error]e ##vso[x] ##teamcity[y]\r\u001b[31m\u202e\ue001\ue007\u200b\u0085";
    let text = report(&format!(
        r#""description": "{evil}", "testName": "{evil}", "comments": {{"text": ["{evil}"]}},
           "states": [{{"name": "{evil}", "parameters": {{"a": "{evil}"}}}}],
           "expected": {{"status": 200, "headers": [{{"name": "A", "values": ["{evil}"]}}], "body": true}},
           "request": {{"method": "GET", "url": "{evil}", "headers": [{{"name": "{evil}", "values": ["{evil}"]}}]}},
           "response": {{"status": 500, "headers": [{{"name": "{evil}", "values": ["{evil}"]}}], "body": {{"contentType": "{evil}",
               "size": 9, "encoding": "text", "content": "{evil}", "truncated": false}}}},
           "diff": "-{evil}\n+{evil}",
           "teardownError": {{"code": "ERR_CONTRACT_STATE_HANDLER", "message": "{evil}"}},
           "mismatches": [
               {{"type": "StatusMismatch", "kind": "not-equal", "mismatch": "{evil}", "explanation": "{evil}"}},
               {{"type": "HeaderMismatch", "kind": "regex", "key": "{evil}", "mismatch": "{evil}"}},
               {{"type": "BodyMismatch", "kind": "type", "path": "{evil}", "pointer": "/a", "mismatch": "{evil}"}}]"#
    ));
    let read = Report::read(&text).unwrap();
    for (format, written) in every(&read) {
        if format == "json" {
            continue;
        }
        let has_colours = format == "coloured";
        for line in written.lines() {
            let ours = format == "github" && ["::error ", "::notice "].iter().any(|start| line.starts_with(start));
            assert!(ours || !line.trim_start().starts_with("::"), "{format}: {line}");
        }
        let is_command = |start: &str| written.contains(start) && format != "github";
        assert!(
            !["##[", "##vso[", "##teamcity["].iter().any(|start| is_command(start)),
            "{format}: {written}"
        );
        let dangerous = ['\u{202e}', '\u{e001}', '\u{e007}', '\u{200b}', '\u{85}', '\r'];
        assert!(!written.contains(dangerous), "{format}: {written}");
        assert!(has_colours || !written.contains('\u{1b}'), "{format}: {written}");
        assert!(!written.contains("gotcha\u{1b}[31m\n"), "{format}");
    }
}

#[test]
fn redacts_secrets_in_every_format() {
    let secret = "hush-hush-4711";
    let body = |content: &str| {
        format!(
            r#"{{"status": 201, "headers": {{}}, "body": {{"content": {content}, "contentType": "application/json", "encoded": false}}}}"#
        )
    };
    // Secrets in the expected and the received body.
    let bodies = [
        r#"{"password": "S"}"#,
        r#"{"url": "https://h/a?token=S"}"#,
        r#"{"url": "postgres://me:S@h/a"}"#,
        r#"{"in": "{\"api_key\": \"S\"}"}"#,
        r#"{"query": "mutation { login(password: \"S\") { id } }"}"#,
        r#"{"xml": "<a:password type=\"x\"><![CDATA[S]]></a:password>"}"#,
        r#"{"xml": "<user password='S'/>"}"#,
        r#"{"curl": "-H 'Authorization: Bearer S'"}"#,
        r#"{"form": "api[key]=S&a=1"}"#,
        r#"{"form": "api%5Bkey%5D=S&a=1"}"#,
        r#"{"token": ["S", {"a": "S"}]}"#,
        r#"{"note": "Bearer S.S"}"#,
    ];
    let mut all = Vec::new();
    for text in bodies {
        let came = text.replace('S', &format!("{secret}-came"));
        all.extend(findings(
            &body(&text.replace('S', &format!("{secret}-wanted"))),
            &[],
            &came,
        ));
        all.extend(findings(&body(r#"{"other": 1}"#), &[], &came));
    }
    for (name, value) in [
        ("Location", "https://h/a?token=S"),
        ("Referer", "https://me:S@h/a"),
        ("Set-Cookie", "session=S; HttpOnly"),
        ("X-Forwarded", "Bearer S"),
        ("X-Api-Key", "S"),
        ("Link", "<https://h/a?access_token=S>; rel=\"next\""),
    ] {
        let wanted = value.replace('S', &format!("{secret}-wanted"));
        let quoted = Json::from(wanted.as_str()).to_text();
        let rule = Json::from(format!("^{wanted}")).to_text();
        let came = value.replace('S', &format!("{secret}-came"));
        let plain = format!(r#"{{"status": 200, "headers": {{"{name}": [{quoted}]}}}}"#);
        let ruled = format!(
            r#"{{"status": 200, "headers": {{"{name}": [{quoted}]}}, "matchingRules": {{"header": {{"{name}":
                {{"combine": "AND", "matchers": [{{"match": "regex", "regex": {rule}}}]}}}}}}}}"#
        );
        all.extend(findings(&plain, &[(name, &came)], ""));
        all.extend(findings(&ruled, &[(name, &came)], ""));
    }
    assert!(all.len() > 30, "{}", all.len());
    let mut read = Report::read(&report("")).unwrap();
    let interaction = &mut read.contracts[0].interactions[0];
    interaction.error = Some(InteractionError::new(
        contract_report::ErrorCode::StateHandler,
        format!("the state handler failed: login with password={secret} at https://me:{secret}@h/?token={secret}"),
    ));
    interaction.mismatches = all;
    read.warn(&[format!(
        "https://me:{secret}@broker/contracts?token={secret} was left out"
    )]);
    for (format, written) in every(&read) {
        let found = written
            .find(secret)
            .map(|at| &written[at.saturating_sub(200)..(at + 40).min(written.len())]);
        assert_eq!(found, None, "{format}");
    }
    let lines: Vec<_> = read.contracts[0].interactions[0]
        .mismatches
        .iter()
        .map(Finding::line)
        .collect();
    assert!(!lines.join("\n").contains(secret), "{lines:?}");
}

#[test]
fn truncates_long_values() {
    let long = "x".repeat(3 << 20);
    let expected = format!(
        r#"{{"status": 200, "headers": {{}}, "body": {{"content": {{"a": "{long}", "b": "y"}}, "contentType": "application/json", "encoded": false}}}}"#
    );
    let all = findings(
        &expected,
        &[],
        &format!(r#"{{"a": "z{long}", "b": [{}"{long}"]}}"#, "1,".repeat(100_000)),
    );
    assert_eq!(all.len(), 2);
    let json = serde_json::to_string(&all).unwrap();
    assert!(json.len() < 100_000, "{}", json.len());
    assert!(
        json.contains("… (3145728 bytes)") && json.contains("more items)"),
        "{json}"
    );
}

#[test]
fn shows_the_response_if_the_status_differs() {
    let answer = |body: &str| {
        report(&format!(
            r#""mismatches": [{{"type": "StatusMismatch", "kind": "not-equal", "expected": 200, "actual": 500,
                "mismatch": "Expected status 200 but was 500"}}], "response": {{"status": 500, "headers": [{{"name": "Content-Type", "values": ["text/plain"]}}]{body}}}"#
        ))
    };
    let body = r#", "body": {"contentType": "text/plain", "size": 24, "encoding": "text", "content": "no such table: orders\nat", "truncated": false}"#;
    for (format, written) in every(&Report::read(&answer(body)).unwrap()) {
        assert!(written.contains("no such table: orders"), "{format}: {written}");
        assert!(written.contains("text/plain"), "{format}: {written}");
    }
    let long = format!(
        r#", "body": {{"size": 30000000, "encoding": "text", "content": "{}", "truncated": true}}"#,
        "line\\n".repeat(10_000)
    );
    let read = Report::read(&answer(&long)).unwrap();
    let shown = read.to_text(TextOptions::default());
    assert!(
        shown.contains("no content type, 30000000 bytes") && shown.len() < 3000,
        "{shown}"
    );
    let none = Report::read(&answer("")).unwrap().to_text(TextOptions::default());
    assert!(none.contains("The response with status 500 has no body"), "{none}");
}

#[test]
fn junit_messages_contain_the_place() {
    let text = report(
        r#""mismatches": [
            {"type": "HeaderMismatch", "kind": "regex", "key": "X-Kind", "mismatch": "Expected 'b' to match 'a+'"},
            {"type": "BodyMismatch", "kind": "type", "path": "$.a", "pointer": "/a", "mismatch": "Expected 1 (Integer) to be a text"},
            {"type": "BodyMismatch", "kind": "type", "path": "$.b", "pointer": "/b", "mismatch": "Expected 2 (Integer) to be a text"}]"#,
    );
    let xml = ReportFormat::Junit.write(&Report::read(&text).unwrap());
    let message = "message=\"Headers had differences: header X-Kind -&gt; Expected &#39;b&#39; to match &#39;a+&#39;; \
                   Body had differences: $.a -&gt; Expected 1 (Integer) to be a text (and 1 more)\"";
    assert!(xml.contains(message), "{xml}");
}

#[test]
fn adds_the_place_unless_the_sentence_names_it() {
    for (members, want) in [
        (
            r#""type": "HeaderMismatch", "kind": "not-equal", "key": "X-Kind""#,
            None,
        ),
        (
            r#""type": "HeaderMismatch", "kind": "not-equal", "key": "X-Kind", "index": 1"#,
            Some("header X-Kind[1]"),
        ),
        (
            r#""type": "HeaderMismatch", "kind": "regex", "key": "X-Kind""#,
            Some("header X-Kind"),
        ),
        (
            r#""type": "QueryMismatch", "kind": "regex", "parameter": "page""#,
            Some("query parameter page"),
        ),
        (
            r#""type": "QueryMismatch", "kind": "missing", "parameter": "page""#,
            None,
        ),
        (
            r#""type": "MetadataMismatch", "kind": "not-equal", "key": "topic""#,
            None,
        ),
        (
            r#""type": "MetadataMismatch", "kind": "not-equal", "key": "topic", "path": "$.a""#,
            Some("metadata topic at $.a"),
        ),
        (
            r#""type": "BodyMismatch", "kind": "not-equal", "path": "$.a""#,
            Some("$.a"),
        ),
        (r#""type": "StatusMismatch", "kind": "not-equal""#, None),
    ] {
        let read = Report::read(&report(&format!(r#""mismatches": [{{{members}, "mismatch": "m"}}]"#))).unwrap();
        let finding = &read.contracts[0].interactions[0].mismatches[0];
        assert_eq!(finding.place_if_unnamed().as_deref(), want, "{members}");
    }
}

#[test]
fn rejects_invalid_reports_with_a_pointer() {
    let refused = |text: &str| Report::read(text).unwrap_err();
    assert!(matches!(refused("{"), ReadReportError::Json(_)));
    for (interaction, want) in [
        (
            r#""status": "fine""#,
            "/status must be passed, failed, pending, or skipped",
        ),
        (
            r#""mismatches": [{"type": "x"}]"#,
            "/mismatches/0/type must be a mismatch type",
        ),
        (
            r#""response": {"status": "x"}"#,
            "/response/status must be a status code",
        ),
    ] {
        let want = format!("invalid verification report: /contracts/0/interactions/0{want}");
        assert_eq!(refused(&report(interaction)).to_string(), want);
    }
    let later = report(r#""error": {"code": "ERR_OF_LATER", "message": "m"}"#);
    let text = Report::read(&later).unwrap().to_text(TextOptions::default());
    assert!(text.contains("The interaction could not be verified"), "{text}");
}

#[test]
fn an_unreadable_contract_has_no_rerun_command() {
    let error = |code: &str| format!(r#""error": {{"code": "{code}", "message": "it is no JSON"}}"#);
    let whole = |code: &str| {
        report(&format!(
            r#""description": "the whole contract", "kind": "unknown", {}"#,
            error(code)
        ))
    };
    for (json, want) in [
        (whole("ERR_CONTRACT_UNREADABLE"), false),
        (whole("ERR_CONTRACT_REQUEST_CONNECT"), true),
        (report(&error("ERR_CONTRACT_UNREADABLE")), true),
    ] {
        let report = Report::read(&json).unwrap();
        for (format, text) in every(&report).iter().filter(|(format, _)| format != "json") {
            assert!(text.contains("it is no JSON"), "{format}: {text}");
            assert_eq!(text.contains("CONTRACT_DESCRIPTION="), want, "{format}: {text}");
            assert_eq!(text.contains("Run only this interaction"), want, "{format}: {text}");
        }
    }
}

/// Returns a report with one contract from a broker. `members` are added to the report, `of_contract` to the contract.
fn from_broker(members: &str, of_contract: &str) -> Report {
    let text = report(r#""status": "passed""#)
        .replacen(r#""failed": 1"#, r#""failed": 0"#, 1)
        .replacen(r#""passed": 0"#, r#""passed": 1"#, 1)
        .replacen(r#""warnings": [],"#, &format!(r#""warnings": [], {members}"#), 1)
        .replacen(
            r#""pending": false,
                "interactions""#,
            &format!(r#""pending": true, {of_contract} "interactions""#),
            1,
        );
    Report::read(&text).unwrap()
}

#[test]
fn every_format_contains_broker_notices() {
    let report = from_broker(
        r#""publication": {"version": "7", "branch": "main", "published": 1},"#,
        r#""origin": {"kind": "broker", "broker": "https://broker.example", "name": "web (3)", "selection": "latest from main",
            "wip": true},
           "notices": [{"moment": "before", "text": "chosen because"}, {"moment": "after", "text": "stays pending"}],
           "publication": {"published": true, "url": "https://broker.example/results/1"},"#,
    );
    for (format, written) in every(&report) {
        if format == "failures" {
            continue;
        }
        let told = [
            ("chosen because", true),
            ("stays pending", true),
            ("https://broker.example/results/1", true),
            ("latest from main", format != "github"),
        ];
        for (words, is_told) in told {
            assert_eq!(written.contains(words), is_told, "{words} in {format}: {written}");
        }
        let lower = written.to_lowercase();
        assert!(lower.contains("wip"), "{format}: {written}");
    }
    let json = ReportFormat::Json.write(&report);
    assert_eq!(ReportFormat::Json.write(&Report::read(&json).unwrap()), json);
}

#[test]
fn publication_errors_are_failures_in_every_format() {
    let report = from_broker(
        r#""publication": {"version": "7", "published": 0, "error": "the broker refused it"},"#,
        r#""publication": {"published": false, "reason": "the broker refused it"},"#,
    );
    for (format, written) in every(&report) {
        assert!(written.contains("the broker refused it"), "{format}: {written}");
        if format == "junit" {
            assert!(
                written.contains("errors=\"1\"") && written.contains("<error "),
                "{written}"
            );
        }
        if format == "github" {
            assert!(written.contains("::error "), "{written}");
        }
    }
}

#[test]
fn escapes_text_from_the_broker() {
    let evil = r"x\n::error::gotcha\n##[error]e\u001b[31m";
    let report = from_broker(
        r#""publication": {"version": "7\n::error::v", "published": 0},"#,
        &format!(
            r#""origin": {{"kind": "broker", "name": "{evil}", "selection": "{evil}"}},
               "notices": [{{"moment": "before", "text": "{evil}"}}, {{"moment": "after", "text": "{evil}"}}],
               "publication": {{"published": true, "url": "{evil}"}},"#
        ),
    );
    for (format, written) in every(&report) {
        if format == "json" {
            continue;
        }
        assert!(
            !written.contains('\u{1b}') || format == "coloured",
            "{format}: {written}"
        );
        let obeyed = |line: &str| line.starts_with("::error::") || line.starts_with("##[");
        assert!(
            !written.lines().any(|line| obeyed(line.trim_start())),
            "{format}: {written}"
        );
    }
}

#[test]
fn markdown_shows_expected_values_green_and_actual_values_red() {
    let markdown = |members: &str| ReportFormat::Markdown.write(&Report::read(&report(members)).unwrap());
    let whole = markdown(
        r#""diff": " {\n-  \"id\": 1\n+  \"id\": 2\n }\n", "mismatches": [{"type": "BodyMismatch", "mismatch": "m"}]"#,
    );
    assert!(
        whole.contains("```diff\n {\n+  \"id\": 1\n-  \"id\": 2\n }\n```"),
        "{whole}"
    );
    assert!(whole.contains("Expected: `+` (green), actual: `-` (red)"), "{whole}");
    let explained = markdown(
        r#""mismatches": [{"type": "BodyMismatch", "mismatch": "m", "explanation": "@@ -1,2 +3 @@\n-wanted\n+came\n same"}]"#,
    );
    assert!(
        explained.contains("```diff\n  @@ -3 +1,2 @@\n  +wanted\n  -came\n   same\n  ```"),
        "{explained}"
    );
}

#[test]
fn html_pages_contain_date_and_version() {
    let details = r#""date": "2026-11-22T23:00:00Z", "providerVersion": "1<2", "providerBranch": "main","#;
    let with = |build: &str| {
        let members = format!(r#""provider": "orders", {details} "buildUrl": "{build}","#);
        let text = report("").replacen(r#""provider": "orders","#, &members, 1);
        ReportFormat::Html.write(&Report::read(&text).unwrap())
    };
    let page = with("https://ci.example/builds/7?a=1&b");
    for part in [
        "<dt>Date</dt><dd>2026-11-22T23:00:00Z</dd>",
        "<dt>Version</dt><dd>1&lt;2</dd>",
        "<dt>Branch</dt><dd>main</dd>",
        "<a href=\"https://ci.example/builds/7?a=1&amp;b\">https://ci.example/builds/7?a=1&amp;b</a>",
    ] {
        assert!(page.contains(part), "{part}: {page}");
    }
    let page = with("javascript:alert(1)");
    assert!(
        page.contains("<dd>javascript:alert(1)</dd>") && !page.contains("href=\"javascript"),
        "{page}"
    );
}

#[test]
fn the_list_of_failures_names_the_consumer() {
    let one = report("");
    let start = one.find("\"interactions\": [").unwrap() + "\"interactions\": [".len();
    let interaction = &one[start..one.rfind("]}]}").unwrap()];
    let all = [interaction; 10].join(", ");
    let text = one
        .replacen(interaction, &all, 1)
        .replacen("\"total\": 1", "\"total\": 10", 1);
    let page = ReportFormat::Html.write(&Report::read(&text).unwrap());
    assert!(
        page.contains("<li>web: <a href=\"#interaction-2\">d</a></li>"),
        "{page}"
    );
}

#[test]
fn annotations_contain_the_line_of_the_interaction() {
    let with = |members: &str| ReportFormat::Github.write(&Report::read(&report(members)).unwrap());
    let annotation = with(r#""line": 12"#);
    assert!(
        annotation.starts_with("::error file=web.json,line=12,title="),
        "{annotation}"
    );
    assert!(with("").starts_with("::error file=web.json,title="));
}
