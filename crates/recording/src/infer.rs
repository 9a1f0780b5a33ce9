//! Merges similar exchanges into interactions, and infers the rules of each interaction.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use contract_model::{
    Body, Content, ContentType, ContentValue, Contract, Headers, HttpInteraction, Interaction, InteractionKind, Json,
    Object, Query, Request, Response, Rule, RuleList, Rules, SpecificationVersion, Text, is_secret,
};

use crate::body::{infer_body, shape};
use crate::exchange::{Exchange, Guess, Options, Recording, Skipped};
use crate::head::{has_credential, kept_headers, kept_query, location_pattern, path_template, query_kind, regex};

/// Maximum number of exchanges from which the rules of one interaction are inferred.
const SAMPLES: usize = 100;

/// Similar exchanges, which become one interaction.
struct Group {
    name: String,
    samples: Vec<Sample>,
    count: usize,
}

struct Sample {
    exchange: Exchange,
    request_headers: Headers,
    query: Query,
    request_json: Option<Json>,
}

/// Infers a contract from exchanges. Interactions are in the order in which their requests first occur.
pub fn infer(exchanges: Vec<Exchange>, options: &Options) -> Recording {
    let mut recording = Recording {
        contract: Contract {
            consumer: options.consumer.clone(),
            provider: options.provider.clone(),
            specification: SpecificationVersion::V4,
            ..Contract::default()
        },
        guesses: Vec::new(),
        skipped: Vec::new(),
        omitted: BTreeSet::new(),
        merged: 0,
        ambiguous: Vec::new(),
    };
    let groups = grouped(exchanges, options, &mut recording);
    let names = described(&groups);
    recording.ambiguous = ambiguous(&groups);
    for (group, name) in groups.into_iter().zip(names) {
        recording.merged += group.count - 1;
        let interaction = interaction(name, &group.samples, options, &mut recording);
        recording.contract.interactions.push(interaction);
    }
    recording
}

fn grouped(exchanges: Vec<Exchange>, options: &Options, recording: &mut Recording) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for exchange in exchanges {
        let target = format!("{} {}", exchange.method, contract_report::redact::text(&exchange.path));
        if let Some(reason) = unusable(&exchange, options) {
            recording.skipped.push(Skipped {
                request: target,
                reason,
            });
            continue;
        }
        let mut request_headers =
            kept_headers(&exchange.request_headers, &options.omit_headers, &mut recording.omitted);
        if exchange.request_body.is_empty() {
            // Some clients send it even without a body.
            request_headers.remove("content-type");
        }
        let sample = Sample {
            request_headers,
            query: kept_query(&exchange.query, &mut recording.omitted),
            request_json: json_of(&exchange.request_headers, &exchange.request_body),
            exchange,
        };
        let template = path_template(&sample.exchange.path).template;
        let name = format!(
            "{} {template} returns {}",
            sample.exchange.method, sample.exchange.status
        );
        let key = vec![name.clone(), fingerprint(&sample)];
        let at = *places.entry(key).or_insert_with(|| {
            groups.push(Group {
                name,
                samples: Vec::new(),
                count: 0,
            });
            groups.len() - 1
        });
        let group = &mut groups[at];
        group.count += 1;
        if group.samples.len() < SAMPLES {
            group.samples.push(sample);
        }
    }
    groups
}

/// Returns why an exchange cannot become an interaction, or `None` if it can.
fn unusable(exchange: &Exchange, options: &Options) -> Option<String> {
    if let Some(problem) = &exchange.problem {
        return Some(problem.clone());
    }
    if exchange.status < 200 || exchange.status > 999 {
        return Some("there was no response".to_owned());
    }
    if exchange.method == "OPTIONS" && exchange.request_headers.get("access-control-request-method").is_some() {
        return Some("it is a CORS preflight request".to_owned());
    }
    if matches!(exchange.method.as_str(), "CONNECT" | "TRACE") {
        return Some(format!("the method {} is not supported", exchange.method));
    }
    if exchange.path.split('/').any(has_credential) {
        return Some("its path contains a credential".to_owned());
    }
    if exchange.request_body.len() > options.body_limit {
        return Some(format!("its request body is larger than {} bytes", options.body_limit));
    }
    let declared = exchange.request_headers.content_type();
    if declared.as_ref().is_some_and(ContentType::is_multipart) {
        return Some("multipart request bodies are not supported".to_owned());
    }
    let is_json = json_of(&exchange.request_headers, &exchange.request_body).is_some();
    let is_form = declared.as_ref().is_some_and(ContentType::is_form);
    if !is_json && !is_form && std::str::from_utf8(&exchange.request_body).is_ok_and(has_credential) {
        return Some("its request body contains a credential".to_owned());
    }
    None
}

/// Returns a key that is the same for all requests that are merged into one interaction.
fn fingerprint(sample: &Sample) -> String {
    let names: BTreeSet<_> = sample.query.names().into_iter().map(Text::as_str).collect();
    let literals: Vec<String> = names
        .iter()
        .filter(|name| query_kind(&sample.query, name).is_none())
        .map(|name| format!("{name}={:?}", sample.query.values(name).collect::<Vec<_>>()))
        .collect();
    let request = match &sample.request_json {
        Some(json) => shape(json),
        None => format!("{:?}", sample.exchange.request_body),
    };
    let response = sample.exchange.response_headers.content_type();
    let headers: Vec<String> = sample
        .request_headers
        .iter()
        .map(|(name, values)| format!("{}: {values:?}", name.to_ascii_lowercase()))
        .collect();
    format!(
        "{names:?} {literals:?} {request} {:?} {headers:?}",
        response.as_ref().map(ContentType::essence)
    )
}

/// Returns a unique description for each group. If the request and the status are not unique, adds the query, then the
/// name of the test, and then a number.
fn described(groups: &[Group]) -> Vec<String> {
    let mut names: Vec<String> = groups.iter().map(|group| group.name.clone()).collect();
    let count = |names: &[String]| {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for name in names {
            *counts.entry(name.clone()).or_default() += 1;
        }
        counts
    };
    let counts = count(&names);
    for (name, group) in names.iter_mut().zip(groups) {
        let query = group.samples.first().map(|sample| &sample.query);
        if let Some(query) = query.filter(|query| counts[name.as_str()] > 1 && !query.is_empty()) {
            *name = format!("{name} with {}", query.to_text());
        }
    }
    let counts = count(&names);
    for (name, group) in names.iter_mut().zip(groups) {
        if let Some(test) =
            test_of(&group.samples).filter(|_| counts.get(name.as_str()).is_some_and(|count| *count > 1))
        {
            *name = format!("{name} in {test:?}");
        }
    }
    let counts = count(&names);
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    for name in &mut names {
        if counts.get(name.as_str()).is_some_and(|count| *count > 1) {
            let number = used.entry(name.clone()).or_default();
            *number += 1;
            *name = format!("{name} ({number})");
        }
    }
    names
}

/// Returns the name of the test that sent the first request with a known test, or `None` if there is none.
fn test_of(samples: &[Sample]) -> Option<&Text> {
    samples.iter().find_map(|sample| sample.exchange.test.as_ref())
}

/// Returns the requests that received responses with different statuses.
fn ambiguous(groups: &[Group]) -> Vec<String> {
    let mut statuses: BTreeMap<String, BTreeSet<u16>> = BTreeMap::new();
    for group in groups {
        let Some(Sample { exchange, .. }) = group.samples.first() else {
            continue;
        };
        let target = format!("{} {}", exchange.method, path_template(&exchange.path).template);
        statuses.entry(target).or_default().insert(exchange.status);
    }
    let several = statuses.into_iter().filter(|(_, statuses)| statuses.len() > 1);
    several
        .map(|(target, statuses)| {
            let statuses: Vec<String> = statuses.iter().map(u16::to_string).collect();
            format!("{target} returned {}", statuses.join(" and "))
        })
        .collect()
}

fn interaction(name: String, samples: &[Sample], options: &Options, recording: &mut Recording) -> Interaction {
    let mut notes = Notes {
        interaction: &name,
        guesses: Vec::new(),
    };
    let request = request(samples, &mut notes, &mut recording.omitted);
    let response = response(samples, options, &mut notes, &mut recording.omitted);
    let guesses = notes.guesses;
    recording.guesses.extend(guesses);
    let mut comments = Object::new();
    if let Some(test) = test_of(samples) {
        comments.insert("testname", test.as_str());
    }
    Interaction {
        description: name.into(),
        kind: InteractionKind::Http(Box::new(HttpInteraction { request, response })),
        comments,
        ..Interaction::default()
    }
}

struct Notes<'a> {
    interaction: &'a str,
    guesses: Vec<Guess>,
}

impl Notes<'_> {
    fn add(&mut self, place: impl Into<String>, rule: impl Into<String>) {
        self.guesses.push(Guess {
            interaction: self.interaction.to_owned(),
            place: place.into(),
            rule: rule.into(),
        });
    }
}

fn request(samples: &[Sample], notes: &mut Notes<'_>, omitted: &mut BTreeSet<String>) -> Request {
    let Some(first) = samples.first() else {
        return Request::default();
    };
    let mut rules = Rules::default();
    let template = path_template(&first.exchange.path);
    if let Some(pattern) = template.pattern {
        notes.add("request path", format!("matches {}", template.template));
        rules.path = Some(regex(pattern));
    }
    for name in first.query.names() {
        if let Some(kind) = query_kind(&first.query, name) {
            notes.add(format!("request query {name}"), format!("a {}", kind.name()));
            rules.query.insert(name.clone(), regex(kind.pattern()));
        }
    }
    let bodies: Vec<&Json> = samples
        .iter()
        .filter_map(|sample| sample.request_json.as_ref())
        .collect();
    let body = if bodies.is_empty() {
        plain_body(&first.exchange, omitted)
    } else {
        let (example, inferred) = infer_body(&bodies, true);
        for (at, rule) in inferred.guesses {
            notes.add(format!("request body {at}"), rule);
        }
        rules.body = inferred.rules;
        omitted.extend(inferred.omitted);
        json_body(example, &first.exchange.request_headers)
    };
    Request {
        method: first.exchange.method.clone(),
        path: first.exchange.path.clone(),
        query: first.query.clone(),
        headers: first.request_headers.clone(),
        body,
        rules,
        ..Request::default()
    }
}

/// Returns a request body that is not JSON. In forms, credentials are replaced, and their names are added to `omitted`.
fn plain_body(exchange: &Exchange, omitted: &mut BTreeSet<String>) -> Body {
    if exchange.request_body.is_empty() {
        return Body::Missing;
    }
    let declared = exchange.request_headers.content_type();
    let form = std::str::from_utf8(&exchange.request_body)
        .ok()
        .filter(|_| declared.as_ref().is_some_and(ContentType::is_form));
    if let Some(text) = form {
        let mut form = Query::new();
        for (name, value) in Query::parse(text).pairs() {
            let is_secret = is_secret(name) || value.as_ref().is_some_and(|value| has_credential(value));
            if is_secret {
                omitted.insert(name.to_string());
            }
            form.append(
                name.clone(),
                if is_secret {
                    Some("redacted".into())
                } else {
                    value.clone()
                },
            );
        }
        return Body::from_bytes(form.to_text(), declared);
    }
    Body::from_bytes(exchange.request_body.clone(), declared)
}

fn response(samples: &[Sample], options: &Options, notes: &mut Notes<'_>, omitted: &mut BTreeSet<String>) -> Response {
    let Some(first) = samples.first() else {
        return Response::default();
    };
    let mut rules = Rules::default();
    let mut headers = Headers::new();
    for (name, values) in kept_headers(&first.exchange.response_headers, &options.omit_headers, omitted).iter() {
        if !samples
            .iter()
            .all(|sample| sample.exchange.response_headers.get(name).is_some())
        {
            notes.add(
                format!("response header {name}"),
                "left out, because it is sometimes missing",
            );
            continue;
        }
        headers.insert(name.clone(), values.to_vec());
        if name.eq_ignore_ascii_case("location") {
            let pattern = location_pattern(values.first().map_or("", Text::as_str));
            notes.add(format!("response header {name}"), format!("matches {pattern}"));
            rules.header.insert(name.clone(), regex(pattern));
        } else if !name.eq_ignore_ascii_case("content-type") {
            notes.add(format!("response header {name}"), "any value");
            let any = RuleList::single(Rule::Type { min: None, max: None });
            rules.header.insert(name.clone(), any);
        }
    }
    let json = |sample: &Sample| {
        let Exchange {
            response_headers,
            response_body,
            ..
        } = &sample.exchange;
        if response_body.len() > options.body_limit {
            return None;
        }
        json_of(response_headers, response_body)
    };
    let bodies: Vec<Json> = samples.iter().filter_map(json).collect();
    let body = if bodies.len() == samples.len() {
        let (example, inferred) = infer_body(&bodies.iter().collect::<Vec<_>>(), false);
        for (at, rule) in inferred.guesses {
            notes.add(format!("response body {at}"), rule);
        }
        rules.body = inferred.rules;
        omitted.extend(inferred.omitted);
        json_body(example, &first.exchange.response_headers)
    } else {
        let largest = samples.iter().map(|sample| sample.exchange.response_body.len()).max();
        if largest.is_some_and(|size| size > options.body_limit) {
            notes.add(
                "response body",
                format!("left out, because it is larger than {} bytes", options.body_limit),
            );
        } else if largest.is_some_and(|size| size > 0) {
            notes.add("response body", "left out, because it is not JSON");
        }
        Body::Missing
    };
    Response {
        status: first.exchange.status,
        headers,
        body,
        rules,
        ..Response::default()
    }
}

fn json_body(example: Json, headers: &Headers) -> Body {
    if example.is_null() {
        return Body::Null;
    }
    let mut content = Content::json(example);
    content.content_type = headers.content_type().or(content.content_type);
    Body::Present(content)
}

/// Parses a body whose content type is JSON. Without a content type, the first byte determines whether the body is
/// JSON.
fn json_of(headers: &Headers, bytes: &bytes::Bytes) -> Option<Json> {
    if bytes.is_empty() {
        return None;
    }
    match Content::new(bytes.clone(), headers.content_type()).value {
        ContentValue::Json(json) => Some(std::sync::Arc::unwrap_or_clone(json)),
        ContentValue::Bytes(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use contract_matching::{
        ActualBody, ActualRequest, ActualResponse, Options as MatchingOptions, RequestPlan, ResponsePlan,
    };

    use super::*;

    fn exchange(method: &str, target: &str, status: u16, request: &str, response: &str) -> Exchange {
        let json = |text: &str| -> Headers {
            if text.is_empty() {
                Headers::new()
            } else {
                [("Content-Type", "application/json")].into_iter().collect()
            }
        };
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        Exchange {
            method: method.into(),
            path: path.into(),
            query: Query::parse(query),
            request_headers: json(request),
            request_body: request.to_owned().into(),
            status,
            response_headers: json(response),
            response_body: response.to_owned().into(),
            ..Exchange::default()
        }
    }

    fn recorded(exchanges: &[Exchange]) -> Recording {
        infer(exchanges.to_vec(), &Options::new("web", "orders"))
    }

    fn descriptions(recording: &Recording) -> Vec<&str> {
        let interactions = recording.contract.interactions.iter();
        interactions
            .map(|interaction| interaction.description.as_str())
            .collect()
    }

    /// The contract that was inferred from exchanges accepts all of them.
    #[test]
    fn inferred_interactions_match_what_they_were_inferred_from() {
        let exchanges = [
            exchange(
                "GET",
                "/orders?page=2",
                200,
                "",
                r#"[{"id": 7, "at": "2026-11-24"}, {"id": 8, "note": "x", "at": "2026-11-25"}]"#,
            ),
            exchange("GET", "/orders?page=3", 200, "", "[]"),
            exchange(
                "GET",
                "/orders/7",
                200,
                "",
                r#"{"id": 7, "tags": [], "owner": null, "price": 10}"#,
            ),
            exchange(
                "GET",
                "/orders/8",
                200,
                "",
                r#"{"id": 8, "tags": ["a"], "owner": {"n": 1}, "price": 9.5}"#,
            ),
            exchange("POST", "/orders", 201, r#"{"item": "tea", "count": 2}"#, r#"{"id": 9}"#),
        ];
        let recording = recorded(&exchanges);
        let accepts = |interaction: &Interaction, exchange: &Exchange| {
            let http = interaction.http().unwrap();
            let request = RequestPlan::new(&http.request, MatchingOptions::STRICT).unwrap();
            let response = ResponsePlan::new(&http.response, MatchingOptions::LENIENT).unwrap();
            let body = |headers: &Headers, bytes: &bytes::Bytes| ActualBody::new(bytes.clone(), headers.content_type());
            let actual = ActualRequest {
                method: exchange.method.clone(),
                path: exchange.path.clone(),
                query: exchange.query.clone(),
                headers: exchange.request_headers.clone().into(),
                body: body(&exchange.request_headers, &exchange.request_body),
            };
            let answer = ActualResponse {
                status: exchange.status,
                headers: exchange.response_headers.clone(),
                body: body(&exchange.response_headers, &exchange.response_body),
            };
            request.matches(&actual) && response.compare(&answer).is_empty()
        };
        for exchange in &exchanges {
            let count = recording
                .contract
                .interactions
                .iter()
                .filter(|one| accepts(one, exchange))
                .count();
            assert_eq!(count, 1, "{} {}", exchange.method, exchange.path);
        }
        assert_eq!(
            descriptions(&recording),
            [
                "GET /orders returns 200",
                "GET /orders/{number} returns 200",
                "POST /orders returns 201"
            ]
        );
        assert_eq!(recording.merged, 2);
    }

    #[test]
    fn descriptions_are_unique() {
        let recording = recorded(&[
            exchange("GET", "/orders?q=tea", 200, "", "[1]"),
            exchange("GET", "/orders?q=coffee", 200, "", "[1]"),
            exchange("POST", "/orders", 201, r#"{"a": 1}"#, ""),
            exchange("POST", "/orders", 201, r#"{"b": 1}"#, ""),
        ]);
        assert_eq!(
            descriptions(&recording),
            [
                "GET /orders returns 200 with q=tea",
                "GET /orders returns 200 with q=coffee",
                "POST /orders returns 201 (1)",
                "POST /orders returns 201 (2)"
            ]
        );
    }

    #[test]
    fn the_names_of_tests_are_kept_and_distinguish_requests() {
        let recorded_by = |test: &str, exchange: Exchange| Exchange {
            test: Some(test.into()),
            ..exchange
        };
        let recording = recorded(&[
            recorded_by("adds a", exchange("POST", "/orders", 201, r#"{"a": 1}"#, "")),
            recorded_by("adds b", exchange("POST", "/orders", 201, r#"{"b": 1}"#, "")),
            recorded_by("lists", exchange("GET", "/orders", 200, "", "[1]")),
            recorded_by("lists again", exchange("GET", "/orders", 200, "", "[2]")),
        ]);
        assert_eq!(
            descriptions(&recording),
            [
                r#"POST /orders returns 201 in "adds a""#,
                r#"POST /orders returns 201 in "adds b""#,
                "GET /orders returns 200"
            ]
        );
        let comments = recording
            .contract
            .interactions
            .iter()
            .map(|one| one.comments.get("testname"));
        let names: Vec<_> = comments.map(|name| name.and_then(Json::as_str)).collect();
        assert_eq!(names, [Some("adds a"), Some("adds b"), Some("lists")]);
    }

    #[test]
    fn requests_with_several_responses_are_listed() {
        let recording = recorded(&[
            exchange("GET", "/orders/7", 200, "", "{}"),
            exchange("GET", "/orders/8", 404, "", ""),
        ]);
        assert_eq!(recording.ambiguous, ["GET /orders/{number} returned 200 and 404"]);
    }

    #[test]
    fn unusable_exchanges_are_skipped_with_a_reason() {
        let mut large = exchange("POST", "/large", 200, &format!("\"{}\"", "x".repeat(2 << 20)), "");
        large.request_headers = Headers::new();
        let mut preflight = exchange("OPTIONS", "/a", 204, "", "");
        preflight.request_headers = [("Access-Control-Request-Method", "PUT")].into_iter().collect();
        let mut upload = exchange("POST", "/u", 200, "x", "");
        upload.request_headers = [("Content-Type", "multipart/form-data; boundary=a")]
            .into_iter()
            .collect();
        let recording = recorded(&[exchange("GET", "/a", 0, "", ""), large, preflight, upload]);
        assert!(recording.contract.interactions.is_empty());
        let reasons: Vec<&str> = recording
            .skipped
            .iter()
            .map(|skipped| skipped.reason.as_str())
            .collect();
        assert_eq!(reasons[0], "there was no response");
        assert!(reasons[1].contains("larger than 1048576 bytes"), "{reasons:?}");
        assert_eq!(reasons[2], "it is a CORS preflight request");
        assert_eq!(reasons[3], "multipart request bodies are not supported");
    }

    #[test]
    fn responses_that_are_not_json_or_too_large_have_no_body() {
        let mut binary = exchange("GET", "/image", 200, "", "");
        binary.response_headers = [("Content-Type", "image/png")].into_iter().collect();
        binary.response_body = bytes::Bytes::from_static(&[0x89, 0, 1, 0xff]);
        let large = exchange("GET", "/large", 200, "", &format!("[\"{}\"]", "x".repeat(2 << 20)));
        let recording = recorded(&[binary, large]);
        for interaction in &recording.contract.interactions {
            assert_eq!(interaction.http().unwrap().response.body, Body::Missing);
        }
        let rules: Vec<&str> = recording.guesses.iter().map(|guess| guess.rule.as_str()).collect();
        assert_eq!(
            rules,
            [
                "left out, because it is not JSON",
                "left out, because it is larger than 1048576 bytes"
            ]
        );
    }

    #[test]
    fn credentials_are_never_part_of_the_contract() {
        let mut login = exchange(
            "POST",
            "/login?api_key=sesame1",
            200,
            r#"{"user": "me", "password": "sesame2"}"#,
            r#"{"access_token": "sesame3"}"#,
        );
        login.request_headers.append("Authorization", "Bearer sesame4");
        login.request_headers.append("X-Custom", "Bearer sesame5");
        login.response_headers.append("Set-Cookie", "session=sesame6");
        let mut form = exchange("POST", "/form", 200, "", "");
        form.request_headers = [("Content-Type", "application/x-www-form-urlencoded")]
            .into_iter()
            .collect();
        form.request_body = "user=me&client_secret=sesame7".into();
        let recording = recorded(&[login, form]);
        let text = recording.contract.write(SpecificationVersion::V4).unwrap().text;
        assert!(!text.contains("sesame"), "{text}");
        assert!(text.contains("client_secret=redacted"), "{text}");
        assert!(!format!("{:?}", (&recording.guesses, &recording.omitted)).contains("sesame"));
        for name in [
            "authorization",
            "password",
            "access_token",
            "api_key",
            "client_secret",
            "set-cookie",
            "x-custom",
        ] {
            assert!(recording.omitted.contains(name), "{name}");
        }
    }
}
