//! Version selectors of `can-i-deploy`: `--pacticipant A --version 1 --pacticipant B --latest prod --ignore C`. Version options
//! apply to the name before them, so their order matters.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use contract::{Json, Object};

/// Selected and ignored versions, in the order of the arguments.
#[derive(Clone, Default)]
pub(super) struct Selectors {
    pub(super) selectors: Vec<Json>,
    pub(super) ignore: Vec<Json>,
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
                    .help("Application to deploy (repeatable); the version options that follow apply to it"),
            )
            .arg(
                repeated("version", "version")
                    .short('e')
                    .value_name("VERSION")
                    .help("Version of the application"),
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
                    .help("Application to ignore (repeatable); a following --version limits it to that version"),
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
}

fn parse<'a>(options: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Selectors, SelectorError> {
    let mut selectors: Vec<(bool, Object)> = Vec::new();
    for (name, value) in options {
        if name == "pacticipant" || name == "ignore" {
            let named: Object = [("pacticipant", value)].into_iter().collect();
            selectors.push((name == "ignore", named));
            continue;
        }
        let option = || name.replace('_', "-");
        let Some((is_ignored, last)) = selectors.last_mut() else {
            return Err(SelectorError::WithoutApplication(option()));
        };
        if *is_ignored && name != "version" {
            return Err(SelectorError::AfterIgnore(option()));
        }
        if last.contains_key(name) {
            return Err(SelectorError::Repeated(option()));
        }
        match name {
            "latest" if value.is_empty() => last.insert("latest", true),
            "main_branch" => last.insert("main_branch", true),
            "skip_main_branch" => None,
            name => last.insert(name, value),
        };
    }
    let mut out = Selectors::default();
    for (is_ignored, selector) in selectors {
        let list = if is_ignored {
            &mut out.ignore
        } else {
            &mut out.selectors
        };
        list.push(selector.into());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command, FromArgMatches};
    use contract::Json;

    use super::Selectors;

    fn parse(line: &str) -> Result<String, String> {
        let command = Selectors::augment_args(Command::new("x").no_binary_name(true).disable_version_flag(true));
        let matches = command
            .try_get_matches_from(line.split_whitespace())
            .map_err(|error| error.to_string())?;
        let parsed = Selectors::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        Ok(format!(
            "{} {}",
            Json::from(parsed.selectors),
            Json::from(parsed.ignore)
        ))
    }

    #[test]
    fn version_options_apply_to_the_name_before_them() {
        assert_eq!(
            parse("-a A -e 1 --pacticipant B -l prod -a C --latest -a D --branch b --ignore E --ignore F --version 2 -a G --main-branch")
                .as_deref(),
            Ok(r#"[{"pacticipant":"A","version":"1"},{"pacticipant":"B","latest":"prod"},{"pacticipant":"C","latest":true},{"pacticipant":"D","branch":"b"},{"pacticipant":"G","main_branch":true}] [{"pacticipant":"E"},{"pacticipant":"F","version":"2"}]"#)
        );
        assert!(parse("--version 1").is_err_and(|text| text.contains("--version must follow --pacticipant NAME")));
        assert!(parse("--ignore A --branch b").is_err_and(|text| text.contains("only accepts --version")));
        assert!(parse("-a A -e 1 -e 2").is_err_and(|text| text.contains("passed twice")));
    }
}
