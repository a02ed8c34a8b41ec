//! The clients of BBQ's drop-old mode: what is written is what is read, what is lost, and what is left.

use std::sync::Arc;

use aqueduct_model::linearizability::{DropOld, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;
use aqueduct_under_model::bbq::drop_old::{self, Reader};
use aqueduct_under_model::bbq::{Multi, Overwritten, Producer, Single};
use aqueduct_under_model::error::PopError;

use crate::bbq::Shape;
use crate::clients::Client;

/// Two words that say the same.
type Pair = [u64; 2];

fn number(item: Pair) -> u64 {
    assert_eq!(item[0], item[1], "an item came in pieces");
    item[0]
}

/// One or many producers.
trait Form: Copy + Send + Sync + 'static {
    type Producer: Push;
    type Reader: Read;

    fn make(shape: Shape, producers: usize, readers: usize) -> (Vec<Self::Producer>, Vec<Self::Reader>);
}

trait Push: Send + 'static {
    /// Whether it was taken.
    fn push(&mut self, number: u64) -> bool;
    fn push_slice(&mut self, items: &[Pair]) -> usize;
}

trait Read: Send + 'static {
    fn read(&mut self) -> Result<u64, PopError>;
    fn lost(&self) -> u64;
}

#[derive(Clone, Copy, Debug)]
struct Spmc;

#[derive(Clone, Copy, Debug)]
struct Mpmc;

macro_rules! forms {
    ($($name:ident: $producers:ident, $make:path, $several:expr;)*) => {$(
        impl Push for Producer<Pair, $producers, Overwritten> {
            fn push(&mut self, number: u64) -> bool {
                Self::push(self, [number; 2]).is_ok()
            }

            fn push_slice(&mut self, items: &[Pair]) -> usize {
                Self::push_slice(self, items)
            }
        }

        impl Read for Reader<Pair, $producers> {
            fn read(&mut self) -> Result<u64, PopError> {
                Self::read(self).map(number)
            }

            fn lost(&self) -> u64 {
                Self::lost(self)
            }
        }

        impl Form for $name {
            type Producer = Producer<Pair, $producers, Overwritten>;
            type Reader = Reader<Pair, $producers>;

            fn make(shape: Shape, producers: usize, readers: usize) -> (Vec<Self::Producer>, Vec<Self::Reader>) {
                let (producer, reader) = $make(shape.geometry(), shape.version).expect("a client's queue is small");
                let several: fn(Self::Producer, usize) -> Vec<Self::Producer> = $several;
                (several(producer, producers), vec![reader; readers])
            }
        }
    )*};
}

forms! {
    Spmc: Single, drop_old::spmc_starting_at, |producer, count| {
        assert_eq!(count, 1, "this side has one handle");
        vec![producer]
    };
    Mpmc: Multi, drop_old::mpmc_starting_at, |producer, count| vec![producer; count];
}

/// What happens before the threads part, and how many calls each thread makes.
#[derive(Clone, Copy, Debug)]
struct Plan {
    shape: Shape,
    before: usize,
    pushes: &'static [usize],
    reads: &'static [usize],
}

type Spec = Spurious<DropOld<u64>>;

/// One reader, all of whose calls a sequential drop-old queue explains, losses included. `Empty` is excused by overlap.
fn recorded<F: Form>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, plan.pushes.len(), 1);
    let spec = DropOld::in_blocks(plan.shape.blocks, plan.shape.size);
    let spec: Spec = Spurious::new(spec, |_, result| matches!(result, QueueResult::Empty));
    let history = Arc::new(History::new(spec));
    let push = |history: &History<Spec>, producer: &mut F::Producer, number: u64| {
        history.call(QueueOp::Push(number), || match producer.push(number) {
            true => QueueResult::Pushed,
            false => QueueResult::Busy,
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
        let result = history.call(QueueOp::Pop, || match reader.read() {
            Ok(number) => {
                let before = std::mem::replace(&mut lost, reader.lost());
                QueueResult::Popped((number, usize::try_from(lost - before).expect("few")))
            }
            Err(PopError::Empty) => QueueResult::Empty,
            Err(PopError::Busy) => QueueResult::Busy,
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

/// Several readers: each item that was taken comes to one of them or is lost, in the order of its producer.
fn accounted<F: Form>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, plan.pushes.len(), plan.reads.len());
    let mut written = (1..=plan.before as u64).filter(|&number| producers[0].push(number)).count();
    let pushing = producers.into_iter().zip(plan.pushes).enumerate().map(|(thread, (mut producer, &pushes))| {
        let base = 100 * (thread as u64 + 1);
        thread::spawn(move || (base..base + pushes as u64).filter(|&number| producer.push(number)).count())
    });
    let pushing: Vec<_> = pushing.collect();
    let work = |reader: &mut F::Reader, most: usize| (0..most).filter_map(|_| reader.read().ok()).collect::<Vec<u64>>();
    let mut last = readers.pop().expect("a reader");
    let reading: Vec<_> = readers
        .into_iter()
        .zip(plan.reads)
        .map(|(mut reader, &reads)| thread::spawn(move || (work(&mut reader, reads), reader.lost())))
        .collect();
    let mut came = vec![work(&mut last, *plan.reads.last().expect("a reader"))];
    written += pushing.into_iter().map(|thread| thread.join().expect("ends")).sum::<usize>();
    let mut lost = 0;
    for thread in reading {
        let (items, missed) = thread.join().expect("ends");
        came.push(items);
        lost += missed;
    }
    let rest = came.first_mut().expect("main's");
    while let Ok(item) = last.read() {
        rest.push(item);
    }
    lost += last.lost();
    for items in &came {
        for base in 0..=plan.pushes.len() as u64 {
            assert!(items.iter().filter(|&&item| item / 100 == base).is_sorted(), "{items:?} is out of order");
        }
    }
    let mut all = came.concat();
    all.sort_unstable();
    let count = all.len();
    all.dedup();
    assert_eq!(all.len(), count, "an item came twice: {came:?}");
    assert_eq!(written as u64, count as u64 + lost, "{written} were written; {count} came, {lost} are lost");
}

/// Slices of the producer, which read as single items.
fn slices<F: Form>(plan: Plan) {
    let (mut producers, mut readers) = F::make(plan.shape, 1, 1);
    let mut reader = readers.pop().expect("a reader");
    let mut producer = producers.pop().expect("a producer");
    let thread = thread::spawn(move || {
        let items: Vec<Pair> = (1..=plan.pushes[0] as u64).map(|number| [number; 2]).collect();
        assert_eq!(producer.push_slice(&items), items.len(), "nobody is in the way");
    });
    let mut last = 0;
    let mut read = |reader: &mut F::Reader| {
        let Ok(number) = reader.read() else { return false };
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

/// The clients, by form.
pub(crate) fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    any::<Spmc>(&mut list, "drop_old_spmc");
    any::<Mpmc>(&mut list, "drop_old_mpmc");
    let small = Plan { shape: Shape::new(2, 1), before: 0, pushes: &[1, 1], reads: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    let form = "drop_old_mpmc";
    add(&mut list, form, "2x1", move || recorded::<Mpmc>(small));
    add(&mut list, form, "2x1-over", move || recorded::<Mpmc>(Plan { before: 2, reads: &[1], ..small }));
    add(&mut list, form, "2x1-over-wide", move || recorded::<Mpmc>(Plan { before: 3, reads: &[1], ..wide }));
    // One producer does a lap and more while the other one sleeps, who then opens the next block.
    add(&mut list, form, "2x1-lap", move || recorded::<Mpmc>(Plan { pushes: &[3, 1], reads: &[1], ..small }));
    add(&mut list, form, "2x2", move || accounted::<Mpmc>(Plan { before: 3, reads: &[1, 1], ..wide }));
    list
}

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("bbq-{form}/{program}"), run));
}

fn any<F: Form>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, pushes: &[3], reads: &[2] };
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
    add(list, form, "1x2", move || accounted::<F>(Plan { pushes: &[2], reads: &[1, 1], ..small }));
    add(list, form, "1x2-over", move || accounted::<F>(Plan { before: 2, pushes: &[1], reads: &[1, 1], ..small }));
    add(list, form, "1x2-over-wide", move || accounted::<F>(Plan { before: 3, pushes: &[2], reads: &[1, 1], ..wide }));
    add(list, form, "1x2-laps", move || accounted::<F>(Plan { before: 1, pushes: &[3], reads: &[1, 1], ..three }));
    add(list, form, "slices", move || slices::<F>(Plan { pushes: &[5], ..wide }));
}
