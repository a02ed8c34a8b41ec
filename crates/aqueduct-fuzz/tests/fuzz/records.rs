//! Records beside a queue of byte strings: committed, in part or whole, cancelled, dropped, forgotten, and
//! abandoned in a panic.

use std::collections::VecDeque;
use std::mem::forget;

use aqueduct::bbq::records::{self, Space};
use aqueduct::error::{PopError, ReserveError};

use crate::common::{Random, come_and_go, if_many, may_panic, rounds, steps, wanted_panic};

pub(crate) fn space(random: &mut Random) -> Space {
    let space = Space::new(2 + random.below(6), 1 + random.below(400)).expect("a small space");
    if random.one_in(2) { space } else { space.with_align(1 << random.below(8)).expect("possible") }
}

pub(crate) fn bytes(random: &mut Random, len: usize) -> Vec<u8> {
    (0..len).map(|_| random.next() as u8).collect()
}

macro_rules! differential {
    ($random:ident, $make:expr, $producers:tt, $consumers:tt) => {{
        let (producer, consumer) = $make.expect("a small queue");
        let longest = producer.longest();
        let (mut producers, mut consumers) = (vec![producer], vec![consumer]);
        // Consumers that have forgotten a record still hold its space.
        let mut holds = vec![false];
        let mut model: VecDeque<Vec<u8>> = VecDeque::new();
        for _ in 0..steps(200) {
            let (one, other) = ($random.below(producers.len()), $random.below(consumers.len()));
            let len = $random.below(longest + 3);
            let (mut forgotten, mut full) = (false, false);
            match $random.below(10) {
                0..=3 => match producers[one].reserve(len) {
                    Ok(mut grant) => {
                        assert!(len <= longest && grant.len() == len);
                        let record = bytes($random, len);
                        grant.copy_from_slice(&record);
                        match $random.below(7) {
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
                                forgotten = true;
                            }
                            4 => {
                                grant.commit(len);
                                model.push_back(record);
                            }
                            _ => {
                                let part = $random.below(len + 1);
                                grant.commit(part);
                                model.push_back(record[..part].to_vec());
                            }
                        }
                    }
                    Err(ReserveError::TooLong { len: told, longest: most }) => {
                        assert!((told, most) == (len, longest) && len > longest);
                    }
                    Err(ReserveError::Busy) => assert!(holds.contains(&true), "busy, and nobody else is at work"),
                    Err(ReserveError::Full) if model.is_empty() && !holds.contains(&true) => {
                        full = true;
                    }
                    Err(ReserveError::Full) => {}
                },
                4..=7 => {
                    holds[other] = false;
                    match consumers[other].read() {
                        Ok(record) => {
                            assert_eq!(*record, *model.pop_front().expect("no record was there"));
                            if $random.one_in(8) {
                                forget(record);
                                holds[other] = true;
                            }
                        }
                        Err(error) => {
                            assert_eq!(error, PopError::Empty, "nobody else is at work");
                            assert!(model.is_empty());
                        }
                    }
                }
                8 => if_many!($producers { come_and_go!($random, producers, one) }),
                _ => if_many!($consumers {
                    if $random.one_in(2) && consumers.len() < 4 {
                        let another = consumers[other].clone();
                        consumers.push(another);
                        holds.push(false);
                    } else if consumers.len() > 1 {
                        consumers.swap_remove(other);
                        holds.swap_remove(other);
                    }
                }),
            }
            if full {
                // Consumers read the cancelled grants of one of many producers as nothing.
                consumers.iter_mut().for_each(|consumer| assert!(consumer.read().is_err()));
                assert!(producers[one].reserve(len).is_ok(), "full, and all has been passed over");
            }
            if forgotten {
                // The reserved space blocks all handles until this handle goes on.
                assert!(matches!(producers[one].reserve(usize::MAX), Err(ReserveError::TooLong { .. })));
            }
        }
    }};
}

#[test]
fn records_of_all_forms() {
    rounds(40, |random| {
        let (space, lap) = (space(random), random.lap());
        differential!(random, records::spsc::starting_at(space, lap), one, one);
        differential!(random, records::mpsc::starting_at(space, lap), many, one);
        differential!(random, records::spmc::starting_at(space, lap), one, many);
        differential!(random, records::mpmc::starting_at(space, lap), many, many);
    });
}
