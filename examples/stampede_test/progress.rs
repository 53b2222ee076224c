//! A bar for whoever watches: callers begun and answered, on a terminal only.

use std::io::{IsTerminal as _, Write as _, stderr};
use std::time::Duration;

use tokio::time::sleep;

use crate::backend::Backend;
use crate::options::Options;

const WIDTH: u64 = 40;

/// Draws until it is dropped.
pub(crate) async fn draw(options: &Options, backend: &Backend, round: u32) {
    while stderr().is_terminal() {
        let begun: u64 = backend.get(round, "begun").await.ok().flatten().unwrap_or(0);
        let answered: u64 = backend.get(round, "returned").await.ok().flatten().unwrap_or(0);
        let (crowd, rounds) = (options.crowd(), options.rounds);
        let full = usize::try_from(answered * WIDTH / crowd).unwrap_or(0);
        let waiting = usize::try_from(begun * WIDTH / crowd).unwrap_or(0).saturating_sub(full);
        let bar = "#".repeat(full) + &"-".repeat(waiting);
        let width = usize::try_from(WIDTH).unwrap_or(0);
        eprint!("\rround {round}/{rounds} [{bar:width$}] {answered}/{crowd} answered ");
        let _ = stderr().flush();
        sleep(Duration::from_millis(50)).await;
    }
    std::future::pending::<()>().await;
}

/// Clears the line.
pub(crate) fn clear() {
    if stderr().is_terminal() {
        eprint!("\r\x1b[K");
    }
}
