//! The clients of BBQ's drop-old mode: written items are read or lost, exactly, or left.

use std::sync::Arc;

use aqueduct_model::linearizability::{DropOld, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;

use super::{RENEWING_LAP, Shape};
use crate::clients::Client;
use crate::clients::item::Item;
use crate::clients::threads::{Form, Nothing, Pop, PopSlice, Push, PushSlice};

/// An item of two equal words.
pub type Pair = [u64; 2];

impl Item for Pair {
    fn new(number: u64) -> Self {
        [number; 2]
    }

    fn number(&self) -> u64 {
        assert_eq!(self[0], self[1], "an item came in pieces");
        self[0]
    }
}

/// A reader that counts the items that it has lost.
pub trait Lost {
    /// Returns the number of lost items.
    fn lost(&self) -> u64;
}

/// A form of the queue in drop-old mode.
pub trait DropOldForm: Form<Shape = Shape, Item = Pair, Producer: PushSlice<Pair>, Consumer: Lost> {}

impl<F: Form<Shape = Shape, Item = Pair, Producer: PushSlice<Pair>, Consumer: Lost>> DropOldForm for F {}

/// The state before the threads part, and the number of calls of each thread.
#[derive(Clone, Copy, Debug)]
struct Plan {
    shape: Shape,
    /// The number of items that are written first.
    before: usize,
    /// The number of these items that the first of several readers takes as soon as they are
    /// written.
    taken: usize,
    pushes: &'static [usize],
    reads: &'static [usize],
}

type Spec = Spurious<DropOld<u64>>;

/// One reader, all of whose calls a sequential drop-old queue explains, losses included. `Empty` is
/// excused by overlap.
fn recorded<F: DropOldForm>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, plan.pushes.len(), 1);
    let Shape { blocks, size, spare, .. } = plan.shape;
    let spec = DropOld::in_blocks(blocks, size).with_spare(spare);
    let spec: Spec = Spurious::new(spec, |_, result| matches!(result, QueueResult::Empty));
    let history = Arc::new(History::new(spec));
    let push = |history: &History<Spec>, producer: &mut F::Producer, number: u64| {
        history.call(QueueOp::Push(number), || match producer.push(Pair::new(number)) {
            Ok(()) => QueueResult::Pushed,
            Err(_) => QueueResult::Busy,
        });
    };
    let mut numbers = 1..;
    for number in numbers.by_ref().take(plan.before) {
        push(&history, &mut producers[0], number);
    }
    let threads = producers.into_iter().zip(plan.pushes).map(|(mut producer, &pushes)| {
        let (history, numbers) = (Arc::clone(&history), numbers.by_ref().take(pushes).collect::<Vec<u64>>());
        thread::spawn(move || numbers.into_iter().for_each(|number| push(&history, &mut producer, number)))
    });
    let threads: Vec<_> = threads.collect();
    let mut reader = readers.pop().expect("a reader");
    let mut lost = 0;
    let mut read = || {
        let result = history.call(QueueOp::Pop, || match reader.pop() {
            Ok(item) => {
                let before = std::mem::replace(&mut lost, reader.lost());
                QueueResult::Popped((item.number(), usize::try_from(lost - before).expect("few")))
            }
            Err(Nothing::Empty) => QueueResult::Empty,
            Err(Nothing::Busy) => QueueResult::Busy,
        });
        matches!(result, QueueResult::Popped(_))
    };
    for _ in 0..plan.reads[0] {
        read();
    }
    for thread in threads {
        thread.join().expect("a model thread that fails ends the execution");
    }
    while read() {}
    history.check();
}

/// Several readers: each item is read by one of them or lost, in the order of its producer. So are
/// the items written while they rested, which are zeros.
fn accounted<F: DropOldForm>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, plan.pushes.len(), plan.reads.len());
    let mut came = Vec::new();
    let mut written = plan.shape.rested * plan.shape.blocks * plan.shape.size;
    for number in 1..=plan.before as u64 {
        written += usize::from(producers[0].push(Pair::new(number)).is_ok());
        if number <= plan.taken as u64 {
            came.push(vec![readers[0].pop().expect("it is there").number()]);
        }
    }
    let pushing = producers.into_iter().zip(plan.pushes).enumerate().map(|(thread, (mut producer, &pushes))| {
        let base = 100 * (thread as u64 + 1);
        thread::spawn(move || {
            (base..base + pushes as u64).filter(|&number| producer.push(Pair::new(number)).is_ok()).count()
        })
    });
    let pushing: Vec<_> = pushing.collect();
    let work = |reader: &mut F::Consumer, most: usize| {
        (0..most).filter_map(|_| Some(reader.pop().ok()?.number())).collect::<Vec<u64>>()
    };
    let mut last = readers.pop().expect("a reader");
    let reading: Vec<_> = readers
        .into_iter()
        .zip(plan.reads)
        .map(|(mut reader, &reads)| thread::spawn(move || (work(&mut reader, reads), reader.lost())))
        .collect();
    let mut mine = work(&mut last, *plan.reads.last().expect("a reader"));
    written += pushing.into_iter().map(|thread| thread.join().expect("ends")).sum::<usize>();
    let mut lost = 0;
    for thread in reading {
        let (items, missed) = thread.join().expect("ends");
        came.push(items);
        lost += missed;
    }
    while let Ok(item) = last.pop() {
        mine.push(item.number());
    }
    came.push(mine);
    lost += last.lost();
    for items in &came {
        for base in 0..=plan.pushes.len() as u64 {
            assert!(items.iter().filter(|&&item| item / 100 == base).is_sorted(), "{items:?} is out of order");
        }
    }
    let mut all = came.concat();
    let count = all.len();
    all.retain(|&item| item != 0);
    all.sort_unstable();
    assert!(all.is_sorted_by(|item, next| item < next), "an item came twice: {came:?}");
    assert_eq!(written as u64, count as u64 + lost, "{written} were written; {count} came, {lost} are lost");
    // A producer that comes to a block overwrites all of it.
    let Shape { blocks, size, spare, .. } = plan.shape;
    let most = written.div_ceil(size).saturating_sub(blocks - spare) * size;
    assert!(lost <= most as u64, "{lost} are lost, {most} at most are not among the last; {came:?} came");
}

/// Slices of the producer, which read as single items.
fn slices<F: DropOldForm>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, 1, 1);
    let mut reader = readers.pop().expect("a reader");
    let mut producer = producers.pop().expect("a producer");
    let thread = thread::spawn(move || {
        let items: Vec<Pair> = (1..=plan.pushes[0] as u64).map(Pair::new).collect();
        assert_eq!(producer.push_slice(&items), items.len(), "nobody is in the way");
    });
    let mut last = 0;
    let mut read = |reader: &mut F::Consumer| {
        let Ok(item) = reader.pop() else { return false };
        let number = item.number();
        assert!(number > last, "{number} after {last}");
        last = number;
        true
    };
    let mut count = (0..plan.reads[0]).filter(|_| read(&mut reader)).count() as u64;
    thread.join().expect("ends");
    while read(&mut reader) {
        count += 1;
    }
    assert_eq!(count + reader.lost(), plan.pushes[0] as u64);
}

/// The only reader takes slices of two of what one producer writes: none has a gap, and the items
/// between two of them are those counted as lost meanwhile.
fn slices_read<F: DropOldForm<Consumer: PopSlice<Pair>>>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, 1, 1);
    let (mut reader, mut producer) = (readers.pop().expect("a reader"), producers.pop().expect("a producer"));
    let all = (plan.before + plan.pushes[0]) as u64;
    for number in 1..=plan.before as u64 {
        assert!(producer.push(Pair::new(number)).is_ok(), "nobody is in the way");
    }
    let thread = thread::spawn(move || {
        for number in plan.before as u64 + 1..=all {
            assert!(producer.push(Pair::new(number)).is_ok(), "nobody is in the way");
        }
    });
    let (mut next, mut lost) = (1, 0);
    let mut read = || {
        let mut items = [Pair::new(1000); 2];
        let count = reader.pop_slice(&mut items);
        if count > 0 {
            // After a failed read, the reader may have counted a block that it left, and not have
            // entered the next one.
            next += reader.lost() - std::mem::replace(&mut lost, reader.lost());
        }
        for item in &items {
            // Behind the read items lie older ones, and no part of an item.
            item.number();
        }
        for item in &items[..count] {
            assert_eq!(item.number(), next, "{items:?}");
            next += 1;
        }
        count > 0
    };
    (0..plan.reads[0]).for_each(|_| _ = read());
    thread.join().expect("ends");
    while read() {}
    assert_eq!(next, all + 1, "the last item is there");
}

/// A reader has rested for more than half of all laps that lap numbers tell apart, and then comes
/// back to a lap of its own parity.
const RESTED: Shape = Shape { rested: (usize::MAX >> (usize::BITS / 4 + 1)) + 3, ..Shape::new(2, 1) };

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("{form}/{program}"), run));
}

/// Adds a client with several readers, if the form can have them.
fn add_shared<F: DropOldForm>(
    list: &mut Vec<Client>,
    form: &str,
    program: &str,
    run: impl Fn() + Send + Sync + 'static,
) {
    if F::MANY_CONSUMERS {
        add(list, form, program, run);
    }
}

fn add_big(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    add(list, form, program, run);
    list.last_mut().expect("just added").big = true;
}

/// Adds the clients of any form.
pub(crate) fn any<F: DropOldForm>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, taken: 0, pushes: &[3], reads: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    let three = Plan { shape: Shape::new(3, 1), ..small };
    add(list, form, "1x1", move || recorded::<F>(small));
    add(list, form, "1x1-wide", move || recorded::<F>(wide));
    add(list, form, "1x1-three", move || recorded::<F>(three));
    // The producer laps the reader once, and many times.
    add(list, form, "1x1-over", move || recorded::<F>(Plan { before: 2, ..small }));
    add(list, form, "1x1-over-wide", move || recorded::<F>(Plan { before: 3, ..wide }));
    add(list, form, "1x1-over-three", move || recorded::<F>(Plan { before: 3, ..three }));
    add(list, form, "1x1-laps", move || recorded::<F>(Plan { before: 7, pushes: &[3], reads: &[1], ..small }));
    let spare = Plan { shape: Shape { spare: 1, ..Shape::new(3, 1) }, ..small };
    add(list, form, "1x1-spare", move || recorded::<F>(Plan { before: 3, ..spare }));
    add(list, form, "1x1-spare-laps", move || recorded::<F>(Plan { before: 11, reads: &[1], ..spare }));
    // Spare blocks as a queue for a given capacity has them.
    let two = Plan { shape: Shape { spare: 2, ..Shape::new(4, 1) }, ..small };
    add(list, form, "1x1-spare-two", move || recorded::<F>(Plan { before: 4, ..two }));
    add_shared::<F>(list, form, "1x2-spare-two", move || {
        accounted::<F>(Plan { before: 4, pushes: &[1], reads: &[1, 1], ..two })
    });
    add_shared::<F>(list, form, "1x2-spare", move || {
        accounted::<F>(Plan { before: 3, pushes: &[1], reads: &[1, 1], ..spare })
    });
    add_shared::<F>(list, form, "1x2", move || accounted::<F>(Plan { pushes: &[2], reads: &[1, 1], ..small }));
    add_shared::<F>(list, form, "1x2-over", move || {
        accounted::<F>(Plan { before: 2, pushes: &[1], reads: &[1, 1], ..small })
    });
    if F::MANY_CONSUMERS {
        add_big(list, form, "1x2-over-wide", move || {
            accounted::<F>(Plan { before: 3, pushes: &[2], reads: &[1, 1], ..wide })
        });
        add_big(list, form, "1x2-laps", move || {
            accounted::<F>(Plan { before: 1, pushes: &[3], reads: &[1, 1], ..three })
        });
    }
    // One reader sleeps in a block that the other one reaches a lap later, with the producer at
    // rest and at work.
    let asleep = Plan { before: 5, taken: 1, pushes: &[0], reads: &[1, 3], ..wide };
    let beside = Plan { before: 4, pushes: &[1], reads: &[1, 2], ..asleep };
    let ahead = Plan { before: 2, pushes: &[1], reads: &[1, 2], ..small };
    add_shared::<F>(list, form, "1x2-asleep", move || accounted::<F>(asleep));
    let rested = Plan { shape: RESTED, pushes: &[2], reads: &[2], ..small };
    add(list, form, "1x1-rested", move || accounted::<F>(rested));
    add_shared::<F>(list, form, "1x2-rested", move || accounted::<F>(Plan { pushes: &[1], reads: &[1, 1], ..rested }));
    add_shared::<F>(list, form, "1x2-beside", move || accounted::<F>(beside));
    add_shared::<F>(list, form, "1x2-ahead", move || accounted::<F>(ahead));
    // With a single producer, whose cursor readers look at without an order, this client has four
    // times as many executions.
    list.last_mut().expect("just added").big = F::MANY_CONSUMERS && !F::MANY_PRODUCERS;
    add(list, form, "slices", move || slices::<F>(Plan { pushes: &[5], ..wide }));
    add_shared::<F>(list, form, "1x3", move || {
        accounted::<F>(Plan { before: 1, pushes: &[1], reads: &[1, 1, 1], ..small })
    });
    add_shared::<F>(list, form, "1x3-over", move || {
        accounted::<F>(Plan { before: 2, pushes: &[1], reads: &[1, 1, 1], ..wide })
    });
}

/// Adds the clients of an only reader of one producer.
pub(crate) fn only_reader<F: DropOldForm<Consumer: PopSlice<Pair>>>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, taken: 0, pushes: &[3], reads: &[1] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    let three = Plan { shape: Shape::new(3, 1), ..small };
    add(list, form, "read-slices", move || slices_read::<F>(small));
    add(list, form, "read-slices-over", move || slices_read::<F>(Plan { before: 2, ..small }));
    add(list, form, "read-slices-wide", move || slices_read::<F>(Plan { before: 1, pushes: &[4], ..wide }));
    add(list, form, "read-slices-over-wide", move || slices_read::<F>(Plan { before: 3, ..wide }));
    add(list, form, "read-slices-three", move || slices_read::<F>(Plan { before: 2, ..three }));
}

/// Adds the clients that take several producers.
pub(crate) fn many_producers<F: DropOldForm>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, taken: 0, pushes: &[1, 1], reads: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "2x1", move || recorded::<F>(small));
    add(list, form, "2x1-over", move || recorded::<F>(Plan { before: 2, reads: &[1], ..small }));
    add(list, form, "2x1-over-wide", move || recorded::<F>(Plan { before: 3, reads: &[1], ..wide }));
    add(list, form, "2x1-rested", move || accounted::<F>(Plan { shape: RESTED, ..small }));
    // The word of a producer that has filled a block alone is all that the other producer sees of
    // the block.
    add(list, form, "2x1-alone", move || recorded::<F>(Plan { pushes: &[2, 2], reads: &[0], ..small }));
    // A producer comes to a block of a later lap that another one has just opened, pauses, and
    // fills the rest of it.
    add(list, form, "2x1-paused", move || recorded::<F>(Plan { before: 4, pushes: &[1, 4], reads: &[0], ..wide }));
    // The producer that opens a block renews the word that marks the block as committed. The other
    // one comes to the block a lap later, when the entry may not be committed.
    let renewed = Shape { lap: RENEWING_LAP - 1, ..small.shape };
    add(list, form, "2x1-renew", move || {
        recorded::<F>(Plan { shape: renewed, before: 2, pushes: &[1, 2], reads: &[0], ..small })
    });
    add(list, form, "3x1", move || recorded::<F>(Plan { pushes: &[1, 1, 1], reads: &[1], ..small }));
    add(list, form, "3x1-over-wide", move || {
        recorded::<F>(Plan { before: 3, pushes: &[1, 1, 1], reads: &[0], ..wide })
    });
    if F::MANY_CONSUMERS {
        // One producer does a lap and more while the other one sleeps, which then opens the next
        // block.
        add_big(list, form, "2x1-lap", move || recorded::<F>(Plan { pushes: &[3, 1], reads: &[1], ..small }));
        add_big(list, form, "2x2", move || accounted::<F>(Plan { before: 3, reads: &[1, 1], ..wide }));
    }
}

/// Adds clients with three producers and three readers: too many executions to explore them all.
pub(crate) fn walks<F: DropOldForm>(list: &mut Vec<Client>, form: &str) {
    let pushes: &[usize] = if F::MANY_PRODUCERS { &[2, 2, 3] } else { &[7] };
    for (blocks, shape) in [("", Shape::new(2, 1)), ("-two", Shape::new(2, 2)), ("-three", Shape::new(3, 3))] {
        let plan = Plan { shape, before: 1, taken: 0, pushes, reads: &[2, 2, 3] };
        add(list, form, &format!("walk-3x3{blocks}"), move || accounted::<F>(plan));
        let plan = Plan { shape, before: 1, taken: 0, pushes, reads: &[4] };
        add(list, form, &format!("walk-3x1{blocks}"), move || recorded::<F>(plan));
    }
}
