//! Reads and inserts whole rows of any table.

use contract_broker_domain::packed::Packed;

use crate::store::tables::Table;
use crate::store::{Row, StoreError, Tx, Value};

/// Maximum number of rows that one statement reads.
const PAGE: usize = 500;
/// Maximum number of rows that one statement inserts.
const INSERTED: usize = 50;

/// Calls `each` for every row that matches a condition, in the order of the primary key. The placeholders in the
/// condition start at `$1`.
pub fn read<E: From<StoreError>>(
    tx: &mut Tx<'_>,
    table: &Table,
    (condition, parameters): (&str, &[Value]),
    mut each: impl FnMut(&[Value]) -> Result<(), E>,
) -> Result<(), E> {
    let (columns, key) = (table.columns.join(", "), table.key.join(", "));
    let places: Vec<String> = (1..=table.key.len())
        .map(|at| format!("${}", parameters.len() + at))
        .collect();
    let positions: Vec<usize> = table
        .key
        .iter()
        .filter_map(|name| table.columns.iter().position(|column| column == name))
        .collect();
    let mut last: Option<Vec<Value>> = None;
    loop {
        let after = match &last {
            Some(_) => format!(" AND ({key}) > ({})", places.join(", ")),
            None => String::new(),
        };
        let sql = format!(
            "SELECT {columns} FROM {} WHERE {condition}{after} ORDER BY {key} LIMIT {PAGE}",
            table.name
        );
        let all: Vec<Value> = parameters
            .iter()
            .cloned()
            .chain(last.take().unwrap_or_default())
            .collect();
        let rows = tx.query(&sql, &all)?;
        for row in &rows {
            each(row.values())?;
        }
        if rows.len() < PAGE {
            return Ok(());
        }
        last = rows
            .last()
            .map(|row| positions.iter().map(|at| row.values()[*at].clone()).collect());
    }
}

/// Inserts rows into a table, several rows in each statement.
#[derive(Default)]
pub struct Inserter {
    rows: Vec<Vec<Value>>,
    keeps_existing: bool,
}

impl Inserter {
    /// Creates an inserter that skips a row if a row with the same key exists.
    pub fn keeping_existing_rows() -> Self {
        Self {
            rows: Vec::new(),
            keeps_existing: true,
        }
    }

    pub fn add(&mut self, tx: &mut Tx<'_>, table: &Table, mut row: Vec<Value>) -> Result<(), StoreError> {
        for (column, value) in table.columns.iter().zip(&mut row) {
            if let Value::Text(text) = value
                && table.packed.contains(column)
            {
                *value = (&Packed::new(text)).into();
            }
        }
        self.rows.push(row);
        if self.rows.len() == INSERTED {
            return self.send(tx, table);
        }
        Ok(())
    }

    /// Inserts the remaining rows. IDs that the database generates from now on are greater than those of the inserted
    /// rows.
    pub fn finish(mut self, tx: &mut Tx<'_>, table: &Table) -> Result<(), StoreError> {
        for row in std::mem::take(&mut self.rows) {
            self.rows.push(row);
            self.send(tx, table)?;
        }
        if table.has_generated_id {
            tx.continue_ids(&table.name)?;
        }
        Ok(())
    }

    fn send(&mut self, tx: &mut Tx<'_>, table: &Table) -> Result<(), StoreError> {
        let width = table.columns.len();
        let row = |at: usize| {
            let places: Vec<String> = (1..=width).map(|column| format!("${}", at * width + column)).collect();
            format!("({})", places.join(", "))
        };
        let rows: Vec<String> = (0..self.rows.len()).map(row).collect();
        let sql = format!(
            "INSERT INTO {} ({}) VALUES {}{}",
            table.name,
            table.columns.join(", "),
            rows.join(", "),
            if self.keeps_existing {
                " ON CONFLICT DO NOTHING"
            } else {
                ""
            }
        );
        let values: Vec<Value> = std::mem::take(&mut self.rows).into_iter().flatten().collect();
        tx.execute(&sql, &values).map(drop)
    }
}

/// Returns the name of the first table in `tables` that has rows, or `None` if all are empty.
pub fn first_with_rows<'a>(tx: &mut Tx<'_>, tables: &'a [Table]) -> Result<Option<&'a str>, StoreError> {
    for table in tables {
        let rows: Vec<Row> = tx.query(&format!("SELECT 1 FROM {} LIMIT 1", table.name), &[])?;
        if !rows.is_empty() {
            return Ok(Some(&table.name));
        }
    }
    Ok(None)
}
