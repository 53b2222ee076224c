//! What a program caches, function by function, before any of it runs.

mod findings;
mod reading;
mod setting;
mod snapshot;
mod table;
mod words;

use serde::Serialize;

use crate::registry::{self, CachedFn, Role};

pub use findings::{Check, Finding};
use reading::Reach;
pub use setting::Setting;
use setting::Value;

/// Every cached function that is linked into this program, with its settings as they stand now.
///
/// [`Display`](std::fmt::Display) draws an aligned table, [`markdown`](Self::markdown) a file for
/// review, serde anything else. [`findings`](Self::findings) names what looks wrong.
#[derive(Debug, Clone, Serialize)]
pub struct Audit {
    functions: Vec<Audited>,
    #[serde(skip)]
    allowed: Vec<(Check, String)>,
    #[serde(skip)]
    wants_shared: bool,
}

/// One cached function.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Audited {
    /// As in keys, with the version: `shop::homepage_feed:v1`. `_` stands for type parameters.
    pub identity: String,
    /// Source file of the function: as the compiler names it within the program's own workspace,
    /// else from the package's name on, `rates/src/daily.rs`.
    pub file: String,
    /// Line of the attribute.
    pub line: u32,
    /// The key template, or the arguments the key is made of.
    pub key: &'static str,
    /// All parameters.
    pub arguments: Vec<Parameter>,
    /// Which cache: `default`, a name in quotes, or an expression.
    pub cache: &'static str,
    /// Whether values are shared between processes where the cache has a store.
    pub shared: bool,
    /// `lock`, `xfetch`, `ahead`, `swr` or `jitter`.
    pub strategy: &'static str,
    /// Of xfetch.
    pub beta: Option<f64>,
    /// How long a value is fresh.
    pub ttl: Setting,
    /// What tells the life of a single value, `ttl` at most.
    pub ttl_from: Option<&'static str>,
    /// How far a drawn ttl may be off.
    pub jitter: Option<Setting>,
    /// How long a value is served after its ttl while one refresh runs.
    pub grace: Option<Setting>,
    /// How long a value stands in for a failed load.
    pub stale_if_error: Option<Setting>,
    /// How long a silent load holds others up.
    pub lease: Setting,
    /// How long a load that lives and does not end holds others up.
    pub wait: Setting,
    /// How long one load may take.
    pub timeout: Option<Setting>,
    /// How long a `None` lives, if not as long as other values; zero: it is not stored.
    pub none: Option<Setting>,
    /// How many loads run at once in a process.
    pub concurrency: Option<Setting>,
    /// How values are written.
    pub codec: String,
    /// Whether a load goes on when its caller leaves.
    pub detached: bool,
    /// Whether a refresh runs behind its caller.
    pub refreshes_behind: bool,
    /// Why this staleness, or this lack of a lock, is right.
    pub reason: &'static str,
    /// The function itself, to [remove all its values](CachedFn::invalidate_all).
    #[serde(skip)]
    pub function: &'static CachedFn,
    #[serde(skip)]
    says_inline: bool,
    #[serde(skip)]
    reach: Reach,
    /// What the evaluation of its expressions panicked with.
    #[serde(skip)]
    panicked: Option<String>,
    /// Places of the functions that have the same identity.
    #[serde(skip)]
    twins: Vec<String>,
    /// Type parameters that are closures and the like in most calls.
    #[serde(skip)]
    nameless: &'static [&'static str],
}

/// One parameter of a cached function.
#[derive(Debug, Clone, Copy, Serialize)]
#[non_exhaustive]
pub struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its type as written.
    #[serde(rename = "type")]
    pub ty: &'static str,
    /// `key`, `plain`, `hash` or `skip`.
    pub role: &'static str,
    /// Where only a part of it stands in the key: which, as in `user.id`.
    pub parts: &'static [&'static str],
}

/// Lists every cached function of this program, in the order of their identities.
///
/// Settings that are expressions are evaluated now; defaults are those of the cache that would be
/// used now. One that panics is shown as such and [found](Check::Panics): load the program's
/// configuration before.
///
/// ```
/// let audit = cache_core::audit();
/// println!("{audit}");
/// audit.assert_clean(); // in a unit test of your program
/// ```
#[must_use]
pub fn audit() -> Audit {
    let mut functions: Vec<_> = registry::registered().map(Audited::new).collect();
    functions.sort_by(|a, b| (&a.identity, &a.file, a.line).cmp(&(&b.identity, &b.file, b.line)));
    Audit { functions, allowed: Vec::new(), wants_shared: false }
}

impl Audit {
    /// The functions, in the order of their identities.
    #[must_use]
    pub fn functions(&self) -> &[Audited] {
        &self.functions
    }
}

impl Parameter {
    fn new(argument: &registry::Argument) -> Self {
        let role = match argument.role {
            Role::Key => "key",
            Role::Plain => "plain",
            Role::Hash => "hash",
            Role::Skip => "skip",
        };
        Self { name: argument.name, ty: argument.ty, role, parts: argument.parts }
    }
}
