//! Senders that do not keep a channel open.

use std::sync::Arc;
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
