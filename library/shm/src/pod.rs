//! Plain old data: items for which every pattern of bytes is valid.

use core::mem::MaybeUninit;

use crate::sync::{Ordering, Word, read, write};

/// Plain values: all their bytes are initialised, and every pattern of bytes is a valid value.
///
/// `aqueduct`'s `Plain` requires only initialised bytes: `bool` and `char` are plain. They are not
/// `Pod`, because another process may write a 2 where a `bool` is expected.
///
/// # Safety
/// The type has no padding, and each pattern of its bytes is a value. It owns nothing and has no
/// pointers: an address is valid in one process only.
///
/// # Examples
/// ```
/// use aqueduct_shm::Pod;
///
/// #[derive(Clone, Copy)]
/// #[repr(C)]
/// struct Sample {
///     time: u64,
///     value: f32,
///     channel: u32,
/// }
///
/// // SAFETY: three numbers, 16 bytes, none of them padding, and no pattern of bytes is refused.
/// unsafe impl Pod for Sample {}
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be read from memory that another process writes",
    note = "implement `Pod` if all bytes of the type are initialised, and each pattern of bytes is a value"
)]
pub unsafe trait Pod: Copy + Send + 'static {}

macro_rules! pod {
    ($($type:ty)*) => {$(
        // SAFETY: a number: no padding, and each pattern of bytes is one.
        unsafe impl Pod for $type {}
    )*};
}

pod! { f32 f64 u8 u16 u32 u64 u128 usize i8 i16 i32 i64 i128 isize }

// SAFETY: there is nothing between an array's elements.
unsafe impl<T: Pod, const N: usize> Pod for [T; N] {}

/// The bytes of a word.
pub(crate) const WORD: usize = size_of::<u64>();

/// Returns how many words an item takes.
pub(crate) const fn words_of<T>() -> usize {
    size_of::<T>().div_ceil(WORD)
}

/// Returns how many bytes of an item lie in its word number `number`.
const fn bytes<T>(number: usize) -> usize {
    let left = size_of::<T>() - number * WORD;
    if left < WORD { left } else { WORD }
}

/// Writes an item into words. If there are too few words, only its first ones are written.
#[inline(always)]
pub(crate) fn put<T: Pod>(words: &[Word], item: &T) {
    for (number, word) in words.iter().enumerate().take(words_of::<T>()) {
        write(word, word_of(item, number));
    }
}

/// Returns word number `number` of an item, which has one.
#[inline(always)]
fn word_of<T: Pod>(item: &T, number: usize) -> u64 {
    let mut value = 0_u64;
    // SAFETY: both have that many bytes, and the item's are initialised, because it is `Pod`.
    unsafe {
        let from = core::ptr::from_ref(item).cast::<u8>().add(number * WORD);
        (&raw mut value).cast::<u8>().copy_from_nonoverlapping(from, bytes::<T>(number));
    }
    value
}

/// Returns the bytes of an item of one word in the lower bits of a number.
#[inline(always)]
pub(crate) fn to_bits<T: Pod>(item: &T) -> u64 {
    const { assert!(words_of::<T>() == 1, "the item has one word") };
    u64::from_le(word_of(item, 0))
}

/// Makes an item from the lower bits of a number.
#[inline(always)]
pub(crate) fn of_bits<T: Pod>(bits: u64) -> T {
    made_of(core::iter::once(bits.to_le()))
}

/// Makes an item from words. The bytes of missing words are 0.
#[inline(always)]
pub(crate) fn take<T: Pod>(words: &[Word]) -> T {
    take_by(words, read)
}

/// Makes an item from words that another process may write meanwhile. It may have parts of several
/// items: the caller has to detect that.
#[inline(always)]
pub(crate) fn take_while_written<T: Pod>(words: &[Word]) -> T {
    // Ordering: Relaxed. The caller's fence orders it.
    take_by(words, |word| word.load(Ordering::Relaxed))
}

#[inline(always)]
fn take_by<T: Pod>(words: &[Word], read: impl Fn(&Word) -> u64) -> T {
    made_of(words.iter().map(read))
}

/// Makes an item from its words' values. The bytes of missing values are 0.
#[inline(always)]
fn made_of<T: Pod>(values: impl Iterator<Item = u64>) -> T {
    let mut item = MaybeUninit::<T>::zeroed();
    for (number, value) in values.enumerate().take(words_of::<T>()) {
        // SAFETY: both have that many bytes.
        unsafe {
            let to = item.as_mut_ptr().cast::<u8>().add(number * WORD);
            to.copy_from_nonoverlapping((&raw const value).cast(), bytes::<T>(number));
        }
    }
    // SAFETY: all bytes are initialised, and any bytes are a value, because the item is `Pod`.
    unsafe { item.assume_init() }
}
