//! Applications and environments can be restored after their deletion.

use serde_json::{Value, json};

use crate::history::{Shared, fill, verify, versions};
use crate::support::Running;

/// Returns the kind, name, and UUID of each deletion, latest first.
fn deletions(broker: &Running) -> Vec<(String, String, String)> {
    let list = broker.get("/deletions").json();
    let text = |deletion: &Value, name: &str| deletion[name].as_str().expect("a text").to_owned();
    let deletions = list["_embedded"]["deletions"].as_array().cloned().expect("a list");
    deletions
        .iter()
        .map(|deletion| (text(deletion, "kind"), text(deletion, "name"), text(deletion, "uuid")))
        .collect()
}

fn undo(broker: &Running, uuid: &str) -> (u16, String) {
    let answer = broker.send("POST", &format!("/deletions/{uuid}/undo"), &[], Some(b""));
    (answer.status, answer.text)
}

fn delete(broker: &Running, path: &str) {
    assert_eq!(broker.send("DELETE", path, &[], None).status, 204, "{path}");
}

/// Returns responses that depend on everything that `fill` created.
fn answers(broker: &Running) -> Vec<Value> {
    [
        "/pacticipants/web",
        "/pacticipants/users",
        "/pacticipants/web/versions?size=100",
        "/pacticipants/web/branches",
        "/pacts/provider/users/consumer/web/version/1-deployed",
        "/matrix?q[][pacticipant]=web&q[][pacticipant]=users&latestby=cvpv",
        "/environments",
        "/integrations",
        "/pacts/provider/users/for-verification",
    ]
    .map(|path| serde_json::from_str(&broker.get(path).text.replace(&broker.base(), "BASE")).expect("JSON"))
    .to_vec()
}

fn filled(schema: &str) -> (Shared, Running) {
    let shared = Shared::new(schema);
    let broker = shared.start();
    fill(&broker);
    verify(&broker, "1-deployed", "u1", true);
    verify(&broker, "2-released", "u1", false);
    let label = broker.send(
        "PUT",
        "/pacticipants/web/labels/shop",
        &[("content-type", "application/json")],
        Some(b"{}"),
    );
    assert_eq!(label.status, 201);
    (shared, broker)
}

#[test]
fn a_deleted_application_comes_back_as_it_was() {
    for name in ["web", "users"] {
        let (_shared, broker) = filled(&format!("deletion_of_{name}"));
        let before = answers(&broker);
        delete(&broker, &format!("/pacticipants/{name}"));
        assert_eq!(broker.get(&format!("/pacticipants/{name}")).status, 404);
        assert_ne!(answers(&broker), before);
        let [(kind, deleted, uuid)] = deletions(&broker).try_into().expect("one deletion");
        assert_eq!((kind.as_str(), deleted.as_str()), ("pacticipant", name));
        assert_eq!(undo(&broker, &uuid).0, 204);
        assert_eq!(answers(&broker), before);
        assert_eq!(deletions(&broker), []);
        assert_eq!(undo(&broker, &uuid).0, 404, "it was undone already");
    }
}

#[test]
fn a_deleted_environment_comes_back_as_it_was() {
    let (_shared, broker) = filled("deletion_of_environment");
    let before = answers(&broker);
    let uuid = broker.get("/environments").json()["_embedded"]["environments"][0]["uuid"].clone();
    delete(&broker, &format!("/environments/{}", uuid.as_str().expect("a UUID")));
    let [(kind, name, uuid)] = deletions(&broker).try_into().expect("one deletion");
    assert_eq!((kind.as_str(), name.as_str()), ("environment", "prod"));
    assert_eq!(undo(&broker, &uuid).0, 204);
    assert_eq!(answers(&broker), before);
}

#[test]
fn a_name_that_is_used_again_prevents_undoing() {
    let (_shared, broker) = filled("deletion_conflict");
    delete(&broker, "/pacticipants/web");
    assert_eq!(
        broker.json("POST", "/pacticipants", &json!({ "name": "web" })).status,
        201
    );
    let [(_, _, uuid)] = deletions(&broker).try_into().expect("one deletion");
    let (status, text) = undo(&broker, &uuid);
    assert_eq!(
        (status, text.as_str()),
        (
            409,
            r#"{"error":"Pacticipant \"web\" cannot be restored, because one with the same name was created in the meantime. Delete the new one first."}"#
        )
    );
    // The old application can be restored after the new one was deleted.
    delete(&broker, "/pacticipants/web");
    assert_eq!(undo(&broker, &uuid).0, 204);
    assert_eq!(versions(&broker, "web").len(), 7);
}

/// In another order, the data of both would be lost.
#[test]
fn what_was_deleted_later_is_restored_first() {
    let (_shared, broker) = filled("deletion_of_both");
    let before = answers(&broker);
    let environment = broker.get("/environments").json()["_embedded"]["environments"][0]["uuid"].clone();
    delete(&broker, "/pacticipants/web");
    delete(&broker, "/pacticipants/users");
    delete(
        &broker,
        &format!("/environments/{}", environment.as_str().expect("a UUID")),
    );
    let [prod, users, web] = deletions(&broker).try_into().expect("three deletions");
    let expected = r#"{"error":"Pacticipant \"web\" cannot be restored yet, because its data refers to the pacticipant \"users\", which was deleted later. Restore the pacticipant \"users\" first."}"#;
    assert_eq!(undo(&broker, &web.2), (409, expected.to_owned()));
    assert_eq!(undo(&broker, &users.2).0, 204);
    let (status, text) = undo(&broker, &web.2);
    assert!(
        status == 409 && text.contains("Restore the environment \\\"prod\\\" first"),
        "{text}"
    );
    assert_eq!(undo(&broker, &prod.2).0, 204);
    assert_eq!(undo(&broker, &web.2).0, 204);
    assert_eq!(answers(&broker), before);
    assert_eq!(deletions(&broker), []);
}
