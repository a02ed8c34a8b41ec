//! The beginning of crossbeam's list channel (and of the standard library's copy), for Z23 to Z25.
//!
//! The first sender makes the first block. It publishes it to the senders in `tail_block` and only
//! then to the receiver in `head_block`. A dropped receiver discards the messages and frees the
//! block.

use std::ptr;
use std::sync::Arc;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};

use super::super::{AtomicBool, AtomicPtr, AtomicUsize, allocate, await_until, free, spawn};

/// The lowest bit of the tail: the receiver was dropped.
const GONE: usize = 1;
/// The amount by which a message raises the tail.
const MESSAGE: usize = 2;

struct Block {
    written: [AtomicBool; 2],
}

/// The way in which the receiver gets the block.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Take {
    /// The receiver swaps null in at once, and never waits.
    AtOnce,
    /// The receiver loads the pointer, waits for the block if there are messages, and stores null
    /// at the end.
    LoadAndStore,
    /// The receiver swaps null in at once; if there are messages but no block it waits, and loads
    /// the pointer.
    SwapOrWait,
    /// The receiver swaps null in at once; if there are messages but no block it waits, and swaps
    /// null in again.
    Swap,
}

struct Channel {
    head_block: AtomicPtr<Block>,
    tail_block: AtomicPtr<Block>,
    tail: AtomicUsize,
}

impl Channel {
    fn send(&self) {
        let mut tail = self.tail.load(Acquire);
        if tail & GONE != 0 {
            return;
        }
        let block = self.block();
        loop {
            match self.tail.compare_exchange(tail, tail + MESSAGE, AcqRel, Acquire) {
                Ok(_) => break,
                Err(now) if now & GONE != 0 => return,
                Err(now) => tail = now,
            }
        }
        // SAFETY: the receiver frees the block once every message counted is written.
        unsafe { &*block }.written[tail / MESSAGE].store(true, Release);
    }

    /// Returns the first block, and makes it if it is missing.
    fn block(&self) -> *mut Block {
        let block = self.tail_block.load(Acquire);
        if !block.is_null() {
            return block;
        }
        let new = allocate(Block { written: [AtomicBool::new(false), AtomicBool::new(false)] });
        match self.tail_block.compare_exchange(ptr::null_mut(), new, AcqRel, Acquire) {
            Ok(_) => {
                self.head_block.store(new, Release);
                new
            }
            Err(others) => {
                // SAFETY: no other thread has seen it.
                unsafe { free(new) };
                others
            }
        }
    }

    /// Handles the receiver's end.
    fn discard(&self, take: Take) {
        let messages = self.tail.fetch_or(GONE, AcqRel) / MESSAGE;
        let mut block = match take {
            Take::LoadAndStore => self.head_block.load(Acquire),
            _ => self.head_block.swap(ptr::null_mut(), AcqRel),
        };
        if messages > 0 && block.is_null() && take != Take::AtOnce {
            await_until(|| {
                block = self.head_block.load(Acquire);
                !block.is_null()
            });
            if take == Take::Swap {
                self.head_block.swap(ptr::null_mut(), AcqRel);
            }
        }
        assert!(messages == 0 || !block.is_null(), "there are messages, and no block to take them from");
        if !block.is_null() {
            // SAFETY: it is freed below.
            for written in unsafe { &*block }.written.iter().take(messages) {
                await_until(|| written.load(Acquire));
            }
            // SAFETY: no sender comes after the messages that were counted.
            unsafe { free(block) };
        }
        if take == Take::LoadAndStore {
            self.head_block.store(ptr::null_mut(), Release);
        }
    }

    /// Frees the block that a late sender installed, when both sides were dropped.
    fn destroy(&self) {
        let block = self.head_block.load(Relaxed);
        if !block.is_null() {
            // SAFETY: it is the channel's own block, unless `discard` has left a freed one.
            unsafe { free(block) };
        }
    }
}

/// Some senders beside a receiver that is dropped.
pub(crate) fn client(senders: usize, take: Take) {
    let channel = Arc::new(Channel {
        head_block: AtomicPtr::new(ptr::null_mut()),
        tail_block: AtomicPtr::new(ptr::null_mut()),
        tail: AtomicUsize::new(0),
    });
    let senders: Vec<_> = (0..senders)
        .map(|_| {
            let channel = Arc::clone(&channel);
            spawn(move || channel.send())
        })
        .collect();
    channel.discard(take);
    for sender in senders {
        sender.join().unwrap();
    }
    channel.destroy();
}
