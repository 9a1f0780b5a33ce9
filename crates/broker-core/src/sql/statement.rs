//! Assembles SQL statements and converts rows to structs.

use super::Page;
use crate::store::{Columns, Row, StoreError, Tx, Value};

/// The conditions of a statement, and its parameters in the order of their placeholders.
#[derive(Default)]
pub(super) struct Conditions {
    conditions: Vec<String>,
    parameters: Vec<Value>,
}

impl Conditions {
    /// Adds a parameter and returns its placeholder, such as `$2`.
    pub(super) fn parameter(&mut self, value: impl Into<Value>) -> String {
        self.parameters.push(value.into());
        format!("${}", self.parameters.len())
    }

    pub(super) fn add(&mut self, condition: impl Into<String>) {
        self.conditions.push(condition.into());
    }

    /// Adds the condition that an SQL expression is equal to `value`.
    pub(super) fn equal(&mut self, expression: &str, value: impl Into<Value>) {
        let parameter = self.parameter(value);
        self.add(format!("{expression} = {parameter}"));
    }

    /// Returns the WHERE clause, or an empty string if there are no conditions.
    pub(super) fn where_clause(&self) -> String {
        if self.conditions.is_empty() {
            String::new()
        } else {
            format!("WHERE {}", self.conditions.join(" AND "))
        }
    }

    pub(super) fn parameters(&self) -> &[Value] {
        &self.parameters
    }
}

/// A type that is read from consecutive columns of a row.
pub(super) trait FromColumns: Sized {
    fn from_columns(columns: &mut Columns<'_>) -> Self;

    fn from_row(row: &Row) -> Self {
        Self::from_columns(&mut row.columns())
    }

    fn from_rows(rows: &[Row]) -> Vec<Self> {
        rows.iter().map(Self::from_row).collect()
    }
}

pub(super) fn find<T: FromColumns>(tx: &mut Tx<'_>, sql: &str, parameters: &[Value]) -> Result<Option<T>, StoreError> {
    Ok(tx.query_row(sql, parameters)?.as_ref().map(T::from_row))
}

pub(super) fn list<T: FromColumns>(tx: &mut Tx<'_>, sql: &str, parameters: &[Value]) -> Result<Vec<T>, StoreError> {
    Ok(T::from_rows(&tx.query(sql, parameters)?))
}

/// Returns one page of the rows that match the conditions, and the number of matching rows on all pages.
pub(super) fn list_page<T: FromColumns>(
    tx: &mut Tx<'_>,
    (columns, from, order): (&str, &str, &str),
    mut conditions: Conditions,
    page: Page,
) -> Result<(Vec<T>, i64), StoreError> {
    let condition = conditions.where_clause();
    let total = tx.number(
        &format!("SELECT count(*) FROM {from} {condition}"),
        conditions.parameters(),
    )?;
    let (size, offset) = (conditions.parameter(page.size), conditions.parameter(page.offset()));
    let sql = format!("SELECT {columns} FROM {from} {condition} ORDER BY {order} LIMIT {size} OFFSET {offset}");
    Ok((list(tx, &sql, conditions.parameters())?, total))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_parameters_in_order() {
        let mut conditions = Conditions::default();
        conditions.equal("a", 1);
        let name = conditions.parameter("x");
        conditions.add(format!("b IN (SELECT {name})"));
        conditions.equal("c", 2);
        assert_eq!(
            conditions.where_clause(),
            "WHERE a = $1 AND b IN (SELECT $2) AND c = $3"
        );
        assert_eq!(
            conditions.parameters(),
            [Value::Int(1), Value::Text("x".to_owned()), Value::Int(2)]
        );
    }
}
