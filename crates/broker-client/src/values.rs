//! Converts HAL documents of the broker to plain values without links and embedded documents.

use contract_model::{Json, Object};

use crate::resource::{embedded, links};

/// Returns the members of a document whose names do not start with `_`.
pub fn plain(document: &Json) -> Object {
    let mut out = document.as_object().cloned().unwrap_or_default();
    out.retain(|name, _| !name.starts_with('_'));
    out
}

/// Returns a version with the members `pacticipant`, `branches`, `tags`, `deployedTo`, and `releasedTo`.
pub fn version(pacticipant: &str, document: &Json) -> Json {
    let mut out = plain(document);
    out.insert("pacticipant", pacticipant);
    let branches = embedded(document, "branchVersions").iter().map(|branch| {
        let mut branch_object = Object::new();
        branch_object.insert("name", member(Some(branch), "name"));
        branch_object.insert("latest", branch.get("latest").and_then(Json::as_bool).unwrap_or(false));
        Json::from(branch_object)
    });
    out.insert("branches", branches.collect::<Vec<_>>());
    out.insert("tags", names(embedded(document, "tags").iter()));
    for (name, relation, current) in [
        ("deployedTo", "pb:deployed-environments", "currently_deployed"),
        ("releasedTo", "pb:released-environments", "currently_supported"),
    ] {
        let found = document.get("_links").and_then(|links| links.get(relation));
        let is_current = |link: &&Json| link.get(current).and_then(Json::as_bool).unwrap_or(true);
        let found = found.and_then(Json::as_array).unwrap_or_default();
        out.insert(name, names(found.iter().filter(is_current)));
    }
    out.into()
}

/// Returns a deployment or a release with the names of its application, version, and environment.
pub fn record(pacticipant: &str, version: &str, environment: &str, document: &Json) -> Json {
    let mut out = plain(document);
    out.remove("target");
    out.insert("pacticipant", pacticipant);
    out.insert("version", version);
    out.insert("environment", environment);
    out.into()
}

/// Returns an entry of the list of latest contracts, with the members `consumer`, `consumerVersion`, `provider`,
/// `createdAt`, and `url`.
pub fn latest_contract(document: &Json) -> Json {
    let [consumer, provider] = ["consumer", "provider"].map(|role| embedded(document, role).first());
    let version = consumer.and_then(|consumer| embedded(consumer, "version").first());
    let mut out = Object::new();
    out.insert("consumer", member(consumer, "name"));
    out.insert("consumerVersion", member(version, "number"));
    out.insert("provider", member(provider, "name"));
    out.insert("createdAt", member(Some(document), "createdAt"));
    let own = links(document, "self").into_iter().next();
    out.insert("url", own.map_or(Json::Null, |link| link.href.into()));
    out.into()
}

/// Returns a contract without the members that the broker added, such as `_links`.
pub fn without_additions(contract: &Json) -> Json {
    let mut contract = contract.clone();
    if let Some(members) = contract.as_object_mut() {
        members.retain(|name, _| !matches!(name, "_links" | "createdAt" | "_embedded"));
        for list in ["interactions", "messages"] {
            if let Some(Json::Array(items)) = members.get_mut(list) {
                for item in items.iter_mut().filter_map(Json::as_object_mut) {
                    item.remove("_id");
                }
            }
        }
    }
    contract
}

fn member(document: Option<&Json>, name: &str) -> Json {
    let found = document.and_then(|document| document.get(name));
    found.cloned().unwrap_or_default()
}

fn names<'a>(list: impl Iterator<Item = &'a Json>) -> Json {
    list.filter_map(|one| one.get("name").cloned())
        .collect::<Vec<_>>()
        .into()
}

#[cfg(test)]
mod tests {
    use super::version;
    use contract_model::Json;

    #[test]
    fn a_version_that_was_undeployed_is_not_deployed() {
        let document = br#"{"number":"1","_links":{
            "pb:deployed-environments":[{"name":"Test","currently_deployed":false},{"name":"Prod","currently_deployed":true}],
            "pb:released-environments":[{"name":"Test","currently_supported":false}]}}"#;
        let version = version("web", &Json::parse(document).expect("JSON"));
        let names = |key: &str| version.get(key).map(ToString::to_string);
        assert_eq!(names("deployedTo").as_deref(), Some(r#"["Prod"]"#));
        assert_eq!(names("releasedTo").as_deref(), Some("[]"));
    }
}
