//! Documents with links, as brokers answer.

use bytes::Bytes;
use contract_model::Json;

/// A document of the broker, and where it stands.
#[derive(Clone, Debug)]
pub struct Resource {
    url: String,
    bytes: Bytes,
    document: Json,
}

/// A link of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Where it leads; with `{variables}` if it is a template.
    pub href: String,
    /// Which of several it is: a version, an environment, a consumer.
    pub name: Option<String>,
    /// As text.
    pub title: Option<String>,
}

impl Resource {
    pub(crate) fn new(url: String, bytes: Bytes, document: Json) -> Self {
        Self { url, bytes, document }
    }

    /// Where it was read.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The document, byte for byte as the broker sent it.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    /// The document.
    pub fn document(&self) -> &Json {
        &self.document
    }

    /// The document, taken out.
    pub fn into_document(self) -> Json {
        self.document
    }

    /// A text in the document.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Json::as_str)
    }

    /// The first link of a relation.
    pub fn link(&self, relation: &str) -> Option<Link> {
        links(&self.document, relation).into_iter().next()
    }

    /// The links of a relation.
    pub fn links(&self, relation: &str) -> Vec<Link> {
        links(&self.document, relation)
    }

    /// The link of a relation that has this name.
    pub fn named_link(&self, relation: &str, name: &str) -> Option<Link> {
        let found = links(&self.document, relation);
        found.into_iter().find(|link| link.name.as_deref() == Some(name))
    }

    /// The documents that stand in this one under a name; a single one counts as a list.
    pub fn embedded(&self, name: &str) -> &[Json] {
        embedded(&self.document, name)
    }
}

/// The documents that stand in another under a name.
pub(crate) fn embedded<'a>(document: &'a Json, name: &str) -> &'a [Json] {
    match document.get("_embedded").and_then(|embedded| embedded.get(name)) {
        Some(Json::Array(items)) => items,
        Some(one) if !one.is_null() => std::slice::from_ref(one),
        _ => &[],
    }
}

/// The links of a relation, of any document.
pub(crate) fn links(document: &Json, relation: &str) -> Vec<Link> {
    let one = |link: &Json| {
        let text = |name| link.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Link {
            href: text("href")?,
            name: text("name"),
            title: text("title"),
        })
    };
    match document.get("_links").and_then(|links| links.get(relation)) {
        Some(Json::Array(items)) => items.iter().filter_map(one).collect(),
        Some(single) => one(single).into_iter().collect(),
        None => Vec::new(),
    }
}
