//! `--pacticipant A --version 1 --pacticipant B --latest prod --ignore C`: what stands behind a name belongs to it.

use clap::{Arg, ArgAction, ArgMatches, Args, Command, Error, FromArgMatches};
use contract::{Json, Object};

/// Versions of pacticipants, and what is ignored, in the order in which they were given.
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
                    .help("Application to deploy (repeatable). The version options that follow apply to it"),
            )
            .arg(
                repeated("version", "version")
                    .short('e')
                    .value_name("VERSION")
                    .help("Version number"),
            )
            .arg(
                repeated("latest", "latest")
                    .short('l')
                    .num_args(0..=1)
                    .default_missing_value("")
                    .value_name("TAG")
                    .help("Latest version, or latest version with this tag"),
            )
            .arg(
                repeated("tag", "tag")
                    .value_name("TAG")
                    .help("Every version with this tag"),
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
        let mut said: Vec<(usize, &str, &str)> = Vec::new();
        for name in NAMES {
            let values = matches.get_many::<String>(name).unwrap_or_default();
            let places = matches.indices_of(name).into_iter().flatten();
            said.extend(places.zip(values).map(|(at, value)| (at, name, value.as_str())));
        }
        said.sort_unstable_by_key(|(at, ..)| *at);
        read(said.into_iter().map(|(_, name, value)| (name, value)))
            .map_err(|problem| Error::raw(clap::error::ErrorKind::ValueValidation, format!("{problem}\n")))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn read<'a>(said: impl Iterator<Item = (&'a str, &'a str)>) -> Result<Selectors, String> {
    let mut selectors: Vec<(bool, Object)> = Vec::new();
    for (name, value) in said {
        if name == "pacticipant" || name == "ignore" {
            let named: Object = [("pacticipant", value)].into_iter().collect();
            selectors.push((name == "ignore", named));
            continue;
        }
        let Some((is_ignored, last)) = selectors.last_mut() else {
            let option = name.replace('_', "-");
            return Err(format!(
                "--{option} says nothing without a --pacticipant NAME before it"
            ));
        };
        if *is_ignored && name != "version" {
            let option = name.replace('_', "-");
            return Err(format!(
                "--{option} stands behind --ignore, which takes --version alone"
            ));
        }
        if last.contains_key(name) {
            return Err(format!("--{name} is given twice for the same pacticipant"));
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
        let found = Selectors::from_arg_matches(&matches).map_err(|error| error.to_string())?;
        Ok(format!("{} {}", Json::from(found.selectors), Json::from(found.ignore)))
    }

    #[test]
    fn options_belong_to_the_name_before_them() {
        assert_eq!(
            parse("-a A -e 1 --pacticipant B -l prod -a C --latest -a D --branch b --ignore E --ignore F --version 2 -a G --main-branch")
                .as_deref(),
            Ok(r#"[{"pacticipant":"A","version":"1"},{"pacticipant":"B","latest":"prod"},{"pacticipant":"C","latest":true},{"pacticipant":"D","branch":"b"},{"pacticipant":"G","main_branch":true}] [{"pacticipant":"E"},{"pacticipant":"F","version":"2"}]"#)
        );
        assert!(parse("--version 1").is_err_and(|text| text.contains("--pacticipant NAME before it")));
        assert!(parse("--ignore A --branch b").is_err_and(|text| text.contains("--version alone")));
        assert!(parse("-a A -e 1 -e 2").is_err_and(|text| text.contains("given twice")));
    }
}
