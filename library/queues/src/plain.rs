//! Values that may be read while they are overwritten, and kept beside a counter.
//!
//! [`Plain`] is what [drop-old](crate::bbq::drop_old) queues and
//! [`nblfq::wide`](crate::nblfq::wide) carry. A type becomes plain in one of these ways:
//! - numbers, `bool`, `char`, and arrays of plain values are;
//! - with the feature `derive`, `#[derive(Plain)]` checks a struct or an enum when it is compiled;
//! - with the feature `bytemuck`, `Bytemuck<T>` carries what is `bytemuck::NoUninit`;
//! - with the feature `zerocopy`, `Zerocopy<T>` carries what is `zerocopy::IntoBytes`;
//! - `unsafe impl Plain`, for a type that you know to meet the trait's conditions.
//!
//! The two wrappers are types of their own, because one crate cannot implement a trait for all
//! types of two traits, and for numbers besides. They cost nothing; the value is their field 0.

use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

/// Values without padding, ownership or pointers: numbers, and arrays and structs of them.
///
/// [`nblfq::wide`](crate::nblfq::wide) carries those of up to 8 bytes. A
/// [drop-old](crate::bbq::drop_old) queue copies them word by word through atomics, checks
/// afterwards that all words were of one item, and only then makes a value of them.
///
/// # Safety
/// Every byte of a value must be initialised: the type has no padding, and is no union. It owns
/// nothing and points to nothing.
///
/// # Examples
/// ```
/// use aqueduct::plain::Plain;
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Sample {
///     time: u64,
///     value: f32,
///     channel: u32,
/// }
///
/// // SAFETY: three numbers, 16 bytes, none of them padding.
/// unsafe impl Plain for Sample {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be copied while it is overwritten",
    note = "a drop-old queue carries plain data: derive `Plain` (feature `derive`), or implement it if all \
            bytes of the type are always initialised"
)]
pub unsafe trait Plain: Copy + Send + 'static {}

macro_rules! plain {
    ($($type:ty)*) => {$(
        // SAFETY: a number, or as good as one: no padding.
        unsafe impl Plain for $type {}
    )*};
}

plain! {
    () bool char f32 f64
    u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize
    NonZeroU8 NonZeroU16 NonZeroU32 NonZeroU64 NonZeroU128 NonZeroUsize
    NonZeroI8 NonZeroI16 NonZeroI32 NonZeroI64 NonZeroI128 NonZeroIsize
}

// SAFETY: there is nothing between an array's elements.
unsafe impl<T: Plain, const N: usize> Plain for [T; N] {}

/// Implements [`Plain`](trait@Plain) for a type, and checks the trait's conditions when the type is
/// compiled.
///
/// A struct is `repr(C)` or `repr(transparent)` and has no type parameters, all of its fields are
/// plain, and there is no padding between or behind them. An enum has no fields, and is `repr(u8)`
/// or of another integer. Both are `Copy`.
///
/// # Examples
/// ```
/// use aqueduct::plain::Plain;
///
/// #[derive(Clone, Copy, PartialEq, Debug, Plain)]
/// #[repr(u32)]
/// enum Kind {
///     Start,
///     End,
/// }
///
/// #[derive(Clone, Copy, PartialEq, Debug, Plain)]
/// #[repr(C)]
/// struct Event {
///     time: u64,
///     kind: Kind,
///     value: f32,
/// }
///
/// let (mut producer, mut reader) = aqueduct::drop_old::mpmc::new(100)?;
/// let event = Event { time: 7, kind: Kind::End, value: 0.5 };
/// producer.push(event)?;
/// assert_eq!(reader.read(), Ok(event));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// Padding is refused:
/// ```compile_fail,E0080
/// # use aqueduct::plain::Plain;
/// #[derive(Clone, Copy, Plain)]
/// #[repr(C)]
/// struct Padded(u64, u32);
/// ```
/// So is a field that is not plain:
/// ```compile_fail,E0277
/// # use aqueduct::plain::Plain;
/// #[derive(Clone, Copy, Plain)]
/// #[repr(C)]
/// struct Name(&'static str);
/// ```
/// And a type that cannot be copied:
/// ```compile_fail,E0277
/// # use aqueduct::plain::Plain;
/// #[derive(Plain)]
/// #[repr(C)]
/// struct Unique(u64);
/// ```
#[cfg(feature = "derive")]
pub use aqueduct_derive::Plain;

/// Defines a wrapper that is plain because another crate's trait guarantees it.
#[cfg(any(feature = "bytemuck", feature = "zerocopy"))]
macro_rules! plain_by {
    ($(#[$doc:meta])* $name:ident: $bound:path) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
        #[repr(transparent)]
        pub struct $name<T>(pub T);

        // SAFETY: the other trait guarantees that all bytes of a value are initialised, and the
        // wrapper adds none.
        unsafe impl<T: $bound + Copy + Send + 'static> Plain for $name<T> {}

        impl<T> From<T> for $name<T> {
            fn from(value: T) -> Self {
                Self(value)
            }
        }
    };
}

#[cfg(feature = "bytemuck")]
plain_by! {
    /// A value that is plain because it is `bytemuck::NoUninit`. `Pod` types are.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::plain::Bytemuck;
    ///
    /// #[derive(Clone, Copy)]
    /// #[repr(C)]
    /// struct Sample(f32, u32);
    ///
    /// // SAFETY: two numbers, without padding. (bytemuck's derive macro checks it.)
    /// unsafe impl bytemuck::NoUninit for Sample {}
    ///
    /// let (mut producer, mut reader) = aqueduct::drop_old::spmc::new(100)?;
    /// producer.push(Bytemuck(Sample(0.5, 7)))?;
    /// assert_eq!(reader.read()?.0.1, 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// A type that may have bytes that are not initialised is refused:
    /// ```compile_fail,E0277
    /// use aqueduct::plain::Bytemuck;
    /// let _ = aqueduct::drop_old::spmc::new::<Bytemuck<(u64, u8)>>(100);
    /// ```
    Bytemuck: bytemuck::NoUninit
}

#[cfg(feature = "zerocopy")]
plain_by! {
    /// A value that is plain because it is `zerocopy::IntoBytes`.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::plain::Zerocopy;
    ///
    /// let (mut producer, mut reader) = aqueduct::drop_old::spmc::new(100)?;
    /// producer.push(Zerocopy([zerocopy::byteorder::network_endian::U32::new(7)]))?;
    /// assert_eq!(reader.read()?.0[0].get(), 7);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    /// A type that may have bytes that are not initialised is refused:
    /// ```compile_fail,E0277
    /// use aqueduct::plain::Zerocopy;
    /// let _ = aqueduct::drop_old::spmc::new::<Zerocopy<(u64, u8)>>(100);
    /// ```
    Zerocopy: zerocopy::IntoBytes
}
