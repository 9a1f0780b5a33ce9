//! `contract plugin`: what is installed, and putting plugins there and away. Nothing is downloaded.

mod archive;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Args, Subcommand};
use contract::{Installation, PluginManifest, PluginOptions, check_plugin, install, remove};

use crate::terminal;

/// What can be said after `contract plugin`.
#[derive(Subcommand)]
pub(crate) enum PluginCommand {
    /// List installed plugins, and what was ignored
    List(Place),
    /// Show details of a plugin
    Show(Named),
    /// Install a plugin from a directory or a .tar.gz; nothing is started, nothing is downloaded
    Install(InstallArguments),
    /// Remove a plugin
    Remove(Named),
    /// Start plugins, and show what they support or why they do not start
    Doctor(DoctorArguments),
}

/// Where plugins are.
#[derive(Args)]
pub(crate) struct Place {
    /// Directory with plugins, instead of those in the environment
    #[arg(long, value_name = "DIR")]
    directory: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// A plugin by its name.
#[derive(Args)]
pub(crate) struct Named {
    /// Name of the pacticipant
    name: String,
    /// Version; required if several are installed
    version: Option<String>,
    #[command(flatten)]
    place: Place,
}

/// What is installed.
#[derive(Args)]
pub(crate) struct InstallArguments {
    /// Directory with a pact-plugin.json, or a .tar.gz of it
    #[arg(value_name = "FILE-OR-DIR")]
    from: PathBuf,
    /// Expected SHA-256 of the file, in hexadecimal
    #[arg(long, value_name = "HEX")]
    sha256: Option<String>,
    /// Replace the same version, if it is installed
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    place: Place,
}

/// What is tried.
#[derive(Args)]
pub(crate) struct DoctorArguments {
    /// Name of the plugin [default: all plugins]
    name: Option<String>,
    #[command(flatten)]
    place: Place,
}

impl Place {
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

/// 0 when all is well, 1 when a plugin is missing or does not work.
pub(crate) fn run(command: &PluginCommand) -> ExitCode {
    let done = match command {
        PluginCommand::List(place) => Ok(list(place)),
        PluginCommand::Show(named) => show(named),
        PluginCommand::Install(arguments) => installed(arguments),
        PluginCommand::Remove(named) => removed(named),
        PluginCommand::Doctor(arguments) => doctor(arguments),
    };
    done.unwrap_or_else(|problem| {
        terminal::error(&problem);
        ExitCode::FAILURE
    })
}

fn list(place: &Place) -> ExitCode {
    let installation = place.installation();
    if place.json {
        terminal::print(&(contract::to_text(&installation) + "\n"));
        return ExitCode::SUCCESS;
    }
    let skipped = installation.skipped.iter();
    let skipped = skipped.map(|(directory, problem)| format!("{} is passed over: {problem}\n", directory.display()));
    let mut text: String = installation.plugins.iter().map(line).chain(skipped).collect();
    if text.is_empty() {
        let places: Vec<_> = installation
            .directories
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        text = format!("No plugin in {} ({})\n", places.join(", "), installation.said_by);
    }
    say(&text);
    ExitCode::SUCCESS
}

/// Lines for people, with whatever plugins have written into them.
fn say(text: &str) {
    terminal::print(&(contract::harmless_text(text.trim_end()) + "\n"));
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

fn show(named: &Named) -> Result<ExitCode, String> {
    let installation = named.place.installation();
    let found: Vec<_> = installation.named(&named.name, named.version.as_deref()).collect();
    if found.is_empty() {
        return Err(not_installed(&named.name, named.version.as_deref()));
    }
    if named.place.json {
        terminal::print(&(contract::to_text(&found) + "\n"));
        return Ok(ExitCode::SUCCESS);
    }
    for plugin in found {
        let program = [plugin.program.display().to_string(), plugin.args.join(" ")].join(" ");
        let program = format!("  starts {}\n", program.trim_end());
        let needed = match plugin.dependencies.as_slice() {
            [] => String::new(),
            others => format!("  names {}\n", others.join(", ")),
        };
        say(&[line(plugin), program, needed].concat());
    }
    Ok(ExitCode::SUCCESS)
}

fn not_installed(name: &str, version: Option<&str>) -> String {
    let version = version.map_or_else(String::new, |version| format!(" {version}"));
    format!("the plugin {name}{version} is not installed; `contract plugin list` shows what is")
}

fn installed(arguments: &InstallArguments) -> Result<ExitCode, String> {
    let from = &arguments.from;
    let plugin = if from.is_dir() {
        if arguments.sha256.is_some() {
            return Err(format!(
                "{} is a directory; a checksum is that of a file",
                from.display()
            ));
        }
        put(from, arguments)?
    } else {
        let search = arguments.place.options().search();
        let place = search.directories.first().ok_or(contract::NO_PLUGIN_DIRECTORY)?;
        let unpacked = archive::unpack(from, arguments.sha256.as_deref(), place)?;
        put(unpacked.plugin(), arguments)?
    };
    let text = if arguments.place.json {
        contract::to_text(&plugin) + "\n"
    } else {
        format!("Installed {}", line(&plugin))
    };
    say(&text);
    Ok(ExitCode::SUCCESS)
}

fn put(from: &Path, arguments: &InstallArguments) -> Result<PluginManifest, String> {
    let search = arguments.place.options().search();
    install(from, &search, arguments.force).map_err(|error| error.to_string())
}

fn removed(named: &Named) -> Result<ExitCode, String> {
    let removed = remove(&named.name, named.version.as_deref(), &named.place.options().search());
    let directory = removed.map_err(|error| error.to_string())?;
    terminal::print(&format!("Removed {}\n", directory.display()));
    Ok(ExitCode::SUCCESS)
}

fn doctor(arguments: &DoctorArguments) -> Result<ExitCode, String> {
    let options = arguments.place.options();
    let installation = arguments.place.installation();
    let is_meant = |plugin: &&PluginManifest| arguments.name.as_ref().is_none_or(|name| plugin.name == *name);
    let meant: Vec<_> = installation.plugins.iter().filter(is_meant).collect();
    if let (true, Some(name)) = (meant.is_empty(), &arguments.name) {
        return Err(not_installed(name, None));
    }
    let checks: Vec<_> = meant
        .into_iter()
        .map(|plugin| contract::runtime::run_here(check_plugin(plugin, &options)))
        .collect::<Result<_, _>>()
        .map_err(|failure| failure.to_string())?;
    let is_well = installation.skipped.is_empty() && checks.iter().all(|check| check.problem.is_none());
    if arguments.place.json {
        terminal::print(&(contract::to_text(&checks) + "\n"));
    } else {
        for check in &checks {
            let text = match &check.problem {
                None => format!(
                    "{} works: started in {} ms, can do {}\n",
                    check.title,
                    check.started_ms,
                    check.entries.join(", ")
                ),
                Some(problem) => format!("{} does not work: {problem}\n", check.title),
            };
            say(&text);
        }
        for (directory, problem) in &installation.skipped {
            say(&format!("{} is passed over: {problem}\n", directory.display()));
        }
        if checks.is_empty() && installation.skipped.is_empty() {
            return Ok(list(&arguments.place));
        }
    }
    Ok(if is_well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
