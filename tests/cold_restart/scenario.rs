//! A fault, and what came after it.

use std::fmt;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;

use crate::backend::Backend;
use crate::callers::Callers;
use crate::gauge::{Gauge, Second, sum};
use crate::setting::SETTING;
use crate::source::Source;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// All values are gone, at one moment.
    Flush,
    /// The backend is slow for a while.
    Slow,
    /// More is asked for than the backend can do, for a while.
    Surge,
}

/// What was measured.
pub(crate) struct Report {
    fault: Fault,
    before: Second,
    /// From the time on when it has to be over.
    after: Second,
    /// The hit ratio in the worst second.
    pub(crate) worst: f64,
    /// How long after the end of the fault the hit ratio was back for good.
    recovery: Option<Duration>,
    /// Queries at the backend, those in its queue included.
    pub(crate) most_at_once: usize,
}

fn whole(span: Duration) -> usize {
    usize::try_from(span.as_secs()).expect("a few minutes")
}

/// Two lives: whatever comes round with the life of values is in it twice.
fn span() -> Duration {
    SETTING.ttl * 2
}

/// The whole run, in a runtime whose clock is paused.
pub(crate) async fn run(fault: Fault, source: impl FnOnce(&Backend) -> Arc<dyn Source>) -> Report {
    let gauge = Arc::new(Gauge::new());
    let backend = Backend::new(Arc::clone(&gauge));
    let source = source(&backend);
    let mut callers = Callers::new(Arc::clone(&source), Arc::clone(&gauge));
    for key in 0..SETTING.keys {
        let age = SETTING.ttl.mul_f64(callers.draw()); // as in a shop that has been open for long
        source.plant(key, age).await;
    }
    callers.come(SETTING.ttl, 0.0).await;
    let warm = gauge.now();
    callers.come(span(), 0.0).await;
    let began = gauge.now();
    strike(fault, &backend, &*source, &mut callers).await;
    let ended = gauge.now();
    callers.come(SETTING.deadline() + span(), 0.0).await;
    sleep(SETTING.patience).await; // until the last of them is served or gone
    let seconds = gauge.seconds();
    let late = ended + whole(SETTING.deadline());
    let end = late + whole(span());
    let before = sum(&seconds, warm..began);
    let report = Report {
        fault,
        before,
        after: sum(&seconds, late..end),
        worst: seconds[began..end].iter().map(Second::hit_ratio).fold(1.0, f64::min),
        recovery: recovery(&seconds, before.hit_ratio(), ended..end),
        most_at_once: backend.most_at_once(),
    };
    report.was_well_before();
    report
}

async fn strike(fault: Fault, backend: &Backend, source: &dyn Source, callers: &mut Callers) {
    match fault {
        Fault::Flush => {
            for key in 0..SETTING.keys {
                source.remove(key).await;
            }
        }
        Fault::Slow => {
            backend.slow_down(SETTING.slowdown);
            callers.come(SETTING.fault, 0.0).await;
            backend.slow_down(1);
        }
        Fault::Surge => callers.come(SETTING.fault, SETTING.surge).await,
    }
}

/// From when on no second is below nine tenths of before.
fn recovery(seconds: &[Second], before: f64, range: Range<usize>) -> Option<Duration> {
    let start = range.start;
    let low = |second: &Second| second.hit_ratio() < 0.9 * before;
    let last = seconds[range.clone()].iter().rposition(low);
    let from = last.map_or(0, |last| last + 1);
    (start + from < range.end).then(|| Duration::from_secs(from as u64))
}

impl Report {
    /// The setting is what it claims to be, whatever stands before the backend: else what comes
    /// after a fault would not tell anything.
    fn was_well_before(&self) {
        let need = f64::from(self.before.loads) / span().as_secs_f64() / SETTING.need();
        assert!((0.9..1.1).contains(&need), "{need} times the loads that are needed: {self}");
        assert!(self.before.hit_ratio() > 0.95 && self.before.gone == 0, "{self}");
    }

    /// Loads after the fault in relation to before; both were counted for as long.
    pub(crate) fn load_rate(&self) -> f64 {
        f64::from(self.after.loads) / f64::from(self.before.loads)
    }

    /// The first half of the criterion.
    pub(crate) fn is_back_in_time(&self) -> bool {
        self.recovery.is_some_and(|recovery| recovery <= SETTING.deadline())
    }

    /// The other half.
    pub(crate) fn loads_as_before(&self) -> bool {
        self.load_rate() <= 1.1
    }

    /// Not once was a second as good as before.
    pub(crate) fn never_comes_back(&self) -> bool {
        self.recovery.is_none() && self.after.hit_ratio() < 0.5 * self.before.hit_ratio()
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { fault, before, after, worst, recovery, most_at_once } = self;
        let (hits, later) = (before.hit_ratio(), after.hit_ratio());
        let (loads, rate) = (before.loads, self.load_rate());
        let (deadline, gone) = (SETTING.deadline(), after.gone);
        write!(
            f,
            "{fault:?}: hit ratio {hits:.3}, then {worst:.3}, then {later:.3}; back after \
             {recovery:?} (of {deadline:.1?}); {loads} loads, then {rate:.2} times as many; {gone} \
             callers gone; at most {most_at_once} queries at once"
        )
    }
}
