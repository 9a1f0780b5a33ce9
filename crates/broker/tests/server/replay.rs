//! Replays requests recorded from the Pact Broker and compares the responses, except for the deviations listed here and
//! explained in docs/decisions/0017-broker-deviations.md. Messages only have to be present and have the same type.

use std::collections::HashMap;

use crate::support::{self, Answer, Running};
use contract_broker::Database;
use serde_json::{Map, Value};

/// A folder of JSON files with requests and responses, in order from an empty database.
const RECORDINGS: &str = "CONTRACT_BROKER_RECORDINGS";

/// Responses that are not compared, with the reason.
const NOT_COMPARED: &[(&str, &str)] = &[("pact html", "HTML pages are not implemented")];

/// Requests that are not sent, because this broker would accept them, which would change all later responses. See
/// `deviations.rs`.
const NOT_SENT: &[(&str, &str)] = &[
    ("publish merge same version", "the Pact Broker rejects the merge"),
    (
        "delete integration",
        "the Pact Broker responds 406 to clients that accept HAL",
    ),
];

/// Requests whose status codes differ: the name of the request, the status of the Pact Broker, and the status of this
/// broker.
const STATUSES: &[(&str, u16, u16)] = &[("matrix name only pair cp", 500, 400), ("unsupported media", 500, 415)];

fn recordings() -> Option<Vec<Value>> {
    let Some(folder) = std::env::var_os(RECORDINGS) else {
        eprintln!("\n*** Recorded requests were NOT replayed: set {RECORDINGS} to their folder. ***\n");
        return None;
    };
    let mut all = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder of the recordings")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(file).expect("a recording");
        all.extend(serde_json::from_str::<Vec<Value>>(&text).expect("a list of recordings"));
    }
    assert!(!all.is_empty(), "no recordings in {}", folder.display());
    Some(all)
}

#[test]
fn responses_match_the_recordings_in_memory() {
    if let Some(recordings) = recordings() {
        replay(&recordings, Database::Memory);
    }
}

#[test]
fn responses_match_the_recordings_on_a_file() {
    if let Some(recordings) = recordings() {
        let folder = tempfile::tempdir().expect("a folder");
        replay(&recordings, Database::Sqlite(folder.path().join("broker.sqlite")));
    }
}

#[test]
fn responses_match_the_recordings_on_postgres() {
    if let (Some(database), Some(recordings)) = (support::postgres("replay"), recordings()) {
        replay(&recordings, database);
    }
}

fn replay(recordings: &[Value], database: Database) {
    let broker = support::start(database);
    let mut known = Known::default();
    let mut wrong = Vec::new();
    for recording in recordings {
        let name = recording["name"].as_str().expect("a name");
        if NOT_SENT.iter().any(|(skipped, _)| *skipped == name) {
            continue;
        }
        let answer = known.repeat(&broker, &recording["request"]);
        if NOT_COMPARED.iter().any(|(skipped, _)| *skipped == name) {
            continue;
        }
        known.learn(&recording["response"]["body"], &answer.text);
        let problems = compare(name, &recording["response"], &answer, &broker.base(), &known);
        if !problems.is_empty() {
            let path = recording["request"]["path"].as_str().unwrap_or_default();
            wrong.push(format!(
                "{name} ({} {path})\n    {}",
                recording["request"]["method"],
                problems.join("\n    ")
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {} differ:\n{}",
        wrong.len(),
        recordings.len(),
        wrong.join("\n")
    );
}

/// Maps recorded IDs and hashes to the IDs and hashes of this broker.
#[derive(Default)]
struct Known(HashMap<String, String>);

impl Known {
    fn repeat(&self, broker: &Running, request: &Value) -> Answer {
        let headers: Vec<(String, String)> = request["headers"]
            .as_object()
            .into_iter()
            .flatten()
            .map(|(name, value)| (name.to_lowercase(), value.as_str().unwrap_or_default().to_owned()))
            .collect();
        let headers: Vec<(&str, &str)> = headers
            .iter()
            .map(|(name, value)| (name.as_str(), value.as_str()))
            .collect();
        let path = self.ours(request["path"].as_str().expect("a path"));
        let body = request["body"].as_str().map(str::as_bytes);
        broker.send(request["method"].as_str().expect("a method"), &path, &headers, body)
    }

    fn ours(&self, theirs: &str) -> String {
        self.0
            .iter()
            .fold(theirs.to_owned(), |text, (their, our)| text.replace(their, our))
    }

    fn learn(&mut self, theirs: &Value, ours: &str) {
        if let Ok(ours) = serde_json::from_str::<Value>(ours) {
            self.learn_from(theirs, &ours);
        }
    }

    fn learn_from(&mut self, theirs: &Value, ours: &Value) {
        match (theirs, ours) {
            (Value::Object(theirs), Value::Object(ours)) => {
                for (key, their) in theirs {
                    let Some(our) = ours.get(key) else { continue };
                    if let (true, Some(their), Some(our)) = (key == "uuid", their.as_str(), our.as_str()) {
                        self.0.insert(their.to_owned(), our.to_owned());
                    }
                    if let (true, Some(their), Some(our)) = (key == "href", their.as_str(), our.as_str()) {
                        self.learn_from_href(their, our);
                    }
                    self.learn_from(their, our);
                }
            }
            (Value::Array(theirs), Value::Array(ours)) => {
                for (their, our) in theirs.iter().zip(ours) {
                    self.learn_from(their, our);
                }
            }
            _ => {}
        }
    }

    fn learn_from_href(&mut self, theirs: &str, ours: &str) {
        for (before, length) in [("/metadata/", None), ("/pact-version/", Some(40))] {
            let after = |href: &str| {
                let rest = href.split_once(before)?.1;
                Some(rest.split('/').next().unwrap_or_default().to_owned())
            };
            if let (Some(their), Some(our)) = (after(theirs), after(ours)) {
                // This broker hashes the merged content, but the Pact Broker hashes the fragment, so keep the hash from
                // the merge.
                let is_id = length.is_none_or(|length| their.len() == length);
                if is_id && their != our && !their.contains('{') && (length.is_none() || their == MERGED) {
                    self.0.insert(their, our);
                }
            }
        }
    }
}

/// The SHA that the Pact Broker returned after a merge. It is the SHA of the merged fragment, not of the result.
const MERGED: &str = "00660b787d3529887349baa3f0520cca5600df08";

fn compare(name: &str, recorded: &Value, answer: &Answer, base: &str, known: &Known) -> Vec<String> {
    let mut problems = Vec::new();
    let status = u16::try_from(recorded["status"].as_u64().expect("a status")).expect("a status");
    let expected = STATUSES
        .iter()
        .find(|(other, ..)| *other == name)
        .map_or(status, |(_, theirs, ours)| {
            assert_eq!(*theirs, status, "{name}: the recorded status");
            *ours
        });
    if answer.status != expected {
        problems.push(format!(
            "status {} instead of {expected}: {:.400}",
            answer.status, answer.text
        ));
        return problems;
    }
    if expected != status {
        return problems;
    }
    for header in [
        "content-type",
        "allow",
        "access-control-allow-methods",
        "x-pact-consumer-version",
        "vary",
    ] {
        let theirs = recorded["headers"][header].as_str();
        let ours = answer.header(header);
        let is_same = match (theirs, ours) {
            (Some(theirs), Some(ours)) => theirs.replace(' ', "") == ours.replace(' ', ""),
            // This broker sends no content type for empty bodies.
            (Some(_), None) => header == "content-type" && answer.text.is_empty() || header == "vary",
            (None, Some(_)) => header == "vary",
            (None, None) => true,
        };
        // In the Pact Broker, health checks have no charset, and a rejected merge has no body.
        let may_differ = header == "content-type"
            && (matches!(name, "heartbeat" | "dependencies" | "patch pact conflict") || has_explanation(answer.status));
        if !is_same && !may_differ {
            problems.push(format!("header {header}: {ours:?} instead of {theirs:?}"));
        }
    }
    let location = |text: &str| known.ours(text).replace("http://127.0.0.1:9292", "").replace(base, "");
    let theirs = recorded["headers"]["location"]
        .as_str()
        .map(location)
        .map(|text| text.replace("pacticpants", "pacticipants"));
    let ours = answer.header("location").map(location);
    if theirs != ours && !theirs.as_deref().is_some_and(|text| text.contains("-versions/")) {
        problems.push(format!("location {ours:?} instead of {theirs:?}"));
    }
    if has_explanation(answer.status) && recorded["body"] == "" {
        assert!(answer.text.contains("error"), "{answer:?}");
        return problems;
    }
    if let Some(text) = recorded["body"].as_str() {
        compare_text(name, text, &answer.text, &mut problems);
        return problems;
    }
    let ours: Value = match serde_json::from_str(&answer.text) {
        Ok(ours) => ours,
        Err(error) => return vec![format!("no JSON: {error}: {:.300}", answer.text)],
    };
    let mut theirs = recorded["body"].clone();
    let mut ours = ours;
    deviate(name, &mut theirs, &mut ours);
    normalise(&mut theirs, "http://127.0.0.1:9292", known);
    normalise(&mut ours, base, &Known::default());
    differences("", &theirs, &ours, &mut problems);
    problems.truncate(12);
    problems
}

/// Returns true for statuses whose response body contains an explanation only in this broker.
fn has_explanation(status: u16) -> bool {
    matches!(status, 405 | 406 | 415)
}

fn compare_text(name: &str, theirs: &str, ours: &str, problems: &mut Vec<String>) {
    // A rejected merge has an explanation.
    if name == "patch pact conflict" {
        assert!(ours.contains("error"), "{ours}");
        return;
    }
    let before_reason = |text: &str| text.split("Reason:").next().unwrap_or_default().to_owned();
    if before_reason(theirs) != before_reason(ours) {
        problems.push(format!("text {ours:?} instead of {theirs:?}"));
    }
}

/// Removes intentional differences from both responses.
fn deviate(name: &str, theirs: &mut Value, ours: &mut Value) {
    // The link of the Pact Broker to the webhooks of the consumer contains the name of the provider.
    if let Some(href) = theirs.pointer_mut("/_links/pb:consumer-webhooks/href") {
        *href = "http://127.0.0.1:9292/webhooks/consumer/Foo".into();
    }
    match name {
        // In this broker, the fallback has an effect.
        "fv fallback" => {
            assert_eq!(
                ours["_embedded"]["pacts"][0]["shortDescription"],
                "latest from branch main"
            );
            theirs["_embedded"]["pacts"] = Value::Null;
            ours["_embedded"]["pacts"] = Value::Null;
        }
        // Filters select the rows to show; the summary counts all rows.
        "matrix success only" | "matrix success null" => {
            let all = serde_json::json!({ "deployable": null, "success": 4, "failed": 2, "unknown": 2 });
            for (key, count) in all.as_object().expect("an object") {
                assert_eq!(&ours["summary"][key], count, "{name}: {key}");
                theirs["summary"][key] = count.clone();
            }
            theirs["notices"] = Value::Null;
            ours["notices"] = Value::Null;
        }
        // Descriptions of the Pact Broker contain internal object representations.
        "fv branch true" | "fv environment" => {
            for at in 0..2 {
                for body in [&mut *theirs, &mut *ours] {
                    if let Some(entry) = body["_embedded"]["pacts"].get_mut(at) {
                        entry["shortDescription"] = Value::Null;
                    }
                }
            }
        }
        // Each reason is listed once, not once per provider tag.
        "fv provider tags" => {
            theirs["_embedded"]["pacts"][1]["shortDescription"] = "latest with tag dev, latest with tag t2".into();
        }
        // A version with a revised contract counts its provider once, and `success` matches the summary.
        "verifications for consumer version" => {
            theirs["success"] = true.into();
            theirs["providerSummary"]["successful"] = serde_json::json!(["Bar"]);
            keep_first(&mut theirs["_embedded"]["verificationResults"]);
        }
        // Lists contain a revised contract once.
        "get provider pacts" => {
            for relation in ["pb:pacts", "pacts"] {
                without_doubles(&mut theirs["_links"][relation]);
            }
        }
        "get p versions" | "get p versions page" | "get p versions page size only" | "get latest-version" => {
            let listed = theirs.pointer_mut("/_embedded/versions").and_then(Value::as_array_mut);
            for version in listed.into_iter().flatten() {
                without_doubles(&mut version["_links"]["pb:pact-versions"]);
            }
            if let Some(links) = theirs.pointer_mut("/_links/pb:pact-versions") {
                without_doubles(links);
            }
        }
        // Lists have a self link with an absolute URL.
        "get integrations" => {
            let matrix = &mut theirs["_embedded"]["integrations"][0]["_links"]["pb:matrix"]["href"];
            *matrix = format!("http://127.0.0.1:9292{}", matrix.as_str().unwrap_or_default()).into();
        }
        "get dashboard" => {
            ours.as_object_mut().expect("an object").remove("_links");
        }
        _ => {}
    }
}

fn keep_first(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.truncate(1);
    }
}

fn without_doubles(list: &mut Value) {
    if let Some(list) = list.as_array_mut() {
        list.dedup();
    }
}

fn normalise(value: &mut Value, base: &str, known: &Known) {
    match value {
        Value::Object(object) => {
            object.retain(|key, _| key != "curies" && key != "updatedAt");
            // Only the presence of messages is compared.
            for key in ["text", "message", "reason", "title", "deprecationWarning", "error"] {
                if object.get(key).is_some_and(Value::is_string) {
                    object.insert(key.to_owned(), "(text)".into());
                }
            }
            errors_without_words(object);
            if let Some(name) = object
                .get("name")
                .and_then(Value::as_str)
                .filter(|name| name.starts_with("DEPRECATED"))
            {
                let name = name.split([' ', ':']).next().unwrap_or_default().to_owned();
                object.insert("name".to_owned(), name.into());
            }
            if object.get("templated") == Some(&Value::Bool(false))
                || object
                    .get("href")
                    .is_some_and(|href| href.as_str().is_some_and(|href| href.contains('{')))
            {
                object.remove("templated");
            }
            for (_, value) in object.iter_mut() {
                normalise(value, base, known);
            }
        }
        Value::Array(list) => {
            for item in list {
                normalise(item, base, known);
            }
        }
        Value::String(text) => *text = normal_text(text, base, known),
        _ => {}
    }
}

fn errors_without_words(object: &mut Map<String, Value>) {
    match object.get_mut("errors") {
        Some(Value::Object(fields)) => {
            for (_, texts) in fields.iter_mut() {
                let count = texts.as_array().map_or(0, Vec::len);
                *texts = vec!["(text)"; count].into();
            }
        }
        Some(texts @ Value::Array(_)) => *texts = "(texts)".into(),
        _ => {}
    }
}

fn normal_text(text: &str, base: &str, known: &Known) -> String {
    if is_moment(text) {
        return "(moment)".to_owned();
    }
    let text = known.ours(text).replace(base, "");
    // The format of the metadata in URLs differs.
    match text.split_once("/metadata/") {
        Some((before, after)) => format!("{before}{}", after.find('/').map_or("", |at| &after[at..])),
        None => text,
    }
}

fn is_moment(text: &str) -> bool {
    text.len() == 25 && text.ends_with("+00:00") && text.as_bytes()[10] == b'T'
        || text
            .rsplit_once(" - ")
            .is_some_and(|(_, day)| day.len() == 10 && day.as_bytes()[2] == b'/')
}

fn differences(at: &str, theirs: &Value, ours: &Value, found: &mut Vec<String>) {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => {
            for (key, their) in theirs {
                match ours.get(key) {
                    Some(our) => differences(&format!("{at}/{key}"), their, our, found),
                    None => found.push(format!("{at}/{key} is missing: {:.200}", their.to_string())),
                }
            }
            for (key, our) in ours.iter().filter(|(key, _)| !theirs.contains_key(*key)) {
                found.push(format!("{at}/{key} is new: {:.200}", our.to_string()));
            }
        }
        (Value::Array(theirs), Value::Array(ours)) => {
            if theirs.len() != ours.len() {
                found.push(format!(
                    "{at} has {} items instead of {}: {:.400}",
                    ours.len(),
                    theirs.len(),
                    Value::from(ours.clone()).to_string()
                ));
                return;
            }
            for (index, (their, our)) in theirs.iter().zip(ours).enumerate() {
                differences(&format!("{at}/{index}"), their, our, found);
            }
        }
        (theirs, ours) if theirs != ours => found.push(format!("{at}: {ours:.200} instead of {theirs:.200}")),
        _ => {}
    }
}
