//! Serves the style sheet, the script, and the icon. Their URLs contain a version that depends on the content, so that
//! browsers can cache them.

use super::super::reply::{HandlerResult, Media, Reply};
use super::super::request::Request;
use contract_broker_core::store::Tx;

const YEAR: &str = "public, max-age=31536000, immutable";

#[expect(clippy::unnecessary_wraps, reason = "all handlers have this signature")]
fn asset(media: Media, text: &str) -> HandlerResult {
    Ok(Reply::text(200, media, text.to_owned()).with("cache-control", YEAR))
}

pub(crate) fn style(_: &Request, _: &mut Tx<'_>) -> HandlerResult {
    asset(Media::Css, contract_pages::STYLE)
}

pub(crate) fn script(_: &Request, _: &mut Tx<'_>) -> HandlerResult {
    asset(Media::JavaScript, contract_pages::SCRIPT)
}

pub(crate) fn favicon(_: &Request, _: &mut Tx<'_>) -> HandlerResult {
    asset(Media::Svg, contract_pages::FAVICON)
}
