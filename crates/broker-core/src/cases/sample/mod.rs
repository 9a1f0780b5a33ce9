//! Sample data: a fictional shop with 40 applications. Users can load it into an empty broker to try out the pages, and
//! remove it later.

mod contracts;
mod shop;

use serde_json::json;

use super::CaseError;
use super::import::{
    self, ImportedApplication, ImportedContent, ImportedContract, ImportedEnvironment, ImportedLink, ImportedPresence,
    ImportedResult, ImportedRevision, ImportedVersion, Record,
};
use crate::sql::environments::{self, PresenceKind};
use crate::sql::pacticipants::{self, Details, Pacticipant};
use crate::store::{StoreError, Tx};
use contract_broker_domain::content::Content;
use contracts::Contract;
use shop::{Application, INTEGRATIONS, Release};

/// The label that identifies the sample applications.
pub const LABEL: &str = "sample-data";
/// The UUID and the name of each environment, and whether it is a production environment.
const ENVIRONMENTS: [(&str, &str, bool); 2] = [
    ("5a3b1e00-0000-4000-8000-000000000001", "staging", false),
    ("5a3b1e00-0000-4000-8000-000000000002", "production", true),
];
const MINUTE: i64 = 60_000;
const HOUR: i64 = 60 * MINUTE;

/// Sample data was not loaded, because the broker already has applications or environments.
#[derive(Debug, thiserror::Error)]
#[error("The broker has applications or environments. Sample data can only be loaded into an empty broker.")]
pub struct NotEmpty;

/// Adds the sample applications with their contracts, results, and deployments. All dates are before `now`. Returns the
/// number of applications.
pub fn load(tx: &mut Tx<'_>, now: i64) -> Result<usize, CaseError<NotEmpty>> {
    if !is_empty(tx)? {
        return Err(CaseError::Rejected(NotEmpty));
    }
    let applications = shop::applications();
    for record in records(&applications, now) {
        import::add(tx, &record)?;
    }
    Ok(applications.len())
}

/// Returns whether the broker has neither applications nor environments, so that sample data can be loaded.
pub fn is_empty(tx: &mut Tx<'_>) -> Result<bool, StoreError> {
    Ok(pacticipants::names(tx)?.is_empty() && environments::all(tx)?.is_empty())
}

/// Returns the applications that `load` added. They have a name of the shop and still have the label.
pub fn applications(tx: &mut Tx<'_>) -> Result<Vec<Pacticipant>, StoreError> {
    let mut found = pacticipants::by_label(tx, LABEL)?;
    found.retain(|one| shop::is_name(&one.name));
    Ok(found)
}

/// Deletes the sample applications with all of their data. Also deletes the sample environments, unless another
/// application is or was deployed or released there. Returns the number of deleted applications.
pub fn remove(tx: &mut Tx<'_>) -> Result<usize, StoreError> {
    let applications = applications(tx)?;
    for application in &applications {
        pacticipants::delete(tx, application.id)?;
    }
    for (uuid, ..) in ENVIRONMENTS {
        if let Some(environment) = environments::find(tx, uuid)?
            && !environments::is_used(tx, environment.id)?
        {
            environments::delete(tx, environment.id)?;
        }
    }
    Ok(applications.len())
}

fn records(applications: &[Application], now: i64) -> Vec<Record> {
    let shop = Shop { applications, now };
    let mut records: Vec<Record> = ENVIRONMENTS.iter().map(|one| shop.environment(*one)).collect();
    records.extend(applications.iter().map(|one| shop.application(one)));
    for release in [Release::Older, Release::Newer] {
        records.extend(applications.iter().map(|one| shop.version(one, release)));
    }
    let mut results = Vec::new();
    for (consumer, providers) in INTEGRATIONS {
        for provider in *providers {
            let pair = Pair::new(&shop, consumer, provider);
            records.extend(pair.contracts());
            results.extend(pair.results());
        }
    }
    // The last result that is added is the newest.
    results.sort_by_key(|result: &ImportedResult| result.created_at);
    records.extend(results.into_iter().map(Record::Result));
    records.extend(shop.presences());
    records
}

struct Shop<'a> {
    applications: &'a [Application],
    now: i64,
}

impl Shop<'_> {
    fn find(&self, name: &str) -> &Application {
        let found = self.applications.iter().find(|one| one.name == name);
        found.expect("all names are those of applications")
    }

    /// Returns the creation time of a version.
    fn time(&self, application: &Application, release: Release) -> i64 {
        self.now - application.age(release)
    }

    fn environment(&self, (uuid, name, production): (&str, &str, bool)) -> Record {
        Record::Environment(ImportedEnvironment {
            uuid: uuid.to_owned(),
            name: name.to_owned(),
            display_name: name.to_owned(),
            production,
            contacts: None,
            created_at: self.now - 90 * 24 * HOUR,
        })
    }

    fn application(&self, source: &Application) -> Record {
        let created_at = self.now - 90 * 24 * HOUR;
        let team = source.team().map(|team| format!("team:{team}"));
        Record::Application(ImportedApplication {
            name: source.name.to_owned(),
            details: Details {
                main_branch: Some("main".to_owned()),
                repository_url: Some(format!("https://git.fernway.example/{}", source.name)),
                ..Details::default()
            },
            labels: team.into_iter().chain([LABEL.to_owned()]).collect(),
            created_at,
            updated_at: created_at,
        })
    }

    fn version(&self, application: &Application, release: Release) -> Record {
        let created_at = self.time(application, release);
        Record::Version(ImportedVersion {
            application: application.name.to_owned(),
            number: application.version(release),
            build_url: Some(build_url(application, release)),
            branches: vec![ImportedLink {
                name: "main".to_owned(),
                automatic: false,
                created_at,
            }],
            tags: Vec::new(),
            created_at,
            is_old: false,
        })
    }

    fn presences(&self) -> Vec<Record> {
        let mut all: Vec<(&Application, Release, usize, i64, Option<i64>)> = Vec::new();
        for application in self.applications {
            let [older, newer] = [Release::Older, Release::Newer].map(|release| self.time(application, release));
            if application.is_deployed(0) {
                all.push((
                    application,
                    Release::Older,
                    0,
                    older + 25 * MINUTE,
                    Some(newer + 25 * MINUTE),
                ));
                all.push((application, Release::Newer, 0, newer + 25 * MINUTE, None));
            }
            if application.is_deployed(1) {
                let end = (!application.is_ahead()).then_some(newer + 2 * HOUR);
                all.push((application, Release::Older, 1, older + 24 * HOUR, end));
                all.extend(end.map(|begin| (application, Release::Newer, 1, begin, None)));
            }
        }
        let presence = |(at, (application, release, environment, created_at, ended_at)): (
            usize,
            (&Application, _, usize, _, _),
        )| {
            Record::Presence(ImportedPresence {
                kind: PresenceKind::Deployed,
                uuid: format!("5a3b1e00-0000-4000-8001-{at:012}"),
                application: application.name.to_owned(),
                version: application.version(release),
                environment: ENVIRONMENTS[environment].0.to_owned(),
                instance: None,
                created_at,
                ended_at,
            })
        };
        all.into_iter().enumerate().map(presence).collect()
    }
}

fn build_url(application: &Application, release: Release) -> String {
    let number = match release {
        Release::Older => 8790,
        Release::Newer => 8812,
    };
    format!("https://ci.fernway.example/{}/builds/{number}", application.name)
}

struct Pair<'a> {
    shop: &'a Shop<'a>,
    consumer: &'a Application,
    provider: &'a Application,
    contracts: [Contract; 2],
}

impl<'a> Pair<'a> {
    fn new(shop: &'a Shop<'a>, consumer: &str, provider: &str) -> Self {
        Self {
            shop,
            consumer: shop.find(consumer),
            provider: shop.find(provider),
            contracts: [Release::Older, Release::Newer].map(|release| Contract::new(consumer, provider, release)),
        }
    }

    fn contracts(&self) -> Vec<Record> {
        let mut records = Vec::new();
        for (release, contract) in [Release::Older, Release::Newer].into_iter().zip(&self.contracts) {
            let created_at = self.shop.time(self.consumer, release);
            let text = contract.document.to_string();
            let content = Content::read(text.as_bytes()).expect("the document is an object");
            let sha = content.sha.clone();
            records.push(Record::Content(ImportedContent {
                consumer: self.consumer.name.to_owned(),
                provider: self.provider.name.to_owned(),
                content,
                size: text.len(),
                created_at,
            }));
            records.push(Record::Contract(ImportedContract {
                consumer: self.consumer.name.to_owned(),
                version: self.consumer.version(release),
                provider: self.provider.name.to_owned(),
                revisions: vec![ImportedRevision { sha, created_at }],
            }));
        }
        records
    }

    /// Returns the results, some of which fail: `checkout` 4.12.0 cannot be deployed to production because `payments`
    /// 7.3.1 lacks a field, and `orders` 9.14.0 was deployed without a check although it broke `returns`.
    fn results(&self) -> Vec<ImportedResult> {
        use Release::{Newer, Older};
        let passed = |consumer, provider| self.result(consumer, provider, None);
        match (self.consumer.name, self.provider.name) {
            ("marketplace-api", "supplier-gateway") => Vec::new(),
            ("checkout", "loyalty") | ("mobile-bff", "promotions") => vec![passed(Older, Older)],
            ("checkout", "payments") => {
                let failure = ("$.authorization.expiresAt", "\"2026-11-22T18:30:00Z\"");
                vec![
                    passed(Older, Older),
                    passed(Older, Newer),
                    passed(Newer, Newer),
                    ImportedResult {
                        created_at: self.shop.now - 38 * MINUTE,
                        ..self.result(Newer, Older, Some(failure))
                    },
                ]
            }
            ("returns", "orders") => vec![
                passed(Older, Older),
                passed(Newer, Older),
                self.result(Newer, Newer, Some(("$.refundable", "true"))),
            ],
            _ => vec![passed(Older, Older), passed(Newer, Older), passed(Newer, Newer)],
        }
    }

    /// Returns the result of a verification. If there is a `failure`, the first interaction fails because of a missing
    /// field; the tuple contains the field's path and its expected value.
    fn result(&self, consumer: Release, provider: Release, failure: Option<(&str, &str)>) -> ImportedResult {
        let contract = &self.contracts[usize::from(consumer == Release::Newer)];
        let tests = contract.descriptions().enumerate().map(|(at, description)| {
            let mismatch = failure.filter(|_| at == 0).map(|(path, expected)| {
                json!({
                    "attribute": "body",
                    "identifier": path,
                    "description": format!("Expected {path} to be present, but it is missing"),
                    "expected": expected,
                    "actual": null,
                })
            });
            json!({
                "interactionDescription": description,
                "success": mismatch.is_none(),
                "mismatches": mismatch.into_iter().collect::<Vec<_>>(),
            })
        });
        let text = contract.document.to_string();
        let begun = self
            .shop
            .time(self.consumer, consumer)
            .max(self.shop.time(self.provider, provider));
        ImportedResult {
            consumer: self.consumer.name.to_owned(),
            provider: self.provider.name.to_owned(),
            sha: Content::read(text.as_bytes()).expect("the document is an object").sha,
            provider_version: self.provider.version(provider),
            occurrence: 1,
            is_rounded: false,
            success: failure.is_none(),
            wip: false,
            build_url: Some(build_url(self.provider, provider)),
            test_results: Some(tests.collect::<serde_json::Value>().to_string()),
            verified_by: Some(json!({ "implementation": "contract" }).to_string()),
            created_at: begun + (3 + i64::from(self.consumer.number % 7)) * MINUTE,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cases::deployments;
    use crate::sql::versions;
    use crate::store::steps::StepCounter;

    const NOW: i64 = 1_800_000_000_000;

    #[test]
    fn every_record_is_added_and_precedes_the_load() {
        let applications = shop::applications();
        let work = |tx: &mut Tx<'_>| {
            for record in records(&applications, NOW) {
                let outcome = import::add(tx, &record)?;
                assert!(
                    !matches!(outcome, import::Outcome::Rejected(_)),
                    "{outcome:?}: {record:?}"
                );
                let at = match record {
                    Record::Version(version) => version.created_at,
                    Record::Result(result) => result.created_at,
                    Record::Presence(presence) => presence.ended_at.unwrap_or(presence.created_at),
                    _ => 0,
                };
                assert!(at < NOW, "a record is {} ms in the future", at - NOW);
            }
            Ok(())
        };
        StepCounter::new().steps(work);
    }

    #[test]
    fn removal_keeps_other_applications_and_the_environments_where_they_run() {
        let work = |tx: &mut Tx<'_>| {
            assert_eq!(load(tx, NOW).ok(), Some(40));
            assert!(matches!(load(tx, NOW), Err(CaseError::Rejected(NotEmpty))));
            let (own, _) = pacticipants::find_or_create(tx, "own", NOW)?;
            let (version, _) = versions::find_or_create(tx, (own.id, "own"), "1", NOW)?;
            let staging = environments::find_named(tx, "staging")?.expect("an environment");
            deployments::deploy(tx, &version, &staging, "", NOW)?;
            assert_eq!(remove(tx)?, 40);
            assert_eq!(pacticipants::names(tx)?, ["own"]);
            let names: Vec<String> = environments::all(tx)?.into_iter().map(|one| one.name).collect();
            assert_eq!(names, ["staging"]);
            Ok(())
        };
        StepCounter::new().steps(work);
    }
}
