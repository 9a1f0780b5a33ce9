//! Tests the results and the output of each command.

use crate::support::Setup;

fn with_contracts() -> Setup {
    let setup = Setup::new();
    setup.contract("web", "orders", &["/a"]);
    setup.contract("web", "users", &["/u"]);
    setup
}

#[test]
fn publishes_contracts() {
    let setup = with_contracts();
    setup.check(
        "publish contracts --version 1 --branch main --tag a,b --dry-run",
        0,
        "orders: would be published (contracts/web-orders.json)",
    );
    setup.check("describe-pacticipant --name web", 1, "pacticipant \"web\" not found");
    let ran = setup.check(
        "publish contracts -a 1 --branch main --tag a,b --build-url http://ci/1",
        0,
        "web 1, branch main, tags a, b",
    );
    assert!(ran.out.contains("users: published"), "{ran:?}");
    setup.check("publish contracts -a 1", 0, "orders: published");
    setup.check("publish contracts -a 1 --dry-run", 0, "orders: already published");
    let ran = setup.check("describe-version -a web -e 1", 0, "buildUrl     http://ci/1");
    assert!(
        ran.out.contains("tags         a, b") && ran.out.contains("branches     main"),
        "{ran:?}"
    );
    setup.contract("web", "orders", &["/b"]);
    let ran = setup.check(
        "publish contracts/web-orders.json -a 1",
        1,
        "error: version 1 of web was already published with different content. Publish a new version",
    );
    assert!(
        ran.err.contains("-        \"path\": \"/a\"") && ran.err.contains("+        \"path\": \"/b\""),
        "{ran:?}"
    );
    setup.check(
        "publish contracts -a 1 --dry-run",
        1,
        "orders: conflicts with the published contract",
    );
    setup.check("publish contracts/web-orders.json -a 1 --merge", 0, "orders: published");
    setup.check("publish contracts/*-orders.json -a 2", 0, "orders: published");
}

#[test]
fn detects_versions_in_ci_systems() {
    let setup = with_contracts();
    let ci = [
        ("GITHUB_SHA", "abc"),
        ("GITHUB_REF", "refs/heads/feat/x"),
        ("GITHUB_SERVER_URL", "https://g"),
        ("GITHUB_REPOSITORY", "o/r"),
        ("GITHUB_RUN_ID", "7"),
    ];
    let ran = setup.run_with("publish contracts -r -g", &ci);
    assert_eq!(ran.code, 0, "{ran:?}");
    assert!(ran.out.starts_with("web abc, branch feat/x, tags feat/x\n"), "{ran:?}");
    assert!(
        ran.err
            .contains("Detected version: abc (from GITHUB_SHA)\nDetected branch: feat/x (from GITHUB_REF)"),
        "{ran:?}"
    );
    assert!(
        ran.err.contains("Detected build URL: https://g/o/r/actions/runs/7"),
        "{ran:?}"
    );
    let ran = setup.run_with("publish contracts -r -a 7 --branch main", &ci);
    assert!(ran.out.starts_with("web 7, branch main\n"), "{ran:?}");
    let ran = setup.run_with("create-version-tag -a web -e 7 -g", &ci);
    assert_eq!(ran.out, "Tagged web 7: feat/x\n");
}

#[test]
fn prints_verdicts() {
    let setup = with_contracts();
    setup.check("publish contracts -a 1 --branch main", 0, "published");
    setup.check("create-environment --name prod --production", 0, "production   yes");
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod --explain",
        1,
        "no version of orders is in prod; the orders team must resolve this: npx contract-broker record-deployment",
    );
    for provider in ["orders", "users"] {
        setup.check(
            &format!("create-or-update-version -a {provider} -e 7 --branch main"),
            0,
            "number       7",
        );
        setup.check(
            &format!("record-deployment -a {provider} -e 7 --environment prod"),
            0,
            "deployed to prod",
        );
    }
    let ran = setup.check(
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
    // Progress is printed to standard error.
    let waiting = "? web 1: unknown (2 of 2 results are missing). Waiting for results, 2 attempts left …\n";
    assert!(
        ran.err.starts_with(waiting) && ran.err.contains("1 attempt left"),
        "{ran:?}"
    );
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod --exit-code-detail",
        3,
        "? Unknown whether web 1 can be deployed to prod (2 of 2 results are missing)\n",
    );
    setup.check("can-i-deploy -a web -e 1 --to-environment prod --dry-run", 0, "dry run");
    let dry = [("PACT_BROKER_CAN_I_DEPLOY_DRY_RUN", "true")];
    assert_eq!(
        setup
            .run_with("can-i-deploy -a web -e 1 --to-environment prod", &dry)
            .code,
        0
    );
    setup.verified("web", "1", "orders", "7", true);
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod --ignore users",
        0,
        "✓ web 1 can be deployed to prod",
    );
    let ignored = [("CONTRACT_BROKER_CAN_I_DEPLOY_IGNORE", "users, nobody")];
    assert_eq!(
        setup
            .run_with("can-i-deploy -a web -e 1 --to-environment prod", &ignored)
            .code,
        0
    );
    setup.verified("web", "1", "users", "7", false);
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod --explain",
        1,
        "users 7 does not satisfy the contract of web 1, verified",
    );
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod --exit-code-detail",
        1,
        "✗ web 1 cannot be deployed to prod\n",
    );
    setup.verified("web", "1", "users", "7", true);
    let ran = setup.check(
        "can-i-deploy -a web -e 1 --to-environment prod",
        0,
        "✓ web 1 can be deployed to prod (2 contracts verified)\n",
    );
    assert!(
        ran.out.contains("web       1           orders    7           yes"),
        "{ran:?}"
    );
    setup.check(
        "can-i-deploy -a web --main-branch --to-environment prod",
        0,
        "✓ web (main branch) can be deployed to prod",
    );
}

#[test]
fn questions() {
    let setup = with_contracts();
    setup.check("publish contracts/web-orders.json -a 1 --branch main", 0, "published");
    setup.check("create-or-update-version -a orders -e 7 --branch main", 0, "number");
    for selectors in [
        "-a web -e 1",
        "-a web -e 1 -a orders --latest",
        "-a web -e 1 -a orders --branch nope",
    ] {
        setup.check(
            &format!("can-i-deploy {selectors} --explain"),
            1,
            "- orders has no result for the contract of web 1, published",
        );
    }
    setup.verified("web", "1", "orders", "7", true);
    setup.check(
        "can-i-deploy -a web -e 1 -a orders --branch main",
        0,
        "✓ web 1 and orders (branch main) can be deployed together (1 contract verified)",
    );
    setup.check(
        "can-i-deploy -a web --branch main -a orders --latest",
        0,
        "✓ web (branch main) and orders (latest)",
    );
    setup.check("can-i-deploy -a orders -e 7 -a web -l", 0, "✓");
    setup.check("create-version-tag -a web -e 1 -t dev", 0, "dev");
    setup.check(
        "can-i-deploy -a web --latest dev -a orders --tag nope",
        1,
        "✗ web (latest tagged dev) and orders (tag nope) cannot be deployed together",
    );
    setup.check(
        "can-i-merge -a web -e 1",
        0,
        "✓ web 1 can be merged (1 contract verified)",
    );
    setup.check("create-version-tag -a orders -e 7 -t live", 0, "Tagged orders 7: live");
    setup.check(
        "can-i-deploy -a web -e 1 --to live",
        0,
        "✓ web 1 can be deployed with the latest versions tagged live",
    );
    setup.check("create-environment --name prod", 0, "prod");
    setup.check(
        "can-i-deploy -a web -e 9 --to-environment prod",
        1,
        "✗ web 9 cannot be deployed to prod",
    );
    setup.check(
        "can-i-deploy -a web -e 1 --to-environment nowhere",
        1,
        "error: the broker rejected the query: Environment \"nowhere\" does not exist. Check the names",
    );
    setup.check(
        "can-i-deploy -a nobody -e 1 --to-environment prod",
        1,
        "the broker rejected the query: Pacticipant \"nobody\" does not exist. Check the names",
    );
    setup.check(
        "can-i-deploy -e 1 -a web",
        2,
        "--version must follow --pacticipant NAME",
    );
    setup.check("can-i-deploy", 2, "at least one pacticipant");
    setup.check(
        "can-i-deploy -a web -e 1 --branch main",
        2,
        "version, latest, tag, branch, and main branch are mutually exclusive",
    );
}

#[test]
fn waits_for_missing_results() {
    let setup = with_contracts();
    setup.check("publish contracts/web-orders.json -a 1 --branch main", 0, "published");
    setup.check("create-or-update-version -a orders -e 7 --branch main", 0, "number");
    std::thread::scope(|scope| {
        let asking = scope.spawn(|| setup.run("can-i-deploy -a web -e 1 -a orders -e 7 --wait 10m --retry-interval 0"));
        setup.verified("web", "1", "orders", "7", true);
        let ran = asking.join().expect("no panic");
        assert_eq!(ran.code, 0, "{ran:?}");
    });
}

#[test]
fn records_deployments_and_releases() {
    let setup = Setup::new();
    setup.check("create-environment --name prod", 0, "name         prod");
    setup.check("create-or-update-version -a web -e 1 -t t", 0, "tags         t");
    setup.check(
        "record-deployment -a web -e 1 --environment prod",
        0,
        "Recorded: web 1 is deployed to prod.\n",
    );
    setup.check(
        "record-deployment -a web -e 1 --environment prod --application-instance blue",
        0,
        "deployed to prod (instance blue)",
    );
    setup.check(
        "record-deployment -a web -e 2 --environment prod",
        1,
        "version \"2\" of \"web\" not found",
    );
    setup.check(
        "record-deployment -a nobody -e 2 --environment prod",
        1,
        "pacticipant \"nobody\" not found",
    );
    setup.check(
        "record-deployment -a web -e 1 --environment nowhere",
        1,
        "environment \"nowhere\" not found. Known environments: prod",
    );
    setup.check("describe-version -a web --environment prod --deployed -o id", 0, "1\n");
    setup.check(
        "record-undeployment -a web --environment prod --application-instance green",
        1,
        "et --application-instance to one of: ",
    );
    setup.check(
        "record-undeployment -a web --environment prod --target blue",
        0,
        "no longer deployed to prod (instance blue)",
    );
    setup.check(
        "record-undeployment -a web --environment prod",
        0,
        "Recorded: web 1 is no longer deployed to prod.",
    );
    setup.check(
        "record-undeployment -a web --environment prod",
        1,
        "No version is deployed",
    );
    setup.check("record-undeployment -a nobody --environment prod", 1, " not found");
    setup.check("record-undeployment -a web --environment nowhere", 1, " not found");
    setup.check("record-release -a web -e 1 --environment prod", 0, "released to prod");
    setup.check("record-release -a web -e 2 --environment prod", 1, " not found");
    setup.check("record-support-ended -a web -e 2 --environment prod", 1, " not found");
    setup.check(
        "record-support-ended -a web -e 1 --environment prod",
        0,
        "no longer supported in prod",
    );
    setup.check(
        "record-support-ended -a web -e 1 --environment prod",
        1,
        "No version is supported",
    );
    setup.check(
        "describe-version -a web --environment prod",
        1,
        "no version of web is deployed or released in prod",
    );
}

#[test]
fn manages_environments() {
    let setup = Setup::new();
    setup.check("list-environments", 0, "No environments found.");
    setup.check(
        "create-environment --name prod --display-name The_shop --production --contact-name me --contact-email-address a@b",
        0,
        "displayName  The shop",
    );
    setup.check("create-environment --name prod", 1, "status 400");
    setup.check("create-environment --name a_b", 2, "must not contain spaces");
    let uuid = setup.environment_uuid("prod");
    setup.check(&format!("describe-environment --uuid {uuid}"), 0, "contacts     me");
    setup.check(
        &format!("update-environment --uuid {uuid} --no-production"),
        0,
        "displayName  The shop",
    );
    setup.check(&format!("describe-environment --uuid {uuid}"), 0, "production   no");
    setup.check(
        "update-environment --name prod --display-name Shop",
        0,
        "displayName  Shop",
    );
    setup.check("list-environments", 0, "prod  Shop          no");
    setup.check(
        "update-environment --uuid none --name x",
        1,
        "environment with UUID \"none\" not found",
    );
    setup.check("update-environment", 2, "--uuid");
    setup.check(
        &format!("delete-environment --uuid {uuid}"),
        0,
        &format!("Deleted environment {uuid}."),
    );
    setup.check(
        &format!("delete-environment --uuid {uuid}"),
        1,
        "List the environments with list-environments",
    );
    setup.check(&format!("describe-environment --uuid {uuid}"), 1, " not found");
}

#[test]
fn manages_applications_versions_and_branches() {
    let setup = Setup::new();
    setup.check("list-pacticipants", 0, "No applications found.");
    setup.check(
        "create-or-update-pacticipant --name web --main-branch trunk --repository-url http://r",
        0,
        "Created web.",
    );
    setup.check(
        "create-or-update-pacticipant --name web --display-name Web",
        0,
        "Updated web.",
    );
    let ran = setup.check("describe-pacticipant --name web", 0, "displayName    Web");
    assert!(
        ran.out.contains("mainBranch     trunk"),
        "omitted options keep their values: {ran:?}"
    );
    setup.check(
        "describe-pacticipant --name nobody",
        1,
        "pacticipant \"nobody\" not found",
    );
    setup.check("list-pacticipants", 0, "web   Web           trunk        http://r");
    setup.check("create-or-update-version -a web -e 1", 0, "number       1");
    setup.check(
        "create-or-update-version -a web -e 2 --branch feat/x -t t,u",
        0,
        "tags         t, u",
    );
    setup.check("describe-version -a web", 0, "number       2");
    setup.check("describe-version -a web -l t -o id", 0, "2\n");
    setup.check("describe-version -a web -l none", 1, "with tag \"none\" not found");
    setup.check("describe-version -a web -e 9", 1, " not found");
    setup.check("create-version-tag -a web -e 9 -t t", 1, "--auto-create-version");
    setup.check(
        "create-version-tag -a web -e 9 -t t --auto-create-version",
        0,
        "Tagged web 9: t",
    );
    setup.check("create-version-tag -a web -e 9", 2, "--tag");
    setup.check("delete-version-tag -a web -e 9 -t t", 0, "Removed tag t from web 9.");
    setup.check(
        "delete-version-tag -a web -e 9 -t t",
        1,
        "version 9 of web has no tag \"t\"",
    );
    setup.check("list-branches -a web", 0, "feat/x");
    setup.check("list-branches -a nobody", 1, " not found");
    setup.check(
        "delete-branch -a web --branch feat/x",
        0,
        "Deleted branch feat/x of web.",
    );
    setup.check(
        "delete-branch -a web --branch feat/x",
        1,
        "branch \"feat/x\" of \"web\" not found",
    );
    setup.check(
        "delete-branch -a web --branch feat/x --error-when-not-found=false",
        0,
        "Nothing to delete: web has no branch feat/x.",
    );
    setup.check("delete-pacticipant --name web", 0, "Deleted web.");
    setup.check("delete-pacticipant --name web", 1, "pacticipant \"web\" not found");
}

#[test]
fn lists_and_downloads_contracts() {
    let setup = with_contracts();
    setup.check("list-latest-pact-versions", 0, "No contracts found.");
    setup.check("publish contracts -a 1 --branch main", 0, "published");
    setup.check("list-latest-pact-versions", 0, "web       1        orders");
    setup.check(
        "get-pacts --provider orders --latest",
        0,
        "/pacts/provider/orders/consumer/web/",
    );
    setup.check(
        "get-pacts --provider orders --consumer nobody --latest",
        0,
        "No contracts found.",
    );
    setup.check("get-pacts --provider nobody", 1, "error: GET ");
    setup.check(
        "get-pacts --provider orders --branch main --latest --download --download-dir out",
        0,
        "out/web-orders-1.json",
    );
    let read = |path: &str| std::fs::read_to_string(setup.directory.path().join(path)).expect("a file");
    let downloaded = read("out/web-orders-1.json");
    assert!(
        downloaded.contains("a request for /a") && !downloaded.contains("_links"),
        "{downloaded}"
    );
    // A downloaded contract can be published again without a conflict.
    setup.check("publish out -a 1", 0, "orders: published");
    setup.check("provider-states list --provider orders", 0, "there is /a");
    setup.check(
        "provider-states list --provider orders --branch main --json",
        0,
        "\"providerStates\"",
    );
    setup.check(
        "provider-states list --provider orders --environment nowhere",
        1,
        " not found",
    );
}

#[test]
fn runs_tools() {
    let setup = Setup::new();
    let uuid = setup.check("generate-uuid", 0, "-4").out;
    assert_eq!(uuid.trim().len(), 36);
    assert_ne!(uuid, setup.run("generate-uuid").out);
    for shell in ["bash", "zsh", "fish"] {
        setup.check(&format!("completions {shell}"), 0, "can-i-deploy");
    }
    let ran = setup.check("doctor", 0, "write        ok: these credentials can publish contracts");
    assert!(ran.out.contains("credentials  no credentials"), "{ran:?}");
    let help = setup.check("publish --help", 0, "Exit codes, in every output format:");
    assert!(help.out.contains("--auto-detect-version-properties"));
}

#[test]
fn shortens_hashes_in_text() {
    let setup = with_contracts();
    let (web, orders) = ("a1".repeat(20), "b2".repeat(20));
    setup.contract("web", "orders", &["/a"]);
    setup.check(
        &format!("publish contracts/web-orders.json -a {web} --branch main"),
        0,
        "web a1a1a1a…, branch main",
    );
    setup.check(
        &format!("create-or-update-version -a orders -e {orders} --branch main"),
        0,
        &orders,
    );
    setup.verified("web", &web, "orders", &orders, false);
    let ran = setup.check(
        &format!("can-i-deploy -a web -e {web} -a orders -e {orders} --explain"),
        1,
        "orders b2b2b2b… does not satisfy the contract of web a1a1a1a…",
    );
    assert!(
        ran.out
            .contains("✗ web a1a1a1a… and orders b2b2b2b… cannot be deployed together"),
        "{ran:?}"
    );
    let junit = setup.run(&format!("can-i-deploy -a web -e {web} -a orders -e {orders} -o junit"));
    assert!(junit.out.contains("web a1a1a1a… → orders b2b2b2b…"), "{junit:?}");
    setup.check("create-environment --name prod", 0, "prod");
    for (command, text) in [
        (
            "record-deployment --environment prod",
            "Recorded: web a1a1a1a… is deployed to prod.",
        ),
        ("record-release --environment prod", "Recorded: web a1a1a1a… is "),
        ("create-version-tag -t dev", "Tagged web a1a1a1a…: dev"),
        ("delete-version-tag -t dev", "Removed tag dev from web a1a1a1a…."),
    ] {
        setup.check(&format!("{command} -a web -e {web}"), 0, text);
    }
    let json = setup.run(&format!("record-deployment --environment prod -a web -e {web} -o json"));
    assert!(json.out.contains(&web), "{json:?}");
}

#[test]
fn explains_failures_on_the_main_branch_of_the_provider_with_a_command() {
    let setup = Setup::new();
    setup.contract("a shop's web", "orders", &["/a"]);
    let mut publish = crate::support::split_arguments("publish contracts -a 1 --branch feat/x");
    publish.push("-b".to_owned());
    publish.push(setup.url.clone());
    let arguments: Vec<&str> = publish.iter().map(String::as_str).collect();
    assert_eq!(crate::support::run_in(setup.directory.path(), &arguments, &[]).code, 0);
    setup.check(
        "create-or-update-pacticipant --name orders --main-branch main",
        0,
        "orders",
    );
    setup.check("create-or-update-version -a orders -e 6 --branch main", 0, "6");
    setup.check("create-or-update-version -a orders -e 5 --branch old", 0, "5");
    setup.check("create-environment --name prod --production", 0, "prod");
    setup.check("record-deployment -a orders -e 5 --environment prod", 0, "deployed");
    setup.verified("a%20shop's%20web", "1", "orders", "6", false);
    let ran = setup.check(
        "can-i-deploy -a a_shop's_web -e 1 --to-environment prod --explain",
        1,
        "the verification on the main branch of orders (6) failed: http://",
    );
    let selector = r#"--consumer-version-selectors '{"consumer":"a shop'\''s web","branch":"feat/x"}'"#;
    let command = format!(
        "npx contract verify --broker-url {} --provider-name orders --port 8080 {selector}",
        setup.url
    );
    assert!(ran.out.contains(&command), "{command} is missing in {}", ran.out);
}

#[test]
fn advice_on_conflicts_names_options_of_the_command_line() {
    let setup = with_contracts();
    setup.check("publish contracts -a 1", 0, "published");
    setup.contract("web", "orders", &["/b"]);
    let ran = setup.check("publish contracts -a 1", 1, "or merge the contents with --merge");
    assert!(!ran.err.contains("onConflict"), "{ran:?}");
    assert!(
        ran.err.contains("+        \"path\": \"/b\""),
        "the diff is printed: {ran:?}"
    );
}

#[test]
fn reasons_are_separate_sentences() {
    let setup = Setup::new();
    setup.check("create-environment --name staging --no-production", 0, "staging");
    let ran = setup.check(
        "create-environment --name staging --no-production",
        1,
        "An environment named \"staging\" already exists",
    );
    assert!(!ran.err.contains("name There") && !ran.err.contains(".;"), "{ran:?}");
}
