//! What came of it: for people, for programs, and as a verdict.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::backend::Counted;
use crate::options::{Options, Promise};

/// What the callers of one round, in one process or all, were answered.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub(crate) struct Answers {
    pub(crate) micros: Vec<u64>,
    pub(crate) outcomes: Outcomes,
    pub(crate) degraded: u64,
    pub(crate) errors: u64,
}

#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub(crate) struct Outcomes {
    pub(crate) hit: u64,
    pub(crate) stale: u64,
    pub(crate) joined: u64,
    pub(crate) computed: u64,
}

impl Answers {
    pub(crate) fn merge(&mut self, other: Self) {
        self.micros.extend(other.micros);
        self.outcomes.hit += other.outcomes.hit;
        self.outcomes.stale += other.outcomes.stale;
        self.outcomes.joined += other.outcomes.joined;
        self.outcomes.computed += other.outcomes.computed;
        self.degraded += other.degraded;
        self.errors += other.errors;
    }

    /// The wait that `share` of the callers did not exceed.
    fn millis(&self, share: f64) -> f64 {
        let mut micros = self.micros.clone();
        micros.sort_unstable();
        let rank = (share * micros.len() as f64).ceil() as usize;
        micros.get(rank.saturating_sub(1)).map_or(0.0, |&micros| micros as f64 / 1000.0)
    }
}

/// One stampede.
pub(crate) type Round = (Answers, Counted);

/// All of them.
pub(crate) struct Report {
    options: Options,
    rounds: Vec<Round>,
    all: Answers,
    gate_timeouts: u64,
}

impl Report {
    pub(crate) fn new(options: Options, rounds: Vec<Round>) -> Self {
        let mut all = Answers::default();
        rounds.iter().for_each(|(answers, _)| all.merge(answers.clone()));
        let gate_timeouts = rounds.iter().map(|(_, counted)| counted.gate_timeouts).sum();
        Self { options, rounds, all, gate_timeouts }
    }

    fn loads(&self) -> Vec<u64> {
        self.rounds.iter().map(|(_, counted)| counted.loads).collect()
    }

    pub(crate) fn is_as_promised(&self) -> bool {
        let promise = self.options.promise();
        let kept = self.loads().into_iter().all(|loads| promise.is_kept_by(loads));
        kept && self.gate_timeouts == 0 && self.all.errors == 0
    }

    pub(crate) fn json(&self) -> Value {
        let Self { options, all, .. } = self;
        let loads: u64 = self.loads().iter().sum();
        let rounds = u64::from(options.rounds);
        let per_round = if loads.is_multiple_of(rounds) {
            json!(loads / rounds)
        } else {
            json!(loads as f64 / rounds as f64)
        };
        json!({
            "strategy": options.strategy.to_string(),
            "scenario": options.scenario.to_string(),
            "processes": options.processes,
            "callers": options.callers,
            "rounds": options.rounds,
            "loads": loads,
            "loads_per_round": per_round,
            "loads_by_round": self.loads(),
            "max_overlap": self.rounds.iter().map(|(_, counted)| counted.overlap).max(),
            "outcomes": all.outcomes,
            "waited": all.outcomes.joined + all.outcomes.computed,
            "gate_timeouts": self.gate_timeouts,
            "degraded": all.degraded,
            "errors": all.errors,
            "p50_ms": all.millis(0.5),
            "p99_ms": all.millis(0.99),
            "max_ms": all.millis(1.0),
        })
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { options, all, .. } = self;
        let Options { strategy, scenario, processes, callers, work, .. } = options;
        writeln!(
            f,
            "{strategy}, {scenario}: {processes} processes x {callers} callers, {work:?} a load\n"
        )?;
        writeln!(
            f,
            "{:>6}{:>7}{:>9}{:>9}{:>9}{:>9}",
            "round", "loads", "overlap", "p50 ms", "p99 ms", "max ms"
        )?;
        for (number, (answers, counted)) in self.rounds.iter().enumerate() {
            let [p50, p99, max] = [0.5, 0.99, 1.0].map(|share| answers.millis(share));
            let (number, Counted { loads, overlap, .. }) = (number + 1, counted);
            writeln!(f, "{number:>6}{loads:>7}{overlap:>9}{p50:>9.1}{p99:>9.1}{max:>9.1}")?;
        }
        let Outcomes { hit, stale, joined, computed } = all.outcomes;
        writeln!(f, "\nhit {hit}, stale {stale}, joined {joined}, computed {computed}")?;
        let (degraded, errors, gates) = (all.degraded, all.errors, self.gate_timeouts);
        writeln!(f, "degraded {degraded}, errors {errors}, gate timeouts {gates}")?;
        match options.promise() {
            Promise::Nothing => writeln!(f, "no promise: this is the control"),
            promise if self.is_as_promised() => writeln!(f, "as promised: {promise}"),
            promise => writeln!(f, "NOT as promised: {promise}"),
        }
    }
}

impl fmt::Display for Promise {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Exactly(loads) => write!(f, "exactly {loads} per round"),
            Self::AtMost(loads) => write!(f, "at most {loads} per round"),
            Self::Nothing => f.write_str("nothing"),
        }
    }
}
