//! HAL documents: JSON with links and embedded documents.

use bytes::Bytes;
use contract_model::Json;

/// A document from the broker and its URL.
#[derive(Clone, Debug)]
pub struct Resource {
    url: String,
    bytes: Bytes,
    document: Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// The URL, or a template with `{variables}`.
    pub href: String,
    /// Distinguishes links of the same relation, for example by version, environment, or consumer.
    pub name: Option<String>,
    pub title: Option<String>,
}

impl Resource {
    pub(crate) fn new(url: String, bytes: Bytes, document: Json) -> Self {
        Self { url, bytes, document }
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    /// Returns the document exactly as the broker sent it.
    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub fn document(&self) -> &Json {
        &self.document
    }

    pub fn into_document(self) -> Json {
        self.document
    }

    /// Returns a string member of the document.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Json::as_str)
    }

    /// Returns the first link with this relation.
    pub fn link(&self, relation: &str) -> Option<Link> {
        links(&self.document, relation).into_iter().next()
    }

    pub fn links(&self, relation: &str) -> Vec<Link> {
        links(&self.document, relation)
    }

    pub fn named_link(&self, relation: &str, name: &str) -> Option<Link> {
        let found = links(&self.document, relation);
        found.into_iter().find(|link| link.name.as_deref() == Some(name))
    }

    /// Returns the documents embedded under this name. A single document counts as a list.
    pub fn embedded(&self, name: &str) -> &[Json] {
        embedded(&self.document, name)
    }
}

/// Returns the documents embedded under this name.
pub(crate) fn embedded<'a>(document: &'a Json, name: &str) -> &'a [Json] {
    match document.get("_embedded").and_then(|embedded| embedded.get(name)) {
        Some(Json::Array(items)) => items,
        Some(one) if !one.is_null() => std::slice::from_ref(one),
        _ => &[],
    }
}

/// Returns the links with this relation in any document.
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
