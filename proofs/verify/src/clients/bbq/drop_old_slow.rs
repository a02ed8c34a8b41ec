//! Drop-old clients with several slow threads: each stops once, anywhere, and meanwhile another one
//! goes on, by more than a lap.

use std::cell::{Cell, RefCell};

use aqueduct_model::interrupt::with_handler;
use aqueduct_model::linearizability::{DropOld, QueueOp, QueueResult};

use super::Shape;
use super::drop_old::{DropOldForm, Lost, Pair};
use crate::clients::Client;
use crate::clients::item::Item;
use crate::clients::threads::slow::{Does, Timeline};
use crate::clients::threads::{Nothing, Pop, Push};

/// A slow thread.
enum Slow<F: DropOldForm> {
    Push(F::Producer),
    Pop(RefCell<Reader<F>>),
}

/// A reader, the number of items that it has lost, and those that it has read.
struct Reader<F: DropOldForm> {
    handle: F::Consumer,
    lost: u64,
    came: Vec<u64>,
}

struct Scene<F: DropOldForm> {
    line: Timeline<DropOld<u64>>,
    slow: Vec<RefCell<Slow<F>>>,
    producer: RefCell<F::Producer>,
    reader: RefCell<Reader<F>>,
    next: Cell<u64>,
    written: Cell<u64>,
    entries: usize,
}

impl<F: DropOldForm> Scene<F> {
    fn push(&self, producer: &mut F::Producer) {
        let number = self.next.replace(self.next.get() + 1);
        let pushed = self.line.call(QueueOp::Push(number), || match producer.push(Pair::new(number)) {
            Ok(()) => QueueResult::Pushed,
            Err(_) => QueueResult::Busy,
        });
        self.written.set(self.written.get() + u64::from(pushed == QueueResult::Pushed));
    }

    /// Reads once. Returns whether there was an item.
    fn read(&self, reader: &mut Reader<F>) -> bool {
        let result = self.line.call(QueueOp::Pop, || match reader.handle.pop() {
            Ok(item) => {
                let before = std::mem::replace(&mut reader.lost, reader.handle.lost());
                reader.came.push(item.number());
                QueueResult::Popped((item.number(), usize::try_from(reader.lost - before).expect("few")))
            }
            Err(Nothing::Empty) => QueueResult::Empty,
            Err(Nothing::Busy) => QueueResult::Busy,
        });
        matches!(result, QueueResult::Popped(_))
    }

    /// Runs the slow threads from this one on; then pushes a lap and one item, reads what it can,
    /// and repeats both.
    fn from(&self, number: usize) {
        let Some(slow) = self.slow.get(number) else {
            for _ in 0..2 {
                (0..=self.entries).for_each(|_| self.push(&mut self.producer.borrow_mut()));
                while self.read(&mut self.reader.borrow_mut()) {}
            }
            return;
        };
        with_handler(
            || self.from(number + 1),
            || match &mut *slow.borrow_mut() {
                Slow::Push(producer) => self.push(producer),
                Slow::Pop(reader) => _ = self.read(&mut reader.borrow_mut()),
            },
        );
    }
}

/// Each written item is read or lost, in order. With one reader, a sequential queue explains all
/// calls.
fn run<F: DropOldForm>(shape: Shape, slow: &[Does]) {
    let count = |what: Does| slow.iter().filter(|&&does| does == what).count();
    let producing = if F::MANY_PRODUCERS { count(Does::Push) + 1 } else { 1 };
    let (mut producers, readers) = F::make(shape, producing, count(Does::Pop) + 1);
    let mut readers = readers.into_iter().map(|handle| Reader::<F> { handle, lost: 0, came: Vec::new() });
    let (producer, reader) = (RefCell::new(producers.remove(0)), RefCell::new(readers.next().expect("one")));
    let slow = slow.iter().map(|does| match does {
        Does::Push => RefCell::new(Slow::Push(producers.remove(0))),
        Does::Pop => RefCell::new(Slow::Pop(RefCell::new(readers.next().expect("one each")))),
    });
    let slow: Vec<_> = slow.collect();
    let (line, next, written) = (Timeline::new(), Cell::new(1), Cell::new(0));
    let Shape { blocks, size, spare, .. } = shape;
    let scene = Scene::<F> { line, slow, producer, reader, next, written, entries: blocks * size };
    // The slow threads have seen the queue as it is before these pushes.
    (0..=size).for_each(|_| scene.push(&mut scene.producer.borrow_mut()));
    scene.from(0);
    while scene.read(&mut scene.reader.borrow_mut()) {}
    let mut readers = vec![scene.reader.into_inner()];
    for slow in scene.slow {
        if let Slow::Pop(reader) = slow.into_inner() {
            readers.push(reader.into_inner());
        }
    }
    let lost: u64 = readers.iter().map(|reader| reader.handle.lost()).sum();
    let mut came: Vec<u64> = readers.iter().flat_map(|reader| reader.came.iter().copied()).collect();
    assert_eq!(scene.written.get(), came.len() as u64 + lost, "{came:?} came, {lost} are lost");
    came.sort_unstable();
    assert!(came.is_sorted_by(|item, next| item < next), "an item came twice: {came:?}");
    if readers.len() == 1 {
        scene.line.check(DropOld::in_blocks(blocks, size).with_spare(spare));
    }
}

/// The clients of a form: two and three slow threads, in blocks of one and two.
pub(crate) fn clients<F: DropOldForm>(list: &mut Vec<Client>, form: &str) {
    use Does::{Pop as Read, Push as Put};
    let plans: [(&str, &[Does]); 6] = [
        ("pushes", &[Put, Put]),
        ("three-pushes", &[Put, Put, Put]),
        ("reads", &[Read, Read]),
        ("three-reads", &[Read, Read, Read]),
        ("push-read", &[Put, Read]),
        ("read-push", &[Read, Put]),
    ];
    for (blocks, size) in [("", Shape::new(2, 1)), ("-two", Shape::new(2, 2))] {
        for (what, slow) in plans {
            if (F::MANY_PRODUCERS || !slow.contains(&Put)) && (F::MANY_CONSUMERS || !slow.contains(&Read)) {
                list.push(Client::new(format!("{form}/slow-{what}{blocks}"), move || run::<F>(size, slow)));
            }
        }
    }
}
