//! The first of several operations, on threads of the system.

use std::panic::catch_unwind;
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_channel::error::RecvError;
use aqueduct_channel::{Event, IndexSelect, Select, bounded, mpsc, select, spsc, unbounded};

#[test]
fn channels_of_all_kinds_can_be_mixed() {
    const ITEMS: u64 = if cfg!(miri) { 30 } else { 5_000 };
    let (mut one, mut first) = spsc::bounded::<u64>(4).unwrap();
    let (mut other, mut second) = mpsc::bounded::<String>(4).unwrap();
    let (third, last) = bounded::<()>(1).unwrap();
    let threads = [
        thread::spawn(move || (0..ITEMS).for_each(|number| one.send(number).unwrap())),
        thread::spawn(move || (0..ITEMS).for_each(|number| other.send(number.to_string()).unwrap())),
    ];
    let (mut sum, mut ends) = (0, 0);
    let (mut is_first_open, mut is_second_open) = (true, true);
    while ends < 2 {
        let mut select = Select::new().on(last.recv_async(), |_| unreachable!("nobody sends"));
        if is_first_open {
            select = select.on(first.recv_async(), |number| (0, number.ok()));
        }
        if is_second_open {
            select = select.on(second.recv_async(), |text| (1, text.ok().map(|text| text.parse().unwrap())));
        }
        match select.wait() {
            (_, Some(number)) => sum += number,
            (which, None) => {
                ends += 1;
                is_first_open &= which != 0;
                is_second_open &= which != 1;
            }
        }
    }
    assert_eq!(sum, ITEMS * (ITEMS - 1));
    drop(third);
    threads.into_iter().for_each(|thread| thread.join().unwrap());
}

/// Of two channels that always have messages, neither is left out.
#[test]
fn both_have_their_turn() {
    let ((one, first), (other, second)) = (bounded(1000).unwrap(), bounded(1000).unwrap());
    for _ in 0..1000 {
        one.send(0).unwrap();
        other.send(1).unwrap();
    }
    let mut counts = [0; 2];
    for _ in 0..1000 {
        let chosen = Select::new()
            .on(first.recv_async(), |which: Result<usize, _>| which.unwrap())
            .on(second.recv_async(), |which| which.unwrap())
            .wait();
        counts[chosen] += 1;
    }
    // Fewer than 300 of 1000 fair coins: one case in 10^37.
    assert!(counts.iter().all(|&count| count > 300), "{counts:?}");
}

/// Cases that are not ready favour none of the others.
#[test]
fn those_that_are_ready_have_their_turn() {
    let (silent, (one, first), (other, second)) = (bounded::<usize>(1).unwrap(), unbounded(), unbounded());
    for _ in 0..1000 {
        one.send(0).unwrap();
        other.send(1).unwrap();
    }
    let (mut counts, mut counts_by_index) = ([0; 2], [0; 2]);
    for _ in 0..500 {
        let mut select = Select::new();
        for receiver in [&silent.1, &silent.1, &first, &second] {
            select = select.on(receiver.recv_async(), |which: Result<usize, _>| which.unwrap());
        }
        counts[select.wait()] += 1;
        let mut select = IndexSelect::new();
        for receiver in [&silent.1, &silent.1, &first, &second] {
            select.recv(receiver);
        }
        let chosen = select.select();
        let receiver = if chosen.index() == 2 { &first } else { &second };
        counts_by_index[chosen.recv(receiver).unwrap()] += 1;
    }
    // Fewer than 170 of 500 fair coins: one case in 10^13.
    assert!(counts.iter().chain(&counts_by_index).all(|&count| count > 170), "{counts:?} {counts_by_index:?}");
}

#[test]
fn the_time_ends_a_select() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let select = || Select::new().on(receiver.recv_async(), |message| message);
    assert_eq!(select().try_now(), None);
    assert_eq!(select().wait_timeout(Duration::from_millis(1)), None);
    assert_eq!(select().wait_deadline(Instant::now()), None);
    sender.send(7).unwrap();
    assert_eq!(select().wait_deadline(Instant::now()), Some(Ok(7)));
    drop(sender);
    assert_eq!(select().try_now(), Some(Err(RecvError)));
}

#[test]
fn nothing_to_choose_from() {
    assert!(catch_unwind(|| Select::<()>::new().wait()).is_err());
    assert_eq!(Select::<()>::new().try_now(), None);
    assert_eq!(Select::<()>::new().wait_timeout(Duration::from_millis(1)), None);
}

#[test]
fn an_event_can_be_chosen() {
    let (event, (_sender, receiver)) = (Event::new(), bounded::<u32>(1).unwrap());
    let chosen = Select::new().on(receiver.recv_async(), |_| 1).on(event.wait_async(|| Some(2)), |number| number);
    assert_eq!(chosen.wait(), 2);
}

#[test]
fn cases_have_bodies() {
    let ((jobs, job), (mut stop, mut stopped)) = (bounded(4).unwrap(), spsc::bounded::<()>(1).unwrap());
    let thread = thread::spawn(move || -> Result<u32, RecvError> {
        let mut sum = 0;
        loop {
            select! {
                recv(job) -> number => sum += number?,
                recv(stopped) -> _ => break Ok(sum),
            }
        }
    });
    for number in 1..=10 {
        jobs.send(number).unwrap();
    }
    while !jobs.is_empty() {
        thread::yield_now();
    }
    stop.send(()).unwrap();
    assert_eq!(thread.join().unwrap(), Ok(55));
}

#[test]
fn a_default_is_for_nothing_at_once_or_in_time() {
    let (sender, receiver) = bounded::<u32>(1).unwrap();
    let at_once = select! {
        recv(receiver) -> _ => 1,
        default => 2,
    };
    let in_time = select! {
        recv(receiver) -> _ => { 1 }
        default(Duration::from_millis(1)) => 3
    };
    let sent = select! {
        recv(receiver) -> _ => 1,
        send(sender, 7) -> sent => sent.map_or(0, |()| 4)
    };
    assert_eq!((at_once, in_time, sent, receiver.recv()), (2, 3, 4, Ok(7)));
}
