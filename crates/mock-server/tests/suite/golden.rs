//! Compares mismatch reports with golden files. Each file contains interactions, requests, and the expected output.
//! `UPDATE_GOLDEN=1 cargo test -p contract-mock-server` updates the files. Review the changes before you commit them.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use contract_mock_server::{MockServer, Order, ServedInteraction, ServerOptions, Times};
use contract_model::Json;

use crate::common::{self, interaction, send};

/// The sections of a golden file.
struct Case {
    name: String,
    path: PathBuf,
    interactions: Vec<Json>,
    /// The content of the file, unchanged.
    given: String,
    requests: Vec<String>,
    options: Vec<String>,
    wanted: String,
}

impl Case {
    fn read(path: &Path) -> Self {
        let text = std::fs::read_to_string(path).unwrap();
        let (given, wanted) = text.split_once("=== text\n").unwrap_or((&text, ""));
        let mut case = Self {
            name: path.file_stem().unwrap().to_string_lossy().into_owned(),
            path: path.to_owned(),
            interactions: Vec::new(),
            given: given.to_owned(),
            requests: Vec::new(),
            options: Vec::new(),
            wanted: wanted.to_owned(),
        };
        for section in given.split("=== ").skip(1) {
            let (kind, content) = section.split_once('\n').unwrap();
            match kind {
                "interaction" => case.interactions.push(Json::parse(content.as_bytes()).unwrap()),
                "request" => case
                    .requests
                    .push(content.strip_suffix('\n').unwrap_or(content).to_owned()),
                option => case.options.push(option.to_owned()),
            }
        }
        case
    }

    fn options(&self) -> ServerOptions {
        let mut options = ServerOptions::default();
        for option in &self.options {
            match option.split_once(' ').unwrap_or((option, "")) {
                ("strict", _) => options.strict = true,
                ("body-limit", bytes) => options.limits.body = bytes.parse().unwrap(),
                ("listed", _) => options.order = Order::Listed,
                other => panic!("{}: no option {other:?}", self.name),
            }
        }
        options
    }

    async fn run(&self) -> String {
        let interactions: Vec<ServedInteraction> = self.interactions.iter().map(served).collect();
        let server = MockServer::start(interactions, self.options()).await.unwrap();
        let mut text = String::new();
        for request in &self.requests {
            let answer = send(&server, &raw(request)).await;
            writeln!(text, "{}", answer.lines().next().unwrap_or_default()).unwrap();
            let body = Json::parse(common::body(&answer).as_bytes()).unwrap_or_default();
            if let Some(error) = body.get("error") {
                writeln!(text, "{}", error.text_form()).unwrap();
            }
        }
        write!(text, "---\n{}", server.stop().await.to_text(false)).unwrap();
        text
    }
}

/// Reads an interaction. The member `x-times` contains the allowed number of requests.
fn served(json: &Json) -> ServedInteraction {
    let served = ServedInteraction::from(interaction(&json.to_text()));
    let bound = |name| {
        json.get("x-times")
            .and_then(|times| times.get(name))
            .and_then(Json::as_u64)
    };
    match (bound("min"), bound("max")) {
        (None, None) => served,
        (min, max) => served.times(Times {
            min: min.unwrap_or(0),
            max,
        }),
    }
}

/// Converts line endings to CRLF and adds the length of the body.
fn raw(request: &str) -> Vec<u8> {
    let (head, body) = request.split_once("\n\n").unwrap_or((request, ""));
    let mut lines: Vec<String> = head.lines().map(str::to_owned).collect();
    lines[0].push_str(" HTTP/1.1");
    lines.push("Host: shop".into());
    if !body.is_empty() {
        lines.push(format!("Content-Length: {}", body.len()));
    }
    format!("{}\r\n\r\n{body}", lines.join("\r\n")).into_bytes()
}

#[tokio::test]
async fn texts() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden");
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    let mut wrong = String::new();
    for path in &paths {
        let case = Case::read(path);
        let text = case.run().await;
        if text == case.wanted {
            continue;
        }
        if std::env::var_os("UPDATE_GOLDEN").is_some() {
            std::fs::write(&case.path, format!("{}=== text\n{text}", case.given)).unwrap();
        } else {
            writeln!(wrong, "{}:\n{text}\ninstead of\n{}", case.name, case.wanted).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    assert!(paths.len() > 40, "the golden files are missing");
}
