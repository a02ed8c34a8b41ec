//! Races of accesses in failed rounds of waits: such a round leaves nothing behind, and is dropped.

use std::alloc::Layout;
use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicUsize as Number;
use std::time::Duration;

use aqueduct_model::FailureKind::{Race, UseAfterFree};
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{Config, FailureKind, PartError, Report, alloc, await_until, cell, merge, thread};

use crate::support::{SCHEDULERS, random};

/// The threads' shared data: atomics, cells, and an atomic on the heap.
struct Shared {
    words: [AtomicUsize; 3],
    cells: [cell::UnsafeCell<usize>; 2],
    heap: usize,
}

// SAFETY: The checker finds races on the cells.
unsafe impl Sync for Shared {}

const LAYOUT: Layout = Layout::new::<AtomicUsize>();

impl Shared {
    fn new() -> Self {
        // SAFETY: The layout has a size, and the memory becomes an atomic.
        let heap = unsafe {
            let memory = alloc::alloc(LAYOUT).cast::<AtomicUsize>();
            memory.write(AtomicUsize::new(0));
            memory as usize
        };
        Self { words: [const { AtomicUsize::new(0) }; 3], cells: [const { cell::UnsafeCell::new(0) }; 2], heap }
    }

    fn read(&self, cell: usize) -> usize {
        // SAFETY: The checker finds races before the access happens.
        self.cells[cell].with(|at| unsafe { *at })
    }

    fn write(&self, cell: usize, value: usize) {
        // SAFETY: The checker finds races before the access happens.
        self.cells[cell].with_mut(|at| unsafe { *at = value });
    }

    fn on_heap(&self) -> &AtomicUsize {
        // SAFETY: The checker finds a use after the memory is freed, and its memory stays readable.
        unsafe { &*(self.heap as *const AtomicUsize) }
    }

    fn free(&self) {
        // SAFETY: It was allocated with this layout.
        unsafe { alloc::dealloc(self.heap as *mut u8, LAYOUT) }
    }
}

type Body = fn(&Shared);

fn program(threads: &[Body]) -> impl Fn() + Send + Sync + Clone + 'static {
    let threads = threads.to_vec();
    move || {
        let shared = Arc::new(Shared::new());
        for &body in &threads {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared));
        }
    }
}

fn configs() -> impl Iterator<Item = Config> {
    let config = Config::new().finds_leaks(false).yield_bound(2);
    let shared = config.clone().jobs(2);
    SCHEDULERS.into_iter().map(move |scheduler| config.clone().scheduler(scheduler)).chain([shared])
}

/// Returns an empty place for the files of one check.
fn place() -> PathBuf {
    static NEXT: Number = Number::new(0);
    let number = NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("failed-races-{}-{number}", std::process::id()));
    fs::create_dir_all(&place).expect("a new folder");
    place
}

/// Checks a program in stretches of a few executions, between which its work is saved.
fn saved(config: &Config, program: &(impl Fn() + Send + Sync + Clone + 'static)) -> Report {
    let place = place();
    let file = place.join("saved");
    let mut most = 1;
    let report = loop {
        let config = config.clone().max_executions(most);
        let report = config.check_saving(&file, "races", Duration::from_secs(60), program.clone()).expect("a file");
        if !report.limited {
            break report;
        }
        most = report.executions + 1;
    };
    fs::remove_dir_all(place).expect("it was there");
    report
}

/// Checks a program whose work is saved at its end.
fn saved_at_once(config: &Config, program: &(impl Fn() + Send + Sync + Clone + 'static)) -> Report {
    let place = place();
    let report = config.check_saving(&place.join("saved"), "races", Duration::from_secs(60), program.clone());
    fs::remove_dir_all(place).expect("it was there");
    report.expect("a file")
}

/// Checks a program in tasks, and once more in others if the plan has not shown enough. Returns the
/// error and the number of executions.
fn divided(config: &Config, program: &(impl Fn() + Send + Sync + Clone + 'static)) -> (Option<String>, u64) {
    let place = place();
    let planned = config.plan(&place, NonZeroUsize::MIN, "races", program.clone()).expect("an empty folder");
    let mut open = fs::read_dir(&place).expect("a folder").map(|entry| entry.expect("a file").path());
    let task = open.find(|file| file.extension().is_some_and(|end| end == "task"));
    let explored = task.map(|task| config.check_task(&task, "races", program.clone()));
    let merged = merge(&place);
    fs::remove_dir_all(place).expect("it was there");
    match (planned.failure, explored) {
        (Some(failure), _) => (Some(failure.message), 0),
        (None, Some(Err(error))) => {
            assert!(matches!(error, PartError::Unplanned(_)), "{error}");
            assert!(matches!(merged, Err(PartError::Missing(_))), "the task has no result");
            divided(&config.clone().all_failed_rounds(true), program)
        }
        (None, Some(Ok(_)) | None) => {
            let merged = merged.expect("all tasks have results");
            (merged.failures.first().map(|failure| failure.message.clone()), merged.report.executions)
        }
    }
}

/// Checks that the threads, in any order, have this error, and that its replay has it.
fn fail(kind: FailureKind, threads: &[Body]) {
    for turn in 0..threads.len() {
        let mut threads = threads.to_vec();
        threads.rotate_left(turn);
        for config in configs() {
            let failure = config.check(program(&threads)).failure.unwrap_or_else(|| panic!("{config:?} finds nothing"));
            assert_eq!(failure.kind, kind, "{failure}");
            let again = config.clone().replay(&failure.replay).check(program(&threads)).failure;
            assert_eq!(again.expect("the replay fails").message, failure.message);
            let saved =
                saved(&config, &program(&threads)).failure.unwrap_or_else(|| panic!("{config:?} finds nothing"));
            assert_eq!(saved.kind, kind, "{saved}");
            assert!(divided(&config, &program(&threads)).0.is_some(), "{config:?} finds nothing");
        }
    }
}

/// Checks that the threads, in any order, have no error, and this number of executions.
fn pass(executions: u64, threads: &[Body]) {
    for turn in 0..threads.len() {
        let mut threads = threads.to_vec();
        threads.rotate_left(turn);
        for config in configs() {
            let report = config.check(program(&threads));
            assert!(report.exhaustive, "{report}");
            assert_eq!(report.executions, executions, "{report}");
            let saved = saved(&config, &program(&threads));
            assert!(saved.exhaustive && saved.executions == executions, "{saved}");
            assert_eq!(divided(&config, &program(&threads)), (None, executions));
        }
    }
}

/// Waits for the first word, and reads the first cell in each round that fails.
fn wait_and_read(shared: &Shared) {
    await_until(|| {
        let is_done = shared.words[0].load(Relaxed) == 1;
        if !is_done {
            shared.read(0);
        }
        is_done
    });
}

#[test]
fn a_read_in_a_failed_round_races_with_what_follows_from_the_end_of_the_wait() {
    let wait = |shared: &Shared| {
        wait_and_read(shared);
        shared.words[1].store(1, Relaxed);
    };
    let write = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        if shared.words[1].load(Relaxed) == 1 {
            shared.write(0, 1);
        }
    };
    fail(Race, &[wait, write]);
    let release = |shared: &Shared| {
        wait_and_read(shared);
        shared.words[1].store(1, Release);
    };
    let acquire = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        if shared.words[1].load(Acquire) == 1 {
            shared.write(0, 1);
        }
    };
    pass(2, &[release, acquire]);
}

/// The round fails on an old value. The checker does not continue from there, because no later
/// write ends the wait.
#[test]
fn a_read_in_a_failed_round_races_with_a_write_after_another_wait() {
    let write = |shared: &Shared| {
        await_until(|| shared.words[1].load(Relaxed) == 1);
        shared.write(0, 1);
    };
    let begin = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        shared.words[1].store(1, Relaxed);
    };
    fail(Race, &[wait_and_read, write, begin]);
}

/// Both accesses are in rounds that fail on old values.
#[test]
fn two_failed_rounds_race_with_each_other() {
    let wait = |shared: &Shared| {
        await_until(|| {
            let is_done = shared.words[1].load(Relaxed) == 1;
            if !is_done {
                shared.words[2].fetch_or(0, Relaxed);
            }
            is_done
        });
    };
    let own = |shared: &Shared| {
        await_until(|| {
            let is_done = shared.words[0].load(Relaxed) == 1;
            if !is_done {
                // SAFETY: It is not: another thread changes the word.
                unsafe { shared.words[2].unsync_load() };
            }
            is_done
        });
    };
    let begin = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        shared.words[1].store(1, Relaxed);
    };
    fail(Race, &[wait, own, begin]);
}

#[test]
fn an_atomic_of_a_failed_round_is_used_after_it_was_freed() {
    let wait = |shared: &Shared| {
        await_until(|| shared.words[0].load(Relaxed) == 1 || shared.on_heap().load(Relaxed) == 1);
        shared.words[1].store(1, Relaxed);
    };
    let free = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        await_until(|| shared.words[1].load(Relaxed) == 1);
        shared.free();
    };
    fail(UseAfterFree, &[wait, free]);
    let release = |shared: &Shared| {
        await_until(|| shared.words[0].load(Relaxed) == 1 || shared.on_heap().load(Relaxed) == 1);
        shared.words[1].store(1, Release);
    };
    let acquire = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        await_until(|| shared.words[1].load(Acquire) == 1);
        shared.free();
    };
    pass(1, &[release, acquire]);
}

/// A round that writes to a cell of all threads changes something, though it restores the value.
#[test]
fn a_write_that_is_restored_in_a_failed_round_races() {
    let wait = |shared: &Shared| {
        await_until(|| {
            let is_done = shared.words[0].load(Relaxed) == 1;
            if !is_done {
                let before = shared.read(0);
                shared.write(0, 1);
                shared.write(0, before);
            }
            is_done
        });
        shared.words[1].store(1, Relaxed);
    };
    let read = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        if shared.words[1].load(Relaxed) == 1 {
            shared.read(0);
        }
    };
    fail(Race, &[wait, read]);
}

/// The fence releases the thread's earlier accesses to its own memory, and not the read in the
/// round that fails.
#[test]
fn a_read_of_own_memory_in_a_failed_round_races_after_the_memory_is_given_away() {
    let give = |shared: &Shared| {
        // SAFETY: The layout has a size.
        let memory = unsafe { alloc::alloc(LAYOUT) }.cast::<usize>();
        // SAFETY: The memory is this thread's own.
        unsafe { cell::write(memory, 1) };
        fence(Release);
        await_until(|| {
            let is_done = shared.words[0].load(Relaxed) == 1;
            if !is_done {
                // SAFETY: The memory is this thread's own.
                unsafe { cell::read(memory) };
            }
            is_done
        });
        shared.words[1].store(memory as usize, Relaxed);
    };
    let take = |shared: &Shared| {
        shared.words[0].store(1, Relaxed);
        let memory = shared.words[1].load(Acquire) as *mut usize;
        if !memory.is_null() {
            // SAFETY: It has been given away.
            unsafe { cell::write(memory, 2) };
        }
    };
    fail(Race, &[give, take]);
}

/// One step of a random thread: an operation, a word or a cell, and a value.
type Step = (u64, usize, usize);

fn step(shared: &Shared, (operation, at, value): Step) -> usize {
    let word = &shared.words[at];
    match operation {
        0 => word.store(value, Relaxed),
        1 => word.store(value, Release),
        2 => return word.load(Relaxed),
        3 => return word.load(Acquire),
        4 => return word.fetch_or(0, AcqRel),
        5 => return shared.read(at % 2),
        6 => shared.write(at % 2, value),
        7 => return word.swap(value, Relaxed),
        _ => return shared.on_heap().load(Relaxed),
    }
    0
}

/// A random thread: steps, then perhaps a wait whose rounds do steps until the last one yields a
/// value, then steps.
#[derive(Clone, Debug)]
struct Thread {
    before: Vec<Step>,
    round: Vec<(Step, usize)>,
    after: Vec<Step>,
}

/// A wait of a random thread; `rounds` of its rounds are not rounds of a wait but ordinary
/// attempts.
fn run(shared: &Shared, thread: &Thread, rounds: usize) {
    thread.before.iter().for_each(|&what| _ = step(shared, what));
    if !thread.round.is_empty() {
        // Each step of a round is done only if the one before has not ended it.
        let attempt = || thread.round.iter().any(|&(what, wanted)| step(shared, what) == wanted);
        if !(0..rounds).any(|_| attempt()) {
            await_until(attempt);
        }
    }
    if let [first, rest @ ..] = &thread.after[..] {
        // The following steps depend on the thread's reads.
        if step(shared, *first) == 1 || rest.len() == 1 {
            rest.iter().for_each(|&what| _ = step(shared, what));
        }
    }
}

fn random_program(threads: &[Thread], rounds: usize) -> impl Fn() + Send + Sync + Clone + 'static {
    let threads = threads.to_vec();
    move || {
        let shared = Arc::new(Shared::new());
        for thread in threads.clone() {
            let shared = Arc::clone(&shared);
            thread::spawn(move || run(&shared, &thread, rounds));
        }
    }
}

/// Returns a thread that waits for the first word or the second, and then stores the third.
fn waiter(random: &mut impl FnMut(u64) -> u64) -> Thread {
    let mut round = vec![((2 + random(3), random(2) as usize, 0), 1)];
    for _ in 0..1 + random(2) {
        round.push((([5, 5, 2, 3, 4][random(5) as usize], random(2) as usize, 0), 1 + random(2) as usize));
    }
    Thread { before: Vec::new(), round, after: vec![(random(2), 2, 1)] }
}

/// Returns a thread that stores the first word or the second, and writes a cell once it has seen
/// the third.
fn other(random: &mut impl FnMut(u64) -> u64) -> Thread {
    let before = (0..1 + random(2)).map(|_| (random(2), random(2) as usize, 1)).collect();
    let round = if random(2) == 0 { Vec::new() } else { vec![((2 + random(3), random(3) as usize, 0), 1)] };
    let after = vec![(2 + random(3), 2, 0), (6, random(2) as usize, 1), (random(4), random(3) as usize, 2)];
    Thread { before, round, after }
}

/// A program races if and only if the one does in which the first round of each wait is an ordinary
/// attempt.
#[test]
fn random_waits_race_as_ordinary_attempts_do() {
    let mut random = random(31);
    let is_thorough = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let programs = if is_thorough { 300 } else { 40 };
    let (mut racing, mut clean, mut were_saved) = (0, 0, 0);
    for number in 0..programs {
        let threads: Vec<Thread> =
            (0..2 + random(2)).map(|at| if at == 0 { waiter(&mut random) } else { other(&mut random) }).collect();
        let config =
            Config::new().scheduler(SCHEDULERS[number % SCHEDULERS.len()]).finds_leaks(false).waits_fail(false);
        let unrolled = config.clone().max_executions(400).check(random_program(&threads, 1));
        if unrolled.limited {
            continue;
        }
        let report = config.clone().max_executions(20_000).check(random_program(&threads, 0));
        if report.limited {
            continue;
        }
        let kind = |report: &Report| report.failure.as_ref().map(|failure| failure.kind);
        assert_eq!(kind(&report), kind(&unrolled), "{threads:?}");
        // Executions with a kept round count against no limit but that of time.
        let saved = saved_at_once(&config.time_limit(Duration::from_secs(1)), &random_program(&threads, 0));
        if !saved.limited {
            assert_eq!(kind(&saved), kind(&unrolled), "{threads:?}");
            // A read-modify-write in a kept round has a place in the modification order.
            let is_plain = threads.iter().all(|thread| thread.round.iter().all(|((operation, ..), _)| *operation != 4));
            assert!(saved.failure.is_some() || !is_plain || saved.executions == report.executions, "{threads:?}");
            were_saved += 1;
        }
        match report.failure {
            Some(_) => racing += 1,
            None => clean += 1,
        }
    }
    assert!(racing * 20 > programs && clean * 4 > programs, "{racing} race, {clean} do not");
    assert!(were_saved > 0, "none is saved");
}
