//! Plugin directories and timeouts.

use std::path::PathBuf;

use contract_plugins::{Search, Times};
use serde::Deserialize;

use contract_call::error::{ArgumentError, OPTIONS};
use contract_call::paths;
use contract_call::read::Milliseconds;

/// The environment variables for plugins: two for directories, of which the first takes precedence, and one for the
/// start timeout in milliseconds.
pub const PLUGIN_VARIABLES: [&str; 3] = [
    "CONTRACT_PLUGIN_DIR",
    "PACT_PLUGIN_DIR",
    "CONTRACT_PLUGIN_START_TIMEOUT",
];

#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PluginOptions {
    /// Directories to search for plugins. Each plugin is a subdirectory with a `pact-plugin.json`. Default: the
    /// environment variable `CONTRACT_PLUGIN_DIR`, otherwise `PACT_PLUGIN_DIR` (both may contain several directories,
    /// separated as in `PATH`), otherwise `.pact/plugins` in the home directory.
    pub directories: Option<Vec<PathBuf>>,
    /// Maximum time for a plugin to start, in milliseconds. Default: `CONTRACT_PLUGIN_START_TIMEOUT`, otherwise 60000.
    pub start_timeout: Option<Milliseconds<1>>,
    /// Maximum time for one call to a plugin, in milliseconds. Default: 30000.
    pub timeout: Option<Milliseconds<1>>,
}

impl PluginOptions {
    /// Converts `file:` URLs in the directories to paths. Returns an error for empty paths and invalid URLs.
    pub fn resolve_directories(&mut self) -> Result<(), ArgumentError> {
        let is_empty = |path: &PathBuf| path.to_str().is_some_and(|text| text.trim().is_empty());
        if self.directories.iter().flatten().any(is_empty) {
            let message = "a plugin directory must not be empty; pass a path, or \".\" for the current directory";
            return Err(ArgumentError::new(OPTIONS, message).for_argument("directories"));
        }
        self.directories
            .iter_mut()
            .flatten()
            .try_for_each(paths::resolve_in_place)
    }

    /// Returns the directories to search for plugins, from the options, the environment, or the home directory.
    pub fn search(&self) -> Search {
        if let Some(directories) = &self.directories {
            return Search {
                directories: directories.clone(),
                configured_by: "the directories option",
            };
        }
        for name in &PLUGIN_VARIABLES[..2] {
            if let Some(value) = std::env::var_os(name).filter(|value| !value.is_empty()) {
                let directories = std::env::split_paths(&value);
                return Search {
                    directories: directories.filter(|path| !path.as_os_str().is_empty()).collect(),
                    configured_by: name,
                };
            }
        }
        let home = if cfg!(windows) { "USERPROFILE" } else { "HOME" };
        in_home(std::env::var_os(home).map(PathBuf::from))
    }

    /// Returns the timeouts.
    pub fn times(&self) -> Times {
        let defaults = Times::default();
        let from_environment = || {
            let value = std::env::var(PLUGIN_VARIABLES[2]).ok()?;
            value
                .parse()
                .ok()
                .filter(|ms| *ms > 0)
                .map(std::time::Duration::from_millis)
        };
        let by_option = self.start_timeout.map(|time| time.0);
        Times {
            start: by_option.or_else(from_environment).unwrap_or(defaults.start),
            start_raised_by: match by_option {
                Some(_) => "increase the start timeout in the plugin options",
                None => "increase CONTRACT_PLUGIN_START_TIMEOUT (in milliseconds)",
            },
            call: self.timeout.map_or(defaults.call, |time| time.0),
        }
    }
}

/// Returns the plugin directory in the home directory. A relative home directory is not searched, because plugins are
/// executed, and programs below the working directory must not run.
fn in_home(home: Option<PathBuf>) -> Search {
    match home {
        Some(home) if home.is_absolute() => Search {
            directories: vec![home.join(".pact").join("plugins")],
            configured_by: "the home directory, because neither CONTRACT_PLUGIN_DIR nor PACT_PLUGIN_DIR is set",
        },
        Some(home) if !home.as_os_str().is_empty() => Search {
            directories: Vec::new(),
            configured_by: "the path of the home directory is not absolute, and neither CONTRACT_PLUGIN_DIR nor PACT_PLUGIN_DIR is set",
        },
        _ => Search {
            directories: Vec::new(),
            configured_by: "the home directory is unknown, and neither CONTRACT_PLUGIN_DIR nor PACT_PLUGIN_DIR is set",
        },
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::{PLUGIN_VARIABLES, PluginOptions, in_home};

    #[test]
    fn a_relative_home_directory_is_not_searched() {
        for home in [".", "me", ""] {
            assert!(in_home(Some(PathBuf::from(home))).directories.is_empty(), "{home}");
        }
        let home = std::env::temp_dir();
        assert_eq!(in_home(Some(home.clone())).directories, [home.join(".pact/plugins")]);
    }

    #[test]
    fn timeouts_name_the_variable_to_increase() {
        let advice = PluginOptions::default().times().start_raised_by;
        assert!(advice.contains(PLUGIN_VARIABLES[2]), "{advice}");
    }
}
