//! Reads the arguments of `add_source`.

use contract_model::Json;

use super::invalid::{invalid, text_or_options};
use crate::verify::operation::SourceOptions;
use contract_call::error::ArgumentError;
use contract_call::message::{message, option};
use contract_call::paths::parse_file_url;
use contract_call::read::{Argument, Document};
use contract_call::value;
use contract_pipeline::{RemoteSource, Source};

pub(super) fn parsed(source: Argument<String>, options: SourceOptions) -> Result<Source, ArgumentError> {
    let source = match source {
        Argument::Value(place) => located(&place, options)?,
        Argument::Json(json) => parts(json)?.source(options)?,
    };
    source
        .check()
        .and_then(|()| source.find())
        .map_err(|error| error.for_argument("source"))?;
    Ok(source)
}

fn parts(source: Json) -> Result<SourceParts, ArgumentError> {
    let url = |url| SourceParts {
        url: Some(url),
        ..SourceParts::default()
    };
    if is_contract(&source) {
        return Ok(SourceParts {
            json: Some(source.into()),
            ..SourceParts::default()
        });
    }
    text_or_options(
        source,
        url,
        (
            "source",
            "the source must be a path, a URL, or an object with a json or url member",
        ),
    )
}

/// Returns true if the object is a contract, and false if it contains the location of a contract.
fn is_contract(object: &Json) -> bool {
    ["interactions", "messages"]
        .iter()
        .any(|name| object.get(name).is_some())
}

#[derive(Default, serde::Deserialize)]
#[serde(deny_unknown_fields, default)]
struct SourceParts {
    url: Option<String>,
    json: Option<Document>,
    name: Option<String>,
    username: Option<String>,
    password: Option<String>,
    token: Option<String>,
    headers: Option<std::collections::BTreeMap<String, String>>,
}

impl SourceParts {
    fn source(self, options: SourceOptions) -> Result<Source, ArgumentError> {
        let options = SourceOptions {
            username: self.username.or(options.username),
            password: self.password.or(options.password),
            token: self.token.or(options.token),
            headers: self.headers.or(options.headers),
        };
        match (self.url, self.json) {
            (Some(url), None) if self.name.is_none() => located(&url, options),
            (None, Some(Document(json))) => {
                local(&options)?;
                let json = match json {
                    Json::String(text) => text.into(),
                    document => match value::not_json(&document) {
                        Some(problem) => return Err(invalid(problem).for_argument("json")),
                        None => document.to_text(),
                    },
                };
                Ok(Source::Text { json, name: self.name })
            }
            (Some(_), Some(_)) => Err(invalid(message![
                "pass either ",
                option("url"),
                " or ",
                option("json"),
                ", not both"
            ])),
            (Some(_), None) => {
                Err(invalid(message![option("name"), " requires ", option("json")]).for_argument("name"))
            }
            (None, None) => Err(invalid(message![
                "a source object requires ",
                option("url"),
                " or ",
                option("json")
            ])),
        }
    }
}

/// Fails if credentials or headers are set, because they are supported only for http and https URLs.
fn local(options: &SourceOptions) -> Result<(), ArgumentError> {
    let options = [
        ("username", options.username.is_some()),
        ("password", options.password.is_some()),
        ("token", options.token.is_some()),
        ("headers", options.headers.is_some()),
    ];
    match options.into_iter().find(|(_, is_set)| *is_set) {
        None => Ok(()),
        Some((name, _)) => {
            let message = message![option(name), " is supported only for http and https URLs"];
            Err(invalid(message).for_argument(name))
        }
    }
}

fn located(text: &str, options: SourceOptions) -> Result<Source, ArgumentError> {
    let begins = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    };
    if begins("http://") || begins("https://") {
        return Ok(Source::Url(RemoteSource {
            url: text.to_owned(),
            username: options.username,
            password: options.password,
            token: options.token,
            headers: options.headers.unwrap_or_default(),
        }));
    }
    if text.trim().is_empty() {
        return Err(invalid("the path is empty").for_argument("source"));
    }
    local(&options)?;
    let path = if begins("file:") {
        parse_file_url(text)
            .ok_or_else(|| invalid(format!("{text:?} is not a valid file: URL")).for_argument("source"))?
    } else if let Some((scheme, _)) = text.split_once("://") {
        return Err(invalid(format!(
            "the URL scheme {scheme} is not supported; use a path, or a file, http, or https URL"
        ))
        .for_argument("source"));
    } else {
        text.into()
    };
    Ok(Source::Path { path })
}
