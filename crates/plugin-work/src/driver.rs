//! Runs plugins for a verification. A plugin is started when the first interaction needs it, and it is stopped at the
//! end of the verification.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, PoisonError};

use contract_matching::{ActualBody, Mismatch};
use contract_model::{
    Body, ContentType, Contract, Generator, Headers, Interaction, InteractionKind, Json, Object, Rule,
    SpecificationVersion, Text,
};
use contract_plugins::{
    Configuration, EntryKind, MetadataValue, Plugin, PluginError, Prepared, TransportInteraction, VerificationRequest,
};
use contract_verifier::{BoxFuture, Exchanged, PluginFailure, PluginWork, Plugins, PreparedRequest};
use tokio::sync::Mutex as AsyncMutex;

use super::error::WorkError;
use super::parts::{each_rule, parts};
use super::work::{Setting, Side, contract_configuration};
use super::{Work, mismatch};
use contract_definition::plugins::{PluginOptions, only, registry};

/// The plugins of a verification. Starts each plugin when an interaction first needs it.
#[derive(Debug)]
pub struct Driver {
    options: PluginOptions,
    /// Each plugin, or the reason why it could not be loaded, by the name and version in the contract.
    loaded: AsyncMutex<HashMap<Named, Result<Plugin, PluginError>>>,
    /// JSON texts of contracts, for plugins that read the whole contract.
    texts: Mutex<HashMap<usize, KeyedEntry>>,
}

/// Name of a plugin, and the version that the contract requires. Without a version, the contract accepts any.
type Named = (String, Option<String>);
type KeyedEntry = (Arc<Contract>, Arc<Keyed>);

/// The JSON text of a contract, in which every interaction has a key, and these keys.
#[derive(Debug)]
struct Keyed {
    text: String,
    keys: Vec<Text>,
}

impl Driver {
    /// Creates a driver that has not started any plugins yet.
    pub fn new(options: PluginOptions) -> Self {
        Self {
            options,
            loaded: AsyncMutex::default(),
            texts: Mutex::default(),
        }
    }

    async fn load(&self, name: &str, version: Option<&str>) -> Result<Plugin, PluginError> {
        // Concurrent callers wait here, because they would otherwise start the same plugin.
        let mut loaded = self.loaded.lock().await;
        let key = (name.to_owned(), version.map(ToOwned::to_owned));
        match loaded.get(&key) {
            Some(Ok(plugin)) if !plugin.is_alive() => {}
            Some(known) => return known.clone(),
            None => {}
        }
        let search = self.options.search();
        let plugin = registry().load(name, version, &search, self.options.times()).await;
        loaded.insert(key, plugin.clone());
        plugin
    }

    async fn prepared(
        &self,
        contract: &Arc<Contract>,
        interaction: &Interaction,
    ) -> Result<Option<Arc<dyn PluginWork>>, WorkError> {
        let mut plugins = Vec::new();
        for entry in &contract.plugins {
            let Some(name) = entry.get("name").and_then(Json::as_str) else {
                continue;
            };
            let version = entry.get("version").and_then(Json::as_str);
            match self.load(name, version).await {
                Ok(plugin)
                    if plugins
                        .iter()
                        .any(|known: &Plugin| known.process_id() == plugin.process_id()) => {}
                Ok(plugin) => plugins.push(plugin),
                Err(error) if needs(interaction, name) => return Err(error.into()),
                // Continue, because interactions that do not need the plugin can still be verified.
                Err(_) => {}
            }
        }
        let times = self.options.times();
        let setting = Setting {
            plugins: &plugins,
            kept: &contract.plugins,
            side: Side::Provider,
            allow_unexpected: true,
            times,
        };
        let work = Work::new(interaction, setting)?;
        let transport = Self::transport(contract, interaction, &plugins)?;
        if work.is_none() && transport.is_none() {
            return Ok(None);
        }
        let transport = transport.map(|(plugin, name)| {
            let keyed = self.keyed(contract);
            let at = contract
                .interactions
                .iter()
                .position(|known| std::ptr::eq(known, interaction));
            Transport {
                key: at.and_then(|at| keyed.keys.get(at).cloned()).unwrap_or_default(),
                interaction: contents(contract, interaction, &plugin),
                keyed,
                plugin,
                name,
                prepared: Mutex::default(),
            }
        });
        Ok(Some(Arc::new(Verified {
            kind: interaction.kind.clone(),
            work,
            transport,
            limit: times.call,
        })))
    }

    /// Returns the plugin that provides the interaction's transport, with the name of the transport. Returns `None` if
    /// the core implements the transport or no plugin provides it.
    fn transport(
        contract: &Contract,
        interaction: &Interaction,
        plugins: &[Plugin],
    ) -> Result<Option<(Plugin, String)>, WorkError> {
        let Some(name) = interaction.transport.as_deref().filter(|name| is_foreign(name)) else {
            return Ok(None);
        };
        match only(plugins.iter().filter(|plugin| plugin.has(EntryKind::Transport, name))) {
            Ok(plugin) => Ok(plugin.map(|plugin| (plugin.clone(), name.to_owned()))),
            Err([first, second]) => Err(WorkError::BothProvide {
                plugins: [first.name().to_owned(), second.name().to_owned()],
                consumer: contract.consumer.clone(),
                transport: name.to_owned(),
            }),
        }
    }

    fn keyed(&self, contract: &Arc<Contract>) -> Arc<Keyed> {
        let mut texts = self.texts.lock().unwrap_or_else(PoisonError::into_inner);
        // The entry keeps the contract alive, so that its address is not reused.
        let address = Arc::as_ptr(contract) as usize;
        let entry = texts.entry(address).or_insert_with(|| {
            let keyed = Keyed::new(contract);
            (Arc::clone(contract), Arc::new(keyed))
        });
        Arc::clone(&entry.1)
    }
}

impl Plugins for Driver {
    fn work<'a>(
        &'a self,
        contract: &'a Arc<Contract>,
        interaction: &'a Interaction,
    ) -> BoxFuture<'a, Result<Option<Arc<dyn PluginWork>>, PluginFailure>> {
        Box::pin(async { Ok(self.prepared(contract, interaction).await?) })
    }
}

impl Keyed {
    fn new(contract: &Contract) -> Self {
        let mut contract = contract.clone();
        let mut keys = Vec::with_capacity(contract.interactions.len());
        for (at, interaction) in contract.interactions.iter_mut().enumerate() {
            let key = interaction.key.get_or_insert_with(|| format!("{:016x}", at + 1).into());
            keys.push(key.clone());
        }
        let written = contract.write(SpecificationVersion::V4);
        Self {
            text: written.map(|written| written.text).unwrap_or_default(),
            keys,
        }
    }
}

/// Returns an interaction in the form of plugin protocol version 2.
pub(super) fn contents(contract: &Contract, interaction: &Interaction, plugin: &Plugin) -> TransportInteraction {
    let kept = interaction.plugin_configuration.get(plugin.name());
    TransportInteraction {
        kind: interaction.kind.type_name().to_string(),
        configuration: Configuration {
            interaction: kept.and_then(Json::as_object).cloned().unwrap_or_default(),
            contract: contract_configuration(&contract.plugins, plugin),
        },
        consumer: contract.consumer.to_string(),
        provider: contract.provider.to_string(),
    }
}

/// Returns true if only a plugin can implement this transport.
pub fn is_foreign(transport: &str) -> bool {
    !matches!(
        transport,
        "http" | "https" | "message" | "async-message" | "sync-message"
    )
}

/// Returns true if an interaction cannot be verified without the plugin, because it contains configuration for the
/// plugin, or has a content type, transport, rule, or generator that the core does not implement.
fn needs(interaction: &Interaction, plugin: &str) -> bool {
    interaction.plugin_configuration.contains_key(plugin)
        || interaction.transport.as_deref().is_some_and(is_foreign)
        || parts(&interaction.kind).into_iter().any(|(body, rules, generators)| {
            body.content_type().is_some_and(|content_type| !is_known(content_type))
                || each_rule(rules).any(|rule| matches!(rule, Rule::Custom { .. }))
                || generators
                    .body
                    .values()
                    .any(|generator| matches!(generator, Generator::Custom { .. }))
        })
}

fn is_known(content_type: &ContentType) -> bool {
    content_type.is_json()
        || content_type.is_xml()
        || content_type.is_form()
        || content_type.is_multipart()
        || matches!(
            content_type.essence(),
            "text/plain" | "text/html" | "application/octet-stream"
        )
        || matches!(content_type.main_type(), "image" | "audio" | "video" | "font")
}

/// An interaction that is verified with plugins.
#[derive(Debug)]
struct Verified {
    kind: InteractionKind,
    work: Option<Work>,
    transport: Option<Transport>,
    limit: std::time::Duration,
}

#[derive(Debug)]
struct Transport {
    plugin: Plugin,
    name: String,
    key: Text,
    keyed: Arc<Keyed>,
    interaction: TransportInteraction,
    /// The request that the plugin prepared. It is kept, because its metadata may contain values that are not strings.
    prepared: Mutex<Prepared>,
}

impl Transport {
    fn request<'a>(&'a self, config: &'a Object, context: &'a Object) -> VerificationRequest<'a> {
        VerificationRequest {
            contract: &self.keyed.text,
            key: &self.key,
            interaction: &self.interaction,
            config,
            context,
        }
    }
}

/// Returns the `config` member of requests to plugins: the provider's host and port, and the state values.
fn config(provider: Option<(&str, u16)>, values: &Object) -> Object {
    let mut config = Object::new();
    if let Some((host, port)) = provider {
        config.insert("host", host);
        config.insert("port", u64::from(port));
    }
    config.insert("providerState", values.clone());
    config
}

/// Returns the test context for plugins. As in other Pact implementations, state values are both its members and
/// members of `providerState`.
fn context(values: &Object) -> Object {
    let mut context = values.clone();
    context.insert("providerState", values.clone());
    context.insert("testRunId", contract_plugins::run_id());
    context
}

impl PluginWork for Verified {
    fn core(&self) -> &InteractionKind {
        self.work.as_ref().map_or(&self.kind, Work::core)
    }

    fn judge<'a>(
        &'a self,
        response: usize,
        actual: &'a ActualBody,
        found: Vec<Mismatch>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<Vec<Mismatch>, PluginFailure>> {
        Box::pin(async move {
            match &self.work {
                Some(work) => Ok(work.judge_response(response, actual, found, &context(values)).await?),
                None => Ok(found),
            }
        })
    }

    fn generate<'a>(&'a self, body: Body, values: &'a Object) -> BoxFuture<'a, Result<Body, PluginFailure>> {
        Box::pin(async move {
            match &self.work {
                Some(work) => Ok(work.generate(0, body, &context(values)).await?),
                None => Ok(body),
            }
        })
    }

    fn protocol(&self) -> Option<&str> {
        self.transport.as_ref().map(|transport| transport.name.as_str())
    }

    fn prepare<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
    ) -> BoxFuture<'a, Result<PreparedRequest, PluginFailure>> {
        Box::pin(async move {
            let Some(transport) = &self.transport else {
                return Ok(PreparedRequest::default());
            };
            let (config, context) = (config(provider, values), context(values));
            let request = transport.request(&config, &context);
            let prepared = transport.plugin.prepare(&request, self.limit).await;
            let prepared = prepared.map_err(WorkError::from)?;
            let mut ready = PreparedRequest {
                body: prepared.body.bytes(),
                metadata: Headers::default(),
            };
            for (name, value) in &prepared.metadata {
                if let MetadataValue::Json(Json::String(text)) = value {
                    ready.metadata.set(name.as_str(), vec![text.clone()]);
                }
            }
            *transport.prepared.lock().unwrap_or_else(PoisonError::into_inner) = prepared;
            Ok(ready)
        })
    }

    fn exchange<'a>(
        &'a self,
        provider: Option<(&'a str, u16)>,
        values: &'a Object,
        request: PreparedRequest,
    ) -> BoxFuture<'a, Result<Exchanged, PluginFailure>> {
        Box::pin(async move {
            let Some(transport) = &self.transport else {
                return Ok(Exchanged::default());
            };
            let prepared = transport
                .prepared
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .clone();
            let changed = changed(prepared, request);
            let (config, context) = (config(provider, values), context(values));
            let sent = transport.request(&config, &context);
            let found = transport.plugin.verify(&sent, &changed, self.limit).await;
            let found = found.map_err(WorkError::from)?;
            let mut errors: Vec<String> = found
                .errors
                .iter()
                .map(|error| contract_report::escape_text(error))
                .collect();
            if !found.success && found.mismatches.is_empty() && errors.is_empty() {
                errors.push(format!(
                    "the plugin {} reported a failure without a reason",
                    transport.plugin.name()
                ));
            }
            Ok(Exchanged {
                mismatches: found.mismatches.into_iter().map(mismatch::from_difference).collect(),
                errors,
                response: found.response.map(|response| {
                    let declared = response.body.content_type().cloned();
                    (
                        ActualBody::new(response.body.bytes(), declared),
                        metadata(response.metadata),
                    )
                }),
                output: found.output,
            })
        })
    }
}

/// Returns the prepared request with the body and metadata that custom headers and request filters have changed.
fn changed(prepared: Prepared, request: PreparedRequest) -> Prepared {
    let body = if prepared.body.bytes() == request.body {
        prepared.body
    } else {
        Body::from_bytes(request.body, prepared.body.content_type().cloned())
    };
    let is_text = |value: &MetadataValue| matches!(value, MetadataValue::Json(Json::String(_)));
    let mut metadata: BTreeMap<String, MetadataValue> = prepared
        .metadata
        .into_iter()
        .filter(|(_, value)| !is_text(value))
        .collect();
    for (name, values) in request.metadata.iter() {
        let text = values.iter().map(Text::as_str).collect::<Vec<_>>().join(", ");
        metadata.insert(name.to_string(), MetadataValue::Json(text.into()));
    }
    Prepared {
        body,
        metadata: metadata.into_iter().collect(),
    }
}

fn metadata(entries: Vec<(String, MetadataValue)>) -> Object {
    let value = |value| match value {
        MetadataValue::Json(json) => json,
        MetadataValue::Bytes(bytes) => String::from_utf8_lossy(&bytes).into_owned().into(),
    };
    entries.into_iter().map(|(name, entry)| (name, value(entry))).collect()
}
