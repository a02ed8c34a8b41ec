//! Values that may be read while they are overwritten, and kept beside a counter.

use core::num::{
    NonZeroI8, NonZeroI16, NonZeroI32, NonZeroI64, NonZeroI128, NonZeroIsize, NonZeroU8, NonZeroU16, NonZeroU32,
    NonZeroU64, NonZeroU128, NonZeroUsize,
};

/// Values that are their bytes: numbers, and arrays and structs of them.
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
/// use aqueduct::bbq::Plain;
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
    note = "a drop-old queue carries plain data: implement `Plain` if all of its bytes are always initialised"
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
