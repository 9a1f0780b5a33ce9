//! Tests the selection and the order of interactions.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use contract_model::Object;
use contract_verifier::{
    EmptyVerification, ErrorCode, Filter, InteractionInfo, InteractionReport, NamedContract, Options, Progress,
    SetupError, States, Status, Verifier,
};
use tokio::io::AsyncWriteExt;

use crate::support::{Handlers, Provider, answer, assert_error, assert_passed, contract, options, raw, verify};

fn three() -> NamedContract {
    contract(
        r#"[{"description": "an order", "key": "k1", "providerStates": [{"name": "an order exists"}], "request": {"path": "/1"}, "response": {}},
            {"description": "no order", "providerStates": [{"name": "nothing exists"}], "request": {"path": "/2"}, "response": {}},
            {"description": "an order list", "pending": true, "request": {"path": "/3"}, "response": {"status": 201}}]"#,
    )
}

fn taken(filter: Filter) -> Vec<String> {
    let mut options = options("http://127.0.0.1:1");
    options.filter = filter;
    let verifier = Verifier::new(options).unwrap();
    verifier
        .select(&[three()])
        .unwrap()
        .into_iter()
        .map(|selected| selected.info.description.to_string())
        .collect()
}

#[tokio::test]
async fn filters() {
    let by = |description, state| Filter::new(description, state).unwrap();
    assert_eq!(taken(by(Some("^an order"), None)), ["an order", "an order list"]);
    assert_eq!(taken(by(Some("order"), Some("exists$"))), ["an order", "no order"]);
    assert_eq!(taken(by(None, Some(""))), ["an order list"]);
    assert_eq!(
        taken(Filter {
            id: Some("k1".into()),
            ..Filter::default()
        }),
        ["an order"]
    );
    assert_eq!(
        taken(Filter {
            kind: Some("HTTP".into()),
            ..Filter::default()
        })
        .len(),
        3
    );
    assert_eq!(
        taken(Filter {
            consumers: vec!["web".into()],
            ..Filter::default()
        })
        .len(),
        3
    );
    assert_eq!(
        taken(Filter {
            only: Some(vec!["k1".into()]),
            ..Filter::default()
        }),
        ["an order"]
    );
}

#[tokio::test]
async fn filters_that_exclude_everything() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    options.filter = Filter::new(Some("nope"), None).unwrap();
    let error = Verifier::new(options.clone())
        .unwrap()
        .verify(vec![three()])
        .await
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "no interaction matches the filters (description \"nope\"). Interactions in the contracts: 3, for example: \"an order\", \
         \"no order\", \"an order list\""
    );
    options.allow_empty = true;
    let report = verify(options, three()).await;
    assert!(report.success && report.summary.total == 0 && report.summary.filtered == 3);
}

#[tokio::test]
async fn an_empty_run_is_an_error() {
    let error = Verifier::new(options("http://127.0.0.1:1"))
        .unwrap()
        .verify(vec![])
        .await
        .unwrap_err();
    assert!(
        matches!(error, EmptyVerification::NoInteractions { contracts: 0, .. }),
        "{error}"
    );
}

#[test]
fn invalid_options() {
    let refused = |change: &dyn Fn(&mut Options)| {
        let mut options = options("http://127.0.0.1:1");
        change(&mut options);
        Verifier::new(options).unwrap_err().to_string()
    };
    assert!(refused(&|options| options.transports.clear()).contains("no transport for the provider \"orders\""));
    assert!(refused(&|options| options.request_timeout = Duration::ZERO).contains("the request timeout"));
    assert!(refused(&|options| options.concurrency = 0).contains("the concurrency"));
    assert!(
        refused(&|options| {
            options.filter = Filter {
                no_state: true,
                ..Filter::new(None, Some("x")).unwrap()
            };
        })
        .contains("are mutually exclusive")
    );
    assert!(refused(&|options| options.filter.kind = Some("soap".into())).contains("HTTP, Async, or Sync"));
    let header = refused(&|options| {
        options
            .headers
            .push(contract_verifier::CustomHeader::fixed("X", "secret\n"));
    });
    assert!(header.contains("line breaks") && !header.contains("secret"), "{header}");
    assert!(matches!(
        Filter::new(Some("("), None),
        Err(SetupError::Filter {
            what: "description",
            ..
        })
    ));
}

#[tokio::test]
async fn pending_failures_do_not_fail_the_run() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let report = verify(options(&provider.url), three()).await;
    assert!(report.success);
    assert_eq!(
        (report.summary.passed, report.summary.pending, report.summary.failed),
        (2, 1, 0)
    );
    assert_eq!(report.contracts[0].interactions[2].status, Status::Pending);
    let mut whole = three();
    whole.pending = true;
    let report = verify(options("http://127.0.0.1:1"), whole).await;
    assert!(report.success && report.summary.pending == 3);
}

#[tokio::test]
async fn failed_interactions_can_be_rerun() {
    let provider = Provider::start(|request| answer(if request.uri() == "/2" { 500 } else { 200 }, "")).await;
    let report = verify(options(&provider.url), three()).await;
    let failed = report.failed();
    assert_eq!(failed.len(), 1);
    let again = taken(Filter {
        only: Some(failed),
        ..Filter::default()
    });
    assert_eq!(again, ["no order"]);
}

#[derive(Default)]
struct Log(Mutex<Vec<String>>);

impl Progress for Log {
    fn started(&self, interaction: &InteractionInfo) {
        self.0.lock().unwrap().push(format!("> {}", interaction.description));
    }

    fn finished(&self, _: &InteractionInfo, result: &InteractionReport, done: usize, total: usize) {
        self.0
            .lock()
            .unwrap()
            .push(format!("{done}/{total} {:?}", result.status));
    }
}

#[tokio::test]
async fn reports_progress() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    let log = Arc::new(Log::default());
    options.progress = Some(Arc::clone(&log) as Arc<dyn Progress>);
    verify(options, three()).await;
    assert_eq!(
        *log.0.lock().unwrap(),
        [
            "> an order",
            "1/3 Passed",
            "> no order",
            "2/3 Passed",
            "> an order list",
            "3/3 Pending"
        ]
    );
}

#[tokio::test]
async fn interactions_without_states_run_in_parallel() {
    // Each response waits until there are four concurrent requests.
    static THERE: AtomicUsize = AtomicUsize::new(0);
    let all = Arc::new(tokio::sync::Barrier::new(4));
    let url = raw(move |mut stream| {
        let all = Arc::clone(&all);
        async move {
            THERE.fetch_add(1, Ordering::SeqCst);
            all.wait().await;
            let _ = stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
                .await;
        }
    })
    .await;
    let list: Vec<_> = (0..8)
        .map(|number| format!(r#"{{"description": "n{number}", "request": {{"path": "/"}}, "response": {{}}}}"#))
        .collect();
    let mut options = options(&url);
    options.concurrency = 4;
    let report = verify(options, contract(&format!("[{}]", list.join(",")))).await;
    assert_eq!(report.summary.passed, 8);
    let order: Vec<_> = report
        .interactions()
        .map(|(_, interaction)| interaction.description.clone())
        .collect();
    assert_eq!(order, (0..8).map(|number| format!("n{number}")).collect::<Vec<_>>());
}

#[tokio::test]
async fn interactions_with_states_run_sequentially() {
    let running = Arc::new(AtomicUsize::new(0));
    let seen = Arc::clone(&running);
    let handlers = Handlers::new(move |change| {
        match change.action.name() {
            "setup" => assert_eq!(seen.fetch_add(1, Ordering::SeqCst), 0),
            _ => assert_eq!(seen.fetch_sub(1, Ordering::SeqCst), 1),
        }
        Ok(Object::new())
    });
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    options.concurrency = 4;
    options.states = Some(States {
        teardown: true,
        ..States::new(Arc::new(handlers))
    });
    let report = verify(options, three()).await;
    assert_eq!((report.summary.passed, report.summary.pending), (2, 1));
}

#[tokio::test]
async fn sequential_runs_produce_the_same_report() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let verifier = Verifier::new(options(&provider.url)).unwrap();
    let contracts = [three()];
    let mut results = Vec::new();
    for selected in verifier.select(&contracts).unwrap().into_iter().rev() {
        let result = verifier.verify_one(&selected, None).await;
        results.push((selected, result));
    }
    let report = verifier.report(&contracts, results, Duration::ZERO);
    let whole = verify(options(&provider.url), three()).await;
    assert_eq!(report.warnings, whole.warnings);
    let status = |report: &contract_verifier::Report| {
        report
            .interactions()
            .map(|(_, one)| (one.description.clone(), one.status))
            .collect::<Vec<_>>()
    };
    assert_eq!(status(&report), status(&whole));
    assert_eq!(provider.connections(), 2, "connections are kept from one to the next");
}

#[tokio::test]
async fn an_interaction_that_cannot_be_read_fails_and_the_others_are_verified() {
    let provider = Provider::start(|_| answer(200, "{}")).await;
    let report = verify(
        options(&provider.url),
        contract(
            r#"[{"description": "good", "request": {"path": "/1"}, "response": {}},
                {"description": "odd", "providerStates": [{"name": "s"}], "request": {}, "response": {"status": 0}},
                {"description": "not yet", "pending": true, "response": {"status": 0}},
                {"description": "good, too", "request": {"path": "/2"}, "response": {}}]"#,
        ),
    )
    .await;
    let [good, odd, not_yet, too] = &report.contracts[0].interactions[..] else {
        panic!("not four");
    };
    assert_passed(good);
    assert_passed(too);
    assert_error(
        odd,
        ErrorCode::Unreadable,
        &[
            "contracts/web-orders.json: /interactions/1/response/status: ",
            "Fix the contract in the consumer",
        ],
    );
    assert_eq!(not_yet.status, Status::Pending);
    assert_eq!((report.success, provider.requests().len()), (false, 2));
}
