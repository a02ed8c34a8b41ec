//! NBLFQ's forms and their clients, on the library that `super` names.

use std::cell::RefCell;
use std::num::NonZeroU64;
use std::rc::Rc;

use aqueduct_model::interrupt::{Nesting, with_nesting};
use aqueduct_model::sync::Arc;
use aqueduct_model::thread;

use super::library::nblfq::{Capacity, Dynamic, Fixed, NonZeroWord, Queue, QueueOf, Rejected, wide};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};
use crate::clients::threads::calls::{Plan, dropped, recorded};
use crate::clients::threads::crowd;
use crate::clients::threads::slow;
use crate::clients::threads::{Form, Nothing, Pop, Push, Refused};
use crate::progress::many_threads::{Kind, Scene, Subject};
use crate::progress::one_stopped::Victim;

/// Makers of queues of `N` slots.
pub trait Made<const N: usize>: Capacity {
    /// Makes a queue of words.
    fn words<T: NonZeroWord, const BITS: u32>() -> QueueOf<T, Self, BITS>;
    /// Makes a queue of pairs of words.
    fn pairs<const BITS: u32>() -> wide::QueueOf<NonZeroU64, Self, BITS>;
}

impl<const N: usize> Made<N> for Fixed<N> {
    fn words<T: NonZeroWord, const BITS: u32>() -> QueueOf<T, Self, BITS> {
        QueueOf::<T, Self, BITS>::new()
    }

    fn pairs<const BITS: u32>() -> wide::QueueOf<NonZeroU64, Self, BITS> {
        wide::QueueOf::<NonZeroU64, Self, BITS>::new()
    }
}

impl<const N: usize> Made<N> for Dynamic {
    fn words<T: NonZeroWord, const BITS: u32>() -> QueueOf<T, Self, BITS> {
        QueueOf::<T, Self, BITS>::new(N).expect("there is memory")
    }

    fn pairs<const BITS: u32>() -> wide::QueueOf<NonZeroU64, Self, BITS> {
        wide::QueueOf::<NonZeroU64, Self, BITS>::new(N).expect("there is memory")
    }
}

/// A queue of `N` slots, with counters of `BITS` bits.
#[derive(Debug)]
pub struct Tagged<T, const N: usize, const BITS: u32, C = Fixed<N>>(std::marker::PhantomData<fn() -> (T, C)>);

impl<T, const N: usize, const BITS: u32, C> Clone for Tagged<T, N, BITS, C> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T, const N: usize, const BITS: u32, C> Copy for Tagged<T, N, BITS, C> {}

/// One thread's share of it. The model's `Arc` orders the drop after all uses.
type Share<T, C, const BITS: u32> = Arc<QueueOf<T, C, BITS>>;

impl<T: Item + NonZeroWord, C: Capacity, const BITS: u32> Push<T> for Share<T, C, BITS> {
    fn push(&mut self, item: T) -> Result<(), Refused> {
        QueueOf::push(self, item).map_err(|error| match error {
            Rejected::Full(_) => Refused::Full,
            Rejected::TooWide(_) => panic!("an address of the model needs the counter's bits"),
        })
    }
}

impl<T: Item + NonZeroWord, C: Capacity, const BITS: u32> Pop<T> for Share<T, C, BITS> {
    fn pop(&mut self) -> Result<T, Nothing> {
        QueueOf::pop(self).map_err(|_| Nothing::Empty)
    }
}

impl<T: Item + NonZeroWord, const N: usize, const BITS: u32, C: Made<N>> Form for Tagged<T, N, BITS, C> {
    type Shape = ();
    type Item = T;
    type Producer = Share<T, C, BITS>;
    type Consumer = Share<T, C, BITS>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make((): (), producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let queue = Arc::new(C::words());
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

/// A queue of `N` slots of two words, with counters of `BITS` bits.
#[derive(Clone, Copy, Debug)]
pub struct Wide<const N: usize, const BITS: u32 = 63, C = Fixed<N>>(std::marker::PhantomData<fn() -> C>);

type WideShare<C, const BITS: u32> = Arc<wide::QueueOf<NonZeroU64, C, BITS>>;

impl<C: Capacity, const BITS: u32> Push<NonZeroU64> for WideShare<C, BITS> {
    fn push(&mut self, item: NonZeroU64) -> Result<(), Refused> {
        self.open().expect("the model can").push(item).map_err(|_| Refused::Full)
    }
}

impl<C: Capacity, const BITS: u32> Pop<NonZeroU64> for WideShare<C, BITS> {
    fn pop(&mut self) -> Result<NonZeroU64, Nothing> {
        self.open().expect("the model can").pop().map_err(|_| Nothing::Empty)
    }
}

impl<const N: usize, const BITS: u32, C: Made<N>> Form for Wide<N, BITS, C> {
    type Shape = ();
    type Item = NonZeroU64;
    type Producer = WideShare<C, BITS>;
    type Consumer = WideShare<C, BITS>;
    const MANY_PRODUCERS: bool = true;
    const MANY_CONSUMERS: bool = true;

    fn make((): (), producers: usize, consumers: usize) -> (Vec<Self::Producer>, Vec<Self::Consumer>) {
        let queue = Arc::new(C::pairs());
        (vec![queue.clone(); producers], vec![queue; consumers])
    }
}

/// A number of items that no client's queue can hold.
const ALL: usize = 64;

type Pointers<const N: usize> = Tagged<Boxed, N, 16>;
/// Small integers.
pub type Words<const N: usize, const BITS: u32 = 16> = Tagged<NonZeroU64, N, BITS>;

/// Returns the clients.
pub fn clients() -> Vec<Client> {
    let mut list = Vec::new();
    of_capacity::<Pointers<2>>(&mut list, "2", 2);
    of_capacity::<Pointers<4>>(&mut list, "4", 4);
    of_capacity::<Wide<2>>(&mut list, "wide-2", 2);
    of_capacity::<Wide<4>>(&mut list, "wide-4", 4);
    alike::<Tagged<Boxed, 2, 16, Dynamic>>(&mut list, "dynamic-2", 2);
    alike::<Tagged<Boxed, 3, 16, Dynamic>>(&mut list, "dynamic-3", 3);
    alike::<Wide<2, 63, Dynamic>>(&mut list, "dynamic-wide-2", 2);
    add(&mut list, "1x1-three", || recorded::<Pointers<3>>(plan(0, 0, &[3], &[3]), 3..=3));
    // Counters that wrap around in the client, by one thread's pushes and pops.
    add(&mut list, "1x1-around", || recorded::<Tagged<Boxed, 2, 1>>(plan(3, 0, &[3], &[3]), 2..=2));
    add(&mut list, "1x1-around-wide", || recorded::<Wide<2, 1>>(plan(3, 0, &[3], &[3]), 2..=2));
    for nesting in [Nesting::Never, Nesting::Once] {
        let name = |what: &str| if nesting == Nesting::Once { format!("{what}-twice") } else { what.to_owned() };
        for (program, victim) in [("interrupted-push", Victim::Push), ("interrupted-pop", Victim::Pop)] {
            add(&mut list, &name(program), move || interrupted(nesting, victim));
            list.last_mut().expect("just added").big = nesting == Nesting::Once;
        }
    }
    list
}

/// Returns the clients that have too many executions to explore them all.
pub fn walked() -> Vec<Client> {
    let mut list = Vec::new();
    walks::<Pointers<2>>(&mut list, "2", 2);
    walks::<Pointers<4>>(&mut list, "4", 4);
    walks::<Wide<2>>(&mut list, "wide-2", 2);
    walks::<Wide<4>>(&mut list, "wide-4", 4);
    list
}

fn walks<F: Form<Shape = ()>>(list: &mut Vec<Client>, form: &str, size: usize) {
    for (program, plan) in crowd::walks((), size) {
        add(list, &format!("walk-{program}-{form}"), move || crowd::run::<F>(plan, size..=size));
    }
}

/// More events than an execution of these clients has. With too weak an ordering, a queue may loop
/// without an end.
const EVENTS: u32 = 500;

fn add(list: &mut Vec<Client>, program: &str, run: impl Fn() + Send + Sync + 'static) {
    list.push(Client::new(format!("nblfq/{program}"), run).with_events(EVENTS));
}

const fn plan(before: usize, filled: usize, pushes: &'static [usize], pops: &'static [usize]) -> Plan<()> {
    Plan { shape: (), before, filled, pushes, pops }
}

fn of_capacity<F: Form<Shape = ()>>(list: &mut Vec<Client>, form: &str, size: usize) {
    let mut add = |program: &str, plan: Plan<()>| {
        add(list, &format!("{program}-{form}"), move || recorded::<F>(plan, size..=size));
    };
    add("1x1", plan(0, 0, &[3], &[3]));
    add("1x1-lap", plan(size - 1, 0, &[3], &[3]));
    add("1x1-full", plan(1, ALL, &[2], &[3]));
    add("2x1", plan(0, 0, &[1, 1], &[2]));
    add("2x1-lap", plan(size - 1, 0, &[1, 1], &[2]));
    add("2x1-full", plan(1, size - 1, &[1, 1], &[1]));
    add("1x2", plan(0, 0, &[2], &[1, 1]));
    add("1x2-lap", plan(size - 1, 1, &[1], &[1, 1]));
    add("1x2-full", plan(1, ALL, &[1], &[1, 1]));
    add("2x2", plan(size - 1, 1, &[1, 1], &[1, 1]));
    self::add(list, &format!("1x1-drop-{form}"), || dropped::<F>(plan(0, 1, &[2], &[1])));
    // Four threads and four slots have too many executions.
    let of_ring = crowd::of_ring((), size).into_iter();
    for (program, plan) in of_ring.filter(|(program, _)| size == 2 || !["4x1", "1x4"].contains(program)) {
        self::add(list, &format!("{program}-{form}"), move || crowd::run::<F>(plan, size..=size));
    }
    let name = |what: &str| format!("nblfq/{what}-{form}");
    list.extend(slow::clients::<F>(name, (), size / 2, &(size..=size)).into_iter().map(|it| it.with_events(EVENTS)));
}

/// Adds clients of a queue that differs from those above only in the place of its slots: a few, to
/// show that the slots are found.
fn alike<F: Form<Shape = ()>>(list: &mut Vec<Client>, form: &str, size: usize) {
    let mut add = |program: &str, plan: Plan<()>| {
        add(list, &format!("{program}-{form}"), move || recorded::<F>(plan, size..=size));
    };
    add("1x1", plan(0, 0, &[3], &[3]));
    add("1x1-full", plan(1, ALL, &[2], &[3]));
    add("2x1-lap", plan(size - 1, 0, &[1, 1], &[2]));
    add("1x2-full", plan(1, ALL, &[1], &[1, 1]));
    self::add(list, &format!("1x1-drop-{form}"), || dropped::<F>(plan(0, 1, &[2], &[1])));
}

/// A push or a pop, interrupted at any point by a handler that pushes and pops, while another
/// thread does so, too: each item comes once, and the handler's never before an older one of its
/// thread.
fn interrupted(nesting: Nesting, victim: Victim) {
    let queue = Arc::new(Queue::<Boxed, 2>::new());
    assert!(Queue::push(&queue, Boxed::new(1)).is_ok(), "there is room");
    let other = {
        let queue = queue.clone();
        thread::spawn(move || {
            let pushed = Queue::push(&queue, Boxed::new(20)).is_ok();
            (pushed, Queue::pop(&queue).ok().map(|item| item.number()))
        })
    };
    let went = Rc::new(RefCell::new(vec![1]));
    let came = Rc::new(RefCell::new(Vec::new()));
    let push = |number| {
        if Queue::push(&queue, Boxed::new(number)).is_ok() {
            went.borrow_mut().push(number);
        }
    };
    let pop = || {
        if let Ok(item) = Queue::pop(&queue) {
            // The handler may interrupt this look at the item.
            let number = item.number();
            came.borrow_mut().push(number);
        }
    };
    let next = RefCell::new(30..);
    let handler = || {
        let number = next.borrow_mut().next().expect("endless");
        push(number);
        pop();
    };
    with_nesting(nesting, handler, || match victim {
        Victim::Push => push(10),
        Victim::Pop => pop(),
    });
    let (pushed, popped) = other.join().expect("ends");
    let (mut went, mut came) = (went.take(), came.take());
    went.extend(pushed.then_some(20));
    came.extend(popped);
    while let Ok(item) = Queue::pop(&queue) {
        came.push(item.number());
    }
    went.sort_unstable();
    came.sort_unstable();
    assert_eq!(came, went, "what came and what went");
}

/// One thread pushes once; meanwhile another one pushes and pops `items` items, one after the
/// other. If the counters wrap meanwhile, the first thread's item can come to a place that is not
/// the end of the queue.
pub fn overtaken<F: Form<Shape = (), Item = NonZeroU64>>(items: u64) {
    let (mut producers, mut consumers) = F::make((), 2, 1);
    let (mut producer, mut consumer) = (producers.remove(0), consumers.remove(0));
    let mut slow_producer = producers.remove(0);
    let slow = thread::spawn(move || slow_producer.push(NonZeroU64::new(100).expect("not 0")).is_ok());
    let mut slow_came = 0;
    let mut pop = || consumer.pop().ok().map(|item| item.number());
    for number in 1..=items {
        assert!(producer.push(NonZeroU64::new(number).expect("not 0")).is_ok(), "there is room");
        let mut came = pop();
        if came == Some(100) {
            slow_came += 1;
            came = pop();
        }
        assert_eq!(came, Some(number), "the oldest item of this thread");
    }
    let pushed = slow.join().expect("ends");
    while let Some(number) = pop() {
        assert_eq!(number, 100);
        slow_came += 1;
    }
    assert_eq!(slow_came, i32::from(pushed));
}

const SCENES: &[Scene] = &[
    Scene { victim: Victim::Push, before: 0, filled: 0 },
    Scene { victim: Victim::Push, before: 1, filled: 1 },
    Scene { victim: Victim::Pop, before: 0, filled: 2 },
    Scene { victim: Victim::Pop, before: 1, filled: 1 },
];

/// Returns the queues in which threads are stopped.
pub fn stalls() -> Vec<Subject> {
    vec![
        Subject::new::<Words<2>>("nblfq-2", (), Kind::LockFree { capacity: 2 }, SCENES),
        Subject::new::<Words<3>>("nblfq-3", (), Kind::LockFree { capacity: 3 }, SCENES),
        Subject::new::<Wide<2>>("nblfq-wide", (), Kind::LockFree { capacity: 2 }, SCENES),
    ]
}
