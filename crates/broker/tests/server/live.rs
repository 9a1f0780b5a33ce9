//! Requests that wait until a verdict changes.

use std::time::{Duration, Instant};

use crate::support::{self, Running};
use contract_broker::{Database, HttpLimits, Options};
use serde_json::{Value, json};

const QUESTION: &str = "/matrix?q[][pacticipant]=web&q[][version]=1&latestby=cvp&latest=true";

/// Starts a broker with an unverified contract. `waiting` is the maximum number of waiting requests.
fn start(waiting: usize) -> Running {
    let defaults = support::options(Database::Memory);
    let broker = support::start_as(Options {
        http: HttpLimits {
            waiting,
            ..HttpLimits::default()
        },
        ..defaults
    });
    for provider in ["users", "orders"] {
        let path = format!("/pacts/provider/{provider}/consumer/web/version/1");
        let content = json!({ "interactions": [{ "description": provider }] });
        assert_eq!(broker.json("PUT", &path, &content).status, 201);
    }
    broker
}

fn verify(broker: &Running, provider: &str) {
    let path = format!("/pacts/provider/{provider}/consumer/web/version/1");
    let pact = broker.get(&path).json();
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .expect("a link");
    let result = json!({ "success": true, "providerApplicationVersion": "1" });
    let answer = broker.json("POST", &url.replace(&broker.base(), ""), &result);
    assert_eq!(answer.status, 201, "{answer:?}");
}

fn unknown(verdict: &Value) -> &Value {
    &verdict["summary"]["unknown"]
}

#[test]
fn a_verdict_is_returned_when_it_changes() {
    let broker = start(8);
    for (provider, left) in [("users", 1), ("orders", 0)] {
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| {
                let begun = Instant::now();
                (broker.get(&format!("{QUESTION}&wait=50")), begun.elapsed())
            });
            // Writes that do not concern the verdict do not end the request.
            std::thread::sleep(Duration::from_millis(300));
            assert_eq!(broker.json("PUT", "/pacticipants/other", &json!({})).status, 201);
            std::thread::sleep(Duration::from_millis(300));
            assert!(!waiting.is_finished());
            verify(&broker, provider);
            let (answer, took) = waiting.join().expect("an answer");
            assert_eq!(unknown(&answer.json()), left, "{answer:?}");
            assert_eq!(answer.header("preference-applied"), Some("wait=50"));
            assert!(took < Duration::from_secs(20), "{took:?}");
            assert_eq!(broker.json("DELETE", "/pacticipants/other", &json!({})).status, 204);
        });
    }
    // No results are missing, so the request does not wait.
    let answer = broker.get(&format!("{QUESTION}&wait=50"));
    assert_eq!(answer.json()["summary"]["deployable"], true);
}

#[test]
fn the_time_to_wait_is_limited() {
    let broker = start(8);
    let begun = Instant::now();
    let answer = broker.get(&format!("{QUESTION}&wait=1"));
    assert_eq!(unknown(&answer.json()), 2);
    assert!(begun.elapsed() >= Duration::from_secs(1));
    let answer = broker.get(&format!("{QUESTION}&wait=0"));
    assert_eq!(answer.header("preference-applied"), Some("wait=0"));
    for wrong in ["51", "-1", "1.5", "soon"] {
        let answer = broker.get(&format!("{QUESTION}&wait={wrong}"));
        assert_eq!(answer.status, 400, "{wrong}");
        let text = answer.json()["errors"][0].as_str().expect("a text").to_owned();
        assert_eq!(text, "wait must be a whole number of seconds from 0 to 50.");
    }
    assert_eq!(broker.get(QUESTION).header("preference-applied"), None);
}

#[test]
fn further_requests_are_answered_at_once() {
    let broker = start(1);
    std::thread::scope(|scope| {
        let first = scope.spawn(|| broker.get(&format!("{QUESTION}&wait=50")));
        std::thread::sleep(Duration::from_millis(500));
        let at_once = broker.get(&format!("{QUESTION}&wait=50"));
        assert_eq!(at_once.header("preference-applied"), None);
        assert_eq!(unknown(&at_once.json()), 2);
        verify(&broker, "users");
        assert_eq!(unknown(&first.join().expect("an answer").json()), 1);
    });
    // The earlier request has finished, so another one can wait.
    assert_eq!(
        broker.get(&format!("{QUESTION}&wait=1")).header("preference-applied"),
        Some("wait=1")
    );
}

#[test]
fn waiting_requests_are_answered_when_the_broker_stops() {
    let broker = start(8);
    let (address, begun) = (broker.address, Instant::now());
    let waiting = std::thread::spawn(move || support::send(address, "GET", &format!("{QUESTION}&wait=50"), &[], None));
    std::thread::sleep(Duration::from_millis(500));
    broker.stop();
    let answer = waiting.join().expect("an answer");
    assert_eq!((answer.status, unknown(&answer.json()).as_u64()), (200, Some(2)));
    assert!(begun.elapsed() < Duration::from_secs(20));
}
