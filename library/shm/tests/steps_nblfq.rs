//! State of a lock-free queue, after a kill of a process at each instruction of an operation, as
//! other handles see it.

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]

use aqueduct_shm::Expected;
use aqueduct_shm::nblfq::{Consumer, Geometry, Producer, Queue};

#[path = "common/stepping.rs"]
mod stepping;
use stepping::{Scene, Shared, check};

type Ends = (Producer<u32, Shared>, Consumer<u32, Shared>);

const SLOTS: u32 = 4;
/// The number that the killed producer pushes.
const DOUBTFUL: u32 = 1000;

fn geometry() -> Geometry {
    Geometry::new(SLOTS as usize).expect("a small queue")
}

/// Makes a queue in which the numbers `from..to` are.
fn queue(memory: Shared, from: u32, to: u32) -> Ends {
    let queue = Queue::create(memory, geometry(), 0).expect("there are as many words");
    let (producer, consumer) = (queue.producer(), queue.consumer());
    for number in 0..to {
        producer.push(number).expect("there is room");
        if number < from {
            assert_eq!(consumer.pop(), Ok(number));
        }
    }
    (producer, consumer)
}

/// Other handles continue for several laps. Returns all popped numbers, and those pushed after the
/// kill.
fn go_on(memory: Shared) -> (Vec<u32>, Vec<u32>) {
    let queue = Queue::<u32, _>::attach(memory, &Expected::new()).expect("a queue");
    let (producer, consumer) = (queue.producer(), queue.consumer());
    let (mut came, mut pushed) = (Vec::new(), Vec::new());
    for number in 2000..2013 {
        if producer.push(number).is_ok() {
            pushed.push(number);
        }
        came.extend(consumer.pop().ok());
    }
    came.extend(std::iter::from_fn(|| consumer.pop().ok()));
    assert!(consumer.is_empty());
    assert_eq!(producer.push_slice(&[0; SLOTS as usize]), SLOTS as usize, "room is lost");
    assert!(producer.is_full() && producer.len() == SLOTS as usize);
    (came, pushed)
}

/// A push behind this many numbers.
struct Push(u32);

impl Scene for Push {
    type Handles = Ends;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Ends {
        queue(memory, self.0.saturating_sub(2), self.0)
    }

    fn operate(&self, (producer, _): &mut Ends) {
        producer.push(DOUBTFUL).expect("there is room");
    }

    fn succeed(&self, memory: Shared) -> bool {
        let (came, pushed) = go_on(memory);
        let is_in = came.contains(&DOUBTFUL);
        let expected = (self.0.saturating_sub(2)..self.0).chain(is_in.then_some(DOUBTFUL)).chain(pushed);
        assert_eq!(came, expected.collect::<Vec<u32>>(), "lost, doubled or out of order");
        is_in
    }
}

/// A pop of this number.
struct Pop(u32);

impl Scene for Pop {
    type Handles = Ends;

    fn words(&self) -> usize {
        geometry().words()
    }

    fn prepare(&self, memory: Shared) -> Ends {
        queue(memory, self.0, self.0 + 3)
    }

    fn operate(&self, (_, consumer): &mut Ends) {
        assert_eq!(consumer.pop(), Ok(self.0));
    }

    fn succeed(&self, memory: Shared) -> bool {
        let (came, pushed) = go_on(memory);
        let is_gone = !came.contains(&self.0);
        let expected = (self.0 + u32::from(is_gone)..self.0 + 3).chain(pushed);
        assert_eq!(came, expected.collect::<Vec<u32>>(), "lost, doubled or out of order");
        is_gone
    }
}

#[test]
fn a_push_takes_place_at_one_instruction() {
    (0..10).for_each(|number| check(&Push(number)));
}

#[test]
fn a_pop_takes_place_at_one_instruction() {
    (0..10).for_each(|number| check(&Pop(number)));
}
