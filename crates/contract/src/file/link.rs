use std::io;
use std::path::{Path, PathBuf};

/// More links than this one after another are a circle, as for the system.
const MOST: usize = 40;

/// The file that a path stands for: what its links lead to, whether or not it is there. Putting a new file in the place of a
/// link would tear them apart.
pub(super) fn target(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..MOST {
        match std::fs::symlink_metadata(&path) {
            Ok(there) if there.is_symlink() => {}
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => return Ok(path),
        }
        let beside = path.parent().unwrap_or(Path::new("."));
        let next = beside.join(std::fs::read_link(&path)?);
        let (Some(directory), Some(name)) = (next.parent(), next.file_name()) else {
            return Err(io::Error::other("the link does not lead to a file"));
        };
        path = std::fs::canonicalize(directory)?.join(name);
    }
    Err(io::Error::other("its links lead in a circle"))
}
