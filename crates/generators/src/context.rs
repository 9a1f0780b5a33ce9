//! Input of the generators.

use contract_datetime::DateTime;
use contract_model::{Json, Object, Variant};

use crate::{Budget, Random};

/// The role for which values are generated. Some generators apply only to one role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Values for the response of a mock server, or for a message to a consumer. Values from provider states are not
    /// available.
    Consumer,
    /// Values for a request that the verifier sends to a provider.
    Provider,
}

/// Returns whether an item matches a variant of an `arrayContains` rule. The last argument is the example of the
/// variant. The caller provides this function, because this crate does not implement matching.
pub type VariantMatch<'a> = &'a (dyn Fn(&Json, &Variant, &Json) -> bool + Sync);

/// All input of a generator except the example that it replaces.
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
    /// Current time for date and time generators, with the offset that generated values have.
    pub now: DateTime,
    /// Values returned by provider state handlers, by name.
    pub state_values: &'a Object,
    /// URL of the mock server, such as `http://127.0.0.1:8080`. `None` if there is no mock server.
    pub base_url: Option<&'a str>,
    pub random: Random,
    pub budget: Budget,
    /// Decides whether an item matches a variant of an `arrayContains` rule.
    pub variant_matches: VariantMatch<'a>,
}

static NO_VALUES: Object = Object::new();

impl Context<'_> {
    /// Creates a context without provider state values and without a mock server. The size limit is 64 MiB, and an item
    /// matches a variant only if it equals the example.
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
    /// Formats only the names of the provider state values, because the values may be secret.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context")
            .field("mode", &self.mode)
            .field("now", &self.now)
            .field("state_values", &self.state_values.keys().collect::<Vec<_>>())
            .field("base_url", &self.base_url)
            .finish_non_exhaustive()
    }
}
