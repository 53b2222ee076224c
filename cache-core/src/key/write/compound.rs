//! What has parts: in the order they come, or sorted.

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

/// Entries of a map or elements of a set, sorted before they are written: iteration order must not
/// make a key. To be sorted they are all held as text, whatever its length.
pub(super) struct Sorted<'a> {
    out: &'a mut Text,
    brackets: [&'static str; 2],
    written: Text,
    entries: Vec<Entry>,
}

/// Where an entry stands in the written text. A set has keys only.
#[derive(Clone, Copy)]
struct Entry {
    start: usize,
    key: usize,
    end: usize,
}

impl<'a> Sorted<'a> {
    pub(super) fn map(out: &'a mut Text) -> Self {
        Self { out, brackets: ["<", ">"], written: Text::unlimited(), entries: Vec::new() }
    }

    pub(super) fn set(out: &'a mut Text) -> Self {
        Self { brackets: ["[", "]"], ..Self::map(out) }
    }

    pub(super) fn push<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        let start = self.written.len();
        argument(&mut self.written, key)?;
        let end = self.written.len();
        self.entries.push(Entry { start, key: end, end });
        Ok(())
    }

    pub(super) fn finish(self) -> Result<(), Failed> {
        let Self { out, brackets: [open, close], written, mut entries } = self;
        let written = written.as_str();
        let parts = |Entry { start, key, end }| (&written[start..key], &written[key..end]);
        entries.sort_unstable_by(|&one, &other| parts(one).cmp(&parts(other)));
        let mut items = Writer { out }.open("", open, close);
        for Entry { start, end, .. } in entries {
            items.comma();
            items.out.push_str(&written[start..end]);
        }
        items.finish()
    }
}

impl ser::SerializeMap for Sorted<'_> {
    type Ok = ();
    type Error = Failed;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Failed> {
        self.push(key)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Failed> {
        self.written.push_str("=");
        argument(&mut self.written, value)?;
        // Serde demands a key before each value; without one this value is never written.
        self.entries.last_mut().ok_or(Failed)?.end = self.written.len();
        Ok(())
    }

    fn end(self) -> Result<(), Failed> {
        self.finish()
    }
}
