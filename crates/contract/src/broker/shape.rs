//! The broker's documents in shapes of this library: without links and embedding, names as TypeScript has them.

use contract_broker_client::{Deployed, Notice, Resource, Row, RowSide};
use contract_model::{Json, Object};

use super::reply::BrokerReply;

/// A value, or null.
pub(super) fn or_null<T: Into<Json>>(value: Option<T>) -> Json {
    value.map_or(Json::Null, Into::into)
}

/// A list of texts.
pub(super) fn texts<T: AsRef<str>>(texts: &[T]) -> Json {
    texts
        .iter()
        .map(|text| Json::from(text.as_ref()))
        .collect::<Vec<_>>()
        .into()
}

/// A document without its links and what is embedded.
pub(super) fn plain(document: &Json) -> Object {
    let mut out = document.as_object().cloned().unwrap_or_default();
    out.retain(|name, _| !name.starts_with('_'));
    out
}

/// The documents embedded under a name.
pub(super) fn embedded<'a>(document: &'a Json, name: &str) -> &'a [Json] {
    match document.get("_embedded").and_then(|embedded| embedded.get(name)) {
        Some(Json::Array(items)) => items,
        Some(one) if !one.is_null() => std::slice::from_ref(one),
        _ => &[],
    }
}

/// The URL of a document, or of the first link of any relation.
pub(super) fn url(document: &Json, relation: &str) -> Option<String> {
    let link = document.get("_links")?.get(relation)?;
    let link = link.as_array().and_then(<[Json]>::first).unwrap_or(link);
    Some(link.get("href")?.as_str()?.to_owned())
}

/// The names in a list of documents.
fn names(list: &[Json]) -> Json {
    list.iter()
        .filter_map(|one| one.get("name").cloned())
        .collect::<Vec<_>>()
        .into()
}

pub(super) fn version(pacticipant: &str, document: &Json) -> Json {
    let mut out = plain(document);
    out.insert("pacticipant", pacticipant);
    let branches = embedded(document, "branchVersions").iter().map(|branch| {
        let mut one = Object::new();
        one.insert("name", or_null(branch.get("name").cloned()));
        one.insert("latest", branch.get("latest").and_then(Json::as_bool).unwrap_or(false));
        Json::from(one)
    });
    out.insert("branches", branches.collect::<Vec<_>>());
    out.insert("tags", names(embedded(document, "tags")));
    let places = |relation: &str, current: &str| {
        let links = document
            .get("_links")
            .and_then(|links| links.get(relation))
            .and_then(Json::as_array);
        let is_current = |link: &&Json| link.get(current).and_then(Json::as_bool).unwrap_or(true);
        let found = links.unwrap_or_default().iter().filter(is_current);
        Json::from(found.filter_map(|link| link.get("name").cloned()).collect::<Vec<_>>())
    };
    out.insert("deployedTo", places("pb:deployed-environments", "currentlyDeployed"));
    out.insert("releasedTo", places("pb:released-environments", "currentlySupported"));
    out.into()
}

pub(super) fn record(pacticipant: &str, environment: &str, document: &Json) -> Json {
    let mut out = plain(document);
    out.remove("target");
    let version = embedded(document, "version")
        .first()
        .and_then(|version| version.get("number"))
        .cloned();
    out.insert("pacticipant", pacticipant);
    out.insert("version", or_null(version));
    out.insert("environment", environment);
    out.into()
}

pub(super) fn instance(deployed: &Deployed) -> String {
    deployed
        .application_instance
        .clone()
        .unwrap_or_else(|| "(none)".to_owned())
}

pub(super) fn notices(notices: &[Notice]) -> Json {
    let one = |notice: &Notice| {
        let out: Object = [("type", notice.kind.as_str()), ("text", notice.text.as_str())]
            .into_iter()
            .collect();
        Json::from(out)
    };
    notices.iter().map(one).collect::<Vec<_>>().into()
}

pub(super) fn row(row: &Row) -> Json {
    let mut out = Object::new();
    out.insert("consumer", side(&row.consumer));
    out.insert("provider", side(&row.provider));
    let success = row.result.as_ref().map(|result| Json::from(result.success));
    out.insert("success", or_null(success));
    let result = row.result.as_ref();
    out.insert(
        "verifiedAt",
        or_null(result.and_then(|result| result.verified_at.as_deref())),
    );
    out.insert("resultUrl", or_null(result.and_then(|result| result.url.as_deref())));
    out.insert("publishedAt", or_null(row.published_at.as_deref()));
    out.insert("contractUrl", or_null(row.contract_url.as_deref()));
    out.insert("ignored", row.ignored);
    out.into()
}

fn side(side: &RowSide) -> Object {
    let mut out = Object::new();
    out.insert("name", side.name.as_str());
    out.insert("version", or_null(side.version.as_deref()));
    out.insert("branches", texts(&side.branches));
    out.insert("environments", texts(&side.environments));
    out
}

/// A list of documents in another shape, and the document that they stand in.
pub(super) fn list(resource: Resource, name: &str, shape: impl Fn(&Json) -> Json) -> BrokerReply {
    let value = resource.embedded(name).iter().map(shape).collect::<Vec<_>>();
    BrokerReply {
        value: value.into(),
        document: resource.into_document(),
    }
}

/// A document without its links, and with them.
pub(super) fn one(resource: Resource) -> BrokerReply {
    BrokerReply {
        value: plain(resource.document()).into(),
        document: resource.into_document(),
    }
}

/// Whether something that was to go was there.
pub(super) fn deleted(was_there: bool) -> BrokerReply {
    let out: Object = [("deleted", was_there)].into_iter().collect();
    Json::from(out).into()
}
