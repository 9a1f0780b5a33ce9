//! Forms of output: alone on standard output, and with the same exit codes.

use contract::Json;

use crate::support::Place;

const FORMATS: [&str; 6] = ["table", "json", "ndjson", "junit", "github", "id"];

#[test]
fn exit_codes_are_the_same_in_every_form() {
    let place = Place::new();
    place.contract("web", "orders", &["/a"]);
    place.check("publish contracts -a 1", 0, "published");
    place.check("create-environment --name prod", 0, "prod");
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
            let ran = place.run(&format!("{line} -o {format}"));
            assert_eq!(ran.code, code, "{line} -o {format}: {ran:?}");
            match format {
                "json" => drop(Json::parse(ran.out.as_bytes()).expect("JSON alone")),
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
fn the_broker_s_document_is_what_json_is() {
    let place = Place::new();
    place.check("create-environment --name prod", 0, "prod");
    let ran = place.run("list-environments -o json");
    let document = Json::parse(ran.out.as_bytes()).expect("JSON");
    let name = document
        .pointer("/_embedded/environments/0/name")
        .and_then(Json::as_str);
    assert_eq!(name, Some("prod"));
    let ran = place.run("describe-pacticipant --name nobody -o json");
    let error = Json::parse(ran.out.as_bytes()).expect("JSON");
    let code = error.pointer("/error/code").and_then(Json::as_str);
    assert_eq!(code, Some("ERR_CONTRACT_BROKER_NOT_FOUND"));
    assert!(
        ran.err.starts_with("error: pacticipant \"nobody\" not found"),
        "{ran:?}"
    );
}

#[test]
fn github_gets_annotations_and_a_summary() {
    let place = Place::new();
    place.contract("web", "orders", &["/a"]);
    place.check("publish contracts -a 1", 0, "published");
    place.check("create-environment --name prod", 0, "prod");
    let summary = place.directory.path().join("summary.md");
    let path = summary.display().to_string();
    let line = "can-i-deploy -a web -e 1 --to-environment prod -o github";
    let ran = place.run_with(line, &[("GITHUB_STEP_SUMMARY", &path)]);
    assert!(
        ran.out
            .starts_with("::error title=contract-broker can-i-deploy%3A web 1 → orders ?::"),
        "{ran:?}"
    );
    let text = std::fs::read_to_string(summary).expect("a summary");
    assert!(
        text.contains("### contract-broker can-i-deploy") && text.contains("? web 1: unknown whether"),
        "{text}"
    );
}
