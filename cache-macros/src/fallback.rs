//! What is left when something is wrong: the messages, and the function beside them, so that one
//! mistake gives one message.

use proc_macro2::{Group, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use syn::spanned::Spanned;
use syn::{Error, Lifetime, Path, Type, Visibility};

use crate::expand;
use crate::model::{Refused, stays_outside};
use crate::signature::Function;

/// For an item that cannot be cached at all: as the user wrote it, first, for editors.
pub(crate) fn untouched(error: &Error, item: &TokenStream) -> TokenStream {
    let messages = error.to_compile_error();
    quote!(#item #messages)
}

/// For a function that is good but for its attribute or its return type: its calls still have all
/// methods of a call.
///
/// ```text
/// pub fn find(id: u32) -> ::herdless::Call<impl ::core::future::Future<Output = u64>> {
///     ::herdless::__private::refused_as::<u64, _>(async move { .. })
/// }
/// ```
pub(crate) fn callable(refused: Refused) -> TokenStream {
    let Refused { error, facade, mut function } = refused;
    let messages = error.to_compile_error();
    let answer = answer(&function, &facade);
    let is_opaque = function.returns_opaque();
    if is_opaque || function.returns_never() {
        function.output = syn::parse_quote!(_);
    }
    let body = expand::in_place_body(&function, &facade);
    let refused = match function.boxed {
        Some(_) => body, // it returns what it returned
        None if is_opaque => quote!(#facade::__private::refused(#body)),
        None => quote!(#facade::__private::refused_as::<#answer, _>(#body)),
    };
    function.output = answer;
    let attributes = function.attributes.iter().filter(|one| stays_outside(one));
    let allows = expand::allows(&function);
    let head = expand::head(&function, &facade);
    let block = expand::block(&function, refused);
    quote! {
        #(#attributes)*
        #allows
        #head
        #block
        #messages
    }
}

/// What a call of it gives: the return type. No signature may name `!`; and `peek` asks for a type
/// that borrows nothing, unless a trait may have its own wish.
fn answer(function: &Function, facade: &Path) -> Type {
    let output = &function.output;
    if function.returns_never() {
        let at = Span::call_site().located_at(output.span());
        return syn::parse_quote_spanned!(at=> <fn() -> ! as #facade::__private::Returned>::Output);
    }
    if function.receiver.is_some() && matches!(function.visibility, Visibility::Inherited) {
        return output.clone();
    }
    syn::parse2(borrowing_nothing(output.to_token_stream())).unwrap_or_else(|_| output.clone())
}

/// With `'static` for every lifetime.
fn borrowing_nothing(tokens: TokenStream) -> TokenStream {
    let mut written = TokenStream::new();
    let mut trees = tokens.into_iter().peekable();
    while let Some(tree) = trees.next() {
        let next = match trees.peek() {
            Some(TokenTree::Punct(next)) => next.as_char(),
            _ => ' ',
        };
        match tree {
            TokenTree::Punct(punct) if punct.as_char() == '\'' => {
                trees.next();
                Lifetime::new("'static", punct.span()).to_tokens(&mut written);
            }
            TokenTree::Punct(punct) if punct.as_char() == '&' && next != '\'' => {
                let lifetime = Lifetime::new("'static", punct.span());
                written.extend(quote!(#punct #lifetime));
            }
            TokenTree::Group(group) => {
                let inside = borrowing_nothing(group.stream());
                let mut changed = Group::new(group.delimiter(), inside);
                changed.set_span(group.span());
                written.extend([TokenTree::Group(changed)]);
            }
            other => written.extend([other]),
        }
    }
    written
}
