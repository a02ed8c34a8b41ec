//! The methods of handles that the table of the crate's page lists, and the end of a channel as
//! that page describes it.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct::cnq::Geometry;
use aqueduct_channel::error::{RecvError, SendError, SendTimeoutError, TryRecvError, TrySendError};
use aqueduct_channel::handles::{self, CountingRecvEnd, CountingSendEnd};
use aqueduct_channel::records::{self, Space};
use aqueduct_channel::{
    IndexSelect, Select, bounded, broadcast, latest, mpmc, mpsc, oneshot, relaxed, rendezvous, select, spmc, spsc,
    unbounded,
};
use futures_util::{FutureExt, SinkExt, StreamExt};

const MESSAGES: u32 = if cfg!(miri) { 30 } else { 2_000 };

fn capsules() -> Geometry {
    Geometry::new(4, 2, 2, 1).unwrap()
}

/// Calls the methods that the columns of channels with queues share, with a message or two.
macro_rules! rows_of_a_queue {
    ($($test:ident: $ends:expr, $past_the_end:expr;)*) => {$(
        #[test]
        fn $test() {
            #[allow(unused_mut, reason = "handles that threads share need no exclusive reference")]
            let (mut sender, mut receiver) = $ends;
            let (soon, past) = (Duration::from_secs(600), Instant::now());
            assert!(!sender.is_closed() && !receiver.is_closed() && receiver.is_empty());
            assert_eq!(sender.send(0), Ok(()));
            assert_eq!(receiver.recv(), Ok(0));
            assert_eq!(sender.try_send(1), Ok(()));
            assert_eq!(receiver.try_recv(), Ok(1));
            assert_eq!(sender.send_timeout(2, soon), Ok(()));
            assert_eq!(receiver.recv_timeout(soon), Ok(2));
            assert_eq!(sender.send_deadline(3, past), Ok(()));
            assert_eq!(receiver.recv_deadline(past), Ok(3));
            assert_eq!(sender.send_async(4).now_or_never(), Some(Ok(())));
            assert_eq!(receiver.recv_async().now_or_never(), Some(Ok(4)));
            assert_eq!(sender.send_all(&mut VecDeque::from([5])), Ok(()));
            assert_eq!(receiver.recv_many(&mut Vec::new(), 2), Ok(1));
            assert_eq!(sender.send_all_async(&mut VecDeque::from([6])).now_or_never(), Some(Ok(())));
            assert_eq!(receiver.recv_many_async(&mut Vec::new(), 2).now_or_never(), Some(Ok(1)));
            assert_eq!(sender.sink().send(7).now_or_never(), Some(Ok(())));
            assert_eq!(receiver.stream().next().now_or_never(), Some(Some(7)));
            assert_eq!(sender.send(8), Ok(()));
            assert_eq!(select! { recv(receiver) -> number => number, default => Ok(0) }, Ok(8));
            assert_eq!(select! { send(sender, 9) -> result => result, default => Err(SendError(0)) }, Ok(()));
            assert_eq!(receiver.try_iter().collect::<Vec<_>>(), [9]);
            assert!(sender.same_channel(&sender) && receiver.same_channel(&receiver));
            assert_eq!(sender.send(10), Ok(()));
            assert!(sender.close() && !receiver.close() && sender.is_closed() && receiver.is_closed());
            assert_eq!(sender.try_send(11), Err(TrySendError::Disconnected(11)));
            assert_eq!(receiver.iter().collect::<Vec<_>>(), [10]);
            assert_eq!((receiver.recv(), receiver.try_recv()), (Err(RecvError), Err(TryRecvError::Disconnected)));
            assert_eq!(receiver.recv_async().now_or_never(), Some(Err(RecvError)));
            assert!(receiver.is_empty());
            $past_the_end(&sender, &receiver);
            assert_eq!(receiver.into_iter().count(), 0);
            assert!(sender.into_sink().send(12).now_or_never().is_some_and(|sent| sent.is_err()));
        }
    )*};
}

/// The capacity and the number of messages are available after the end, too.
fn counts<P, C>(sender: &handles::Sender<P>, receiver: &handles::Receiver<C>)
where
    P: CountingSendEnd,
    C: CountingRecvEnd,
{
    assert_eq!((sender.capacity(), receiver.capacity()), (Some(3), Some(3)));
    assert_eq!((receiver.len(), receiver.is_full(), sender.is_full()), (0, false, false));
}

/// Nothing limits the number of messages.
fn without_limit<P, C>(sender: &handles::Sender<P>, receiver: &handles::Receiver<C>)
where
    P: CountingSendEnd,
    C: CountingRecvEnd,
{
    assert_eq!((sender.capacity(), receiver.capacity()), (None, None));
    assert_eq!((receiver.len(), receiver.is_full(), sender.is_full()), (0, false, false));
}

rows_of_a_queue! {
    shared_bounded: bounded(3).unwrap(), |sender: &aqueduct_channel::Sender<u32>, _: &_| assert_eq!(sender.len(), 0);
    shared_unbounded: unbounded(), |sender: &aqueduct_channel::Sender<u32>, _: &_| assert_eq!(sender.capacity(), None);
    one_to_one: spsc::bounded(3).unwrap(), counts;
    many_to_one: mpsc::bounded(3).unwrap(), counts;
    one_to_many: spmc::bounded(3).unwrap(), counts;
    many_to_many: mpmc::bounded(3).unwrap(), counts;
    one_to_one_unbounded: spsc::unbounded().unwrap(), without_limit;
    many_to_one_unbounded: mpsc::unbounded().unwrap(), without_limit;
    in_capsules: relaxed::bounded(capsules()).unwrap(), |_: &_, _: &_| ();
}

macro_rules! rows_of_a_sole_sender {
    ($($test:ident: $name:ident;)*) => {$(
        #[test]
        fn $test() {
            let (mut sender, mut receiver) = $name::bounded(1).unwrap();
            let past = Instant::now();
            assert_eq!(sender.reserve().unwrap().send(1), Ok(()));
            while let Ok(permit) = sender.try_reserve() {
                assert_eq!(permit.send(1), Ok(()));
            }
            assert_eq!(sender.try_reserve().err(), Some(TrySendError::Full(())));
            assert_eq!(sender.reserve_deadline(past).err(), Some(SendTimeoutError::Timeout(())));
            assert!(sender.reserve_async().now_or_never().is_none());
            assert!(receiver.try_iter().all(|number| number == 1));
            drop(sender.reserve_deadline(past).unwrap());
            assert_eq!(sender.reserve_async().now_or_never().unwrap().unwrap().send(2), Ok(()));
            assert_eq!(receiver.recv(), Ok(2));
            let case = sender.reserve_case();
            let mut select = IndexSelect::new();
            select.case(&case);
            assert_eq!(select.try_ready(), Some(0));
            assert_eq!(select.try_select().unwrap().complete(&case).unwrap().send(3), Ok(()));
            assert_eq!(receiver.recv(), Ok(3));
            drop(case);
            let permit = sender.reserve().unwrap();
            receiver.close();
            assert_eq!(permit.send(4), Err(SendError(4)));
            assert_eq!(sender.reserve().err(), Some(SendError(())));
        }
    )*};
}

rows_of_a_sole_sender! {
    room_of_one_to_one: spsc;
    room_of_one_to_many: spmc;
}

#[test]
fn permits_are_room_beside_a_receiver() {
    let (mut sender, receiver) = spmc::bounded(4).unwrap();
    let receivers = [receiver.clone(), receiver];
    let threads = receivers.map(|receiver| thread::spawn(move || receiver.into_iter().map(u64::from).sum::<u64>()));
    for number in 0..MESSAGES {
        assert_eq!(sender.reserve().unwrap().send(number), Ok(()));
    }
    drop(sender);
    let sum: u64 = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
    assert_eq!(sum, u64::from(MESSAGES) * u64::from(MESSAGES - 1) / 2);
}

#[test]
fn news_and_values() {
    let (mut sender, mut receiver) = broadcast::channel(4).unwrap();
    let weak = sender.downgrade();
    assert_eq!(sender.feed(1).now_or_never(), Some(Ok(())));
    assert_eq!((receiver.len(), receiver.stream().next().now_or_never()), (1, Some(Some(1))));
    assert!(weak.same_channel(&weak.clone()) && weak.upgrade().unwrap().same_channel(&sender));
    weak.upgrade().unwrap().send(2).unwrap();
    drop(sender);
    assert!(weak.upgrade().is_none());
    assert_eq!(receiver.into_iter().collect::<Vec<_>>(), [2]);

    let (mut sender, receiver) = latest::channel(0);
    let weak = sender.downgrade();
    assert_eq!(sender.send_all(&mut futures_util::stream::iter([Ok(1), Ok(2)])).now_or_never(), Some(Ok(())));
    drop(sender);
    assert!(weak.upgrade().is_none());
    assert_eq!(receiver.into_iter().collect::<Vec<_>>(), [2]);
}

/// Each kind of channel is a case beside the others, and can be chosen again.
#[test]
fn all_channels_are_cases_of_one_select() {
    let (shared, from_shared) = bounded(1).unwrap();
    let (meeting, from_meeting) = rendezvous();
    let (mut one, mut from_one) = spsc::bounded(1).unwrap();
    let (mut many, mut from_many) = mpmc::bounded(1).unwrap();
    let (mut loose, mut from_loose) = relaxed::bounded(capsules()).unwrap();
    let (news, mut from_news) = broadcast::channel(1).unwrap();
    let (value, mut from_value) = latest::channel(0);
    let (mut bytes, mut from_bytes) = records::spsc::bounded(Space::for_bytes(4096).unwrap()).unwrap();
    // This handle stays: the end of the channel would be chosen, too.
    let sender = meeting.clone();
    let meets = thread::spawn(move || sender.send(1).unwrap());
    let cases = [
        from_one.recv_case(),
        from_many.recv_case(),
        from_loose.recv_case(),
        from_news.recv_case(),
        from_value.recv_case(),
    ];
    let record = from_bytes.recv_case();
    let mut came = vec![0; 8];
    for step in 0..8 {
        match step {
            0 => shared.send(1).unwrap(),
            2 => one.send(1).unwrap(),
            3 => many.send(1).unwrap(),
            4 => loose.send(1).unwrap(),
            5 => news.send(1).unwrap(),
            6 => value.send(1).unwrap(),
            7 => bytes.send(b"1").unwrap(),
            _ => {}
        }
        let mut select = IndexSelect::new();
        select.recv(&from_shared);
        select.recv(&from_meeting);
        for case in &cases {
            select.case(case);
        }
        if came[7] == 0 {
            select.case(&record);
        }
        let chosen = select.select_timeout(Duration::from_secs(600)).unwrap();
        let index = chosen.index();
        came[index] += match index {
            0 => chosen.recv(&from_shared).unwrap(),
            1 => chosen.recv(&from_meeting).unwrap(),
            7 => chosen.complete(&record).unwrap().len(),
            _ => chosen.complete(&cases[index - 2]).unwrap(),
        };
    }
    assert_eq!(came, [1; 8]);
    meets.join().unwrap();
}

/// A thread waits in a select by index for the only message of a channel, and for another channel.
#[test]
fn an_answer_is_a_case() {
    for turn in 0..if cfg!(miri) { 4 } else { 400 } {
        let (sender, mut receiver) = oneshot::channel();
        let (_open, other) = bounded::<u32>(1).unwrap();
        let thread = thread::spawn(move || {
            if turn % 4 == 0 {
                thread::sleep(Duration::from_micros(200));
            }
            // Otherwise the sender is dropped without a message.
            if turn % 2 == 0 { sender.send(7) } else { Ok(()) }
        });
        let case = receiver.recv_case();
        let mut select = IndexSelect::new();
        let (_, answer) = (select.recv(&other), select.case(&case));
        if turn % 3 == 0 {
            assert_eq!(select.ready(), answer);
        }
        let expected = if turn % 2 == 0 { Ok(7) } else { Err(RecvError) };
        assert_eq!(select.select_timeout(Duration::from_secs(600)).unwrap().complete(&case), expected);
        assert_eq!(select.select().complete(&case), Err(RecvError));
        thread.join().unwrap().unwrap();
    }
}

/// Copies of a select wait in two threads for one message: one gets it, and the other one the end.
#[test]
fn an_answer_ends_all_copies_of_its_select() {
    for _ in 0..if cfg!(miri) { 2 } else { 50 } {
        let (sender, mut receiver) = oneshot::channel();
        let case = receiver.recv_case();
        let mut select = IndexSelect::new();
        select.case(&case);
        let mut other = select.clone();
        let case = &case;
        let wait = move |select: &mut IndexSelect<'_>| {
            let chosen = select.select_timeout(Duration::from_secs(60)).expect("the sender wakes all");
            chosen.complete(case)
        };
        let results = thread::scope(|scope| {
            let thread = scope.spawn(move || wait(&mut other));
            scope.spawn(|| {
                thread::sleep(Duration::from_micros(300));
                sender.send(7).unwrap();
            });
            [wait(&mut select), thread.join().unwrap()]
        });
        assert!(results.contains(&Ok(7)) && results.contains(&Err(RecvError)), "{results:?}");
    }
}

/// A case is dropped after its time-out, and a message comes later.
#[test]
fn an_answer_outlives_its_case() {
    let (sender, mut receiver) = oneshot::channel();
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert!(select.try_select().is_none() && select.select_timeout(Duration::from_millis(1)).is_none());
    drop(case);
    assert_eq!(sender.send(7), Ok(()));
    assert_eq!(receiver.recv(), Ok(7));
}

#[test]
fn a_case_is_completed_by_itself() {
    let (mut sender, mut receiver) = spsc::bounded::<u32>(1).unwrap();
    let (_open, mut other) = spsc::bounded::<u32>(1).unwrap();
    sender.send(1).unwrap();
    let (case, other) = (receiver.recv_case(), other.recv_case());
    let mut select = IndexSelect::new();
    select.case(&case);
    let chosen = select.select();
    assert!(catch_unwind(AssertUnwindSafe(|| chosen.complete(&other))).is_err());
    assert!(select.try_select().is_none(), "the message is gone");
    assert!(select.select_timeout(Duration::ZERO).is_none() && select.ready_deadline(Instant::now()).is_none());
}

/// A clone that panics is not a reason to lose the case.
#[test]
fn a_case_outlives_a_panic() {
    #[derive(Debug)]
    struct Fragile(u32);
    impl Clone for Fragile {
        fn clone(&self) -> Self {
            assert!(self.0 != 1);
            Self(self.0)
        }
    }
    let (sender, mut receiver) = broadcast::channel(4).unwrap();
    [1, 2].into_iter().for_each(|number| sender.send(Fragile(number)).unwrap());
    let case = receiver.recv_case();
    let mut select = IndexSelect::new();
    select.case(&case);
    assert!(catch_unwind(AssertUnwindSafe(|| drop(select.try_select()))).is_err());
    assert_eq!(select.select().complete(&case).unwrap().0, 2);
}

#[test]
fn a_record_is_selected_by_its_future() {
    let (mut sender, mut receiver) = records::spsc::bounded(Space::for_bytes(4096).unwrap()).unwrap();
    sender.send(b"hello").unwrap();
    let length = select! {
        recv(receiver) -> record => record.unwrap().len(),
        default => 0,
    };
    assert_eq!(length, 5);
    let grant = Select::new().on(sender.reserve_async(3), |grant| grant).wait();
    grant.unwrap().commit(3);
    assert_eq!(receiver.recv().unwrap().len(), 3);
}

#[test]
fn an_answer_is_selected_by_its_future() {
    let (sender, mut receiver) = oneshot::channel();
    sender.send(7).unwrap();
    assert_eq!(Select::new().on(receiver.recv_async(), |number| number).wait(), Ok(7));
}

/// Messages go through a sink in batches, and none is lost when it is flushed.
#[test]
fn a_sink_of_a_handle_forwards() {
    let (sender, receiver) = mpsc::bounded(3).unwrap();
    let other = sender.clone();
    let threads = [sender, other].map(|sender| {
        thread::spawn(move || {
            let mut sink = sender.into_sink();
            for number in 0..MESSAGES {
                // On a thread that does not sleep, the sink returns `Pending` and is polled again.
                while sink.flush().now_or_never().is_none() {
                    thread::yield_now();
                }
                assert_eq!(sink.start_send_unpin(number), Ok(()));
            }
            while sink.close().now_or_never().is_none() {
                thread::yield_now();
            }
        })
    });
    assert_eq!(receiver.into_iter().count(), 2 * MESSAGES as usize);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn a_sink_of_a_handle_takes_one_message_at_a_time() {
    let (mut sender, mut receiver) = spsc::bounded(1).unwrap();
    while sender.try_send(1).is_ok() {}
    let mut sink = sender.sink();
    assert_eq!(sink.start_send_unpin(2), Ok(()));
    assert!(catch_unwind(AssertUnwindSafe(|| sink.start_send_unpin(3))).is_err());
    assert!(sink.flush().now_or_never().is_none());
    assert!(receiver.try_iter().all(|number| number == 1));
    assert_eq!(sink.flush().now_or_never(), Some(Ok(())));
    assert_eq!(receiver.recv(), Ok(2));
    receiver.close();
    assert_eq!(sink.start_send_unpin(4), Err(SendError(Some(4))));
}

/// Many closes beside many sends: each message is received or comes back, once.
#[test]
fn nothing_is_lost_beside_a_close() {
    // The first sender does not get this far.
    const LATER: u32 = 1 << 31;
    for round in 0..if cfg!(miri) { 3 } else { 30 } {
        let (sender, mut receiver) = mpmc::bounded(2).unwrap();
        let other = receiver.clone();
        let closes = sender.clone();
        let senders = [(0, sender.clone()), (LATER, sender)].map(|(from, mut sender)| {
            thread::spawn(move || {
                let mut next = from;
                loop {
                    if let Err(SendError(back)) = sender.send(next) {
                        return (next - from, back);
                    }
                    next += 1;
                }
            })
        });
        let receives = thread::spawn(move || other.into_iter().collect::<Vec<u32>>());
        (0..round).for_each(|_| std::hint::spin_loop());
        assert!(closes.close());
        let mut received: Vec<u32> = receiver.iter().collect();
        received.extend(receives.join().unwrap());
        let mut expected = Vec::new();
        for (from, sender) in [0, LATER].into_iter().zip(senders) {
            let (sent, back) = sender.join().unwrap();
            expected.extend(from..=from + sent);
            received.push(back);
        }
        received.sort_unstable();
        assert_eq!(received, expected);
    }
}
