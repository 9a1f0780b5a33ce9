//! Environment variables. Callers pass them explicitly, because some test runners replace the variables of the process.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use contract_broker_client::Access;
use contract_model::Json;
use contract_wire::{Client, ClientOptions, MoreAuthorities, Proxies, SettingsError, Tls};

use contract_call::error::ArgumentError;

/// Variables that test runners and CI systems set. If one of them is set, no progress is displayed.
const RUNNERS: [&str; 5] = ["JEST_WORKER_ID", "VITEST", "NODE_TEST_CONTEXT", "MOCHA_WORKER_ID", "CI"];

const MOST_RETRIES: u32 = 100;

/// Environment variables by name.
#[derive(Clone, Default, PartialEq, Eq, serde::Deserialize)]
#[serde(transparent)]
pub struct Environment(BTreeMap<String, String>);

impl std::fmt::Debug for Environment {
    /// Formats only the names of the variables, because their values may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

impl Environment {
    /// Reads the variables of this process. Skips those that are not valid Unicode.
    pub fn from_process() -> Self {
        let set =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)));
        Self(set.collect())
    }

    /// Returns the names of all variables whose value is not empty.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0
            .iter()
            .filter(|(_, value)| !value.is_empty())
            .map(|(name, _)| name.as_str())
    }

    /// Reads the variables from a JSON object. Skips values that are not strings.
    pub fn from_json(variables: &Json) -> Self {
        let members = variables.as_object().into_iter().flat_map(|members| members.iter());
        let set = members.filter_map(|(name, value)| Some((name.to_string(), value.as_str()?.to_owned())));
        Self(set.collect())
    }

    /// Returns the environment with one variable set.
    #[must_use]
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self.0.insert(name.to_owned(), value.to_owned());
        self
    }

    /// Returns true if a variable contains a broker URL.
    pub fn has_broker(&self) -> bool {
        self.broker().url.is_some()
    }

    /// Returns the value of a variable, or `None` if it is not set or empty.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns true if output must be colored. `terminal` is true if output goes to a terminal. `FORCE_COLOR` overrides
    /// `NO_COLOR`, which overrides the default: color on terminals.
    pub fn uses_color(&self, terminal: bool) -> bool {
        match self.get("FORCE_COLOR") {
            Some(forced) => !matches!(forced, "0" | "false"),
            None => terminal && self.get("NO_COLOR").is_none() && self.get("TERM") != Some("dumb"),
        }
    }

    /// Returns true if progress must be displayed: on a terminal, but not under test runners or in CI.
    pub fn shows_progress(&self, terminal: bool) -> bool {
        terminal && RUNNERS.iter().all(|name| self.get(name).is_none())
    }

    /// Returns the package manager command that started this process, such as `npm test`, or `None` if it was started
    /// in another way. Reports use it to explain how to run the command again.
    pub fn command(&self) -> Option<String> {
        let script = self.get("npm_lifecycle_event").filter(|script| *script != "npx")?;
        let agent = self.get("npm_config_user_agent").unwrap_or_default();
        let manager = agent.split(['/', ' ']).next();
        let manager = manager
            .filter(|name| matches!(*name, "npm" | "pnpm" | "yarn" | "bun"))
            .unwrap_or("npm");
        Some(match script {
            "test" => format!("{manager} test"),
            script => format!("{manager} run {script}"),
        })
    }

    pub fn is_on(&self, name: &str) -> bool {
        self.get(name).is_some_and(|value| !is_false(value))
    }

    fn proxy_variable(&self, lower: &str) -> Option<String> {
        // As in curl, the variable in lower case takes precedence.
        self.get(lower)
            .or_else(|| self.get(&lower.to_ascii_uppercase()))
            .map(ToOwned::to_owned)
    }

    /// Returns the proxies from the variables `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy`. Their names may
    /// also be in upper case.
    pub fn proxies(&self) -> Proxies {
        Proxies {
            http: self.proxy_variable("http_proxy"),
            https: self.proxy_variable("https_proxy"),
            all: self.proxy_variable("all_proxy"),
            no: self.proxy_variable("no_proxy"),
        }
    }

    /// Returns true if `SSL_SKIP_VERIFICATION` turns off the verification of certificates.
    pub fn skips_certificates(&self) -> bool {
        self.is_on("SSL_SKIP_VERIFICATION")
    }

    /// Returns a function that reads additional CA certificates when they are needed, or `None` if there are none.
    /// Files that cannot be used add a warning and are not an error, because most providers under test use plain HTTP.
    pub fn authorities(&self, warnings: &mut Vec<String>) -> Option<MoreAuthorities> {
        let mut files = Vec::new();
        for name in ["SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS"] {
            if let Some(path) = self.get(name) {
                match check_certificates(Path::new(path)) {
                    Ok(()) => files.push(PathBuf::from(path)),
                    Err(problem) => {
                        warnings.push(format!("cannot read the certificates in {path} ({name}): {problem}"));
                    }
                }
            }
        }
        let directory = self.get("SSL_CERT_DIR").map(PathBuf::from);
        let directory = directory.filter(|path| match std::fs::read_dir(path) {
            Ok(_) => true,
            Err(error) => {
                let path = path.display();
                warnings.push(format!("cannot read the directory {path} (SSL_CERT_DIR): {error}"));
                false
            }
        });
        if files.is_empty() && directory.is_none() {
            return None;
        }
        Some(Arc::new(move || {
            let entries = directory
                .iter()
                .filter_map(|path| std::fs::read_dir(path).ok())
                .flatten();
            let entries = entries.flatten().map(|entry| entry.path());
            // Other files in the directory are ignored.
            let files = files.iter().cloned().chain(entries);
            files
                .filter_map(|path| contract_call::files::read_settings(&path).ok())
                .collect()
        }))
    }

    /// Returns the broker's URL and credentials.
    pub fn broker(&self) -> Access {
        Access::from_environment(|name| self.get(name).map(ToOwned::to_owned))
    }

    /// Returns the full name and the value of a broker variable such as `HTTP_RETRIES`. The prefix `CONTRACT_BROKER_`
    /// takes precedence over `PACT_BROKER_`.
    fn broker_variable(&self, name: &str) -> Option<(String, &str)> {
        ["CONTRACT_BROKER_", "PACT_BROKER_"].into_iter().find_map(|prefix| {
            let name = format!("{prefix}{name}");
            let value = self.get(&name)?;
            Some((name, value))
        })
    }

    /// Returns the maximum number of retries of a broker request, or `None` if no variable sets it.
    pub fn retries(&self) -> Result<Option<u32>, ArgumentError> {
        let Some((name, value)) = self.broker_variable("HTTP_RETRIES") else {
            return Ok(None);
        };
        let count = value.parse().ok().filter(|count| *count <= MOST_RETRIES);
        count.map(Some).ok_or_else(|| {
            let message = format!("{name} must be a whole number from 0 to {MOST_RETRIES}, received {value:?}");
            ArgumentError::new("ERR_CONTRACT_OPTIONS", message)
        })
    }

    /// Returns why the variables prevent results from being published, or `None` if they do not.
    pub fn withholds_results(&self) -> Option<String> {
        if let Some((name, value)) = self.broker_variable("PUBLISH_VERIFICATION_RESULTS")
            && is_false(value)
        {
            return Some(format!("{name} is {value}"));
        }
        let filter = if self.is_on("CONTRACT_PROVIDER_NO_STATE") {
            "CONTRACT_PROVIDER_NO_STATE"
        } else {
            let patterns = ["CONTRACT_DESCRIPTION", "CONTRACT_PROVIDER_STATE"];
            patterns.into_iter().find(|name| self.get(name).is_some())?
        };
        Some(format!("{filter} excludes interactions"))
    }

    /// Returns the user's cache directory, such as `~/.cache`, or `None` if it is unknown.
    pub fn user_cache(&self) -> Option<PathBuf> {
        let set = |name: &str| self.get(name).map(PathBuf::from);
        set("XDG_CACHE_HOME")
            .or_else(|| set("LOCALAPPDATA"))
            .or_else(|| {
                set("HOME")
                    .or_else(|| set("USERPROFILE"))
                    .map(|home| home.join(".cache"))
            })
            .filter(|path| path.is_absolute())
    }
}

fn is_false(value: &str) -> bool {
    matches!(value.to_ascii_lowercase().as_str(), "0" | "false" | "no")
}

#[derive(Debug, thiserror::Error)]
enum CertificateError {
    #[error(transparent)]
    Read(#[from] std::io::Error),
    #[error(transparent)]
    Invalid(#[from] SettingsError),
}

/// Returns an error if the file cannot be read or contains no valid certificate.
fn check_certificates(path: &Path) -> Result<(), CertificateError> {
    const BEGINNING: &[u8] = b"-----BEGIN CERTIFICATE-----";
    let pem = contract_call::files::read_settings(path)?;
    // Only search for the first line of a certificate, because parsing all of the system's certificates takes
    // milliseconds.
    if pem.windows(BEGINNING.len()).any(|window| window == BEGINNING) {
        return Ok(());
    }
    let alone = ClientOptions {
        tls: Tls {
            authorities: vec![pem],
            ..Tls::default()
        },
        ..ClientOptions::default()
    };
    Client::new(alone)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::Environment;

    fn environment(variables: &[(&str, &str)]) -> Environment {
        Environment(
            variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        )
    }

    #[test]
    fn reads_proxies() {
        let proxies =
            environment(&[("HTTP_PROXY", "http://a"), ("http_proxy", "http://b"), ("NO_PROXY", "")]).proxies();
        assert_eq!(proxies.http.as_deref(), Some("http://b"));
        assert_eq!(proxies.no, None);
    }

    #[test]
    fn withholds_results_if_the_environment_prevents_publishing() {
        let why = |name, value| environment(&[(name, value)]).withholds_results();
        assert!(why("PACT_BROKER_PUBLISH_VERIFICATION_RESULTS", "false").is_some());
        assert!(
            why("CONTRACT_DESCRIPTION", "x")
                .unwrap()
                .contains("CONTRACT_DESCRIPTION")
        );
        assert_eq!(why("CONTRACT_BROKER_PUBLISH_VERIFICATION_RESULTS", "true"), None);
        assert_eq!(why("CONTRACT_PROVIDER_NO_STATE", "false"), None);
    }

    #[test]
    fn reads_the_number_of_retries() {
        assert_eq!(
            environment(&[("CONTRACT_BROKER_HTTP_RETRIES", "0")]).retries().unwrap(),
            Some(0)
        );
        assert_eq!(environment(&[]).retries().unwrap(), None);
        let error = environment(&[("PACT_BROKER_HTTP_RETRIES", "many")])
            .retries()
            .unwrap_err();
        assert!(error.to_string().contains("PACT_BROKER_HTTP_RETRIES"), "{error}");
    }

    #[test]
    fn color_and_progress_depend_on_the_terminal_and_variables() {
        assert!(environment(&[]).uses_color(true) && !environment(&[]).uses_color(false));
        assert!(!environment(&[("NO_COLOR", "1")]).uses_color(true));
        assert!(environment(&[("FORCE_COLOR", "1"), ("NO_COLOR", "1")]).uses_color(false));
        assert!(!environment(&[("FORCE_COLOR", "0")]).uses_color(true));
        assert!(environment(&[]).shows_progress(true) && !environment(&[]).shows_progress(false));
        assert!(!environment(&[("VITEST", "true")]).shows_progress(true));
    }

    #[test]
    fn returns_the_command_of_the_package_manager() {
        let command =
            |script, agent| environment(&[("npm_lifecycle_event", script), ("npm_config_user_agent", agent)]).command();
        assert_eq!(command("test", "pnpm/9.1 npm/? node/v20").as_deref(), Some("pnpm test"));
        assert_eq!(command("verify", "").as_deref(), Some("npm run verify"));
        assert_eq!(command("npx", "npm/10"), None);
        assert_eq!(environment(&[]).command(), None);
    }

    #[test]
    fn missing_certificates_are_warnings() {
        let mut warnings = Vec::new();
        let found = environment(&[("SSL_CERT_FILE", "/nowhere/at-all.pem")]).authorities(&mut warnings);
        assert!(found.is_none());
        assert!(
            warnings[0].starts_with("cannot read the certificates in /nowhere/at-all.pem (SSL_CERT_FILE)"),
            "{warnings:?}"
        );
    }
}
