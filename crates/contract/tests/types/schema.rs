//! Writes types as JSON Schema, for bindings that use the C interface.

use syn::Type;

use crate::source::{Field, Shape};
use crate::typescript::{Names, named, option};

impl Names<'_> {
    /// Returns the schema of a type with its documentation, as one line `"Name": {…}`.
    pub(crate) fn schema(&self, rust: &str) -> String {
        let declared = self.declared.get(rust);
        let declared = declared.unwrap_or_else(|| panic!("no source declares {rust}"));
        let name = self.called.get(rust).unwrap_or_else(|| panic!("{rust} has no name"));
        let docs = description(&declared.docs);
        let shape = match &declared.shape {
            Shape::Fields(fields) => self.object(rust, fields, None),
            Shape::Words(words) => words_schema(words),
            Shape::Variants(tag, variants) => {
                let tag = tag.as_ref();
                let tag = tag.unwrap_or_else(|| panic!("{rust} has no tag to distinguish its variants"));
                let all = variants.iter().map(|variant| {
                    let docs = description(&variant.docs);
                    let object = self.object(rust, &variant.fields, Some((tag, &variant.word)));
                    format!("{{{docs}{object}}}")
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
            let (inner, is_required) = option(&field.of).map_or((&field.of, true), |inner| (inner, false));
            let schema = known.map_or_else(|| self.property(inner), |known| (*known).to_owned());
            let schema = if is_required || field.may_be_absent {
                schema
            } else {
                format!("\"anyOf\": [{{{schema}}}, {{\"type\": \"null\"}}]")
            };
            if !field.may_be_absent && !field.is_skipped {
                required.push(quoted(&field.name));
            }
            let schema = description(&field.docs) + &schema;
            // Any JSON value needs no further schema.
            properties.push(format!(
                "{}: {{{}}}",
                quoted(&field.name),
                schema.trim_end_matches(", ")
            ));
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
            ("Option" | "Arc", [inner]) => self.property(inner),
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
                match self.declared.get(name).map(|declared| &declared.shape) {
                    Some(Shape::Words(words)) => words_schema(words),
                    _ => panic!("{name} has no JSON Schema form"),
                }
            }
        }
    }
}

fn items(schema: &str) -> String {
    format!("\"type\": \"array\", \"items\": {{{schema}}}")
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
