//! Compiled HTTP interactions that requests are compared with.

use std::sync::Arc;

use contract_matching::{ActualBody, ActualRequest, Options, RequestPlan};
use contract_model::{Contract, HttpInteraction, Interaction};
use contract_report::InteractionRef;

use crate::answer::Answer;
use crate::error::OpenError;

/// Maximum total size of the regular expressions compiled for one request, in bytes.
const PATTERN_SIZE: usize = 256 << 20;

#[derive(Debug)]
pub(crate) struct Expectation {
    /// Index in `Index::list`.
    pub(crate) at: usize,
    /// Name of the contract in messages.
    pub(crate) contract: Arc<str>,
    pub(crate) interaction: Interaction,
    pub(crate) plan: RequestPlan,
    pub(crate) answer: Answer,
}

impl Expectation {
    pub(crate) fn new(
        at: usize,
        name: &Arc<str>,
        contract: &Contract,
        interaction: Interaction,
        http: &HttpInteraction,
    ) -> Result<Self, OpenError> {
        let options = Options {
            specification: contract.specification,
            pattern_size: PATTERN_SIZE,
            ..Options::LENIENT
        };
        let plan = RequestPlan::new(&http.request, options).map_err(|source| OpenError::Rule {
            contract: name.to_string(),
            interaction: interaction.description.to_string(),
            source: Box::new(source),
        })?;
        let answer = Answer::new(&http.response).map_err(|problem| OpenError::Response {
            contract: name.to_string(),
            interaction: interaction.description.to_string(),
            problem,
        })?;
        Ok(Self {
            at,
            contract: Arc::clone(name),
            interaction,
            plan,
            answer,
        })
    }

    pub(crate) fn http(&self) -> &HttpInteraction {
        self.interaction
            .http()
            .expect("only HTTP interactions become expectations")
    }

    pub(crate) fn reference(&self) -> InteractionRef {
        InteractionRef::new(self.at, &self.interaction)
    }

    /// Returns true if the path matches. Ignores the method.
    pub(crate) fn has_path(&self, actual: &ActualRequest) -> bool {
        self.plan.matches_target(&ActualRequest {
            method: self.http().request.method.clone(),
            path: actual.path.clone(),
            body: ActualBody::default(),
            ..ActualRequest::default()
        })
    }
}
