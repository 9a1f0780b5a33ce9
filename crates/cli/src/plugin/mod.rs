//! `contract plugin`: lists, installs, removes, and checks plugins. No command downloads anything.
#![expect(clippy::doc_markdown, reason = "clap prints these comments unchanged")]

mod archive;

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use contract::{Installation, PluginCheck, PluginManifest, PluginOptions, check_plugin, install, remove};

use crate::error::{CliError, Result};
use crate::exit_code::ExitCode;
use crate::terminal;
use archive::ArchiveError;

#[derive(Subcommand)]
pub(crate) enum PluginCommand {
    /// List installed plugins, and directories with invalid plugins
    #[command(after_help = LIST_EXIT_CODES)]
    List(PluginDirectory),
    /// Show the details of an installed plugin
    #[command(after_help = SHOW_EXIT_CODES)]
    Show(ShowArguments),
    /// Install a plugin from a directory or an archive
    #[command(after_help = INSTALL_EXIT_CODES)]
    Install(InstallArguments),
    /// Remove an installed plugin
    #[command(after_help = REMOVE_EXIT_CODES)]
    Remove(RemoveArguments),
    /// Start plugins and report what they support
    #[command(after_help = DOCTOR_EXIT_CODES)]
    Doctor(DoctorArguments),
}

const LIST_EXIT_CODES: &str = "\
Exit codes:
  0  success
  2  invalid arguments";

const SHOW_EXIT_CODES: &str = "\
Exit codes:
  0  success
  1  the plugin is not installed
  2  invalid arguments";

const INSTALL_EXIT_CODES: &str = "\
Exit codes:
  0  the plugin was installed
  1  the plugin is invalid or already installed, the checksum differs, or a file could not be written
  2  invalid arguments";

const REMOVE_EXIT_CODES: &str = "\
Exit codes:
  0  the plugin was removed
  1  the plugin is not installed or could not be removed, or no version was given although more than one is installed
  2  invalid arguments";

const DOCTOR_EXIT_CODES: &str = "\
Exit codes:
  0  all plugins started
  1  a plugin is invalid, did not start, or is not installed
  2  invalid arguments";

#[derive(Args)]
pub(crate) struct PluginDirectory {
    /// Directory with plugins [default: CONTRACT_PLUGIN_DIR, otherwise PACT_PLUGIN_DIR, otherwise ~/.pact/plugins]
    #[arg(long, value_name = "DIRECTORY")]
    directory: Option<PathBuf>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Args)]
pub(crate) struct ShowArguments {
    /// Name of the plugin
    name: String,
    /// Version of the plugin [default: all installed versions]
    version: Option<String>,
    #[command(flatten)]
    directory: PluginDirectory,
}

#[derive(Args)]
pub(crate) struct RemoveArguments {
    /// Name of the plugin
    name: String,
    /// Version of the plugin; required if multiple versions are installed
    version: Option<String>,
    #[command(flatten)]
    directory: PluginDirectory,
}

#[derive(Args)]
pub(crate) struct InstallArguments {
    /// Directory with a pact-plugin.json file, or a .tar.gz archive of such a directory
    #[arg(value_name = "PATH")]
    source: PathBuf,
    /// Expected SHA-256 checksum of the archive, in hexadecimal
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Replace the same version if it is already installed
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    directory: PluginDirectory,
}

#[derive(Args)]
pub(crate) struct DoctorArguments {
    /// Name of the plugin to check [default: all installed plugins]
    name: Option<String>,
    #[command(flatten)]
    directory: PluginDirectory,
}

impl PluginDirectory {
    fn options(&self) -> PluginOptions {
        PluginOptions {
            directories: self.directory.clone().map(|directory| vec![directory]),
            ..PluginOptions::default()
        }
    }

    fn installation(&self) -> Installation {
        self.options().search().installed()
    }
}

/// Returns 0 on success, 1 if a plugin is missing or does not start.
pub(crate) fn run(command: &PluginCommand) -> ExitCode {
    let result = match command {
        PluginCommand::List(directory) => Ok(list(directory)),
        PluginCommand::Show(name) => show(name),
        PluginCommand::Install(arguments) => install_plugin(arguments),
        PluginCommand::Remove(name) => remove_plugin(name),
        PluginCommand::Doctor(arguments) => doctor(arguments),
    };
    result.unwrap_or_else(|error| terminal::fail(&error))
}

fn list(directory: &PluginDirectory) -> ExitCode {
    let installation = directory.installation();
    if directory.json {
        terminal::print(&(contract::to_text(&installation) + "\n"));
        return ExitCode::SUCCESS;
    }
    let skipped = installation.skipped.iter().map(skipped_line);
    let mut text: String = installation.plugins.iter().map(line).chain(skipped).collect();
    if text.is_empty() {
        let directories: Vec<_> = installation
            .directories
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        text = match directories.as_slice() {
            [] => format!("No directory to search for plugins: {}\n", installation.configured_by),
            searched => format!(
                "No plugins found in {} ({})\n",
                searched.join(", "),
                installation.configured_by
            ),
        };
    }
    print_text(&text);
    ExitCode::SUCCESS
}

/// Escapes and prints lines that may contain untrusted text from plugins.
fn print_text(text: &str) {
    terminal::print(&(contract::escape_text(text.trim_end()) + "\n"));
}

fn skipped_line((directory, problem): (&PathBuf, &String)) -> String {
    format!("Ignored {}: {problem}\n", directory.display())
}

fn line(plugin: &PluginManifest) -> String {
    format!(
        "{} {} (interface {}) in {}\n",
        plugin.name,
        plugin.version,
        plugin.interface,
        plugin.directory.display()
    )
}

fn show(name: &ShowArguments) -> Result<ExitCode> {
    let installation = name.directory.installation();
    let plugins: Vec<_> = installation.named(&name.name, name.version.as_deref()).collect();
    if plugins.is_empty() {
        return Err(not_installed(&name.name, name.version.as_deref()));
    }
    if name.directory.json {
        terminal::print(&(contract::to_text(&plugins) + "\n"));
        return Ok(ExitCode::SUCCESS);
    }
    for plugin in plugins {
        let program = [plugin.program.display().to_string(), plugin.args.join(" ")].join(" ");
        let program = format!("  command: {}\n", program.trim_end());
        let dependencies = match plugin.dependencies.as_slice() {
            [] => String::new(),
            names => format!("  dependencies: {}\n", names.join(", ")),
        };
        print_text(&[line(plugin), program, dependencies].concat());
    }
    Ok(ExitCode::SUCCESS)
}

fn not_installed(name: &str, version: Option<&str>) -> CliError {
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    CliError::failed(format!(
        "the plugin {name}{version} is not installed. Run `contract plugin list` to list the installed plugins."
    ))
}

fn install_plugin(arguments: &InstallArguments) -> Result<ExitCode> {
    let source = &arguments.source;
    let search = arguments.directory.options().search();
    let install = |directory: &Path| install(directory, &search, arguments.force);
    let plugin = if source.is_dir() {
        if arguments.sha256.is_some() {
            return Err(CliError::failed(format!(
                "--sha256 is only supported for archives, but {} is a directory",
                source.display()
            )));
        }
        install(source).map_err(|error| CliError::failed(error.to_string()))?
    } else {
        let directory = search.directories.first();
        let directory = directory.ok_or_else(|| CliError::failed(contract::NO_PLUGIN_DIRECTORY))?;
        let unpacked = archive::unpack(source, arguments.sha256.as_deref(), directory)
            .map_err(|error: ArchiveError| CliError::failed(format!("{}: {error}", source.display())))?;
        // Errors contain the path of the archive instead of the temporary directory.
        install(unpacked.plugin()).map_err(|error| {
            let (from, to) = (unpacked.plugin().to_string_lossy(), source.to_string_lossy());
            CliError::failed(error.to_string().replace(&*from, &to))
        })?
    };
    if arguments.directory.json {
        print_text(&contract::to_text(&plugin));
    } else {
        print_text(&format!("Installed {}", line(&plugin)));
    }
    Ok(ExitCode::SUCCESS)
}

fn remove_plugin(name: &RemoveArguments) -> Result<ExitCode> {
    let search = name.directory.options().search();
    let directory =
        remove(&name.name, name.version.as_deref(), &search).map_err(|error| CliError::failed(error.to_string()))?;
    terminal::print(&format!("Removed {}\n", directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn doctor(arguments: &DoctorArguments) -> Result<ExitCode> {
    let options = arguments.directory.options();
    let installation = arguments.directory.installation();
    let is_selected = |plugin: &&PluginManifest| arguments.name.as_ref().is_none_or(|name| plugin.name == *name);
    let selected: Vec<_> = installation.plugins.iter().filter(is_selected).collect();
    if let (true, Some(name)) = (selected.is_empty(), &arguments.name) {
        return Err(not_installed(name, None));
    }
    let checks: Vec<_> = selected
        .into_iter()
        .map(|plugin| contract::runtime::run_here(check_plugin(plugin, &options)))
        .collect::<std::result::Result<_, _>>()?;
    let is_successful = installation.skipped.is_empty() && checks.iter().all(|check| check.problem.is_none());
    if arguments.directory.json {
        terminal::print(&(contract::to_text(&checks) + "\n"));
    } else if checks.is_empty() && installation.skipped.is_empty() {
        return Ok(list(&arguments.directory));
    } else {
        let skipped = installation.skipped.iter().map(skipped_line);
        checks
            .iter()
            .map(check_line)
            .chain(skipped)
            .for_each(|line| print_text(&line));
    }
    Ok(if is_successful {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    })
}

fn check_line(check: &PluginCheck) -> String {
    match &check.problem {
        None => format!(
            "{}: ok, started in {} ms, supports {}\n",
            check.title,
            check.started_ms,
            check.entries.join(", ")
        ),
        Some(problem) => format!("{}: failed: {problem}\n", check.title),
    }
}
