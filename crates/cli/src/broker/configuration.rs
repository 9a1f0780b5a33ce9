//! The configuration file of `serve`. It sets options by their names. Options on the command line and environment
//! variables override them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::parser::ValueSource;
use clap::{Arg, ArgAction, ArgMatches, Command};
use contract_broker::{Issuer, LoginSettings, Settings};

use crate::error::{CliError, Result};

#[derive(Default)]
pub(super) struct Configuration {
    pub(super) issuers: Vec<Issuer>,
    pub(super) login: Option<LoginSettings>,
    /// Arguments for the options that neither the command line nor an environment variable sets.
    pub(super) arguments: Vec<OsString>,
}

impl Configuration {
    /// Reads the file that `serve --config` specifies. Returns an empty configuration if the option is not set.
    pub(super) fn read(definition: &Command, serve: &ArgMatches) -> Result<Self> {
        let Some(path) = serve.get_one::<PathBuf>("config") else {
            return Ok(Self::default());
        };
        let failed = |text: String| CliError::usage(format!("{}: {text}", path.display()));
        let bytes = contract::read_settings(path)
            .map_err(|error| CliError::failed(format!("could not read {}: {error}", path.display())))?;
        let text = String::from_utf8(bytes).map_err(|_| failed("the file is not valid UTF-8".to_owned()))?;
        let directory = path.parent().unwrap_or(Path::new(""));
        let settings = Settings::parse(&text, directory).map_err(|error| failed(error.to_string()))?;
        let mut arguments = Vec::new();
        for (name, values) in settings.options {
            let option = definition.get_arguments().find(|argument| {
                argument.get_long() == Some(name.as_str()) && !["config", "help"].contains(&name.as_str())
            });
            let option = option.ok_or_else(|| {
                failed(format!(
                    "unknown setting {name:?}. Use the long option names of contract-broker serve, without the leading dashes."
                ))
            })?;
            let source = serve.value_source(option.get_id().as_str());
            if matches!(source, Some(ValueSource::CommandLine | ValueSource::EnvVariable)) {
                continue;
            }
            arguments.extend(argument(option, &name, &values).map_err(failed)?);
        }
        Ok(Self {
            issuers: settings.issuers,
            login: settings.login,
            arguments,
        })
    }
}

fn argument(option: &Arg, name: &str, values: &[String]) -> std::result::Result<Option<OsString>, String> {
    if !matches!(option.get_action(), ArgAction::SetTrue) {
        let delimiter = option.get_value_delimiter().unwrap_or(' ').to_string();
        return Ok(Some(format!("--{name}={}", values.join(&delimiter)).into()));
    }
    match values {
        [value] if value == "true" => Ok(Some(format!("--{name}").into())),
        [value] if value == "false" => Ok(None),
        _ => Err(format!("the setting {name:?} must be true or false")),
    }
}
