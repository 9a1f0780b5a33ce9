//! Why the command line could not be called, and what users can do.

use std::path::PathBuf;
use std::{fmt, io};

pub(crate) enum LaunchError {
    /// The system does not know the path of this executable, for example because /proc is not mounted.
    OwnPath(io::Error),
    Missing {
        library: PathBuf,
    },
    Load {
        library: PathBuf,
        reason: String,
    },
    /// The library is from another version.
    NoCommandLine {
        library: PathBuf,
    },
}

impl fmt::Display for LaunchError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::OwnPath(error) => {
                return write!(
                    f,
                    "could not determine the path of this executable, to find contract.node: {error}"
                );
            }
            Self::Missing { library } => write!(f, "the native library {} does not exist", library.display()),
            Self::Load { library, reason } => {
                write!(f, "could not load the native library {}: {reason}", library.display())
            }
            Self::NoCommandLine { library } => {
                write!(f, "the native library {} contains no command line", library.display())
            }
        }?;
        f.write_str(
            "\n  Delete node_modules and install again. If you have copied this executable, copy contract.node from the same \
             package into its directory.",
        )
    }
}
