//! Calls to plugins that configure, compare, and generate contents.

use std::collections::BTreeMap;
use std::time::Duration;

use bytes::Bytes;
use contract_model::{
    Body, Content, ContentHint, ContentType, Generator, Json, Object, PathExpression, PathRules, Rule, RuleList, Text,
};

use crate::catalogue::EntryKind;
use crate::error::{Kind, MessageError, PluginError};
use crate::plugin::{Configuration, Plugin};
use crate::values::{as_struct, from_struct, test_mode, to_struct};
use crate::wire::v2;
use crate::wire::v2::body::ContentTypeHint;
use crate::wire::v2::interaction_response::MarkupType;

/// The result of [`Plugin::configure`].
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Configured {
    pub parts: Vec<ConfiguredPart>,
    /// Data to store for the plugin in the contract's metadata.
    pub contract: Object,
    /// Integers in the contents that a double cannot represent. The plugin receives rounded values, because the
    /// interface supports only doubles.
    pub inexact: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ConfiguredPart {
    /// `request` or `response`. Empty if the interaction has only one part.
    pub name: String,
    pub body: Body,
    pub rules: PathRules,
    pub generators: BTreeMap<PathExpression, Generator>,
    /// Message metadata; empty for other interactions.
    pub metadata: Object,
    pub metadata_rules: BTreeMap<Text, RuleList>,
    pub metadata_generators: BTreeMap<Text, Generator>,
    /// Data to store for the plugin in the interaction.
    pub interaction: Object,
    /// An object with the members `markup` and `markupType` (`HTML` or `COMMON_MARK`), which describes the interaction
    /// for documentation. `None` if the plugin does not provide it.
    pub markup: Option<Json>,
}

#[derive(Clone, Copy, Debug)]
pub struct Comparison<'a> {
    pub expected: &'a Body,
    pub actual: &'a Bytes,
    pub actual_type: Option<&'a ContentType>,
    /// If true, values that the contract does not define are not mismatches.
    pub allow_unexpected: bool,
    pub rules: &'a PathRules,
    pub configuration: &'a Configuration,
    /// Data about the test for the plugin, such as `testRunId`.
    pub context: &'a Object,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Compared {
    /// The content types match. The list contains the mismatches; it is empty if the contents match, too.
    Contents(Vec<Difference>),
    Type {
        expected: String,
        actual: String,
    },
}

/// A mismatch that a plugin reported.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Difference {
    /// Path of the value. The plugin determines its syntax, usually that of path expressions.
    pub path: String,
    pub message: String,
    pub expected: Option<Bytes>,
    pub actual: Option<Bytes>,
    /// Diff of the expected and the actual value. Empty if the plugin does not provide one.
    pub diff: String,
    /// Part of the message, such as `body` or `metadata`. Empty if the plugin does not provide it.
    pub part: String,
}

#[derive(Clone, Copy, Debug)]
pub struct Generation<'a> {
    /// The contents with example values.
    pub contents: &'a Body,
    pub generators: &'a BTreeMap<PathExpression, Generator>,
    pub configuration: &'a Configuration,
    /// Data about the test for the plugin, such as `testRunId`, `mockServer`, and values from provider states.
    pub context: &'a Object,
    /// True when a provider is verified, false in a consumer test.
    pub is_provider: bool,
    /// True for the contents of a response, false for those of a request.
    pub is_response: bool,
}

impl Plugin {
    /// Passes the contents that the test specified to the plugin, which returns example bodies, matching rules, and
    /// generators.
    pub async fn configure(
        &self,
        content_type: &str,
        contents: &Object,
        context: &Object,
        limit: Duration,
    ) -> Result<Configured, PluginError> {
        let mut inexact = Vec::new();
        let request = v2::ConfigureInteractionRequest {
            content_type: content_type.to_owned(),
            contents_config: Some(to_struct(contents, &mut inexact)),
            test_context: self.0.context(context),
        };
        let link = self.0.chain(&self.key(EntryKind::ContentMatcher, content_type), limit);
        let mark = self.mark();
        let answer = self.0.configure(request, limit, Some(&link.id)).await?;
        if !answer.error.is_empty() {
            return Err(self.refusal("configure the contents", &answer.error, mark));
        }
        let kept = |configuration: Option<v2::PluginConfiguration>| configuration.unwrap_or_default();
        let mut contract = kept(answer.plugin_configuration)
            .pact_configuration
            .map_or_else(Object::new, from_struct);
        let mut parts = Vec::with_capacity(answer.interaction.len());
        for part in answer.interaction {
            let (part, more) = self.part(part)?;
            merge(&mut contract, more);
            parts.push(part);
        }
        if parts.is_empty() {
            return Err(PluginError::answer(format!(
                "the plugin {} returned no contents for the interaction",
                self.0.manifest.title()
            )));
        }
        Ok(Configured {
            parts,
            contract,
            inexact,
        })
    }

    fn part(&self, part: v2::InteractionResponse) -> Result<(ConfiguredPart, Object), PluginError> {
        let invalid = |error: MessageError| self.invalid_contents(&error);
        let configuration = part.plugin_configuration.unwrap_or_default();
        let markup_type = match MarkupType::try_from(part.interaction_markup_type) {
            Ok(MarkupType::Html) => "HTML",
            _ => "COMMON_MARK",
        };
        let markup = (!part.interaction_markup.is_empty()).then(|| {
            let mut markup = Object::new();
            markup.insert("markup", part.interaction_markup.as_str());
            markup.insert("markupType", markup_type);
            Json::from(markup)
        });
        let configured = ConfiguredPart {
            name: part.part_name,
            body: read_body(part.contents).map_err(invalid)?,
            rules: by_path(part.rules, read_rules).map_err(invalid)?,
            generators: by_path(part.generators, read_generator).map_err(invalid)?,
            metadata: part.message_metadata.map_or_else(Object::new, from_struct),
            metadata_rules: by_name(part.metadata_rules, read_rules).map_err(invalid)?,
            metadata_generators: by_name(part.metadata_generators, read_generator).map_err(invalid)?,
            interaction: configuration
                .interaction_configuration
                .map_or_else(Object::new, from_struct),
            markup,
        };
        let contract = configuration.pact_configuration.map_or_else(Object::new, from_struct);
        Ok((configured, contract))
    }

    /// Compares contents whose content type the plugin supports.
    pub async fn compare(&self, comparison: Comparison<'_>, limit: Duration) -> Result<Compared, PluginError> {
        let Comparison {
            expected,
            actual,
            actual_type,
            allow_unexpected,
            rules,
            configuration,
            context,
        } = comparison;
        let actual = v2::Body {
            content_type: actual_type.map_or_else(String::new, ToString::to_string),
            content: Some(actual.to_vec()),
            content_type_hint: ContentTypeHint::Default.into(),
        };
        let request = v2::CompareContentsRequest {
            expected: Some(write_body(expected)),
            actual: Some(actual),
            allow_unexpected_keys: allow_unexpected,
            rules: rules
                .iter()
                .map(|(path, list)| (path.to_string(), write_rules(list)))
                .collect(),
            plugin_configuration: Some(configuration.on_wire()),
            test_context: self.0.context(context),
        };
        let content_type = expected.content_type().map_or("", ContentType::essence);
        let link = self.0.chain(&self.key(EntryKind::ContentMatcher, content_type), limit);
        let mark = self.mark();
        let answer = self.0.compare(request, limit, Some(&link.id)).await?;
        if answer.type_mismatch.is_none() && !answer.error.is_empty() {
            return Err(self.refusal("compare the contents", &answer.error, mark));
        }
        Ok(Compared::from_wire(answer))
    }

    /// Returns the contents with generated values.
    pub async fn generate(&self, generation: Generation<'_>, limit: Duration) -> Result<Body, PluginError> {
        use v2::generate_content_request::ContentFor;
        let Generation {
            contents,
            generators,
            configuration,
            context,
            is_provider,
            is_response,
        } = generation;
        let request = v2::GenerateContentRequest {
            contents: Some(write_body(contents)),
            generators: generators
                .iter()
                .map(|(path, generator)| (path.to_string(), write_generator(generator)))
                .collect(),
            plugin_configuration: Some(configuration.on_wire()),
            test_context: Some(as_struct(context)),
            test_mode: test_mode(is_provider),
            content_for: if is_response {
                ContentFor::Response
            } else {
                ContentFor::Request
            }
            .into(),
        };
        let content_type = contents.content_type().map_or("", ContentType::essence);
        let link = self
            .0
            .chain(&self.key(EntryKind::ContentGenerator, content_type), limit);
        let answer = self.0.generate(request, limit, Some(&link.id)).await?;
        read_body(answer.contents).map_err(|error| self.invalid_contents(&error))
    }

    fn invalid_contents(&self, error: &MessageError) -> PluginError {
        PluginError::answer(format!("the plugin {} returned {error}", self.0.manifest.title()))
    }

    pub(crate) fn refusal(&self, action: &str, error: &str, mark: usize) -> PluginError {
        let title = self.0.manifest.title();
        let refused = PluginError::new(Kind::Refused, format!("the plugin {title} could not {action}: {error}"));
        refused.after(self.output_since(mark))
    }

    /// Returns the full key of the entry that supports a content type, for call chains. See [`Self::entry`].
    fn key(&self, kind: EntryKind, content_type: &str) -> String {
        let claimed = content_type
            .parse()
            .ok()
            .and_then(|content_type| self.0.catalogue.claims(kind, &content_type));
        self.entry(kind, claimed.map_or("", |entry| &entry.key))
    }

    /// Returns the full key of an entry: `plugin/<name>/<kind>/<key>`.
    pub(crate) fn entry(&self, kind: EntryKind, key: &str) -> String {
        format!("plugin/{}/{}/{key}", self.name(), kind.name())
    }
}

/// Merges `from` into `into`. Merges nested objects recursively. Other values in `into` are replaced.
pub fn merge(into: &mut Object, from: Object) {
    for (name, value) in from {
        if let (Some(Json::Object(known)), Json::Object(more)) = (into.get_mut(&name), &value) {
            merge(known, more.clone());
        } else {
            into.insert(name, value);
        }
    }
}

impl Compared {
    fn from_wire(answer: v2::CompareContentsResponse) -> Self {
        if let Some(types) = answer.type_mismatch {
            return Self::Type {
                expected: types.expected,
                actual: types.actual,
            };
        }
        let differences = answer.results.into_iter().flat_map(|(key, list)| {
            list.mismatches.into_iter().map(move |mismatch| {
                let mut difference = Difference::from_wire(mismatch);
                if difference.path.is_empty() {
                    difference.path.clone_from(&key);
                }
                difference
            })
        });
        Self::Contents(differences.collect())
    }
}

impl Difference {
    pub(crate) fn from_wire(mismatch: v2::ContentMismatch) -> Self {
        Self {
            path: mismatch.path,
            message: mismatch.mismatch,
            expected: mismatch.expected.map(Bytes::from),
            actual: mismatch.actual.map(Bytes::from),
            diff: mismatch.diff,
            part: mismatch.mismatch_type,
        }
    }
}

pub(crate) fn write_body(body: &Body) -> v2::Body {
    let hint = match body.content().and_then(|content| content.hint) {
        Some(ContentHint::Binary) => ContentTypeHint::Binary,
        Some(ContentHint::Text) => ContentTypeHint::Text,
        Some(ContentHint::Default) | None => ContentTypeHint::Default,
    };
    v2::Body {
        content_type: body.content_type().map_or_else(String::new, ToString::to_string),
        content: match body {
            Body::Missing => None,
            body => Some(body.bytes().to_vec()),
        },
        content_type_hint: hint.into(),
    }
}

/// Converts a body. A missing body or content becomes [`Body::Missing`], which differs from [`Body::Empty`].
pub(crate) fn read_body(body: Option<v2::Body>) -> Result<Body, MessageError> {
    let Some(body) = body else { return Ok(Body::Missing) };
    let Some(bytes) = body.content else {
        return Ok(Body::Missing);
    };
    if bytes.is_empty() {
        return Ok(Body::Empty);
    }
    let content_type = match body.content_type.as_str() {
        "" => None,
        text => Some(text.parse::<ContentType>().map_err(MessageError::ContentType)?),
    };
    let mut content = Content::new(bytes, content_type);
    content.hint = match ContentTypeHint::try_from(body.content_type_hint) {
        Ok(ContentTypeHint::Text) => Some(ContentHint::Text),
        Ok(ContentTypeHint::Binary) => Some(ContentHint::Binary),
        _ => None,
    };
    Ok(Body::Present(content))
}

fn by_path<W, T>(
    map: BTreeMap<String, W>,
    read: impl Fn(W) -> Result<T, MessageError>,
) -> Result<BTreeMap<PathExpression, T>, MessageError> {
    map.into_iter()
        .map(|(path, value)| {
            let at: PathExpression = path.parse().map_err(MessageError::Path)?;
            Ok((at, read(value).map_err(|error| error.at(path))?))
        })
        .collect()
}

fn by_name<W, T>(
    map: BTreeMap<String, W>,
    read: impl Fn(W) -> Result<T, MessageError>,
) -> Result<BTreeMap<Text, T>, MessageError> {
    map.into_iter()
        .map(|(name, value)| match read(value) {
            Ok(read) => Ok((Text::from(name), read)),
            Err(error) => Err(error.at(name)),
        })
        .collect()
}

/// Converts matching rules. They are combined with AND, because the interface does not support other combinations.
pub(crate) fn read_rules(rules: v2::MatchingRules) -> Result<RuleList, MessageError> {
    let read = |rule: v2::MatchingRule| {
        if rule.r#type.trim().is_empty() {
            return Err(MessageError::UnnamedRule);
        }
        let values = rule.values.map_or_else(Object::new, from_struct);
        Rule::from_attributes(&rule.r#type, &values).map_err(MessageError::Rule)
    };
    Ok(RuleList {
        rules: rules.rule.into_iter().map(read).collect::<Result<_, _>>()?,
        ..RuleList::default()
    })
}

pub(crate) fn read_generator(generator: v2::Generator) -> Result<Generator, MessageError> {
    if generator.r#type.trim().is_empty() {
        return Err(MessageError::UnnamedGenerator);
    }
    let values = generator.values.map_or_else(Object::new, from_struct);
    Generator::from_attributes(&generator.r#type, &values).map_err(MessageError::Generator)
}

pub(crate) fn write_rules(list: &RuleList) -> v2::MatchingRules {
    v2::MatchingRules {
        rule: list.rules.iter().map(write_rule).collect(),
    }
}

pub(crate) fn write_rule(rule: &Rule) -> v2::MatchingRule {
    let attributes = attributes(rule.to_json(), "match");
    v2::MatchingRule {
        r#type: rule.name().to_owned(),
        values: Some(as_struct(&attributes)),
    }
}

pub(crate) fn write_generator(generator: &Generator) -> v2::Generator {
    let attributes = attributes(generator.to_json(), "type");
    v2::Generator {
        r#type: generator.name().to_owned(),
        values: Some(as_struct(&attributes)),
    }
}

fn attributes(json: Json, name: &str) -> Object {
    let Json::Object(mut object) = json else {
        return Object::new();
    };
    object.remove(name);
    object
}
