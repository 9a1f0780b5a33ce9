//! Finds the selected versions of each application in a query.

use std::collections::{HashMap, HashSet};

use crate::sql::UNPAGED;
use crate::sql::pacticipants::Pacticipant;
use crate::sql::versions::{self, Version, VersionFilter};
use crate::store::{StoreError, Tx};
use contract_broker_domain::matrix::Versions;
use contract_broker_domain::verdict::{Participant, VersionSet};

pub(super) fn find(tx: &mut Tx<'_>, known: &Pacticipant, versions: &Versions) -> Result<Participant, StoreError> {
    let found = select(tx, known, versions)?;
    Ok(participant(known, versions, found.as_deref()))
}

/// Returns an application's versions that match `versions`, or `None` if all versions match.
fn select(tx: &mut Tx<'_>, known: &Pacticipant, versions: &Versions) -> Result<Option<Vec<Version>>, StoreError> {
    let (id, main_branch) = (known.id, known.details.main_branch.as_deref());
    Ok(match versions {
        Versions::Every => None,
        Versions::Number(number) => Some(versions::find(tx, id, number)?.into_iter().collect()),
        Versions::Latest => Some(versions::latest(tx, id)?.into_iter().collect()),
        Versions::Tag { tag, latest: true } => Some(versions::latest_with_tag(tx, id, tag)?.into_iter().collect()),
        Versions::Tag { tag, latest: false } => Some(versions::list(tx, id, VersionFilter::Tag(tag), UNPAGED)?.0),
        Versions::Branch { branch, latest } => Some(on_branch(tx, id, branch, *latest)?),
        Versions::MainBranch { latest } => Some(match main_branch {
            Some(branch) => on_branch(tx, id, branch, *latest)?,
            None => Vec::new(),
        }),
        Versions::Environment(name) => Some(versions::in_environment(tx, name, &[id])?),
        Versions::All(conditions) => common(tx, known, conditions)?,
        Versions::LatestOf(conditions) => {
            let matching = common(tx, known, conditions)?;
            matching.map(|found| found.into_iter().max_by_key(|version| version.id).into_iter().collect())
        }
    })
}

/// Returns an application's versions that match all conditions, or `None` if all versions match.
fn common(tx: &mut Tx<'_>, known: &Pacticipant, conditions: &[Versions]) -> Result<Option<Vec<Version>>, StoreError> {
    let mut common: Option<Vec<Version>> = None;
    for condition in conditions {
        let Some(found) = select(tx, known, condition)? else {
            continue;
        };
        let ids: HashSet<i64> = found.iter().map(|version| version.id).collect();
        common = Some(match common {
            None => found,
            Some(common) => common.into_iter().filter(|version| ids.contains(&version.id)).collect(),
        });
    }
    Ok(common)
}

/// Finds the selected versions of several applications. For an environment, a single query reads the versions of all
/// applications.
pub(super) fn find_all(
    tx: &mut Tx<'_>,
    known: &[Pacticipant],
    versions: &Versions,
) -> Result<Vec<Participant>, StoreError> {
    let Versions::Environment(name) = versions else {
        return known.iter().map(|one| find(tx, one, versions)).collect();
    };
    let all: Vec<i64> = known.iter().map(|one| one.id).collect();
    let mut present: HashMap<i64, Vec<Version>> = HashMap::new();
    for version in versions::in_environment(tx, name, &all)? {
        present.entry(version.pacticipant_id).or_default().push(version);
    }
    let mut found = |one: &Pacticipant| present.remove(&one.id).unwrap_or_default();
    Ok(known
        .iter()
        .map(|one| participant(one, versions, Some(&found(one))))
        .collect())
}

fn on_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &str, latest: bool) -> Result<Vec<Version>, StoreError> {
    Ok(if latest {
        let head = versions::head_of_branch(tx, pacticipant, branch)?;
        head.into_iter().collect()
    } else {
        versions::list(tx, pacticipant, VersionFilter::Branch(branch), UNPAGED)?.0
    })
}

fn participant(known: &Pacticipant, versions: &Versions, found: Option<&[Version]>) -> Participant {
    let numbers = found.into_iter().flatten().map(|version| version.number.clone());
    let versions_found = match found {
        None => VersionSet::Every,
        Some(found) => VersionSet::These(found.iter().map(|version| version.id).collect()),
    };
    Participant {
        pacticipant: known.id,
        name: known.name.clone(),
        versions: versions_found,
        numbers: numbers.collect(),
        selection_suffix: selection_suffix(known, versions),
        absence: absence(known, versions),
    }
}

fn selection_suffix(known: &Pacticipant, versions: &Versions) -> String {
    match versions {
        Versions::Every | Versions::Number(_) | Versions::Latest => String::new(),
        Versions::Tag { tag, .. } => format!(" with tag {tag}"),
        Versions::Branch { branch, .. } => format!(" on branch {branch}"),
        Versions::MainBranch { .. } => match &known.details.main_branch {
            Some(branch) => format!(" on branch {branch}"),
            None => String::new(),
        },
        Versions::Environment(name) => format!(" in {name}"),
        Versions::All(conditions) | Versions::LatestOf(conditions) => {
            conditions.iter().map(|one| selection_suffix(known, one)).collect()
        }
    }
}

fn absence(known: &Pacticipant, versions: &Versions) -> String {
    let name = &known.name;
    match versions {
        Versions::Number(number) => format!("Version {number} of {name} does not exist."),
        Versions::Every | Versions::Latest => format!("{name} has no versions."),
        Versions::Tag { tag, .. } => format!("No version of {name} has tag {tag}."),
        Versions::Branch { branch, .. } => format!("No version of {name} is on branch {branch}."),
        Versions::MainBranch { .. } => match &known.details.main_branch {
            Some(branch) => format!("No version of {name} is on its main branch {branch}."),
            None => format!("{name} has no main branch."),
        },
        Versions::Environment(environment) => {
            format!("No version of {name} is deployed to or released in {environment}.")
        }
        Versions::All(_) | Versions::LatestOf(_) => format!("No version of {name} matches {}.", condition(versions)),
    }
}

fn condition(versions: &Versions) -> String {
    match versions {
        Versions::Every => "any version".to_owned(),
        Versions::Number(number) => format!("version {number}"),
        Versions::Latest => "the latest version".to_owned(),
        Versions::Tag { tag, .. } => format!("tag {tag}"),
        Versions::Branch { branch, .. } => format!("branch {branch}"),
        Versions::MainBranch { .. } => "the main branch".to_owned(),
        Versions::Environment(environment) => format!("environment {environment}"),
        Versions::All(conditions) | Versions::LatestOf(conditions) => {
            conditions.iter().map(condition).collect::<Vec<_>>().join(" and ")
        }
    }
}
