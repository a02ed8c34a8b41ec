//! A broadcast queue, which [`broadcast`](crate::broadcast) and [`latest`](crate::latest) share:
//! every receiver that is fast enough sees each message.
//!
//! A message goes to the next position. It is put into the position's slot, over the message of an
//! earlier lap. Each receiver has a position of its own. If its message has been overwritten, the
//! receiver continues at the oldest position whose message may still be there, and counts the
//! messages in between as lost.
//!
//! A slot has a lock, which is held while a pointer is copied or a small plain message is cloned.
//! No other user code runs under it. Senders that are a lap apart, and receivers, contend only
//! there.

mod ends;

use std::mem::needs_drop;

use aqueduct::error::CapacityError;
use aqueduct::fences;

use crate::error::{RecvError, SendError};
use crate::event::{Attempt, Event, Miss};
use crate::sync::{Arc, AtomicBool, AtomicU64, AtomicUsize, Mutex, Ordering};

pub(crate) use ends::ends;

/// The largest number of slots.
const MOST: usize = 1 << 31;

/// Largest size of a plain message, in bytes.
const PLAIN_BYTES: usize = 64;

/// A message in a slot.
#[derive(Debug)]
enum Kept<T> {
    /// A small message that needs no drop: cloning it takes less time than sharing it.
    Plain(T),
    Shared(Arc<T>),
}

impl<T> Kept<T> {
    fn new(message: T) -> Self {
        if needs_drop::<T>() || size_of::<T>() > PLAIN_BYTES {
            Self::Shared(Arc::new(message))
        } else {
            Self::Plain(message)
        }
    }
}

impl<T: Clone> Kept<T> {
    /// Returns a share of the message. Called under the lock of its slot.
    fn share(&self) -> Self {
        match self {
            Self::Plain(message) => Self::Plain(message.clone()),
            Self::Shared(message) => Self::Shared(Arc::clone(message)),
        }
    }

    /// Returns the message. Called without a lock.
    fn into_message(self) -> T {
        match self {
            Self::Plain(message) => message,
            Self::Shared(message) => T::clone(&message),
        }
    }
}

/// A slot of the ring: one message for every receiver that has not passed its position.
#[derive(Debug)]
struct Slot<T> {
    /// Position after that of the message; 0 if there has been no message.
    next: u64,
    message: Option<Kept<T>>,
}

/// A channel whose messages every receiver sees.
#[derive(Debug)]
pub(crate) struct Feed<T> {
    /// The next position.
    tail: AtomicU64,
    slots: Box<[Mutex<Slot<T>>]>,
    /// True if all senders are gone.
    is_closed: AtomicBool,
    senders: AtomicUsize,
    receivers: AtomicUsize,
    sent: Event,
}

/// A receiver's position and losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Progress {
    position: u64,
    /// Number of messages that were overwritten before the receiver got them.
    pub(crate) lost: u64,
}

impl<T> Feed<T> {
    /// Makes a channel for a sender and a receiver, with slots for at least `capacity` messages.
    pub(crate) fn new(capacity: usize) -> Result<Self, CapacityError> {
        let max = (isize::MAX as usize / size_of::<Mutex<Slot<T>>>()).min(MOST);
        let too_large = CapacityError::TooLarge { asked: capacity, max };
        if capacity == 0 {
            return Err(CapacityError::Zero);
        }
        if capacity > max {
            return Err(too_large);
        }
        let count = capacity.next_power_of_two();
        let mut slots = Vec::new();
        slots.try_reserve_exact(count).map_err(|_| too_large)?;
        slots.extend((0..count).map(|_| Mutex::new(Slot { next: 0, message: None })));
        fences::prepare();
        Ok(Self {
            tail: AtomicU64::new(0),
            slots: slots.into_boxed_slice(),
            is_closed: AtomicBool::new(false),
            senders: AtomicUsize::new(1),
            receivers: AtomicUsize::new(1),
            sent: Event::new(),
        })
    }

    pub(crate) fn capacity(&self) -> usize {
        self.slots.len()
    }

    pub(crate) fn sent(&self) -> &Event {
        &self.sent
    }

    /// Whether no message will be sent.
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    pub(crate) fn has_receivers(&self) -> bool {
        self.receivers.load(Ordering::Relaxed) > 0
    }

    pub(crate) fn add_sender(&self) {
        // Ordering: Relaxed. The caller has a sender, so the count does not fall to 0 meanwhile.
        self.senders.fetch_add(1, Ordering::Relaxed);
    }

    /// Adds a sender, unless all senders are gone. Returns whether it has done so.
    pub(crate) fn revive_sender(&self) -> bool {
        // Ordering: Relaxed. The new sender releases what it sends when it goes, as each sender
        // does.
        let add = |senders| (senders > 0).then_some(senders + 1);
        self.senders.fetch_update(Ordering::Relaxed, Ordering::Relaxed, add).is_ok()
    }

    pub(crate) fn add_receiver(&self) {
        self.receivers.fetch_add(1, Ordering::Relaxed);
    }

    pub(crate) fn drop_receiver(&self) {
        // Ordering: Release only keeps the store behind earlier loads (load buffering).
        self.receivers.fetch_sub(1, Ordering::Release);
    }

    /// Closes the channel if the sender was the last one.
    pub(crate) fn drop_sender(&self) {
        // Ordering: Release pairs with the Acquire of the last one, which closes: all messages have
        // their positions.
        if self.senders.fetch_sub(1, Ordering::AcqRel) == 1 {
            // Ordering: Release pairs with the Acquire in `recv`: the tail is the last one.
            self.is_closed.store(true, Ordering::Release);
            self.sent.notify_all();
        }
    }

    fn slot(&self, position: u64) -> &Mutex<Slot<T>> {
        &self.slots[position as usize & (self.slots.len() - 1)]
    }

    /// Sends to all receivers, if there is one.
    pub(crate) fn send(&self, message: T) -> Result<(), SendError<T>> {
        if !self.has_receivers() {
            return Err(SendError(message));
        }
        self.put(message);
        self.sent.notify_all();
        Ok(())
    }

    /// Puts a message over an older one.
    pub(crate) fn put(&self, message: T) {
        let message = Kept::new(message);
        // Ordering: Relaxed. The lock of the slot orders messages.
        let position = self.tail.fetch_add(1, Ordering::Relaxed);
        let old = {
            let mut slot = self.slot(position).lock();
            if slot.next > position {
                // A sender that was a lap later came first: no receiver can get this message any
                // more.
                Some(message)
            } else {
                slot.next = position + 1;
                slot.message.replace(message)
            }
        };
        // Dropped after the lock is released: a message may contain a handle of this channel.
        drop(old);
    }

    /// Returns the start position of a receiver created now.
    pub(crate) fn now(&self) -> Progress {
        Progress { position: self.tail.load(Ordering::Relaxed), lost: 0 }
    }

    /// Returns the number of messages that wait for the receiver.
    pub(crate) fn len(&self, progress: &Progress) -> usize {
        let waiting = self.tail.load(Ordering::Relaxed).saturating_sub(progress.position);
        waiting.min(self.slots.len() as u64) as usize
    }
}

impl<T: Clone> Feed<T> {
    /// Returns the newest message, whether it has been received or not; `None` while it is being
    /// sent.
    pub(crate) fn newest(&self) -> Option<T> {
        let last = self.tail.load(Ordering::Relaxed).checked_sub(1)?;
        let kept = self.slot(last).lock().message.as_ref().map(Kept::share);
        kept.map(Kept::into_message)
    }

    /// Tries to receive, once.
    fn recv(&self, progress: &mut Progress) -> Result<Result<Kept<T>, RecvError>, Miss> {
        loop {
            // Loaded before the tail: a sender can send and be dropped between the two loads.
            // Ordering: Acquire pairs with the Release in `drop_sender`.
            let is_closed = self.is_closed.load(Ordering::Acquire);
            let position = progress.position;
            if self.tail.load(Ordering::Relaxed) <= position {
                return if is_closed { Ok(Err(RecvError)) } else { Err(Miss::Exact) };
            }
            {
                let slot = self.slot(position).lock();
                if slot.next <= position {
                    // The message is being sent: all receivers are notified afterwards.
                    return Err(Miss::Exact);
                }
                if slot.next == position + 1 {
                    progress.position += 1;
                    return Ok(slot.message.as_ref().map(Kept::share).ok_or(RecvError));
                }
            }
            // The message has been overwritten, at a position that comes before the tail.
            let oldest = self.tail.load(Ordering::Relaxed) - self.slots.len() as u64;
            progress.lost += oldest - position;
            progress.position = oldest;
        }
    }
}

/// Attempts to receive a message.
#[derive(Debug)]
pub(crate) struct Following<'a, T> {
    pub(crate) feed: &'a Feed<T>,
    pub(crate) progress: &'a mut Progress,
}

impl<T: Clone> Attempt for Following<'_, T> {
    type Output = Result<T, RecvError>;

    fn attempt(&mut self) -> Result<Self::Output, Miss> {
        self.feed.recv(self.progress).map(|result| result.map(Kept::into_message))
    }

    fn is_more(&mut self) -> bool {
        // All receivers are notified of each message.
        false
    }

    fn is_ready(&mut self) -> bool {
        self.feed.len(self.progress) > 0 || self.feed.is_closed()
    }
}
