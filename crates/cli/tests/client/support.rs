//! The executable as contract-broker, and brokers to ask.

use std::io::{BufRead, BufReader};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use tempfile::TempDir;

#[path = "../../../broker-client/tests/it/support/recorded.rs"]
pub(crate) mod recorded;
#[path = "../../../broker-client/tests/it/support/stub.rs"]
pub(crate) mod stub;

/// How a command ended.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

fn command(arguments: &[&str], environment: &[(&str, &str)], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_contract"));
    command
        .arg0("contract-broker")
        .args(arguments)
        .current_dir(directory)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .envs(environment.iter().copied());
    command
}

/// Runs a command to its end.
pub(crate) fn run_in(directory: &Path, arguments: &[&str], environment: &[(&str, &str)]) -> Ran {
    let output = command(arguments, environment, directory)
        .output()
        .expect("the executable starts");
    Ran {
        code: output.status.code().expect("an exit code"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

/// The words of a line, with blanks where a word has `_`.
pub(crate) fn words(line: &str) -> Vec<String> {
    line.split_whitespace().map(|word| word.replace('_', " ")).collect()
}

/// A broker of this project in a process of its own, and a directory to work in.
pub(crate) struct Place {
    process: Child,
    pub(crate) url: String,
    pub(crate) directory: TempDir,
}

impl Drop for Place {
    fn drop(&mut self) {
        // It may be gone already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Place {
    pub(crate) fn new() -> Self {
        Self::with(&[])
    }

    pub(crate) fn with(environment: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().expect("a folder");
        let line = "serve --listen 127.0.0.1:0 --log-level error --stop-with-stdin --db memory";
        let arguments: Vec<&str> = line.split(' ').collect();
        let mut process = command(&arguments, environment, directory.path())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the executable starts");
        let mut line = String::new();
        BufReader::new(process.stdout.take().expect("a pipe"))
            .read_line(&mut line)
            .expect("a line");
        let url = format!("http://{}", line.split("http://").nth(1).expect("an address").trim());
        Self {
            process,
            url,
            directory,
        }
    }

    /// A contract file with one interaction for each path.
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
        let folder = self.directory.path().join("contracts");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(format!("{consumer}-{provider}.json")), text).expect("a file");
    }

    /// Runs a line against the broker.
    pub(crate) fn run(&self, line: &str) -> Ran {
        self.run_with(line, &[])
    }

    pub(crate) fn run_with(&self, line: &str, environment: &[(&str, &str)]) -> Ran {
        let words = words(line);
        let arguments: Vec<&str> = words.iter().map(String::as_str).collect();
        let mut all = vec![("CONTRACT_BROKER_BASE_URL", self.url.as_str())];
        all.extend(environment);
        run_in(self.directory.path(), &arguments, &all)
    }

    /// Runs a line that must end with this code and tell this.
    #[track_caller]
    pub(crate) fn check(&self, line: &str, code: i32, told: &str) -> Ran {
        let ran = self.run(line);
        assert_eq!(ran.code, code, "{line}: {ran:?}");
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(told), "{line}: {told:?} is missing in {all}");
        ran
    }

    /// Puts a document.
    pub(crate) fn send(&self, method: &str, path: &str, body: &str) -> String {
        use std::io::{Read, Write};
        let address = self.url.trim_start_matches("http://");
        let mut stream = std::net::TcpStream::connect(address).expect("a connection");
        let head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {address}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        );
        stream
            .write_all(format!("{head}{body}").as_bytes())
            .expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).expect("an answer");
        answer
    }

    /// Publishes a result for the contract of a consumer's version.
    pub(crate) fn verified(&self, consumer: &str, version: &str, provider: &str, by: &str, success: bool) {
        let contract = self.send(
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
        assert!(self.send("POST", &path, &body).starts_with("HTTP/1.1 201"), "{path}");
    }

    /// The UUID of the environment.
    pub(crate) fn uuid_of(&self, environment: &str) -> String {
        let list = self.run("list-environments");
        let line = list
            .out
            .lines()
            .find(|line| line.contains(&format!(" {environment} ")))
            .expect("it is there");
        line.split(' ').next().expect("a UUID").to_owned()
    }
}
