//! Writes types as JSON Schema, for bindings that use the C interface.

use syn::Type;

use crate::source::{Field, Shape};
use crate::typescript::{Names, named, option};

impl Names<'_> {
    /// Returns the schema of a type, with its documentation, on one line: `"Name": {…}`.
    pub(crate) fn schema(&self, rust: &str) -> String {
        let one = self.declared.get(rust);
        let one = one.unwrap_or_else(|| panic!("no source declares {rust}"));
        let name = self.called.get(rust).unwrap_or_else(|| panic!("{rust} has no name"));
        let docs = description(&one.docs);
        let shape = match &one.shape {
            Shape::Fields(fields) => self.object(rust, fields, None),
            Shape::Words(words) => words_schema(words),
            Shape::Variants(tag, variants) => {
                let tag = tag.as_ref();
                let tag = tag.unwrap_or_else(|| panic!("nothing tells variants of {rust} apart"));
                let all = variants.iter().map(|variant| {
                    let docs = description(&variant.docs);
                    let of = self.object(rust, &variant.fields, Some((tag, &variant.word)));
                    format!("{{{docs}{of}}}")
                });
                format!("\"oneOf\": [{}]", all.collect::<Vec<_>>().join(", "))
            }
        };
        format!("{}: {{{docs}{shape}}}", quoted(name))
    }

    fn object(&self, rust: &str, fields: &[Field], tag: Option<(&str, &str)>) -> String {
        let mut required = Vec::new();
        let mut properties = Vec::new();
        if let Some((tag, word)) = tag {
            required.push(quoted(tag));
            properties.push(format!("{}: {{\"const\": {}}}", quoted(tag), quoted(word)));
        }
        for field in fields {
            let known = self.members.get(format!("{rust}.{}", field.in_rust).as_str());
            if field.is_skipped && known.is_none() {
                continue;
            }
            let (held, is_there) = option(&field.of).map_or((&field.of, true), |held| (held, false));
            let of = known.map_or_else(|| self.property(held), |known| (*known).to_owned());
            let of = if is_there || field.may_be_absent {
                of
            } else {
                format!("\"anyOf\": [{{{of}}}, {{\"type\": \"null\"}}]")
            };
            if !field.may_be_absent && !field.is_skipped {
                required.push(quoted(&field.name));
            }
            let of = description(&field.docs) + &of;
            // Any JSON value needs no further schema.
            properties.push(format!("{}: {{{}}}", quoted(&field.name), of.trim_end_matches(", ")));
        }
        format!(
            "\"type\": \"object\", \"required\": [{}], \"properties\": {{{}}}",
            required.join(", "),
            properties.join(", ")
        )
    }

    fn property(&self, of: &Type) -> String {
        let (name, arguments) = match of {
            Type::Reference(to) => return self.property(&to.elem),
            Type::Slice(slice) => return items(&self.property(&slice.elem)),
            _ => named(of),
        };
        match (name.as_str(), arguments.as_slice()) {
            ("Option" | "Arc", [held]) => self.property(held),
            ("Vec", [item]) => items(&self.property(item)),
            ("BTreeMap", [_, value]) => {
                format!(
                    "\"type\": \"object\", \"additionalProperties\": {{{}}}",
                    self.property(value)
                )
            }
            (name, _) => {
                if let Some(form) = self.forms.get(name) {
                    return (*form).to_owned();
                }
                if let Some(called) = self.called.get(name) {
                    return reference(called);
                }
                match self.declared.get(name).map(|one| &one.shape) {
                    Some(Shape::Words(words)) => words_schema(words),
                    _ => panic!("{name} has no form in JSON Schema yet"),
                }
            }
        }
    }
}

fn items(of: &str) -> String {
    format!("\"type\": \"array\", \"items\": {{{of}}}")
}

pub(crate) fn reference(name: &str) -> String {
    format!("\"$ref\": {}", quoted(&format!("#/$defs/{name}")))
}

/// Returns the schema of a value that is one of these words.
pub(crate) fn words_schema(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(|word| quoted(word.as_ref())).collect();
    format!("\"enum\": [{}]", words.join(", "))
}

fn description(docs: &[String]) -> String {
    if docs.is_empty() {
        return String::new();
    }
    format!("\"description\": {}, ", quoted(&docs.join(" ")))
}

fn quoted(text: &str) -> String {
    contract::Json::from(text).to_text()
}
