//! Reads interactions.

use super::error::{ReadError, ReadWarning};
use super::members::{list, object, take, take_any, take_bool, take_object, take_text, text, wrong};
use super::reader::Reader;
use super::unknown;
use crate::interaction::{ASYNC_MESSAGE, HTTP, SYNC_MESSAGE};
use crate::place::Place;
use crate::{
    HttpInteraction, Interaction, InteractionKind, Json, Message, Object, ProviderState, SpecificationVersion,
    SyncMessage, Text, Unreadable,
};

impl Reader {
    /// Reads an element of `interactions`. Without a description, the interaction is called `Interaction` and its
    /// `index`.
    pub(super) fn interaction(&mut self, json: Json, index: usize, place: &Place) -> Result<Interaction, ReadError> {
        let Json::Object(mut members) = json else {
            return Err(wrong(place, "an object", Some(&json)));
        };
        if self.version < SpecificationVersion::V4 {
            let mut interaction = common(&mut members, index, place)?;
            interaction.kind = self.http(&mut members, place)?;
            interaction.other = members;
            return Ok(interaction);
        }
        let kind = match members.get("type") {
            None | Some(Json::Null) => implied_type(&members),
            Some(Json::String(kind)) => kind.clone(),
            other => return Err(wrong(&place.key("type"), "a string", other)),
        };
        if !matches!(kind.as_str(), HTTP | ASYNC_MESSAGE | SYNC_MESSAGE) {
            return Ok(self.unknown(kind, members, place));
        }
        members.remove("type");
        let mut interaction = common(&mut members, index, place)?;
        annotations(&mut interaction, &mut members, place)?;
        interaction.kind = match kind.as_str() {
            ASYNC_MESSAGE => InteractionKind::AsyncMessage(Box::new(self.message_members(&mut members, place)?)),
            SYNC_MESSAGE => self.sync_message(&mut members, place)?,
            _ => self.http(&mut members, place)?,
        };
        interaction.other = members;
        Ok(interaction)
    }

    /// Reads an element of `messages` (V3).
    pub(super) fn listed_message(&mut self, json: Json, index: usize, place: &Place) -> Result<Interaction, ReadError> {
        let Json::Object(mut members) = json else {
            return Err(wrong(place, "an object", Some(&json)));
        };
        let mut interaction = common(&mut members, index, place)?;
        interaction.kind = InteractionKind::AsyncMessage(Box::new(self.message_members(&mut members, place)?));
        interaction.other = members;
        Ok(interaction)
    }

    fn http(&mut self, members: &mut Object, place: &Place) -> Result<InteractionKind, ReadError> {
        let mut part = |name: &'static str, read_as| {
            take(members, name).unwrap_or_else(|| {
                self.warnings.push(ReadWarning::Missing {
                    at: place.key(name).to_string(),
                    read_as,
                });
                Json::object()
            })
        };
        let (request, response) = (part("request", "GET /"), part("response", "status 200"));
        Ok(InteractionKind::Http(Box::new(HttpInteraction {
            request: self.request(request, &place.key("request"))?,
            response: self.response(response, &place.key("response"))?,
        })))
    }

    fn sync_message(&mut self, members: &mut Object, place: &Place) -> Result<InteractionKind, ReadError> {
        let at = place.key("request");
        let request = take(members, "request").ok_or_else(|| wrong(&at, "an object", None))?;
        let request = self.message(request, &at)?;
        let at = place.key("response");
        let responses = match take(members, "response") {
            // Some tools write a single response instead of an array.
            Some(single @ Json::Object(_)) => vec![self.message(single, &at)?],
            Some(several) => list(several, &at)?
                .into_iter()
                .enumerate()
                .map(|(index, json)| self.message(json, &at.index(index)))
                .collect::<Result<Vec<Message>, _>>()?,
            None => {
                self.warnings.push(ReadWarning::Missing {
                    at: at.to_string(),
                    read_as: "no responses",
                });
                Vec::new()
            }
        };
        Ok(InteractionKind::SyncMessage(Box::new(SyncMessage {
            request,
            responses,
        })))
    }

    /// Returns an unreadable interaction for one that cannot be parsed. Keeps the parts of its identity that can be
    /// parsed.
    pub(super) fn unreadable(&self, document: Json, place: &Place, error: &ReadError) -> Interaction {
        let members = document.as_object().cloned().unwrap_or_default();
        let text = |name: &str| members.get(name).and_then(Json::as_str).map(Text::from);
        let named = common(&mut members.clone(), 0, place);
        let is_identified = named.is_ok() && text("description").is_some();
        let named = named.unwrap_or_default();
        let kind = match text("type") {
            Some(kind) if self.version >= SpecificationVersion::V4 => kind,
            _ if is_message(&members) => Text::const_new(ASYNC_MESSAGE),
            _ => Text::const_new(HTTP),
        };
        Interaction {
            // Without a description, the type is used: the index may change when the written contract is read again.
            description: text("description").unwrap_or_else(|| kind.clone()),
            states: named.states,
            broker_id: named.broker_id,
            key: text("key"),
            pending: members.get("pending").and_then(Json::as_bool).unwrap_or_default(),
            kind: InteractionKind::Unreadable(Box::new(Unreadable {
                kind,
                document,
                is_identified,
                at: error.at().to_owned(),
                reason: error.to_string(),
            })),
            ..Interaction::default()
        }
    }

    /// Returns an interaction of an unknown type. Reads only what sorting and merging require. Unexpected values in it
    /// are not errors, because a later specification may define them.
    fn unknown(&mut self, kind: Text, members: Object, place: &Place) -> Interaction {
        self.warnings.push(ReadWarning::UnknownInteraction {
            at: place.to_string(),
            kind: kind.clone(),
        });
        let mut named = common(&mut members.clone(), 0, place).unwrap_or_default();
        if members.get("description").and_then(Json::as_str).is_none() {
            // The index may change when the written contract is read again.
            named.description.clone_from(&kind);
        }
        let key = members.get("key").and_then(Json::as_str).map(Text::from);
        Interaction {
            description: named.description,
            states: named.states,
            key,
            kind: InteractionKind::Unknown {
                kind,
                document: members.into(),
            },
            ..Interaction::default()
        }
    }
}

/// Returns the type that the members of a V4 interaction without `type` imply.
fn implied_type(members: &Object) -> Text {
    Text::const_new(if is_message(members) { ASYNC_MESSAGE } else { HTTP })
}

fn is_message(members: &Object) -> bool {
    members.contains_key("contents") && !members.contains_key("request")
}

/// Reads the members that all versions share: the description, the provider states, and the broker's ID.
fn common(members: &mut Object, index: usize, place: &Place) -> Result<Interaction, ReadError> {
    Ok(Interaction {
        description: take_text(members, "description", place)?
            .unwrap_or_else(|| compact_str::format_compact!("Interaction {index}")),
        states: states(members, place)?,
        broker_id: take(members, "_id").map(|id| Text::from(id.text_form())),
        ..Interaction::default()
    })
}

/// Reads the members that V4 introduced.
fn annotations(interaction: &mut Interaction, members: &mut Object, place: &Place) -> Result<(), ReadError> {
    interaction.key = take_text(members, "key", place)?;
    interaction.pending = take_bool(members, "pending", place)?;
    interaction.comments = take_object(members, "comments", place)?;
    interaction.transport = take_text(members, "transport", place)?;
    interaction.markup = take(members, "interactionMarkup");
    interaction.plugin_configuration = take_object(members, "pluginConfiguration", place)?;
    Ok(())
}

/// Reads `providerStates` of V3 and V4, or the single string of V1 and V2 under either of its names. Puts unknown
/// members back into `members`.
fn states(members: &mut Object, place: &Place) -> Result<Vec<ProviderState>, ReadError> {
    match take_any(members, &["providerStates", "providerState", "provider_state"]) {
        None => Ok(Vec::new()),
        Some((_, Json::String(name))) if name.is_empty() => Ok(Vec::new()),
        Some((_, Json::String(name))) => Ok(vec![ProviderState {
            name,
            parameters: Object::new(),
        }]),
        Some((name, listed)) => {
            let place = place.key(name);
            let (mut states, mut unknown) = (Vec::new(), Vec::new());
            for (index, json) in list(listed, &place)?.into_iter().enumerate() {
                let (state, rest) = state(json, &place.index(index))?;
                states.push(state);
                unknown.push(unknown::or_null(rest));
            }
            if let Some(unknown) = unknown::list(unknown) {
                members.insert("providerStates", unknown);
            }
            Ok(states)
        }
    }
}

/// Reads a provider state and its unknown members.
fn state(json: Json, place: &Place) -> Result<(ProviderState, Object), ReadError> {
    if let Json::String(name) = json {
        let state = ProviderState {
            name,
            parameters: Object::new(),
        };
        return Ok((state, Object::new()));
    }
    let mut members = object(json, place)?;
    let at = place.key("name");
    let name = members.remove("name").ok_or_else(|| wrong(&at, "a string", None))?;
    let state = ProviderState {
        name: text(name, &at)?,
        parameters: take_object(&mut members, "params", place)?,
    };
    Ok((state, members))
}
