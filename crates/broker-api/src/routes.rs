//! The routing table: the paths of all resources, with their methods, handlers, and access rules.

use http::Method;
use serde_json::Value;

use super::action::{Action, Handler, Operation, Preparation, SessionAction};
use super::fields::FormFields;
use super::forms::{Answer, Form};
use super::params::Param;
use super::reply::{Media, Reply};
use super::request::Request;
use super::rule::{Rule, Subject, Target};
use super::{
    audit, branches, deletions, environments, index, matrix, overview, pacticipants, pacts, pages, publish, results,
    sample, selection, states, tokens, users, versions, webhooks,
};
use contract_broker_core::sql::environments::PresenceKind;

/// What an HTTP method of a resource does, and who may use it.
#[derive(Clone, Copy)]
pub struct Endpoint {
    pub operation: Operation,
    pub rule: Rule,
}

impl Endpoint {
    fn handle(rule: Rule, handler: Handler) -> Self {
        let operation = Operation::Transaction(Action::Handle(handler));
        Self { operation, rule }
    }

    /// Creates a public endpoint that does not need the database.
    fn respond(respond: fn(&Request) -> Reply) -> Self {
        Self {
            operation: Operation::Transaction(Action::Respond(respond)),
            rule: Rule::Public,
        }
    }

    fn prepare(rule: Rule, preparation: Preparation) -> Self {
        let operation = Operation::Transaction(Action::Prepare(preparation));
        Self { operation, rule }
    }

    fn prepare_slowly(rule: Rule, preparation: Preparation) -> Self {
        let operation = Operation::Transaction(Action::PrepareSlowly(preparation));
        Self { operation, rule }
    }

    /// Creates an endpoint for signing in or out. It needs no credentials, because its handler checks them.
    fn session(action: SessionAction) -> Self {
        Self {
            operation: Operation::Session(action),
            rule: Rule::Public,
        }
    }
}

/// The endpoints of a resource by HTTP method, and its properties. `None` means that a method is not supported.
#[derive(Clone, Copy, Default)]
pub struct Resource {
    pub get: Option<Endpoint>,
    pub put: Option<Endpoint>,
    pub patch: Option<Endpoint>,
    pub post: Option<Endpoint>,
    pub delete: Option<Endpoint>,
    /// Creates the page that browsers receive instead of the API response. `None` if there is no page.
    pub page: Option<Handler>,
    /// Handles a form that a page submits with POST. `None` if no page has such a form.
    pub form: Option<Form>,
    /// The media types in which the resource is available.
    pub media: &'static [Media],
    /// Whether POST only reads data, so that it is not recorded in the audit log.
    pub post_reads: bool,
}

const HAL: &[Media] = &[Media::Hal];

fn get(rule: Rule, handler: Handler) -> Resource {
    Resource {
        get: Some(Endpoint::handle(rule, handler)),
        ..any()
    }
}

fn respond(respond: fn(&Request) -> Reply) -> Resource {
    Resource {
        get: Some(Endpoint::respond(respond)),
        ..any()
    }
}

/// Creates a resource whose GET requires any credentials, unless reading is public.
fn read(handler: Handler) -> Resource {
    get(Rule::Read, handler)
}

fn badge(handler: Handler) -> Resource {
    get(Rule::Badge, handler).as_media(SVG)
}

/// Creates a resource that is available only as an HTML page.
fn page(rule: Rule, page: Handler) -> Resource {
    get(rule, page).as_media(HTML).with_page(page)
}

fn asset(media: &'static [Media], handler: Handler) -> Resource {
    get(Rule::Public, handler).as_media(media)
}

fn any() -> Resource {
    Resource {
        media: HAL,
        ..Resource::default()
    }
}

impl Resource {
    fn put(mut self, rule: Rule, handler: Handler) -> Self {
        self.put = Some(Endpoint::handle(rule, handler));
        self
    }

    fn patch(mut self, rule: Rule, handler: Handler) -> Self {
        self.patch = Some(Endpoint::handle(rule, handler));
        self
    }

    fn prepares_put(mut self, rule: Rule, preparation: Preparation) -> Self {
        self.put = Some(Endpoint::prepare(rule, preparation));
        self
    }

    fn prepares_patch(mut self, rule: Rule, preparation: Preparation) -> Self {
        self.patch = Some(Endpoint::prepare(rule, preparation));
        self
    }

    fn prepares_post(mut self, rule: Rule, preparation: Preparation) -> Self {
        self.post = Some(Endpoint::prepare(rule, preparation));
        self
    }

    fn post(mut self, rule: Rule, handler: Handler) -> Self {
        self.post = Some(Endpoint::handle(rule, handler));
        self
    }

    fn delete(mut self, rule: Rule, handler: Handler) -> Self {
        self.delete = Some(Endpoint::handle(rule, handler));
        self
    }

    fn as_media(mut self, media: &'static [Media]) -> Self {
        self.media = media;
        self
    }

    fn with_page(mut self, page: Handler) -> Self {
        self.page = Some(page);
        self
    }

    /// Lets pages submit a form to POST. `body` creates the body of the API request, and `answer` the response.
    fn with_form(mut self, body: fn(&FormFields) -> Value, answer: Answer) -> Self {
        self.form = Some(Form { body, answer });
        self
    }

    /// Adds a POST endpoint that only reads data, for queries that are too long for a URL.
    fn post_reads(mut self, handler: Handler) -> Self {
        self.post = Some(Endpoint::handle(Rule::Read, handler));
        self.post_reads = true;
        self
    }

    pub fn endpoint(&self, method: &Method) -> Option<Endpoint> {
        match method.as_str() {
            "GET" | "HEAD" => self.get,
            "PUT" => self.put,
            "PATCH" => self.patch,
            "POST" => self.post,
            "DELETE" => self.delete,
            _ => None,
        }
    }

    /// Returns the supported methods, separated by commas, for the `Allow` header.
    pub fn methods(&self) -> String {
        let known = [
            (self.get.is_some(), "GET"),
            (self.post.is_some(), "POST"),
            (self.put.is_some(), "PUT"),
            (self.patch.is_some(), "PATCH"),
            (self.delete.is_some(), "DELETE"),
            (true, "OPTIONS"),
        ];
        known
            .into_iter()
            .filter_map(|(is_supported, name)| is_supported.then_some(name))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

/// Creates the body of the API request for a form without fields.
fn no_fields(_: &FormFields) -> Value {
    Value::Null
}

const TEXT: &[Media] = &[Media::Text];
const TEXT_OR_HAL: &[Media] = &[Media::Text, Media::Hal];
const HAL_OR_TEXT: &[Media] = &[Media::Hal, Media::Text];
const HAL_OR_LINES: &[Media] = &[Media::Hal, Media::Lines];
const HTML: &[Media] = &[Media::Html];
const CSV: &[Media] = &[Media::Csv];
const SVG: &[Media] = &[Media::Svg];
const EVENTS: &[Media] = &[Media::Events];

const CONSUMER: Subject = Subject::Path(Param::Consumer);
const PROVIDER: Subject = Subject::Path(Param::Provider);
/// The credentials must allow changing the application that the path names.
const CHANGE: Rule = Rule::Change(Subject::Path(Param::Pacticipant));
/// The credentials must allow recording deployments and releases in the environment that the path names.
const DEPLOY: Rule = Rule::Deploy(Target::Environment);

/// Returns all resources with their paths. A parameter in braces matches one decoded path segment.
#[expect(clippy::too_many_lines, reason = "a flat table")]
pub fn all() -> Vec<(String, Resource)> {
    let mut all: Vec<(String, Resource)> = Vec::new();
    let mut at = |path: &str, resource: Resource| all.push((path.to_owned(), resource));

    at("/", read(index::show).with_page(pages::overview));
    at("/graph", page(Rule::Read, pages::graph::show));
    at("/first-steps", page(Rule::Read, pages::first_steps::show));
    at("/first-steps/events", read(pages::first_steps::events).as_media(EVENTS));
    at(
        "/sample-data",
        any()
            .post(Rule::Admin, sample::load)
            .delete(Rule::Admin, sample::remove)
            .with_form(no_fields, pages::samples::changed),
    );
    at(
        "/sample-data/remove",
        any()
            .post(Rule::Admin, sample::remove)
            .with_form(no_fields, pages::samples::changed),
    );
    at("/assets/style.css", asset(&[Media::Css], pages::style));
    at("/assets/app.js", asset(&[Media::JavaScript], pages::script));
    at("/assets/favicon.svg", asset(SVG, pages::favicon));
    at("/doc/{relation}", read(index::relation).as_media(TEXT));
    at(
        "/contracts/publish",
        any().prepares_post(Rule::Publish(Subject::Body), publish::prepare),
    );

    let one_version = read(pacts::show)
        .with_page(pages::pact::of_number)
        .prepares_put(Rule::Publish(CONSUMER), pacts::writes::prepare_put)
        .prepares_patch(Rule::Publish(CONSUMER), pacts::writes::prepare_merge)
        .delete(Rule::Write, pacts::writes::delete);
    // The Pact Broker also supports these older paths.
    for start in ["/pacts", "/pact"] {
        for word in ["version", "versions"] {
            at(
                &format!("{start}/provider/{{provider}}/consumer/{{consumer}}/{word}/{{version}}"),
                one_version,
            );
        }
    }
    at(
        "/pact/provider/{provider}/consumer/{consumer}/latest",
        read(pacts::latest).with_page(pages::pact::latest),
    );
    at("/pacts/latest", read(pacts::lists::latest_of_all));

    let pair = "/pacts/provider/{provider}/consumer/{consumer}";
    let of_pair = |path: &str| format!("{pair}{path}");
    at(
        &of_pair("/versions"),
        read(pacts::lists::all_between).delete(Rule::Write, pacts::writes::delete_all_between),
    );
    at(
        &of_pair("/tag/{tag}"),
        read(pacts::lists::all_between_with_tag).delete(Rule::Write, pacts::writes::delete_all_between_with_tag),
    );
    at(
        &of_pair("/branch/{branch}"),
        read(pacts::lists::all_between_on_branch).delete(Rule::Write, pacts::writes::delete_all_between_on_branch),
    );
    at(
        &of_pair("/branch/versions"),
        read(pacts::lists::all_between_on_main_branch),
    );
    at(
        &of_pair("/branch/latest/versions"),
        read(pacts::lists::latest_between_on_main_branch),
    );
    at(
        &of_pair("/branch/{branch}/latest/versions"),
        read(pacts::lists::latest_between_on_branch),
    );
    at(&of_pair("/latest"), read(pacts::latest).with_page(pages::pact::latest));
    at(
        &of_pair("/latest/{tag}"),
        read(pacts::latest_with_tag).with_page(pages::pact::latest_with_tag),
    );
    at(
        &of_pair("/latest-untagged"),
        read(pacts::latest_untagged).with_page(pages::pact::latest_untagged),
    );
    at(
        &of_pair("/branch/latest"),
        read(pacts::latest_on_main_branch).with_page(pages::pact::latest_on_main_branch),
    );
    at(
        &of_pair("/branch/{branch}/latest"),
        read(pacts::latest_on_branch).with_page(pages::pact::latest_on_branch),
    );
    at(
        &of_pair("/version/{version}/previous-distinct"),
        read(pacts::previous_distinct).with_page(pages::pact::previous_distinct),
    );
    at(
        &of_pair("/version/{version}/diff/previous-distinct"),
        read(pacts::diff::previous_distinct)
            .as_media(TEXT)
            .with_page(pages::diff::previous_distinct),
    );
    at(
        &of_pair("/version/{version}/diff/version/{other}"),
        read(pacts::diff::with_version)
            .as_media(TEXT)
            .with_page(pages::diff::with_version),
    );
    at(
        &of_pair("/pact-version/{sha}/diff/pact-version/{other}"),
        read(pacts::diff::between_contents)
            .as_media(TEXT)
            .with_page(pages::diff::between_contents),
    );
    for metadata in ["", "/metadata/{metadata}"] {
        let of_content = |path: &str| of_pair(&format!("/pact-version/{{sha}}{metadata}{path}"));
        at(
            &of_content(""),
            read(pacts::show_content).with_page(pages::pact::content),
        );
        at(
            &of_content("/verification-results"),
            any().prepares_post(Rule::Verify(PROVIDER), results::prepare),
        );
        at(
            &of_content("/verification-results/{number}"),
            read(results::show).delete(Rule::Write, results::delete),
        );
        at(
            &of_content("/verification-results/latest"),
            read(results::latest_of_content),
        );
    }
    at(
        &of_pair("/version/{version}/verification-results/latest"),
        read(results::latest_of_version),
    );
    at(
        &of_pair("/latest/verification-results/latest"),
        read(results::latest_of_latest),
    );
    at(
        &of_pair("/latest/{tag}/verification-results/latest"),
        read(results::latest_of_latest_with_tag),
    );
    for suffix in ["/badge", "/badge.svg"] {
        let picture = |path: &str| of_pair(&format!("{path}{suffix}"));
        at(&picture("/latest"), badge(overview::badge_of_latest));
        at(&picture("/latest/{tag}"), badge(overview::badge_of_latest_with_tag));
        at(&picture("/latest-untagged"), badge(overview::badge_of_latest_untagged));
        at(&picture("/version/{version}"), badge(overview::badge_of_version));
    }

    let of_provider = |path: &str| format!("/pacts/provider/{{provider}}{path}");
    at(&of_provider(""), read(pacts::lists::all_of_provider));
    at(&of_provider("/latest"), read(pacts::lists::latest_of_provider));
    at(
        &of_provider("/latest/{tag}"),
        read(pacts::lists::latest_of_provider_with_tag),
    );
    at(&of_provider("/tag/{tag}"), read(pacts::lists::all_of_provider_with_tag));
    at(
        &of_provider("/branch"),
        read(pacts::lists::all_of_provider_on_main_branch),
    );
    at(
        &of_provider("/branch/latest"),
        read(pacts::lists::latest_of_provider_on_main_branch),
    );
    at(
        &of_provider("/branch/{branch}"),
        read(pacts::lists::all_of_provider_on_branch),
    );
    at(
        &of_provider("/branch/{branch}/latest"),
        read(pacts::lists::latest_of_provider_on_branch),
    );
    at(
        &of_provider("/for-verification"),
        read(selection::get).post_reads(selection::post),
    );
    at(&of_provider("/provider-states"), read(states::on_main_branch));
    at(
        &of_provider("/provider-states/branch/{branch}"),
        read(states::on_branch),
    );
    at(
        &of_provider("/provider-states/environment/{environment}"),
        read(states::in_environment),
    );

    at(
        "/verification-results/consumer/{consumer}/version/{version}/latest",
        read(versions::results_as_consumer),
    );

    at(
        "/pacticipants",
        read(pacticipants::list)
            .with_page(pages::overview)
            .prepares_post(Rule::Change(Subject::Body), pacticipants::prepare_create),
    );
    at("/pacticipants/label/{label}", read(pacticipants::with_label));
    let owner = "/pacticipants/{pacticipant}";
    let of_owner = |path: &str| format!("{owner}{path}");
    at(
        owner,
        read(pacticipants::show)
            .with_page(pages::application::show)
            .put(CHANGE, pacticipants::replace)
            .patch(CHANGE, pacticipants::merge)
            .delete(Rule::Write, pacticipants::delete),
    );
    at(
        &of_owner("/labels/{label}"),
        read(pacticipants::show_label)
            .put(CHANGE, pacticipants::add_label)
            .delete(CHANGE, pacticipants::remove_label),
    );
    at(
        &of_owner("/versions"),
        read(versions::list).with_page(pages::application::list_versions),
    );
    at(
        &of_owner("/versions/{version}"),
        read(versions::show)
            .with_page(pages::application::version)
            .put(CHANGE, versions::replace)
            .patch(CHANGE, versions::merge)
            .delete(Rule::Write, versions::delete),
    );
    at(
        &of_owner("/versions/{version}/tags/{tag}"),
        read(versions::show_tag)
            .put(CHANGE, versions::add_tag)
            .delete(CHANGE, versions::remove_tag),
    );
    at(&of_owner("/tags/{tag}/versions"), read(versions::list_with_tag));
    at(
        &of_owner("/environments/{environment}/versions"),
        read(versions::list_in_environment),
    );
    at(&of_owner("/latest-version"), read(versions::latest));
    at(&of_owner("/latest-version/{tag}"), read(versions::latest_with_tag));
    at(
        &of_owner("/provider-states"),
        page(Rule::Read, pages::application::list_states),
    );
    at(&of_owner("/activity"), page(Rule::Read, pages::application::activity));
    at(
        &of_owner("/branches"),
        read(branches::list)
            .with_page(pages::application::list_branches)
            .delete(CHANGE, branches::delete_all),
    );
    at(
        &of_owner("/branches/{branch}"),
        read(branches::show).delete(CHANGE, branches::delete),
    );
    at(
        &of_owner("/branches/{branch}/latest-version"),
        read(branches::latest_version),
    );
    at(&of_owner("/branches/{branch}/versions"), read(branches::list_versions));
    at(
        &of_owner("/branches/{branch}/versions/{version}"),
        read(branches::show_version)
            .put(CHANGE, branches::add_version)
            .delete(CHANGE, branches::remove_version),
    );
    at(
        &of_owner("/versions/{version}/deployed-versions/environment/{environment}"),
        read(environments::deployments_of_version).post(DEPLOY, environments::deploy),
    );
    at(
        &of_owner("/versions/{version}/released-versions/environment/{environment}"),
        read(environments::releases_of_version).post(DEPLOY, environments::release),
    );
    let tag_to_tag = of_owner("/latest-version/{tag}/can-i-deploy/to/{to}");
    let branch_to_environment = of_owner("/branches/{branch}/latest-version/can-i-deploy/to-environment/{environment}");
    at(&tag_to_tag, read(matrix::can_tag_be_deployed).as_media(HAL_OR_TEXT));
    at(
        &branch_to_environment,
        read(matrix::can_branch_be_deployed)
            .as_media(HAL_OR_TEXT)
            .with_page(pages::can_i_deploy::of_branch),
    );
    for suffix in ["/badge", "/badge.svg"] {
        at(&format!("{tag_to_tag}{suffix}"), badge(overview::badge_of_tag));
        at(
            &format!("{branch_to_environment}{suffix}"),
            badge(overview::badge_of_branch),
        );
        at(
            &of_owner(&format!("/main-branch/can-i-merge{suffix}")),
            badge(overview::badge_of_merge),
        );
    }

    at(
        "/environments",
        read(environments::list)
            .with_page(pages::environments::show)
            .post(Rule::Environment, environments::create),
    );
    at(
        "/environments/{environment}",
        read(environments::show)
            .put(Rule::Environment, environments::replace)
            .delete(Rule::Environment, environments::delete),
    );
    at(
        "/environments/{environment}/deployed-versions/currently-deployed",
        read(environments::currently_deployed),
    );
    at(
        "/environments/{environment}/released-versions/currently-supported",
        read(environments::currently_supported),
    );
    at(
        "/deployed-versions/{uuid}",
        read(environments::show_deployment).patch(
            Rule::Deploy(Target::Presence(PresenceKind::Deployed)),
            environments::change_deployment,
        ),
    );
    at(
        "/released-versions/{uuid}",
        read(environments::show_release).patch(
            Rule::Deploy(Target::Presence(PresenceKind::Released)),
            environments::change_release,
        ),
    );

    at(
        "/matrix",
        read(matrix::show).as_media(HAL_OR_TEXT).with_page(pages::matrix::show),
    );
    at(
        "/matrix/provider/{provider}/consumer/{consumer}",
        read(matrix::of_pair)
            .as_media(HAL_OR_TEXT)
            .with_page(pages::matrix::of_pair),
    );
    for suffix in ["/badge", "/badge.svg"] {
        at(
            &format!("/matrix/provider/{{provider}}/latest/{{to}}/consumer/{{consumer}}/latest/{{tag}}{suffix}"),
            badge(overview::badge_of_tags),
        );
    }
    at(
        "/can-i-deploy",
        read(matrix::can_i_deploy)
            .as_media(HAL_OR_TEXT)
            .with_page(pages::can_i_deploy::show),
    );

    at(
        "/can-i-deploy/events",
        read(pages::can_i_deploy::events).as_media(EVENTS),
    );

    at(
        "/webhooks",
        read(webhooks::list)
            .with_page(pages::webhooks::list)
            .post(Rule::Webhooks, webhooks::create)
            .with_form(pages::webhooks::sent, pages::webhooks::created),
    );
    for path in [
        "/webhooks/provider/{provider}/consumer/{consumer}",
        "/webhooks/provider/{provider}",
        "/webhooks/consumer/{consumer}",
        // The Pact Broker also supports this older path.
        "/pacts/provider/{provider}/consumer/{consumer}/webhooks",
    ] {
        at(
            path,
            read(webhooks::list_of_path).post(Rule::Webhooks, webhooks::create),
        );
    }
    at(
        "/webhooks/{uuid}",
        read(webhooks::show)
            .with_page(pages::webhooks::show)
            .put(Rule::Webhooks, webhooks::put)
            .delete(Rule::Webhooks, webhooks::delete),
    );
    at("/webhooks/new", page(Rule::Webhooks, pages::webhooks::create));
    at(
        "/webhooks/{uuid}/edit",
        page(Rule::Webhooks, pages::webhooks::edit)
            .post(Rule::Webhooks, webhooks::replace)
            .with_form(pages::webhooks::sent, pages::webhooks::edited),
    );
    at(
        "/webhooks/{uuid}/delete",
        any()
            .post(Rule::Webhooks, webhooks::delete)
            .with_form(no_fields, pages::webhooks::removed),
    );
    at(
        "/webhooks/{uuid}/enable",
        any()
            .post(Rule::Webhooks, webhooks::enable)
            .with_form(no_fields, pages::webhooks::changed),
    );
    at(
        "/webhooks/{uuid}/disable",
        any()
            .post(Rule::Webhooks, webhooks::disable)
            .with_form(no_fields, pages::webhooks::changed),
    );
    at("/webhooks/execute", any().post(Rule::Webhooks, webhooks::execute_sent));
    at(
        "/webhooks/{uuid}/execute",
        any()
            .post(Rule::Webhooks, webhooks::execute)
            .with_form(no_fields, pages::webhooks::executed),
    );
    at(&of_pair("/webhooks/status"), read(webhooks::deliveries::status));
    at(
        &of_pair("/version/{version}/triggered-webhooks"),
        read(webhooks::deliveries::of_publication),
    );
    at(
        &of_pair("/pact-version/{sha}/verification-results/{number}/triggered-webhooks"),
        read(webhooks::deliveries::of_result),
    );
    at(
        "/triggered-webhooks/{uuid}/logs",
        read(webhooks::deliveries::logs)
            .as_media(TEXT_OR_HAL)
            .with_page(pages::webhooks::delivery),
    );
    at(
        "/triggered-webhooks/{uuid}/retry",
        any()
            .post(Rule::Webhooks, webhooks::deliveries::retry)
            .with_form(no_fields, pages::webhooks::replayed),
    );

    at("/labels", read(pacticipants::labels));
    at(
        "/integrations",
        read(pacticipants::integrations).delete(Rule::Write, pacticipants::delete_all_integrations),
    );
    at(
        "/integrations/provider/{provider}/consumer/{consumer}",
        any().delete(Rule::Write, pacticipants::delete_integration),
    );
    at("/dashboard", read(overview::dashboard));
    at(
        "/dashboard/provider/{provider}/consumer/{consumer}",
        read(overview::dashboard_of_pair),
    );
    at("/relationships", read(overview::relationships).as_media(CSV));
    at("/groups/{pacticipant}", read(overview::group).as_media(CSV));
    at("/metrics", read(overview::metrics));
    at("/diagnostic/status/heartbeat", respond(overview::heartbeat));
    at(
        "/diagnostic/status/dependencies",
        get(Rule::Public, overview::dependencies),
    );

    at("/deletions", read(deletions::list).with_page(pages::deletions::list));
    at("/deletions/{uuid}", read(deletions::show));
    at(
        "/deletions/{uuid}/undo",
        any()
            .post(Rule::Write, deletions::undo)
            .with_form(no_fields, pages::deletions::undone),
    );
    at(
        "/login",
        Resource {
            get: Some(Endpoint::session(SessionAction::Show)),
            post: Some(Endpoint::session(SessionAction::SignIn)),
            media: HTML,
            ..Resource::default()
        },
    );
    let from_browser = |action| Resource {
        get: Some(Endpoint::session(action)),
        media: HTML,
        ..Resource::default()
    };
    at("/login/start", from_browser(SessionAction::StartAtProvider));
    at("/login/callback", from_browser(SessionAction::FinishAtProvider));
    at(
        "/theme",
        Resource {
            post: Some(Endpoint::session(SessionAction::SetTheme)),
            media: HTML,
            ..Resource::default()
        },
    );
    at(
        "/logout",
        Resource {
            post: Some(Endpoint::session(SessionAction::SignOut)),
            media: HTML,
            ..Resource::default()
        },
    );
    at(
        "/admin/tokens",
        get(Rule::Admin, tokens::list)
            .with_page(pages::tokens::list)
            .prepares_post(Rule::Admin, tokens::prepare_create)
            .with_form(pages::tokens::sent, pages::tokens::created),
    );
    at(
        "/admin/tokens/{token}",
        get(Rule::Admin, tokens::show).delete(Rule::Admin, tokens::revoke),
    );
    at(
        "/admin/tokens/{token}/revoke",
        any()
            .post(Rule::Admin, tokens::revoke)
            .with_form(no_fields, pages::tokens::revoked),
    );
    at(
        "/admin/users",
        Resource {
            post: Some(Endpoint::prepare_slowly(Rule::Admin, users::prepare_create)),
            ..get(Rule::Admin, users::list)
                .with_page(pages::users::list)
                .with_form(pages::users::sent, pages::users::added)
        },
    );
    at(
        "/admin/users/{user}",
        Resource {
            patch: Some(Endpoint::prepare_slowly(Rule::Admin, users::prepare_change)),
            ..get(Rule::Admin, users::show).delete(Rule::Admin, users::remove)
        },
    );
    at(
        "/admin/users/{user}/change",
        Resource {
            post: Some(Endpoint::prepare_slowly(Rule::Admin, users::prepare_change)),
            ..page(Rule::Admin, pages::users::edit).with_form(pages::users::sent_change, pages::users::changed)
        },
    );
    at(
        "/admin/users/{user}/remove",
        any()
            .post(Rule::Admin, users::remove)
            .with_form(no_fields, pages::users::removed),
    );
    at("/admin/retention", page(Rule::Admin, pages::retention::show));
    at(
        "/admin/audit",
        get(Rule::Admin, audit::list)
            .as_media(HAL_OR_LINES)
            .with_page(pages::audit::list),
    );
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::actor::Actor;
    use crate::params::{Param, PathParams};
    use crate::reply::HandlerError;
    use crate::request::Request;
    use crate::urls::Urls;
    use crate::visitor::Visitor;
    use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};
    use contract_broker_domain::access::{Grants, Scope};
    use contract_broker_domain::rules::Rules;

    /// Rows for applications, versions, and other resources. The path parameters below refer to them.
    const ROWS: [&str; 12] = [
        "INSERT INTO pacticipant (id, name, main_branch, created_at) VALUES (1, 'web', '1', 0), (2, 'users', '1', 0)",
        "INSERT INTO label (pacticipant_id, name, created_at) VALUES (1, '1', 0)",
        "INSERT INTO environment (id, uuid, name, display_name, production, created_at) VALUES (1, '1', '1', '1', 1, 0)",
        "INSERT INTO version (id, pacticipant_id, number, created_at) VALUES (1, 1, '1', 0), (2, 2, '1', 0)",
        "INSERT INTO branch (id, pacticipant_id, name, head_version_id, created_at) VALUES (1, 1, '1', 1, 0)",
        "INSERT INTO branch_version (branch_id, version_id, automatic, created_at) VALUES (1, 1, 0, 0)",
        "INSERT INTO tag (version_id, name, pacticipant_id, created_at) VALUES (1, '1', 1, 0)",
        "INSERT INTO tag_head (pacticipant_id, name, version_id) VALUES (1, '1', 1)",
        "INSERT INTO integration (consumer_id, provider_id, created_at) VALUES (1, 2, 0)",
        "INSERT INTO content (id, consumer_id, provider_id, sha, created_at) VALUES (1, 1, 2, '1', 0)",
        "INSERT INTO publication (consumer_id, provider_id, version_id, content_id, revision, newest, created_at)
           VALUES (1, 2, 1, 1, 1, 1, 0)",
        "INSERT INTO content_text (content_id, size, document) VALUES (1, 2, '{}')",
    ];

    fn params(path: &str) -> Vec<Param> {
        let names = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        names
            .map(|name| Param::parse(name).unwrap_or_else(|| panic!("unknown parameter {name} in {path}")))
            .collect()
    }

    fn request(params: &[Param]) -> Request {
        let value = |param: &Param| match param {
            Param::Pacticipant | Param::Consumer => "web",
            Param::Provider => "users",
            Param::Number => "101",
            Param::Metadata => "",
            _ => "1",
        };
        Request {
            params: PathParams::new(params.iter().map(|param| (param.name(), value(param)))),
            query: Vec::new(),
            target: "/".to_owned(),
            accepts_text: false,
            names_hal: false,
            accepts_lines: false,
            body: Bytes::from_static(b"{}"),
            urls: Urls::new("http://broker"),
            rules: Arc::new(Rules::default()),
            sender: Arc::new(contract_broker_remote::webhooks::WebhookSender::new(
                contract_broker_remote::webhooks::WebhookOptions::default(),
                None,
            )),
            known_contents: Arc::default(),
            actor: Arc::new(Actor::anonymous(Grants::new([Scope::Admin]))),
            visitor: Visitor::default(),
            form: None,
            retention: None,
            now: 0,
        }
    }

    /// Runs a handler in a transaction that is rolled back. A panic of the handler is an error.
    async fn run(store: &Store, action: Action, request: Request) -> Result<(), StoreError> {
        let work = move |tx: &mut Tx<'_>| {
            let result = match action {
                Action::Respond(respond) => Ok(respond(&request)),
                Action::Handle(handler) => handler(&request, tx),
                Action::Prepare(prepare) | Action::PrepareSlowly(prepare) => {
                    prepare(&request).and_then(|mut prepared| (prepared.work)(&request, tx))
                }
            };
            match result {
                Err(HandlerError::Store(error)) => Err(error),
                Ok(_) | Err(HandlerError::Rejected(_)) => Ok(TxOutcome::Rollback(())),
            }
        };
        store.write(work).await
    }

    #[test]
    fn handlers_read_only_parameters_of_their_routes() {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let store = Store::open(&Database::Memory, &Limits::default()).await;
            let store = store.expect("a database");
            let fill = |tx: &mut Tx<'_>| {
                ROWS.iter().try_for_each(|sql| tx.execute(sql, &[]).map(drop))?;
                Ok(TxOutcome::Commit(()))
            };
            store.write(fill).await.expect("rows");
            for (path, resource) in all() {
                let request = request(&params(&path));
                let Resource {
                    get,
                    put,
                    patch,
                    post,
                    delete,
                    page,
                    ..
                } = resource;
                for endpoint in [get, put, patch, post, delete].into_iter().flatten() {
                    let Operation::Transaction(action) = endpoint.operation else {
                        continue;
                    };
                    let ran = run(&store, action, request.clone()).await;
                    assert!(ran.is_ok(), "{path}: {ran:?}");
                }
                if let Some(page) = page {
                    let ran = run(&store, Action::Handle(page), request.clone()).await;
                    assert!(ran.is_ok(), "the page {path}: {ran:?}");
                }
            }
        });
    }
}
