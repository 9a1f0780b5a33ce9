//! Renders contracts as a static website.

use std::collections::{BTreeMap, HashSet};

use contract_model::{Contract, InteractionKind};
use maud::{Markup, html};

use crate::contract::{InteractionView, index, show};
use crate::icons::icon;
use crate::layout::document;
use crate::parts::{Column, Status, Table, cell, counted, empty, name, pair};
use crate::{FAVICON, SCRIPT, STYLE};

/// Maximum number of interactions on one page.
const INTERACTIONS: usize = 200;
/// Maximum length of the base name of a page's file, in bytes, without the page number and the extension.
const MAX_NAME: usize = 100;

#[derive(Debug)]
pub struct SiteContract {
    /// The name of the contract file, for display.
    pub source: String,
    pub contract: Contract,
}

/// A static website with an index and the pages of each contract.
#[derive(Debug)]
pub struct Site {
    pub title: String,
    pub contracts: Vec<SiteContract>,
}

impl Site {
    /// Renders all files. Passes the path and the content of each file to `write`, and stops at the first error.
    /// Returns the number of files.
    pub fn render<E>(&self, mut write: impl FnMut(&str, &str) -> Result<(), E>) -> Result<usize, E> {
        let assets = [
            ("assets/style.css", STYLE),
            ("assets/app.js", SCRIPT),
            ("assets/favicon.svg", FAVICON),
        ];
        for (path, text) in assets {
            write(path, text)?;
        }
        let mut count = assets.len() + 1;
        let mut names = HashSet::from(["index".to_owned()]);
        let names: Vec<String> = self
            .contracts
            .iter()
            .map(|site_contract| unique(&site_contract.contract, &mut names))
            .collect();
        for (site_contract, base) in self.contracts.iter().zip(&names) {
            let pages = site_contract.contract.interactions.len().div_ceil(INTERACTIONS).max(1);
            for number in 0..pages {
                write(
                    &file(base, number),
                    &self.contract_page(site_contract, base, (number, pages)),
                )?;
            }
            count += pages;
        }
        write("index.html", &self.index_page(&names))?;
        Ok(count)
    }

    fn frame(&self, title: &str, main: &Markup) -> String {
        let body = html! {
            a class="skip" href="#main" { "Skip to content" }
            header class="bar" {
                div class="wrap" { a class="brand" href="index.html" { (icon("logo")) b { (self.title) } } }
            }
            main id="main" class="wrap" tabindex="-1" { (main) }
            footer class="foot" { div class="wrap row" { span { "Written by " code { "contract docs" } " " (env!("CARGO_PKG_VERSION")) } } }
        };
        document(None, "assets/", &format!("{title} · {}", self.title), &body)
    }

    fn index_page(&self, names: &[String]) -> String {
        let mut by_provider: BTreeMap<&str, Vec<(&SiteContract, &str)>> = BTreeMap::new();
        for (site_contract, name) in self.contracts.iter().zip(names) {
            let entry = by_provider.entry(&site_contract.contract.provider).or_default();
            entry.push((site_contract, name));
        }
        let columns = [
            Column::new("Contract", ""),
            Column::new("Interactions", "c12 num"),
            Column::new("Format", "c16"),
            Column::new("File", "c32"),
        ];
        let table = Table {
            caption: "Contracts by provider",
            columns: &columns,
            sorting: None,
            class: "",
            id: Some("contracts"),
        };
        let rows = html! {
            @for (provider, contracts) in &by_provider {
                tr class="group" role="row" { th scope="colgroup" colspan=(columns.len()) role="rowheader" { "Provider " (name(provider)) } }
                @for (site_contract, base) in contracts { (site_contract.row(base)) }
            }
        };
        let main = html! {
            div class="head" {
                h1 { (self.title) }
                p class="lede" { (counted(self.contracts.len(), "contract", "contracts")) " of "
                    (counted(by_provider.len(), "provider", "providers")) "." }
            }
            div class="panel" {
                @if self.contracts.is_empty() {
                    (empty("No contracts", &html! { "No contract was found." }))
                } @else {
                    div class="filters js-only" {
                        div class="field grow" {
                            label for="filter" { "Search" }
                            input id="filter" type="search" autocomplete="off" data-filter="contracts" data-total=(self.contracts.len());
                        }
                        p id="contracts-status" class="small muted" role="status" {}
                    }
                    (table.show(&rows))
                }
            }
        };
        self.frame("Contracts", &main)
    }

    fn contract_page(&self, site_contract: &SiteContract, base: &str, (number, pages): (usize, usize)) -> String {
        let contract = &site_contract.contract;
        let total = contract.interactions.len();
        let range = number * INTERACTIONS..((number + 1) * INTERACTIONS).min(total);
        let views: Vec<InteractionView<'_>> = contract.interactions[range.clone()]
            .iter()
            .zip(range)
            .map(|(interaction, number)| InteractionView {
                interaction,
                number,
                outcome: None,
                is_full: true,
                has_results: false,
            })
            .collect();
        let title = format!("{} to {}", contract.consumer, contract.provider);
        let main = html! {
            div class="head" {
                nav class="crumbs" aria-label="Breadcrumb" {
                    ol {
                        li { a href="index.html" { "Contracts" } }
                        li { span aria-current="page" { (name(&title)) } }
                    }
                }
                h1 { (pair(&contract.consumer, &contract.provider, Status::Verified)) }
            }
            dl class="facts" {
                div { dt { "Interactions" } dd { (total) } }
                div { dt { "Format" } dd { "Pact Specification " (contract.specification.name()) } }
                div { dt { "File" } dd { code { (site_contract.source) } } }
            }
            @if views.is_empty() {
                div class="panel" { (empty("No interactions", &html! { "The contract has no interactions." })) }
            } @else {
                div class="with-toc" {
                    (index(&views))
                    div id="interactions" class="tight" {
                        div class="row" {
                            h2 { "Interactions" }
                            button type="button" class="btn btn-s js-only end" data-toggle="interactions" { "Expand all" }
                        }
                        @for view in &views { (show(view, "")) }
                        @if pages > 1 { (pager(base, number, pages)) }
                    }
                }
            }
        };
        self.frame(&title, &main)
    }
}

impl SiteContract {
    fn row(&self, base: &str) -> Markup {
        let contract = &self.contract;
        let messages = contract
            .interactions
            .iter()
            .any(|one| !matches!(one.kind, InteractionKind::Http(_)));
        let text = format!("{} {} {}", contract.consumer, contract.provider, self.source).to_lowercase();
        html! {
            tr role="row" data-text=(text) {
                th scope="row" role="rowheader" class="full" {
                    a href=(file(base, 0)) { (pair(&contract.consumer, &contract.provider, Status::Verified)) }
                    @if messages { " " span class="label" { "messages" } }
                }
                td role="cell" class="num" data-label="interactions" { (contract.interactions.len()) }
                (cell("", &html! { "Specification " (contract.specification.name()) }))
                (cell("full muted small", &html! { code { (self.source) } }))
            }
        }
    }
}

fn pager(base: &str, number: usize, pages: usize) -> Markup {
    html! {
        nav class="pager panel panel-pad" aria-label="Pages" {
            p { "Page " (number + 1) " of " (pages) }
            ul {
                @if number > 0 { li { a href=(file(base, number - 1)) rel="prev" { "Previous" } } }
                @if number + 1 < pages { li { a href=(file(base, number + 1)) rel="next" { "Next" } } }
            }
        }
    }
}

/// Returns the file name of a contract's page. `number` starts at 0.
fn file(base: &str, number: usize) -> String {
    match number {
        0 => format!("{base}.html"),
        _ => format!("{base}.{}.html", number + 1),
    }
}

/// Returns the base name of the files for a contract, which differs from the names in `taken`. The name is valid in all
/// file systems.
fn unique(contract: &Contract, used: &mut HashSet<String>) -> String {
    let plain = |text: &str| -> String {
        let letter = |letter: char| {
            if letter.is_ascii_alphanumeric() {
                letter.to_ascii_lowercase()
            } else {
                '-'
            }
        };
        text.chars().map(letter).collect()
    };
    let mut base = format!("{}-{}", plain(&contract.consumer), plain(&contract.provider));
    base.truncate(MAX_NAME);
    let mut name = base.clone();
    let mut number = 1;
    while !used.insert(name.clone()) {
        number += 1;
        name = format!("{base}-{number}");
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contract(consumer: &str, interactions: usize) -> SiteContract {
        let interaction = |number: usize| {
            format!(
                r#"{{"description":"<b> {number}","request":{{"method":"GET","path":"/"}},"response":{{"status":200}}}}"#
            )
        };
        let all: Vec<String> = (0..interactions).map(interaction).collect();
        let text = format!(
            r#"{{"consumer":{{"name":{consumer:?}}},"provider":{{"name":"users"}},"interactions":[{}]}}"#,
            all.join(",")
        );
        SiteContract {
            source: "contracts/a.json".to_owned(),
            contract: Contract::read(text.as_bytes()).expect("a contract").contract,
        }
    }

    fn files(site: &Site) -> BTreeMap<String, String> {
        let mut files = BTreeMap::new();
        let written = site.render(|path, text| {
            files.insert(path.to_owned(), text.to_owned());
            Ok::<(), ()>(())
        });
        assert_eq!(written, Ok(files.len()));
        files
    }

    #[test]
    fn each_contract_has_pages_that_the_index_links() {
        let site = Site {
            title: "Shop".to_owned(),
            contracts: vec![contract("Web App", 450), contract("web/app", 1), contract("index", 0)],
        };
        let files = files(&site);
        let names: Vec<&str> = files.keys().map(String::as_str).collect();
        assert_eq!(
            names,
            [
                "assets/app.js",
                "assets/favicon.svg",
                "assets/style.css",
                "index-users.html",
                "index.html",
                "web-app-users-2.html",
                "web-app-users.2.html",
                "web-app-users.3.html",
                "web-app-users.html"
            ]
        );
        for name in ["web-app-users.html", "web-app-users-2.html", "index-users.html"] {
            assert!(files["index.html"].contains(&format!("href=\"{name}\"")), "{name}");
        }
        let page = &files["web-app-users.3.html"];
        assert!(page.contains("&lt;b&gt; 449") && !page.contains("<b> 449"), "{page}");
        assert!(page.contains("href=\"web-app-users.2.html\"") && !page.contains("rel=\"next\""));
        assert!(!page.contains("Unverified"), "a site has no results");
    }

    #[test]
    fn writing_stops_at_the_first_error() {
        let site = Site {
            title: "Shop".to_owned(),
            contracts: vec![contract("web", 1)],
        };
        let mut calls = 0;
        let failed = site.render(|_, _| {
            calls += 1;
            Err("full")
        });
        assert_eq!((failed, calls), (Err("full"), 1));
    }
}
