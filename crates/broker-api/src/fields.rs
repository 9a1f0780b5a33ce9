//! Reads the fields of a submitted form.

use contract_broker_domain::query;

use super::reply::Reply;

/// Names and values of the form fields, in order. A name can occur several times.
#[derive(Clone, Debug, Default)]
pub struct FormFields(Vec<(String, String)>);

impl FormFields {
    pub fn parse(body: &[u8]) -> Result<Self, Reply> {
        match std::str::from_utf8(body).map(query::pairs) {
            Ok(Ok(fields)) => Ok(Self(fields)),
            _ => Err(Reply::error(400, "The form is not valid UTF-8.")),
        }
    }

    /// Returns the trimmed value of a field, or an empty string if the field is missing.
    pub fn text(&self, name: &str) -> &str {
        self.exact(name).trim()
    }

    /// Returns the value of a field without trimming it, or an empty string if the field is missing.
    pub fn exact(&self, name: &str) -> &str {
        query::value(&self.0, name).unwrap_or_default()
    }

    /// Returns the values of all fields with this name.
    pub fn all<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a str> {
        let sent = self.0.iter().filter(move |(known, _)| known == name);
        sent.map(|(_, value)| value.as_str())
    }

    pub fn has(&self, name: &str, value: &str) -> bool {
        self.0.iter().any(|(known, sent)| known == name && sent == value)
    }
}
