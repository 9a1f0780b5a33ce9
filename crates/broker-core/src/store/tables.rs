//! Derives the properties of all tables from the migrations.

/// The properties of a table that are needed to copy its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub name: String,
    pub columns: Vec<String>,
    /// The names of the columns with compressed texts.
    pub packed: Vec<String>,
    /// The names of the columns in the primary key.
    pub key: Vec<String>,
    pub references: Vec<Reference>,
    /// Whether the database generates the column `id`.
    pub has_generated_id: bool,
}

/// A column that contains the ID of a row in another table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    pub column: String,
    pub table: String,
    /// Whether the database deletes a row together with the row to which it refers.
    pub cascades: bool,
}

/// Returns all tables. Each table refers only to tables before it.
pub fn tables() -> Vec<Table> {
    super::schema::MIGRATIONS.iter().flat_map(|text| parse(text)).collect()
}

/// Parses a migration, which must have one column or constraint per line.
fn parse(migration: &str) -> Vec<Table> {
    let mut tables: Vec<Table> = Vec::new();
    let mut is_inside = false;
    for line in migration.lines() {
        let line = line.trim().trim_end_matches(',');
        if let Some(rest) = line.strip_prefix("CREATE TABLE ") {
            is_inside = true;
            tables.push(Table {
                name: rest.split(' ').next().unwrap_or_default().to_owned(),
                columns: Vec::new(),
                packed: Vec::new(),
                key: Vec::new(),
                references: Vec::new(),
                has_generated_id: false,
            });
        } else if line.starts_with(')') {
            is_inside = false;
        } else if let Some(table) = tables.last_mut().filter(|_| is_inside && !line.is_empty()) {
            add_line(table, line);
        }
    }
    tables
}

fn add_line(table: &mut Table, line: &str) {
    let listed = |names: &str| names.trim_matches(['(', ')']).split(", ").map(str::to_owned).collect();
    if let Some(names) = line.strip_prefix("PRIMARY KEY ") {
        table.key = listed(names);
    } else if !["UNIQUE ", "CHECK ", "FOREIGN "]
        .iter()
        .any(|word| line.starts_with(word))
    {
        let (column, definition) = line.split_once(' ').unwrap_or((line, ""));
        if definition == "{id}" {
            table.has_generated_id = true;
        }
        if definition == "{id}" || definition.contains("PRIMARY KEY") {
            table.key = vec![column.to_owned()];
        }
        if let Some((_, target)) = definition.split_once("REFERENCES ") {
            table.references.push(Reference {
                column: column.to_owned(),
                table: target.split(' ').next().unwrap_or_default().to_owned(),
                cascades: target.contains("ON DELETE CASCADE"),
            });
        }
        if definition.starts_with("{packed}") {
            table.packed.push(column.to_owned());
        }
        table.columns.push(column.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Tx, sqlite};

    /// The definition is parsed without a library, so compare the result with the tables that SQLite created.
    #[test]
    fn tables_are_those_of_the_database() {
        let mut connection = sqlite::connect(None).expect("a database");
        sqlite::migrate(&mut connection).expect("tables");
        let mut tx = Tx::sqlite(&connection);
        let names = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'schema_version' ORDER BY rowid";
        let names: Vec<String> = tx
            .query(names, &[])
            .expect("names")
            .iter()
            .map(|row| row.text(0))
            .collect();
        let tables = tables();
        assert_eq!(tables.iter().map(|table| table.name.clone()).collect::<Vec<_>>(), names);
        for (at, table) in tables.iter().enumerate() {
            let sql = format!("SELECT name, pk FROM pragma_table_info('{}') ORDER BY cid", table.name);
            let rows = tx.query(&sql, &[]).expect("columns");
            assert_eq!(
                table.columns,
                rows.iter().map(|row| row.text(0)).collect::<Vec<_>>(),
                "{}",
                table.name
            );
            let mut key: Vec<(i64, String)> = rows
                .iter()
                .filter(|row| row.bool(1))
                .map(|row| (row.int(1), row.text(0)))
                .collect();
            key.sort();
            assert_eq!(
                table.key,
                key.into_iter().map(|(_, name)| name).collect::<Vec<_>>(),
                "{}",
                table.name
            );
            assert!(!table.key.is_empty(), "{} has no primary key", table.name);
            let sql = format!(
                "SELECT \"from\", \"table\", on_delete = 'CASCADE' FROM pragma_foreign_key_list('{}') ORDER BY id DESC",
                table.name
            );
            let rows = tx.query(&sql, &[]).expect("references");
            let references: Vec<Reference> = rows
                .iter()
                .map(|row| Reference {
                    column: row.text(0),
                    table: row.text(1),
                    cascades: row.bool(2),
                })
                .collect();
            assert_eq!(table.references, references, "{}", table.name);
            for reference in references {
                let is_earlier = tables[..at].iter().any(|earlier| earlier.name == reference.table);
                assert!(is_earlier, "{} references {}", table.name, reference.table);
            }
        }
    }
}
