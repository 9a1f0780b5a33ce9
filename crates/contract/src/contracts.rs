//! Reads contract files, for example to check or compare them.

use std::path::PathBuf;

use contract_model::Contract;
use contract_pipeline::{ContractSet, Source, SourceError};

use crate::Failure;

/// Contracts that were read from files.
#[derive(Debug)]
pub struct ContractFiles {
    /// The path of each file and the contract in it.
    pub contracts: Vec<(String, Contract)>,
    /// Warnings about unusual content in the files. Empty if there is none.
    pub warnings: Vec<String>,
}

/// Reads the contracts in these files, in directories (recursively), and in files that match a pattern such as
/// `contracts/*-orders.json`.
///
/// # Errors
///
/// Returns an error if a path does not exist. If files are not valid contracts, returns one error that lists all of
/// them.
pub fn read_contracts(paths: &[PathBuf]) -> Result<ContractFiles, Failure> {
    let sources: Vec<Source> = paths.iter().map(|path| Source::Path { path: path.clone() }).collect();
    for source in &sources {
        source.check().map_err(SourceError::from)?;
        source.find().map_err(SourceError::from)?;
    }
    let found = ContractSet::with_fixed_limits().read(&sources).into_all()?;
    let contracts = found.contracts.into_iter().map(|located| {
        let contract = std::sync::Arc::unwrap_or_clone(located.named.contract);
        (located.named.source, contract)
    });
    Ok(ContractFiles {
        contracts: contracts.collect(),
        warnings: found.warnings,
    })
}
