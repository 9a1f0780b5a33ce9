//! What the end of a test means: whether it passed, what is to be thrown, and what is only the consequence of what.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use contract_mock_server::{Outcome, ServerMismatch};
use contract_report::{Finding, Part};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::serve::MockSession;
use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::message::{Message, Spelling, operation, setting, told};

/// How the user's function ended that had the servers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TestEnd {
    /// It gave a value.
    Passed,
    /// It threw.
    Failed,
    /// It did not end in time.
    TimedOut,
    /// There was none, or nobody knows: the servers' own verdict decides.
    Unknown,
}

/// The end of a test.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ending {
    /// How the function ended.
    pub end: TestEnd,
    /// How texts name the function: `The function given to serve at orders.test.ts:12:5`.
    pub name: Option<String>,
    /// Whether the function gave its value at once, and no promise of one.
    pub at_once: Option<bool>,
    /// Whether the test that called was over before the function ended, so that the test passed whatever came out here.
    pub after_test: Option<bool>,
}

/// What to do at the end of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// The mismatches to throw. The cause is the error of the callback, or the timeout.
    pub mismatched: Option<Mismatched>,
    /// The timeout of the callback.
    pub late: Option<Late>,
    /// Text to print.
    pub print: Vec<String>,
}

/// The mismatches of all servers of a test.
#[derive(Clone, Debug, Serialize)]
pub struct Mismatched {
    /// As text.
    pub text: String,
    /// As text with colors for a terminal.
    pub coloured: String,
    /// As data.
    pub mismatches: Vec<ServerMismatch>,
    /// The log of the servers, one line per event.
    pub logs: String,
}

/// A callback that did not finish in time.
#[derive(Clone, Debug, Serialize)]
pub struct Late {
    /// As text.
    pub text: String,
    /// The timeout in milliseconds.
    pub timeout: u64,
    /// The log of the servers, one line per event.
    pub logs: String,
}

type Stopped<'a> = (&'a MockSession, Outcome);

impl Ending {
    /// Reads what a binding has written.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        contract_call::read::options(OPTIONS, contract_call::json::parse_json(text)?)
    }
}

/// Stops the servers of a test, whatever happens to one, and says what follows from its end.
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
    // A file that cannot be written fails a test that passed otherwise; of one that failed it is not what matters.
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
            "{name} ended after its test, so the test cannot fail because of it: an await or a return is missing before the call."
        ));
    }
    // A test that broke off leaves requests undone: that is its consequence. Requests that did not match may be its cause.
    let counts = |outcome: &Outcome| {
        let is_broken_off = passed == Some(false) && outcome.mismatches.iter().all(is_consequence);
        !outcome.matched && !is_broken_off
    };
    let is_silent = sessions.iter().all(|session| session.last_request().is_none());
    stopped.retain(|(session, outcome)| session.raises() && counts(outcome));
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

/// What a server has to say while it runs, if anything.
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

/// With `is_one`, the test had one server, and nobody asks which.
fn mismatched(failed: &[Stopped<'_>], is_one: bool, hint: &Message, spelling: &dyn Spelling) -> Mismatched {
    let titled = |text: &dyn Fn(&Stopped<'_>) -> String| match failed {
        [one] if is_one => text(one),
        several => {
            let texts = several
                .iter()
                .map(|one| format!("{}: {}", one.0.contract().title(), text(one)));
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

/// The text with lines behind it.
fn with(text: String, lines: &str) -> String {
    if lines.is_empty() {
        return text;
    }
    format!("{}{lines}\n", text.trim_end())
}

/// What to tell besides what did not match.
fn advice_of(stopped: &Stopped<'_>) -> Vec<Message> {
    let mut lines = retired(stopped);
    let (session, outcome) = stopped;
    let is_unknown = |mismatch: &ServerMismatch| matches!(mismatch, ServerMismatch::RequestNotFound { .. });
    if outcome.mismatches.iter().any(is_unknown) {
        lines.extend(session.contract().unfinished());
    }
    if session.keeps_requests() && outcome.mismatches.iter().any(hides_cookies) {
        lines.push("The values of cookies are hidden here; `requests` of the server has them as they came.".into());
    }
    lines
}

/// Whether it is about cookies that came, but not with the expected values.
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

/// Requests that nobody expects any more, although an earlier server did.
fn retired((session, outcome): &Stopped<'_>) -> Vec<Message> {
    let unknown = outcome.mismatches.iter().filter_map(|mismatch| match mismatch {
        ServerMismatch::RequestNotFound { method, path, .. } => Some((method, path)),
        _ => None,
    });
    let known = unknown.filter_map(|(method, path)| {
        let (description, origin) = session.contract().retired(method, path)?;
        let origin = if origin.is_empty() { origin } else { format!(" (defined at {origin})") };
        Some(told![
            format!(
                "{method} {path} is what {description:?}{origin} expects, which had a server before and is retired; to serve \
                 it again there is "
            ),
            setting("all", "true"),
            " and ",
            setting("only", "[…]"),
            "."
        ])
    });
    known.collect()
}

/// Why a function that passed has probably asked for nothing: no server got a request.
fn hint(failed: &[Stopped<'_>], ending: &Ending) -> Message {
    let is_silent = |(_, outcome): &Stopped<'_>| outcome.mismatches.iter().all(is_consequence);
    let Some(name) = &ending.name else {
        return Message::default();
    };
    if ending.end != TestEnd::Passed || failed.is_empty() || !failed.iter().all(is_silent) {
        return Message::default();
    }
    let text = if ending.at_once.unwrap_or(false) {
        format!("{name} returned no promise, and no request had come by then: is it missing an await?")
    } else {
        format!("{name} ended before any request came: is an await missing in it?")
    };
    text.into()
}

fn late(sessions: &[Arc<MockSession>], ending: &Ending, spelling: &dyn Spelling) -> Late {
    let limit = sessions.first().map_or(Duration::ZERO, |session| session.timeout());
    let last = sessions.iter().filter_map(|session| session.last_request());
    let seen = match last.max_by_key(|(_, at)| *at) {
        None => "No request had come: does it call the URL of the server?".to_owned(),
        Some((request, at)) => {
            let ago = SystemTime::now().duration_since(at).unwrap_or_default();
            format!("The last request, {request}, had come {} before.", seconds(ago))
        }
    };
    let name = ending.name.as_deref().unwrap_or("The test");
    let advice = told![
        format!("{name} did not finish within {}. {seen}\n", seconds(limit)),
        "The usual reason is something that it waits for and that never comes. If it needs longer, give ",
        operation("serve"),
        " or the contract a longer timeout in milliseconds, such as ",
        setting("timeout", "20000"),
        "; 0 is none. That of the test runner must be longer still."
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

#[expect(clippy::cast_precision_loss, reason = "a time in a text")]
fn seconds(time: Duration) -> String {
    format!("{} s", time.as_millis() as f64 / 1000.0)
}
