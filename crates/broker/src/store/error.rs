/// Why the database did not do what was asked.
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

    /// Something that was configured cannot be used.
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
            text: "the database is being closed".to_owned(),
            kind: Kind::Stopped,
            source: None,
        }
    }

    pub(crate) fn panicked() -> Self {
        Self::database("an invariant of the broker was broken; this is a defect")
    }

    /// What was just written or found is gone: somebody removed it in between.
    pub(crate) fn vanished() -> Self {
        let text = "what was just written was removed by another transaction".to_owned();
        Self {
            text,
            kind: Kind::Conflict,
            source: None,
        }
    }

    /// The transaction that a job was part of was undone.
    pub(super) fn given_up(is_full: bool, why: &str) -> Self {
        Self {
            text: format!("nothing was written: {why}"),
            kind: if is_full { Kind::Full } else { Kind::Database },
            source: None,
        }
    }

    pub(super) fn unstorable() -> Self {
        let text = "text with the character U+0000 cannot be stored".to_owned();
        Self {
            text,
            kind: Kind::Unstorable,
            source: None,
        }
    }

    /// What was to be written is no text that a database can hold.
    pub fn is_unstorable(&self) -> bool {
        self.kind == Kind::Unstorable
    }

    /// There is no room for what was to be written.
    pub fn is_full(&self) -> bool {
        self.kind == Kind::Full
    }

    /// Another transaction was in the way; trying again may help.
    pub fn is_conflict(&self) -> bool {
        self.kind == Kind::Conflict
    }

    /// The database cannot be reached at this moment.
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

impl From<rusqlite::Error> for StoreError {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::ErrorCode::{DatabaseBusy, DatabaseLocked, DiskFull, SystemIoFailure};
        let (text, kind) = match error.sqlite_error_code() {
            Some(DiskFull) => ("the disk is full: nothing was written".to_owned(), Kind::Full),
            // How a limit on the size of files shows.
            Some(SystemIoFailure) if is_of_writing(&error) => (
                "the database cannot be written: nothing was written".to_owned(),
                Kind::Full,
            ),
            Some(DatabaseBusy | DatabaseLocked) => ("another process holds the database".to_owned(), Kind::Conflict),
            _ => ("the database failed".to_owned(), Kind::Database),
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
        // Two that write the same row at once: the later one finds it when it tries again.
        let conflicts = [
            SqlState::T_R_SERIALIZATION_FAILURE,
            SqlState::T_R_DEADLOCK_DETECTED,
            SqlState::UNIQUE_VIOLATION,
        ];
        let stops = [
            SqlState::ADMIN_SHUTDOWN,
            SqlState::CRASH_SHUTDOWN,
            SqlState::CANNOT_CONNECT_NOW,
        ];
        let (text, kind) = match error.code() {
            Some(code) if conflicts.contains(code) => ("another transaction was in the way", Kind::Conflict),
            Some(code) if *code == SqlState::DISK_FULL => ("the disk of the database is full", Kind::Full),
            Some(code) if stops.contains(code) => {
                ("the database server is being stopped or started", Kind::Unreachable)
            }
            Some(_) => ("the database refused a statement", Kind::Database),
            None if error.is_closed() => ("the connection to the database was lost", Kind::Unreachable),
            None => ("the database failed", Kind::Database),
        };
        Self {
            text: text.to_owned(),
            kind,
            source: Some(Box::new(error)),
        }
    }
}
