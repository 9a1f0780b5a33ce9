//! The builder: what a consumer's test defines, checked by the call that defines it.

mod body;
mod cookie;
mod defaults;
mod draft;
mod example;
mod form;
mod graphql;
mod head;
mod interaction;
mod local;
mod multipart;
mod named;
mod portable;
mod rules;
mod states;
mod value;
mod xml;

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use contract_model::{
    Headers, Interaction, InteractionKind, Json, Loss, Object, SpecificationVersion, Text, WriteError,
};

pub use body::{BodyValue, BytesMatch};
pub use draft::{Kind, Part};
pub(crate) use example::{complete as complete_example, generated as generated_example};
pub(crate) use graphql::{NO_TEXT, graphql_pattern};
pub use interaction::InteractionBuilder;
pub use multipart::{PartContent, PartValue};
pub use states::GivenArguments;
pub(crate) use xml::{check_name as check_xml_name, is_value as is_xml_value};

use defaults::Defaults;

use crate::error::{ArgumentError, DESCRIPTION, DUPLICATE, MATCHER, METADATA, NAME, SPECIFICATION};

/// A contract under construction: one consumer, one provider, any number of interactions over any number of tests.
///
/// Cloning gives another handle on the same contract.
#[derive(Clone, Debug)]
pub struct ContractBuilder(Arc<Mutex<Definition>>);

#[derive(Debug)]
struct Definition {
    consumer: Text,
    provider: Text,
    /// Shared with the interactions, which refuse what it cannot say.
    specification: Arc<Mutex<SpecificationVersion>>,
    defaults: Defaults,
    metadata: Object,
    entries: Vec<Entry>,
    /// Entries by description: duplicates are looked for without walking all that a long run has defined.
    by_description: HashMap<Text, Vec<usize>>,
}

/// An interaction and how far it has come.
#[derive(Debug)]
struct Entry {
    builder: InteractionBuilder,
    kind: Kind,
    origin: String,
    state: State,
}

#[derive(Clone, Debug)]
enum State {
    /// Defined, not served yet.
    Defined,
    /// Taken by a server that is running.
    Served,
    /// Asked for, and all was well.
    Passed(Arc<Interaction>),
    /// Never asked for, or asked for wrongly, or its test failed.
    Failed,
}

/// An interaction taken for serving or writing, and where it was defined.
#[derive(Clone, Debug)]
pub(crate) struct Taken {
    pub(crate) interaction: Arc<Interaction>,
    pub(crate) origin: String,
    entry: usize,
}

impl ContractBuilder {
    /// A contract between two participants. Names stand in files, URLs and file names: they may not be empty.
    pub fn new(consumer: &str, provider: &str) -> Result<Self, ArgumentError> {
        for (role, name) in [("consumer", consumer), ("provider", provider)] {
            if name.trim().is_empty() {
                return Err(ArgumentError::new(NAME, format!("the {role} needs a name")));
            }
            if name.contains(['\0', '\n', '\r']) {
                return Err(ArgumentError::new(
                    NAME,
                    format!("the name of the {role} cannot hold line breaks: {name:?}"),
                ));
            }
        }
        Ok(Self(Arc::new(Mutex::new(Definition {
            consumer: consumer.into(),
            provider: provider.into(),
            specification: Arc::new(Mutex::new(SpecificationVersion::V4)),
            defaults: Defaults::default(),
            metadata: Object::new(),
            entries: Vec::new(),
            by_description: HashMap::new(),
        }))))
    }

    fn lock(&self) -> MutexGuard<'_, Definition> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The consumer's name.
    pub fn consumer(&self) -> Text {
        self.lock().consumer.clone()
    }

    /// The provider's name.
    pub fn provider(&self) -> Text {
        self.lock().provider.clone()
    }

    /// The version that files are written in.
    pub fn specification(&self) -> SpecificationVersion {
        self.lock().specification()
    }

    /// Chooses the version that files are written in: `V2`, `V3` or `V4`.
    pub fn with_specification(&self, version: &str) -> Result<(), ArgumentError> {
        let refused = |message: String| Err(ArgumentError::new(SPECIFICATION, message));
        match SpecificationVersion::parse(version) {
            None => refused(format!(
                "{version:?} is no version of the specification; V2, V3 and V4 can be written"
            )),
            Some(old @ (SpecificationVersion::V1 | SpecificationVersion::V1_1)) => refused(format!(
                "{old} contracts are read, but not written: {old} has no matching rules; use V2, V3 or V4"
            )),
            Some(version) => {
                let shared = Arc::clone(&self.lock().specification);
                *shared.lock().unwrap_or_else(PoisonError::into_inner) = version;
                Ok(())
            }
        }
    }

    /// Adds entries to the metadata of the file, under a name of one's own.
    pub fn with_metadata(&self, namespace: &str, entries: &Json) -> Result<(), ArgumentError> {
        let Json::Object(entries) = entries else {
            let message = format!("withMetadata: expected an object, got {}", entries.kind());
            return Err(ArgumentError::new(METADATA, message));
        };
        let mut definition = self.lock();
        let mut known = definition
            .metadata
            .remove(namespace)
            .and_then(|json| json.as_object().cloned())
            .unwrap_or_default();
        for (key, value) in entries {
            known.insert(key.clone(), value.clone());
        }
        definition.metadata.insert(namespace, known);
        Ok(())
    }

    pub(crate) fn metadata(&self) -> Object {
        self.lock().metadata.clone()
    }

    /// Begins an interaction. `origin` says where, such as `orders.test.ts:12:5`; messages about duplicates name it.
    pub fn upon_receiving(
        &self,
        description: &str,
        kind: Kind,
        origin: &str,
    ) -> Result<InteractionBuilder, ArgumentError> {
        if description.trim().is_empty() {
            return Err(ArgumentError::new(
                DESCRIPTION,
                "uponReceiving: the interaction needs a description",
            ));
        }
        let mut definition = self.lock();
        let builder = InteractionBuilder::new(
            description,
            kind,
            Arc::clone(&definition.specification),
            &definition.defaults,
        );
        let entry = Entry {
            builder: builder.clone(),
            kind,
            origin: origin.to_owned(),
            state: State::Defined,
        };
        let at = definition.entries.len();
        definition.entries.push(entry);
        definition
            .by_description
            .entry(description.into())
            .or_default()
            .push(at);
        Ok(builder)
    }

    /// Sets what the interactions begun from now on have unless they say otherwise: `{ request: { method, query, headers },
    /// response: { status, headers } }`, with headers and query as lists of names and values. Replaces earlier defaults.
    pub fn defaults(&self, defaults: &Json) -> Result<(), ArgumentError> {
        self.lock().defaults = Defaults::new(defaults)?;
        Ok(())
    }

    /// The interactions as they stand, of one kind or all: JSON text of a list, in the form of V4 files.
    pub fn interactions_text(&self, kind: Option<Kind>) -> Result<String, ArgumentError> {
        let refused = |error: WriteError| ArgumentError::new(SPECIFICATION, error.to_string());
        let interactions = self.interactions()?;
        let is_wanted = |interaction: &&Interaction| match (kind, &interaction.kind) {
            (None, _) => true,
            (Some(kind), InteractionKind::Http(_)) => kind == Kind::Http,
            (Some(kind), InteractionKind::AsyncMessage(_)) => kind == Kind::Async,
            (Some(kind), InteractionKind::SyncMessage(_)) => kind == Kind::Sync,
            (Some(_), _) => false,
        };
        let documents = interactions.iter().filter(is_wanted).map(|interaction| {
            interaction
                .to_json(SpecificationVersion::V4)
                .map(|(document, _)| document)
                .map_err(refused)
        });
        Ok(Json::Array(documents.collect::<Result<_, _>>()?).to_text())
    }

    /// All interactions as they stand.
    pub fn interactions(&self) -> Result<Vec<Interaction>, ArgumentError> {
        let builders: Vec<_> = self.lock().entries.iter().map(|entry| entry.builder.clone()).collect();
        builders.iter().map(InteractionBuilder::build).collect()
    }

    /// Takes the interactions of that kind, for a server or for message handlers: those not yet taken, or all. They belong
    /// to whoever took them until [`Self::finish`].
    pub(crate) fn take(&self, kind: Kind, all: bool) -> Result<Vec<Taken>, ArgumentError> {
        let mut definition = self.lock();
        let chosen = |entry: &Entry| {
            entry.kind == kind
                && (matches!(entry.state, State::Defined) || (all && !matches!(entry.state, State::Served)))
        };
        let taken = definition.built(chosen)?;
        definition.refuse_duplicates(&taken)?;
        definition.give_out(&taken);
        Ok(taken)
    }

    /// Gives interactions back: `passed` says which of them were asked for as they should.
    pub(crate) fn finish(&self, taken: &[Taken], passed: impl Fn(usize) -> bool) {
        let mut definition = self.lock();
        for (at, taken) in taken.iter().enumerate() {
            let state = if passed(at) {
                State::Passed(Arc::clone(&taken.interaction))
            } else {
                State::Failed
            };
            definition.entries[taken.entry].state = state;
        }
    }

    /// Those that passed and those never served: what `writeFile` writes.
    pub(crate) fn writable(&self) -> Result<Vec<Taken>, ArgumentError> {
        let definition = self.lock();
        let mut taken = definition.built(|entry| matches!(entry.state, State::Defined))?;
        definition.refuse_duplicates(&taken)?;
        taken.extend(
            definition
                .entries
                .iter()
                .enumerate()
                .filter_map(|(at, entry)| match &entry.state {
                    State::Passed(interaction) => Some(Taken {
                        interaction: Arc::clone(interaction),
                        origin: entry.origin.clone(),
                        entry: at,
                    }),
                    _ => None,
                }),
        );
        Ok(taken)
    }
}

impl Definition {
    fn specification(&self) -> SpecificationVersion {
        *self.specification.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Refuses what the version cannot say, where a file without it would promise something else.
    fn check_version(&self, interaction: &Interaction) -> Result<(), ArgumentError> {
        let version = self.specification();
        if version >= SpecificationVersion::V4 {
            return Ok(());
        }
        let refused = |problem: String| Err(ArgumentError::new(SPECIFICATION, problem));
        let losses = match interaction.to_json(version) {
            Ok((_, warnings)) => warnings,
            Err(error @ WriteError::Kind { .. }) => return refused(error.to_string()),
            // What contracts as a whole cannot hold is told when the file is written.
            Err(_) => return Ok(()),
        };
        let losses: Vec<_> = losses
            .iter()
            .filter(|warning| is_serious(&warning.loss, interaction))
            .map(|warning| warning.loss.to_string())
            .collect();
        if losses.is_empty() {
            return Ok(());
        }
        refused(format!(
            "{:?} cannot be written in {version}: {}; do without, or choose a later version with withSpecification",
            interaction.description.as_str(),
            losses.join("; ")
        ))
    }

    fn built(&self, chosen: impl Fn(&Entry) -> bool) -> Result<Vec<Taken>, ArgumentError> {
        let entries = self.entries.iter().enumerate().filter(|(_, entry)| chosen(entry));
        entries
            .map(|(at, entry)| {
                let mut interaction = entry.builder.build()?;
                if self.specification() < SpecificationVersion::V4 {
                    declare_type(&mut interaction);
                }
                self.check_version(&interaction)?;
                Ok(Taken {
                    interaction: Arc::new(interaction),
                    origin: entry.origin.clone(),
                    entry: at,
                })
            })
            .collect()
    }

    /// From now on they belong to a server.
    fn give_out(&mut self, taken: &[Taken]) {
        for taken in taken {
            let entry = &mut self.entries[taken.entry];
            entry.builder.freeze();
            entry.state = State::Served;
        }
    }

    /// The same interaction may be defined twice, but not with two contents: not among those taken, and not among them
    /// and those that passed before.
    fn refuse_duplicates(&self, taken: &[Taken]) -> Result<(), ArgumentError> {
        let by_entry: HashMap<usize, &Taken> = taken.iter().map(|taken| (taken.entry, taken)).collect();
        for this in taken {
            let others = self
                .by_description
                .get(&this.interaction.description)
                .into_iter()
                .flatten();
            for &at in others.filter(|at| **at != this.entry) {
                let other = match (by_entry.get(&at), &self.entries[at].state) {
                    (Some(other), _) => &other.interaction,
                    (None, State::Passed(interaction)) => interaction,
                    _ => continue,
                };
                if other.is_same_as(&this.interaction) && **other != *this.interaction {
                    let (first, then) = (at.min(this.entry), at.max(this.entry));
                    return Err(duplicate(
                        &this.interaction,
                        &self.entries[first].origin,
                        &self.entries[then].origin,
                    ));
                }
            }
        }
        Ok(())
    }
}

/// Whether a file without it says something else. Without its generators a contract still has its examples and its rules,
/// and the name of a test is a remark.
fn is_serious(loss: &Loss, interaction: &Interaction) -> bool {
    match loss {
        Loss::Member { member: "comments" } => interaction.comments.keys().any(|name| name != "testname"),
        Loss::Member { .. }
        | Loss::FurtherStates { .. }
        | Loss::StateParameters { .. }
        | Loss::FurtherRules { .. }
        | Loss::Body { .. } => true,
        // A line says the same as its values, unless there are rules for each of them, or the header has no such line.
        Loss::HeaderValues { part, name } => {
            Headers::is_never_joined(name) || has_header_rules(interaction, part, name)
        }
        _ => false,
    }
}

/// Whether there are rules for a header of that part, or for one of its values.
fn has_header_rules(interaction: &Interaction, part: &str, name: &str) -> bool {
    let InteractionKind::Http(http) = &interaction.kind else {
        return false;
    };
    let rules = if part == "request" {
        &http.request.rules.header
    } else {
        &http.response.rules.header
    };
    rules.keys().any(|key| {
        let named = key.split_once('[').map_or(key.as_str(), |(named, _)| named);
        named.eq_ignore_ascii_case(name)
    })
}

/// Before V4 the metadata are the only place for the content type of a message; without it a reader would have to guess.
fn declare_type(interaction: &mut Interaction) {
    if let InteractionKind::AsyncMessage(message) = &mut interaction.kind
        && message.metadata_content_type().is_none()
        && let Some(content_type) = message.contents.content_type().map(ToString::to_string)
    {
        message.metadata.insert("contentType", content_type);
    }
}

pub(crate) fn duplicate(interaction: &Interaction, first: &str, second: &str) -> ArgumentError {
    let states = match interaction.states.as_slice() {
        [] => String::new(),
        states => format!(
            " given {}",
            states
                .iter()
                .map(|state| format!("{:?}", state.name.as_str()))
                .collect::<Vec<_>>()
                .join(", ")
        ),
    };
    let place = |origin: &str| {
        if origin.is_empty() {
            "an unknown place".to_owned()
        } else {
            origin.to_owned()
        }
    };
    ArgumentError::new(
        DUPLICATE,
        format!(
            "the interaction {:?}{states} is defined twice with different content:\n  first at {}\n  then at {}\n\
             give one of them another description or other provider states",
            interaction.description.as_str(),
            place(first),
            place(second),
        ),
    )
}

/// The example of a template: JSON text in which every matcher is replaced by its example. Those without one get the
/// example that the contract file would have.
pub fn example_of(template: &Json) -> Result<String, ArgumentError> {
    let split = contract_model::split_body(template);
    let mut split = split.map_err(|error| ArgumentError::new(MATCHER, format!("example: {error}")))?;
    split
        .fill(example::maker())
        .map_err(|error: ArgumentError| error.within("example"))?;
    Ok(split.example.to_text())
}
