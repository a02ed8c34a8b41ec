//! State of a queue that overwrites the oldest items, after a kill of a producer at each
//! instruction of a push, as other handles and its successor see it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use std::sync::atomic::Ordering::Relaxed;

use aqueduct_shm::drop_old::{Geometry, Producer, Queue, Reader};
use aqueduct_shm::{Expected, Memory};

#[path = "common/stepping.rs"]
mod stepping;
use stepping::{Scene, Shared, check};

type Item = [u64; 2];

const SLOTS: u64 = 4;
/// The number that the killed producer pushes.
const DOUBTFUL: u64 = 1000;

fn geometry() -> Geometry {
    Geometry::new::<Item>(2, SLOTS as usize).expect("a small queue")
}

fn push(producer: &mut Producer<Item, Shared>, number: u64) {
    producer.push([number, !number]).expect("there is always room");
}

fn read_all(reader: &mut Reader<Item, Shared>) -> Vec<u64> {
    let read = || reader.read().ok();
    let check = |[number, inverse]: Item| {
        assert_eq!(inverse, !number, "a part of an item");
        number
    };
    std::iter::from_fn(read).map(check).collect()
}

/// Makes a queue into which the numbers before this one were pushed.
fn queue(memory: Shared, number: u64) -> Vec<Producer<Item, Shared>> {
    let queue = Queue::create(memory, geometry(), 0).expect("there are as many words");
    let mut producers: Vec<_> = (0..2).map(|_| queue.producer().expect("free")).collect();
    (0..number).for_each(|number| push(&mut producers[number as usize % 2], number));
    producers
}

/// The live producer pushes `before` numbers, then it and the successor in the dead place continue.
/// Returns whether the doubtful number was found behind `number`.
fn go_on(memory: Shared, number: u64, before: u64) -> bool {
    let queue = Queue::<Item, _>::attach(memory, &Expected::new()).expect("a queue");
    let mut reader = queue.reader().expect("sound");
    let mut numbers = read_all(&mut reader);
    let is_in = numbers.last() == Some(&DOUBTFUL);
    let pushed: Vec<u64> = (0..number).chain(is_in.then_some(DOUBTFUL)).collect();
    assert!(pushed.ends_with(&numbers) && numbers.len() as u64 == SLOTS.min(pushed.len() as u64), "{numbers:?}");
    let mut producer = queue.replace_producer(1, 1).expect("sound");
    (2000..2000 + before).for_each(|number| push(&mut producer, number));
    numbers = read_all(&mut reader);
    assert_eq!(numbers.len() as u64 + reader.lost(), before);
    let mut successor = queue.replace_producer(0, 1).expect("sound");
    // Each cell is used several times: none is lost, and none has two owners.
    for number in 3000..3012 {
        push(&mut successor, number);
        push(&mut producer, number + 100);
        assert_eq!(read_all(&mut reader), [number, number + 100]);
    }
    is_in
}

/// A push behind this many numbers, and another producer's pushes before the dead place is taken.
struct Push {
    number: u64,
    before: u64,
}

impl Scene for Push {
    type Handles = Vec<Producer<Item, Shared>>;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Self::Handles {
        queue(memory, self.number)
    }

    fn operate(&self, producers: &mut Self::Handles) {
        push(&mut producers[0], DOUBTFUL);
    }

    fn succeed(&self, memory: Shared) -> bool {
        go_on(memory, self.number, self.before)
    }
}

#[test]
fn a_push_takes_place_at_one_instruction_whatever_others_do() {
    for number in 0..10 {
        (0..9).for_each(|before| check(&Push { number, before }));
    }
}

/// Index of the first place's word for its cell. The next word has its intent.
const CELL: usize = 96 + 1;

/// Takes the place of a producer that was killed right behind its exchange.
struct Succeed {
    before: u64,
}

impl Scene for Succeed {
    type Handles = (Queue<Item, Shared>, Vec<Producer<Item, Shared>>);

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Self::Handles {
        let mut producers = queue(memory, 2);
        let old = memory.words()[CELL].load(Relaxed);
        push(&mut producers[0], DOUBTFUL);
        memory.words()[CELL].store(old, Relaxed);
        (Queue::attach(memory, &Expected::new()).expect("a queue"), producers)
    }

    fn operate(&self, (queue, _): &mut Self::Handles) {
        std::mem::forget(queue.replace_producer(0, 1));
    }

    fn succeed(&self, memory: Shared) -> bool {
        // It has the cell of its intent, whose number is in the last bits of both words.
        let [cell, intent] = [0, 1].map(|word| memory.words()[CELL + word].load(Relaxed) & 7);
        assert!(go_on(memory, 2, self.before), "it was pushed");
        cell == intent
    }
}

#[test]
fn a_successor_that_is_killed_leaves_to_the_next_one_what_it_found() {
    (0..9).for_each(|before| check(&Succeed { before }));
}
