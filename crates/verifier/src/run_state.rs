use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use contract_datetime::DateTime;
use contract_generators::apply::GenerateProblem;
use contract_generators::{Budget, Context, Mode, Random};
use contract_model::Object;
use contract_wire::seconds;

use crate::error::callback_failed;
use crate::{CallbackError, Deadline, ErrorCode, InteractionError, InteractionInfo, Options};

/// The state of one verification, shared by its interactions.
pub(crate) struct Run {
    pub(crate) options: Arc<Options>,
    now: DateTime,
    seed: u64,
    pub(crate) total: usize,
    pub(crate) done: AtomicUsize,
    pub(crate) failed: AtomicBool,
    pub(crate) deadline: Option<Deadline>,
    /// True after the deadline has passed. All remaining interactions are skipped.
    pub(crate) out_of_time: AtomicBool,
}

impl Run {
    pub(crate) fn new(options: &Arc<Options>, total: usize) -> Self {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let seconds = i64::try_from(clock.as_secs()).unwrap_or(0);
        let now = options
            .now
            .clone()
            .or_else(|| DateTime::from_unix(seconds, clock.subsec_nanos(), 0).ok());
        Self {
            options: Arc::clone(options),
            now: now
                .or_else(|| DateTime::from_unix(0, 0, 0).ok())
                .expect("1970-01-01 is a valid date"),
            seed: options
                .seed
                .unwrap_or_else(|| clock.as_secs() ^ u64::from(clock.subsec_nanos()) << 32),
            total,
            done: AtomicUsize::new(0),
            failed: AtomicBool::new(false),
            deadline: options.deadline,
            out_of_time: AtomicBool::new(false),
        }
    }

    /// Calls `apply` with a context for generating the values of a request or a message. Returns the values that could
    /// not be generated, with the reasons.
    pub(crate) fn generate(
        &self,
        info: &InteractionInfo,
        values: &Object,
        apply: impl FnOnce(&mut Context<'_>) -> Vec<GenerateProblem>,
    ) -> Vec<GenerateProblem> {
        // Each interaction has its own seed, so that its values do not depend on concurrent interactions.
        let own = u64::from_str_radix(&info.fingerprint, 16).unwrap_or_default();
        let mut context = Context {
            state_values: values,
            budget: Budget::new(self.options.generated_size),
            variant_matches: &contract_matching::variant_matches,
            ..Context::new(Mode::Provider, self.now.clone(), Random::from_seed(self.seed ^ own))
        };
        apply(&mut context)
    }

    /// Waits for a callback, with the timeout [`Options::callback_timeout`].
    pub(crate) async fn callback<T>(
        &self,
        code: ErrorCode,
        subject: &str,
        call: impl Future<Output = Result<T, CallbackError>>,
    ) -> Result<T, InteractionError> {
        self.callback_within(self.options.callback_timeout, code, subject, call)
            .await
    }

    /// Waits for a callback, with the timeout `limit`. `what` names the callback in error messages.
    pub(crate) async fn callback_within<T>(
        &self,
        limit: Duration,
        code: ErrorCode,
        subject: &str,
        call: impl Future<Output = Result<T, CallbackError>>,
    ) -> Result<T, InteractionError> {
        match tokio::time::timeout(limit, call).await {
            Ok(Ok(value)) => Ok(value),
            Ok(Err(error)) => Err(callback_failed(code, format!("{subject} failed"), &error)),
            Err(_) => Err(InteractionError::new(
                if code == ErrorCode::MessageHandler {
                    ErrorCode::MessageTimeout
                } else {
                    code
                },
                format!(
                    "{subject} did not finish within {}. Raise the callback timeout if it needs longer",
                    seconds(limit)
                ),
            )),
        }
    }
}
