//! Access rules of routes.

use super::params::{Param, PathParams};
use super::reply::HandlerError;
use super::request::Request;
use contract_broker_core::sql::environments::{self, PresenceKind};
use contract_broker_core::store::Tx;
use contract_broker_domain::access::{Denied, Grants, Permission};

/// The access rule for one HTTP method of a route.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// No credentials are required.
    Public,
    /// No credentials are required if badges or reading are public.
    Badge,
    /// Any credentials are sufficient. None are required if reading is public.
    Read,
    /// The credentials must allow publishing contracts of this consumer.
    Publish(Subject),
    /// The credentials must allow publishing verification results of this provider.
    Verify(Subject),
    /// The credentials must allow changing this application.
    Change(Subject),
    /// The credentials must allow recording deployments and releases in this environment.
    Deploy(Target),
    /// The credentials must allow creating, changing, and deleting this environment.
    Environment,
    /// The credentials must allow changing webhooks and sending their requests.
    Webhooks,
    /// The credentials must allow deleting data that others may need.
    Write,
    /// The credentials must allow managing credentials and reading the audit log.
    Admin,
}

/// Where a request contains the name of an application.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    Path(Param),
    /// In the body. The code that parses the body also returns the name, so that the checked name is the one that is
    /// used.
    Body,
}

/// Where a request identifies an environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Target {
    Environment,
    /// Indirectly: the path contains the UUID of a deployment or release in the environment.
    Presence(PresenceKind),
}

impl Rule {
    /// Checks the part of the rule that depends on neither the body nor the database.
    pub fn check_path(self, grants: &Grants, params: &PathParams) -> Result<(), Denied> {
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

    /// Checks the part of the rule that depends on the application's name in the body.
    pub fn check_body(self, grants: &Grants, name: Option<&str>) -> Result<(), Denied> {
        let name = name.unwrap_or_default();
        match self {
            Self::Publish(Subject::Body) => grants.require(Permission::Publish(name)),
            Self::Verify(Subject::Body) => grants.require(Permission::Verify(name)),
            Self::Change(Subject::Body) => grants.require(Permission::Change(name)),
            _ => Ok(()),
        }
    }

    /// Checks the part of the rule that depends on the database. Succeeds if the resource does not exist, because the
    /// handler reports that.
    pub fn check_stored(self, rq: &Request, tx: &mut Tx<'_>) -> Result<(), HandlerError> {
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
