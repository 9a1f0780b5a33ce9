//! Sets contents that a plugin generates.

use std::mem::take;

use contract_model::{ContentType, Json, Object};
use contract_plugins::{Configured, ConfiguredPart, Plugin};

use crate::builder::body::{BodyDraft, PluginContents};
use crate::builder::draft::{Draft, PartDraft};
use crate::builder::named::ValuesByName;
use crate::builder::part::{Kind, Part};
use crate::builder::value::{Value, document};
use crate::plugins::{PluginUse, plugin_error, resource_error, wait};
use contract_call::error::{ArgumentError, BODY, Done};

impl Draft {
    pub(super) fn using_plugin(&mut self, name: &str, version: Option<&str>) -> Done {
        self.require_v4()?;
        self.plugins.using(name, version)
    }

    pub(super) fn with_plugin_contents(&mut self, contents: Json, content_type: &str, part: Option<Part>) -> Done {
        self.require_v4()?;
        let at = self.checked_part(part)?;
        let contents = match document(contents, BODY).map_err(|error| error.for_argument("contents"))? {
            Json::Object(contents) => contents,
            other => {
                let message = format!(
                    "the contents for a plugin must be an object, received {}",
                    contract_call::read::describe(&other)
                );
                return Err(ArgumentError::new(BODY, message).for_argument("contents"));
            }
        };
        // Other Pact implementations choose the plugin by a content type inside the contents.
        let named_type = contents.get("pact:content-type").and_then(Json::as_str);
        let claimed = named_type.unwrap_or(content_type).parse::<ContentType>();
        let claimed =
            claimed.map_err(|error| ArgumentError::new(BODY, error.to_string()).for_argument("content_type"))?;
        let plugin = self.plugins.for_contents(&claimed)?;
        let mut context = Object::new();
        context.insert("testRunId", contract_plugins::run_id());
        let limit = self.plugins.times().call;
        let configured = wait(plugin.configure(content_type, &contents, &context, limit));
        let configured = configured.map_err(|error| resource_error(&error))?;
        let configured = configured.map_err(|error| plugin_error(&error).for_argument("contents"))?;
        for number in &configured.inexact {
            self.warn([format!(
                "the plugin {} cannot receive the exact number {number}, because its interface supports whole numbers only up to \
                 9007199254740992",
                plugin.name()
            )]);
        }
        self.set_plugin_contents(&plugin, configured, content_type, (at, part.is_some()));
        Ok(())
    }

    fn set_plugin_contents(
        &mut self,
        plugin: &Plugin,
        configured: Configured,
        content_type: &str,
        (at, is_explicit): (Part, bool),
    ) {
        let used = PluginUse {
            name: plugin.name().to_owned(),
            version: plugin.version().to_owned(),
            configuration: configured.contract,
        };
        let fill = |target: &mut PartDraft, part| fill(target, part, &used, content_type);
        let is_whole =
            self.kind == Kind::Sync && !is_explicit && configured.parts.iter().any(|part| !part.name.is_empty());
        if is_whole {
            // One call defines the request and all responses.
            let (responses, requests): (Vec<_>, Vec<_>) =
                configured.parts.into_iter().partition(|part| part.name == "response");
            if let Some(request) = requests.into_iter().next() {
                fill(&mut self.request, request);
            }
            if !responses.is_empty() {
                self.responses.clear();
                for response in responses {
                    let mut part = PartDraft::default();
                    fill(&mut part, response);
                    self.responses.push(part);
                }
                self.current = Part::Response;
            }
            return;
        }
        let name = match at {
            Part::Request => "request",
            Part::Response => "response",
        };
        let chosen = configured.parts.iter().position(|part| part.name == name);
        let chosen = chosen.or_else(|| configured.parts.iter().position(|part| part.name.is_empty()));
        let Some(part) = configured.parts.into_iter().nth(chosen.unwrap_or(0)) else {
            return;
        };
        let kind = self.kind;
        let target = self.part(at);
        fill(target, part);
        if kind == Kind::Http {
            // HTTP interactions store plugin metadata as headers.
            target.metadata = ValuesByName::default();
            target.rules.metadata.clear();
            target.generators.metadata.clear();
        }
    }
}

/// Replaces the contents of a part with the plugin's contents. Headers are unchanged.
fn fill(part: &mut PartDraft, mut configured: ConfiguredPart, used: &PluginUse, content_type: &str) {
    part.metadata = ValuesByName::default();
    for (name, value) in take(&mut configured.metadata) {
        part.metadata.set(&name, vec![Value::literal(value)]);
    }
    part.rules.body.clear();
    part.generators.body.clear();
    part.rules.metadata = take(&mut configured.metadata_rules);
    part.generators.metadata = take(&mut configured.metadata_generators);
    part.body = BodyDraft::from_plugin(PluginContents {
        part: configured,
        content_type: content_type.into(),
        used: used.clone(),
    });
}
