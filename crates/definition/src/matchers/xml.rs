//! The functions of the `xml` namespace.

use std::fmt::Write as _;

use contract_model::{Json, write_string};
use serde::Deserialize;

use super::json::invalid;
use super::lists::{check_limit, count};
use super::template::Template;
use crate::xml_names::{check_xml_name, is_xml_value};
use contract_call::error::ArgumentError;
use contract_call::message::{message, operation};
use contract_call::read::{Document, Size, describe};

/// A part of an XML body. Its template is a JSON description, which the operation that uses the root element converts
/// to XML.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
#[non_exhaustive]
pub enum Xml {
    /// An element.
    Element {
        /// The name, with a prefix if the element belongs to a namespace with a prefix.
        name: String,
        /// Values or matchers by attribute name. The attributes `xmlns` and `xmlns:…` declare namespaces.
        attributes: Option<Document>,
        /// An array of child elements and text nodes. A text node is `{"text": …}` with a value or matcher.
        children: Option<Template>,
    },
    /// A repeated element.
    #[serde(rename = "element.each")]
    Each {
        element: Template,
        /// Minimum number of elements. Default: 1.
        min: Option<Size<1>>,
        /// Maximum number of elements. Default: unlimited.
        max: Option<Size<1>>,
        /// Number of elements in the example. Default: `min`.
        examples: Option<Size<1>>,
        /// Maximum size of the repeated elements in the example, in bytes. Default: 4 MiB.
        example_limit: Option<Size<1>>,
    },
    /// A document with this root element.
    Body {
        /// The root element.
        root: Document,
    },
}

impl Xml {
    /// Returns the JSON description of the element. Validates only this element; its children were validated when they
    /// were created.
    pub fn template(&self) -> Result<Template, ArgumentError> {
        match self {
            Self::Element {
                name,
                attributes,
                children,
            } => element(name, attributes.as_ref().map(|json| &json.0), children.as_ref()),
            Self::Each {
                element,
                min,
                max,
                examples,
                example_limit,
            } => {
                let sizes = [min, max, examples, example_limit].map(|size| size.map(|size| size.0));
                each(element, sizes)
            }
            Self::Body { root } => {
                if root.0.get("name").and_then(Json::as_str).is_some() {
                    return Ok((&root.0).into());
                }
                let message = message!["the root must be created with ", operation("xml.element")];
                Err(invalid(message).for_argument("root"))
            }
        }
    }
}

fn element(name: &str, attributes: Option<&Json>, children: Option<&Template>) -> Result<Template, ArgumentError> {
    check_xml_name(name).map_err(|error| invalid(error.to_string()).for_argument("name"))?;
    let mut text = String::from("{\"name\":");
    write_string(name, &mut text);
    if let Some(attributes) = attributes {
        let Json::Object(members) = attributes else {
            let problem = format!("attributes must be an object, received {}", describe(attributes));
            return Err(invalid(problem).for_argument("attributes"));
        };
        for (attribute, value) in members {
            check_xml_name(attribute).map_err(|error| invalid(error.to_string()).for_argument("attributes"))?;
            if !is_xml_value(value) {
                let problem = format!(
                    "the attribute {attribute} must be a string, a number, a boolean, or a matcher, received {}",
                    describe(value)
                );
                return Err(invalid(problem).for_argument("attributes"));
            }
        }
        let _ = write!(text, ",\"attributes\":{attributes}");
    }
    if let Some(children) = children {
        let _ = write!(text, ",\"children\":{}", children.text());
    }
    text.push('}');
    Ok(Template::from_valid_text(text))
}

fn each(element: &Template, sizes: [Option<u64>; 4]) -> Result<Template, ArgumentError> {
    let [min, max, examples, limit] = sizes;
    let least = min.unwrap_or(1);
    let count = count(least, max, examples)?;
    // The shortest element, `<a/>`, has four bytes.
    check_limit(count, 4, limit)?;
    let Some(open) = element.text().trim_end().strip_suffix('}') else {
        let message = message!["the element must be created with ", operation("xml.element")];
        return Err(invalid(message).for_argument("element"));
    };
    let mut text = format!("{open},\"each\":{{\"min\":{least},\"examples\":{count}");
    for (name, size) in [("max", max), ("exampleLimit", limit)] {
        if let Some(size) = size {
            let _ = write!(text, ",\"{name}\":{size}");
        }
    }
    text.push_str("}}");
    Ok(Template::from_valid_text(text))
}
