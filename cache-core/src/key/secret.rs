//! What turns the digest of a secret argument into one that nobody outside can guess.

use std::fmt;

/// Changing it changes every key with such a digest: a cold start for their values.
const CONTEXT: &str = "herdless 2026-11-30 digests of secret arguments in keys";

/// A key for digests, derived from the secret of a [`CacheBuilder`](crate::CacheBuilder).
#[derive(Clone)]
pub(crate) struct KeySecret([u8; blake3::KEY_LEN]);

impl KeySecret {
    pub(crate) fn new(secret: &[u8]) -> Self {
        Self(blake3::derive_key(CONTEXT, secret))
    }

    /// The keyed form of a digest.
    pub(super) fn seal(&self, digest: &str) -> blake3::Hash {
        blake3::keyed_hash(&self.0, digest.as_bytes())
    }
}

impl fmt::Debug for KeySecret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeySecret(..)")
    }
}
