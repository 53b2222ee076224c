//! Names in a function that a function nested in it could not use.

use proc_macro2::{TokenStream, TokenTree};
use quote::ToTokens;
use syn::GenericParam;

use super::Function;

impl Function {
    /// Whether `Self` occurs, which a nested function could not name.
    pub(crate) fn mentions_self_type(&self) -> bool {
        let body = self.body.as_ref().map(|body| body.statements.clone());
        let tokens = self.signature_tokens().into_iter().chain(body.into_iter().flatten());
        any_ident(tokens.collect(), &mut |ident, _| ident == "Self")
    }

    /// Whether something looks like a parameter of the surrounding `impl`, which a nested function
    /// could not name either: a capital letter such as `T` or `N`, or a lifetime that is not
    /// declared here. A type or constant that merely has such a name loses nothing but the detached
    /// load, which the audit shows.
    pub(crate) fn may_use_impl_generics(&self) -> bool {
        let declared: Vec<_> = self.type_and_const_names().map(ToString::to_string).collect();
        let suspicious = |name: &str| {
            let mut letters = name.chars();
            letters.next().is_some_and(|first| first.is_ascii_uppercase())
                && letters.all(|rest| rest.is_ascii_digit())
                && !declared.iter().any(|known| known == name)
        };
        let body = self.body.as_ref().map(|body| body.statements.clone()).unwrap_or_default();
        any_ident(self.signature_tokens(), &mut |ident, _| suspicious(ident))
            || any_ident(body, &mut |ident, is_head| is_head && suspicious(ident))
            || self.uses_lifetimes_of_others()
    }

    /// Whether the return type holds an `impl Trait`.
    pub(crate) fn returns_opaque(&self) -> bool {
        any_ident(self.output.to_token_stream(), &mut |ident, _| ident == "impl")
    }

    /// Whether it is `!`.
    pub(crate) fn returns_never(&self) -> bool {
        self.output.to_token_stream().to_string() == "!"
    }

    fn uses_lifetimes_of_others(&self) -> bool {
        let declared = self.generics.params.iter().filter_map(|param| match param {
            GenericParam::Lifetime(param) => Some(param.lifetime.ident.to_string()),
            _ => None,
        });
        let mut known: Vec<_> = declared.collect();
        known.extend(["static".to_owned(), "_".to_owned()]);
        any_lifetime(self.signature_tokens(), &|name| !known.iter().any(|one| one == name))
    }

    fn signature_tokens(&self) -> TokenStream {
        let mut tokens = self.output.to_token_stream();
        self.parameters.iter().for_each(|parameter| {
            parameter.pattern.to_tokens(&mut tokens);
            parameter.ty.to_tokens(&mut tokens);
        });
        self.generics.params.to_tokens(&mut tokens);
        self.generics.where_clause.to_tokens(&mut tokens);
        tokens
    }
}

/// Whether an identifier passes the test, which also hears whether a path could begin with it: it
/// follows neither `::` nor `.`.
fn any_ident(tokens: TokenStream, test: &mut impl FnMut(&str, bool) -> bool) -> bool {
    let mut before = [' '; 2];
    tokens.into_iter().any(|tree| {
        let [second, last] = before;
        let is_head = last != '.' && (second, last) != (':', ':');
        before = match &tree {
            TokenTree::Punct(punct) => [last, punct.as_char()],
            _ => [' '; 2],
        };
        match tree {
            TokenTree::Ident(ident) => test(&ident.to_string(), is_head),
            TokenTree::Group(group) => any_ident(group.stream(), test),
            _ => false,
        }
    })
}

fn any_lifetime(tokens: TokenStream, test: &impl Fn(&str) -> bool) -> bool {
    let mut quote = false;
    tokens.into_iter().any(|tree| {
        let is_lifetime = std::mem::replace(&mut quote, false);
        match tree {
            TokenTree::Ident(ident) => is_lifetime && test(&ident.to_string()),
            TokenTree::Group(group) => any_lifetime(group.stream(), test),
            TokenTree::Punct(punct) => {
                quote = punct.as_char() == '\'';
                false
            }
            TokenTree::Literal(_) => false,
        }
    })
}
