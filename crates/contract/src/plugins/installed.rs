//! Plugins on disk: listed, installed, removed, tried. Installing starts nothing and asks no network.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use contract_plugins::{MANIFEST, Manifest, Plugin};
use serde::Serialize;

use super::PluginOptions;

/// Most bytes and files of a plugin that is installed.
const LARGEST: u64 = 2 << 30;
const MOST_FILES: usize = 20_000;
/// Folders within one another.
const DEEPEST: usize = 64;

/// Why a plugin is not installed or removed.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{0}")]
pub struct InstallError(String);

/// Where plugins are, and what is there.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Installation {
    /// In the order in which they are looked at.
    pub directories: Vec<PathBuf>,
    /// Who says so.
    pub said_by: String,
    /// By name, the highest version first.
    pub plugins: Vec<InstalledPlugin>,
    /// Directories that are passed over, and why.
    pub skipped: BTreeMap<PathBuf, String>,
}

/// A plugin that is installed.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct InstalledPlugin {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
    /// 1 or 2.
    pub interface: u8,
    /// What is started.
    pub program: PathBuf,
    /// Arguments for it.
    pub args: Vec<String>,
    /// Other plugins that it names.
    pub dependencies: Vec<String>,
    /// Where it is.
    pub directory: PathBuf,
}

/// What trying a plugin found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct PluginCheck {
    /// Its name and version.
    pub title: String,
    /// What it can do: `content-matcher/csv (text/csv)`.
    pub entries: Vec<String>,
    /// How long it took to start, in milliseconds.
    pub started_ms: u64,
    /// Why it cannot be used; nothing when it can.
    pub problem: Option<String>,
}

impl From<Manifest> for InstalledPlugin {
    fn from(manifest: Manifest) -> Self {
        Self {
            program: manifest.program(),
            name: manifest.name,
            version: manifest.version,
            interface: manifest.interface,
            args: manifest.args,
            dependencies: manifest.dependencies,
            directory: manifest.directory,
        }
    }
}

impl Installation {
    /// What is there.
    pub fn look(options: &PluginOptions) -> Self {
        let search = options.search();
        let found = search.installed();
        Self {
            directories: search.directories,
            said_by: search.said_by.to_owned(),
            plugins: found.manifests.into_iter().map(Into::into).collect(),
            skipped: found.skipped.into_iter().collect(),
        }
    }

    /// The plugins of a name, of one version or all.
    pub fn named<'a>(
        &'a self,
        name: &'a str,
        version: Option<&'a str>,
    ) -> impl Iterator<Item = &'a InstalledPlugin> + 'a {
        let is_meant = move |plugin: &&InstalledPlugin| {
            plugin.name == name && version.is_none_or(|version| plugin.version == version)
        };
        self.plugins.iter().filter(is_meant)
    }
}

/// Copies a plugin's directory to where plugins are looked for first, as `<name>-<version>`.
pub fn install(from: &Path, options: &PluginOptions, replace: bool) -> Result<InstalledPlugin, InstallError> {
    let failed = |path: &Path, error: &std::io::Error| InstallError(format!("{}: {error}", path.display()));
    let manifest = Manifest::read(from).map_err(|error| InstallError(error.message().to_owned()))?;
    let program = manifest.program();
    if !program.is_file() {
        return Err(InstallError(format!(
            "{}: its entry point {} is not there",
            from.join(MANIFEST).display(),
            program.display()
        )));
    }
    let folder = format!("{}-{}", manifest.name, manifest.version);
    if !folder
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | ' '))
        || folder.starts_with('.')
    {
        return Err(InstallError(format!("{folder:?} cannot be the name of a directory")));
    }
    let place = options.search().directories.into_iter().next();
    let place = place.ok_or_else(|| InstallError("no directory for plugins is known".to_owned()))?;
    fs::create_dir_all(&place).map_err(|error| failed(&place, &error))?;
    let target = place.join(&folder);
    if target.exists() && !replace {
        return Err(InstallError(format!(
            "{} is there already; give --force to put this one in its place",
            target.display()
        )));
    }
    // Beside it first: whoever looks meanwhile sees the old one or the new one.
    let beside = place.join(format!(".{folder}.{}", std::process::id()));
    let copied = copy(from, &beside);
    let moved = copied.and_then(|()| {
        if target.exists() {
            fs::remove_dir_all(&target).map_err(|error| failed(&target, &error))?;
        }
        fs::rename(&beside, &target).map_err(|error| failed(&target, &error))
    });
    if moved.is_err() {
        let _ = fs::remove_dir_all(&beside);
    }
    moved?;
    let manifest = Manifest::read(&target).map_err(|error| InstallError(error.message().to_owned()))?;
    Ok(manifest.into())
}

/// Copies files and directories; links and other things are refused.
fn copy(from: &Path, to: &Path) -> Result<(), InstallError> {
    let (mut files, mut bytes) = (0_usize, 0_u64);
    let mut left = vec![(from.to_owned(), to.to_owned(), 0_usize)];
    while let Some((from, to, depth)) = left.pop() {
        let failed = |error: std::io::Error| InstallError(format!("{}: {error}", from.display()));
        if depth > DEEPEST {
            return Err(InstallError(format!(
                "{}: too many directories within one another",
                from.display()
            )));
        }
        fs::create_dir_all(&to).map_err(failed)?;
        for entry in fs::read_dir(&from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            if kind.is_dir() {
                left.push((source, target, depth + 1));
            } else if kind.is_file() {
                files += 1;
                bytes += entry.metadata().map_err(failed)?.len();
                if files > MOST_FILES || bytes > LARGEST {
                    return Err(InstallError(format!(
                        "a plugin of more than {MOST_FILES} files or {} GiB is not installed",
                        LARGEST >> 30
                    )));
                }
                fs::copy(&source, &target).map_err(failed)?;
            } else {
                return Err(InstallError(format!(
                    "{} is neither a file nor a directory; links are not followed",
                    source.display()
                )));
            }
        }
    }
    Ok(())
}

/// Removes the plugin of a name and a version, and gives its directory.
pub fn remove(name: &str, version: Option<&str>, options: &PluginOptions) -> Result<PathBuf, InstallError> {
    let installation = Installation::look(options);
    let found: Vec<_> = installation.named(name, version).collect();
    let wanted = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    match found.as_slice() {
        [] => Err(InstallError(format!("the plugin {wanted} is not installed"))),
        [plugin] => {
            let removed = fs::remove_dir_all(&plugin.directory);
            removed.map_err(|error| InstallError(format!("{}: {error}", plugin.directory.display())))?;
            Ok(plugin.directory.clone())
        }
        several => {
            let versions: Vec<_> = several.iter().map(|plugin| plugin.version.as_str()).collect();
            Err(InstallError(format!(
                "the plugin {wanted} is installed in several versions or places ({}); give one version",
                versions.join(", ")
            )))
        }
    }
}

/// Starts a plugin, asks what it can do, and ends it.
pub async fn check_plugin(plugin: &InstalledPlugin, options: &PluginOptions) -> PluginCheck {
    let began = std::time::Instant::now();
    let mut check = PluginCheck {
        title: format!("{} {}", plugin.name, plugin.version),
        entries: Vec::new(),
        started_ms: 0,
        problem: None,
    };
    let started = match Manifest::read(&plugin.directory) {
        Ok(manifest) => super::registry().start(manifest, options.times()).await,
        Err(error) => {
            check.problem = Some(error.message().to_owned());
            return check;
        }
    };
    match started {
        Err(error) => check.problem = Some(super::text(&error)),
        Ok(started) => {
            check.entries = entries(&started);
            check.started_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
        }
    }
    check
}

fn entries(plugin: &Plugin) -> Vec<String> {
    let each = plugin.entries().iter().map(|entry| {
        let types = if entry.content_types.is_empty() {
            String::new()
        } else {
            format!(" ({})", entry.content_types.join("; "))
        };
        format!("{}/{}{types}", entry.kind.name(), entry.key)
    });
    each.collect()
}
