//! Unpacks a plugin archive: a gzip-compressed tar file whose checksum may be known.
//!
//! An archive is untrusted: it is read as a stream, and nothing in it decides where or with which rights a file is created.

use std::cell::Cell;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek};
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use flate2::read::GzDecoder;
use sha2::{Digest, Sha256};
use tar::EntryType;
use tempfile::TempDir;

/// The limits of an archive.
#[derive(Clone, Copy)]
struct Limits {
    /// Maximum size of the archive, and of its content, in bytes.
    bytes: u64,
    /// Maximum number of files and directories.
    entries: usize,
    /// Maximum number of directories within one another.
    depth: usize,
}

const LIMITS: Limits = Limits {
    bytes: 1 << 30,
    entries: 20_000,
    depth: 64,
};
/// Maximum size of what stands before the content of an entry, such as a long name: the tar reader keeps it in memory.
const HEADERS: u64 = 1 << 20;

/// An unpacked archive. Its directory is removed when this value is dropped.
pub(super) struct Unpacked {
    /// Owns the directory.
    _folder: TempDir,
    plugin: PathBuf,
}

impl Unpacked {
    /// The directory with the manifest.
    pub(super) fn plugin(&self) -> &Path {
        &self.plugin
    }
}

/// Checks the checksum of the file and unpacks it into a new directory in `place` that no other user can read.
pub(super) fn unpack(file: &Path, sha256: Option<&str>, place: &Path) -> Result<Unpacked, String> {
    unpack_within(LIMITS, file, sha256, place).map_err(|problem| format!("{}: {problem}", file.display()))
}

fn unpack_within(limits: Limits, file: &Path, sha256: Option<&str>, place: &Path) -> Result<Unpacked, String> {
    let words = |error: io::Error| error.to_string();
    let mut archive = contract::open_file(file).map_err(words)?;
    if archive.metadata().map_err(words)?.len() > limits.bytes {
        return Err(too_large(limits));
    }
    if let Some(wanted) = sha256 {
        check_sum(&checksum(&mut archive).map_err(words)?, wanted)?;
        archive.rewind().map_err(words)?;
    }
    fs::create_dir_all(place).map_err(|error| format!("{}: {error}", place.display()))?;
    let mut builder = tempfile::Builder::new();
    builder.prefix(".unpacking-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o700));
    let folder = builder
        .tempdir_in(place)
        .map_err(|error| format!("{}: {error}", place.display()))?;
    // One level down, so that the search for plugins does not see it.
    let content = folder.path().join("content");
    create_directory(&content)?;
    let mut hashing = Hashing {
        inner: archive.take(limits.bytes + 1),
        hash: Sha256::new(),
    };
    extract(GzDecoder::new(&mut hashing), &content, limits)?;
    if let Some(wanted) = sha256 {
        // The file may have changed since it was checked.
        io::copy(&mut hashing, &mut io::sink()).map_err(words)?;
        check_sum(&hex(&hashing.hash.finalize()), wanted)?;
    }
    let plugin = manifest_directory(&content);
    Ok(Unpacked {
        _folder: folder,
        plugin,
    })
}

/// Some archives hold the plugin's directory, others its content.
fn manifest_directory(content: &Path) -> PathBuf {
    let inner = fs::read_dir(content)
        .ok()
        .and_then(|mut entries| entries.next()?.ok())
        .map(|entry| entry.path());
    match inner {
        Some(inner) if inner.join("pact-plugin.json").is_file() => inner,
        _ => content.to_owned(),
    }
}

fn too_large(limits: Limits) -> String {
    format!(
        "the archive or its content has more than {} bytes, the maximum for plugins",
        limits.bytes
    )
}

fn check_sum(actual: &str, expected: &str) -> Result<(), String> {
    if actual.eq_ignore_ascii_case(expected.trim()) {
        return Ok(());
    }
    Err(format!(
        "its SHA-256 is {actual}, expected {expected}; it is not installed"
    ))
}

fn checksum(file: &mut File) -> io::Result<String> {
    let mut hashing = Hashing {
        inner: file,
        hash: Sha256::new(),
    };
    io::copy(&mut hashing, &mut io::sink())?;
    Ok(hex(&hashing.hash.finalize()))
}

/// Computes a checksum of all that is read.
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

/// Fails when more is read than is left. The tar reader owns this reader, so what is left is shared.
struct Budgeted<R> {
    inner: R,
    left: Rc<Cell<u64>>,
}

impl<R: Read> Read for Budgeted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.inner.read(buffer)?;
        let left = self.left.get().checked_sub(read as u64);
        let left = left.ok_or_else(|| io::Error::other("the names and headers of an entry are too large"))?;
        self.left.set(left);
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

/// Creates the files and directories of a tar archive below a folder. Everything else in it is an error.
fn extract(tar: impl Read, folder: &Path, limits: Limits) -> Result<(), String> {
    let broken = |error: io::Error| format!("the file is not a readable .tar.gz archive: {error}");
    let left = Rc::new(Cell::new(HEADERS));
    let mut archive = tar::Archive::new(Budgeted {
        inner: tar,
        left: Rc::clone(&left),
    });
    let mut bytes = 0_u64;
    let mut count = 0_usize;
    for entry in archive.entries().map_err(broken)? {
        let mut entry = entry.map_err(broken)?;
        let name = String::from_utf8_lossy(&entry.path_bytes()).into_owned();
        let kind = entry.header().entry_type();
        let size = entry.size();
        count += 1;
        bytes = bytes.saturating_add(size);
        if bytes > limits.bytes {
            return Err(too_large(limits));
        }
        if count > limits.entries {
            return Err(format!(
                "the archive has more than {} files and directories, the maximum for plugins",
                limits.entries
            ));
        }
        // The content, what pads it to whole blocks, and the headers of the next entry.
        left.set(size.saturating_add(512 + HEADERS));
        match kind {
            EntryType::Regular => {
                let path = below(folder, &name, limits.depth)?;
                let mode = entry.header().mode().map_err(broken)?;
                let parent = path.parent().unwrap_or(folder);
                create_directory(parent)?;
                let mut file = create_file(&path, mode)
                    .map_err(|error| format!("could not create the file {name:?} of the archive: {error}"))?;
                let copied = io::copy(&mut entry, &mut file).map_err(broken)?;
                if copied != size {
                    return Err(format!("the archive ends in the middle of the file {name:?}"));
                }
            }
            EntryType::Directory => create_directory(&below(folder, &name, limits.depth)?)?,
            EntryType::XGlobalHeader => {}
            other => {
                return Err(format!(
                    "{name:?} is {}; only files and directories are unpacked",
                    describe(other)
                ));
            }
        }
    }
    Ok(())
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

/// A path that stays below the folder.
fn below(folder: &Path, name: &str, depth: usize) -> Result<PathBuf, String> {
    let mut path = folder.to_owned();
    let mut parts = 0;
    for component in Path::new(name).components() {
        match component {
            Component::Normal(part) => path.push(part),
            Component::CurDir => continue,
            _ => return Err(format!("{name:?} is outside of the plugin's directory")),
        }
        parts += 1;
        if parts > depth {
            return Err(format!("an entry has more than {depth} directories within one another"));
        }
    }
    Ok(path)
}

fn create_directory(path: &Path) -> Result<(), String> {
    fs::create_dir_all(path).map_err(|error| format!("could not create a directory of the archive: {error}"))
}

/// Creates a file that does not exist yet. Of the mode only the right to execute is kept.
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

    use super::{LIMITS, Limits, below, hex, unpack, unpack_within};

    /// Writes an archive; each entry is a name, a type, a mode and content or a link's target.
    fn archive(directory: &Path, entries: &[(&str, EntryType, u32, &[u8])]) -> PathBuf {
        let mut tar = Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
        for (name, kind, mode, content) in entries {
            let mut header = Header::new_gnu();
            header.set_entry_type(*kind);
            header.set_mode(*mode);
            let is_link = matches!(kind, EntryType::Symlink | EntryType::Link);
            // Written as it is: the builder would reject names that lead elsewhere.
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

    /// The archive is rejected with these words, and nothing is left in the directory for plugins or written beside it.
    #[track_caller]
    fn check_rejected(limits: Limits, entries: &[(&str, EntryType, u32, &[u8])], words: &str) {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("plugins");
        let file = archive(folder.path(), entries);
        let problem = unpack_within(limits, &file, None, &place).err().unwrap();
        assert!(problem.contains(words), "{words:?} is missing in {problem}");
        assert_eq!(fs::read_dir(&place).unwrap().count(), 0);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 2);
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
        for (limits, entries, words) in [
            (
                LIMITS,
                vec![manifest, ("../run", FILE, 0o755, b"x")],
                "outside of the plugin's directory",
            ),
            (
                LIMITS,
                vec![("/tmp/run", FILE, 0o755, b"x")],
                "outside of the plugin's directory",
            ),
            (
                LIMITS,
                vec![("bin/../../d", EntryType::Directory, 0o755, b"")],
                "outside of",
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
                "could not create the file \"pact-plugin.json\"",
            ),
            (
                tiny,
                vec![manifest, ("bomb", FILE, 0o644, &zeros)],
                "more than 100000 bytes",
            ),
            (
                tiny,
                vec![
                    ("a", FILE, 0o644, b""),
                    ("b", FILE, 0o644, b""),
                    ("c", FILE, 0o644, b""),
                    ("d", FILE, 0o644, b""),
                ],
                "more than 3 files",
            ),
            (
                tiny,
                vec![("a/b/c", FILE, 0o644, b"")],
                "more than 2 directories within one another",
            ),
            (
                LIMITS,
                vec![("././@LongLink", EntryType::GNULongName, 0o644, &long)],
                "are too large",
            ),
            (LIMITS, vec![("x", EntryType::XHeader, 0o644, &long)], "are too large"),
        ] {
            check_rejected(limits, &entries, words);
        }
    }

    #[test]
    fn archives_that_are_none_are_rejected() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("plugins");
        let file = folder.path().join("plugin.tar.gz");
        let mut cut = GzEncoder::new(Vec::new(), Compression::fast());
        cut.write_all(&[b'a'; 600]).unwrap();
        for content in [b"no archive".to_vec(), cut.finish().unwrap()] {
            fs::write(&file, content).unwrap();
            let problem = unpack(&file, None, &place).err().unwrap();
            assert!(problem.contains("not a readable .tar.gz archive"), "{problem}");
        }
        let problem = unpack(&folder.path().join("none.tar.gz"), None, &place).err().unwrap();
        assert!(problem.contains("none.tar.gz"), "{problem}");
    }

    #[cfg(unix)]
    #[test]
    fn modes_and_links_do_not_decide_where_an_archive_goes() {
        use std::os::unix::fs::{PermissionsExt, symlink};
        let folder = tempfile::tempdir().unwrap();
        let (place, elsewhere) = (folder.path().join("plugins"), folder.path().join("elsewhere"));
        fs::create_dir_all(&place).unwrap();
        fs::create_dir_all(&elsewhere).unwrap();
        // The name that used to be predictable, as a link of somebody else's.
        let predictable = format!("contract-plugin-{}", std::process::id());
        for parent in [&place, &std::env::temp_dir()] {
            symlink(&elsewhere, parent.join(&predictable)).unwrap();
        }
        let file = archive(
            folder.path(),
            &[
                ("csv/pact-plugin.json", FILE, 0o666, b"{}"),
                ("csv/run", FILE, 0o6777, b"#!/bin/sh"),
            ],
        );
        let unpacked = unpack(&file, None, &place);
        fs::remove_file(std::env::temp_dir().join(&predictable)).unwrap();
        let unpacked = unpacked.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
        let private = unpacked.plugin().ancestors().nth(2).unwrap().to_owned();
        assert_eq!(private.parent(), Some(place.as_path()));
        assert_eq!(mode(&private), 0o700);
        assert_eq!(mode(&unpacked.plugin().join("run")) & 0o7000, 0);
        assert_eq!(mode(&unpacked.plugin().join("run")) & 0o100, 0o100);
        assert_eq!(mode(&unpacked.plugin().join("pact-plugin.json")) & 0o111, 0);
        assert_eq!(fs::read_dir(&elsewhere).unwrap().count(), 0);
        drop(unpacked);
        assert!(!private.exists());
    }

    #[test]
    fn checksums_are_compared_before_anything_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let place = folder.path().join("plugins");
        let file = archive(folder.path(), &[("pact-plugin.json", FILE, 0o644, b"{}")]);
        let sum = hex(&Sha256::digest(fs::read(&file).unwrap()));
        let problem = unpack(&file, Some("00"), &place).err().unwrap();
        assert!(
            problem.contains(&format!("its SHA-256 is {sum}, expected 00")),
            "{problem}"
        );
        assert!(!place.exists());
        let unpacked = unpack(&file, Some(&sum.to_uppercase()), &place).unwrap();
        assert!(unpacked.plugin().join("pact-plugin.json").is_file());
    }

    #[test]
    fn nothing_is_written_elsewhere() {
        let folder = Path::new("/plugins/.new");
        assert_eq!(below(folder, "./bin/run", 64).unwrap(), folder.join("bin/run"));
        for name in ["../run", "/run", "bin/../../run"] {
            assert!(below(folder, name, 64).is_err(), "{name}");
        }
    }

    #[test]
    fn digits() {
        assert_eq!(hex(&[0, 15, 255]), "000fff");
    }
}
