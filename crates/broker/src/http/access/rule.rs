//! The access rule of a route.

use super::super::params::{Param, PathParams};
use super::super::reply::HandlerError;
use super::super::request::Request;
use contract_broker_core::domain::access::{Denied, Grants, Permission};
use contract_broker_core::sql::environments::{self, PresenceKind};
use contract_broker_core::store::Tx;

/// The access rule for an HTTP method of a resource. Every route has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Rule {
    /// Requires no credentials.
    Public,
    /// Requires no credentials if badges are public.
    Badge,
    /// Requires any credentials, unless reading is public.
    Read,
    /// Publish contracts of a consumer.
    Publish(Subject),
    /// Publish verification results of a provider.
    Verify(Subject),
    /// Change an application.
    Change(Subject),
    /// Record deployments or releases in an environment.
    Deploy(Target),
    /// Create, change, or delete an environment.
    Environment,
    /// Change webhooks, or send their requests.
    Webhooks,
    /// Delete data that others may need.
    Write,
    /// Manage credentials, and read the audit log.
    Admin,
}

/// The part of a request that contains the name of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Subject {
    Path(Param),
    /// In the body. Preparing the request returns the name, so that the name that is checked is also the one that is
    /// used.
    Body,
}

/// The part of a request that identifies an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::http) enum Target {
    Environment,
    /// The environment of a deployment or release.
    Presence(PresenceKind),
}

impl Rule {
    /// Checks the conditions that do not depend on the body or the database.
    pub(in crate::http) fn check_path(self, grants: &Grants, params: &PathParams) -> Result<(), Denied> {
        let permission = match self {
            Self::Public | Self::Badge => return Ok(()),
            Self::Read => Permission::Read,
            Self::Publish(Subject::Path(param)) => Permission::Publish(value(params, param)),
            Self::Verify(Subject::Path(param)) => Permission::Verify(value(params, param)),
            Self::Change(Subject::Path(param)) => Permission::Change(value(params, param)),
            Self::Publish(Subject::Body) => return may(grants, Permission::Publish("")),
            Self::Verify(Subject::Body) => return may(grants, Permission::Verify("")),
            Self::Change(Subject::Body) => return may(grants, Permission::Change("")),
            Self::Deploy(_) => {
                let deploy = Permission::Deploy {
                    environment: "",
                    is_protected: false,
                };
                return may(grants, deploy);
            }
            Self::Environment => {
                let environment = Permission::Environment {
                    name: "",
                    is_protected: false,
                };
                return may(grants, environment);
            }
            Self::Webhooks => Permission::Webhooks,
            Self::Write => Permission::Write,
            Self::Admin => Permission::Admin,
        };
        grants.require(permission)
    }

    /// Checks the name in the body.
    pub(in crate::http) fn check_body(self, grants: &Grants, name: Option<&str>) -> Result<(), Denied> {
        let name = name.unwrap_or_default();
        match self {
            Self::Publish(Subject::Body) => grants.require(Permission::Publish(name)),
            Self::Verify(Subject::Body) => grants.require(Permission::Verify(name)),
            Self::Change(Subject::Body) => grants.require(Permission::Change(name)),
            _ => Ok(()),
        }
    }

    /// Checks the conditions that depend on the database. The handler reports resources that do not exist.
    pub(in crate::http) fn check_stored(self, rq: &Request, tx: &mut Tx<'_>) -> Result<(), HandlerError> {
        let environment = match self {
            Self::Deploy(Target::Environment) | Self::Environment => {
                let Some(uuid) = rq.params.get(Param::Environment) else {
                    return Ok(());
                };
                environments::find(tx, uuid)?
            }
            Self::Deploy(Target::Presence(kind)) => {
                environments::find_presence(tx, kind, rq.param(Param::Uuid))?.map(|presence| presence.environment)
            }
            _ => return Ok(()),
        };
        let Some(environment) = environment else {
            return Ok(());
        };
        let permission = if self == Self::Environment {
            rq.rules.changing_environment(&environment.name)
        } else {
            rq.rules.deploying(&environment.name)
        };
        Ok(rq.actor.grants.require(permission)?)
    }
}

fn value(params: &PathParams, param: Param) -> &str {
    params.get(param).unwrap_or_default()
}

fn may(grants: &Grants, permission: Permission<'_>) -> Result<(), Denied> {
    if grants.may_allow(permission) {
        Ok(())
    } else {
        Err(Denied::new(permission))
    }
}
