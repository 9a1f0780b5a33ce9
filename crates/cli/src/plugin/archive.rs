//! A plugin in one file: a tar archive, compressed by gzip, whose checksum may be known.

use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};

/// Largest file and largest content, in bytes.
const LARGEST: u64 = 1 << 30;
const BLOCK: usize = 512;

/// An archive that was unpacked; what was unpacked goes when this is dropped.
pub(super) struct Unpacked {
    folder: PathBuf,
    plugin: PathBuf,
}

impl Unpacked {
    /// The directory with the manifest.
    pub(super) fn plugin(&self) -> &Path {
        &self.plugin
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Checks the file against its checksum, before anything else is done with it, and unpacks it.
pub(super) fn unpack(file: &Path, sha256: Option<&str>) -> Result<Unpacked, String> {
    let failed = |problem: String| format!("{}: {problem}", file.display());
    let size = fs::metadata(file).map_err(|error| failed(error.to_string()))?.len();
    if size > LARGEST {
        return Err(failed("more than 1 GiB is not installed".to_owned()));
    }
    let bytes = fs::read(file).map_err(|error| failed(error.to_string()))?;
    if let Some(wanted) = sha256 {
        let found = hex(&Sha256::digest(&bytes));
        if !found.eq_ignore_ascii_case(wanted.trim()) {
            return Err(failed(format!(
                "its SHA-256 is {found}, not {wanted}; it is not installed"
            )));
        }
    }
    let mut content = Vec::new();
    let read = GzDecoder::new(bytes.as_slice())
        .take(LARGEST + 1)
        .read_to_end(&mut content);
    read.map_err(|error| failed(format!("it is no .tar.gz: {error}")))?;
    if content.len() as u64 > LARGEST {
        return Err(failed("more than 1 GiB is not installed".to_owned()));
    }
    let folder = std::env::temp_dir().join(format!("contract-plugin-{}", std::process::id()));
    let mut unpacked = Unpacked {
        plugin: folder.clone(),
        folder,
    };
    files(&content, &unpacked.folder).map_err(failed)?;
    // Some archives hold the directory, others what is in it.
    let inner = fs::read_dir(&unpacked.folder)
        .ok()
        .and_then(|mut entries| entries.next()?.ok());
    if let Some(inner) = inner.filter(|entry| entry.path().join("pact-plugin.json").is_file()) {
        unpacked.plugin = inner.path();
    }
    Ok(unpacked)
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Writes the regular files of a tar archive (POSIX ustar) below a folder. Anything else but directories is refused.
fn files(mut tar: &[u8], folder: &Path) -> Result<(), String> {
    let write = |path: &Path, error: std::io::Error| format!("{}: {error}", path.display());
    fs::create_dir_all(folder).map_err(|error| write(folder, error))?;
    let mut long_name: Option<String> = None;
    while let Some((head, rest)) = tar.split_at_checked(BLOCK) {
        tar = rest;
        if head.iter().all(|byte| *byte == 0) {
            return Ok(());
        }
        let size = octal(&head[124..136]).ok_or("it is no tar archive: a size is no number")?;
        let (content, rest) = tar.split_at_checked(size).ok_or("it ends in the middle of a file")?;
        tar = rest.get(size.next_multiple_of(BLOCK) - size..).unwrap_or_default();
        let name = long_name.take().unwrap_or_else(|| name(head));
        match head[156] {
            // GNU's way, and POSIX's, to say a name that is too long for its field.
            b'L' => long_name = Some(text(content)),
            b'x' => long_name = pax_path(content),
            b'g' | b'5' => {}
            0 | b'0' => {
                let path = below(folder, &name)?;
                if let Some(parent) = path.parent() {
                    fs::create_dir_all(parent).map_err(|error| write(parent, error))?;
                }
                fs::write(&path, content).map_err(|error| write(&path, error))?;
                executable(&path, octal(&head[100..108]).unwrap_or(0)).map_err(|error| write(&path, error))?;
            }
            other => {
                return Err(format!(
                    "{name:?} is neither a file nor a directory ({})",
                    char::from(other)
                ));
            }
        }
    }
    Err("it ends too early".to_owned())
}

/// A path that stays below the folder.
fn below(folder: &Path, name: &str) -> Result<PathBuf, String> {
    let mut path = folder.to_owned();
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => {}
            _ => return Err(format!("{name:?} leads out of the plugin's directory")),
        }
    }
    Ok(path)
}

fn name(head: &[u8]) -> String {
    let (own, prefix) = (text(&head[..100]), text(&head[345..500]));
    let is_posix = head[257..].starts_with(b"ustar\0");
    if is_posix && !prefix.is_empty() {
        format!("{prefix}/{own}")
    } else {
        own
    }
}

fn text(bytes: &[u8]) -> String {
    let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    String::from_utf8_lossy(&bytes[..end]).into_owned()
}

/// `24 path=…` among lines of that form.
fn pax_path(content: &[u8]) -> Option<String> {
    let content = text(content);
    content
        .lines()
        .find_map(|line| line.split_once(" path=").map(|(_, path)| path.to_owned()))
}

fn octal(field: &[u8]) -> Option<usize> {
    let text = text(field);
    let digits = text.trim();
    if digits.is_empty() {
        Some(0)
    } else {
        usize::from_str_radix(digits, 8).ok()
    }
}

#[cfg(unix)]
fn executable(path: &Path, mode: usize) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let mode = if mode & 0o111 == 0 { 0o644 } else { 0o755 };
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
}

#[cfg(not(unix))]
fn executable(_: &Path, _: usize) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{below, hex};

    #[test]
    fn nothing_is_written_elsewhere() {
        let folder = Path::new("/plugins/.new");
        assert_eq!(below(folder, "./bin/run").unwrap(), folder.join("bin/run"));
        for name in ["../run", "/run", "bin/../../run"] {
            assert!(below(folder, name).is_err(), "{name}");
        }
    }

    #[test]
    fn digits() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
    }
}
