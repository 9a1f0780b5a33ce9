//! Renders the users who sign in with a password, and the forms for adding and changing them.

use maud::{Markup, html};

use super::{Part, frame, open_broker, scopes, table};
use crate::forms::{Notice, Scopes, action, post};
use crate::layout::Shell;
use crate::parts::{Column, cell, command, empty, name, when};

#[derive(Debug)]
pub struct Users {
    pub accounts: Vec<Account>,
    pub form: UserForm,
    pub notice: Option<Notice>,
    /// Minimum length of a password, in characters.
    pub min_password: usize,
}

#[derive(Debug)]
pub struct Account {
    pub name: String,
    pub scopes: Vec<String>,
    pub created_at: i64,
}

/// The values in the form that adds a user.
#[derive(Debug, Default)]
pub struct UserForm {
    pub name: String,
    pub scopes: Scopes,
}

impl Users {
    pub fn page(&self, shell: &Shell) -> String {
        let content = html! {
            @if let Some(notice) = &self.notice { (notice.show()) }
            @if shell.closes_with_credentials { (open_broker(&html! {
                "After you add the first user, every request needs credentials. Give the first user the " code { "admin" } " scope."
            })) }
            section aria-label="Users" {
                div class="panel" {
                    @if self.accounts.is_empty() {
                        (empty("No users", &html! { "Users sign in to these pages with a password. Add one below." }))
                    } @else {
                        (self.table(shell))
                    }
                }
            }
            (self.form.show(shell, self.min_password))
            section class="part" {
                h2 { "From a script" }
                (command("add", "contract-broker user add rosa --scope read"))
            }
        };
        frame(shell, Part::Users, "People who sign in with a password.", &content)
    }

    fn table(&self, shell: &Shell) -> Markup {
        let columns = [
            Column::new("User", "c24"),
            Column::new("Scopes", ""),
            Column::new("Created", "c12 num"),
            Column::hidden("Change", "c8 num"),
            Column::hidden("Remove", "c10 num"),
        ];
        table(
            "Users",
            &columns,
            &html! {
                @for account in &self.accounts {
                    @let path = format!("/admin/users/{}", crate::encode(&account.name));
                    tr role="row" {
                        th scope="row" role="rowheader" { (name(&account.name)) }
                        (cell("full", &scopes(&account.scopes)))
                        (when(Some(account.created_at), shell.now))
                        (cell("num", &html! {
                            a href={ (shell.root) (path) "/change" } aria-label={ "Change " (account.name) } { "Change" }
                        }))
                        (cell("num", &action(shell, &format!("{path}/remove"), "Remove", &account.name, "btn-s btn-bad")))
                    }
                }
            },
        )
    }
}

fn password_field(min: usize, hint: Option<&str>) -> Markup {
    html! {
        div class="field" {
            label for="password" { "Password" }
            input id="password" name="password" type="password" required minlength=(min) autocomplete="new-password"
                aria-describedby="password-hint";
            span class="hint" id="password-hint" {
                "At least " (min) " characters." @if let Some(hint) = hint { " " (hint) }
            }
        }
    }
}

impl UserForm {
    fn show(&self, shell: &Shell, min_password: usize) -> Markup {
        html! {
            section aria-labelledby="new" {
                div class="section" { h2 id="new" { "New user" } }
                (post(shell, "/admin/users", "panel", &html! {
                    div class="panel-pad halves" {
                        div class="stack" {
                            div class="field" {
                                label for="name" { "User name" }
                                input id="name" name="name" value=(self.name) required maxlength="200" autocomplete="off";
                            }
                            (password_field(min_password, None))
                        }
                        (self.scopes.fields())
                    }
                    div class="panel-foot" { button class="btn btn-main" { "Add user" } }
                }))
            }
        }
    }
}

/// The page on which an administrator changes a user's scopes and password.
#[derive(Debug)]
pub struct UserChange {
    pub name: String,
    pub scopes: Scopes,
    pub notice: Option<Notice>,
    /// Minimum length of a password, in characters.
    pub min_password: usize,
}

impl UserChange {
    pub fn page(&self, shell: &Shell) -> String {
        let path = format!("/admin/users/{}/change", crate::encode(&self.name));
        let content = html! {
            @if let Some(notice) = &self.notice { (notice.show()) }
            h2 { (name(&self.name)) }
            div class="halves" {
                (post(shell, &path, "panel", &html! {
                    input type="hidden" name="part" value="scopes";
                    div class="panel-pad" { (self.scopes.fields()) }
                    div class="panel-foot" { button class="btn btn-main" { "Change scopes" } }
                }))
                (post(shell, &path, "panel", &html! {
                    input type="hidden" name="part" value="password";
                    div class="panel-pad" { (password_field(self.min_password, Some("A new password signs the user out everywhere."))) }
                    div class="panel-foot" { button class="btn btn-main" { "Change password" } }
                }))
            }
            p { a href={ (shell.root) "/admin/users" } { "All users" } }
        };
        frame(shell, Part::Users, "People who sign in with a password.", &content)
    }
}
