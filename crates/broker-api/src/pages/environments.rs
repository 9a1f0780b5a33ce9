//! Collects the data for the environments page.

use std::collections::{BTreeMap, HashMap, HashSet};

use contract_pages::pages::Pages;
use contract_pages::pages::can_i_deploy::Verdict;
use contract_pages::pages::environments::{
    Cell, Environment as Card, Environments, Group, Incompatible, Promotion, Row,
};
use contract_pages::{Query, VersionLabel};

use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::can_i_deploy::{decide, verdict_of};
use super::{check_choices, reply};
use contract_broker_core::sql::environments::{self, Environment};
use contract_broker_core::sql::integrations::{self, RunningPair, RunningVersion};
use contract_broker_core::sql::pacticipants;
use contract_broker_core::store::{StoreError, Tx};

/// Default number of applications on a page.
const ROWS: i64 = 25;
const MAX_ROWS: i64 = 200;
/// Maximum number of environments with a column of their own.
const COLUMNS: usize = 5;
/// Maximum number of promotions for which the page computes a verdict. Further ones are displayed as not checked.
const PROMOTIONS: usize = 50;
/// Maximum number of applications that the page names as obstacles to a promotion.
const NAMES: usize = 3;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    check_choices(rq, &[("show", &Group::ALL.map(Group::name))])?;
    let query = Query::new(rq.query.iter().map(|(name, value)| (name.as_str(), value.as_str())));
    let mut all = environments::all(tx)?;
    // Production environments come last, because versions move from test to production.
    all.sort_by_key(|one| one.production);
    let running = integrations::running_versions(tx, None)?;
    let pairs = integrations::running_pairs(tx, None)?;
    let names: Names = pacticipants::ids_and_names(tx)?.into_iter().collect();
    let environments = all.iter().map(|one| card(one, &running, &pairs)).collect();
    let columns: Vec<&Environment> = all.iter().take(COLUMNS).collect();
    let find = |name: &str| all.iter().find(|one| one.name == name);
    let is_unknown = |field: &str| !query.value(field).is_empty() && find(query.value(field)).is_none();
    let unknown: Vec<&'static str> = ["from", "to"].into_iter().filter(|field| is_unknown(field)).collect();
    let from = find(query.value("from")).or_else(|| all.first());
    let default_to = || {
        let candidates = || all.iter().filter(|one| from.is_none_or(|from| from.id != one.id));
        candidates().find(|one| one.production).or_else(|| candidates().next())
    };
    let to = find(query.value("to")).or_else(default_to);
    let board = Board {
        columns: &columns,
        from,
        to,
        running: by_application(&running),
        broken: broken(&pairs, &names),
    };
    let word = query.value("application").to_lowercase();
    let mut rows = board.rows(tx, &names, &word)?;
    let counts = Group::ALL
        .map(|group| (group, count(rows.iter().filter(|row| row.group == group).count())))
        .to_vec();
    let filter = query.value("show");
    rows.retain(|row| filter.is_empty() || row.group.name() == filter);
    let requested = rq.page()?;
    let pages = Pages {
        number: requested.map_or(1, |page| page.number),
        size: rq
            .query_value("size")
            .and(requested)
            .map_or(ROWS, |page| page.size.min(MAX_ROWS)),
        total: count(rows.len()),
    };
    let rows = rows.drain(pages.range()).collect();
    let view = Environments {
        environments,
        from: from.map(|one| one.name.clone()).unwrap_or_default(),
        to: to.map(|one| one.name.clone()).unwrap_or_default(),
        incompatible: incompatible(&pairs, &all, &names),
        rows,
        counts,
        unknown,
        query,
        pages,
    };
    let code = match view.unknown.as_slice() {
        [] if pages.is_beyond_end() => 404,
        [] => 200,
        _ => 400,
    };
    Ok(reply(code, view.page(&rq.shell())))
}

fn count(number: usize) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// Application names by ID.
type Names = HashMap<i64, String>;

fn card(environment: &Environment, running: &[RunningVersion], pairs: &[RunningPair]) -> Card {
    let applications: HashSet<i64> = running
        .iter()
        .filter(|one| one.environment_id == environment.id)
        .map(|one| one.pacticipant_id)
        .collect();
    // The worst result of each integration.
    let mut worst: HashMap<(i64, i64), Option<bool>> = HashMap::new();
    let rank = |success: Option<bool>| match success {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    };
    for pair in pairs.iter().filter(|pair| pair.environment_id == environment.id) {
        let known = worst
            .entry((pair.consumer_id, pair.provider_id))
            .or_insert(pair.success);
        if rank(pair.success) < rank(*known) {
            *known = pair.success;
        }
    }
    let with = |outcome: Option<bool>| worst.values().filter(|success| **success == outcome).count();
    Card {
        name: environment.name.clone(),
        production: environment.production,
        applications: applications.len(),
        failed: with(Some(false)),
        verified: with(Some(true)),
        integrations: worst.len(),
    }
}

/// Groups running versions by application ID and environment ID.
fn by_application(running: &[RunningVersion]) -> HashMap<(i64, i64), Vec<&RunningVersion>> {
    let mut versions: HashMap<(i64, i64), Vec<&RunningVersion>> = HashMap::new();
    for version in running {
        versions
            .entry((version.pacticipant_id, version.environment_id))
            .or_default()
            .push(version);
    }
    versions
}

/// Returns the names of incompatible applications, by application ID and environment ID.
fn broken(pairs: &[RunningPair], names: &Names) -> HashMap<(i64, i64), Vec<String>> {
    let mut broken: HashMap<(i64, i64), Vec<String>> = HashMap::new();
    for pair in pairs.iter().filter(|pair| pair.success == Some(false)) {
        for (participant, other) in [
            (pair.consumer_id, pair.provider_id),
            (pair.provider_id, pair.consumer_id),
        ] {
            let name = names.get(&other).cloned().unwrap_or_default();
            let known = broken.entry((participant, pair.environment_id)).or_default();
            if !known.contains(&name) {
                known.push(name);
            }
        }
    }
    broken
}

/// Consumer ID, provider ID, consumer version, and provider version.
type VersionPair<'a> = (i64, i64, &'a str, &'a str);

/// Returns pairs of versions that run in the same environment although the verification between them failed. Each pair
/// lists its environments. The pairs whose versions were deployed or released most recently come first.
fn incompatible(pairs: &[RunningPair], all: &[Environment], names: &Names) -> Vec<Incompatible> {
    let mut found: BTreeMap<VersionPair<'_>, (Vec<String>, i64)> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.success == Some(false)) {
        let key = (
            pair.consumer_id,
            pair.provider_id,
            pair.consumer_version.as_str(),
            pair.provider_version.as_str(),
        );
        let (environments, since) = found.entry(key).or_default();
        let environment = all.iter().find(|one| one.id == pair.environment_id);
        environments.extend(environment.map(|one| one.name.clone()));
        *since = pair.since.max(*since);
    }
    let mut all: Vec<Incompatible> = found
        .into_iter()
        .map(
            |((consumer, provider, consumer_version, provider_version), (environments, since))| Incompatible {
                consumer: names.get(&consumer).cloned().unwrap_or_default(),
                consumer_version: consumer_version.to_owned(),
                provider: names.get(&provider).cloned().unwrap_or_default(),
                provider_version: provider_version.to_owned(),
                environments,
                since,
            },
        )
        .collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.since));
    all
}

struct Board<'a> {
    columns: &'a [&'a Environment],
    from: Option<&'a Environment>,
    to: Option<&'a Environment>,
    running: HashMap<(i64, i64), Vec<&'a RunningVersion>>,
    broken: HashMap<(i64, i64), Vec<String>>,
}

impl Board<'_> {
    /// Returns the rows of the applications whose lowercase names contain `word`, sorted by group. If `word` is empty,
    /// omits applications that do not run in any displayed environment.
    fn rows(&self, tx: &mut Tx<'_>, names: &Names, word: &str) -> Result<Vec<Row>, StoreError> {
        let mut ids: Vec<(&i64, &String)> = names
            .iter()
            .filter(|(_, name)| name.to_lowercase().contains(word))
            .collect();
        ids.sort_by_cached_key(|(_, name)| name.to_lowercase());
        let mut rows = Vec::with_capacity(ids.len());
        let mut decided = 0;
        for (id, name) in ids {
            let cells: Vec<Cell> = self
                .columns
                .iter()
                .map(|environment| self.cell(*id, environment.id))
                .collect();
            let runs = self
                .columns
                .iter()
                .any(|environment| self.running.contains_key(&(*id, environment.id)));
            if !runs && word.is_empty() {
                continue;
            }
            let promotion = self.promotion(tx, (*id, name), &mut decided)?;
            let is_broken = cells.iter().any(|cell| !cell.incompatible_with.is_empty());
            rows.push(Row {
                application: name.clone(),
                group: match &promotion {
                    _ if is_broken => Group::Incompatible,
                    Promotion::Nothing => Group::Missing,
                    Promotion::UpToDate => Group::Same,
                    Promotion::Unchecked(_) => Group::Unchecked,
                    Promotion::Version {
                        verdict: Verdict::Deployable,
                        ..
                    } => Group::Deployable,
                    Promotion::Version { .. } => Group::Blocked,
                },
                cells,
                promotion,
            });
        }
        rows.sort_by_key(|row| row.group);
        Ok(rows)
    }

    fn cell(&self, pacticipant: i64, environment: i64) -> Cell {
        let versions = self.running.get(&(pacticipant, environment)).into_iter().flatten();
        let version = |one: &&RunningVersion| (VersionLabel::new(&one.pacticipant, &one.version), one.since);
        Cell {
            versions: versions.map(version).collect(),
            incompatible_with: self
                .broken
                .get(&(pacticipant, environment))
                .cloned()
                .unwrap_or_default(),
        }
    }

    /// Determines whether the newest version in the source environment can be deployed to the target environment.
    /// `decided` counts the verdicts that have been computed so far.
    fn promotion(
        &self,
        tx: &mut Tx<'_>,
        (id, name): (i64, &str),
        decided: &mut usize,
    ) -> Result<Promotion, StoreError> {
        let (Some(from), Some(to)) = (self.from, self.to) else {
            return Ok(Promotion::UpToDate);
        };
        let at = |environment: i64| {
            self.running
                .get(&(id, environment))
                .map(Vec::as_slice)
                .unwrap_or_default()
        };
        let Some(newest) = at(from.id).first() else {
            return Ok(Promotion::Nothing);
        };
        if at(to.id).iter().any(|one| one.version_id == newest.version_id) {
            return Ok(Promotion::UpToDate);
        }
        *decided += 1;
        if *decided > PROMOTIONS {
            return Ok(Promotion::Unchecked(newest.version.clone()));
        }
        let matrix = decide(tx, name, &newest.version, &to.name)?;
        let open = matrix.evidence.rows.iter().filter(|row| row.success() != Some(true));
        let mut waits_for: Vec<String> = Vec::new();
        for row in open {
            let other = matrix.name(if row.consumer == id { row.provider } else { row.consumer });
            if waits_for.len() < NAMES && waits_for.iter().all(|known| known != other) {
                waits_for.push(other.to_owned());
            }
        }
        Ok(Promotion::Version {
            number: newest.version.clone(),
            verdict: verdict_of(&matrix.verdict),
            waits_for,
        })
    }
}
