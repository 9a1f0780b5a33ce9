//! Deletes data that the retention policy does not keep. A run consists of small steps, so that other requests do not
//! have to wait.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::sql::branches;
use crate::sql::retention::{self, Leftover, VersionStatus};
use crate::store::{StoreError, Tx};
use contract_broker_domain::retention::{KeepRule, RetentionPolicy};

/// Maximum number of rows that one step examines.
const WINDOW: i64 = 1_000;
/// Maximum number of branches that one step deletes.
const BRANCHES: i64 = 20;

/// The kind of rows that a step examines. Contents come last, because the versions that published them must be deleted
/// first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Branches,
    Versions,
    Leftovers(Leftover),
}

/// One run that deletes all data that the policy does not keep.
#[derive(Clone, Debug)]
pub struct Run {
    policy: RetentionPolicy,
    now: i64,
    /// The IDs of the contents that kept versions have published. If `None`, they are read again for each window.
    kept_contents: Option<HashSet<i64>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    stage: Stage,
    /// The ID of the row that was examined last in this stage, or 0 at the start of the stage.
    after: i64,
}

impl Position {
    pub const START: Self = Self {
        stage: Stage::Branches,
        after: 0,
    };

    fn next_stage(self) -> Option<Self> {
        let stage = match self.stage {
            Stage::Branches => Stage::Versions,
            Stage::Versions => Stage::Leftovers(Leftover::Revision),
            Stage::Leftovers(Leftover::Revision) => Stage::Leftovers(Leftover::Result),
            Stage::Leftovers(Leftover::Result) => Stage::Leftovers(Leftover::Content),
            Stage::Leftovers(Leftover::Content) => return None,
        };
        Some(Self { stage, after: 0 })
    }

    fn after(self, last: Option<i64>) -> Option<Self> {
        match last {
            Some(after) => Some(Self { after, ..self }),
            None => self.next_stage(),
        }
    }
}

/// Rows to delete, and the position at which to continue.
#[derive(Debug)]
pub struct Step {
    stage: Stage,
    ids: Vec<i64>,
    /// The position of the next step, or `None` if the run is complete.
    pub next: Option<Position>,
}

impl Step {
    /// Splits the rows to delete into batches of at most `size` rows, one for each transaction.
    pub fn batches(&self, size: usize) -> impl Iterator<Item = Batch> {
        let stage = self.stage;
        self.ids.chunks(size.max(1)).map(move |ids| Batch {
            stage,
            ids: ids.to_vec(),
        })
    }
}

#[derive(Clone, Debug)]
pub struct Batch {
    stage: Stage,
    ids: Vec<i64>,
}

/// Numbers of deleted rows by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    pub branches: u64,
    pub versions: u64,
    pub revisions: u64,
    pub results: u64,
    pub contents: u64,
}

impl Deleted {
    pub fn add(&mut self, more: Self) {
        self.branches += more.branches;
        self.versions += more.versions;
        self.revisions += more.revisions;
        self.results += more.results;
        self.contents += more.contents;
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Run {
    pub fn start(tx: &mut Tx<'_>, policy: &RetentionPolicy, now: i64) -> Result<Self, StoreError> {
        Ok(Self {
            policy: policy.clone(),
            now,
            kept_contents: Some(retention::kept_contents(tx, policy, now)?),
        })
    }

    /// Starts a run that examines only a few windows. Unlike [`Run::start`], it does not read all versions first.
    pub fn of_windows(policy: &RetentionPolicy, now: i64) -> Self {
        Self {
            policy: policy.clone(),
            now,
            kept_contents: None,
        }
    }

    /// Finds the next rows to delete, without deleting them.
    pub fn examine(&self, tx: &mut Tx<'_>, at: Position) -> Result<Step, StoreError> {
        let (policy, now) = (&self.policy, self.now);
        let (ids, next) = match at.stage {
            Stage::Branches => {
                let branches = retention::stale_branches(tx, policy, now, BRANCHES)?;
                let ids: Vec<i64> = branches.iter().map(|(_, branch)| branch.id).collect();
                // The next search no longer finds these branches, because they will have been deleted.
                let next = if ids.is_empty() { at.next_stage() } else { Some(at) };
                (ids, next)
            }
            Stage::Versions => {
                let versions = self.versions(tx, at.after)?;
                let deleted = versions.iter().filter(|version| !version.is_kept());
                let ids = deleted.map(|version| version.id).collect();
                (ids, at.after(versions.last().map(|version| version.id)))
            }
            Stage::Leftovers(kind) => {
                let window = retention::leftovers(tx, kind, policy, now, at.after, WINDOW)?;
                (window.ids, at.after(window.last))
            }
        };
        Ok(Step {
            stage: at.stage,
            ids,
            next,
        })
    }

    /// Returns the next versions whose IDs are greater than `after`, each with the rules that keep it.
    fn versions(&self, tx: &mut Tx<'_>, after: i64) -> Result<Vec<VersionStatus>, StoreError> {
        let mut versions = retention::versions(tx, &self.policy, self.now, after, WINDOW)?;
        let open: Vec<i64> = versions
            .iter()
            .filter(|version| !version.is_kept())
            .map(|version| version.id)
            .collect();
        let successes = retention::first_successes(tx, &open)?;
        let of_window;
        let kept_contents = if let Some(all) = &self.kept_contents {
            all
        } else {
            let contents: BTreeSet<i64> = successes.iter().map(|(_, content)| *content).collect();
            let contents: Vec<i64> = contents.into_iter().collect();
            of_window = retention::kept_among(tx, &self.policy, self.now, &contents)?;
            &of_window
        };
        let needed: HashSet<i64> = successes
            .into_iter()
            .filter(|(_, content)| kept_contents.contains(content))
            .map(|(version, _)| version)
            .collect();
        for version in versions.iter_mut().filter(|version| needed.contains(&version.id)) {
            version.kept_by.push(KeepRule::FirstSuccess);
        }
        Ok(versions)
    }

    /// Deletes the rows of a batch, except those that a retention rule now keeps.
    pub fn delete(&self, tx: &mut Tx<'_>, batch: &Batch) -> Result<Deleted, StoreError> {
        let (policy, now) = (&self.policy, self.now);
        let mut deleted = Deleted::default();
        match batch.stage {
            Stage::Branches => {
                let stale = retention::stale_branches(tx, policy, now, BRANCHES)?;
                for (pacticipant, branch) in stale.iter().filter(|(_, branch)| batch.ids.contains(&branch.id)) {
                    branches::delete(tx, *pacticipant, branch)?;
                    deleted.branches += 1;
                }
            }
            Stage::Versions => deleted.versions = retention::delete_versions(tx, policy, now, &batch.ids)?,
            Stage::Leftovers(kind) => {
                let count = retention::delete_leftovers(tx, kind, policy, now, &batch.ids)?;
                match kind {
                    Leftover::Revision => deleted.revisions = count,
                    Leftover::Result => deleted.results = count,
                    Leftover::Content => deleted.contents = count,
                }
            }
        }
        Ok(deleted)
    }

    /// Adds the next versions whose IDs are greater than `after` to a preview. Returns the ID at which to continue, or
    /// `None` if there are no more versions.
    pub fn preview_versions(
        &self,
        tx: &mut Tx<'_>,
        preview: &mut Preview,
        after: i64,
    ) -> Result<Option<i64>, StoreError> {
        let versions = self.versions(tx, after)?;
        for version in &versions {
            preview.add_version(version);
        }
        let ids = |is_kept: bool| -> Vec<i64> {
            let versions = versions.iter().filter(|version| version.is_kept() == is_kept);
            versions.map(|version| version.id).collect()
        };
        let (kept, deleted) = (ids(true), ids(false));
        let count = |tx: &mut Tx<'_>, kind| retention::count_leftovers(tx, kind, &self.policy, self.now, &kept);
        preview.revisions += count(tx, Leftover::Revision)?;
        preview.results += count(tx, Leftover::Result)?;
        preview.kept_contents.extend(retention::published_contents(tx, &kept)?);
        preview
            .freed_contents
            .extend(retention::published_contents(tx, &deleted)?);
        Ok(versions.last().map(|version| version.id))
    }

    /// Sets the branches of a preview: up to `limit` branches that a run would delete.
    pub fn preview_branches(&self, tx: &mut Tx<'_>, preview: &mut Preview, limit: i64) -> Result<(), StoreError> {
        let stale = retention::stale_branches(tx, &self.policy, self.now, limit)?;
        let ids: Vec<i64> = stale.iter().map(|(_, branch)| branch.id).collect();
        preview.branches = retention::names_of_branches(tx, &ids)?;
        Ok(())
    }

    /// Sets the number of contents that a run would delete. All versions must have been added to the preview before.
    pub fn preview_contents(&self, tx: &mut Tx<'_>, preview: &mut Preview) -> Result<(), StoreError> {
        let freed = preview.freed_contents.difference(&preview.kept_contents).count();
        preview.contents =
            i64::try_from(freed).unwrap_or(i64::MAX) + retention::count_orphans(tx, &self.policy, self.now)?;
        Ok(())
    }
}

/// The rows that a run would delete, and the rules that keep other versions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Preview {
    pub branches: Vec<(String, String)>,
    /// The previews by application name.
    pub applications: BTreeMap<String, ApplicationPreview>,
    pub revisions: i64,
    pub results: i64,
    pub contents: i64,
    /// The IDs of the contents that kept versions have published.
    kept_contents: HashSet<i64>,
    freed_contents: HashSet<i64>,
}

/// The versions of one application that a run would delete and keep.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ApplicationPreview {
    /// Numbers of the versions to delete, oldest first.
    pub deleted: Vec<String>,
    /// Number of versions that are kept because they, or their contracts or results, are younger than the policy's
    /// limit.
    pub young: u64,
    /// Number of old versions that each rule keeps. A version may be counted for several rules.
    pub kept_by: BTreeMap<KeepRule, u64>,
    /// Number of old versions that at least one rule keeps.
    pub old_kept: u64,
}

impl Preview {
    fn add_version(&mut self, version: &VersionStatus) {
        let application = self.applications.entry(version.pacticipant.clone()).or_default();
        if !version.is_old {
            application.young += 1;
        } else if version.kept_by.is_empty() {
            application.deleted.push(version.number.clone());
        } else {
            application.old_kept += 1;
            for rule in &version.kept_by {
                *application.kept_by.entry(*rule).or_default() += 1;
            }
        }
    }
}
