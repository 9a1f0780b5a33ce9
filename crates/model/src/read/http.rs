//! Reads requests and responses.

use super::error::ReadError;
use super::members::{object, take, take_object, take_text, wrong};
use super::reader::Reader;
use crate::place::Place;
use crate::{Body, ContentType, Headers, Json, Object, Query, Request, Response, Rule, RuleList, StatusClass, Text};

impl Reader {
    pub(super) fn request(&mut self, json: Json, place: &Place) -> Result<Request, ReadError> {
        let mut members = object(json, place)?;
        let method = take_text(&mut members, "method", place)?;
        let path = take_text(&mut members, "path", place)?;
        let query = query(take(&mut members, "query"), &place.key("query"))?;
        let headers = headers(&mut members, place)?;
        let body = self.http_body(&mut members, &headers, place);
        let rules = self.rules_of(&mut members, &["matchingRules", "requestMatchingRules"], place)?;
        let generators = self.generators_of(&mut members, place)?;
        Ok(Request {
            method: method.map_or(Text::const_new("GET"), |method| method.to_ascii_uppercase()),
            path: path.unwrap_or(Text::const_new("/")),
            query,
            headers,
            body,
            rules,
            generators,
            other: members,
        })
    }

    pub(super) fn response(&mut self, json: Json, place: &Place) -> Result<Response, ReadError> {
        let mut members = object(json, place)?;
        let status_code = take(&mut members, "status");
        let headers = headers(&mut members, place)?;
        let body = self.http_body(&mut members, &headers, place);
        let rules = self.rules_of(&mut members, &["matchingRules", "responseMatchingRules"], place)?;
        let generators = self.generators_of(&mut members, place)?;
        let status = match &rules.status {
            Some(rules) if status_code.as_ref().and_then(Json::as_u64) == Some(0) => accepted_status(rules),
            _ => status(status_code, &place.key("status"))?,
        };
        Ok(Response {
            status,
            headers,
            body,
            rules,
            generators,
            other: members,
        })
    }

    fn http_body(&mut self, members: &mut Object, headers: &Headers, place: &Place) -> Body {
        let Some(body) = members.remove("body") else {
            return Body::Missing;
        };
        let declared = self.header_content_type(headers, place);
        self.body(body, declared, "body", members, place)
    }

    fn header_content_type(&mut self, headers: &Headers, place: &Place) -> Option<ContentType> {
        self.content_type(
            headers.first("content-type")?,
            &place.key("headers").key("Content-Type"),
        )
    }
}

/// Returns a status that satisfies the rules. Used if the contract contains only a rule for the status; pact-jvm then
/// writes the status 0.
fn accepted_status(rules: &RuleList) -> u16 {
    let classes = rules.rules.iter().filter_map(|rule| match rule {
        Rule::StatusCode(class) => Some(class),
        _ => None,
    });
    let accepted = classes.map(|class| match class {
        StatusClass::Information => 100,
        StatusClass::Success | StatusClass::NonError => 200,
        StatusClass::Redirect => 300,
        StatusClass::ClientError | StatusClass::Error => 400,
        StatusClass::ServerError => 500,
        StatusClass::Codes(codes) => codes.first().copied().unwrap_or(200),
    });
    accepted.into_iter().next().unwrap_or(200)
}

fn status(json: Option<Json>, place: &Place) -> Result<u16, ReadError> {
    let Some(json) = json else { return Ok(200) };
    json.as_u64()
        .and_then(|status| u16::try_from(status).ok())
        .filter(|status| (100..600).contains(status))
        .ok_or_else(|| ReadError::Status {
            at: place.to_string(),
            found: json.to_text(),
        })
}

/// Reads a query. It is either URL text, or an object with a list of values, a single value, or null (a name without
/// `=`) for each name.
fn query(json: Option<Json>, place: &Place) -> Result<Query, ReadError> {
    let mut query = Query::new();
    match json {
        None => {}
        Some(Json::String(text)) => query = Query::parse(&text),
        Some(Json::Object(parameters)) => {
            for (name, values) in parameters {
                let place = place.key(&name);
                match values {
                    // An empty list still declares the parameter.
                    Json::Array(values) if values.is_empty() => query.append(name.clone(), None),
                    Json::Array(values) => {
                        for (index, value) in values.into_iter().enumerate() {
                            query.append(name.clone(), parameter(value, &place.index(index))?);
                        }
                    }
                    single => query.append(name.clone(), parameter(single, &place)?),
                }
            }
        }
        Some(other) => return Err(wrong(place, "a string or an object", Some(&other))),
    }
    Ok(query)
}

fn parameter(json: Json, place: &Place) -> Result<Option<Text>, ReadError> {
    match json {
        Json::Null => Ok(None),
        other => scalar(other, place).map(Some),
    }
}

/// Reads a string. Accepts numbers and booleans, which some tools write.
fn scalar(json: Json, place: &Place) -> Result<Text, ReadError> {
    match json {
        Json::String(text) => Ok(text),
        Json::Number(_) | Json::Bool(_) => Ok(json.to_text().into()),
        other => Err(wrong(place, "a string or an array of strings", Some(&other))),
    }
}

/// Reads headers. Lists are used unchanged; a single string is split only if the header is defined as a list.
fn headers(members: &mut Object, place: &Place) -> Result<Headers, ReadError> {
    let mut headers = Headers::new();
    for (name, value) in take_object(members, "headers", place)? {
        let place = place.key("headers");
        let place = place.key(&name);
        let values = match value {
            Json::Null => Vec::new(),
            Json::Array(values) => values
                .into_iter()
                .enumerate()
                .map(|(index, value)| scalar(value, &place.index(index)))
                .collect::<Result<_, _>>()?,
            single => Headers::split(&name, &scalar(single, &place)?),
        };
        headers.insert(name, values);
    }
    Ok(headers)
}
