//! Imports the PostgreSQL database of a Pact Broker. It contains data that the API does not return: replaced revisions,
//! the dates of branches and tags, and fractions of seconds.
//!
//! One thread reads a snapshot in batches. It sends the records to a task that writes them.

mod contracts;
mod records;
mod webhooks;

use std::collections::HashMap;

use contract_broker_core::cases::import::{self, Record};
use contract_broker_core::store::{Database, Limits, Row, StoreError, Tx, Value, read_other};
use tokio::sync::{mpsc, oneshot};

use super::{ImportError, ImportReport, Target};

/// Maximum number of rows that one query returns.
const ROWS: i64 = 1_000;
/// Maximum number of messages from the reading thread that wait for the writing task.
const QUEUE: usize = 64;
/// File name of the last migration in Pact Broker 2.90, the oldest version with the current table structure.
const OLDEST_MIGRATION: &str = "20211104";

/// Imports the database of a Pact Broker without changing it. `address` is a PostgreSQL connection URL. `progress` is
/// called with a line of text for each completed part of the import.
pub async fn import_from_database(
    address: &str,
    database: &Database,
    limits: &Limits,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<ImportReport, ImportError> {
    let (sender, received) = mpsc::channel(QUEUE);
    let reading = read_other(address, limits, move |tx| Reader { tx, out: sender }.read());
    let writing = write(received, database, limits, progress);
    let (read, written) = tokio::join!(reading, writing);
    // If writing failed, that is why the reader stopped.
    let report = written?;
    match (read.map_err(ImportError::OtherDatabase)?, report) {
        (Ok(()), Some(report)) => Ok(report),
        (Err(ReadError::Import(error)), _) => Err(error),
        (Ok(()), None) | (Err(ReadError::Stopped), _) => Err(StoreError::panicked().into()),
    }
}

/// A message from the thread that reads the other database.
enum Message {
    /// The other database can be imported. The reply contains the name of each application and the number of its newest
    /// version in the target database.
    Start(oneshot::Sender<Vec<(String, String)>>),
    /// Consumer, provider, and SHA of contract contents. The reply contains, for each content, whether the target database
    /// has it.
    KnownContents(Vec<(String, String, String)>, oneshot::Sender<Vec<bool>>),
    Record(Box<Record>),
    /// A record that could not be read: its kind, such as `results`, and the reason.
    Failure(&'static str, String),
    Note(String),
    Progress(String),
}

/// Opens the target database, and handles the messages from the reading thread. Returns `None` if the thread ends
/// before it sends [`Message::Start`].
async fn write(
    mut received: mpsc::Receiver<Message>,
    database: &Database,
    limits: &Limits,
    progress: &(dyn Fn(&str) + Sync),
) -> Result<Option<ImportReport>, ImportError> {
    // The reader checks the other database before this one is created.
    let Some(Message::Start(newest)) = received.recv().await else {
        return Ok(None);
    };
    let mut target = Target::open(database, limits).await?;
    let written = async {
        // The reader may have failed and no longer receive replies.
        let _ = newest.send(target.read(import::newest_versions).await?);
        while let Some(message) = received.recv().await {
            match message {
                Message::Start(_) => {}
                Message::KnownContents(contents, reply) => {
                    let known = target.read(move |tx| import::known_contents(tx, &contents)).await?;
                    let _ = reply.send(known);
                }
                Message::Record(record) => target.add(*record).await?,
                Message::Failure(kind, problem) => target.report.fail(kind, problem),
                Message::Note(note) => target.report.note(note),
                Message::Progress(line) => progress(&line),
            }
        }
        Ok(())
    };
    let written = written.await;
    drop(received);
    target.close(written).await.map(Some)
}

enum ReadError {
    Import(ImportError),
    /// The writing task has ended because of an error.
    Stopped,
}

impl From<StoreError> for ReadError {
    fn from(error: StoreError) -> Self {
        Self::Import(ImportError::OtherDatabase(error))
    }
}

type ReadResult<O = ()> = Result<O, ReadError>;

/// Reads the tables of a Pact Broker, and sends their records to the writing task.
struct Reader<'a, 'b> {
    tx: &'a mut Tx<'b>,
    out: mpsc::Sender<Message>,
}

impl Reader<'_, '_> {
    fn read(mut self) -> ReadResult {
        self.check_schema()?;
        let (reply, newest) = oneshot::channel();
        self.send(Message::Start(reply))?;
        let newest = newest.blocking_recv().map_err(|_| ReadError::Stopped)?;
        self.check_versions(&newest)?;
        self.read_environments()?;
        self.read_applications()?;
        self.read_branches()?;
        self.read_versions()?;
        self.read_branch_heads()?;
        self.read_contents()?;
        self.read_contracts()?;
        self.read_results()?;
        self.read_tag_successes()?;
        self.read_presences()?;
        self.read_webhooks()
    }

    fn check_schema(&mut self) -> ReadResult {
        if !self.has_table("schema_migrations")? {
            return Err(ReadError::Import(ImportError::NotPactBroker));
        }
        let last = self.query("SELECT max(filename) FROM schema_migrations", &[])?;
        let last = last.first().map(|row| row.text(0)).unwrap_or_default();
        if last.as_str() < OLDEST_MIGRATION {
            return Err(ReadError::Import(ImportError::OldSchema(last)));
        }
        Ok(())
    }

    /// Returns an error if the newest version of an application in the target database does not exist in this database.
    /// In that case, the order of the versions would be unknown.
    fn check_versions(&mut self, newest: &[(String, String)]) -> ReadResult {
        for (application, version) in newest {
            let names = &[Value::from(application), Value::from(version)];
            let row = self.query(
                "SELECT (SELECT 1 FROM versions v WHERE v.pacticipant_id = p.id AND v.number = $2 LIMIT 1)
                 FROM pacticipants p WHERE p.name = $1",
                names,
            )?;
            if row.first().is_some_and(|row| row.maybe_int(0).is_none()) {
                return Err(ReadError::Import(ImportError::ForeignVersion {
                    application: application.clone(),
                    version: version.clone(),
                }));
            }
        }
        Ok(())
    }

    fn query(&mut self, sql: &str, parameters: &[Value]) -> ReadResult<Vec<Row>> {
        Ok(self.tx.query(sql, parameters)?)
    }

    /// Calls `each` with batches of rows. The first `KEY` columns of a row are its key. The query's first parameters
    /// (`$1` and following) are the key of the previous batch's last row, and its last parameter is the maximum number
    /// of rows.
    fn each_batch<const KEY: usize>(
        &mut self,
        sql: &str,
        mut each: impl FnMut(&mut Self, Vec<Row>) -> ReadResult,
    ) -> ReadResult {
        let mut last = [-1; KEY];
        loop {
            let parameters: Vec<Value> = last.iter().copied().chain([ROWS]).map(Value::from).collect();
            let rows = self.query(sql, &parameters)?;
            let Some(end) = rows.last() else { return Ok(()) };
            last = std::array::from_fn(|at| end.int(at));
            each(self, rows)?;
        }
    }

    fn has_table(&mut self, table: &str) -> ReadResult<bool> {
        let rows = self.query("SELECT 1 WHERE to_regclass($1) IS NOT NULL", &[table.into()])?;
        Ok(!rows.is_empty())
    }

    fn columns(&mut self, table: &str) -> ReadResult<Vec<String>> {
        let sql = "SELECT CAST(attname AS TEXT) FROM pg_attribute
            WHERE attrelid = to_regclass($1) AND attnum > 0 AND NOT attisdropped";
        let rows = self.query(sql, &[table.into()])?;
        Ok(rows.iter().map(|row| row.text(0)).collect())
    }

    fn send(&self, message: Message) -> ReadResult {
        self.out.blocking_send(message).map_err(|_| ReadError::Stopped)
    }

    fn add(&self, record: Record) -> ReadResult {
        self.send(Message::Record(Box::new(record)))
    }

    fn fail(&self, kind: &'static str, problem: String) -> ReadResult {
        self.send(Message::Failure(kind, problem))
    }

    fn note(&self, note: String) -> ReadResult {
        self.send(Message::Note(note))
    }

    fn progress(&self, line: impl Into<String>) -> ReadResult {
        self.send(Message::Progress(line.into()))
    }
}

/// Groups rows by the integer in the column with this index.
fn by(rows: Vec<Row>, column: usize) -> HashMap<i64, Vec<Row>> {
    let mut groups: HashMap<i64, Vec<Row>> = HashMap::new();
    for row in rows {
        groups.entry(row.int(column)).or_default().push(row);
    }
    groups
}

/// Returns an SQL expression for a timestamp column (in UTC) as milliseconds since 1970.
fn milliseconds(column: &str) -> String {
    format!("CAST(floor(EXTRACT(EPOCH FROM {column}) * 1000) AS BIGINT)")
}
