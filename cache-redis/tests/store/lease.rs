use std::collections::HashSet;
use std::time::Duration;

use cache_core::store::{Begin, Load, Mark, Next, Store as _, Token};

use crate::support::{KEY, MINUTE, begin, lab};

/// Asks all at once. Answers who leads, and every (holder, takeovers) the others were told.
async fn race(
    lab: &crate::support::Lab,
    begins: Vec<Begin>,
) -> (Vec<Token>, HashSet<(Token, u32)>) {
    let tasks: Vec<_> = begins
        .into_iter()
        .map(|begin| {
            let store = lab.store.clone();
            tokio::spawn(async move { (begin.token, store.begin(KEY, begin).await.unwrap().next) })
        })
        .collect();
    let (mut leaders, mut told) = (Vec::new(), HashSet::new());
    for task in tasks {
        match task.await.unwrap() {
            (token, Next::Lead { leased: true, .. }) => leaders.push(token),
            (_, Next::Held { by, takeovers, lapses }) => {
                assert!(lapses <= MINUTE);
                told.insert((by, takeovers));
            }
            (_, next) => panic!("{next:?}"),
        }
    }
    (leaders, told)
}

#[tokio::test]
async fn one_of_eight_gets_the_lease() {
    let lab = lab().await;
    let (leaders, told) = race(&lab, (0..8).map(|_| begin()).collect()).await;
    assert_eq!(leaders.len(), 1);
    assert_eq!(told, HashSet::from([(leaders[0], 0)]));
}

#[tokio::test]
async fn one_of_eight_takes_over() {
    let lab = lab().await;
    let stuck = lab.lead().await;
    let over = || Begin { over: Some(stuck.token), ..begin() };
    let (leaders, told) = race(&lab, (0..8).map(|_| over()).collect()).await;
    assert_eq!(leaders.len(), 1);
    assert_eq!(told, HashSet::from([(leaders[0], 1)]));

    let next = Begin { over: Some(leaders[0]), ..begin() };
    assert!(lab.load(next).await.1);
    let Next::Held { by, takeovers, .. } = lab.begin(begin()).await.next else { panic!() };
    assert_eq!((by, takeovers), (next.token, 2));
}

#[tokio::test]
async fn release_needs_the_token() {
    let lab = lab().await;
    let load = lab.lead().await;
    let other = Load { token: Token::fresh(), ..load };
    lab.store.abandon(KEY, other, Mark::Nothing).await.unwrap();
    assert!(matches!(lab.begin(begin()).await.next, Next::Held { by, .. } if by == load.token));
    lab.store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    lab.lead().await;
}

#[tokio::test]
async fn a_lapsed_lease_is_taken_again_under_the_same_generation() {
    let mut lab = lab().await;
    let load = lab.lead().await;
    assert!(lab.store.renew(KEY, load, MINUTE).await.unwrap());

    let lease = format!("{KEY}:lease");
    lab.raw::<()>(&format!("DEL {lease}")).await;
    assert!(lab.store.renew(KEY, load, MINUTE).await.unwrap());
    assert!(matches!(lab.begin(begin()).await.next, Next::Held { by, .. } if by == load.token));

    lab.store.invalidate(KEY).await.unwrap();
    assert!(!lab.store.renew(KEY, load, MINUTE).await.unwrap());
    let left: i64 = lab.raw(&format!("EXISTS {lease}")).await;
    assert_eq!(left, 0);
}

#[tokio::test]
async fn renewal_extends_what_is_ours_and_nothing_else() {
    let mut lab = lab().await;
    let short = Begin { lease: Duration::from_secs(20), ..begin() };
    let (load, _) = lab.load(short).await;
    assert!(lab.store.renew(KEY, load, MINUTE).await.unwrap());
    for part in ["lease", "load"] {
        let left: u64 = lab.raw(&format!("PTTL {KEY}:{part}")).await;
        assert!((21_000..=60_000).contains(&left), "{part}: {left}");
    }

    let stranger = Load { token: Token::fresh(), ..load };
    assert!(!lab.store.renew(KEY, stranger, MINUTE).await.unwrap());

    lab.store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    let unleased = Load { leased: false, ..load };
    assert!(lab.store.renew(KEY, unleased, MINUTE).await.unwrap());
    lab.lead().await;
}

#[tokio::test]
async fn a_lease_that_cannot_lapse_holds_nobody_up() {
    let mut lab = lab().await;
    lab.raw::<()>(&format!("SET {KEY}:lease {}:0", Token::fresh())).await;
    let load = lab.lead().await;
    lab.store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    lab.raw::<()>(&format!("RPUSH {KEY}:lease x")).await;
    lab.lead().await;
}

#[tokio::test]
async fn loads_that_overlap_are_counted() {
    let mut lab = lab().await;
    let unlocked = || Begin { exclusive: false, ..begin() };
    let mut loads = Vec::new();
    for expected in 1..=3 {
        let ask = unlocked();
        let begun = lab.begin(ask).await;
        let Next::Lead { leased, running } = begun.next else { panic!("{:?}", begun.next) };
        assert_eq!((leased, running), (false, expected));
        let (token, generation) = (ask.token, begun.generation);
        loads.push(Load { token, generation, begun: begun.time, leased });
    }
    lab.store.abandon(KEY, loads[0], Mark::Nothing).await.unwrap();
    lab.store.abandon(KEY, loads[0], Mark::Nothing).await.unwrap();
    let running: i64 = lab.raw(&format!("ZCARD {KEY}:load")).await;
    assert_eq!(running, 2, "counted out once, however often it says so");
    for load in loads {
        lab.store.abandon(KEY, load, Mark::Nothing).await.unwrap();
    }
    let left: i64 = lab.raw(&format!("EXISTS {KEY}:load")).await;
    assert_eq!(left, 0);
}
