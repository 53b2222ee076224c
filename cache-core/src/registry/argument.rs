//! What a function says of its parameters.

/// One parameter of a cached function.
#[derive(Debug, Clone, Copy)]
pub struct Argument {
    pub(crate) name: &'static str,
    pub(crate) ty: &'static str,
    pub(crate) role: Role,
    pub(crate) parts: &'static [&'static str],
}

/// What a parameter does for the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// It stands there.
    Key,
    /// It stands there although its name is one of a secret.
    Plain,
    /// Its digest stands there.
    Hash,
    /// It is left out.
    Skip,
}

impl Argument {
    /// A parameter by its name and type as written.
    #[must_use]
    pub const fn new(name: &'static str, ty: &'static str, role: Role) -> Self {
        Self { name, ty, role, parts: &[] }
    }

    /// Only these of its fields stand in the key.
    #[must_use]
    pub const fn parts(mut self, parts: &'static [&'static str]) -> Self {
        self.parts = parts;
        self
    }
}
