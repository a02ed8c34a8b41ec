//! Z42: Rust's former mpsc channel, #94518. `count` has the messages sent less those received, and
//! the receiver's `steals` those that it took without counting.
//!
//! A receiver that goes to sleep takes one off the count in advance. If it times out it gives that
//! one back, but then takes a new message without counting it: the count is one too high, and the
//! next `recv` expects a message that does not exist. The repaired form counts the message as a
//! steal.

use std::sync::Arc;
use std::sync::atomic::Ordering::SeqCst;

use super::super::{AtomicBool, AtomicUsize, await_until, spawn};

struct Packet {
    message: AtomicBool,
    /// The count, in two's complement.
    count: AtomicUsize,
    sleeper: AtomicBool,
}

impl Packet {
    fn send(&self) {
        self.message.store(true, SeqCst);
        if self.add(1) == -1 {
            assert!(self.sleeper.swap(false, SeqCst), "there is nobody to wake");
        }
    }

    /// Adds to the count, and returns the old value.
    fn add(&self, change: isize) -> isize {
        self.count.fetch_add(change.cast_unsigned(), SeqCst).cast_signed()
    }
}

struct Receiver {
    packet: Arc<Packet>,
    steals: isize,
}

impl Receiver {
    fn try_receive(&mut self) -> bool {
        let got = self.packet.message.swap(false, SeqCst);
        self.steals += isize::from(got);
        got
    }

    /// Takes one off the count, and prepares to sleep unless there is a message.
    fn lie_down(&mut self) -> bool {
        self.packet.sleeper.store(true, SeqCst);
        let steals = std::mem::take(&mut self.steals);
        let asleep = self.packet.add(-1 - steals) <= steals;
        if !asleep {
            self.packet.sleeper.store(false, SeqCst);
        }
        asleep
    }

    /// Handles the timeout: gives back the one, and as much as the count is below zero.
    fn get_up(&mut self) {
        self.steals = (-self.packet.count.load(SeqCst).cast_signed()).max(0);
        if self.packet.add(self.steals + 1) < 0 {
            assert!(self.packet.sleeper.swap(false, SeqCst), "there was nobody to get up");
        } else {
            await_until(|| !self.packet.sleeper.load(SeqCst));
        }
    }

    /// Receives without waiting.
    fn receive_now<const COUNT_AFTER_TIMEOUT: bool>(&mut self) -> bool {
        if self.try_receive() {
            return true;
        }
        let asleep = self.lie_down();
        if asleep {
            self.get_up();
        }
        let got = self.try_receive();
        assert!(got || asleep, "there is no message, and the count says that there is");
        if got && !(asleep && COUNT_AFTER_TIMEOUT) {
            self.steals -= 1;
        }
        got
    }
}

/// There is one message, and two tries to receive.
fn client<const COUNT_AFTER_TIMEOUT: bool>() {
    let packet = Arc::new(Packet {
        message: AtomicBool::new(false),
        count: AtomicUsize::new(0),
        sleeper: AtomicBool::new(false),
    });
    let mut receiver = Receiver { packet: Arc::clone(&packet), steals: 0 };
    let sender = spawn(move || packet.send());
    let got = [(); 2].map(|()| receiver.receive_now::<COUNT_AFTER_TIMEOUT>());
    sender.join().unwrap();
    assert!(got != [true; 2], "one message was received twice");
}

pub(crate) fn broken() {
    client::<false>();
}

pub(crate) fn repaired() {
    client::<true>();
}
