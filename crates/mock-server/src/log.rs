//! Formats the events of a server as log lines. All events come from the journal.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract_report::escape_line;

use crate::exchange::Exchange;
use crate::journal::Event;
use crate::refusal;

/// Maximum number of requests in the log.
const LINES: usize = 1000;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Life {
    pub(crate) started: SystemTime,
    pub(crate) stopped: Option<SystemTime>,
}

pub(crate) fn text(exchange: &Exchange, life: Life) -> String {
    let served = exchange.expectations.list.len();
    let plural = if served == 1 { "" } else { "s" };
    let beginning = format!("listening on {} for {served} interaction{plural}", exchange.url);
    let mut lines = vec![(life.started, "INFO", beginning)];
    let (events, left_out) = exchange.journal.events(LINES);
    if left_out > 0 {
        lines.push((life.started, "INFO", format!("… {left_out} earlier requests")));
    }
    lines.extend(events.into_iter().map(|(at, event)| log_line(exchange, at, &event)));
    // The journal stores server problems and requests in separate lists.
    lines.sort_by_key(|(at, ..)| *at);
    if let Some(stopped) = life.stopped {
        lines.push((stopped, "INFO", "stopped".to_owned()));
    }
    let mut text = String::new();
    for (at, level, line) in lines {
        // Writing to a `String` never fails.
        let _ = writeln!(text, "{} {level:<5} {}", time_of_day(at), escape_line(&line));
    }
    text
}

fn log_line(exchange: &Exchange, at: SystemTime, event: &Event) -> (SystemTime, &'static str, String) {
    match event {
        Event::Matched { target, expectation } => {
            let interaction = &exchange.expectations.list[*expectation].served.interaction;
            (at, "INFO", format!("{target} matched {:?}", interaction.description))
        }
        Event::Failed(failure) => (at, "ERROR", refusal::sentence(&exchange.expectations, failure)),
        Event::Preflight { target } => (at, "INFO", format!("{target}: answered as a CORS preflight request")),
        Event::ServerProblem(trouble) => (at, "WARN", trouble.to_string()),
    }
}

/// Formats a time in UTC, such as `07:31:05.250Z`. Omits the date, because tests do not run for days.
fn time_of_day(at: SystemTime) -> String {
    let since = at.duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
    let seconds = since.as_secs() % (24 * 60 * 60);
    let (hours, minutes) = (seconds / 3600, seconds / 60 % 60);
    format!(
        "{hours:02}:{minutes:02}:{:02}.{:03}Z",
        seconds % 60,
        since.subsec_millis()
    )
}
