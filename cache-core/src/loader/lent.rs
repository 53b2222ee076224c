//! Borrowed arguments of a load that may leave its caller: copied, or refused in words.

/// A borrowed argument, to be asked for a copy: its own method beats that of [`CannotCopy`].
#[derive(Debug)]
pub struct LentArgument<'a, T: ?Sized>(pub &'a T);

impl<T: ToOwned + ?Sized> LentArgument<'_, T> {
    /// The copy.
    #[must_use]
    pub fn copied(&self) -> T::Owned {
        self.0.to_owned()
    }
}

/// Nothing implements it.
#[diagnostic::on_unimplemented(
    message = "`detach = true` copies borrowed arguments, and `{Self}` is not `Clone`",
    label = "cannot be copied",
    note = "add `#[derive(Clone)]`, or take the argument by value, or leave `detach` out"
)]
pub trait CopyArgument {}

/// Chosen where there is no copy. What it gives is good for all that follows.
pub trait CannotCopy<T: ?Sized> {
    /// Refused.
    fn copied(&self) -> Box<T>
    where
        T: CopyArgument;
}

impl<T: ?Sized> CannotCopy<T> for LentArgument<'_, T> {
    fn copied(&self) -> Box<T>
    where
        T: CopyArgument,
    {
        unreachable!("a program with a refused argument does not compile")
    }
}
