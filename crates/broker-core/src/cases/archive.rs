//! Exports all data as text, and imports it into an empty database.
//!
//! The text has one JSON value per line. It starts with a header. For each table, a line with its name and columns
//! precedes its rows, which are arrays. The last line contains the numbers of rows and a checksum. Rows are ordered by
//! primary key, so that SQLite and PostgreSQL produce the same text.

use std::collections::BTreeMap;
use std::io::{self, BufRead, Write};

use serde_json::{Value as Json, json};
use sha2::{Digest as _, Sha256};

use crate::sql::rows::{self, Inserter};
use crate::store::tables::{Table, tables};
use crate::store::{StoreError, Tx, Value};
use contract_broker_domain::content::hex;

/// The version of the text format, which is increased when the schema changes.
const FORMAT: i64 = 1;
/// Tables that are not archived, because their rows describe the state of running processes.
const OMITTED: [&str; 1] = ["lease"];

#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("line {line}: {reason}")]
    Invalid { line: u64, reason: String },
    #[error("the file is not a contract-broker backup")]
    Format,
    #[error(
        "the backup uses format {0}, but this version of contract-broker supports only formats up to {FORMAT}. Use a newer version."
    )]
    NewerFormat(i64),
    #[error("the backup is incomplete: its end is missing")]
    Truncated,
    #[error("the backup is damaged: its checksum does not match")]
    Checksum,
    #[error("the database is not empty: the {0} table has rows. Restore into a new database.")]
    NotEmpty(String),
}

/// The size and the checksum of an archive. `rows` contains the number of rows by table name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    pub rows: BTreeMap<String, u64>,
    /// SHA-256 of the tables, in hexadecimal.
    pub checksum: String,
}

fn archived_tables() -> Vec<Table> {
    let mut tables = tables();
    tables.retain(|table| !OMITTED.contains(&table.name.as_str()));
    tables
}

/// Writes lines and adds them to a checksum.
struct Output<'a> {
    out: &'a mut dyn Write,
    checksum: Sha256,
}

impl Output<'_> {
    fn line(&mut self, value: &Json) -> io::Result<()> {
        let line = format!("{value}\n");
        self.checksum.update(line.as_bytes());
        self.out.write_all(line.as_bytes())
    }
}

/// Writes an archive of all data. All tables are read in the transaction `tx`, so that they are consistent.
pub fn write(tx: &mut Tx<'_>, now: i64, out: &mut dyn Write) -> Result<Summary, ArchiveError> {
    let header =
        json!({ "format": FORMAT, "program": "contract-broker", "createdAt": contract_broker_domain::time::iso(now) });
    out.write_all(format!("{header}\n").as_bytes())?;
    let summary = write_tables(tx, out, |_, _| Ok(()))?;
    let trailer = json!({ "rows": summary.rows, "sha256": summary.checksum });
    out.write_all(format!("{trailer}\n").as_bytes())?;
    out.flush()?;
    Ok(summary)
}

/// Calls `each` for every row of every table, and returns the summary that [`write`] would return.
pub fn each_row(
    tx: &mut Tx<'_>,
    each: impl FnMut(&Table, &[Value]) -> Result<(), ArchiveError>,
) -> Result<Summary, ArchiveError> {
    write_tables(tx, &mut io::sink(), each)
}

fn write_tables(
    tx: &mut Tx<'_>,
    out: &mut dyn Write,
    mut each: impl FnMut(&Table, &[Value]) -> Result<(), ArchiveError>,
) -> Result<Summary, ArchiveError> {
    let mut output = Output {
        out,
        checksum: Sha256::new(),
    };
    let mut counts = BTreeMap::new();
    for table in archived_tables() {
        output.line(&json!({ "table": table.name, "columns": table.columns }))?;
        let mut count = 0;
        rows::read(tx, &table, ("1 = 1", &[]), |row| {
            count += 1;
            output.line(&row.iter().map(Value::to_json).collect())?;
            each(&table, row)
        })?;
        counts.insert(table.name, count);
    }
    Ok(Summary {
        rows: counts,
        checksum: hex(output.checksum.finalize().as_slice()),
    })
}

/// Reads an archive into a database whose tables are empty. If this function returns an error, the caller must roll
/// back the transaction.
pub fn read(tx: &mut Tx<'_>, input: &mut dyn BufRead) -> Result<Summary, ArchiveError> {
    let tables = archived_tables();
    if let Some(table) = rows::first_with_rows(tx, &tables)? {
        return Err(ArchiveError::NotEmpty(table.to_owned()));
    }
    let mut lines = Lines::new(input);
    let header = lines.next()?.ok_or(ArchiveError::Truncated)?;
    match header.get("format").and_then(Json::as_i64) {
        Some(FORMAT) if header["program"] == "contract-broker" => {}
        Some(format) if format > FORMAT => return Err(ArchiveError::NewerFormat(format)),
        _ => return Err(ArchiveError::Format),
    }
    lines.checksum = Sha256::new();
    let mut counts = BTreeMap::new();
    let mut current: Option<(&Table, Inserter, u64)> = None;
    loop {
        let before = lines.checksum.clone();
        let line = lines.next()?.ok_or(ArchiveError::Truncated)?;
        if let (Json::Array(values), Some((table, inserter, count))) = (&line, current.as_mut()) {
            let row = values.iter().map(Value::from_json).collect::<Option<Vec<Value>>>();
            let row = row.filter(|row| row.len() == table.columns.len());
            let row = row.ok_or_else(|| lines.invalid(&format!("expected a row of the {} table", table.name)))?;
            inserter.add(tx, table, row).map_err(|error| lines.rejected(error))?;
            *count += 1;
            continue;
        }
        if let Some((table, inserter, count)) = current.take() {
            inserter.finish(tx, table).map_err(|error| lines.rejected(error))?;
            counts.insert(table.name.clone(), count);
        }
        if let Some(name) = line.get("table").and_then(Json::as_str) {
            let next = tables
                .iter()
                .find(|table| table.name == name && !counts.contains_key(name));
            let next = next.filter(|table| line["columns"] == json!(table.columns));
            let table =
                next.ok_or_else(|| lines.invalid(&format!("the {name} table or one of its columns is unknown")))?;
            current = Some((table, Inserter::default(), 0));
        } else if line.get("sha256").is_some() {
            let summary = Summary {
                rows: counts,
                checksum: hex(before.finalize().as_slice()),
            };
            let is_intact = line["sha256"] == summary.checksum.as_str() && line["rows"] == json!(summary.rows);
            return if is_intact {
                Ok(summary)
            } else {
                Err(ArchiveError::Checksum)
            };
        } else {
            return Err(lines.invalid("expected a table or a row"));
        }
    }
}

/// Reads JSON values from lines, counts the lines, and adds them to a checksum.
struct Lines<'a> {
    input: &'a mut dyn BufRead,
    checksum: Sha256,
    number: u64,
    buffer: String,
}

impl<'a> Lines<'a> {
    fn new(input: &'a mut dyn BufRead) -> Self {
        Self {
            input,
            checksum: Sha256::new(),
            number: 0,
            buffer: String::new(),
        }
    }

    /// Reads the next line. Returns `None` at the end of the input.
    fn next(&mut self) -> Result<Option<Json>, ArchiveError> {
        self.buffer.clear();
        self.number += 1;
        let read = self.input.read_line(&mut self.buffer);
        let length = read.map_err(|error| match error.kind() {
            io::ErrorKind::UnexpectedEof => ArchiveError::Truncated,
            io::ErrorKind::InvalidData | io::ErrorKind::InvalidInput => {
                self.invalid("the line is not valid UTF-8 text")
            }
            _ => ArchiveError::Io(error),
        })?;
        if length == 0 {
            return Ok(None);
        }
        if !self.buffer.ends_with('\n') {
            return Err(ArchiveError::Truncated);
        }
        self.checksum.update(self.buffer.as_bytes());
        let value = serde_json::from_str(&self.buffer);
        value.map(Some).map_err(|_| self.invalid("the line is not valid JSON"))
    }

    /// Converts an error that the database returned for inserted rows. Unless the database is full or unreachable, the
    /// error means that the backup is damaged.
    fn rejected(&self, error: StoreError) -> ArchiveError {
        if error.is_full() || error.is_unreachable() {
            ArchiveError::Store(error)
        } else {
            self.invalid("the database rejected the rows before this line, so the backup is damaged")
        }
    }

    fn invalid(&self, reason: &str) -> ArchiveError {
        ArchiveError::Invalid {
            line: self.number,
            reason: reason.to_owned(),
        }
    }
}
