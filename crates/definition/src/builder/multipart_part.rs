//! Parts of multipart bodies. The rules of a part are stored under paths that start with `$.name`.

use bytes::Bytes;
use contract_model::{ContentType, Json, PathExpression, PathToken, RuleList, Text};

use super::body::BodyDraft;
use super::multipart::{Multipart, Part, content_type_rule};
use super::operation::PartArguments;
use super::value::Value;
use contract_call::error::{ARGUMENTS, ArgumentError, BODY, Done};
use contract_call::files::file_problem;
use contract_call::paths::resolve_path;

/// Adds a part to a multipart body. Replaces a body that is not multipart.
pub(super) fn add(
    mut draft: BodyDraft,
    part: PartArguments,
    boundary: Option<&str>,
) -> Result<BodyDraft, ArgumentError> {
    let file = part.file.as_deref().map(resolve_path).transpose()?;
    let is_set = [
        part.json.is_some(),
        part.text.is_some(),
        file.is_some(),
        part.bytes.is_some(),
    ];
    if is_set.into_iter().filter(|is_set| *is_set).count() > 1 {
        let message = "use only one of json, text, file, and bytes";
        return Err(ArgumentError::new(ARGUMENTS, message).within(format!("{:?}", part.name)));
    }
    if part.name.is_empty() {
        return Err(ArgumentError::new(
            BODY,
            "each part of a multipart body must have a name",
        ));
    }
    let mut multipart = draft.take_multipart().unwrap_or_else(|| {
        draft = BodyDraft::default();
        Multipart::default()
    });
    let name_from_path = || Some(file.as_ref()?.file_name()?.to_string_lossy().into_owned());
    let filename = part.filename.or_else(name_from_path);
    let mut builder = PartBuilder {
        place: format!("multipart part {:?}", part.name),
        name: part.name.as_str().into(),
        draft,
    };
    for text in std::iter::once(&part.name).chain(&filename) {
        if text.contains(char::is_control) {
            return Err(builder.error(&format!("{text:?} contains line breaks or control characters")));
        }
    }
    let declared = part.content_type.map(|text| text.parse::<ContentType>());
    let declared = declared
        .transpose()
        .map_err(|error| builder.error(&error.to_string()))?;
    let (content, content_type) = match (part.json, part.text, file, part.bytes) {
        (Some(template), ..) => builder.json(&template, declared.unwrap_or_else(ContentType::json))?,
        (_, Some(template), ..) => (builder.text(&template)?, declared),
        (.., Some(path), _) => {
            let problem = |error| builder.error(&file_problem(&path, "read the part from", &error));
            let bytes = contract_call::files::read_all(&path).map_err(problem)?;
            builder.bytes(bytes.into(), declared)?
        }
        (.., Some(bytes)) => builder.bytes(bytes.0, declared)?,
        _ => (Bytes::new(), declared),
    };
    multipart.parts.push(Part {
        head: head(&part.name, filename.as_deref(), content_type.as_ref()),
        content,
    });
    if let Some(boundary) = boundary {
        builder.boundary(boundary, &mut multipart)?;
    }
    let PartBuilder { mut draft, .. } = builder;
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

struct PartBuilder {
    draft: BodyDraft,
    name: Text,
    /// Name of the part for messages, such as `multipart part "file"`.
    place: String,
}

impl PartBuilder {
    fn error(&self, problem: &str) -> ArgumentError {
        ArgumentError::new(BODY, format!("{}: {problem}", self.place))
    }

    fn text(&mut self, template: &Json) -> Result<Bytes, ArgumentError> {
        let value = Value::new(template).map_err(|error| error.within(&self.place))?;
        let text = value.text(BODY).map_err(|error| error.within(&self.place))?;
        let root = PathExpression::root();
        if let Some(list) = value.rules {
            self.rule(&root, list)?;
        }
        if let Some(generator) = value.generator {
            self.draft.generators.insert(self.path_in_part(&root), generator);
        }
        Ok(text.as_bytes().to_vec().into())
    }

    fn json(
        &mut self,
        template: &Json,
        content_type: ContentType,
    ) -> Result<(Bytes, Option<ContentType>), ArgumentError> {
        let split = crate::examples::body(template).map_err(|error| error.within(&self.place))?;
        if !content_type.is_json() {
            return Err(self.error(&format!("JSON cannot be sent as {content_type}")));
        }
        for (path, list) in split.rules {
            self.rule(&path, list)?;
        }
        for (path, generator) in split.generators {
            self.draft.generators.insert(self.path_in_part(&path), generator);
        }
        Ok((split.example.to_text().into(), Some(content_type)))
    }

    fn bytes(
        &mut self,
        bytes: Bytes,
        declared: Option<ContentType>,
    ) -> Result<(Bytes, Option<ContentType>), ArgumentError> {
        let content_type = declared.unwrap_or_else(|| contract_matching::sniffed_content_type(&bytes));
        if let Some(list) = content_type_rule(&content_type) {
            self.rule(&PathExpression::root(), list)?;
        }
        Ok((bytes, Some(content_type)))
    }

    /// Adds a rule. Parts with the same name share their rules, because paths cannot distinguish these parts.
    fn rule(&mut self, path: &PathExpression, list: RuleList) -> Done {
        let at = self.path_in_part(path);
        if self.draft.rules.get(&at).is_some_and(|known| *known != list) {
            return Err(self.error(&format!(
                "an earlier part with this name has a different matcher at {at}"
            )));
        }
        self.draft.rules.insert(at, list);
        Ok(())
    }

    fn path_in_part(&self, path: &PathExpression) -> PathExpression {
        let name = PathToken::Key(self.name.clone());
        let tokens: Vec<_> = std::iter::once(name).chain(path.tokens().iter().cloned()).collect();
        tokens.into()
    }

    fn boundary(&self, boundary: &str, multipart: &mut Multipart) -> Done {
        let is_boundary = (1..=70).contains(&boundary.len())
            && boundary
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"'()+_,-./:=?".contains(&b));
        if !is_boundary {
            return Err(self.error(&format!(
                "{boundary:?} is not a valid boundary (RFC 2046 section 5.1.1)"
            )));
        }
        if multipart.boundary.as_ref().is_some_and(|known| known != boundary) {
            return Err(self.error("the body already has a different boundary"));
        }
        if multipart.holds(boundary) {
            return Err(self.error(&format!("the boundary {boundary:?} occurs in a part")));
        }
        multipart.boundary = Some(boundary.into());
        Ok(())
    }
}
