//! Settings for publishing contracts and tagging versions.

use super::webhooks::{EventLinks, EventSettings};
use contract_broker_domain::access::Grants;
use contract_broker_domain::rules::Rules;

#[derive(Clone, Copy)]
pub struct PublishSettings<'a> {
    pub rules: &'a Rules,
    /// The permissions of the request's credentials.
    pub grants: &'a Grants,
    /// Creates the URLs in webhook data.
    pub links: &'a dyn EventLinks,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
}

impl<'a> PublishSettings<'a> {
    pub(super) fn events(self) -> EventSettings<'a> {
        EventSettings {
            rules: self.rules,
            links: self.links,
            now: self.now,
        }
    }
}
