//! Which return types can be stored, as far as their text tells.

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{
    GenericParam, Ident, Lifetime, Path, PathArguments, Type, TypeFnPtr, TypeImplTrait, TypePath,
    TypeReference,
};

use crate::problems::Problems;
use crate::signature::Function;

/// Refuses what cannot be owned and stored, at the guilty part of the type.
pub(crate) fn check(function: &Function, problems: &mut Problems) {
    let parameters = function.generics.params.iter().filter_map(|param| match param {
        GenericParam::Type(param) => Some(&param.ident),
        _ => None,
    });
    let output = plain(&function.output);
    if matches!(output, Type::Never(_)) {
        problems.at(output.span(), "a function that never returns has nothing to cache");
    }
    if let Some(name) = bare_parameter(output, &parameters.collect::<Vec<_>>()) {
        let message = format!(
            "whether `{name}` is a `Result` cannot be known here: return `Result<{name}, E>`, \
             `Option<{name}>` or another named type"
        );
        problems.at(output.span(), message);
    }
    Stored { problems, may_be_error: false }.visit_type(output);
}

/// Without the invisible groups that `macro_rules` leaves.
fn plain(ty: &Type) -> &Type {
    match ty {
        Type::Group(group) => plain(&group.elem),
        Type::Paren(paren) => plain(&paren.elem),
        other => other,
    }
}

/// `T`, `T::Answer` or `<T as Source>::Answer` for a type parameter `T` of the function.
fn bare_parameter<'f>(output: &Type, parameters: &[&'f Ident]) -> Option<&'f Ident> {
    let Type::Path(TypePath { qself, path, .. }) = output else { return None };
    if let Some(qself) = qself {
        return bare_parameter(plain(&qself.ty), parameters);
    }
    let first = path.segments.first()?;
    parameters.iter().copied().find(|parameter| first.ident == **parameter)
}

struct Stored<'p> {
    problems: &'p mut Problems,
    /// An error is never stored, so it may hold what is borrowed for ever.
    may_be_error: bool,
}

impl<'ast> Visit<'ast> for Stored<'_> {
    fn visit_type_reference(&mut self, reference: &'ast TypeReference) {
        let is_static = |lifetime: &Lifetime| lifetime.ident == "static";
        if self.may_be_error && reference.lifetime.as_ref().is_some_and(is_static) {
            return visit::visit_type(self, &reference.elem);
        }
        let message = "a borrowed value cannot be cached: return an owned type";
        self.problems.at(reference.span(), message);
    }

    fn visit_lifetime(&mut self, lifetime: &'ast Lifetime) {
        if lifetime.ident != "static" {
            let message = format!(
                "a value that borrows for `{lifetime}` cannot be cached: return \
                                   an owned type"
            );
            self.problems.at(lifetime.span(), message);
        }
    }

    fn visit_type_impl_trait(&mut self, opaque: &'ast TypeImplTrait) {
        let message = "`impl Trait` cannot be cached: return a named type";
        self.problems.at(opaque.impl_token.span, message);
    }

    /// What a function takes and returns is not held by it.
    fn visit_type_fn_ptr(&mut self, _: &'ast TypeFnPtr) {}

    fn visit_path(&mut self, path: &'ast Path) {
        for segment in &path.segments {
            match &segment.arguments {
                PathArguments::AngleBracketed(list) => {
                    let outside = self.may_be_error;
                    for (position, argument) in list.args.iter().enumerate() {
                        self.may_be_error = outside || position > 0 && !holds_all(&segment.ident);
                        self.visit_generic_argument(argument);
                    }
                    self.may_be_error = outside;
                }
                // Inputs of a function type are not held by the value.
                PathArguments::Parenthesized(_) | PathArguments::None => {}
            }
        }
    }
}

/// Whether what stands behind the first type argument is held by a value all the same. What is no
/// such type may be a `Result` by another name; the compiler tells.
fn holds_all(name: &Ident) -> bool {
    ["HashMap", "BTreeMap", "IndexMap"].iter().any(|map| name == map)
}
