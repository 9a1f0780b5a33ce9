//! What generators may look at.

use contract_datetime::DateTime;
use contract_model::{Json, Object, Variant};

use crate::{Budget, Random};

/// Whose exchange the values are for. Some generators make sense on one side only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A mock server answers a consumer, or a message is built for one. Provider state is not known.
    Consumer,
    /// A verifier asks a provider.
    Provider,
}

/// Says whether an item of a list is what the variant of an `arrayContains` rule asks for; the last argument is the
/// variant's example. Matching does not belong to this crate, so the caller brings it.
pub type VariantMatch<'a> = &'a (dyn Fn(&Json, &Variant, &Json) -> bool + Sync);

/// Everything that a value is made from besides its generator and its example.
///
/// ```
/// use contract_generators::{Context, Mode, Random};
///
/// let now = contract_datetime::DateTime::new(2026, 7, 1)?;
/// let context = Context {
///     base_url: Some("http://127.0.0.1:8080"),
///     ..Context::new(Mode::Consumer, now, Random::from_seed(1))
/// };
/// # let _ = context;
/// # Ok::<(), contract_datetime::DateTimeError>(())
/// ```
#[derive(Clone)]
pub struct Context<'a> {
    /// On whose behalf values are made.
    pub mode: Mode,
    /// The moment that date and time generators start from, in the zone they write.
    pub now: DateTime,
    /// What the provider state handlers returned, by name.
    pub state_values: &'a Object,
    /// Where the mock server listens, such as `http://127.0.0.1:8080`.
    pub base_url: Option<&'a str>,
    /// Where random values come from.
    pub random: Random,
    /// How much may still be generated.
    pub budget: Budget,
    /// Finds the items that variants of `arrayContains` speak of.
    pub variant_matches: VariantMatch<'a>,
}

static NO_VALUES: Object = Object::new();

impl Context<'_> {
    /// No provider state, no mock server; up to 64 MiB are generated; only equal items match a variant.
    pub fn new(mode: Mode, now: DateTime, random: Random) -> Self {
        Self {
            mode,
            now,
            state_values: &NO_VALUES,
            base_url: None,
            random,
            budget: Budget::default(),
            variant_matches: &|item, _, example| item == example,
        }
    }
}

impl std::fmt::Debug for Context<'_> {
    /// Names the state's values only: they may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("mode", &self.mode)
            .field("now", &self.now)
            .field("state_values", &self.state_values.keys().collect::<Vec<_>>())
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
