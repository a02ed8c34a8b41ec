//! The workout of queues with two sides: producers push their items, consumers pop until all have
//! come.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::checks::{self, Found, History, Promise};
use super::ends::{Ends, Kept, Pop, Push, Refused};
use super::log::{Item, Log, Recorder, What, item};
use super::round::Workout;
use crate::pauses::{Body, Dice, relax, succeeded};

/// A queue with two sides.
pub(super) struct Subject {
    /// Makes a small queue, of any shape, with these numbers of handles on either side.
    pub(super) make: fn(&mut Dice, usize, usize) -> Ends,
    /// Whether the items of one producer reach one consumer in order, if no consumer rests.
    pub(super) keeps_order: bool,
}

/// The most items of a slice: more than fit in two cache lines.
const SLICE: usize = 20;

/// One call in this number is followed by a rest, in rounds with rests.
const REST: usize = 12;

impl Subject {
    /// Makes the threads, on a fresh queue.
    pub(super) fn workout(&self, dice: &mut Dice, [producing, consuming]: [usize; 2]) -> Workout {
        let Ends { producers, consumers, promise } = (self.make)(dice, producing, consuming);
        let each = dice.between(1, 600 / producing);
        let (slices, rests) = (dice.one_in(3).then(|| dice.between(2, SLICE)), dice.one_in(4));
        let left = Arc::new(AtomicUsize::new(producing * each));
        let logs = Recorder::new(producing + consuming);
        let mut bodies: Vec<Body> = Vec::new();
        for (number, end) in producers.into_iter().enumerate() {
            let work = Work { slices, rests, dice: Dice::new(dice.any()), log: logs[number].clone() };
            bodies.push(Box::new(move || work.produce(Kept::new(end), number, each)));
        }
        for (end, log) in consumers.into_iter().zip(&logs[producing..]) {
            let work = Work { slices, rests, dice: Dice::new(dice.any()), log: log.clone() };
            let left = Arc::clone(&left);
            bodies.push(Box::new(move || work.consume(Kept::new(end), &left)));
        }
        let keeps_order = self.keeps_order && !rests;
        Workout { bodies, logs, check: Box::new(move |logs, complete| check(logs, complete, promise, keeps_order)) }
    }
}

fn check(logs: &[Log], is_complete: bool, promise: Promise, keeps_order: bool) -> Result<Found, String> {
    let history = History::new(logs, is_complete)?;
    if keeps_order {
        checks::order_of_producers(logs)?;
    }
    history.check(promise)
}

/// The work of one thread.
struct Work {
    /// The most items of a slice, in rounds with slices.
    slices: Option<usize>,
    rests: bool,
    dice: Dice,
    log: Recorder,
}

impl Work {
    fn produce(mut self, mut end: Kept<Box<dyn Push>>, producer: usize, each: usize) {
        let mut next = 0;
        while next < each {
            let count = self.slices.map_or(1, |most| self.dice.between(1, most.min(each - next)));
            let items: Vec<Item> = (next..next + count).map(|number| item(producer, number)).collect();
            let pushed = if count == 1 { self.push(&mut **end, items[0]) } else { self.push_slice(&mut **end, &items) };
            if pushed == 0 {
                relax();
            } else {
                succeeded();
            }
            next += pushed;
            if self.rests && self.dice.one_in(REST) {
                end.rest();
            }
        }
    }

    fn push(&self, end: &mut dyn Push, item: Item) -> usize {
        self.log.begin_push(&[item]);
        let (when, result) = self.log.time(|| end.push(item));
        let what = match result {
            Ok(()) => Some(What::Pushed(item)),
            Err(Refused::Full) => Some(What::Full),
            Err(_) => None,
        };
        self.log.end_push(what.map(|what| when.event(what)));
        usize::from(result.is_ok())
    }

    fn push_slice(&self, end: &mut dyn Push, items: &[Item]) -> usize {
        self.log.begin_push(items);
        let (when, count) = self.log.time(|| end.push_slice(items));
        self.log.end_push(items[..count].iter().map(|&item| when.event(What::Pushed(item))));
        count
    }

    fn consume(mut self, mut end: Kept<Box<dyn Pop>>, left: &AtomicUsize) {
        // Ordering: Relaxed, because it is a number. More items may come than were pushed, if some
        // come twice.
        while (left.load(Ordering::Relaxed) as isize) > 0 {
            let popped = match self.slices {
                Some(most) if self.dice.one_in(2) => self.pop_slice(&mut **end, most),
                _ => self.pop(&mut **end),
            };
            left.fetch_sub(popped, Ordering::Relaxed);
            if popped == 0 {
                relax();
            } else {
                succeeded();
            }
            if self.rests && self.dice.one_in(REST) {
                end.rest();
            }
        }
    }

    fn pop(&self, end: &mut dyn Pop) -> usize {
        let (when, result) = self.log.time(|| end.pop());
        let what = match result {
            Ok(item) => What::Popped(item),
            Err(Refused::Empty) => What::Empty,
            Err(_) => return 0,
        };
        self.log.note([when.event(what)]);
        usize::from(result.is_ok())
    }

    fn pop_slice(&mut self, end: &mut dyn Pop, most: usize) -> usize {
        let mut items = [0; SLICE];
        let most = self.dice.between(1, most);
        let (when, count) = self.log.time(|| end.pop_slice(&mut items[..most]));
        self.log.note(items[..count].iter().map(|&item| when.event(What::Popped(item))));
        count
    }
}
