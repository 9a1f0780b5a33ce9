//! Fills a broker with generated data and measures its response times:
//! `load EXECUTABLE DATABASE SIZE [SECONDS [pages | RATE] | fill]`. If an earlier run already filled the database with
//! data of this size, it is reused. The size `worst` measures each worst case once, and `clean` measures publications
//! while old versions are deleted. `SECONDS` is the duration of the measurement at a constant rate (default: 20), and
//! `RATE` the number of requests per second (default: 500). `pages` measures only the pages, and `fill` only fills the
//! database.
//!
//! `npm run bench:broker` builds the programs, provides the databases, and prints a table of the results, which this
//! program prints as one line of JSON. CONTRIBUTING.md describes the measurements and the data.
#![allow(clippy::print_stdout, reason = "this is a program")]

#[path = "../../../cli/tests/support/broker_process.rs"]
mod broker_process;
mod clean;
mod client;
mod fill;
mod mix;
mod pages;
mod process;
mod receiver;
mod world;
mod worst;

use std::sync::atomic::AtomicUsize;
use std::time::{Duration, Instant};

use client::Client;
use contract_broker::Database;
use fastrand::Rng;
use mix::{KINDS, Kind, Mix, Pace, percentile};
use process::Process;
use serde_json::{Map, Value, json};
use world::{Size, World};

const SEED: u64 = 12;
const CONNECTIONS: usize = 32;
const PER_SECOND: u64 = 500;
/// Number of sequential requests without other load.
const QUIET: usize = 300;

/// Prints the reason and exits.
pub(crate) fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [executable, database, name, rest @ ..] = arguments.as_slice() else {
        fail("usage: load EXECUTABLE DATABASE XS|S|M|L|clean|worst [SECONDS [pages|RATE]|fill]");
    };
    if name == "worst" {
        let broker = Process::start(executable, database);
        let cases = worst::measure(broker.address);
        println!(
            "{}",
            json!({ "size": name, "worst": cases, "megabytes": broker.resident() })
        );
        return broker.stop();
    }
    let size = Size::parse(name).unwrap_or_else(|| fail("the size must be XS, S, M, L, clean, or worst"));
    let number = |at: usize, default| match rest.get(at).map(String::as_str) {
        None | Some("fill" | "pages") => default,
        Some(text) => text
            .parse()
            .unwrap_or_else(|_| fail("SECONDS and RATE must be numbers")),
    };
    let (seconds, per_second) = (number(0, 20), number(1, PER_SECOND));
    let world = World::new(size, SEED);

    let filling = Instant::now();
    let (filled, is_known) = fill::fill(&parse_database(database), &world);
    let took = filling.elapsed();
    let verb = if is_known { "read" } else { "filled" };
    eprintln!("{verb} {name} in {} s", took.as_secs());
    if rest.first().is_some_and(|text| text == "fill") {
        println!("{}", json!({ "size": name, "filledInSeconds": took.as_secs() }));
        return;
    }

    let broker = Process::start(executable, database);
    receiver::subscribe(
        &mut Client::with_token(broker.address, &filled.token),
        &receiver::start(),
    );
    // The previous measurements have already used these version numbers.
    let published = AtomicUsize::new(filled.versions);
    let mix = Mix {
        world: &world,
        filled: &filled,
        published: &published,
        only: (name == "clean").then_some(Kind::Publish),
    };
    if name == "clean" {
        let measured = clean::measure(&mix, broker.address, executable, database);
        println!("{measured}");
        return broker.stop();
    }
    let pages = pages::measure(&mix, &mut Client::for_pages(broker.address, &filled.token));
    if rest.get(1).is_some_and(|mode| mode == "pages") {
        println!("{}", json!({ "size": name, "pages": pages }));
        return broker.stop();
    }
    let quiet = quiet(&mix, &broker);
    let before = broker.resident();
    let paced = mix.run(
        broker.address,
        CONNECTIONS,
        Pace::PerSecond(per_second),
        Duration::from_secs(seconds),
        1,
    );
    let resident = broker.resident();
    let unpaused = mix.run(
        broker.address,
        CONNECTIONS,
        Pace::Unpaused,
        Duration::from_secs(seconds / 2 + 1),
        2,
    );

    let mut times = Map::new();
    for ((_, name, _), (_, sorted)) in KINDS.iter().zip(&paced.0) {
        times.insert((*name).to_owned(), summary(sorted));
    }
    let rate = unpaused.count() as u64 / (seconds / 2 + 1);
    println!(
        "{}",
        json!({
            "size": name,
            "filledInSeconds": took.as_secs(),
            "listeningInMilliseconds": broker.listening.as_secs_f64() * 1_000.0,
            "quiet": quiet,
            "pages": pages,
            "perSecond": per_second,
            "connections": CONNECTIONS,
            "paced": times,
            "mostPerSecond": rate,
            "residentMegabytes": { "started": before, "loaded": resident, "most": broker.resident() },
        })
    );
    broker.stop();
}

fn parse_database(text: &str) -> Database {
    match text.strip_prefix("sqlite:") {
        Some(path) => Database::Sqlite(path.into()),
        None => Database::Postgres(text.to_owned()),
    }
}

pub(crate) fn summary(sorted: &[u64]) -> Value {
    let round = |value: f64| (value * 100.0).round() / 100.0;
    json!({ "count": sorted.len(), "p50": round(percentile(sorted, 50)), "p99": round(percentile(sorted, 99)), "max": round(percentile(sorted, 100)) })
}

/// Measures each kind of request separately and sequentially.
fn quiet(mix: &Mix<'_>, broker: &Process) -> Value {
    let mut client = Client::with_token(broker.address, &mix.filled.token);
    let mut random = Rng::with_seed(3);
    let mut median_of = |kind: Kind| {
        let mut times: Vec<u64> = (0..QUIET)
            .map(|_| {
                let prepared = mix.prepare(kind, &mut random);
                let sent = Instant::now();
                prepared.send(&mut client);
                u64::try_from(sent.elapsed().as_micros()).unwrap_or(u64::MAX)
            })
            .collect();
        // The first request warms the caches.
        times.drain(..QUIET / 10);
        times.sort_unstable();
        summary(&times)
    };
    let all = KINDS
        .iter()
        .map(|(kind, name, _)| ((*name).to_owned(), median_of(*kind)));
    Value::Object(all.collect())
}
