//! The throughput measurement: all producers push numbers, all consumers pop and add them up.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::fault::Fault;
use super::kind::{Item, Kind, Receiver, Sender};
use super::plan::Threads;
use super::wait::{GivenUp, Part, Shared, YIELD};

/// One throughput measurement.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// Threads on either side.
    pub threads: Threads,
    /// Items per call; 1 is the single-item interface.
    pub batch: usize,
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Items that each producer pushes.
    pub items_each: u64,
    /// The cores to go round; none leaves the threads to the system.
    pub cores: &'a [usize],
    /// How long the run may take until it counts as broken.
    pub patience: Duration,
}

impl Stream<'_> {
    /// Items of all producers.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items_each * self.threads.producers as u64
    }

    fn core(&self, place: usize) -> Option<usize> {
        (!self.cores.is_empty()).then(|| self.cores[place % self.cores.len()])
    }

    /// The numbers of one producer. All numbers of a run are different, so that no sum hides a wrong item.
    fn numbers(&self, producer: usize) -> Range<u64> {
        let first = 1 + producer as u64 * self.items_each;
        first..first + self.items_each
    }
}

/// What a throughput measurement found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Streamed {
    /// Items that went through the queue.
    pub items: u64,
    /// From the first thread's start until all items were popped.
    pub elapsed: Duration,
}

impl Streamed {
    /// Million items per second.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }
}

/// What a consumer got.
#[derive(Clone, Copy, Debug, Default)]
struct Popped {
    count: u64,
    sum: u64,
    /// When this consumer said that all items had been popped, if it was the one.
    ended: Option<Instant>,
}

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn stream<K: Kind>(spec: &Stream<'_>) -> Result<Streamed, Fault> {
    let (senders, receivers) = K::open(spec.capacity, spec.threads).map_err(Fault::Refused)?;
    let shared = Shared::new(senders.len() + receivers.len(), spec.items(), spec.patience);
    let run = &shared;
    let (produced, consumed) = std::thread::scope(|scope| {
        let producers: Vec<_> = (senders.into_iter().enumerate())
            .map(|(at, sender)| {
                scope.spawn(move || run.take_part(spec.core(at), || produce(sender, run, spec.numbers(at), spec.batch)))
            })
            .collect();
        let consumers: Vec<_> = (receivers.into_iter().enumerate())
            .map(|(at, receiver)| {
                scope.spawn(move || run.take_part(spec.core(at + 1), || consume(receiver, run, spec.batch)))
            })
            .collect();
        // A thread's panic is caught where it happens, so joining does not fail.
        let produced: Vec<Part<_>> =
            producers.into_iter().map(|thread| thread.join().expect("it catches panics")).collect();
        let consumed: Vec<Part<_>> =
            consumers.into_iter().map(|thread| thread.join().expect("it catches panics")).collect();
        (produced, consumed)
    });
    check(spec, produced, consumed)
}

/// The elapsed time, if all items came, each once.
fn check(
    spec: &Stream<'_>,
    produced: Vec<Part<Result<(), GivenUp>>>,
    consumed: Vec<Part<Popped>>,
) -> Result<Streamed, Fault> {
    let began = produced.iter().map(|part| part.began).chain(consumed.iter().map(|part| part.began)).min();
    let mut all_pushed = true;
    for part in produced {
        all_pushed &= part.outcome?.is_ok();
    }
    let mut total = Popped::default();
    for part in consumed {
        let popped = part.outcome?;
        total.count += popped.count;
        total.sum = total.sum.wrapping_add(popped.sum);
        total.ended = total.ended.or(popped.ended);
    }
    let wanted = spec.items();
    let expected = sum_to(wanted);
    if !all_pushed && total.count < wanted {
        return Err(Fault::Stuck { popped: total.count, wanted });
    }
    match (began, total.ended) {
        (Some(began), Some(ended)) if (total.count, total.sum) == (wanted, expected) => {
            Ok(Streamed { items: wanted, elapsed: ended.saturating_duration_since(began) })
        }
        _ => Err(Fault::WrongItems { popped: total.count, wanted, sum: total.sum, expected }),
    }
}

/// `1 + 2 + ... + last`, modulo 2^64 as the consumers' sums.
fn sum_to(last: u64) -> u64 {
    let last = u128::from(last);
    (last * (last + 1) / 2) as u64
}

fn item(number: u64) -> Item {
    // Numbers start with 1; this is how the compiler learns that none is 0, at no cost.
    Item::new(number).unwrap_or(Item::MIN)
}

/// Pushes the numbers. The handle moves through in a local, where it can live in registers, as in a user's loop.
fn produce(sender: impl Sender, run: &Shared, numbers: Range<u64>, batch: usize) -> Result<(), GivenUp> {
    let mut sender = ManuallyDrop::new(sender);
    let pushed = if batch == 1 {
        push_singly(&mut *sender, run, numbers)
    } else {
        push_slices(&mut *sender, run, numbers, batch)
    };
    drop(ManuallyDrop::into_inner(sender));
    pushed
}

#[inline(always)]
fn push_singly(sender: &mut impl Sender, run: &Shared, numbers: Range<u64>) -> Result<(), GivenUp> {
    for number in numbers {
        let mut failures = 0;
        while !sender.push(item(number)) {
            failures += 1;
            run.failed(failures)?;
        }
    }
    Ok(())
}

#[inline(always)]
fn push_slices(sender: &mut impl Sender, run: &Shared, numbers: Range<u64>, batch: usize) -> Result<(), GivenUp> {
    let mut items = vec![Item::MIN; batch];
    let mut next = numbers.start;
    while next < numbers.end {
        let count = (numbers.end - next).min(batch as u64) as usize;
        for (slot, number) in items[..count].iter_mut().zip(next..) {
            *slot = item(number);
        }
        next += count as u64;
        let mut left = &items[..count];
        let mut failures = 0;
        while !left.is_empty() {
            let pushed = sender.push_slice(left);
            left = &left[pushed..];
            if pushed > 0 {
                failures = 0;
            } else {
                failures += 1;
                run.failed(failures)?;
            }
        }
    }
    Ok(())
}

/// Pops until all items of the run have been popped, by whomever, or the run is given up.
fn consume(receiver: impl Receiver, run: &Shared, batch: usize) -> Popped {
    let mut receiver = ManuallyDrop::new(receiver);
    let mut popped = Popped::default();
    if batch == 1 {
        pop_all(run, &mut popped, || receiver.pop().map(|item| (1, item.get())));
    } else {
        let mut items = vec![Item::MIN; batch];
        pop_all(run, &mut popped, || {
            let count = receiver.pop_slice(&mut items);
            let sum = items[..count].iter().fold(0, |sum: u64, item| sum.wrapping_add(item.get()));
            (count > 0).then_some((count as u64, sum))
        });
    }
    drop(ManuallyDrop::into_inner(receiver));
    popped
}

#[inline(always)]
fn pop_all(run: &Shared, popped: &mut Popped, mut pop: impl FnMut() -> Option<(u64, u64)>) {
    let (mut count, mut sum, mut reported, mut failures) = (0, 0_u64, 0, 0_u32);
    loop {
        if let Some((more, of_more)) = pop() {
            count += more;
            sum = sum.wrapping_add(of_more);
            failures = 0;
            continue;
        }
        failures += 1;
        // Consumers count together only when they are about to give up their cores, so that the counter they share does not
        // become a part of the queues. The end is seen some microseconds late by that.
        if failures.is_multiple_of(YIELD) {
            let (all, these_were_the_last) = run.report(count - reported);
            reported = count;
            if these_were_the_last {
                popped.ended = Some(Instant::now());
            }
            if all {
                break;
            }
        }
        if run.failed(failures).is_err() {
            break;
        }
    }
    (popped.count, popped.sum) = (count, sum);
}
