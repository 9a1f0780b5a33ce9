//! Input of generators.

use contract_datetime::DateTime;
use contract_model::{Json, Object, Variant};

use crate::{Budget, Random};

/// The role that values are generated for. Some generators apply to one role only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// For a mock server's response, or a message for a consumer. Provider state values are not available.
    Consumer,
    /// For a verifier's request to a provider.
    Provider,
}

/// Returns true if an item matches a variant of an `arrayContains` rule. The last argument is the example of the
/// variant. The caller provides it, because this crate does not implement matching.
pub type VariantMatch<'a> = &'a (dyn Fn(&Json, &Variant, &Json) -> bool + Sync);

/// Input of a generator besides its example.
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
    pub mode: Mode,
    /// Current time for date and time generators, in the time zone of the output.
    pub now: DateTime,
    /// Values that provider state handlers returned, by name.
    pub state_values: &'a Object,
    /// URL of the mock server, such as `http://127.0.0.1:8080`.
    pub base_url: Option<&'a str>,
    pub random: Random,
    pub budget: Budget,
    /// Finds the items that match variants of `arrayContains`.
    pub variant_matches: VariantMatch<'a>,
}

static NO_VALUES: Object = Object::new();

impl Context<'_> {
    /// Creates a context without state values and mock server. At most 64 MiB are generated, and only equal items match
    /// a variant.
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
    /// Prints only the names of state values, which may be secrets.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("mode", &self.mode)
            .field("now", &self.now)
            .field("state_values", &self.state_values.keys().collect::<Vec<_>>())
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
