//! The parts of an interaction: the request or message, followed by the responses.

use contract_model::{Body, Generators, InteractionKind, Message, Rule, Rules};

/// The body, matching rules, and generators of a part.
type Part<'a> = (&'a Body, &'a Rules, &'a Generators);
/// A mutable part with its name in the plugin protocol: `request`, `response`, or an empty name for an asynchronous
/// message.
pub(super) type PartMut<'a> = (&'static str, &'a mut Body, &'a mut Rules, &'a mut Generators);

pub(super) fn parts(kind: &InteractionKind) -> Vec<Part<'_>> {
    fn message_part(message: &Message) -> Part<'_> {
        (&message.contents, &message.rules, &message.generators)
    }
    match kind {
        InteractionKind::Http(http) => vec![
            (&http.request.body, &http.request.rules, &http.request.generators),
            (&http.response.body, &http.response.rules, &http.response.generators),
        ],
        InteractionKind::AsyncMessage(message) => vec![message_part(message)],
        InteractionKind::SyncMessage(exchange) => {
            let messages = std::iter::once(&exchange.request).chain(&exchange.responses);
            messages.map(message_part).collect()
        }
        InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => Vec::new(),
    }
}

pub(super) fn parts_mut(kind: &mut InteractionKind) -> Vec<PartMut<'_>> {
    fn message_part_mut<'a>(name: &'static str, message: &'a mut Message) -> PartMut<'a> {
        (name, &mut message.contents, &mut message.rules, &mut message.generators)
    }
    match kind {
        InteractionKind::Http(http) => {
            let (request, response) = (&mut http.request, &mut http.response);
            vec![
                (
                    "request",
                    &mut request.body,
                    &mut request.rules,
                    &mut request.generators,
                ),
                (
                    "response",
                    &mut response.body,
                    &mut response.rules,
                    &mut response.generators,
                ),
            ]
        }
        // The same message is both generated and compared.
        InteractionKind::AsyncMessage(message) => vec![message_part_mut("", message)],
        InteractionKind::SyncMessage(exchange) => {
            let responses = exchange
                .responses
                .iter_mut()
                .map(|message| message_part_mut("response", message));
            std::iter::once(message_part_mut("request", &mut exchange.request))
                .chain(responses)
                .collect()
        }
        InteractionKind::Unknown { .. } | InteractionKind::Unreadable(_) => Vec::new(),
    }
}

pub(super) fn each_rule(rules: &Rules) -> impl Iterator<Item = &Rule> {
    rules.values().flat_map(|list| &list.rules)
}
