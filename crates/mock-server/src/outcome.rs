//! Calculates the outcome of a server from its journal and the counts of its expectations.

use std::sync::atomic::Ordering::Relaxed;

use contract_report::{Closest, InteractionCount, InteractionRef, Outcome, RequestView, ServerMismatch};

use crate::expectations::{Expectation, Expectations};
use crate::explain::Near;
use crate::journal::{Failure, Summary};

pub(crate) fn outcome(expectations: &Expectations, summary: Summary) -> Outcome {
    let mut outcome = Outcome {
        matched: false,
        mismatches: Vec::new(),
        pending: Vec::new(),
        omitted: summary.omitted,
        interactions: vec![InteractionCount::default(); expectations.passed],
        requests: summary.counts,
        troubles: Vec::new(),
    };
    for (failure, count) in &summary.failures {
        add_failure(&mut outcome, expectations, failure, *count);
    }
    for (trouble, count) in summary.troubles {
        match trouble.rejection_status() {
            Some(status) => outcome.mismatches.push(ServerMismatch::RequestRefused {
                status: (status > 0).then_some(status),
                code: trouble.code(),
                reason: trouble.to_string(),
                count,
            }),
            None => outcome.troubles.push(trouble),
        }
    }
    for expectation in &expectations.list {
        let count = expectation.counted();
        outcome.interactions[expectation.listed] = count;
        if let Some(mismatch) = expectation.unmet(count) {
            add(&mut outcome, mismatch, expectation.is_pending());
        }
    }
    outcome.matched = outcome.mismatches.is_empty() && outcome.omitted == 0;
    outcome
}

fn add(outcome: &mut Outcome, mismatch: ServerMismatch, is_pending: bool) {
    if is_pending {
        outcome.pending.push(mismatch);
    } else {
        outcome.mismatches.push(mismatch);
    }
}

fn add_failure(outcome: &mut Outcome, expectations: &Expectations, failure: &Failure, count: u64) {
    let request = failure.request.clone();
    let closest = failure.explanation.closest.as_ref();
    let closest = closest.map(|near| (near, &expectations.list[near.at]));
    match closest {
        Some((near, expectation)) if failure.explanation.on_target => {
            let expected = &expectation.http().request;
            let mismatch = ServerMismatch::RequestMismatch {
                method: expected.method.to_string(),
                path: expected.path.to_string(),
                interaction: expectation.reference(),
                mismatches: near.mismatches.clone(),
                omitted: near.omitted as u64,
                request,
                count,
            };
            add(outcome, mismatch, failure.is_pending);
        }
        _ => outcome.mismatches.push(ServerMismatch::RequestNotFound {
            method: request.method.to_string(),
            path: request.path.to_string(),
            request,
            closest: closest.map(|(near, expectation)| closest_of(near, expectation)),
            reason: failure.reason.clone(),
            count,
        }),
    }
}

fn closest_of(near: &Near, expectation: &Expectation) -> Closest {
    let expected = &expectation.http().request;
    Closest {
        interaction: expectation.reference(),
        method: expected.method.to_string(),
        path: expected.path.to_string(),
        mismatches: near.mismatches.clone(),
        omitted: near.omitted as u64,
    }
}

impl Expectation {
    pub(crate) fn reference(&self) -> InteractionRef {
        InteractionRef::new(self.listed, &self.served.interaction)
    }

    pub(crate) fn is_pending(&self) -> bool {
        self.served.interaction.pending
    }

    fn counted(&self) -> InteractionCount {
        InteractionCount {
            matched: self.matched.load(Relaxed),
            mismatched: self.mismatched.load(Relaxed),
        }
    }

    /// Returns a mismatch if the number of matching requests is outside the limits. Too few requests are not reported
    /// if another request for the interaction had mismatches, which are reported instead.
    fn unmet(&self, count: InteractionCount) -> Option<ServerMismatch> {
        let times = self.served.bounds();
        let expected = &self.http().request;
        let too_few = count.matched < times.min && count.mismatched == 0;
        let too_many = times.max.is_some_and(|max| count.matched > max);
        let (method, path, interaction) = (expected.method.to_string(), expected.path.to_string(), self.reference());
        if too_many || (too_few && count.matched > 0) {
            return Some(ServerMismatch::TimesMismatch {
                method,
                path,
                interaction,
                min: times.min,
                max: times.max,
                actual: count.matched,
            });
        }
        too_few.then(|| ServerMismatch::MissingRequest {
            method,
            path,
            interaction,
            request: RequestView::expected(expected),
        })
    }
}
