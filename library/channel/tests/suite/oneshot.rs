//! Channels for one message, on threads of the system.

use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use aqueduct_channel::{Select, oneshot};

#[test]
fn a_message_arrives() {
    for _ in 0..if cfg!(miri) { 10 } else { 1_000 } {
        let (sender, receiver) = oneshot::channel();
        let thread = thread::spawn(move || sender.send(Box::new(7)));
        assert_eq!(receiver.recv(), Ok(Box::new(7)));
        assert_eq!(thread.join().unwrap(), Ok(()));
    }
}

#[test]
fn it_arrives_once() {
    let (sender, mut receiver) = oneshot::channel();
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
    sender.send(7).unwrap();
    assert_eq!(receiver.recv_deadline(Instant::now()), Ok(7));
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Disconnected));
}

#[test]
fn either_side_learns_that_the_other_one_is_gone() {
    let (sender, receiver) = oneshot::channel();
    drop(receiver);
    assert!(sender.is_closed());
    assert_eq!(sender.send(7), Err(SendError(7)));
    let (sender, receiver) = oneshot::channel::<u32>();
    drop(sender);
    assert_eq!(receiver.recv(), Err(RecvError));
}

#[test]
fn the_message_is_dropped_with_the_receiver() {
    let message = Arc::new(());
    let (sender, receiver) = oneshot::channel();
    sender.send(Arc::clone(&message)).unwrap();
    drop(receiver);
    assert_eq!(Arc::strong_count(&message), 1);
}

#[test]
fn it_can_be_chosen() {
    let ((one, mut first), (_other, mut second)) = (oneshot::channel::<u32>(), oneshot::channel::<String>());
    let thread = thread::spawn(move || one.send(7));
    let chosen = Select::new()
        .on(second.recv_async(), |text| text.map(|text| text.len() as u32))
        .on(first.recv_async(), |number| number)
        .wait();
    assert_eq!((chosen, thread.join().unwrap()), (Ok(7), Ok(())));
}

#[test]
fn handles_go_to_other_threads() {
    fn is_send<T: Send + Sync>(_: &T) {}
    let (sender, receiver) = oneshot::channel::<u32>();
    is_send(&sender);
    is_send(&receiver);
}
