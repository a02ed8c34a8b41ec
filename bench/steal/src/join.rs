//! Fork and join on a small pool: how long two tasks take that could run side by side, eight of a
//! scope, and a recursion of small ones.
//!
//! A worker pushes a task, does something else, and then needs the task's answer. If the task has
//! not been stolen, it does the task itself; otherwise it does other tasks, its own or stolen ones,
//! until the answer is there. So a queue whose items thieves find late, or not at all, makes the
//! worker do everything itself: two spins then take twice as long as one. The forked tasks lie in
//! slots of their workers; an item is the number of a slot.

use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Barrier, LazyLock};
use std::time::{Duration, Instant};

use aqueduct::bwos::policy::{self, Select};

use super::kind::{Kind, Owner, Thief, item, sum_to};
use super::pair::{End, part};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::items::Item;
use aqueduct_measure::load::{self, Calibration};
use aqueduct_measure::rounds::Fault;

/// The program that forks and joins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// Two spins; one is forked.
    Pair,
    /// Eight spins, all forked.
    Scope,
    /// Fibonacci's number of `FIB`, by a fork in each call.
    Fib,
}

/// One measurement of forks and joins.
#[derive(Clone, Debug)]
pub struct Join {
    /// The program that forks and joins.
    pub shape: Shape,
    /// The number of times.
    pub times: u64,
    /// The workers' cores: a worker on each, two at least.
    pub cores: Vec<usize>,
    /// The time limit of a worker's wait for an answer, after which the run counts as broken.
    pub patience: Duration,
}

/// The result of a measurement of forks and joins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Joined {
    /// Tasks that were forked.
    pub tasks: u64,
    /// Those of them that another worker did.
    pub stolen: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

impl Joined {
    /// Microseconds for each of `times` times.
    #[must_use]
    pub fn us_for_each_of(&self, times: u64) -> f64 {
        self.elapsed.as_secs_f64() * 1e6 / times.max(1) as f64
    }

    /// Million tasks per second.
    #[must_use]
    pub fn mtasks_per_second(&self) -> f64 {
        self.tasks as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }

    /// The share of the tasks that another worker did.
    #[must_use]
    pub fn share_stolen(&self) -> f64 {
        self.stolen as f64 / self.tasks.max(1) as f64
    }
}

/// Nanoseconds of a spin.
const SPIN: u32 = 20_000;

/// Spins of a scope.
const SPINS: u64 = 8;

/// The index of the computed Fibonacci number, and that number.
const FIB: (u64, u64) = (18, 2584);

/// The forks of that computation: one in each call for 2 or more.
const FORKS: u64 = 4180;

/// Forked tasks that a worker can wait for; from there on it does them itself.
const SLOTS: usize = 512;

/// Steps of [`load::work`] that take as long as a spin.
static STEPS: LazyLock<u32> = LazyLock::new(|| Calibration::measure().steps(SPIN));

/// A forked task.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Slot {
    input: AtomicU64,
    answer: AtomicU64,
    is_done: AtomicBool,
}

impl Slot {
    fn begin(&self, input: u64) {
        // Ordering: relaxed; the queue publishes both with the item, and the slot's last task was
        // joined.
        self.input.store(input, Ordering::Relaxed);
        self.is_done.store(false, Ordering::Relaxed);
    }

    fn input(&self) -> u64 {
        // Ordering: relaxed; the item came through a queue after the store in `begin`.
        self.input.load(Ordering::Relaxed)
    }

    fn finish(&self, answer: u64) {
        // Ordering: relaxed; published by the next line.
        self.answer.store(answer, Ordering::Relaxed);
        // Ordering: Release pairs with the Acquire in `answer`; else an old answer could be read.
        self.is_done.store(true, Ordering::Release);
    }

    fn answer(&self) -> Option<u64> {
        // Ordering: Acquire pairs with the Release in `finish`.
        self.is_done.load(Ordering::Acquire).then(|| self.answer.load(Ordering::Relaxed))
    }
}

/// The shared state of the workers.
struct Board {
    end: End,
    /// The slots of each worker.
    slots: Vec<Vec<Slot>>,
}

/// The work of one worker.
#[derive(Default)]
struct Worked {
    forked: u64,
    done: u64,
    stolen: u64,
    /// The sum of the spins' numbers, or of the first worker's answers.
    sum: u64,
    is_stuck: bool,
    elapsed: Duration,
}

/// Runs the measurement on fresh queues of that kind.
pub(super) fn join<K: Kind>(spec: &Join) -> Result<Joined, Fault> {
    LazyLock::force(&STEPS);
    let workers = spec.cores.len().max(2);
    let pairs = (0..workers).map(|_| K::open(SLOTS.into()).map_err(Fault::Refused));
    let (owners, thieves): (Vec<_>, Vec<_>) = pairs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let slots = (0..workers).map(|_| (0..SLOTS).map(|_| Slot::default()).collect()).collect();
    let (start, board) = (Barrier::new(workers), Board { end: End::new(spec.patience), slots });
    let (mut tasks, start, board) = (Vec::new(), &start, &board);
    for (number, owner) in owners.into_iter().enumerate() {
        let others = (0..workers).filter(|&other| other != number);
        let victims: Vec<K::Thief> = others.map(|other| thieves[other].another()).collect();
        let core = spec.cores.get(number % spec.cores.len().max(1)).copied();
        tasks.push(task(move || {
            let work = step(|| Worker::new(spec, number, board, owner, &victims).work());
            let outcome = part(core, start, work);
            // The others do not wait for the first one once it has ended, or for one that panicked.
            if number == 0 || outcome.is_err() {
                board.end.finish();
            }
            outcome
        }));
    }
    checked(spec, &crew::all(tasks).into_iter().collect::<Result<Vec<_>, _>>()?)
}

fn checked(spec: &Join, workers: &[Worked]) -> Result<Joined, Fault> {
    let total = |of: fn(&Worked) -> u64| workers.iter().map(of).fold(0, u64::wrapping_add);
    let (done, sum) = (total(|worker| worker.done), total(|worker| worker.sum));
    let (wanted, expected) = match spec.shape {
        // One spin of each pair is not forked.
        Shape::Pair => (spec.times, sum_to(2 * spec.times)),
        Shape::Scope => (SPINS * spec.times, sum_to(SPINS * spec.times)),
        Shape::Fib => (FORKS * spec.times, FIB.1 * spec.times),
    };
    let forked = total(|worker| worker.forked);
    if (forked, done, sum) != (wanted, wanted, expected) || workers.iter().any(|worker| worker.is_stuck) {
        return Err(Fault::WrongItems { popped: done, wanted, sum, expected });
    }
    Ok(Joined { tasks: done, stolen: total(|worker| worker.stolen), elapsed: workers[0].elapsed })
}

/// A worker with its queue.
struct Worker<'a, O, T> {
    spec: &'a Join,
    number: usize,
    board: &'a Board,
    owner: ManuallyDrop<O>,
    victims: &'a [T],
    thief: policy::Thief,
    /// The number of its slots that are in use, from the first one on.
    used: usize,
    worked: Worked,
}

impl<'a, O: Owner, T: Thief> Worker<'a, O, T> {
    fn new(spec: &'a Join, number: usize, board: &'a Board, owner: O, victims: &'a [T]) -> Self {
        let (owner, thief) = (ManuallyDrop::new(owner), policy::Thief::new(Select::Random, number as u64));
        Self { spec, number, board, owner, victims, thief, used: 0, worked: Worked::default() }
    }

    fn work(mut self) -> Worked {
        let begin = Instant::now();
        if self.number == 0 {
            (0..self.spec.times).for_each(|time| self.root(time));
        } else {
            self.help();
        }
        self.worked.elapsed = begin.elapsed();
        drop(ManuallyDrop::into_inner(self.owner));
        self.worked
    }

    /// Does the whole shape once.
    fn root(&mut self, time: u64) {
        match self.spec.shape {
            Shape::Pair => {
                let forked = self.fork(2 * time + 1);
                self.spin(2 * time + 2);
                self.join(forked);
            }
            Shape::Scope => {
                let forked = [1, 2, 3, 4, 5, 6, 7, SPINS].map(|spin| self.fork(SPINS * time + spin));
                // The newest one first, as slots are given back.
                forked.into_iter().rev().for_each(|one| _ = self.join(one));
            }
            Shape::Fib => self.worked.sum += self.fib(FIB.0),
        }
    }

    /// Steals and does tasks until the run is over.
    fn help(&mut self) {
        loop {
            let (board, mut next) = (self.board, None);
            board.end.wait_until(
                || {
                    next = self.steal();
                    next.is_some() || board.end.is_over()
                },
                || (),
            );
            let Some(item) = next else { break };
            self.run(item);
        }
    }

    /// Forks a task. Returns its slot, or its answer if there was no room.
    fn fork(&mut self, input: u64) -> Result<usize, u64> {
        self.worked.forked += 1;
        if self.used < SLOTS {
            let slot = self.used;
            self.board.slots[self.number][slot].begin(input);
            if self.owner.push(item((self.number * SLOTS + slot + 1) as u64)) {
                self.used += 1;
                return Ok(slot);
            }
        }
        self.worked.done += 1;
        Err(self.compute(input))
    }

    /// Waits for a forked task's answer, doing tasks meanwhile. The last one that was forked is
    /// joined first.
    fn join(&mut self, forked: Result<usize, u64>) -> u64 {
        let slot = match forked {
            Ok(slot) => slot,
            Err(answer) => return answer,
        };
        let board = self.board;
        let mut answer = None;
        while answer.is_none() && !self.worked.is_stuck {
            let mut next = None;
            let came = board.end.wait_until(
                || {
                    answer = board.slots[self.number][slot].answer();
                    next = if answer.is_none() { self.owner.pop().or_else(|| self.steal()) } else { None };
                    answer.is_some() || next.is_some()
                },
                || (),
            );
            self.worked.is_stuck |= !came;
            if let Some(item) = next {
                self.run(item);
            }
        }
        self.used = slot;
        answer.unwrap_or_default()
    }

    fn steal(&mut self) -> Option<Item> {
        self.thief.steal(self.victims).success()
    }

    /// Does a forked task.
    fn run(&mut self, item: Item) {
        let number = item.get() as usize - 1;
        let slot = &self.board.slots[number / SLOTS][number % SLOTS];
        let answer = self.compute(slot.input());
        self.worked.done += 1;
        self.worked.stolen += u64::from(number / SLOTS != self.number);
        slot.finish(answer);
    }

    fn compute(&mut self, input: u64) -> u64 {
        match self.spec.shape {
            Shape::Pair | Shape::Scope => self.spin(input),
            Shape::Fib => self.fib(input),
        }
    }

    /// Computes for as long as a spin takes.
    fn spin(&mut self, number: u64) -> u64 {
        black_box(load::work(number, *STEPS));
        self.worked.sum = self.worked.sum.wrapping_add(number);
        number
    }

    fn fib(&mut self, n: u64) -> u64 {
        if n < 2 {
            return n;
        }
        let forked = self.fork(n - 1);
        let other = self.fib(n - 2);
        self.join(forked) + other
    }
}
