//! Channels whose messages every receiver sees: `broadcast` and `latest`.

use std::cell::Cell;
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::error::{RecvError, RecvTimeoutError, TryRecvError};
use aqueduct_channel::{broadcast, latest};

#[test]
fn each_receiver_gets_each_message_or_counts_it() {
    const MESSAGES: u64 = if cfg!(miri) { 100 } else { 50_000 };
    const SENDERS: u64 = 3;
    let (sender, receiver) = broadcast::channel(16).unwrap();
    let receiving: Vec<_> = (0..3)
        .map(|_| {
            let mut receiver = receiver.clone();
            thread::spawn(move || {
                let mut last = [None; SENDERS as usize];
                let mut came = 0;
                for (from, number) in receiver.iter() {
                    assert!(last[from as usize].replace(number) < Some(number), "a sender's messages keep their order");
                    came += 1;
                }
                (came, receiver.lost())
            })
        })
        .collect();
    thread::scope(|scope| {
        for from in 0..SENDERS {
            let sender = sender.clone();
            scope.spawn(move || (0..MESSAGES).for_each(|number| sender.send((from, number)).unwrap()));
        }
    });
    drop(sender);
    for thread in receiving {
        let (came, lost) = thread.join().unwrap();
        assert_eq!(came + lost, SENDERS * MESSAGES);
    }
}

#[test]
fn a_receiver_begins_with_what_is_sent_after_it_was_made() {
    let (sender, mut first) = broadcast::channel(3).unwrap();
    sender.send("before").unwrap();
    let mut second = sender.subscribe();
    sender.send("after").unwrap();
    drop(sender);
    assert_eq!(first.len(), 2);
    assert_eq!(first.iter().collect::<Vec<_>>(), ["before", "after"]);
    assert_eq!(second.iter().collect::<Vec<_>>(), ["after"]);
    assert_eq!((first.recv(), second.try_recv()), (Err(RecvError), Err(TryRecvError::Disconnected)));
}

#[test]
fn without_receivers_a_message_comes_back() {
    let (sender, receiver) = broadcast::channel(4).unwrap();
    assert!(!sender.is_closed());
    drop(receiver);
    assert!(sender.is_closed());
    assert_eq!(sender.send(7).map_err(|error| error.into_inner()), Err(7));
    let mut late = sender.subscribe();
    sender.send(8).unwrap();
    assert_eq!((late.try_recv(), late.try_recv()), (Ok(8), Err(TryRecvError::Empty)));
}

#[test]
fn capacities_that_make_no_sense_are_refused() {
    assert!(broadcast::channel::<u8>(0).is_err());
    assert!(broadcast::channel::<u8>(usize::MAX).is_err());
}

#[test]
fn messages_are_dropped_when_others_take_their_place_and_with_the_channel() {
    let message = Arc::new(());
    let (sender, receiver) = broadcast::channel(2).unwrap();
    for _ in 0..5 {
        sender.send(Arc::clone(&message)).unwrap();
    }
    assert_eq!(Arc::strong_count(&message), 3);
    drop((sender, receiver));
    assert_eq!(Arc::strong_count(&message), 1);
}

thread_local! {
    static PANICS: Cell<bool> = const { Cell::new(false) };
}

struct Fragile;

impl Clone for Fragile {
    fn clone(&self) -> Self {
        assert!(!PANICS.get(), "no clone today");
        Self
    }
}

#[test]
fn a_clone_that_panics_costs_its_receiver_one_message() {
    let (sender, mut receiver) = broadcast::channel(2).unwrap();
    sender.send(Fragile).unwrap();
    sender.send(Fragile).unwrap();
    PANICS.set(true);
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| receiver.recv().is_ok())).is_err());
    PANICS.set(false);
    assert!(receiver.recv().is_ok());
    assert!(sender.send(Fragile).is_ok() && receiver.recv().is_ok());
}

#[test]
fn a_deadline_passes_without_a_message() {
    let (sender, mut receiver) = latest::channel(1);
    assert_eq!(receiver.recv_timeout(Duration::from_millis(1)), Err(RecvTimeoutError::Timeout));
    sender.send(2).unwrap();
    assert_eq!(receiver.recv_deadline(Instant::now()), Ok(2));
    drop(sender);
    assert_eq!(receiver.recv_timeout(Duration::from_secs(60)), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn watchers_see_the_newest_value() {
    let (sender, mut receiver) = latest::channel(0_u64);
    assert!(!receiver.has_changed());
    let thread = thread::spawn(move || {
        let mut last = 0;
        for value in receiver.iter() {
            assert!(value > last);
            last = value;
        }
        (last, receiver.newest())
    });
    for value in 1..=1000 {
        sender.send(value).unwrap();
        assert_eq!(sender.newest(), value);
    }
    drop(sender);
    assert_eq!(thread.join().unwrap(), (1000, 1000));
}
