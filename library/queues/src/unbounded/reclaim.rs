//! Reclamation of blocks that have left the chain: they are used again, or freed.

use core::ptr::{NonNull, null_mut};

use super::block::Block;
use super::chain::Chain;
use super::place::Place;
use super::side::Side;
use crate::heap::drop_all;
use crate::sync::Ordering;

impl<T, P: Side, C: Side> Chain<T, P, C> {
    /// Ends a visit. The last visitor retires the block.
    pub(super) fn leave(&self, block: NonNull<Block<T>>) {
        // SAFETY: the caller visits the block.
        if !unsafe { Block::leave(block) } {
            return;
        }
        // Ordering: Relaxed for the load, a hint. Acquire pairs with the Release of `settle`: the
        // list's links come with it.
        let retired = &self.store.retired;
        let mut waiting = match retired.load(Ordering::Relaxed) {
            none if none.is_null() => none,
            _ => retired.swap(null_mut(), Ordering::Acquire),
        };
        self.settle(block);
        while let Some(block) = NonNull::new(waiting) {
            // SAFETY: the block was in the list, which is this thread's now.
            waiting = unsafe { block.as_ref() }.next.load(Ordering::Relaxed);
            self.settle(block);
        }
    }

    /// Keeps or frees a retired block. Puts it into the list if one of its slots is still in use.
    fn settle(&self, block: NonNull<Block<T>>) {
        // One consumer leaves a block when all items are taken.
        // SAFETY: only the users of its slots have access to a retired block.
        if C::IS_SINGLE || unsafe { Block::is_done(block, self.slots) } {
            return self.keep(block);
        }
        let mut top = self.store.retired.load(Ordering::Relaxed);
        loop {
            // SAFETY: the block is this thread's until it is in the list.
            unsafe { block.as_ref() }.next.store(top, Ordering::Relaxed);
            // Ordering: Release pairs with the Acquire of `leave`: the link comes with the block,
            // and so does its retirement.
            match self.store.retired.compare_exchange(top, block.as_ptr(), Ordering::Release, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => top = other,
            }
        }
    }

    /// Keeps a block that no thread uses, and frees the block that was kept before.
    pub(super) fn keep(&self, block: NonNull<Block<T>>) {
        // Ordering: Release pairs with the Acquire of `new_block`, and of this swap: no thread uses
        // the block any more.
        if let Some(old) = NonNull::new(self.store.spare.swap(block.as_ptr(), Ordering::AcqRel)) {
            // SAFETY: no thread uses the block, and the store no longer has it.
            unsafe { Block::free(old, self.slots) };
        }
    }

    /// Returns a block of empty slots, unless there is no memory.
    pub(super) fn new_block(&self) -> Option<NonNull<Block<T>>> {
        let spare = &self.store.spare;
        // Ordering: Acquire only keeps later stores behind (load buffering); the swap takes the
        // block.
        if !spare.load(Ordering::Acquire).is_null() {
            // Ordering: Acquire pairs with the Release of `keep`.
            if let Some(block) = NonNull::new(spare.swap(null_mut(), Ordering::Acquire)) {
                // SAFETY: the store had the block, which is this thread's now.
                unsafe { Block::renew(block, self.slots) };
                return Some(block);
            }
        }
        Block::new(self.slots)
    }
}

/// Frees all blocks. The items have been taken out.
impl<T, P, C> Drop for Chain<T, P, C> {
    fn drop(&mut self) {
        let first = Place::of_word(*self.head.0.place.get_mut()).block().map_or(null_mut(), NonNull::as_ptr);
        for list in [first, *self.store.0.retired.get_mut()] {
            let mut next = NonNull::new(list);
            while let Some(block) = next {
                // SAFETY: the block is the queue's, and no thread uses it any more.
                next = NonNull::new(unsafe { block.as_ref() }.next.load(Ordering::Relaxed));
                // SAFETY: the block is in one list, once.
                unsafe { Block::free(block, self.slots) };
            }
        }
        if let Some(spare) = NonNull::new(*self.store.0.spare.get_mut()) {
            // SAFETY: the spare block is in no list.
            unsafe { Block::free(spare, self.slots) };
        }
    }
}

/// A chain whose items are dropped with it, the oldest first.
pub(super) struct Owner<T, P: Side, C: Side>(pub(super) Chain<T, P, C>);

impl<T, P: Side, C: Side> Drop for Owner<T, P, C> {
    fn drop(&mut self) {
        if core::mem::needs_drop::<T>() {
            // SAFETY: the chain is this thread's.
            drop_all(&mut || unsafe { self.0.pop() }.is_ok());
        }
    }
}
