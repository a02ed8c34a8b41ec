//! Messages whose destructors use their own channel, or panic, while the channel's ends go in any
//! order. Nothing hangs, no message is dropped twice, and each is dropped if none panics. Those
//! behind one that panics may be leaked: a second panic would abort the process.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{Arc, Weak};
use std::thread;
use std::time::Duration;

use aqueduct_channel::{Receiver, Sender, WeakSender, bounded, rendezvous, unbounded};
use aqueduct_fuzz::Random;

use crate::weather::storm;

/// The action of a message's destructor. Its handles are weak: with strong ones, a message in its
/// own channel would keep the channel.
enum Act {
    Send(WeakSender<Loaded>),
    Receive(Weak<Receiver<Loaded>>),
    Panic,
    Nothing,
}

/// A message that counts itself while it lives.
struct Loaded {
    act: Act,
    live: Arc<AtomicUsize>,
}

impl Loaded {
    fn new(act: Act, live: &Arc<AtomicUsize>) -> Self {
        live.fetch_add(1, SeqCst);
        Self { act, live: Arc::clone(live) }
    }
}

impl Drop for Loaded {
    fn drop(&mut self) {
        let left = self.live.fetch_sub(1, SeqCst);
        assert!(left > 0, "a message was dropped twice");
        match &self.act {
            Act::Send(sender) => {
                if let Some(sender) = sender.upgrade() {
                    drop(sender.try_send(Self::new(Act::Nothing, &self.live)));
                    sender.close();
                }
            }
            Act::Receive(receiver) => drop(receiver.upgrade().map(|receiver| receiver.try_recv())),
            Act::Panic if !thread::panicking() => resume_unwind(Box::new("as the storm wants it")),
            Act::Panic | Act::Nothing => {}
        }
    }
}

/// Runs code in which a destructor may panic.
fn calm(act: impl FnOnce()) {
    if let Err(panic) = catch_unwind(AssertUnwindSafe(act)) {
        assert_eq!(panic.downcast_ref(), Some(&"as the storm wants it"));
    }
}

/// Ends a channel in one of several orders.
fn end(sender: Sender<Loaded>, receiver: Arc<Receiver<Loaded>>, live: &Arc<AtomicUsize>, random: &mut Random) {
    match random.below(6) {
        0 => {
            calm(|| drop(sender));
            calm(|| drop(receiver));
        }
        1 => {
            calm(|| drop(receiver));
            calm(|| drop(sender));
        }
        2 => {
            sender.close();
            while let Ok(message) = receiver.try_recv() {
                calm(|| drop(message));
            }
        }
        3 => {
            receiver.close();
            calm(|| drop(receiver));
            calm(|| drop(sender.try_send(Loaded::new(Act::Nothing, live))));
        }
        4 => {
            let weak = sender.downgrade();
            calm(|| drop(receiver));
            calm(|| drop(sender));
            // A destructor in another thread may have a sender at this moment; `round` checks when
            // all are gone.
            drop(weak.upgrade());
        }
        _ => {
            calm(|| drop(receiver.try_recv()));
            calm(|| drop((sender, receiver)));
        }
    }
}

fn round(random: &mut Random) -> usize {
    let live = Arc::new(AtomicUsize::new(0));
    let kind = random.below(4);
    let (sender, receiver) = match kind {
        0 => rendezvous(),
        1 => bounded(1).expect("a small channel"),
        2 => bounded(8).expect("a small channel"),
        _ => unbounded(),
    };
    // Without a weak sender, the channel's memory goes with the last handle.
    let weak = random.one_in(2).then(|| sender.downgrade());
    let receiver = Arc::new(receiver);
    let meets = (kind == 0).then(|| {
        let receiver = Receiver::clone(&receiver);
        thread::spawn(move || calm(|| drop(receiver.recv_timeout(Duration::from_millis(2)))))
    });
    let (count, panics) = (1 + random.below(12), random.one_in(2));
    for _ in 0..count {
        let act = match random.below(4) {
            0 => Act::Send(sender.downgrade()),
            1 => Act::Receive(Arc::downgrade(&receiver)),
            2 if panics => Act::Panic,
            _ => Act::Nothing,
        };
        calm(|| drop(sender.try_send(Loaded::new(act, &live))));
    }
    calm(|| end(sender, receiver, &live, random));
    if let Some(thread) = meets {
        thread.join().expect("a receiver ends");
    }
    assert!(panics || live.load(SeqCst) == 0, "messages live on, kind {kind}");
    assert!(weak.as_ref().is_none_or(|weak| weak.upgrade().is_none()), "a sender is left, kind {kind}");
    // Messages behind one that panicked go with the channel's memory, if they are not leaked.
    calm(|| drop(weak));
    count
}

#[test]
fn no_message_is_dropped_twice() {
    storm("destructors", "messages", round);
}
