//! Refresh ahead: with a lock the coin of xfetch is not needed, the first reader in the window wins.

use std::time::Duration;

/// Within twice the load cost of the end.
pub(super) fn is_due(remaining: Duration, cost: Duration) -> bool {
    remaining <= cost.saturating_mul(2)
}
