//! Matrix queries, which select versions and list the verification results between them.

use super::query::{list, objects, value};

/// Number of rows that a query returns if it sets no limit.
const DEFAULT_ROWS: i64 = 100;
/// Maximum value of the `limit` parameter.
const MAX_ROWS: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Query {
    pub selectors: Vec<Selector>,
    /// Versions whose results do not affect the verdict.
    pub ignore: Vec<Selector>,
    pub latest_by: LatestBy,
    pub destination: Option<Destination>,
    /// The results to return: passed, failed, or `None` for rows without a result. If empty, all rows are returned. The
    /// verdict always covers all rows.
    pub success: Vec<Option<bool>>,
    pub limit: i64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selector {
    pub pacticipant: String,
    pub versions: Versions,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Versions {
    Every,
    Number(String),
    Latest,
    Tag {
        tag: String,
        latest: bool,
    },
    Branch {
        branch: String,
        latest: bool,
    },
    MainBranch {
        latest: bool,
    },
    Environment(String),
    /// Versions that match all of these conditions.
    All(Vec<Versions>),
    /// The latest of the versions that match all of these conditions.
    LatestOf(Vec<Versions>),
}

impl Versions {
    /// Returns the names of all environments that occur in the conditions.
    pub fn environments(&self) -> Vec<&str> {
        match self {
            Self::Environment(name) => vec![name],
            Self::All(conditions) | Self::LatestOf(conditions) => {
                conditions.iter().flat_map(Self::environments).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns whether at least one condition is a version number.
    pub fn has_number(&self) -> bool {
        match self {
            Self::Number(_) => true,
            Self::All(conditions) | Self::LatestOf(conditions) => conditions.iter().any(Self::has_number),
            _ => false,
        }
    }
}

/// The rows to keep if a contract has multiple revisions or results.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LatestBy {
    /// All rows, one for each combination of revision and result.
    Nothing,
    /// The latest revision, with the latest result of each provider version.
    Both,
    /// The latest revision, with the latest result of the newest provider version only.
    Consumer,
}

/// The versions of other applications with which the selected versions must be compatible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination(pub Versions);

impl Default for Query {
    fn default() -> Self {
        Self {
            selectors: Vec::new(),
            ignore: Vec::new(),
            latest_by: LatestBy::Nothing,
            destination: None,
            success: Vec::new(),
            limit: DEFAULT_ROWS,
        }
    }
}

impl Query {
    /// Creates the query that determines whether an application's versions are compatible with a destination.
    pub fn deployment(pacticipant: &str, versions: Versions, destination: Versions, latest_by: LatestBy) -> Self {
        Self {
            selectors: vec![Selector {
                pacticipant: pacticipant.to_owned(),
                versions,
            }],
            destination: Some(Destination(destination)),
            latest_by,
            ..Self::default()
        }
    }

    /// Parses the query parameters of `/matrix`. Returns all errors, one sentence each.
    pub fn parse(pairs: &[(String, String)]) -> Result<Self, Vec<String>> {
        let mut errors = Vec::new();
        let selectors = objects(pairs, "q")
            .iter()
            .filter_map(|fields| selector(fields, &mut errors))
            .collect();
        let mut query = Self::options(pairs, &mut errors);
        query.selectors = selectors;
        if query.selectors.is_empty() && errors.is_empty() {
            errors.push(
                "At least one selector is required, for example q[][pacticipant]=NAME&q[][version]=NUMBER.".to_owned(),
            );
        }
        if errors.is_empty() { Ok(query) } else { Err(errors) }
    }

    /// Returns whether the query has no destination and selects every version of each application, so that it covers
    /// the history and not a deployment.
    pub fn selects_no_version(&self) -> bool {
        let mut selectors = self.selectors.iter();
        self.destination.is_none() && selectors.all(|selector| selector.versions == Versions::Every)
    }

    pub fn shows(&self, success: Option<bool>) -> bool {
        self.success.is_empty() || self.success.contains(&success)
    }

    /// Parses all parameters except the selectors. Adds a sentence to `errors` for each invalid parameter.
    pub fn options(pairs: &[(String, String)], errors: &mut Vec<String>) -> Self {
        let non_empty = |name: &str| value(pairs, name).filter(|text| !text.is_empty());
        let is_true = |name: &str| non_empty(name) == Some("true");
        let (latest, tag, environment) = (is_true("latest"), non_empty("tag"), non_empty("environment"));
        let main_branch = is_true("mainBranch");
        if [tag.is_some(), environment.is_some(), main_branch]
            .into_iter()
            .filter(|is_set| *is_set)
            .count()
            > 1
        {
            errors.push("Only one of tag, environment, and mainBranch can be set.".to_owned());
        }
        if latest && environment.is_some() {
            errors.push("latest=true cannot be combined with an environment.".to_owned());
        }
        let destination = if let Some(name) = environment {
            Some(Versions::Environment(name.to_owned()))
        } else if let Some(tag) = tag {
            Some(Versions::Tag {
                tag: tag.to_owned(),
                latest,
            })
        } else if main_branch {
            Some(Versions::MainBranch { latest })
        } else {
            latest.then_some(Versions::Latest)
        };
        let latest_by = match non_empty("latestby") {
            None => LatestBy::Nothing,
            Some("cvpv") => LatestBy::Both,
            Some("cvp") => LatestBy::Consumer,
            Some(_) => {
                errors.push("latestby must be cvpv or cvp.".to_owned());
                LatestBy::Nothing
            }
        };
        let limit = match non_empty("limit").map(str::parse::<i64>) {
            None => DEFAULT_ROWS,
            Some(Ok(limit)) if limit >= 1 => limit.min(MAX_ROWS),
            Some(_) => {
                errors.push("The limit must be an integer of at least 1.".to_owned());
                DEFAULT_ROWS
            }
        };
        let mut success = Vec::new();
        for text in list(pairs, "success") {
            match text {
                "true" => success.push(Some(true)),
                "false" => success.push(Some(false)),
                "" | "null" => success.push(None),
                _ => errors.push("success[] must be true, false, or empty.".to_owned()),
            }
        }
        let ignore = objects(pairs, "ignore")
            .iter()
            .filter_map(|fields| selector(fields, errors))
            .collect();
        Self {
            selectors: Vec::new(),
            ignore,
            latest_by,
            destination: destination.map(Destination),
            success,
            limit,
        }
    }
}

fn selector(fields: &[(String, String)], errors: &mut Vec<String>) -> Option<Selector> {
    let non_empty = |name: &str| value(fields, name).filter(|text| !text.is_empty()).map(str::to_owned);
    let Some(pacticipant) = non_empty("pacticipant") else {
        errors.push("Each selector must start with its pacticipant, for example q[][pacticipant]=NAME.".to_owned());
        return None;
    };
    let latest = non_empty("latest").as_deref() == Some("true");
    let main_branch = non_empty("mainBranch").as_deref() == Some("true");
    let mut conditions = Vec::new();
    conditions.extend(non_empty("version").map(Versions::Number));
    conditions.extend(non_empty("tag").map(|tag| Versions::Tag { tag, latest: false }));
    conditions.extend(non_empty("branch").map(|branch| Versions::Branch { branch, latest }));
    conditions.extend(main_branch.then_some(Versions::MainBranch { latest }));
    conditions.extend(non_empty("environment").map(Versions::Environment));
    if latest && conditions.iter().any(Versions::has_number) {
        errors.push(format!(
            "latest=true cannot be combined with a version for {pacticipant}."
        ));
        return None;
    }
    if main_branch && conditions.iter().any(|one| matches!(one, Versions::Branch { .. })) {
        errors.push(format!(
            "mainBranch cannot be combined with a branch for {pacticipant}."
        ));
        return None;
    }
    let versions = combine(conditions, latest);
    Some(Selector { pacticipant, versions })
}

/// Combines the conditions of a selector. With a branch, `latest` has no effect, because a branch selects its head.
/// Otherwise, `latest` selects the latest version that matches all conditions.
fn combine(mut conditions: Vec<Versions>, latest: bool) -> Versions {
    let is_branch = |one: &Versions| matches!(one, Versions::Branch { .. } | Versions::MainBranch { .. });
    let picks_latest = latest && !conditions.iter().any(is_branch);
    match conditions.len() {
        0 if latest => Versions::Latest,
        0 => Versions::Every,
        1 => match conditions.remove(0) {
            Versions::Tag { tag, .. } => Versions::Tag { tag, latest },
            other if picks_latest => Versions::LatestOf(vec![other]),
            other => other,
        },
        _ if picks_latest => Versions::LatestOf(conditions),
        _ => Versions::All(conditions),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::pairs;

    fn parse(query: &str) -> Result<Query, Vec<String>> {
        Query::parse(&pairs(query).expect("UTF-8"))
    }

    #[test]
    fn parses_the_queries_of_clients() {
        let query = parse("q[][pacticipant]=A&q[][version]=1&latestby=cvpv&environment=prod").expect("good");
        assert_eq!(query.selectors[0].versions, Versions::Number("1".to_owned()));
        assert_eq!(
            query.destination,
            Some(Destination(Versions::Environment("prod".to_owned())))
        );
        assert_eq!((query.latest_by, query.limit), (LatestBy::Both, 100));
        let query = parse("q[][pacticipant]=A&q[][branch]=b&q[][latest]=true&latestby=cvp&latest=true&mainBranch=true");
        let query = query.expect("good");
        assert_eq!(
            query.selectors[0].versions,
            Versions::Branch {
                branch: "b".to_owned(),
                latest: true
            }
        );
        assert_eq!(
            query.destination,
            Some(Destination(Versions::MainBranch { latest: true }))
        );
    }

    #[test]
    fn parses_ignored_versions() {
        let query = parse("q[][pacticipant]=A&ignore[][pacticipant]=B&ignore[][branch]=b&ignore[][pacticipant]=C");
        let ignored = query.expect("good").ignore;
        let branch = Versions::Branch {
            branch: "b".to_owned(),
            latest: false,
        };
        assert_eq!(
            ignored.iter().map(|one| &one.versions).collect::<Vec<_>>(),
            [&branch, &Versions::Every]
        );
    }

    #[test]
    fn latest_selects_one_of_the_versions_that_match_the_other_fields() {
        let versions = |fields: &str| {
            let query = parse(&format!("q[][pacticipant]=A&{fields}&q[][latest]=true")).expect("good");
            query.selectors[0].versions.clone()
        };
        let environment = || Versions::Environment("prod".to_owned());
        let tag = |latest: bool| Versions::Tag {
            tag: "t".to_owned(),
            latest,
        };
        let head = Versions::Branch {
            branch: "b".to_owned(),
            latest: true,
        };
        assert_eq!(versions("q[][tag]=t"), tag(true));
        assert_eq!(
            versions("q[][environment]=prod"),
            Versions::LatestOf(vec![environment()])
        );
        assert_eq!(
            versions("q[][tag]=t&q[][environment]=prod"),
            Versions::LatestOf(vec![tag(false), environment()])
        );
        assert_eq!(
            versions("q[][tag]=t&q[][branch]=b"),
            Versions::All(vec![tag(false), head])
        );
    }

    #[test]
    fn rejects_contradictions() {
        for query in [
            "",
            "q[][version]=1",
            "q[][pacticipant]=A&q[][version]=1&q[][latest]=true",
            "q[][pacticipant]=A&q[][mainBranch]=true&q[][branch]=b",
            "q[][pacticipant]=A&latestby=cp",
            "q[][pacticipant]=A&limit=0",
            "q[][pacticipant]=A&limit=x",
            "q[][pacticipant]=A&success[]=maybe",
            "q[][pacticipant]=A&tag=a&environment=b",
            "q[][pacticipant]=A&latest=true&environment=b",
            "q[][pacticipant]=A&ignore[][version]=1",
            "q[][pacticipant]=A&ignore[][pacticipant]=B&ignore[][version]=1&ignore[][latest]=true",
            // All names come before all versions, so the pairs are ambiguous.
            "q[][pacticipant]=A&q[][pacticipant]=B&q[][version]=1&q[][version]=2",
        ] {
            assert!(parse(query).is_err(), "{query}");
        }
    }
}
