//! Tests the output formats.

use contract::Json;

use crate::support::Setup;

const FORMATS: [&str; 6] = ["table", "json", "ndjson", "junit", "github", "id"];

#[test]
fn exit_codes_are_the_same_in_every_format() {
    let setup = Setup::new();
    setup.contract("web", "orders", &["/a"]);
    setup.check("publish contracts -a 1", 0, "published");
    setup.check("create-environment --name prod", 0, "prod");
    for (line, code) in [
        ("can-i-deploy -a web -e 1 --to-environment prod", 1),
        ("can-i-deploy -a web -e 1 --to-environment prod --exit-code-detail", 3),
        ("can-i-deploy -a web -e 1 --to-environment prod --dry-run", 0),
        ("can-i-deploy -a web -e 1 --to-environment nowhere", 1),
        ("record-deployment -a web -e 9 --environment prod", 1),
        ("list-environments", 0),
        ("publish contracts", 2),
        ("publish nowhere -a 1", 2),
        ("list-environments --retries 0 -b http://127.0.0.1:9", 4),
    ] {
        for format in FORMATS {
            let ran = setup.run(&format!("{line} -o {format}"));
            assert_eq!(ran.code, code, "{line} -o {format}: {ran:?}");
            match format {
                "json" => drop(Json::parse(ran.out.as_bytes()).expect("one JSON document")),
                "ndjson" => {
                    for line in ran.out.lines() {
                        Json::parse(line.as_bytes()).expect("JSON on each line");
                    }
                }
                "junit" => {
                    assert!(ran.out.starts_with("<?xml"), "{ran:?}");
                    assert_eq!(
                        ran.out.contains("<failure"),
                        code != 0 || line.contains("--dry-run"),
                        "{ran:?}"
                    );
                }
                "github" => assert!(ran.out.starts_with("::"), "{ran:?}"),
                _ => (),
            }
        }
    }
}

#[test]
fn json_is_the_document_of_the_broker() {
    let setup = Setup::new();
    setup.check("create-environment --name prod", 0, "prod");
    let ran = setup.run("list-environments -o json");
    let document = Json::parse(ran.out.as_bytes()).expect("JSON");
    let name = document
        .pointer("/_embedded/environments/0/name")
        .and_then(Json::as_str);
    assert_eq!(name, Some("prod"));
    let ran = setup.run("describe-pacticipant --name nobody -o json");
    let error = Json::parse(ran.out.as_bytes()).expect("JSON");
    let code = error.pointer("/error/code").and_then(Json::as_str);
    assert_eq!(code, Some("ERR_CONTRACT_BROKER_NOT_FOUND"));
    assert!(
        ran.err.starts_with("error: pacticipant \"nobody\" not found")
            && ran.err.ends_with(" [ERR_CONTRACT_BROKER_NOT_FOUND]\n"),
        "{ran:?}"
    );
}

#[test]
fn a_job_summary_that_cannot_be_written_is_an_error() {
    let setup = Setup::new();
    let directory = setup.directory.path();
    let [pipe, large] = ["pipe", "large"].map(|name| directory.join(name));
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    let file = std::fs::File::create(&large).expect("a file");
    file.set_len(5_000_000_000).expect("a sparse file");
    for (path, problem) in [
        (&pipe, "it is a named pipe, not a regular file; choose another path"),
        (&large, "the file is larger than 1 MiB"),
        (&directory.join("nowhere/summary"), "No such file or directory"),
    ] {
        let path = path.display().to_string();
        let ran = setup.run_with("list-environments -o github", &[("GITHUB_STEP_SUMMARY", &path)]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.out.starts_with("::notice"), "{ran:?}");
        let expected = format!("error: could not write the job summary to {path}: {problem}");
        assert!(ran.err.starts_with(&expected), "{ran:?}");
    }
}

#[test]
fn named_pipes_are_rejected_without_waiting() {
    let setup = Setup::new();
    let pipe = setup.directory.path().join("pipe");
    let made = std::process::Command::new("mkfifo").arg(&pipe).status();
    assert!(made.expect("mkfifo starts").success());
    for line in [
        "list-environments -c pipe",
        "create-webhook http://127.0.0.1:9 -X POST -d @pipe --contract-content-changed",
        "publish pipe -a 1",
    ] {
        let advice = "it is a named pipe, not a regular file; pass the path of a regular file";
        setup.check(line, 2, advice);
    }
}

#[test]
fn github_output_has_annotations_and_a_summary() {
    let setup = Setup::new();
    setup.contract("web", "orders", &["/a"]);
    setup.check("publish contracts -a 1", 0, "published");
    setup.check("create-environment --name prod", 0, "prod");
    let summary = setup.directory.path().join("summary.md");
    let path = summary.display().to_string();
    let line = "can-i-deploy -a web -e 1 --to-environment prod -o github";
    let ran = setup.run_with(line, &[("GITHUB_STEP_SUMMARY", &path)]);
    assert!(
        ran.out
            .starts_with("::error title=contract-broker can-i-deploy%3A web 1 → orders ?::"),
        "{ran:?}"
    );
    let text = std::fs::read_to_string(summary).expect("a summary");
    assert!(
        text.contains("### contract-broker can-i-deploy") && text.contains("? Unknown whether web 1"),
        "{text}"
    );
}
