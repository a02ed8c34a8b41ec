//! Values that an event carries, as words.

use crate::ring::Draft;

/// The longest text, in bytes. The rest of a longer one is cut off.
pub(crate) const LONGEST_TEXT: usize = 512;

/// The most values of a record.
pub(crate) const MOST_VALUES: usize = 8;

/// How the words of a value are to be read.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
#[non_exhaustive]
pub enum Type {
    /// A number without a sign, in one word.
    Unsigned = 1,
    /// A number with a sign, in one word.
    Signed = 2,
    /// A number of 64 bits with a fraction, in one word.
    Float = 3,
    /// 0 or 1, in one word.
    Bool = 4,
    /// A word with the bytes that follow (the lower half) and the bytes of the whole text, and the bytes.
    Text = 5,
}

impl Type {
    /// Returns the type with this number.
    pub(crate) fn of(number: u32) -> Option<Self> {
        [Self::Unsigned, Self::Signed, Self::Float, Self::Bool, Self::Text].into_iter().find(|it| *it as u32 == number)
    }
}

/// A value that an event can carry: a number, a `bool` or a text.
///
/// It is written as it is, without formatting.
pub trait Value: sealed::Sealed {
    /// How its words are to be read.
    #[doc(hidden)]
    const TYPE: Type;

    /// Returns how many words it has.
    #[doc(hidden)]
    fn words(&self) -> usize;

    /// Puts them into a record.
    #[doc(hidden)]
    fn put(&self, draft: &mut Draft<'_, '_>);
}

mod sealed {
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Sealed {}
}

macro_rules! numbers {
    ($($type:ty: $kind:ident, $number:ident => $word:expr;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const TYPE: Type = Type::$kind;

            #[inline]
            fn words(&self) -> usize {
                1
            }

            #[inline]
            fn put(&self, draft: &mut Draft<'_, '_>) {
                let $number = *self;
                draft.put($word);
            }
        }
    )*};
}

numbers! {
    u8: Unsigned, number => u64::from(number);
    u16: Unsigned, number => u64::from(number);
    u32: Unsigned, number => u64::from(number);
    u64: Unsigned, number => number;
    usize: Unsigned, number => number as u64;
    i8: Signed, number => number as u64;
    i16: Signed, number => number as u64;
    i32: Signed, number => number as u64;
    i64: Signed, number => number as u64;
    isize: Signed, number => number as u64;
    f32: Float, number => f64::from(number).to_bits();
    f64: Float, number => number.to_bits();
    bool: Bool, number => u64::from(number);
}

impl sealed::Sealed for str {}
impl Value for str {
    const TYPE: Type = Type::Text;

    #[inline]
    fn words(&self) -> usize {
        1 + self.len().min(LONGEST_TEXT).div_ceil(8)
    }

    fn put(&self, draft: &mut Draft<'_, '_>) {
        put_text(draft, &self.as_bytes()[..self.len().min(LONGEST_TEXT)], self.len());
    }
}

/// Puts the first bytes of a text of `len` bytes.
fn put_text(draft: &mut Draft<'_, '_>, kept: &[u8], len: usize) {
    draft.put(kept.len() as u64 | (len as u64) << 32);
    let (words, rest) = kept.as_chunks();
    words.iter().for_each(|word| draft.put(u64::from_le_bytes(*word)));
    if !rest.is_empty() {
        let mut word = [0; 8];
        word[..rest.len()].copy_from_slice(rest);
        draft.put(u64::from_le_bytes(word));
    }
}

/// A value whose type is known at run time only.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
#[non_exhaustive]
pub enum AnyValue<'a> {
    /// The field has no value in this record: a reader does not find the field.
    #[default]
    Absent,
    /// A number without a sign.
    Unsigned(u64),
    /// A number with a sign.
    Signed(i64),
    /// A number with a fraction.
    Float(f64),
    /// Yes or no.
    Bool(bool),
    /// The first bytes of a text, of which 512 are kept at most, and the bytes of the whole text.
    Text(&'a [u8], usize),
}

impl AnyValue<'_> {
    /// Returns the number of its type, 0 if it is absent.
    fn kind(&self) -> u32 {
        match self {
            Self::Absent => 0,
            Self::Unsigned(_) => Type::Unsigned as u32,
            Self::Signed(_) => Type::Signed as u32,
            Self::Float(_) => Type::Float as u32,
            Self::Bool(_) => Type::Bool as u32,
            Self::Text(..) => Type::Text as u32,
        }
    }

    fn words(&self) -> usize {
        match self {
            Self::Absent => 0,
            Self::Text(bytes, _) => 1 + bytes.len().min(LONGEST_TEXT).div_ceil(8),
            _ => 1,
        }
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

/// The first eight values of a record, of types that are known at run time only.
pub(crate) struct AnyValues<'a>(&'a [AnyValue<'a>]);

impl<'a> AnyValues<'a> {
    pub(crate) fn new(values: &'a [AnyValue<'a>]) -> Self {
        Self(&values[..values.len().min(MOST_VALUES)])
    }

    /// Returns four bits for each value's type, from the lowest ones on.
    pub(crate) fn signature(&self) -> u32 {
        self.0.iter().rev().fold(0, |signature, value| signature << 4 | value.kind())
    }

    pub(crate) fn words(&self) -> usize {
        self.0.iter().map(AnyValue::words).sum()
    }

    pub(crate) fn put(&self, draft: &mut Draft<'_, '_>) {
        self.0.iter().for_each(|value| value.put(draft));
    }
}

macro_rules! by_another {
    ($($type:ty, $by:ty;)*) => {$(
        impl sealed::Sealed for $type {}
        impl Value for $type {
            const TYPE: Type = <$by as Value>::TYPE;

            #[inline]
            fn words(&self) -> usize {
                <$by as Value>::words(self)
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
    String, str;
    &String, str;
}

/// The values of an event: a tuple of references to up to eight.
pub trait Values: sealed::Sealed {
    /// Four bits for each value's type, from the lowest ones on.
    #[doc(hidden)]
    const SIGNATURE: u32;

    /// Returns how many words they have.
    #[doc(hidden)]
    fn words(&self) -> usize;

    /// Puts them into a record.
    #[doc(hidden)]
    fn put(&self, draft: &mut Draft<'_, '_>);
}

macro_rules! tuples {
    ($(($($name:ident $at:tt),*);)*) => {$(
        impl<$($name: Value + ?Sized),*> sealed::Sealed for ($(&$name,)*) {}
        impl<$($name: Value + ?Sized),*> Values for ($(&$name,)*) {
            const SIGNATURE: u32 = 0 $(| ($name::TYPE as u32) << (4 * $at))*;

            #[inline]
            fn words(&self) -> usize {
                0 $(+ self.$at.words())*
            }

            #[inline]
            fn put(&self, _draft: &mut Draft<'_, '_>) {
                $(self.$at.put(_draft);)*
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
