//! Two items and an idle thief: the number of the owner's operations until the thief has one, and
//! the time until then if the owner does nothing more.

use std::mem::ManuallyDrop;
use std::time::{Duration, Instant};

use super::kind::{Kind, Owner, Thief, all_came, drain, item};
use super::pair::{End, Line, idle, pair};
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::statistics;

/// Items that the queue can hold: 8 blocks of 64 entries, less one that thieves may use.
pub(super) const CAPACITY: usize = 7 * 64;

/// One measurement of hunger.
#[derive(Clone, Copy, Debug)]
pub struct Hungry {
    /// Whether the owner pushes and pops until the thief has an item. Otherwise it does nothing
    /// with the queue.
    pub works: bool,
    /// The number of times that the thief is hungry.
    pub times: u64,
    /// The cores of owner and thief.
    pub cores: [Option<usize>; 2],
    /// The time limit of the owner's wait for the thief, after which the run counts as broken.
    pub patience: Duration,
}

/// The result of a measurement of hunger: one figure for each time.
#[derive(Clone, Debug, PartialEq)]
pub struct Fed {
    /// Operations of the owner from its second item until it saw that the thief had one; 0 if it
    /// does not work.
    pub operations: Vec<f64>,
    /// Nanoseconds from the owner's second item until it saw that the thief had one.
    pub ns: Vec<f64>,
    /// The time that all took.
    pub elapsed: Duration,
}

impl Fed {
    /// Returns the number of operations within which the thief got an item, at quantile `fraction`.
    #[must_use]
    pub fn operations_of(&self, fraction: f64) -> f64 {
        statistics::quantile(&self.operations, fraction)
    }

    /// Returns the nanoseconds within which the thief got an item, at quantile `fraction`.
    #[must_use]
    pub fn ns_of(&self, fraction: f64) -> f64 {
        statistics::quantile(&self.ns, fraction)
    }
}

/// The messages between owner and thief: the numbers of times.
struct Board {
    end: End,
    /// The thief may steal.
    begun: Line,
    /// The thief has found nothing.
    hungry: Line,
    /// The thief has an item.
    fed: Line,
}

/// The result of the owner's work.
struct Owned<O> {
    owner: O,
    pushed: u64,
    popped: u64,
    sum: u64,
    fed: Fed,
}

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn hungry<K: Kind>(spec: &Hungry) -> Result<Fed, Fault> {
    let (owner, thief) = K::open(CAPACITY.into()).map_err(Fault::Refused)?;
    let board =
        Board { end: End::new(spec.patience), begun: Line::default(), hungry: Line::default(), fed: Line::default() };
    let (owned, (stolen, of_stolen)) =
        pair(spec.cores, &board.end, || feed(spec, &board, owner), || starve(&board, thief))?;
    let Owned { mut owner, pushed, popped, sum, fed } = owned;
    let (left, of_left) = drain(&mut owner);
    all_came(pushed, (popped + left + stolen, sum.wrapping_add(of_left).wrapping_add(of_stolen)))?;
    if (fed.ns.len() as u64) < spec.times {
        return Err(Fault::WrongAnswer("a thief that was hungry did not get one of two items"));
    }
    Ok(fed)
}

fn feed<O: Owner>(spec: &Hungry, board: &Board, owner: O) -> Owned<O> {
    let mut owner = ManuallyDrop::new(owner);
    let (mut pushed, mut popped, mut sum) = (0, 0, 0_u64);
    let mut fed = Fed { operations: Vec::new(), ns: Vec::new(), elapsed: Duration::ZERO };
    let begin = Instant::now();
    for time in 1..=spec.times {
        board.begun.set(time);
        if !board.end.wait_until(|| board.hungry.get() == time, || ()) {
            break;
        }
        for _ in 0..2 {
            pushed += u64::from(owner.push(item(pushed + 1)));
        }
        let started = Instant::now();
        let mut operations = 0_u64;
        if !spec.works {
            board.end.wait_until(|| board.fed.get() >= time, || ());
        }
        while spec.works && board.fed.get() < time {
            if operations.is_multiple_of(2) {
                pushed += u64::from(owner.push(item(pushed + 1)));
            } else if let Some(item) = owner.pop() {
                popped += 1;
                sum = sum.wrapping_add(item.get());
            }
            operations += 1;
            if operations.is_multiple_of(4096) {
                std::thread::yield_now();
                if board.end.is_over() || started.elapsed() > spec.patience {
                    break;
                }
            }
        }
        let ns = started.elapsed().as_nanos() as f64;
        if board.fed.get() < time {
            break;
        }
        fed.operations.push(operations as f64);
        fed.ns.push(ns);
        let (left, of_left) = drain(&mut *owner);
        (popped, sum) = (popped + left, sum.wrapping_add(of_left));
    }
    fed.elapsed = begin.elapsed();
    Owned { owner: ManuallyDrop::into_inner(owner), pushed, popped, sum, fed }
}

/// Steals an item each time. Returns the number of items, and their sum.
fn starve(board: &Board, thief: impl Thief) -> (u64, u64) {
    let mut thief = ManuallyDrop::new(thief);
    let (mut stolen, mut sum, mut failures) = (0, 0_u64, 0);
    while !board.end.is_over() {
        let time = board.begun.get();
        if time == stolen {
            idle(&mut failures);
        } else if let Some(item) = thief.steal_one() {
            failures = 0;
            stolen += 1;
            sum = sum.wrapping_add(item.get());
            board.fed.set(stolen);
        } else {
            board.hungry.set(time);
            idle(&mut failures);
        }
    }
    drop(ManuallyDrop::into_inner(thief));
    (stolen, sum)
}
