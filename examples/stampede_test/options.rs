//! The command line, and what each strategy promises.

use std::fmt;
use std::time::Duration;

pub(crate) const USAGE: &str = "\
usage: stampede_test [options]
  --strategy  lock | xfetch | ahead | swr | jitter | none   who loads (lock)
  --scenario  cold | early | stale   what is stored when the callers come (cold)
  --processes N     worker processes (8)
  --callers N       callers in each (50)
  --rounds N        stampedes, each on a key of its own (3)
  --work TIME       what one load takes (100ms)
  --ttl TIME        (60s)
  --lease TIME      (3s)
  --wait TIME       (30s)
  --redis URL       use this server instead of a private one
  --json            print one JSON object instead of a table
TIME is a number with ms, s or m";

#[derive(Debug, Clone)]
pub(crate) struct Options {
    pub(crate) strategy: Strategy,
    pub(crate) scenario: Scenario,
    pub(crate) processes: u32,
    pub(crate) callers: u32,
    pub(crate) rounds: u32,
    pub(crate) work: Duration,
    pub(crate) ttl: Duration,
    pub(crate) lease: Duration,
    pub(crate) wait: Duration,
    pub(crate) redis: Option<String>,
    pub(crate) json: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    Lock,
    Xfetch,
    Ahead,
    Swr,
    Jitter,
    /// Not herdless: GET, load, SET by hand.
    None,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scenario {
    /// Nothing is stored.
    Cold,
    /// A fresh value near its end.
    Early,
    /// A value within grace.
    Stale,
}

/// How often a round has to load.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Promise {
    Exactly(u64),
    AtMost(u64),
    Nothing,
}

/// The least ttl of `early`: no early refresh comes before the last fifth of a life, and 5 s of
/// the planted one remain.
const EARLY_TTL: Duration = Duration::from_secs(25);

const STRATEGIES: [(&str, Strategy); 6] = [
    ("lock", Strategy::Lock),
    ("xfetch", Strategy::Xfetch),
    ("ahead", Strategy::Ahead),
    ("swr", Strategy::Swr),
    ("jitter", Strategy::Jitter),
    ("none", Strategy::None),
];

const SCENARIOS: [(&str, Scenario); 3] =
    [("cold", Scenario::Cold), ("early", Scenario::Early), ("stale", Scenario::Stale)];

impl Default for Options {
    fn default() -> Self {
        Self {
            strategy: Strategy::Lock,
            scenario: Scenario::Cold,
            processes: 8,
            callers: 50,
            rounds: 3,
            work: Duration::from_millis(100),
            ttl: Duration::from_secs(60),
            lease: Duration::from_secs(3),
            wait: Duration::from_secs(30),
            redis: None,
            json: false,
        }
    }
}

impl Options {
    pub(crate) fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        while let Some(flag) = arguments.next() {
            if flag == "--json" {
                options.json = true;
                continue;
            }
            let value = || arguments.next().ok_or_else(|| format!("{flag} needs a value"));
            options.set(&flag, value)?;
        }
        options.check()?;
        Ok(options)
    }

    fn set(
        &mut self,
        flag: &str,
        value: impl FnOnce() -> Result<String, String>,
    ) -> Result<(), String> {
        match flag {
            "--strategy" => self.strategy = choice(flag, &value()?, &STRATEGIES)?,
            "--scenario" => self.scenario = choice(flag, &value()?, &SCENARIOS)?,
            "--processes" => self.processes = count(flag, &value()?)?,
            "--callers" => self.callers = count(flag, &value()?)?,
            "--rounds" => self.rounds = count(flag, &value()?)?,
            "--work" => self.work = time(flag, &value()?)?,
            "--ttl" => self.ttl = time(flag, &value()?)?,
            "--lease" => self.lease = time(flag, &value()?)?,
            "--wait" => self.wait = time(flag, &value()?)?,
            "--redis" => self.redis = Some(value()?),
            _ => return Err(format!("unknown option {flag}")),
        }
        Ok(())
    }

    fn check(&self) -> Result<(), String> {
        match (self.strategy, self.scenario) {
            (Strategy::None, Scenario::Early | Scenario::Stale) => {
                Err("strategy none has no entries to plant: it knows only the scenario cold".into())
            }
            (Strategy::Jitter, Scenario::Stale) => {
                Err("strategy jitter has no grace: the scenario stale does not apply".into())
            }
            (_, Scenario::Early) if self.ttl < EARLY_TTL => {
                Err(format!("the scenario early needs a --ttl of at least {EARLY_TTL:?}"))
            }
            _ => Ok(()),
        }
    }

    /// Callers of one round, in all processes.
    pub(crate) fn crowd(&self) -> u64 {
        u64::from(self.processes) * u64::from(self.callers)
    }

    pub(crate) fn promise(&self) -> Promise {
        match (self.strategy, self.scenario) {
            (Strategy::None, _) => Promise::Nothing,
            (Strategy::Jitter, Scenario::Cold) => Promise::AtMost(self.processes.into()),
            (Strategy::Jitter | Strategy::Lock | Strategy::Swr, Scenario::Early) => {
                Promise::Exactly(0)
            }
            _ => Promise::Exactly(1),
        }
    }
}

impl Promise {
    pub(crate) fn is_kept_by(self, loads: u64) -> bool {
        match self {
            Self::Exactly(promised) => loads == promised,
            Self::AtMost(promised) => (1..=promised).contains(&loads),
            Self::Nothing => true,
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_in(&STRATEGIES, self))
    }
}

impl fmt::Display for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(name_in(&SCENARIOS, self))
    }
}

fn name_in<T: PartialEq>(names: &[(&'static str, T)], wanted: &T) -> &'static str {
    names.iter().find(|(_, value)| value == wanted).map_or("", |(name, _)| name)
}

fn choice<T: Copy>(flag: &str, text: &str, known: &[(&str, T)]) -> Result<T, String> {
    let found = known.iter().find(|(name, _)| *name == text);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
        format!("{flag} {text}: known are {}", names.join(", "))
    })
}

fn count(flag: &str, text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|&number| number > 0);
    number.ok_or_else(|| format!("{flag} {text}: expected a number above zero"))
}

fn time(flag: &str, text: &str) -> Result<Duration, String> {
    let (digits, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(0));
    let millis = match unit {
        "ms" => Some(1),
        "s" => Some(1000),
        "m" => Some(60_000),
        _ => None,
    };
    let number = digits.parse::<u64>().ok();
    let millis = millis.zip(number).and_then(|(unit, number)| number.checked_mul(unit));
    let time = millis.map(Duration::from_millis);
    time.ok_or_else(|| format!("{flag} {text}: expected a time such as 100ms, 2s or 1m"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn a_command_line_sets_what_it_names() {
        let options =
            parse("--strategy swr --scenario stale --callers 7 --work 2s --json").unwrap();
        assert_eq!((options.strategy, options.scenario), (Strategy::Swr, Scenario::Stale));
        assert_eq!((options.crowd(), options.work), (56, Duration::from_secs(2)));
        assert!(options.json);
    }

    #[test]
    fn times_have_a_unit() {
        let work = |text: &str| parse(&format!("--work {text}")).map(|options| options.work);
        assert_eq!(work("100ms"), Ok(Duration::from_millis(100)));
        assert_eq!(work("1m"), Ok(Duration::from_secs(60)));
        for refused in ["", "5", "s", "-1s", "1h", "1.5s", "99999999999999999999s"] {
            assert!(work(refused).is_err(), "{refused:?} was taken");
        }
    }

    #[test]
    fn what_does_not_apply_is_refused() {
        for line in [
            "--strategy lru",
            "--speed 3",
            "--callers 0",
            "--strategy jitter --scenario stale",
            "--strategy none --scenario early",
            "--scenario early --ttl 24s",
        ] {
            assert!(parse(line).is_err(), "{line:?} was taken");
        }
    }
}
