//! The state that the ends of a channel share, and its events in the model.
//!
//! A message is sent by one read-modify-write, which numbers it, and by a store in the slot of that
//! number, which publishes it. Its receiver reads that slot alone. So the executions of a program
//! differ in the order of the messages, and not in the moment when a thread reads a queue, or in
//! how long a thread holds a lock.
//!
//! No counter shows the receiver that the last sender was dropped, because each order of the
//! senders' ends would then be an execution. Each sender has a mark of its own. The marks also lead
//! to all senders: a dropped sender has made all its clones, and the receiver reads their marks.

use std::collections::BTreeMap;
use std::sync::mpsc::TrySendError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::hint::await_here;
use crate::runtime::driver;
use crate::runtime::inside;
use crate::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The bit of [`Channel::sent`] that is set when the receiver was dropped.
const CLOSED: usize = 1;

/// The amount by which a message raises [`Channel::sent`].
const MESSAGE: usize = 2;

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The place of one message.
pub(super) struct Slot<T> {
    filled: AtomicBool,
    message: Mutex<Option<T>>,
}

impl<T> Slot<T> {
    /// Whether the message is in the slot. Then the call synchronizes with its sending.
    #[track_caller]
    pub(super) fn is_filled(&self) -> bool {
        // Ordering: Acquire pairs with the store in `Channel::send`; without it, the receiver races
        // for the message's content.
        self.filled.load(Ordering::Acquire)
    }

    /// Waits in a round that fails if the message is not in the slot: see `explore::locks`.
    #[track_caller]
    pub(super) fn is_filled_by_now(&self) -> bool {
        // Ordering: Acquire, as in `is_filled`.
        self.filled.is_set(Ordering::Acquire)
    }
}

/// Whether a sender was dropped, and the senders that were cloned from it.
pub(super) struct Life {
    gone: AtomicBool,
    /// The clones by the thread that made them, in the order of time for each thread, so that every
    /// run has one order.
    clones: Mutex<Vec<(usize, Arc<Self>)>>,
}

impl Life {
    fn new() -> Arc<Self> {
        Arc::new(Self { gone: AtomicBool::new(false), clones: Mutex::new(Vec::new()) })
    }

    /// Begins the life of a clone.
    pub(super) fn branch(&self) -> Arc<Self> {
        let thread = if inside() { driver::ask(|engine| engine.current) } else { 0 };
        let clone = Self::new();
        let mut clones = lock(&self.clones);
        let at = clones.partition_point(|&(other, _)| other <= thread);
        clones.insert(at, (thread, Arc::clone(&clone)));
        clone
    }

    /// Notes that the sender is dropped.
    #[track_caller]
    pub(super) fn end(&self) {
        // Ordering: SeqCst pairs with the loads in `Channel::is_closed`. What the sender sent
        // happens before its end. A receiver that announces its sleep and then finds no end is
        // found by a sender that ends and then looks for it.
        self.gone.store(true, Ordering::SeqCst);
    }
}

impl Drop for Life {
    /// Drops long chains of clones without recursion.
    fn drop(&mut self) {
        let take = |life: &mut Self| std::mem::take(life.clones.get_mut().unwrap_or_else(PoisonError::into_inner));
        let mut left = take(self);
        while let Some((_, clone)) = left.pop() {
            left.extend(Arc::into_inner(clone).iter_mut().flat_map(take));
        }
    }
}

/// A channel's capacity, and the shared state of its ends for it.
pub(super) struct Room {
    bound: usize,
    /// The number of messages that have been received.
    taken: AtomicUsize,
    /// One above the number of the message for which the receiver waits, until a sender claims it.
    waits_for: AtomicUsize,
}

impl Room {
    /// Whether the capacity admits the message with this number.
    #[track_caller]
    fn has(&self, number: usize) -> bool {
        // Ordering: SeqCst pairs with the store in `Channel::receive`: a message is sent after the
        // receipt of the one whose room it has. As in `Channel::send`, for threads that each
        // announce something.
        number.checked_sub(self.taken.load(Ordering::SeqCst)).is_none_or(|left| left < self.bound)
    }

    /// Returns how many messages must be received before the capacity admits the message with this
    /// number.
    fn before(&self, number: usize) -> usize {
        number.saturating_add(1).saturating_sub(self.bound)
    }

    /// Publishes that the receiver waits for the message with this number.
    #[track_caller]
    pub(super) fn begin_wait(&self, number: usize) {
        // Ordering: SeqCst pairs with `end_wait`, by which a sender sees what the receiver did
        // before.
        self.waits_for.store(number + 1, Ordering::SeqCst);
    }

    /// Ends the wait for the message with this number. Returns whether no other thread had ended
    /// it.
    #[track_caller]
    pub(super) fn end_wait(&self, number: usize) -> bool {
        // Ordering: SeqCst pairs with the store in `begin_wait`.
        self.waits_for.compare_exchange(number + 1, 0, Ordering::SeqCst, Ordering::SeqCst).is_ok()
    }
}

/// A channel.
pub(super) struct Channel<T> {
    /// The number of messages that have been sent, and whether the receiver was dropped.
    sent: AtomicUsize,
    /// The slots that are in use: their messages have not been taken.
    slots: Mutex<BTreeMap<usize, Arc<Slot<T>>>>,
    first: Arc<Life>,
    /// `None` for an unbounded channel.
    pub(super) room: Option<Room>,
}

impl<T> Channel<T> {
    pub(super) fn new(bound: Option<usize>) -> (Arc<Self>, Arc<Life>) {
        let first = Life::new();
        let (sent, slots) = (AtomicUsize::new(0), Mutex::new(BTreeMap::new()));
        let room = bound.map(|bound| Room { bound, taken: AtomicUsize::new(0), waits_for: AtomicUsize::new(0) });
        (Arc::new(Self { sent, slots, first: Arc::clone(&first), room }), first)
    }

    /// Returns the `room` of a rendezvous channel; `None` for others.
    pub(super) fn meeting(&self) -> Option<&Room> {
        self.room.as_ref().filter(|room| room.bound == 0)
    }

    /// Returns the slot of the message with this number.
    pub(super) fn slot(&self, number: usize) -> Arc<Slot<T>> {
        let new = || Arc::new(Slot { filled: AtomicBool::new(false), message: Mutex::new(None) });
        Arc::clone(lock(&self.slots).entry(number).or_insert_with(new))
    }

    /// Sends a message, or gives it back if the receiver was dropped.
    #[track_caller]
    pub(super) fn send(&self, message: T) -> Result<(), T> {
        // Ordering: SeqCst pairs with the load in `has_sent`. Of two threads that each announce
        // something, one of them a message, and then look for the other's, one finds it; without,
        // both could miss it.
        let sent = self.sent.fetch_add(MESSAGE, Ordering::SeqCst);
        if sent & CLOSED != 0 {
            return Err(message);
        }
        // A number without a message would stop the receiver.
        let _shield = driver::shield();
        self.fill(sent / MESSAGE, message);
        Ok(())
    }

    /// Puts the message with this number into its slot.
    #[track_caller]
    fn fill(&self, number: usize, message: T) {
        let slot = self.slot(number);
        *lock(&slot.message) = Some(message);
        // Ordering: Release pairs with the load in `Slot::is_filled`; without it, the receiver
        // races with the sender for the message.
        slot.filled.store(true, Ordering::Release);
    }

    /// Sends a message when the capacity admits it, or gives it back if the receiver was dropped.
    /// In a rendezvous channel, it waits until the message has been received.
    ///
    /// Messages are ordered by their senders' calls, so a sender that waits is not overtaken.
    #[track_caller]
    pub(super) fn send_into(&self, room: &Room, message: T) -> Result<(), T> {
        // Ordering: SeqCst, as in `send`.
        let sent = self.sent.fetch_add(MESSAGE, Ordering::SeqCst);
        if sent & CLOSED != 0 {
            return Err(message);
        }
        // A number without a message would stop the receiver.
        let _shield = driver::shield();
        let number = sent / MESSAGE;
        if room.bound == 0 {
            self.fill(number, message);
            return if self.await_receipts(room, number + 1) { Ok(()) } else { Err(self.take(number)) };
        }
        if !self.await_receipts(room, room.before(number)) {
            return Err(message);
        }
        self.fill(number, message);
        Ok(())
    }

    /// Waits until `number` messages have been received, or the receiver was dropped. Returns
    /// whether they have been received.
    #[track_caller]
    fn await_receipts(&self, room: &Room, number: usize) -> bool {
        let mut enough;
        await_here!({
            // Ordering: SeqCst pairs with the store in `Channel::receive`, as in `Room::has`.
            enough = room.taken.reaches(number, Ordering::SeqCst);
            // Ordering: SeqCst pairs with the read-modify-write in `close`.
            enough || self.sent.load(Ordering::SeqCst) & CLOSED != 0
        });
        // The receiver may have taken a message after the first load and before it was dropped.
        // Ordering: SeqCst, as in `Room::has`.
        enough || room.taken.load(Ordering::SeqCst) >= number
    }

    /// Sends a message if the capacity admits it, or a receiver waits for it.
    #[track_caller]
    pub(super) fn try_send_into(&self, room: &Room, message: T) -> Result<(), TrySendError<T>> {
        // Ordering: SeqCst, as in `send`.
        let mut sent = self.sent.load(Ordering::SeqCst);
        // Without its message, a receiver that was claimed would wait forever, and so would one
        // that comes to the number.
        let _shield = driver::shield();
        loop {
            let number = sent / MESSAGE;
            if sent & CLOSED != 0 {
                return Err(TrySendError::Disconnected(message));
            }
            // A receiver that is claimed here gets this message, or another one that takes its
            // number first.
            if !(room.has(number) || room.bound == 0 && room.end_wait(number)) {
                return Err(TrySendError::Full(message));
            }
            // Ordering: SeqCst, as in `send`; if it fails, as the load above.
            match self.sent.compare_exchange(sent, sent + MESSAGE, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => {
                    self.fill(number, message);
                    return Ok(());
                }
                Err(found) => sent = found,
            }
        }
    }

    /// Whether more than `number` messages have been sent.
    #[track_caller]
    pub(super) fn has_sent(&self, number: usize) -> bool {
        // Ordering: SeqCst pairs with the read-modify-write in `send`, for threads that each
        // announce something.
        self.sent.load(Ordering::SeqCst) / MESSAGE > number
    }

    /// Whether no sender is left. Then the call synchronizes with all that they sent.
    #[track_caller]
    pub(super) fn is_closed(&self) -> bool {
        self.all_have_gone(|gone| gone.load(Ordering::SeqCst))
    }

    /// Whether no sender is left, in a round of a wait that fails if there is one and the next
    /// message was not sent.
    #[track_caller]
    pub(super) fn is_closed_by_now(&self) -> bool {
        self.all_have_gone(|gone| gone.is_set(Ordering::SeqCst))
    }

    fn all_have_gone(&self, has_gone: impl Fn(&AtomicBool) -> bool) -> bool {
        let mut left = vec![Arc::clone(&self.first)];
        while let Some(life) = left.pop() {
            // Ordering: SeqCst pairs with the store in `Life::end`, for what the sender sent, and
            // for threads that each announce something.
            if !has_gone(&life.gone) {
                return false;
            }
            left.extend(lock(&life.clones).iter().map(|(_, clone)| Arc::clone(clone)));
        }
        true
    }

    /// Takes the message with this number out of its slot, which is filled, and frees the slot.
    #[track_caller]
    pub(super) fn receive(&self, number: usize) -> T {
        let message = self.take(number);
        if let Some(room) = &self.room {
            // Ordering: SeqCst pairs with the loads of senders that wait for room, or for the
            // receipt of this message.
            room.taken.store(number + 1, Ordering::SeqCst);
        }
        message
    }

    fn take(&self, number: usize) -> T {
        let slot = lock(&self.slots).remove(&number).expect("a slot is there until its message is taken");
        lock(&slot.message).take().expect("a slot that is filled has a message")
    }

    /// Notes that the receiver is dropped after `taken` messages. No more are sent. Returns those
    /// that were sent and not taken.
    #[track_caller]
    pub(super) fn close(&self, taken: usize) -> Vec<T> {
        // Ordering: SeqCst, for threads that each announce something, as in `send`.
        let sent = self.sent.fetch_or(CLOSED, Ordering::SeqCst) / MESSAGE;
        // Senders that wait for capacity take their messages back.
        let end = self.room.as_ref().map_or(sent, |room| sent.min(taken.saturating_add(room.bound)));
        let mut left = Vec::new();
        for number in taken..end {
            let slot = self.slot(number);
            await_here!(slot.is_filled_by_now());
            left.push(self.take(number));
        }
        left
    }
}
