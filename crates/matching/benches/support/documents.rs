//! Deterministic documents of given sizes, for the benchmarks and their baseline.

use std::fmt::Write as _;

/// A document to measure.
pub(crate) struct Document {
    pub(crate) group: &'static str,
    pub(crate) name: String,
    pub(crate) text: String,
}

impl Document {
    fn new(group: &'static str, name: impl Into<String>, text: String) -> Self {
        let name = name.into();
        Self { group, name, text }
    }
}

const SIZES: [(&str, usize); 4] = [
    ("10 KiB", 10 << 10),
    ("100 KiB", 100 << 10),
    ("1 MiB", 1 << 20),
    ("10 MiB", 10 << 20),
];

/// Number of fields in a record. Each field has a rule.
pub(crate) const FIELDS: usize = 1_600;

/// Number of variants of `arrayContains`, and of items in the array.
pub(crate) const VARIANTS: usize = 400;

/// Returns arrays of items in several sizes.
pub(crate) fn sizes() -> impl Iterator<Item = Document> {
    const ITEM: usize = 85;
    SIZES
        .map(|(name, bytes)| Document::new("type at $", name, items(bytes / ITEM)))
        .into_iter()
}

/// Returns arrays of records with [`FIELDS`] fields in several sizes.
pub(crate) fn records() -> impl Iterator<Item = Document> {
    SIZES
        .map(|(name, bytes)| Document::new("1600 rules", name, records_of(bytes)))
        .into_iter()
}

/// Returns the number of leaves and the document for objects of several sizes.
pub(crate) fn leaves() -> impl Iterator<Item = (usize, Document)> {
    [400, 4_000, 40_000]
        .map(|count| {
            (
                count,
                Document::new("a rule on each leaf", count.to_string(), leaves_of(count)),
            )
        })
        .into_iter()
}

/// Returns arrays of several lengths.
pub(crate) fn each_like() -> impl Iterator<Item = Document> {
    [100, 1_000, 10_000, 100_000]
        .map(|count| Document::new("eachLike, items", count.to_string(), items(count)))
        .into_iter()
}

/// Returns the items that match the variants in [`variants`], in reverse order, so that many items are compared with
/// each variant.
pub(crate) fn contained() -> Document {
    let text = variants_of((0..VARIANTS).rev());
    Document::new("arrayContains", format!("{VARIANTS} x {VARIANTS}"), text)
}

/// Returns an XML list of orders with a size of 1 MiB.
pub(crate) fn xml() -> Document {
    Document::new("XML, type at $", "1 MiB", xml_of(1 << 20))
}

/// Returns an array of items such as `{"id": 1, "name": …}`.
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

/// Returns an array of records with [`FIELDS`] fields and a total size of `bytes`. The last record is shorter.
pub(crate) fn records_of(bytes: usize) -> String {
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

/// Returns an object with `count` numbers in arrays of twenty numbers. [`leaf`] returns the path of a number.
fn leaves_of(count: usize) -> String {
    let lists: Vec<_> = (0..count / LIST)
        .map(|list| {
            let numbers: Vec<_> = (0..LIST).map(|at| (list * LIST + at).to_string()).collect();
            format!(r#""list{list}":[{}]"#, numbers.join(","))
        })
        .collect();
    format!("{{{}}}", lists.join(","))
}

const LIST: usize = 20;

pub(crate) fn leaf(index: usize) -> String {
    format!("$.list{}[{}]", index / LIST, index % LIST)
}

/// Returns an array of [`VARIANTS`] objects that differ in two fields.
pub(crate) fn variants() -> String {
    variants_of(0..VARIANTS)
}

fn variants_of(indices: impl Iterator<Item = usize>) -> String {
    let items: Vec<_> = indices
        .map(|index| format!(r#"{{"id":{index},"kind":"k{}","name":"name {index}"}}"#, index % 7))
        .collect();
    format!("[{}]", items.join(","))
}

/// Returns an XML document of the given size.
pub(crate) fn xml_of(bytes: usize) -> String {
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
