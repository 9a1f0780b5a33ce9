//! Evaluates the end of a test: whether it passed, which mismatches to throw, and which mismatches are only
//! consequences of another error.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_mock_server::{Outcome, ServerMismatch};
use contract_report::{Finding, Part};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::serve::MockSession;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, Spelling, message, operation, setting};

/// How the test callback ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestEnd {
    /// The callback returned a value.
    Passed,
    /// The callback threw an error.
    Failed,
    /// The callback did not finish before the timeout.
    TimedOut,
    /// There was no callback, or its result is unknown. The servers' outcome decides whether the test passed.
    Unknown,
}

/// The end of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// How the callback ended.
    pub end: TestEnd,
    /// Name of the callback in messages, such as `The function passed to serve at orders.test.ts:12:5`. `None` if there
    /// was no callback.
    pub name: Option<String>,
    /// True if the callback returned a value rather than a promise. `None` if this is unknown.
    pub at_once: Option<bool>,
    /// True if the test had already finished when the callback ended, so that it passed regardless of the callback's
    /// result.
    pub after_test: Option<bool>,
}

/// The result of a test: the errors to throw and the text to print.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The mismatches to throw, if there are any. The callback's error or timeout is the cause of the thrown error.
    pub mismatched: Option<Mismatched>,
    /// The callback's timeout, if the callback did not finish in time.
    pub late: Option<Late>,
    /// The messages to print, such as advice about the mismatches.
    pub print: Vec<String>,
}

/// The mismatches of all servers in a test.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatched {
    /// The mismatches as text.
    pub text: String,
    /// The mismatches as colored text for a terminal.
    pub coloured: String,
    /// The mismatches as data.
    pub mismatches: Vec<ServerMismatch>,
    /// The log of the servers, with one line per event.
    pub logs: String,
}

/// A callback that did not finish before the timeout.
#[derive(Clone, Debug, Serialize)]
pub struct Late {
    /// The error message.
    pub text: String,
    /// The timeout in milliseconds.
    pub timeout: u64,
    /// The log of the servers, with one line per event.
    pub logs: String,
}

type Stopped<'a> = (&'a MockSession, Outcome);

impl Ending {
    /// Parses the end of a test from a binding's JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }
}

/// Stops all servers of a test. Returns what to throw and what to print.
pub async fn end_test(
    sessions: &[Arc<MockSession>],
    ending: Ending,
    spelling: &(dyn Spelling + Sync),
) -> Result<Verdict, Failure> {
    let late = (ending.end == TestEnd::TimedOut).then(|| late(sessions, &ending, spelling));
    let passed = match ending.end {
        TestEnd::Passed => Some(true),
        TestEnd::Failed | TestEnd::TimedOut => Some(false),
        TestEnd::Unknown => None,
    };
    let mut stopped: Vec<Stopped<'_>> = Vec::with_capacity(sessions.len());
    let mut problem = None;
    for session in sessions {
        match session.stop(passed).await {
            Ok(outcome) => stopped.push((session, outcome)),
            Err(error) => problem = problem.or(Some(error)),
        }
    }
    // If a file cannot be written, a passed test fails. For a failed test, the original error is more important.
    if let (Some(problem), false) = (problem, passed == Some(false)) {
        return Err(problem);
    }
    let verbose = stopped
        .iter()
        .filter(|(session, outcome)| session.is_verbose() && !outcome.matched);
    let mut print: Vec<String> = verbose.map(|(_, outcome)| outcome.to_text(false)).collect();
    if ending.after_test == Some(true) {
        let name = ending.name.as_deref().unwrap_or("The function");
        print.push(format!(
            "{name} finished after its test had ended, so it could not fail the test. Add await or return before the call."
        ));
    }
    // If the callback failed, missing requests are a consequence, but mismatched requests may be the cause.
    let is_reported = |outcome: &Outcome| {
        let is_only_consequence = passed == Some(false) && outcome.mismatches.iter().all(is_consequence);
        !outcome.matched && !is_only_consequence
    };
    let is_silent = sessions.iter().all(|session| session.last_request().is_none());
    stopped.retain(|(session, outcome)| session.raises() && is_reported(outcome));
    let hint = if is_silent {
        hint(&stopped, &ending)
    } else {
        Message::default()
    };
    let is_one = sessions.len() == 1;
    let mismatched = (!stopped.is_empty()).then(|| mismatched(&stopped, is_one, &hint, spelling));
    Ok(Verdict {
        mismatched,
        late,
        print,
    })
}

/// Returns the mismatches of a running server, or `None` if there are none.
pub fn mismatched_so_far(session: &MockSession, spelling: &dyn Spelling) -> Option<Mismatched> {
    let outcome = session.report();
    (!outcome.matched).then(|| mismatched(&[(session, outcome)], true, &Message::default(), spelling))
}

fn is_consequence(mismatch: &ServerMismatch) -> bool {
    match mismatch {
        ServerMismatch::MissingRequest { .. } => true,
        ServerMismatch::TimesMismatch { actual, min, .. } => actual < min,
        _ => false,
    }
}

/// Combines the mismatches of all servers. If `is_one` is true, the test had only one server, so its title is omitted.
fn mismatched(failed: &[Stopped<'_>], is_one: bool, hint: &Message, spelling: &dyn Spelling) -> Mismatched {
    let titled = |text: &dyn Fn(&Stopped<'_>) -> String| match failed {
        [server] if is_one => text(server),
        several => {
            let texts = several
                .iter()
                .map(|server| format!("{}: {}", server.0.contract().title(), text(server)));
            texts.collect::<Vec<_>>().join("\n")
        }
    };
    let mut advice = String::new();
    for line in failed.iter().flat_map(advice_of).chain([hint.clone()]) {
        if !line.pieces().is_empty() {
            advice.push('\n');
            advice.push_str(&line.text(spelling));
        }
    }
    Mismatched {
        text: with(titled(&|(_, outcome)| outcome.to_text(false)), &advice),
        coloured: with(titled(&|(_, outcome)| outcome.to_text(true)), &advice),
        mismatches: failed
            .iter()
            .flat_map(|(_, outcome)| outcome.mismatches.clone())
            .collect(),
        logs: titled(&|(session, _)| session.log()),
    }
}

fn with(text: String, lines: &str) -> String {
    if lines.is_empty() {
        return text;
    }
    format!("{}{lines}\n", text.trim_end())
}

/// Returns the advice to print after the mismatches of a server.
fn advice_of(stopped: &Stopped<'_>) -> Vec<Message> {
    let mut lines = retired(stopped);
    let (session, outcome) = stopped;
    let is_unknown = |mismatch: &ServerMismatch| matches!(mismatch, ServerMismatch::RequestNotFound { .. });
    if outcome.mismatches.iter().any(is_unknown) {
        lines.extend(session.contract().incomplete());
    }
    if session.keeps_requests() && outcome.mismatches.iter().any(hides_cookies) {
        lines.push(
            "Cookie values are redacted. The requests property of the server contains the received values.".into(),
        );
    }
    lines
}

/// Returns true if a mismatch concerns the value of a received cookie.
fn hides_cookies(mismatch: &ServerMismatch) -> bool {
    let findings: &[Finding] = match mismatch {
        ServerMismatch::RequestMismatch { mismatches, .. } => mismatches,
        ServerMismatch::RequestNotFound {
            closest: Some(closest), ..
        } => &closest.mismatches,
        _ => &[],
    };
    let is_cookie = |finding: &Finding| {
        let name = finding.key.as_deref().unwrap_or_default();
        finding.part == Part::Header && finding.actual.is_some() && name.eq_ignore_ascii_case("cookie")
    };
    findings.iter().any(is_cookie)
}

/// Returns advice about unexpected requests that match an interaction of an earlier server.
fn retired((session, outcome): &Stopped<'_>) -> Vec<Message> {
    let unknown = outcome.mismatches.iter().filter_map(|mismatch| match mismatch {
        ServerMismatch::RequestNotFound { method, path, .. } => Some((method, path)),
        _ => None,
    });
    let known = unknown.filter_map(|(method, path)| {
        let (description, origin) = session.contract().find_retired(method, path)?;
        let origin = if origin.is_empty() { origin } else { format!(" (defined at {origin})") };
        Some(message![
            format!(
                "{method} {path} matches {description:?}{origin}, but that interaction was already served and is retired. To \
                 serve it again, pass "
            ),
            setting("all", "true"),
            " or ",
            setting("only", "[…]"),
            "."
        ])
    });
    known.collect()
}

/// Returns the probable reason why a callback passed without sending any request, or an empty message.
fn hint(failed: &[Stopped<'_>], ending: &Ending) -> Message {
    let is_silent = |(_, outcome): &Stopped<'_>| outcome.mismatches.iter().all(is_consequence);
    let Some(name) = &ending.name else {
        return Message::default();
    };
    if ending.end != TestEnd::Passed || failed.is_empty() || !failed.iter().all(is_silent) {
        return Message::default();
    }
    let text = if ending.at_once.unwrap_or(false) {
        format!("{name} did not return a promise, and no request had been received by then. Is an await missing?")
    } else {
        format!("{name} finished before any request was received. Is an await missing in it?")
    };
    text.into()
}

fn late(sessions: &[Arc<MockSession>], ending: &Ending, spelling: &dyn Spelling) -> Late {
    let limit = sessions.first().map_or(Duration::ZERO, |session| session.timeout());
    let last = sessions.iter().filter_map(|session| session.last_request());
    let seen = match last.max_by_key(|(_, at)| *at) {
        None => "No request was received. Does the client use the URL of the mock server?".to_owned(),
        Some((request, at)) => {
            let ago = SystemTime::now().duration_since(at).unwrap_or_default();
            format!("The last request, {request}, was received {} earlier.", seconds(ago))
        }
    };
    let name = ending.name.as_deref().unwrap_or("The test");
    let advice = message![
        format!("{name} did not finish within {}. {seen}\n", seconds(limit)),
        "It is probably waiting for something that never happens. If it needs more time, pass a longer timeout in milliseconds to ",
        operation("serve"),
        " or to the contract, such as ",
        setting("timeout", "20000"),
        " (0 disables it). The test runner's timeout must be longer than that."
    ];
    Late {
        text: advice.text(spelling),
        timeout: u64::try_from(limit.as_millis()).unwrap_or(u64::MAX),
        logs: sessions
            .iter()
            .map(|session| session.log())
            .collect::<Vec<_>>()
            .join("\n"),
    }
}

#[expect(clippy::cast_precision_loss, reason = "a duration in a message")]
fn seconds(time: Duration) -> String {
    format!("{} s", time.as_millis() as f64 / 1000.0)
}
