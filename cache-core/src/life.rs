//! How long one value lives: what the function allows, what the value says, less for a `None`.

use std::fmt;
use std::time::Duration;

use crate::codec::Value;
use crate::events::Event;
use crate::policy::Policy;

/// `ttl_from`: asks a value how long it lives. `None`: it is returned, not stored.
pub struct TtlFrom<V>(pub fn(&V) -> Option<Duration>);

impl<V> fmt::Debug for TtlFrom<V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("TtlFrom")
    }
}

/// [`TtlFrom`] without its type.
pub(crate) trait SaysTtl: fmt::Debug + Send + Sync {
    fn ttl_of(&self, value: &Value) -> Option<Duration>;
}

impl<V: 'static> SaysTtl for TtlFrom<V> {
    fn ttl_of(&self, value: &Value) -> Option<Duration> {
        (self.0)(value.downcast_ref().expect("values are accepted by their type"))
    }
}

/// What there is to know of a value before its life is drawn.
#[derive(Debug, Clone, Copy)]
pub(crate) struct About {
    /// It is a `None`, and the function was told what that means.
    pub(crate) is_none: bool,
    /// The life it asks for; zero asks for none.
    pub(crate) ttl: Duration,
}

/// Draws a life. The event says why there is none.
pub(crate) fn draw(policy: &Policy, about: About) -> Result<Duration, Event> {
    let most = match policy.none_for {
        Some(span) if about.is_none => span,
        _ => Duration::MAX,
    };
    if most.is_zero() {
        return Err(Event::NoneSkipped);
    }
    let life = policy.draw(about.ttl, most, &mut rand::rng());
    if life.is_zero() { Err(Event::TtlZero) } else { Ok(life) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Policy = Policy::ttl(Duration::from_secs(60));

    fn life(policy: Policy, is_none: bool, ttl: u64) -> Result<u64, Event> {
        let about = About { is_none, ttl: Duration::from_secs(ttl) };
        draw(&policy, about).map(|life| life.as_secs())
    }

    #[test]
    fn a_none_lives_its_own_span_and_never_longer_than_another_value() {
        let none_for = |secs| MINUTE.none_for(Duration::from_secs(secs));
        assert_eq!(life(MINUTE, true, 60), Ok(60), "untold, it is a value like any other");
        assert_eq!(life(none_for(5), true, 60), Ok(5));
        assert_eq!(life(none_for(5), false, 60), Ok(60));
        assert_eq!(life(none_for(90), true, 60), Ok(60));
        assert_eq!(life(none_for(5), true, 3), Ok(3), "the value's own ttl is shorter");
        assert_eq!(life(none_for(0), true, 60), Err(Event::NoneSkipped));
        assert_eq!(life(none_for(0), false, 60), Ok(60));
    }

    #[test]
    fn the_ttl_is_the_ceiling_of_what_a_value_asks_for() {
        assert_eq!(life(MINUTE, false, 7), Ok(7));
        assert_eq!(life(MINUTE, false, 61), Ok(60));
        assert_eq!(life(MINUTE, false, u64::MAX), Ok(60));
        assert_eq!(life(MINUTE, false, 0), Err(Event::TtlZero));
        assert_eq!(life(Policy::ttl(Duration::ZERO), false, 7), Err(Event::TtlZero));
    }

    #[test]
    fn jitter_spreads_around_what_was_asked_for_and_stays_below_the_span_of_a_none() {
        let jittered = MINUTE.jitter(Duration::from_secs(20)).none_for(Duration::from_secs(30));
        let spread = |is_none, ttl| {
            let about = About { is_none, ttl: Duration::from_secs(ttl) };
            let lives = (0..2000).map(|_| draw(&jittered, about).unwrap().as_secs_f64());
            let (low, high) = lives
                .fold((f64::MAX, 0.0_f64), |(low, high), life| (low.min(life), high.max(life)));
            (low.round() as u64, high.round() as u64)
        };
        assert_eq!(spread(false, 90), (40, 80), "around the ceiling");
        assert_eq!(spread(false, 40), (20, 60), "around what was asked for");
        assert_eq!(spread(false, 10), (1, 20), "no wider than it");
        assert_eq!(spread(true, 90), (10, 30), "a None: 30 s at most");
    }
}
