//! Line numbers of array items, for tools that point to a line in a file.

/// Returns the line number of each item in the named arrays of the root object, counted from 1, in the order of
/// `names`. Scans the document once per name. The document must be valid for [`Json::parse`](super::Json::parse);
/// otherwise, the result is unspecified.
pub fn lines_of_items(document: &[u8], names: &[&str]) -> Vec<u32> {
    names.iter().flat_map(|name| lines_of_list(document, name)).collect()
}

fn lines_of_list(document: &[u8], name: &str) -> Vec<u32> {
    let mut lines = Vec::new();
    let (mut line, mut depth, mut at) = (1_u32, 0_usize, 0_usize);
    // The most recent string in the root object, which is the name of the current member.
    let mut member: &[u8] = b"";
    let mut is_inside = false;
    let mut is_item_next = false;
    while let Some(&byte) = document.get(at) {
        let begins_item = !matches!(byte, b' ' | b'\t' | b'\r' | b'\n' | b',' | b']');
        if is_inside && depth == 2 && is_item_next && begins_item {
            lines.push(line);
            is_item_next = false;
        }
        match byte {
            b'\n' => line = line.saturating_add(1),
            b'"' => {
                let end = end_of_string(document, at + 1);
                if depth == 1 {
                    member = &document[at + 1..end];
                }
                at = end;
            }
            b'{' | b'[' => {
                depth += 1;
                if byte == b'[' && depth == 2 && member == name.as_bytes() {
                    (is_inside, is_item_next) = (true, true);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                is_inside &= depth > 1;
            }
            b',' if depth == 2 => is_item_next = is_inside,
            _ => {}
        }
        at += 1;
    }
    lines
}

/// Returns the byte position of the closing quotation mark, or the length of the document if there is none.
fn end_of_string(document: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = document.get(at) {
        match byte {
            b'"' => return at,
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
    document.len()
}

#[cfg(test)]
mod tests {
    use super::lines_of_items;

    #[test]
    fn returns_lines_of_root_lists_only() {
        let document = br#"{
  "consumer": { "name": "interactions", "interactions": [1, 2] },
  "x\"": "\\",
  "interactions": [
    {
      "description": "a, [b]",
      "interactions": [
        1
      ]
    }, { "description": "c" },

    7
  ],
  "messages": [], "metadata": ["interactions", [
  3]]
}"#;
        assert_eq!(lines_of_items(document, &["interactions", "messages"]), [5, 10, 12]);
        assert_eq!(
            lines_of_items(document, &["metadata", "interactions"]),
            [14, 14, 5, 10, 12]
        );
        assert_eq!(lines_of_items(b"{\"interactions\": [", &["interactions"]), [0_u32; 0]);
        assert_eq!(lines_of_items(b"\"\\", &["interactions"]), [0_u32; 0]);
    }
}
