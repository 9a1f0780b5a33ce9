//! The common parts of all pages: header, navigation, and footer.

use std::sync::LazyLock;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::icons::{icon, sprite};
use crate::{SCRIPT, STYLE};

/// A hash of the style sheet and the script. It is part of their addresses, so that browsers load new versions.
static ASSETS: LazyLock<String> = LazyLock::new(|| {
    let bytes = STYLE.bytes().chain(SCRIPT.bytes());
    // FNV-1a
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    format!("{hash:016x}")
});

/// The properties of the request and the broker that every page needs.
#[derive(Clone, Debug)]
pub struct Shell {
    /// The prefix of all links: empty, or a path such as `/broker` without a slash at the end.
    pub root: String,
    /// The broker's URL for commands that a page displays.
    pub base: String,
    pub theme: Theme,
    /// The user who is signed in, or `None`.
    pub user: Option<User>,
    /// Whether the broker is open to everyone until the first token or user exists.
    pub closes_with_credentials: bool,
    /// Whether users can sign in, so that the header shows a link.
    pub can_sign_in: bool,
    pub is_admin: bool,
    /// Whether the user is allowed to test, enable, and disable webhooks.
    pub can_change_webhooks: bool,
    /// Whether the user is allowed to delete and restore data.
    pub can_write: bool,
    /// The path and query of the page, relative to the broker's base URL.
    pub target: String,
    pub version: &'static str,
    /// The current time, in milliseconds since 1970.
    pub now: i64,
}

#[derive(Clone, Debug)]
pub struct User {
    pub name: String,
    /// The value of a hidden form field that protects against cross-site request forgery.
    pub form_token: String,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Theme {
    #[default]
    System,
    Light,
    Dark,
}

impl Theme {
    pub const ALL: [Self; 3] = [Self::System, Self::Light, Self::Dark];

    pub fn name(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|theme| theme.name() == name)
    }

    fn title(self) -> &'static str {
        match self {
            Self::System => "System",
            Self::Light => "Light",
            Self::Dark => "Dark",
        }
    }
}

/// The navigation entry to which a page belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    Overview,
    CanIDeploy,
    Environments,
    Matrix,
    Graph,
    Webhooks,
    Tokens,
    /// A page without a navigation entry.
    Other,
}

const ENTRIES: [(Section, &str, &str, &str); 7] = [
    (Section::Overview, "/", "Overview", "o"),
    (Section::CanIDeploy, "/can-i-deploy", "Can I deploy?", "d"),
    (Section::Environments, "/environments", "Environments", "e"),
    (Section::Matrix, "/matrix", "Matrix", "m"),
    (Section::Graph, "/graph", "Graph", "g"),
    (Section::Webhooks, "/webhooks", "Webhooks", "w"),
    (Section::Tokens, "/admin/tokens", "Tokens", "t"),
];

/// Renders a page with header, navigation, and footer. `title` appears in the browser tab, and `main` is the content.
pub(crate) fn page(shell: &Shell, section: Section, title: &str, main: &Markup) -> String {
    let body = html! {
        a class="skip" href="#main" { "Skip to content" }
        (header(shell, section))
        main id="main" class="wrap" tabindex="-1" { (main) }
        (footer(shell))
    };
    broker_document(shell, title, &body)
}

/// Renders a page without navigation, for visitors who are not signed in.
pub(crate) fn bare(shell: &Shell, title: &str, main: &Markup) -> String {
    let body = html! {
        header class="bar" {
            div class="wrap" {
                a class="brand" href={ (shell.root) "/" } { (icon("logo")) b { "Contract Broker" } }
            }
        }
        main id="main" class="wrap narrow" tabindex="-1" { (main) }
        footer class="foot" { div class="wrap row" { span { "Contract Broker " (shell.version) } (themes(shell)) } }
    };
    broker_document(shell, title, &body)
}

fn broker_document(shell: &Shell, title: &str, body: &Markup) -> String {
    let theme = (shell.theme != Theme::System).then(|| shell.theme.name());
    document(
        theme,
        &format!("{}/assets/", shell.root),
        &format!("{title} · Contract Broker"),
        body,
    )
}

/// Renders an HTML document. `assets` is the address, with a trailing slash, of the directory that contains the style
/// sheet and the script. `theme` is `light`, `dark`, or `None` for the system's theme.
pub(crate) fn document(theme: Option<&str>, assets: &str, title: &str, body: &Markup) -> String {
    html! {
        (DOCTYPE)
        html lang="en" data-theme=[theme] {
            head {
                meta charset="utf-8";
                title { (title) }
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                link rel="icon" href={ (assets) "favicon.svg" };
                link rel="stylesheet" href={ (assets) "style.css?" (*ASSETS) };
                script src={ (assets) "app.js?" (*ASSETS) } defer {}
            }
            body {
                (sprite(&body.0))
                (PreEscaped(&body.0))
            }
        }
    }
    .into_string()
}

fn header(shell: &Shell, section: Section) -> Markup {
    let root = &shell.root;
    let is_shown = |entry: Section| match entry {
        Section::Tokens => shell.is_admin,
        _ => true,
    };
    html! {
        header class="bar" {
            div class="wrap" {
                a class="brand" href={ (root) "/" } { (icon("logo")) b { "Contract Broker" } }
                nav class="nav" aria-label="Main" {
                    ul {
                        @for (entry, path, name, key) in ENTRIES.into_iter().filter(|(entry, ..)| is_shown(*entry)) {
                            li class=[(entry == Section::Webhooks).then_some("sep")] {
                                a href={ (root) (path) } data-key=(key) aria-current=[(entry == section).then_some("page")] { (name) }
                            }
                        }
                    }
                }
                form class="search" role="search" action={ (root) "/" } {
                    label class="vh" for="search" { "Search applications" }
                    (icon("search"))
                    input id="search" type="search" name="q" placeholder="Search" autocomplete="off";
                    kbd aria-hidden="true" { "/" }
                }
                (account(shell))
            }
        }
    }
}

fn account(shell: &Shell) -> Markup {
    let root = &shell.root;
    html! {
        @if let Some(user) = &shell.user {
            details class="menu" {
                summary { span class="avatar" aria-hidden="true" { (initials(&user.name)) } span class="vh" { "Account menu" } }
                ul {
                    li { span class="muted small" { bdi { (user.name) } @if shell.is_admin { ", admin" } } }
                    @if shell.is_admin {
                        li { a href={ (root) "/admin/tokens" } { "Tokens" } }
                        li { a href={ (root) "/admin/users" } { "Users" } }
                        li { a href={ (root) "/admin/audit" } { "Audit log" } }
                    }
                    li { a href={ (root) "/first-steps" } { "First steps" } }
                    li {
                        form method="post" action={ (root) "/logout" } {
                            (form_token(user))
                            button class="btn btn-bare" { "Sign out" }
                        }
                    }
                }
            }
        } @else if shell.can_sign_in {
            a class="btn btn-s" href={ (root) "/login?next=" (crate::encode(&shell.target)) } { "Sign in" }
        }
    }
}

pub(crate) fn form_token(user: &User) -> Markup {
    html! { input type="hidden" name="token" value=(user.form_token); }
}

/// Returns at most two initials of a name.
fn initials(name: &str) -> String {
    let letters = name
        .split(|character: char| !character.is_alphanumeric())
        .filter_map(|word| word.chars().next());
    letters.take(2).flat_map(char::to_uppercase).collect()
}

fn footer(shell: &Shell) -> Markup {
    html! {
        footer class="foot" {
            div class="wrap row" {
                span { "Contract Broker " (shell.version) }
                a href={ (shell.root) "/first-steps" } { "First steps" }
                span class="js-only" {
                    "Shortcuts: " kbd { "/" } " search, " kbd { "g" } " " kbd { "o" } " overview, "
                    kbd { "g" } " " kbd { "d" } " can I deploy"
                }
                (themes(shell))
            }
        }
    }
}

fn themes(shell: &Shell) -> Markup {
    html! {
        form class="end switch" method="post" action={ (shell.root) "/theme" } aria-label="Theme" {
            input type="hidden" name="next" value=(shell.target);
            @for theme in Theme::ALL {
                button name="theme" value=(theme.name()) aria-pressed=(shell.theme == theme) { (theme.title()) }
            }
        }
    }
}
