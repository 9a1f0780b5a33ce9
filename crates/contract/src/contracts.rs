//! Reads contracts for purposes other than verification.

use std::path::PathBuf;

use contract_model::Contract;
use contract_pipeline::{ContractSet, Source, SourceError};

use crate::Failure;

/// The contracts in files and directories.
#[derive(Debug)]
pub struct ContractFiles {
    /// The path and the contract of each file.
    pub contracts: Vec<(String, Contract)>,
    /// Warnings about unusual content in the files.
    pub warnings: Vec<String>,
}

/// Reads contracts. A path is a file, a directory to search recursively, or a pattern such as `contracts/*-orders.json`.
///
/// # Errors
///
/// Returns one error with all problems if a path does not exist, or if a file is not a contract.
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
