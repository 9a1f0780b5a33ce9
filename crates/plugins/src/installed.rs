//! Plugins put where they are looked for, and taken away. Installing starts nothing and asks no network.

use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Kind, PluginError};
use crate::manifest::{MANIFEST, Manifest, Search};

/// Most bytes and files of a plugin that is installed.
const LARGEST: u64 = 2 << 30;
const MOST_FILES: usize = 20_000;
/// Folders within one another.
const DEEPEST: usize = 64;

fn refused(what: impl Into<String>) -> PluginError {
    PluginError::new(Kind::Installation, what)
}

fn failed(path: &Path, error: &std::io::Error) -> PluginError {
    refused(format!("{}: {error}", path.display()))
}

/// Copies a plugin's directory to where plugins are looked for first, as `<name>-<version>`.
pub fn install(from: &Path, search: &Search, replace: bool) -> Result<Manifest, PluginError> {
    let Manifest {
        name, version, program, ..
    } = Manifest::read(from)?;
    if !program.is_file() {
        return Err(refused(format!(
            "{}: its entry point {} is not there",
            from.join(MANIFEST).display(),
            program.display()
        )));
    }
    let folder = format!("{name}-{version}");
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | ' ');
    if !folder.chars().all(is_plain) || folder.starts_with('.') {
        return Err(refused(format!("{folder:?} cannot be the name of a directory")));
    }
    let Some(place) = search.directories.first() else {
        return Err(refused("no directory for plugins is known"));
    };
    fs::create_dir_all(place).map_err(|error| failed(place, &error))?;
    let target = place.join(&folder);
    if target.exists() && !replace {
        return Err(refused(format!(
            "{} is there already; give --force to put this one in its place",
            target.display()
        )));
    }
    // Beside it first: whoever looks meanwhile sees the old one or the new one.
    let beside = place.join(format!(".{folder}.{}", std::process::id()));
    let moved = copy(from, &beside).and_then(|()| {
        if target.exists() {
            fs::remove_dir_all(&target).map_err(|error| failed(&target, &error))?;
        }
        fs::rename(&beside, &target).map_err(|error| failed(&target, &error))
    });
    if moved.is_err() {
        let _ = fs::remove_dir_all(&beside);
    }
    moved?;
    Manifest::read(&target)
}

/// Copies files and directories; links and other things are refused.
fn copy(from: &Path, to: &Path) -> Result<(), PluginError> {
    let (mut files, mut bytes) = (0_usize, 0_u64);
    let mut left = vec![(from.to_owned(), to.to_owned(), 0_usize)];
    while let Some((from, to, depth)) = left.pop() {
        let failed = |error: std::io::Error| failed(&from, &error);
        if depth > DEEPEST {
            return Err(refused(format!(
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
                    return Err(refused(format!(
                        "a plugin of more than {MOST_FILES} files or {} GiB is not installed",
                        LARGEST >> 30
                    )));
                }
                fs::copy(&source, &target).map_err(failed)?;
            } else {
                return Err(refused(format!(
                    "{} is neither a file nor a directory; links are not followed",
                    source.display()
                )));
            }
        }
    }
    Ok(())
}

/// Removes the plugin of a name and a version, and gives its directory.
pub fn remove(name: &str, version: Option<&str>, search: &Search) -> Result<PathBuf, PluginError> {
    let installation = search.installed();
    let found: Vec<_> = installation.named(name, version).collect();
    let wanted = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    match found.as_slice() {
        [] => Err(refused(format!("the plugin {wanted} is not installed"))),
        [plugin] => {
            let directory = &plugin.directory;
            fs::remove_dir_all(directory).map_err(|error| failed(directory, &error))?;
            Ok(directory.clone())
        }
        several => {
            let versions: Vec<_> = several.iter().map(|plugin| plugin.version.as_str()).collect();
            Err(refused(format!(
                "the plugin {wanted} is installed in several versions or places ({}); give one version",
                versions.join(", ")
            )))
        }
    }
}
