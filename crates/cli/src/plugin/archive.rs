//! Unpacks plugin archives: gzip-compressed tar files. If a checksum is given, it is verified.
//!
//! Archives are untrusted. They cannot create links, files outside the target directory, or files with special
//! permissions.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use tar::EntryType;
use tempfile::TempDir;

#[derive(Debug, thiserror::Error)]
pub(super) enum ArchiveError {
    #[error(transparent)]
    Read(#[from] io::Error),
    #[error("could not create {directory}: {error}", directory = directory.display())]
    CreateDirectory { directory: PathBuf, error: io::Error },
    #[error("could not extract {name:?} from the archive: {error}")]
    CreateFile { name: String, error: io::Error },
    #[error("the file is not a readable .tar.gz archive: {0}")]
    Unreadable(io::Error),
    #[error(
        "the file is compressed, but it is not a .tar.gz archive. If it is the program of a plugin, decompress it into the \
         directory that contains its pact-plugin.json, and install that directory."
    )]
    NotTar,
    #[error("the archive contains no pact-plugin.json")]
    NoManifest,
    #[error("the archive ends in the middle of the file {0:?}")]
    Truncated(String),
    #[error("the archive or its content is too large; at most {0} bytes are allowed")]
    TooLarge(u64),
    #[error("the archive has too many entries; at most {0} files and directories are allowed")]
    TooManyEntries(usize),
    #[error("the path of an entry is too long; at most {0} components are allowed")]
    TooDeep(usize),
    #[error("the path {0:?} is outside the plugin's directory")]
    Outside(String),
    #[error("{name:?} is {kind}; archives may only contain files and directories")]
    UnsupportedEntry { name: String, kind: &'static str },
    #[error(
        "the checksum does not match: the file has SHA-256 {actual}, but {expected} was expected. The plugin was not installed."
    )]
    Checksum { expected: String, actual: String },
}

type Result<T> = std::result::Result<T, ArchiveError>;

#[derive(Clone, Copy)]
struct Limits {
    /// Maximum size of the archive, and of its decompressed content, in bytes.
    bytes: u64,
    entries: usize,
    /// Maximum number of components in a path.
    depth: usize,
}

const LIMITS: Limits = Limits {
    bytes: 1 << 30,
    entries: 20_000,
    depth: 64,
};
/// Maximum size of an entry's headers in bytes, including a long name, because the tar reader keeps them in memory.
const HEADER_SIZE: u64 = 1 << 20;
/// Size of a block in a tar file, in bytes.
const BLOCK: usize = 512;

/// An unpacked archive. Its directory is removed when this value is dropped.
pub(super) struct Unpacked {
    _directory: TempDir,
    plugin: PathBuf,
}

impl Unpacked {
    /// Returns the directory that contains the manifest.
    pub(super) fn plugin(&self) -> &Path {
        &self.plugin
    }
}

/// Unpacks an archive into a new directory in `parent` that other users cannot read. If `sha256` is set, verifies the
/// checksum of the archive first.
pub(super) fn unpack(file: &Path, sha256: Option<&str>, parent: &Path) -> Result<Unpacked> {
    unpack_within(LIMITS, file, sha256, parent)
}

fn unpack_within(limits: Limits, file: &Path, sha256: Option<&str>, parent: &Path) -> Result<Unpacked> {
    let mut archive = contract::open_file(file)?;
    if archive.metadata()?.len() > limits.bytes {
        return Err(ArchiveError::TooLarge(limits.bytes));
    }
    if let Some(expected) = sha256 {
        compare_checksums(checksum(&mut archive)?, expected)?;
        archive.rewind()?;
    }
    create_directory(parent)?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unpacking-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let directory = builder
        .tempdir_in(parent)
        .map_err(|error| ArchiveError::CreateDirectory {
            directory: parent.to_owned(),
            error,
        })?;
    // This directory is one level below those that are searched for plugins.
    let content = directory.path().join("content");
    create_directory(&content)?;
    let mut hashing = Hashing {
        inner: archive.take(limits.bytes + 1),
        hash: Sha256::new(),
    };
    let mut tar = GzDecoder::new(&mut hashing);
    let mut start = Vec::new();
    let read = tar.by_ref().take(BLOCK as u64).read_to_end(&mut start);
    read.map_err(ArchiveError::Unreadable)?;
    if !starts_archive(&start) {
        return Err(ArchiveError::NotTar);
    }
    extract(start.chain(tar), &content, limits)?;
    if let Some(expected) = sha256 {
        // The file may have changed since the first check.
        io::copy(&mut hashing, &mut io::sink())?;
        compare_checksums(hex(&hashing.hash.finalize()), expected)?;
    }
    let plugin = manifest_directory(&content).ok_or(ArchiveError::NoManifest)?;
    Ok(Unpacked {
        _directory: directory,
        plugin,
    })
}

/// Returns true if `start`, the first block of the decompressed content, is the header of a tar entry.
fn starts_archive(start: &[u8]) -> bool {
    let Ok(block) = <&[u8; BLOCK]>::try_from(start) else {
        return false;
    };
    let header = tar::Header::from_byte_slice(block);
    // The checksum is the sum of all header bytes, with spaces in place of the checksum.
    let sum: u32 = block.iter().copied().map(u32::from).sum();
    let own: u32 = header.as_old().cksum.iter().copied().map(u32::from).sum();
    let spaces = 8 * u32::from(b' ');
    header.cksum().is_ok_and(|expected| expected == sum - own + spaces)
}

/// Returns the directory that contains the manifest: `content` itself, or the plugin directory in it. Returns `None` if
/// there is no manifest.
fn manifest_directory(content: &Path) -> Option<PathBuf> {
    let inner = fs::read_dir(content)
        .ok()
        .and_then(|mut entries| entries.next()?.ok())
        .map(|entry| entry.path());
    inner
        .into_iter()
        .chain([content.to_owned()])
        .find(|directory| directory.join("pact-plugin.json").is_file())
}

fn compare_checksums(actual: String, expected: &str) -> Result<()> {
    if actual.eq_ignore_ascii_case(expected.trim()) {
        return Ok(());
    }
    let expected = expected.to_owned();
    Err(ArchiveError::Checksum { expected, actual })
}

fn checksum(file: &mut File) -> io::Result<String> {
    let mut hashing = Hashing {
        inner: file,
        hash: Sha256::new(),
    };
    io::copy(&mut hashing, &mut io::sink())?;
    Ok(hex(&hashing.hash.finalize()))
}

/// A reader that computes the SHA-256 checksum of all bytes read.
struct Hashing<R> {
    inner: R,
    hash: Sha256,
}

impl<R: Read> Read for Hashing<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        self.hash.update(&buffer[..read]);
        Ok(read)
    }
}

/// A reader that returns an error if more bytes are read than `budget` allows. The budget is shared, because the tar
/// reader owns this reader.
struct Budgeted<R> {
    inner: R,
    budget: Rc<Cell<u64>>,
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let budget = self.budget.get().checked_sub(read as u64);
        let budget = budget.ok_or_else(|| io::Error::other("the names and headers of an entry are too large"))?;
        self.budget.set(budget);
        Ok(read)
    }
}

fn hex(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    bytes
        .iter()
        .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
        .collect()
}

/// Extracts the files and directories of a tar archive into `root`. Returns an error for other types of entries.
fn extract(tar: impl Read, root: &Path, limits: Limits) -> Result<()> {
    let budget = Rc::new(Cell::new(HEADER_SIZE));
    let mut archive = tar::Archive::new(Budgeted {
        inner: tar,
        budget: Rc::clone(&budget),
    });
    let mut bytes = 0_u64;
    let mut count = 0_usize;
    for entry in archive.entries().map_err(ArchiveError::Unreadable)? {
        let mut entry = entry.map_err(ArchiveError::Unreadable)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        let size = entry.size();
        count += 1;
        bytes = bytes.saturating_add(size);
        if bytes > limits.bytes {
            return Err(ArchiveError::TooLarge(limits.bytes));
        }
        if count > limits.entries {
            return Err(ArchiveError::TooManyEntries(limits.entries));
        }
        // Allows for the content, padded to whole blocks, and the headers of the next entry.
        budget.set(size.saturating_add(BLOCK as u64 + HEADER_SIZE));
        match kind {
            EntryType::Regular => extract_file(&mut entry, name, root, limits)?,
            EntryType::Directory => create_directory(&path_below(root, &name, limits.depth)?)?,
            EntryType::XGlobalHeader => {}
            other => {
                let kind = describe(other);
                return Err(ArchiveError::UnsupportedEntry { name, kind });
            }
        }
    }
    Ok(())
}

fn extract_file(entry: &mut tar::Entry<'_, impl Read>, name: String, root: &Path, limits: Limits) -> Result<()> {
    let path = path_below(root, &name, limits.depth)?;
    let mode = entry.header().mode().map_err(ArchiveError::Unreadable)?;
    create_directory(path.parent().unwrap_or(root))?;
    let mut file = match create_file(&path, mode) {
        Ok(file) => file,
        Err(error) => return Err(ArchiveError::CreateFile { name, error }),
    };
    let size = entry.size();
    let copied = io::copy(entry, &mut file).map_err(ArchiveError::Unreadable)?;
    if copied == size {
        Ok(())
    } else {
        Err(ArchiveError::Truncated(name))
    }
}

fn describe(kind: EntryType) -> &'static str {
    match kind {
        EntryType::Link => "a hard link",
        EntryType::Symlink => "a symbolic link",
        EntryType::Char | EntryType::Block => "a device",
        EntryType::Fifo => "a named pipe",
        EntryType::GNUSparse => "a sparse file",
        _ => "an entry of an unknown type",
    }
}

/// Returns the path of an entry in `root`. Returns an error if it is outside `root`, or has more than `depth`
/// components.
fn path_below(root: &Path, name: &str, depth: usize) -> Result<PathBuf> {
    let mut path = root.to_owned();
    let mut parts = 0;
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => continue,
            _ => return Err(ArchiveError::Outside(name.to_owned())),
        }
        parts += 1;
        if parts > depth {
            return Err(ArchiveError::TooDeep(depth));
        }
    }
    Ok(path)
}

fn create_directory(path: &Path) -> Result<()> {
    fs::create_dir_all(path).map_err(|error| ArchiveError::CreateDirectory {
        directory: path.to_owned(),
        error,
    })
}

/// Creates a file, which must not exist yet. Of `mode`, only the execute permission is used.
fn create_file(path: &Path, mode: u32) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use rustix::fs::OFlags;
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(if mode & 0o111 == 0 { 0o644 } else { 0o755 });
        options.custom_flags(OFlags::NOFOLLOW.bits().cast_signed());
    }
    #[cfg(not(unix))]
    let _ = mode;
    options.open(path)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;
    use std::path::{Path, PathBuf};

    use flate2::Compression;
    use flate2::write::GzEncoder;
    use sha2::{Digest, Sha256};
    use tar::{Builder, EntryType, Header};

    use super::{LIMITS, Limits, hex, path_below, unpack, unpack_within};

    /// Writes an archive. An entry has a name, a type, a mode, and content or the target of a link.
    fn archive(directory: &Path, entries: &[(&str, EntryType, u32, &[u8])]) -> PathBuf {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, kind, mode, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(*mode);
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            // The builder would reject absolute names and names with "..".
            let target = if is_link { *content } else { b"" };
            header.as_old_mut().name[..name.len()].copy_from_slice(name.as_bytes());
            header.as_old_mut().linkname[..target.len()].copy_from_slice(target);
            let content = if is_link { b"" } else { *content };
            header.set_size(content.len() as u64);
            header.set_cksum();
            tar.append(&header, content).unwrap();
        }
        let file = directory.join("plugin.tar.gz");
        fs::write(&file, tar.into_inner().unwrap().finish().unwrap()).unwrap();
        file
    }

    /// Checks that the archive is rejected with this message, and that no file is left in or next to the plugin
    /// directory.
    #[track_caller]
    fn check_rejected(limits: Limits, entries: &[(&str, EntryType, u32, &[u8])], message: &str) {
        let root = tempfile::tempdir().unwrap();
        let plugins = root.path().join("plugins");
        let file = archive(root.path(), entries);
        let error = unpack_within(limits, &file, None, &plugins).err().unwrap().to_string();
        assert!(error.contains(message), "{message:?} is missing in {error}");
        assert_eq!(fs::read_dir(&plugins).unwrap().count(), 0);
        assert_eq!(fs::read_dir(root.path()).unwrap().count(), 2);
    }

    const FILE: EntryType = EntryType::Regular;

    #[test]
    fn hostile_archives_are_rejected_and_leave_nothing_behind() {
        let tiny = Limits {
            bytes: 100_000,
            entries: 3,
            depth: 2,
        };
        let zeros = vec![0; 200_000];
        let long = vec![b'a'; 3 << 20];
        let manifest = ("pact-plugin.json", FILE, 0o644, b"{}".as_slice());
        for (limits, entries, message) in [
            (
                LIMITS,
                vec![manifest, ("../run", FILE, 0o755, b"x")],
                "outside the plugin's directory",
            ),
            (
                LIMITS,
                vec![("/tmp/run", FILE, 0o755, b"x")],
                "outside the plugin's directory",
            ),
            (
                LIMITS,
                vec![("bin/../../d", EntryType::Directory, 0o755, b"")],
                "outside the",
            ),
            (
                LIMITS,
                vec![manifest, ("bin", EntryType::Symlink, 0o777, b"/etc")],
                "\"bin\" is a symbolic link",
            ),
            (
                LIMITS,
                vec![manifest, ("bin", EntryType::Link, 0o777, b"/etc/passwd")],
                "\"bin\" is a hard link",
            ),
            (
                LIMITS,
                vec![("pipe", EntryType::Fifo, 0o644, b"")],
                "\"pipe\" is a named pipe",
            ),
            (
                LIMITS,
                vec![("zero", EntryType::Char, 0o644, b"")],
                "\"zero\" is a device",
            ),
            (
                LIMITS,
                vec![manifest, manifest],
                "could not extract \"pact-plugin.json\"",
            ),
            (
                tiny,
                vec![manifest, ("bomb", FILE, 0o644, &zeros)],
                "too large; at most 100000 bytes are allowed",
            ),
            (
                tiny,
                vec![
                    ("a", FILE, 0o644, b""),
                    ("b", FILE, 0o644, b""),
                    ("c", FILE, 0o644, b""),
                    ("d", FILE, 0o644, b""),
                ],
                "at most 3 files",
            ),
            (
                tiny,
                vec![("a/b/c", FILE, 0o644, b"")],
                "at most 2 components are allowed",
            ),
            (
                LIMITS,
                vec![("././@LongLink", EntryType::GNULongName, 0o644, &long)],
                "are too large",
            ),
            (LIMITS, vec![("x", EntryType::XHeader, 0o644, &long)], "are too large"),
        ] {
            check_rejected(limits, &entries, message);
        }
    }

    fn tar_header(name: &str) -> Vec<u8> {
        let mut header = Header::new_gnu();
        header.set_path(name).unwrap();
        header.set_cksum();
        header.as_bytes().to_vec()
    }

    #[test]
    fn files_that_are_not_archives_are_rejected() {
        let root = tempfile::tempdir().unwrap();
        let plugins = root.path().join("plugins");
        let file = root.path().join("plugin.tar.gz");
        let gz = |content: &[u8]| {
            let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
            gz.write_all(content).unwrap();
            gz.finish().unwrap()
        };
        let mut cut_tar = gz(&tar_header("pact-plugin.json"));
        cut_tar.truncate(cut_tar.len() / 2);
        for (content, message) in [
            (b"no archive".to_vec(), "not a readable .tar.gz archive"),
            (cut_tar, "not a readable .tar.gz archive"),
            // Plugin releases contain compressed programs.
            (
                gz(&[b'a'; 600]),
                "decompress it into the directory that contains its pact-plugin.json",
            ),
            (
                gz(b"#!/bin/sh"),
                "decompress it into the directory that contains its pact-plugin.json",
            ),
            (gz(b""), "not a .tar.gz archive"),
        ] {
            fs::write(&file, content).unwrap();
            let error = unpack(&file, None, &plugins).err().unwrap().to_string();
            assert!(error.contains(message), "{error}");
        }
        let without_manifest = archive(root.path(), &[("run", FILE, 0o755, b"#!/bin/sh")]);
        let error = unpack(&without_manifest, None, &plugins).err().unwrap().to_string();
        assert_eq!(error, "the archive contains no pact-plugin.json");
        assert!(unpack(&root.path().join("missing.tar.gz"), None, &plugins).is_err());
    }

    #[cfg(unix)]
    #[test]
    fn special_modes_and_existing_links_have_no_effect() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let root = tempfile::tempdir().unwrap();
        let (plugins, elsewhere) = (root.path().join("plugins"), root.path().join("elsewhere"));
        fs::create_dir_all(&plugins).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        // Another user created a link with a predictable name.
        let predictable = format!("contract-plugin-{}", std::process::id());
        for parent in [&plugins, &std::env::temp_dir()] {
            symlink(&elsewhere, parent.join(&predictable)).unwrap();
        }
        let file = archive(
            root.path(),
            &[
                ("csv/pact-plugin.json", FILE, 0o666, b"{}"),
                ("csv/run", FILE, 0o6777, b"#!/bin/sh"),
            ],
        );
        let unpacked = unpack(&file, None, &plugins);
        fs::remove_file(std::env::temp_dir().join(&predictable)).unwrap();
        let unpacked = unpacked.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let private = unpacked.plugin().ancestors().nth(2).unwrap().to_owned();
        assert_eq!(private.parent(), Some(plugins.as_path()));
        assert_eq!(mode(&private), 0o700);
        assert_eq!(mode(&unpacked.plugin().join("run")) & 0o7000, 0);
        assert_eq!(mode(&unpacked.plugin().join("run")) & 0o100, 0o100);
        assert_eq!(mode(&unpacked.plugin().join("pact-plugin.json")) & 0o111, 0);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        drop(unpacked);
        assert!(!private.exists());
    }

    #[test]
    fn checksums_are_compared_before_files_are_written() {
        let root = tempfile::tempdir().unwrap();
        let plugins = root.path().join("plugins");
        let file = archive(root.path(), &[("pact-plugin.json", FILE, 0o644, b"{}")]);
        let sum = hex(&Sha256::digest(fs::read(&file).unwrap()));
        let error = unpack(&file, Some("00"), &plugins).err().unwrap().to_string();
        assert!(
            error.contains(&format!("the file has SHA-256 {sum}, but 00 was expected")),
            "{error}"
        );
        assert!(!plugins.exists());
        let unpacked = unpack(&file, Some(&sum.to_uppercase()), &plugins).unwrap();
        assert!(unpacked.plugin().join("pact-plugin.json").is_file());
    }

    #[test]
    fn paths_outside_of_the_directory_are_rejected() {
        let root = Path::new("/plugins/.new");
        assert_eq!(path_below(root, "./bin/run", 64).unwrap(), root.join("bin/run"));
        for name in ["../run", "/run", "bin/../../run"] {
            assert!(path_below(root, name, 64).is_err(), "{name}");
        }
    }

    #[test]
    fn formats_hexadecimal_digits() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
    }
}
