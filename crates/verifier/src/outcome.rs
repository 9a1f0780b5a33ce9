use std::time::Duration;

use contract_report::{Expectation, Finding, ReportedRequest, ReportedResponse};

use crate::InteractionError;

#[derive(Default)]
pub(crate) struct Outcome {
    pub(crate) error: Option<InteractionError>,
    pub(crate) mismatches: Vec<Finding>,
    pub(crate) expected: Option<Expectation>,
    pub(crate) request: Option<ReportedRequest>,
    pub(crate) response: Option<ReportedResponse>,
    pub(crate) diff: Option<String>,
    pub(crate) waiting: Duration,
    pub(crate) output: Vec<String>,
}
