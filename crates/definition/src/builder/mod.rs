//! Defines the interactions of a consumer test. Each operation validates its own arguments.

mod body;
mod calls;
mod claims;
mod cookie;
mod defaults;
mod draft;
mod form;
mod frequency;
mod head;
mod interaction;
mod multipart;
mod multipart_part;
mod named;
mod operation;
mod options;
mod part;
mod rules;
mod states;
mod value;
mod version;
mod xml;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use contract_model::{Interaction, Json, Object, SpecificationVersion, Text, WriteError};

pub use claims::{Claim, ClaimedInteraction, Selection, duplicate};
pub use frequency::{Frequency, Times};
pub use interaction::InteractionBuilder;
pub use operation::read_operation;
pub use operation::{
    Binary, BytesMatch, ContractOperation, DefaultArguments, InteractionArguments, Operation, Pairs, PartArguments,
    RequestArguments, RequestDefaults, ResponseArguments, ResponseDefaults, StateArguments,
};
pub use options::{ContractOptions, UnexpectedFields, UnreadFields, VariantChoice, VariantOptions, WriteMode};
pub use part::{Kind, Part};

use defaults::Defaults;
use draft::Draft;

use crate::plugins::{PluginOptions, PluginSet};
use contract_call::error::{ArgumentError, DESCRIPTION, KIND, MATCHER, METADATA, NAME, OPTIONS, SPECIFICATION};
use contract_call::names::participant;
use contract_call::read::Size;

/// A contract that is being defined. It has one consumer, one provider, and any number of interactions from any number
/// of tests.
///
/// All clones refer to the same contract.
#[derive(Clone, Debug)]
pub struct ContractBuilder(Arc<Mutex<ContractDraft>>);

/// Contracts whose unserved interactions are reported when their owner, such as a test file, ends. Each entry starts
/// with the owner's number.
static WATCHED: Mutex<Vec<(u64, Weak<Mutex<ContractDraft>>)>> = Mutex::new(Vec::new());

/// Returns a message for each watched contract of this owner that has unserved interactions. Stops watching these
/// contracts.
pub fn unserved_at_end(owner: u64) -> Vec<String> {
    let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
    let own: Vec<_> = watched.extract_if(.., |(watcher, _)| *watcher == owner).collect();
    drop(watched);
    let alive = own.iter().filter_map(|(_, contract)| contract.upgrade());
    alive
        .filter_map(|contract| contract.lock().unwrap_or_else(PoisonError::into_inner).unserved())
        .collect()
}

#[derive(Debug)]
struct ContractDraft {
    /// True if unserved interactions are reported. Becomes false after the first report, or once the contract is used
    /// without a server.
    is_watched: bool,
    consumer: Text,
    provider: Text,
    /// Shared with the interactions, because they reject operations that the version does not support.
    specification: Arc<Mutex<SpecificationVersion>>,
    options: Arc<ContractOptions>,
    defaults: Arc<Defaults>,
    metadata: Object,
    /// Shared with the interactions, because plugins generate their contents.
    plugins: PluginSet,
    entries: Vec<InteractionEntry>,
    /// Indexes into `entries` by description, to find duplicates quickly in large contracts.
    by_description: HashMap<Text, Vec<usize>>,
}

impl ContractDraft {
    /// Returns a one-line message about the interactions that were never served, or `None` if there is nothing to
    /// report.
    fn unserved(&mut self) -> Option<String> {
        const SHOWN: usize = 3;
        if !std::mem::take(&mut self.is_watched) {
            return None;
        }
        let unserved = self
            .entries
            .iter()
            .filter(|entry| matches!(entry.state, InteractionState::Defined));
        let names: Vec<_> = unserved
            .map(|entry| match &*entry.origin {
                "" => format!("{:?}", entry.builder.description().as_str()),
                origin => format!("{:?} ({origin})", entry.builder.description().as_str()),
            })
            .collect();
        let (interactions, were) = match names.len() {
            0 => return None,
            1 => ("1 interaction".to_owned(), "was"),
            count => (format!("{count} interactions"), "were"),
        };
        let more = if names.len() > SHOWN { ", …" } else { "" };
        let listing = names
            .iter()
            .take(SHOWN)
            .map(String::as_str)
            .collect::<Vec<_>>()
            .join(", ");
        Some(format!(
            "{interactions} of {} → {} {were} never served, so the contract file does not contain {}: {listing}{more}",
            self.consumer,
            self.provider,
            if were == "was" { "it" } else { "them" },
        ))
    }
}

impl Drop for ContractDraft {
    fn drop(&mut self) {
        if let Some(text) = self.unserved() {
            crate::end_warnings::record(text);
        }
    }
}

#[derive(Clone, Debug)]
struct InteractionEntry {
    builder: InteractionBuilder,
    kind: Kind,
    origin: Arc<str>,
    state: InteractionState,
}

#[derive(Clone, Debug)]
enum InteractionState {
    /// Defined, but never served.
    Defined,
    /// In use by a running server or by message handlers.
    Served,
    /// Requested by the client, without mismatches. Contains the interaction as it was served.
    Passed(Arc<Interaction>),
    /// Not requested, requested with mismatches, or used by a failed test.
    Failed,
    /// Invalid. The error was already reported, and the interaction is not used again.
    Invalid,
}

impl ContractBuilder {
    /// Creates a contract. The names must not be empty, because they are used in file names and URLs.
    pub fn new(consumer: &str, provider: &str) -> Result<Self, ArgumentError> {
        for (role, name) in [("consumer", consumer), ("provider", provider)] {
            if name.trim().is_empty() {
                return Err(ArgumentError::new(NAME, format!("the {role} name is empty")).for_argument(role));
            }
            if name.contains(['\0', '\n', '\r']) {
                return Err(ArgumentError::new(
                    NAME,
                    format!("the {role} name cannot contain line breaks: {name:?}"),
                ));
            }
        }
        Ok(Self(Arc::new(Mutex::new(ContractDraft {
            is_watched: false,
            consumer: consumer.into(),
            provider: provider.into(),
            specification: Arc::new(Mutex::new(SpecificationVersion::V4)),
            options: Arc::default(),
            defaults: Arc::default(),
            metadata: Object::new(),
            plugins: PluginSet::default(),
            entries: Vec::new(),
            by_description: HashMap::new(),
        }))))
    }

    pub fn with_options(consumer: &str, provider: &str, mut options: ContractOptions) -> Result<Self, ArgumentError> {
        let contract = Self::new(consumer, provider)?;
        options
            .directory
            .as_mut()
            .map_or(Ok(()), contract_call::paths::resolve_in_place)?;
        options
            .plugins
            .as_mut()
            .map_or(Ok(()), PluginOptions::resolve_directories)?;
        if let Some(version) = &options.specification {
            contract.with_specification(version)?;
        }
        contract
            .plugins()
            .set_options(options.plugins.clone().unwrap_or_default());
        contract.lock().options = Arc::new(options);
        Ok(contract)
    }

    /// Creates a contract from JSON text with the members `consumer`, `provider`, and `options`.
    pub fn from_text(text: &str) -> Result<Self, ArgumentError> {
        let mut json = contract_call::json::parse_json(text)?;
        let mut member = |name: &str| {
            let value = json.as_object_mut().and_then(|members| members.remove(name));
            value.filter(|value| !contract_call::value::is_undefined(value))
        };
        let (consumer, provider) = (member("consumer"), member("provider"));
        let (consumer, provider) = (participant("consumer", consumer)?, participant("provider", provider)?);
        let options = match member("options") {
            None => ContractOptions::default(),
            Some(options) => contract_call::read::options(OPTIONS, options)?,
        };
        Self::with_options(&consumer, &provider, options)
    }

    /// Registers the contract, so that [`unserved_at_end`] reports its unserved interactions for this owner.
    pub fn watch(&self, owner: u64) {
        self.lock().is_watched = true;
        let mut watched = WATCHED.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|(_, contract)| contract.strong_count() > 0);
        watched.push((owner, Arc::downgrade(&self.0)));
    }

    pub fn options(&self) -> Arc<ContractOptions> {
        Arc::clone(&self.lock().options)
    }

    fn lock(&self) -> MutexGuard<'_, ContractDraft> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn consumer(&self) -> Text {
        self.lock().consumer.clone()
    }

    pub fn provider(&self) -> Text {
        self.lock().provider.clone()
    }

    pub fn specification(&self) -> SpecificationVersion {
        self.lock().specification()
    }

    /// Applies an operation. Returns an interaction if the operation defines one. `origin` is the code location for
    /// messages, such as `orders.test.ts:12:5`.
    pub fn apply(
        &self,
        operation: ContractOperation,
        origin: &str,
    ) -> Result<Option<InteractionBuilder>, ArgumentError> {
        let name = operation.name();
        let done = match operation {
            ContractOperation::WithSpecification { version } => self.with_specification(&version).map(|()| None),
            ContractOperation::WithMetadata { namespace, entries } => {
                self.with_metadata(&namespace, entries.0).map(|()| None)
            }
            ContractOperation::Defaults(defaults) => {
                let limit = self.options().generated_size.map(Size::size);
                crate::examples::with_limit(limit, || Defaults::new(*defaults)).map(|defaults| {
                    self.lock().defaults = Arc::new(defaults);
                    None
                })
            }
            ContractOperation::UsingPlugin { plugin, version } => {
                let version = version.as_deref();
                version::check_v4(self.specification(), "this operation")
                    .and_then(|()| self.plugins().using(&plugin, version))
                    .map(|()| None)
            }
            ContractOperation::UponReceiving { description, kind } => self
                .new_interaction(&description, kind.unwrap_or(Kind::Http), origin)
                .map(|interaction| Some(self.add_interaction(interaction))),
            ContractOperation::Interaction(arguments) => self
                .new_interaction(&arguments.description, Kind::Http, origin)
                .and_then(|interaction| {
                    interaction
                        .define(*arguments)
                        .map(|()| Some(self.add_interaction(interaction)))
                }),
        };
        done.map_err(|error| error.in_operation(name).defined_at(origin))
    }

    /// Like [`Self::apply`], with the operation as JSON text.
    pub fn apply_text(&self, operation: &str, origin: &str) -> Result<Option<InteractionBuilder>, ArgumentError> {
        self.apply(ContractOperation::from_text(operation)?, origin)
    }

    /// Defines an interaction. `origin` is the code location for messages, such as `orders.test.ts:12:5`.
    pub fn upon_receiving(
        &self,
        description: &str,
        kind: Kind,
        origin: &str,
    ) -> Result<InteractionBuilder, ArgumentError> {
        let interaction = self.new_interaction(description, kind, origin);
        interaction
            .map(|interaction| self.add_interaction(interaction))
            .map_err(|error| error.in_operation("upon_receiving"))
    }

    fn with_specification(&self, version: &str) -> Result<(), ArgumentError> {
        let invalid = |message: String| Err(ArgumentError::new(SPECIFICATION, message).for_argument("version"));
        let version = match SpecificationVersion::parse(version) {
            None => {
                return invalid(format!("unknown specification version {version:?}; use V2, V3, or V4"));
            }
            Some(old @ (SpecificationVersion::V1 | SpecificationVersion::V1_1)) => {
                return invalid(format!(
                    "{old} contracts can be read, but not written, because {old} has no matching rules; use V2, V3, or V4"
                ));
            }
            Some(version) => version,
        };
        let definition = self.lock();
        definition.check_all_in(version)?;
        *definition.specification.lock().unwrap_or_else(PoisonError::into_inner) = version;
        Ok(())
    }

    fn with_metadata(&self, namespace: &str, entries: Json) -> Result<(), ArgumentError> {
        let Json::Object(entries) = entries else {
            let message = format!("expected an object, received {}", entries.kind().with_article());
            return Err(ArgumentError::new(METADATA, message).for_argument("entries"));
        };
        let mut definition = self.lock();
        let mut known = match definition.metadata.remove(namespace) {
            Some(Json::Object(known)) => known,
            _ => Object::new(),
        };
        for (key, value) in entries {
            known.insert(key, value);
        }
        definition.metadata.insert(namespace, known);
        Ok(())
    }

    /// Returns the title of the contract for messages, such as `web → orders`.
    pub fn title(&self) -> String {
        format!("{} → {}", self.consumer(), self.provider())
    }

    pub fn plugins(&self) -> PluginSet {
        self.lock().plugins.clone()
    }

    pub fn metadata(&self) -> Object {
        self.lock().metadata.clone()
    }

    /// Creates an interaction without adding it to the contract.
    fn new_interaction(
        &self,
        description: &str,
        kind: Kind,
        origin: &str,
    ) -> Result<InteractionBuilder, ArgumentError> {
        if description.trim().is_empty() {
            return Err(ArgumentError::new(DESCRIPTION, "the description is empty").for_argument("description"));
        }
        let definition = self.lock();
        let version = Arc::clone(&definition.specification);
        let mut draft = Draft::new(kind, version, definition.plugins.clone());
        (draft.description, draft.origin) = (description.into(), origin.into());
        draft.generated_size = definition.options.generated_size.map(Size::size);
        draft.set_defaults(&definition.defaults);
        draft.check_alone(Part::Request, false, &|_| {})?;
        Ok(InteractionBuilder::new(draft))
    }

    fn add_interaction(&self, builder: InteractionBuilder) -> InteractionBuilder {
        let (description, kind, origin) = {
            let draft = builder.lock();
            (draft.description.clone(), draft.kind, Arc::from(draft.origin.as_str()))
        };
        let mut definition = self.lock();
        let at = definition.entries.len();
        definition.entries.push(InteractionEntry {
            builder: builder.clone(),
            kind,
            origin,
            state: InteractionState::Defined,
        });
        definition.by_description.entry(description).or_default().push(at);
        builder
    }

    /// Returns the interactions as a JSON array in the format of V4 files. `kind` is `HTTP`, `Async`, or `Sync`; `None`
    /// returns all interactions.
    pub fn interactions_text(&self, kind: Option<&str>) -> Result<String, ArgumentError> {
        let kind = kind
            .map(|kind| contract_call::read::value(Json::from(kind)))
            .transpose();
        let kind: Option<Kind> = kind.map_err(|_| {
            let message = r#"the kind must be "HTTP", "Async", or "Sync""#;
            ArgumentError::new(KIND, message)
                .in_operation("interactions")
                .for_argument("kind")
        })?;
        self.lock().is_watched = false;
        let invalid = |error: WriteError| ArgumentError::new(SPECIFICATION, error.to_string());
        let documents = self.build_entries(kind)?.into_iter().map(|interaction| {
            let written = interaction.to_json(SpecificationVersion::V4);
            written.map(|(document, _)| document).map_err(invalid)
        });
        Ok(Json::Array(documents.collect::<Result<_, _>>()?).to_text())
    }

    pub fn interactions(&self) -> Result<Vec<Interaction>, ArgumentError> {
        self.build_entries(None)
    }

    fn build_entries(&self, kind: Option<Kind>) -> Result<Vec<Interaction>, ArgumentError> {
        let is_wanted = |entry: &&InteractionEntry| kind.is_none_or(|kind| kind == entry.kind);
        let entries: Vec<_> = self.lock().entries.iter().filter(is_wanted).cloned().collect();
        entries.iter().map(|entry| entry.builder.build()).collect()
    }
}

impl ContractDraft {
    fn specification(&self) -> SpecificationVersion {
        *self.specification.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the template as JSON text, with each matcher and generator replaced by its example. Missing examples are
/// generated as in the contract file.
pub fn example_of(template: &Json) -> Result<String, ArgumentError> {
    let split = contract_model::split_body(template);
    let mut split = split.map_err(|error| ArgumentError::new(MATCHER, format!("example: {error}")))?;
    split
        .fill(crate::examples::example_generator())
        .map_err(|error: ArgumentError| error.within("example"))?;
    Ok(split.example.to_text())
}
