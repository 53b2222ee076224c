//! Which sequences have an order that means something.

use std::any::type_name;

/// Modules whose collections, and iterators over them, come in an order of no meaning: another
/// process sees another one. The compiler's names for them are not promised for ever; where one
/// changes, equal sets get unequal keys (a miss, never a wrong value) and a test fails.
const UNORDERED: [&str; 5] = [
    "std::collections::hash::set::",
    "std::collections::hash::map::",
    "hashbrown::set::",
    "hashbrown::map::",
    "alloc::collections::binary_heap::",
];

/// Whether `I`, as serde's `collect_seq` gets it, is one of them. Serde tells a serializer no more
/// of a set than its type.
pub(super) fn is_meaningless<I>() -> bool {
    let name = type_name::<I>().trim_start_matches('&');
    UNORDERED.iter().any(|module| name.starts_with(module))
}
