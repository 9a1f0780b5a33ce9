//! Renders the API tokens and the form that creates one.

use maud::{Markup, html};

use super::{Part, frame, open_broker, scopes, table};
use crate::forms::{Notice, Scopes, action, post};
use crate::icons::icon;
use crate::layout::Shell;
use crate::parts::{Column, Status, badge_text, cell, command, empty, name, options};
use crate::time::{ago_or_never, until};

/// Maximum time until the expiry of a token that is marked as expiring soon, in milliseconds: 14 days.
const SOON: i64 = 14 * 24 * 3_600 * 1_000;

#[derive(Debug)]
pub struct Tokens {
    pub tokens: Vec<Token>,
    pub form: TokenForm,
    pub notice: Option<Notice>,
    pub created: Option<CreatedToken>,
}

#[derive(Debug)]
pub struct Token {
    pub id: String,
    pub label: String,
    pub scopes: Vec<String>,
    pub created_by: String,
    pub expires_at: Option<i64>,
    pub last_used_at: Option<i64>,
    pub is_revoked: bool,
}

/// A token that was just created. It is displayed only once.
#[derive(Debug)]
pub struct CreatedToken {
    pub label: String,
    pub text: String,
}

/// The values in the form that creates a token.
#[derive(Debug, Default)]
pub struct TokenForm {
    pub label: String,
    /// Number of days until the token expires, as the user entered it. Empty if the token does not expire, and `None`
    /// if the form has not been sent yet.
    pub expires: Option<String>,
    pub scopes: Scopes,
}

impl Tokens {
    pub fn page(&self, shell: &Shell) -> String {
        let content = html! {
            @if let Some(notice) = &self.notice { (notice.show()) }
            @if let Some(created) = &self.created { (created.show()) }
            @if shell.closes_with_credentials && self.created.is_none() { (open_broker(&html! {
                "After you create the first token, every request needs credentials. "
                a href={ (shell.root) "/admin/users" } { "Add a user" } " with the " code { "admin" } " scope"
                " first, so that you can still open these pages."
            })) }
            section aria-label="Tokens" {
                div class="panel" {
                    @if self.tokens.is_empty() {
                        (empty("No tokens", &html! { "Pipelines sign in with tokens. Create one below." }))
                    } @else {
                        (self.table(shell))
                    }
                }
            }
            (self.form.show(shell))
            section class="part" {
                h2 { "From a script" }
                (command("create", "contract-broker token create --label \"web CI\" --scope publish:web"))
            }
        };
        frame(
            shell,
            Part::Tokens,
            "Credentials for pipelines, and what each one allows.",
            &content,
        )
    }

    fn table(&self, shell: &Shell) -> Markup {
        let columns = [
            Column::new("Token", "c20"),
            Column::new("Scopes", ""),
            Column::new("Created by", "c14"),
            Column::new("Last used", "c12"),
            Column::new("Expires", "c16"),
            Column::hidden("Action", "c10 num"),
        ];
        table(
            "API tokens",
            &columns,
            &html! { @for token in &self.tokens { (token.row(shell)) } },
        )
    }
}

impl Token {
    fn row(&self, shell: &Shell) -> Markup {
        html! {
            tr role="row" {
                th scope="row" role="rowheader" class="full" {
                    (name(&self.label)) br; span class="muted small mono" { (self.id) }
                }
                (cell("full", &scopes(&self.scopes)))
                td role="cell" class="muted" data-label="by" { (name(&self.created_by)) }
                td role="cell" class="muted" data-label="used" { (ago_or_never(self.last_used_at, shell.now)) }
                td role="cell" data-label="expires" { (self.end(shell.now)) }
                (cell("num push", &html! {
                    @if !self.is_revoked {
                        (action(shell, &format!("/admin/tokens/{}/revoke", crate::encode(&self.id)), "Revoke", &self.label, "btn-s btn-bad"))
                    }
                }))
            }
        }
    }

    fn end(&self, now: i64) -> Markup {
        match self.expires_at {
            _ if self.is_revoked => badge_text(Status::Failed, "Revoked"),
            Some(at) if at <= now => badge_text(Status::Pending, "Expired"),
            Some(at) if at - now < SOON => html! {
                span class="badge" data-status="warning" { (icon("warning")) (until(at, now)) }
            },
            Some(at) => html! { span class="muted" { (until(at, now)) } },
            None => html! { span class="muted" { "never" } },
        }
    }
}

impl CreatedToken {
    fn show(&self) -> Markup {
        html! {
            div class="notice" data-status="success" role="status" {
                (icon("deployable"))
                div class="part" {
                    p { strong { "Token " (name(&self.label)) " created." } " Copy it now. It is not shown again." }
                    (command("secret", &self.text))
                }
            }
        }
    }
}

impl TokenForm {
    fn show(&self, shell: &Shell) -> Markup {
        let expires = [
            ("90", "in 90 days"),
            ("30", "in 30 days"),
            ("365", "in 1 year"),
            ("", "never"),
        ];
        html! {
            section aria-labelledby="new" {
                div class="section" { h2 id="new" { "New token" } }
                (post(shell, "/admin/tokens", "panel", &html! {
                    div class="panel-pad halves" {
                        div class="stack" {
                            div class="field" {
                                label for="label" { "Label" }
                                input id="label" name="label" value=(self.label) placeholder="web, GitHub Actions" required maxlength="200" autocomplete="off";
                            }
                            div class="field" {
                                label for="expires" { "Expires" }
                                select id="expires" name="expires" {
                                    (options(self.expires.as_deref().unwrap_or("90"), expires))
                                }
                            }
                        }
                        (self.scopes.fields())
                    }
                    div class="panel-foot" { button class="btn btn-main" { "Create token" } }
                }))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn token(expires_at: Option<i64>, is_revoked: bool) -> Token {
        Token {
            id: "abc".to_owned(),
            label: "web".to_owned(),
            scopes: vec![],
            created_by: "rosa".to_owned(),
            expires_at,
            last_used_at: None,
            is_revoked,
        }
    }

    #[test]
    fn says_when_a_token_ends() {
        let now = 1_795_372_800_000;
        for (token, expected) in [
            (token(None, false), "never"),
            (token(Some(now - 1), false), "Expired"),
            (token(Some(now + 6 * 24 * 3_600_000), false), "in 6 days"),
            (token(None, true), "Revoked"),
        ] {
            let html = token.end(now).into_string();
            assert!(html.contains(expected), "{html}");
        }
    }
}
