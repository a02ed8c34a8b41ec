//! Programs on the deque.
//!
//! An item that is taken twice is freed twice, a lost item leaks, and an item whose content is not
//! visible to the thread that takes it races: the model finds all three.

use std::sync::Arc;

use aqueduct_model::sync::atomic::{AtomicBool, Ordering};
use aqueduct_model::thread::{JoinHandle, spawn};
use aqueduct_model::{await_until, thread};

use super::NAME;
use super::deque::{Owner, Steal, Thief, deque};
use crate::clients::Client;
use crate::clients::item::{Boxed, Item};

/// The clients of the deque.
#[must_use]
pub fn clients() -> Vec<Client> {
    let client = |program: &str, body: fn()| Client::new(format!("{NAME}/{program}"), body);
    vec![
        client("grow-1", || race(1, 1, &[2], &[Push, Push, Take, Take])),
        client("grow-2", || race(2, 2, &[2], &[Push, Take, Take])),
        client("take", || race(2, 2, &[2], &[Take, Take])),
        client("take-push", || race(2, 2, &[2], &[Take, Push, Take])),
        client("thieves", || race(2, 2, &[1, 1], &[Take, Take])),
        client("thieves-grow", || race(1, 1, &[1, 1], &[Push, Take])),
        client("not-empty", not_empty),
    ]
}

/// An operation of the owner.
#[derive(Clone, Copy)]
enum Does {
    Push,
    Take,
}
use Does::{Push, Take};

/// The owner, which numbers its items from 1 on.
struct Pushing {
    owner: Owner,
    last: u64,
}

impl Pushing {
    fn push(&mut self) {
        self.last += 1;
        self.owner.push(Boxed::new(self.last));
    }
}

/// Lets thieves steal from a deque of this size, with `filled` items in it, while the owner works.
///
/// `thieves` has the number of each thief's attempts.
fn race(size: usize, filled: usize, thieves: &[usize], work: &[Does]) {
    let (owner, thief) = deque(size);
    let mut pushing = Pushing { owner, last: 0 };
    (0..filled).for_each(|_| pushing.push());
    let thieves: Vec<_> = thieves.iter().map(|&attempts| thread(&thief, attempts)).collect();
    for does in work {
        match does {
            Push => pushing.push(),
            // Items lie in the order of their numbers.
            Take => _ = pushing.owner.take().map(|item| assert!(item.number() <= pushing.last, "nobody pushed that")),
        }
    }
    thieves.into_iter().for_each(|thief| thief.join().expect("a model thread that fails ends the execution"));
}

/// A thread that tries to steal.
fn thread(thief: &Thief, attempts: usize) -> JoinHandle<()> {
    let thief = thief.clone();
    spawn(move || {
        let mut last = 0;
        for _ in 0..attempts {
            if let Steal::Item(item) = thief.steal() {
                let number = item.number();
                assert!(number > last, "item {number} was stolen after item {last}");
                last = number;
            }
        }
    })
}

/// A thief that sees the first push must not find the deque empty.
///
/// There is an item at every moment between the first push and the end of the second theft, which
/// never comes. The thief may lose a race against the other thief, which sees both pushes.
fn not_empty() {
    let (mut owner, thief) = deque(2);
    let pushed = Arc::new([AtomicBool::new(false), AtomicBool::new(false)]);
    let thieves = [0, 1].map(|knows| {
        let (thief, pushed) = (thief.clone(), Arc::clone(&pushed));
        thread::spawn(move || {
            await_until(|| pushed[knows].load(Ordering::Acquire));
            assert!(!matches!(thief.steal(), Steal::Empty), "empty, while an item was in it all the time");
        })
    });
    for number in [1, 2] {
        owner.push(Boxed::new(number));
        pushed[number as usize - 1].store(true, Ordering::Release);
    }
    thieves.into_iter().for_each(|thief| thief.join().expect("a model thread that fails ends the execution"));
}
