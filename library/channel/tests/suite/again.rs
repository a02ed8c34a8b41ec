//! Effects on other handles if a future is dropped, forgotten, or polled again after it was ready.

use std::future::Future;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use aqueduct_channel::error::{RecvError, RecvTimeoutError};
use aqueduct_channel::records::Space;
use aqueduct_channel::{Event, Receiver, Select, Sender, bounded, broadcast, latest, oneshot, records, rendezvous};
use aqueduct_channel::{spsc, unbounded};

use super::attempts::{poll_once, within};

/// An action on a future.
#[derive(Clone, Copy, PartialEq, Debug)]
enum End {
    /// The future is polled until it waits, and dropped.
    Dropped,
    /// The future is polled until it waits, and forgotten.
    Forgotten,
    /// The future is polled until it is ready, and once more.
    Repeated,
}

const ENDS: [End; 3] = [End::Dropped, End::Forgotten, End::Repeated];

/// Polls a future that waits, and ends it by the action; `complete` makes it ready.
fn end<F: Future + Unpin>(mut future: F, end: End, complete: impl FnOnce()) {
    let poll = |future: &mut F| catch_unwind(AssertUnwindSafe(|| poll_once(future).is_ready()));
    assert!(matches!(poll(&mut future), Ok(false)), "it waits");
    match end {
        End::Dropped => drop(future),
        End::Forgotten => mem::forget(future),
        End::Repeated => {
            complete();
            assert!(matches!(poll(&mut future), Ok(true)), "it is ready");
            let _ = poll(&mut future);
        }
    }
}

/// Messages pass afterwards: a future that was forgotten may have got one, or a wake-up.
fn go_through(sender: &Sender<u32>, receiver: &Receiver<u32>, ended: End) {
    let mut received = 0;
    std::thread::scope(|scope| {
        let sending = scope.spawn(|| (0..3).all(|_| sender.send_timeout(1, Duration::from_secs(50)).is_ok()));
        loop {
            let is_over = sending.is_finished();
            match receiver.recv_timeout(Duration::from_millis(20)) {
                Ok(_) => received += 1,
                Err(error) => assert_eq!(error, RecvTimeoutError::Timeout),
            }
            if is_over && receiver.is_empty() {
                break;
            }
        }
        assert!(sending.join().unwrap(), "{ended:?}");
    });
    assert!(received >= 3 - u32::from(ended == End::Forgotten), "{ended:?}: {received}");
}

#[test]
fn a_future_of_a_channel_without_room_hinders_no_other() {
    for ended in ENDS {
        within(move || {
            let (sender, receiver) = rendezvous::<u32>();
            end(sender.send_async(7), ended, || assert_eq!(receiver.try_recv(), Ok(7)));
            go_through(&sender, &receiver, ended);
        });
        within(move || {
            let (sender, receiver) = rendezvous::<u32>();
            end(receiver.recv_async(), ended, || assert_eq!(sender.try_send(7), Ok(())));
            go_through(&sender, &receiver, ended);
        });
        within(move || {
            let (sender, receiver) = rendezvous::<u32>();
            // Its permit is dropped: the receiver waits again.
            let mut receiving = receiver.recv_async();
            end(sender.reserve_async(), ended, || assert!(poll_once(&mut receiving).is_pending()));
            drop(receiving);
            go_through(&sender, &receiver, ended);
        });
    }
}

#[test]
fn a_future_of_a_channel_with_room_hinders_no_other() {
    for ended in ENDS {
        for make in [|| bounded::<u32>(1).unwrap(), unbounded::<u32>] {
            within(move || {
                let (sender, receiver) = make();
                end(receiver.recv_async(), ended, || sender.send(7).unwrap());
                go_through(&sender, &receiver, ended);
            });
        }
        within(move || {
            let (sender, receiver) = bounded::<u32>(1).unwrap();
            sender.send(6).unwrap();
            end(sender.send_async(7), ended, || assert_eq!(receiver.try_recv(), Ok(6)));
            receiver.try_iter().for_each(drop);
            go_through(&sender, &receiver, ended);
        });
        within(move || {
            let (sender, receiver) = bounded::<u32>(1).unwrap();
            sender.send(6).unwrap();
            end(sender.reserve_async(), ended, || assert_eq!(receiver.try_recv(), Ok(6)));
            receiver.try_iter().for_each(drop);
            go_through(&sender, &receiver, ended);
        });
    }
}

/// A select that is polled again takes no second message. One that is forgotten keeps only its own.
#[test]
fn a_select_hinders_no_other() {
    for ended in ENDS {
        for make in [rendezvous::<u32>, || bounded::<u32>(2).unwrap()] {
            within(move || {
                let ((sender, receiver), (_open, silent)) = (make(), rendezvous::<u32>());
                let select = Select::new().on(receiver.recv_async(), |_| ()).on(silent.recv_async(), |_| ());
                end(select, ended, || sender.try_send(7).unwrap());
                go_through(&sender, &receiver, ended);
            });
        }
    }
}

#[test]
fn a_select_that_is_polled_again_loses_no_message() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    (7..9).for_each(|number| sender.send(number).unwrap());
    let mut select = Select::new().on(receiver.recv_async(), |number| number);
    assert_eq!(poll_once(&mut select), Poll::Ready(Ok(7)));
    assert!(catch_unwind(AssertUnwindSafe(|| poll_once(&mut select))).is_err());
    assert_eq!(receiver.try_recv(), Ok(8));
}

/// The result of a mapping that panics is lost, and no other one.
#[test]
fn a_select_whose_mapping_panics_is_over() {
    let (sender, receiver) = bounded::<u32>(2).unwrap();
    (7..9).for_each(|number| sender.send(number).unwrap());
    let mut select = Select::new().on(receiver.recv_async(), |_| panic!("a mapping"));
    for _ in 0..2 {
        assert!(catch_unwind(AssertUnwindSafe(|| poll_once::<Select<'_, ()>>(&mut select))).is_err());
    }
    assert_eq!(receiver.try_recv(), Ok(8));
}

/// Two senders of records wait for room. A reservation that is polled again takes no wake-up of the
/// other one.
#[test]
fn a_reservation_of_records_that_is_polled_again_hinders_no_other() {
    within(|| {
        let (mut sender, mut receiver) = records::mpmc::bounded(Space::for_bytes(4096).unwrap()).unwrap();
        let mut other = sender.clone();
        let record = vec![1; sender.longest()];
        while sender.try_send(&record).is_ok() {}
        let mut reserving = sender.reserve_async(record.len());
        assert!(poll_once(&mut reserving).is_pending());
        assert!(receiver.try_recv().is_ok());
        let Poll::Ready(Ok(grant)) = poll_once(&mut reserving) else { panic!("one record has made room") };
        grant.commit(record.len());
        let again = catch_unwind(AssertUnwindSafe(|| poll_once(&mut reserving).is_ready()));
        assert!(again.is_err(), "it is not in the line");
        std::thread::scope(|scope| {
            let sending = scope.spawn(|| other.send_timeout(&record, Duration::from_secs(5)));
            std::thread::sleep(Duration::from_millis(20));
            assert!(receiver.try_recv().is_ok());
            assert_eq!(sending.join().unwrap(), Ok(()));
        });
    });
}

/// Handles that belong to one thread cannot be used elsewhere while their futures exist: these
/// futures end by themselves.
#[test]
fn futures_of_single_handles_end_after_they_are_polled_again() {
    for ended in ENDS {
        within(move || {
            let (mut sender, mut receiver) = spsc::bounded::<u32>(1).unwrap();
            end(receiver.recv_async(), ended, || sender.send(7).unwrap());
            if ended == End::Forgotten {
                // The next wake-up may be that of the future.
                sender.send(8).unwrap();
                let _ = receiver.recv();
            }
            while sender.try_send(9).is_ok() {}
            end(sender.send_async(10), ended, || while receiver.try_recv().is_ok() {});
            while receiver.try_recv().is_ok() {}
            assert_eq!(sender.try_send(11), Ok(()));
            while sender.try_send(12).is_ok() {}
            end(sender.reserve_async(), ended, || while receiver.try_recv().is_ok() {});
            while receiver.try_recv().is_ok() {}
            assert_eq!((sender.try_send(13), receiver.try_recv()), (Ok(()), Ok(13)));
        });
    }
}

#[test]
fn futures_of_one_message_and_of_news_end_after_they_are_polled_again() {
    for ended in ENDS {
        let (sender, mut receiver) = oneshot::channel();
        let mut sender = Some(sender);
        end(receiver.recv_async(), ended, || sender.take().unwrap().send(7).unwrap());
        sender.into_iter().for_each(|sender| sender.send(7).unwrap());
        assert_eq!(receiver.recv(), if ended == End::Repeated { Err(RecvError) } else { Ok(7) });

        let (sender, mut receiver) = broadcast::channel(4).unwrap();
        let mut other = receiver.clone();
        end(receiver.recv_async(), ended, || sender.send(7).unwrap());
        sender.send(8).unwrap();
        let last = [receiver.try_iter().last(), other.try_iter().last()];
        assert_eq!(last, [Some(8); 2]);

        let (sender, mut receiver) = latest::channel(0);
        end(receiver.recv_async(), ended, || sender.send(7).unwrap());
        sender.send(8).unwrap();
        assert_eq!(receiver.recv(), Ok(8));
    }
}

/// A wait at an event that is polled again makes its attempt again.
#[test]
fn a_wait_at_an_event_hinders_no_other() {
    for ended in ENDS {
        within(move || {
            let (event, queue) = (Event::new(), aqueduct::mpmc::Queue::new(4).unwrap());
            end(event.wait_async(|| queue.pop().ok()), ended, || {
                queue.push(7).unwrap();
                event.notify();
            });
            while queue.pop().is_ok() {}
            std::thread::scope(|scope| {
                let waiting = scope.spawn(|| event.wait(|| queue.pop().ok()));
                queue.push(8).unwrap();
                // The first notification may be that of a future that was forgotten.
                event.notify_many(2);
                assert_eq!(waiting.join().unwrap(), 8);
            });
        });
    }
}

/// A future that is ready at once is ready again when it is polled again, and sends nothing.
#[test]
fn a_send_that_is_polled_again_sends_nothing() {
    for make in [rendezvous::<u32>, || bounded::<u32>(4).unwrap()] {
        let (sender, receiver) = make();
        let mut receiving = receiver.recv_async();
        assert!(poll_once(&mut receiving).is_pending());
        let mut sending = sender.send_async(7);
        let mut context = Context::from_waker(Waker::noop());
        for _ in 0..2 {
            assert_eq!(Pin::new(&mut sending).poll(&mut context), Poll::Ready(Ok(())));
        }
        assert_eq!(poll_once(&mut receiving), Poll::Ready(Ok(7)));
        assert!(receiver.try_recv().is_err());
    }
}
