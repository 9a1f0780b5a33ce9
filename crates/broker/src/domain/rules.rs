use std::time::Duration;

/// What a broker does by itself and what it refuses. The defaults are those of the field's brokers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Whether a version may publish another contract in place of one that it published before. Verdicts were made from that
    /// one. Not by default.
    pub contracts_may_change: bool,
    /// Whether names of applications are refused that are new and nearly known ones. So by default.
    pub refuse_similar_names: bool,
    /// Whether a tag with the name of an environment records a deployment to it. So by default.
    pub tags_are_deployments: bool,
    /// How long after its creation the first tag of a version without a branch names its branch, too; 10 seconds by default.
    /// `None`: never.
    pub first_tag_is_branch: Option<Duration>,
    /// Branches that become the main one of an application that has none: develop, main and master by default.
    pub main_branches: Vec<String>,
}

impl Default for Rules {
    fn default() -> Self {
        Self {
            contracts_may_change: false,
            refuse_similar_names: true,
            tags_are_deployments: true,
            first_tag_is_branch: Some(Duration::from_secs(10)),
            main_branches: ["develop", "main", "master"].map(str::to_owned).to_vec(),
        }
    }
}

impl Rules {
    pub(crate) fn is_main_branch(&self, name: &str) -> bool {
        self.main_branches.iter().any(|known| known == name)
    }

    /// Whether a first tag, so many milliseconds after the version's creation, names its branch.
    pub(crate) fn names_branch(&self, age: i64) -> bool {
        let within = self
            .first_tag_is_branch
            .map(|within| i64::try_from(within.as_millis()).unwrap_or(i64::MAX));
        within.is_some_and(|within| age <= within)
    }
}
