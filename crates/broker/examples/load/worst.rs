//! Measures worst cases, with far more rows of one kind than usual. Each case is created through the API and measured
//! without other load, except for the last one, in which versions are deleted while other clients publish.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value, json};

use crate::client::Client;
use crate::world;

const RESULTS: usize = 15_000;
const CONSUMERS: usize = 500;
const BRANCHES: usize = 10_000;
const VERSIONS: usize = 5_000;
const DELETED: usize = 100_000;
const PUBLISHERS: usize = 64;
/// Number of requests that are measured for each case.
const TIMES: usize = 100;
/// Number of clients that create the data at the same time.
const MAKERS: usize = 16;
/// Number of versions that are deleted of each application.
const OF_EACH: usize = 1_000;

/// Measures all cases on an empty broker.
pub(crate) fn measure(address: SocketAddr) -> Value {
    let mut cases = Map::new();
    let mut add = |name: String, value: Value| {
        eprintln!("{name}: {value}");
        cases.insert(name, value);
    };
    let mut client = Client::new(address);
    let environment = json!({ "name": "prod", "production": true }).to_string();
    let environment = expect(&client.send("POST", "/environments", &environment), 201);
    let environment = environment["uuid"].as_str().unwrap_or_default().to_owned();
    for (name, value) in results(address, &environment) {
        add(format!("{RESULTS} results of one contract: {name}"), value);
    }
    for (name, value) in consumers(address, &environment) {
        add(format!("{CONSUMERS} contracts of one provider: {name}"), value);
    }
    for (name, value) in branches(address) {
        add(format!("{BRANCHES} branches of one application: {name}"), value);
    }
    for (name, value) in versions(address) {
        add(format!("a pair with {VERSIONS} versions: {name}"), value);
    }
    add(format!("{PUBLISHERS} publishers of one version"), publishers(address));
    for (name, value) in deletion(address) {
        add(format!("{DELETED} versions deleted, one by one: {name}"), value);
    }
    Value::Object(cases)
}

type Cases = Vec<(&'static str, Value)>;

/// Calls `work` for each number, distributed over several clients.
fn each(address: SocketAddr, count: usize, work: impl Fn(&mut Client, usize) + Sync) {
    let next = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for _ in 0..MAKERS {
            scope.spawn(|| {
                let mut client = Client::new(address);
                loop {
                    let number = next.fetch_add(1, Ordering::Relaxed);
                    if number >= count {
                        return;
                    }
                    work(&mut client, number);
                }
            });
        }
    });
}

fn measured(address: SocketAddr, work: impl Fn(&mut Client, usize)) -> Value {
    let mut client = Client::new(address);
    let mut times: Vec<u64> = (0..TIMES)
        .map(|at| {
            let sent = Instant::now();
            work(&mut client, at);
            micros(sent.elapsed())
        })
        .collect();
    times.sort_unstable();
    crate::summary(&times)
}

fn micros(took: Duration) -> u64 {
    u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
}

fn publication(consumer: &str, version: &str, branch: &str, provider: &str, content: usize) -> String {
    let contract = json!({
        "consumer": { "name": consumer }, "provider": { "name": provider },
        "interactions": [{ "description": "a request", "request": { "method": "GET", "path": format!("/{content}") }, "response": { "status": 200 } }],
        "metadata": { "pactSpecification": { "version": "3.0.0" } },
    });
    json!({
        "pacticipantName": consumer, "pacticipantVersionNumber": version, "branch": branch,
        "contracts": [{
            "consumerName": consumer, "providerName": provider, "specification": "pact", "contentType": "application/json",
            "content": STANDARD.encode(contract.to_string()),
        }],
    })
    .to_string()
}

fn publish(client: &mut Client, body: &str) {
    expect(&client.send("POST", "/contracts/publish", body), 200);
}

fn deploy(client: &mut Client, name: &str, version: &str, environment: &str) {
    let path = format!("/pacticipants/{name}/versions/{version}/deployed-versions/environment/{environment}");
    expect(&client.send("POST", &path, "{}"), 201);
}

fn verdict(client: &mut Client, name: &str, version: &str) {
    let path = format!("/can-i-deploy?pacticipant={name}&version={version}&environment=prod");
    let answer = expect(&client.get(&path), 200);
    if answer["summary"]["deployable"] != true {
        crate::fail(&format!("{path}: {}", answer["summary"]));
    }
}

fn for_verification(client: &mut Client, provider: &str) {
    let selection = json!({
        "consumerVersionSelectors": [{ "mainBranch": true }, { "deployedOrReleased": true }],
        "providerVersionBranch": "main",
        "includePendingStatus": true,
        "includeWipPactsSince": "2020-01-01",
    });
    let path = format!("/pacts/provider/{provider}/for-verification");
    expect(&client.send("POST", &path, &selection.to_string()), 200);
}

fn results(address: SocketAddr, environment: &str) -> Cases {
    let (consumer, provider) = ("results-consumer", "results-provider");
    let mut client = Client::new(address);
    publish(&mut client, &publication(consumer, "1", "main", provider, 0));
    let url = results_url(&mut client, consumer, provider, "1");
    let on_main = |client: &mut Client, version: &str| {
        let path = format!("/pacticipants/{provider}/branches/main/versions/{version}");
        client.send("PUT", &path, "{}");
    };
    each(address, RESULTS, |client, number| {
        // One result in ten is from a new version. Frequent builds verify the same version again.
        if number % 10 == 0 {
            on_main(client, &world::version(number));
        }
        let body = world::result(number - number % 10, true);
        expect(&client.send("POST", &url, &body), 201);
    });
    // The broker has closed the idle connection in the meantime.
    let mut client = Client::new(address);
    deploy(&mut client, consumer, "1", environment);
    deploy(&mut client, provider, &world::version(0), environment);
    vec![
        ("verdict", measured(address, |client, _| verdict(client, consumer, "1"))),
        (
            "for-verification",
            measured(address, |client, _| for_verification(client, provider)),
        ),
        (
            "result",
            measured(address, |client, at| {
                let body = world::result(RESULTS + at, true);
                expect(&client.send("POST", &url, &body), 201);
            }),
        ),
        (
            "matrix",
            measured(address, |client, _| {
                expect(
                    &client.get(&format!("/matrix/provider/{provider}/consumer/{consumer}")),
                    200,
                );
            }),
        ),
    ]
}

fn consumers(address: SocketAddr, environment: &str) -> Cases {
    let provider = "popular";
    let name = |number: usize| format!("consumer-{number:03}-{}", world::version(number));
    let verified = world::version(0);
    each(address, CONSUMERS, |client, number| {
        publish(client, &publication(&name(number), "1", "main", provider, number));
        let url = results_url(client, &name(number), provider, "1");
        expect(&client.send("POST", &url, &world::result(0, true)), 201);
        deploy(client, &name(number), "1", environment);
    });
    deploy(&mut Client::new(address), provider, &verified, environment);
    vec![
        (
            "verdict of the provider",
            measured(address, |client, _| verdict(client, provider, &verified)),
        ),
        (
            "verdict of a consumer",
            measured(address, |client, at| verdict(client, &name(at), "1")),
        ),
        (
            "for-verification",
            measured(address, |client, _| for_verification(client, provider)),
        ),
        (
            "publish",
            measured(address, |client, at| {
                publish(client, &publication(&name(at), "2", "main", provider, at + 1));
            }),
        ),
    ]
}

fn branches(address: SocketAddr) -> Cases {
    let (consumer, provider) = ("branchy", "branchless");
    each(address, BRANCHES, |client, number| {
        let branch = format!("feature/{number}");
        publish(
            client,
            &publication(consumer, &format!("f{number}"), &branch, provider, number / 10),
        );
    });
    vec![
        (
            "publish",
            measured(address, |client, at| {
                publish(client, &publication(consumer, &format!("m{at}"), "main", provider, at));
            }),
        ),
        (
            "for-verification, all of them work in progress",
            measured(address, |client, _| for_verification(client, provider)),
        ),
        (
            "a page of branches",
            measured(address, |client, at| {
                expect(
                    &client.get(&format!("/pacticipants/{consumer}/branches?size=20&page={}", at + 1)),
                    200,
                );
            }),
        ),
    ]
}

fn versions(address: SocketAddr) -> Cases {
    let (consumer, provider) = ("old-consumer", "old-provider");
    let number = |at: usize| format!("{at:05}");
    let body = |at: usize| publication(consumer, &number(at), "main", provider, at);
    each(address, VERSIONS, |client, at| {
        publish(client, &body(at));
        let results = results_url(client, consumer, provider, &number(at));
        expect(&client.send("POST", &results, &world::result(at, true)), 201);
    });
    let pair = format!("/matrix/provider/{provider}/consumer/{consumer}");
    let whole = format!("/matrix?q%5B%5D%5Bpacticipant%5D={consumer}&q%5B%5D%5Bpacticipant%5D={provider}");
    vec![
        (
            "matrix, 100 rows",
            measured(address, |client, _| drop(expect(&client.get(&pair), 200))),
        ),
        (
            "matrix, 1000 rows",
            measured(address, |client, _| {
                drop(expect(&client.get(&format!("{whole}&limit=1000")), 200));
            }),
        ),
        (
            "matrix, latest results",
            measured(address, |client, _| {
                drop(expect(&client.get(&format!("{whole}&latestby=cvpv")), 200));
            }),
        ),
        (
            "publish",
            measured(address, |client, at| publish(client, &body(VERSIONS + at))),
        ),
    ]
}

/// Publishes from several clients at the same time, and measures each request.
fn publishers(address: SocketAddr) -> Value {
    let body = publication("parallel", "1", "main", "parallel-provider", 0);
    let begin = std::sync::Barrier::new(PUBLISHERS);
    let mut times: Vec<u64> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..PUBLISHERS)
            .map(|_| {
                scope.spawn(|| {
                    begin.wait();
                    let sent = Instant::now();
                    publish(&mut Client::new(address), &body);
                    micros(sent.elapsed())
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|thread| thread.join().unwrap_or(u64::MAX))
            .collect()
    });
    times.sort_unstable();
    crate::summary(&times)
}

/// Deletes versions while other clients publish 100 times per second. Durations count from when each request was due.
fn deletion(address: SocketAddr) -> Cases {
    let name = |number: usize| format!("tidy-{}", world::version(number / OF_EACH));
    each(address, DELETED, |client, number| {
        let path = format!(
            "/pacticipants/{}/branches/main/versions/{}",
            name(number),
            number % OF_EACH
        );
        expect(&client.send("PUT", &path, "{}"), 201);
    });
    let is_over = AtomicBool::new(false);
    let begun = Instant::now();
    let (times, took) = std::thread::scope(|scope| {
        let publishing = scope.spawn(|| {
            let mut client = Client::new(address);
            let mut times = Vec::new();
            for at in 0.. {
                let due = begun + Duration::from_millis(10) * at;
                std::thread::sleep(due.saturating_duration_since(Instant::now()));
                let body = publication("busy", &format!("{at}"), "main", "busy-provider", at as usize);
                publish(&mut client, &body);
                times.push(micros(due.elapsed()));
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
            }
            times
        });
        let next = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    let mut client = Client::new(address);
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= DELETED {
                            return;
                        }
                        let path = format!("/pacticipants/{}/versions/{}", name(number), number % OF_EACH);
                        expect(&client.send("DELETE", &path, ""), 204);
                    }
                });
            }
        });
        let took = begun.elapsed();
        is_over.store(true, Ordering::Relaxed);
        (publishing.join().unwrap_or_default(), took)
    });
    let mut times = times;
    times.sort_unstable();
    vec![
        ("publish during deletion", crate::summary(&times)),
        ("seconds", json!(took.as_secs())),
    ]
}

/// Returns the URL for publishing results of a contract.
fn results_url(client: &mut Client, consumer: &str, provider: &str, number: &str) -> String {
    let pact = expect(
        &client.get(&format!(
            "/pacts/provider/{provider}/consumer/{consumer}/version/{number}"
        )),
        200,
    );
    let url = pact["_links"]["pb:publish-verification-results"]["href"]
        .as_str()
        .unwrap_or_default();
    url.splitn(4, '/')
        .nth(3)
        .map(|path| format!("/{path}"))
        .unwrap_or_default()
}

fn expect(answer: &crate::client::Answer, status: u16) -> Value {
    if answer.status != status {
        crate::fail(&format!(
            "{} instead of {status}: {:.500}",
            answer.status,
            String::from_utf8_lossy(&answer.body)
        ));
    }
    answer.json()
}
