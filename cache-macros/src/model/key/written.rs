//! Arguments that a body writes through: a hit leaves that out, which nobody may find out by
//! surprise.

use syn::Error;
use syn::ext::IdentExt as _;

use crate::problems::Problems;
use crate::signature::Parameter;

/// Of a parameter that stands in the key without being named anywhere.
pub(super) fn check(parameter: &Parameter, problems: &mut Problems) {
    if !parameter.is_written() {
        return;
    }
    let cure = match parameter.is_named {
        true => {
            let name = parameter.name.unraw();
            format!("write `skip({name})` if the body only works with it, or name it in `key`")
        }
        false => "or give the parameter a name and write `skip(..)`".to_owned(),
    };
    let message = format!(
        "a hit does not run the body, so nothing is written through `&mut`: return what is \
         written; {cure}"
    );
    problems.add(Error::new_spanned(&parameter.ty, message));
}
