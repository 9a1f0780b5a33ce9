//! Handlers for verification results.

use serde_json::{Value, json};

use super::action::Prepared;
use super::pacts::{Metadata, find_publication, metadata_of, of_content, of_version};
use super::params::Param;
use super::reply::{HandlerError, HandlerResult, Reply, not_found};
use super::request::{Fields, Request};
use super::urls::{Urls, named, titled};
use contract_broker_core::cases::{self, results::ResultToPublish};
use contract_broker_core::sql::pacts::{PactQuery, Publication};
use contract_broker_core::sql::results::{self, Report, VerificationResult};
use contract_broker_core::store::Tx;
use contract_broker_domain::time;

/// Returns the URL of a result. `content` is the URL of the contract content that was verified.
pub(super) fn at(content: &str, number: i64) -> String {
    format!("{content}/verification-results/{number}")
}

fn url(urls: &Urls, publication: &Publication, number: i64) -> String {
    at(
        &urls.content(&publication.provider, &publication.consumer, &publication.sha),
        number,
    )
}

pub(super) fn body(urls: &Urls, publication: &Publication, result: &VerificationResult) -> Value {
    let parsed = |text: &Option<String>| {
        text.as_deref()
            .and_then(|text| serde_json::from_str::<Value>(text).ok())
    };
    let pact = format!(
        "Pact between {} ({}) and {}",
        publication.consumer, publication.version, publication.provider
    );
    // Several versions may have published the content. The metadata selects the one that this result is for.
    let metadata = Metadata {
        versions: vec![publication.version_id],
        ..Metadata::default()
    };
    let content = urls.content(&publication.provider, &publication.consumer, &publication.sha);
    let pact_url = format!("{content}/metadata/{}", metadata.to_text());
    let mut body = json!({
        "providerName": result.provider,
        "providerApplicationVersion": result.provider_version,
        "success": result.success,
        "verificationDate": time::iso(result.created_at),
        "verifiedBy": parsed(&result.verified_by).unwrap_or_else(|| json!({})),
        "_links": {
            "self": named(
                "Verification result",
                &format!("Verification result {} for {pact}", result.number),
                url(urls, publication, result.number),
            ),
            "pb:pact-version": named("Pact", &pact, pact_url),
            "pb:triggered-webhooks": titled(
                "Webhooks triggered by the publication of the result",
                format!("{}/triggered-webhooks", url(urls, publication, result.number)),
            ),
        },
    });
    if let Some(url) = &result.build_url {
        body["buildUrl"] = url.as_str().into();
    }
    if let Some(results) = parsed(&result.test_results) {
        body["testResults"] = results;
    }
    body
}

/// The request body with a new verification result.
struct Sent {
    success: bool,
    number: String,
    build_url: Option<String>,
    test_results: Option<String>,
    verified_by: Option<String>,
}

impl Sent {
    fn parse(rq: &Request) -> Result<Self, HandlerError> {
        let sent = rq.object()?;
        let mut fields = Fields::new(&sent);
        let success = fields.required_bool("success");
        let number = fields.name("providerApplicationVersion").to_owned();
        let build_url = fields.text("buildUrl").map(str::to_owned);
        let verified_by = match sent.get("verifiedBy") {
            None | Some(Value::Null) => None,
            Some(verifier @ Value::Object(_)) => Some(verifier.to_string()),
            Some(_) => {
                fields.error("verifiedBy", "must be an object");
                None
            }
        };
        let test_results = sent.get("testResults").filter(|results| !results.is_null());
        let test_results = test_results.map(Value::to_string);
        fields.finish()?;
        Ok(Self {
            success,
            number,
            build_url,
            test_results,
            verified_by,
        })
    }
}

pub(super) fn prepare(rq: &Request) -> Result<Prepared, HandlerError> {
    let sent = Sent::parse(rq)?;
    Ok(Prepared::new(move |rq, tx| add(rq, tx, &sent)))
}

fn add(rq: &Request, tx: &mut Tx<'_>, sent: &Sent) -> HandlerResult {
    let metadata = metadata_of(rq);
    let publication = of_content(rq, tx, Param::Sha, metadata.as_ref())?;
    let selected = metadata.as_ref().map_or(&[][..], |metadata| &metadata.versions);
    let publishing = ResultToPublish {
        contract: &publication,
        selected,
        number: &sent.number,
        report: Report {
            success: sent.success,
            wip: metadata.as_ref().is_some_and(|metadata| metadata.wip),
            build_url: sent.build_url.as_deref(),
            test_results: sent.test_results.as_deref(),
            verified_by: sent.verified_by.as_deref(),
        },
    };
    let result = cases::results::publish(tx, rq.event_settings(), &publishing)?;
    let reply = Reply::created(
        &body(&rq.urls, &publication, &result),
        url(&rq.urls, &publication, result.number),
    );
    Ok(reply.with_deliveries(true))
}

fn numbered(rq: &Request, tx: &mut Tx<'_>) -> Result<(Publication, VerificationResult), HandlerError> {
    let publication = of_content(rq, tx, Param::Sha, metadata_of(rq).as_ref())?;
    let number: i64 = rq.param(Param::Number).parse().map_err(|_| not_found())?;
    let result = results::by_number(tx, publication.content_id, number)?;
    Ok((publication, result.ok_or_else(not_found)?))
}

pub(super) fn show(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (publication, result) = numbered(rq, tx)?;
    Ok(Reply::ok(&body(&rq.urls, &publication, &result)))
}

pub(super) fn delete(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let (publication, result) = numbered(rq, tx)?;
    results::delete(tx, publication.content_id, result.number)?;
    Ok(Reply::empty(204))
}

fn latest(rq: &Request, tx: &mut Tx<'_>, publication: &Publication) -> HandlerResult {
    let result = results::latest(tx, publication.content_id)?.ok_or_else(not_found)?;
    Ok(Reply::ok(&body(&rq.urls, publication, &result)))
}

pub(super) fn latest_of_content(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_content(rq, tx, Param::Sha, metadata_of(rq).as_ref())?;
    latest(rq, tx, &publication)
}

pub(super) fn latest_of_version(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = of_version(rq, tx)?;
    latest(rq, tx, &publication)
}

pub(super) fn latest_of_latest(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = find_publication(rq, tx, PactQuery::Latest)?;
    latest(rq, tx, &publication)
}

pub(super) fn latest_of_latest_with_tag(rq: &Request, tx: &mut Tx<'_>) -> HandlerResult {
    let publication = find_publication(rq, tx, PactQuery::LatestWithTag(rq.param(Param::Tag)))?;
    latest(rq, tx, &publication)
}
