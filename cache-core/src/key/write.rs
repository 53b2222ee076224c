//! A serde serializer whose text is one-to-one for the values of one type.
//!
//! Numbers are bare, text is quoted and escaped, every collection and every variant has brackets
//! of its own, maps are sorted by their written keys, sets by their written elements; large ones
//! are a digest that does not depend on the order.

mod compound;
mod names;
mod order;
mod sum;
mod text;
mod unordered;

use std::borrow::Cow;
use std::fmt;
use std::fmt::Write as _;

use serde::ser::{self, Serialize};

use compound::Items;
use unordered::Unordered;

pub(super) use text::{DIGEST, Text};

/// `text` such that it cannot end or imitate a hash tag, nor be mistaken for an escape.
pub(super) fn escaped(text: &str) -> Cow<'_, str> {
    if !text.contains(['{', '}', '%']) {
        return text.into();
    }
    text.replace('%', "%25").replace('{', "%7B").replace('}', "%7D").into()
}

/// Whether this character could belong to a bare token (a number, `none`, a variant's name).
pub(super) fn continues_a_token(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '.' | '_' | '+' | '-' | '(' | '[' | '<')
}

/// Writes one argument.
pub(super) fn argument<T: Serialize + ?Sized>(out: &mut Text, value: &T) -> Result<(), Failed> {
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

/// Bytes turned into hexadecimal digits in one go.
const HEX_AT_ONCE: usize = 64;

struct Writer<'a> {
    out: &'a mut Text,
}

impl<'a> Writer<'a> {
    fn plain(self, text: impl fmt::Display) -> Result<(), Failed> {
        write!(self.out, "{text}").map_err(|_| Failed)
    }

    /// A quoted text. Control and invisible characters are spelled out: a key stays one line. What
    /// lies between two of them is written at once.
    fn quoted(self, text: &str) {
        self.out.push_str("\"");
        let mut written = 0;
        for (at, c) in text.char_indices() {
            let instead: Cow<'static, str> = match c {
                '"' => "\\\"".into(),
                '\\' => "\\\\".into(),
                '%' => "%25".into(),
                '{' => "%7B".into(),
                '}' => "%7D".into(),
                c if is_unseen(c) => format!("\\u{:04x}", u32::from(c)).into(),
                _ => continue,
            };
            self.out.push_str(&text[written..at]);
            self.out.push_str(&instead);
            written = at + c.len_utf8();
        }
        self.out.push_str(&text[written..]);
        self.out.push_str("\"");
    }

    /// A name from the type's definition, marked where it could be taken for something else.
    fn name(&mut self, name: &str) {
        if names::is_bare(name) {
            return self.out.push_str(name);
        }
        self.out.push_str("#");
        Writer { out: self.out }.quoted(name);
    }

    /// A variant, of an enum of this name.
    fn variant(&mut self, of: &str, variant: &str) {
        self.name(of);
        self.out.push_str(".");
        self.name(variant);
    }

    fn open(mut self, name: &str, open: &str, close: &'static str) -> Items<'a> {
        self.name(name);
        self.out.push_str(open);
        Items::new(self.out, close)
    }
}

/// A control character, or one that shows nothing or turns the direction of what does.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{feff}' | '\u{200b}'..='\u{200f}')
        || matches!(c, '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}')
}

impl<'a> ser::Serializer for Writer<'a> {
    type Ok = ();
    type Error = Failed;
    type SerializeSeq = Items<'a>;
    type SerializeTuple = Items<'a>;
    type SerializeTupleStruct = Items<'a>;
    type SerializeTupleVariant = Items<'a>;
    type SerializeMap = Unordered<'a>;
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
        self.serialize_str(v.encode_utf8(&mut [0; 4]))
    }
    fn serialize_str(self, v: &str) -> Result<(), Failed> {
        self.quoted(v);
        Ok(())
    }
    fn serialize_bytes(self, v: &[u8]) -> Result<(), Failed> {
        self.out.push_str("0x");
        for bytes in v.chunks(HEX_AT_ONCE) {
            let mut hex = [0; 2 * HEX_AT_ONCE];
            for (byte, pair) in bytes.iter().zip(hex.chunks_exact_mut(2)) {
                let digit = |half: u8| b"0123456789abcdef"[usize::from(half)];
                pair.copy_from_slice(&[digit(byte >> 4), digit(byte & 15)]);
            }
            let hex = std::str::from_utf8(&hex[..2 * bytes.len()]).map_err(|_| Failed)?;
            self.out.push_str(hex);
        }
        Ok(())
    }
    fn serialize_none(self) -> Result<(), Failed> {
        self.plain("none")
    }
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Failed> {
        self.out.push_str("some");
        self.serialize_newtype_struct("", value)
    }
    fn serialize_unit(self) -> Result<(), Failed> {
        self.plain("()")
    }
    fn serialize_unit_struct(mut self, name: &'static str) -> Result<(), Failed> {
        self.name(name);
        Ok(())
    }
    fn serialize_unit_variant(
        mut self,
        name: &'static str,
        _: u32,
        variant: &'static str,
    ) -> Result<(), Failed> {
        self.variant(name, variant);
        Ok(())
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        let mut items = self.open(name, "(", ")");
        items.push(value)?;
        items.finish()
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        mut self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Failed> {
        self.variant(name, variant);
        self.serialize_newtype_struct("", value)
    }
    fn serialize_seq(self, _: Option<usize>) -> Result<Items<'a>, Failed> {
        Ok(self.open("", "[", "]"))
    }
    /// What a collection's `Serialize` calls: the one place that tells a set from a list.
    fn collect_seq<I>(self, values: I) -> Result<(), Failed>
    where
        I: IntoIterator<Item: Serialize>,
    {
        let mut values = values.into_iter();
        if order::is_meaningless::<I>() {
            let mut set = Unordered::set(self.out);
            values.try_for_each(|value| set.push(&value))?;
            return set.finish();
        }
        let mut items = self.open("", "[", "]");
        values.try_for_each(|value| items.push(&value))?;
        items.finish()
    }
    fn serialize_tuple(self, _: usize) -> Result<Items<'a>, Failed> {
        Ok(self.open("", "(", ")"))
    }
    fn serialize_tuple_struct(self, name: &'static str, _: usize) -> Result<Items<'a>, Failed> {
        Ok(self.open(name, "(", ")"))
    }
    fn serialize_tuple_variant(
        mut self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Failed> {
        self.variant(name, variant);
        Ok(self.open("", "(", ")"))
    }
    fn serialize_map(self, _: Option<usize>) -> Result<Unordered<'a>, Failed> {
        Ok(Unordered::map(self.out))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Items<'a>, Failed> {
        Ok(self.open(name, "(", ")"))
    }
    fn serialize_struct_variant(
        mut self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Items<'a>, Failed> {
        self.variant(name, variant);
        Ok(self.open("", "(", ")"))
    }
}
