//! Reads HTTP archives in the HAR 1.2 format, which browsers and other tools export.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use contract_model::{Headers, Json, JsonError, Query, Text};

use crate::exchange::{Captured, Exchange};
use crate::select::{Selected, SelectionError, select};

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum HarError {
    #[error("it is not JSON: {0}")]
    Json(#[from] JsonError),
    #[error("it is not an HTTP archive: log.entries is missing")]
    NotAnArchive,
    #[error(transparent)]
    Selection(#[from] SelectionError),
}

/// Reads the exchanges in an archive, and selects them like [`select`](fn@crate::select).
pub fn read_har(bytes: &[u8], target: Option<&str>) -> Result<Selected, HarError> {
    let document = Json::parse(bytes)?;
    let entries = document.pointer("/log/entries").and_then(Json::as_array);
    let mut entries: Vec<&Json> = entries.ok_or(HarError::NotAnArchive)?.iter().collect();
    // HAR does not specify the order of the entries.
    entries.sort_by_key(|entry| text(entry, "/startedDateTime"));
    let captured = entries.into_iter().map(|entry| Captured {
        url: text(entry, "/request/url").to_owned(),
        exchange: exchange(entry),
    });
    let selected = select(captured.collect(), target)?;
    if selected.exchanges.is_empty() && selected.skipped.is_empty() {
        let target = contract_report::redact::text(target.unwrap_or("an API")).into_owned();
        return Err(SelectionError::NoRequests(target).into());
    }
    Ok(selected)
}

fn text<'a>(json: &'a Json, pointer: &str) -> &'a str {
    json.pointer(pointer).and_then(Json::as_str).unwrap_or_default()
}

fn exchange(entry: &Json) -> Exchange {
    let status = entry
        .pointer("/response/status")
        .and_then(Json::as_i64)
        .unwrap_or_default();
    let mut request_headers = headers(entry, "/request/headers");
    let mut response_headers = headers(entry, "/response/headers");
    let mut problem = None;
    let request_body = request_body(entry, &mut request_headers);
    let response_body = response_body(entry, &mut problem);
    if response_headers.get("content-type").is_none() {
        let declared = text(entry, "/response/content/mimeType");
        if declared.contains('/') && declared != "x-unknown" {
            response_headers.insert("Content-Type", vec![declared.into()]);
        }
    }
    let size = entry
        .pointer("/request/bodySize")
        .and_then(Json::as_i64)
        .unwrap_or_default();
    if request_body.is_empty() && size > 0 {
        problem = Some("the archive does not contain the request body".to_owned());
    }
    let size = entry
        .pointer("/response/content/size")
        .and_then(Json::as_i64)
        .unwrap_or_default();
    if response_body.is_empty() && size > 0 && status != 304 && problem.is_none() {
        problem = Some("the archive does not contain the response body".to_owned());
    }
    Exchange {
        method: text(entry, "/request/method").to_ascii_uppercase().into(),
        request_headers,
        request_body,
        status: u16::try_from(status).unwrap_or_default(),
        response_headers,
        response_body,
        problem,
        ..Exchange::default()
    }
}

fn headers(entry: &Json, pointer: &str) -> Headers {
    let mut headers = Headers::new();
    for header in entry.pointer(pointer).and_then(Json::as_array).unwrap_or_default() {
        let (name, value) = (text(header, "/name"), text(header, "/value"));
        // Pseudo-headers of HTTP/2 start with a colon.
        let is_name = |byte: u8| byte.is_ascii_graphic() && !b"()<>@,;:\\\"/[]?={}".contains(&byte);
        if !name.is_empty() && name.bytes().all(is_name) {
            headers.append(Text::from(name), value.trim());
        }
    }
    headers
}

fn request_body(entry: &Json, headers: &mut Headers) -> Bytes {
    let Some(data) = entry.pointer("/request/postData") else {
        return Bytes::new();
    };
    let declared = text(data, "/mimeType");
    if headers.get("content-type").is_none() && declared.contains('/') {
        headers.insert("Content-Type", vec![declared.into()]);
    }
    let body = text(data, "/text");
    if !body.is_empty() {
        return body.to_owned().into();
    }
    let mut form = Query::new();
    for parameter in data.get("params").and_then(Json::as_array).unwrap_or_default() {
        form.append(text(parameter, "/name"), Some(text(parameter, "/value").into()));
    }
    form.to_text().into()
}

fn response_body(entry: &Json, problem: &mut Option<String>) -> Bytes {
    let body = text(entry, "/response/content/text");
    if text(entry, "/response/content/encoding") != "base64" {
        return body.to_owned().into();
    }
    STANDARD.decode(body).map_or_else(
        |_| {
            *problem = Some("its response body is not valid base64".to_owned());
            Bytes::new()
        },
        Bytes::from,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(entries: &str) -> Vec<u8> {
        format!(r#"{{"log": {{"version": "1.2", "entries": [{entries}]}}}}"#).into_bytes()
    }

    fn entry(at: &str, url: &str, response: &str) -> String {
        format!(
            r#"{{"startedDateTime": "{at}", "request": {{"method": "GET", "url": "{url}", "headers": [
                {{"name": ":authority", "value": "h"}}, {{"name": "X-Tenant", "value": "7"}}]}}, "response": {response}}}"#
        )
    }

    const JSON: &str = r#"{"status": 200, "headers": [{"name": "content-type", "value": "application/json"},
        {"name": "content-encoding", "value": "br"}], "content": {"size": 2, "mimeType": "application/json", "text": "{}"}}"#;

    #[test]
    fn entries_are_sorted_and_relative_to_the_target() {
        let bytes = archive(
            &[
                entry("2026-01-02", "http://h/api/b?x=1#f", JSON),
                entry("2026-01-01", "http://h/api/a", JSON),
                entry("2026-01-01", "http://other/api/a", JSON),
                entry("2026-01-03", "http://h/apis", JSON),
            ]
            .join(","),
        );
        let har = read_har(&bytes, Some("http://h/api/")).unwrap();
        let paths: Vec<&str> = har.exchanges.iter().map(|exchange| exchange.path.as_str()).collect();
        assert_eq!(paths, ["/a", "/b"]);
        assert_eq!(har.exchanges[1].query.to_text(), "x=1");
        assert_eq!(har.exchanges[0].request_headers.first("x-tenant"), Some("7"));
        assert_eq!(har.exchanges[0].response_headers.get("content-encoding"), None);
        let several = read_har(&bytes, None).unwrap_err();
        assert_eq!(
            several,
            HarError::Selection(SelectionError::SeveralOrigins(vec![
                "http://h".into(),
                "http://other".into()
            ]))
        );
        assert_eq!(
            read_har(&bytes, Some("http://x")).unwrap_err(),
            HarError::Selection(SelectionError::NoRequests("http://x".into()))
        );
    }

    #[test]
    fn bodies_may_be_encoded_or_missing() {
        let encoded = r#"{"status": 200, "content": {"size": 2, "mimeType": "application/json", "text": "e30=", "encoding": "base64"}}"#;
        let wrong = r#"{"status": 200, "content": {"size": 2, "mimeType": "application/json", "text": "?", "encoding": "base64"}}"#;
        let missing = r#"{"status": 200, "content": {"size": 2, "mimeType": "application/json"}}"#;
        let image = r#"{"status": 200, "content": {"size": 2, "mimeType": "image/png", "text": "aa"}}"#;
        let never = r#"{"status": 0, "content": {"size": 0}}"#;
        let entries = [encoded, wrong, missing, image, never].map(|response| entry("2026", "http://h/a", response));
        let har = read_har(&archive(&entries.join(",")), None).unwrap();
        assert_eq!(&har.exchanges[0].response_body[..], b"{}");
        assert!(
            har.exchanges[1]
                .problem
                .as_deref()
                .is_some_and(|problem| problem.contains("base64"))
        );
        assert_eq!(
            har.exchanges[2].problem.as_deref(),
            Some("the archive does not contain the response body")
        );
        assert_eq!(har.exchanges[3].status, 0);
        let reasons: Vec<&str> = har.skipped.iter().map(|skipped| skipped.reason.as_str()).collect();
        assert_eq!(reasons, ["it is a page, script, style, image, or font"]);
    }

    #[test]
    fn request_bodies_are_text_or_parameters() {
        let with = |data: &str| {
            let text = format!(
                r#"{{"request": {{"method": "post", "url": "http://me:pw@h/a", "bodySize": 3, "postData": {data}}},
                    "response": {{"status": 201, "content": {{}}}}}}"#
            );
            read_har(&archive(&text), Some("http://h")).unwrap().exchanges.remove(0)
        };
        let form =
            with(r#"{"mimeType": "application/x-www-form-urlencoded", "params": [{"name": "a", "value": "b c"}]}"#);
        assert_eq!((form.method.as_str(), form.path.as_str()), ("POST", "/a"));
        assert_eq!(&form.request_body[..], b"a=b+c");
        assert_eq!(
            with(r#"{"mimeType": "text/plain", "text": "hi"}"#)
                .request_headers
                .first("content-type"),
            Some("text/plain")
        );
        assert!(
            with("{}").problem.is_some(),
            "the archive has no body, but the request had one"
        );
    }

    #[test]
    fn other_documents_are_rejected() {
        assert_eq!(read_har(b"{}", None).unwrap_err(), HarError::NotAnArchive);
        assert!(matches!(read_har(b"{", None), Err(HarError::Json(_))));
        for entries in ["1", "null", r#"{"request": 1}"#, r#"{"request": {"url": "x"}}"#] {
            assert!(read_har(&archive(entries), None).is_err(), "{entries}");
        }
    }
}
