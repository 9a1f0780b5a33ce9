//! Tests the lifecycle of plugin processes.

use std::process::{Command, Stdio};
use std::time::Duration;

use crate::support::{LONG, Place, is_running, object, wait_for_end};

#[tokio::test]
async fn runs_a_plugin_once_while_it_is_used() {
    for interface in [1, 2] {
        let (place, first) = Place::pairs(interface).await;
        let again = place.load("pairs").await.unwrap();
        let older = place
            .registry
            .load(
                "pairs",
                Some("0.9.0"),
                &place.search(),
                contract_plugins::Times::default(),
            )
            .await
            .unwrap();
        assert_eq!(first.process_id(), again.process_id());
        assert_eq!(first.process_id(), older.process_id());
        assert_eq!(place.registry.running().len(), 1);
        let id = first.process_id().to_string();
        drop(first);
        drop(again);
        assert!(is_running(&id));
        drop(older);
        wait_for_end(&place.directory.path().join("pairs-1.0.0/process.txt"));
        assert!(place.registry.running().is_empty());
    }
}

#[tokio::test]
async fn concurrent_loads_start_a_plugin_once() {
    let place = std::sync::Arc::new(Place::new());
    place.install("pairs", "1.0.0", "", 1);
    let mut tasks = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let place = std::sync::Arc::clone(&place);
        tasks.spawn(async move { place.load("pairs").await.unwrap() });
    }
    let all = tasks.join_all().await;
    assert!(all.iter().all(|plugin| plugin.process_id() == all[0].process_id()));
}

#[tokio::test]
async fn child_processes_end_with_the_plugin() {
    let place = Place::new();
    let folder = place.install("pairs", "1.0.0", "child", 1);
    let plugin = place.load("pairs").await.unwrap();
    let child = std::fs::read_to_string(folder.join("child.txt")).unwrap();
    assert!(is_running(&child));
    drop(plugin);
    wait_for_end(&folder.join("child.txt"));
    wait_for_end(&folder.join("process.txt"));
}

#[tokio::test]
async fn restarts_a_plugin_whose_process_ended() {
    let (place, plugin) = Place::pairs(1).await;
    // The error shows the output since the call.
    while !plugin.last_output().contains("fixture begins") {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    let error = plugin
        .configure("application/x-pairs", &object(r#"{"do": "die"}"#), &object("{}"), LONG)
        .await
        .unwrap_err();
    assert!(error.has_died());
    assert_eq!(
        error.to_string(),
        "the plugin pairs 1.0.0 exited (exit code 7) during ConfigureInteraction\n\
         Last output of the plugin:\n  pairs: out of memory"
    );
    assert!(!plugin.is_alive());
    // A plugin that has ended also fails immediately.
    let again = plugin
        .configure("application/x-pairs", &object("{}"), &object("{}"), LONG)
        .await;
    assert!(again.unwrap_err().has_died());
    let anew = place.load("pairs").await.unwrap();
    assert_ne!(anew.process_id(), plugin.process_id());
    let made = anew
        .configure("application/x-pairs", &object(r#"{"a": "1"}"#), &object("{}"), LONG)
        .await
        .unwrap();
    assert_eq!(made.parts.len(), 1);
}

#[tokio::test]
async fn reopens_a_closed_connection() {
    for interface in [1, 2] {
        let (_place, plugin) = Place::pairs(interface).await;
        let type_of = "application/x-pairs";
        let broken = plugin
            .configure(type_of, &object(r#"{"do": "hang up"}"#), &object("{}"), LONG)
            .await
            .unwrap_err();
        assert!(!broken.has_died(), "{broken}");
        assert!(
            broken
                .message()
                .starts_with("the call ConfigureInteraction to the plugin pairs 1.0.0 failed: "),
            "{broken}"
        );
        let id = plugin.process_id();
        let made = plugin
            .configure(type_of, &object(r#"{"a": "1"}"#), &object("{}"), LONG)
            .await;
        assert_eq!(made.unwrap().parts.len(), 1);
        assert_eq!((plugin.is_alive(), plugin.process_id()), (true, id));
    }
}

/// Runs this test program again as a host, and kills it.
#[test]
fn a_plugin_does_not_outlive_its_host() {
    const PLACE: &str = "CONTRACT_TEST_PLUGIN_PLACE";
    if let Ok(place) = std::env::var(PLACE) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        runtime.block_on(async {
            let host = Place::new();
            let search = contract_plugins::Search {
                directories: vec![place.into()],
                configured_by: "a test",
            };
            let times = contract_plugins::Times::default();
            let _plugin = host.registry.load("pairs", None, &search, times).await.unwrap();
            println!("ready");
            std::future::pending::<()>().await;
        });
    }
    let place = Place::new();
    let folder = place.install("pairs", "1.0.0", "child", 1);
    let mut host = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "life::a_plugin_does_not_outlive_its_host", "--nocapture"])
        .env(PLACE, place.directory.path())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = std::io::BufRead::lines(std::io::BufReader::new(host.stdout.take().unwrap()));
    assert!(lines.any(|line| line.unwrap().contains("ready")));
    let id = std::fs::read_to_string(folder.join("process.txt")).unwrap();
    assert!(is_running(&id));
    host.kill().unwrap();
    host.wait().unwrap();
    wait_for_end(&folder.join("process.txt"));
    wait_for_end(&folder.join("child.txt"));
}
