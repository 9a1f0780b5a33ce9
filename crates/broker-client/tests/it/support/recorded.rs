//! A server that replays recorded Pact Broker replies.

use contract_model::Json;

use super::stub::{Asked, Reply, Stub};

/// Environment variable with the folder of the recordings.
const FOLDER: &str = "CONTRACT_BROKER_RECORDINGS";

/// Starts the server. Returns `None` if the environment variable is not set.
pub(crate) async fn start() -> Option<Stub> {
    let Some(folder) = std::env::var_os(FOLDER) else {
        eprintln!("\n*** SKIPPED: {FOLDER} is not set to the folder of the recorded replies. ***\n");
        return None;
    };
    let mut recordings = Vec::new();
    for entry in std::fs::read_dir(folder).expect("the folder of the recordings") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "json") {
            let text = std::fs::read(&path).expect("a recording");
            let list = Json::parse(&text).expect("JSON");
            recordings.extend(list.as_array().expect("a list").to_vec());
        }
    }
    assert!(!recordings.is_empty(), "no recordings");
    Some(Stub::start(move |asked, _| reply(&recordings, asked)).await)
}

/// Finds the reply to this request, or to one that differs only in its body.
fn reply(recordings: &[Json], asked: &Asked) -> Reply {
    let decoded = |text: &str| text.replace("%5B", "[").replace("%5D", "]");
    let alike: Vec<&Json> = recordings
        .iter()
        .filter(|one| {
            let text = |pointer| one.pointer(pointer).and_then(Json::as_str).unwrap_or_default();
            text("/request/method") == asked.method && decoded(text("/request/path")) == decoded(&asked.target)
        })
        .collect();
    let mut body = Json::parse(asked.body.as_bytes()).unwrap_or_default();
    if let Some(members) = body.as_object_mut() {
        // Omitting this member is the same as `false`.
        members.retain(|name, value| name != "includePendingStatus" || *value != Json::from(false));
    }
    let same = alike.iter().find(|one| {
        let text = one.pointer("/request/body").and_then(Json::as_str).unwrap_or_default();
        Json::parse(text.as_bytes()).unwrap_or_default() == body
    });
    let Some(found) = same.or(alike.first()) else {
        return Reply::json(404, r#"{"error":"this was not recorded"}"#);
    };
    let status = found.pointer("/response/status").and_then(Json::as_u64);
    let text = match found.pointer("/response/body") {
        Some(Json::String(text)) => text.to_string(),
        Some(Json::Null) | None => String::new(),
        Some(other) => other.to_text(),
    };
    Reply::json(
        status.and_then(|status| u16::try_from(status).ok()).unwrap_or(500),
        &text,
    )
}
