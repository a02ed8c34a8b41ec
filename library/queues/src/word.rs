//! Items that fit a word and are never all zero bits, so that zero can stand for "none".

use alloc::boxed::Box;
use alloc::rc::Rc;
use alloc::sync::Arc;
use core::mem::MaybeUninit;
use core::num;
use core::ptr::NonNull;

/// A type whose values fit a word and are never all zero bits.
///
/// So zero can stand for "no item". FastForward's queues
/// ([`spsc::fast_forward`](crate::spsc::fast_forward) and its improved kinds) and
/// [`nblfq`](crate::nblfq)'s carry only such values. Carry others in a `Box`, add one to an integer
/// that may be zero, or use a queue that carries anything.
///
/// # Safety
/// - `size_of::<Self>()` is not more than `size_of::<usize>()`.
/// - Every byte of every value is initialised (no padding).
/// - No value consists of zero bytes only.
///
/// # Examples
/// ```
/// use aqueduct::spsc::{self, NonZeroWord};
///
/// /// A handle that is never 0.
/// #[repr(transparent)]
/// struct Ticket(std::num::NonZeroU32);
///
/// // SAFETY: four bytes without padding, never all zero.
/// unsafe impl NonZeroWord for Ticket {}
///
/// let (mut producer, _consumer) = spsc::fast_forward::new::<Ticket>(16)?;
/// producer.push(Ticket(7.try_into()?)).map_err(|_| "full")?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A type that leaves no pattern unused does not compile:
///
/// ```compile_fail
/// let _ = aqueduct::spsc::fast_forward::new::<u64>(16);
/// ```
///
/// A type that claims to fit a word and does not fit does not compile either:
///
/// ```compile_fail
/// struct Wide(std::num::NonZeroU128);
/// unsafe impl aqueduct::spsc::NonZeroWord for Wide {}
/// let _ = aqueduct::spsc::fast_forward::new::<Wide>(16);
/// ```
pub unsafe trait NonZeroWord: Sized {}

macro_rules! non_zero_words {
    ($($type:ty),*) => { $(
        // SAFETY: an integer of at most a word (checked where a queue is made), without padding,
        // never zero.
        unsafe impl NonZeroWord for $type {}
    )* };
}
non_zero_words!(num::NonZeroU8, num::NonZeroU16, num::NonZeroU32, num::NonZeroU64, num::NonZeroUsize);
non_zero_words!(num::NonZeroI8, num::NonZeroI16, num::NonZeroI32, num::NonZeroI64, num::NonZeroIsize);

// SAFETY: a thin pointer that is never null.
unsafe impl<T> NonZeroWord for NonNull<T> {}
// SAFETY: a thin pointer that is never null.
unsafe impl<T> NonZeroWord for &T {}
// SAFETY: a thin pointer that is never null.
unsafe impl<T> NonZeroWord for &mut T {}
// SAFETY: a thin pointer that is never null.
unsafe impl<T> NonZeroWord for Box<T> {}
// SAFETY: a thin pointer that is never null.
unsafe impl<T> NonZeroWord for Arc<T> {}
// SAFETY: a thin pointer, never null. Not `Send`, so every constructor refuses it, and handles of
// it, could there be any, would not be `Send`.
unsafe impl<T> NonZeroWord for Rc<T> {}

/// Returns the offset in a word, in bytes, of an item that may be shorter than the word.
///
/// The item lies in the word's low-order bytes, which are the last ones on big-endian machines. So
/// the word's upper bits stay free.
const fn offset<T>() -> usize {
    let first_is_lowest = 1_u16.to_le() == 1;
    if first_is_lowest { 0 } else { size_of::<*mut ()>() - size_of::<T>() }
}

/// Returns the item as a word that is not null. Keeps a pointer's provenance.
#[inline(always)]
pub(crate) fn encode<T: NonZeroWord>(item: T) -> *mut () {
    let mut word = MaybeUninit::new(core::ptr::null_mut::<()>());
    // SAFETY: the item fits, and it has no uninitialised bytes (`NonZeroWord`), so the word is
    // initialised.
    unsafe {
        word.as_mut_ptr().byte_add(offset::<T>()).cast::<T>().write_unaligned(item);
        word.assume_init()
    }
}

/// Returns the item from which [`encode`] made `word`.
///
/// # Safety
/// `word` came from `encode::<T>`, and is decoded once.
#[inline(always)]
pub(crate) unsafe fn decode<T: NonZeroWord>(word: *mut ()) -> T {
    // SAFETY: the bytes of the word from there on are those of the item.
    unsafe { (&raw const word).byte_add(offset::<T>()).cast::<T>().read_unaligned() }
}
