//! The clients of BBQ: every form, with one to two threads on either side.

use std::num::NonZeroU64;
use std::sync::Arc;

use aqueduct_model::linearizability::{Fifo, History, QueueOp, QueueResult, Spurious};
use aqueduct_model::thread;
use aqueduct_under_model::bbq::{self, Geometry, Multi, Single};
use aqueduct_under_model::error::{Empty, Full, PopError, PushError};

use crate::clients::Client;
use crate::item::{Boxed, Item, Wide};

/// How a queue is divided, and in which lap it begins.
#[derive(Clone, Copy, Debug)]
pub struct Shape {
    /// Blocks.
    pub blocks: usize,
    /// Entries of a block.
    pub size: usize,
    /// The lap.
    pub version: usize,
}

impl Shape {
    /// In the last lap but one before versions come around.
    pub const fn new(blocks: usize, size: usize) -> Self {
        let last = usize::MAX >> (usize::BITS / 4);
        Self { blocks, size, version: last }
    }

    /// As the library takes it.
    ///
    /// # Panics
    /// If it is impossible.
    pub fn geometry(self) -> Geometry {
        Geometry::new(self.blocks, self.size).expect("a client's queue is small")
    }
}

/// A producer's handle.
pub trait Push<T>: Send + 'static {
    /// Pushes; says what came of it.
    fn push(&mut self, item: T) -> Pushed<T>;
    /// Pushes as many as there is room for.
    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy;
}

/// A consumer's handle.
pub trait Pop<T>: Send + 'static {
    /// Pops, or says why not.
    fn pop(&mut self) -> Result<T, PopError>;
    /// Pops as many as there are.
    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy;
}

/// What came of a push; a refused item comes back and is dropped.
pub type Pushed<T> = Result<(), PushError<T>>;

/// A form of the queue.
pub trait Form: Copy + Send + Sync + 'static {
    /// What it carries.
    type Item: Item;
    /// Its producers.
    type Producer: Push<Self::Item>;
    /// Its consumers.
    type Consumer: Pop<Self::Item>;

    /// A new queue with so many of either.
    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>);
}

trait Refused<T> {
    fn reason(self) -> PushError<T>;
}

impl<T> Refused<T> for Full<T> {
    fn reason(self) -> PushError<T> {
        PushError::Full(self.0)
    }
}

impl<T> Refused<T> for PushError<T> {
    fn reason(self) -> Self {
        self
    }
}

trait Nothing {
    fn reason(self) -> PopError;
}

impl Nothing for Empty {
    fn reason(self) -> PopError {
        PopError::Empty
    }
}

impl Nothing for PopError {
    fn reason(self) -> Self {
        self
    }
}

/// As many handles as asked for: clones where there may be several.
trait Handles: Sized {
    fn several(self, count: usize) -> Vec<Self>;
}

macro_rules! forms {
    ($($(#[$doc:meta])* $name:ident: $producers:ident, $consumers:ident, $make:path;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        pub struct $name<T>(std::marker::PhantomData<fn() -> T>);

        impl<T> Clone for $name<T> {
            fn clone(&self) -> Self {
                *self
            }
        }

        impl<T> Copy for $name<T> {}

        impl<T: Item> Push<T> for bbq::Producer<T, $producers, $consumers> {
            fn push(&mut self, item: T) -> Pushed<T> {
                Self::push(self, item).map_err(Refused::reason)
            }

            fn push_slice(&mut self, items: &[T]) -> usize
            where
                T: Copy,
            {
                Self::push_slice(self, items)
            }
        }

        impl<T: Item> Pop<T> for bbq::Consumer<T, $producers, $consumers> {
            fn pop(&mut self) -> Result<T, PopError> {
                Self::pop(self).map_err(Nothing::reason)
            }

            fn pop_slice(&mut self, items: &mut [T]) -> usize
            where
                T: Copy,
            {
                Self::pop_slice(self, items)
            }
        }

        impl<T: Item> Form for $name<T> {
            type Item = T;
            type Producer = bbq::Producer<T, $producers, $consumers>;
            type Consumer = bbq::Consumer<T, $producers, $consumers>;

            fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
                let (producer, consumer) = $make(shape.geometry(), shape.version).expect("a client's queue is small");
                (producer.several(producers), consumer.several(consumers))
            }
        }
    )*};
}

forms! {
    /// One producer, one consumer.
    Spsc: Single, Single, bbq::spsc_starting_at;
    /// Many producers, one consumer.
    Mpsc: Multi, Single, bbq::mpsc_starting_at;
    /// One producer, many consumers.
    Spmc: Single, Multi, bbq::spmc_starting_at;
    /// Many of either.
    Mpmc: Multi, Multi, bbq::mpmc_starting_at;
}

macro_rules! handles {
    ($($handle:ty, $of:tt;)*) => {$(
        impl<T: Item> Handles for $handle {
            fn several(self, count: usize) -> Vec<Self> {
                handles!(@$of self count)
            }
        }
    )*};
    (@one $handle:ident $count:ident) => {{
        assert_eq!($count, 1, "this side has one handle");
        vec![$handle]
    }};
    (@many $handle:ident $count:ident) => {
        vec![$handle; $count]
    };
}

handles! {
    bbq::Producer<T, Single, Single>, one;
    bbq::Producer<T, Single, Multi>, one;
    bbq::Producer<T, Multi, Single>, many;
    bbq::Producer<T, Multi, Multi>, many;
    bbq::Consumer<T, Single, Single>, one;
    bbq::Consumer<T, Multi, Single>, one;
    bbq::Consumer<T, Single, Multi>, many;
    bbq::Consumer<T, Multi, Multi>, many;
}

/// The queue that is shared as a whole.
#[derive(Debug)]
pub struct Shared<T>(std::marker::PhantomData<fn() -> T>);

impl<T> Clone for Shared<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Shared<T> {}

/// One thread's share of it. The model's `Arc` orders the drop after all uses.
type Share<T> = aqueduct_model::sync::Arc<bbq::Queue<T>>;

impl<T: Item> Push<T> for Share<T> {
    fn push(&mut self, item: T) -> Pushed<T> {
        bbq::Queue::push(self, item)
    }

    fn push_slice(&mut self, items: &[T]) -> usize
    where
        T: Copy,
    {
        bbq::Queue::push_slice(self, items)
    }
}

impl<T: Item> Pop<T> for Share<T> {
    fn pop(&mut self) -> Result<T, PopError> {
        bbq::Queue::pop(self)
    }

    fn pop_slice(&mut self, items: &mut [T]) -> usize
    where
        T: Copy,
    {
        bbq::Queue::pop_slice(self, items)
    }
}

impl<T: Item> Form for Shared<T> {
    type Item = T;
    type Producer = Share<T>;
    type Consumer = Share<T>;

    fn make(shape: Shape, producers: usize, consumers: usize) -> (Vec<Share<T>>, Vec<Share<T>>) {
        let queue = bbq::Queue::starting_at(shape.geometry(), shape.version).expect("a client's queue is small");
        let queue = Share::new(queue);
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

type Spec = Spurious<Fifo<u64>>;

/// First in, first out; `Full` from the capacity on, at the latest when every entry is taken. `Full` and `Empty` are excused
/// by overlap, as with the queues of one producer and one consumer, and `Busy` always is.
fn specification(shape: Shape) -> Spec {
    let fifo = Fifo::new().bounded_between(shape.geometry().capacity(), shape.blocks * shape.size);
    Spurious::new(fifo, |_, result| matches!(result, QueueResult::Full | QueueResult::Empty))
}

fn push<T: Item>(history: &History<Spec>, producer: &mut impl Push<T>, number: u64) -> bool {
    let result = history.call(QueueOp::Push(number), || match producer.push(T::new(number)) {
        Ok(()) => QueueResult::Pushed,
        Err(PushError::Full(_)) => QueueResult::Full,
        Err(PushError::Busy(_)) => QueueResult::Busy,
    });
    result == QueueResult::Pushed
}

fn pop<T: Item>(history: &History<Spec>, consumer: &mut impl Pop<T>) -> bool {
    let result = history.call(QueueOp::Pop, || match consumer.pop() {
        Ok(item) => QueueResult::Popped(item.number()),
        Err(PopError::Empty) => QueueResult::Empty,
        Err(PopError::Busy) => QueueResult::Busy,
    });
    matches!(result, QueueResult::Popped(_))
}

/// A client: what happens before the threads part, and how many calls each thread makes.
#[derive(Clone, Copy, Debug)]
pub struct Plan {
    /// The queue.
    pub shape: Shape,
    /// Items that go through it first.
    pub before: usize,
    /// Items that are in it, or as many as it takes, when the threads begin.
    pub filled: usize,
    /// Pushes of each producer.
    pub pushes: &'static [usize],
    /// Pops of each consumer.
    pub pops: &'static [usize],
}

/// All calls are recorded; in the end, one thread empties the queue, and some order of the calls must explain them all.
fn recorded<F: Form>(plan: Plan) {
    let (mut producers, mut consumers) = F::make(plan.shape, plan.pushes.len(), plan.pops.len());
    let history = Arc::new(History::new(specification(plan.shape)));
    let mut numbers = 1..;
    for _ in 0..plan.before {
        assert!(push(&history, &mut producers[0], numbers.next().expect("endless")), "there is room");
        assert!(pop(&history, &mut consumers[0]), "it is there");
    }
    for _ in 0..plan.filled {
        if !push(&history, &mut producers[0], numbers.next().expect("endless")) {
            break;
        }
    }
    let mut threads = Vec::new();
    for (mut producer, &pushes) in producers.into_iter().zip(plan.pushes) {
        let (history, numbers) = (Arc::clone(&history), numbers.by_ref().take(pushes).collect::<Vec<u64>>());
        threads.push(thread::spawn(move || {
            for number in numbers {
                push(&history, &mut producer, number);
            }
        }));
    }
    let mut last = consumers.pop().expect("a consumer");
    for (mut consumer, &pops) in consumers.into_iter().zip(plan.pops) {
        let history = Arc::clone(&history);
        threads.push(thread::spawn(move || {
            for _ in 0..pops {
                pop(&history, &mut consumer);
            }
        }));
    }
    for _ in 0..*plan.pops.last().expect("a consumer") {
        pop(&history, &mut last);
    }
    for thread in threads {
        thread.join().expect("a model thread that fails ends the execution");
    }
    while pop(&history, &mut last) {}
    history.check();
}

/// As `recorded`, but nobody empties the queue: handles go when their threads are done, and the last one drops what is left.
fn dropped<F: Form>(plan: Plan) {
    let (mut producers, mut consumers) = F::make(plan.shape, plan.pushes.len(), plan.pops.len());
    for number in 1..=plan.filled as u64 {
        if producers[0].push(F::Item::new(number)).is_err() {
            break;
        }
    }
    for (mut producer, &pushes) in producers.into_iter().zip(plan.pushes) {
        thread::spawn(move || (0..pushes).for_each(|_| drop(producer.push(F::Item::new(100)))));
    }
    let last = consumers.pop();
    for (mut consumer, &pops) in consumers.into_iter().zip(plan.pops) {
        thread::spawn(move || (0..pops).for_each(|_| drop(consumer.pop())));
    }
    if let (Some(mut consumer), Some(&pops)) = (last, plan.pops.last()) {
        (0..pops).for_each(|_| drop(consumer.pop()));
    }
}

/// Slices of two in and of two out: each item comes once, those of one producer in order.
fn slices<F: Form<Item = NonZeroU64>>(plan: Plan) {
    let (mut producers, mut consumers) = F::make(plan.shape, plan.pushes.len(), plan.pops.len());
    let item = |number: u64| NonZeroU64::new(number).expect("numbers start with 1");
    let mut filled = Vec::new();
    for number in 1..=plan.filled as u64 {
        if producers[0].push(item(number)).is_err() {
            break;
        }
        filled.push(number);
    }
    let pushing = producers.into_iter().zip(plan.pushes).enumerate().map(|(thread, (mut producer, &pushes))| {
        let base = 100 * (thread as u64 + 1);
        thread::spawn(move || {
            let items: Vec<NonZeroU64> = (1..=pushes as u64).map(|number| item(base + number)).collect();
            let count = producer.push_slice(&items);
            (base + 1..=base + count as u64).collect::<Vec<u64>>()
        })
    });
    let pushing: Vec<_> = pushing.collect();
    let take = |consumer: &mut F::Consumer, most: usize| {
        let mut items = vec![NonZeroU64::MAX; most];
        let count = consumer.pop_slice(&mut items);
        items.truncate(count);
        items.into_iter().map(NonZeroU64::get).collect::<Vec<u64>>()
    };
    let mut last = consumers.pop().expect("a consumer");
    let popping: Vec<_> = consumers
        .into_iter()
        .zip(plan.pops)
        .map(|(mut consumer, &pops)| thread::spawn(move || take(&mut consumer, pops)))
        .collect();
    let mut came = vec![take(&mut last, *plan.pops.last().expect("a consumer"))];
    let mut went = vec![filled];
    went.extend(pushing.into_iter().map(|thread| thread.join().expect("ends")));
    came.extend(popping.into_iter().map(|thread| thread.join().expect("ends")));
    came.push(take(&mut last, 64));
    for part in &came {
        for lane in &went {
            let places: Vec<_> = part.iter().filter_map(|item| lane.iter().position(|other| other == item)).collect();
            assert!(places.is_sorted(), "{part:?} is not in the order of {lane:?}");
        }
    }
    let sorted = |lists: Vec<Vec<u64>>| {
        let mut all = lists.concat();
        all.sort_unstable();
        all
    };
    assert_eq!(sorted(came), sorted(went), "what came and what went");
}

/// The clients, by form.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    one_by_one::<Spsc<Boxed>, Spsc<Wide<5>>>(&mut list, "spsc");
    one_by_one::<Mpsc<Boxed>, Mpsc<Wide<5>>>(&mut list, "mpsc");
    one_by_one::<Spmc<Boxed>, Spmc<Wide<5>>>(&mut list, "spmc");
    one_by_one::<Mpmc<Boxed>, Mpmc<Wide<5>>>(&mut list, "mpmc");
    one_by_one::<Shared<Boxed>, Shared<Wide<5>>>(&mut list, "shared");
    two_producers::<Mpsc<Boxed>>(&mut list, "mpsc");
    two_producers::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_producers::<Shared<Boxed>>(&mut list, "shared");
    two_consumers::<Spmc<Boxed>>(&mut list, "spmc");
    two_consumers::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_consumers::<Shared<Boxed>>(&mut list, "shared");
    two_of_either::<Mpmc<Boxed>>(&mut list, "mpmc");
    two_of_either::<Shared<Boxed>>(&mut list, "shared");
    slices_of::<Spsc<NonZeroU64>>(&mut list, "spsc", &[3], &[2]);
    slices_of::<Mpsc<NonZeroU64>>(&mut list, "mpsc", &[2, 2], &[2]);
    slices_of::<Spmc<NonZeroU64>>(&mut list, "spmc", &[3], &[2, 2]);
    slices_of::<Mpmc<NonZeroU64>>(&mut list, "mpmc", &[2, 1], &[2]);
    slices_of::<Shared<NonZeroU64>>(&mut list, "shared", &[3], &[2, 1]);
    list
}

/// More than any client's queue takes.
const ALL: usize = 64;

fn add(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("bbq-{form}/{program}"), run));
}

fn add_big(list: &mut Vec<Client>, form: &str, program: &str, run: impl Fn() + Send + Sync + 'static) {
    add(list, form, program, run);
    if let Some(client) = list.last_mut() {
        client.big = true;
    }
}

fn one_by_one<F: Form, W: Form>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[3], pops: &[3] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    let three = Plan { shape: Shape::new(3, 1), ..small };
    add(list, form, "1x1", move || recorded::<F>(small));
    add(list, form, "1x1-wide", move || recorded::<F>(wide));
    add(list, form, "1x1-lines", move || recorded::<W>(wide));
    add(list, form, "1x1-three", move || recorded::<F>(three));
    add(list, form, "1x1-lap", move || recorded::<F>(Plan { before: 3, ..wide }));
    add(list, form, "1x1-laps", move || recorded::<F>(Plan { before: 4, pushes: &[4], pops: &[4], ..small }));
    add(list, form, "1x1-full", move || recorded::<F>(Plan { filled: ALL, pushes: &[2], ..small }));
    add(list, form, "1x1-full-wide", move || recorded::<F>(Plan { filled: ALL, before: 1, pushes: &[2], ..wide }));
    add(list, form, "1x1-full-three", move || recorded::<F>(Plan { filled: ALL, pushes: &[2], ..three }));
    add(list, form, "1x1-drop", move || dropped::<F>(Plan { filled: 1, pushes: &[2], pops: &[1], ..wide }));
    add(list, form, "1x1-drop-full", move || dropped::<F>(Plan { filled: ALL, pushes: &[1], pops: &[2], ..small }));
}

fn two_producers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[1, 1], pops: &[2] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "2x1", move || recorded::<F>(small));
    add(list, form, "2x1-wide", move || recorded::<F>(wide));
    add(list, form, "2x1-lap", move || recorded::<F>(Plan { before: 3, ..wide }));
    add(list, form, "2x1-full", move || recorded::<F>(Plan { filled: 1, ..small }));
    add(list, form, "2x1-full-wide", move || recorded::<F>(Plan { filled: 3, ..wide }));
    add(list, form, "2x1-drop", move || dropped::<F>(Plan { filled: 1, pops: &[1], ..wide }));
}

fn two_consumers<F: Form>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 0, pushes: &[2], pops: &[1, 1] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "1x2", move || recorded::<F>(small));
    add(list, form, "1x2-wide", move || recorded::<F>(wide));
    add(list, form, "1x2-lap", move || recorded::<F>(Plan { before: 3, filled: 1, pushes: &[1], ..wide }));
    add(list, form, "1x2-full", move || recorded::<F>(Plan { filled: ALL, pushes: &[1], ..small }));
    add(list, form, "1x2-full-wide", move || recorded::<F>(Plan { filled: ALL, pushes: &[1], ..wide }));
    // One consumer does a lap and enters the next; the other one may know nothing of it.
    add(list, form, "1x2-laps", move || recorded::<F>(Plan { pushes: &[3], pops: &[1, 3], ..small }));
    add_big(list, form, "1x2-laps-wide", move || {
        recorded::<F>(Plan { before: 1, pushes: &[4], pops: &[1, 4], ..wide })
    });
    add(list, form, "1x2-drop", move || dropped::<F>(Plan { filled: ALL, pushes: &[1], ..wide }));
}

fn two_of_either<F: Form>(list: &mut Vec<Client>, form: &str) {
    let small = Plan { shape: Shape::new(2, 1), before: 0, filled: 1, pushes: &[1, 1], pops: &[1, 1] };
    let wide = Plan { shape: Shape::new(2, 2), ..small };
    add(list, form, "2x2", move || recorded::<F>(small));
    add(list, form, "2x2-wide", move || recorded::<F>(wide));
}

fn slices_of<F: Form<Item = NonZeroU64>>(
    list: &mut Vec<Client>,
    form: &str,
    pushes: &'static [usize],
    pops: &'static [usize],
) {
    let plan = Plan { shape: Shape::new(2, 2), before: 0, filled: 0, pushes, pops };
    add(list, form, "slices", move || slices::<F>(plan));
    add(list, form, "slices-full", move || slices::<F>(Plan { filled: 3, ..plan }));
}
