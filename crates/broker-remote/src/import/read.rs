//! Parses the responses of the other broker's API.

use contract_broker_core::cases::import::{
    ImportedApplication, ImportedEnvironment, ImportedParticipant, ImportedPresence, ImportedResult, ImportedWebhook,
};
use contract_broker_core::sql::environments::PresenceKind;
use contract_broker_core::sql::pacticipants::Details;
use contract_broker_domain::time;
use contract_broker_domain::webhook::{Event, WebhookRequest};
use serde_json::Value;

/// An entry of a list of versions.
pub(super) struct ListedVersion {
    pub(super) number: String,
    pub(super) build_url: Option<String>,
    pub(super) created_at: i64,
    pub(super) branches: Vec<String>,
    /// Names of the branches of which this version is the head.
    pub(super) heads: Vec<String>,
    pub(super) tags: Vec<String>,
    /// URLs of the version's current and past deployments and releases.
    pub(super) presences: Vec<String>,
}

/// A verification result, and the publication of the revision to which it belongs.
pub(super) struct ResultRow {
    pub(super) result: ImportedResult,
    pub(super) url: String,
    pub(super) number: i64,
    /// Time at which the revision was published, in milliseconds since 1970. 0 if an old broker omits it.
    pub(super) published_at: i64,
}

pub(super) fn text(value: &Value, name: &str) -> Option<String> {
    value.get(name)?.as_str().map(str::to_owned)
}

fn required(value: &Value, name: &str) -> Result<String, String> {
    text(value, name).ok_or_else(|| format!("{name} is missing"))
}

/// Parses a time to milliseconds since 1970. Returns `None` if it is invalid or missing, as in responses of old
/// brokers.
fn moment(value: &Value, name: &str) -> Option<i64> {
    time::parse(value.get(name)?.as_str()?)
}

fn created_at(value: &Value) -> i64 {
    moment(value, "createdAt").unwrap_or_else(time::now)
}

/// Returns the elements of the array `name`, which may be in `_embedded`.
pub(super) fn items<'a>(value: &'a Value, name: &str) -> &'a [Value] {
    let embedded = value.get("_embedded").and_then(|embedded| embedded.get(name));
    let listed = embedded.or_else(|| value.get(name)).and_then(Value::as_array);
    listed.map_or(&[][..], Vec::as_slice)
}

/// Returns the URLs of all links with a relation.
pub(super) fn links(value: &Value, relation: &str) -> Vec<String> {
    let found = value.get("_links").and_then(|links| links.get(relation));
    let all = match found {
        Some(Value::Array(all)) => all.as_slice(),
        Some(single) => std::slice::from_ref(single),
        None => &[],
    };
    all.iter().filter_map(|link| text(link, "href")).collect()
}

pub(super) fn link(value: &Value, relation: &str) -> Option<String> {
    links(value, relation).into_iter().next()
}

fn names(value: &Value, list: &str) -> Vec<String> {
    items(value, list)
        .iter()
        .filter_map(|item| text(item, "name"))
        .collect()
}

pub(super) fn environment(value: &Value) -> Result<ImportedEnvironment, String> {
    let name = required(value, "name")?;
    Ok(ImportedEnvironment {
        uuid: required(value, "uuid")?,
        display_name: text(value, "displayName").unwrap_or_else(|| name.clone()),
        name,
        production: value.get("production").and_then(Value::as_bool).unwrap_or_default(),
        contacts: value
            .get("contacts")
            .filter(|contacts| contacts.is_array())
            .map(Value::to_string),
        created_at: created_at(value),
    })
}

pub(super) fn application(value: &Value) -> Result<ImportedApplication, String> {
    Ok(ImportedApplication {
        name: required(value, "name")?,
        details: Details {
            display_name: text(value, "displayName"),
            main_branch: text(value, "mainBranch"),
            repository_url: text(value, "repositoryUrl"),
            repository_name: text(value, "repositoryName"),
            repository_namespace: text(value, "repositoryNamespace"),
        },
        labels: names(value, "labels"),
        created_at: created_at(value),
        updated_at: moment(value, "updatedAt").unwrap_or_else(|| created_at(value)),
    })
}

pub(super) fn version(value: &Value) -> Result<ListedVersion, String> {
    let heads = items(value, "branchVersions").iter();
    let heads = heads.filter(|branch| branch.get("latest").and_then(Value::as_bool) == Some(true));
    let presences = ["pb:deployed-environments", "pb:released-environments"];
    Ok(ListedVersion {
        number: required(value, "number")?,
        build_url: text(value, "buildUrl"),
        created_at: created_at(value),
        branches: names(value, "branchVersions"),
        heads: heads.filter_map(|branch| text(branch, "name")).collect(),
        tags: names(value, "tags"),
        presences: presences.iter().flat_map(|relation| links(value, relation)).collect(),
    })
}

/// A row of the matrix: a revision of a contract, and one of its results. `result` is `None` if the revision was not
/// verified.
pub(super) struct MatrixRow {
    pub(super) consumer: String,
    pub(super) provider: String,
    pub(super) result: Option<ResultRow>,
}

pub(super) fn matrix_row(row: &Value) -> Result<MatrixRow, String> {
    let name = |side: &str| {
        let name = row.get(side).and_then(|side| text(side, "name"));
        name.ok_or_else(|| format!("the {side} is missing"))
    };
    let (consumer, provider) = (name("consumer")?, name("provider")?);
    let result = row.get("verificationResult").filter(|result| result.is_object());
    let result = result.map(|result| result_row(row, result, (&consumer, &provider)));
    Ok(MatrixRow {
        result: result.transpose()?,
        consumer,
        provider,
    })
}

fn result_row(row: &Value, result: &Value, (consumer, provider): (&str, &str)) -> Result<ResultRow, String> {
    let url = link(result, "self").ok_or("the result has no link")?;
    // .../pact-version/SHA/metadata/…/verification-results/NUMBER
    let after = |marker: &str| {
        let rest = url
            .split_once(marker)
            .map(|(_, rest)| rest.split('/').next().unwrap_or_default());
        rest.ok_or_else(|| format!("the link {url} does not contain {marker}"))
    };
    let number = after("/verification-results/")?.parse();
    let provider_version = row.get("provider").and_then(|provider| provider.get("version"));
    let published_at = row.get("pact").and_then(|pact| moment(pact, "createdAt"));
    Ok(ResultRow {
        published_at: published_at.unwrap_or_default(),
        number: number.map_err(|_| format!("the link {url} has no number"))?,
        result: ImportedResult {
            consumer: consumer.to_owned(),
            provider: provider.to_owned(),
            sha: after("/pact-version/")?.to_owned(),
            provider_version: required(provider_version.unwrap_or(&Value::Null), "number")?,
            occurrence: 1,
            // The API contains times in whole seconds.
            is_rounded: true,
            success: result.get("success").and_then(Value::as_bool).unwrap_or_default(),
            wip: false,
            build_url: None,
            test_results: None,
            verified_by: None,
            created_at: moment(result, "verifiedAt").ok_or("verifiedAt is missing")?,
        },
        url,
    })
}

/// Adds those details of a result that the matrix does not contain. `value` is the result's own resource.
pub(super) fn complete_result(row: &mut ResultRow, value: &Value) {
    let json = |name: &str| value.get(name).filter(|value| !value.is_null()).map(Value::to_string);
    row.result.build_url = text(value, "buildUrl");
    row.result.test_results = json("testResults");
    row.result.verified_by = json("verifiedBy");
    row.result.wip = value.get("wip").and_then(Value::as_bool).unwrap_or_default();
}

/// Parses a deployment or a release. `environment` is the UUID of its environment, or `None` if the resource contains
/// it.
pub(super) fn presence(value: &Value, environment: Option<&str>) -> Result<ImportedPresence, String> {
    let embedded = |name: &str| value.get("_embedded").and_then(|embedded| embedded.get(name));
    let is_release = value.get("currentlySupported").is_some();
    let (kind, current, end) = if is_release {
        (PresenceKind::Released, "currentlySupported", "supportEndedAt")
    } else {
        (PresenceKind::Deployed, "currentlyDeployed", "undeployedAt")
    };
    let is_current = value.get(current).and_then(Value::as_bool).unwrap_or_default();
    let created_at = created_at(value);
    let embedded_text = |name: &str, member: &str| {
        let found = embedded(name).and_then(|found| text(found, member));
        found.ok_or_else(|| format!("the {name} is missing"))
    };
    Ok(ImportedPresence {
        kind,
        uuid: required(value, "uuid")?,
        application: embedded_text("pacticipant", "name")?,
        version: embedded_text("version", "number")?,
        environment: match environment {
            Some(environment) => environment.to_owned(),
            None => embedded_text("environment", "uuid")?,
        },
        instance: text(value, "applicationInstance").or_else(|| text(value, "target")),
        created_at,
        ended_at: (!is_current).then(|| moment(value, end).unwrap_or(created_at)),
    })
}

/// Parses a webhook. If it contains secrets, which cannot be imported, disables it and also returns a note about that.
pub(super) fn webhook(value: &Value) -> Result<(ImportedWebhook, Option<String>), String> {
    let uuid = required(value, "uuid")?;
    let sent = value.get("request").ok_or("the request is missing")?;
    let headers = sent.get("headers").and_then(Value::as_object);
    let headers = headers.into_iter().flatten();
    let mut hidden = Vec::new();
    let mut request = WebhookRequest {
        method: required(sent, "method")?,
        url: required(sent, "url")?,
        body: sent.get("body").filter(|body| !body.is_null()).cloned(),
        username: text(sent, "username"),
        ..WebhookRequest::default()
    };
    for (name, value) in headers {
        let value = value.as_str().unwrap_or_default();
        if is_masked(value) {
            hidden.push(format!("header {name}"));
        } else {
            request.headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
    }
    if text(sent, "password").is_some() {
        hidden.push("password".to_owned());
    }
    let columns = WebhookColumns {
        description: text(value, "description"),
        consumer: participant(value, "consumer"),
        provider: participant(value, "provider"),
        enabled: value.get("enabled").and_then(Value::as_bool).unwrap_or(true),
        events: names(value, "events"),
        created_at: created_at(value),
        uuid,
    };
    complete_webhook(columns, &request, hidden, "cannot be read")
}

/// The properties of a webhook, except its request.
pub(super) struct WebhookColumns {
    pub(super) uuid: String,
    pub(super) description: Option<String>,
    pub(super) consumer: ImportedParticipant,
    pub(super) provider: ImportedParticipant,
    pub(super) enabled: bool,
    pub(super) events: Vec<String>,
    pub(super) created_at: i64,
}

/// Creates a webhook from its properties and its request, which lacks the secrets whose names are in `hidden`. If there
/// are any, disables the webhook and also returns a note. `reason` continues the words "because these secrets".
pub(super) fn complete_webhook(
    columns: WebhookColumns,
    request: &WebhookRequest,
    mut hidden: Vec<String>,
    reason: &str,
) -> Result<(ImportedWebhook, Option<String>), String> {
    let (stored, secrets) = request.to_stored();
    if secrets.is_some() {
        hidden.push("values that look like secrets".to_owned());
    }
    let unknown: Vec<&String> = columns
        .events
        .iter()
        .filter(|event| Event::parse(event).is_none())
        .collect();
    if !unknown.is_empty() {
        return Err(format!("unknown events: {unknown:?}"));
    }
    let problem = (!hidden.is_empty()).then(|| {
        format!(
            "webhook {}: imported as disabled, because these secrets {reason}: {}. Set them, and enable the webhook.",
            columns.uuid,
            hidden.join(", ")
        )
    });
    let webhook = ImportedWebhook {
        uuid: columns.uuid,
        description: columns.description,
        consumer: columns.consumer,
        provider: columns.provider,
        enabled: columns.enabled && hidden.is_empty(),
        events: Value::from(columns.events).to_string(),
        request: stored,
        created_at: columns.created_at,
    };
    Ok((webhook, problem))
}

/// Returns true if a value is a placeholder for a secret: asterisks (Pact Broker), or a reference to the secret store
/// (`PactFlow`).
fn is_masked(value: &str) -> bool {
    (!value.is_empty() && value.bytes().all(|byte| byte == b'*')) || value.contains("${user.")
}

fn participant(value: &Value, side: &str) -> ImportedParticipant {
    let side = value.get(side);
    let member = |name: &str| side.and_then(|side| text(side, name));
    match (member("name"), member("label")) {
        (Some(name), _) => ImportedParticipant::Application(name),
        (None, Some(label)) => ImportedParticipant::Label(label),
        (None, None) => ImportedParticipant::Any,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    // These resources look like those of Pact Broker 2.120.

    #[test]
    fn reads_a_version_with_its_branches_and_deployments() {
        let value = json!({
            "number": "4",
            "createdAt": "2026-11-21T02:14:00+00:00",
            "buildUrl": "https://ci.example.com/4",
            "_embedded": {
                "branchVersions": [{ "name": "main", "latest": true }, { "name": "feat", "latest": false }],
                "tags": [{ "name": "prod" }],
            },
            "_links": {
                "pb:deployed-environments": [{ "href": "http://b/deployed-versions/1", "currently_deployed": true }],
                "pb:released-environments": [{ "href": "http://b/released-versions/2", "currently_supported": false }],
            },
        });
        let version = version(&value).expect("a version");
        assert_eq!(version.created_at, 1_795_227_240_000);
        assert_eq!(
            (version.branches, version.heads),
            (vec!["main".into(), "feat".into()], vec!["main".into()])
        );
        assert_eq!(version.tags, ["prod"]);
        assert_eq!(
            version.presences,
            ["http://b/deployed-versions/1", "http://b/released-versions/2"]
        );
        assert_eq!(super::version(&json!({})).err().as_deref(), Some("number is missing"));
    }

    #[test]
    fn reads_current_and_past_deployments() {
        let mut value = json!({
            "uuid": "2d52", "currentlyDeployed": true, "target": "blue", "applicationInstance": "blue",
            "createdAt": "2026-11-21T02:14:02+00:00",
            "_embedded": { "pacticipant": { "name": "Bar" }, "version": { "number": "10" } },
        });
        let current = presence(&value, Some("env")).expect("a deployment");
        assert_eq!((current.kind, current.ended_at), (PresenceKind::Deployed, None));
        assert_eq!((current.application.as_str(), current.version.as_str()), ("Bar", "10"));
        assert_eq!(
            (current.environment.as_str(), current.instance.as_deref()),
            ("env", Some("blue"))
        );
        value["currentlyDeployed"] = false.into();
        value["undeployedAt"] = "2026-11-21T02:14:05+00:00".into();
        value["_embedded"]["environment"] = json!({ "uuid": "other" });
        let ended = presence(&value, None).expect("a deployment");
        assert_eq!(ended.environment, "other");
        assert_eq!(ended.ended_at.map(|at| at - ended.created_at), Some(3_000));
        let released = json!({
            "uuid": "9", "currentlySupported": false, "createdAt": "2026-11-21T02:14:02+00:00",
            "_embedded": { "pacticipant": { "name": "Bar" }, "version": { "number": "10" }, "environment": { "uuid": "e" } },
        });
        let released = presence(&released, None).expect("a release");
        assert_eq!(
            (released.kind, released.ended_at),
            (PresenceKind::Released, Some(released.created_at))
        );
    }

    #[test]
    fn reads_a_row_of_the_matrix() {
        let sha = "83a7641217510348dfdded834bd6ece951e0d6bd";
        let url = format!(
            "http://b/pacts/provider/Bar/consumer/Foo/pact-version/{sha}/metadata/Y3ZuPTM/verification-results/103"
        );
        let row = json!({
            "consumer": { "name": "Foo", "version": { "number": "3" } },
            "provider": { "name": "Bar", "version": { "number": "11" } },
            "pact": { "createdAt": "2026-11-21T02:14:00+00:00" },
            "verificationResult": { "success": true, "verifiedAt": "2026-11-21T02:14:01+00:00", "_links": { "self": { "href": url } } },
        });
        let found = matrix_row(&row).expect("a valid row").result.expect("a result");
        assert_eq!(
            (found.number, found.result.sha.as_str(), found.result.success),
            (103, sha, true)
        );
        assert_eq!(found.result.created_at - found.published_at, 1_000);
        let unverified =
            json!({ "consumer": { "name": "Foo" }, "provider": { "name": "Bar" }, "verificationResult": null });
        let unverified = matrix_row(&unverified).expect("a valid row");
        assert!(unverified.result.is_none());
        assert_eq!(
            (unverified.consumer.as_str(), unverified.provider.as_str()),
            ("Foo", "Bar")
        );
        let mut broken = row;
        broken["verificationResult"]["_links"] = json!({});
        assert_eq!(matrix_row(&broken).err().as_deref(), Some("the result has no link"));
    }

    #[test]
    fn webhooks_with_hidden_secrets_are_disabled() {
        let value = json!({
            "uuid": "Kq", "description": "x", "consumer": { "name": "Foo" }, "enabled": true,
            "request": {
                "method": "POST", "url": "https://localhost:1/x", "headers": { "authorization": "**********", "X-A": "b" },
                "body": { "a": "${pactbroker.consumerName}" }, "username": "u", "password": "**********",
            },
            "events": [{ "name": "contract_content_changed" }], "createdAt": "2026-11-21T02:14:03+00:00",
        });
        let (webhook, problem) = webhook(&value).expect("a webhook");
        assert!(!webhook.enabled);
        assert_eq!(webhook.consumer, ImportedParticipant::Application("Foo".to_owned()));
        assert_eq!(webhook.provider, ImportedParticipant::Any);
        assert!(
            !webhook.request.contains('*') && webhook.request.contains("x-a"),
            "{}",
            webhook.request
        );
        let problem = problem.expect("a problem");
        assert!(
            problem.contains("secrets cannot be read: header authorization, password."),
            "{problem}"
        );
        let mut unknown = value;
        unknown["events"] = json!([{ "name": "team_created" }]);
        assert!(super::webhook(&unknown).is_err_and(|error| error.contains("team_created")));
    }
}
