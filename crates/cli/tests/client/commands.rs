//! Each command does what it says, and says what it did not.

use crate::support::Place;

fn with_contracts() -> Place {
    let place = Place::new();
    place.contract("web", "orders", &["/a"]);
    place.contract("web", "users", &["/u"]);
    place
}

#[test]
fn publishing() {
    let place = with_contracts();
    place.check(
        "publish contracts --consumer-app-version 1 --branch main --tag a,b --dry-run",
        0,
        "orders: would be published (contracts/web-orders.json)",
    );
    place.check("describe-pacticipant --name web", 1, "pacticipant \"web\" not found");
    let ran = place.check(
        "publish contracts -a 1 --branch main --tag a,b --build-url http://ci/1",
        0,
        "web 1 on main tagged a, b",
    );
    assert!(ran.out.contains("users: published"), "{ran:?}");
    place.check("publish contracts -a 1", 0, "orders: published");
    place.check("publish contracts -a 1 --dry-run", 0, "orders: is published already");
    let ran = place.check("describe-version -a web -e 1", 0, "buildUrl     http://ci/1");
    assert!(
        ran.out.contains("tags         a, b") && ran.out.contains("branches     main"),
        "{ran:?}"
    );
    place.contract("web", "orders", &["/b"]);
    let ran = place.check(
        "publish contracts/web-orders.json -a 1",
        1,
        "error: version 1 of web is already published with different content. Publish a new version",
    );
    assert!(
        ran.err.contains("-        \"path\": \"/a\"") && ran.err.contains("+        \"path\": \"/b\""),
        "{ran:?}"
    );
    place.check(
        "publish contracts -a 1 --dry-run",
        1,
        "orders: differs from what is published",
    );
    place.check("publish contracts/web-orders.json -a 1 --merge", 0, "orders: published");
    place.check("publish contracts/*-orders.json -a 2", 0, "orders: published");
}

#[test]
fn versions_that_are_found() {
    let place = with_contracts();
    let ci = [
        ("GITHUB_SHA", "abc"),
        ("GITHUB_REF", "refs/heads/feat/x"),
        ("GITHUB_SERVER_URL", "https://g"),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_RUN_ID", "7"),
    ];
    let ran = place.run_with("publish contracts -r -g", &ci);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("web abc on feat/x tagged feat/x\n"), "{ran:?}");
    assert!(
        ran.err
            .contains("version: abc (GITHUB_SHA)\nbranch: feat/x (GITHUB_REF)"),
        "{ran:?}"
    );
    assert!(ran.err.contains("build: https://g/o/r/actions/runs/7"), "{ran:?}");
    let ran = place.run_with("publish contracts -r -a 7 --branch main", &ci);
    assert!(ran.out.starts_with("web 7 on main\n"), "{ran:?}");
    let ran = place.run_with("create-version-tag -a web -e 7 -g", &ci);
    assert_eq!(ran.out, "web 7 is tagged feat/x\n");
}

#[test]
fn verdicts() {
    let place = with_contracts();
    place.check("publish contracts -a 1 --branch main", 0, "published");
    place.check("create-environment --name prod --production", 0, "production   yes");
    place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --explain",
        1,
        "no version of orders is in prod; the team of orders must act: npx contract-broker record-deployment",
    );
    for provider in ["orders", "users"] {
        place.check(
            &format!("create-or-update-version -a {provider} -e 7 --branch main"),
            0,
            "number       7",
        );
        place.check(
            &format!("record-deployment -a {provider} -e 7 --environment prod"),
            0,
            "deployed to prod",
        );
    }
    let ran = place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --explain --retry-while-unknown 2 --retry-interval 0 -o ndjson",
        1,
        "orders 7 has no result for the contract of web 1, published",
    );
    assert!(ran.out.contains("\"asked\":3"), "{ran:?}");
    assert!(
        ran.out.contains("npx contract verify --broker-url") && ran.out.contains("--port 8080"),
        "{ran:?}"
    );
    assert!(ran.out.contains("--provider-version 7"), "{ran:?}");
    // What is waited for is told on standard error.
    let waiting = "? web 1: unknown, 2 of 2 results are missing. Waiting for a result, 2 attempts left …\n";
    assert!(
        ran.err.starts_with(waiting) && ran.err.contains("1 attempt left"),
        "{ran:?}"
    );
    place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --exit-code-detail",
        3,
        "? web 1: unknown whether it can be deployed to prod, 2 of 2 results are missing\n",
    );
    place.check("can-i-deploy -a web -e 1 --to-environment prod --dry-run", 0, "dry run");
    let dry = [("PACT_BROKER_CAN_I_DEPLOY_DRY_RUN", "true")];
    assert_eq!(
        place
            .run_with("can-i-deploy -a web -e 1 --to-environment prod", &dry)
            .code,
        0
    );
    place.verified("web", "1", "orders", "7", true);
    place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --ignore users",
        0,
        "✓ web 1 can be deployed to prod",
    );
    let ignored = [("CONTRACT_BROKER_CAN_I_DEPLOY_IGNORE", "users, nobody")];
    assert_eq!(
        place
            .run_with("can-i-deploy -a web -e 1 --to-environment prod", &ignored)
            .code,
        0
    );
    place.verified("web", "1", "users", "7", false);
    place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --explain",
        1,
        "users 7 does not satisfy the contract of web 1, verified",
    );
    place.check(
        "can-i-deploy -a web -e 1 --to-environment prod --exit-code-detail",
        1,
        "✗ web 1 cannot be deployed to prod\n",
    );
    place.verified("web", "1", "users", "7", true);
    let ran = place.check(
        "can-i-deploy -a web -e 1 --to-environment prod",
        0,
        "✓ web 1 can be deployed to prod (2 contracts verified)\n",
    );
    assert!(
        ran.out.contains("web       1           orders    7           yes"),
        "{ran:?}"
    );
    place.check(
        "can-i-deploy -a web --main-branch --to-environment prod",
        0,
        "✓ web (main branch) can be deployed to prod",
    );
}

#[test]
fn questions() {
    let place = with_contracts();
    place.check("publish contracts/web-orders.json -a 1 --branch main", 0, "published");
    place.check("create-or-update-version -a orders -e 7 --branch main", 0, "number");
    place.verified("web", "1", "orders", "7", true);
    place.check(
        "can-i-deploy -a web -e 1 -a orders --branch main",
        0,
        "✓ web 1 and orders main can be deployed together (1 contract verified)",
    );
    place.check(
        "can-i-deploy -a web --branch main -a orders --latest",
        0,
        "✓ web main and orders (latest)",
    );
    place.check("can-i-deploy -a orders -e 7 -a web -l", 0, "✓");
    place.check(
        "can-i-merge -a web -e 1",
        0,
        "✓ web 1 can be merged (1 contract verified)",
    );
    place.check("create-version-tag -a orders -e 7 -t live", 0, "tagged live");
    place.check(
        "can-i-deploy -a web -e 1 --to live",
        0,
        "✓ web 1 can be deployed with the latest versions tagged live",
    );
    place.check("create-environment --name prod", 0, "prod");
    place.check(
        "can-i-deploy -a web -e 9 --to-environment prod",
        1,
        "✗ web 9 cannot be deployed to prod",
    );
    place.check(
        "can-i-deploy -a web -e 1 --to-environment nowhere",
        1,
        "error: the broker did not answer the query: Environment \"nowhere\" does not exist. Check the names",
    );
    place.check(
        "can-i-deploy -a nobody -e 1 --to-environment prod",
        1,
        "the broker did not answer the query: Pacticipant \"nobody\" does not exist. Check the names",
    );
    place.check(
        "can-i-deploy -e 1 -a web",
        2,
        "--version says nothing without a --pacticipant NAME before it",
    );
    place.check("can-i-deploy", 2, "at least one pacticipant");
    place.check(
        "can-i-deploy -a web -e 1 --branch main",
        2,
        "more than one of version, latest, tag, branch and main branch",
    );
}

#[test]
fn a_result_that_comes_late_is_waited_for() {
    let place = with_contracts();
    place.check("publish contracts/web-orders.json -a 1 --branch main", 0, "published");
    place.check("create-or-update-version -a orders -e 7 --branch main", 0, "number");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| place.run("can-i-deploy -a web -e 1 -a orders -e 7 --wait 10m --retry-interval 0"));
        place.verified("web", "1", "orders", "7", true);
        let ran = asking.join().expect("no panic");
        assert_eq!(ran.code, 0, "{ran:?}");
    });
}

#[test]
fn deployments_and_releases() {
    let place = Place::new();
    place.check("create-environment --name prod", 0, "name         prod");
    place.check("create-or-update-version -a web -e 1 -t t", 0, "tags         t");
    place.check(
        "record-deployment -a web -e 1 --environment prod",
        0,
        "web 1 is recorded as deployed to prod\n",
    );
    place.check(
        "record-deployment -a web -e 1 --environment prod --application-instance blue",
        0,
        "deployed to prod (instance blue)",
    );
    place.check(
        "record-deployment -a web -e 2 --environment prod",
        1,
        "version \"2\" of \"web\" not found",
    );
    place.check(
        "record-deployment -a nobody -e 2 --environment prod",
        1,
        "pacticipant \"nobody\" not found",
    );
    place.check(
        "record-deployment -a web -e 1 --environment nowhere",
        1,
        "environment \"nowhere\" not found. Known environments: prod",
    );
    place.check("describe-version -a web --environment prod --deployed -o id", 0, "1\n");
    place.check(
        "record-undeployment -a web --environment prod --application-instance green",
        1,
        "et --application-instance to one of: ",
    );
    place.check(
        "record-undeployment -a web --environment prod --target blue",
        0,
        "no longer deployed to prod (instance blue)",
    );
    place.check(
        "record-undeployment -a web --environment prod",
        0,
        "web 1 is recorded as no longer deployed to prod",
    );
    place.check(
        "record-undeployment -a web --environment prod",
        1,
        "No version is deployed",
    );
    place.check("record-undeployment -a nobody --environment prod", 1, " not found");
    place.check("record-undeployment -a web --environment nowhere", 1, " not found");
    place.check("record-release -a web -e 1 --environment prod", 0, "released to prod");
    place.check("record-release -a web -e 2 --environment prod", 1, " not found");
    place.check("record-support-ended -a web -e 2 --environment prod", 1, " not found");
    place.check(
        "record-support-ended -a web -e 1 --environment prod",
        0,
        "no longer supported in prod",
    );
    place.check(
        "record-support-ended -a web -e 1 --environment prod",
        1,
        "no version is supported",
    );
    place.check(
        "describe-version -a web --environment prod",
        1,
        "no version of web is in prod",
    );
}

#[test]
fn environments() {
    let place = Place::new();
    place.check("list-environments", 0, "There is no environment.");
    place.check(
        "create-environment --name prod --display-name The_shop --production --contact-name me --contact-email-address a@b",
        0,
        "displayName  The shop",
    );
    place.check("create-environment --name prod", 1, "status 400");
    place.check("create-environment --name a_b", 2, "must not hold spaces");
    let uuid = place.uuid_of("prod");
    place.check(&format!("describe-environment --uuid {uuid}"), 0, "contacts     me");
    place.check(
        &format!("update-environment --uuid {uuid} --no-production"),
        0,
        "displayName  The shop",
    );
    place.check(&format!("describe-environment --uuid {uuid}"), 0, "production   no");
    place.check(
        "update-environment --name prod --display-name Shop",
        0,
        "displayName  Shop",
    );
    place.check("list-environments", 0, "prod  Shop          no");
    place.check(
        "update-environment --uuid none --name x",
        1,
        "environment with UUID \"none\" not found",
    );
    place.check("update-environment", 2, "--uuid");
    place.check(&format!("delete-environment --uuid {uuid}"), 0, "is gone");
    place.check(
        &format!("delete-environment --uuid {uuid}"),
        1,
        "List the environments with list-environments",
    );
    place.check(&format!("describe-environment --uuid {uuid}"), 1, " not found");
}

#[test]
fn pacticipants_versions_and_branches() {
    let place = Place::new();
    place.check("list-pacticipants", 0, "There is no pacticipant.");
    place.check(
        "create-or-update-pacticipant --name web --main-branch trunk --repository-url http://r",
        0,
        "web is made.",
    );
    place.check(
        "create-or-update-pacticipant --name web --display-name Web",
        0,
        "web is changed.",
    );
    let ran = place.check("describe-pacticipant --name web", 0, "displayName    Web");
    assert!(
        ran.out.contains("mainBranch     trunk"),
        "what was not given stays: {ran:?}"
    );
    place.check(
        "describe-pacticipant --name nobody",
        1,
        "pacticipant \"nobody\" not found",
    );
    place.check("list-pacticipants", 0, "web   Web           trunk        http://r");
    place.check("create-or-update-version -a web -e 1", 0, "number       1");
    place.check(
        "create-or-update-version -a web -e 2 --branch feat/x -t t,u",
        0,
        "tags         t, u",
    );
    place.check("describe-version -a web", 0, "number       2");
    place.check("describe-version -a web -l t -o id", 0, "2\n");
    place.check("describe-version -a web -l none", 1, "with tag \"none\" not found");
    place.check("describe-version -a web -e 9", 1, " not found");
    place.check("create-version-tag -a web -e 9 -t t", 1, "--auto-create-version");
    place.check(
        "create-version-tag -a web -e 9 -t t --auto-create-version",
        0,
        "web 9 is tagged t",
    );
    place.check("create-version-tag -a web -e 9", 2, "--tag");
    place.check("delete-version-tag -a web -e 9 -t t", 0, "web 9 has no tag t any more.");
    place.check(
        "delete-version-tag -a web -e 9 -t t",
        1,
        "version 9 of web has no tag \"t\"",
    );
    place.check("list-branches -a web", 0, "feat/x");
    place.check("list-branches -a nobody", 1, " not found");
    place.check(
        "delete-branch -a web --branch feat/x",
        0,
        "The branch feat/x of web is gone.",
    );
    place.check(
        "delete-branch -a web --branch feat/x",
        1,
        "branch \"feat/x\" of \"web\" not found",
    );
    place.check(
        "delete-branch -a web --branch feat/x --error-when-not-found=false",
        0,
        "There was no branch",
    );
    place.check("delete-pacticipant --name web", 0, "web is gone.");
    place.check("delete-pacticipant --name web", 1, "pacticipant \"web\" not found");
}

#[test]
fn contracts_of_the_broker() {
    let place = with_contracts();
    place.check("list-latest-pact-versions", 0, "There is no contract.");
    place.check("publish contracts -a 1 --branch main", 0, "published");
    place.check("list-latest-pact-versions", 0, "web       1        orders");
    place.check(
        "get-pacts --provider orders --latest",
        0,
        "/pacts/provider/orders/consumer/web/",
    );
    place.check(
        "get-pacts --provider orders --consumer nobody --latest",
        0,
        "There is no contract.",
    );
    place.check("get-pacts --provider nobody", 1, "error: GET ");
    place.check(
        "get-pacts --provider orders --branch main --latest --download --download-dir out",
        0,
        "out/web-orders-1.json",
    );
    let read = |path: &str| std::fs::read_to_string(place.directory.path().join(path)).expect("a file");
    let downloaded = read("out/web-orders-1.json");
    assert!(
        downloaded.contains("a request for /a") && !downloaded.contains("_links"),
        "{downloaded}"
    );
    // What was downloaded is what was published.
    place.check("publish out -a 1", 0, "orders: published");
    place.check("provider-states list --provider orders", 0, "there is /a");
    place.check(
        "provider-states list --provider orders --branch main --json",
        0,
        "\"providerStates\"",
    );
    place.check(
        "provider-states list --provider orders --environment nowhere",
        1,
        " not found",
    );
}

#[test]
fn tools() {
    let place = Place::new();
    let uuid = place.check("generate-uuid", 0, "-4").out;
    assert_eq!(uuid.trim().len(), 36);
    assert_ne!(uuid, place.run("generate-uuid").out);
    for shell in ["bash", "zsh", "fish"] {
        place.check(&format!("completions {shell}"), 0, "can-i-deploy");
    }
    let ran = place.check(
        "doctor",
        0,
        "write        ok: these credentials can publish contracts and record deployments",
    );
    assert!(ran.out.contains("credentials  no credentials"), "{ran:?}");
    let words = place.check("publish --help", 0, "Exit codes, the same in every form of output:");
    assert!(words.out.contains("--auto-detect-version-properties"));
}

#[test]
fn hashes_are_shortened_in_verdicts_and_explanations_alike() {
    let place = with_contracts();
    let (web, orders) = ("a1".repeat(20), "b2".repeat(20));
    place.contract("web", "orders", &["/a"]);
    place.check(
        &format!("publish contracts/web-orders.json -a {web} --branch main"),
        0,
        "web a1a1a1a… on main",
    );
    place.check(
        &format!("create-or-update-version -a orders -e {orders} --branch main"),
        0,
        &orders,
    );
    place.verified("web", &web, "orders", &orders, false);
    let ran = place.check(
        &format!("can-i-deploy -a web -e {web} -a orders -e {orders} --explain"),
        1,
        "orders b2b2b2b… does not satisfy the contract of web a1a1a1a…",
    );
    assert!(
        ran.out
            .contains("✗ web a1a1a1a… and orders b2b2b2b… cannot be deployed together"),
        "{ran:?}"
    );
    let junit = place.run(&format!("can-i-deploy -a web -e {web} -a orders -e {orders} -o junit"));
    assert!(junit.out.contains("web a1a1a1a… → orders b2b2b2b…"), "{junit:?}");
}

#[test]
fn a_failure_on_the_main_branch_of_the_provider_is_named_and_the_command_runs_as_printed() {
    let place = Place::new();
    place.contract("a shop's web", "orders", &["/a"]);
    let mut publish = crate::support::words("publish contracts -a 1 --branch feat/x");
    publish.push("-b".to_owned());
    publish.push(place.url.clone());
    let arguments: Vec<&str> = publish.iter().map(String::as_str).collect();
    assert_eq!(crate::support::run_in(place.directory.path(), &arguments, &[]).code, 0);
    place.check(
        "create-or-update-pacticipant --name orders --main-branch main",
        0,
        "orders",
    );
    place.check("create-or-update-version -a orders -e 6 --branch main", 0, "6");
    place.check("create-or-update-version -a orders -e 5 --branch old", 0, "5");
    place.check("create-environment --name prod --production", 0, "prod");
    place.check("record-deployment -a orders -e 5 --environment prod", 0, "deployed");
    place.verified("a%20shop's%20web", "1", "orders", "6", false);
    let ran = place.check(
        "can-i-deploy -a a_shop's_web -e 1 --to-environment prod --explain",
        1,
        "and the verification on the main branch of orders (6) failed: http://",
    );
    let selector = r#"--consumer-version-selectors '{"consumer":"a shop'\''s web","branch":"feat/x"}'"#;
    let command = format!(
        "npx contract verify --broker-url {} --provider-name orders --port 8080 {selector}",
        place.url
    );
    assert!(ran.out.contains(&command), "{command} is missing in {}", ran.out);
}

#[test]
fn a_conflict_is_told_in_the_options_of_the_command_line() {
    let place = with_contracts();
    place.check("publish contracts -a 1", 0, "published");
    place.contract("web", "orders", &["/b"]);
    let ran = place.check("publish contracts -a 1", 1, "or add it to the other with --merge");
    assert!(!ran.err.contains("onConflict"), "{ran:?}");
    assert!(
        ran.err.contains("+        \"path\": \"/b\""),
        "the difference is shown: {ran:?}"
    );
}

#[test]
fn reasons_are_one_sentence_each() {
    let place = Place::new();
    place.check("create-environment --name staging --no-production", 0, "staging");
    let ran = place.check(
        "create-environment --name staging --no-production",
        1,
        "An environment named \"staging\" already exists",
    );
    assert!(!ran.err.contains("name There") && !ran.err.contains(".;"), "{ran:?}");
}
