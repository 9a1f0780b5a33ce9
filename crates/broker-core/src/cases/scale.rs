//! Tests that the cost of queries does not depend on the length of the history, and grows at most linearly with the
//! size of the result.

use serde_json::json;

use super::webhooks::{EventContract, EventLinks, EventSettings};
use super::{CaseError, branches, retention, selection, verdict, webhooks};
use crate::sql::results::Report;
use crate::sql::{UNPAGED, deliveries, pacticipants, pacts, removal, results, versions};
use crate::store::steps::StepCounter;
use crate::store::{StoreError, Tx};
use contract_broker_domain::content::Content;
use contract_broker_domain::matrix::{LatestBy, Query, Selector, Versions};
use contract_broker_domain::retention::RetentionPolicy;
use contract_broker_domain::rules::Rules;
use contract_broker_domain::selector::SelectionRequest;

/// A time after the whole history.
const NOW: i64 = 1_000_000;

/// Returns the SQL of a table with the numbers from 1 to `count`.
fn numbers(count: i64) -> String {
    format!("WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})")
}

/// Creates the application `web` (ID 1) and its provider `users` (ID 2) with this number of versions each, and an
/// environment.
fn pair(versions: i64) -> StepCounter {
    let counter = StepCounter::new();
    let n = numbers(versions);
    counter.execute(&format!(
        "INSERT INTO pacticipant (id, name, main_branch, created_at) VALUES (1, 'web', 'main', 0), (2, 'users', 'main', 0);
         INSERT INTO integration VALUES (1, 2, 0);
         INSERT INTO environment (id, uuid, name, display_name, production, created_at) VALUES (1, 'e', 'prod', 'prod', 1, 0);
         {n} INSERT INTO version (id, pacticipant_id, number, created_at) SELECT 2 * i, 1, i, i FROM n;
         {n} INSERT INTO version (id, pacticipant_id, number, created_at) SELECT 2 * i + 1, 2, i, i FROM n;
         INSERT INTO branch (id, pacticipant_id, name, head_version_id, created_at)
           SELECT 1, 1, 'main', max(id), 0 FROM version WHERE pacticipant_id = 1
           UNION ALL SELECT 2, 2, 'main', max(id), 0 FROM version WHERE pacticipant_id = 2;
         INSERT INTO branch_version (branch_id, version_id, automatic, created_at)
           SELECT pacticipant_id, id, 0, 0 FROM version ORDER BY id;
         INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at, ended_at)
           SELECT 'd' || id, id, pacticipant_id, 1, '', 0, 0, 0 FROM version;
         UPDATE deployment SET is_current = 1, ended_at = NULL WHERE version_id IN (SELECT head_version_id FROM branch);"
    ));
    counter
}

/// Creates versions of `web` that each published different content, which one version of `users` verified.
fn of_versions(count: i64) -> StepCounter {
    let counter = pair(count);
    let n = numbers(count);
    counter.execute(&format!(
        "{n} INSERT INTO content (id, consumer_id, provider_id, sha, created_at) SELECT i, 1, 2, 'sha' || i, i FROM n;
         {n} INSERT INTO content_text SELECT i, 2, '{{}}' FROM n;
         {n} INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
           SELECT 1, 2, 2 * i, i, 1, 1, i FROM n;
         {n} INSERT INTO result (id, content_id, version_id, success, wip, created_at) SELECT i, i, 2 * i + 1, 1, 0, i FROM n;"
    ));
    noted(counter)
}

/// Creates versions of `web` that all published the same content, which every version of `users` verified.
fn of_results(count: i64) -> StepCounter {
    let counter = pair(count);
    let n = numbers(count);
    counter.execute(&format!(
        "INSERT INTO content (id, consumer_id, provider_id, sha, created_at) VALUES (1, 1, 2, 'sha1', 0);
         INSERT INTO content_text VALUES (1, 2, '{{}}');
         {n} INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
           SELECT 1, 2, 2 * i, 1, 1, 1, i FROM n;
         {n} INSERT INTO result (id, content_id, version_id, success, wip, created_at) SELECT i, 1, 2 * i + 1, 1, 0, i FROM n;"
    ));
    noted(counter)
}

/// Adds the rows that are derived from results.
fn noted(counter: StepCounter) -> StepCounter {
    counter.execute(
        "INSERT INTO latest_result (content_id, version_id, result_id, success) SELECT content_id, version_id, id, 1 FROM result;
         INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at)
           SELECT 2, content_id, 'b', 'main', min(created_at), min(created_at) FROM result GROUP BY content_id;
         INSERT INTO first_success (provider_id, content_id, kind, name, first_at, first_chosen_at)
           SELECT 2, content_id, 'a', '', min(created_at), min(created_at) FROM result GROUP BY content_id;",
    );
    counter
}

fn accepted<O, R: std::fmt::Debug>(result: Result<O, CaseError<R>>) -> Result<O, StoreError> {
    result.map_err(|error| match error {
        CaseError::Store(error) => error,
        CaseError::Rejected(rejection) => panic!("{rejection:?}"),
    })
}

type Work = fn(&mut Tx<'_>, i64) -> Result<(), StoreError>;

fn deployable(tx: &mut Tx<'_>, (name, number): (&str, i64)) -> Result<Option<bool>, StoreError> {
    let number = Versions::Number(number.to_string());
    let destination = Versions::Environment("prod".to_owned());
    let query = Query::deployment(name, number, destination, LatestBy::Both);
    Ok(accepted(verdict::decide(tx, &query))?.verdict.deployable)
}

fn consumer_verdict(tx: &mut Tx<'_>, last: i64) -> Result<(), StoreError> {
    assert_eq!(deployable(tx, ("web", last))?, Some(true));
    Ok(())
}

fn provider_verdict(tx: &mut Tx<'_>, last: i64) -> Result<(), StoreError> {
    assert_eq!(deployable(tx, ("users", last))?, Some(true));
    Ok(())
}

fn whole_pair(tx: &mut Tx<'_>, last: i64) -> Result<(), StoreError> {
    let selectors = ["web", "users"]
        .map(|name| Selector {
            pacticipant: name.to_owned(),
            versions: Versions::Every,
        })
        .to_vec();
    let query = Query {
        selectors,
        ..Query::default()
    };
    let found = accepted(verdict::decide(tx, &query))?;
    assert_eq!(
        i64::try_from(found.evidence.rows.len()).ok(),
        Some(last.min(query.limit))
    );
    Ok(())
}

/// Selects contracts, including pending and work in progress.
fn chosen(tx: &mut Tx<'_>, since: &str) -> Result<usize, StoreError> {
    let body = json!({
        "consumerVersionSelectors": [{ "mainBranch": true }, { "deployedOrReleased": true }, { "latest": true }],
        "providerVersionBranch": "main",
        "includePendingStatus": true,
        "includeWipPactsSince": since,
    });
    let request = SelectionRequest::parse(body.as_object().expect("an object")).expect("a valid query");
    let selected = accepted(selection::select(tx, 2, &request))?;
    Ok(selected.len())
}

fn one_chosen(tx: &mut Tx<'_>, _: i64) -> Result<(), StoreError> {
    assert_eq!(chosen(tx, "1970-01-01")?, 1);
    Ok(())
}

fn published(tx: &mut Tx<'_>, _: i64) -> Result<(), StoreError> {
    let content = Content::read(br#"{"interactions": []}"#).expect("a contract");
    let rules = Rules::default();
    let (version, is_new) = versions::find_or_create(tx, (1, "web"), "new", NOW)?;
    assert!(is_new && branches::add_version(tx, &rules, &version, "main", NOW)?);
    let before = pacts::before(tx, &version, 2, &content.sha)?;
    let (_, content) = pacts::publish(tx, &version, 2, &content, &before, NOW)?;
    assert!(pacts::history(tx, &version, 2, content)?.is_verified);
    Ok(())
}

fn verified(tx: &mut Tx<'_>, _: i64) -> Result<(), StoreError> {
    verified_at(tx, NOW)
}

fn verified_at(tx: &mut Tx<'_>, at: i64) -> Result<(), StoreError> {
    let (version, _) = versions::find_or_create(tx, (2, "users"), "new", at)?;
    branches::add_version(tx, &Rules::default(), &version, "main", at)?;
    let report = Report {
        success: true,
        wip: false,
        build_url: None,
        test_results: None,
        verified_by: None,
    };
    let (_, kept) = results::add(tx, 1, &version, &report, at)?;
    let latest = results::latest(tx, 1)?.expect("a result");
    assert_eq!(latest.number, kept.number);
    Ok(())
}

fn latest_version(tx: &mut Tx<'_>, last: i64) -> Result<(), StoreError> {
    let latest = versions::latest(tx, 1)?.expect("a version");
    let head = versions::head_of_branch(tx, 1, "main")?.expect("a version");
    assert_eq!([latest.number, head.number], [last.to_string(), last.to_string()]);
    Ok(())
}

fn read(tx: &mut Tx<'_>, last: i64) -> Result<(), StoreError> {
    let latest = pacts::find(tx, 1, 2, pacts::PactQuery::LatestOnBranch("main"))?.expect("a contract");
    assert_eq!(latest.version, last.to_string());
    assert!(pacts::newest_of_content(tx, latest.content_id)?.is_some());
    let owner = pacticipants::find(tx, "web")?.expect("an application");
    assert_eq!(pacts::find(tx, owner.id, 2, pacts::PactQuery::Latest)?, Some(latest));
    Ok(())
}

/// Asserts that a longer history does not need more steps, except for deeper index trees.
fn assert_constant_cost(make: fn(i64) -> StepCounter, (few, many): (i64, i64), work: &[(&str, Work)]) {
    let (small, large) = (make(few), make(many));
    for (name, work) in work {
        let ((), before) = small.steps(|tx| work(tx, few));
        let ((), after) = large.steps(|tx| work(tx, many));
        assert!(
            after < before * 2,
            "{name}: {before} steps with {few}, {after} with {many}"
        );
    }
}

#[test]
fn cost_is_constant_for_versions() {
    assert_constant_cost(
        of_versions,
        (200, 5_000),
        &[
            ("verdict of a consumer", consumer_verdict),
            ("verdict of a provider", provider_verdict),
            ("matrix of the pair", whole_pair),
            ("selection", one_chosen),
            ("publication", published),
            ("result", verified),
            ("contract", read),
            ("latest version", latest_version),
        ],
    );
}

#[test]
fn cost_is_constant_for_results_of_one_content() {
    assert_constant_cost(
        of_results,
        (200, 15_000),
        &[
            ("verdict of a consumer", consumer_verdict),
            ("verdict of a provider", provider_verdict),
            ("selection", one_chosen),
            ("publication", published),
            ("result", verified),
            ("contract", read),
        ],
    );
}

#[test]
fn only_earlier_successes_change_the_first_success() {
    let history = of_results(10);
    history.execute(
        "CREATE TEMP TABLE written (kind TEXT);
         CREATE TEMP TRIGGER write AFTER UPDATE ON first_success BEGIN INSERT INTO written VALUES (new.kind); END;",
    );
    let written = |at| {
        let (count, _) = history.steps(|tx| {
            verified_at(tx, at)?;
            tx.number("SELECT count(*) FROM written", &[])
        });
        count
    };
    assert_eq!(written(NOW), 0);
    assert_eq!(written(0), 2, "that of the branch and that of all versions");
}

/// Creates this number of branches of `web`, each with its own contract.
fn of_branches(count: i64) -> StepCounter {
    let counter = of_versions(count);
    let n = numbers(count - 1);
    counter.execute(&format!(
        "{n} INSERT INTO branch (pacticipant_id, name, head_version_id, created_at) SELECT 1, 'feature/' || i, 2 * i, i FROM n;
         {n} INSERT INTO branch_version (branch_id, version_id, automatic, created_at) SELECT 2 + i, 2 * i, 0, i FROM n;"
    ));
    counter
}

#[test]
fn cost_is_constant_for_branches() {
    assert_constant_cost(
        of_branches,
        (200, 10_000),
        &[
            ("verdict of a consumer", consumer_verdict),
            ("verdict of a provider", provider_verdict),
            ("publication", published),
            ("contract", read),
        ],
    );
    // Each branch head may be work in progress, so the cost is linear in the number of heads.
    let heads = |count: i64| of_branches(count).steps(|tx| chosen(tx, "2020-01-01")).1;
    let (few, many) = (heads(200), heads(10_000));
    assert!(many < few * 60, "{few} steps for 200 branches, {many} for 10000");
}

/// Creates this number of consumers of `users`, each with a deployed and verified contract.
fn of_consumers(count: i64) -> StepCounter {
    let counter = of_versions(1);
    let n = numbers(count - 1);
    counter.execute(&format!(
        "{n} INSERT INTO pacticipant (id, name, main_branch, created_at) SELECT 10 + i, 'consumer ' || i, 'main', 0 FROM n;
         {n} INSERT INTO integration SELECT 10 + i, 2, 0 FROM n;
         {n} INSERT INTO version (id, pacticipant_id, number, created_at) SELECT 10 + i, 10 + i, '1', 0 FROM n;
         {n} INSERT INTO branch (id, pacticipant_id, name, head_version_id, created_at) SELECT 10 + i, 10 + i, 'main', 10 + i, 0 FROM n;
         {n} INSERT INTO deployment (uuid, version_id, pacticipant_id, environment_id, instance, is_current, created_at)
           SELECT 'c' || i, 10 + i, 10 + i, 1, '', 1, 0 FROM n;
         {n} INSERT INTO content (id, consumer_id, provider_id, sha, created_at) SELECT 10 + i, 10 + i, 2, 'c' || i, 0 FROM n;
         {n} INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
           SELECT 10 + i, 2, 10 + i, 10 + i, 1, 1, 0 FROM n;
         {n} INSERT INTO result (id, content_id, version_id, success, wip, created_at) SELECT 10 + i, 10 + i, 3, 1, 0, 0 FROM n;
         DELETE FROM latest_result; DELETE FROM first_success;"
    ));
    noted(counter)
}

#[test]
fn cost_is_linear_in_consumers() {
    assert_constant_cost(
        of_consumers,
        (50, 500),
        &[
            ("verdict of a consumer", |tx, _| consumer_verdict(tx, 1)),
            ("publication", published),
            ("result", verified),
            ("contract", |tx, _| read(tx, 1)),
        ],
    );
    let (few, many) = (of_consumers(50), of_consumers(500));
    let (found, before) = few.steps(|tx| chosen(tx, "2020-01-01"));
    let (found_of_many, after) = many.steps(|tx| chosen(tx, "2020-01-01"));
    assert_eq!((found, found_of_many), (50, 500));
    assert!(after < before * 12, "selection: {before} steps for 50, {after} for 500");
    let ((), before) = few.steps(|tx| provider_verdict(tx, 1));
    let ((), after) = many.steps(|tx| provider_verdict(tx, 1));
    assert!(after < before * 12, "verdict: {before} steps for 50, {after} for 500");
}

/// Deletes everything that retention does not keep. Returns the number of deleted versions.
fn clean(tx: &mut Tx<'_>) -> Result<u64, StoreError> {
    let policy = RetentionPolicy {
        days: 0,
        ..RetentionPolicy::default()
    };
    let run = retention::Run::start(tx, &policy, NOW)?;
    let (mut position, mut deleted) = (Some(retention::Position::START), 0);
    while let Some(at) = position {
        let step = run.examine(tx, at)?;
        for batch in step.batches(25) {
            deleted += run.delete(tx, &batch)?.versions;
        }
        position = step.next;
    }
    Ok(deleted)
}

#[test]
fn retention_is_linear_in_versions() {
    for history in [of_versions, of_results] {
        let (deleted, before) = history(500).steps(clean);
        let (deleted_of_many, after) = history(5_000).steps(clean);
        assert!(deleted > 400 && deleted_of_many > 4_000, "{deleted}, {deleted_of_many}");
        assert!(after < before * 12, "{before} steps for 500 versions, {after} for 5000");
    }
}

/// Deletes all versions of `users` except the last one, oldest first.
fn delete_versions(tx: &mut Tx<'_>, count: i64) -> Result<(), StoreError> {
    for id in 1..count {
        let number = id.to_string();
        let users = pacticipants::find(tx, "users")?.expect("an application");
        let version = versions::find(tx, users.id, &number)?.expect("a version");
        removal::version(tx, &version)?;
    }
    let successes = "SELECT count(*) FROM first_success WHERE first_at = $1 AND first_chosen_at = $1";
    assert_eq!(
        tx.number(successes, &[count.into()])?,
        2,
        "the last version is now the first success"
    );
    Ok(())
}

#[test]
fn deleting_the_versions_that_verified_a_content_is_linear() {
    let (few, many) = (of_results(500), of_results(5_000));
    let ((), before) = few.steps(|tx| delete_versions(tx, 500));
    let ((), after) = many.steps(|tx| delete_versions(tx, 5_000));
    assert!(after < before * 12, "{before} steps for 500 versions, {after} for 5000");
}

struct NoLinks;

impl EventLinks for NoLinks {
    fn content(&self, _: &EventContract<'_>) -> String {
        String::new()
    }

    fn result(&self, _: &EventContract<'_>, _: i64) -> String {
        String::new()
    }
}

/// Creates a webhook for the pair with one sent and one waiting request for each version, and as many webhooks for
/// other applications.
fn of_deliveries(count: i64) -> StepCounter {
    let counter = of_versions(count);
    let n = numbers(count);
    let delivery = "INSERT INTO delivery (uuid, webhook_id, webhook_uuid, name, event, consumer_id, provider_id, version_id, data, status,
       attempts, is_waiting, due_at, created_at)";
    counter.execute(&format!(
        "INSERT INTO webhook (id, uuid, consumer_id, provider_id, enabled, events, request, created_at)
           VALUES (1, 'w', 1, 2, 1, '[\"contract_published\"]', '{{}}', 0);
         {n} INSERT INTO pacticipant (id, name, created_at) SELECT 10 + i, 'other ' || i, 0 FROM n;
         {n} INSERT INTO webhook (uuid, consumer_id, enabled, events, request, created_at) SELECT 'w' || i, 10 + i, 1, '[]', '{{}}', 0 FROM n;
         {n} {delivery} SELECT 'd' || i, 1, 'w', '', 'contract_published', 1, 2, 2 * i, '{{}}', 'success', 1, 0, NULL, i FROM n;
         {n} {delivery} SELECT 'q' || i, 1, 'w', '', 'contract_published', 1, 2, 2 * i, '{{}}', 'not_run', 0, 1, i, i FROM n;
         {n} INSERT INTO delivery_attempt (delivery_id, success, log, created_at) SELECT i, 1, '', i FROM n;"
    ));
    counter
}

fn triggered(tx: &mut Tx<'_>, _: i64) -> Result<(), StoreError> {
    let contract = pacts::find(tx, 1, 2, pacts::PactQuery::Latest)?.expect("a contract");
    let settings = EventSettings {
        rules: &Rules::default(),
        links: &NoLinks,
        now: NOW,
    };
    let triggered = webhooks::contract_published(tx, settings, &(&contract).into(), true)?;
    assert_eq!(triggered.len(), 1);
    Ok(())
}

fn sent(tx: &mut Tx<'_>, _: i64) -> Result<(), StoreError> {
    let (delivery, _) = deliveries::first_of(tx, 1)?.expect("a request waits");
    let attempt = deliveries::Attempt {
        status: deliveries::DeliveryStatus::Success,
        due_at: None,
        log: "",
        now: NOW,
    };
    deliveries::note_attempt(tx, delivery.id, &attempt)?;
    let (next, _) = deliveries::first_of(tx, 1)?.expect("more requests wait");
    assert_eq!(next.id, delivery.id + 1);
    Ok(())
}

#[test]
fn cost_of_webhooks_is_constant_for_deliveries() {
    assert_constant_cost(
        of_deliveries,
        (200, 10_000),
        &[
            ("trigger", triggered),
            ("send", sent),
            ("publication", published),
            ("old deliveries", |tx, _| {
                assert_eq!(deliveries::delete_finished(tx, NOW, 100)?, 100);
                Ok(())
            }),
            ("deliveries of a version", |tx, last| {
                assert_eq!(deliveries::of_version(tx, 2 * last, 2, UNPAGED)?.len(), 2);
                Ok(())
            }),
        ],
    );
    // The search for webhooks with work reads the first request of each webhook.
    let search = |tx: &mut Tx<'_>| deliveries::due_webhooks(tx, ("webhook ", "me"), NOW, 10);
    let (due, few) = of_deliveries(200).steps(search);
    let (due_of_many, many) = of_deliveries(10_000).steps(search);
    assert_eq!((due, due_of_many), (vec![1], vec![1]));
    assert!(many < few * 60, "{few} steps for 200 webhooks, {many} for 10000");
}
