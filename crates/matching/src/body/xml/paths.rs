//! Normalizes the rule paths of XML bodies.
//!
//! Contracts refer to an element in a namespace either by the URI of the namespace (`urn:shop:item`) or by the prefix
//! in the example (`s:item`). The comparison uses expanded names only, so paths are converted once, based on the
//! example.

use contract_model::{PathExpression, PathRules, PathToken, Text};

use super::tree::{Element, Name};

/// Returns the rules with expanded names in their paths.
pub(super) fn expanded(rules: &PathRules, root: &Element) -> PathRules {
    let mut all = PathRules::new();
    for (path, list) in rules {
        for path in expand(path.tokens(), root) {
            let existing = all.entry(path).or_insert_with(|| list.clone());
            if existing != list {
                // Two paths denote the same place, so both rules apply.
                existing.rules.extend(list.rules.iter().cloned());
            }
        }
    }
    all
}

/// Returns the path with expanded names. Returns several paths if a prefix is bound to different namespaces in
/// different parts of the example.
fn expand(tokens: &[PathToken], root: &Element) -> Vec<PathExpression> {
    let mut ways = vec![(Vec::new(), Place::Document(root))];
    for (depth, token) in tokens.iter().enumerate() {
        // An index before the root element denotes that element.
        let token = match token {
            PathToken::AnyIndex | PathToken::Index(_) if depth == 0 => &PathToken::AnyKey,
            token => token,
        };
        ways = ways
            .into_iter()
            .flat_map(|(way, place)| follow(way, place, token))
            .collect();
    }
    ways.into_iter().map(|(way, _)| way.into()).collect()
}

type Way<'a> = (Vec<PathToken>, Place<'a>);

#[derive(Clone)]
enum Place<'a> {
    /// The location before the root element.
    Document(&'a Element),
    Elements(Vec<&'a Element>),
}

fn follow<'a>(mut way: Vec<PathToken>, place: Place<'a>, token: &PathToken) -> Vec<Way<'a>> {
    let children: Vec<&Element> = match &place {
        Place::Document(root) => vec![root],
        Place::Elements(elements) => elements.iter().flat_map(|element| &element.children).collect(),
    };
    match token {
        PathToken::Key(key) => match key.strip_prefix('@') {
            Some(name) => {
                way.push(PathToken::Key(attribute(name, &place)));
                vec![(way, Place::Elements(Vec::new()))]
            }
            None => named(&way, key, &children),
        },
        PathToken::AnyKey => {
            way.push(PathToken::AnyKey);
            vec![(way, Place::Elements(children))]
        }
        // Keep an index with its element, because it selects one of several siblings.
        index => {
            way.push(index.clone());
            vec![(way, place)]
        }
    }
}

fn named<'a>(way: &[PathToken], key: &Text, children: &[&'a Element]) -> Vec<Way<'a>> {
    let mut ways: Vec<Way<'a>> = Vec::new();
    for child in children.iter().filter(|child| is_called(&child.name, key)) {
        let token = PathToken::Key(child.name.expanded());
        if let Some((_, Place::Elements(elements))) = ways.iter_mut().find(|(way, _)| way.last() == Some(&token)) {
            elements.push(child);
        } else {
            let way = way.iter().cloned().chain([token]).collect();
            ways.push((way, Place::Elements(vec![child])));
        }
    }
    if ways.is_empty() {
        // The actual document may contain this element even if the example does not.
        let way = way.iter().cloned().chain([PathToken::Key(key.clone())]).collect();
        ways.push((way, Place::Elements(Vec::new())));
    }
    ways
}

fn attribute(key: &str, place: &Place<'_>) -> Text {
    let elements = match place {
        Place::Document(..) => &[][..],
        Place::Elements(elements) => elements,
    };
    let known = elements
        .iter()
        .flat_map(|element| &element.attributes)
        .find(|(name, _)| is_called(name, key));
    let name = known.map_or_else(|| key.into(), |(name, _)| name.expanded());
    ["@", &name].concat().into()
}

fn is_called(name: &Name, key: &str) -> bool {
    is_xml_name(key, &name.written(), Some(&name.expanded()))
}

/// Returns whether a path segment denotes an element or attribute, either by the name in the document or by namespace
/// URI, colon, and local name.
pub fn is_xml_name(key: &str, written: &str, expanded: Option<&str>) -> bool {
    key == written || expanded == Some(key)
}

#[cfg(test)]
mod tests {
    use super::super::tree::parse;
    use super::expand;

    #[test]
    fn prefixes_become_namespaces() {
        let root = parse(b"<s:o xmlns:s='urn:s' s:k='' id=''><s:i/><i xmlns='urn:d' xmlns:s='urn:t'><s:j/></i></s:o>")
            .unwrap();
        for (path, want) in [
            ("$['s:o']['s:i']['#text']", "$['urn:s:o']['urn:s:i']['#text']"),
            ("$['urn:s:o']['@s:k']", "$['urn:s:o']['@urn:s:k']"),
            ("$['s:o']['@id']", "$['urn:s:o']['@id']"),
            ("$['s:o'].i['s:j']", "$['urn:s:o']['urn:d:i']['urn:t:j']"),
            ("$['s:o'][*].*['s:j']", "$['urn:s:o'][*].*['urn:t:j']"),
            ("$['s:o'].nothing['@x']", "$['urn:s:o'].nothing['@x']"),
            ("$[*].*", "$.*.*"),
        ] {
            let paths = expand(path.parse::<contract_model::PathExpression>().unwrap().tokens(), &root);
            let written: Vec<_> = paths.iter().map(ToString::to_string).collect();
            assert_eq!(written, [want], "{path}");
        }
    }
}
