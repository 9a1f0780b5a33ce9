//! Temporary plugin directories, and checks of processes.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use contract_model::{Json, Object, Rule};
use contract_plugins::{Core, Difference, Plugin, PluginError, Registry, Search, Times};
use tempfile::TempDir;

/// A timeout that is longer than any step of the tests.
pub(crate) const LONG: Duration = Duration::from_secs(30);

/// A plugin directory with a registry.
pub(crate) struct Place {
    pub(crate) directory: TempDir,
    pub(crate) registry: Registry,
}

impl Place {
    pub(crate) fn new() -> Self {
        Self {
            directory: tempfile::tempdir().unwrap(),
            registry: Registry::new(Arc::new(NumbersOnly)),
        }
    }

    /// Installs the test plugin under a name and version. `begin` selects how it behaves when it starts.
    pub(crate) fn install(&self, name: &str, version: &str, begin: &str, interface: u8) -> PathBuf {
        let folder = self.write(
            &format!("{name}-{version}"),
            &format!(
                r#"{{"manifestVersion": 1, "pluginInterfaceVersion": {interface}, "name": "{name}", "version": "{version}",
                    "executableType": "exec", "entryPoint": "start", "args": ["{begin}", "{interface}"]}}"#
            ),
        );
        let start = folder.join("start");
        if !start.exists() {
            link(Path::new(env!("CARGO_BIN_EXE_fixture-plugin")), &start);
        }
        folder
    }

    pub(crate) fn write(&self, folder: &str, manifest: &str) -> PathBuf {
        let folder = self.directory.path().join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("pact-plugin.json"), manifest).unwrap();
        folder
    }

    pub(crate) fn search(&self) -> Search {
        Search {
            directories: vec![self.directory.path().to_owned()],
            configured_by: "a test",
        }
    }

    pub(crate) async fn load(&self, name: &str) -> Result<Plugin, PluginError> {
        self.load_within(name, LONG).await
    }

    pub(crate) async fn load_within(&self, name: &str, start: Duration) -> Result<Plugin, PluginError> {
        let times = Times {
            start,
            call: LONG,
            ..Times::default()
        };
        self.registry.load(name, None, &self.search(), times).await
    }

    /// Starts the test plugin with the given version of the interface.
    pub(crate) async fn pairs(interface: u8) -> (Self, Plugin) {
        let place = Self::new();
        place.install("pairs", "1.0.0", "", interface);
        let plugin = place.load("pairs").await.unwrap();
        (place, plugin)
    }
}

pub(crate) fn object(text: &str) -> Object {
    Json::parse(text.as_bytes()).unwrap().as_object().unwrap().clone()
}

/// Waits until the process whose ID is in the file has ended.
pub(crate) fn wait_for_end(file: &Path) {
    let id = std::fs::read_to_string(file).unwrap();
    let until = Instant::now() + LONG;
    while is_running(&id) {
        assert!(Instant::now() < until, "the process {id} is still there");
        std::thread::yield_now();
    }
}

/// Returns true if the process is running. A zombie process counts as ended.
pub(crate) fn is_running(id: &str) -> bool {
    let state = std::process::Command::new("ps")
        .args(["-o", "stat=", "-p", id])
        .output()
        .unwrap();
    let state = String::from_utf8_lossy(&state.stdout);
    !state.trim().is_empty() && !state.trim().starts_with('Z')
}

/// A core that supports only the `integer` rule.
#[derive(Debug)]
struct NumbersOnly;

impl Core for NumbersOnly {
    fn match_field(&self, rule: &Rule, path: &str, _: &Json, actual: &Json) -> Option<Vec<Difference>> {
        let is_integer = actual.as_i64().is_some();
        matches!(rule, Rule::Integer).then(|| {
            let difference = Difference {
                path: path.to_owned(),
                message: "no whole number".to_owned(),
                ..Difference::default()
            };
            if is_integer { Vec::new() } else { vec![difference] }
        })
    }
}

/// Creates a link to a program. Copies the program if links are not supported.
fn link(program: &Path, to: &Path) {
    #[cfg(unix)]
    std::os::unix::fs::symlink(program, to).unwrap();
    #[cfg(not(unix))]
    std::fs::copy(program, to).map(drop).unwrap();
}
