//! The clients of BBQ's records: of one and two words, with dummies at blocks' ends, cancelled,
//! committed in part, and forgotten. Of the library that `super` names.

mod crowd;

use std::sync::Arc;

use super::library::bbq::records::{self, Consumer, Producer, Space, drop_old};
use super::library::bbq::{Multi, Overwritten, Single};
use super::library::error::{PopError, ReserveError};
use crate::clients::Client;
use crate::clients::bbq::RENEWING_LAP;
use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;

/// The bytes of a word, which is also a record's unit.
const WORD: usize = size_of::<u64>();

/// An act of a producer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Act {
    /// Pushes a record of this number of words, each its number. One without words has none.
    Push(usize),
    /// Reserves this number of words, and commits one.
    Shrink(usize),
    /// Reserves a word, and drops the grant, which cancels it.
    Cancel,
    /// Reserves a word, and forgets the grant.
    Forget,
}

/// A producer's handle.
trait Push: Send + 'static {
    fn act(&mut self, act: Act, number: u64) -> Result<(), ReserveError>;
}

/// A consumer's handle: the number of the next record, which is 0 if that has no words.
trait Read: Send + 'static {
    fn read(&mut self) -> Result<u64, PopError>;
}

/// One or many producers and consumers.
trait Form: Copy + Send + Sync + 'static {
    type Producer: Push;
    type Consumer: Read;

    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>);
}

/// The number of blocks and of their words, and the queue's first lap.
#[derive(Clone, Copy, Debug)]
struct Shape {
    blocks: usize,
    words: usize,
    lap: usize,
}

impl Shape {
    /// Makes a shape that starts in the last lap but one before lap numbers wrap.
    const fn new(blocks: usize, words: usize) -> Self {
        Self { blocks, words, lap: usize::MAX >> (usize::BITS / 4) }
    }

    fn space(self) -> Space {
        Space::new(self.blocks, self.words * WORD).expect("a client's queue is small")
    }
}

/// Returns the number that all words of a record hold.
fn number(record: &[u8]) -> u64 {
    let words = record.chunks(WORD).map(|word| u64::from_ne_bytes(word.try_into().expect("whole words")));
    let words: Vec<u64> = words.collect();
    assert!(words.iter().all(|word| *word == words[0]), "a record came in pieces: {words:?}");
    words.first().copied().unwrap_or(0)
}

macro_rules! act {
    ($producer:ident, $act:ident, $number:ident, |$space:ident, $words:ident| $fill:expr) => {{
        let reserved = match $act {
            Act::Push(words) | Act::Shrink(words) => words,
            Act::Cancel | Act::Forget => 1,
        };
        let mut $space = $producer.reserve(reserved * WORD)?;
        let $words = if let Act::Shrink(_) = $act { 1 } else { reserved };
        match $act {
            Act::Push(_) | Act::Shrink(_) => {
                $fill;
                $space.commit($words * WORD);
            }
            Act::Cancel => drop($space),
            Act::Forget => std::mem::forget($space),
        }
        Ok(())
    }};
}

macro_rules! forms {
    ($($name:ident: $producers:ident($several_producers:ident), $consumers:ident($several_consumers:ident), $make:path;)*) => {$(
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Push for Producer<$producers, $consumers> {
            fn act(&mut self, act: Act, number: u64) -> Result<(), ReserveError> {
                act!(self, act, number, |grant, words| {
                    grant.chunks_mut(WORD).take(words).for_each(|word| word.copy_from_slice(&number.to_ne_bytes()))
                })
            }
        }

        impl Read for Consumer<$producers, $consumers> {
            fn read(&mut self) -> Result<u64, PopError> {
                Self::read(self).map(|record| number(&record))
            }
        }

        impl Form for $name {
            type Producer = Producer<$producers, $consumers>;
            type Consumer = Consumer<$producers, $consumers>;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let (producer, consumer) = $make(shape.space(), shape.lap).expect("a client's queue is small");
                (forms!(@$several_producers producer, producers), forms!(@$several_consumers consumer, consumers))
            }
        }
    )*};
    (@one $handle:ident, $count:ident) => {{
        assert_eq!($count, 1, "this side has one handle");
        vec![$handle]
    }};
    (@many $handle:ident, $count:ident) => { vec![$handle; $count] };
}

forms! {
    Spsc: Single(one), Single(one), records::spsc::starting_at;
    Mpsc: Multi(many), Single(one), records::mpsc::starting_at;
    Spmc: Single(one), Multi(many), records::spmc::starting_at;
    Mpmc: Multi(many), Multi(many), records::mpmc::starting_at;
}

/// The state before the threads part, and the calls of each thread.
#[derive(Clone, Copy, Debug)]
struct Plan {
    shape: Shape,
    /// The least and the greatest number of records in the queue with which a push returns `Full`.
    full: (usize, usize),
    /// Records that go through it first.
    before: &'static [Act],
    /// The acts after that, by the first producer.
    filled: &'static [Act],
    acts: &'static [&'static [Act]],
    reads: &'static [usize],
}

type Spec = Spurious<Fifo<u64>>;

fn act(history: &History<Spec>, producer: &mut impl Push, act: Act, number: u64) {
    let mut go = || match producer.act(act, number) {
        Ok(()) => QueueResult::Pushed,
        Err(ReserveError::Full) => QueueResult::Full,
        Err(ReserveError::Busy) => QueueResult::Busy,
        Err(error) => panic!("{error}"),
    };
    match act {
        // A cancelled or forgotten record needs no explanation.
        Act::Cancel | Act::Forget => drop(go()),
        Act::Push(0) => drop(history.call(QueueOp::Push(0), go)),
        Act::Push(_) | Act::Shrink(_) => drop(history.call(QueueOp::Push(number), go)),
    }
}

fn read(history: &History<Spec>, consumer: &mut impl Read) -> bool {
    let result = history.call(QueueOp::Pop, || match consumer.read() {
        Ok(number) => QueueResult::Popped(number),
        Err(PopError::Empty) => QueueResult::Empty,
        Err(PopError::Busy) => QueueResult::Busy,
    });
    matches!(result, QueueResult::Popped(_))
}

/// All calls are recorded; in the end, one thread empties the queue, and some order of the calls
/// must explain them all. `Full` and `Empty` are excused by overlap, and `Busy` always is.
fn recorded<F: Form>(plan: Plan) {
    let (mut producers, mut consumers) = F::make(plan.shape, plan.acts.len(), plan.reads.len());
    let fifo = Fifo::new().bounded_between(plan.full.0, plan.full.1);
    let spec = Spurious::new(fifo, |_, result| matches!(result, QueueResult::Full | QueueResult::Empty));
    let history = Arc::new(History::new(spec));
    let mut numbers = 1..;
    for (&one, number) in plan.before.iter().zip(numbers.by_ref()) {
        act(&history, &mut producers[0], one, number);
        assert!(read(&history, &mut consumers[0]), "it is there");
    }
    for (&one, number) in plan.filled.iter().zip(numbers.by_ref()) {
        act(&history, &mut producers[0], one, number);
    }
    let threads = producers.into_iter().zip(plan.acts).map(|(mut producer, &acts)| {
        let history = Arc::clone(&history);
        let numbers: Vec<u64> = numbers.by_ref().take(acts.len()).collect();
        thread::spawn(move || {
            acts.iter().zip(numbers).for_each(|(&one, number)| act(&history, &mut producer, one, number))
        })
    });
    let mut threads: Vec<_> = threads.collect();
    let mut last = consumers.pop().expect("a consumer");
    for (mut consumer, &reads) in consumers.into_iter().zip(plan.reads) {
        let history = Arc::clone(&history);
        threads.push(thread::spawn(move || (0..reads).for_each(|_| _ = read(&history, &mut consumer))));
    }
    for _ in 0..*plan.reads.last().expect("a consumer") {
        read(&history, &mut last);
    }
    for thread in threads {
        thread.join().expect("a model thread that fails ends the execution");
    }
    while read(&history, &mut last) {}
    history.check();
}

/// Returns the clients, by form.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Spsc>(&mut list, "spsc");
    one_by_one::<Mpsc>(&mut list, "mpsc");
    one_by_one::<Spmc>(&mut list, "spmc");
    one_by_one::<Mpmc>(&mut list, "mpmc");
    two_producers::<Mpsc>(&mut list, "mpsc");
    two_producers::<Mpmc>(&mut list, "mpmc");
    two_consumers::<Spmc>(&mut list, "spmc");
    two_consumers::<Mpmc>(&mut list, "mpmc");
    let plan = Plan { acts: &[&[PUSH], &[PUSH]], reads: &[1, 1], ..EXACT };
    add(&mut list, "mpmc", "2x2", move || recorded::<Mpmc>(plan));
    dropped_old::<OldSpmc>(&mut list, "drop_old_spmc");
    dropped_old::<OldMpmc>(&mut list, "drop_old_mpmc");
    let two = Old { shape: EXACT.shape, before: 0, acts: &[&[PUSH], &[PUSH]], reads: 2 };
    add(&mut list, "drop_old_mpmc", "2x1", move || accounted::<OldMpmc>(two));
    add(&mut list, "drop_old_mpmc", "2x1-over", move || accounted::<OldMpmc>(Old { before: 2, reads: 1, ..two }));
    let three = Old { acts: &[&[PUSH], &[PUSH], &[PUSH]], reads: 0, ..two };
    add(&mut list, "drop_old_mpmc", "3x1", move || accounted::<OldMpmc>(three));
    crowd::clients(&mut list);
    list
}

/// Returns the clients that have too many executions to explore them all.
pub(crate) fn walked() -> Vec<Client> {
    crowd::walks()
}

const PUSH: Act = Act::Push(1);
const LONG: Act = Act::Push(2);

/// A block is a record of one word.
const EXACT: Plan =
    Plan { shape: Shape::new(2, 2), full: (1, 2), before: &[], filled: &[], acts: &[&[PUSH, PUSH, PUSH]], reads: &[3] };
/// A block is a record of one word, and a dummy; or one of two words.
const DUMMY: Plan = Plan { shape: Shape::new(2, 3), ..EXACT };
/// A block is two records of one word; or one of two words, and a dummy.
const WIDE: Plan = Plan { shape: Shape::new(2, 4), full: (1, 4), ..EXACT };

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("bbq-records_{form}/{program}"), run));
}

fn one_by_one<F: Form>(list: &mut Vec<Client>, form: &str) {
    add(list, form, "1x1", move || recorded::<F>(EXACT));
    add(list, form, "1x1-dummy", move || recorded::<F>(DUMMY));
    add(list, form, "1x1-wide", move || recorded::<F>(Plan { full: (2, 4), ..WIDE }));
    let mixed: &[&[Act]] = &[&[PUSH, LONG, PUSH]];
    add(list, form, "1x1-mixed", move || recorded::<F>(Plan { acts: mixed, ..WIDE }));
    add(list, form, "1x1-empty", move || recorded::<F>(Plan { acts: &[&[Act::Push(0), PUSH]], full: (1, 6), ..DUMMY }));
    add(list, form, "1x1-lap", move || recorded::<F>(Plan { before: &[PUSH, PUSH], ..DUMMY }));
    let full = Plan { filled: &[PUSH, PUSH, PUSH], acts: &[&[PUSH, PUSH]], ..EXACT };
    add(list, form, "1x1-full", move || recorded::<F>(full));
    add(list, form, "1x1-full-dummy", move || recorded::<F>(Plan { shape: DUMMY.shape, ..full }));
    let cancel: &[&[Act]] = &[&[Act::Cancel, PUSH]];
    // A cancelled record takes room.
    add(list, form, "1x1-cancel", move || recorded::<F>(Plan { acts: cancel, full: (0, 2), ..EXACT }));
    add(list, form, "1x1-cancel-wide", move || {
        recorded::<F>(Plan { acts: cancel, filled: &[PUSH], full: (0, 4), ..WIDE })
    });
    let shrink: &[&[Act]] = &[&[Act::Shrink(2), PUSH]];
    add(list, form, "1x1-shrink", move || recorded::<F>(Plan { acts: shrink, ..WIDE }));
    let forget: &[&[Act]] = &[&[Act::Forget, PUSH]];
    add(list, form, "1x1-forget", move || recorded::<F>(Plan { acts: forget, full: (0, 2), ..EXACT }));
    let forgotten: &[&[Act]] = &[&[PUSH, Act::Forget]];
    // Until its handle is dropped, the forgotten record is in the way.
    add(list, form, "1x1-forgotten", move || {
        recorded::<F>(Plan { acts: forgotten, reads: &[0], full: (0, 4), ..WIDE })
    });
}

fn two_producers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let two = Plan { acts: &[&[PUSH], &[PUSH]], reads: &[2], ..EXACT };
    add(list, form, "2x1", move || recorded::<F>(two));
    add(list, form, "2x1-dummy", move || recorded::<F>(Plan { shape: DUMMY.shape, ..two }));
    let wide = Plan { shape: WIDE.shape, full: WIDE.full, ..two };
    add(list, form, "2x1-wide", move || recorded::<F>(wide));
    // Both producers find the rest of a block too short.
    add(list, form, "2x1-rest", move || recorded::<F>(Plan { filled: &[PUSH], acts: &[&[LONG], &[LONG]], ..wide }));
    let cancel: &[&[Act]] = &[&[Act::Cancel], &[PUSH]];
    // A cancelled record is in no history of calls: one read overlaps the push, which excuses that
    // the record is in the way.
    let cancel = Plan { acts: cancel, reads: &[1], full: (0, 4), ..wide };
    add(list, form, "2x1-cancel", move || recorded::<F>(cancel));
    // The producer that opens the first block in the second lap renews the heads where no record of
    // the first lap began. Meanwhile the other one commits records there.
    let shape = Shape { lap: RENEWING_LAP - 1, ..WIDE.shape };
    let renewed = Plan { shape, before: &[LONG, LONG], acts: &[&[PUSH], &[PUSH, PUSH]], reads: &[0], ..wide };
    add(list, form, "2x1-renew", move || recorded::<F>(renewed));
}

fn two_consumers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let two = Plan { acts: &[&[PUSH, PUSH]], reads: &[1, 1], ..EXACT };
    add(list, form, "1x2", move || recorded::<F>(two));
    add(list, form, "1x2-dummy", move || recorded::<F>(Plan { shape: DUMMY.shape, ..two }));
    let wide = Plan { shape: WIDE.shape, full: WIDE.full, ..two };
    add(list, form, "1x2-mixed", move || recorded::<F>(Plan { acts: &[&[LONG, PUSH]], ..wide }));
    let full = Plan { filled: &[PUSH, PUSH], acts: &[&[PUSH]], ..two };
    add(list, form, "1x2-full", move || recorded::<F>(full));
    // One consumer does a lap, in which records begin elsewhere, while the other one sleeps on the
    // old ones.
    let laps = Plan { filled: &[PUSH, PUSH], acts: &[&[LONG, PUSH]], reads: &[1, 3], ..wide };
    add(list, form, "1x2-laps", move || recorded::<F>(laps));
}

/// A form of drop-old mode, with one or many producers.
trait OldForm: Copy + Send + Sync + 'static {
    type Producer: Push;
    type Reader: OldRead;

    fn make(shape: Shape, producers: usize) -> (Vec<Self::Producer>, Self::Reader);
}

trait OldRead: Send + 'static {
    fn read(&mut self) -> Result<u64, PopError>;
    fn accounted(&self) -> u64;
}

macro_rules! old_forms {
    ($($name:ident: $producers:ident($several:ident), $make:path;)*) => {$(
        #[derive(Clone, Copy, Debug)]
        struct $name;

        impl Push for Producer<$producers, Overwritten> {
            fn act(&mut self, act: Act, number: u64) -> Result<(), ReserveError> {
                act!(self, act, number, |draft, words| {
                    (0..words).for_each(|word| draft.put(word * WORD, &number.to_ne_bytes()))
                })
            }
        }

        impl OldRead for drop_old::Reader<$producers> {
            fn read(&mut self) -> Result<u64, PopError> {
                Self::read(self, &mut [0; 4 * WORD]).map(number)
            }

            fn accounted(&self) -> u64 {
                self.passed() + self.lost()
            }
        }

        impl OldForm for $name {
            type Producer = Producer<$producers, Overwritten>;
            type Reader = drop_old::Reader<$producers>;

            fn make(shape: Shape, producers: usize) -> (Vec<Self::Producer>, Self::Reader) {
                let (producer, reader) = $make(shape.space(), shape.lap).expect("a client's queue is small");
                (forms!(@$several producer, producers), reader)
            }
        }
    )*};
}

old_forms! {
    OldSpmc: Single(one), drop_old::spmc::starting_at;
    OldMpmc: Multi(many), drop_old::mpmc::starting_at;
}

/// As [`Plan`], in drop-old mode.
#[derive(Clone, Copy, Debug)]
struct Old {
    shape: Shape,
    /// The number of records of one word that are written first.
    before: usize,
    acts: &'static [&'static [Act]],
    reads: usize,
}

/// Each record that a reader gets is whole, and comes once, in the order of its producer. If
/// records fill their blocks, the read and the lost records are, in the end, all that were written.
fn accounted<F: OldForm>(plan: Old) {
    let (mut producers, mut reader) = F::make(plan.shape, plan.acts.len());
    let units = |act: Act| if let Act::Push(words) = act { 1 + words } else { 0 };
    let mut written: usize = 0;
    for number in 1..=plan.before as u64 {
        producers[0].act(PUSH, number).expect("nobody is in the way");
        written += units(PUSH);
    }
    let threads = producers.into_iter().zip(plan.acts).enumerate().map(|(thread, (mut producer, &acts))| {
        let base = 100 * (thread as u64 + 1);
        let push = move |(index, &act): (usize, &Act)| match producer.act(act, base + index as u64) {
            Ok(()) => units(act),
            Err(error) => {
                assert_eq!(error, ReserveError::Busy);
                0
            }
        };
        thread::spawn(move || acts.iter().enumerate().map(push).sum::<usize>())
    });
    let threads: Vec<_> = threads.collect();
    let mut came: Vec<u64> = (0..plan.reads).filter_map(|_| reader.read().ok()).collect();
    written += threads.into_iter().map(|thread| thread.join().expect("ends")).sum::<usize>();
    while let Ok(number) = reader.read() {
        came.push(number);
    }
    for base in 0..=plan.acts.len() as u64 {
        let of_one = came.iter().filter(|&&number| number / 100 == base);
        assert!(of_one.is_sorted_by(|one, next| one < next), "{came:?} is out of order");
    }
    if plan.shape.words == EXACT.shape.words {
        assert_eq!(reader.accounted(), (written * WORD) as u64, "{came:?} came");
    }
}

fn dropped_old<F: OldForm>(list: &mut Vec<Client>, form: &str) {
    let exact = Old { shape: EXACT.shape, before: 0, acts: &[&[PUSH, PUSH, PUSH]], reads: 2 };
    add(list, form, "1x1", move || accounted::<F>(exact));
    add(list, form, "1x1-over", move || accounted::<F>(Old { before: 2, acts: &[&[PUSH, PUSH]], ..exact }));
    let mixed = Old { shape: WIDE.shape, before: 3, acts: &[&[LONG, PUSH]], reads: 1 };
    add(list, form, "1x1-mixed", move || accounted::<F>(mixed));
    let dummies = Old { shape: DUMMY.shape, before: 2, acts: &[&[PUSH, LONG]], reads: 1 };
    add(list, form, "1x1-dummy", move || accounted::<F>(dummies));
    add(list, form, "1x1-cancel", move || accounted::<F>(Old { acts: &[&[Act::Cancel, PUSH]], ..dummies }));
}
