//! Small programs for Miri, each with many seeds (`.ci/miri`): memory that one thread hands over
//! may be freed by another at once.

use std::thread;
use std::time::Duration;

use aqueduct::bbq::Single;
use aqueduct_channel::records::{self, Space};
use aqueduct_channel::{IndexSelect, Receiver, Select, Sender, bounded, broadcast, oneshot, rendezvous, unbounded};
use aqueduct_channel::{mpsc, unbounded_with_block_size};

/// Messages of each thread.
const FEW: u8 = if cfg!(miri) { 4 } else { 80 };

/// The receiver looks again and again, and frees the memory as soon as it has the message.
#[test]
fn a_message_is_taken_while_its_send_returns() {
    for number in 0..3 * FEW {
        let (sender, mut receiver) = oneshot::channel::<u8>();
        let thread = thread::spawn(move || sender.send(number));
        while receiver.try_recv() != Ok(number) {
            thread::yield_now();
        }
        drop(receiver);
        assert_eq!(thread.join().unwrap(), Ok(()));
    }
}

#[test]
fn a_message_is_waited_for() {
    for number in 0..FEW {
        let (sender, receiver) = oneshot::channel::<u8>();
        let thread = thread::spawn(move || sender.send(number));
        assert_eq!(receiver.recv(), Ok(number));
        assert_eq!(thread.join().unwrap(), Ok(()));
    }
}

/// Each handle is dropped while the other one is in use.
#[test]
fn the_ends_of_a_channel_for_one_message_go() {
    for number in 0..FEW {
        let (sender, receiver) = oneshot::channel::<u8>();
        let thread = thread::spawn(move || drop(sender));
        assert!(receiver.recv().is_err());
        thread.join().unwrap();

        let (sender, receiver) = oneshot::channel::<u8>();
        let thread = thread::spawn(move || drop(receiver));
        let _ = sender.send(number);
        thread.join().unwrap();

        let (sender, mut receiver) = oneshot::channel::<u8>();
        let thread = thread::spawn(move || sender.send(number));
        if receiver.close() {
            assert!(receiver.try_recv().is_err());
        }
        drop(receiver);
        let _ = thread.join().unwrap();
    }
}

/// Two threads send, and two receive, until the channel ends.
fn two_of_each((sender, receiver): (Sender<u8>, Receiver<u8>)) {
    thread::scope(|scope| {
        let threads = [receiver.clone(), receiver].map(|receiver| scope.spawn(move || receiver.iter().count()));
        for sender in [sender.clone(), sender] {
            scope.spawn(move || (0..FEW).for_each(|number| sender.send(number).unwrap()));
        }
        let received: usize = threads.map(|thread| thread.join().unwrap()).iter().sum();
        assert_eq!(received, 2 * usize::from(FEW));
    });
}

/// A block is freed as soon as its only slot has been used.
#[test]
fn blocks_of_one_message_are_freed() {
    two_of_each(unbounded_with_block_size(1).unwrap());
}

#[test]
fn messages_of_each_shared_channel_arrive() {
    two_of_each(bounded(1).unwrap());
    two_of_each(bounded(2).unwrap());
    two_of_each(rendezvous());
    two_of_each(unbounded());
}

#[test]
fn one_receiver_frees_the_blocks_of_two_senders() {
    let (mut sender, receiver) = mpsc::unbounded::<u8>().unwrap();
    let mut other = sender.clone();
    let threads = [
        thread::spawn(move || (0..FEW).for_each(|number| sender.send(number).unwrap())),
        thread::spawn(move || (0..FEW).for_each(|number| other.send(number).unwrap())),
    ];
    assert_eq!(receiver.into_iter().count(), 2 * usize::from(FEW));
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// A record is given to a function, and goes there; its space is written by the sender at once. So
/// is a grant, whose bytes are read at once.
#[test]
fn records_go_while_they_are_arguments() {
    let (mut sender, mut receiver) = records::spsc::bounded(Space::for_bytes(64).unwrap()).unwrap();
    let thread = thread::spawn(move || {
        for number in 0..3 * FEW {
            while sender.try_reserve(2).map(|grant| commit(grant, number)).is_err() {
                thread::yield_now();
            }
        }
    });
    for number in 0..3 * FEW {
        while receiver.try_recv().map(|record| assert_eq!(*record, [number; 2])).is_err() {
            thread::yield_now();
        }
    }
    thread.join().unwrap();
}

fn commit(mut grant: records::Grant<'_, Single, Single>, number: u8) {
    grant.copy_from_slice(&[number; 2]);
    grant.commit(2);
}

/// Selects on both sides, with time-outs, beside permits that are dropped.
#[test]
fn selects_meet_and_leave() {
    let (sender, receiver) = rendezvous::<u8>();
    let (_open, silent) = bounded::<u8>(1).unwrap();
    thread::scope(|scope| {
        let receiving = scope.spawn(|| {
            let mut received = 0;
            loop {
                let select = Select::new().on(receiver.recv_async(), Some).on(silent.recv_async(), |_| None);
                match select.wait_timeout(Duration::from_millis(1)) {
                    Some(Some(Ok(_))) => received += 1,
                    Some(Some(Err(_))) => return received,
                    Some(None) | None => {}
                }
            }
        });
        for number in 0..FEW {
            drop(sender.try_reserve());
            let mut select = IndexSelect::new();
            select.send(&sender);
            assert_eq!(select.select().send(&sender, number), Ok(()));
        }
        drop(sender);
        assert_eq!(receiving.join().unwrap(), usize::from(FEW));
    });
}

#[test]
fn news_reach_two_receivers() {
    let (sender, first) = broadcast::channel::<Box<u8>>(2).unwrap();
    let second = first.clone();
    let threads = [first, second].map(|receiver| thread::spawn(move || receiver.into_iter().last()));
    (0..FEW).for_each(|number| sender.send(Box::new(number)).unwrap());
    drop(sender);
    threads.into_iter().for_each(|thread| assert_eq!(thread.join().unwrap(), Some(Box::new(FEW - 1))));
}
