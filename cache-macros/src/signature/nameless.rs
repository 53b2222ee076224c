//! Type parameters that are closures, async blocks or adapters of iterators in most calls: types
//! without a name, which have no place in an identity.

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit::{self, Visit};
use syn::{GenericParam, Token, Type, TypeImplTrait, TypeParamBound, WherePredicate};

use super::Function;
use crate::readable::readable;

/// Traits of such types, by their last word.
const TRAITS: [&str; 13] = [
    "AsyncFn",
    "AsyncFnMut",
    "AsyncFnOnce",
    "DoubleEndedIterator",
    "ExactSizeIterator",
    "Fn",
    "FnMut",
    "FnOnce",
    "FusedIterator",
    "Future",
    "IntoFuture",
    "Iterator",
    "Stream",
];

type Bounds = Punctuated<TypeParamBound, Token![+]>;

impl Function {
    /// Each as it is bounded: `f: impl Fn(u32) -> u32`, `F: Fn(u32) -> u32`.
    pub(crate) fn nameless(&self) -> Vec<String> {
        let generics = &self.generics;
        let declared = generics.params.iter().filter_map(|param| match param {
            GenericParam::Type(param) => bounded(&param.ident, &param.bounds),
            _ => None,
        });
        let predicates = generics.where_clause.iter().flat_map(|clause| &clause.predicates);
        let demanded = predicates.filter_map(|predicate| match predicate {
            WherePredicate::Type(one) if self.declares(&one.bounded_ty) => {
                bounded(&one.bounded_ty, &one.bounds)
            }
            _ => None,
        });
        let inside = self.parameters.iter().filter_map(|parameter| {
            let mut seen = Opaque::default();
            seen.visit_type(&parameter.ty);
            Some(format!("{}: {}", parameter.name, seen.outermost?))
        });
        inside.chain(declared).chain(demanded).collect()
    }

    fn declares(&self, ty: &Type) -> bool {
        let name = ty.to_token_stream().to_string();
        self.type_and_const_names().any(|declared| *declared == name)
    }
}

fn bounded(name: &impl ToTokens, bounds: &Bounds) -> Option<String> {
    let bound = bounds.iter().find(|bound| is_of_nameless(bound))?;
    Some(format!("{}: {}", readable(name), readable(bound)))
}

fn is_of_nameless(bound: &TypeParamBound) -> bool {
    let TypeParamBound::Trait(bound) = bound else { return false };
    bound.path.segments.last().is_some_and(|last| TRAITS.iter().any(|name| last.ident == name))
}

/// The first `impl Trait` of a type that is, or has in it, one of these.
#[derive(Default)]
struct Opaque {
    outermost: Option<String>,
}

impl<'ast> Visit<'ast> for Opaque {
    fn visit_type_impl_trait(&mut self, ty: &'ast TypeImplTrait) {
        if self.outermost.is_some() {
            return;
        }
        visit::visit_type_impl_trait(self, ty);
        if self.outermost.is_some() || ty.bounds.iter().any(is_of_nameless) {
            self.outermost = Some(readable(ty));
        }
    }
}
