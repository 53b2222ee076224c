//! What looks wrong about the arguments of a function, and where its loads can run because of them.

use super::super::words::{is_connection, is_identity};
use super::super::{Audited, Parameter};

impl Audited {
    pub(super) fn check_skipped(&self) -> Option<String> {
        let of_somebody =
            |one: &&Parameter| is_identity(one.name, one.ty) && !is_connection(one.name, one.ty);
        let skipped: Vec<_> = self.skipped().filter(of_somebody).map(|one| one.name).collect();
        (!skipped.is_empty()).then(|| {
            let names = skipped.join("`, `");
            format!("`{names}` is not in the key: one caller's answer is given to all of them")
        })
    }

    pub(super) fn check_load(&self) -> Option<String> {
        let of_self = self.arguments.iter().any(|one| one.name == "self");
        let cure = match of_self {
            true => "move the work to a function with owned arguments",
            false => "take owned arguments of one type, or `detach = true` for borrowed ones",
        };
        (!self.detached && !self.says_inline).then(|| {
            format!(
                "a load is lost when its caller leaves: {cure}, or accept it by `detach = false`"
            )
        })
    }

    pub(super) fn check_connection(&self) -> Option<String> {
        self.skipped().find(|one| is_connection(one.name, one.ty)).map(|one| {
            format!(
                "`{}: {}` is held by every caller that waits: take the pool and get a connection \
                 inside the function",
                one.name, one.ty
            )
        })
    }

    fn skipped(&self) -> impl Iterator<Item = &Parameter> {
        self.arguments.iter().filter(|one| one.role == "skip" && one.name != "self")
    }
}
