//! Rounds, items that are counted, and handles that come and go.

use std::cell::Cell;
use std::collections::VecDeque;
use std::num::NonZeroUsize;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use aqueduct::error::PushError;
use aqueduct::nblfq::{self, Capacity, Rejected};
use aqueduct::queue::Push;
use aqueduct::spsc::NonZeroWord;
pub(crate) use aqueduct_fuzz::Random;
use aqueduct_fuzz::number;

/// Returns the number of operations in a round: fewer under Miri, which is a thousand times slower.
pub(crate) fn steps(count: usize) -> usize {
    if cfg!(miri) { count / 8 } else { count }
}

/// Runs a scenario `rounds` times (once under Miri), or as often as the environment variable
/// requires.
pub(crate) fn rounds(rounds: u64, scenario: impl Fn(&mut Random)) {
    let first = number("AQUEDUCT_FUZZ_SEED").unwrap_or(1);
    let rounds = number("AQUEDUCT_FUZZ_ROUNDS").unwrap_or(if cfg!(miri) { 1 } else { rounds });
    for seed in first..first + rounds {
        let outcome = catch_unwind(AssertUnwindSafe(|| scenario(&mut Random::new(seed))));
        if let Err(panic) = outcome {
            eprintln!("to repeat the round that failed: AQUEDUCT_FUZZ_SEED={seed} AQUEDUCT_FUZZ_ROUNDS=1");
            resume_unwind(panic);
        }
    }
}

/// Panics on purpose, and prints nothing.
pub(crate) fn wanted_panic() -> ! {
    resume_unwind(Box::new(()))
}

/// Runs code that may end by [`wanted_panic`]. Returns its result if it does not panic.
pub(crate) fn may_panic<T>(act: impl FnOnce() -> T) -> Option<T> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(done) => Some(done),
        Err(panic) if panic.is::<()>() => None,
        Err(panic) => resume_unwind(panic),
    }
}

thread_local! {
    /// The number of this thread's items that are alive.
    static LIVE: Cell<isize> = const { Cell::new(0) };
}

fn live(more: isize) -> isize {
    LIVE.set(LIVE.get() + more);
    LIVE.get()
}

/// Asserts that all items that this thread has made have been dropped, each once.
#[track_caller]
pub(crate) fn assert_none_is_left() {
    assert_eq!(live(0), 0, "items that were not dropped, or dropped twice");
}

/// An item that holds its number, or as much of it as it has room for.
pub(crate) trait Item: Send + 'static {
    fn make(number: u64) -> Self;
    fn is(&self, number: u64) -> bool;
}

/// A number on the heap.
#[repr(transparent)]
pub(crate) struct Heap(Box<u64>);

impl Item for Heap {
    fn make(number: u64) -> Self {
        live(1);
        Self(Box::new(number))
    }

    fn is(&self, number: u64) -> bool {
        *self.0 == number
    }
}

impl Heap {
    pub(crate) fn number(&self) -> u64 {
        *self.0
    }
}

impl Drop for Heap {
    fn drop(&mut self) {
        assert_ne!(*self.0, u64::MAX, "dropped twice");
        *self.0 = u64::MAX;
        live(-1);
    }
}

// SAFETY: a box is an address, and not zero.
unsafe impl NonZeroWord for Heap {}

/// An item of several cache lines, of an odd length.
pub(crate) struct Big(Heap, [u8; 211]);

impl Item for Big {
    fn make(number: u64) -> Self {
        Self(Heap::make(number), [number as u8; 211])
    }

    fn is(&self, number: u64) -> bool {
        self.0.is(number) && self.1.iter().all(|&byte| byte == number as u8)
    }
}

/// An item with more alignment than a pair of cache lines.
#[repr(align(512))]
pub(crate) struct Aligned(Heap);

impl Item for Aligned {
    fn make(number: u64) -> Self {
        Self(Heap::make(number))
    }

    fn is(&self, number: u64) -> bool {
        std::ptr::from_ref(self).addr().is_multiple_of(512) && self.0.is(number)
    }
}

/// An item of three bytes.
pub(crate) struct Tiny([u8; 3]);

impl Item for Tiny {
    fn make(number: u64) -> Self {
        let bytes = number.to_le_bytes();
        Self([bytes[0], bytes[1], bytes[2]])
    }

    fn is(&self, number: u64) -> bool {
        self.0[..] == number.to_le_bytes()[..3]
    }
}

/// An item without bytes that has a drop.
pub(crate) struct Nothing(());

impl Item for Nothing {
    fn make(_: u64) -> Self {
        live(1);
        Self(())
    }

    fn is(&self, _: u64) -> bool {
        true
    }
}

impl Drop for Nothing {
    fn drop(&mut self) {
        live(-1);
    }
}

/// An item without bytes, with much alignment, and a drop that checks its address.
#[repr(align(1024))]
pub(crate) struct AlignedNothing(Nothing);

impl AlignedNothing {
    fn is_aligned(&self) -> bool {
        std::ptr::from_ref(self).addr().is_multiple_of(1024)
    }
}

impl Item for AlignedNothing {
    fn make(number: u64) -> Self {
        Self(Nothing::make(number))
    }

    fn is(&self, _: u64) -> bool {
        self.is_aligned()
    }
}

impl Drop for AlignedNothing {
    fn drop(&mut self) {
        assert!(self.is_aligned());
    }
}

/// An item of a word of which only the lower bits are used.
impl Item for NonZeroUsize {
    fn make(number: u64) -> Self {
        usize::try_from(number).ok().and_then(Self::new).expect("numbers are small, and start with 1")
    }

    fn is(&self, number: u64) -> bool {
        self.get() as u64 == number
    }
}

impl Item for u64 {
    fn make(number: u64) -> Self {
        number
    }

    fn is(&self, number: u64) -> bool {
        *self == number
    }
}

/// The expected content of a first-in, first-out queue: the numbers from the oldest to the next.
#[derive(Default)]
pub(crate) struct Model {
    numbers: VecDeque<u64>,
    next: u64,
}

impl Model {
    pub(crate) fn len(&self) -> usize {
        self.numbers.len()
    }

    /// Makes the next item to push.
    pub(crate) fn make<T: Item>(&self) -> T {
        T::make(self.next + 1)
    }

    /// Makes the next items to push.
    pub(crate) fn slice<T: Item>(&self, count: usize) -> Vec<T> {
        (self.next + 1..).take(count).map(T::make).collect()
    }

    /// Records that the next item has been pushed.
    pub(crate) fn pushed(&mut self) {
        self.next += 1;
        self.numbers.push_back(self.next);
    }

    /// Checks a refused item.
    #[track_caller]
    pub(crate) fn refused<T: Item>(&self, item: &T) {
        assert!(item.is(self.next + 1), "another item has come back");
    }

    /// Checks a popped item.
    #[track_caller]
    pub(crate) fn popped<T: Item>(&mut self, item: &T) {
        let number = self.numbers.pop_front().expect("no item was there");
        assert!(item.is(number), "it is not item {number}");
    }

    pub(crate) fn first(&self) -> Option<u64> {
        self.numbers.front().copied()
    }

    /// Returns up to `most` items. The iterator panics in place of number `bad`. Its items count as
    /// pushed.
    pub(crate) fn items<T: Item>(&mut self, most: usize, bad: usize) -> impl Iterator<Item = T> {
        (0..most).map(move |count| {
            if count == bad {
                wanted_panic();
            }
            let item = self.make();
            self.pushed();
            item
        })
    }
}

/// The handles of one side of a queue: one for good, or several that come and go.
pub(crate) struct Handles<H> {
    pub(crate) all: Vec<H>,
    another: Option<fn(&H) -> H>,
}

impl<H> Handles<H> {
    pub(crate) fn one(handle: H) -> Self {
        Self { all: vec![handle], another: None }
    }

    pub(crate) fn many(handle: H) -> Self
    where
        H: Clone,
    {
        Self { all: vec![handle], another: Some(H::clone) }
    }

    /// Returns one of the handles.
    pub(crate) fn any(&mut self, random: &mut Random) -> &mut H {
        let index = random.below(self.all.len());
        &mut self.all[index]
    }

    /// Adds or removes a handle, if they come and go. Returns a handle that it removes.
    pub(crate) fn come_and_go(&mut self, random: &mut Random) -> Option<H> {
        let another = self.another?;
        let index = random.below(self.all.len());
        if random.one_in(2) && self.all.len() < 5 {
            self.all.push(another(&self.all[index]));
            return None;
        }
        (self.all.len() > 1).then(|| self.all.swap_remove(index))
    }
}

/// [`Handles::one`] or [`Handles::many`].
pub(crate) type Start<H> = fn(H) -> Handles<H>;

/// The number of items of one producer among threads: fewer under Miri, which is a thousand times
/// slower.
pub(crate) const EACH: usize = if cfg!(miri) { 12 } else { 2000 };

/// One handle, for one thread.
pub(crate) fn one<H>(handle: H) -> Vec<H> {
    vec![handle]
}

/// Makes `count` handles, one for each thread.
pub(crate) fn many<H: Clone>(count: usize) -> impl FnOnce(H) -> Vec<H> {
    move |handle| vec![handle; count]
}

/// A producer that gives a refused item back, whatever the reason.
pub(crate) trait Producer {
    type Item;
    fn try_push(&mut self, item: Self::Item) -> Result<(), Self::Item>;
}

impl<P: Push> Producer for P {
    type Item = P::Item;

    fn try_push(&mut self, item: P::Item) -> Result<(), P::Item> {
        self.push(item).map_err(PushError::into_inner)
    }
}

/// A reference to an NBLFQ of items that can be too wide for it, for which it does not implement
/// [`Push`].
pub(crate) struct PushNblfq<'q, T: NonZeroWord, C: Capacity, const BITS: u32>(
    pub(crate) &'q nblfq::QueueOf<T, C, BITS>,
);

impl<T: NonZeroWord, C: Capacity, const BITS: u32> Clone for PushNblfq<'_, T, C, BITS> {
    fn clone(&self) -> Self {
        Self(self.0)
    }
}

impl<T: NonZeroWord, C: Capacity, const BITS: u32> Producer for PushNblfq<'_, T, C, BITS> {
    type Item = T;

    fn try_push(&mut self, item: T) -> Result<(), T> {
        self.0.push(item).map_err(Rejected::into_inner)
    }
}
