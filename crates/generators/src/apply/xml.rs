//! Generates values in XML bodies. `$.root.child` and `$.root.child['#text']` denote the text of an element, and
//! `$.root.child['@id']` denotes an attribute. A name selects all elements with that name, unless an index follows:
//! `$.root.child[0]`.
//!
//! Names have the prefix that the document uses, or a namespace URI: `['urn:orders:item']`. All bytes outside the
//! generated values remain unchanged.

use std::collections::HashMap;
use std::ops::Range;

use contract_matching::is_xml_name;
use contract_model::{PathExpression, PathToken, Text};
use quick_xml::NsReader;
use quick_xml::escape::resolve_predefined_entity;
use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{LocalName, ResolveResult};

use super::placed::Placed;
use super::run::Run;
use crate::{GenerateError, generate};

/// Generates values in a document. Returns `None` if no value was generated.
pub(super) fn fill(
    document: &str,
    applicable: &[Placed<'_>],
    run: &mut Run<'_, '_>,
) -> Result<Option<String>, GenerateError> {
    let found = places(document, applicable).map_err(|problem| GenerateError::UnreadableBody {
        format: "XML",
        problem: problem.to_string(),
    })?;
    let before = run.problems.len();
    let mut edits = Vec::new();
    for place in found {
        let outcome = generate(place.entry.1, Some(&place.example.as_str().into()), run.context);
        match outcome.and_then(|value| value.map(|value| escaped(&super::values::text_of(&value)?)).transpose()) {
            Ok(Some(text)) => edits.extend(place.edits(&text)),
            Ok(None) => {}
            Err(error) => run.body_problem(before, &place.path, error),
        }
    }
    edits.sort_by_key(|(range, _)| range.start);
    Ok((!edits.is_empty()).then(|| edited(document, &edits)))
}

/// The location of a generated text or attribute.
struct Place<'g> {
    entry: Placed<'g>,
    path: PathExpression,
    example: String,
    /// Byte range in the document that the generated text replaces.
    range: Range<usize>,
    surrounding: (String, String),
    /// Byte ranges of further pieces of the old text, which are removed.
    rest: Vec<Range<usize>>,
}

impl Place<'_> {
    fn edits(self, text: &str) -> impl Iterator<Item = (Range<usize>, String)> {
        let (before, behind) = self.surrounding;
        let rest = self.rest.into_iter().map(|range| (range, String::new()));
        std::iter::once((self.range, [before.as_str(), text, &behind].concat())).chain(rest)
    }
}

fn edited(document: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut out = String::with_capacity(document.len());
    let mut at = 0;
    for (range, text) in edits {
        out.push_str(document.get(at..range.start).unwrap_or_default());
        out.push_str(text);
        at = range.end;
    }
    out.push_str(document.get(at..).unwrap_or_default());
    out
}

/// Escapes text and attribute values. Line breaks and tabs become character references, because parsers replace them
/// with spaces in attributes.
fn escaped(text: &str) -> Result<String, GenerateError> {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&apos;"),
            '\t' => out.push_str("&#9;"),
            '\n' => out.push_str("&#10;"),
            '\r' => out.push_str("&#13;"),
            '\0'..'\u{20}' | '\u{fffe}' | '\u{ffff}' => {
                return Err(GenerateError::Unfit {
                    wanted: "it must not contain control characters, which XML does not allow",
                });
            }
            _ => out.push(c),
        }
    }
    Ok(out)
}

#[derive(Debug, thiserror::Error)]
enum XmlError {
    #[error(transparent)]
    Syntax(#[from] quick_xml::Error),
    #[error(transparent)]
    Attribute(#[from] quick_xml::events::attributes::AttrError),
    #[error("the element {0} is not closed")]
    Unclosed(String),
    #[error("the document has no element")]
    NoElement,
}

/// An element that contains the current position.
struct Element<'d> {
    name: &'d str,
    /// The name as `uri:local`, or `None` if the element has no namespace.
    expanded: Option<String>,
    /// Index among siblings with the same name, counted from 0.
    index: usize,
    /// Number of children seen so far, by name.
    children: HashMap<&'d str, usize>,
    texts: Vec<Piece>,
}

/// A piece of an element's text: adjacent text, references, and CDATA sections.
struct Piece {
    range: Range<usize>,
    text: String,
    /// Position at which the next event must start to continue this piece.
    end: usize,
}

struct Finder<'d, 'g> {
    document: &'d str,
    applicable: &'g [Placed<'g>],
    open: Vec<Element<'d>>,
    roots: HashMap<&'d str, usize>,
    places: Vec<Place<'g>>,
}

fn places<'g>(document: &str, applicable: &'g [Placed<'g>]) -> Result<Vec<Place<'g>>, XmlError> {
    let mut finder = Finder {
        document,
        applicable,
        open: Vec::new(),
        roots: HashMap::new(),
        places: Vec::new(),
    };
    let mark = if document.starts_with('\u{feff}') {
        '\u{feff}'.len_utf8()
    } else {
        0
    };
    let mut reader = NsReader::from_str(document.get(mark..).unwrap_or_default());
    loop {
        let start = mark + offset(&reader);
        let event = reader.read_event()?;
        let range = start..mark + offset(&reader);
        match event {
            Event::Start(tag) => finder.start(&tag, &reader, &range)?,
            Event::Empty(tag) => {
                finder.start(&tag, &reader, &range)?;
                finder.empty(&range);
            }
            Event::End(_) => finder.end(range.start),
            Event::Text(text) => finder.text(range, &text.xml10_content()),
            Event::CData(text) => finder.text(range, &text.xml10_content()),
            Event::GeneralRef(reference) => match reference.resolve_char_ref()? {
                Some(character) => finder.text(range, character.encode_utf8(&mut [0; 4])),
                None => match resolve_predefined_entity(&reference) {
                    Some(text) => finder.text(range, text),
                    None => finder.text(range.clone(), document.get(range).unwrap_or_default()),
                },
            },
            Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
            Event::Eof => return finder.finish(),
        }
    }
}

fn offset(reader: &NsReader<&[u8]>) -> usize {
    usize::try_from(reader.buffer_position()).unwrap_or(usize::MAX)
}

impl<'g> Finder<'_, 'g> {
    fn start(&mut self, tag: &BytesStart<'_>, reader: &NsReader<&[u8]>, range: &Range<usize>) -> Result<(), XmlError> {
        let name_start = range.start + 1;
        let name = self
            .document
            .get(name_start..name_start + tag.name().as_ref().len())
            .unwrap_or_default();
        let siblings = self
            .open
            .last_mut()
            .map_or(&mut self.roots, |parent| &mut parent.children);
        let count = siblings.entry(name).or_default();
        let index = std::mem::replace(count, *count + 1);
        let expanded = expanded(reader.resolver().resolve_element(tag.name()));
        self.open.push(Element {
            name,
            expanded,
            index,
            children: HashMap::new(),
            texts: Vec::new(),
        });
        self.attributes(tag, reader, name_start + name.len())
    }

    /// Records the attributes for which there is a generator. `at` is the byte position after the tag name.
    fn attributes(&mut self, tag: &BytesStart<'_>, reader: &NsReader<&[u8]>, mut at: usize) -> Result<(), XmlError> {
        // Duplicate names are not checked here: the check takes quadratic time, and the comparison reports them.
        for attribute in tag.attributes().with_checks(false) {
            let attribute = attribute?;
            let name = attribute.key.as_ref();
            // Attributes are separated by whitespace. Only whitespace and `=` occur between a name and the opening
            // quote.
            let find = |from: usize, matcher: &dyn Fn(&str) -> Option<usize>| {
                self.document
                    .get(from..)
                    .and_then(matcher)
                    .map_or(from, |found| from + found)
            };
            let key = find(at, &|rest| rest.find(name));
            let value = find(key + name.len(), &|rest| rest.find(['"', '\''])) + 1;
            let range = value..value + attribute.value.len();
            at = range.end + 1;
            if attribute.key.as_namespace_binding().is_some() {
                continue;
            }
            let expanded = expanded(reader.resolver().resolve_attribute(attribute.key));
            let is_meant = |rest: &[PathToken]| match rest {
                [PathToken::Key(key)] => key
                    .strip_prefix('@')
                    .is_some_and(|key| is_xml_name(key, name, expanded.as_deref())),
                _ => false,
            };
            if let Some(entry) = self.entry_at(is_meant) {
                let example = attribute
                    .normalized_value(quick_xml::XmlVersion::Implicit1_0)?
                    .into_owned();
                let path = self.path().join(PathToken::Key(Text::from(format!("@{name}"))));
                let surrounding = (String::new(), String::new());
                self.places.push(Place {
                    entry,
                    path,
                    example,
                    range,
                    surrounding,
                    rest: Vec::new(),
                });
            }
        }
        Ok(())
    }

    fn text(&mut self, range: Range<usize>, text: &str) {
        let Some(element) = self.open.last_mut() else { return };
        match element.texts.last_mut().filter(|piece| piece.end == range.start) {
            Some(piece) => {
                piece.text.push_str(text);
                piece.end = range.end;
                piece.range.end = range.end;
            }
            None => element.texts.push(Piece {
                end: range.end,
                range,
                text: text.to_owned(),
            }),
        }
    }

    /// Records the text of an empty-element tag such as `<name/>` if there is a generator for it.
    fn empty(&mut self, range: &Range<usize>) {
        let name = self.open.last().map_or("", |element| element.name);
        let surrounding = (">".to_owned(), format!("</{name}>"));
        self.text_place(
            range.end.saturating_sub(2)..range.end,
            surrounding,
            String::new(),
            Vec::new(),
        );
        self.open.pop();
    }

    fn end(&mut self, at: usize) {
        let Some(element) = self.open.last() else { return };
        let none = (String::new(), String::new());
        let mut pieces = element.texts.iter().filter_map(|piece| {
            let raw = self.document.get(piece.range.clone())?;
            let start = piece.range.start + (raw.len() - raw.trim_start().len());
            (!raw.trim().is_empty()).then(|| start..start + raw.trim().len())
        });
        if let Some(first) = pieces.next() {
            let rest = pieces.collect();
            let example = element.texts.iter().map(|piece| piece.text.trim()).collect();
            self.text_place(first, none, example, rest);
        } else if element.children.is_empty() {
            self.text_place(at..at, none, String::new(), Vec::new());
        }
        self.open.pop();
    }

    /// Records the text of the innermost open element if there is a generator for it.
    fn text_place(
        &mut self,
        range: Range<usize>,
        surrounding: (String, String),
        example: String,
        rest: Vec<Range<usize>>,
    ) {
        let is_meant = |rest: &[PathToken]| match rest {
            [] => true,
            [PathToken::Key(key)] => key == "#text",
            _ => false,
        };
        if let Some(entry) = self.entry_at(is_meant) {
            self.places.push(Place {
                entry,
                path: self.path(),
                example,
                range,
                surrounding,
                rest,
            });
        }
    }

    /// Returns the most specific generator, which comes last, whose path selects the innermost open element. `is_meant`
    /// decides whether the remaining steps of the path denote the wanted value.
    fn entry_at(&self, is_meant: impl Fn(&[PathToken]) -> bool) -> Option<Placed<'g>> {
        let leads_here = |path: &PathExpression| below(path.tokens(), &self.open).is_some_and(&is_meant);
        self.applicable.iter().rev().find(|(path, _)| leads_here(path)).copied()
    }

    fn path(&self) -> PathExpression {
        self.open
            .iter()
            .map(|element| PathToken::Key(element.name.into()))
            .collect::<Vec<_>>()
            .into()
    }

    fn finish(self) -> Result<Vec<Place<'g>>, XmlError> {
        match self.open.last() {
            Some(element) => Err(XmlError::Unclosed(element.name.to_owned())),
            None if self.roots.is_empty() => Err(XmlError::NoElement),
            None => Ok(self.places),
        }
    }
}

/// Returns the remaining steps of a path after those that match the open elements, or `None` if the path does not match
/// them.
fn below<'p>(mut path: &'p [PathToken], open: &[Element<'_>]) -> Option<&'p [PathToken]> {
    for element in open {
        let (name, rest) = path.split_first()?;
        let is_named = match name {
            PathToken::Key(key) => is_xml_name(key, element.name, element.expanded.as_deref()),
            PathToken::AnyKey => true,
            PathToken::Index(_) | PathToken::AnyIndex => false,
        };
        if !is_named {
            return None;
        }
        path = match rest.split_first() {
            Some((PathToken::Index(index), _)) if *index != element.index => return None,
            Some((PathToken::Index(_) | PathToken::AnyIndex, rest)) => rest,
            _ => rest,
        };
    }
    Some(path)
}

fn expanded((namespace, local): (ResolveResult<'_>, LocalName<'_>)) -> Option<String> {
    match namespace {
        ResolveResult::Bound(uri) => Some(format!("{}:{}", uri.as_ref(), local.as_ref())),
        ResolveResult::Unbound | ResolveResult::Unknown(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use contract_model::{Body, Generator, Response};

    use crate::{Context, Mode, Random, apply};

    /// Returns the body after applying a generator at the path, followed by the problems, one per line.
    #[track_caller]
    fn filled(path: &str, xml: &str, pattern: &str) -> String {
        let content_type = "application/xml".parse().unwrap();
        let mut response = Response {
            body: Body::from_bytes(xml.to_owned(), Some(content_type)),
            ..Response::default()
        };
        response
            .generators
            .body
            .insert(path.parse().unwrap(), Generator::Regex(pattern.into()));
        let now = contract_datetime::DateTime::new(2026, 7, 1).unwrap();
        let problems = apply::response(
            &mut response,
            &mut Context::new(Mode::Consumer, now, Random::from_seed(1)),
        );
        let problems = problems.iter().map(|problem| format!("\n{problem}"));
        String::from_utf8(response.body.bytes().to_vec()).unwrap() + &problems.collect::<String>()
    }

    #[track_caller]
    fn check(path: &str, xml: &str, want: &str) {
        assert_eq!(filled(path, xml, "new"), want, "{path}");
    }

    #[test]
    fn texts() {
        for path in ["$.a.b", "$.a.b['#text']", "$.*.b", "$.a.b[*]", "$.a[0].b['#text']"] {
            check(path, "<a>\n  <b> old </b>\n</a>", "<a>\n  <b> new </b>\n</a>");
        }
        check("$.a", "<a>old</a>", "<a>new</a>");
    }

    #[test]
    fn attributes() {
        let xml = "<a b='1'  c = \"2\"><b  cc='c' c\t=\n'\"old&amp;' /></a>";
        check("$.a['@b']", xml, &xml.replace("b='1'", "b='new'"));
        check("$.a['@c']", xml, &xml.replace('2', "new"));
        check("$.a.b['@c']", xml, &xml.replace("\"old&amp;", "new"));
        check("$.a.b['@cc']", xml, &xml.replace("cc='c'", "cc='new'"));
        check("$.a.b['@no']", xml, xml);
        check("$.a.b.@cc", xml, &xml.replace("cc='c'", "cc='new'"));
    }

    #[test]
    fn empty_elements_get_a_text() {
        check("$.a.b", "<a><b/></a>", "<a><b>new</b></a>");
        check("$.a.b", "<a><b c='/' /></a>", "<a><b c='/' >new</b></a>");
        check(
            "$.a.b",
            "<a><b></b><b> <!-- c --></b></a>",
            "<a><b>new</b><b> <!-- c -->new</b></a>",
        );
        check("$.a", "<a> <b/> </a>", "<a> <b/> </a>");
    }

    #[test]
    fn text_in_several_pieces_is_one_value() {
        check(
            "$.a",
            "<a>one &amp; &#116;wo<![CDATA[<three>]]>&four;</a>",
            "<a>new</a>",
        );
        check(
            "$.a",
            "<a> one <!-- no --> two <b>c</b> three\n</a>",
            "<a> new <!-- no -->  <b>c</b> \n</a>",
        );
        assert!(filled("$.a", "<a> b &lt;<b/><![CDATA[ c ]]> </a>", "(?!x)y").contains(r#"the example "b <c""#));
    }

    #[test]
    fn names_select_all_siblings_unless_indexed() {
        let xml = "<a><b>1</b><c>2</c><b>3</b></a>";
        check("$.a.b", xml, "<a><b>new</b><c>2</c><b>new</b></a>");
        check("$.a.b[1]", xml, "<a><b>1</b><c>2</c><b>new</b></a>");
        check("$.a.b[2]", xml, xml);
        check("$.a.*", xml, "<a><b>new</b><c>new</c><b>new</b></a>");
    }

    #[test]
    fn names_are_prefixed_or_expanded() {
        let xml = r#"<x:a xmlns:x="urn:u" xmlns="urn:d" x:id="1"><b>2</b></x:a>"#;
        for path in ["$['x:a'].b", "$['urn:u:a'].b", "$['x:a']['urn:d:b']['#text']"] {
            check(path, xml, &xml.replace('2', "new"));
        }
        for path in ["$['x:a']['@x:id']", "$['x:a']['@urn:u:id']"] {
            check(path, xml, &xml.replace("\"1\"", "\"new\""));
        }
        for path in ["$.a.b", "$['x:a']['@id']", "$['x:a']['@xmlns:x']"] {
            check(path, xml, xml);
        }
    }

    #[test]
    fn the_rest_of_the_document_stays() {
        let xml = "\u{feff}<?xml version='1.0'?>\n<!DOCTYPE a>\n<!-- é --><?pi?><a  b = 'c' ><d>old</d >&e;</a >\n";
        check("$.a.d", xml, &xml.replace("old", "new"));
    }

    #[test]
    fn texts_are_escaped() {
        assert_eq!(
            filled("$.a", "<a>b</a>", "<&>\"'\n"),
            "<a>&lt;&amp;&gt;&quot;&apos;&#10;</a>"
        );
        assert_eq!(
            filled("$.a", "<a>b</a>", "\\x01"),
            "<a>b</a>\nno value was generated for the body at $.a: the generated value is invalid: it must not contain \
             control characters, which XML does not allow"
        );
    }

    #[test]
    fn reports_invalid_xml() {
        for xml in [
            "<a>",
            "<a></b>",
            "no",
            "<a b=c></a>",
            "<a>&#0;</a>",
            "<a>&#xfffffff;</a>",
            "</a>",
        ] {
            let text = filled("$.a", xml, "new");
            assert!(
                text.contains("\nno value was generated for the body at $.a: the body cannot be read as XML"),
                "{text}"
            );
            assert!(text.starts_with(xml));
        }
    }

    #[test]
    fn handles_deep_nesting() {
        for levels in [10_000, 100_000] {
            let xml = "<a>".repeat(levels) + &"</a>".repeat(levels);
            filled("$.a", &xml, "new");
        }
    }
}
