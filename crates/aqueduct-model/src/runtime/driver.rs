//! Drives runs: resumes the coroutine whose turn it is, and lets visible operations reach the
//! engine from inside.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::coroutine::{self, Job, ModelThread, Signal, suspend, unwind};
use super::engine::{Ending, Engine, Step};
use super::halting::Manner;
use super::locals;
use crate::config::Config;
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, Kind, Label, Mode, Site};
use crate::interrupt;
use crate::report::failure::Cause;
use crate::report::panics;

std::thread_local! {
    /// The engine of the run that goes on in this operating system thread.
    static ENGINE: Cell<*const RefCell<Engine>> = const { Cell::new(std::ptr::null()) };
}

/// A program to check.
pub(crate) type Program = Arc<dyn Fn() + Send + Sync>;

/// Whether the caller runs inside a model.
#[inline]
pub(crate) fn inside() -> bool {
    !ENGINE.get().is_null()
}

/// Whether the run has ended, so that the caller is a destructor in a thread that unwinds.
pub(crate) fn is_unwinding() -> bool {
    let engine = ENGINE.get();
    // SAFETY: As in `engine_of_run`.
    !engine.is_null() && unsafe { &*engine }.borrow().ending.is_some()
}

/// The last event of the thread that runs now.
pub(crate) fn last_event() -> Option<EventId> {
    let engine = ENGINE.get();
    if engine.is_null() {
        return None;
    }
    // SAFETY: As in `engine_of_run`.
    let engine = unsafe { &*engine }.try_borrow().ok()?;
    let position = engine.threads[engine.current].position;
    Some(EventId::new(engine.current, position.checked_sub(1)?))
}

/// The engine of the run that goes on. Where the run has ended, the caller does not get on: it is a destructor in a thread
/// that unwinds, and what it would see is not a state that the program can be in.
///
/// # Panics
///
/// Outside of a model.
#[inline]
fn engine_of_run() -> &'static RefCell<Engine> {
    let engine = ENGINE.get();
    assert!(!engine.is_null(), "this operation exists only inside a model");
    // SAFETY: The driver sets the pointer for as long as its engine lives and runs model threads; no caller keeps the
    // reference for longer than its operation.
    let engine = unsafe { &*engine };
    if engine.borrow().ending.is_some() {
        loop {
            suspend(Signal::Stuck);
        }
    }
    engine
}

/// Asks the engine until an operation is done, and lets others run in between.
#[inline]
fn attempt<R>(engine: &RefCell<Engine>, mut operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    loop {
        let step = operation(&mut engine.borrow_mut());
        match step {
            Step::Done(result) => return result,
            Step::Switch => suspend(Signal::Switch),
        }
        if engine.borrow().ending.is_some() {
            unwind();
        }
    }
}

/// Does a visible operation, before which the thread may be halted or interrupted.
///
/// # Panics
///
/// Unwinds the model thread when the run has ended, or the thread is to be killed. Panics outside of a model.
#[inline]
pub(crate) fn visible<R>(operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, true);
        interrupt::may_interrupt();
    }
    attempt(engine, operation)
}

/// Does a part of a wait that may last. The thread may be halted before it.
///
/// # Panics
///
/// As [`visible`].
#[inline]
pub(crate) fn wait<R>(part: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, true);
    }
    attempt(engine, part)
}

/// Does what is no operation of the program, or what a thread that dies does all the same: its end, for one. The thread may
/// be suspended before it, but not killed: a lock that has just been taken has a guard soon.
#[inline]
pub(crate) fn aside<R>(operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, false);
    }
    attempt(engine, operation)
}

/// Stops the thread that runs now, if it is to be stopped here.
fn halt(engine: &RefCell<Engine>, may_die: bool) {
    let manner = engine.borrow_mut().comes_to_halt(may_die);
    match manner {
        None => {}
        Some(Manner::Killed) => coroutine::kill(),
        Some(Manner::Suspended) => {
            while engine.borrow().ending.is_none() {
                suspend(Signal::Switch);
            }
            unwind();
        }
    }
}

/// Panics inside a model: a check cannot begin there.
pub(crate) fn refuse_nesting() {
    if inside() {
        // Where the run has ended, the caller is a destructor and gets stuck here, as in any operation.
        ask(|_| ());
        panic!("a model cannot be checked inside another one: what this one runs is a thread of a model");
    }
}

/// Asks the engine something that every thread may ask at any time.
pub(crate) fn ask<R>(question: impl FnOnce(&mut Engine) -> R) -> R {
    let mut question = Some(question);
    aside(|engine| match question.take() {
        Some(question) => Step::Done(question(engine)),
        None => Step::Switch,
    })
}

/// Uses the engine of the run that goes on or has just ended. Only inside a model.
pub(crate) fn with_engine<R>(with: impl FnOnce(&mut Engine) -> R) -> R {
    let engine = ENGINE.get();
    assert!(!engine.is_null(), "there is an engine only inside a model");
    // SAFETY: As in `engine_of_run`.
    with(&mut unsafe { &*engine }.borrow_mut())
}

/// For as long as it lives, the model thread that made it is not killed.
pub(crate) struct Shield(Option<usize>);

/// Keeps the thread that runs now from being killed. Outside of a model nobody kills it.
pub(crate) fn shield() -> Shield {
    Shield(inside().then(|| {
        with_engine(|engine| {
            engine.threads[engine.current].shields += 1;
            engine.current
        })
    }))
}

impl Drop for Shield {
    fn drop(&mut self) {
        if let Some(thread) = self.0 {
            with_engine(|engine| engine.threads[thread].shields -= 1);
        }
    }
}

/// Whether the thread that runs now unwinds.
pub(crate) fn is_panicking() -> bool {
    coroutine::has_panicked() || is_unwinding()
}

/// Wraps the body of a model thread: reports panics and the thread's end.
pub(crate) fn job(body: impl FnOnce() + 'static, site: Site) -> Job {
    Box::new(move || {
        panics::enter();
        run_to_end(body);
        run_to_end(locals::end_thread);
        aside(|engine| engine.end(Label::new(Kind::End, Mode::NonAtomic, site)));
    })
}

/// Runs a part of a thread. A thread that is killed there is past that part then.
fn run_to_end(part: impl FnOnce()) {
    match catch_unwind(AssertUnwindSafe(part)) {
        Ok(()) => {}
        Err(payload) if coroutine::is_death(&*payload) => coroutine::forget_panic(),
        Err(payload) => fail_with(payload),
    }
}

/// Ends the execution with the panic that has been caught, or goes on unwinding.
pub(crate) fn fail_with(payload: Box<dyn Any + Send>) -> ! {
    if coroutine::is_unwinding(&*payload) {
        resume_unwind(payload);
    }
    let panic = panics::describe(&*payload);
    aside(|engine| -> Step<()> {
        engine.fail(Cause::Panic(panic.clone()));
        Step::Switch
    });
    unwind()
}

/// An engine and the coroutines that run its threads.
pub(crate) struct Driver {
    engine: Box<RefCell<Engine>>,
    threads: [Option<ModelThread>; MAX_THREADS],
    stack_size: usize,
}

impl Driver {
    pub(crate) fn new(config: &Config) -> Self {
        panics::install();
        Self {
            engine: Box::new(RefCell::new(Engine::new(config))),
            threads: [const { None }; MAX_THREADS],
            stack_size: config.stack_size,
        }
    }

    /// The engine, between runs.
    pub(crate) fn engine(&mut self) -> &mut Engine {
        self.engine.get_mut()
    }

    /// Runs the program once: along the graph, and on from there.
    pub(crate) fn run(&mut self, program: &Program, site: Site) -> Ending {
        let program = Arc::clone(program);
        let main = job(move || program(), site);
        self.engine.get_mut().begin_run(main);
        ENGINE.set(&raw const *self.engine);
        loop {
            let mut engine = self.engine.borrow_mut();
            let Some(thread) = engine.next_thread() else {
                break;
            };
            let job = engine.threads[thread].job.take();
            drop(engine);
            self.resume(thread, job);
        }
        self.clear();
        ENGINE.set(std::ptr::null());
        panics::leave();
        let ending = self.engine.get_mut().ending.take();
        ending.unwrap_or(Ending::Discarded)
    }

    fn resume(&mut self, thread: usize, job: Option<Job>) {
        let stack_size = self.stack_size;
        let slot = &mut self.threads[thread];
        let coroutine = match slot {
            Some(coroutine) => coroutine,
            None => match ModelThread::new(stack_size) {
                Ok(coroutine) => slot.insert(coroutine),
                Err(error) => panic!("cannot map a stack of {stack_size} bytes: {error}"),
            },
        };
        coroutine.resume(job);
    }

    /// Unwinds what has not ended, threads before those that created them, and drops the jobs that
    /// have not begun.
    fn clear(&mut self) {
        let born = std::mem::take(&mut self.engine.get_mut().born);
        for &thread in born.iter().rev() {
            let unused = self.engine.borrow_mut().threads[thread].job.take();
            if let Some(job) = unused {
                self.resume(thread, Some(Box::new(move || drop(job))));
            }
            let slot = &mut self.threads[thread];
            if let Some(coroutine) = slot
                && coroutine.is_busy()
            {
                coroutine.resume(None);
            }
            if let Some(coroutine) = slot.take_if(|c| !c.is_idle()) {
                coroutine.abandon();
            }
        }
        self.engine.get_mut().born = born;
        if !locals::are_empty() {
            // Destructors that ask for visible operations are given up there.
            self.resume(0, Some(Box::new(locals::clear)));
            if let Some(coroutine) = self.threads[0].take_if(|c| !c.is_idle()) {
                coroutine.abandon();
            }
        }
    }
}
