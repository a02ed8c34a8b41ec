//! Features that handles of all channels share, and the results of bad input.

use std::collections::VecDeque;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::error::CapacityError;
use aqueduct_channel::error::{RecvError, RecvTimeoutError, SendError, SendTimeoutError, TryRecvError};
use aqueduct_channel::{
    IndexSelect, Select, bounded, broadcast, latest, mpmc, mpsc, oneshot, rendezvous, spmc, spsc, unbounded,
    unbounded_with_block_size,
};
use futures_util::FutureExt;

const MESSAGES: u32 = if cfg!(miri) { 30 } else { 20_000 };

macro_rules! of_each_sidedness {
    ($($module:ident: $name:ident;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn handles_know_their_channel() {
                let (mut sender, mut receiver) = $name::bounded(3).unwrap();
                assert_eq!((sender.capacity(), receiver.capacity()), (Some(3), Some(3)));
                assert!(receiver.is_empty() && !receiver.is_full() && !sender.is_full());
                let mut sent = 0;
                while sender.try_send(sent).is_ok() {
                    sent += 1;
                }
                assert!(sender.is_full() && receiver.is_full() && receiver.len() == sent && sent >= 3);
                let (other, also) = $name::bounded::<usize>(3).unwrap();
                assert!(sender.same_channel(&sender) && !sender.same_channel(&other));
                assert!(receiver.same_channel(&receiver) && !receiver.same_channel(&also));
                let mut came = Vec::new();
                assert_eq!(receiver.recv_many(&mut came, 2), Ok(2));
                drop(sender);
                assert!(receiver.is_closed());
                came.extend(receiver);
                assert!(came.into_iter().eq(0..sent));
            }

            #[test]
            fn messages_go_in_batches() {
                let (mut sender, mut receiver) = $name::bounded(4).unwrap();
                let thread = thread::spawn(move || sender.send_all(&mut (0..MESSAGES).collect()));
                let mut came = Vec::new();
                while receiver.recv_many(&mut came, 7).is_ok() {}
                assert!(came.into_iter().eq(0..MESSAGES));
                assert_eq!(thread.join().unwrap(), Ok(()));
            }

            #[test]
            fn a_batch_that_is_dropped_keeps_what_is_left() {
                let (mut sender, mut receiver) = $name::bounded(4).unwrap();
                let mut left: VecDeque<u32> = (0..MESSAGES).collect();
                let mut came = Vec::new();
                while !left.is_empty() {
                    // Sends what there is room for, and is dropped while it waits.
                    let result = sender.send_all_async(&mut left).now_or_never();
                    assert_eq!(result.is_some(), left.is_empty());
                    assert!(receiver.recv_many_async(&mut came, usize::MAX).now_or_never().unwrap().is_ok());
                }
                assert!(came.into_iter().eq(0..MESSAGES));
                drop(receiver);
                let mut left = VecDeque::from([1, 2]);
                assert_eq!((sender.send_all(&mut left), left), (Err(SendError(())), VecDeque::from([1, 2])));
            }

            #[test]
            fn bad_input_is_answered() {
                assert_eq!($name::bounded::<u32>(0).err(), Some(CapacityError::Zero));
                assert!(matches!($name::bounded::<u32>(usize::MAX).err(), Some(CapacityError::TooLarge { .. })));
                let (mut sender, mut receiver) = $name::bounded(1).unwrap();
                let past = Instant::now();
                assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
                assert_eq!(sender.send_deadline(1, past), Ok(()), "it tries once");
                while sender.try_send(1).is_ok() {}
                assert_eq!(sender.send_deadline(2, past), Err(SendTimeoutError::Timeout(2)));
                assert_eq!(receiver.recv_deadline(past), Ok(1));
                assert_eq!(receiver.recv_timeout(Duration::MAX), Ok(1), "no time is too long");
                assert_eq!((receiver.recv_many(&mut Vec::new(), 0), sender.send_all(&mut VecDeque::new())), (Ok(0), Ok(())));
            }
        }
    )*};
}

of_each_sidedness! {
    one_to_one: spsc;
    many_to_one: mpsc;
    one_to_many: spmc;
    many_to_many: mpmc;
}

#[test]
fn bad_capacities_are_answered() {
    assert_eq!(bounded::<u32>(0).unwrap().0.capacity(), Some(0), "a rendezvous");
    assert!(matches!(bounded::<u32>(usize::MAX).err(), Some(CapacityError::TooLarge { .. })));
    assert_eq!(unbounded_with_block_size::<u32>(0).err(), Some(CapacityError::Zero));
    assert!(unbounded_with_block_size::<u32>(usize::MAX).is_err());
    assert_eq!(broadcast::channel::<u32>(0).err(), Some(CapacityError::Zero));
    assert!(matches!(broadcast::channel::<u32>(usize::MAX).err(), Some(CapacityError::TooLarge { .. })));
    let (sender, receiver) = broadcast::channel::<u32>(3).unwrap();
    assert_eq!((sender.capacity(), receiver.capacity()), (4, 4), "a power of two");
}

#[test]
fn a_deadline_in_the_past_is_one_attempt() {
    let past = Instant::now();
    for (sender, receiver) in [bounded(1).unwrap(), unbounded(), rendezvous()] {
        assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
        match sender.send_deadline(1, past) {
            Ok(()) => assert_eq!(receiver.recv_deadline(past), Ok(1)),
            Err(error) => assert!(error == SendTimeoutError::Timeout(1) && receiver.capacity() == Some(0)),
        }
        assert_eq!(sender.reserve_deadline(past).is_err(), sender.capacity() == Some(0));
        assert_eq!(Select::new().on(receiver.recv_async(), |_| ()).wait_deadline(past), None);
        let thread = thread::spawn(move || receiver.recv_timeout(Duration::MAX));
        sender.send_timeout(7, Duration::MAX).unwrap();
        assert_eq!(thread.join().unwrap(), Ok(7));
    }
    let (sender, mut receiver) = broadcast::channel(1).unwrap();
    assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
    sender.send(1).unwrap();
    assert_eq!(receiver.recv_deadline(past), Ok(1));
    let (sender, mut receiver) = latest::channel(0);
    assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
    sender.send(1).unwrap();
    assert_eq!(receiver.recv_deadline(past), Ok(1));
    let (sender, mut receiver) = oneshot::channel();
    assert_eq!(receiver.recv_deadline(past), Err(RecvTimeoutError::Timeout));
    sender.send(1).unwrap();
    assert_eq!(receiver.recv_deadline(past), Ok(1));
}

#[test]
fn a_select_over_nothing_does_not_wait() {
    let past = Instant::now();
    assert_eq!(Select::<()>::new().try_now(), None);
    assert_eq!(Select::<()>::new().wait_deadline(past), None);
    assert!(catch_unwind(|| Select::<()>::new().wait()).is_err());
    assert!(IndexSelect::new().try_select().is_none());
    assert!(IndexSelect::new().try_ready().is_none());
    assert!(IndexSelect::new().select_deadline(past).is_none());
    assert!(IndexSelect::new().ready_deadline(past).is_none());
    assert!(catch_unwind(|| IndexSelect::new().select().index()).is_err());
    assert!(catch_unwind(|| IndexSelect::new().ready()).is_err());
}

#[test]
fn news_are_selected() {
    let (sender, mut receiver) = broadcast::channel(4).unwrap();
    let (setting, mut changed) = latest::channel(0);
    let (_open, never) = bounded::<u32>(1).unwrap();
    let mut chosen = Vec::new();
    for step in 0..2 {
        let thread = (step == 0).then(|| {
            let sender = sender.clone();
            thread::spawn(move || sender.send(7).unwrap())
        });
        if step == 1 {
            setting.send(8).unwrap();
        }
        chosen.push(
            Select::new()
                .on(receiver.recv_async(), |message: Result<u32, _>| message.unwrap())
                .on(changed.recv_async(), |value: Result<u32, _>| value.unwrap())
                .on(never.recv_async(), |_| unreachable!("nobody sends"))
                .wait(),
        );
        thread.into_iter().for_each(|thread| thread.join().unwrap());
    }
    assert_eq!(chosen, [7, 8]);
}

#[test]
fn news_go_in_batches() {
    let (sender, mut receiver) = broadcast::channel(4).unwrap();
    (0..3).for_each(|number| sender.send(number).unwrap());
    let mut came = Vec::new();
    assert_eq!((receiver.recv_many(&mut came, 2), receiver.recv_many(&mut came, 2)), (Ok(2), Ok(1)));
    assert_eq!(came, [0, 1, 2]);
    assert!(sender.same_channel(&sender.clone()) && receiver.same_channel(&receiver.clone()));
    assert!(!sender.same_channel(&broadcast::channel(4).unwrap().0));
}

#[test]
fn a_receiver_of_one_message_closes() {
    let (sender, mut receiver) = oneshot::channel();
    assert!(receiver.is_empty() && !receiver.is_closed());
    assert!(receiver.close() && receiver.is_closed() && sender.is_closed());
    let message = Arc::new(());
    assert_eq!(sender.send(Arc::clone(&message)), Err(SendError(Arc::clone(&message))));
    assert_eq!((receiver.try_recv(), Arc::strong_count(&message)), (Err(TryRecvError::Disconnected), 1));
    assert_eq!(receiver.recv(), Err(RecvError));
    let (sender, mut receiver) = oneshot::channel();
    sender.send(7).unwrap();
    assert!(!receiver.close() && !receiver.is_empty() && !receiver.is_closed());
    assert_eq!(receiver.recv_async().poll_unpin(&mut Context::from_waker(Waker::noop())), Poll::Ready(Ok(7)));
    assert!(receiver.is_closed() && receiver.is_empty());
}
