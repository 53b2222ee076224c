//! Whether the account may run scripts: found out by the first that is refused, remembered, told
//! once.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use redis::RedisError;
use tokio::time::Instant;

/// A right may be granted while the program runs: after this long the next script is tried again.
const MEMORY: Duration = Duration::from_secs(60);

#[derive(Debug, Default)]
pub(crate) struct Scripting {
    refused: Mutex<Option<Instant>>,
}

impl Scripting {
    pub(crate) fn is_refused(&self) -> bool {
        self.at().is_some_and(|at| at.elapsed() < MEMORY)
    }

    /// A script was refused.
    pub(crate) fn refused(&self, server: &str) {
        if self.at().replace(Instant::now()).is_none() {
            tracing::warn!(
                server,
                "the Redis account may not run scripts; going on without them: changes are no \
                 longer fenced, leases end by lapsing. Grant it `+evalsha +eval`, or all that it \
                 needs: `+@read +@write +@scripting +time +publish +subscribe +unsubscribe`"
            );
        }
    }

    /// A script ran.
    pub(crate) fn allowed(&self, server: &str) {
        if self.at().take().is_some() {
            tracing::info!(server, "the Redis account may run scripts now");
        }
    }

    fn at(&self) -> MutexGuard<'_, Option<Instant>> {
        self.refused.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether the server refused the script itself, by the account's rights or because it knows no
/// scripts, and not something that the script does.
pub(crate) fn is_refusal(error: &RedisError) -> bool {
    let Some(detail) = error.detail() else { return false };
    let detail = detail.to_ascii_lowercase();
    let names = |verb| ["'", "`"].iter().any(|quote| detail.contains(&format!("{quote}{verb}")));
    let is_rule = error.code() == Some("NOPERM") || detail.starts_with("unknown command");
    is_rule && (names("evalsha") || names("eval"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn it_is_remembered_for_a_minute() {
        let scripting = Scripting::default();
        assert!(!scripting.is_refused());
        scripting.refused("a server");
        tokio::time::advance(MEMORY - Duration::from_secs(1)).await;
        assert!(scripting.is_refused());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(!scripting.is_refused(), "the next one tries");
        scripting.refused("a server");
        assert!(scripting.is_refused());
        scripting.allowed("a server");
        assert!(!scripting.is_refused());
    }
}
