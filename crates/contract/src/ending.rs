//! Ends a test: decides whether it passed, which mismatches to throw, and which mismatches are only consequences of
//! another error.

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
    /// The callback returned without an error.
    Passed,
    /// The callback threw an error.
    Failed,
    /// The callback did not finish before the timeout.
    TimedOut,
    /// There was no callback, or its result is unknown. The test passes if its servers have no mismatches.
    Unknown,
}

/// The end of a test, as a binding reports it.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// How the callback ended.
    pub end: TestEnd,
    /// Name of the callback in messages, such as `The function passed to serve at orders.test.ts:12:5`. `None` if there
    /// was no callback.
    pub name: Option<String>,
    /// True if the callback returned a value rather than a promise. `None` if this is unknown. It selects the hint for
    /// a callback that sent no request.
    pub at_once: Option<bool>,
    /// True if the test runner had already ended the test when the callback finished, so that the test could no longer
    /// fail. `None` counts as false.
    pub after_test: Option<bool>,
}

/// The result of a test. The test passed if `mismatched` and `late` are `null` and the callback threw no error.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The mismatches to throw, or `null` if there are none. If the callback threw an error or did not finish in time,
    /// this error becomes the cause of the thrown error.
    pub mismatched: Option<Mismatched>,
    /// The error for a callback that did not finish in time, or `null` if it finished.
    pub late: Option<Late>,
    /// Messages to print, such as the mismatches of a server with the `verbose` option. Empty if there are none.
    pub print: Vec<String>,
}

/// The mismatches of all servers in a test. If there are several servers, each text starts with the title of its
/// contract.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatched {
    /// The mismatches and advice as plain text.
    pub text: String,
    /// The mismatches and advice as text with ANSI colors.
    pub coloured: String,
    /// The mismatches as data, in the order of the servers.
    pub mismatches: Vec<ServerMismatch>,
    /// The last log lines of the servers.
    pub logs: String,
}

/// The error for a callback that did not finish before the timeout.
#[derive(Clone, Debug, Serialize)]
pub struct Late {
    /// The error message with advice.
    pub text: String,
    /// The timeout in milliseconds.
    pub timeout: u64,
    /// The last log lines of the servers.
    pub logs: String,
}

type Stopped<'a> = (&'a MockSession, Outcome);

impl Ending {
    /// Reads the end of a test from JSON text.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }
}

/// Stops all servers of a test. Returns the errors to throw and the text to print. A file that cannot be written is an
/// error, unless the test had already failed.
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

/// Returns the mismatches of a running server so far, or `None` if there are none.
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

/// Combines the mismatches of all servers. If `is_one` is true, the test had only one server, so the title of its
/// contract is omitted.
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

/// Returns advice about the mismatches of a server.
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

/// Returns true if the message about this mismatch redacts the value of a received cookie.
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

/// Returns advice about unexpected requests that match an interaction that an earlier server has served.
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
