//! Creates the matrix query for `can-i-deploy`, from a version of an application and an environment or a tag.

use crate::cases::CaseError;
use crate::sql::{environments, pacticipants};
use crate::store::Tx;
use contract_broker_domain::matrix::{Destination, LatestBy, Query, Selector, Versions};
use contract_broker_domain::selector::FieldErrors;

#[derive(Clone, Copy, Debug)]
pub struct DeploymentParameters<'a> {
    pub pacticipant: Option<&'a str>,
    pub version: Option<&'a str>,
    pub environment: Option<&'a str>,
    /// A tag: the verdict compares with the latest version of each other application that has this tag.
    pub to: Option<&'a str>,
    /// All query parameters of the request. Those that start with `limit` or `ignore` become options of the query.
    pub all: &'a [(String, String)],
}

/// Checks the parameters and returns the matrix query. The application and the environment must exist.
pub fn deployment_query(
    tx: &mut Tx<'_>,
    parameters: DeploymentParameters<'_>,
) -> Result<Query, CaseError<FieldErrors>> {
    let DeploymentParameters {
        pacticipant,
        version,
        environment,
        to,
        all,
    } = parameters;
    let mut errors = FieldErrors::new();
    let mut wrong = |field: &str, text: &str| errors.push((field.to_owned(), text.to_owned()));
    if pacticipant.is_none() {
        wrong("pacticipant", "is missing");
    }
    if version.is_none() {
        wrong("version", "is missing");
    }
    if let Some(name) = pacticipant
        && pacticipants::find(tx, name)?.is_none()
    {
        wrong("pacticipant", &format!("pacticipant {name:?} does not exist"));
    }
    if let Some(name) = environment
        && environments::find_named(tx, name)?.is_none()
    {
        wrong("environment", &format!("environment {name:?} does not exist"));
    }
    // As in the Pact Broker, the other options of the matrix have no effect here.
    let mut options = Vec::new();
    for parameter in ["limit", "ignore"] {
        let named = all.iter().filter(|(name, _)| name.starts_with(parameter));
        let named: Vec<(String, String)> = named.cloned().collect();
        let mut problems = Vec::new();
        Query::options(&named, &mut problems);
        for problem in &problems {
            wrong(parameter, problem);
        }
        options.extend(named);
    }
    let mut query = Query::options(&options, &mut Vec::new());
    match (environment, to) {
        (Some(name), None) => {
            query.destination = Some(Destination(Versions::Environment(name.to_owned())));
            query.latest_by = LatestBy::Both;
        }
        (None, Some(tag)) => {
            query.destination = Some(Destination(Versions::Tag {
                tag: tag.to_owned(),
                latest: true,
            }));
            query.latest_by = LatestBy::Consumer;
        }
        _ => wrong("", "exactly one of \"environment\" and \"to\" (a tag) is required"),
    }
    if !errors.is_empty() {
        return Err(CaseError::Rejected(errors));
    }
    query.selectors = vec![Selector {
        pacticipant: pacticipant.unwrap_or_default().to_owned(),
        versions: Versions::Number(version.unwrap_or_default().to_owned()),
    }];
    Ok(query)
}
