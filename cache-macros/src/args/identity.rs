//! What may stand in a `name`.

use syn::parse::ParseStream;
use syn::{Error, LitStr, Result};

use super::values::text;

/// A name as in a path. Type arguments follow it in `<..>`, version and arguments in `:v1(..)`, and a
/// namespace goes before it with `:`. No name may hold any of these, so no function can be named
/// such that its keys read like another one's.
pub(super) fn identity(input: ParseStream<'_>) -> Result<LitStr> {
    let literal = text(input)?;
    let name = literal.value();
    let good = |c: char| c.is_alphanumeric() || "_-./".contains(c);
    let mut parts = name.split("::");
    let found = match name.chars().find(|c| !good(*c) && *c != ':') {
        Some(c) => format!("{c:?}"),
        None if parts.all(|part| !part.is_empty() && part.chars().all(good)) => return Ok(literal),
        None => "a single `:`, or `::` at an end".to_owned(),
    };
    let message = format!(
        "a `name` cannot hold {found}: write letters, digits, `_`, `-`, `.`, `/`, and `::` between \
         them, such as \"shop::price\""
    );
    Err(Error::new(literal.span(), message))
}
