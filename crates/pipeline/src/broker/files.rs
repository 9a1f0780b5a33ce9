//! Reads the contract files to publish.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use contract_model::{Contract, InteractionKind, Json, SpecificationVersion};

use super::failure::BrokerFailure;
use crate::sources::{ContractSet, FIXED_LIMIT, Located, SIZE_LIMIT, Source};
use contract_call::files;
use contract_call::message::{Canonical, Message, message, setting};

/// The contracts to publish, by the names of their consumer and provider.
pub(super) type Contracts = BTreeMap<String, BTreeMap<String, ToPublish>>;

#[derive(Clone, Debug)]
pub(super) struct ToPublish {
    pub(super) files: Vec<String>,
    pub(super) content: Bytes,
    contract: Arc<Contract>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct Checks {
    /// Whether contracts with interactions that cannot be read are rejected.
    pub(super) validate: bool,
    /// Whether a warning is an error. Includes `validate`.
    pub(super) strict: bool,
    /// Whether different files with the same consumer and provider are merged. Otherwise, they are rejected.
    pub(super) merge: bool,
}

#[derive(Default)]
pub(super) struct Gathered {
    pub(super) contracts: Contracts,
    pub(super) warnings: Vec<String>,
}

pub(super) fn gather(paths: &[String], checks: Checks) -> Result<Gathered, BrokerFailure> {
    let refused = |message: Message| BrokerFailure::local("ERR_CONTRACT_SOURCE", message);
    let sources: Vec<Source> = paths.iter().map(|path| Source::Path { path: path.into() }).collect();
    for source in &sources {
        source.check()?;
    }
    let found = ContractSet::with_fixed_limits().read(&sources).into_all();
    let found = found.map_err(|error| refused(error.text(&Canonical).into()))?;
    if checks.strict
        && let Some(warning) = found.warnings.first()
    {
        let strict = setting("strict", "true");
        return Err(refused(message![
            warning.clone(),
            "; nothing was published because of ",
            strict
        ]));
    }
    let mut gathered = Gathered {
        warnings: found.warnings,
        ..Gathered::default()
    };
    for Located { named, .. } in found.contracts {
        if (checks.validate || checks.strict)
            && let Some(problem) = unreadable(&named.contract, &named.source)
        {
            return Err(refused(problem.into()));
        }
        let content = files::read(Path::new(&named.source), SIZE_LIMIT, FIXED_LIMIT)
            .map_err(|error| refused(format!("{}: {error}", named.source).into()))?;
        gathered.add(named.contract, named.source, content.into(), checks.merge)?;
    }
    if gathered.contracts.is_empty() {
        let places = paths.join(", ");
        let message =
            format!("no contract files found in {places}; run the consumer's tests first, or pass another path");
        return Err(refused(message.into()));
    }
    Ok(gathered)
}

/// Describes the first interaction that cannot be read, or returns `None` if there is none.
fn unreadable(contract: &Contract, source: &str) -> Option<String> {
    contract
        .interactions
        .iter()
        .find_map(|interaction| match &interaction.kind {
            InteractionKind::Unreadable(unreadable) => Some(format!(
                "{source}: interaction {:?} is invalid: {}",
                interaction.description, unreadable.reason
            )),
            _ => None,
        })
}

impl Gathered {
    fn add(&mut self, contract: Arc<Contract>, file: String, content: Bytes, merge: bool) -> Result<(), BrokerFailure> {
        let by_provider = self.contracts.entry(contract.consumer.to_string()).or_default();
        let Some(known) = by_provider.get_mut(contract.provider.as_str()) else {
            let provider = contract.provider.to_string();
            let to_publish = ToPublish {
                files: vec![file],
                content,
                contract,
            };
            by_provider.insert(provider, to_publish);
            return Ok(());
        };
        if known.files.contains(&file) {
            return Ok(());
        }
        if Json::parse(&known.content).ok() != Json::parse(&content).ok() {
            if !merge {
                let (first, consumer) = (&known.files[0], &contract.consumer);
                let message = message![
                    format!(
                        "{first} and {file} are different contracts between {consumer} and {}",
                        contract.provider
                    ),
                    "; pass only one of them, or merge them with ",
                    setting("merge", "true"),
                ];
                return Err(BrokerFailure::local("ERR_CONTRACT_SOURCE", message));
            }
            known.merge(&contract)?;
        }
        known.files.push(file);
        Ok(())
    }
}

impl ToPublish {
    fn merge(&mut self, other: &Contract) -> Result<(), BrokerFailure> {
        let failed = |problem: String| BrokerFailure::local("ERR_CONTRACT_SOURCE", problem);
        let mut whole = (*self.contract).clone();
        whole.merge(other.clone()).map_err(|error| failed(error.to_string()))?;
        let version = whole.specification.max(SpecificationVersion::V2);
        let written = whole.write(version).map_err(|error| failed(error.to_string()))?;
        self.content = written.text.into();
        self.contract = Arc::new(whole);
        Ok(())
    }
}

/// Returns the path of the file to which a contract is downloaded. It is always inside `directory`, even if a name
/// contains path separators.
pub(super) fn download_path(directory: &str, consumer: &str, provider: &str, version: Option<&str>) -> PathBuf {
    let plain = |name: &str| -> String {
        name.chars()
            .map(|c| {
                if c.is_alphanumeric() || "-_. ".contains(c) {
                    c
                } else {
                    '_'
                }
            })
            .collect()
    };
    let version = version
        .map(|version| format!("-{}", plain(version)))
        .unwrap_or_default();
    let name = format!("{}-{}{version}.json", plain(consumer), plain(provider));
    Path::new(directory).join(name.trim_start_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::{Checks, download_path, gather};

    const CONTRACT: &str = r#"{"consumer": {"name": "web"}, "provider": {"name": "orders"}, "interactions": [{"description": "D", "request": {"path": "/"}, "response": {"status": 200}}], "metadata": {"pactSpecification": {"version": "2.0.0"}}}"#;

    #[test]
    fn rejects_or_merges_files_of_the_same_integration() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = folder.path().display().to_string();
        let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).expect("a file");
        write("a.json", &CONTRACT.replace("\"D\"", "\"one\""));
        write("b.json", &CONTRACT.replace("\"D\"", "\"one\""));
        write("package.json", "{}");
        let paths = [place.clone()];
        let found = gather(&paths, Checks::default()).expect("contracts");
        assert_eq!(found.contracts["web"]["orders"].files.len(), 2);
        assert_eq!(found.warnings.len(), 1);
        write("b.json", &CONTRACT.replace("\"D\"", "\"two\""));
        let failure = gather(&paths, Checks::default()).err().expect("a refusal");
        let text = failure.text(&contract_call::message::Canonical);
        assert!(text.contains("a.json and ") && text.contains("merge: true"), "{text}");
        let merging = Checks {
            merge: true,
            ..Checks::default()
        };
        let found = gather(&paths, merging).expect("contracts");
        let text = String::from_utf8_lossy(&found.contracts["web"]["orders"].content).into_owned();
        assert!(text.contains("\"one\"") && text.contains("\"two\""), "{text}");
        let strict = Checks {
            strict: true,
            ..merging
        };
        assert!(gather(&paths, strict).is_err());
    }

    #[test]
    fn downloads_stay_in_their_directory() {
        for (consumer, provider) in [("../../etc", "x"), ("a/b", "c\\d"), ("..", "..")] {
            let path = download_path("out", consumer, provider, Some("1/2"));
            assert_eq!(path.parent(), Some(std::path::Path::new("out")), "{}", path.display());
        }
    }
}
