//! Renders the graph of consumers and providers.

use maud::{Markup, html};

use crate::address::Query;
use crate::icons::line;
use crate::layers::Layers;
use crate::layout::{Section, Shell, page};
use crate::parts::{Paths, Status, application, application_list, badge, counted, empty, name, options};

/// Maximum number of applications in the drawing.
pub const MAX_NODES: usize = 60;
/// Maximum number of consumers, and of providers, in the lists below the drawing.
const LISTED: usize = 60;
/// Maximum length of a name in the drawing, in characters.
const NAME: usize = 18;
const WIDTH: usize = 142;
const HEIGHT: usize = 28;
/// Distance between the left edges of neighboring layers, in pixels.
const COLUMN: usize = 200;
const GAP: usize = 14;
const MARGIN: usize = 29;
const TOP: usize = 36;

#[derive(Debug)]
pub struct Graph {
    pub focus: String,
    /// Whether `focus` is the exact name of an application. Otherwise, it is empty or a part of a name.
    pub is_known: bool,
    pub show: String,
    pub environment: String,
    pub applications: Vec<String>,
    pub environments: Vec<String>,
    /// The names of the applications in the drawing.
    pub nodes: Vec<String>,
    /// The integrations in the drawing, in the order in which they are drawn.
    pub edges: Vec<Edge>,
    /// Number of applications that do not fit into the drawing.
    pub left_out: usize,
    /// The names of the providers of `focus`, each with the status of the contract. `consumers` contains its consumers.
    pub providers: Vec<(String, Status)>,
    pub consumers: Vec<(String, Status)>,
    /// Number of integrations that fail.
    pub failed: usize,
    /// All matching applications with their numbers of integrations, including applications that are not in the
    /// drawing.
    pub largest: Vec<(String, usize)>,
    pub total: usize,
}

/// An integration. `consumer` and `provider` are indexes of nodes.
#[derive(Clone, Copy, Debug)]
pub struct Edge {
    pub consumer: usize,
    pub provider: usize,
    pub status: Status,
}

impl Graph {
    pub fn page(&self, shell: &Shell) -> String {
        let main = html! {
            div class="head" { div class="title" { h1 { "Dependency graph" } } p class="lede" { (self.summary()) } }
            (self.form(shell))
            @if !self.found().is_empty() { (self.matches()) }
            @if !self.nodes.is_empty() { (self.figure()) } @else if self.found().is_empty() { (self.instead_of_figure(shell)) }
            @if self.total > MAX_NODES && !self.is_known && self.found().is_empty() { (self.choices()) }
            @if self.is_known { (self.lists(shell)) }
        };
        page(shell, Section::Graph, "Dependency graph", &main)
    }

    fn instead_of_figure(&self, shell: &Shell) -> Markup {
        html! {
            @if self.total > MAX_NODES && self.failed == 0 {
                div class="panel" { (empty("No integration fails", &html! { "Choose an application to see what it depends on." })) }
            } @else if self.total == 0 && self.environment.is_empty() {
                div class="panel" {
                    (empty("No integrations yet", &html! {
                        "An arrow appears for each published contract. " a href={ (shell.root) "/first-steps" } { "First steps" }
                    }))
                }
            } @else {
                div class="panel" { (empty("No integrations", &html! { "No integration matches. " a href="?" { "Show all" } })) }
            }
        }
    }

    fn is_known_environment(&self) -> bool {
        self.environment.is_empty() || self.environments.contains(&self.environment)
    }

    /// Returns whether the environment exists, and `focus` is empty or a part of an application's name.
    pub fn is_valid(&self) -> bool {
        self.is_known_environment() && (self.focus.is_empty() || self.is_known || !self.found().is_empty())
    }

    fn summary(&self) -> Markup {
        if self.total == 0 {
            return html! { "Which applications depend on which." };
        }
        if !self.is_known {
            return html! {
                (counted(self.total, "application", "applications")) ", "
                (counted(self.failed, "integration fails", "integrations fail")) ". Choose an application to see what it depends on."
            };
        }
        let partners = self.providers.iter().chain(&self.consumers);
        let failed = partners.filter(|(_, status)| status.is_failed()).count();
        html! {
            (name(&self.focus)) " consumes " (counted(self.providers.len(), "provider", "providers")) " and provides for "
            (counted(self.consumers.len(), "consumer", "consumers")) "."
            @if failed > 0 { " " (counted(failed, "contract fails", "contracts fail")) "." }
        }
    }

    /// Returns a sentence that describes which applications are drawn, or `None` if all are drawn.
    fn selection(&self) -> Option<String> {
        let total = self.nodes.len();
        if self.left_out > 0 {
            let all = total + self.left_out;
            return Some(format!("{total} of {all} applications, those with failures first."));
        }
        let shows_failures = self.show == "failed" || (self.total > MAX_NODES && !self.is_known);
        shows_failures.then(|| "Only integrations that fail.".to_owned())
    }

    fn form(&self, shell: &Shell) -> Markup {
        let environments = self.environments.iter().map(|name| (name.as_str(), name.as_str()));
        let show_options = [
            ("", "All applications"),
            ("neighbors", "Neighbors only"),
            ("two", "Neighbors and their neighbors"),
            ("failed", "Failures only"),
        ];
        html! {
            form class="panel filters" action={ (shell.root) "/graph" } {
                div class="field grow" {
                    label for="focus" { "Focus" }
                    input id="focus" name="focus" value=(self.focus) list="apps" autocomplete="off"
                        aria-invalid=[(!self.focus.is_empty() && !self.is_known).then_some("true")]
                        aria-describedby=[(!self.focus.is_empty() && !self.is_known).then_some("focus-error")];
                    (application_list("apps", &self.applications))
                    @if !self.focus.is_empty() && !self.is_known {
                        p class="err" id="focus-error" { "This application does not exist." }
                    }
                }
                div class="field" { label for="show" { "Show" } select id="show" name="show" { (options(&self.show, show_options)) } }
                @if !self.environments.is_empty() {
                    div class="field" {
                        label for="env" { "Deployed in" }
                        select id="env" name="environment" aria-invalid=[(!self.is_known_environment()).then_some("true")]
                            aria-describedby=[(!self.is_known_environment()).then_some("env-error")] {
                            (options(&self.environment, std::iter::once(("", "Any environment")).chain(environments)))
                        }
                        @if !self.is_known_environment() {
                            p class="err" id="env-error" { "Environment " (name(&self.environment)) " does not exist." }
                        }
                    }
                }
                button class="btn" { "Apply" }
                @if !self.focus.is_empty() {
                    a class="btn btn-bare" href=(self.query("")) { "Clear focus" }
                }
            }
        }
    }

    fn query(&self, focus: &str) -> String {
        Query::new([
            ("focus", focus),
            ("show", &self.show),
            ("environment", &self.environment),
        ])
        .href()
    }

    fn figure(&self) -> Markup {
        let edges: Vec<(usize, usize)> = self.edges.iter().map(|edge| (edge.consumer, edge.provider)).collect();
        let layers = Layers::new(self.nodes.len(), &edges);
        let drawing = Drawing::new(&layers);
        let focus = self.nodes.iter().position(|name| *name == self.focus);
        let is_on = |edge: &Edge| focus.is_none_or(|focus| edge.consumer == focus || edge.provider == focus);
        let is_near = |node: usize| {
            let touches = |edge: &&Edge| is_on(edge) && (edge.consumer == node || edge.provider == node);
            focus.is_some() && self.edges.iter().any(|edge| touches(&edge))
        };
        let (width, height) = drawing.size;
        html! {
            figure class="panel" {
                div class="scroll panel-pad" tabindex="0" role="region" aria-label="Graph, scrolls sideways" {
                    svg class={ "graph" @if focus.is_none() { " whole" } } width=(width) height=(height) viewBox={ "0 0 " (width) " " (height) } role="group" aria-labelledby="graph-title" {
                        title id="graph-title" {
                            (counted(self.nodes.len(), "application", "applications")) ", arrows point from consumer to provider."
                        }
                        text class="rank" x=(MARGIN) y="18" { "Consumers" }
                        text class="rank" x=(width - MARGIN) y="18" text-anchor="end" { "Providers" }
                        @for (edge, route) in self.edges.iter().zip(&layers.routes).filter(|(edge, _)| !is_on(edge)) {
                            path class="edge" d=(drawing.path(edge, route.as_deref())) {}
                        }
                        @for (edge, route) in self.edges.iter().zip(&layers.routes).filter(|(edge, _)| is_on(edge)) {
                            (drawing.edge(edge, route.as_deref()))
                        }
                        @for (node, label) in self.nodes.iter().enumerate() {
                            @let (x, y) = drawing.at[node];
                            a class={
                                "node" @if Some(node) == focus { " focus" } @else if is_near(node) { " on" }
                            } href=(self.query(label)) {
                                title { (label) }
                                rect x=(x) y=(y - HEIGHT / 2) width=(WIDTH) height=(HEIGHT) rx="6" {}
                                text x=(x + WIDTH / 2) y=(y + 4) text-anchor="middle" { (short(label)) }
                            }
                        }
                    }
                }
                figcaption class="panel-foot row" {
                    @if let Some(selection) = self.selection() { span class="small second" { (selection) } }
                    ul class="legend" {
                        @for status in Status::OF_CONTRACTS { li { (line(status.name())) (status.word()) } }
                    }
                }
            }
        }
    }

    /// Returns the applications whose names contain `focus`, ignoring case. Empty if `focus` is the exact name of an
    /// application.
    fn found(&self) -> Vec<&(String, usize)> {
        let word = self.focus.to_lowercase();
        let is_found = |name: &str| !word.is_empty() && !self.is_known && name.to_lowercase().contains(&word);
        self.largest.iter().filter(|(name, _)| is_found(name)).collect()
    }

    fn matches(&self) -> Markup {
        html! {
            section aria-labelledby="matches" {
                div class="section" { h2 id="matches" { "Applications whose names contain this text" } }
                ul class="panel panel-pad tight many" {
                    @for found in self.found() { (self.choice(found)) }
                }
            }
        }
    }

    fn choice(&self, (label, count): &(String, usize)) -> Markup {
        html! {
            li {
                a href=(self.query(label)) { (name(label)) } " "
                span class="muted" { (counted(*count, "integration", "integrations")) }
            }
        }
    }

    fn choices(&self) -> Markup {
        html! {
            section aria-labelledby="largest" {
                div class="section" {
                    h2 id="largest" { "Applications with the most integrations" }
                    p { "A drawing has room for " (MAX_NODES) " applications. Choose one to see its neighbors." }
                }
                ul class="panel panel-pad tight many" {
                    @for found in &self.largest { (self.choice(found)) }
                }
            }
        }
    }

    fn lists(&self, shell: &Shell) -> Markup {
        let paths = Paths(&shell.root);
        html! {
            div class="halves" {
                @for (partners, id, title) in [(&self.providers, "consumes", "Consumes"), (&self.consumers, "provides", "Provides for")] {
                    section aria-labelledby=(id) {
                        div class="section" { h2 id=(id) { (title) " " span class="count" { (partners.len()) } } }
                        ul class="panel panel-pad tight" {
                            @if partners.is_empty() { li class="muted" { "None" } }
                            @for (label, status) in partners.iter().take(LISTED) {
                                @let pact = if id == "consumes" { paths.pair(&self.focus, label) } else { paths.pair(label, &self.focus) };
                                li class="row" {
                                    (application(paths, label))
                                    a class="plain end" href={ (pact) "/latest" } { (badge(*status, None)) }
                                }
                            }
                            @if partners.len() > LISTED {
                                li {
                                    (partners.len() - LISTED) " more. "
                                    a class="inline-link" href=(self.overview(shell)) { "View all on the overview" }
                                }
                            }
                        }
                    }
                }
            }
        }
    }

    /// Returns the address of the overview, filtered by `focus`.
    fn overview(&self, shell: &Shell) -> String {
        format!("{}/{}", shell.root, Query::new([("q", self.focus.as_str())]).href())
    }
}

fn short(label: &str) -> String {
    match label.char_indices().nth(NAME) {
        None => label.to_owned(),
        Some(_) => format!("{}…", label.chars().take(NAME - 1).collect::<String>()),
    }
}

/// The position of each slot, and the size of the drawing, in pixels.
struct Drawing {
    /// For each slot, the x coordinate of its left edge and the y coordinate of its center.
    at: Vec<(usize, usize)>,
    size: (usize, usize),
}

impl Drawing {
    fn new(layers: &Layers) -> Self {
        let height_of = |slot: usize| {
            if layers.slots[slot].node.is_some() {
                HEIGHT + GAP
            } else {
                GAP
            }
        };
        let heights: Vec<usize> = layers
            .columns
            .iter()
            .map(|layer| layer.iter().map(|slot| height_of(*slot)).sum())
            .collect();
        let tallest = heights.iter().copied().max().unwrap_or(0);
        let mut at = vec![(0, 0); layers.slots.len()];
        for (number, layer) in layers.columns.iter().enumerate() {
            let mut y = TOP + (tallest - heights[number]) / 2;
            for slot in layer {
                let height = height_of(*slot);
                at[*slot] = (MARGIN + number * COLUMN, y + height / 2);
                y += height;
            }
        }
        let depth = layers.columns.len().max(1);
        let width = (2 * MARGIN + (depth - 1) * COLUMN + WIDTH).max(928);
        Self {
            at,
            size: (width, TOP + tallest + GAP),
        }
    }

    /// Returns the SVG path of an edge, without its arrowhead.
    fn path(&self, edge: &Edge, route: Option<&[usize]>) -> String {
        let Some(route) = route else {
            return self.backward(edge);
        };
        let last = route.len().saturating_sub(2);
        let parts = route.windows(2).enumerate().map(|(number, pair)| {
            let ((from_x, from_y), (to_x, to_y)) = (self.at[pair[0]], self.at[pair[1]]);
            let start = from_x + WIDTH;
            let end = if number == last { to_x - 7 } else { to_x };
            let middle = usize::midpoint(start, end);
            let lead = if number == 0 {
                format!("M{start} {from_y}")
            } else {
                format!("H{start}")
            };
            format!("{lead}C{middle} {from_y} {middle} {to_y} {end} {to_y}")
        });
        parts.collect()
    }

    /// Returns the SVG path of an edge whose provider is not in a later layer than its consumer. It connects the right
    /// sides of both nodes.
    fn backward(&self, edge: &Edge) -> String {
        let ((from_x, from_y), (to_x, to_y)) = (self.at[edge.consumer], self.at[edge.provider]);
        let (start, end) = (from_x + WIDTH, to_x + WIDTH + 7);
        let bend = start.max(end) + 34;
        format!("M{start} {from_y}C{bend} {from_y} {bend} {to_y} {end} {to_y}")
    }

    fn edge(&self, edge: &Edge, route: Option<&[usize]>) -> Markup {
        let status = edge.status.name();
        let (x, y) = self.at[edge.provider];
        let head = match route {
            Some(_) => format!("M{} {}l8 4.5-8 4.5z", x - 8, f64_of(y) - 4.5),
            None => format!("M{} {}l-8 4.5 8 4.5z", x + WIDTH + 8, f64_of(y) - 4.5),
        };
        html! {
            g data-status=(status) {
                path class="edge on" data-status=(status) d=(self.path(edge, route)) {}
                path class="head" d=(head) {}
                @if let Some([.., from, to]) = route.filter(|_| edge.status.is_failed()) {
                    @let ((from_x, from_y), (to_x, to_y)) = (self.at[*from], self.at[*to]);
                    @let (x, y) = (usize::midpoint(from_x + WIDTH, to_x - 7), usize::midpoint(from_y, to_y));
                    path class="cross" d={ "M" (x - 5) " " (y - 5) "l10 10m0-10l-10 10" } {}
                }
            }
        }
    }
}

fn f64_of(number: usize) -> f64 {
    f64::from(u32::try_from(number).unwrap_or(u32::MAX))
}
