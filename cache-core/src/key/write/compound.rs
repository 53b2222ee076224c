//! What has parts: in the order they come, or sorted.

use serde::ser::{self, Serialize};

use super::{Failed, Writer, argument};

/// Values in the order they come.
pub(super) struct Items<'a> {
    out: &'a mut String,
    close: &'static str,
    first: bool,
}

impl<'a> Items<'a> {
    pub(super) fn new(out: &'a mut String, close: &'static str) -> Self {
        Self { out, close, first: true }
    }

    pub(super) fn push<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.comma();
        argument(self.out, value)
    }

    fn field<T: Serialize + ?Sized>(&mut self, name: &str, value: &T) -> Result<(), Failed> {
        self.comma();
        Writer { out: self.out }.name(name)?;
        self.out.push('=');
        argument(self.out, value)
    }

    fn comma(&mut self) {
        if !std::mem::replace(&mut self.first, false) {
            self.out.push(',');
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

/// Pairs of a map, sorted before they are written: iteration order must not make a key.
pub(super) struct Sorted<'a> {
    out: &'a mut String,
    pairs: Vec<(String, String)>,
    key: String,
}

impl<'a> Sorted<'a> {
    pub(super) fn new(out: &'a mut String) -> Self {
        Self { out, pairs: Vec::new(), key: String::new() }
    }
}

impl ser::SerializeMap for Sorted<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        self.key.clear();
        argument(&mut self.key, key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        let mut text = String::new();
        argument(&mut text, value)?;
        self.pairs.push((std::mem::take(&mut self.key), text));
        Ok(())
    }

    fn end(mut self) -> Result<(), Failed> {
        self.pairs.sort_unstable();
        let mut items = Writer { out: self.out }.open("", "<", ">")?;
        for (key, value) in &self.pairs {
            items.comma();
            items.out.push_str(key);
            items.out.push('=');
            items.out.push_str(value);
        }
        items.finish()
    }
}
