//! Renders the sign-in page.

use maud::{Markup, html};

use crate::encode;
use crate::forms::post;
use crate::icons::icon;
use crate::layout::{Shell, bare};
use crate::parts::name;

#[derive(Debug)]
pub struct SignIn<'a> {
    pub username: &'a str,
    /// The path to which the user is redirected after signing in.
    pub next: &'a str,
    /// The error of the last attempt, or an empty string.
    pub problem: &'a str,
    /// The name of the `OpenID` provider, or `None` if none is configured.
    pub provider: Option<&'a str>,
    /// Whether the broker has users who sign in with a password.
    pub has_users: bool,
}

impl SignIn<'_> {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            h1 { "Sign in" }
            @if !self.problem.is_empty() {
                div class="notice" data-status="failed" role="alert" { (icon("failed")) p { (self.problem) } }
            }
            @if let Some(provider) = self.provider {
                a class="btn btn-main btn-wide" href={ (shell.root) "/login/start?next=" (encode(self.next)) } {
                    "Sign in with " (provider)
                }
            }
            @if self.provider.is_some() && self.has_users { p class="or" { "or" } }
            @if self.has_users { (self.form(shell)) }
        };
        bare(shell, "Sign in", &main)
    }

    /// Renders the form for a user name and a password.
    fn form(&self, shell: &Shell) -> Markup {
        let class = if self.provider.is_some() {
            "btn btn-wide"
        } else {
            "btn btn-main btn-wide"
        };
        post(
            shell,
            "/login",
            "stack",
            &html! {
                input type="hidden" name="next" value=(self.next);
                div class="field" {
                    label for="username" { "User name" }
                    input id="username" name="username" value=(self.username) autocomplete="username" required autofocus;
                }
                div class="field" {
                    label for="password" { "Password" }
                    input id="password" name="password" type="password" autocomplete="current-password" required;
                }
                button class=(class) { "Sign in" }
            },
        )
    }
}

/// Renders the page for a user who is already signed in. `person` is the user's name.
pub fn signed_in(shell: &Shell, person: &str) -> String {
    let main = html! {
        h1 { "Signed in" }
        p { "You are signed in as " strong { (name(person)) } "." }
        div class="row" {
            a class="btn btn-main" href={ (shell.root) "/" } { "Go to the overview" }
            (post(shell, "/logout", "", &html! { button class="btn" { "Sign out" } }))
        }
    };
    bare(shell, "Signed in", &main)
}
