//! A litmus program on the model checker: each thread a model thread, each location a model atomic
//! or cell.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::sync::atomic::{self, AtomicI32, Ordering};
use aqueduct_model::{
    BufferedLoad, Config, FailureKind, MAX_THREADS, MemoryModel, Report, Scheduler, on_record, thread,
};

use crate::ast::{LocationKind, MemoryOrder, Program, RmwOp};
use crate::machine::{Action, Code, Machine};
use crate::outcome::{FinalState, Model, Outcome, ReleaseSequences};

/// The options of a run.
#[derive(Debug, Clone, Copy)]
pub struct Settings {
    /// The memory model.
    pub model: Model,
    /// The events of release sequences.
    pub release_sequences: ReleaseSequences,
    /// The number of cores that explore; 0 means all.
    pub jobs: usize,
    /// The number of times that a loop's body runs before its thread counts as blocked.
    pub loop_bound: u32,
    /// The order in which the checker adds events, which does not change the answer.
    pub scheduler: Scheduler,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            model: Model::default(),
            release_sequences: ReleaseSequences::default(),
            jobs: 1,
            loop_bound: crate::DEFAULT_LOOP_BOUND,
            scheduler: Scheduler::default(),
        }
    }
}

/// The values that each thread read, in program order.
pub type ValuesRead = Vec<Vec<i32>>;

/// The model checker's answer.
#[derive(Debug, Clone)]
pub struct Answer {
    /// Counts and final states.
    pub outcome: Outcome,
    /// For each final state, the values that the threads read in one execution that ends there.
    pub reads: BTreeMap<FinalState, ValuesRead>,
    /// The number of times that the program ran to its end. It exceeds the executions if some were
    /// explored twice.
    pub ended: u64,
    /// The number of branches that the exploration left out because of their preemptions.
    pub left_out: u64,
    /// Wall-clock time of the exploration.
    pub seconds: f64,
    /// The reads that could be exchanged with later writes, if the configuration looks for them.
    pub load_buffering: Option<Vec<BufferedLoad>>,
}

/// The reason for which the model checker has no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunError {
    message: String,
}

impl fmt::Display for RunError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for RunError {}

/// Explores every execution of `program`.
///
/// # Errors
///
/// [`RunError`] if the program exceeds the checker's limits: too many threads, too many events in one
/// execution.
pub fn run(program: &Program, settings: &Settings) -> Result<Answer, RunError> {
    run_with(program, settings, config(settings))
}

/// Explores `program` with a configuration of the checker that [`config`] has made from these
/// settings.
///
/// If the configuration requests random executions, the answer is about these, and each counts as
/// often as it was run. If it bounds preemptions, the number of executions is the one within the
/// bound, and the states may include those of other executions.
///
/// # Errors
///
/// The errors of [`run`].
pub fn run_with(program: &Program, settings: &Settings, config: Config) -> Result<Answer, RunError> {
    if program.threads.len() >= MAX_THREADS {
        let most = MAX_THREADS - 1;
        let message = format!("{} threads; the model checker takes at most {most}", program.threads.len());
        return Err(RunError { message });
    }
    let code = Code::new(program, settings.loop_bound);
    let locations: Vec<_> = program.locations.iter().map(|location| (location.kind, location.initial)).collect();
    let endings = Arc::new(Mutex::new(Endings::default()));
    let sink = Arc::clone(&endings);
    let report = config.check(move || {
        let ending = Ending::of_one_execution(&code, &locations);
        if on_record() {
            sink.lock().unwrap_or_else(PoisonError::into_inner).add(ending);
        }
    });
    let endings = std::mem::take(&mut *endings.lock().unwrap_or_else(PoisonError::into_inner));
    endings.into_answer(&report)
}

/// Returns the checker's configuration for `settings`.
pub fn config(settings: &Settings) -> Config {
    let model = match settings.model {
        Model::Rc11 => MemoryModel::Rc11,
        Model::Sc => MemoryModel::Sc,
    };
    let release_sequences = match settings.release_sequences {
        ReleaseSequences::Cpp20 => aqueduct_model::ReleaseSequences::Cpp20,
        ReleaseSequences::C11 => aqueduct_model::ReleaseSequences::C11,
    };
    Config::new()
        .model(model)
        .release_sequences(release_sequences)
        .jobs(settings.jobs)
        .scheduler(settings.scheduler)
        .all_spurious_failures(true)
}

/// The ends of all executions so far.
#[derive(Debug, Default)]
struct Endings {
    reads: BTreeMap<FinalState, ValuesRead>,
    complete: u64,
    blocked: u64,
}

impl Endings {
    fn add(&mut self, ending: Ending) {
        if ending.blocked {
            self.blocked += 1;
            return;
        }
        self.complete += 1;
        self.reads.entry(ending.state).or_insert(ending.reads);
    }

    fn into_answer(self, report: &Report) -> Result<Answer, RunError> {
        let seconds = report.seconds;
        let ended = self.complete + self.blocked;
        match &report.failure {
            Some(failure) if failure.kind == FailureKind::Race => {
                let (outcome, reads) = (Outcome::racy(), BTreeMap::new());
                return Ok(Answer { outcome, reads, ended, left_out: report.left_out, seconds, load_buffering: None });
            }
            Some(failure) => {
                return Err(RunError { message: failure.message.clone() });
            }
            None => {}
        }
        let left_out = report.left_out;
        if !report.exhaustive && !report.random && left_out == 0 {
            let message = "the exploration was cut short by a limit, so it has no answer".to_string();
            return Err(RunError { message });
        }
        let outcome = Outcome {
            // The checker has no loop bounds: for it, a thread at its bound has ended.
            executions: report.executions - self.blocked,
            blocked: report.blocked + self.blocked,
            racy: false,
            states: self.reads.keys().cloned().collect(),
        };
        let load_buffering = report.load_buffering.clone();
        Ok(Answer { outcome, reads: self.reads, ended, left_out, seconds, load_buffering })
    }
}

/// The end of one execution.
#[derive(Debug)]
struct Ending {
    state: FinalState,
    reads: ValuesRead,
    blocked: bool,
}

/// The end of one thread.
struct ThreadEnding {
    registers: Vec<i32>,
    reads: Vec<i32>,
    blocked: bool,
}

impl Ending {
    /// Runs the body of the model: starts the threads, waits for them, reads the memory.
    fn of_one_execution(code: &Code, locations: &[(LocationKind, i32)]) -> Ending {
        let memory = Memory::new(locations);
        let threads: Vec<ThreadEnding> = thread::scope(|scope| {
            let spawned: Vec<_> = (0..code.thread_count())
                .map(|number| {
                    let memory = &memory;
                    scope.spawn(move || ThreadEnding::of_thread(code, number, memory))
                })
                .collect();
            let joined = spawned.into_iter().map(|handle| handle.join());
            joined.map(|ending| ending.expect("threads of litmus programs don't panic")).collect()
        });
        Ending {
            state: FinalState {
                registers: threads.iter().map(|thread| thread.registers.clone()).collect(),
                memory: memory.values(),
            },
            blocked: threads.iter().any(|thread| thread.blocked),
            reads: threads.into_iter().map(|thread| thread.reads).collect(),
        }
    }
}

impl ThreadEnding {
    fn of_thread(code: &Code, number: usize, memory: &Memory) -> ThreadEnding {
        let mut machine = Machine::new(code, number);
        let mut reads = Vec::new();
        loop {
            let (read, succeeded) = match machine.action(code) {
                Action::Load { location, order } => (memory.load(location, order), false),
                Action::Store { location, value, order } => {
                    memory.store(location, value, order);
                    machine.answer(code, 0, false);
                    continue;
                }
                Action::Rmw { op, location, operand, order } => (memory.modify(location, op, operand, order), false),
                Action::CompareExchange { location, expected, desired, cas } => {
                    let orders = (ordering(cas.success), ordering(cas.failure));
                    let cell = memory.atomic(location);
                    let result = if cas.weak {
                        cell.compare_exchange_weak(expected, desired, orders.0, orders.1)
                    } else {
                        cell.compare_exchange(expected, desired, orders.0, orders.1)
                    };
                    (result.unwrap_or_else(|seen| seen), result.is_ok())
                }
                Action::Fence(order) => {
                    atomic::fence(ordering(order));
                    machine.answer(code, 0, false);
                    continue;
                }
                end @ (Action::Blocked | Action::Done) => {
                    let registers = machine.registers(code).to_vec();
                    return ThreadEnding { registers, reads, blocked: end == Action::Blocked };
                }
            };
            reads.push(read);
            machine.answer(code, read, succeeded);
        }
    }
}

fn ordering(order: MemoryOrder) -> Ordering {
    match order {
        MemoryOrder::Relaxed => Ordering::Relaxed,
        MemoryOrder::Acquire => Ordering::Acquire,
        MemoryOrder::Release => Ordering::Release,
        MemoryOrder::AcqRel => Ordering::AcqRel,
        MemoryOrder::SeqCst => Ordering::SeqCst,
    }
}

/// The shared locations of one execution.
struct Memory {
    cells: Vec<Cell>,
}

enum Cell {
    Atomic(AtomicI32),
    Plain(UnsafeCell<i32>),
}

// SAFETY: the plain cells need an argument. The checker sees each access to them before it takes
// place, and ends the execution at the first race, so no two accesses ever overlap.
unsafe impl Sync for Memory {}

impl Memory {
    fn new(locations: &[(LocationKind, i32)]) -> Memory {
        let cell = |(kind, initial): &(LocationKind, i32)| match kind {
            LocationKind::Atomic => Cell::Atomic(AtomicI32::new(*initial)),
            LocationKind::Plain => Cell::Plain(UnsafeCell::new(*initial)),
        };
        Memory { cells: locations.iter().map(cell).collect() }
    }

    /// Returns the values at the end, when no other thread is left.
    fn values(self) -> Vec<i32> {
        let value = |cell| match cell {
            Cell::Atomic(atomic) => atomic.into_inner(),
            Cell::Plain(cell) => cell.into_inner(),
        };
        self.cells.into_iter().map(value).collect()
    }

    fn atomic(&self, location: usize) -> &AtomicI32 {
        match &self.cells[location] {
            Cell::Atomic(atomic) => atomic,
            Cell::Plain(_) => {
                unreachable!("the parser keeps plain locations out of atomic accesses")
            }
        }
    }

    fn plain(&self, location: usize) -> &UnsafeCell<i32> {
        match &self.cells[location] {
            Cell::Plain(cell) => cell,
            Cell::Atomic(_) => {
                unreachable!("the parser keeps atomic locations out of plain accesses")
            }
        }
    }

    fn load(&self, location: usize, order: Option<MemoryOrder>) -> i32 {
        match order {
            Some(order) => self.atomic(location).load(ordering(order)),
            // SAFETY: the pointer is the cell's own, and the access does not race (see `Sync`
            // above).
            None => self.plain(location).with(|value| unsafe { *value }),
        }
    }

    fn store(&self, location: usize, value: i32, order: Option<MemoryOrder>) {
        match order {
            Some(order) => self.atomic(location).store(value, ordering(order)),
            // SAFETY: the pointer is the cell's own, and the access does not race (see `Sync`
            // above).
            None => self.plain(location).with_mut(|place| unsafe { *place = value }),
        }
    }

    fn modify(&self, location: usize, op: RmwOp, operand: i32, order: MemoryOrder) -> i32 {
        let (cell, order) = (self.atomic(location), ordering(order));
        match op {
            RmwOp::Exchange => cell.swap(operand, order),
            RmwOp::Add => cell.fetch_add(operand, order),
            RmwOp::Sub => cell.fetch_sub(operand, order),
            RmwOp::Or => cell.fetch_or(operand, order),
            RmwOp::And => cell.fetch_and(operand, order),
            RmwOp::Xor => cell.fetch_xor(operand, order),
        }
    }
}
