//! What tells the calls of a function apart.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use super::at;
use crate::model::{KeyPart, Model};

/// ```text
/// __CACHED.key(__herdless::name_of(&|| ())).text("product:").arg(&id).digest(&token).finish()
/// ```
/// Made from references, before anything moves. The closure's type names module, function,
/// `impl` and type arguments. What an argument lacks for a key is reported at that argument.
pub(super) fn key(model: &Model) -> TokenStream {
    let parts = model.key.parts.iter().map(|part| match part {
        KeyPart::Text(text) => quote!(.text(#text)),
        KeyPart::Value { root, members, digest: false } => {
            quote_spanned!(at(root)=> .arg(&#root #(.#members)*))
        }
        KeyPart::Value { root, members, digest: true } => {
            quote_spanned!(at(root)=> .digest(&#root #(.#members)*))
        }
    });
    quote!(__CACHED.key(__herdless::name_of(&|| ())) #(#parts)* .finish())
}
