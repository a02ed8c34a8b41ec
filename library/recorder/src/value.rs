//! The values of an event, as bytes.

use crate::ring::Draft;
#[cfg(feature = "std")]
use crate::trace::Field;

/// The greatest number of bytes of a text. The rest of a longer text is cut off.
pub(crate) const LONGEST_TEXT: usize = 512;

/// The greatest number of values of a record.
pub(crate) const MOST_VALUES: usize = 8;

/// The type of a value.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Type {
    /// An unsigned number.
    Unsigned,
    /// A signed number.
    Signed,
    /// A floating-point number.
    Float,
    /// A truth value.
    Bool,
    /// A text.
    Text,
}

/// The encoding of a value as bytes.
#[doc(hidden)]
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Encoding {
    Unsigned64 = 1,
    Signed64 = 2,
    Float64 = 3,
    Bool = 4,
    /// The number of the bytes that follow (2 bytes), the number of bytes of the whole text (4
    /// bytes), and the bytes.
    Text = 5,
    Unsigned8 = 6,
    Unsigned16 = 7,
    Unsigned32 = 8,
    Signed8 = 9,
    Signed16 = 10,
    Signed32 = 11,
    Float32 = 12,
}

use Encoding::{
    Float32, Float64, Signed8, Signed16, Signed32, Signed64, Unsigned8, Unsigned16, Unsigned32, Unsigned64,
};

/// The bytes of a text's head.
pub(crate) const TEXT_HEAD: usize = 6;

impl Encoding {
    /// Returns the number of bytes of a value, or of the head of a text.
    const fn len(self) -> usize {
        match self {
            Unsigned8 | Signed8 | Self::Bool => 1,
            Unsigned16 | Signed16 => 2,
            Unsigned32 | Signed32 | Float32 => 4,
            Self::Text => TEXT_HEAD,
            Unsigned64 | Signed64 | Float64 => 8,
        }
    }
}

#[cfg(feature = "std")]
impl Encoding {
    const ALL: [Self; 12] = [
        Unsigned64,
        Signed64,
        Float64,
        Self::Bool,
        Self::Text,
        Unsigned8,
        Unsigned16,
        Unsigned32,
        Signed8,
        Signed16,
        Signed32,
        Float32,
    ];

    /// Returns the encoding with this number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|it| *it as u32 == number)
    }

    /// Returns the type of the encoded value.
    pub(crate) fn kind(self) -> Type {
        match self {
            Unsigned8 | Unsigned16 | Unsigned32 | Unsigned64 => Type::Unsigned,
            Signed8 | Signed16 | Signed32 | Signed64 => Type::Signed,
            Float32 | Float64 => Type::Float,
            Self::Bool => Type::Bool,
            Self::Text => Type::Text,
        }
    }

    /// Returns the number of bytes of the value at the start of `bytes`.
    pub(crate) fn len_at(self, bytes: &[u8]) -> usize {
        let text = if self == Self::Text { usize::from(u16::from_le_bytes([bytes[0], bytes[1]])) } else { 0 };
        self.len() + text
    }

    /// Takes a value off the start of `bytes`.
    pub(crate) fn take(self, bytes: &mut &[u8]) -> Option<Field> {
        let word = take_number(bytes, self.len())?;
        let unused = 64 - 8 * self.len() as u32;
        Some(match self {
            Unsigned8 | Unsigned16 | Unsigned32 | Unsigned64 => Field::Unsigned(word),
            Signed8 | Signed16 | Signed32 | Signed64 => Field::Signed((word << unused) as i64 >> unused),
            Float32 => Field::Float(f64::from(f32::from_bits(word as u32))),
            Float64 => Field::Float(f64::from_bits(word)),
            Self::Bool => Field::Bool(word != 0),
            Self::Text => {
                let (kept, len) = (word as u16 as usize, (word >> 16) as usize);
                let (text, rest) = bytes.split_at_checked(kept)?;
                *bytes = rest;
                Field::Text(String::from_utf8_lossy(text).into_owned(), len.saturating_sub(kept))
            }
        })
    }
}

/// Takes a number of `len` bytes off the start of `bytes`.
#[cfg(feature = "std")]
fn take_number(bytes: &mut &[u8], len: usize) -> Option<u64> {
    let (number, rest) = bytes.split_at_checked(len)?;
    *bytes = rest;
    Some(number.iter().rev().fold(0, |number, byte| number << 8 | u64::from(*byte)))
}

/// A value that an event can carry: a number, a `bool` or a text.
///
/// It is written as bytes, without formatting.
pub trait Value: sealed::Sealed {
    /// The encoding of the value.
    #[doc(hidden)]
    const ENCODING: Encoding;

    /// Returns the number of bytes of the value.
    #[doc(hidden)]
    #[inline]
    fn bytes(&self) -> usize {
        Self::ENCODING.len()
    }

    /// Appends the value to a record.
    #[doc(hidden)]
    fn put(&self, draft: &mut Draft<'_, '_>);
}

mod sealed {
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($type:ty: $encoding:expr, $number:ident => $word:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const ENCODING: Encoding = $encoding;

            #[inline]
            fn put(&self, draft: &mut Draft<'_, '_>) {
                let $number = *self;
                draft.put($word, Self::ENCODING.len());
            }
        }
    )*};
}

numbers! {
    u8: Unsigned8, number => u64::from(number);
    u16: Unsigned16, number => u64::from(number);
    u32: Unsigned32, number => u64::from(number);
    u64: Unsigned64, number => number;
    usize: Unsigned64, number => number as u64;
    i8: Signed8, number => number as u64;
    i16: Signed16, number => number as u64;
    i32: Signed32, number => number as u64;
    i64: Signed64, number => number as u64;
    isize: Signed64, number => number as u64;
    f32: Float32, number => u64::from(number.to_bits());
    f64: Float64, number => number.to_bits();
    bool: Encoding::Bool, number => u64::from(number);
}

impl sealed::Sealed for str {}
impl Value for str {
    const ENCODING: Encoding = Encoding::Text;

    #[inline]
    fn bytes(&self) -> usize {
        TEXT_HEAD + self.len().min(LONGEST_TEXT)
    }

    fn put(&self, draft: &mut Draft<'_, '_>) {
        put_text(draft, &self.as_bytes()[..self.len().min(LONGEST_TEXT)], self.len());
    }
}

/// Appends the first bytes of a text of `len` bytes.
fn put_text(draft: &mut Draft<'_, '_>, kept: &[u8], len: usize) {
    draft.put(kept.len() as u64 | (len.min(u32::MAX as usize) as u64) << 16, TEXT_HEAD);
    draft.put_bytes(kept);
}

/// A value whose type is only known at run time.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum AnyValue<'a> {
    /// The field has no value in this record, and is missing in the trace.
    #[default]
    Absent,
    /// An unsigned number.
    Unsigned(u64),
    /// A signed number.
    Signed(i64),
    /// A floating-point number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// The first bytes of a text, and the number of bytes of the whole text. At most 512 bytes are
    /// kept.
    Text(&'a [u8], usize),
}

impl AnyValue<'_> {
    /// The greatest number of values of a record.
    pub const MOST: usize = MOST_VALUES;
    /// The greatest number of bytes of a text that are kept.
    pub const LONGEST_TEXT: usize = LONGEST_TEXT;

    /// Returns the encoding of the value, unless the value is absent.
    fn encoding(&self) -> Option<Encoding> {
        match self {
            Self::Absent => None,
            Self::Unsigned(_) => Some(Unsigned64),
            Self::Signed(_) => Some(Signed64),
            Self::Float(_) => Some(Float64),
            Self::Bool(_) => Some(Encoding::Bool),
            Self::Text(..) => Some(Encoding::Text),
        }
    }

    fn len(&self) -> usize {
        let text = if let Self::Text(bytes, _) = self { bytes.len().min(LONGEST_TEXT) } else { 0 };
        self.encoding().map_or(0, Encoding::len) + text
    }

    fn put(&self, draft: &mut Draft<'_, '_>) {
        match *self {
            Self::Absent => {}
            Self::Unsigned(number) => number.put(draft),
            Self::Signed(number) => number.put(draft),
            Self::Float(number) => number.put(draft),
            Self::Bool(value) => value.put(draft),
            Self::Text(bytes, len) => put_text(draft, &bytes[..bytes.len().min(LONGEST_TEXT)], len),
        }
    }
}

/// The values of a record.
pub(crate) trait Row {
    /// Returns four bits for each value's encoding, from the lowest ones on.
    fn signature(&self) -> u32;

    /// Returns the number of bytes of the values without the redacted ones. `redacted` has a bit
    /// for each value.
    fn bytes(&self, redacted: u8) -> usize;

    /// Appends the values that are not redacted to a record.
    fn put(&self, redacted: u8, draft: &mut Draft<'_, '_>);
}

impl<V: Values> Row for V {
    #[inline(always)]
    fn signature(&self) -> u32 {
        V::SIGNATURE
    }

    #[inline(always)]
    fn bytes(&self, redacted: u8) -> usize {
        Values::bytes(self, redacted)
    }

    #[inline(always)]
    fn put(&self, redacted: u8, draft: &mut Draft<'_, '_>) {
        Values::put(self, redacted, draft);
    }
}

/// The first eight values of a record, of types that are only known at run time.
#[cfg(feature = "std")]
pub(crate) struct AnyValues<'a>(&'a [AnyValue<'a>]);

#[cfg(feature = "std")]
impl<'a> AnyValues<'a> {
    pub(crate) fn new(values: &'a [AnyValue<'a>]) -> Self {
        Self(&values[..values.len().min(MOST_VALUES)])
    }

    /// Returns the values that are not redacted.
    #[inline]
    fn kept(&self, redacted: u8) -> impl Iterator<Item = &'a AnyValue<'a>> {
        self.0.iter().enumerate().filter(move |(at, _)| redacted >> at & 1 == 0).map(|(_, value)| value)
    }
}

#[cfg(feature = "std")]
impl Row for AnyValues<'_> {
    #[inline]
    fn signature(&self) -> u32 {
        self.0.iter().rev().fold(0, |signature, value| signature << 4 | value.encoding().map_or(0, |it| it as u32))
    }

    #[inline]
    fn bytes(&self, redacted: u8) -> usize {
        self.kept(redacted).map(AnyValue::len).sum()
    }

    #[inline]
    fn put(&self, redacted: u8, draft: &mut Draft<'_, '_>) {
        self.kept(redacted).for_each(|value| value.put(draft));
    }
}

macro_rules! by_another {
    ($($type:ty, $by:ty;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const ENCODING: Encoding = <$by as Value>::ENCODING;

            #[inline]
            fn bytes(&self) -> usize {
                <$by as Value>::bytes(self)
            }

            #[inline]
            fn put(&self, draft: &mut Draft<'_, '_>) {
                <$by as Value>::put(self, draft);
            }
        }
    )*};
}

by_another! {
    &str, str;
}

#[cfg(feature = "std")]
by_another! {
    String, str;
    &String, str;
}

/// The values of an event: a tuple of references to up to eight values.
pub trait Values: sealed::Sealed {
    /// Four bits for each value's encoding, from the lowest ones on.
    #[doc(hidden)]
    const SIGNATURE: u32;

    /// The number of values.
    #[doc(hidden)]
    const COUNT: usize;

    /// Returns the number of bytes of the values without the redacted ones. `redacted` has a bit
    /// for each value.
    #[doc(hidden)]
    fn bytes(&self, redacted: u8) -> usize;

    /// Appends the values that are not redacted to a record.
    #[doc(hidden)]
    fn put(&self, redacted: u8, draft: &mut Draft<'_, '_>);
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*);)*) => {$(
        impl<$($name: Value + ?Sized),*> sealed::Sealed for ($(&$name,)*) {}
        impl<$($name: Value + ?Sized),*> Values for ($(&$name,)*) {
            const SIGNATURE: u32 = 0 $(| ($name::ENCODING as u32) << (4 * $at))*;
            const COUNT: usize = <[u8]>::len(&[$($at),*]);

            #[inline(always)]
            fn bytes(&self, _redacted: u8) -> usize {
                0 $(+ if _redacted >> $at & 1 == 0 { Value::bytes(self.$at) } else { 0 })*
            }

            #[inline(always)]
            fn put(&self, _redacted: u8, _draft: &mut Draft<'_, '_>) {
                $(if _redacted >> $at & 1 == 0 {
                    self.$at.put(_draft);
                })*
            }
        }
    )*};
}

tuples! {
    ();
    (A 0);
    (A 0, B 1);
    (A 0, B 1, C 2);
    (A 0, B 1, C 2, D 3);
    (A 0, B 1, C 2, D 3, E 4);
    (A 0, B 1, C 2, D 3, E 4, F 5);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6);
    (A 0, B 1, C 2, D 3, E 4, F 5, G 6, H 7);
}
