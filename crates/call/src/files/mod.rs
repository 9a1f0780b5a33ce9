//! Opens regular files without blocking, and formats file errors with advice.

mod error;
mod regular;

pub use error::{FileError, file_problem, os_message};
pub use regular::{
    Advice, ReadError, check, open, open_file, open_to_append, open_to_read, read, read_all, read_settings, write,
};
