//! Reads JSON into typed values with serde. Errors contain the path of the invalid value, the expected values, and the
//! most similar name for an unknown name.
//!
//! In Rust, the names of fields and enum values are in snake case. The input may use the convention of any language,
//! such as `contentType` or `content_type`. A [`Document`] keeps a value unchanged, including the notation of its
//! numbers. Serde's buffers (`flatten`, `untagged`, internal tags) would lose it, so types that are read here do not
//! use them.

mod bounds;
mod describe;
mod document;
mod error;
mod names;
mod pact_js;
mod reader;
mod table;
mod values;

use contract_model::Json;
use serde::de::DeserializeOwned;

use crate::error::ArgumentError;

pub use bounds::{Milliseconds, Seed, Size, Whole};
pub use describe::describe;
pub use document::{Argument, Document};
pub use error::ReadError;
pub use names::{snake, suggest};
pub use table::{fields, names, variants};
pub use values::{TextOrFunction, text_or_bytes, wrong};

use reader::Reader;

/// Reads an options object. For members of type `Option`, `null` counts as absent. Errors have the code `code`.
pub fn options<T: DeserializeOwned>(code: &'static str, json: Json) -> Result<T, ArgumentError> {
    options_with_positional(code, json, &[])
}

/// Like [`options`], but if an option is unknown, the error does not list `arguments` among the known options, because
/// the caller passes these members as positional arguments.
pub fn options_with_positional<T: DeserializeOwned>(
    code: &'static str,
    json: Json,
    arguments: &[String],
) -> Result<T, ArgumentError> {
    if !matches!(&json, Json::Object(members) if crate::value::is_plain(members)) {
        let found = crate::value::describe_type(&json);
        let message = format!("options must be an object, received {found}");
        return Err(ArgumentError::new(code, message));
    }
    value(json).map_err(|error| error.without_positional(arguments).into_error(code))
}

pub fn value<T: DeserializeOwned>(json: Json) -> Result<T, ReadError> {
    T::deserialize(Reader(json))
}

/// The name of a member that bindings pass in addition to `options`. It lists the names of the positional arguments.
pub const POSITIONAL: &str = "positional";

pub fn positional_names(positional: Option<&Json>) -> Vec<String> {
    let names = positional.and_then(Json::as_array).unwrap_or_default();
    names.iter().filter_map(Json::as_str).map(snake).collect()
}

#[cfg(test)]
mod tests {
    use contract_model::Json;
    use serde::Deserialize;

    use super::{Document, Milliseconds, Seed, Whole, options, snake};
    use crate::error::OPTIONS;

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Options {
        port: Option<Whole<0, 65535>>,
        keep_alive: Option<bool>,
        mode: Option<Mode>,
        wait: Option<Milliseconds<1>>,
        seed: Option<Seed>,
        body: Option<Document>,
        limits: Limits,
        names: Vec<String>,
    }

    #[derive(Debug, Deserialize, PartialEq)]
    #[serde(rename_all = "snake_case")]
    enum Mode {
        Ignore,
        Error,
        ContentType,
    }

    #[derive(Debug, Default, Deserialize, PartialEq)]
    #[serde(deny_unknown_fields, default)]
    struct Limits {
        body_size: Option<u32>,
    }

    fn read(text: &str) -> Result<Options, String> {
        options(OPTIONS, Json::parse(text.as_bytes()).unwrap()).map_err(|error| error.to_string())
    }

    #[test]
    fn accepts_names_in_every_convention() {
        for text in [
            r#"{"keepAlive":true,"mode":"contentType","limits":{"bodySize":5},"port":null}"#,
            r#"{"keep_alive":true,"mode":"content_type","limits":{"body_size":5}}"#,
        ] {
            let read = read(text).unwrap();
            assert_eq!(read.keep_alive, Some(true));
            assert_eq!(read.mode, Some(Mode::ContentType));
            assert_eq!(read.limits.body_size, Some(5));
        }
        assert_eq!(snake("testName"), "test_name");
        assert_eq!(snake("test_name"), "test_name");
        assert_eq!(snake("withGraphQL"), "with_graph_ql");
    }

    #[test]
    fn keeps_documents_unchanged() {
        let body = read(r#"{"body":{"a":1.0,"keepAlive":[1e400]}}"#).unwrap().body.unwrap();
        assert_eq!(body.0.to_text(), r#"{"a":1.0,"keepAlive":[1e400]}"#);
    }

    #[test]
    fn reports_each_mistake() {
        for (text, want) in [
            (
                r#"{"prot":80}"#,
                "unknown option \"prot\". Did you mean \"port\"?\n  Options: port, keep_alive, mode, wait, seed, body, limits, names",
            ),
            (
                r#"{"limits":{"size":80}}"#,
                "limits: unknown option \"size\".\n  Options: body_size",
            ),
            (
                r#"{"port":70000}"#,
                "port must be a whole number from 0 to 65535, received 70000",
            ),
            (
                r#"{"limits":{"bodySize":-1}}"#,
                "limits.bodySize must be a whole number from 0 to 4294967295, received -1",
            ),
            (
                r#"{"keepAlive":"yes"}"#,
                "keepAlive must be true or false, received \"yes\"",
            ),
            (
                r#"{"mode":"warn"}"#,
                "mode must be ignore, error, or content_type; received \"warn\"",
            ),
            (
                r#"{"mode":5}"#,
                "mode must be ignore, error, or content_type; received 5",
            ),
            (
                r#"{"wait":0.5}"#,
                "wait must be a whole number of milliseconds from 1 to 86400000 (one day), received 0.5",
            ),
            (r#"{"names":["a",1]}"#, "names[1] must be a string, received 1"),
            (r#"{"limits":[]}"#, "limits must be an object, received an array"),
            ("[]", "options must be an object, received an array"),
        ] {
            assert_eq!(read(text).unwrap_err(), want, "{text}");
        }
    }

    #[test]
    fn errors_contain_the_argument() {
        let json = Json::parse(br#"{"limits":{"bodySize":-1}}"#).unwrap();
        let error = options::<Options>(OPTIONS, json).unwrap_err();
        assert_eq!((error.code, error.argument.as_deref()), (OPTIONS, Some("limits")));
    }

    #[test]
    fn options_of_pact_js_have_another_name() {
        let advice =
            |field: &str, options: &[&'static str]| super::pact_js::advice(field, options).map(|text| text.to_string());
        let contract = ["specification", "directory", "write_mode"];
        assert_eq!(
            advice("pactfileWriteMode", &contract).as_deref(),
            Some(" In this library, the option is \"write_mode\".")
        );
        assert_eq!(
            advice("port", &contract).as_deref(),
            Some(" In this library, it is an option of serve().")
        );
        assert_eq!(advice("port", &["port", "keep_alive"]), None);
        assert_eq!(
            advice("dir", &["port", "keep_alive"]).as_deref(),
            Some(" Set \"directory\" in the options of Contract.")
        );
        let source = ["url", "token", "selector"];
        assert_eq!(
            advice("pactBrokerToken", &source).as_deref(),
            Some(" In this library, the option is \"token\".")
        );
        assert_eq!(advice("dir", &source), None);
    }
}
