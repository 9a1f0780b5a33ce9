//! The paths of all resources and their methods.

use super::action::{Action, Handler, Preparation};
use super::reply::Media;
use super::{
    branches, environments, index, matrix, overview, pacticipants, pacts, publish, results, selection, states, versions,
};

/// The handlers and properties of a resource.
#[derive(Clone, Copy, Default)]
pub(super) struct Resource {
    pub(super) get: Option<Action>,
    pub(super) put: Option<Action>,
    pub(super) patch: Option<Action>,
    pub(super) post: Option<Action>,
    pub(super) delete: Option<Action>,
    /// The media types of GET responses.
    pub(super) media: &'static [Media],
    /// Whether POST only reads, so that read access is sufficient.
    pub(super) post_reads: bool,
    /// Whether health checks can read it without credentials.
    pub(super) is_diagnostic: bool,
}

const HAL: &[Media] = &[Media::Hal];

fn get(handler: Handler) -> Resource {
    Resource {
        get: Some(Action::Handle(handler)),
        media: HAL,
        ..Resource::default()
    }
}

fn any() -> Resource {
    Resource {
        media: HAL,
        ..Resource::default()
    }
}

impl Resource {
    fn put(mut self, handler: Handler) -> Self {
        self.put = Some(Action::Handle(handler));
        self
    }

    fn patch(mut self, handler: Handler) -> Self {
        self.patch = Some(Action::Handle(handler));
        self
    }

    fn prepares_put(mut self, preparation: Preparation) -> Self {
        self.put = Some(Action::Prepare(preparation));
        self
    }

    fn prepares_patch(mut self, preparation: Preparation) -> Self {
        self.patch = Some(Action::Prepare(preparation));
        self
    }

    fn prepares_post(mut self, preparation: Preparation) -> Self {
        self.post = Some(Action::Prepare(preparation));
        self
    }

    fn post(mut self, handler: Handler) -> Self {
        self.post = Some(Action::Handle(handler));
        self
    }

    fn delete(mut self, handler: Handler) -> Self {
        self.delete = Some(Action::Handle(handler));
        self
    }

    fn as_media(mut self, media: &'static [Media]) -> Self {
        self.media = media;
        self
    }

    fn post_reads(mut self) -> Self {
        self.post_reads = true;
        self
    }

    fn diagnostic(mut self) -> Self {
        self.is_diagnostic = true;
        self
    }

    /// Returns whether the resource is a badge.
    pub(super) fn is_picture(&self) -> bool {
        self.media == SVG
    }

    /// Returns the supported methods for the Allow header.
    pub(super) fn methods(&self) -> String {
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
            .filter_map(|(there, name)| there.then_some(name))
            .collect::<Vec<_>>()
            .join(", ")
    }
}

const TEXT: &[Media] = &[Media::Text];
const HAL_OR_TEXT: &[Media] = &[Media::Hal, Media::Text];
const CSV: &[Media] = &[Media::Csv];
const SVG: &[Media] = &[Media::Svg];

/// Returns all paths. A parameter in braces is one decoded segment.
#[expect(clippy::too_many_lines, reason = "a flat table")]
pub(super) fn all() -> Vec<(String, Resource)> {
    let mut all: Vec<(String, Resource)> = Vec::new();
    let mut at = |path: &str, resource: Resource| all.push((path.to_owned(), resource));

    at("/", get(index::show));
    at("/doc/{relation}", get(index::relation).as_media(TEXT));
    at("/contracts/publish", any().prepares_post(publish::prepare));

    let one_version = get(pacts::show)
        .prepares_put(pacts::writes::prepare_put)
        .prepares_patch(pacts::writes::prepare_merge)
        .delete(pacts::writes::delete);
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
        get(pacts::latest),
    );
    at("/pacts/latest", get(pacts::lists::latest_of_all));

    let pair = "/pacts/provider/{provider}/consumer/{consumer}";
    let of_pair = |path: &str| format!("{pair}{path}");
    at(
        &of_pair("/versions"),
        get(pacts::lists::all_between).delete(pacts::writes::delete_all_between),
    );
    at(
        &of_pair("/tag/{tag}"),
        get(pacts::lists::all_between_with_tag).delete(pacts::writes::delete_all_between_with_tag),
    );
    at(
        &of_pair("/branch/{branch}"),
        get(pacts::lists::all_between_on_branch).delete(pacts::writes::delete_all_between_on_branch),
    );
    at(
        &of_pair("/branch/versions"),
        get(pacts::lists::all_between_on_main_branch),
    );
    at(
        &of_pair("/branch/latest/versions"),
        get(pacts::lists::latest_between_on_main_branch),
    );
    at(
        &of_pair("/branch/{branch}/latest/versions"),
        get(pacts::lists::latest_between_on_branch),
    );
    at(&of_pair("/latest"), get(pacts::latest));
    at(&of_pair("/latest/{tag}"), get(pacts::latest_with_tag));
    at(&of_pair("/latest-untagged"), get(pacts::latest_untagged));
    at(&of_pair("/branch/latest"), get(pacts::latest_on_main_branch));
    at(&of_pair("/branch/{branch}/latest"), get(pacts::latest_on_branch));
    at(
        &of_pair("/version/{version}/previous-distinct"),
        get(pacts::previous_distinct),
    );
    at(
        &of_pair("/version/{version}/diff/previous-distinct"),
        get(pacts::diff::previous_distinct).as_media(TEXT),
    );
    at(
        &of_pair("/version/{version}/diff/version/{other}"),
        get(pacts::diff::with_version).as_media(TEXT),
    );
    at(
        &of_pair("/pact-version/{sha}/diff/pact-version/{other}"),
        get(pacts::diff::between_contents).as_media(TEXT),
    );
    for metadata in ["", "/metadata/{metadata}"] {
        let of_content = |path: &str| of_pair(&format!("/pact-version/{{sha}}{metadata}{path}"));
        at(&of_content(""), get(pacts::show_content));
        at(
            &of_content("/verification-results"),
            any().prepares_post(results::prepare),
        );
        at(
            &of_content("/verification-results/{number}"),
            get(results::show).delete(results::delete),
        );
        at(
            &of_content("/verification-results/latest"),
            get(results::latest_of_content),
        );
    }
    at(
        &of_pair("/version/{version}/verification-results/latest"),
        get(results::latest_of_version),
    );
    at(
        &of_pair("/latest/verification-results/latest"),
        get(results::latest_of_latest),
    );
    at(
        &of_pair("/latest/{tag}/verification-results/latest"),
        get(results::latest_of_latest_with_tag),
    );
    for suffix in ["/badge", "/badge.svg"] {
        let picture = |path: &str| of_pair(&format!("{path}{suffix}"));
        at(&picture("/latest"), get(overview::badge_of_latest).as_media(SVG));
        at(
            &picture("/latest/{tag}"),
            get(overview::badge_of_latest_with_tag).as_media(SVG),
        );
        at(
            &picture("/latest-untagged"),
            get(overview::badge_of_latest_untagged).as_media(SVG),
        );
        at(
            &picture("/version/{version}"),
            get(overview::badge_of_version).as_media(SVG),
        );
    }

    let of_provider = |path: &str| format!("/pacts/provider/{{provider}}{path}");
    at(&of_provider(""), get(pacts::lists::all_of_provider));
    at(&of_provider("/latest"), get(pacts::lists::latest_of_provider));
    at(
        &of_provider("/latest/{tag}"),
        get(pacts::lists::latest_of_provider_with_tag),
    );
    at(&of_provider("/tag/{tag}"), get(pacts::lists::all_of_provider_with_tag));
    at(
        &of_provider("/branch"),
        get(pacts::lists::all_of_provider_on_main_branch),
    );
    at(
        &of_provider("/branch/latest"),
        get(pacts::lists::latest_of_provider_on_main_branch),
    );
    at(
        &of_provider("/branch/{branch}"),
        get(pacts::lists::all_of_provider_on_branch),
    );
    at(
        &of_provider("/branch/{branch}/latest"),
        get(pacts::lists::latest_of_provider_on_branch),
    );
    at(
        &of_provider("/for-verification"),
        get(selection::get).post(selection::post).post_reads(),
    );
    at(&of_provider("/provider-states"), get(states::on_main_branch));
    at(&of_provider("/provider-states/branch/{branch}"), get(states::on_branch));
    at(
        &of_provider("/provider-states/environment/{environment}"),
        get(states::in_environment),
    );

    at(
        "/verification-results/consumer/{consumer}/version/{version}/latest",
        get(versions::results_as_consumer),
    );

    at("/pacticipants", get(pacticipants::list).post(pacticipants::create));
    at("/pacticipants/label/{label}", get(pacticipants::with_label));
    let owner = "/pacticipants/{pacticipant}";
    let of_owner = |path: &str| format!("{owner}{path}");
    at(
        owner,
        get(pacticipants::show)
            .put(pacticipants::replace)
            .patch(pacticipants::merge)
            .delete(pacticipants::delete),
    );
    at(
        &of_owner("/labels/{label}"),
        get(pacticipants::show_label)
            .put(pacticipants::add_label)
            .delete(pacticipants::remove_label),
    );
    at(&of_owner("/versions"), get(versions::list));
    at(
        &of_owner("/versions/{version}"),
        get(versions::show)
            .put(versions::replace)
            .patch(versions::merge)
            .delete(versions::delete),
    );
    at(
        &of_owner("/versions/{version}/tags/{tag}"),
        get(versions::show_tag)
            .put(versions::add_tag)
            .delete(versions::remove_tag),
    );
    at(&of_owner("/tags/{tag}/versions"), get(versions::list_with_tag));
    at(
        &of_owner("/environments/{environment}/versions"),
        get(versions::list_in_environment),
    );
    at(&of_owner("/latest-version"), get(versions::latest));
    at(&of_owner("/latest-version/{tag}"), get(versions::latest_with_tag));
    at(&of_owner("/branches"), get(branches::list).delete(branches::delete_all));
    at(
        &of_owner("/branches/{branch}"),
        get(branches::show).delete(branches::delete),
    );
    at(
        &of_owner("/branches/{branch}/latest-version"),
        get(branches::latest_version),
    );
    at(&of_owner("/branches/{branch}/versions"), get(branches::list_versions));
    at(
        &of_owner("/branches/{branch}/versions/{version}"),
        get(branches::show_version)
            .put(branches::add_version)
            .delete(branches::remove_version),
    );
    at(
        &of_owner("/versions/{version}/deployed-versions/environment/{environment}"),
        get(environments::deployments_of_version).post(environments::deploy),
    );
    at(
        &of_owner("/versions/{version}/released-versions/environment/{environment}"),
        get(environments::releases_of_version).post(environments::release),
    );
    let tag_to_tag = of_owner("/latest-version/{tag}/can-i-deploy/to/{to}");
    let branch_to_environment = of_owner("/branches/{branch}/latest-version/can-i-deploy/to-environment/{environment}");
    at(&tag_to_tag, get(matrix::can_tag_be_deployed).as_media(HAL_OR_TEXT));
    at(
        &branch_to_environment,
        get(matrix::can_branch_be_deployed).as_media(HAL_OR_TEXT),
    );
    for suffix in ["/badge", "/badge.svg"] {
        at(
            &format!("{tag_to_tag}{suffix}"),
            get(overview::badge_of_tag).as_media(SVG),
        );
        at(
            &format!("{branch_to_environment}{suffix}"),
            get(overview::badge_of_branch).as_media(SVG),
        );
        at(
            &of_owner(&format!("/main-branch/can-i-merge{suffix}")),
            get(overview::badge_of_merge).as_media(SVG),
        );
    }

    at("/environments", get(environments::list).post(environments::create));
    at(
        "/environments/{environment}",
        get(environments::show)
            .put(environments::replace)
            .delete(environments::delete),
    );
    at(
        "/environments/{environment}/deployed-versions/currently-deployed",
        get(environments::currently_deployed),
    );
    at(
        "/environments/{environment}/released-versions/currently-supported",
        get(environments::currently_supported),
    );
    at(
        "/deployed-versions/{uuid}",
        get(environments::show_deployment).patch(environments::change_deployment),
    );
    at(
        "/released-versions/{uuid}",
        get(environments::show_release).patch(environments::change_release),
    );

    at("/matrix", get(matrix::show).as_media(HAL_OR_TEXT));
    at(
        "/matrix/provider/{provider}/consumer/{consumer}",
        get(matrix::of_pair).as_media(HAL_OR_TEXT),
    );
    for suffix in ["/badge", "/badge.svg"] {
        at(
            &format!("/matrix/provider/{{provider}}/latest/{{to}}/consumer/{{consumer}}/latest/{{tag}}{suffix}"),
            get(overview::badge_of_tags).as_media(SVG),
        );
    }
    at("/can-i-deploy", get(matrix::can_i_deploy).as_media(HAL_OR_TEXT));

    at("/labels", get(pacticipants::labels));
    at(
        "/integrations",
        get(pacticipants::integrations).delete(pacticipants::delete_all_integrations),
    );
    at(
        "/integrations/provider/{provider}/consumer/{consumer}",
        any().delete(pacticipants::delete_integration),
    );
    at("/dashboard", get(overview::dashboard));
    at(
        "/dashboard/provider/{provider}/consumer/{consumer}",
        get(overview::dashboard_of_pair),
    );
    at("/relationships", get(overview::relationships).as_media(CSV));
    at("/groups/{pacticipant}", get(overview::group).as_media(CSV));
    at("/metrics", get(overview::metrics));
    at("/diagnostic/status/heartbeat", get(overview::heartbeat).diagnostic());
    at(
        "/diagnostic/status/dependencies",
        get(overview::dependencies).diagnostic(),
    );
    all
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use bytes::Bytes;

    use super::*;
    use crate::http::params::{Param, PathParams};
    use crate::http::reply::HandlerError;
    use crate::http::request::Request;
    use crate::http::urls::Urls;
    use contract_broker_core::domain::rules::Rules;
    use contract_broker_core::store::{Database, Limits, Store, StoreError, Tx, TxOutcome};

    /// Applications, versions, and other resources whose names are the values of the parameters below.
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
        "INSERT INTO content_text (content_id, document) VALUES (1, '{}')",
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
            body: Bytes::from_static(b"{}"),
            urls: Urls::new("http://broker"),
            rules: Arc::new(Rules::default()),
            now: 0,
        }
    }

    /// Runs a handler in a transaction that is rolled back. A panic of the handler is an error.
    async fn run(store: &Store, action: Action, request: Request) -> Result<(), StoreError> {
        let work = move |tx: &mut Tx<'_>| {
            let result = match action {
                Action::Handle(handler) => handler(&request, tx),
                Action::Prepare(prepare) => prepare(&request).and_then(|mut work| work(&request, tx)),
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
                    ..
                } = resource;
                for action in [get, put, patch, post, delete].into_iter().flatten() {
                    let ran = run(&store, action, request.clone()).await;
                    assert!(ran.is_ok(), "{path}: {ran:?}");
                }
            }
        });
    }
}
