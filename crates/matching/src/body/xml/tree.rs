//! Parses XML documents into trees. Resolves names and limits resource usage.

use contract_model::Text;
use quick_xml::XmlVersion;
use quick_xml::escape::EscapeError;
use quick_xml::events::attributes::AttrError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{QName, ResolveResult};
use quick_xml::reader::NsReader;
use thiserror::Error;

/// Maximum nesting depth, which is the same as for JSON.
const MAX_DEPTH: usize = contract_model::MAX_DEPTH;
/// Maximum number of attributes of an element. The check for duplicates takes quadratic time.
const MAX_ATTRIBUTES: usize = 1_000;

#[derive(Debug, Default)]
pub(crate) struct Element {
    pub(super) name: Name,
    pub(super) attributes: Vec<(Name, Text)>,
    /// The text between the child elements, trimmed and concatenated.
    pub(super) text: String,
    pub(super) children: Vec<Element>,
    /// Number of child elements and of non-blank pieces of text.
    pub(super) size: usize,
}

/// Maximum size of an outline in bytes.
const OUTLINED: usize = 64 * 1024;

impl Element {
    /// Formats the name, the attributes, and the text of the element and of all elements inside it, one element per
    /// line. Truncates long outlines.
    pub(super) fn outline(&self) -> String {
        let mut out = String::new();
        self.outline_into(0, &mut out);
        out
    }

    fn outline_into(&self, depth: usize, out: &mut String) {
        if out.len() > OUTLINED {
            return;
        }
        out.extend(std::iter::repeat_n("  ", depth));
        out.push('<');
        out.push_str(&self.name.written());
        let mut attributes: Vec<_> = self
            .attributes
            .iter()
            .map(|(name, value)| (name.written(), value))
            .collect();
        attributes.sort_unstable();
        for (name, value) in attributes {
            out.extend([" ", &name, "=\"", value, "\""]);
        }
        out.push('>');
        out.push_str(&self.text);
        out.push('\n');
        for child in &self.children {
            child.outline_into(depth + 1, out);
        }
    }
}

/// A qualified name. The prefix is used only in messages.
#[derive(Clone, Debug, Default)]
pub(crate) struct Name {
    pub(super) prefix: Option<Text>,
    pub(super) namespace: Option<Text>,
    pub(super) local: Text,
}

impl Name {
    pub(super) fn is(&self, other: &Self) -> bool {
        self.local == other.local && self.namespace == other.namespace
    }

    /// Returns the namespace and the local name, joined by a colon. Rules always use this form.
    pub(super) fn expanded(&self) -> Text {
        join(self.namespace.as_deref(), &self.local)
    }

    /// Returns the name as written in the document.
    pub(super) fn written(&self) -> Text {
        join(self.prefix.as_deref(), &self.local)
    }
}

fn join(qualifier: Option<&str>, local: &str) -> Text {
    match qualifier {
        Some(qualifier) => [qualifier, ":", local].concat().into(),
        None => local.into(),
    }
}

/// Reason why a document cannot be parsed, with its location.
#[derive(Debug, Error)]
pub(crate) enum XmlError {
    #[error("the document is not valid UTF-8")]
    NotUtf8,
    #[error("{problem} at line {line}, column {column}")]
    At {
        #[source]
        problem: Problem,
        line: usize,
        column: usize,
    },
    #[error(transparent)]
    Incomplete(#[from] Incomplete),
}

#[derive(Debug, Error)]
pub(crate) enum Problem {
    #[error(transparent)]
    Syntax(#[from] quick_xml::Error),
    #[error(transparent)]
    Escape(#[from] EscapeError),
    #[error(transparent)]
    Attribute(#[from] AttrError),
    #[error("the entity &{0}; is not defined")]
    Entity(String),
    #[error("a document type declaration is not supported")]
    DocumentType,
    #[error("the document is nested deeper than {MAX_DEPTH} levels")]
    Depth,
    #[error("the document has more than one root element")]
    Roots,
    #[error("an element has more than {MAX_ATTRIBUTES} attributes")]
    Attributes,
    #[error("duplicate attribute {0}")]
    DuplicateAttribute(Text),
    #[error("there is text outside the root element")]
    TextOutsideRoot,
    #[error("the prefix {0} is not declared")]
    Prefix(String),
    #[error("a name is missing")]
    Unnamed,
}

/// The missing end of a document that is incomplete.
#[derive(Debug, Error)]
pub(crate) enum Incomplete {
    #[error("the element <{0}> is not closed")]
    Element(Text),
    #[error("the document has no root element")]
    Root,
}

/// Parses an XML document. Document type declarations are rejected, because they can define entities and contracts do
/// not need them.
pub(super) fn parse(bytes: &[u8]) -> Result<Element, XmlError> {
    let text = std::str::from_utf8(bytes).map_err(|_| XmlError::NotUtf8)?;
    let text = text.trim_start_matches('\u{feff}');
    let mut reader = NsReader::from_str(text);
    reader.config_mut().check_comments = true;
    let mut builder = Builder::default();
    loop {
        let event = reader
            .read_event()
            .map_err(|error| at(text, &reader, Problem::from(error)))?;
        if let Event::Eof = event {
            return Ok(builder.finish()?);
        }
        builder
            .take(event, &reader)
            .map_err(|problem| at(text, &reader, problem))?;
    }
}

fn at(text: &str, reader: &NsReader<&[u8]>, problem: Problem) -> XmlError {
    let position = usize::try_from(reader.error_position()).unwrap_or(usize::MAX);
    let before = &text.as_bytes()[..position.min(text.len())];
    let line = memchr::memchr_iter(b'\n', before).count() + 1;
    let start = memchr::memrchr(b'\n', before).map_or(0, |end| end + 1);
    let column = String::from_utf8_lossy(&before[start..]).chars().count() + 1;
    XmlError::At { problem, line, column }
}

#[derive(Default)]
struct Builder {
    open: Vec<Element>,
    /// The text after the most recent tag.
    run: String,
    root: Option<Element>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, reader: &NsReader<&[u8]>) -> Result<(), Problem> {
        match event {
            Event::Start(tag) => self.start(&tag, reader),
            Event::Empty(tag) => {
                self.start(&tag, reader)?;
                self.end();
                Ok(())
            }
            Event::End(_) => {
                self.end();
                Ok(())
            }
            Event::Text(text) => self.text(&text.xml10_content()),
            Event::CData(text) => self.text(&text.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref()? {
                Some(character) => self.text(character.encode_utf8(&mut [0; 4])),
                None => match quick_xml::escape::resolve_predefined_entity(&reference) {
                    Some(text) => self.text(text),
                    None => Err(Problem::Entity((*reference).to_owned())),
                },
            },
            Event::DocType(_) => Err(Problem::DocumentType),
            Event::Comment(_) | Event::PI(_) | Event::Decl(_) | Event::Eof => Ok(()),
        }
    }

    fn start(&mut self, tag: &BytesStart<'_>, reader: &NsReader<&[u8]>) -> Result<(), Problem> {
        if self.open.len() >= MAX_DEPTH {
            return Err(Problem::Depth);
        }
        if self.open.is_empty() && self.root.is_some() {
            return Err(Problem::Roots);
        }
        self.end_run();
        let mut element = Element {
            name: name(tag.name(), reader.resolver().resolve_element(tag.name()).0)?,
            ..Element::default()
        };
        for attribute in tag.attributes() {
            let attribute = attribute?;
            if element.attributes.len() >= MAX_ATTRIBUTES {
                return Err(Problem::Attributes);
            }
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            let name = name(attribute.key, reader.resolver().resolve_attribute(attribute.key).0)?;
            if element.attributes.iter().any(|(other, _)| other.is(&name)) {
                return Err(Problem::DuplicateAttribute(name.written()));
            }
            let value = attribute.normalized_value(XmlVersion::Implicit1_0)?;
            element.attributes.push((name, value.into()));
        }
        self.open.push(element);
        Ok(())
    }

    fn end(&mut self) {
        self.end_run();
        // The reader has already checked that the tags are balanced.
        let Some(element) = self.open.pop() else { return };
        match self.open.last_mut() {
            Some(parent) => {
                parent.size += 1;
                parent.children.push(element);
            }
            None => self.root = Some(element),
        }
    }

    fn text(&mut self, text: &str) -> Result<(), Problem> {
        if self.open.is_empty() && !text.trim().is_empty() {
            return Err(Problem::TextOutsideRoot);
        }
        self.run.push_str(text);
        Ok(())
    }

    fn end_run(&mut self) {
        let run = self.run.trim();
        if let Some(element) = self.open.last_mut().filter(|_| !run.is_empty()) {
            element.text.push_str(run);
            element.size += 1;
        }
        self.run.clear();
    }

    fn finish(self) -> Result<Element, Incomplete> {
        match (self.open.last(), self.root) {
            (Some(open), _) => Err(Incomplete::Element(open.name.written())),
            (None, Some(root)) => Ok(root),
            (None, None) => Err(Incomplete::Root),
        }
    }
}

fn name(written: QName<'_>, resolved: ResolveResult<'_>) -> Result<Name, Problem> {
    let (local, prefix) = written.decompose();
    let namespace = match resolved {
        ResolveResult::Bound(namespace) => Some(Text::from(namespace.as_ref())),
        ResolveResult::Unbound => None,
        ResolveResult::Unknown(prefix) => return Err(Problem::Prefix(prefix)),
    };
    if local.as_ref().is_empty() {
        return Err(Problem::Unnamed);
    }
    Ok(Name {
        prefix: prefix.map(|prefix| prefix.as_ref().into()),
        namespace,
        local: local.as_ref().into(),
    })
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn text_is_joined_and_trimmed() {
        let root = parse(b"<a>\n x &amp; <!-- no -->y<b/><![CDATA[ <z> ]]>&#33;\n</a>").unwrap();
        assert_eq!((root.text.as_str(), root.size), ("x & y<z> !", 3));
    }

    #[test]
    fn names_are_resolved() {
        let root = parse(b"<a:r xmlns:a='urn:x' xmlns='urn:y' a:k='1' k='2'><c/></a:r>").unwrap();
        assert_eq!((&*root.name.expanded(), &*root.name.written()), ("urn:x:r", "a:r"));
        assert_eq!(&*root.attributes[0].0.expanded(), "urn:x:k");
        assert_eq!(&*root.attributes[1].0.expanded(), "k");
        assert_eq!(&*root.children[0].name.expanded(), "urn:y:c");
    }

    #[test]
    fn rejects_invalid_documents() {
        for (text, problem) in [
            ("", "the document has no root element"),
            ("<a>", "the element <a> is not closed"),
            ("<a></b>", "expected `</a>`, but `</b>` was found"),
            ("<a/><b/>", "more than one root element"),
            ("<a/>x", "text outside the root element"),
            ("<a>&x;</a>", "the entity &x;"),
            (
                "<!DOCTYPE a [<!ENTITY x SYSTEM 'file:///etc/passwd'>]><a>&x;</a>",
                "a document type declaration",
            ),
            ("<a k='1' k='2'/>", "duplicat"),
            ("<a xmlns:p='u' xmlns:q='u' p:k='1' q:k='2'/>", "duplicate attribute"),
            ("<p:a/>", "the prefix p is not declared"),
            ("<a k=1/>", "at line 1, column 1"),
            ("<a>\n <b/>\n <é></a>", "at line 3, column 5"),
        ] {
            let found = parse(text.as_bytes()).unwrap_err().to_string();
            assert!(found.contains(problem), "{text}: {found}");
        }
        assert!(
            parse("<a>".repeat(10_000).as_bytes())
                .unwrap_err()
                .to_string()
                .contains("nested deeper")
        );
        assert!(parse(b"<a>\xff</a>").unwrap_err().to_string().contains("UTF-8"));
        let attributes: String = (0..2000)
            .flat_map(|i| [" k".to_owned(), i.to_string(), "=''".to_owned()])
            .collect();
        assert!(
            parse(format!("<a{attributes}/>").as_bytes())
                .unwrap_err()
                .to_string()
                .contains("more than")
        );
    }
}
