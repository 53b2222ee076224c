//! Recursion, mutual recursion and task-local values, under every strategy.

use std::time::Duration;

use herdless::{Cache, Clock, Event, Kind, with_cache};

/// The same functions under other settings: `$refreshes` is how many loads a second round costs
/// when every value is ten seconds over.
macro_rules! recursive {
    ($strategy:ident, $refreshes:expr, $($setting:tt)*) => {
        mod $strategy {
            use super::*;
            use herdless::cached;

            use crate::{Loads, loads, send, twice_and_other};

            static FACTORIAL: Loads = Loads::new();
            static EVEN: Loads = Loads::new();
            static ODD: Loads = Loads::new();

            #[cached(ttl = 300, $($setting)*)]
            async fn factorial(n: u64) -> u64 {
                FACTORIAL.add();
                if n == 0 { 1 } else { n * Box::pin(factorial(n - 1)).await }
            }

            #[cached(ttl = 300, $($setting)*)]
            async fn is_even(n: u64) -> bool {
                EVEN.add();
                n == 0 || Box::pin(is_odd(n - 1)).await
            }

            #[cached(ttl = 300, $($setting)*)]
            async fn is_odd(n: u64) -> bool {
                ODD.add();
                n != 0 && Box::pin(is_even(n - 1)).await
            }

            struct Tree(u64);

            impl Tree {
                #[cached(ttl = 300, key = "{self.0}:{n}", $($setting)*)]
                async fn depth(&self, n: u64) -> u64 {
                    if n == 0 { self.0 } else { 1 + Box::pin(self.depth(n - 1)).await }
                }
            }

            #[tokio::test]
            async fn recursion() {
                let clock = Clock::manual();
                let cache = Cache::builder().clock(clock.clone()).build();
                let scope = async {
                    twice_and_other!(send(factorial(5)) => 120, factorial(6) => 720);
                    loads(7, &FACTORIAL);
                    twice_and_other!(is_even(4) => true, is_even(5) => false);
                    assert_eq!((EVEN.get(), ODD.get()), (6, 5));
                    twice_and_other!(Tree(0).depth(3) => 3, Tree(1).depth(3) => 4);
                    clock.advance(Duration::from_secs(310));
                    twice_and_other!(send(factorial(5)) => 120, factorial(6) => 720);
                    twice_and_other!(is_even(4) => true, is_even(5) => false);
                    twice_and_other!(Tree(0).depth(3) => 3, Tree(1).depth(3) => 4);
                    crate::eventually(|| cache.flights() == 0).await;
                    let refreshed = FACTORIAL.get() - 7;
                    assert!($refreshes.contains(&refreshed), "{refreshed}");
                };
                let guarded = with_cache(cache.clone(), scope);
                tokio::time::timeout(Duration::from_secs(60), guarded).await.expect("it hangs");
            }
        }
    };
}

recursive!(lock, 7..=7,);
recursive!(xfetch, 7..=7, strategy = "xfetch");
recursive!(ahead, 7..=7, strategy = "ahead");
recursive!(swr, 2..=7, strategy = "swr", grace = 600, reason = "a test");
recursive!(jitter, 1..=7, strategy = "jitter", jitter = 10, reason = "a test");
recursive!(one_at_a_time, 7..=7, concurrency = 1);
recursive!(one_xfetch, 7..=7, strategy = "xfetch", concurrency = 1);
recursive!(one_ahead, 7..=7, strategy = "ahead", concurrency = 1);
recursive!(one_swr, 1..=7, strategy = "swr", grace = 600, reason = "a test", concurrency = 1);
recursive!(one_jitter, 1..=7, strategy = "jitter", jitter = 10, reason = "a test", concurrency = 1);
recursive!(stays, 7..=7, detach = false, refresh = "inline");

// M01: a refresh that could outlive the caller of a function with borrowed arguments.
mod borrowed {
    use super::*;
    use herdless::cached;

    use crate::{Loads, eventually, loads};

    static HERE: Loads = Loads::new();
    static COPIED: Loads = Loads::new();

    #[cached(ttl = 10, strategy = "swr", grace = 600, reason = "a test")]
    async fn here(region: &str, note: Option<&str>) -> usize {
        HERE.add();
        tokio::task::yield_now().await;
        region.len() + note.map_or(0, |note| note.len() + 10) + 100 * HERE.get()
    }

    #[cached(ttl = 10, strategy = "swr", grace = 600, reason = "a test", detach)]
    async fn copied(region: &str, tags: &[String]) -> usize {
        COPIED.add();
        tokio::task::yield_now().await;
        region.len() + tags.len() + 100 * COPIED.get()
    }

    /// Locals that are gone when the call is over.
    async fn of_locals(cache: &Cache, copies: bool) -> (usize, Kind) {
        let (region, tags) = (String::from("eu"), vec![String::from("a")]);
        let (value, how) = if copies {
            with_cache(cache.clone(), copied(&region, &tags).with_outcome()).await
        } else {
            with_cache(cache.clone(), here(&region, None).with_outcome()).await
        };
        (value, how.kind)
    }

    #[tokio::test]
    async fn in_the_call() {
        let clock = Clock::manual();
        let cache = Cache::builder().clock(clock.clone()).build();
        assert_eq!(of_locals(&cache, false).await, (102, Kind::Computed));
        assert_eq!(of_locals(&cache, false).await, (102, Kind::Hit));
        assert_eq!(with_cache(cache.clone(), here("eu", Some(""))).await, 212);
        clock.advance(Duration::from_secs(20));
        assert_eq!(of_locals(&cache, false).await, (302, Kind::Computed));
        loads(3, &HERE);
    }

    #[tokio::test]
    async fn behind_the_call() {
        let clock = Clock::manual();
        let cache = Cache::builder().clock(clock.clone()).build();
        assert_eq!(of_locals(&cache, true).await, (103, Kind::Computed));
        clock.advance(Duration::from_secs(20));
        assert_eq!(of_locals(&cache, true).await, (103, Kind::Stale));
        eventually(|| cache.flights() == 0 && COPIED.get() == 2).await;
        assert_eq!(of_locals(&cache, true).await, (203, Kind::Hit));
        loads(2, &COPIED);
    }
}

/// Task-local values: a load by its caller sees them, a background refresh does not.
mod task_locals {
    use super::*;
    use herdless::cached;

    use crate::{Loads, eventually, loads};

    tokio::task_local! {
        static TENANT: u32;
    }
    static TENANTS: Loads = Loads::new();
    static PLAIN: Loads = Loads::new();

    #[cached(ttl = 10, strategy = "swr", grace = 600, reason = "a test")]
    async fn of_tenant(id: u32) -> u32 {
        TENANTS.add();
        tokio::task::yield_now().await;
        TENANT.get() + id
    }

    #[cached(ttl = 10)]
    async fn locked(id: u32) -> u32 {
        PLAIN.add();
        tokio::task::yield_now().await;
        TENANT.get() + id
    }

    #[tokio::test]
    async fn under_lock() {
        let scope = TENANT.scope(40, async {
            crate::twice_and_other!(locked(2) => 42, locked(3) => 43);
        });
        scope.await;
        loads(2, &PLAIN);
    }

    #[tokio::test]
    async fn under_swr_the_refresh_moves_into_the_call() {
        let clock = Clock::manual();
        let cache = Cache::builder().clock(clock.clone()).build();
        let call = async |tenant, id| {
            let call = of_tenant(id).with_outcome();
            let (value, how) = with_cache(cache.clone(), TENANT.scope(tenant, call)).await;
            (value, how.kind)
        };
        assert_eq!(call(40, 2).await, (42, Kind::Computed));
        assert_eq!(call(40, 3).await, (43, Kind::Computed));
        clock.advance(Duration::from_secs(20));
        // The refresh panics in its own task; the caller has its stale value.
        assert_eq!(call(50, 2).await, (42, Kind::Stale));
        eventually(|| cache.count(Event::LoadPanicked) == 1 && cache.flights() == 0).await;
        loads(3, &TENANTS);
        // From now on the call that finds it due runs it, where the value can be seen.
        assert_eq!(call(60, 3).await, (63, Kind::Computed));
        assert_eq!(call(70, 3).await, (63, Kind::Hit));
        loads(4, &TENANTS);
        assert_eq!(cache.count(Event::LoadPanicked), 1);
    }
}
