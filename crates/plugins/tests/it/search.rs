//! Tests the search for plugins, and the error message if a plugin is not found.

use std::time::Duration;

use contract_plugins::{Manifest, Search, install};

use crate::support::Place;

#[test]
fn finds_the_highest_satisfying_version() {
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
fn skips_invalid_manifests_and_lists_searched_directories() {
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
        "the plugin \"csv\" (version 0.0.6 or later) is not installed\n\
         Searched directories (a test):\n  DIR\n\
         Installed:\n  pairs 1.0.0 in DIR/pairs-1.0.0\n  \
         DIR/broken (skipped: DIR/broken/pact-plugin.json: the document ends in the middle of a value at line 1, column 2)\n  \
         DIR/nameless (skipped: DIR/nameless/pact-plugin.json: \"name\" is missing)\n  \
         DIR/third (skipped: DIR/third/pact-plugin.json: \"pluginInterfaceVersion\" must be 1 or 2, not 3)"
    );
}

#[tokio::test]
async fn starts_only_programs_in_the_plugin_directory() {
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

#[test]
fn rejects_entry_points_outside_of_the_plugin() {
    let place = Place::new();
    let inside = place.directory.path().join("odd").join("bin").join("run");
    let inside = inside.to_str().unwrap();
    let manifest = |entry: &str| {
        let entry = contract_model::Json::from(entry).to_text();
        let members = r#""pluginInterfaceVersion": 1, "name": "odd", "version": "1.0.0", "executableType": "exec""#;
        place.write("odd", &format!("{{{members}, \"entryPoint\": {entry}}}"))
    };
    for entry in [
        "/bin/sh",
        "../odd/run",
        "bin/../../run",
        &format!("{inside}/../../../run"),
    ] {
        let error = Manifest::read(&manifest(entry)).unwrap_err().to_string();
        assert!(
            error.contains("is outside the directory of the plugin. Use a relative path without"),
            "{entry}: {error}"
        );
    }
    for entry in ["run", "./run", "bin/run", "..run", inside] {
        assert!(Manifest::read(&manifest(entry)).is_ok(), "{entry}");
    }
}

#[test]
fn does_not_install_a_directory_into_itself() {
    let place = Place::new();
    let manifest = r#"{"pluginInterfaceVersion": 1, "name": "csv", "version": "1.0.0", "executableType": "exec", "entryPoint": "run"}"#;
    let source = place.write("csv", manifest);
    std::fs::write(source.join("run"), "").unwrap();
    for inside in [source.clone(), source.join("plugins"), source.join("a/../plugins")] {
        let search = Search {
            directories: vec![inside.clone()],
            configured_by: "a test",
        };
        let error = install(&source, &search, false).unwrap_err().to_string();
        assert!(error.contains("is inside the directory to install"), "{error}");
    }
    assert_eq!(std::fs::read_dir(&source).unwrap().count(), 2);
    install(&source, &place.search(), false).unwrap();
}

#[cfg(unix)]
#[test]
fn drops_setuid_bits_and_replaces_links() {
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

    let error = install(&source, &to.search(), false).unwrap_err();
    assert!(error.message().contains("already exists"), "{error}");
    install(&source, &to.search(), true).unwrap();
    assert!(elsewhere.path().join("kept").is_file());
    assert!(target.symlink_metadata().unwrap().is_dir());
    let mode = std::fs::metadata(target.join("run")).unwrap().permissions().mode();
    assert_eq!(mode & 0o7100, 0o100);
    assert_eq!(std::fs::read_dir(to.directory.path()).unwrap().count(), 1);

    // A failed installation must not leave any files.
    symlink("run", source.join("link")).unwrap();
    assert!(install(&source, &to.search(), true).is_err());
    assert_eq!(std::fs::read_dir(to.directory.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn rejects_a_named_pipe_as_manifest() {
    let place = Place::new();
    let folder = place.directory.path().join("pipe");
    std::fs::create_dir(&folder).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(folder.join("pact-plugin.json"))
        .status();
    assert!(made.unwrap().success());
    let error = install(&folder, &place.search(), false).unwrap_err();
    assert!(error.message().ends_with("not a regular file"), "{error}");
}
