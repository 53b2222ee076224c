//! What looks wrong in an audit, for a unit test of the program.

mod arguments;

use std::fmt;
use std::time::Duration;

use super::{Audit, Audited};

/// A kind of [`Finding`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Check {
    /// Another function has the same identity: both run uncached.
    Duplicate,
    /// The cache has no store, so every process loads for itself. Only after
    /// [`Audit::require_shared`].
    NotShared,
    /// Values of a shared function that were stored together end together.
    NoJitter,
    /// A beta outside 0.3 to 3: xfetch then refreshes hardly ever, or all the time.
    Beta,
    /// A grace shorter than the lease ends before a dead refresh is noticed.
    ShortGrace,
    /// A lease over a minute, or longer than `wait`.
    Lease,
    /// A timeout that lets waiters take over before it ends a load.
    Timeout,
    /// An argument that sounds like somebody's identity is not in the key: a word of its name or of
    /// its type is one of `user`, `tenant`, `account`, `customer`, `session`, `principal`, `claims`
    /// and the like, as in `user_id`, `&CurrentUser`, `Extension<TenantId>`; and neither ends like
    /// the name of a tool, as `user_repo` and `UserAgentParser` do.
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
            (Check::Duplicate, self.has_twin.then(|| DUPLICATE.to_owned())),
            (Check::NotShared, (self.shared && !self.reaches_store).then(|| NOT_SHARED.to_owned())),
            (Check::NoJitter, self.check_jitter()),
            (Check::Beta, self.check_beta()),
            (Check::ShortGrace, self.check_grace()),
            (Check::Lease, self.check_lease()),
            (Check::Timeout, self.check_timeout()),
            (Check::SkippedIdentity, self.check_skipped()),
            (Check::InlineLoad, self.check_load()),
            (Check::Connection, self.check_connection()),
        ];
        found.into_iter().filter_map(|(check, message)| Some((check, message?))).collect()
    }

    fn check_jitter(&self) -> Option<String> {
        (self.shared && self.jitter.is_none()).then(|| {
            "no `jitter`: values that were stored together end together; write `jitter = ..`, a \
             tenth of the ttl or more"
                .to_owned()
        })
    }

    fn check_beta(&self) -> Option<String> {
        let beta = self.beta.filter(|beta| !(0.3..=3.0).contains(beta))?;
        let what = if beta < 1.0 { "hardly ever" } else { "far too often" };
        Some(format!("`beta` of {beta} refreshes {what}: write something between 0.3 and 3"))
    }

    fn check_grace(&self) -> Option<String> {
        let (grace, lease) = (self.grace?.span()?, self.lease.span()?);
        (grace < lease).then(|| {
            format!(
                "`grace` of {grace:?} ends before a dead refresh is noticed (`lease` of {lease:?}): \
                 write at least as much"
            )
        })
    }

    fn check_lease(&self) -> Option<String> {
        let (lease, wait) = (self.lease.span()?, self.wait.span()?);
        if lease > Duration::from_secs(60) {
            return Some(format!(
                "`lease` of {lease:?}: so long a dead process holds everybody up; a load may take \
                 longer than its lease, which is renewed"
            ));
        }
        (lease > wait).then(|| {
            format!("`lease` of {lease:?} is longer than `wait` of {wait:?}: write a shorter one")
        })
    }

    fn check_timeout(&self) -> Option<String> {
        let (timeout, wait) = (self.timeout?.span()?, self.wait.span()?);
        (timeout > wait).then(|| {
            format!(
                "after `wait` of {wait:?} another caller loads beside one that may take until \
                 `timeout` of {timeout:?}: write a longer `wait`"
            )
        })
    }
}

const DUPLICATE: &str = "another function has this identity, so both run uncached: give them a \
                         `name` each";

const NOT_SHARED: &str = "its cache has no store or is not installed, so every process loads for itself: install one, \
                          or accept it by `scope = \"process\"`";
