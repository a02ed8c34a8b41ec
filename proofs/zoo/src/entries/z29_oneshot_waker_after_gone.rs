//! Z29: oneshot, RUSTSEC-2026-0005. A receiver that is dropped after it was polled uses the channel
//! too late.
//!
//! It publishes that it was dropped, and then drops the waker that it left in the channel. The
//! sender, which is dropped too, frees the channel in between. The repaired form takes the waker
//! back before it publishes.

use std::sync::atomic::Ordering::{AcqRel, Acquire};

use super::super::{AtomicU8, Slot, allocate, free, spawn};
use crate::worlds::Shared;

/// No side has done anything yet.
const EMPTY: u8 = 0;
/// The receiver waits, and its waker is in the channel.
const RECEIVING: u8 = 1;
/// The sender takes the waker.
const UNPARKING: u8 = 2;
/// One side was dropped. The other frees the channel.
const DISCONNECTED: u8 = 3;

struct Channel {
    state: AtomicU8,
    waker: Slot<usize>,
}

/// Marks that a side was dropped, and returns the state before. The second side frees the channel.
fn go(side: Shared<Channel>) -> u8 {
    // SAFETY: this side has not marked that it was dropped.
    let before = unsafe { side.get() }.state.swap(DISCONNECTED, AcqRel);
    if before == DISCONNECTED {
        // SAFETY: both sides were dropped.
        unsafe { free(side.pointer()) };
    }
    before
}

/// Takes the waker out of the channel if it is there.
fn take_waker(side: Shared<Channel>, meanwhile: u8) {
    // SAFETY: this side has not marked that it was dropped.
    let channel = unsafe { side.get() };
    if channel.state.compare_exchange(RECEIVING, meanwhile, AcqRel, Acquire).is_ok() {
        channel.waker.set(0);
    }
}

fn drop_receiver<const WAKER_FIRST: bool>(side: Shared<Channel>) {
    if WAKER_FIRST {
        take_waker(side, EMPTY);
    }
    if go(side) == RECEIVING {
        // SAFETY: none, this is the bug. (If the waker was taken first, this code is not reached.)
        unsafe { side.get() }.waker.set(0);
    }
}

fn drop_sender(side: Shared<Channel>) {
    take_waker(side, UNPARKING);
    go(side);
}

/// The receiver has been polled; now both sides are dropped.
fn client<const WAKER_FIRST: bool>() {
    let side = Shared::new(allocate(Channel { state: AtomicU8::new(RECEIVING), waker: Slot::new(1) }));
    let receiver = spawn(move || drop_receiver::<WAKER_FIRST>(side));
    drop_sender(side);
    receiver.join().unwrap();
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
