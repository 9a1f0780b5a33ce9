//! Which plugin is found, and what is said when none is.

use std::time::Duration;

use crate::support::Place;

#[test]
fn the_highest_version_that_serves_wins() {
    let place = Place::new();
    for version in ["1.0.0", "1.10.0", "1.9.0", "2.0.0-rc.1"] {
        place.install("pairs", version, "", 1);
    }
    place.install("other", "9.0.0", "", 1);
    let find = |wanted| place.search().find("pairs", wanted).map(|found| found.version);
    assert_eq!(find(None).unwrap(), "2.0.0-rc.1");
    assert_eq!(find(Some("1.9.0")).unwrap(), "2.0.0-rc.1");
    assert_eq!(find(Some("1.9")).unwrap(), "2.0.0-rc.1");
    assert!(find(Some("2.0.0")).unwrap_err().is_missing());
}

#[test]
fn one_bad_manifest_spoils_nothing_and_a_missing_plugin_is_told_with_all_that_was_looked_at() {
    let place = Place::new();
    place.install("pairs", "1.0.0", "", 1);
    place.write("broken", "{");
    place.write("third", r#"{"pluginInterfaceVersion": 3}"#);
    place.write("nameless", r#"{"pluginInterfaceVersion": 1}"#);
    std::fs::write(place.directory.path().join("a file"), "").unwrap();
    assert_eq!(place.search().find("pairs", None).unwrap().version, "1.0.0");
    let error = place.search().find("csv", Some("0.0.6")).unwrap_err().to_string();
    let shown = error.replace(&place.directory.path().display().to_string(), "DIR");
    assert_eq!(
        shown,
        "the plugin \"csv\" in version 0.0.6 or later is not installed\n\
         Looked in (a test):\n  DIR\n\
         There:\n  pairs 1.0.0 in DIR/pairs-1.0.0\n  \
         DIR/broken is passed over: DIR/broken/pact-plugin.json: the document ends in the middle of a value at line 1, column 2\n  \
         DIR/nameless is passed over: DIR/nameless/pact-plugin.json: it has no \"name\"\n  \
         DIR/third is passed over: DIR/third/pact-plugin.json: plugin interface versions are 1 and 2, not 3"
    );
}

#[tokio::test]
async fn nothing_is_started_that_is_no_program_of_its_directory() {
    let place = Place::new();
    place.write(
        "lua",
        r#"{"pluginInterfaceVersion": 1, "name": "lua", "version": "1.0.0", "executableType": "lua", "entryPoint": "plugin.lua"}"#,
    );
    place.write(
        "gone",
        r#"{"pluginInterfaceVersion": 1, "name": "gone", "version": "1.0.0", "executableType": "exec", "entryPoint": "gone"}"#,
    );
    let error = place.load_within("lua", Duration::from_secs(1)).await.unwrap_err();
    assert!(error.is_start());
    assert_eq!(
        error.to_string(),
        "the plugin lua 1.0.0 did not start: it is a Lua plugin, and Lua plugins are not supported. Use a plugin with an \
         executable (executableType \"exec\")."
    );
    let error = place.load("gone").await.unwrap_err().to_string();
    assert!(
        error.starts_with("the plugin gone 1.0.0 did not start: its entry point ")
            && error.ends_with("gone does not exist"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn an_installed_plugin_has_no_setuid_bits_and_replaces_a_link_without_following_it() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (from, to) = (Place::new(), Place::new());
    let manifest = r#"{"pluginInterfaceVersion": 1, "name": "csv", "version": "1.0.0", "executableType": "exec", "entryPoint": "run"}"#;
    let source = from.write("csv", manifest);
    std::fs::write(source.join("run"), "#!/bin/sh").unwrap();
    std::fs::set_permissions(source.join("run"), PermissionsExt::from_mode(0o6755)).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    std::fs::write(elsewhere.path().join("kept"), "").unwrap();
    let target = to.directory.path().join("csv-1.0.0");
    symlink(elsewhere.path(), &target).unwrap();

    let error = contract_plugins::install(&source, &to.search(), false).unwrap_err();
    assert!(error.message().contains("exists already"), "{error}");
    contract_plugins::install(&source, &to.search(), true).unwrap();
    assert!(elsewhere.path().join("kept").is_file());
    assert!(target.symlink_metadata().unwrap().is_dir());
    let mode = std::fs::metadata(target.join("run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7100, 0o100);
    assert_eq!(std::fs::read_dir(to.directory.path()).unwrap().count(), 1);

    // A failed installation leaves nothing behind.
    symlink("run", source.join("link")).unwrap();
    assert!(contract_plugins::install(&source, &to.search(), true).is_err());
    assert_eq!(std::fs::read_dir(to.directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn a_manifest_that_is_a_named_pipe_is_an_error_and_not_waited_for() {
    let place = Place::new();
    let folder = place.directory.path().join("pipe");
    std::fs::create_dir(&folder).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("pact-plugin.json"))
        .status();
    assert!(made.unwrap().success());
    let error = contract_plugins::install(&folder, &place.search(), false).unwrap_err();
    assert!(error.message().ends_with("it is not a regular file"), "{error}");
}
