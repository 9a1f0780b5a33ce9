//! Builds the URLs of resources, and the link objects of HAL documents.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::{Value, json};

const SEGMENT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// Percent-encodes a string for a path segment or a query value.
pub fn encode(name: &str) -> String {
    utf8_percent_encode(name, SEGMENT).to_string()
}

/// Builds URLs below the base URL that it contains.
#[derive(Clone, Debug)]
pub struct Urls(String);

impl Urls {
    pub fn new(base: &str) -> Self {
        Self(base.trim_end_matches('/').to_owned())
    }

    pub fn base(&self) -> &str {
        &self.0
    }

    /// Returns the URL of an encoded path, which starts with a slash. The path can be a URL template.
    pub fn at(&self, path: &str) -> String {
        format!("{}{path}", self.0)
    }

    pub fn pacticipant(&self, name: &str) -> String {
        format!("{}/pacticipants/{}", self.0, encode(name))
    }

    pub fn version(&self, pacticipant: &str, number: &str) -> String {
        format!("{}/versions/{}", self.pacticipant(pacticipant), encode(number))
    }

    pub fn tag(&self, pacticipant: &str, number: &str, tag: &str) -> String {
        format!("{}/tags/{}", self.version(pacticipant, number), encode(tag))
    }

    pub fn label(&self, pacticipant: &str, label: &str) -> String {
        format!("{}/labels/{}", self.pacticipant(pacticipant), encode(label))
    }

    pub fn branch(&self, pacticipant: &str, branch: &str) -> String {
        format!("{}/branches/{}", self.pacticipant(pacticipant), encode(branch))
    }

    pub fn branch_version(&self, pacticipant: &str, branch: &str, number: &str) -> String {
        format!("{}/versions/{}", self.branch(pacticipant, branch), encode(number))
    }

    /// Returns the URL below which the contracts of an integration are found.
    pub fn pair(&self, provider: &str, consumer: &str) -> String {
        format!(
            "{}/pacts/provider/{}/consumer/{}",
            self.0,
            encode(provider),
            encode(consumer)
        )
    }

    pub fn provider(&self, provider: &str) -> String {
        format!("{}/pacts/provider/{}", self.0, encode(provider))
    }

    pub fn pact(&self, provider: &str, consumer: &str, number: &str) -> String {
        format!("{}/version/{}", self.pair(provider, consumer), encode(number))
    }

    pub fn content(&self, provider: &str, consumer: &str, sha: &str) -> String {
        format!("{}/pact-version/{sha}", self.pair(provider, consumer))
    }

    pub fn pair_webhooks(&self, provider: &str, consumer: &str) -> String {
        format!(
            "{}/webhooks/provider/{}/consumer/{}",
            self.0,
            encode(provider),
            encode(consumer)
        )
    }

    pub fn environment(&self, uuid: &str) -> String {
        format!("{}/environments/{uuid}", self.0)
    }
}

pub fn link(href: impl Into<String>) -> Value {
    json!({ "href": href.into() })
}

pub fn titled(title: &str, href: impl Into<String>) -> Value {
    json!({ "title": title, "href": href.into() })
}

pub fn named(title: &str, name: &str, href: impl Into<String>) -> Value {
    json!({ "title": title, "name": name, "href": href.into() })
}

pub fn template(title: &str, href: impl Into<String>) -> Value {
    json!({ "title": title, "href": href.into(), "templated": true })
}

impl Urls {
    /// Returns the `curies` link, a URL template for the documentation of link relations.
    pub fn curies(&self) -> Value {
        json!([{ "name": "pb", "href": self.at("/doc/{rel}"), "templated": true }])
    }
}
