//! Version selectors of `can-i-deploy`: `--pacticipant A --version 1 --pacticipant B --latest prod --ignore C`. Version options
//! apply to the preceding name, so their order matters.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use contract::broker::{IgnoredVersion, Latest, NotSingleLine, VersionChoice};

use crate::values::latest;

/// Selected and ignored versions, in the order of the arguments.
#[derive(Clone, Default)]
pub(super) struct Selectors {
    pub(super) selectors: Vec<VersionChoice>,
    pub(super) ignore: Vec<IgnoredVersion>,
}

const NAMES: [&str; 8] = [
    "pacticipant",
    "ignore",
    "version",
    "latest",
    "tag",
    "branch",
    "main_branch",
    "skip_main_branch",
];

impl Args for Selectors {
    fn augment_args(command: Command) -> Command {
        let repeated = |name: &'static str, long: &'static str| {
            Arg::new(name)
                .long(long)
                .action(ArgAction::Append)
                .help_heading("Versions")
        };
        let flag = |name, long| repeated(name, long).num_args(0).default_missing_value("true");
        command
            .arg(
                repeated("pacticipant", "pacticipant")
                    .short('a')
                    .value_name("NAME")
                    .help("Application to deploy (repeatable, at least one); the version options that follow apply to it"),
            )
            .arg(
                repeated("version", "version")
                    .short('e')
                    .value_name("VERSION")
                    .help("Version number of the application"),
            )
            .arg(
                repeated("latest", "latest")
                    .short('l')
                    .num_args(0..=1)
                    .default_missing_value("")
                    .value_name("TAG")
                    .help("Latest version, or the latest version with this tag"),
            )
            .arg(
                repeated("tag", "tag")
                    .value_name("TAG")
                    .help("All versions with this tag"),
            )
            .arg(
                repeated("branch", "branch")
                    .value_name("BRANCH")
                    .help("Latest version on this branch"),
            )
            .arg(flag("main_branch", "main-branch").help("Latest version on the main branch"))
            .arg(
                flag("skip_main_branch", "skip-main-branch")
                    .alias("no-main-branch")
                    .hide(true),
            )
            .arg(
                repeated("ignore", "ignore")
                    .value_name("NAME")
                    .help("Application to ignore (repeatable); a --version that follows ignores only that version [env: CONTRACT_BROKER_CAN_I_DEPLOY_IGNORE]"),
            )
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for Selectors {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, Error> {
        let mut options: Vec<(usize, &str, &str)> = Vec::new();
        for name in NAMES {
            let values = matches.get_many::<String>(name).unwrap_or_default();
            let indices = matches.indices_of(name).into_iter().flatten();
            options.extend(indices.zip(values).map(|(index, value)| (index, name, value.as_str())));
        }
        options.sort_unstable_by_key(|(index, ..)| *index);
        parse(options.into_iter().map(|(_, name, value)| (name, value)))
            .map_err(|error| Error::raw(clap::error::ErrorKind::ValueValidation, format!("{error}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

#[derive(Debug, thiserror::Error)]
enum SelectorError {
    #[error("--{0} must follow --pacticipant NAME")]
    WithoutApplication(String),
    #[error("--{0} must not follow --ignore, which only accepts --version")]
    AfterIgnore(String),
    #[error("--{0} was passed twice for the same application")]
    Repeated(String),
    #[error("--latest {0}")]
    Latest(#[from] NotSingleLine),
}

fn parse<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Selectors, SelectorError> {
    let mut out = Selectors::default();
    let mut is_last_ignored = false;
    for (name, value) in options {
        let option = || name.replace('_', "-");
        let set = |field: &mut Option<String>| field.replace(value.to_owned()).is_some();
        let is_repeated = match (name, out.selectors.last_mut(), out.ignore.last_mut()) {
            ("pacticipant", ..) => {
                is_last_ignored = false;
                out.selectors.push(VersionChoice {
                    pacticipant: value.to_owned(),
                    ..VersionChoice::default()
                });
                false
            }
            ("ignore", ..) => {
                is_last_ignored = true;
                out.ignore.push(ignored(value));
                false
            }
            ("version", _, Some(ignored)) if is_last_ignored => set(&mut ignored.version),
            (_, _, Some(_)) if is_last_ignored => return Err(SelectorError::AfterIgnore(option())),
            (_, None, _) => return Err(SelectorError::WithoutApplication(option())),
            ("version", Some(selector), _) => set(&mut selector.version),
            ("tag", Some(selector), _) => set(&mut selector.tag),
            ("branch", Some(selector), _) => set(&mut selector.branch),
            ("latest", Some(selector), _) => std::mem::replace(&mut selector.latest, latest(value)?) != Latest::No,
            ("main_branch", Some(selector), _) => std::mem::replace(&mut selector.main_branch, true),
            // No effect, because other selectors never include the main branch.
            _ => false,
        };
        if is_repeated {
            return Err(SelectorError::Repeated(option()));
        }
    }
    Ok(out)
}

pub(super) fn ignored(pacticipant: &str) -> IgnoredVersion {
    IgnoredVersion {
        pacticipant: pacticipant.to_owned(),
        version: None,
    }
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use contract::broker::{IgnoredVersion, Latest, VersionChoice};

    use super::{Selectors, ignored};

    fn parse(line: &str) -> Result<Selectors, String> {
        let command = Selectors::augment_args(Command::new("x").no_binary_name(true).disable_version_flag(true));
        let matches = command
            .try_get_matches_from(line.split_whitespace())
            .map_err(|error| error.to_string())?;
        Selectors::from_arg_matches(&matches).map_err(|error| error.to_string())
    }

    #[test]
    fn version_options_apply_to_the_name_before_them() {
        let parsed = parse(
            "-a A -e 1 --pacticipant B -l prod -a C --latest -a D --branch b --ignore E --ignore F --version 2 -a G --main-branch",
        )
        .unwrap();
        let selector = |name: &str| VersionChoice {
            pacticipant: name.to_owned(),
            ..VersionChoice::default()
        };
        let [mut first, mut second, mut third, mut fourth, mut fifth] = ["A", "B", "C", "D", "G"].map(selector);
        first.version = Some("1".to_owned());
        second.latest = Latest::Tagged("prod".parse().unwrap());
        third.latest = Latest::Overall;
        fourth.branch = Some("b".to_owned());
        fifth.main_branch = true;
        assert_eq!(parsed.selectors, [first, second, third, fourth, fifth]);
        let versioned = IgnoredVersion {
            version: Some("2".to_owned()),
            ..ignored("F")
        };
        assert_eq!(parsed.ignore, [ignored("E"), versioned]);
        assert!(parse("--version 1").is_err_and(|text| text.contains("--version must follow --pacticipant NAME")));
        assert!(parse("--ignore A --branch b").is_err_and(|text| text.contains("only accepts --version")));
        assert!(parse("-a A -e 1 -e 2").is_err_and(|text| text.contains("passed twice")));
        assert!(parse("-a A --main-branch --main-branch").is_err_and(|text| text.contains("passed twice")));
    }
}
