//! Formats tables and lists as text. Values may be untrusted text from contracts and brokers.

use contract::{Json, escape_text};

/// Formats an array of objects as a table. Each column has a title and the pointer of a member without the first slash,
/// such as `consumer/name`. If there are no rows, returns the text `empty`.
pub(crate) fn table(rows: &Json, columns: &[(&str, &str)], empty: &str) -> String {
    let rows = rows.as_array().unwrap_or_default();
    if rows.is_empty() {
        return format!("{empty}\n");
    }
    let cells = rows
        .iter()
        .map(|row| {
            columns
                .iter()
                .map(|(_, name)| cell(row.pointer(&format!("/{name}"))))
                .collect()
        })
        .collect();
    lines(&columns.iter().map(|(title, _)| *title).collect::<Vec<_>>(), cells)
}

pub(crate) fn lines(titles: &[&str], rows: Vec<Vec<String>>) -> String {
    let all: Vec<Vec<String>> = std::iter::once(titles.iter().map(|title| title.to_uppercase()).collect())
        .chain(rows)
        .collect();
    let widths: Vec<usize> = (0..titles.len())
        .map(|at| {
            all.iter()
                .filter_map(|row| row.get(at))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        })
        .collect();
    let mut out = String::new();
    for row in all {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths) {
            line.push_str(cell);
            line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + 2));
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Formats the members of an object, one per line. Omits empty values.
pub(super) fn members(value: &Json) -> String {
    let Some(members) = value.as_object() else {
        return format!("{}\n", cell(Some(value)));
    };
    let width = members.keys().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for (name, value) in members {
        let value = cell(Some(value));
        if !value.is_empty() {
            out.push_str(&format!("{name:width$}  {value}\n"));
        }
    }
    out
}

/// Formats a value on one line: `yes` or `no` for booleans, and an empty string for null.
pub(super) fn cell(value: Option<&Json>) -> String {
    match value {
        None | Some(Json::Null) => String::new(),
        Some(Json::Bool(true)) => "yes".to_owned(),
        Some(Json::Bool(false)) => "no".to_owned(),
        Some(Json::Array(items)) => items.iter().map(item).collect::<Vec<_>>().join(", "),
        Some(other) => one_line(&other.text_form()),
    }
}

fn item(item: &Json) -> String {
    match item.get("name") {
        Some(name) => one_line(&name.text_form()),
        None => one_line(&item.text_form()),
    }
}

pub(super) fn one_line(text: &str) -> String {
    escape_text(text).replace(['\n', '\r', '\t'], " ")
}

#[cfg(test)]
mod tests {
    use contract::Json;

    use super::{members, table};

    #[test]
    fn columns_are_aligned() {
        let rows = Json::parse(br#"[{"name":"a","on":true},{"name":"long\nname","on":null}]"#).expect("JSON");
        let text = table(&rows, &[("Name", "name"), ("On", "on")], "None found.");
        assert_eq!(text, "NAME       ON\na          yes\nlong name\n");
        let empty = Json::from(Vec::new());
        assert_eq!(table(&empty, &[("Name", "name")], "None found."), "None found.\n");
        let object = Json::parse(br#"{"uuid":"1","x":null,"tags":["a","b"]}"#).expect("JSON");
        assert_eq!(members(&object), "uuid  1\ntags  a, b\n");
    }
}
