//! HAL documents: JSON objects with links (`_links`) and embedded documents (`_embedded`).

use bytes::Bytes;
use contract_model::Json;

/// A HAL document and its URL.
#[derive(Clone, Debug)]
pub struct Resource {
    url: String,
    bytes: Bytes,
    document: Json,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// A URL, or a URL template with variables such as `{version}`.
    pub href: String,
    /// Distinguishes links with the same relation, for example by version, environment, or consumer.
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

    pub fn bytes(&self) -> &Bytes {
        &self.bytes
    }

    pub fn document(&self) -> &Json {
        &self.document
    }

    pub fn into_document(self) -> Json {
        self.document
    }

    /// Returns the member `name` of the document, or `None` if it is missing or not a string.
    pub fn text(&self, name: &str) -> Option<&str> {
        self.document.get(name).and_then(Json::as_str)
    }

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

    /// Returns the documents embedded under `name`. If a single document is embedded, returns a slice of length 1.
    pub fn embedded(&self, name: &str) -> &[Json] {
        embedded(&self.document, name)
    }
}

/// Like [`Resource::embedded`], but for any document.
pub(crate) fn embedded<'a>(document: &'a Json, name: &str) -> &'a [Json] {
    match document.get("_embedded").and_then(|embedded| embedded.get(name)) {
        Some(Json::Array(items)) => items,
        Some(single) if !single.is_null() => std::slice::from_ref(single),
        _ => &[],
    }
}

/// Like [`Resource::links`], but for any document.
pub(crate) fn links(document: &Json, relation: &str) -> Vec<Link> {
    let parse_link = |link: &Json| {
        let text = |name| link.get(name).and_then(Json::as_str).map(str::to_owned);
        Some(Link {
            href: text("href")?,
            name: text("name"),
            title: text("title"),
        })
    };
    match document.get("_links").and_then(|links| links.get(relation)) {
        Some(Json::Array(items)) => items.iter().filter_map(parse_link).collect(),
        Some(single) => parse_link(single).into_iter().collect(),
        None => Vec::new(),
    }
}
