//! Multipart bodies, part by part. What holds for a part stands below `$.name`.

use std::path::PathBuf;

use bytes::Bytes;
use contract_model::{ContentType, Json, PathExpression, PathToken, Rule, RuleList, Text};

use super::body::BodyDraft;
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

/// The parts so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Multipart {
    parts: Vec<Part>,
    boundary: Option<Text>,
}

#[derive(Clone, Debug, PartialEq)]
struct Part {
    head: String,
    content: Bytes,
}

impl Multipart {
    pub(super) fn content_type(&self) -> Option<ContentType> {
        let content_type: ContentType = "multipart/form-data".parse().ok()?;
        Some(content_type.with_parameter("boundary", &self.boundary()))
    }

    /// Found by counting, so that the same body is the same file in every run.
    fn boundary(&self) -> Text {
        if let Some(boundary) = &self.boundary {
            return boundary.clone();
        }
        let candidates = (0_u64..).map(|count| format!("contract-boundary-{count}"));
        let mut free = candidates.filter(|candidate| !self.holds(candidate));
        free.next().unwrap_or_default().into()
    }

    /// Whether the text occurs in a part.
    fn holds(&self, text: &str) -> bool {
        let text = text.as_bytes();
        let mut contents = self.parts.iter().map(|part| &part.content);
        contents.any(|content| content.windows(text.len()).any(|window| window == text))
    }

    pub(super) fn bytes(&self) -> Bytes {
        let boundary = self.boundary();
        let mut out = Vec::new();
        for part in &self.parts {
            out.extend_from_slice(format!("--{boundary}\r\n{}\r\n", part.head).as_bytes());
            out.extend_from_slice(&part.content);
            out.extend_from_slice(b"\r\n");
        }
        out.extend_from_slice(format!("--{boundary}--\r\n").as_bytes());
        out.into()
    }
}

/// Adds a part to a multipart body; anything else that was there makes way.
pub(super) fn add(draft: &BodyDraft, mut part: PartValue) -> Result<BodyDraft, ArgumentError> {
    if part.name.is_empty() {
        return Err(ArgumentError::new(BODY, "a part of a multipart body needs a name"));
    }
    let (draft, mut multipart) = match draft.multipart() {
        Some(multipart) => (draft.clone(), multipart.clone()),
        None => (BodyDraft::default(), Multipart::default()),
    };
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
                    self.rule(&root, &list)?;
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
            self.rule(&path, &list)?;
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
            self.rule(&PathExpression::root(), &list)?;
        }
        Ok((bytes, Some(content_type)))
    }

    /// Parts of one name share their rules: paths do not tell them apart.
    fn rule(&mut self, path: &PathExpression, list: &RuleList) -> Result<(), ArgumentError> {
        let at = self.below(path);
        let known = self.draft.rules.entry(at.clone()).or_insert_with(|| list.clone());
        if *known == *list {
            return Ok(());
        }
        Err(self.refused(&format!("an earlier part of this name carries another matcher at {at}")))
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

/// The rule for bytes of which only the type counts. Of `application/octet-stream` every byte counts: it is no type.
pub(super) fn by_type(content_type: &ContentType) -> Option<RuleList> {
    (content_type.essence() != "application/octet-stream")
        .then(|| RuleList::one(Rule::ContentType(content_type.clone())))
}
