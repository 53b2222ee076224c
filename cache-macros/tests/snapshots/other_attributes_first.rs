#[tracing::instrument(skip(self))]
#[::herdless::cached(__last, ttl = 300, skip(self))]
/// Finds.
#[must_use]
pub async fn find(&self) -> u32 {
    1
}
