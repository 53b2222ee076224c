//! A serde serializer whose text is one-to-one for the values of one type.
//!
//! Numbers are bare, text is quoted and escaped, every collection and every variant has brackets
//! of its own, maps are sorted by their written keys.

mod compound;

use std::fmt;
use std::fmt::Write as _;

use serde::ser::{self, Serialize};

use compound::{Items, Sorted};

/// Writes `text` so that it cannot end or imitate a hash tag, nor be mistaken for an escape.
pub(super) fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '{' => out.push_str("%7B"),
            '}' => out.push_str("%7D"),
            '%' => out.push_str("%25"),
            c => out.push(c),
        }
    }
}

/// Whether this character could belong to a bare token (a number, `none`, a variant's name).
pub(super) fn continues_a_token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-' | '(' | '[' | '<')
}

/// Writes one argument.
pub(super) fn argument<T: Serialize + ?Sized>(out: &mut String, value: &T) -> Result<(), Failed> {
    value.serialize(Writer { out })
}

/// The value's own `Serialize` refused. The reason stays out of logs: it may quote the value.
#[derive(Debug)]
pub(super) struct Failed;

impl fmt::Display for Failed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an argument cannot be serialized")
    }
}

impl std::error::Error for Failed {}

impl ser::Error for Failed {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self
    }
}

struct Writer<'a> {
    out: &'a mut String,
}

impl<'a> Writer<'a> {
    fn plain(self, text: impl fmt::Display) -> Result<(), Failed> {
        write!(self.out, "{text}").map_err(|_| Failed)
    }

    /// A quoted text. Control and invisible characters are spelled out: a key stays one line.
    fn quoted(self, text: &str) -> Result<(), Failed> {
        self.out.push('"');
        for c in text.chars() {
            match c {
                '"' => self.out.push_str("\\\""),
                '\\' => self.out.push_str("\\\\"),
                '{' | '}' | '%' => escape(self.out, c.encode_utf8(&mut [0; 4])),
                c if c.is_control()
                    || matches!(c, '\u{feff}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}') =>
                {
                    write!(self.out, "\\u{:04x}", u32::from(c)).map_err(|_| Failed)?;
                }
                c => self.out.push(c),
            }
        }
        self.out.push('"');
        Ok(())
    }

    /// A name from the type's definition: bare, unless serde renamed it to something that is not
    /// a word.
    fn name(&mut self, name: &str) -> Result<(), Failed> {
        if name.chars().all(|c| c.is_alphanumeric() || c == '_') {
            self.out.push_str(name);
            return Ok(());
        }
        Writer { out: self.out }.quoted(name)
    }

    fn open(mut self, name: &str, open: &str, close: &'static str) -> Result<Items<'a>, Failed> {
        self.name(name)?;
        self.out.push_str(open);
        Ok(Items::new(self.out, close))
    }
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Failed;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Sorted<'a>;
    type SerializeStruct = Items<'a>;
    type SerializeStructVariant = Items<'a>;

    fn serialize_bool(self, v: bool) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_i8(self, v: i8) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_i16(self, v: i16) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_i32(self, v: i32) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_i64(self, v: i64) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_i128(self, v: i128) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_u8(self, v: u8) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_u16(self, v: u16) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_u32(self, v: u32) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_u64(self, v: u64) -> Result<(), Failed> {
        self.plain(v)
    }
    fn serialize_u128(self, v: u128) -> Result<(), Failed> {
        self.plain(v)
    }
    /// Shortest text that reads back to the same bits; a NaN by its bits.
    fn serialize_f32(self, v: f32) -> Result<(), Failed> {
        if v.is_nan() {
            self.plain(format_args!("nan({:08x})", v.to_bits()))
        } else {
            self.plain(format_args!("{v:?}"))
        }
    }
    fn serialize_f64(self, v: f64) -> Result<(), Failed> {
        if v.is_nan() {
            self.plain(format_args!("nan({:016x})", v.to_bits()))
        } else {
            self.plain(format_args!("{v:?}"))
        }
    }
    fn serialize_char(self, v: char) -> Result<(), Failed> {
        self.quoted(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, v: &str) -> Result<(), Failed> {
        self.quoted(v)
    }
    fn serialize_bytes(self, v: &[u8]) -> Result<(), Failed> {
        self.out.push_str("0x");
        v.iter().try_for_each(|byte| write!(self.out, "{byte:02x}")).map_err(|_| Failed)
    }
    fn serialize_none(self) -> Result<(), Failed> {
        self.plain("none")
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failed> {
        self.serialize_newtype_struct("some", value)
    }
    fn serialize_unit(self) -> Result<(), Failed> {
        self.plain("()")
    }
    fn serialize_unit_struct(mut self, name: &'static str) -> Result<(), Failed> {
        self.name(name)
    }
    fn serialize_unit_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Failed> {
        self.serialize_unit_struct(variant)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        let mut items = self.open(name, "(", ")")?;
        items.push(value)?;
        items.finish()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        self.serialize_newtype_struct(variant, value)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, Failed> {
        self.open("", "[", "]")
    }
    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, Failed> {
        self.open("", "(", ")")
    }
    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Items<'a>, Failed> {
        self.open(name, "(", ")")
    }
    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Failed> {
        self.open(variant, "(", ")")
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Sorted<'a>, Failed> {
        Ok(Sorted::new(self.out))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Items<'a>, Failed> {
        self.open(name, "(", ")")
    }
    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Failed> {
        self.open(variant, "(", ")")
    }
}
