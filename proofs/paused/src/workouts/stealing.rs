//! The workout of work-stealing queues: an owner pushes and pops at random, thieves steal until all
//! items have arrived.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::checks::{self, Found, History};
use super::ends::Kept;
use super::log::{Event, Item, Log, Recorder, What, item};
use super::round::Workout;
use crate::bwos::{Geometry, Steal, fifo, lifo};
use crate::pauses::{Body, Dice, relax, succeeded};

/// The owner's handle.
trait Own: Send {
    fn push(&mut self, item: Item) -> bool;
    fn pop(&mut self) -> Option<Item>;
    fn push_slice(&mut self, items: &[Item]) -> usize;
    fn pop_slice(&mut self, items: &mut [Item]) -> usize;
}

/// A thief's handle.
trait Rob: Send {
    fn steal(&self) -> Steal<Item>;
    fn steal_granted(&self) -> Steal<Item>;
    fn steal_slice(&self, items: &mut [Item]) -> Steal<usize>;
    /// Steals into the thief's own queue, and takes the items from there.
    fn steal_home(&mut self, items: &mut [Item]) -> Steal<usize>;
}

/// A thief's handle, and a queue of its own.
struct Thief<S, O> {
    stealer: S,
    own: O,
}

/// The item that the owner takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Takes {
    Newest,
    Oldest,
}

/// The most items of a slice.
const SLICE: usize = 6;

type Handles = (Box<dyn Own>, Vec<Box<dyn Rob>>);

fn workout(
    make: fn(Geometry, usize, usize) -> Handles,
    takes: Takes,
    dice: &mut Dice,
    [_, thieves]: [usize; 2],
) -> Workout {
    let geometry = Geometry::new(dice.between(2, 5), dice.between(1, 6)).expect("a small queue");
    let round = if dice.one_in(4) { usize::MAX - dice.below(4) } else { 1 };
    let (owner, stealers) = make(geometry, round, thieves);
    let all = dice.between(1, 500);
    let left = Arc::new(AtomicUsize::new(all));
    let logs = Recorder::new(1 + thieves);
    let worker = |dice: &mut Dice, log: &Recorder| Worker {
        slices: dice.one_in(3),
        dice: Dice::new(dice.any()),
        log: log.clone(),
        left: Arc::clone(&left),
    };
    let mut work = worker(dice, &logs[0]);
    let mut bodies: Vec<Body> = vec![Box::new(move || work.own(Kept::new(owner), all))];
    for (stealer, log) in stealers.into_iter().zip(&logs[1..]) {
        let mut work = worker(dice, log);
        bodies.push(Box::new(move || work.rob(&mut Kept::new(stealer))));
    }
    // Thieves need not see the items of the owner's block, or of both of its blocks.
    let hidden = geometry.block_size() * if takes == Takes::Newest { 1 } else { 2 };
    let check = move |logs: &[Log], is_complete: bool| check(logs, is_complete, takes, hidden);
    Workout { bodies, logs, check: Box::new(check) }
}

fn check(logs: &[Log], is_complete: bool, takes: Takes, hidden: usize) -> Result<Found, String> {
    let history = History::new(logs, is_complete)?;
    let [owner, thieves @ ..] = logs else { unreachable!("there is an owner") };
    history.empties(owner.events.iter(), 0)?;
    history.empties(thieves.iter().flat_map(|log| &log.events), hidden)?;
    let by_thieves = thieves.iter().flat_map(|log| &log.events);
    let stolen: HashSet<Item> = by_thieves.filter_map(|event| event.what.popped()).collect();
    let mut there: VecDeque<Item> = VecDeque::new();
    for event in &owner.events {
        match event.what {
            What::Pushed(item) => there.push_back(item),
            What::Popped(item) => own_pop(&mut there, event, item, takes, &history)?,
            What::Full | What::Empty => {}
        }
    }
    let least_k = match takes {
        Takes::Newest => history.rank_of(1, |item| stolen.contains(&item))?,
        Takes::Oldest => 1,
    };
    Ok(Found { least_k, items: history.items() })
}

/// Checks the owner's pop of an item: the item that should have come instead had been stolen, or
/// was being stolen.
fn own_pop(
    there: &mut VecDeque<Item>,
    event: &Event,
    item: Item,
    takes: Takes,
    history: &History,
) -> Result<(), String> {
    loop {
        let other = if takes == Takes::Newest { there.pop_back() } else { there.pop_front() };
        let Some(other) = other else { return Err(format!("{} came to its owner late", checks::name(item))) };
        if other == item {
            return Ok(());
        }
        if history.popped(other).is_none_or(|(began, _)| began > event.ended) {
            return Err(format!("{} came to its owner, and {} was there", checks::name(item), checks::name(other)));
        }
    }
}

/// The work of one thread.
struct Worker {
    slices: bool,
    dice: Dice,
    log: Recorder,
    left: Arc<AtomicUsize>,
}

impl Worker {
    // Ordering: Relaxed, because it is a number. More items may come than were pushed, if some come
    // twice.
    fn is_done(&self) -> bool {
        self.left.load(Ordering::Relaxed) as isize <= 0
    }

    fn took(&self, items: usize) {
        self.left.fetch_sub(items, Ordering::Relaxed);
        if items == 0 {
            relax();
        } else {
            succeeded();
        }
    }

    fn own(&mut self, mut owner: Kept<Box<dyn Own>>, all: usize) {
        let mut next = 0;
        // Long runs of pushes and of pops take turns, so that the owner goes from block to block.
        let run = self.dice.between(1, 24);
        while !self.is_done() {
            for _ in 0..self.dice.between(1, run) {
                if next < all {
                    next += self.push(&mut **owner, next, all);
                }
            }
            for _ in 0..self.dice.between(0, run) {
                let popped = self.pop(&mut **owner);
                self.took(popped);
                if popped == 0 {
                    break;
                }
            }
        }
    }

    fn push(&mut self, owner: &mut dyn Own, next: usize, all: usize) -> usize {
        let count = if self.slices { self.dice.between(1, SLICE.min(all - next)) } else { 1 };
        let items: Vec<Item> = (next..next + count).map(|number| item(0, number)).collect();
        self.log.begin_push(&items);
        let (when, pushed) = self.log.time(|| match items[..] {
            [item] => usize::from(owner.push(item)),
            _ => owner.push_slice(&items),
        });
        self.log.end_push(items[..pushed].iter().map(|&item| when.event(What::Pushed(item))));
        pushed
    }

    fn pop(&mut self, owner: &mut dyn Own) -> usize {
        if self.slices && self.dice.one_in(2) {
            let mut items = [0; SLICE];
            let most = self.dice.between(1, SLICE);
            let (when, count) = self.log.time(|| owner.pop_slice(&mut items[..most]));
            self.log.note(items[..count].iter().map(|&item| when.event(What::Popped(item))));
            return count;
        }
        let (when, item) = self.log.time(|| owner.pop());
        self.log.note([when.event(item.map_or(What::Empty, What::Popped))]);
        usize::from(item.is_some())
    }

    fn rob(&mut self, stealer: &mut Kept<Box<dyn Rob>>) {
        while !self.is_done() {
            let mut items = [0; SLICE];
            let most = if self.slices { self.dice.between(1, SLICE) } else { 1 };
            let asks = self.dice.one_in(2);
            let (when, stolen) = self.log.time(|| match (most, asks) {
                (1, true) => stealer.steal().map(|item| items[0] = item).map(|()| 1),
                (1, false) => stealer.steal_granted().map(|item| items[0] = item).map(|()| 1),
                (_, true) => stealer.steal_home(&mut items[..most]),
                (_, false) => stealer.steal_slice(&mut items[..most]),
            });
            let count = match stolen {
                Steal::Success(count) => count,
                Steal::Empty => {
                    self.log.note([when.event(What::Empty)]);
                    0
                }
                Steal::Retry => 0,
            };
            self.log.note(items[..count].iter().map(|&item| when.event(What::Popped(item))));
            self.took(count);
        }
    }
}

macro_rules! forms {
    ($($name:ident: $takes:ident;)*) => {$(
        impl Own for $name::Owner<Item> {
            fn push(&mut self, item: Item) -> bool {
                self.push(item).is_ok()
            }

            fn pop(&mut self) -> Option<Item> {
                self.pop().ok()
            }

            fn push_slice(&mut self, items: &[Item]) -> usize {
                self.push_slice(items)
            }

            fn pop_slice(&mut self, items: &mut [Item]) -> usize {
                self.pop_slice(items)
            }
        }

        impl Rob for Thief<$name::Stealer<Item>, $name::Owner<Item>> {
            fn steal(&self) -> Steal<Item> {
                self.stealer.steal()
            }

            fn steal_granted(&self) -> Steal<Item> {
                self.stealer.steal_granted()
            }

            fn steal_slice(&self, items: &mut [Item]) -> Steal<usize> {
                self.stealer.steal_slice(items)
            }

            fn steal_home(&mut self, items: &mut [Item]) -> Steal<usize> {
                self.stealer.steal_into(&mut self.own, items.len()).map(|count| {
                    items[..count].fill_with(|| self.own.pop().expect("it has just been stolen"));
                    assert!(self.own.pop().is_err(), "more came than was stolen");
                    count
                })
            }
        }

        pub(super) fn $name(dice: &mut Dice, threads: [usize; 2]) -> Workout {
            let make = |geometry, round, thieves| -> Handles {
                let (owner, stealer) = $name::starting_at(geometry, round).expect("a small queue");
                let thief = || {
                    let (own, _) = $name::new(SLICE).expect("a small queue");
                    Box::new(Thief { stealer: stealer.clone(), own }) as Box<dyn Rob>
                };
                let stealers = (0..thieves).map(|_| thief()).collect();
                (Box::new(owner), stealers)
            };
            workout(make, Takes::$takes, dice, threads)
        }
    )*};
}

forms! {
    lifo: Newest;
    fifo: Oldest;
}
