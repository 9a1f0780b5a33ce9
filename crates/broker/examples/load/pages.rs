//! Measures the HTML pages: response times, and compressed sizes including style sheet, script, and icon.

use std::time::Instant;

use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::fail;
use crate::mix::Mix;
use crate::world::{ENVIRONMENTS, name, version};

/// Number of measured requests for each page, each about another application.
const REQUESTS: usize = 40;
/// Number of requests for each page before the measurement.
const WARM: usize = 3;
const PARTS: [&str; 3] = ["/assets/style.css", "/assets/app.js", "/assets/favicon.svg"];

/// Returns the response times in milliseconds and the maximum size in bytes of each page, by its name.
pub(crate) fn measure(mix: &Mix<'_>, client: &mut Client) -> Value {
    let parts: usize = PARTS.iter().map(|path| get(client, path).1).sum();
    let mut measured = Map::new();
    for (page, path) in paths(mix) {
        let mut times = Vec::with_capacity(REQUESTS);
        let mut largest = 0;
        for at in 0..WARM + REQUESTS {
            let (micros, size) = get(client, &path(at));
            if at >= WARM {
                times.push(micros);
                largest = largest.max(size);
            }
        }
        times.sort_unstable();
        let mut summary = crate::summary(&times);
        summary["bytes"] = json!(parts + largest);
        measured.insert(page.to_owned(), summary);
    }
    Value::Object(measured)
}

/// Returns the response time in microseconds and the size in bytes.
fn get(client: &mut Client, path: &str) -> (u64, usize) {
    let sent = Instant::now();
    let answer = client.get(path);
    let took = u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX);
    if answer.status != 200 {
        fail(&format!("GET {path}: {}", answer.status));
    }
    (took, answer.body.len())
}

type Path<'a> = Box<dyn Fn(usize) -> String + 'a>;

/// Returns the names of the pages, each with a function that returns the path for a request number.
fn paths<'a>(mix: &'a Mix<'a>) -> Vec<(&'static str, Path<'a>)> {
    let newest = version(mix.world.size.versions_of_each() - 1);
    let pair = |at: usize| {
        let pair = &mix.world.pairs[at * 7 % mix.world.pairs.len()];
        (name(pair.consumer), name(pair.provider))
    };
    let pact = {
        let newest = newest.clone();
        move |at: usize| {
            let (consumer, provider) = pair(at);
            format!("/pacts/provider/{provider}/consumer/{consumer}/version/{newest}")
        }
    };
    let of_application = move |at: usize, part: &str| format!("/pacticipants/{}{part}", pair(at).1);
    let verdict = {
        let newest = newest.clone();
        move |at: usize, environment: &str| {
            let consumer = pair(at).0;
            format!("/can-i-deploy?pacticipant={consumer}&version={newest}&environment={environment}")
        }
    };
    let fixed = |path: &'static str| -> Path<'a> { Box::new(move |_| path.to_owned()) };
    let diff = pact.clone();
    vec![
        ("overview", fixed("/")),
        ("overview, searched", Box::new(move |at| format!("/?q={}", pair(at).1))),
        ("application", Box::new(move |at| of_application(at, ""))),
        ("versions", Box::new(move |at| of_application(at, "/versions"))),
        ("branches", Box::new(move |at| of_application(at, "/branches"))),
        (
            "provider states",
            Box::new(move |at| of_application(at, "/provider-states")),
        ),
        ("activity", Box::new(move |at| of_application(at, "/activity"))),
        (
            "version",
            Box::new(move |at| format!("/pacticipants/{}/versions/{newest}", pair(at).0)),
        ),
        ("contract", Box::new(pact)),
        ("changes", Box::new(move |at| diff(at) + "/diff/previous-distinct")),
        ("can I deploy, form", fixed("/can-i-deploy")),
        (
            "can I deploy",
            Box::new(move |at| verdict(at, ENVIRONMENTS[at % ENVIRONMENTS.len()])),
        ),
        ("environments", fixed("/environments")),
        ("matrix, form", fixed("/matrix")),
        (
            "matrix",
            Box::new(move |at| {
                let (consumer, provider) = pair(at);
                format!("/matrix?q[][pacticipant]={consumer}&q[][pacticipant]={provider}&latestby=cvpv")
            }),
        ),
        ("graph", fixed("/graph")),
        (
            "graph of one",
            Box::new(move |at| format!("/graph?focus={}&show=two", pair(at).1)),
        ),
        ("webhooks", fixed("/webhooks")),
        ("tokens", fixed("/admin/tokens")),
        ("users", fixed("/admin/users")),
        ("audit log", fixed("/admin/audit")),
        ("retention", fixed("/admin/retention")),
        ("deletions", fixed("/deletions")),
        ("first steps", fixed("/first-steps")),
        (
            "badge",
            Box::new(move |at| {
                let (consumer, provider) = pair(at);
                format!("/pacts/provider/{provider}/consumer/{consumer}/latest/badge.svg")
            }),
        ),
    ]
}
