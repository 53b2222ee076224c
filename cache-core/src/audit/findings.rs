//! What looks wrong in an audit, for a unit test of the program.

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
    /// An argument that sounds like somebody's identity is not in the key.
    SkippedIdentity,
    /// A load is lost when its caller leaves, and nobody said that this is meant
    /// (`detach = false`).
    InlineLoad,
    /// A database connection or transaction as argument: waiters hold it while they wait.
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

    fn check_skipped(&self) -> Option<String> {
        let somebody = |name: &str| {
            let name = name.trim_start_matches('_').to_lowercase();
            let is_a_tool = TOOLS.iter().any(|tool| name.ends_with(tool));
            !is_a_tool && name.split('_').any(|word| IDENTITIES.contains(&word))
        };
        let skipped: Vec<_> = self.named_with("skip").filter(|name| somebody(name)).collect();
        (!skipped.is_empty()).then(|| {
            let names = skipped.join("`, `");
            format!("`{names}` is not in the key: one caller's answer is given to all of them")
        })
    }

    fn check_load(&self) -> Option<String> {
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

    fn check_connection(&self) -> Option<String> {
        let skipped = self.arguments.iter().filter(|one| one.role == "skip");
        let mut connections = skipped.filter(|one| is_connection(one.ty));
        connections.next().map(|one| {
            format!(
                "`{}: {}` is held by every caller that waits: take the pool and get a connection \
                 inside the function",
                one.name, one.ty
            )
        })
    }
}

const DUPLICATE: &str = "another function has this identity, so both run uncached: give them a \
                         `name` each";

const NOT_SHARED: &str = "its cache has no store or is not installed, so every process loads for itself: install one, \
                          or accept it by `scope = \"process\"`";

/// Last words of names that only begin like somebody.
const TOOLS: [&str; 8] =
    ["_repo", "_repository", "_service", "_client", "_pool", "_store", "_agent", "_count"];

const IDENTITIES: [&str; 17] = [
    "actor",
    "claims",
    "session",
    "token",
    "uid",
    "user",
    "tenant",
    "account",
    "customer",
    "owner",
    "member",
    "org",
    "organization",
    "organisation",
    "workspace",
    "principal",
    "viewer",
];

/// Whether a type names one database connection or transaction. Pools are none, nor is what shares one
/// link among many.
fn is_connection(ty: &str) -> bool {
    let mut words = ty.split(|c: char| !c.is_alphanumeric() && c != '_');
    let shared = ["MultiplexedConnection", "DatabaseConnection"];
    words.any(|word| {
        let connection = word.ends_with("Connection") && !shared.contains(&word);
        connection || word.ends_with("Transaction") || word == "PoolClient"
    })
}

#[cfg(test)]
mod tests {
    use super::is_connection;

    #[test]
    fn connections_and_what_is_none() {
        for ty in [
            "&mut PgConnection",
            "&mut Transaction<'_, Postgres>",
            "sqlx::PoolConnection<Db>",
            "Arc<Mutex<Connection>>",
            "&DatabaseTransaction",
            "deadpool::PoolClient",
        ] {
            assert!(is_connection(ty), "{ty}");
        }
        for ty in [
            "&PgPool",
            "Pool<Postgres>",
            "MultiplexedConnection",
            "&DatabaseConnection",
            "u32",
            "ConnectionInfo",
            "TransactionId",
        ] {
            assert!(!is_connection(ty), "{ty}");
        }
    }
}
