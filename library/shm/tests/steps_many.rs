//! State of a queue of many producers and consumers, after a kill of a process at each instruction
//! of an operation, as other handles and its successor see it.
//!
//! Before the dead place is taken, others push and pop for a while, so that its successor meets
//! each of the cases by which it recovers the place.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::sync::atomic::Ordering::Relaxed;

use aqueduct_shm::mpmc::{Consumer, Geometry, Producer, Queue};
use aqueduct_shm::{Expected, Memory};

#[path = "common/stepping.rs"]
mod stepping;
use stepping::{Scene, Shared, check};

type Item = [u64; 2];
type Ends = (Vec<Producer<Item, Shared>>, Vec<Consumer<Item, Shared>>);

const SLOTS: u64 = 4;
/// The number that the killed producer pushes.
const DOUBTFUL: u64 = 1000;

fn geometry() -> Geometry {
    Geometry::new::<Item>(2, 2, SLOTS as usize).expect("a small queue")
}

fn item(number: u64) -> Item {
    [number, !number]
}

/// Makes a queue in which the numbers `from..to` are.
fn queue(memory: Shared, from: u64, to: u64) -> Ends {
    let queue = Queue::create(memory, geometry(), 0).expect("there are as many words");
    let mut producers: Vec<_> = (0..2).map(|_| queue.producer().expect("free")).collect();
    let mut consumers: Vec<_> = (0..2).map(|_| queue.consumer().expect("free")).collect();
    for number in 0..to {
        producers[number as usize / 2 % 2].push(item(number)).expect("there is room");
        if number < from {
            assert_eq!(consumers[number as usize % 2].pop(), Ok(item(number)));
        }
    }
    (producers, consumers)
}

/// The live handles of both sides push and pop `before` times, then they and the successors in the
/// dead places continue. Returns all popped numbers, and those pushed after the kill.
fn go_on(memory: Shared, before: u64) -> (Vec<u64>, Vec<u64>) {
    let queue = Queue::<Item, _>::attach(memory, &Expected::new()).expect("a queue");
    let mut producer = queue.replace_producer(1, 1).expect("sound");
    let mut consumer = queue.replace_consumer(1, 1).expect("sound");
    let (mut came, mut pushed) = (Vec::new(), Vec::new());
    let mut push = |producer: &mut Producer<Item, Shared>| {
        let number = 2000 + pushed.len() as u64;
        if producer.push(item(number)).is_ok() {
            pushed.push(number);
        }
    };
    let mut pop = |consumer: &mut Consumer<Item, Shared>| {
        if let Ok([number, inverse]) = consumer.pop() {
            assert_eq!(inverse, !number, "a part of an item");
            came.push(number);
        }
    };
    for _ in 0..before {
        push(&mut producer);
        pop(&mut consumer);
    }
    let mut second_producer = queue.replace_producer(0, 1).expect("sound");
    let mut second_consumer = queue.replace_consumer(0, 1).expect("sound");
    // Each cell is used several times: none is lost, and none has two owners.
    for _ in 0..12 {
        push(&mut second_producer);
        pop(&mut second_consumer);
        pop(&mut consumer);
        push(&mut producer);
    }
    for _ in 0..SLOTS {
        push(&mut producer);
    }
    assert!(producer.is_full() && producer.len() as u64 == SLOTS, "room is lost");
    while !second_consumer.is_empty() {
        pop(&mut second_consumer);
    }
    assert!(consumer.is_empty());
    (came, pushed)
}

/// A push behind this many numbers, and the other handles' operations before the dead place is
/// taken.
struct Push {
    number: u64,
    before: u64,
}

impl Scene for Push {
    type Handles = Ends;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Ends {
        queue(memory, self.number.saturating_sub(2), self.number)
    }

    fn operate(&self, (producers, _): &mut Ends) {
        producers[0].push(item(DOUBTFUL)).expect("there is room");
    }

    fn succeed(&self, memory: Shared) -> bool {
        let (came, pushed) = go_on(memory, self.before);
        let is_in = came.contains(&DOUBTFUL);
        let doubtful = is_in.then_some(DOUBTFUL);
        let expected: Vec<u64> = (self.number.saturating_sub(2)..self.number).chain(doubtful).chain(pushed).collect();
        assert_eq!(came, expected, "lost, doubled or out of order");
        is_in
    }
}

#[test]
fn a_push_takes_place_at_one_instruction_whatever_others_do() {
    for number in 0..10 {
        (0..9).for_each(|before| check(&Push { number, before }));
    }
}

/// A pop of this number, and the other handles' operations before the dead place is taken.
struct Pop {
    number: u64,
    before: u64,
}

impl Scene for Pop {
    type Handles = Ends;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Ends {
        queue(memory, self.number, self.number + 3)
    }

    fn operate(&self, (_, consumers): &mut Ends) {
        assert_eq!(consumers[0].pop(), Ok(item(self.number)));
    }

    /// Between the exchange and the end of the pop, the successor has the item, and others do not.
    fn succeed(&self, memory: Shared) -> bool {
        let (mut came, pushed) = go_on(memory, self.before);
        let is_gone = !came.contains(&self.number);
        // The successor gets its item out of order: the other items are in order.
        came.retain(|number| *number != self.number);
        let expected: Vec<u64> = (self.number + 1..self.number + 3).chain(pushed).collect();
        assert_eq!(came, expected, "lost, doubled or out of order");
        is_gone
    }
}

#[test]
fn a_pop_takes_place_at_one_instruction_whatever_others_do() {
    for number in 0..10 {
        (0..9).for_each(|before| check(&Pop { number, before }));
    }
}

/// Index of a place's word for its cell. The next word has its intent. Places begin behind the
/// header, those of producers first.
fn first_word(place: usize) -> usize {
    96 + 16 * place + 1
}

/// Leaves the state of a producer that is killed right behind the exchange that pushes
/// [`DOUBTFUL`].
fn push_and_die(memory: Shared, producers: &mut [Producer<Item, Shared>]) {
    let cell = &memory.words()[first_word(0)];
    let old = cell.load(Relaxed);
    producers[0].push(item(DOUBTFUL)).expect("there is room");
    cell.store(old, Relaxed);
}

/// A pop of the item of a producer that was killed right behind its exchange: both places have to
/// be recovered.
struct PopOfTheDead {
    before: u64,
}

impl Scene for PopOfTheDead {
    type Handles = Ends;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Ends {
        let (mut producers, consumers) = queue(memory, 2, 2);
        push_and_die(memory, &mut producers);
        (producers, consumers)
    }

    fn operate(&self, (_, consumers): &mut Ends) {
        assert_eq!(consumers[0].pop(), Ok(item(DOUBTFUL)));
    }

    fn succeed(&self, memory: Shared) -> bool {
        let (mut came, pushed) = go_on(memory, self.before);
        let is_gone = !came.contains(&DOUBTFUL);
        came.retain(|number| *number != DOUBTFUL);
        assert_eq!(came, pushed, "lost, doubled or out of order");
        is_gone
    }
}

#[test]
fn a_consumer_and_the_producer_of_its_item_are_both_replaced() {
    (0..9).for_each(|before| check(&PopOfTheDead { before }));
}

/// Takes the place of a producer, or of a consumer, that was killed right behind its exchange.
struct Succeed {
    place: usize,
    before: u64,
}

impl Scene for Succeed {
    type Handles = (Queue<Item, Shared>, Vec<Producer<Item, Shared>>);

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Self::Handles {
        let (mut producers, mut consumers) = queue(memory, 0, 2);
        if self.place == 0 {
            push_and_die(memory, &mut producers);
        } else {
            let cell = &memory.words()[first_word(self.place)];
            let old = cell.load(Relaxed);
            assert_eq!(consumers[0].pop(), Ok(item(0)));
            cell.store(old, Relaxed);
        }
        std::mem::forget(consumers);
        (Queue::attach(memory, &Expected::new()).expect("a queue"), producers)
    }

    fn operate(&self, (queue, _): &mut Self::Handles) {
        if self.place == 0 {
            std::mem::forget(queue.replace_producer(0, 1));
        } else {
            std::mem::forget(queue.replace_consumer(0, 1));
        }
    }

    fn succeed(&self, memory: Shared) -> bool {
        // It has the cell of its intent, whose number is in the last bits of both words.
        let [cell, intent] = [0, 1].map(|word| memory.words()[first_word(self.place) + word].load(Relaxed) & 7);
        let is_settled = cell == intent;
        let (mut came, pushed) = go_on(memory, self.before);
        came.sort_unstable();
        let doubtful = (self.place == 0).then_some(DOUBTFUL);
        assert_eq!(came, (0..2).chain(doubtful).chain(pushed).collect::<Vec<_>>(), "lost or doubled");
        is_settled
    }
}

#[test]
fn a_successor_that_is_killed_leaves_to_the_next_one_what_it_found() {
    for place in [0, 2] {
        (0..9).for_each(|before| check(&Succeed { place, before }));
    }
}
