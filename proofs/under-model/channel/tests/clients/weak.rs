//! Senders that do not keep a channel open.

use std::sync::Arc;

use super::common::Client;
use super::library::error::RecvError;
use super::library::{Receiver, Sender, bounded, mpmc, mpsc, rendezvous, unbounded};
use aqueduct_model::await_until;
use aqueduct_model::sync::atomic::AtomicBool;
use aqueduct_model::sync::atomic::Ordering::{Acquire, Release};
use aqueduct_model::thread::spawn;

/// Records its drop.
struct Dropped(Arc<AtomicBool>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.store(true, Release);
    }
}

/// A weak sender that becomes a sender in time sends, and the channel ends after its message.
fn an_upgrade_beside_the_end((sender, receiver): (Sender<u32>, Receiver<u32>)) {
    let weak = sender.downgrade();
    let thread = spawn(move || weak.upgrade().is_some_and(|sender| sender.send(7).is_ok()));
    drop(sender);
    let received: Vec<_> = receiver.iter().collect();
    assert_eq!(received.len(), usize::from(thread.join().unwrap()));
}

/// The receiver sleeps, or not, and the last sender goes. A weak one is left.
fn the_last_sender_ends_the_channel((sender, receiver): (Sender<u32>, Receiver<u32>)) {
    let weak = sender.downgrade();
    let thread = spawn(move || assert_eq!(receiver.recv(), Err(RecvError)));
    drop(sender);
    assert!(weak.upgrade().is_none());
    thread.join().unwrap();
    assert!(weak.upgrade().is_none());
}

/// Of a sender that goes and a receiver that goes, one drops the message, although a weak sender
/// keeps the channel.
fn no_message_is_kept((sender, receiver): (Sender<Dropped>, Receiver<Dropped>)) {
    let weak = sender.downgrade();
    let thread = spawn(move || {
        let is_dropped = Arc::new(AtomicBool::new(false));
        let _ = sender.send(Dropped(Arc::clone(&is_dropped)));
        drop(sender);
        await_until(|| is_dropped.load(Acquire));
    });
    drop(receiver);
    thread.join().unwrap();
    assert!(weak.upgrade().is_none());
}

/// A weak sender becomes a sender while the last receiver goes.
fn an_upgrade_beside_the_last_receiver() {
    let (sender, receiver) = bounded(1).unwrap();
    let weak = sender.downgrade();
    let thread = spawn(move || {
        let is_dropped = Arc::new(AtomicBool::new(false));
        if let Some(sender) = weak.upgrade() {
            let _ = sender.send(Dropped(Arc::clone(&is_dropped)));
            drop(sender);
            await_until(|| is_dropped.load(Acquire));
        }
        weak
    });
    drop((sender, receiver));
    assert!(thread.join().unwrap().upgrade().is_none());
}

macro_rules! of_handles {
    ($($module:ident: $name:ident;)*) => {$(
        mod $module {
            use super::*;

            pub(super) fn an_upgrade_beside_the_end() {
                let (sender, mut receiver) = $name::bounded::<u32>(1).unwrap();
                let weak = sender.downgrade();
                let thread = spawn(move || weak.upgrade().is_some_and(|mut sender| sender.send(7).is_ok()));
                drop(sender);
                let received: Vec<_> = receiver.iter().collect();
                assert_eq!(received.len(), usize::from(thread.join().unwrap()));
            }

            pub(super) fn no_message_is_kept() {
                let (mut sender, receiver) = $name::bounded(1).unwrap();
                let weak = sender.downgrade();
                let thread = spawn(move || {
                    let is_dropped = Arc::new(AtomicBool::new(false));
                    let _ = sender.send(Dropped(Arc::clone(&is_dropped)));
                    drop(sender);
                    await_until(|| is_dropped.load(Acquire));
                });
                drop(receiver);
                thread.join().unwrap();
                assert!(weak.upgrade().is_none());
            }
        }
    )*};
}

of_handles! {
    many_to_one: mpsc;
    many_to_many: mpmc;
}

/// Each client, and its number of executions.
pub(crate) const CLIENTS: &[Client] = &[
    ("an_upgrade_beside_the_end", || an_upgrade_beside_the_end(bounded(1).unwrap()), 1268),
    ("unbounded::an_upgrade_beside_the_end", || an_upgrade_beside_the_end(unbounded()), 3_212),
    ("rendezvous::an_upgrade_beside_the_end", || an_upgrade_beside_the_end(rendezvous()), 105),
    ("many_to_one::an_upgrade_beside_the_end", many_to_one::an_upgrade_beside_the_end, 1_102),
    ("many_to_many::an_upgrade_beside_the_end", many_to_many::an_upgrade_beside_the_end, 1_102),
    ("the_last_sender_ends_the_channel", || the_last_sender_ends_the_channel(bounded(1).unwrap()), 15),
    ("rendezvous::the_last_sender_ends_the_channel", || the_last_sender_ends_the_channel(rendezvous()), 24),
    ("no_message_is_kept", || no_message_is_kept(bounded(1).unwrap()), 14),
    ("unbounded::no_message_is_kept", || no_message_is_kept(unbounded()), 20),
    ("many_to_one::no_message_is_kept", many_to_one::no_message_is_kept, 14),
    ("many_to_many::no_message_is_kept", many_to_many::no_message_is_kept, 14),
    ("an_upgrade_beside_the_last_receiver", an_upgrade_beside_the_last_receiver, 131),
];
