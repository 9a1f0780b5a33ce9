//! Runs commands against a broker.

use std::path::Path;

use tempfile::TempDir;

use crate::process::{self, BrokerProcess, command};

#[path = "../../../broker-client/tests/it/support/recorded.rs"]
pub(crate) mod recorded;
#[path = "../../../broker-client/tests/it/support/stub.rs"]
pub(crate) mod stub;

/// The exit code and output of a command.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

pub(crate) fn run_in(directory: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let output = command(arguments, environment)
        .current_dir(directory)
        .output()
        .expect("the executable starts");
    Ran {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// Splits a line at spaces, then replaces each `_` with a space.
pub(crate) fn split_arguments(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace('_', " ")).collect()
}

/// A running broker and a working directory.
pub(crate) struct Setup {
    broker: BrokerProcess,
    pub(crate) url: String,
    pub(crate) directory: TempDir,
}

impl Setup {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(environment: &[(&str, &str)]) -> Self {
        let line = "serve --listen 127.0.0.1:0 --log-level error --stop-with-stdin --db memory";
        let arguments: Vec<&str> = line.split(' ').collect();
        let broker = process::start(command(&arguments, environment));
        let url = format!("http://{}", broker.address);
        Self {
            broker,
            url,
            directory: tempfile::tempdir().expect("a directory"),
        }
    }

    /// Writes a contract file with one interaction for each path.
    pub(crate) fn contract(&self, consumer: &str, provider: &str, paths: &[&str]) {
        let interactions: Vec<String> = paths
            .iter()
            .map(|path| {
                format!(
                    r#"{{"description": "a request for {path}", "providerStates": [{{"name": "there is {path}"}}], "request": {{"method": "GET", "path": "{path}"}}, "response": {{"status": 200}}}}"#
                )
            })
            .collect();
        let text = format!(
            r#"{{"consumer": {{"name": "{consumer}"}}, "provider": {{"name": "{provider}"}}, "interactions": [{}], "metadata": {{"pactSpecification": {{"version": "3.0.0"}}}}}}"#,
            interactions.join(", ")
        );
        let contracts = self.directory.path().join("contracts");
        std::fs::create_dir_all(&contracts).expect("a directory");
        std::fs::write(contracts.join(format!("{consumer}-{provider}.json")), text).expect("a file");
    }

    /// Runs a command line against the broker.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with(line, &[])
    }

    pub(crate) fn run_with(&self, line: &str, environment: &[(&str, &str)]) -> Ran {
        let words = split_arguments(line);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut all = vec![("CONTRACT_BROKER_BASE_URL", self.url.as_str())];
        all.extend(environment);
        run_in(self.directory.path(), &arguments, &all)
    }

    /// Runs a command line. Its exit code must be `code`, and its output must contain `text`.
    #[track_caller]
    pub(crate) fn check(&self, line: &str, code: i32, text: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(text), "{line}: {text:?} is missing in {all}");
        ran
    }

    fn send(&self, method: &str, path: &str, body: &str) -> (u16, String) {
        process::send(&self.broker.address, method, path, body).expect("a response")
    }

    /// Publishes a verification result for the contract of a consumer version.
    pub(crate) fn verified(&self, consumer: &str, version: &str, provider: &str, by: &str, success: bool) {
        let (_, contract) = self.send(
            "GET",
            &format!("/pacts/provider/{provider}/consumer/{consumer}/version/{version}"),
            "",
        );
        let rest = contract
            .split("pb:publish-verification-results")
            .nth(1)
            .expect("a link");
        let href = rest
            .split("\"href\":")
            .nth(1)
            .and_then(|rest| rest.split('"').nth(1))
            .expect("a URL");
        let path = href.trim_start_matches(&self.url).to_owned();
        let body = format!(r#"{{"success": {success}, "providerApplicationVersion": "{by}"}}"#);
        assert_eq!(self.send("POST", &path, &body).0, 201, "{path}");
    }

    pub(crate) fn environment_uuid(&self, environment: &str) -> String {
        let list = self.run("list-environments");
        let line = list
            .out
            .lines()
            .find(|line| line.contains(&format!(" {environment} ")))
            .expect("the environment is listed");
        line.split(' ').next().expect("a UUID").to_owned()
    }
}
