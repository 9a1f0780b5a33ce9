//! Documents of a given size, the same on every run.

use std::fmt::Write as _;

/// How many fields a record has, and rules stand on them.
pub(crate) const FIELDS: usize = 1_600;

/// A list of items such as `{"id": 1, "name": …}`; `count` tells how many.
pub(crate) fn items(count: usize) -> String {
    let mut out = String::from(r#"{"page":1,"items":["#);
    for index in 0..count {
        let comma = if index == 0 { "" } else { "," };
        let _ = write!(
            out,
            r#"{comma}{{"id":{index},"name":"item number {index}","price":{}.5,"active":{},"tags":["a","b{index}"]}}"#,
            index % 100,
            index % 2 == 0
        );
    }
    out + "]}"
}

/// As many items as fill so many bytes.
pub(crate) fn items_of(bytes: usize) -> String {
    const ITEM: usize = 85;
    items((bytes / ITEM).max(1))
}

/// A list of records with [`FIELDS`] fields each, of so many bytes in all; the last one is cut short.
pub(crate) fn records(bytes: usize) -> String {
    let mut out = String::from(r#"{"records":["#);
    let mut field = 0;
    while out.len() < bytes {
        out.push_str(match (field, out.len()) {
            (0, 12) => "{",
            (0, _) => "},{",
            _ => ",",
        });
        let _ = write!(out, r#""field{field}":"v{}""#, out.len() % 1000);
        field = (field + 1) % FIELDS;
    }
    out + "}]}"
}

/// A list of `count` objects that differ in two fields.
pub(crate) fn variants(count: usize) -> String {
    let items: Vec<_> = (0..count)
        .map(|index| format!(r#"{{"id":{index},"kind":"k{}","name":"name {index}"}}"#, index % 7))
        .collect();
    format!("[{}]", items.join(","))
}

/// An XML document of so many bytes.
pub(crate) fn xml(bytes: usize) -> String {
    let mut out = String::from("<orders>");
    let mut index = 0;
    while out.len() < bytes {
        let _ = write!(
            out,
            r#"<order id="{index}" status="open"><name>order {index}</name><total>{}.50</total></order>"#,
            index % 100
        );
        index += 1;
    }
    out + "</orders>"
}
