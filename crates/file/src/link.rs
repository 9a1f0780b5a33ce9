use std::io;
use std::path::{Path, PathBuf};

/// Maximum number of links in a chain. Linux also reports an error for longer chains.
const MAX_LINKS: usize = 40;

/// Returns the path to which a chain of symbolic links leads, even if nothing exists there. Writing to this path
/// preserves the links.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MAX_LINKS {
        match std::fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_symlink() => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
        let parent = path.parent().unwrap_or(Path::new("."));
        let next = parent.join(std::fs::read_link(&path)?);
        let (Some(directory), Some(name)) = (next.parent(), next.file_name()) else {
            return Err(io::Error::other("the link does not point to a file"));
        };
        path = std::fs::canonicalize(directory)?.join(name);
    }
    Err(io::Error::other("the links are circular"))
}
