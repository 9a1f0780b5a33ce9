//! Tests commands against recorded Pact Broker responses.

use crate::support::{recorded, run_in, split_arguments};

#[tokio::test(flavor = "multi_thread")]
async fn understands_the_pact_broker() {
    let Some(stub) = recorded::start().await else {
        return;
    };
    let directory = tempfile::tempdir().expect("a directory");
    let uuid = "1e8c13ff-b112-469c-8305-54eb53b2a5b5";
    for (line, code, text) in [
        ("list-pacticipants", 0, "Foo"),
        ("describe-pacticipant --name Foo", 0, "mainBranch   main"),
        ("describe-pacticipant --name Nope", 1, "pacticipant \"Nope\" not found"),
        ("describe-version -a Foo -e 1", 0, "tags         dev, t2"),
        ("describe-version -a Foo", 0, "number"),
        ("describe-version -a Foo -l dev", 0, "pacticipant  Foo"),
        ("list-latest-pact-versions", 0, "Foo       4        Bar"),
        ("get-pacts --provider Bar --latest", 0, "Foo"),
        ("provider-states list --provider Bar", 0, "No provider states found."),
        ("list-branches -a Foo", 0, "main"),
        (
            "can-i-deploy -a Foo -e 3 --to-environment prod",
            1,
            "Foo       3           Bar       10          no",
        ),
        ("can-i-deploy -a Foo -e 3 -a Bar -e 11", 0, "can be deployed together"),
        ("can-i-deploy -a Foo -e 4 -a Bar -e 11", 1, "Unknown whether"),
        (
            "can-i-deploy -a Foo -e 4 -a Bar -e 11 -o json",
            1,
            "\"deployable\": null",
        ),
        (
            "can-i-deploy -a Foo -e 4 -a Bar -e 11 --exit-code-detail -o json",
            3,
            "\"deployable\": null",
        ),
        ("can-i-deploy -a Foo -e 3 --to prod", 1, "with tag prod (10) failed"),
        ("can-i-merge -a Foo -e 3", 1, "from branch main (10) failed"),
        ("list-environments", 0, "No environments found."),
        (&format!("describe-environment --uuid {uuid}"), 0, "displayName  Test 2"),
        (
            "describe-environment --uuid nope",
            1,
            "environment with UUID \"nope\" not found",
        ),
        (
            "list-webhooks",
            0,
            "KqBaxzKTtMu0hS2gtJkF8w  x               A webhook for all pacts with consumer Foo",
        ),
        (
            "create-webhook https://localhost:1/x --contract-content-changed --description x --consumer Foo -d {} --user u:p",
            0,
            "uuid",
        ),
        (
            "delete-branch -a Foo --branch feat/x",
            0,
            "Deleted branch feat/x of Foo.",
        ),
        (&format!("delete-environment --uuid {uuid}"), 0, "Deleted environment"),
        ("delete-pacticipant --name New", 0, "Deleted New."),
        ("doctor", 0, "write        ok"),
    ] {
        let words = split_arguments(line);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let ran = run_in(directory.path(), &arguments, &[("PACT_BROKER_BASE_URL", &stub.url)]);
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        assert!(
            format!("{}{}", ran.out, ran.err).contains(text),
            "{line}: {text:?} is missing in {ran:?}"
        );
    }
}
