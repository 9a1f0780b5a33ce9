//! Fills an empty database version by version, like months of builds. It calls the use cases behind the API directly,
//! without HTTP.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

use contract_broker::{Database, Limits, Rules, TokenRequest};
use contract_broker_core::cases::publish::{ContractToPublish, VersionToPublish, publish_version};
use contract_broker_core::cases::results::{self, ResultToPublish};
use contract_broker_core::cases::settings::PublishSettings;
use contract_broker_core::cases::webhooks::{EventContract, EventLinks, EventSettings};
use contract_broker_core::cases::{CaseError, deployments, tokens};
use contract_broker_core::sql::environments::{self, Description, Environment};
use contract_broker_core::sql::pacticipants::{self, Details};
use contract_broker_core::sql::pacts::{self, Publication};
use contract_broker_core::sql::results::Report;
use contract_broker_core::sql::versions;
use contract_broker_core::store::{Store, StoreError, Tx, TxOutcome};
use contract_broker_domain::access::{Grants, Scope};
use contract_broker_domain::content::Content;
use contract_broker_domain::time;
use tokio::runtime::Runtime;

use crate::world::{self, ENVIRONMENTS, INSTANCES, World, name, version};

/// Number of threads that write versions, each in its own transactions.
const THREADS: usize = 8;
/// Maximum number of services per transaction. SQLite's writer commits the transactions of all threads together, with a
/// savepoint for each. Statements become slower as their savepoint changes more pages, so transactions are small.
const SERVICES: usize = 10;

/// A publication of each contract content. Keys: index of the pair, index of the content.
type Publications = HashMap<(usize, usize), Publication>;

/// The URL for publishing results of each contract content. Keys: index of the pair, index of the content.
pub(crate) type Contents = HashMap<(usize, usize), String>;

/// What the measurements need to know about the generated data.
pub(crate) struct Filled {
    pub(crate) contents: Contents,
    pub(crate) versions: usize,
    /// A valid API token.
    pub(crate) token: String,
}

/// Links for webhook requests. Never used, because the generated data contains no webhooks.
struct NoLinks;

impl EventLinks for NoLinks {
    fn content(&self, _: &EventContract<'_>) -> String {
        String::new()
    }

    fn result(&self, _: &EventContract<'_>, _: i64) -> String {
        String::new()
    }
}

/// A database to which data is being added.
struct Filling<'a> {
    world: &'a World,
    store: Store,
    runtime: Runtime,
    environments: Vec<Environment>,
    /// Database IDs of the services.
    services: Vec<i64>,
    publications: Mutex<Publications>,
    /// Number of results that are still to be published.
    results: AtomicUsize,
}

/// Fills the database, or reads the IDs if an earlier run has filled it. Adds a token in both cases. Also returns true
/// if an earlier run has filled the database.
pub(crate) fn fill(database: &Database, world: &World) -> (Filled, bool) {
    let runtime = Runtime::new().unwrap_or_else(|error| crate::fail(&error.to_string()));
    let opened = runtime.block_on(Store::open(database, &Limits::default()));
    let mut filling = Filling {
        world,
        store: opened.unwrap_or_else(|error| crate::fail(&error.to_string())),
        runtime,
        environments: Vec::new(),
        services: Vec::new(),
        publications: Mutex::default(),
        results: AtomicUsize::new(world.size.results),
    };
    let is_known = filling.write(|tx| Ok(pacticipants::find(tx, &name(0))?.is_some()));
    if is_known {
        filling.read_publications();
    } else {
        filling.create_services();
        filling.create_versions();
    }
    let count = filling.write(|tx| {
        let count = tx.query_row("SELECT COUNT(*) FROM version", &[])?;
        Ok(count.map_or(0, |row| row.columns().int()))
    });
    let token = filling.add_token();
    filling.runtime.block_on(filling.store.close());
    let publications = filling.publications.into_inner().unwrap_or_default();
    let contents = publications
        .into_iter()
        .map(|(key, publication)| (key, results_url(&publication)));
    let filled = Filled {
        contents: contents.collect(),
        versions: usize::try_from(count).unwrap_or_default(),
        token,
    };
    (filled, is_known)
}

/// Returns the path for publishing results of a contract.
fn results_url(publication: &Publication) -> String {
    format!(
        "/pacts/provider/{}/consumer/{}/pact-version/{}/verification-results",
        publication.provider, publication.consumer, publication.sha
    )
}

impl Filling<'_> {
    /// Runs work in a transaction.
    fn write<O, F>(&self, mut work: F) -> O
    where
        O: Send + 'static,
        F: FnMut(&mut Tx<'_>) -> Result<O, StoreError> + Send + 'static,
    {
        let written = self.store.write(move |tx| work(tx).map(TxOutcome::Commit));
        let written = self.runtime.block_on(written);
        written.unwrap_or_else(|error| crate::fail(&error.to_string()))
    }

    fn add_token(&self) -> String {
        let request = TokenRequest {
            label: "load".to_owned(),
            // The pages include those of administrators.
            scopes: vec!["admin".to_owned()],
            days: Some(1),
        };
        self.write(move |tx| match tokens::create(tx, &request, "load", time::now()) {
            Ok((token, _)) => Ok(token),
            Err(CaseError::Store(error)) => Err(error),
            Err(CaseError::Rejected(rejection)) => crate::fail(&rejection.to_string()),
        })
    }

    fn create_services(&mut self) {
        let count = self.world.size.services;
        self.services = self.write(move |tx| {
            let details = Details {
                main_branch: Some("main".to_owned()),
                ..Details::default()
            };
            let create = |service| {
                let (created, _) = pacticipants::find_or_create(tx, &name(service), time::now())?;
                pacticipants::update(tx, created.id, &details, time::now())?;
                Ok(created.id)
            };
            (0..count).map(create).collect::<Result<Vec<_>, StoreError>>()
        });
        self.environments = self.write(|tx| {
            let create = |name: &&'static str| {
                let description = Description {
                    name,
                    display_name: name,
                    production: *name == "prod",
                    contacts: None,
                };
                environments::create(tx, &description, time::now())
            };
            ENVIRONMENTS.iter().map(create).collect()
        });
    }

    fn create_versions(&self) {
        let barrier = Barrier::new(THREADS);
        let groups: Vec<Vec<Vec<usize>>> = (0..THREADS).map(|thread| self.groups(thread)).collect();
        std::thread::scope(|scope| {
            let mut senders = Vec::new();
            for own in &groups {
                // The contents of the next versions are prepared while the current versions are written.
                let (sender, prepared) = sync_channel(own.len());
                senders.push(sender);
                let barrier = &barrier;
                scope.spawn(move || self.write_versions(own, &prepared, barrier));
            }
            let groups = &groups;
            scope.spawn(move || self.prepare_versions(groups, &senders));
        });
    }

    /// Returns the services of a thread, in one group per transaction.
    fn groups(&self, thread: usize) -> Vec<Vec<usize>> {
        let own: Vec<usize> = (thread..self.world.size.services).step_by(THREADS).collect();
        own.chunks(SERVICES).map(<[usize]>::to_vec).collect()
    }

    /// Prepares the versions with new contents of each thread's groups.
    fn prepare_versions(&self, groups: &[Vec<Vec<usize>>], senders: &[SyncSender<Vec<VersionToPublish>>]) {
        for number in (0..self.world.size.versions_of_each()).step_by(world::SAME) {
            for (own, sender) in groups.iter().zip(senders) {
                for services in own {
                    let versions = services.iter().map(|service| self.version(*service, number));
                    if sender.send(versions.collect()).is_err() {
                        return;
                    }
                }
            }
        }
    }

    fn write_versions(&self, groups: &[Vec<usize>], prepared: &Receiver<Vec<VersionToPublish>>, barrier: &Barrier) {
        let publishing: Vec<_> = groups.iter().map(|_| Arc::new(Mutex::new(Vec::new()))).collect();
        for number in 0..self.world.size.versions_of_each() {
            for versions in &publishing {
                if number.is_multiple_of(world::SAME) {
                    let new = prepared.recv();
                    *lock(versions) = new.unwrap_or_else(|error| crate::fail(&error.to_string()));
                }
                self.publish(number, versions);
            }
            // All contracts must be published before their verification.
            barrier.wait();
            for services in groups {
                self.verify(services, number);
            }
        }
    }

    /// Publishes version `number` of the services in `publishing`, with the contents that it contains.
    fn publish(&self, number: usize, publishing: &Arc<Mutex<Vec<VersionToPublish>>>) {
        for version in lock(publishing).iter_mut() {
            version.number = world::version(number);
            version.branch = Some(self.world.branch(number));
        }
        let has_new_contents = number.is_multiple_of(world::SAME);
        let publishing = Arc::clone(publishing);
        let published = self.write(move |tx| {
            let (rules, grants) = (Rules::default(), Grants::new([Scope::Admin]));
            let settings = PublishSettings {
                rules: &rules,
                grants: &grants,
                links: &NoLinks,
                now: time::now(),
            };
            let mut publications = Vec::new();
            for version in lock(&publishing).iter() {
                publish_version(tx, settings, version).map_err(|error| match error {
                    CaseError::Store(error) => error,
                    CaseError::Rejected(rejection) => crate::fail(&rejection.to_string()),
                })?;
                if has_new_contents {
                    publications.extend(publications_of(tx, &version.consumer, &version.number)?);
                }
            }
            Ok(publications)
        });
        self.remember(published, world::content(number));
    }

    fn version(&self, service: usize, number: usize) -> VersionToPublish {
        let contracts = self.world.uses(service).map(|(at, pair)| {
            let text = self.world.contract(at, world::content(number));
            let content = Content::read(text.as_bytes());
            let content = content.unwrap_or_else(|error| crate::fail(&error.to_string()));
            // Compress the content here, because the thread that writes to the database is the busiest one.
            let _ = content.packed();
            ContractToPublish {
                provider: name(pair.provider),
                content,
                merge: false,
            }
        });
        VersionToPublish {
            consumer: name(service),
            number: version(number),
            branch: None,
            tags: Vec::new(),
            build_url: None,
            contracts: contracts.collect(),
        }
    }

    fn remember(&self, published: Vec<Publication>, content: usize) {
        let mut publications = lock(&self.publications);
        for publication in published {
            let pair = self.world.pair(&publication.consumer, &publication.provider);
            publications.insert((pair, content), publication);
        }
    }

    /// Verifies the newest contracts with each service, and older ones while `results` is not 0. Then deploys the
    /// versions.
    fn verify(&self, services: &[usize], number: usize) {
        let mut reports = Vec::new();
        {
            let publications = lock(&self.publications);
            for service in services {
                let contents = (0..8).filter_map(|back| world::content(number).checked_sub(back));
                let known = contents
                    .flat_map(|content| self.world.used_by(*service).map(move |(at, _)| (at, content)))
                    .filter_map(|(at, content)| Some((at, publications.get(&(at, content))?)));
                for (at, publication) in known.take(self.world.size.results_of_each()) {
                    let take = |left: usize| left.checked_sub(1);
                    if self
                        .results
                        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
                        .is_err()
                    {
                        break;
                    }
                    // One in fifty fails.
                    reports.push(Verification::new(publication.clone(), number, (number + at) % 50 != 7));
                }
            }
        }
        let deployed = ENVIRONMENTS.iter().enumerate();
        // Test environments have more deployments than production.
        let deployed = deployed.filter(|(at, _)| number.is_multiple_of(5 << at));
        let environments: Vec<Environment> = deployed.map(|(at, _)| self.environments[at].clone()).collect();
        let services: Vec<(i64, String)> = services
            .iter()
            .map(|service| (self.services[*service], name(*service)))
            .collect();
        self.write(move |tx| {
            let rules = Rules::default();
            for report in &reports {
                report.publish(tx, &rules)?;
            }
            for environment in &environments {
                for (id, name) in &services {
                    let (deployed, _) = versions::find_or_create(tx, (*id, name), &version(number), time::now())?;
                    for instance in INSTANCES {
                        deployments::deploy(tx, &deployed, environment, instance, time::now())?;
                    }
                }
            }
            Ok(())
        });
    }

    fn read_publications(&self) {
        let versions = self.world.size.versions_of_each();
        for service in 0..self.world.size.services {
            for number in (0..versions).step_by(world::SAME) {
                let published = self.write(move |tx| publications_of(tx, &name(service), &version(number)));
                self.remember(published, world::content(number));
            }
        }
    }
}

fn publications_of(tx: &mut Tx<'_>, consumer: &str, number: &str) -> Result<Vec<Publication>, StoreError> {
    let found = pacticipants::find(tx, consumer)?;
    let version = match found {
        Some(consumer) => versions::find(tx, consumer.id, number)?,
        None => None,
    };
    version.map_or(Ok(Vec::new()), |version| pacts::of_versions(tx, &[version.id]))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A result that is still to be published.
struct Verification {
    contract: Publication,
    /// The provider's version number.
    number: String,
    success: bool,
    test_results: String,
    verified_by: String,
}

impl Verification {
    fn new(contract: Publication, number: usize, success: bool) -> Self {
        let sent = world::result_value(number, success);
        let text = |name: &str| sent[name].to_string();
        Self {
            contract,
            number: version(number),
            success,
            test_results: text("testResults"),
            verified_by: text("verifiedBy"),
        }
    }

    fn publish(&self, tx: &mut Tx<'_>, rules: &Rules) -> Result<(), StoreError> {
        let settings = EventSettings {
            rules,
            links: &NoLinks,
            now: time::now(),
        };
        let publishing = ResultToPublish {
            contract: &self.contract,
            selected: &[],
            number: &self.number,
            report: Report {
                success: self.success,
                wip: false,
                build_url: None,
                test_results: Some(&self.test_results),
                verified_by: Some(&self.verified_by),
            },
        };
        results::publish(tx, settings, &publishing).map(drop)
    }
}
