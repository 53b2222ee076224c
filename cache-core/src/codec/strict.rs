//! Refuses values that a positional codec would read back as something else.
//!
//! `skip_serializing_if` leaves a field out; a codec without field names then takes the next
//! field's bytes for it, without an error (seen with bincode 2.0.1). This walk writes nothing and
//! fails at the first field left out, and where fields or variants are written in another order than
//! they are read.

use std::fmt;

use serde::ser::{self, Serialize};

use crate::error::{Error, ErrorKind};
use crate::shape::Names;

/// Fails where a field is skipped, or written in another place than it is read from.
pub(super) fn check<T: Serialize + ?Sized>(value: &T, names: &Names) -> Result<(), Error> {
    value.serialize(Walk(names)).map_err(|Skipped(why)| Error::new(ErrorKind::Unstorable, why))
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
struct Walk<'n>(&'n Names);

impl<'n> Walk<'n> {
    fn variant(self, name: &str, number: u32, variant: &str) -> Result<Self, Skipped> {
        if self.0.reads_variant(name, number, variant) {
            return Ok(self);
        }
        Err(Skipped(format!(
            "the variant `{variant}` of `{name}` is written as number {number} and read as another"
        )))
    }

    fn fields(self, name: &'static str, variant: &'static str) -> Fields<'n> {
        Fields { walk: self, read: self.0.fields(name, variant), at: 0 }
    }
}

/// The fields of a struct, beside those that are read.
struct Fields<'n> {
    walk: Walk<'n>,
    read: Option<&'n [Vec<&'static str>]>,
    at: usize,
}

impl Fields<'_> {
    fn next(&mut self, name: &str) -> Result<(), Skipped> {
        let place = self.read.map(|read| read.get(self.at));
        self.at += 1;
        match place {
            None => Ok(()),
            Some(Some(place)) if place.contains(&name) => Ok(()),
            Some(_) => Err(Skipped(format!("the field `{name}` is not read where it is written"))),
        }
    }

    fn end(self) -> Result<(), Skipped> {
        match self.read.and_then(|read| read.get(self.at)) {
            Some(place) => Err(Skipped(format!("the field `{}` is read, not written", place[0]))),
            None => Ok(()),
        }
    }
}

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

impl<'n> ser::Serializer for Walk<'n> {
    type Ok = ();
    type Error = Skipped;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Self;
    type SerializeTupleVariant = Self;
    type SerializeMap = Self;
    type SerializeStruct = Fields<'n>;
    type SerializeStructVariant = Fields<'n>;

    leaves! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_i128(i128),
        serialize_u8(u8), serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_u128(u128),
        serialize_f32(f32), serialize_f64(f64), serialize_none(), serialize_unit(),
        serialize_unit_struct(&'static str),
    }
    nodes! {
        serialize_tuple(usize), serialize_tuple_struct(&'static str, usize),
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
    fn serialize_unit_variant(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
    ) -> Result<(), Skipped> {
        self.variant(name, number, variant).map(drop)
    }
    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
        value: &T,
    ) -> Result<(), Skipped> {
        value.serialize(self.variant(name, number, variant)?)
    }
    fn serialize_tuple_variant(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self, Skipped> {
        self.variant(name, number, variant)
    }
    fn serialize_struct_variant(
        self,
        name: &'static str,
        number: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Fields<'n>, Skipped> {
        Ok(self.variant(name, number, variant)?.fields(name, variant))
    }
    fn serialize_struct(self, name: &'static str, _: usize) -> Result<Fields<'n>, Skipped> {
        Ok(self.fields(name, ""))
    }
    fn is_human_readable(&self) -> bool {
        false
    }
}

macro_rules! walks {
    ($($role:ident: $method:ident),*) => {$(
        impl ser::$role for Walk<'_> {
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

impl ser::SerializeMap for Walk<'_> {
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
        impl ser::$role for Fields<'_> {
            type Ok = ();
            type Error = Skipped;
            fn serialize_field<T: Serialize + ?Sized>(&mut self, name: &'static str, value: &T) -> Result<(), Skipped> {
                self.next(name)?;
                value.serialize(self.walk)
            }
            fn skip_field(&mut self, name: &'static str) -> Result<(), Skipped> {
                Err(Skipped(format!("the field `{name}` is left out, which a positional codec cannot express")))
            }
            fn end(self) -> Result<(), Skipped> {
                Fields::end(self)
            }
        }
    )*};
}
strict!(SerializeStruct, SerializeStructVariant);
