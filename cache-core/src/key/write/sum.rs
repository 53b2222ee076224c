//! A digest of many texts that does not depend on their order.

/// Numbers of a sum. With 64 bits each it is as large as published sums of this kind (LtHash, 2 KiB,
/// 200 bits of security). Wider numbers than theirs: an element may come any number of times, and
/// 65536 times something must not be nothing.
const NUMBERS: usize = 256;

const BYTES: usize = NUMBERS * size_of::<u64>();

/// Tells what is drawn from the digest of an entry from whatever else is made of it. Changing it
/// changes the key of every large map: a cold start for their values.
const CONTEXT: &[u8] = b"herdless 2026-12-01 sum of the entries of a map";

/// Each text is spread over all numbers, as if they were drawn at random, and these are added up. Who
/// wants two lists of texts with one sum has to find short vectors in a lattice of many dimensions.
/// (A sum or exclusive-or of the digests themselves would be too narrow for that: with enough texts
/// to choose from, equal ones are found by solving linear equations.)
pub(super) struct Sum {
    numbers: Box<[u64; NUMBERS]>,
    count: u64,
}

impl Default for Sum {
    fn default() -> Self {
        Self { numbers: Box::new([0; NUMBERS]), count: 0 }
    }
}

impl Sum {
    /// One more text, by its digest.
    pub(super) fn add(&mut self, digest: &blake3::Hash) {
        let mut spread = [0; BYTES];
        let mut hasher = blake3::Hasher::new_keyed(digest.as_bytes());
        hasher.update(CONTEXT).finalize_xof().fill(&mut spread);
        let (parts, _) = spread.as_chunks();
        for (number, part) in self.numbers.iter_mut().zip(parts) {
            *number = number.wrapping_add(u64::from_le_bytes(*part));
        }
        self.count += 1;
    }

    pub(super) fn digest(&self) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&self.count.to_le_bytes());
        for number in &*self.numbers {
            hasher.update(&number.to_le_bytes());
        }
        hasher.finalize()
    }
}
