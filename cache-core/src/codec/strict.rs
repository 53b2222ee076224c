//! Refuses values that a positional codec would read back as something else.
//!
//! `skip_serializing_if` leaves a field out; a codec without field names then takes the next
//! field's bytes for it, without an error (seen with bincode 2.0.1). This walk writes nothing and
//! fails at the first field left out.

use std::fmt;

use serde::ser::{self, Serialize};

use crate::error::{Error, ErrorKind};

/// Fails where a field is skipped.
pub(super) fn check<T: Serialize + ?Sized>(value: &T) -> Result<(), Error> {
    value.serialize(Walk).map_err(|Skipped(why)| Error::new(ErrorKind::Unstorable, why))
}

#[derive(Debug)]
struct Skipped(String);

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Skipped {}

impl ser::Error for Skipped {
    fn custom<T: fmt::Display>(_: T) -> Self {
        Self("the value's Serialize failed".to_owned())
    }
}

#[derive(Clone, Copy)]
struct Walk;

macro_rules! leaves {
    ($($method:ident($($kind:ty),*)),* $(,)?) => {$(
        fn $method(self $(, _: $kind)*) -> Result<(), Skipped> {
            Ok(())
        }
    )*};
}

macro_rules! nodes {
    ($($method:ident($($kind:ty),*)),* $(,)?) => {$(
        fn $method(self $(, _: $kind)*) -> Result<Self, Skipped> {
            Ok(self)
        }
    )*};
}

impl ser::Serializer for Walk {
    type Ok = ();
    type Error = Skipped;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Self;

    leaves! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
        serialize_f32(f32), serialize_f64(f64), serialize_none(), serialize_unit(),
        serialize_unit_struct(&'static str), serialize_unit_variant(&'static str, u32, &'static str),
    }
    nodes! {
        serialize_tuple(usize), serialize_tuple_struct(&'static str, usize),
        serialize_tuple_variant(&'static str, u32, &'static str, usize),
        serialize_struct(&'static str, usize), serialize_struct_variant(&'static str, u32, &'static str, usize),
        serialize_seq(Option<usize>), serialize_map(Option<usize>),
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Result<(), Skipped> {
        value.serialize(self)
    }
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Result<(), Skipped> {
        value.serialize(self)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        value: &T,
    ) -> Result<(), Skipped> {
        value.serialize(self)
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! walks {
    ($($role:ident: $method:ident),*) => {$(
        impl ser::$role for Walk {
            type Ok = ();
            type Error = Skipped;
            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Skipped> {
                value.serialize(*self)
            }
            fn end(self) -> Result<(), Skipped> {
                Ok(())
            }
        }
    )*};
}
walks!(
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
    SerializeTupleVariant: serialize_field
);

impl ser::SerializeMap for Walk {
    type Ok = ();
    type Error = Skipped;
    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), Skipped> {
        key.serialize(*self)
    }
    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), Skipped> {
        value.serialize(*self)
    }
    fn end(self) -> Result<(), Skipped> {
        Ok(())
    }
}

macro_rules! strict {
    ($($role:ident),*) => {$(
        impl ser::$role for Walk {
            type Ok = ();
            type Error = Skipped;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, _: &'static str, value: &T) -> Result<(), Skipped> {
                value.serialize(*self)
            }
            fn skip_field(&mut self, name: &'static str) -> Result<(), Skipped> {
                Err(Skipped(format!("the field `{name}` is left out, which a positional codec cannot express")))
            }
            fn end(self) -> Result<(), Skipped> {
                Ok(())
            }
        }
    )*};
}
strict!(SerializeStruct, SerializeStructVariant);
