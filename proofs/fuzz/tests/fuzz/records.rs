//! Records beside a queue of byte strings: committed, in part or whole, cancelled, dropped,
//! forgotten, and abandoned in a panic.

use std::collections::VecDeque;
use std::mem::forget;

use aqueduct::bbq::records::{self, Consumer, Grant, Producer, Space};
use aqueduct::bbq::{ProducerSide, RecordConsumerSide};
use aqueduct::error::{CapacityError, PopError, ReserveError};

use crate::common::{Handles, Random, Start, may_panic, rounds, steps, wanted_panic};

pub(crate) fn space(random: &mut Random) -> Space {
    let space = Space::new(2 + random.below(6), 1 + random.below(400)).expect("a small space");
    if random.one_in(2) { space } else { space.with_align(1 << random.below(8)).expect("possible") }
}

pub(crate) fn bytes(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.number() as u8).collect()
}

/// A consumer, and whether it has forgotten a record, whose space it still holds.
struct Reading<C> {
    consumer: C,
    holds: bool,
}

impl<C: Clone> Clone for Reading<C> {
    fn clone(&self) -> Self {
        Self { consumer: self.consumer.clone(), holds: false }
    }
}

/// Uses up a grant in a random way. Returns the record that is in the queue then, if there is one,
/// and whether the grant has been forgotten.
fn use_up<P: ProducerSide, C: RecordConsumerSide>(
    random: &mut Random,
    mut grant: Grant<'_, P, C>,
) -> (Option<Vec<u8>>, bool) {
    let len = grant.len();
    let record = bytes(random, len);
    grant.copy_from_slice(&record);
    match random.below(7) {
        0 => grant.cancel(),
        1 => drop(grant),
        2 => {
            let done = may_panic(|| {
                let _grant = grant;
                wanted_panic()
            });
            assert!(done.is_none());
        }
        3 => {
            forget(grant);
            return (None, true);
        }
        way => {
            let part = if way == 4 { len } else { random.below(len + 1) };
            grant.commit(part);
            return (Some(record[..part].to_vec()), false);
        }
    }
    (None, false)
}

fn beside_a_deque<P: ProducerSide, C: RecordConsumerSide>(
    random: &mut Random,
    queue: Result<records::Handles<P, C>, CapacityError>,
    producing: Start<Producer<P, C>>,
    consuming: Start<Reading<Consumer<P, C>>>,
) {
    let (producer, consumer) = queue.expect("a small queue");
    let longest = producer.longest();
    let (mut producers, mut consumers) = (producing(producer), consuming(Reading { consumer, holds: false }));
    let mut model: VecDeque<Vec<u8>> = VecDeque::new();
    for _ in 0..steps(200) {
        let is_held = consumers.all.iter().any(|reading| reading.holds);
        let (producer, reading) = (producers.any(random), consumers.any(random));
        match random.below(10) {
            0..=3 => {
                let len = random.below(longest + 3);
                let (mut is_forgotten, mut is_full) = (false, false);
                match producer.reserve(len) {
                    Ok(grant) => {
                        assert!(len <= longest && grant.len() == len);
                        let record;
                        (record, is_forgotten) = use_up(random, grant);
                        model.extend(record);
                    }
                    Err(ReserveError::TooLong { len: told, longest: most }) => {
                        assert!((told, most) == (len, longest) && len > longest);
                    }
                    Err(ReserveError::Busy) => assert!(is_held, "busy, and nobody else is at work"),
                    Err(ReserveError::Full) => is_full = model.is_empty() && !is_held,
                }
                if is_forgotten {
                    // The reserved space blocks all handles until this handle goes on.
                    assert!(matches!(producer.reserve(usize::MAX), Err(ReserveError::TooLong { .. })));
                }
                if is_full {
                    // Consumers skip the cancelled grants of one of many producers.
                    consumers.all.iter_mut().for_each(|reading| assert!(reading.consumer.read().is_err()));
                    assert!(producer.reserve(len).is_ok(), "full, and all has been passed over");
                }
            }
            4..=7 => {
                reading.holds = false;
                match reading.consumer.read() {
                    Ok(record) => {
                        assert_eq!(*record, *model.pop_front().expect("no record was there"));
                        if random.one_in(8) {
                            forget(record);
                            reading.holds = true;
                        }
                    }
                    Err(error) => {
                        assert_eq!(error, PopError::Empty, "nobody else is at work");
                        assert!(model.is_empty());
                    }
                }
            }
            8 => drop(producers.come_and_go(random)),
            _ => drop(consumers.come_and_go(random)),
        }
    }
}

#[test]
fn records_of_all_forms() {
    rounds(40, |random| {
        let (space, lap) = (space(random), random.lap());
        beside_a_deque(random, records::spsc::starting_at(space, lap), Handles::one, Handles::one);
        beside_a_deque(random, records::mpsc::starting_at(space, lap), Handles::many, Handles::one);
        beside_a_deque(random, records::spmc::starting_at(space, lap), Handles::one, Handles::many);
        beside_a_deque(random, records::mpmc::starting_at(space, lap), Handles::many, Handles::many);
    });
}
