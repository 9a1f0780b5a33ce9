//! Parses query strings that contain lists of objects, such as `q[][pacticipant]=A&q[][version]=1&q[][pacticipant]=B`.

use percent_encoding::percent_decode_str;

/// Decodes a query string into pairs of name and value, in order.
pub fn pairs(query: &str) -> Result<Vec<(String, String)>, std::str::Utf8Error> {
    query.split('&').filter(|pair| !pair.is_empty()).map(pair_of).collect()
}

fn pair_of(pair: &str) -> Result<(String, String), std::str::Utf8Error> {
    let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
    let decode = |text: &str| {
        let spaced = text.replace('+', " ");
        percent_decode_str(&spaced)
            .decode_utf8()
            .map(std::borrow::Cow::into_owned)
    };
    Ok((decode(name)?, decode(value)?))
}

/// Returns the value of the last parameter with this name.
pub fn value<'a>(pairs: &'a [(String, String)], name: &str) -> Option<&'a str> {
    pairs
        .iter()
        .rev()
        .find(|(key, _)| key == name)
        .map(|(_, value)| value.as_str())
}

/// Returns the values of all parameters named `name[]`.
pub fn list<'a>(pairs: &'a [(String, String)], name: &str) -> Vec<&'a str> {
    let name = format!("{name}[]");
    pairs
        .iter()
        .filter(|(key, _)| *key == name)
        .map(|(_, value)| value.as_str())
        .collect()
}

/// Returns the objects that parameters such as `name[][key]` or `name[0][key]` describe, as pairs of key and value.
/// Without an index, a repeated key starts the next object.
pub fn objects(pairs: &[(String, String)], name: &str) -> Vec<Vec<(String, String)>> {
    let mut objects: Vec<(String, Vec<(String, String)>)> = Vec::new();
    for (key, value) in pairs {
        let Some((index, member)) = member_of(key, name) else {
            continue;
        };
        let continues = objects.last().is_some_and(|(last, members)| {
            last == index && (!index.is_empty() || members.iter().all(|(known, _)| known != member))
        });
        if !continues {
            objects.push((index.to_owned(), Vec::new()));
        }
        if let Some((_, members)) = objects.last_mut() {
            members.push((member.to_owned(), value.clone()));
        }
    }
    objects.into_iter().map(|(_, members)| members).collect()
}

fn member_of<'a>(key: &'a str, name: &str) -> Option<(&'a str, &'a str)> {
    let (index, rest) = key.strip_prefix(name)?.strip_prefix('[')?.split_once(']')?;
    Some((index, rest.strip_prefix('[')?.strip_suffix(']')?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_key_starts_the_next_object() {
        let pairs =
            pairs("q[][pacticipant]=A&q%5B%5D%5Bversion%5D=1%2B1&q[][pacticipant]=B&latestby=cvp").expect("UTF-8");
        let objects = objects(&pairs, "q");
        assert_eq!(objects.len(), 2);
        assert_eq!(value(&objects[0], "version"), Some("1+1"));
        assert_eq!(value(&objects[1], "pacticipant"), Some("B"));
        assert_eq!(value(&pairs, "latestby"), Some("cvp"));
    }

    #[test]
    fn groups_objects_by_number() {
        let pairs = pairs("q[0][a]=1&q[0][b]=2&q[1][b]=3").expect("UTF-8");
        assert_eq!(objects(&pairs, "q").len(), 2);
    }

    #[test]
    fn rejects_invalid_utf8() {
        assert!(pairs("a=%ff").is_err());
    }
}
