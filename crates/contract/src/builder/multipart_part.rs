//! The parts of multipart bodies, one by one. What holds for a part stands below `$.name`.

use std::collections::btree_map::Entry;
use std::path::PathBuf;

use bytes::Bytes;
use contract_model::{ContentType, Json, PathExpression, PathToken, RuleList, Text};

use super::body::BodyDraft;
use super::multipart::{Multipart, Part, by_type};
use super::value::Value;
use crate::error::{ArgumentError, BODY};
use crate::file::file_problem;

/// One part of a multipart body.
#[derive(Clone, Debug, Default)]
pub(super) struct PartValue {
    /// The name of the form field.
    pub(super) name: String,
    /// What it holds.
    pub(super) content: PartContent,
    /// The name of the file; that of the path for a file, none otherwise.
    pub(super) filename: Option<String>,
    /// Told from the content when absent; a text without one is a plain field.
    pub(super) content_type: Option<String>,
    /// The boundary of the whole body; one that occurs in no part when absent.
    pub(super) boundary: Option<String>,
}

/// What a part holds.
#[derive(Clone, Debug, Default)]
pub(super) enum PartContent {
    /// Nothing.
    #[default]
    Empty,
    /// JSON with matchers in it.
    Json(Json),
    /// Text or matcher JSON.
    Text(Json),
    /// Bytes; compared by their type.
    Bytes(Bytes),
    /// A file, read now; compared by its type.
    File(PathBuf),
}

/// Adds a part to a multipart body; anything else that was there makes way.
pub(super) fn add(mut draft: BodyDraft, mut part: PartValue) -> Result<BodyDraft, ArgumentError> {
    if part.name.is_empty() {
        return Err(ArgumentError::new(BODY, "a part of a multipart body needs a name"));
    }
    let mut multipart = draft.take_multipart().unwrap_or_else(|| {
        draft = BodyDraft::default();
        Multipart::default()
    });
    if let PartContent::File(path) = &part.content {
        part.filename = part
            .filename
            .or_else(|| Some(path.file_name()?.to_string_lossy().into_owned()));
    }
    let mut adding = Adding {
        place: format!("multipart part {:?}", part.name),
        name: part.name.as_str().into(),
        draft,
    };
    for text in std::iter::once(&part.name).chain(&part.filename) {
        if text.contains(char::is_control) {
            return Err(adding.refused(&format!("{text:?} cannot hold line breaks or control characters")));
        }
    }
    let declared = part.content_type.map(|text| text.parse::<ContentType>());
    let declared = declared
        .transpose()
        .map_err(|error| adding.refused(&error.to_string()))?;
    let (content, content_type) = adding.content(part.content, declared)?;
    multipart.parts.push(Part {
        head: head(&part.name, part.filename.as_deref(), content_type.as_ref()),
        content,
    });
    if let Some(boundary) = part.boundary {
        adding.boundary(boundary, &mut multipart)?;
    }
    let Adding { mut draft, .. } = adding;
    draft.set_multipart(multipart);
    Ok(draft)
}

fn head(name: &str, filename: Option<&str>, content_type: Option<&ContentType>) -> String {
    let quoted = |text: &str| text.replace('"', "%22");
    let filename = filename.map(|filename| format!("; filename=\"{}\"", quoted(filename)));
    let content_type = content_type.map(|content_type| format!("Content-Type: {content_type}\r\n"));
    format!(
        "Content-Disposition: form-data; name=\"{}\"{}\r\n{}",
        quoted(name),
        filename.unwrap_or_default(),
        content_type.unwrap_or_default()
    )
}

/// The body that a part is added to.
struct Adding {
    draft: BodyDraft,
    name: Text,
    /// For messages.
    place: String,
}

impl Adding {
    fn refused(&self, problem: &str) -> ArgumentError {
        ArgumentError::new(BODY, format!("{}: {problem}", self.place))
    }

    /// The bytes of the part and their type; rules and generators are noted.
    fn content(
        &mut self,
        content: PartContent,
        declared: Option<ContentType>,
    ) -> Result<(Bytes, Option<ContentType>), ArgumentError> {
        match content {
            PartContent::Empty => Ok((Bytes::new(), declared)),
            PartContent::Json(template) => self.json(&template, declared.unwrap_or_else(ContentType::json)),
            PartContent::Text(template) => {
                let value = Value::new(&template).map_err(|error| error.within(&self.place))?;
                let text = value.text(BODY).map_err(|error| error.within(&self.place))?;
                let root = PathExpression::root();
                if let Some(list) = value.rules {
                    self.rule(&root, list)?;
                }
                if let Some(generator) = value.generator {
                    self.draft.generators.insert(self.below(&root), generator);
                }
                Ok((text.as_bytes().to_vec().into(), declared))
            }
            PartContent::Bytes(bytes) => self.bytes(bytes, declared),
            PartContent::File(path) => match std::fs::read(&path) {
                Ok(bytes) => self.bytes(bytes.into(), declared),
                Err(error) => Err(self.refused(&file_problem(&path, "read the part from", &error))),
            },
        }
    }

    fn json(
        &mut self,
        template: &Json,
        content_type: ContentType,
    ) -> Result<(Bytes, Option<ContentType>), ArgumentError> {
        let split = super::example::body(template).map_err(|error| error.within(&self.place))?;
        if !content_type.is_json() {
            return Err(self.refused(&format!("JSON cannot be sent as {content_type}")));
        }
        for (path, list) in split.rules {
            self.rule(&path, list)?;
        }
        for (path, generator) in split.generators {
            self.draft.generators.insert(self.below(&path), generator);
        }
        Ok((split.example.to_text().into(), Some(content_type)))
    }

    fn bytes(
        &mut self,
        bytes: Bytes,
        declared: Option<ContentType>,
    ) -> Result<(Bytes, Option<ContentType>), ArgumentError> {
        let content_type = declared.unwrap_or_else(|| contract_matching::sniffed_content_type(&bytes));
        if let Some(list) = by_type(&content_type) {
            self.rule(&PathExpression::root(), list)?;
        }
        Ok((bytes, Some(content_type)))
    }

    /// Parts of one name share their rules: paths do not tell them apart.
    fn rule(&mut self, path: &PathExpression, list: RuleList) -> Result<(), ArgumentError> {
        let at = self.below(path);
        match self.draft.rules.entry(at) {
            Entry::Vacant(place) => {
                place.insert(list);
                Ok(())
            }
            Entry::Occupied(known) if *known.get() == list => Ok(()),
            Entry::Occupied(known) => {
                let problem = format!(
                    "an earlier part of this name carries another matcher at {}",
                    known.key()
                );
                Err(self.refused(&problem))
            }
        }
    }

    fn below(&self, path: &PathExpression) -> PathExpression {
        let name = PathToken::Key(self.name.clone());
        let tokens: Vec<_> = std::iter::once(name).chain(path.tokens().iter().cloned()).collect();
        tokens.into()
    }

    fn boundary(&self, boundary: String, multipart: &mut Multipart) -> Result<(), ArgumentError> {
        let is_boundary = (1..=70).contains(&boundary.len())
            && boundary
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&b));
        if !is_boundary {
            return Err(self.refused(&format!("{boundary:?} is no boundary (RFC 2046 section 5.1.1)")));
        }
        if multipart.boundary.as_ref().is_some_and(|known| *known != boundary) {
            return Err(self.refused("the body has another boundary already"));
        }
        if multipart.holds(&boundary) {
            return Err(self.refused(&format!("the boundary {boundary:?} occurs in a part")));
        }
        multipart.boundary = Some(boundary.into());
        Ok(())
    }
}
