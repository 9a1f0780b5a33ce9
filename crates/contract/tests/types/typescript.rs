//! Writes types as TypeScript declarations.

use std::collections::{BTreeMap, HashMap};

use syn::{GenericArgument, PathArguments, Type};

use crate::source::{Declared, Field, Shape, cased};

/// The names and special forms of all types in a language.
pub(crate) struct Names<'a> {
    /// The types in the sources, by their Rust names.
    pub(crate) declared: &'a HashMap<String, Declared>,
    /// The names in the target language, by Rust name.
    pub(crate) called: HashMap<&'a str, &'a str>,
    /// The forms of types that are not in the sources.
    pub(crate) forms: HashMap<&'a str, &'a str>,
    /// Members that differ in the language, by `Type.field`. Members with an empty string are omitted.
    pub(crate) members: BTreeMap<&'a str, &'a str>,
}

impl Names<'_> {
    /// Returns the declaration of a type, with its documentation.
    pub(crate) fn declaration(&self, rust: &str) -> String {
        let declared = self
            .declared
            .get(rust)
            .unwrap_or_else(|| panic!("no source declares {rust}"));
        let name = self.called.get(rust).unwrap_or_else(|| panic!("{rust} has no name"));
        let docs = comment(&declared.docs, "");
        match &declared.shape {
            Shape::Fields(fields) => {
                let members = self.members(rust, fields, declared.is_option, "  ");
                format!("{docs}export interface {name} {{\n{members}}}\n")
            }
            Shape::Words(words) => format!("{docs}export type {name} = {}\n", union(words)),
            Shape::Variants(tag, variants) => {
                let tag = tag
                    .as_ref()
                    .unwrap_or_else(|| panic!("{rust} has no tag to distinguish its variants"));
                let variants = variants.iter().map(|variant| {
                    let serde = comment(&variant.docs, "      ");
                    let members = self.members(rust, &variant.fields, declared.is_option, "      ");
                    format!(
                        "\n  | {{\n{serde}      readonly {tag}: '{}'\n{members}    }}",
                        variant.word
                    )
                });
                format!("{docs}export type {name} ={}\n", variants.collect::<String>())
            }
        }
    }

    /// Returns the declaration of options that consist of some fields of a variant.
    pub(crate) fn options(&self, variant: &str, wanted: &str, name: &str, docs: &str) -> String {
        let fields = wanted.split(' ').map(|field| {
            let found = self.field(variant, field);
            let found = found.unwrap_or_else(|| panic!("no source declares {variant}.{field}"));
            self.members(variant, std::slice::from_ref(found), true, "  ")
        });
        format!(
            "/** {docs} */\nexport interface {name} {{\n{}}}\n",
            fields.collect::<String>()
        )
    }

    /// Returns a field of a struct, or of a variant for `Type.Variant`.
    pub(crate) fn field(&self, of: &str, field: &str) -> Option<&Field> {
        let (of, variant) = of
            .split_once('.')
            .map_or((of, None), |(of, variant)| (of, Some(variant)));
        let fields = self.declared.get(of)?.fields(variant)?;
        fields.iter().find(|known| known.in_rust == field)
    }

    pub(crate) fn members(&self, rust: &str, fields: &[Field], is_option: bool, indent: &str) -> String {
        let members = fields.iter().filter_map(|field| {
            let member = match self.members.get(format!("{rust}.{}", field.in_rust).as_str()) {
                Some(other) => (*other).to_owned(),
                None if field.is_skipped => String::new(),
                None => self.member(field, is_option),
            };
            let docs = comment(&field.docs, indent);
            (!member.is_empty()).then(|| format!("{docs}{indent}readonly {member}\n"))
        });
        members.collect()
    }

    fn member(&self, field: &Field, is_option: bool) -> String {
        let name = &field.name;
        let of = self.form(&field.of);
        match option(&field.of).map(|held| self.form(held)) {
            Some(of) if is_option => format!("{name}?: {of} | undefined"),
            Some(of) if field.may_be_absent => format!("{name}?: {of}"),
            Some(of) => format!("{name}: {of} | null"),
            None if is_option && field.may_be_absent => format!("{name}?: {of} | undefined"),
            None if field.may_be_absent => format!("{name}?: {of}"),
            None => format!("{name}: {of}"),
        }
    }

    pub(crate) fn form(&self, of: &Type) -> String {
        let (name, arguments) = match of {
            Type::Reference(to) => return self.form(&to.elem),
            Type::Slice(slice) => return list(&self.form(&slice.elem)),
            _ => named(of),
        };
        match (name.as_str(), arguments.as_slice()) {
            ("Option" | "Arc", [held]) => self.form(held),
            ("Vec", [item]) => list(&self.form(item)),
            ("BTreeMap", [key, value]) => format!("Readonly<Record<{}, {}>>", self.form(key), self.form(value)),
            (name, _) => match (
                self.forms.get(name).or_else(|| self.called.get(name)),
                self.declared.get(name),
            ) {
                (Some(known), _) => (*known).to_owned(),
                (
                    None,
                    Some(Declared {
                        shape: Shape::Words(words),
                        ..
                    }),
                ) => union(words),
                (None, Some(one)) => match one.fields(None) {
                    Some(fields) => format!("{{\n{}  }}", self.members(name, fields, one.is_option, "    ")),
                    None => panic!("{name} has no TypeScript form"),
                },
                (None, None) => panic!("{name} has no TypeScript form"),
            },
        }
    }
}

/// Returns the name of a type and its type arguments.
pub(crate) fn named(of: &Type) -> (String, Vec<&Type>) {
    let Type::Path(path) = of else {
        panic!("only types with a name have a form in other languages");
    };
    let last = path.path.segments.last().expect("a name");
    (last.ident.to_string(), types(&last.arguments))
}

fn types(arguments: &PathArguments) -> Vec<&Type> {
    let PathArguments::AngleBracketed(arguments) = arguments else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        GenericArgument::Type(of) => Some(of),
        _ => None,
    });
    types.collect()
}

/// Returns the type in an `Option`.
pub(crate) fn option(of: &Type) -> Option<&Type> {
    let Type::Path(path) = of else { return None };
    let last = path.path.segments.last().filter(|last| last.ident == "Option")?;
    types(&last.arguments).first().copied()
}

fn list(item: &str) -> String {
    if item.contains(" | ") {
        format!("readonly ({item})[]")
    } else {
        format!("readonly {item}[]")
    }
}

pub(crate) fn union(words: &[String]) -> String {
    let words: Vec<_> = words.iter().map(|word| format!("'{word}'")).collect();
    words.join(" | ")
}

/// Formats documentation with the spelling of operations and options in TypeScript.
pub(crate) fn comment(docs: &[String], indent: &str) -> String {
    let docs: Vec<_> = docs.iter().map(|line| spelled(line)).collect();
    match docs.as_slice() {
        [] => String::new(),
        [line] => format!("{indent}/** {line} */\n"),
        lines => {
            let lines: String = lines
                .iter()
                .map(|line| format!("{indent} * {line}").trim_end().to_owned() + "\n")
                .collect();
            format!("{indent}/**\n{lines}{indent} */\n")
        }
    }
}

fn spelled(line: &str) -> String {
    let pieces = line.split('`').enumerate().map(|(at, piece)| {
        // A piece such as `whsec_` is the beginning of a value and not a name.
        let is_name = piece.chars().all(|c| c.is_ascii_lowercase() || c == '_')
            && !piece.starts_with('_')
            && !piece.ends_with('_');
        if at % 2 == 1 && is_name {
            cased(piece, Some("camelCase"))
        } else {
            piece.to_owned()
        }
    });
    pieces.collect::<Vec<_>>().join("`")
}
