//! Writes types as Python declarations, with a `TypedDict` for each struct.

use syn::Type;

use crate::source::{Field, Shape};
use crate::typescript::{Names, named, option};

impl Names<'_> {
    /// Returns the Python declaration of a type, with its documentation.
    pub(crate) fn class(&self, rust: &str) -> String {
        let declared = self.declared.get(rust);
        let declared = declared.unwrap_or_else(|| panic!("no source declares {rust}"));
        let name = self.called.get(rust).unwrap_or_else(|| panic!("{rust} has no name"));
        match &declared.shape {
            Shape::Fields(fields) => typed(name, &declared.docs, &self.attributes(rust, fields, declared.is_option)),
            Shape::Words(words) => format!("{name} = {}\n{}", literal(words), docstring(&declared.docs, "")),
            Shape::Variants(tag, variants) => {
                let tag = tag.as_ref();
                let tag = tag.unwrap_or_else(|| panic!("{rust} has no tag to distinguish its variants"));
                let classes = variants.iter().map(|variant| {
                    let word = literal(std::slice::from_ref(&variant.word));
                    let members = self.attributes(rust, &variant.fields, declared.is_option);
                    typed(
                        &variant.in_rust,
                        &variant.docs,
                        &format!("    {tag}: {word}\n{members}"),
                    ) + "\n\n"
                });
                let classes: String = classes.collect();
                let names = variants.iter().map(|variant| format!("    {},\n", variant.in_rust));
                let docs = docstring(&declared.docs, "");
                format!("{classes}{name} = Union[\n{}]\n{docs}", names.collect::<String>())
            }
        }
    }

    fn attributes(&self, rust: &str, fields: &[Field], is_option: bool) -> String {
        let members = fields.iter().filter(|field| !field.is_skipped).filter_map(|field| {
            let known = self.members.get(format!("{rust}.{}", field.in_rust).as_str());
            let member = known.map_or_else(|| self.attribute(field, is_option), |known| (*known).to_owned());
            let docs = docstring(&field.docs, "    ");
            (!member.is_empty()).then(|| format!("    {member}\n{docs}"))
        });
        members.collect()
    }

    fn attribute(&self, field: &Field, is_option: bool) -> String {
        // Options have Python names, and results have JSON names.
        let name = if is_option { &field.in_rust } else { &field.name };
        let (inner, is_required) = option(&field.of).map_or((&field.of, true), |inner| (inner, false));
        let hint = self.hint(inner, is_option);
        if field.may_be_absent || (is_option && !is_required) {
            format!("{name}: NotRequired[{hint}]")
        } else if is_required {
            format!("{name}: {hint}")
        } else {
            format!("{name}: {hint} | None")
        }
    }

    pub(crate) fn hint(&self, of: &Type, is_option: bool) -> String {
        let (name, arguments) = match of {
            Type::Reference(to) => return self.hint(&to.elem, is_option),
            Type::Slice(slice) => return format!("list[{}]", self.hint(&slice.elem, is_option)),
            _ => named(of),
        };
        match (name.as_str(), arguments.as_slice()) {
            ("Arc", [inner]) => self.hint(inner, is_option),
            ("BTreeMap", [key, value]) => {
                let map = if is_option { "Mapping" } else { "dict" };
                format!("{map}[{}, {}]", self.hint(key, is_option), self.hint(value, is_option))
            }
            ("Vec", [item]) => {
                let list = if is_option { "Sequence" } else { "list" };
                format!("{list}[{}]", self.hint(item, is_option))
            }
            (name, _) => match (
                self.forms.get(name).or_else(|| self.called.get(name)),
                self.declared.get(name),
            ) {
                (Some(known), _) => (*known).to_owned(),
                (None, Some(declared)) => match &declared.shape {
                    Shape::Words(words) => literal(words),
                    _ => panic!("{name} has no Python form"),
                },
                (None, None) => panic!("{name} has no Python form"),
            },
        }
    }
}

fn typed(name: &str, docs: &[String], members: &str) -> String {
    format!("class {name}(TypedDict):\n{}\n{members}", docstring(docs, "    "))
}

/// Returns `__all__` of a module with these classes.
pub(crate) fn all(classes: &str) -> String {
    let names = classes.lines().filter_map(|line| {
        let name = match line.strip_prefix("class ") {
            Some(class) => class.split_once('(')?.0,
            None => line.split_once(" = ")?.0,
        };
        Some(format!("    \"{name}\",\n"))
    });
    format!("__all__ = [\n{}]\n", names.collect::<String>())
}

/// Returns the type of a value that is one of these strings.
pub(crate) fn literal(words: &[impl AsRef<str>]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("\"{}\"", word.as_ref())).collect();
    format!("Literal[{}]", words.join(", "))
}

/// Formats documentation with Python's code markup and values.
pub(crate) fn docstring(docs: &[String], indent: &str) -> String {
    let mut text = String::new();
    for (at, line) in docs.iter().enumerate() {
        if at > 0 {
            text.push('\n');
            // Empty lines have no trailing spaces.
            text.push_str(if line.is_empty() { "" } else { indent });
        }
        text.push_str(line);
    }
    let text = text
        .replace("`null`", "`None`")
        .replace("Default: true", "Default: True")
        .replace("Default: false", "Default: False")
        .replace('`', "``");
    match docs {
        [] => String::new(),
        [_] => format!("{indent}\"\"\"{text}\"\"\"\n"),
        _ => format!("{indent}\"\"\"{text}\n{indent}\"\"\"\n"),
    }
}
