//! Reads structs and enums from the sources, in the form in which serde serializes them.

use std::collections::HashMap;
use std::path::Path;

use syn::ext::IdentExt;
use syn::punctuated::Punctuated;
use syn::{Attribute, Expr, ExprLit, Fields, FieldsNamed, Item, Lit, LitStr, Meta, Token};

/// A structure or an enumeration.
pub(crate) struct Declared {
    pub(crate) docs: Vec<String>,
    /// True if the type is only read and never written. Such types are options, which may be omitted.
    pub(crate) is_option: bool,
    pub(crate) shape: Shape,
}

pub(crate) enum Shape {
    Fields(Vec<Field>),
    /// One of these strings.
    Words(Vec<String>),
    /// One of these variants. The member with this name, if there is one, is the discriminator.
    Variants(Option<String>, Vec<Variant>),
}

pub(crate) struct Variant {
    pub(crate) docs: Vec<String>,
    pub(crate) in_rust: String,
    pub(crate) word: String,
    pub(crate) fields: Vec<Field>,
}

pub(crate) struct Field {
    pub(crate) docs: Vec<String>,
    pub(crate) in_rust: String,
    /// The name in JSON.
    pub(crate) name: String,
    pub(crate) of: syn::Type,
    /// True if the field is never part of the JSON.
    pub(crate) is_skipped: bool,
    /// True if the field may be absent.
    pub(crate) may_be_absent: bool,
}

/// The serde attributes of a type, variant, or field.
#[derive(Default)]
struct SerdeAttributes(HashMap<String, String>);

impl SerdeAttributes {
    fn from_attributes(attributes: &[Attribute]) -> Self {
        let mut serde = Self::default();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
            let read = attribute.parse_nested_meta(|meta| {
                let name = meta.path.require_ident()?.to_string();
                let value = meta.value().and_then(syn::parse::ParseBuffer::parse::<LitStr>);
                serde
                    .0
                    .insert(name, value.map_or_else(|_| String::new(), |text| text.value()));
                Ok(())
            });
            read.unwrap_or_else(|error| panic!("an attribute for serde: {error}"));
        }
        serde
    }

    fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    fn get(&self, name: &str) -> Option<&str> {
        self.0.get(name).map(String::as_str)
    }
}

impl Declared {
    /// Returns the fields of the type or of one of its variants.
    pub(crate) fn fields(&self, variant: Option<&str>) -> Option<&[Field]> {
        match (&self.shape, variant) {
            (Shape::Fields(fields), None) => Some(fields),
            (Shape::Variants(_, all), Some(wanted)) => {
                let found = all.iter().find(|variant| variant.in_rust == wanted);
                found.map(|variant| variant.fields.as_slice())
            }
            _ => None,
        }
    }
}

/// Reads all types of a file, by name.
pub(crate) fn read(path: &Path) -> HashMap<String, Declared> {
    let text = std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let file = syn::parse_file(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let declared = file.items.into_iter().filter_map(|item| match item {
        Item::Struct(item) => {
            let Fields::Named(fields) = item.fields else {
                return None;
            };
            let serde = SerdeAttributes::from_attributes(&item.attrs);
            let is_option = is_read_only(&item.attrs);
            let fields = fields_of(fields, is_option, serde.has("default"), serde.get("rename_all"));
            Some((
                item.ident.to_string(),
                Declared {
                    docs: docs(&item.attrs),
                    is_option,
                    shape: Shape::Fields(fields),
                },
            ))
        }
        Item::Enum(item) => {
            let (name, docs) = (item.ident.to_string(), docs(&item.attrs));
            let is_option = is_read_only(&item.attrs);
            let shape = enumeration(item, is_option);
            Some((name, Declared { docs, is_option, shape }))
        }
        _ => None,
    });
    declared.collect()
}

fn enumeration(item: syn::ItemEnum, is_option: bool) -> Shape {
    let serde = SerdeAttributes::from_attributes(&item.attrs);
    let word = |variant: &syn::Variant| {
        let own = SerdeAttributes::from_attributes(&variant.attrs);
        let case = if is_option {
            Some("camelCase")
        } else {
            serde.get("rename_all")
        };
        let name = || cased(&variant.ident.to_string(), case);
        own.get("rename").map_or_else(name, str::to_owned)
    };
    if item
        .variants
        .iter()
        .all(|variant| matches!(variant.fields, Fields::Unit))
    {
        return Shape::Words(item.variants.iter().map(word).collect());
    }
    let variants = item.variants.into_iter().map(|variant| {
        let word = word(&variant);
        let fields = match variant.fields {
            Fields::Named(fields) => fields_of(fields, is_option, false, serde.get("rename_all_fields")),
            Fields::Unnamed(_) | Fields::Unit => Vec::new(),
        };
        Variant {
            docs: docs(&variant.attrs),
            in_rust: variant.ident.to_string(),
            word,
            fields,
        }
    });
    Shape::Variants(serde.get("tag").map(str::to_owned), variants.collect())
}

fn fields_of(fields: FieldsNamed, is_option: bool, has_default: bool, case: Option<&str>) -> Vec<Field> {
    let fields = fields.named.into_iter().filter_map(|field| {
        let serde = SerdeAttributes::from_attributes(&field.attrs);
        let name = field.ident.as_ref()?.unraw().to_string();
        // Option names are accepted in any language's naming convention.
        let case = if is_option { Some("camelCase") } else { case };
        Some(Field {
            is_skipped: serde.has("skip"),
            docs: docs(&field.attrs),
            name: serde.get("rename").map_or_else(|| cased(&name, case), str::to_owned),
            of: field.ty,
            may_be_absent: serde.has("skip_serializing_if") || (is_option && (has_default || serde.has("default"))),
            in_rust: name,
        })
    });
    fields.collect()
}

/// Returns true if serde only reads the type and never writes it.
fn is_read_only(attributes: &[Attribute]) -> bool {
    derives(attributes, "Deserialize") && !derives(attributes, "Serialize")
}

fn derives(attributes: &[Attribute], wanted: &str) -> bool {
    let derived = attributes
        .iter()
        .filter(|attribute| attribute.path().is_ident("derive"));
    derived
        .filter_map(|attribute| {
            attribute
                .parse_args_with(Punctuated::<syn::Path, Token![,]>::parse_terminated)
                .ok()
        })
        .any(|paths| paths.iter().any(|path| path.is_ident(wanted)))
}

/// Returns the lines of the documentation, with Rust links replaced by their text.
pub(crate) fn docs(attributes: &[Attribute]) -> Vec<String> {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        Meta::NameValue(pair) if pair.path.is_ident("doc") => match &pair.value {
            Expr::Lit(ExprLit {
                lit: Lit::Str(text), ..
            }) => Some(text.value().trim_start().to_owned()),
            _ => None,
        },
        _ => None,
    });
    lines.map(|line| line.replace("[`", "`").replace("`]", "`")).collect()
}

/// Converts a Rust name to a case that serde supports.
pub(crate) fn cased(name: &str, case: Option<&str>) -> String {
    let mut words: Vec<String> = Vec::new();
    for letter in name.chars() {
        if letter == '_' || words.is_empty() || letter.is_uppercase() {
            words.push(String::new());
        }
        if let (Some(word), false) = (words.last_mut(), letter == '_') {
            word.extend(letter.to_lowercase());
        }
    }
    match case {
        Some("camelCase") => {
            let later = words.iter().skip(1).map(|word| {
                let (first, rest) = word.split_at(word.len().min(1));
                format!("{}{rest}", first.to_uppercase())
            });
            words.first().cloned().into_iter().chain(later).collect()
        }
        Some("snake_case") => words.join("_"),
        Some("kebab-case") => words.join("-"),
        None => name.to_owned(),
        Some(other) => panic!("the case {other} is not supported"),
    }
}
