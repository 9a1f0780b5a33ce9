//! Collects the data for the page that previews the next retention run.

use contract_pages::pages::admin::retention::{Application, Retention};

use super::super::reply::HandlerResult;
use super::super::request::Request;
use super::page;
use contract_broker_core::cases::retention::{Preview, Run};
use contract_broker_core::store::{StoreError, Tx};
use contract_broker_domain::retention::{KeepRule, RetentionPolicy};

/// Maximum number of steps of a preview. Each step examines up to 1,000 versions.
const STEPS: usize = 3;
/// Maximum number of branches that a preview examines.
const BRANCHES: i64 = 1_000;

pub(crate) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let view = match &rq.retention {
        Some(policy) => preview(policy, tx, rq.now)?,
        None => Retention::default(),
    };
    Ok(page(view.page(&rq.shell())))
}

fn preview(policy: &RetentionPolicy, tx: &mut Tx<'_>, now: i64) -> Result<Retention, StoreError> {
    let run = Run::of_windows(policy, now);
    let mut preview = Preview::default();
    let mut after = Some(0);
    for _ in 0..STEPS {
        let Some(last) = after else { break };
        after = run.preview_versions(tx, &mut preview, last)?;
    }
    let is_complete = after.is_none();
    run.preview_branches(tx, &mut preview, BRANCHES)?;
    if is_complete {
        run.preview_contents(tx, &mut preview)?;
    }
    let applications = preview.applications.into_iter().map(|(name, versions)| Application {
        name,
        kept: versions
            .kept_by
            .iter()
            .map(|(rule, count)| (rule.describe(), *count))
            .collect(),
        deleted: versions.deleted,
        young: versions.young,
    });
    Ok(Retention {
        rules: Some(rules(policy)),
        applications: applications.collect(),
        branches: preview.branches,
        revisions: preview.revisions,
        results: preview.results,
        contents: is_complete.then_some(preview.contents),
        is_complete,
    })
}

/// Describes a retention policy in sentences.
fn rules(policy: &RetentionPolicy) -> Vec<String> {
    let mut rules = vec![format!(
        "Versions are kept for {} days, and then deleted unless a rule keeps them.",
        policy.days
    )];
    let kept = KeepRule::OPTIONAL.iter().filter(|rule| policy.keeps(**rule));
    let kept: Vec<&str> = kept.map(|rule| rule.describe()).collect();
    rules.push(format!("Kept longer: {}.", kept.join(", ")));
    rules.push(match policy.branch_days {
        Some(days) => {
            format!("Branches that have had no new version for {days} days are deleted, except main branches.")
        }
        None => "All branches are kept.".to_owned(),
    });
    rules
}
