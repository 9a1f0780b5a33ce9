use contract_model::{Json, Layout};

use super::lists::without_ids;

/// Formats two stored documents as JSON, without the IDs that a broker adds, and returns a line diff.
pub fn text_diff(older: &str, newer: &str) -> String {
    let (older, newer) = (pretty(older), pretty(newer));
    similar::TextDiff::configure()
        .timeout(std::time::Duration::from_millis(500))
        .diff_lines(older.as_str(), newer.as_str())
        .unified_diff()
        .context_radius(3)
        .to_string()
}

fn pretty(document: &str) -> String {
    let mut document = Json::parse(document.as_bytes()).unwrap_or(Json::Null);
    if let Some(members) = document.as_object_mut() {
        without_ids(members);
    }
    document.to_layout(Layout::Sorted) + "\n"
}
