//! Finds installed plugins. Each plugin is a directory with a manifest called `pact-plugin.json`.

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read};
use std::path::{Component, Path, PathBuf};

use contract_model::{Json, JsonError, Object};
use semver::Version;
use serde::Serialize;
use thiserror::Error;

use crate::error::{Kind, PluginError};
use crate::regular::open_regular;

pub const MANIFEST: &str = "pact-plugin.json";
const LARGEST: u64 = 1 << 20;
/// Maximum number of plugins per search directory, and of files to examine when searching for a compressed program.
const MOST: usize = 1000;

#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Name of the plugin in contracts.
    pub name: String,
    /// Version as written in the manifest, such as `0.0.6`.
    pub version: String,
    /// Version of the plugin interface: 1 or 2.
    pub interface: u8,
    /// How the plugin is run. Only `exec` is supported.
    #[serde(skip)]
    pub executable_type: String,
    pub program: PathBuf,
    pub args: Vec<String>,
    /// Names of the plugins that this plugin requires. They are not started automatically.
    pub dependencies: Vec<String>,
    /// Directory that contains the manifest.
    pub directory: PathBuf,
}

/// Where to search for plugins.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Search {
    /// Directories that contain plugin directories. The highest version in all of them is used. If it is installed more
    /// than once, the first directory takes precedence.
    pub directories: Vec<PathBuf>,
    /// The setting that specified the directories, such as `CONTRACT_PLUGIN_DIR`. Used in error messages.
    pub configured_by: &'static str,
}

/// The result of searching for plugins.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// The searched directories, in order.
    pub directories: Vec<PathBuf>,
    pub configured_by: &'static str,
    /// Installed plugins, sorted by name. The highest version comes first.
    pub plugins: Vec<Manifest>,
    /// Plugin directories whose manifest is invalid, each with the reason.
    pub skipped: BTreeMap<PathBuf, String>,
}

#[derive(Debug, Error)]
enum ManifestError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("the manifest exceeds the maximum of {LARGEST} bytes")]
    Size,
    #[error(transparent)]
    Json(#[from] JsonError),
    #[error("the manifest is not a JSON object")]
    NotAnObject,
    #[error("{0:?} is missing")]
    Missing(&'static str),
    #[error("{0:?} must be a non-empty string")]
    NotText(&'static str),
    #[error("\"pluginInterfaceVersion\" must be 1 or 2, not {0}")]
    InterfaceVersion(String),
    #[error("\"args\" must be an array of strings")]
    Args,
    #[error("the entry point {0:?} is outside the directory of the plugin. Use a relative path without \"..\"")]
    EntryPoint(String),
}

impl Installation {
    /// Returns the installed plugins with this name. If `version` is set, returns only those with exactly this version.
    pub fn named<'a>(&'a self, name: &'a str, version: Option<&'a str>) -> impl Iterator<Item = &'a Manifest> + 'a {
        let is_meant =
            move |plugin: &&Manifest| plugin.name == name && version.is_none_or(|version| plugin.version == version);
        self.plugins.iter().filter(is_meant)
    }
}

impl Manifest {
    pub fn read(directory: &Path) -> Result<Self, PluginError> {
        let path = directory.join(MANIFEST);
        Self::from_file(&path, directory)
            .map_err(|error| PluginError::new(Kind::Manifest, format!("{}: {error}", path.display())))
    }

    fn from_file(path: &Path, directory: &Path) -> Result<Self, ManifestError> {
        let mut text = Vec::new();
        open_regular(path)?.take(LARGEST + 1).read_to_end(&mut text)?;
        if text.len() as u64 > LARGEST {
            return Err(ManifestError::Size);
        }
        match Json::parse(&text)? {
            Json::Object(object) => Self::from_object(&object, directory),
            _ => Err(ManifestError::NotAnObject),
        }
    }

    fn from_object(object: &Object, directory: &Path) -> Result<Self, ManifestError> {
        let text = |name: &'static str| match object.get(name) {
            Some(Json::String(text)) if !text.is_empty() => Ok(text.to_string()),
            Some(_) => Err(ManifestError::NotText(name)),
            None => Err(ManifestError::Missing(name)),
        };
        let interface = match object.get("pluginInterfaceVersion") {
            None => return Err(ManifestError::Missing("pluginInterfaceVersion")),
            Some(number) => match number.as_u64() {
                Some(1) => 1,
                Some(2) => 2,
                _ => return Err(ManifestError::InterfaceVersion(number.to_text())),
            },
        };
        let args = match object.get("args") {
            None | Some(Json::Null) => Vec::new(),
            Some(Json::Array(items)) => {
                let texts = items.iter().map(|item| item.as_str().map(str::to_owned));
                texts.collect::<Option<_>>().ok_or(ManifestError::Args)?
            }
            Some(_) => return Err(ManifestError::Args),
        };
        let dependencies = object.get("dependencies").and_then(Json::as_array).unwrap_or_default();
        let named = |dependency: &Json| dependency.get("name").and_then(Json::as_str).map(str::to_owned);
        // The program runs in the directory of the plugin, so a relative path would not be found there.
        let directory = std::path::absolute(directory).unwrap_or_else(|_| directory.to_owned());
        Ok(Self {
            name: text("name")?,
            version: text("version")?,
            interface,
            executable_type: text("executableType")?,
            program: program(&directory, &entry_point(object).map_or_else(|| text("entryPoint"), Ok)?)?,
            args,
            dependencies: dependencies.iter().filter_map(named).collect(),
            directory,
        })
    }

    /// Returns the name and the version, such as `csv 0.0.6`.
    pub fn title(&self) -> String {
        format!("{} {}", self.name, self.version)
    }

    /// Returns the reason why the plugin cannot be started, as a clause that starts with "it" or "its". Returns `None`
    /// if no problem was found.
    pub(crate) fn unusable(&self) -> Option<String> {
        if self.executable_type == "lua" {
            return Some(
                "it is a Lua plugin, and Lua plugins are not supported. Use a plugin with an executable \
                 (executableType \"exec\")."
                    .to_owned(),
            );
        }
        if self.executable_type != "exec" {
            let kind = &self.executable_type;
            return Some(format!("its executableType {kind:?} is not supported. Use \"exec\""));
        }
        if self.program.is_file() {
            return None;
        }
        let program = self.program.display();
        let compressed = compressed(&self.program)?;
        Some(if compressed.is_file() {
            format!(
                "its entry point {program} does not exist, but {} does. Decompress it to {program} and make that file executable.",
                compressed.display()
            )
        } else {
            format!("its entry point {program} does not exist")
        })
    }

    /// Parses the version. Returns 0.0.0 if it is not a semantic version.
    fn semver(&self) -> Version {
        version(&self.version)
    }
}

/// Returns the path of the program. Returns an error if the path is outside the plugin's directory.
fn program(directory: &Path, entry_point: &str) -> Result<PathBuf, ManifestError> {
    let path = directory.join(entry_point);
    let is_inside = path
        .strip_prefix(directory)
        .is_ok_and(|rest| rest.components().all(|part| !matches!(part, Component::ParentDir)));
    if is_inside {
        Ok(path)
    } else {
        Err(ManifestError::EntryPoint(entry_point.to_owned()))
    }
}

/// Returns the entry point for this operating system, or `None` if the manifest does not specify one.
fn entry_point(object: &Object) -> Option<String> {
    let points = object.get("entryPoints")?.as_object()?;
    let os = std::env::consts::OS;
    let names = [os, if os == "macos" { "osx" } else { os }];
    names
        .iter()
        .find_map(|name| points.get(name)?.as_str())
        .map(str::to_owned)
}

/// Returns the path where the compressed program is expected: the only `.gz` file in the directory, or else the
/// program's name with `.gz` appended.
fn compressed(program: &Path) -> Option<PathBuf> {
    let name = format!("{}.gz", program.file_name()?.to_string_lossy());
    let entries = fs::read_dir(program.parent()?).into_iter().flatten().take(MOST);
    let is_gz = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "gz");
    let mut found = entries.filter_map(Result::ok).map(|entry| entry.path()).filter(is_gz);
    match (found.next(), found.next()) {
        (Some(single), None) => Some(single),
        _ => Some(program.with_file_name(name)),
    }
}

fn version(text: &str) -> Version {
    Version::parse(text).unwrap_or(Version::new(0, 0, 0))
}

/// Returns true if the installed version is equal to or later than the wanted version. A release is later than its
/// pre-releases.
fn serves(installed: &str, required: &str) -> bool {
    if installed == required {
        return true;
    }
    let required = Version::parse(required.trim_start_matches('v')).unwrap_or_else(|_| lenient(required));
    version(installed).cmp_precedence(&required).is_ge()
}

/// Parses a version that is not valid `SemVer`: `1.2` means 1.2.0, and `1.2.3.4` means 1.2.3.
fn lenient(text: &str) -> Version {
    let core = text.trim_start_matches('v');
    let core = core.split(['-', '+']).next().unwrap_or_default();
    let mut numbers = core.split('.').map(|part| part.parse().unwrap_or(0));
    let mut next = || numbers.next().unwrap_or(0);
    Version::new(next(), next(), next())
}

impl Search {
    /// Returns all installed plugins, and the directories that were skipped because their manifest is invalid.
    pub fn installed(&self) -> Installation {
        let mut found = Installation {
            directories: self.directories.clone(),
            configured_by: self.configured_by,
            ..Installation::default()
        };
        for directory in &self.directories {
            let Ok(entries) = fs::read_dir(directory) else { continue };
            let mut folders: Vec<_> = entries
                .filter_map(Result::ok)
                .map(|entry| entry.path())
                .filter(|path| path.join(MANIFEST).is_file())
                .take(MOST)
                .collect();
            folders.sort();
            for folder in folders {
                match Manifest::read(&folder) {
                    Ok(manifest) => found.plugins.push(manifest),
                    Err(error) => drop(found.skipped.insert(folder, error.message().to_owned())),
                }
            }
        }
        // The sort is stable: if a version is installed more than once, the first search directory comes first.
        found
            .plugins
            .sort_by(|a, b| a.name.cmp(&b.name).then_with(|| b.semver().cmp(&a.semver())));
        found
    }

    /// Returns the highest installed version that is equal to or later than `wanted`. If `wanted` is `None`, returns
    /// the highest version.
    pub fn find(&self, name: &str, version: Option<&str>) -> Result<Manifest, PluginError> {
        let installed = self.installed();
        for (folder, problem) in &installed.skipped {
            tracing::warn!(target: "contract::plugins", "skipped the plugin in {}: {problem}", folder.display());
        }
        let fits = |manifest: &&Manifest| {
            manifest.name == name && version.is_none_or(|version| serves(&manifest.version, version))
        };
        match installed.plugins.iter().find(fits) {
            Some(manifest) => Ok(manifest.clone()),
            None => Err(PluginError::new(Kind::Missing, self.missing(name, version, &installed))),
        }
    }

    fn missing(&self, name: &str, requirement: Option<&str>, installed: &Installation) -> String {
        let requirement = requirement.map_or_else(String::new, |version| format!(" (version {version} or later)"));
        let mut lines = vec![
            format!("the plugin {name:?}{requirement} is not installed"),
            format!("Searched directories ({}):", self.configured_by),
        ];
        if self.directories.is_empty() {
            lines.push("  none".to_owned());
        }
        lines.extend(self.directories.iter().map(|directory| {
            let state = if directory.is_dir() { "" } else { " (does not exist)" };
            format!("  {}{state}", directory.display())
        }));
        lines.push("Installed:".to_owned());
        if installed.plugins.is_empty() && installed.skipped.is_empty() {
            lines.push("  none".to_owned());
        }
        let manifests = installed.plugins.iter();
        lines.extend(manifests.map(|found| format!("  {} in {}", found.title(), found.directory.display())));
        let skipped = installed.skipped.iter();
        lines.extend(skipped.map(|(folder, problem)| format!("  {} (skipped: {problem})", folder.display())));
        lines.join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::{lenient, serves};

    #[test]
    fn accepts_later_versions() {
        for (installed, required, want) in [
            ("1.0.0", "1.0.0", true),
            ("2.0.1", "1.1.0", true),
            ("1.0.0", "1.0.1", false),
            ("1.0.0", "1.0.0-rc.1", true),
            ("1.0.0-rc.1", "1.0.0", false),
            ("1.0.0-rc.1", "1.0.0-rc.1", true),
            ("0.1.0-beta.1", "0.1.0-beta.1", true),
            ("0.1.0-beta.2", "0.1.0-beta.1", true),
            ("0.1.0-beta.1", "0.1.0-beta.2", false),
            ("0.1.0-beta.1", "0.0.9", true),
            ("1.0.0+7", "1.0.0+9", true),
            ("0.7.1", "0.7", true),
            ("odd", "odd", true),
            ("odd", "0.0.1", false),
        ] {
            assert_eq!(serves(installed, required), want, "{installed} for {required}");
        }
        assert_eq!(lenient("1.2.3.4").to_string(), "1.2.3");
    }
}
