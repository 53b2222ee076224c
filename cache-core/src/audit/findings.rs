//! What looks wrong in an audit, for a unit test of the program.

mod arguments;
mod spans;

use std::fmt;

use super::{Audit, Audited};

/// A kind of [`Finding`]. What is meant all the same is accepted by [`Audit::allow`].
///
/// No finding: a `timeout` longer than `ttl`. It is a limit, not what loads take, and a life counts
/// from the end of its load.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// Another function has the same identity: both run uncached.
    Duplicate,
    /// A parameter `impl Fn(..)`, or a type parameter with such a bound: `Fn` and its kind, `Future`,
    /// `IntoFuture`, `Iterator`, `Stream`. A closure, an async block or an adapter of iterators has
    /// no name that could tell it from another one, so a call with one runs uncached; a function
    /// item, a `fn(..)` and a type with a name of its own are cached.
    Nameless,
    /// The cache has no store, so every process loads for itself. Only after
    /// [`Audit::require_shared`].
    NotShared,
    /// The expression of a setting panics now, as it would in a call.
    Panics,
    /// A ttl that is zero: values are returned and not stored.
    NotStored,
    /// A setting that takes effect as something else: `jitter` and `none` are at most the ttl, a
    /// lease is at least 100 ms, a wait 10 ms, and nothing lasts longer than ten years.
    OutOfBounds,
    /// Values of a shared function that were stored together end together.
    NoJitter,
    /// A beta outside 0.3 to 3: xfetch then refreshes hardly ever, or all the time.
    Beta,
    /// A grace shorter than the lease ends before a dead refresh is noticed; and swr whose grace is
    /// zero is only lock.
    ShortGrace,
    /// A lease over a minute, longer than `wait`, or one of the function's own that is longer than
    /// its `timeout`.
    Lease,
    /// A wait that is never used up: a load without `timeout` keeps its lease for five minutes.
    Wait,
    /// A timeout longer than `wait`, so that waiters take over before it ends a load; or over ten
    /// minutes, after which a store takes no value.
    Timeout,
    /// An argument that sounds like somebody's identity is not in the key: a word of its name or of
    /// its type is one of `user`, `tenant`, `account`, `customer`, `session`, `principal`, `claims`
    /// and the like, as in `user_id`, `&CurrentUser`, `Extension<TenantId>`; and neither ends like
    /// the name of a tool, as `user_repo` and `UserAgentParser` do. Or only parts of it are in the
    /// key that do not sound like an identity: `{user.locale}`, but not `{user.id}`.
    SkippedIdentity,
    /// A load is lost when its caller leaves, and nobody said that this is meant
    /// (`detach = false`).
    InlineLoad,
    /// A database connection or transaction as argument: waiters hold it while they wait. Told by
    /// the last word of its type (`&mut PgConnection`, `Transaction<'_, Postgres>`), or by a name
    /// like `conn` or `tx` of something borrowed. Pools, and links that are shared among clones,
    /// are none.
    Connection,
}

/// Something that looks wrong about one cached function.
#[derive(Debug, Clone)]
pub struct Finding {
    check: Check,
    function: String,
    place: String,
    message: String,
}

impl Finding {
    /// Its kind.
    #[must_use]
    pub fn check(&self) -> Check {
        self.check
    }

    /// Identity and version of the function.
    #[must_use]
    pub fn function(&self) -> &str {
        &self.function
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { check, function, place, message } = self;
        write!(f, "{place}: `{function}`: {message} ({check:?})")
    }
}

impl Audit {
    /// Also finds functions whose cache has no store and that do not say `scope = "process"`:
    /// install the program's caches before.
    #[must_use]
    pub fn require_shared(self) -> Self {
        Self { wants_shared: true, ..self }
    }

    /// Accepts one kind of finding for the functions whose identity contains `function`.
    #[must_use]
    pub fn allow(mut self, check: Check, function: impl Into<String>) -> Self {
        self.allowed.push((check, function.into()));
        self
    }

    /// What looks wrong and is not [allowed](Self::allow).
    #[must_use]
    pub fn findings(&self) -> Vec<Finding> {
        let found = self.functions.iter().flat_map(|function| {
            let checks = function.checks().into_iter();
            let checks =
                checks.filter(|(check, _)| *check != Check::NotShared || self.wants_shared);
            checks.map(|(check, message)| Finding {
                check,
                function: function.identity.clone(),
                place: format!("{}:{}", function.file, function.line),
                message,
            })
        });
        found.filter(|finding| !self.is_allowed(finding)).collect()
    }

    fn is_allowed(&self, finding: &Finding) -> bool {
        let mut allowed = self.allowed.iter();
        allowed.any(|(check, part)| *check == finding.check && finding.function.contains(part))
    }

    /// Asks for no [`findings`](Self::findings).
    ///
    /// # Panics
    /// With all of them, one a line.
    #[track_caller]
    pub fn assert_clean(&self) {
        let findings: Vec<_> = self.findings().iter().map(ToString::to_string).collect();
        assert!(findings.is_empty(), "the audit found:\n{}", findings.join("\n"));
    }
}

impl Audited {
    fn checks(&self) -> Vec<(Check, String)> {
        let found = [
            (Check::Duplicate, self.check_twins()),
            (Check::Nameless, self.check_names()),
            (Check::NotShared, self.check_reach()),
            (Check::Panics, self.check_panic()),
            (Check::NotStored, self.check_ttl()),
            (Check::OutOfBounds, self.check_bounds()),
            (Check::NoJitter, self.check_jitter()),
            (Check::Beta, self.check_beta()),
            (Check::ShortGrace, self.check_grace()),
            (Check::Lease, self.check_lease()),
            (Check::Wait, self.check_wait()),
            (Check::Timeout, self.check_timeout()),
            (Check::SkippedIdentity, self.check_skipped()),
            (Check::InlineLoad, self.check_load()),
            (Check::Connection, self.check_connection()),
        ];
        found.into_iter().filter_map(|(check, message)| Some((check, message?))).collect()
    }
}
