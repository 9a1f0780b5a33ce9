//! Files that a call names: opened without waiting for another process, with errors that show the whole path.

mod error;
mod regular;

pub use error::{FileError, file_problem, in_words};
pub use regular::{
    Advice, ReadError, check, open, open_file, open_to_append, open_to_read, read, read_all, read_settings, write,
};
