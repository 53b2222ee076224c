//! The complete list of names generated code may use. Exempt from semver.

pub use cache_core::private::*;
