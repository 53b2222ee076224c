//! Collections without an order.

use std::collections::{BTreeSet, BinaryHeap, HashSet};

use super::*;

#[derive(Serialize)]
#[serde(transparent)]
struct Transparent<T>(T);

#[derive(Serialize)]
struct Newtype<T>(T);

#[derive(Serialize)]
enum Either<T> {
    List { of: T },
    One(T),
}

/// Sets of another order each: every one is hashed by its own random state.
fn set(order: impl Iterator<Item = u32>) -> HashSet<u32> {
    order.collect()
}

fn shuffled(round: u32) -> impl Iterator<Item = u32> {
    (0..40).map(move |n| (n * 7 + round) % 40)
}

#[test]
fn sets_do_not_depend_on_their_order_at_any_depth() {
    let everywhere = |round: u32| {
        let one = || set(shuffled(round));
        let apart = hashbrown::HashSet::<u32>::from_iter(shuffled(round));
        let inner = HashMap::from([("a", vec![one(), HashSet::new()]), ("b", vec![one()])]);
        text((
            (one(), Box::new(Newtype(one())), Transparent(Transparent(Some(one())))),
            (
                Either::List { of: one() },
                Either::One(apart),
                BinaryHeap::from_iter(shuffled(round)),
            ),
            (Box::new(inner), vec![one()].into_iter().map(Transparent).collect::<Vec<_>>()),
        ))
    };
    let reference = everywhere(0);
    for round in 1..=100 {
        assert_eq!(everywhere(round), reference, "round {round}");
    }
}

#[test]
fn a_set_is_its_elements_sorted_as_they_are_written() {
    assert_eq!(text(HashSet::from([10, 9, 1])), "([1,10,9])");
    assert_eq!(text(HashSet::<u8>::new()), "([])");
    assert_eq!(text(HashSet::from([vec![2, 1], vec![]])), "([[2,1],[]])");
    assert_eq!(text(BinaryHeap::from([2, 1, 2])), "([1,2,2])");
    assert_ne!(text(BinaryHeap::from([2, 1, 2])), text(BinaryHeap::from([2, 1, 1])));
    assert_ne!(text(HashSet::from(["a", "b"])), text(HashSet::from(["a,b"])));
}

#[test]
fn iterators_over_sets_and_maps_have_no_order_either() {
    struct Names<'a>(&'a HashMap<u32, u32>, &'a HashSet<u32>);
    impl Serialize for Names<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            if self.1.is_empty() {
                serializer.collect_seq(self.0.keys())
            } else {
                serializer.collect_seq(self.1.iter())
            }
        }
    }
    let reference = text(BTreeSet::from_iter(0..10));
    for _ in 0..20 {
        let map: HashMap<_, _> = (0..10).map(|n| (n, n)).collect();
        assert_eq!(text(Names(&map, &HashSet::new())), reference);
        assert_eq!(text(Names(&map, &set(0..10))), reference);
    }
}

#[test]
fn what_has_an_order_keeps_it() {
    assert_eq!(text(vec![2, 1]), "([2,1])");
    assert_eq!(text(std::collections::VecDeque::from([2, 1])), "([2,1])");
    assert_eq!(text(std::collections::LinkedList::from([2, 1])), "([2,1])");
    assert_eq!(text(BTreeSet::from([2, 10, 1])), "([1,2,10])");
    assert_eq!(text(vec![HashSet::from([2]), HashSet::from([1])]), "([[2],[1]])");
}
