//! Writes interactions.

use super::{Loss, WriteError, WriteWarning, Writer, check_version, inside};
use crate::{HttpInteraction, Interaction, InteractionKind, Json, Message, Object, SpecificationVersion, SyncMessage};

/// Members that all versions read. Unknown members must not override them.
const COMMON: [&str; 5] = [
    "description",
    "providerStates",
    "providerState",
    "provider_state",
    "_id",
];
const ANNOTATIONS: [&str; 7] = [
    "type",
    "key",
    "pending",
    "comments",
    "transport",
    "interactionMarkup",
    "pluginConfiguration",
];
const HTTP: [&str; 2] = ["request", "response"];
const MESSAGE: [&str; 5] = ["contents", "metadata", "metaData", "matchingRules", "generators"];

impl Interaction {
    /// Converts the interaction to an element of `interactions`, or of `messages` for a message in V3.
    pub fn to_json(&self, version: SpecificationVersion) -> Result<(Json, Vec<WriteWarning>), WriteError> {
        check_version(version)?;
        let mut writer = Writer {
            version,
            description: &self.description,
            part: "message",
            warnings: Vec::new(),
        };
        let json = writer.interaction(self)?;
        Ok((json, writer.warnings))
    }
}

impl Writer<'_> {
    fn interaction(&mut self, interaction: &Interaction) -> Result<Json, WriteError> {
        let is_v4 = self.version >= SpecificationVersion::V4;
        if let InteractionKind::Unknown { document, .. } = &interaction.kind
            && is_v4
        {
            return Ok(document.clone());
        }
        if let InteractionKind::Unreadable(unreadable) = &interaction.kind
            && supports_kind(self.version, &unreadable.kind)
        {
            return Ok(unreadable.document.clone());
        }
        let mut object = Object::new();
        object.insert("description", interaction.description.clone());
        self.states(interaction, &mut object);
        if is_v4 {
            object.insert("type", interaction.kind.type_name());
            annotations(interaction, &mut object);
        } else {
            self.warn_about_omitted_members(interaction);
        }
        let members: &[&str] = match &interaction.kind {
            InteractionKind::Http(http) => {
                self.http(http, &mut object)?;
                &HTTP
            }
            InteractionKind::AsyncMessage(message) if self.version >= SpecificationVersion::V3 => {
                self.part = "message";
                self.message_members(message, &interaction.other, &mut object);
                self.add_unknown(&mut object, &message.other, &[]);
                &MESSAGE
            }
            InteractionKind::SyncMessage(message) if is_v4 => {
                self.sync_message(message, &mut object);
                &HTTP
            }
            kind => {
                return Err(WriteError::Kind {
                    interaction: interaction.description.clone(),
                    kind: kind.type_name().into(),
                    version: self.version,
                });
            }
        };
        let annotations: &[&str] = if is_v4 { &ANNOTATIONS } else { &[] };
        self.add_unknown(
            &mut object,
            &interaction.other,
            &[&COMMON, annotations, members].concat(),
        );
        Ok(object.into())
    }

    fn states(&mut self, interaction: &Interaction, object: &mut Object) {
        let states = &interaction.states;
        self.part = "interaction";
        let Some(first) = states.first() else {
            return self.add_inside("providerStates", None, inside(&interaction.other, "providerStates"));
        };
        if self.version >= SpecificationVersion::V3 {
            let states = states.iter().map(|state| {
                let mut json = Object::new();
                json.insert("name", state.name.clone());
                if !state.parameters.is_empty() {
                    json.insert("params", state.parameters.clone());
                }
                Json::Object(json)
            });
            let mut states = Json::Array(states.collect());
            self.add_inside(
                "providerStates",
                Some(&mut states),
                inside(&interaction.other, "providerStates"),
            );
            object.insert("providerStates", states);
            return;
        }
        self.add_inside("providerStates", None, inside(&interaction.other, "providerStates"));
        if states.len() > 1 {
            self.lost(Loss::FurtherStates { count: states.len() });
        }
        if !first.parameters.is_empty() {
            self.lost(Loss::StateParameters {
                state: first.name.clone(),
            });
        }
        if first.name.is_empty() {
            self.lost(Loss::NamelessState);
        } else {
            object.insert("providerState", first.name.clone());
        }
    }

    /// Adds a warning for each member that only V4 supports.
    fn warn_about_omitted_members(&mut self, interaction: &Interaction) {
        for (member, is_set) in [
            ("key", interaction.key.is_some()),
            ("pending", interaction.pending),
            ("comments", !interaction.comments.is_empty()),
            ("transport", interaction.transport.is_some()),
            ("interactionMarkup", interaction.markup.is_some()),
            ("pluginConfiguration", !interaction.plugin_configuration.is_empty()),
        ] {
            if is_set {
                self.lost(Loss::Member { member });
            }
        }
    }

    fn http(&mut self, http: &HttpInteraction, object: &mut Object) -> Result<(), WriteError> {
        if !(100..600).contains(&http.response.status) {
            return Err(WriteError::Status {
                interaction: self.description.clone(),
                status: http.response.status,
            });
        }
        object.insert("request", self.request(&http.request));
        object.insert("response", self.response(&http.response));
        Ok(())
    }

    fn sync_message(&mut self, message: &SyncMessage, object: &mut Object) {
        self.part = "request";
        object.insert("request", self.message(&message.request));
        self.part = "response";
        let responses: Vec<Json> = message
            .responses
            .iter()
            .map(|response| self.message(response))
            .collect();
        object.insert("response", responses);
    }

    fn message(&mut self, message: &Message) -> Json {
        let mut object = Object::new();
        self.message_members(message, &message.other, &mut object);
        self.add_unknown(&mut object, &message.other, &MESSAGE);
        object.into()
    }

    /// Writes the members of a message. `other` contains the unknown members of the enclosing object.
    fn message_members(&mut self, message: &Message, other: &Object, object: &mut Object) {
        let declared = message.metadata_content_type();
        self.body("contents", &message.contents, declared, other, object);
        if !message.metadata.is_empty() {
            // The V3 specification spells this `metaData`. pact-jvm accepts only this spelling in V3; other tools
            // accept both.
            let is_v4 = self.version >= SpecificationVersion::V4;
            let name = if is_v4 { "metadata" } else { "metaData" };
            object.insert(name, message.metadata.clone());
        }
        self.rules(&message.rules, object);
        self.generators(&message.generators, object);
    }
}

/// Returns true if the version supports interactions of this type.
fn supports_kind(version: SpecificationVersion, kind: &str) -> bool {
    match kind {
        crate::interaction::HTTP => true,
        crate::interaction::ASYNC_MESSAGE => version >= SpecificationVersion::V3,
        _ => version >= SpecificationVersion::V4,
    }
}

fn annotations(interaction: &Interaction, object: &mut Object) {
    object.insert("pending", interaction.pending);
    if let Some(key) = &interaction.key {
        object.insert("key", key.clone());
    }
    if !interaction.comments.is_empty() {
        object.insert("comments", interaction.comments.clone());
    }
    if let Some(transport) = &interaction.transport {
        object.insert("transport", transport.clone());
    }
    if let Some(markup) = &interaction.markup {
        object.insert("interactionMarkup", markup.clone());
    }
    if !interaction.plugin_configuration.is_empty() {
        object.insert("pluginConfiguration", interaction.plugin_configuration.clone());
    }
}
