use contract_broker_domain::packed::Damaged;

#[derive(Debug, thiserror::Error)]
#[error("{text}")]
pub struct StoreError {
    text: String,
    kind: Kind,
    #[source]
    source: Option<Box<dyn std::error::Error + Send + Sync>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Database,
    Conflict,
    Unreachable,
    Stopped,
    Unstorable,
    Full,
}

impl StoreError {
    pub(super) fn database(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            kind: Kind::Database,
            source: None,
        }
    }

    /// Creates the error for a part of the configuration that cannot be used.
    pub(super) fn unusable(
        text: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self {
            text: text.into(),
            kind: Kind::Database,
            source: Some(source.into()),
        }
    }

    pub(super) fn unreachable(
        text: impl Into<String>,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self {
            text: text.into(),
            kind: Kind::Unreachable,
            source: Some(source.into()),
        }
    }

    pub(super) fn stopped() -> Self {
        Self {
            text: "the database is closing".to_owned(),
            kind: Kind::Stopped,
            source: None,
        }
    }

    pub fn panicked() -> Self {
        Self::database("internal error: an invariant was violated")
    }

    /// Creates the error for a row that another transaction deleted right after this one wrote it. A retry may succeed.
    pub fn vanished() -> Self {
        let text = "another transaction deleted a row that was just written".to_owned();
        Self {
            text,
            kind: Kind::Conflict,
            source: None,
        }
    }

    /// Creates the error for a job whose transaction was rolled back although the job itself succeeded. `why` is the
    /// reason, and `is_full` means that the disk is full.
    pub(super) fn rolled_back(is_full: bool, reason: &str) -> Self {
        Self {
            text: format!("nothing was written: {reason}"),
            kind: if is_full { Kind::Full } else { Kind::Database },
            source: None,
        }
    }

    pub(super) fn unstorable() -> Self {
        let text = "text must not contain the character U+0000".to_owned();
        Self {
            text,
            kind: Kind::Unstorable,
            source: None,
        }
    }

    /// Returns whether a parameter contained the character U+0000, which cannot be stored.
    pub fn is_unstorable(&self) -> bool {
        self.kind == Kind::Unstorable
    }

    pub fn is_full(&self) -> bool {
        self.kind == Kind::Full
    }

    /// Returns whether the operation conflicted with another transaction. A retry may succeed.
    pub fn is_conflict(&self) -> bool {
        self.kind == Kind::Conflict
    }

    /// Returns whether the database server cannot be reached, or the store is closing.
    pub fn is_unreachable(&self) -> bool {
        matches!(self.kind, Kind::Unreachable | Kind::Stopped)
    }
}

fn is_of_writing(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_FSYNC, SQLITE_IOERR_TRUNCATE, SQLITE_IOERR_WRITE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(
        code,
        Some(SQLITE_IOERR_WRITE | SQLITE_IOERR_FSYNC | SQLITE_IOERR_TRUNCATE)
    )
}

impl From<Damaged> for StoreError {
    fn from(error: Damaged) -> Self {
        Self {
            text: "the database is damaged".to_owned(),
            kind: Kind::Database,
            source: Some(error.into()),
        }
    }
}

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, SystemIoFailure};
        let (text, kind) = match error.sqlite_error_code() {
            Some(DiskFull) => ("the disk is full: nothing was written".to_owned(), Kind::Full),
            // A file size limit is reported as a write error.
            Some(SystemIoFailure) if is_of_writing(&error) => (
                "the database file cannot be written: nothing was written".to_owned(),
                Kind::Full,
            ),
            Some(DatabaseBusy | DatabaseLocked) => {
                ("another process has locked the database".to_owned(), Kind::Conflict)
            }
            _ => ("the database reported an error".to_owned(), Kind::Database),
        };
        Self {
            text,
            kind,
            source: Some(Box::new(error)),
        }
    }
}

impl From<tokio_postgres::Error> for StoreError {
    fn from(error: tokio_postgres::Error) -> Self {
        use tokio_postgres::error::SqlState;
        // If two transactions insert the same row, the later one finds the row when it runs again.
        let conflicts = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::UNIQUE_VIOLATION,
            // Another transaction deleted a row after this one read it.
            SqlState::FOREIGN_KEY_VIOLATION,
        ];
        let stops = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
        ];
        let (text, kind) = match error.code() {
            Some(code) if conflicts.contains(code) => {
                ("the transaction conflicted with another transaction", Kind::Conflict)
            }
            Some(code) if *code == SqlState::DISK_FULL => ("the disk of the database server is full", Kind::Full),
            Some(code) if stops.contains(code) => ("the database server is stopping or starting", Kind::Unreachable),
            Some(_) => ("the database rejected a statement", Kind::Database),
            None if error.is_closed() => ("the connection to the database was lost", Kind::Unreachable),
            None => ("the database reported an error", Kind::Database),
        };
        Self {
            text: text.to_owned(),
            kind,
            source: Some(Box::new(error)),
        }
    }
}
