//! Probabilistic early recompute.

use std::time::Duration;

/// Refresh with probability exp(−remaining / (β·cost)), written as the comparison of the paper:
/// −ln(draw)·β·cost ≥ remaining, so that a draw of zero (infinite lead) needs no special case.
pub(super) fn is_due(remaining: Duration, cost: Duration, beta: f64, draw: f64) -> bool {
    -draw.ln() * beta * cost.as_secs_f64() >= remaining.as_secs_f64()
}
