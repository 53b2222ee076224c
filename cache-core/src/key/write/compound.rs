//! What has parts in an order that means something.

use serde::ser::{self, Serialize};

use super::text::Text;
use super::{Failed, Writer, argument};

/// Values in the order they come.
pub(super) struct Items<'a> {
    out: &'a mut Text,
    close: &'static str,
    first: bool,
}

impl<'a> Items<'a> {
    pub(super) fn new(out: &'a mut Text, close: &'static str) -> Self {
        Self { out, close, first: true }
    }

    pub(super) fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.comma();
        argument(self.out, value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Failed> {
        self.comma();
        Writer { out: self.out }.name(name);
        self.out.push_str("=");
        argument(self.out, value)
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push_str(",");
        }
    }

    #[expect(clippy::unnecessary_wraps, reason = "the shape of serde's `end`")]
    pub(super) fn finish(self) -> Result<(), Failed> {
        self.out.push_str(self.close);
        Ok(())
    }
}

macro_rules! in_order {
    ($($role:ident: $method:ident),*) => {$(
        impl ser::$role for Items<'_> {
            type Ok = ();
            type Error = Failed;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
                self.push(value)
            }
            fn end(self) -> Result<(), Failed> {
                self.finish()
            }
        }
    )*};
}
in_order!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

macro_rules! by_name {
    ($($role:ident),*) => {$(
        impl ser::$role for Items<'_> {
            type Ok = ();
            type Error = Failed;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Failed> {
                self.field(name, value)
            }
            fn end(self) -> Result<(), Failed> {
                self.finish()
            }
        }
    )*};
}
by_name!(SerializeStruct, SerializeStructVariant);
