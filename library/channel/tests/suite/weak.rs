//! Senders that do not keep a channel open.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use aqueduct_channel::error::{RecvError, SendError, TryRecvError};
use aqueduct_channel::{bounded, mpmc, mpsc, rendezvous, unbounded};

#[test]
fn a_channel_ends_although_weak_senders_are_left() {
    for (sender, receiver) in [bounded(4).unwrap(), unbounded(), rendezvous()] {
        let weak: Vec<_> = (0..3).map(|_| sender.downgrade()).collect();
        let other = sender.clone();
        drop(sender);
        assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty), "there is one more sender");
        drop(other);
        assert_eq!(receiver.recv(), Err::<u32, _>(RecvError));
        assert!(weak.iter().all(|weak| weak.upgrade().is_none()));
    }
}

#[test]
fn a_closed_channel_with_senders_has_more_of_them() {
    let (sender, receiver) = unbounded();
    let weak = sender.downgrade();
    receiver.close();
    let again = weak.upgrade().expect("there is a sender");
    assert!(again.same_channel(&sender) && weak.same_channel(&sender.downgrade()));
    assert_eq!(again.send(1), Err(SendError(1)));
}

#[test]
fn weak_senders_keep_no_messages() {
    let message = Arc::new(());
    let (bounded, unbounded) = (bounded(4).unwrap(), unbounded());
    let weak = [bounded.0.downgrade(), unbounded.0.downgrade()];
    for (sender, receiver) in [bounded, unbounded] {
        sender.send(Arc::clone(&message)).unwrap();
        drop(sender);
        drop(receiver);
    }
    let (mut sender, receiver) = mpsc::bounded(4).unwrap();
    let of_a_handle = sender.downgrade();
    sender.send(Arc::clone(&message)).unwrap();
    drop((sender, receiver));
    assert_eq!(Arc::strong_count(&message), 1);
    assert!(weak.iter().all(|weak| weak.upgrade().is_none()) && of_a_handle.upgrade().is_none());
}

#[test]
fn nothing_is_lost_while_senders_come_and_go() {
    const MESSAGES: u64 = if cfg!(miri) { 20 } else { 5_000 };
    let (sender, mut receiver) = mpmc::bounded(8).unwrap();
    let threads: Vec<_> = (0..3)
        .map(|_| {
            let weak = sender.downgrade();
            thread::spawn(move || (0..MESSAGES).map_while(|_| weak.upgrade()?.send(1_u64).ok()).count() as u64)
        })
        .collect();
    let own = receiver.recv().unwrap_or(0);
    drop(sender);
    let received: u64 = own + receiver.iter().sum::<u64>();
    let sent: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(received, sent);
}

/// A message whose drop panics. Two of them would abort the process.
struct Bomb(Arc<AtomicUsize>);

impl Drop for Bomb {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::Relaxed);
        panic!("the drop of a message panics, as the test wants");
    }
}

#[test]
fn one_panic_of_a_message_comes_out_of_the_last_receivers_drop() {
    let dropped = Arc::new(AtomicUsize::new(0));
    let bomb = || Bomb(Arc::clone(&dropped));
    for (number, (sender, receiver)) in [bounded(2).unwrap(), unbounded()].into_iter().enumerate() {
        let weak = sender.downgrade();
        assert!(sender.send(bomb()).is_ok() && sender.send(bomb()).is_ok());
        drop(sender);
        assert!(catch_unwind(AssertUnwindSafe(|| drop(receiver))).is_err());
        assert!(weak.upgrade().is_none());
        drop(weak);
        assert_eq!(dropped.load(Ordering::Relaxed), number + 1, "the second message is leaked");
    }
    let (mut sender, receiver) = mpsc::bounded(2).unwrap();
    assert!(sender.send(bomb()).is_ok() && sender.send(bomb()).is_ok());
    drop(sender);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(receiver))).is_err());
    assert_eq!(dropped.load(Ordering::Relaxed), 3);
}
