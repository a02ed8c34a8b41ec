//! The two sides of a queue, each with one thread or with many: how they mark entries as done.

use core::fmt;
use core::ptr::NonNull;

use super::block::{Block, Content};
use super::claim::is_open;
use super::cursor::{Cursor, MOST};
use super::entry::{EntryOf, Words};
use super::items::Items;
use super::records::Bytes;
use super::shared::Shared;
use crate::error::{PopError, PushError};
use crate::sync::{AtomicU8, AtomicUsize, Cell, Ordering};

/// One thread at a time on this side: its handle cannot be cloned.
#[derive(Clone, Copy, Debug)]
pub struct Single;

/// Any number of threads on this side: its handle can be cloned.
#[derive(Clone, Copy, Debug)]
pub struct Multi;

/// Why nothing was pushed or popped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reason {
    /// `Full` or `Empty`.
    Exhausted,
    /// Another thread is in the middle of an operation.
    Busy,
}

/// The producers of a queue: how they mark entries as committed. Sealed.
///
/// What is given here is for many producers.
pub trait Commits: Copy + fmt::Debug + 'static {
    /// Whether each entry has a mark of its own in its line, or the line has one for all.
    const MARK_EACH: bool = true;

    /// Whether there is one producer.
    const ALONE: bool = false;

    /// The greatest number of blocks of a queue, and of entries of a block.
    const MOST: usize = MOST;

    /// Maps a consumer's refusal to `PopError`.
    #[inline(always)]
    fn nothing(reason: Reason) -> PopError {
        PopError::from(reason)
    }

    /// Returns the cursor of a block of `size` entries when it is opened to producers.
    fn opened(first: Cursor, _size: usize) -> Cursor {
        first
    }

    /// Returns how far producers have come in a block of `size` entries.
    ///
    /// `allocated` was found in their word.
    #[inline(always)]
    fn how_far(allocated: Cursor, _size: usize) -> Cursor {
        allocated
    }

    /// Makes the marks of a line of `slots` entries, none of them committed in the lap after
    /// `marked`'s.
    ///
    /// # Safety
    /// The line's marks lie at `line`, and no other thread touches them.
    unsafe fn initialise(line: NonNull<u8>, slots: usize, marked: Cursor) {
        for slot in 0..slots {
            // SAFETY: the caller's promise.
            unsafe { line.cast::<AtomicU8>().add(slot).write(AtomicU8::new(marked.parity())) };
        }
    }

    /// Commits `count` entries of one line, from `slot` on. `at` is the first one's cursor.
    ///
    /// Many producers write each entry's mark: the parity of the lap in which it was committed last.
    /// One bit is enough: a block is reused only when all of its entries have been committed (and
    /// consumed, if they are), so a mark is this lap's or the last lap's.
    ///
    /// # Safety
    /// They have been written, and they are the caller's.
    #[inline(always)]
    unsafe fn commit(line: NonNull<u8>, slot: usize, at: Cursor, count: usize) {
        for slot in slot..slot + count {
            // Ordering: Release pairs with the Acquire load in `committed`; without it, a consumer reads an entry that
            // is not written yet.
            // SAFETY: a line begins with its marks.
            unsafe { line.cast::<AtomicU8>().add(slot).as_ref() }.store(at.parity(), Ordering::Release);
        }
    }

    /// Whether all of a block is committed in the lap of `end`, in which it was used up.
    ///
    /// Reads one word if one of many producers at a time is at work, as a rule. Then no producer has
    /// to read all lines, which readers may have.
    #[inline(always)]
    fn is_committed<T, C: Consumes>(shared: &Shared<Items<T>, Self, C>, end: Cursor, block: NonNull<Block>) -> bool {
        // Ordering: Acquire pairs with the Release in `filled_alone`: the entries are there, as where their marks are
        // looked at.
        // SAFETY: one of the queue's blocks.
        unsafe { block.as_ref() }.allocated.committed.load(Ordering::Acquire) == end.0
            || shared.committed_lines(block, end.begin(), shared.size()) == shared.size()
    }

    /// Returns how many entries of one line are committed from `slot` on, up to `most`.
    ///
    /// `at` is the first one's cursor.
    ///
    /// # Safety
    /// The line has at least `slot + most` entries.
    #[inline(always)]
    unsafe fn committed(line: NonNull<u8>, slot: usize, at: Cursor, most: usize) -> usize {
        for count in 0..most {
            // Ordering: Acquire pairs with the Release store in `commit`: the entry is there.
            // SAFETY: a line begins with its marks.
            let mark = unsafe { line.cast::<AtomicU8>().add(slot + count).as_ref() }.load(Ordering::Acquire);
            if mark != at.parity() {
                return count;
            }
        }
        most
    }
}

/// The consumers of a queue: how they mark entries as consumed. Sealed.
pub trait Consumes: Copy + fmt::Debug + 'static {
    /// Whether each entry has a mark for consumption.
    const MARK_EACH: bool;

    /// Whether there is one consumer, which gets all items.
    const ALONE: bool = false;

    /// The greatest number of blocks of a queue, and of entries of a block.
    const MOST: usize = MOST;

    /// How many blocks a queue for a capacity has beyond those that it needs.
    const SPARE: usize = 0;

    /// The memory of an entry.
    type Entry<T>: EntryOf<T>;

    /// Returns the item of a push that found no room.
    #[inline(always)]
    fn refused<T>(item: T, reason: Reason) -> PushError<T> {
        match reason {
            Reason::Exhausted => PushError::Full(item),
            Reason::Busy => PushError::Busy(item),
        }
    }

    /// Answers [`Content::is_full`](super::block::Content::is_full) for items.
    fn is_full<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool;

    /// Answers [`Content::is_free`](super::block::Content::is_free) for items.
    fn is_free<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool;

    /// Notes that one of many producers alone has filled a block, up to `end`.
    ///
    /// It has committed the block if it holds items.
    #[inline(always)]
    fn filled_alone(_block: &Block, _end: Cursor) {}

    /// Returns how far consumers have come in a block of `size` entries.
    ///
    /// `reserved` was found in the word that they exchange.
    #[inline(always)]
    fn how_far(_block: &Block, reserved: Cursor, _size: usize) -> Cursor {
        reserved
    }
}

/// The consumers of a queue of records. Sealed.
pub trait ConsumesRecords: Consumes {
    /// Answers [`Content::is_full`](super::block::Content::is_full) for records.
    fn is_full_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool;

    /// Answers [`Content::is_free`](super::block::Content::is_free) for records.
    fn is_free_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool;
}

impl From<Reason> for PopError {
    fn from(reason: Reason) -> Self {
        match reason {
            Reason::Exhausted => Self::Empty,
            Reason::Busy => Self::Busy,
        }
    }
}

impl Commits for Single {
    const MARK_EACH: bool = false;
    const ALONE: bool = true;

    #[inline(always)]
    fn nothing(_reason: Reason) -> PopError {
        PopError::Empty
    }

    /// Opens all entries at once.
    ///
    /// Consumers ignore entries that a single producer has not committed, and if readers read this
    /// word, each store costs the producer a wait.
    fn opened(first: Cursor, size: usize) -> Cursor {
        first.plus(size)
    }

    unsafe fn initialise(line: NonNull<u8>, _slots: usize, marked: Cursor) {
        // SAFETY: the caller's promise.
        unsafe { line.cast::<AtomicUsize>().write(AtomicUsize::new(marked.0)) };
    }

    /// Always true: the only producer has committed all entries before it goes on.
    #[inline(always)]
    fn is_committed<T, C: Consumes>(_shared: &Shared<Items<T>, Self, C>, _end: Cursor, _block: NonNull<Block>) -> bool {
        true
    }

    /// Writes the line's stamp: up to where the block is filled, in which lap.
    #[inline(always)]
    unsafe fn commit(line: NonNull<u8>, _slot: usize, at: Cursor, count: usize) {
        // Ordering: Release pairs with the Acquire load in `committed`; without it, a consumer reads entries that are
        // not written yet.
        // SAFETY: a line begins with its stamp.
        unsafe { line.cast::<AtomicUsize>().as_ref() }.store(at.plus(count).0, Ordering::Release);
    }

    #[inline(always)]
    unsafe fn committed(line: NonNull<u8>, _slot: usize, at: Cursor, most: usize) -> usize {
        // Ordering: Acquire pairs with the Release store in `commit`: the entries are there.
        // SAFETY: a line begins with its stamp.
        let stamp = Cursor(unsafe { line.cast::<AtomicUsize>().as_ref() }.load(Ordering::Acquire));
        stamp.shortly_after(at).min(most)
    }
}

impl Commits for Multi {}

impl Consumes for Single {
    const MARK_EACH: bool = false;
    const ALONE: bool = true;
    type Entry<T> = Cell<T>;

    #[inline(always)]
    fn refused<T>(item: T, _reason: Reason) -> PushError<T> {
        PushError::Full(item)
    }

    #[inline(always)]
    fn is_full<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        is_kept(shared, head)
    }

    #[inline(always)]
    fn is_free<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        is_given_back(shared, head)
    }
}

impl ConsumesRecords for Single {
    #[inline(always)]
    fn is_full_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool {
        is_kept(shared, head)
    }

    #[inline(always)]
    fn is_free_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool {
        is_given_back(shared, head)
    }
}

/// Whether the only consumer has not given back the block of that head in the lap before.
///
/// Then it has given the block back in the lap before that, or never, or it has left it.
#[inline(always)]
fn is_kept<K: Content<P, Single>, P: Commits>(shared: &Shared<K, P, Single>, head: Cursor) -> bool {
    let used_up = head.version_before(shared.size());
    // Ordering: Relaxed, nothing is done with what it has read.
    let reserved = Cursor(shared.block_of(head).reserved.by_exchange.load(Ordering::Relaxed));
    if P::ALONE {
        // Nobody else can have opened the block since.
        return reserved != used_up;
    }
    reserved == used_up.version_before(shared.size()) || reserved.begin() == used_up.begin() && reserved != used_up
}

/// Whether the only consumer has given back the block of that head in the lap before.
#[inline(always)]
fn is_given_back<K: Content<P, Single>, P: Commits>(shared: &Shared<K, P, Single>, head: Cursor) -> bool {
    // Ordering: Acquire pairs with the Release store in `reserve::give_back`: the items have been read.
    let reserved = shared.block_of(head).reserved.by_exchange.load(Ordering::Acquire);
    reserved == head.version_before(shared.size()).0
}

impl Consumes for Multi {
    const MARK_EACH: bool = true;
    type Entry<T> = Cell<T>;

    #[inline(always)]
    fn is_full<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        is_last_there(shared, head)
    }

    #[inline(always)]
    fn is_free<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        are_consumed(shared, head)
    }
}

/// Whether no consumer has popped, or is popping, the last item of that head's block.
///
/// That concerns the lap before, and many consumers. The mark's line stays with the producers until
/// the block is nearly used up. The mark does not say of which lap it is, but the consumers' head
/// does, which moves once a block: a consumer that has marked the entry in a later lap has found
/// the head there before. (`reserved` would tell as well, but each read of it would take it away
/// from consumers that are at work there.)
#[inline(always)]
pub(super) fn is_last_there<T, P: Commits, C: Consumes>(shared: &Shared<Items<T>, P, C>, head: Cursor) -> bool {
    !is_consumed(shared, head, shared.size() - 1) && !shared.consumers_are_beyond(head.version_before(head.offset()))
}

/// Whether many consumers have marked all entries of the block of that head as consumed in the lap before.
#[inline(always)]
pub(super) fn are_consumed<T, P: Commits, C: Consumes>(shared: &Shared<Items<T>, P, C>, head: Cursor) -> bool {
    (0..shared.size()).rev().all(|offset| is_consumed(shared, head, offset))
}

/// Whether an entry of the block of that head is marked as consumed in the lap before.
#[inline(always)]
fn is_consumed<T, P: Commits, C: Consumes>(shared: &Shared<Items<T>, P, C>, head: Cursor, offset: usize) -> bool {
    let marks = shared.marks(shared.blocks.block(head.offset()));
    // Ordering: Acquire pairs with the Release store in `mark_consumed`: the item has been read.
    // SAFETY: an entry of the block has its mark.
    unsafe { marks.add(offset).as_ref() }.load(Ordering::Acquire) == head.version_before(0).parity()
}

impl ConsumesRecords for Multi {
    /// Reads the consumers' head first: if it has gone on, usually no record need be read.
    ///
    /// Reads the block's own word last, because the records may be of the lap that another producer
    /// has opened since.
    fn is_full_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool {
        let before = head.version_before(head.offset());
        !shared.consumers_are_beyond(before)
            && !Self::is_free_of_records(shared, head)
            && !is_open(shared.block_of(head), before)
    }

    fn is_free_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool {
        shared.all_records(shared.blocks.block(head.offset()), head.version_before(0), true)
    }
}

/// Any number of readers, which producers overtake: items not read in time are overwritten.
#[derive(Clone, Copy, Debug)]
pub struct Overwritten;

impl Consumes for Overwritten {
    const MARK_EACH: bool = false;
    /// Spare blocks spare an overtaken reader the blocks that are overwritten next: see `drop_old`.
    const SPARE: usize = 2;
    type Entry<T> = Words<T>;

    #[inline(always)]
    fn refused<T>(item: T, _reason: Reason) -> PushError<T> {
        PushError::Busy(item)
    }

    #[inline(always)]
    fn is_full<T, P: Commits>(_shared: &Shared<Items<T>, P, Self>, _head: Cursor) -> bool {
        false
    }

    /// True once all entries have been committed.
    #[inline(always)]
    fn is_free<T, P: Commits>(shared: &Shared<Items<T>, P, Self>, head: Cursor) -> bool {
        P::is_committed(shared, head.version_before(shared.size()), shared.blocks.block(head.offset()))
    }

    #[inline(always)]
    fn filled_alone(block: &Block, end: Cursor) {
        // Ordering: Release pairs with the Acquire in `is_committed`; without it, a producer of the next lap could come
        // before the writes of this one.
        block.allocated.committed.store(end.0, Ordering::Release);
    }
}

impl ConsumesRecords for Overwritten {
    fn is_full_of_records<P: Commits>(_shared: &Shared<Bytes, P, Self>, _head: Cursor) -> bool {
        false
    }

    /// True once all entries have been committed.
    fn is_free_of_records<P: Commits>(shared: &Shared<Bytes, P, Self>, head: Cursor) -> bool {
        shared.all_records(shared.blocks.block(head.offset()), head.version_before(0), false)
    }
}
