//! Tracks which interactions of a contract are in use. A server or message handlers claim interactions and later return
//! them with a result.
//!
//! A failed call retires its interactions, so that one mistake does not also fail the next test.
//!
//! Claiming has two steps. The first step is synchronous and fast, so the caller knows immediately which interactions
//! belong to a server. The second step builds the interactions. It takes longer, holds no lock, and can run in another
//! thread.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use contract_model::{Interaction, SpecificationVersion};

use super::frequency::Frequency;
use super::part::Kind;
use super::{ContractBuilder, ContractDraft, InteractionBuilder, InteractionEntry, InteractionState};
use crate::plugins::{PluginSet, PluginUse};
use contract_call::error::{ArgumentError, DUPLICATE, Done, INCOMPLETE, NOTHING, SERVE};
use contract_call::message::{Message, message, operation, setting};

/// Maximum number of incomplete interactions to list in a message.
const SHOWN: usize = 5;

/// An interaction that was claimed for serving or writing, with the location of its definition.
#[derive(Clone, Debug)]
pub struct ClaimedInteraction {
    pub interaction: Arc<Interaction>,
    pub origin: Arc<str>,
    /// The plugins of the contract, with the data that each of them stores for this interaction.
    pub plugins: Arc<Vec<PluginUse>>,
    entry: usize,
}

impl ClaimedInteraction {
    /// Creates an interaction that no builder defined, so that it can be written to a contract file.
    pub fn unclaimed(interaction: Interaction, origin: &str) -> Self {
        Self {
            interaction: Arc::new(interaction),
            origin: origin.into(),
            plugins: Arc::default(),
            entry: usize::MAX,
        }
    }
}

impl AsRef<Interaction> for ClaimedInteraction {
    fn as_ref(&self) -> &Interaction {
        &self.interaction
    }
}

/// The interactions that a call claims.
#[derive(Clone, Copy, Debug)]
pub enum Selection<'a> {
    /// The complete interactions of this kind that were never claimed.
    New(Kind),
    /// All interactions of this kind that are not in use.
    All(Kind),
    /// Interactions with a request, for a plugin transport. If `all` is false, only those that were never claimed.
    Requested { all: bool },
    /// Exactly these interactions, even if they were served before.
    Only(&'a [InteractionBuilder]),
}

impl ContractBuilder {
    /// Claims and builds interactions for a server or for message handlers. They stay in use until the caller calls
    /// [`Self::finish`]. Returns an error if there are none, because a test without interactions tests nothing.
    pub fn claim_and_build(&self, selection: Selection<'_>) -> Result<Vec<ClaimedInteraction>, ArgumentError> {
        self.claim(selection)?.build()
    }

    /// Returns a warning for each HTTP interaction without a response.
    pub fn without_response(&self, claimed: &[ClaimedInteraction]) -> Vec<String> {
        let definition = self.lock();
        let entries = claimed.iter().map(|claimed| &definition.entries[claimed.entry]);
        let silent = entries.filter(|entry| entry.kind == Kind::Http && entry.builder.lock().responses.is_empty());
        silent
            .map(|entry| {
                let origin = if entry.origin.is_empty() { String::new() } else { format!(" ({})", entry.origin) };
                format!(
                    "{:?}{origin} has no response, so it expects status 200 with any body; to confirm this, call willRespondWith(200)",
                    entry.builder.description().as_str()
                )
            })
            .collect()
    }

    /// Returns the allowed number of requests for each interaction, in the order of `claimed`.
    pub fn frequencies(&self, claimed: &[ClaimedInteraction]) -> Vec<Frequency> {
        let definition = self.lock();
        let entries = claimed.iter().map(|claimed| &definition.entries[claimed.entry]);
        entries.map(|entry| entry.builder.lock().frequency).collect()
    }

    /// Claims the interactions as they are currently defined. Returns an error if there are none.
    pub fn claim(&self, selection: Selection<'_>) -> Result<Claim, ArgumentError> {
        let mut definition = self.lock();
        let places = definition.select(selection)?;
        if places.is_empty() {
            return Err(definition.nothing_to_claim(selection));
        }
        let chosen = definition.entries_at(&places);
        for (at, entry) in &chosen {
            entry.builder.freeze(true);
            definition.entries[*at].state = InteractionState::Served;
        }
        Ok(Claim {
            contract: self.clone(),
            chosen,
        })
    }

    /// Builds the interactions. If at least one is invalid, returns the errors with the indexes of their entries.
    fn build_all(
        &self,
        chosen: &[(usize, InteractionEntry)],
    ) -> Result<Vec<ClaimedInteraction>, Vec<(usize, ArgumentError)>> {
        let mut claimed = Vec::with_capacity(chosen.len());
        let mut problems = Vec::new();
        let specification = self.specification();
        let plugins = self.plugins();
        for (at, entry) in chosen {
            match entry.build(specification) {
                Ok(interaction) => claimed.push(entry.to_claimed(*at, Arc::new(interaction), &plugins)),
                Err(error) => problems.push((*at, error)),
            }
        }
        problems.extend(self.lock().duplicates(&claimed));
        if problems.is_empty() {
            Ok(claimed)
        } else {
            Err(problems)
        }
    }

    /// Retires the interactions of a failed call. Interactions that another call claimed in the meantime are unchanged.
    fn retire_failed(
        &self,
        chosen: &[(usize, InteractionEntry)],
        problems: Vec<(usize, ArgumentError)>,
        is_claimed: bool,
    ) -> ArgumentError {
        let mut definition = self.lock();
        let invalid: HashSet<_> = problems.iter().map(|(at, _)| *at).collect();
        for (at, _) in chosen {
            let entry = &mut definition.entries[*at];
            if !is_claimed && !matches!(entry.state, InteractionState::Defined) {
                continue;
            }
            entry.builder.freeze(false);
            entry.state = if invalid.contains(at) {
                InteractionState::Invalid
            } else {
                InteractionState::Failed
            };
        }
        combine(problems.into_iter().map(|(_, error)| error).collect())
    }

    /// Retires new interactions of a kind, because a call failed before it claimed them.
    pub fn retire(&self, kind: Kind) {
        let mut definition = self.lock();
        for at in definition.select(Selection::New(kind)).unwrap_or_default() {
            definition.entries[at].state = InteractionState::Failed;
        }
    }

    /// Releases claimed interactions with their results. `passed` returns true if the interaction at an index passed.
    pub fn finish(&self, claimed: &[ClaimedInteraction], passed: impl Fn(usize) -> bool) {
        let mut definition = self.lock();
        for (at, claimed) in claimed.iter().enumerate() {
            let state = if passed(at) {
                InteractionState::Passed(Arc::clone(&claimed.interaction))
            } else {
                InteractionState::Failed
            };
            definition.entries[claimed.entry].state = state;
        }
    }

    /// Returns the interactions that `write_file` writes: those that passed and those that were never served. Logs
    /// incomplete interactions, because they are not written.
    pub fn writable(&self) -> Result<Vec<ClaimedInteraction>, ArgumentError> {
        let defined = {
            let definition = self.lock();
            definition.entries.iter().for_each(InteractionEntry::warn_if_incomplete);
            definition.entries_at(&definition.indexes_where(InteractionEntry::is_new))
        };
        let built = self.build_all(&defined);
        let mut claimed = built.map_err(|problems| self.retire_failed(&defined, problems, false))?;
        let mut definition = self.lock();
        definition.is_watched = false;
        let entries = definition.entries.iter().enumerate();
        claimed.extend(entries.filter_map(|(at, entry)| match &entry.state {
            InteractionState::Passed(interaction) => {
                Some(entry.to_claimed(at, Arc::clone(interaction), &definition.plugins))
            }
            _ => None,
        }));
        Ok(claimed)
    }

    /// Returns a message for each incomplete HTTP interaction, at most five.
    pub fn incomplete(&self) -> Vec<Message> {
        let definition = self.lock();
        let entries = definition.entries.iter();
        let defined =
            entries.filter(|entry| entry.kind == Kind::Http && matches!(entry.state, InteractionState::Defined));
        let lacking = defined.filter_map(|entry| {
            let problem = entry.why_incomplete()?;
            Some(message![
                format!("The interaction {} was not served: ", entry.title()),
                problem,
                "."
            ])
        });
        lacking.take(SHOWN).collect()
    }

    /// Returns the description and location of a retired HTTP interaction with this method and path, if there is one.
    /// Messages about unexpected requests mention it.
    pub fn find_retired(&self, method: &str, path: &str) -> Option<(String, String)> {
        let definition = self.lock();
        let found = definition.entries.iter().find(|entry| {
            entry.state.is_retired() && entry.kind == Kind::Http && {
                let draft = entry.builder.lock();
                draft.method == method && draft.path.example.as_str() == Some(path)
            }
        });
        found.map(|entry| (entry.builder.description().to_string(), entry.origin.to_string()))
    }
}

/// Claimed interactions that are not yet built.
#[derive(Debug)]
pub struct Claim {
    contract: ContractBuilder,
    chosen: Vec<(usize, InteractionEntry)>,
}

impl Claim {
    /// Estimates the cost of building the interactions: 1 for each interaction and 1 for each matching rule in its
    /// bodies.
    pub fn weight(&self) -> usize {
        let entries = self.chosen.iter().map(|(_, entry)| entry);
        entries.map(|entry| 1 + entry.builder.lock().rules()).sum()
    }

    /// Builds the interactions. If any of them is invalid, returns all errors and retires all of the interactions.
    pub fn build(self) -> Result<Vec<ClaimedInteraction>, ArgumentError> {
        let built = self.contract.build_all(&self.chosen);
        built.map_err(|problems| self.contract.retire_failed(&self.chosen, problems, true))
    }
}

impl InteractionState {
    /// Returns true if the interaction was used, with any result, and is no longer in use.
    fn is_retired(&self) -> bool {
        matches!(self, Self::Passed(_) | Self::Failed)
    }
}

impl InteractionEntry {
    fn build(&self, specification: SpecificationVersion) -> Result<Interaction, ArgumentError> {
        if let Some(message) = self.why_incomplete() {
            return Err(self.with_title(ArgumentError::new(INCOMPLETE, message)));
        }
        let built = self.builder.lock().clone().build();
        let converted = built.and_then(|interaction| super::version::convert_to_version(interaction, specification));
        converted.map_err(|error| self.with_title(error))
    }

    fn to_claimed(&self, at: usize, interaction: Arc<Interaction>, plugins: &PluginSet) -> ClaimedInteraction {
        ClaimedInteraction {
            interaction,
            origin: Arc::clone(&self.origin),
            plugins: Arc::new(plugins.uses(&self.builder.lock().plugin_uses())),
            entry: at,
        }
    }

    /// Returns true if the interaction is complete and was never claimed.
    fn is_new(&self) -> bool {
        matches!(self.state, InteractionState::Defined) && self.why_incomplete().is_none()
    }

    /// Returns why the interaction is incomplete, or `None` if it is complete.
    fn why_incomplete(&self) -> Option<Message> {
        let draft = self.builder.lock();
        match &draft.last_error {
            Some(error) => Some(message![
                "it is incomplete because an earlier call failed: ",
                error.to_message()
            ]),
            None if self.kind == Kind::Http && !draft.has_request => Some(message![
                "it has no request; define one with ",
                operation("with_request")
            ]),
            None => None,
        }
    }

    /// Logs a warning if the interaction is incomplete, because it is not written.
    fn warn_if_incomplete(&self) {
        if let (InteractionState::Defined, Some(problem)) = (&self.state, self.why_incomplete()) {
            tracing::warn!(target: "contract::builder", "{} is not written to the contract file: {problem}", self.title());
        }
    }

    /// Returns the description and code location of the interaction, for messages.
    fn title(&self) -> String {
        let description = self.builder.description();
        if self.origin.is_empty() {
            format!("{description:?}")
        } else {
            format!("{description:?} (defined at {})", self.origin)
        }
    }

    fn with_title(&self, error: ArgumentError) -> ArgumentError {
        error.within(self.title()).defined_at(&self.origin)
    }
}

impl Selection<'_> {
    /// Returns true if the selection includes this kind.
    fn includes(&self, kind: Kind) -> bool {
        match self {
            Self::New(selected) | Self::All(selected) => kind == *selected,
            Self::Requested { .. } => kind != Kind::Async,
            Self::Only(_) => kind == Kind::Http,
        }
    }
}

impl ContractDraft {
    fn indexes_where(&self, is_wanted: impl Fn(&InteractionEntry) -> bool) -> Vec<usize> {
        let entries = self.entries.iter().enumerate();
        entries
            .filter(|(_, entry)| is_wanted(entry))
            .map(|(at, _)| at)
            .collect()
    }

    fn entries_at(&self, places: &[usize]) -> Vec<(usize, InteractionEntry)> {
        places.iter().map(|at| (*at, self.entries[*at].clone())).collect()
    }

    fn select(&self, selection: Selection<'_>) -> Result<Vec<usize>, ArgumentError> {
        let Selection::Only(only) = selection else {
            let is_all = matches!(selection, Selection::All(_) | Selection::Requested { all: true });
            return Ok(self.indexes_where(|entry| {
                selection.includes(entry.kind) && (entry.is_new() || (is_all && entry.state.is_retired()))
            }));
        };
        let entries = self.entries.iter().enumerate();
        let places: HashMap<_, _> = entries.map(|(at, entry)| (entry.builder.key(), at)).collect();
        let mut chosen = Vec::new();
        for selected in only {
            let at = places.get(&selected.key()).copied();
            let problem = match at.map(|at| &self.entries[at]) {
                None => "is not part of this contract",
                Some(entry) if matches!(entry.state, InteractionState::Served) => {
                    "is already being served; serve it again after that server has stopped"
                }
                Some(entry) if !selection.includes(entry.kind) => {
                    "is a message, but only HTTP interactions can be served"
                }
                Some(_) => {
                    chosen.extend(at.filter(|at| !chosen.contains(at)));
                    continue;
                }
            };
            let message = format!("the interaction {:?} {problem}", selected.description().as_str());
            return Err(ArgumentError::new(SERVE, message).for_argument("only"));
        }
        chosen.sort_unstable();
        Ok(chosen)
    }

    /// Returns an error if the version does not support all interactions.
    pub(super) fn check_all_in(&self, version: SpecificationVersion) -> Done {
        let problem = |entry: &InteractionEntry| {
            let interaction = entry.builder.lock().clone().build().ok()?;
            let error = super::version::convert_to_version(interaction, version).err()?;
            Some(entry.with_title(error))
        };
        let defined = self
            .entries
            .iter()
            .filter(|entry| matches!(entry.state, InteractionState::Defined));
        let problems: Vec<_> = defined.filter_map(problem).collect();
        if problems.is_empty() {
            Ok(())
        } else {
            Err(combine(problems))
        }
    }

    /// Returns an error for each claimed interaction that has the same description and provider states as another
    /// claimed or passed interaction, but different content.
    fn duplicates(&self, claimed: &[ClaimedInteraction]) -> Vec<(usize, ArgumentError)> {
        let by_entry: HashMap<usize, &ClaimedInteraction> =
            claimed.iter().map(|claimed| (claimed.entry, claimed)).collect();
        let mut found = Vec::new();
        for claimed_interaction in claimed {
            let candidates = self.by_description.get(&claimed_interaction.interaction.description);
            let candidates = candidates.into_iter().flatten();
            for &at in candidates.filter(|at| **at < claimed_interaction.entry || !by_entry.contains_key(at)) {
                let other = match (by_entry.get(&at), &self.entries[at].state) {
                    (Some(_), _) if at == claimed_interaction.entry => continue,
                    (Some(other), _) => &other.interaction,
                    (None, InteractionState::Passed(interaction)) => interaction,
                    _ => continue,
                };
                if other.is_same_as(&claimed_interaction.interaction) && **other != *claimed_interaction.interaction {
                    let (first, second) = (at.min(claimed_interaction.entry), at.max(claimed_interaction.entry));
                    let [first, second] = [first, second].map(|at| &self.entries[at].origin);
                    let error = duplicate(&claimed_interaction.interaction, first, second);
                    found.push((claimed_interaction.entry, error));
                    break;
                }
            }
        }
        found
    }

    /// Returns an error that explains why there are no interactions to claim.
    fn nothing_to_claim(&self, selection: Selection<'_>) -> ArgumentError {
        let kind = match selection {
            Selection::New(kind) | Selection::All(kind) => kind,
            Selection::Requested { .. } => Kind::Http,
            Selection::Only(_) => {
                let message = "nothing to serve: the list of interactions is empty";
                return ArgumentError::new(NOTHING, message).for_argument("only");
            }
        };
        let of_kind = || self.entries.iter().filter(|entry| entry.kind == kind);
        let (code, mut message) = match kind {
            Kind::Http => (NOTHING, message!["nothing to serve"]),
            _ => (
                "ERR_CONTRACT_NO_MESSAGES",
                message![format!("no unverified {kind:?} messages")],
            ),
        };
        let mut defined = of_kind().filter(|entry| matches!(entry.state, InteractionState::Defined));
        let incomplete = defined.find_map(|entry| Some((entry, entry.why_incomplete()?)));
        let is_retired =
            |entry: &&InteractionEntry| entry.state.is_retired() || matches!(entry.state, InteractionState::Served);
        let retired = of_kind().filter(is_retired).count();
        let is_unfinished = incomplete.is_some();
        let of_plugin = self.entries.iter().find(|entry| {
            entry.kind == Kind::Sync
                && matches!(entry.state, InteractionState::Defined)
                && entry.why_incomplete().is_none()
        });
        if let (Some(entry), Selection::New(Kind::Http) | Selection::All(Kind::Http), Some(name)) =
            (of_plugin, selection, self.plugins.transport())
        {
            message.push(message![
                format!(
                    " over HTTP, but {} is a synchronous message. To serve it with a plugin, add ",
                    entry.title()
                ),
                setting("transport", format!("{name:?}"))
            ]);
            return ArgumentError::new(code, message);
        }
        if let Some((entry, problem)) = incomplete {
            message.push(message![format!(": {}: ", entry.title()), problem]);
        }
        if retired > 0 && kind == Kind::Http {
            let served = match (is_unfinished, retired) {
                (false, 1) => ": the only interaction was already served".to_owned(),
                (false, _) => format!(": all {retired} interactions were already served"),
                (true, 1) => ".\n1 other interaction was already served".to_owned(),
                (true, _) => format!(".\n{retired} other interactions were already served"),
            };
            message.push(message![
                served,
                ". Pass ",
                setting("all", "true"),
                " or ",
                setting("only", "[…]"),
                if retired == 1 {
                    " to serve it again"
                } else {
                    " to serve them again"
                }
            ]);
        } else if retired > 0 {
            message.push(message!["; pass ", setting("all", "true"), " to verify them again"]);
        } else if !is_unfinished {
            let kind = match kind {
                Kind::Http => String::new(),
                _ => format!(", '{kind:?}'"),
            };
            message.push(message![
                "; define one with ",
                operation("upon_receiving"),
                format!("(description{kind})")
            ]);
        }
        ArgumentError::new(code, message)
    }
}

/// Combines several errors into one with the code and origin of the first error.
fn combine(mut errors: Vec<ArgumentError>) -> ArgumentError {
    if errors.len() == 1 {
        return errors.remove(0);
    }
    let mut message = message![format!("{} interactions are invalid:", errors.len())];
    for (number, error) in errors.iter().enumerate() {
        message.push(format!("\n  {}) ", number + 1));
        message.push(error.to_message());
    }
    let first = errors.remove(0);
    let origin = first.origin.as_deref().unwrap_or_default();
    ArgumentError::new(first.code, message).defined_at(origin)
}

pub fn duplicate(interaction: &Interaction, first: &str, second: &str) -> ArgumentError {
    let states = match interaction.states.as_slice() {
        [] => String::new(),
        states => {
            let names = states.iter().map(|state| format!("{:?}", state.name.as_str()));
            format!(" given {}", names.collect::<Vec<_>>().join(", "))
        }
    };
    let place = |origin: &str| {
        if origin.is_empty() {
            "an unknown location"
        } else {
            origin
        }
        .to_owned()
    };
    let message = format!(
        "the interaction {:?}{states} is defined twice with different content:\n  first at {}\n  then at {}\n\
         Give one of them another description or other provider states",
        interaction.description.as_str(),
        place(first),
        place(second),
    );
    ArgumentError::new(DUPLICATE, message).defined_at(second)
}
