//! Channels whose order is relaxed by less than `k`.

use std::thread;
use std::time::{Duration, Instant};

use aqueduct::cnq::{Geometry, GeometryError, HandleError};
use aqueduct_channel::error::{RecvError, RecvTimeoutError, SendError, TryRecvError};
use aqueduct_channel::relaxed;
use futures_util::FutureExt;

const MESSAGES: u64 = if cfg!(miri) { 40 } else { 50_000 };
const SENDERS: u64 = 3;

#[test]
fn each_message_arrives_once_and_those_of_a_sender_in_their_order() {
    let geometry = Geometry::for_order(30, 64, SENDERS as usize, 1).unwrap();
    let (first, mut receiver) = relaxed::bounded(geometry).unwrap();
    let mut senders: Vec<_> = (1..SENDERS).map(|_| first.try_clone().unwrap()).collect();
    assert_eq!(first.try_clone().map(drop), Err(HandleError::Producers(SENDERS as usize)));
    senders.push(first);
    let threads: Vec<_> = (0..)
        .zip(senders)
        .map(|(at, mut sender)| thread::spawn(move || (0..MESSAGES).try_for_each(|number| sender.send((at, number)))))
        .collect();
    let mut next = [0; SENDERS as usize];
    for (at, number) in receiver.iter() {
        assert_eq!(number, next[at as usize], "of sender {at}");
        next[at as usize] += 1;
    }
    assert_eq!(next, [MESSAGES; SENDERS as usize]);
    assert!(threads.into_iter().all(|thread| thread.join().unwrap().is_ok()));
}

/// One thread does all, so the order in which messages are sent is known.
#[test]
fn a_message_is_one_of_the_k_oldest() {
    let k = 9;
    let (mut sender, mut receiver) = relaxed::bounded(Geometry::for_order(k, 100, 3, 1).unwrap()).unwrap();
    let mut others = [sender.try_clone().unwrap(), sender.try_clone().unwrap()];
    let (mut waiting, mut worst) = (Vec::new(), 0);
    for round in 0..MESSAGES {
        let sender = match round % 3 {
            0 => &mut sender,
            other => &mut others[other as usize - 1],
        };
        if sender.try_send(round).is_ok() {
            waiting.push(round);
        }
        if round % 2 == 1 || waiting.len() > 40 {
            let got = receiver.recv().unwrap();
            let rank = waiting.iter().position(|&number| number == got).expect("it was sent, and comes once");
            waiting.remove(rank);
            worst = worst.max(rank);
        }
    }
    assert!(worst > 0 && worst < k, "{worst}");
}

#[test]
fn bad_input_is_answered() {
    assert_eq!(
        Geometry::for_order(1, 100, 2, 1),
        Err(GeometryError::Order { k: 1, least: 2, producers: 2, consumers: 1 })
    );
    assert_eq!(Geometry::for_order(10, 0, 1, 1), Err(GeometryError::Zero));
    let past = Instant::now();
    // A geometry of one capsule gets a second one.
    let (mut sender, mut receiver) = relaxed::bounded(Geometry::new(1, 1, 1, 1).unwrap()).unwrap();
    assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
    assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
    let mut sent = 0;
    while sender.try_send(sent).is_ok() {
        sent += 1;
    }
    assert!(sent >= 2);
    assert!(sender.send_deadline(7, past).is_err_and(|error| error.is_timeout() && error.into_inner() == 7));
    assert!(sender.send_async(7).now_or_never().is_none());
    assert_eq!(receiver.recv_timeout(Duration::MAX), Ok(0));
    assert_eq!(sender.send_async(sent).now_or_never(), Some(Ok(())));
    let mut came = Vec::new();
    assert_eq!(receiver.recv_many(&mut came, usize::MAX), Ok(sent as usize));
    drop(receiver);
    assert!(sender.is_closed());
    assert_eq!(sender.send(7), Err(SendError(7)));
}

#[test]
fn the_channel_ends_with_its_last_sender() {
    let (mut sender, mut receiver) = relaxed::bounded(Geometry::for_order(100, 100, 2, 1).unwrap()).unwrap();
    let other = sender.try_clone().unwrap();
    sender.send(1).unwrap();
    drop(sender);
    assert_eq!(receiver.recv_async().now_or_never(), Some(Ok(1)));
    assert!(receiver.recv_async().now_or_never().is_none());
    drop(other);
    assert_eq!((receiver.recv(), receiver.is_closed()), (Err(RecvError), true));
}
