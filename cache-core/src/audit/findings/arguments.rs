//! What looks wrong about the arguments of a function, and where its loads can run because of them.

use super::super::words::{identifies, is_connection, is_identity};
use super::super::{Audited, Parameter};

impl Audited {
    pub(super) fn check_skipped(&self) -> Option<String> {
        let of_somebody =
            |one: &&Parameter| is_identity(one.name, one.ty) && !is_connection(one.name, one.ty);
        let left_out = self.skipped().filter(of_somebody).map(|one| one.name);
        let skipped = in_a_row(left_out.chain(self.is_somebody_left_out().then_some("self")));
        let of_all = "one caller's answer is given to all of them";
        let skipped = skipped.map(|names| format!("{names} is not in the key: {of_all}"));
        let in_part = self.arguments.iter().filter(of_somebody).filter_map(|one| {
            let tells = one.parts.iter().any(|part| identifies(one.name, one.ty, part));
            let parts = in_a_row(one.parts.iter().copied()).filter(|_| !tells)?;
            let Parameter { name, ty, .. } = one;
            Some(format!(
                "only {parts} of `{name}: {ty}` is in the key, which several may have in common: \
                 write what is one caller's own, such as `{{{name}.id}}`"
            ))
        });
        let all: Vec<_> = skipped.into_iter().chain(in_part).collect();
        (!all.is_empty()).then(|| all.join("; "))
    }

    pub(super) fn check_twins(&self) -> Option<String> {
        let others = in_a_row(self.twins.iter().map(String::as_str))?;
        Some(format!(
            "the function at {others} has this identity too, so all of them run uncached: give \
             them a `name` each"
        ))
    }

    pub(super) fn check_names(&self) -> Option<String> {
        let parameters = in_a_row(self.nameless.iter().copied())?;
        Some(format!(
            "{parameters}: a closure, an async block or an adapter of iterators has no name, so a \
             call with one runs uncached: take `&dyn ..`, `Box<dyn ..>`, a function pointer \
             `fn(..)` or a slice"
        ))
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
        let held = self.skipped().filter(|one| is_connection(one.name, one.ty));
        let held: Vec<_> = held.map(|one| format!("{}: {}", one.name, one.ty)).collect();
        let held = in_a_row(held.iter().map(String::as_str))?;
        Some(format!(
            "{held} is held by every caller that waits: take the pool and get a connection inside \
             the function"
        ))
    }

    /// Whether `self` is skipped, and of a type that sounds like somebody: `shop::Account::balance`.
    fn is_somebody_left_out(&self) -> bool {
        let is_skipped = self.arguments.iter().any(|one| one.role == "skip" && one.name == "self");
        let host = self.identity.rsplit_once("::").map_or("", |(host, _)| host);
        let host = host.trim_start_matches('<').split(" as ").next().unwrap_or(host);
        let host = host.split('<').next().unwrap_or(host);
        let ty = host.rsplit("::").next().unwrap_or(host);
        is_skipped && ty.starts_with(char::is_uppercase) && is_identity("", ty)
    }

    fn skipped(&self) -> impl Iterator<Item = &Parameter> {
        self.arguments.iter().filter(|one| one.role == "skip" && one.name != "self")
    }
}

/// "`a`, `b`"; `None` of nothing.
fn in_a_row<'a>(words: impl Iterator<Item = &'a str>) -> Option<String> {
    let words: Vec<_> = words.map(|word| format!("`{word}`")).collect();
    (!words.is_empty()).then(|| words.join(", "))
}
