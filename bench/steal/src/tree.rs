//! Real work on a small pool: the files of a tree are hashed, a task for each file and each
//! directory.
//!
//! A directory's task pushes the tasks of its entries, and does them itself if the queue is full.
//! An idle thread steals from any other. The tree lies in memory, so that no disk is measured; its
//! files are hashed with the standard library's hash.

use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::mem::ManuallyDrop;
use std::sync::{Barrier, LazyLock};
use std::time::{Duration, Instant};

use aqueduct::bwos::policy::{self, Select};

use super::kind::{Kind, Owner, Thief, item};
use super::pair::{End, Tally, part};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::rounds::Fault;

/// The size of the files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Files {
    /// 64 bytes to 64 KiB: as many between 64 and 128 bytes as between 32 and 64 KiB.
    Mixed,
    /// 64 bytes: tasks of some ten nanoseconds.
    Small,
}

/// One measurement of a pool at work.
#[derive(Clone, Debug)]
pub struct Tree {
    /// Items that each queue can hold.
    pub capacity: usize,
    /// The number of times that the whole tree is hashed.
    pub times: u64,
    /// The size of its files.
    pub files: Files,
    /// The workers' cores: a worker on each, two at least.
    pub cores: Vec<usize>,
    /// The time limit of a worker's wait for work, after which the run counts as broken.
    pub patience: Duration,
}

/// The result of a measurement of a pool at work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hashed {
    /// Tasks that were done.
    pub tasks: u64,
    /// The number of tasks that were stolen first.
    pub stolen: u64,
    /// Attempts to steal from single victims.
    pub attempts: u64,
    /// The time that it took.
    pub elapsed: Duration,
}

impl Hashed {
    /// Million tasks per second.
    #[must_use]
    pub fn mtasks_per_second(&self) -> f64 {
        self.tasks as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }

    /// The share of the tasks that were stolen.
    #[must_use]
    pub fn share_stolen(&self) -> f64 {
        self.stolen as f64 / self.tasks.max(1) as f64
    }

    /// Returns the percentage of attempts on single victims that yielded an item.
    #[must_use]
    pub fn percent_of_attempts(&self) -> f64 {
        self.stolen as f64 * 100.0 / self.attempts.max(1) as f64
    }
}

/// A file, or a directory with the places of its entries in the list.
enum Node {
    File { bytes: std::ops::Range<usize> },
    Directory { held: std::ops::Range<usize> },
}

/// All files and directories, the root first.
struct Nodes {
    nodes: Vec<Node>,
    /// The content of files: each has a part of this.
    bytes: Vec<u8>,
    /// The sum of all hashes.
    sum: u64,
}

/// The least file, and the largest.
const LEAST: usize = 64;
const LARGEST: usize = 1 << 16;

/// Directories below each other.
const DEPTH: usize = 4;

static MIXED: LazyLock<Nodes> = LazyLock::new(|| Nodes::new(Files::Mixed));
static SMALL: LazyLock<Nodes> = LazyLock::new(|| Nodes::new(Files::Small));

/// Returns a pseudorandom number, equal in each run.
fn chance(number: usize) -> usize {
    let mut hasher = DefaultHasher::new();
    hasher.write_usize(number);
    hasher.finish() as usize
}

impl Nodes {
    fn new(files: Files) -> Self {
        let bytes = (0..2 * LARGEST).map(|number| chance(number) as u8).collect();
        let mut tree = Self { nodes: vec![Node::Directory { held: 0..0 }], bytes, sum: 0 };
        let mut level = 0..1;
        for depth in 1..=DEPTH {
            let next = tree.nodes.len();
            level.clone().for_each(|directory| tree.fill(directory, depth, files));
            level = next..tree.nodes.len();
        }
        tree.sum = (0..tree.nodes.len()).fold(0, |sum, number| sum.wrapping_add(tree.hash(number)));
        tree
    }

    /// Fills a directory with files, and with directories unless it is at the greatest depth.
    fn fill(&mut self, directory: usize, depth: usize, files: Files) {
        if matches!(self.nodes[directory], Node::File { .. }) {
            return;
        }
        let first = self.nodes.len();
        for number in first..first + 4 + chance(directory) % 24 {
            let node = if depth < DEPTH && chance(number).is_multiple_of(2) {
                Node::Directory { held: 0..0 }
            } else {
                let size = match files {
                    Files::Mixed => {
                        let least = LEAST << (chance(!number) % (LARGEST / LEAST).ilog2() as usize);
                        least + chance(number) % least
                    }
                    Files::Small => LEAST,
                };
                let begin = chance(number) / 2 % LARGEST;
                Node::File { bytes: begin..begin + size }
            };
            self.nodes.push(node);
        }
        self.nodes[directory] = Node::Directory { held: first..self.nodes.len() };
    }

    /// Returns the hash of a file with its number; 0 for a directory.
    fn hash(&self, number: usize) -> u64 {
        let Node::File { bytes } = &self.nodes[number] else { return 0 };
        let mut hasher = DefaultHasher::new();
        hasher.write_usize(number);
        hasher.write(&self.bytes[bytes.clone()]);
        hasher.finish()
    }
}

/// The result of a worker's work.
#[derive(Default)]
struct Worked {
    stolen: u64,
    attempts: u64,
    sum: u64,
    is_stuck: bool,
    elapsed: Duration,
}

/// The messages between workers.
struct Board {
    end: End,
    /// Tasks that are done.
    done: Tally,
}

/// Runs the measurement on fresh queues of that kind.
pub(super) fn tree<K: Kind>(spec: &Tree) -> Result<Hashed, Fault> {
    let nodes: &Nodes = match spec.files {
        Files::Mixed => &MIXED,
        Files::Small => &SMALL,
    };
    let workers = spec.cores.len().max(2);
    let pairs = (0..workers).map(|_| K::open(spec.capacity.into()).map_err(Fault::Refused));
    let (owners, thieves): (Vec<_>, Vec<_>) = pairs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let (start, board) = (Barrier::new(workers), Board { end: End::new(spec.patience), done: Tally::default() });
    let (mut tasks, start, board) = (Vec::new(), &start, &board);
    for (number, owner) in owners.into_iter().enumerate() {
        let others = (0..workers).filter(|&other| other != number);
        let victims: Vec<K::Thief> = others.map(|other| thieves[other].another()).collect();
        let core = spec.cores.get(number % spec.cores.len().max(1)).copied();
        tasks.push(task(move || {
            let work = step(|| Worker::new(spec, nodes, number, board, owner, &victims).work());
            // The others do not wait for one that panicked.
            part(core, start, work).inspect_err(|_| board.end.finish())
        }));
    }
    let worked = crew::all(tasks).into_iter().collect::<Result<Vec<_>, _>>()?;
    let (tasks, wanted) = (board.done.get(), spec.times * nodes.nodes.len() as u64);
    let sum = worked.iter().fold(0_u64, |sum, worker| sum.wrapping_add(worker.sum));
    let expected = nodes.sum.wrapping_mul(spec.times);
    if (tasks, sum) != (wanted, expected) || worked.iter().any(|worker| worker.is_stuck) {
        return Err(Fault::WrongItems { popped: tasks, wanted, sum, expected });
    }
    let [stolen, attempts] = [|worker: &Worked| worker.stolen, |worker: &Worked| worker.attempts]
        .map(|of| worked.iter().map(of).sum::<u64>());
    Ok(Hashed { tasks, stolen, attempts, elapsed: worked[0].elapsed })
}

/// A worker with its queue.
struct Worker<'a, O, T> {
    spec: &'a Tree,
    nodes: &'a Nodes,
    board: &'a Board,
    /// The first worker begins each walk through the tree.
    is_first: bool,
    owner: ManuallyDrop<O>,
    victims: &'a [T],
    thief: policy::Thief,
    /// Done tasks that are not yet counted on the board.
    done: u64,
    worked: Worked,
}

impl<'a, O: Owner, T: Thief> Worker<'a, O, T> {
    fn new(spec: &'a Tree, nodes: &'a Nodes, number: usize, board: &'a Board, owner: O, victims: &'a [T]) -> Self {
        let thief = policy::Thief::new(Select::Random, number as u64);
        let (owner, is_first) = (ManuallyDrop::new(owner), number == 0);
        Self { spec, nodes, board, is_first, owner, victims, thief, done: 0, worked: Worked::default() }
    }

    fn work(mut self) -> Worked {
        let begin = Instant::now();
        let (size, times) = (self.nodes.nodes.len() as u64, self.spec.times);
        let mut walks = 0;
        loop {
            let mut next = None;
            let (board, mut is_over) = (self.board, false);
            let came = board.end.wait_until(
                || {
                    next = self.next();
                    let done = if next.is_none() { board.done.get() } else { 0 };
                    if next.is_none() && self.is_first && walks < times && done == walks * size {
                        walks += 1;
                        next = Some(0);
                    }
                    is_over = next.is_none() && done == times * size;
                    next.is_some() || is_over
                },
                || (),
            );
            let Some(number) = next else {
                self.worked.is_stuck = !came;
                break;
            };
            self.visit(number);
        }
        self.worked.elapsed = begin.elapsed();
        let counts = self.thief.counts();
        (self.worked.stolen, self.worked.attempts) = (counts.steals, counts.attempts);
        drop(ManuallyDrop::into_inner(self.owner));
        self.worked
    }

    /// Returns a task of the worker's own, or a stolen one.
    fn next(&mut self) -> Option<usize> {
        if let Some(item) = self.owner.pop() {
            return Some(item.get() as usize - 1);
        }
        if self.done > 0 {
            self.board.done.add(self.done);
            self.done = 0;
        }
        let item = self.thief.steal(self.victims).success()?;
        Some(item.get() as usize - 1)
    }

    fn visit(&mut self, number: usize) {
        self.done += 1;
        match &self.nodes.nodes[number] {
            Node::File { .. } => self.worked.sum = self.worked.sum.wrapping_add(self.nodes.hash(number)),
            Node::Directory { held } => {
                for one in held.clone() {
                    if !self.owner.push(item(one as u64 + 1)) {
                        self.visit(one);
                    }
                }
            }
        }
    }
}
