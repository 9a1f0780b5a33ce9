//! Tests provider states: order, values, failures, and teardown.

use std::sync::Arc;

use contract_model::{Json, Object};
use contract_verifier::{
    BoxFuture, CallbackError, ErrorCode, Hooks, InteractionInfo, InteractionReport, MissingState, States, Status,
};

use crate::support::{
    Handlers, Provider, SHORT, answer, assert_error, assert_passed, contract, options, verify, verify_one,
};

/// Returns a contract with one interaction that has these states and accepts any response.
fn in_states(states: &[&str]) -> contract_verifier::NamedContract {
    let states: Vec<_> = states.iter().map(|state| format!(r#"{{"name": "{state}"}}"#)).collect();
    contract(&format!(
        r#"[{{"description": "x", "providerStates": [{}], "request": {{"path": "/"}}, "response": {{"status": 200}}}}]"#,
        states.join(",")
    ))
}

async fn run(handlers: Handlers, teardown: bool, states: &[&str]) -> (InteractionReport, Vec<String>, usize) {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    let log = handlers.log();
    options.states = Some(States {
        teardown,
        ..States::new(Arc::new(handlers))
    });
    options.callback_timeout = SHORT;
    let report = verify_one(options, in_states(states)).await;
    let log = log.lock().unwrap().clone();
    (report, log, provider.requests().len())
}

fn fine() -> Handlers {
    Handlers::new(|_| Ok(Object::new()))
}

#[tokio::test]
async fn in_order_and_back() {
    let (report, log, requests) = run(fine(), true, &["one", "two"]).await;
    assert_passed(&report);
    assert_eq!(log, ["setup one", "setup two", "teardown two", "teardown one"]);
    assert_eq!(requests, 1);
    let (_, log, _) = run(fine(), false, &["one"]).await;
    assert_eq!(log, ["setup one"]);
}

#[tokio::test]
async fn a_handler_that_fails() {
    let handlers = Handlers::new(|change| {
        if change.state == "two" {
            Err(CallbackError::new("the database is empty").with_token(9))
        } else {
            Ok(Object::new())
        }
    });
    let (report, log, requests) = run(handlers, true, &["one", "two", "three"]).await;
    assert_error(
        &report,
        ErrorCode::StateHandler,
        &["the setup of the state \"two\" failed: the database is empty"],
    );
    assert_eq!(report.error.as_ref().unwrap().token, Some(9));
    // Even states that were only partially set up are torn down. A teardown failure is reported separately.
    assert_eq!(log, ["setup one", "setup two", "teardown two", "teardown one"]);
    assert!(
        report
            .teardown_error
            .unwrap()
            .message
            .contains("the teardown of the state \"two\" failed")
    );
    assert_eq!(requests, 0);
}

#[tokio::test]
async fn a_handler_that_never_settles() {
    let (report, log, requests) = run(fine(), true, &["hangs"]).await;
    assert_error(
        &report,
        ErrorCode::StateTimeout,
        &["\"hangs\"", "within 80 ms", "raise the callback timeout"],
    );
    assert_eq!(log, ["setup hangs", "teardown hangs"]);
    assert_eq!(requests, 0);
}

#[tokio::test]
async fn a_teardown_that_fails() {
    let handlers = Handlers::new(|change| match change.action.name() {
        "teardown" => Err(CallbackError::new("no")),
        _ => Ok(Object::new()),
    });
    let (report, _, requests) = run(handlers, true, &["one"]).await;
    assert_eq!((report.status, requests), (Status::Failed, 1));
    assert_eq!(report.teardown_error.unwrap().code, ErrorCode::StateHandler);
}

#[tokio::test]
async fn an_unknown_state() {
    let mut handlers = fine();
    handlers.known = Some(vec!["an order exists".into(), "no order".into()]);
    let (report, log, requests) = run(handlers, true, &["no order", "an order exist"]).await;
    assert_error(
        &report,
        ErrorCode::StateUnknown,
        &["\"an order exist\"", "Did you mean \"an order exists\""],
    );
    assert!(log.is_empty() && requests == 0, "nothing is touched");
}

#[tokio::test]
async fn a_missing_state_may_be_a_warning() {
    let provider = Provider::start(|_| answer(200, "")).await;
    for (missing, warnings) in [(MissingState::Warn, 1), (MissingState::Ignore, 0)] {
        let mut handlers = fine();
        handlers.known = Some(vec!["known".into()]);
        let log = handlers.log();
        let mut options = options(&provider.url);
        options.states = Some(States {
            missing,
            ..States::new(Arc::new(handlers))
        });
        let report = verify(options, in_states(&["unknown", "known"])).await;
        assert!(report.success);
        assert_eq!(report.warnings.len(), warnings, "{:?}", report.warnings);
        assert_eq!(*log.lock().unwrap(), ["setup known"]);
    }
}

#[tokio::test]
async fn no_handler_at_all_is_one_warning() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let report = verify(options(&provider.url), in_states(&["a", "b"])).await;
    assert!(report.success);
    assert_eq!(report.warnings.len(), 1);
    assert!(
        report.warnings[0].starts_with("no state handler is registered, so 1 interaction was verified"),
        "{}",
        report.warnings[0]
    );
}

#[tokio::test]
async fn interactions_without_states_are_announced_only_on_request() {
    let (_, log, _) = run(fine(), true, &[]).await;
    assert!(log.is_empty());
    let mut handlers = fine();
    handlers.empty = true;
    let (_, log, _) = run(handlers, true, &[]).await;
    assert_eq!(log, ["setup ", "teardown "]);
}

#[tokio::test]
async fn one_failure_does_not_stop_the_others() {
    let provider = Provider::start(|_| answer(200, "")).await;
    let mut options = options(&provider.url);
    let handlers = Handlers::new(|change| match change.parameters.get("fail") {
        Some(Json::Bool(true)) => Err(CallbackError::new("asked to")),
        _ => Ok(Object::new()),
    });
    options.states = Some(States::new(Arc::new(handlers)));
    let both = contract(
        r#"[{"description": "a", "providerStates": [{"name": "s", "params": {"fail": true}}], "request": {"path": "/"}, "response": {}},
            {"description": "b", "providerStates": [{"name": "s"}], "request": {"path": "/"}, "response": {}}]"#,
    );
    let report = verify(options.clone(), both.clone()).await;
    assert_eq!((report.summary.failed, report.summary.passed), (1, 1));
    options.exit_first = true;
    let report = verify(options, both).await;
    assert_eq!((report.summary.failed, report.summary.skipped), (1, 1));
    assert_eq!(report.contracts[0].interactions[1].status, Status::Skipped);
}

struct Failing(&'static str);

impl Hooks for Failing {
    fn before(&self, _: Arc<InteractionInfo>) -> BoxFuture<'_, Result<(), CallbackError>> {
        Box::pin(async {
            if self.0 == "before" {
                Err(CallbackError::new("not today"))
            } else {
                Ok(())
            }
        })
    }

    fn after<'a>(
        &'a self,
        interaction: Arc<InteractionInfo>,
        result: &'a InteractionReport,
    ) -> BoxFuture<'a, Result<(), CallbackError>> {
        assert_eq!(interaction.description, result.description);
        Box::pin(async {
            if self.0 == "after" {
                Err(CallbackError::new("too late"))
            } else {
                Ok(())
            }
        })
    }
}

#[tokio::test]
async fn hooks_that_fail() {
    let provider = Provider::start(|_| answer(200, "")).await;
    for (when, text, requests) in [
        ("before", "the hook before the interaction failed: not today", 0),
        ("after", "the hook after the interaction failed: too late", 1),
    ] {
        let mut options = options(&provider.url);
        options.hooks = Some(Arc::new(Failing(when)));
        let report = verify_one(options, in_states(&[])).await;
        assert_error(&report, ErrorCode::Hook, &[text]);
        assert_eq!(provider.requests().len(), requests);
    }
}
