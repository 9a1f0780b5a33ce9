//! Collects the credentials for brokers, URLs, and the provider. Contracts and responses may contain them, so they are
//! redacted in all output of a verification.

use contract_broker_client::{Credentials, Secrets};
use contract_pipeline::{Environment, Source};
use contract_wire::BaseUrl;

use super::options::{RunContext, VerifyOptions};
use crate::failure::Failure;
use crate::verify_error::VerifyError;
use contract_call::read::TextOrFunction;
use contract_verifier::{EmptyVerification, Report};

impl VerifyOptions {
    pub(super) fn secrets(&self, environment: &Environment) -> Secrets {
        let mut credentials = Vec::new();
        let mut headers: Vec<(String, String)> = Vec::new();
        for source in self.sources(environment) {
            if let Source::Url(remote) = source {
                credentials.push(remote.credentials());
                headers.extend(header_of_url(&remote.url));
                headers.extend(remote.headers);
            }
        }
        if let Some(place) = self.asked_broker(environment) {
            if let Ok((_, resolved)) = place.resolved(environment) {
                credentials.push(resolved);
            }
            headers.extend(place.headers());
        }
        headers.extend(self.headers.iter().filter_map(|header| match &header.value {
            TextOrFunction::Text(value) => Some((header.name.clone(), value.clone())),
            TextOrFunction::Function(_) => None,
        }));
        credentials.retain(|credentials| !matches!(credentials, Credentials::None));
        Secrets::collect(
            &credentials,
            headers.iter().map(|(name, value)| (name.as_str(), value.as_str())),
        )
    }

    /// Redacts the credentials in an error, because it may quote a contract.
    pub(super) fn without_secrets(&self, failure: Failure, context: &RunContext) -> Failure {
        redact_failure(failure, &self.secrets(&context.environment))
    }
}

/// Returns the `Authorization` header for the `user:password@` in a URL, or `None` if the URL contains no credentials.
fn header_of_url(url: &str) -> Option<(String, String)> {
    let address = url.split(['?', '#']).next().unwrap_or_default();
    let base = BaseUrl::parse(address).ok()?;
    let value = base.credentials()?.to_str().ok()?;
    Some(("Authorization".to_owned(), value.to_owned()))
}

pub(super) fn redact_report(report: &mut Report, secrets: &Secrets) {
    if !secrets.is_empty() {
        report.map_texts(&|text| secrets.redacted(text));
    }
}

fn redact_failure(failure: Failure, secrets: &Secrets) -> Failure {
    let change = |text: &str| secrets.redact(text).into_owned();
    let all = |texts: Vec<String>| texts.iter().map(|text| change(text)).collect();
    let Failure::Verification(error) = failure else {
        return failure;
    };
    Failure::Verification(match error {
        VerifyError::Source(message) => VerifyError::Source(message.map_plain_text(change)),
        VerifyError::NoContract(message) => VerifyError::NoContract(message.map_plain_text(change)),
        VerifyError::NoSource(message) => VerifyError::NoSource(message),
        VerifyError::Empty(EmptyVerification::Consumers { requested, known }) => {
            VerifyError::Empty(EmptyVerification::Consumers {
                requested,
                known: all(known),
            })
        }
        VerifyError::Empty(EmptyVerification::Filtered {
            filters,
            total,
            descriptions,
        }) => VerifyError::Empty(EmptyVerification::Filtered {
            filters,
            total,
            descriptions: all(descriptions),
        }),
        VerifyError::Empty(other) => VerifyError::Empty(other),
    })
}
