//! What went wrong, as data. The JavaScript side makes errors of it: an error made here would belong to another realm
//! under Jest.

use contract::Spelling;
use napi_derive::napi;

/// What went wrong.
#[napi(object)]
pub struct Failure {
    /// JSON text of an object with `kind`, `code`, `message`, and what is known beside them.
    pub failure: String,
}

impl<E: Into<contract::Failure>> From<E> for Failure {
    fn from(error: E) -> Self {
        let failure = error.into().to_json(&TypeScript).to_text();
        Self { failure }
    }
}

/// Names of the core as TypeScript spells them.
pub(crate) struct TypeScript;

impl Spelling for TypeScript {
    fn operation(&self, name: &str) -> String {
        match name {
            "with_graphql" => "withGraphQL".into(),
            name => match name.strip_prefix("contract_ffi.") {
                Some(function) => format!("contract_ffi.{}", self.option(function)),
                None => self.option(name),
            },
        }
    }

    fn option(&self, name: &str) -> String {
        let mut words = name.split('_');
        let mut camel = words.next().unwrap_or_default().to_owned();
        for word in words {
            let mut letters = word.chars();
            camel.extend(letters.next().map(|first| first.to_ascii_uppercase()));
            camel.push_str(letters.as_str());
        }
        camel
    }

    fn setting(&self, name: &str, value: &str) -> String {
        format!("{{ {}: {value} }}", self.option(name))
    }
}
