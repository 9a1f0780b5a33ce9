//! Replaces all untrusted strings in a report: those from contracts, providers, brokers, and errors. The patterns list
//! all fields, so that a new field causes a compiler error.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use contract_model::{Json, Object, ProviderState};

use super::{
    ContractPublication, ContractReport, Expectation, InteractionError, InteractionReport, Notice, Origin, Publication,
    Report, ReportedBody, ReportedHeader, ReportedRequest, ReportedResponse,
};
use crate::finding::Finding;

/// Returns the replacement for a string, or `None` to keep the string.
type Change<'c> = &'c dyn Fn(&str) -> Option<String>;

/// The known interaction types. All other types are untrusted strings from a contract.
const KINDS: [&str; 3] = ["Synchronous/HTTP", "Asynchronous/Messages", "Synchronous/Messages"];

impl Report {
    /// Replaces all strings for which `change` returns a replacement.
    pub fn map_texts(&mut self, change: Change<'_>) {
        let Self {
            command,
            warnings,
            publication,
            contracts,
            // These fields are set by the caller or computed.
            provider: _,
            format_version: _,
            date: _,
            provider_version: _,
            provider_branch: _,
            build_url: _,
            success: _,
            summary: _,
        } = self;
        optional(command, change);
        for warning in warnings.iter_mut() {
            text(warning, change);
        }
        if let Some(Publication {
            error,
            version: _,
            branch: _,
            tags: _,
            published: _,
        }) = publication
        {
            optional(error, change);
        }
        for contract in contracts.iter_mut() {
            contract.map_texts(change);
        }
    }
}

impl ContractReport {
    fn map_texts(&mut self, change: Change<'_>) {
        let Self {
            consumer,
            source,
            origin,
            notices,
            publication,
            interactions,
            // The caller sets the name of the provider.
            provider: _,
            pending: _,
            number: _,
        } = self;
        text(consumer, change);
        text(source, change);
        if let Some(Origin {
            broker,
            name,
            selection,
            kind: _,
            wip: _,
        }) = origin
        {
            for field in [broker, name, selection] {
                optional(field, change);
            }
        }
        for Notice {
            text: notice,
            moment: _,
        } in notices
        {
            text(notice, change);
        }
        if let Some(ContractPublication {
            url,
            reason,
            published: _,
        }) = publication
        {
            optional(url, change);
            optional(reason, change);
        }
        for interaction in interactions.iter_mut() {
            interaction.map_texts(change);
        }
    }
}

impl InteractionReport {
    /// Replaces all strings for which `change` returns a replacement.
    pub fn map_texts(&mut self, change: Change<'_>) {
        let Self {
            description,
            states,
            key,
            id,
            kind,
            test_name,
            comments,
            expected,
            request,
            response,
            unhandled_states,
            mismatches,
            diff,
            error,
            output,
            teardown_error,
            fingerprint: _,
            pending: _,
            line: _,
            status: _,
            duration_ms: _,
            timing: _,
        } = self;
        text(description, change);
        for ProviderState { name, parameters } in states {
            if let Some(changed) = change(name) {
                *name = changed.into();
            }
            object(parameters, change);
        }
        for field in [key, id, test_name, diff] {
            optional(field, change);
        }
        if !KINDS.contains(&kind.as_str()) {
            text(kind, change);
        }
        optional_json(comments, change);
        if let Some(Expectation {
            headers,
            metadata,
            status: _,
            body: _,
        }) = expected
        {
            all_headers(headers, change);
            optional_json(metadata, change);
        }
        if let Some(ReportedRequest {
            method,
            url,
            headers,
            body: content,
        }) = request
        {
            text(method, change);
            text(url, change);
            for headers in headers.iter_mut() {
                all_headers(headers, change);
            }
            for content in content.iter_mut() {
                body(content, change);
            }
        }
        if let Some(ReportedResponse {
            headers,
            metadata,
            body: content,
            status: _,
        }) = response
        {
            for headers in headers.iter_mut() {
                all_headers(headers, change);
            }
            optional_json(metadata, change);
            for content in content.iter_mut() {
                body(content, change);
            }
        }
        for state in unhandled_states.iter_mut() {
            text(state, change);
        }
        for mismatch in mismatches.iter_mut() {
            finding(mismatch, change);
        }
        for InteractionError {
            message,
            code: _,
            token: _,
        } in [error, teardown_error].into_iter().flatten()
        {
            text(message, change);
        }
        for line in output.iter_mut() {
            text(line, change);
        }
    }
}

fn finding(finding: &mut Finding, change: Change<'_>) {
    let Finding {
        place,
        parameter,
        key,
        path,
        pointer,
        expected,
        actual,
        rule,
        sentence,
        brief,
        explanation,
        part: _,
        kind: _,
        index: _,
    } = finding;
    text(place, change);
    text(sentence, change);
    for field in [parameter, key, path, pointer, brief, explanation] {
        optional(field, change);
    }
    for field in [expected, actual, rule] {
        optional_json(field, change);
    }
}

fn all_headers(headers: &mut [ReportedHeader], change: Change<'_>) {
    for ReportedHeader { name, values } in headers {
        text(name, change);
        for value in values.iter_mut() {
            text(value, change);
        }
    }
}

fn body(body: &mut ReportedBody, change: Change<'_>) {
    let ReportedBody {
        content_type,
        content,
        encoding,
        size: _,
        truncated: _,
    } = body;
    optional(content_type, change);
    if *encoding != "base64" {
        return text(content, change);
    }
    // Decode each byte as one character, so that binary data is preserved.
    let decoded = BASE64_STANDARD.decode(content.as_bytes()).unwrap_or_default();
    let characters: String = decoded.into_iter().map(char::from).collect();
    if let Some(changed) = change(&characters) {
        let bytes: Vec<u8> = changed.chars().map(|c| u8::try_from(c).unwrap_or(b'?')).collect();
        *content = BASE64_STANDARD.encode(bytes);
    }
}

fn text(text: &mut String, change: Change<'_>) {
    if let Some(changed) = change(text) {
        *text = changed;
    }
}

fn optional(value: &mut Option<String>, change: Change<'_>) {
    for value in value.iter_mut() {
        text(value, change);
    }
}

fn optional_json(value: &mut Option<Json>, change: Change<'_>) {
    for value in value.iter_mut() {
        json(value, change);
    }
}

fn json(value: &mut Json, change: Change<'_>) {
    match value {
        Json::Object(members) => object(members, change),
        Json::Array(items) => items.iter_mut().for_each(|item| json(item, change)),
        Json::String(text) => {
            if let Some(changed) = change(text) {
                *text = changed.into();
            }
        }
        Json::Number(number) => {
            if let Some(changed) = change(number.as_str()) {
                *value = changed.into();
            }
        }
        Json::Null | Json::Bool(_) => {}
    }
}

fn object(members: &mut Object, change: Change<'_>) {
    if members.keys().any(|name| change(name).is_some()) {
        let named = std::mem::take(members).into_iter();
        *members = named
            .map(|(name, value)| (change(&name).map_or(name, Into::into), value))
            .collect();
    }
    for (_, value) in members.iter_mut() {
        json(value, change);
    }
}
