//! The parts of an interaction that plugins process: bodies with content types that plugins handle, and values with
//! plugin rules or generators.

use std::collections::BTreeMap;

use contract_matching::{ActualBody, ActualRequest, Location, Mismatch, MismatchKind};
use contract_mock_server::{BoxFuture, PluginWork as ServerWork};
use contract_model::{
    Body, Content, ContentType, ContentValue, Generator, Generators, HttpInteraction, Interaction, InteractionKind,
    Json, Object, PathExpression, PathRules, PathToken, Rule, Rules,
};
use contract_plugins::{Comparison, Configuration, EntryKind, FieldComparison, Generation, Plugin, Times};
use tokio::sync::Mutex as AsyncMutex;

use super::error::WorkError;
use super::mismatch;
use super::parts::{PartMut, each_rule, parts, parts_mut};
use contract_definition::plugins::{both_claim, only, registry};

/// Whether the consumer or the provider is tested.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// A consumer test, in which this library acts as the provider.
    Consumer,
    /// A verification, in which this library acts as the consumer.
    Provider,
}

/// The parts of an interaction that plugins compare or generate.
#[derive(Debug)]
pub struct Work {
    core: InteractionKind,
    /// The request or message, followed by the responses.
    parts: Vec<PartWork>,
    plugins: Vec<Plugin>,
    side: Side,
    allow_unexpected: bool,
    /// The test context that plugins receive in a consumer test.
    context: Object,
    times: Times,
    /// Replacements for plugins that have crashed.
    restarted: AsyncMutex<Vec<Plugin>>,
}

#[derive(Debug, Default)]
struct PartWork {
    matcher: Option<Plugin>,
    generator: Option<Plugin>,
    /// Paths of the values that plugins generate, each with its generator and the plugin.
    fields: Vec<(PathExpression, Generator, Plugin)>,
    has_rules: bool,
    expected: Body,
    rules: PathRules,
    generators: BTreeMap<PathExpression, Generator>,
    /// Configuration of each plugin in the contract, by the plugin's name.
    configurations: BTreeMap<String, Configuration>,
}

/// The plugins of a contract, and how to use them.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// The plugins that the contract requires.
    pub plugins: &'a [Plugin],
    /// The entries of `metadata.plugins` in the contract.
    pub kept: &'a [Json],
    /// Whether the consumer or the provider is tested.
    pub side: Side,
    /// Whether plugins accept fields that the contract does not contain.
    pub allow_unexpected: bool,
    /// The time limits for calls of plugins.
    pub times: Times,
}

impl Work {
    /// Returns the parts that plugins process, or `None` if the interaction needs no plugin.
    pub fn new(interaction: &Interaction, setting: Setting<'_>) -> Result<Option<Self>, WorkError> {
        let mut core = interaction.kind.clone();
        let build = Builder { interaction, setting };
        let parts = parts_mut(&mut core).into_iter().map(|part| build.part(part));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        if parts.iter().all(PartWork::is_idle) {
            return Ok(None);
        }
        let mut context = Object::new();
        context.insert("testRunId", contract_plugins::run_id());
        Ok(Some(Self {
            core,
            parts,
            plugins: setting.plugins.to_vec(),
            side: setting.side,
            allow_unexpected: setting.allow_unexpected,
            context,
            times: setting.times,
            restarted: AsyncMutex::default(),
        }))
    }

    /// Returns the interaction without the bodies and rules that plugins process. The core compares this part.
    pub fn core(&self) -> &InteractionKind {
        &self.core
    }

    /// Returns the plugin, or its replacement if it has crashed, so that a crash affects only one request.
    async fn alive(&self, plugin: &Plugin) -> Plugin {
        if plugin.is_alive() {
            return plugin.clone();
        }
        let mut restarted = self.restarted.lock().await;
        restarted.retain(Plugin::is_alive);
        if let Some(known) = restarted.iter().find(|known| known.manifest() == plugin.manifest()) {
            return known.clone();
        }
        match registry().start(plugin.manifest().clone(), self.times).await {
            Ok(started) => {
                restarted.push(started.clone());
                started
            }
            // The next call reports why the plugin crashed.
            Err(_) => plugin.clone(),
        }
    }

    /// Returns the index of the part that contains this response. `number` is the index among the responses.
    fn response(&self, number: usize) -> usize {
        match self.core {
            InteractionKind::AsyncMessage(_) => 0,
            _ => number + 1,
        }
    }

    /// Compares a response, and returns its mismatches. `found` contains the mismatches that the core has found.
    pub async fn judge_response(
        &self,
        number: usize,
        actual: &ActualBody,
        found: Vec<Mismatch>,
        values: &Object,
    ) -> Result<Vec<Mismatch>, WorkError> {
        let context = self.context_with(values);
        self.judge(self.response(number), actual, found, &context).await
    }

    async fn judge(
        &self,
        part: usize,
        actual: &ActualBody,
        found: Vec<Mismatch>,
        context: &Object,
    ) -> Result<Vec<Mismatch>, WorkError> {
        let Some(part) = self.parts.get(part) else {
            return Ok(found);
        };
        let mut left = Vec::with_capacity(found.len());
        for mismatch in found {
            match self.plugin_of(&mismatch) {
                Some((plugin, rule)) => left.append(&mut self.field(part, plugin, &rule, mismatch, context).await?),
                None => left.push(mismatch),
            }
        }
        let Some(plugin) = &part.matcher else { return Ok(left) };
        if actual.is_missing() {
            left.push(Mismatch::new(
                Location::Body(PathExpression::root()),
                MismatchKind::Missing,
            ));
            return Ok(left);
        }
        let declared = actual.declared();
        if let Some(mismatch) = other_message(part.expected.content_type(), declared) {
            left.push(mismatch);
            return Ok(left);
        }
        let comparison = Comparison {
            expected: &part.expected,
            actual: actual.bytes(),
            actual_type: declared,
            allow_unexpected: self.allow_unexpected,
            rules: &part.rules,
            configuration: &part.configuration(plugin),
            context,
        };
        let compared = self.alive(plugin).await.compare(comparison, self.times.call).await;
        left.append(&mut mismatch::from_comparison(compared?));
        Ok(left)
    }

    /// Returns the plugin that implements the rule of a mismatch, with this rule. Returns `None` if the core implements
    /// it.
    fn plugin_of(&self, mismatch: &Mismatch) -> Option<(&Plugin, Rule)> {
        let rule = mismatch.rule.as_deref()?;
        let Rule::Custom { name, .. } = rule else { return None };
        let plugin = self
            .plugins
            .iter()
            .find(|plugin| plugin.has(EntryKind::Matcher, name))?;
        Some((plugin, rule.clone()))
    }

    async fn field(
        &self,
        part: &PartWork,
        plugin: &Plugin,
        rule: &Rule,
        found: Mismatch,
        context: &Object,
    ) -> Result<Vec<Mismatch>, WorkError> {
        let (category, path) = category_and_path(&found.at);
        let nothing = Json::Null;
        let comparison = FieldComparison {
            rule,
            path: &path,
            part: category,
            expected: found.expected.as_ref().unwrap_or(&nothing),
            actual: found.actual.as_ref().unwrap_or(&nothing),
            configuration: &part.configuration(plugin),
            context,
        };
        let differences = self.alive(plugin).await.match_field(comparison, self.times.call).await;
        let each = differences?.into_iter().map(|difference| Mismatch {
            kind: MismatchKind::Plugin {
                problem: difference.message,
            },
            ..found.clone()
        });
        Ok(each.collect())
    }

    /// Returns the generators that the core applies to a part, or `None` if the part does not exist.
    pub fn generators(&self, part: usize) -> Option<&Generators> {
        let parts = parts(&self.core);
        parts.get(part).map(|(_, _, generators)| *generators)
    }

    /// Returns true if a plugin generates the body of a part, or values in it.
    pub fn generates(&self, part: usize) -> bool {
        self.parts
            .get(part)
            .is_some_and(|part| part.generator.is_some() || !part.fields.is_empty())
    }

    /// Returns the body of a part with the values that plugins generate. `body` already contains the values that the
    /// core generates.
    pub async fn generate(&self, part: usize, mut body: Body, known: &Object) -> Result<Body, WorkError> {
        if !self.generates(part) {
            return Ok(body);
        }
        let is_response = part > 0;
        let Some(own) = self.parts.get(part) else {
            return Ok(body);
        };
        let context = self.context_with(known);
        let is_provider = self.side == Side::Provider;
        if let Some(plugin) = &own.generator {
            let generation = Generation {
                contents: &body,
                generators: &own.generators,
                configuration: &own.configuration(plugin),
                context: &context,
                is_provider,
                is_response,
            };
            let generated = self.alive(plugin).await.generate(generation, self.times.call).await;
            body = generated?;
        }
        let Some((first, ..)) = own.fields.first() else {
            return Ok(body);
        };
        let Some(mut document) = json_of(&body) else {
            return Err(WorkError::NotJson(first.clone()));
        };
        let mut is_changed = false;
        for (path, generator, plugin) in &own.fields {
            let Some(value) = at(&mut document, path.tokens()) else {
                continue;
            };
            let configuration = own.configuration(plugin);
            let generation_context = (&context, is_provider);
            let path = path.to_string();
            let plugin = self.alive(plugin).await;
            let generated = plugin
                .generate_field(
                    generator,
                    &path,
                    value,
                    &configuration,
                    generation_context,
                    self.times.call,
                )
                .await;
            *value = generated?;
            is_changed = true;
        }
        if !is_changed {
            return Ok(body);
        }
        let content_type = body.content_type().cloned();
        Ok(Body::Present(Content {
            content_type: content_type.or_else(|| Some(ContentType::json())),
            ..Content::json(document)
        }))
    }

    fn context_with(&self, more: &Object) -> Object {
        let mut context = self.context.clone();
        contract_plugins::merge(&mut context, more.clone());
        context
    }
}

struct Builder<'a> {
    interaction: &'a Interaction,
    setting: Setting<'a>,
}

impl Builder<'_> {
    /// Removes from a part what plugins process, and returns it. The core processes the rest.
    fn part(&self, (name, body, rules, generators): PartMut<'_>) -> Result<PartWork, WorkError> {
        let mut part = PartWork {
            matcher: self.plugin_for(body, Plugin::compares)?.cloned(),
            has_rules: has_rules_of(rules, self.setting.plugins),
            ..PartWork::default()
        };
        if !generators.body.is_empty() {
            part.generator = self.plugin_for(body, Plugin::generates)?.cloned();
        }
        for plugin in self.setting.plugins {
            let kept = Configuration {
                interaction: self.kept(plugin.name(), name),
                contract: contract_configuration(self.setting.kept, plugin),
            };
            part.configurations.insert(plugin.name().to_owned(), kept);
        }
        if part.generator.is_some() {
            part.generators = std::mem::take(&mut generators.body);
        } else {
            let owner = |generator: &Generator| match generator {
                Generator::Custom { name, .. } => {
                    let plugins = self.setting.plugins.iter();
                    plugins.clone().find(|plugin| plugin.has(EntryKind::Generator, name))
                }
                _ => None,
            };
            let own = |(path, generator): (&PathExpression, &Generator)| {
                Some((path.clone(), generator.clone(), owner(generator)?.clone()))
            };
            part.fields = generators.body.iter().filter_map(own).collect();
            for (path, ..) in &part.fields {
                generators.body.remove(path);
            }
        }
        if part.matcher.is_some() {
            part.expected = body.clone();
            part.rules = std::mem::take(&mut rules.body);
            // The example is not needed to compare a body, but it is needed to send one.
            let is_http = matches!(self.interaction.kind, InteractionKind::Http(_));
            let is_compared = match self.setting.side {
                Side::Consumer if is_http => name == "request",
                // The response is the result of a message handler.
                Side::Consumer => name == "response",
                Side::Provider => name != "request",
            };
            if is_compared {
                *body = Body::Missing;
            }
        }
        Ok(part)
    }

    /// Returns the plugin that handles the body's content type. If several plugins handle it, the one with
    /// configuration in the interaction is used.
    fn plugin_for(
        &self,
        body: &Body,
        claims: impl Fn(&Plugin, &ContentType) -> bool,
    ) -> Result<Option<&Plugin>, WorkError> {
        let Body::Present(content) = body else { return Ok(None) };
        let Some(content_type) = &content.content_type else {
            return Ok(None);
        };
        let claiming = || {
            self.setting
                .plugins
                .iter()
                .filter(|plugin| claims(plugin, content_type))
        };
        let has_kept = |plugin: &&Plugin| self.interaction.plugin_configuration.contains_key(plugin.name());
        let mut named = claiming().filter(has_kept);
        if let (Some(plugin), None) = (named.next(), named.next()) {
            return Ok(Some(plugin));
        }
        only(claiming()).map_err(|both| WorkError::BothHandle(both_claim(both, content_type)))
    }

    /// Returns a plugin's configuration for a part, from the interaction.
    fn kept(&self, plugin: &str, part: &str) -> Object {
        let all = self
            .interaction
            .plugin_configuration
            .get(plugin)
            .and_then(Json::as_object);
        let all = all.cloned().unwrap_or_default();
        let is_split = matches!(self.interaction.kind, InteractionKind::Http(_))
            && (all.contains_key("request") || all.contains_key("response"));
        if is_split {
            all.get(part).and_then(Json::as_object).cloned().unwrap_or_default()
        } else {
            all
        }
    }
}

/// Returns a plugin's configuration for the whole contract, from `metadata.plugins`.
pub(super) fn contract_configuration(kept: &[Json], plugin: &Plugin) -> Object {
    let own = |entry: &&Json| entry.get("name").and_then(Json::as_str) == Some(plugin.name());
    let mut configuration = Object::new();
    for entry in kept.iter().filter(own) {
        if let Some(more) = entry.get("configuration").and_then(Json::as_object) {
            contract_plugins::merge(&mut configuration, more.clone());
        }
    }
    configuration
}

impl PartWork {
    fn is_idle(&self) -> bool {
        self.matcher.is_none() && self.generator.is_none() && self.fields.is_empty() && !self.has_rules
    }

    fn configuration(&self, plugin: &Plugin) -> Configuration {
        self.configurations.get(plugin.name()).cloned().unwrap_or_default()
    }
}

fn has_rules_of(rules: &Rules, plugins: &[Plugin]) -> bool {
    each_rule(rules).any(|rule| match rule {
        Rule::Custom { name, .. } => plugins.iter().any(|plugin| plugin.has(EntryKind::Matcher, name)),
        _ => false,
    })
}

/// Compares the `message` parameter of two content types, which contains the message type, for example
/// `application/protobuf;message=.shop.Order`. Returns a mismatch if the types differ. A content type without this
/// parameter allows every message type.
fn other_message(expected: Option<&ContentType>, actual: Option<&ContentType>) -> Option<Mismatch> {
    let (expected, actual) = (expected?, actual?);
    let message = |content_type: &ContentType| {
        let name = content_type.parameter("message")?;
        Some(name.trim_start_matches('.').to_owned())
    };
    (message(expected)? != message(actual)?).then(|| {
        Mismatch::new(
            Location::BodyType,
            MismatchKind::BodyType {
                expected: expected.to_string().into(),
                actual: actual.to_string().into(),
            },
        )
    })
}

/// Converts a location to the category and path that the plugin protocol uses.
fn category_and_path(at: &Location) -> (&'static str, String) {
    match at {
        Location::Method => ("method", String::new()),
        Location::Path => ("path", String::new()),
        Location::Status => ("status", String::new()),
        Location::Query { name, .. } => ("query", name.to_string()),
        Location::Header { name, .. } => ("header", name.to_string()),
        Location::Metadata { key, .. } => ("metadata", key.to_string()),
        Location::BodyType => ("body", "$".to_owned()),
        Location::Body(path) => ("body", path.to_string()),
        Location::Form { name, .. } => ("body", format!("$.{name}")),
    }
}

fn json_of(body: &Body) -> Option<Json> {
    match body {
        Body::Null => Some(Json::Null),
        Body::Present(Content {
            value: ContentValue::Json(json),
            ..
        }) => Some(Json::clone(json)),
        _ => None,
    }
}

/// Returns the value at a path. Returns `None` if it does not exist or if the path contains wildcards.
fn at<'a>(mut value: &'a mut Json, tokens: &[PathToken]) -> Option<&'a mut Json> {
    for token in tokens {
        value = match (token, value) {
            (PathToken::Key(key), Json::Object(object)) => object.get_mut(key)?,
            (PathToken::Index(index), Json::Array(items)) => items.get_mut(*index)?,
            _ => return None,
        };
    }
    Some(value)
}

impl ServerWork for Work {
    fn core(&self) -> &HttpInteraction {
        static NONE: std::sync::LazyLock<HttpInteraction> = std::sync::LazyLock::new(HttpInteraction::default);
        match &self.core {
            InteractionKind::Http(http) => http,
            _ => &NONE,
        }
    }

    fn judge<'a>(&'a self, actual: &'a ActualRequest, found: Vec<Mismatch>) -> BoxFuture<'a, Vec<Mismatch>> {
        Box::pin(async move {
            let judged = Self::judge(self, 0, &actual.body, found, &self.context).await;
            judged.unwrap_or_else(|error| vec![mismatch::problem(&error.to_string())])
        })
    }

    fn generates(&self) -> bool {
        Self::generates(self, 1)
    }

    fn generate<'a>(&'a self, body: Body, url: &'a str) -> BoxFuture<'a, Result<Body, Box<Mismatch>>> {
        Box::pin(async move {
            let mut server = Object::new();
            server.insert("url", url);
            let port = url
                .rsplit(':')
                .next()
                .and_then(|port| Json::parse(port.as_bytes()).ok());
            server.insert("port", port.unwrap_or_default());
            let mut more = Object::new();
            more.insert("mockServer", server);
            let generated = Self::generate(self, 1, body, &more).await;
            generated.map_err(|error| Box::new(mismatch::problem(&error.to_string())))
        })
    }
}
