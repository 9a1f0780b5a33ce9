//! Installs and removes plugins.

use std::fs::{self, OpenOptions};
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use crate::error::{Kind, PluginError};
use crate::manifest::{MANIFEST, Manifest, Search};
use crate::regular::open_regular;

/// Maximum total size of a plugin's files, in bytes.
const LARGEST: u64 = 2 << 30;
const MOST_FILES: usize = 20_000;
/// Maximum nesting depth of directories.
const DEEPEST: usize = 64;

/// The error message if [`Search::directories`] is empty.
pub const NO_PLUGIN_DIRECTORY: &str =
    "no plugin directory is configured. Pass --directory, or set CONTRACT_PLUGIN_DIR or HOME to an absolute path";

fn installation_error(message: impl Into<String>) -> PluginError {
    PluginError::new(Kind::Installation, message)
}

fn failed(path: &Path, error: &io::Error) -> PluginError {
    installation_error(format!("{}: {error}", path.display()))
}

/// Copies a plugin to the `<name>-<version>` directory in the first search directory. If this directory exists, it is
/// replaced if `replace` is true. Otherwise, an error is returned.
pub fn install(from: &Path, search: &Search, replace: bool) -> Result<Manifest, PluginError> {
    if !from.join(MANIFEST).exists() {
        return Err(installation_error(format!(
            "{} contains no {MANIFEST}. Pass the directory or the archive of a plugin",
            from.display()
        )));
    }
    let manifest = Manifest::read(from)?;
    if let Some(problem) = manifest.unusable() {
        return Err(installation_error(format!(
            "{}: {problem}",
            from.join(MANIFEST).display()
        )));
    }
    let Manifest { name, version, .. } = manifest;
    let folder = format!("{name}-{version}");
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_' | '+' | ' ');
    if !folder.chars().all(is_plain) || folder.starts_with('.') {
        return Err(installation_error(format!(
            "{}: the name {name:?} and the version {version:?} may contain only letters, digits, spaces, and the characters \
             . _ + -, and the name must not start with a period",
            from.join(MANIFEST).display()
        )));
    }
    let Some(place) = search.directories.first() else {
        return Err(installation_error(NO_PLUGIN_DIRECTORY));
    };
    if resolved(place).starts_with(resolved(from)) {
        return Err(installation_error(format!(
            "the plugin directory {} is inside the directory to install, {}. Pass another directory with --directory, or set \
             CONTRACT_PLUGIN_DIR",
            place.display(),
            from.display()
        )));
    }
    fs::create_dir_all(place).map_err(|error| failed(place, &error))?;
    let target = place.join(&folder);
    // Symbolic links also count, even if they are broken.
    let is_there = target.symlink_metadata().is_ok();
    if is_there && !replace {
        return Err(installation_error(format!(
            "{} already exists. Pass --force to replace it",
            target.display()
        )));
    }
    // Copy to a temporary directory next to the target and rename it, so that a concurrent search finds either the old
    // plugin or the new one.
    let mut builder = tempfile::Builder::new();
    builder.prefix(".installing-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder.tempdir_in(place).map_err(|error| failed(place, &error))?;
    let content = folder.path().join("content");
    copy(from, &content)?;
    if is_there {
        fs::remove_dir_all(&target).map_err(|error| failed(&target, &error))?;
    }
    fs::rename(&content, &target).map_err(|error| failed(&target, &error))?;
    Manifest::read(&target)
}

/// Returns the absolute path with all symbolic links resolved. The last components of the path might not exist yet.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = path.ancestors().find_map(|parent| {
        let rest = path.strip_prefix(parent).ok()?;
        Some(parent.canonicalize().ok()?.join(rest))
    });
    existing.unwrap_or(path)
}

/// Copies a directory recursively. Returns an error for symbolic links and special files, and if a limit is exceeded.
fn copy(from: &Path, to: &Path) -> Result<(), PluginError> {
    let (mut files, mut bytes) = (0_usize, 0_u64);
    let mut left = vec![(from.to_owned(), to.to_owned(), 0_usize)];
    while let Some((from, to, depth)) = left.pop() {
        let failed = |error: io::Error| failed(&from, &error);
        if depth > DEEPEST {
            return Err(installation_error(format!(
                "{}: directories are nested too deeply",
                from.display()
            )));
        }
        fs::create_dir(&to).map_err(failed)?;
        for entry in fs::read_dir(&from).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let kind = entry.file_type().map_err(failed)?;
            let (source, target) = (entry.path(), to.join(entry.file_name()));
            if kind.is_dir() {
                left.push((source, target, depth + 1));
            } else if kind.is_file() {
                files += 1;
                bytes += copy_file(&source, &target, LARGEST - bytes).map_err(failed)?;
                if files > MOST_FILES || bytes >= LARGEST {
                    return Err(installation_error(format!(
                        "the plugin exceeds the maximum of {MOST_FILES} files or {} GiB",
                        LARGEST >> 30
                    )));
                }
            } else {
                return Err(installation_error(format!(
                    "{} is neither a file nor a directory (links are not followed)",
                    source.display()
                )));
            }
        }
    }
    Ok(())
}

/// Copies at most `limit` bytes to a new file, and returns the number of bytes. Of the file mode, only the executable
/// bit is kept.
fn copy_file(source: &Path, target: &Path, limit: u64) -> io::Result<u64> {
    let source = open_regular(source)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
        let is_executable = source.metadata()?.permissions().mode() & 0o111 != 0;
        options.mode(if is_executable { 0o755 } else { 0o644 });
    }
    let mut target = options.open(target)?;
    io::copy(&mut source.take(limit), &mut target)
}

/// Deletes the directory of a plugin, and returns its path. `version` is required if several versions are installed.
pub fn remove(name: &str, version: Option<&str>, search: &Search) -> Result<PathBuf, PluginError> {
    let installation = search.installed();
    let found: Vec<_> = installation.named(name, version).collect();
    let description = version.map_or_else(|| name.to_owned(), |version| format!("{name} {version}"));
    match found.as_slice() {
        [] => Err(installation_error(format!("the plugin {description} is not installed"))),
        [plugin] => {
            let directory = &plugin.directory;
            fs::remove_dir_all(directory).map_err(|error| failed(directory, &error))?;
            Ok(directory.clone())
        }
        several => {
            let versions: Vec<_> = several.iter().map(|plugin| plugin.version.as_str()).collect();
            Err(installation_error(format!(
                "the plugin {description} is installed in multiple versions or directories ({}). Specify one version",
                versions.join(", ")
            )))
        }
    }
}
