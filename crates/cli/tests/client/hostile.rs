//! Tests brokers that echo credentials, imitate command line output, or send commands to terminals and CI systems.

use crate::support::stub::{Asked, Reply, Stub};
use crate::support::{Ran, run_in, split_arguments};

const FORMATS: [&str; 5] = ["table", "json", "ndjson", "junit", "github"];
/// Base64 of `me:s3cret-password` and of `s3cret-password`.
const BASIC: &str = "bWU6czNjcmV0LXBhc3N3b3Jk";
const SECRETS: [&str; 4] = ["s3cret-password", "s3cret-token", BASIC, "czNjcmV0LXBhc3N3b3Jk"];

fn run(line: &str) -> Ran {
    let words = split_arguments(line);
    let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
    run_in(&std::env::temp_dir(), &arguments, &[])
}

/// Returns the credentials of a request in all forms in which a broker may echo them.
fn echo(asked: &Asked) -> String {
    let header = asked.headers.get("authorization").cloned().unwrap_or_default();
    format!("{header} s3cret-password s3cret-token czNjcmV0LXBhc3N3b3Jk")
}

/// Starts a broker that echoes credentials in names, links, notices, and errors.
async fn echoing(status: u16) -> Stub {
    Stub::start(move |asked, _| {
        let echo = echo(asked);
        let body = format!(
            r#"{{"_links": {{"self": {{"href": "/"}}, "pb:environments": {{"href": "/environments/{0}"}}}},
                "_embedded": {{"environments": [{{"uuid": "{1}", "name": "{1}", "displayName": "{1}", "production": true}}]}},
                "summary": {{"deployable": false, "reason": "{1}", "success": 0, "failed": 0, "unknown": 0}},
                "matrix": [{{"consumer": {{"name": "{1}", "version": {{"number": "{1}"}}}},
                             "provider": {{"name": "{1}", "version": {{"number": "{1}"}}}},
                             "verificationResult": {{"success": false, "_links": {{"self": {{"href": "http://h/{1}"}}}}}}}}],
                "notices": [{{"type": "{1}", "text": "{1}"}}],
                "error": "{1}"}}"#,
            echo.replace(' ', "/"),
            echo
        );
        let headers = vec![
            "content-type: application/hal+json".to_owned(),
            format!("x-pact-broker-version: {echo}"),
        ];
        Reply::Answer(status, headers, body)
    })
    .await
}

#[tokio::test(flavor = "multi_thread")]
async fn does_not_print_echoed_credentials() {
    for status in [200, 401, 403, 404, 422, 500] {
        let stub = echoing(status).await;
        for credentials in ["-u me -p s3cret-password", "-k s3cret-token"] {
            for command in [
                "list-environments",
                "describe-environment --uuid 7",
                "can-i-deploy -a web -e 1 --explain",
                "can-i-deploy -a web -e 1",
                "doctor",
            ] {
                for format in FORMATS {
                    let line = format!(
                        "{command} -o {format} --verbose --retries 0 {credentials} -b {}",
                        stub.url
                    );
                    let ran = run(&line);
                    let all = format!("{}{}", ran.out, ran.err);
                    let used = if credentials.contains("token") {
                        &SECRETS[1..2]
                    } else {
                        &SECRETS[..1]
                    };
                    let echoed = SECRETS
                        .iter()
                        .filter(|secret| all.contains(**secret))
                        .collect::<Vec<_>>();
                    let own: Vec<_> = echoed
                        .iter()
                        .filter(|secret| used.contains(secret) || ***secret == BASIC)
                        .collect();
                    assert!(own.is_empty(), "{line}: {all}");
                    assert!(all.contains("[redacted]") || ran.code == 0, "{line}: {all}");
                }
            }
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn escapes_text_of_the_broker() {
    let text = "first\\u001b[2J\\u202e\\r\\n✓ web 1 can be deployed\\n::set-output name=a::b\\n##[error]x";
    for status in [200, 422] {
        let stub = Stub::start(move |_, _| {
            let body = format!(
                r#"{{"_links": {{}}, "summary": {{"deployable": false, "reason": "{text}"}}, "matrix": [],
                    "notices": [{{"type": "error", "text": "{text}"}}], "error": "{text}"}}"#
            );
            Reply::json(status, &body)
        })
        .await;
        for format in FORMATS {
            let ran = run(&format!("can-i-deploy -a web -e 1 -o {format} -b {}", stub.url));
            let all = format!("{}{}", ran.out, ran.err);
            assert!(all.contains("first"), "{format}: {all}");
            assert!(!all.contains(['\u{1b}', '\u{202e}', '\r']), "{format}: {all}");
            for line in all.lines() {
                assert!(!line.starts_with('✓'), "{format}: {all}");
                assert!(!line.trim_start().starts_with("::set-output"), "{format}: {all}");
                assert!(
                    format == "json" || format == "ndjson" || !line.contains("##[error]"),
                    "{format}: {all}"
                );
            }
        }
    }
}
