//! What a build is of.

use super::detect::{self, Found, Given, Undetected};
use crate::environment::Environment;

/// What a build is of, as continuous integration and the version control say.
pub(crate) struct Build {
    pub(crate) version: String,
    /// None in the build of a tag.
    pub(crate) branch: Option<String>,
    pub(crate) url: Option<String>,
}

/// Looks for what a build is of; for its branch only if nobody has said that.
pub(crate) fn build_of(environment: &Environment, has_branch: bool) -> Result<Build, Undetected> {
    let given = Given {
        commit: false,
        branch: has_branch,
    };
    let found = detect::detect(environment, given)?;
    let value = |found: Option<Found>| found.map(|found| found.value);
    Ok(Build {
        version: value(found.commit).unwrap_or_default(),
        branch: value(found.branch),
        url: value(found.build_url),
    })
}
