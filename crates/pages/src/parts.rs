//! The components that several pages share.

use maud::{Markup, html};

use crate::address::{Query, encode};
use crate::icons::{icon, line};
use crate::layout::Shell;
use crate::time::ago_or_never;

/// The status of a contract, an interaction, or a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Status {
    Failed,
    Unverified,
    Stale,
    Pending,
    Wip,
    Unknown,
    Verified,
}

impl Status {
    /// All statuses that a contract can have. Those that need attention come first.
    pub const OF_CONTRACTS: [Self; 6] = [
        Self::Failed,
        Self::Unverified,
        Self::Stale,
        Self::Pending,
        Self::Wip,
        Self::Verified,
    ];

    /// Returns the name in URLs and HTML attributes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Unverified => "unverified",
            Self::Stale => "stale",
            Self::Pending => "pending",
            Self::Wip => "wip",
            Self::Unknown => "unknown",
            Self::Verified => "verified",
        }
    }

    pub fn parse(name: &str) -> Option<Self> {
        Self::OF_CONTRACTS.into_iter().find(|status| status.name() == name)
    }

    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Failed => "Failed",
            Self::Unverified => "Unverified",
            Self::Stale => "Changed",
            Self::Pending => "Pending",
            Self::Wip => "WIP",
            Self::Unknown => "Unknown",
            Self::Verified => "Verified",
        }
    }

    pub(crate) fn is_failed(self) -> bool {
        self == Self::Failed
    }

    /// Returns the status for a verification result. `None` means that there is no result.
    pub fn of_result(success: Option<bool>) -> Self {
        match success {
            Some(true) => Self::Verified,
            Some(false) => Self::Failed,
            None => Self::Unverified,
        }
    }
}

/// A version, and the branch and environments that are shown next to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VersionLabel {
    pub pacticipant: String,
    pub number: String,
    pub branch: Option<String>,
    /// The names of the environments, and whether each is a production environment.
    pub environments: Vec<(String, bool)>,
}

impl VersionLabel {
    pub fn new(pacticipant: impl Into<String>, number: impl Into<String>) -> Self {
        Self {
            pacticipant: pacticipant.into(),
            number: number.into(),
            ..Self::default()
        }
    }
}

/// Creates the paths of pages. The string is the prefix of all links; see [`Shell::root`](crate::layout::Shell::root).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Paths<'a>(pub(crate) &'a str);

impl Paths<'_> {
    pub(crate) fn application(self, name: &str) -> String {
        format!("{}/pacticipants/{}", self.0, encode(name))
    }

    pub(crate) fn version(self, name: &str, number: &str) -> String {
        format!("{}/versions/{}", self.application(name), encode(number))
    }

    pub(crate) fn pair(self, consumer: &str, provider: &str) -> String {
        format!(
            "{}/pacts/provider/{}/consumer/{}",
            self.0,
            encode(provider),
            encode(consumer)
        )
    }

    pub(crate) fn pact(self, consumer: &str, provider: &str, number: &str) -> String {
        format!("{}/version/{}", self.pair(consumer, provider), encode(number))
    }

    pub(crate) fn can_i_deploy(self, name: &str, number: &str, environment: &str) -> String {
        let query = Query::new([("pacticipant", name), ("version", number), ("environment", environment)]);
        format!("{}/can-i-deploy{}", self.0, query.href())
    }

    pub(crate) fn matrix(self, selectors: &[(&str, Option<&str>)]) -> String {
        let pairs = selectors.iter().flat_map(|(name, version)| {
            let version = version.map(|version| ("q[][version]", version));
            std::iter::once(("q[][pacticipant]", *name)).chain(version)
        });
        let query = Query::new(pairs.chain([("latestby", "cvpv")]));
        format!("{}/matrix{}", self.0, query.href())
    }
}

/// Renders a name in a `bdi` element, so that a right-to-left name does not reorder the surrounding text.
pub(crate) fn name(text: &str) -> Markup {
    html! { bdi { (text) } }
}

/// Joins names in a sentence, such as `dev, test, and prod`.
pub(crate) fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [one, other] => format!("{one} and {other}"),
        [rest @ .., last] => format!("{}, and {last}", rest.join(", ")),
    }
}

pub(crate) fn application(paths: Paths<'_>, text: &str) -> Markup {
    html! { a href=(paths.application(text)) { (name(text)) } }
}

/// Renders a status as a badge with an icon and a text, such as `Failed, 1 of 8`.
pub(crate) fn badge(status: Status, detail: Option<&str>) -> Markup {
    badge_text(
        status,
        &detail.map_or_else(
            || status.word().to_owned(),
            |detail| format!("{}, {detail}", status.word()),
        ),
    )
}

pub(crate) fn badge_text(status: Status, text: &str) -> Markup {
    html! { span class="badge" data-status=(status.name()) { (icon(status.name())) (text) } }
}

/// Renders a status as an icon, with text only for screen readers. Used in columns whose header explains the icon.
pub(crate) fn dot(status: Status) -> Markup {
    html! {
        span class="dot" data-status=(status.name()) { (icon(status.name())) span class="vh" { (status.word()) } }
    }
}

/// Renders a consumer and a provider, with a line between them in the style of the status.
pub(crate) fn pair(consumer: &str, provider: &str, status: Status) -> Markup {
    html! {
        span class="pair" { (name(consumer)) (line(status.name())) span class="vh" { " to " } (name(provider)) }
    }
}

/// Renders a version with its branch and environments.
pub(crate) fn version(paths: Paths<'_>, label: &VersionLabel) -> Markup {
    version_linked(label, &paths.version(&label.pacticipant, &label.number))
}

pub(crate) fn version_linked(label: &VersionLabel, href: &str) -> Markup {
    html! {
        span class="ver" {
            a class="ver-no" href=(href) title=[(label.number.chars().count() > 15).then_some(&label.number)] { (label.number) }
            @if let Some(branch) = &label.branch { (self::branch(branch)) }
            @for (name, production) in &label.environments { (environment(name, *production)) }
        }
    }
}

pub(crate) fn branch(text: &str) -> Markup {
    html! { span class="branch" { (icon("branch")) (name(text)) } }
}

pub(crate) fn environment(text: &str, production: bool) -> Markup {
    html! { span class="env" data-production[production] { bdi { (text) } } }
}

/// Renders the breadcrumb navigation. `entries` are pairs of an address and a text. `current` is the name of the page
/// itself, which is not a link.
pub(crate) fn crumbs(root: &str, entries: &[(String, &str)], current: &str) -> Markup {
    html! {
        nav class="crumbs" aria-label="Breadcrumb" {
            ol {
                li { a href={ (root) "/" } { "Overview" } }
                @for (href, text) in entries { li { a href=(href) { (name(text)) } } }
                li { span aria-current="page" { (name(current)) } }
            }
        }
    }
}

/// A tab, which links to another page. `count` is a number after the title.
pub(crate) struct Tab {
    pub(crate) title: &'static str,
    pub(crate) href: String,
    pub(crate) count: Option<i64>,
    pub(crate) is_current: bool,
}

pub(crate) fn tabs(label: &str, all: &[Tab]) -> Markup {
    html! {
        nav class="tabs" aria-label=(label) {
            ul {
                @for tab in all {
                    li {
                        a href=(tab.href) aria-current=[tab.is_current.then_some("page")] {
                            (tab.title)
                            @if let Some(count) = tab.count { " " span class="count" { (thousands(count)) } }
                        }
                    }
                }
            }
        }
    }
}

/// A column of a table.
pub(crate) struct Column {
    pub(crate) title: Markup,
    /// The CSS classes, such as `c16 num`. May be empty.
    pub(crate) class: &'static str,
    /// The value of the `sort` parameter that sorts by this column, or `None` if the column cannot be sorted.
    pub(crate) sort: Option<&'static str>,
}

impl Column {
    pub(crate) fn new(title: &str, class: &'static str) -> Self {
        Self {
            title: html! { (title) },
            class,
            sort: None,
        }
    }

    /// Creates a column whose title is visible only to screen readers.
    pub(crate) fn hidden(title: &str, class: &'static str) -> Self {
        Self {
            title: html! { span class="vh" { (title) } },
            class,
            sort: None,
        }
    }

    pub(crate) fn sorted_by(self, sort: &'static str) -> Self {
        Self {
            sort: Some(sort),
            ..self
        }
    }
}

/// A table whose rows become blocks on small screens. Explicit roles tell screen readers that it is still a table.
pub(crate) struct Table<'a> {
    pub(crate) caption: &'a str,
    pub(crate) columns: &'a [Column],
    /// The page's query and its `sort` parameter, or `None` if the table cannot be sorted.
    pub(crate) sorting: Option<(&'a Query, &'a str)>,
    pub(crate) class: &'static str,
    /// The HTML ID of the `tbody` element.
    pub(crate) id: Option<&'static str>,
}

impl Table<'_> {
    pub(crate) fn show(&self, rows: &Markup) -> Markup {
        html! {
            table class={ "table flow" @if !self.class.is_empty() { " " (self.class) } } role="table" {
                caption class="vh" { (self.caption) }
                thead role="rowgroup" {
                    tr role="row" {
                        @for column in self.columns {
                            @let is_sorted = self.is_sorted(column);
                            th scope="col" role="columnheader" class=[(!column.class.is_empty()).then_some(column.class)]
                                aria-sort=[is_sorted.then_some("ascending")] {
                                @match (column.sort, self.sorting) {
                                    (Some(sort), Some((query, _))) => {
                                        a class="sort" href=(query.with("sort", sort).with("page", "").href()) {
                                            (column.title)
                                            @if is_sorted { (icon("down")) }
                                        }
                                    }
                                    _ => (column.title),
                                }
                            }
                        }
                    }
                }
                tbody role="rowgroup" id=[self.id] { (rows) }
            }
        }
    }

    fn is_sorted(&self, column: &Column) -> bool {
        matches!((column.sort, self.sorting), (Some(sort), Some((_, current))) if sort == current)
    }
}

/// Renders a table cell. `class` may be empty.
pub(crate) fn cell(class: &str, content: &Markup) -> Markup {
    html! { td role="cell" class=[(!class.is_empty()).then_some(class)] { (content) } }
}

/// Renders a cell with a relative time, or with `never` if `at` is `None`.
pub(crate) fn when(at: Option<i64>, now: i64) -> Markup {
    html! {
        td role="cell" class="num push" {
            span class="muted" { (ago_or_never(at, now)) }
        }
    }
}

pub(crate) fn group_row(columns: usize, title: &Markup) -> Markup {
    html! { tr class="group" role="row" { th scope="colgroup" colspan=(columns) role="rowheader" { (title) } } }
}

/// The position of a page in a list.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// Number of this page, from 1.
    pub number: i64,
    pub size: i64,
    /// Number of entries on all pages together.
    pub total: i64,
}

impl Pages {
    /// Returns whether this page comes after the last page.
    pub fn is_beyond_end(self) -> bool {
        self.number > self.last()
    }

    /// Returns the range of the entries on this page, by their index in the list.
    pub fn range(self) -> std::ops::Range<usize> {
        let index = |number: i64| usize::try_from(number.clamp(0, self.total)).unwrap_or(0);
        index((self.number - 1) * self.size)..index(self.number * self.size)
    }

    pub fn last(self) -> i64 {
        ((self.total + self.size - 1) / self.size.max(1)).max(1)
    }
}

pub(crate) fn pager(query: &Query, pages: Pages) -> Markup {
    let Pages { number, size, total } = pages;
    let (first, last) = ((number - 1) * size + 1, (number * size).min(total));
    let at = |number: i64| query.with("page", &number.to_string()).href();
    html! {
        @if total > size {
            div class="panel-foot" {
                nav class="pager" aria-label="Pages" {
                    p { (thousands(first)) "–" (thousands(last)) " of " (thousands(total)) }
                    ul {
                        @if number > 1 { li { a href=(at(number - 1)) rel="prev" { "Previous" } } }
                        li { span class="now" aria-current="page" { (number) } }
                        @if number < pages.last() { li { a href=(at(number + 1)) rel="next" { "Next" } } }
                    }
                }
            }
        }
    }
}

/// Renders a command or an address with a button that copies it. `id` is the HTML ID and must be unique on the page.
pub(crate) fn command(id: &str, text: &str) -> Markup {
    html! {
        div class="cmd" {
            // Prevents line breaks at the hyphens of options.
            code id=(id) {
                @for part in text.split_inclusive([' ', '\n']) {
                    @if part.starts_with("--") { span class="nowrap" { (part.trim_end()) } (&part[part.trim_end().len()..]) }
                    @else { (part) }
                }
            }
            button type="button" class="btn btn-s copy" data-copy=(id) aria-label="Copy" { "Copy" }
        }
    }
}

/// Renders a badge, and Markdown that embeds it and links it to `page`. `path` is the address of the badge. Both are
/// relative to the broker's base URL.
pub(crate) fn badge_sample(shell: &Shell, path: &str, page: &str, title: &str) -> Markup {
    let plain: String = title
        .chars()
        .filter(|letter| !"[]()<>\\`\n".contains(*letter))
        .collect();
    let markdown = format!("[![{plain}]({base}{path})]({base}{page})", base = shell.base);
    html! {
        section class="part" aria-labelledby="badge" {
            h2 id="badge" { "Badge" }
            p { img data-badge src={ (shell.root) (path) } alt=(title) height="20"; }
            (command("badge-markdown", &markdown))
        }
    }
}

/// Returns an argument for a POSIX shell, in quotes if necessary.
pub(crate) fn shell_quoted(argument: &str) -> String {
    let is_plain = |character: char| character.is_ascii_alphanumeric() || "-_./:@%+=,".contains(character);
    if !argument.is_empty() && argument.chars().all(is_plain) && !argument.starts_with('-') {
        argument.to_owned()
    } else {
        format!("'{}'", argument.replace('\'', "'\\''"))
    }
}

/// Renders what a section shows if it has no entries.
pub(crate) fn empty(title: &str, text: &Markup) -> Markup {
    html! { div class="empty" { (icon("box")) h2 { (title) } p { (text) } } }
}

/// Renders what a list shows if it is empty, or if the page comes after its last page.
pub(crate) fn empty_list(query: &Query, pages: Pages, title: &str, text: &Markup) -> Markup {
    if !pages.is_beyond_end() {
        return empty(title, text);
    }
    let first = query.with("page", "").href();
    empty(
        &format!("Page {} does not exist", pages.number),
        &html! { "The list has " (counted_pages(pages.last())) ". " a href=(first) { "Go to the first page" } },
    )
}

fn counted_pages(count: i64) -> String {
    counted(usize::try_from(count).unwrap_or(0), "page", "pages")
}

/// Renders a `datalist` with the names of applications, which the browser suggests for an input.
pub(crate) fn application_list(id: &str, names: &[String]) -> Markup {
    html! { datalist id=(id) { @for name in names { option { (name) } } } }
}

pub(crate) fn options<'a>(selected: &str, all: impl IntoIterator<Item = (&'a str, &'a str)>) -> Markup {
    html! {
        @for (value, title) in all { option value=(value) selected[value == selected] { (title) } }
    }
}

/// Renders hidden fields for all query parameters except those in `except`, so that a form preserves them.
pub(crate) fn hidden(query: &Query, except: &[&str]) -> Markup {
    html! { @for (name, value) in query.except(except) { input type="hidden" name=(name) value=(value); } }
}

/// Returns a count followed by the noun in the right form, such as `1 integration` or `2 integrations`.
pub(crate) fn counted(count: usize, singular: &str, plural: &str) -> String {
    let count_text = thousands(i64::try_from(count).unwrap_or(i64::MAX));
    format!("{count_text} {}", if count == 1 { singular } else { plural })
}

/// Formats a number with commas between groups of three digits, such as `1,204`.
pub(crate) fn thousands(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    format!("{}{}", if number < 0 { "-" } else { "" }, groups.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_shells() {
        assert_eq!(shell_quoted("web"), "web");
        assert_eq!(shell_quoted("my app"), "'my app'");
        assert_eq!(shell_quoted("it's; rm -rf"), "'it'\\''s; rm -rf'");
        assert_eq!(shell_quoted("--help"), "'--help'");
        assert_eq!(shell_quoted(""), "''");
    }

    #[test]
    fn groups_digits() {
        assert_eq!(
            [0, 12, 999, 1_204, 1_000_000].map(thousands),
            ["0", "12", "999", "1,204", "1,000,000"]
        );
    }

    #[test]
    fn text_is_escaped() {
        let label = VersionLabel::new("a\"b", "<script>");
        let text = version(Paths(""), &label).into_string();
        assert!(text.contains("/pacticipants/a%22b/versions/%3Cscript%3E"), "{text}");
        assert!(text.contains("&lt;script&gt;") && !text.contains("<script>"), "{text}");
    }
}
