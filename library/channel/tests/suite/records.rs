//! Channels of records: bytes of any length, written and read in place.

use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Waker};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::Select;
use aqueduct_channel::error::{
    RecvError, RecvTimeoutError, ReserveError, ReserveTimeoutError, TryRecvError, TryReserveError,
};
use aqueduct_channel::records::{Space, mpmc, mpsc, spmc, spsc};
use futures_util::FutureExt;

const RECORDS: usize = if cfg!(miri) { 30 } else { 5_000 };

/// A record whose bytes show which record it is.
fn record(number: usize) -> Vec<u8> {
    vec![number as u8; number % 50]
}

/// Whether the record may be one of those: its bytes are equal, and odd if their number is.
fn is_whole(record: &[u8]) -> bool {
    record.iter().all(|&byte| byte == record[0] && byte as usize % 2 == record.len() % 2)
}

fn space() -> Space {
    Space::new(4, 256).unwrap()
}

macro_rules! of_each_sidedness {
    ($($module:ident: $name:ident;)*) => {$(
        mod $module {
            use super::*;

            #[test]
            fn records_arrive_whole_and_in_their_order() {
                let (mut sender, mut receiver) = $name::bounded(space()).unwrap();
                let thread = thread::spawn(move || {
                    for number in 0..RECORDS {
                        sender.send(&record(number)).unwrap();
                    }
                });
                for number in 0..RECORDS {
                    assert_eq!(*receiver.recv().unwrap(), record(number));
                }
                assert_eq!(receiver.recv().map(drop), Err(RecvError));
                assert!(receiver.is_closed() && receiver.is_empty());
                thread.join().unwrap();
            }

            #[test]
            fn bad_input_is_answered() {
                let (mut sender, mut receiver) = $name::bounded(space()).unwrap();
                let (len, longest) = (1000, sender.longest());
                assert_eq!((longest, sender.capacity()), (248, receiver.capacity()));
                assert_eq!(sender.send(&[0; 1000]), Err(ReserveError::TooLong { len, longest }));
                assert_eq!(sender.try_send(&[0; 1000]), Err(TryReserveError::TooLong { len, longest }));
                let past = Instant::now();
                let too_long = Err(ReserveTimeoutError::TooLong { len, longest });
                assert_eq!(sender.send_deadline(&[0; 1000], past), too_long);
                assert_eq!(receiver.recv_deadline(past).map(drop), Err(RecvTimeoutError::Timeout));
                assert_eq!(receiver.try_recv().map(drop), Err(TryRecvError::Empty));
                assert_eq!(sender.send_deadline(&[1], past), Ok(()), "it tries once");
                assert_eq!(receiver.recv_deadline(past).map(|record| record.to_vec()), Ok(vec![1]));
                while sender.try_send(&[2; 200]).is_ok() {}
                assert_eq!(sender.send_deadline(&[2; 200], past), Err(ReserveTimeoutError::Timeout));
                assert_eq!(sender.send_timeout(&[2; 200], Duration::from_millis(1)), Err(ReserveTimeoutError::Timeout));
                assert_eq!(receiver.recv_timeout(Duration::MAX).map(|record| record.len()), Ok(200));
                while receiver.try_recv().is_ok() {}
                assert_eq!(sender.send_timeout(&[], Duration::MAX), Ok(()), "a record may be empty");
                drop(receiver);
                assert!(sender.is_closed());
                assert_eq!(sender.send(&[3]), Err(ReserveError::Disconnected));
                assert_eq!(sender.try_reserve(1).map(drop), Err(TryReserveError::Disconnected));
            }

            #[test]
            fn tasks_wait_for_records_and_for_room() {
                let (mut sender, mut receiver) = $name::bounded(space()).unwrap();
                assert!(receiver.recv_async().now_or_never().is_none());
                while sender.send_async(&[1; 100]).now_or_never().is_some() {}
                let mut context = Context::from_waker(Waker::noop());
                let mut waits = pin!(sender.send_async(&[2; 100]));
                assert!(waits.as_mut().poll(&mut context).is_pending());
                let mut received = 0;
                while receiver.recv_async().now_or_never().is_some() {
                    received += 1;
                }
                assert!(received > 4 && waits.as_mut().poll(&mut context).is_ready());
                assert_eq!(receiver.recv_async().now_or_never().unwrap().unwrap().to_vec(), [2; 100]);
            }

            #[test]
            fn what_is_in_hand_holds_up_the_other_side() {
                let (mut sender, mut receiver) = $name::bounded(Space::new(2, 64).unwrap()).unwrap();
                let mut grant = sender.reserve(48).unwrap();
                assert_eq!(receiver.try_recv().map(drop), Err(TryRecvError::Empty));
                grant[..2].copy_from_slice(&[7, 8]);
                grant.commit(2);
                while sender.try_send(&[0; 48]).is_ok() {}
                let record = receiver.try_recv().unwrap();
                assert_eq!(*record, [7, 8]);
                assert_eq!(sender.try_reserve(48).map(drop), Err(TryReserveError::Full));
                drop(record);
                while receiver.try_recv().is_ok() {}
                assert!(sender.try_reserve(48).is_ok());
            }

            #[test]
            fn the_first_of_several_operations() {
                let (mut sender, mut receiver) = $name::bounded(space()).unwrap();
                let mut choose = |sends: &[u8]| {
                    let mut got = None;
                    if !sends.is_empty() {
                        sender.send(sends).unwrap();
                    }
                    Select::new()
                        .on(receiver.recv_async(), |record| got = record.ok().map(|record| record.to_vec()))
                        .wait_timeout(Duration::from_millis(1));
                    got
                };
                assert_eq!(choose(&[]), None);
                assert_eq!(choose(&[7, 7]), Some(vec![7, 7]));
                let chosen = Select::new()
                    .on(sender.reserve_async(3), |grant| {
                        let mut grant = grant.unwrap();
                        grant.copy_from_slice(&[1, 2, 3]);
                        grant.commit(3);
                    })
                    .wait_timeout(Duration::MAX);
                assert_eq!(chosen, Some(()));
                assert_eq!(*receiver.recv().unwrap(), [1, 2, 3]);
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
fn each_record_is_read_by_one() {
    let (sender, receiver) = mpmc::bounded(space()).unwrap();
    let (came, bytes) = (AtomicUsize::new(0), AtomicUsize::new(0));
    let (senders, receivers) = ([sender.clone(), sender], [receiver.clone(), receiver]);
    assert!(senders[0].same_channel(&senders[1]) && receivers[0].same_channel(&receivers[1]));
    thread::scope(|scope| {
        for mut sender in senders {
            scope.spawn(move || {
                for number in 0..RECORDS {
                    // Every other grant is longer than its record, and some are cancelled.
                    let record = record(number);
                    let mut grant = sender.reserve(record.len() + number % 2).unwrap();
                    grant[..record.len()].copy_from_slice(&record);
                    if number % 7 == 0 {
                        drop(grant);
                    } else {
                        grant.commit(record.len());
                    }
                }
            });
        }
        for mut receiver in receivers {
            let (came, bytes) = (&came, &bytes);
            scope.spawn(move || {
                while let Ok(record) = receiver.recv() {
                    assert!(record.is_empty() || is_whole(&record));
                    came.fetch_add(1, Ordering::Relaxed);
                    bytes.fetch_add(record.len(), Ordering::Relaxed);
                }
            });
        }
    });
    let wanted = || (0..RECORDS).filter(|number| number % 7 != 0);
    assert_eq!(came.into_inner(), 2 * wanted().count());
    assert_eq!(bytes.into_inner(), 2 * wanted().map(|number| number % 50).sum::<usize>());
}

#[test]
fn a_dropped_future_leaves_the_record() {
    let (mut sender, mut receiver) = mpsc::bounded(space()).unwrap();
    for number in 0..RECORDS {
        assert!(receiver.recv_async().now_or_never().is_none());
        assert_eq!(sender.send_async(&record(number)).now_or_never(), Some(Ok(())));
        assert_eq!(*receiver.recv().unwrap(), record(number));
    }
}

#[test]
fn a_space_of_nothing_is_refused() {
    assert_eq!(Space::for_bytes(0), Err(aqueduct::error::CapacityError::Zero));
}
