//! Tests `contract verify` with a broker or a provider that echoes credentials, and with contracts above the limits.

use std::path::Path;
use std::process::Command;

use crate::support::Ran;
use crate::support::stub::{Asked, Reply, Stub};

const PASSWORD: &str = "s3cret-pass/word";
const TOKEN: &str = "s3cret-token";
const HEADER: &str = "s3cret-header";
/// The provider's password, token, and header in every form. The Base64 forms encode `me:` with the password, the
/// password, the token, and the header.
const FORMS: [&str; 9] = [
    PASSWORD,
    "s3cret-pass%2Fword",
    "s3cret-pass%2fword",
    "bWU6czNjcmV0LXBhc3Mvd29yZA==",
    "czNjcmV0LXBhc3Mvd29yZA==",
    TOKEN,
    "czNjcmV0LXRva2Vu",
    HEADER,
    "czNjcmV0LWhlYWRlcg==",
];

fn verify(directory: &Path, line: &str, more: &[&str]) -> Ran {
    let output = Command::new(env!("CARGO_BIN_EXE_contract"))
        .args(line.split(' '))
        .args(more)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("HOME", directory)
        .current_dir(directory)
        .output()
        .expect("the executable starts");
    Ran {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Acts as a broker with one contract and as the provider. All strings of both contain the credentials.
fn echo(asked: &Asked, provider: &str) -> Reply {
    let echo = FORMS.join(" ");
    let base = format!("http://{}", asked.headers["host"]);
    match (
        asked.method.as_str(),
        asked.target.split('/').nth(1).unwrap_or_default(),
    ) {
        ("GET", "") => Reply::json(
            200,
            &format!(r#"{{"_links": {{"pb:provider-pacts-for-verification": {{"href": "{base}/select"}}}}}}"#),
        ),
        ("POST", "select") => Reply::json(
            200,
            &format!(
                r#"{{"_embedded": {{"pacts": [{{
                    "shortDescription": "{echo}",
                    "verificationProperties": {{"notices": [{{"text": "{echo}", "when": "before_verification"}}]}},
                    "_links": {{"self": {{"href": "{base}/pact/{TOKEN}", "name": "{echo}"}}}}
                }}]}}}}"#
            ),
        ),
        ("GET", "pact") => Reply::json(200, &contract(provider, &echo)),
        _ => Reply::Answer(
            200,
            vec![format!("x-echo: {echo}"), "content-type: application/json".to_owned()],
            format!(r#"{{"note": "not {echo}", "n": ["{echo}", 1]}}"#),
        ),
    }
}

fn contract(provider: &str, echo: &str) -> String {
    let interaction = |description: &str, more: &str| {
        format!(
            r#"{{"description": "{description} {echo}", "providerStates": [{{"name": "state {echo}", "params": {{"a": "{echo}"}}}}],
                "request": {{"method": "GET", "path": "/orders/{TOKEN}", "headers": {{"X-Note": "{echo}"}}}},
                "response": {{"status": 201, "headers": {{"X-Echo": "{echo}, not"}}, "body": {{"note": "{echo}", "n": ["{echo}"]}}{more}}}}}"#
        )
    };
    let rule = format!(
        r#", "matchingRules": {{"body": {{"$.note": {{"matchers": [{{"match": "regex", "regex": "x{TOKEN}"}}]}}}}}}"#
    );
    format!(
        r#"{{"consumer": {{"name": "web {echo}"}}, "provider": {{"name": "{provider}"}}, "interactions": [{}, {}, 7],
            "metadata": {{"pactSpecification": {{"version": "3.0.0"}}}}}}"#,
        interaction("one", ""),
        interaction("two", &rule)
    )
}

#[track_caller]
fn check_redacted(ran: &Ran, files: &[String]) {
    for text in [&ran.out, &ran.err].into_iter().chain(files) {
        let echoed: Vec<_> = FORMS.iter().filter(|secret| text.contains(**secret)).collect();
        assert!(echoed.is_empty(), "{echoed:?}: {text}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_contain_no_credentials() {
    let stub = Stub::start(|asked, _| echo(asked, "orders")).await;
    let port = stub.url.rsplit(':').next().expect("a port");
    for level in ["off", "debug"] {
        let directory = tempfile::tempdir().expect("a directory");
        let names = ["r.json", "r.xml", "r.html", "r.md"];
        let line = format!(
            "verify -n orders -b {} --port {port} --user me --password {PASSWORD} -u {}/pact/{TOKEN} --github --verbose \
             --json-file r.json --junit-file r.xml --html-file r.html --markdown-file r.md --log-level {level}",
            stub.url, stub.url
        );
        let header = format!("X-Api-Key: {HEADER}");
        let other = format!("X-Note-Key: Bearer {TOKEN}");
        // The credentials for the provider, which the broker does not receive.
        let token = format!("Authorization: Bearer {TOKEN}");
        let ran = verify(directory.path(), &line, &["-H", &header, "-H", &other, "-H", &token]);
        assert_eq!(ran.code, 1, "{ran:?}");
        let files: Vec<String> = names
            .iter()
            .map(|name| std::fs::read_to_string(directory.path().join(name)).expect("a report"))
            .collect();
        check_redacted(&ran, &files);
        for text in files.iter().chain([&ran.out]) {
            assert!(
                text.contains("one [redacted]") && text.contains("web [redacted]"),
                "{text}"
            );
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_contain_no_credentials() {
    let directory = tempfile::tempdir().expect("a directory");
    for (provider, filter, words) in [
        (FORMS.join(" "), "", "found only contracts for \"s3cret-pass"),
        ("orders".to_owned(), " --filter-description nothing", "for example: "),
        (
            "orders".to_owned(),
            " --filter-consumer nothing",
            "Consumers with contracts: \"web s3cret-pass",
        ),
    ] {
        let stub = Stub::start(move |asked, _| echo(asked, &provider)).await;
        let line = format!("verify -n orders -b {} --port 1 --token {TOKEN}{filter}", stub.url);
        let header = format!("X-Api-Key: {HEADER}");
        let ran = verify(directory.path(), &line, &["-H", &header]);
        assert!(ran.code == 1 && ran.err.contains(words), "{ran:?}");
        for secret in [TOKEN, "czNjcmV0LXRva2Vu", HEADER] {
            assert!(!ran.err.contains(secret) && !ran.out.contains(secret), "{ran:?}");
        }
    }
}

#[test]
fn usage_errors_contain_no_credentials() {
    let directory = tempfile::tempdir().expect("a directory");
    for (line, words) in [
        (
            "-u me:hush@h/c.json",
            "'[redacted]@h/c.json' for '--url <URL>': must start with http://",
        ),
        (
            "-d . --base-path /?token=hush",
            "\"http://localhost/?…\" is not a valid base URL",
        ),
        (
            "-d . --transports me:hush@h",
            "'[redacted]@h' for '--transports <NAME=URL>'",
        ),
        ("-d . -H X-Key: hush", "unexpected argument '[redacted]' found"),
        ("-d . -H hush==", "must be a name and a value"),
    ] {
        let ran = verify(directory.path(), &format!("verify -n orders {line}"), &[]);
        assert!(ran.code == 2 && ran.err.contains(words), "{line}: {ran:?}");
        assert!(!ran.err.contains("hush"), "{line}: {ran:?}");
    }
}

/// A contract of about 1,000 bytes.
fn long_contract(consumer: &str) -> String {
    format!(
        r#"{{"consumer": {{"name": "{consumer}"}}, "provider": {{"name": "orders"}}, "interactions": [],
            "metadata": {{"padding": "{}", "pactSpecification": {{"version": "3.0.0"}}}}}}"#,
        "x".repeat(1000)
    )
}

fn targets(stub: &Stub) -> Vec<String> {
    stub.asked().into_iter().map(|asked| asked.target).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_the_total_size_of_contracts_from_urls() {
    let directory = tempfile::tempdir().expect("a directory");
    for (limit, is_above) in [("10000", false), ("2000", true)] {
        let stub = Stub::start(|asked, _| Reply::json(200, &long_contract(&asked.target[1..]))).await;
        let urls: Vec<String> = ["a", "b", "c", "d"]
            .iter()
            .map(|name| format!("-u {}/{name}", stub.url))
            .collect();
        let line = format!(
            "verify -n orders --port 1 --total-source-limit {limit} {}",
            urls.join(" ")
        );
        let ran = verify(directory.path(), &line, &[]);
        let words = "bytes per verification";
        assert_eq!(ran.err.contains(words), is_above, "{ran:?}");
        assert_eq!(
            ran.err.contains("raise the limit with --total-source-limit"),
            is_above,
            "{ran:?}"
        );
        // Nothing is fetched after the limit is exceeded.
        assert_eq!(targets(&stub).len(), if is_above { 2 } else { 4 }, "{ran:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn limits_the_total_size_of_contracts_from_a_broker() {
    let directory = tempfile::tempdir().expect("a directory");
    for (limit, is_above) in [("100000", false), ("2000", true)] {
        let stub = Stub::start(|asked, _| {
            let base = format!("http://{}", asked.headers["host"]);
            match asked.target.as_str() {
                "/" => Reply::json(
                    200,
                    &format!(r#"{{"_links": {{"pb:provider-pacts-for-verification": {{"href": "{base}/select"}}}}}}"#),
                ),
                "/select" => {
                    let links: Vec<String> = (0..30)
                        .map(|at| format!(r#"{{"_links": {{"self": {{"href": "{base}/c{at}", "name": "c{at}"}}}}}}"#))
                        .collect();
                    Reply::json(200, &format!(r#"{{"_embedded": {{"pacts": [{}]}}}}"#, links.join(", ")))
                }
                target => Reply::json(200, &long_contract(&target[1..])),
            }
        })
        .await;
        let line = format!("verify -n orders --port 1 -b {} --total-source-limit {limit}", stub.url);
        let ran = verify(directory.path(), &line, &[]);
        let words = "bytes per verification";
        assert_eq!(ran.err.contains(words), is_above, "{ran:?}");
        assert_eq!(
            ran.err.contains("raise the limit with --total-source-limit"),
            is_above,
            "{ran:?}"
        );
        // Several contracts are fetched concurrently. No fetch is started after the limit is exceeded.
        let fetched = targets(&stub).iter().filter(|target| target.starts_with("/c")).count();
        assert!(if is_above { fetched < 20 } else { fetched == 30 }, "{fetched}");
    }
}
