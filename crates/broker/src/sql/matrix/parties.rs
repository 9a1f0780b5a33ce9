//! Which versions of an application a question is about.

use std::collections::HashMap;

use crate::domain::matrix::Versions;
use crate::domain::verdict::{Among, Party};
use crate::sql::WHOLE;
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
        Versions::Environment(name) => (Some(versions::in_environment(tx, name, &[known.id])?), there(name)),
    };
    let made = |versions: Among, phrase: String| Party {
        pacticipant: known.id,
        name: known.name.clone(),
        versions,
        is_specified,
        phrase,
    };
    Ok(match among {
        None => made(Among::Every, phrase),
        Some(among) => made(ids(&among), phrase_with_numbers(phrase, versions, &among)),
    })
}

fn ids(among: &[Version]) -> Among {
    Among::These(among.iter().map(|version| version.id).collect())
}

fn there(environment: &str) -> String {
    format!("the version in {environment}")
}

/// Several that were not named in the question; what is in an environment is asked for all of them at once.
pub(super) fn others(tx: &mut Tx<'_>, known: &[Pacticipant], versions: &Versions) -> Result<Vec<Party>, StoreError> {
    let Versions::Environment(name) = versions else {
        return known.iter().map(|one| party(tx, one, versions, false)).collect();
    };
    let all: Vec<i64> = known.iter().map(|one| one.id).collect();
    let mut present: HashMap<i64, Vec<Version>> = HashMap::new();
    for version in versions::in_environment(tx, name, &all)? {
        present.entry(version.pacticipant_id).or_default().push(version);
    }
    let party = |one: &Pacticipant| {
        let among = present.remove(&one.id).unwrap_or_default();
        Party {
            pacticipant: one.id,
            name: one.name.clone(),
            versions: ids(&among),
            is_specified: false,
            phrase: phrase_with_numbers(there(name), versions, &among),
        }
    };
    Ok(known.iter().map(party).collect())
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
