//! Which versions of an application a question is about.

use crate::domain::matrix::Versions;
use crate::domain::verdict::{Among, Party};
use crate::sql::WHOLE;
use crate::sql::environments::{self, Kind};
use crate::sql::pacticipants::Pacticipant;
use crate::sql::versions::{self, Among as List, Version};
use crate::store::{StoreError, Tx};

pub(super) fn party(
    tx: &mut Tx<'_>,
    known: &Pacticipant,
    versions: &Versions,
    is_specified: bool,
) -> Result<Party, StoreError> {
    let (among, phrase) = match versions {
        Versions::Every => (None, "any version".to_owned()),
        Versions::Number(number) => (
            Some(versions::find(tx, known.id, number)?.into_iter().collect()),
            format!("version {number}"),
        ),
        Versions::Latest => (
            Some(versions::latest(tx, known.id)?.into_iter().collect()),
            "the latest version".to_owned(),
        ),
        Versions::Tag { tag, latest: true } => (
            Some(versions::latest_with_tag(tx, known.id, tag)?.into_iter().collect()),
            format!("the latest version with tag {tag}"),
        ),
        Versions::Tag { tag, latest: false } => (
            Some(versions::list(tx, known.id, List::Tag(tag), WHOLE)?.0),
            format!("a version with tag {tag}"),
        ),
        Versions::Branch { branch, latest } => on_branch(tx, known.id, branch, *latest)?,
        Versions::MainBranch { latest } => match &known.details.main_branch {
            Some(branch) => on_branch(tx, known.id, branch, *latest)?,
            None => (
                Some(Vec::new()),
                "a version on the main branch, which is not set,".to_owned(),
            ),
        },
        Versions::Environment(name) => (
            Some(in_environment(tx, known.id, name)?),
            format!("the version in {name}"),
        ),
    };
    let Some(among) = among else {
        let name = known.name.clone();
        return Ok(Party {
            pacticipant: known.id,
            name,
            versions: Among::Every,
            is_specified,
            phrase,
        });
    };
    let phrase = phrase_with_numbers(phrase, versions, &among);
    let versions = Among::These(among.iter().map(|version| version.id).collect());
    Ok(Party {
        pacticipant: known.id,
        name: known.name.clone(),
        versions,
        is_specified,
        phrase,
    })
}

/// Which versions stand behind a phrase, where it does not say itself.
fn phrase_with_numbers(phrase: String, versions: &Versions, among: &[Version]) -> String {
    const MOST: usize = 5;
    if matches!(versions, Versions::Number(_)) {
        return phrase;
    }
    let numbers: Vec<&str> = among.iter().take(MOST).map(|version| version.number.as_str()).collect();
    match (numbers.as_slice(), versions) {
        ([], Versions::Environment(name)) => format!("a version in {name}, where none is recorded,"),
        ([], _) => phrase,
        ([one], _) => format!("{phrase} ({one})"),
        (several, Versions::Environment(name)) => format!("one of the versions in {name} ({})", several.join(", ")),
        (several, _) => format!(
            "{phrase} ({}{})",
            several.join(", "),
            if among.len() > MOST { ", …" } else { "" }
        ),
    }
}

type AmongWithPhrase = (Option<Vec<Version>>, String);

fn on_branch(tx: &mut Tx<'_>, pacticipant: i64, branch: &str, latest: bool) -> Result<AmongWithPhrase, StoreError> {
    Ok(if latest {
        let head = versions::head_of_branch(tx, pacticipant, branch)?;
        (
            Some(head.into_iter().collect()),
            format!("the latest version on branch {branch}"),
        )
    } else {
        let all = versions::list(tx, pacticipant, List::Branch(branch), WHOLE)?.0;
        (Some(all), format!("a version on branch {branch}"))
    })
}

fn in_environment(tx: &mut Tx<'_>, pacticipant: i64, name: &str) -> Result<Vec<Version>, StoreError> {
    let mut ids = Vec::new();
    for kind in [Kind::Deployed, Kind::Released] {
        for presence in environments::current_of(tx, kind, pacticipant)? {
            if presence.environment.name == name && !ids.contains(&presence.version_id) {
                ids.push(presence.version_id);
            }
        }
    }
    let mut found = versions::by_ids(tx, &ids)?;
    found.sort_by_key(|version| version.id);
    Ok(found)
}
