use super::*;
use rand::{RngExt as _, SeedableRng as _, rngs::StdRng};

const START: Timestamp = Timestamp::from_micros(1_000_000_000_000);

fn secs(s: f64) -> Duration {
    Duration::from_secs_f64(s)
}

fn entry(fresh_for: f64, cost: f64) -> Times {
    Times {
        begun: START,
        stored: START,
        fresh_for: secs(fresh_for),
        grace: secs(60.0),
        stale_if_error: secs(600.0),
        cost: Some(secs(cost)),
    }
}

fn at(age: f64) -> Timestamp {
    START.after(secs(age))
}

#[test]
fn an_entry_is_fresh_then_stale_then_a_last_resort_then_gone() {
    let policy = Policy::ttl(secs(10.0)).swr().grace(secs(60.0)).stale_if_error(secs(600.0));
    let stands = |age| entry(10.0, 1.0).freshness(&policy, at(age));
    assert_eq!(stands(0.0), Freshness::Fresh);
    assert_eq!(stands(9.999), Freshness::Fresh);
    assert_eq!(stands(10.0), Freshness::Stale);
    assert_eq!(stands(69.9), Freshness::Stale);
    assert_eq!(stands(70.1), Freshness::LastResort);
    assert_eq!(stands(609.9), Freshness::LastResort);
    assert_eq!(stands(610.0), Freshness::Gone);
}

#[test]
fn a_stamp_ahead_of_now_has_age_zero() {
    let times = entry(10.0, 1.0);
    assert_eq!(times.age(START.before(secs(5.0))), Duration::ZERO);
    assert_eq!(
        times.freshness(&Policy::ttl(secs(10.0)), START.before(secs(5.0))),
        Freshness::Fresh
    );
}

#[test]
fn a_shorter_policy_works_at_once_and_a_longer_one_does_not_revive() {
    let times = entry(10.0, 1.0);
    let shorter = Policy::ttl(secs(2.0)).grace(secs(1.0));
    assert_eq!(times.freshness(&shorter, at(2.5)), Freshness::Stale);
    assert_eq!(times.freshness(&shorter, at(3.5)), Freshness::Gone);
    let longer = Policy::ttl(secs(100.0));
    assert_eq!(times.freshness(&longer, at(10.5)), Freshness::Gone);
}

#[test]
fn lock_and_swr_never_refresh_a_fresh_entry() {
    for policy in [Policy::ttl(secs(25.0)), Policy::ttl(secs(25.0)).swr().grace(secs(60.0))] {
        let decision = decide(&policy, &entry(25.0, 5.0), at(24.999), || 1e-300);
        assert_eq!(decision, Decision::Serve);
    }
}

#[test]
fn ahead_refreshes_within_twice_the_cost() {
    let policy = Policy::ttl(secs(100.0)).ahead();
    let decision = |age| decide(&policy, &entry(100.0, 2.0), at(age), || unreachable!("no coin"));
    assert_eq!(decision(95.9), Decision::Serve);
    assert_eq!(decision(96.0), Decision::Refresh { stale: false });
    assert_eq!(decision(100.0), Decision::Load);
}

#[test]
fn no_early_refresh_before_the_last_fifth_or_without_a_known_cost() {
    let policy = Policy::ttl(secs(100.0)).ahead();
    let slow = entry(100.0, 90.0);
    assert_eq!(decide(&policy, &slow, at(79.9), || 0.0), Decision::Serve);
    assert_eq!(decide(&policy, &slow, at(80.0), || 0.0), Decision::Refresh { stale: false });
    let unknown = Times { cost: None, ..entry(100.0, 1.0) };
    assert_eq!(decide(&policy, &unknown, at(99.9), || 0.0), Decision::Serve);
}

#[test]
fn xfetch_draws_match_the_formula_within_four_sigma() {
    const DRAWS: u32 = 40_000;
    for (beta, cost) in [(1.0, 1.0), (0.5, 2.0), (2.0, 0.5), (1.0, 0.000_01)] {
        let policy = Policy::ttl(secs(50.0)).xfetch(beta);
        for remaining in [0.000_5, 0.002, 0.1, 0.5, 1.0, 3.0, 9.9, 10.1, 30.0] {
            let mut rng = StdRng::seed_from_u64(7);
            let now = at(50.0 - remaining);
            let hits = (0..DRAWS)
                .filter(|_| {
                    let draw = 1.0 - rng.random::<f64>();
                    decide(&policy, &entry(50.0, cost), now, || draw) != Decision::Serve
                })
                .count();
            let lead = beta * f64::max(cost, 0.001);
            let p = if remaining <= 10.0 { (-remaining / lead).exp() } else { 0.0 };
            let sigma = (p * (1.0 - p) / f64::from(DRAWS)).sqrt();
            let seen = hits as f64 / f64::from(DRAWS);
            assert!(
                (seen - p).abs() <= 4.0 * sigma + 1e-9,
                "β {beta} u {remaining}: {seen} vs {p}"
            );
        }
    }
}

#[test]
fn the_ends_of_the_draw_do_not_panic() {
    let policy = Policy::ttl(secs(50.0)).xfetch(1.0);
    let decision = |draw| decide(&policy, &entry(50.0, 1.0), at(45.0), || draw);
    assert_eq!(decision(0.0), Decision::Refresh { stale: false });
    assert_eq!(decision(f64::from_bits(1)), Decision::Refresh { stale: false });
    assert_eq!(decision(1.0), Decision::Serve);
}

fn draws(policy: Policy) -> Vec<f64> {
    let mut rng = StdRng::seed_from_u64(11);
    (0..10_000).map(|_| policy.draw_life(&mut rng).as_secs_f64()).collect()
}

#[test]
fn jitter_is_uniform_over_its_whole_range() {
    for (ttl, jitter, low, high) in
        [(300.0, 300.0, 30.0, 600.0), (300.0, 60.0, 240.0, 360.0), (10.0, 99.0, 1.0, 20.0)]
    {
        let lives = draws(Policy::ttl(secs(ttl)).jittered().jitter(secs(jitter)));
        let (min, max) =
            lives.iter().fold((f64::MAX, 0.0_f64), |(a, b), &life| (a.min(life), b.max(life)));
        let width = high - low;
        assert!(min >= low && min <= low + width * 0.02, "{min} not near {low}");
        assert!(max <= high && max >= high - width * 0.02, "{max} not near {high}");
        let mut bins = [0_u32; 10];
        for life in &lives {
            bins[(((life - low) / width * 10.0) as usize).min(9)] += 1;
        }
        let chi2: f64 = bins.iter().map(|&n| (f64::from(n) - 1000.0).powi(2) / 1000.0).sum();
        assert!(chi2 < 27.9, "χ² {chi2} over 9 degrees of freedom"); // p = 0.001
    }
}

#[test]
fn extreme_spans_neither_panic_nor_vanish() {
    let mut rng = StdRng::seed_from_u64(1);
    for ttl in [Duration::from_nanos(1), Duration::from_micros(999), Duration::from_millis(500)] {
        let life = Policy::ttl(ttl).jitter(ttl).draw_life(&mut rng);
        assert!(life <= ttl * 2);
    }
    let all = Policy::ttl(Duration::MAX).jitter(Duration::MAX).grace(Duration::MAX);
    let life = all.draw_life(&mut rng);
    let times = Times { fresh_for: life, grace: Duration::MAX, ..entry(1.0, 1.0) };
    assert_eq!(decide(&all, &times, at(5.0), || 0.5), Decision::Serve);
}

#[test]
fn cost_forgets_by_a_quarter() {
    assert_eq!(smooth(None, secs(2.0)), secs(2.0));
    assert_eq!(smooth(Some(secs(2.0)), secs(4.0)), secs(2.5));
}
