//! Writes requests and responses.

use std::collections::HashMap;

use super::{Loss, Writer};
use crate::{Headers, Json, Object, Query, Request, Response, SpecificationVersion, Text};

const REQUEST: [&str; 8] = [
    "method",
    "path",
    "query",
    "headers",
    "body",
    "matchingRules",
    "requestMatchingRules",
    "generators",
];
const RESPONSE: [&str; 6] = [
    "status",
    "headers",
    "body",
    "matchingRules",
    "responseMatchingRules",
    "generators",
];

impl Writer<'_> {
    pub(super) fn request(&mut self, request: &Request) -> Json {
        self.part = "request";
        let mut object = Object::new();
        object.insert("method", request.method.to_ascii_uppercase());
        object.insert("path", request.path.clone());
        if !request.query.is_empty() {
            object.insert("query", self.query(&request.query));
        }
        self.headers(&request.headers, &mut object);
        let declared = request.headers.content_type();
        self.body("body", &request.body, declared, &request.other, &mut object);
        self.rules(&request.rules, &mut object);
        self.generators(&request.generators, &mut object);
        self.add_unknown(&mut object, &request.other, &REQUEST);
        object.into()
    }

    pub(super) fn response(&mut self, response: &Response) -> Json {
        self.part = "response";
        let mut object = Object::new();
        object.insert("status", u64::from(response.status));
        self.headers(&response.headers, &mut object);
        let declared = response.headers.content_type();
        self.body("body", &response.body, declared, &response.other, &mut object);
        self.rules(&response.rules, &mut object);
        self.generators(&response.generators, &mut object);
        self.add_unknown(&mut object, &response.other, &RESPONSE);
        object.into()
    }

    /// Writes a query: URL text in V2, or an object with an array of values for each name in later versions.
    fn query(&mut self, query: &Query) -> Json {
        if self.version < SpecificationVersion::V3 {
            return match query.raw() {
                // Readers treat a leading question mark as the one that starts the query of a URL.
                Some(raw) if raw.starts_with('?') => format!("?{raw}").into(),
                Some(raw) => raw.into(),
                None => {
                    if query
                        .pairs()
                        .iter()
                        .any(|(name, value)| name.is_empty() && value.is_none())
                    {
                        self.lost(Loss::QueryFlag {
                            part: "request",
                            name: Text::default(),
                        });
                    }
                    query.to_text().into()
                }
            };
        }
        let mut by_name: HashMap<&Text, Vec<Option<&Text>>> = HashMap::new();
        for (name, value) in query.pairs() {
            by_name.entry(name).or_default().push(value.as_ref());
        }
        let names = query.names().into_iter().map(|name| {
            let values = by_name
                .remove(name)
                .unwrap_or_default()
                .into_iter()
                .map(|value| match value {
                    Some(value) => value.clone().into(),
                    None if self.version >= SpecificationVersion::V4 => Json::Null,
                    None => {
                        self.lost(Loss::QueryFlag {
                            part: "request",
                            name: name.clone(),
                        });
                        "".into()
                    }
                });
            (name.clone(), Json::Array(values.collect()))
        });
        Object::from_distinct(names.collect()).into()
    }

    /// Writes headers: arrays of values in V4, one string for each header in earlier versions.
    fn headers(&mut self, headers: &Headers, object: &mut Object) {
        if headers.is_empty() {
            return;
        }
        let mut members = Vec::new();
        for (name, values) in headers.iter() {
            let value = if self.version >= SpecificationVersion::V4 {
                values.iter().cloned().map(Json::from).collect::<Vec<_>>().into()
            } else {
                self.header_line(name, values)
            };
            members.push((name.clone(), value));
        }
        object.insert("headers", Object::from_distinct(members));
    }

    fn header_line(&mut self, name: &Text, values: &[Text]) -> Json {
        let line = values.join(", ");
        if Headers::split(name, &line) != values {
            self.lost(Loss::HeaderValues {
                part: self.part,
                name: name.clone(),
            });
        }
        line.into()
    }
}
