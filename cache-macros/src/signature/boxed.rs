//! The boxed form that `#[async_trait]` leaves of a method, also when written by hand.

use syn::{GenericArgument, PathArguments, PathSegment, Type, TypeParamBound};

/// The `T` of `Pin<Box<dyn Future<Output = T> + ..>>` or of `BoxFuture<'_, T>`.
pub(super) fn output(returned: &Type) -> Option<&Type> {
    let last = last_segment(returned)?;
    if last.ident == "BoxFuture" || last.ident == "LocalBoxFuture" {
        return types(last).next();
    }
    let inside = argument_of(returned, "Pin").and_then(|inside| argument_of(inside, "Box"))?;
    let Type::TraitObject(object) = inside else { return None };
    object.bounds.iter().find_map(|bound| match bound {
        TypeParamBound::Trait(bound) => future_output(bound.path.segments.last()?),
        _ => None,
    })
}

fn last_segment(ty: &Type) -> Option<&PathSegment> {
    match ty {
        Type::Path(path) => path.path.segments.last(),
        Type::Group(group) => last_segment(&group.elem),
        _ => None,
    }
}

fn argument_of<'t>(ty: &'t Type, name: &str) -> Option<&'t Type> {
    last_segment(ty).filter(|last| last.ident == name).and_then(|last| types(last).next())
}

fn types(segment: &PathSegment) -> impl Iterator<Item = &Type> {
    arguments(segment).filter_map(|argument| match argument {
        GenericArgument::Type(ty) => Some(ty),
        _ => None,
    })
}

fn arguments(segment: &PathSegment) -> impl Iterator<Item = &GenericArgument> {
    let list = match &segment.arguments {
        PathArguments::AngleBracketed(list) => Some(list),
        _ => None,
    };
    list.into_iter().flat_map(|list| &list.args)
}

fn future_output(segment: &PathSegment) -> Option<&Type> {
    let mut arguments = arguments(segment).filter(|_| segment.ident == "Future");
    arguments.find_map(|argument| match argument {
        GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
        _ => None,
    })
}
