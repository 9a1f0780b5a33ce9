//! Renders forms that send POST requests.

use maud::{Markup, html};

use crate::icons::icon;
use crate::layout::{Shell, form_token};

/// Renders a POST form. `path` is relative to the broker's base URL, and `class` may be empty.
pub(crate) fn post(shell: &Shell, path: &str, class: &str, content: &Markup) -> Markup {
    html! {
        form method="post" action={ (shell.root) (path) } class=[(!class.is_empty()).then_some(class)] {
            @if let Some(user) = &shell.user { (form_token(user)) }
            (content)
        }
    }
}

/// Renders a form with a single button. `title` is the text of the button, to which `label` adds the object for screen
/// readers.
pub(crate) fn action(shell: &Shell, path: &str, title: &str, label: &str, class: &str) -> Markup {
    post(
        shell,
        path,
        "",
        &html! { button class={ "btn " (class) } aria-label={ (title) " " (label) } { (title) } },
    )
}

/// The message that a page shows after a form was sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    Done(String),
    /// The form was rejected. Each string is a sentence with a reason.
    Rejected(Vec<String>),
}

impl Notice {
    pub(crate) fn show(&self) -> Markup {
        match self {
            Self::Done(text) => html! {
                div class="notice" data-status="success" role="status" { (icon("deployable")) p { (text) } }
            },
            Self::Rejected(details) => html! {
                div class="notice" data-status="failed" role="alert" {
                    (icon("failed"))
                    div class="tight" { p { strong { "Nothing was changed." } } @for detail in details { p { (detail) } } }
                }
            },
        }
    }
}

/// A scope: its name, the kind of names that can limit it, such as `consumers`, and a description. `names` is `None`
/// for scopes without names.
struct Kind {
    name: &'static str,
    names: Option<&'static str>,
    hint: &'static str,
}

const KINDS: [Kind; 7] = [
    Kind {
        name: "read",
        names: None,
        hint: "Read everything. Included in all other scopes.",
    },
    Kind {
        name: "publish",
        names: Some("consumers"),
        hint: "",
    },
    Kind {
        name: "verify",
        names: Some("providers"),
        hint: "",
    },
    Kind {
        name: "deploy",
        names: Some("environments"),
        hint: "",
    },
    Kind {
        name: "webhooks",
        names: None,
        hint: "Create, change, and delete webhooks.",
    },
    Kind {
        name: "write",
        names: None,
        hint: "Everything except administration and protected environments.",
    },
    Kind {
        name: "admin",
        names: None,
        hint: "Everything, including tokens and users.",
    },
];

/// The scopes of a credential in a form. They may be invalid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Scopes(Vec<String>);

impl Scopes {
    pub fn new(scopes: &[String]) -> Self {
        Self(scopes.to_vec())
    }

    /// Reads the fields of a form. `is_chosen` returns whether the checkbox of a scope is checked, and `names` returns
    /// the names that were entered for the scope, separated by commas.
    pub fn from_form<'a>(is_chosen: impl Fn(&str) -> bool, names: impl Fn(&str) -> &'a str) -> Self {
        let mut scopes = Vec::new();
        for kind in &KINDS {
            let entered = match kind.names {
                Some(_) => names(kind.name),
                None => "",
            };
            let entered: Vec<&str> = entered
                .split(',')
                .map(str::trim)
                .filter(|name| !name.is_empty())
                .collect();
            match kind.names {
                Some(_) if !entered.is_empty() => {
                    scopes.extend(entered.iter().map(|name| format!("{}:{name}", kind.name)));
                }
                Some(_) if is_chosen(kind.name) => scopes.push(format!("{}:", kind.name)),
                None if is_chosen(kind.name) => scopes.push(kind.name.to_owned()),
                _ => (),
            }
        }
        Self(scopes)
    }

    /// Returns the scopes as strings, such as `publish:web`.
    pub fn to_texts(&self) -> Vec<String> {
        self.0.clone()
    }

    /// Returns the names that limit a scope, separated by commas, or `None` if the scope is not chosen. Empty for
    /// scopes without names.
    fn names_of(&self, kind: &Kind) -> Option<String> {
        let mut names = Vec::new();
        for scope in &self.0 {
            match scope.split_once(':') {
                Some((name, pattern)) if name == kind.name => names.push(pattern),
                None if scope == kind.name => names.push(""),
                _ => (),
            }
        }
        (!names.is_empty()).then(|| names.join(", "))
    }

    pub(crate) fn fields(&self) -> Markup {
        html! {
            fieldset class="field" {
                legend { "Scopes" }
                @for kind in &KINDS {
                    @let chosen = self.names_of(kind);
                    div class="row" {
                        label class="check" {
                            input type="checkbox" name="scope" value=(kind.name) checked[chosen.is_some()];
                            span class="scope" { (kind.name) }
                        }
                        @if let Some(names) = kind.names {
                            input name=(kind.name) aria-label={ (kind.name) ": " (names) " or patterns" }
                                placeholder={ (names) " or patterns" } value=(chosen.unwrap_or_default()) autocomplete="off";
                        } @else {
                            span class="small muted grow" { (kind.hint) }
                        }
                    }
                }
                span class="hint" {
                    "Separate names with commas. Patterns can contain " code { "*" } ", for example " code { "mobile-*" } "."
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scopes_are_read_from_forms() {
        let scopes = Scopes::from_form(
            |kind| matches!(kind, "read" | "deploy"),
            |kind| match kind {
                "publish" => "web, mobile-*,",
                _ => "",
            },
        );
        assert_eq!(
            scopes.to_texts(),
            ["read", "publish:web", "publish:mobile-*", "deploy:"]
        );
    }

    #[test]
    fn scopes_are_shown_in_forms() {
        let texts = ["publish:web", "publish:mobile-*", "admin"].map(str::to_owned);
        let fields = Scopes::new(&texts).fields().into_string();
        assert!(fields.contains(r#"value="web, mobile-*""#), "{fields}");
        assert!(
            fields.contains(r#"value="publish" checked"#) && fields.contains(r#"value="admin" checked"#),
            "{fields}"
        );
        assert!(!fields.contains(r#"value="verify" checked"#), "{fields}");
    }
}
