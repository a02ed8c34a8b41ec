//! The skeleton of all measurements with many threads: the producers push numbers, or items that a
//! workload makes of them, and the consumers pop and add them up.

use std::mem::ManuallyDrop;
use std::ops::Range;
use std::time::{Duration, Instant};

use super::kind::{Item, Receiver, Sender};
use super::work::{Consuming, Producing, Simple, Work};
use super::workload::Workload;
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::rounds::{Fault, Threads};
use aqueduct_measure::run::{GivenUp, Part, Run, YIELD};
use aqueduct_measure::times::Timed;

/// One measurement with many threads.
#[derive(Clone, Copy, Debug)]
pub struct Stream<'a> {
    /// The threads' work besides.
    pub workload: Workload,
    /// Threads on either side.
    pub threads: Threads,
    /// Items per call; 1 is the single-item interface, the only one of workloads other than the
    /// simple one.
    pub batch: usize,
    /// Items that the queue can hold.
    pub capacity: usize,
    /// Items that each producer pushes, at most.
    pub items_each: u64,
    /// The cores that threads are placed on; none leaves the threads to the system.
    pub cores: &'a [usize],
    /// The time limit after which the run counts as broken.
    pub patience: Duration,
    /// Whether to count L1 misses.
    pub count_misses: bool,
}

impl Stream<'_> {
    /// Returns the most items of all producers.
    #[must_use]
    pub fn items(&self) -> u64 {
        self.items_each * self.threads.producers as u64
    }

    /// Returns the numbers of one producer. All numbers of a run are different, so that no sum
    /// hides a wrong item.
    fn numbers(&self, producer: usize) -> Range<u64> {
        let first = 1 + producer as u64 * self.items_each;
        first..first + self.items_each
    }
}

/// The result of a measurement with many threads.
#[derive(Clone, Debug, PartialEq)]
pub struct Streamed {
    /// Items that went through the queue.
    pub items: u64,
    /// From the first thread's start until all items were popped.
    pub elapsed: Duration,
    /// Items that each producer pushed.
    pub pushed: Vec<u64>,
    /// Items that each consumer popped, those included that were left when the producers ended.
    pub popped: Vec<u64>,
    /// The times of single calls, where the workload takes them.
    pub timed: Timed,
    /// L1 misses of all threads, if they were to be counted and could be.
    pub l1_misses: Option<u64>,
}

impl Streamed {
    /// Returns million items per second.
    #[must_use]
    pub fn mitems_per_second(&self) -> f64 {
        self.items as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }
}

/// The result of a producer's work.
#[derive(Debug)]
struct Pushed {
    count: u64,
    timed: Timed,
}

/// The result of a consumer.
#[derive(Debug, Default)]
struct Popped {
    count: u64,
    sum: u64,
    /// The time at which this consumer observed that all items had been popped.
    ended: Option<Instant>,
    timed: Timed,
}

/// The handles of a fresh queue, one for each thread, or the reason why there are none.
pub type Opened<S, R> = Result<(Vec<S>, Vec<R>), String>;

/// Runs the measurement with the simple workload, whatever `spec` names, on a queue that `open`
/// makes.
///
/// # Errors
/// Why the measurement is invalid.
pub fn stream_numbers_over<S: Sender, R: Receiver>(
    spec: &Stream<'_>,
    open: &dyn Fn() -> Opened<S, R>,
) -> Result<Streamed, Fault> {
    run(spec, open, &Simple)
}

/// Runs that workload once.
pub(super) fn run<W: Work, S: Sender, R: Receiver>(
    spec: &Stream<'_>,
    open: &dyn Fn() -> Opened<S, R>,
    work: &W,
) -> Result<Streamed, Fault> {
    if spec.batch != 1 && !W::SLICES {
        return Err(Fault::Refused(format!("that workload moves single items, not {} in a call", spec.batch)));
    }
    if W::MOST_ITEMS < spec.items() {
        return Err(Fault::Refused(format!("at most {} items can be told apart in that workload", W::MOST_ITEMS)));
    }
    let (senders, receivers) = open().map_err(Fault::Refused)?;
    let shared =
        Run::new(senders.len() + receivers.len(), spec.items(), spec.patience).counting_misses(spec.count_misses);
    let run = &shared;
    let (mut producers, mut consumers) = (Vec::new(), Vec::new());
    for (at, sender) in senders.into_iter().enumerate() {
        let core = spec.threads.core_of_producer(at, spec.cores);
        producers.push(task(move || {
            let part = work.producing(run, at);
            let push = step(move || produce::<W>(sender, part, run, spec.numbers(at), spec.batch));
            match spec.workload {
                Workload::Drain => run.prepare(core, push),
                _ => run.take_part(core, push),
            }
        }));
    }
    for (at, receiver) in receivers.into_iter().enumerate() {
        let core = spec.threads.core_of_consumer(at, spec.cores);
        consumers.push(task(move || {
            let part = work.consuming(run, at);
            run.take_part(core, step(move || consume::<W>(receiver, part, run, spec.batch)))
        }));
    }
    let (produced, consumed) = crew::both(producers, consumers);
    check(spec, produced, consumed)
}

/// Returns the measurements, if all items came, each once.
fn check(
    spec: &Stream<'_>,
    produced: Vec<Part<Result<Pushed, GivenUp>>>,
    consumed: Vec<Part<Popped>>,
) -> Result<Streamed, Fault> {
    let began = produced.iter().map(|part| part.began).chain(consumed.iter().map(|part| part.began)).min();
    let misses = produced.iter().map(|part| part.misses).chain(consumed.iter().map(|part| part.misses));
    let l1_misses = misses.sum::<Option<u64>>();
    let (mut timed, mut pushed, mut popped) = (Timed::default(), Vec::new(), Vec::new());
    let (mut all_pushed, mut expected) = (true, 0_u64);
    for (at, part) in produced.into_iter().enumerate() {
        let Ok(of_thread) = part.outcome? else {
            all_pushed = false;
            continue;
        };
        let first = spec.numbers(at).start;
        expected = expected.wrapping_add(sum_of(first..first + of_thread.count));
        pushed.push(of_thread.count);
        timed.merge(of_thread.timed);
    }
    let (mut sum, mut ended) = (0_u64, None::<Instant>);
    for part in consumed {
        let of_thread = part.outcome?;
        sum = sum.wrapping_add(of_thread.sum);
        // The earliest observation of the end is the most exact one.
        ended = ended.into_iter().chain(of_thread.ended).min();
        popped.push(of_thread.count);
        timed.merge(of_thread.timed);
    }
    let (came, wanted) = (popped.iter().sum(), if all_pushed { pushed.iter().sum() } else { spec.items() });
    if !all_pushed && came < wanted {
        return Err(Fault::Stuck { popped: came, wanted });
    }
    match (began, ended) {
        (Some(began), Some(ended)) if (came, sum) == (wanted, expected) => {
            let elapsed = ended.saturating_duration_since(began);
            Ok(Streamed { items: wanted, elapsed, pushed, popped, timed, l1_misses })
        }
        _ => Err(Fault::WrongItems { popped: came, wanted, sum, expected }),
    }
}

/// Returns the sum of the numbers, modulo 2^64 as the consumers' sums.
fn sum_of(numbers: Range<u64>) -> u64 {
    let (first, end) = (u128::from(numbers.start), u128::from(numbers.end));
    ((end - first) * (first + end).saturating_sub(1) / 2) as u64
}

/// Pushes the numbers. The handle moves through in a local, where it can live in registers, as in a
/// user's loop.
fn produce<W: Work>(
    sender: impl Sender,
    mut part: W::Producing<'_>,
    run: &Run,
    numbers: Range<u64>,
    batch: usize,
) -> Result<Pushed, GivenUp> {
    let mut sender = ManuallyDrop::new(sender);
    let left = if batch == 1 || !W::SLICES {
        push_singly(&mut *sender, &mut part, run, numbers.clone())
    } else {
        push_slices(&mut *sender, &mut part, run, numbers.clone(), batch)
    };
    drop(ManuallyDrop::into_inner(sender));
    let left = left?;
    if left > 0 {
        run.spare(left);
    } else {
        part.complete();
    }
    Ok(Pushed { count: numbers.end - numbers.start - left, timed: part.timed() })
}

/// Returns the number of items that were left when the workload requested the stop.
#[inline(always)]
fn push_singly(
    sender: &mut impl Sender,
    part: &mut impl Producing,
    run: &Run,
    numbers: Range<u64>,
) -> Result<u64, GivenUp> {
    let end = numbers.end;
    for number in numbers {
        if !part.continues() {
            return Ok(end - number);
        }
        let item = part.make(number);
        let mut failures = 0;
        while !part.push(sender, item) {
            failures += 1;
            run.failed(failures)?;
        }
    }
    Ok(0)
}

/// Pushes as [`push_singly`] does, `batch` items in a call.
#[inline(always)]
fn push_slices(
    sender: &mut impl Sender,
    part: &mut impl Producing,
    run: &Run,
    numbers: Range<u64>,
    batch: usize,
) -> Result<u64, GivenUp> {
    let mut items = vec![Item::MIN; batch];
    let mut next = numbers.start;
    while next < numbers.end {
        if !part.continues() {
            return Ok(numbers.end - next);
        }
        let count = (numbers.end - next).min(batch as u64) as usize;
        for (slot, number) in items[..count].iter_mut().zip(next..) {
            *slot = part.make(number);
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
    Ok(0)
}

/// Pops until all items of the run have been popped, by any consumer, or the run is given up.
fn consume<W: Work>(receiver: impl Receiver, mut part: W::Consuming<'_>, run: &Run, batch: usize) -> Popped {
    let mut receiver = ManuallyDrop::new(receiver);
    let mut popped = Popped::default();
    if batch == 1 || !W::SLICES {
        pop_all(run, &mut popped, || part.pop(&mut *receiver).map(|item| (1, part.take(item))));
    } else {
        let mut items = vec![Item::MIN; batch];
        pop_all(run, &mut popped, || {
            let count = receiver.pop_slice(&mut items);
            let sum = items[..count].iter().fold(0, |sum: u64, &item| sum.wrapping_add(part.take(item)));
            (count > 0).then_some((count as u64, sum))
        });
    }
    drop(ManuallyDrop::into_inner(receiver));
    popped.timed = part.timed();
    popped
}

#[inline(always)]
fn pop_all(run: &Run, popped: &mut Popped, mut pop: impl FnMut() -> Option<(u64, u64)>) {
    let (mut count, mut sum, mut reported, mut failures) = (0, 0_u64, 0, 0_u32);
    loop {
        if let Some((more, of_more)) = pop() {
            count += more;
            sum = sum.wrapping_add(of_more);
            failures = 0;
            continue;
        }
        failures += 1;
        // Consumers count together only when they are about to give up their cores, so that the
        // counter they share does not become a part of the queues. The end is seen some
        // microseconds late by that.
        if failures.is_multiple_of(YIELD) {
            let all = run.report(count - reported);
            reported = count;
            if all {
                popped.ended = Some(Instant::now());
                break;
            }
        }
        if run.failed(failures).is_err() {
            break;
        }
    }
    (popped.count, popped.sum) = (count, sum);
}
