//! Drives runs: resumes the coroutine whose turn it is, and passes visible operations to the engine
//! from inside.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, Location, catch_unwind};
use std::sync::Arc;

use super::coroutine::{self, Body, Job, ModelThread, Signal, stay, suspend};
use super::engine::Engine;
use super::facts::{Cause, Ending};
use super::place::{Tag, Zero};
use super::state::Step;
use super::{kept, locals, outside, panics};
use crate::config::{Config, Manner};
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, Kind, Label, Mode, RmwOp, Site, UNKNOWN};

std::thread_local! {
    /// The engine of the current run of this operating system thread.
    static ENGINE: Cell<*const RefCell<Engine>> = const { Cell::new(std::ptr::null()) };
}

/// A program to check.
pub(crate) type Program = Arc<dyn Fn() + Send + Sync>;

/// Whether the caller runs inside a model.
#[inline]
pub(crate) fn inside() -> bool {
    !ENGINE.get().is_null()
}

impl Tag {
    /// Whether the caller runs inside a model. An operation elsewhere on an object of an execution
    /// is noted.
    #[inline]
    #[track_caller]
    pub(crate) fn is_inside(&self) -> bool {
        if inside() {
            return true;
        }
        if outside::is_watched() {
            self.note_outside(Location::caller());
        }
        false
    }
}

/// Returns the last event of the thread that runs now.
fn last_event() -> Option<EventId> {
    let engine = ENGINE.get();
    if engine.is_null() {
        return None;
    }
    // SAFETY: The driver keeps the engine alive, as `engine_of_run` explains.
    let engine = unsafe { &*engine }.try_borrow().ok()?;
    Some(EventId::new(engine.current, engine.position().checked_sub(1)?))
}

/// Returns the engine of the current run. If the run has failed, the caller stops here: its state
/// need not be one that the program can be in.
///
/// # Panics
///
/// Outside of a model.
#[inline]
fn engine_of_run() -> &'static RefCell<Engine> {
    let engine = ENGINE.get();
    assert!(!engine.is_null(), "this operation exists only inside a model");
    // SAFETY: The driver sets the pointer for as long as its engine lives and runs model threads;
    // no caller keeps the reference for longer than its operation.
    let engine = unsafe { &*engine };
    if engine.borrow().ending.is_some() {
        stay();
    }
    engine
}

/// Repeats an operation on the engine until it is done, and lets other threads run in between.
///
/// If the run is over and nothing will ever resume the thread, it is killed here if `may_die`, or
/// stays.
#[inline]
fn attempt<R>(engine: &RefCell<Engine>, may_die: bool, mut operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    loop {
        let step = operation(&mut engine.borrow_mut());
        match step {
            Step::Done(result) => return result,
            Step::Switch => suspend(Signal::Switch),
        }
        if engine.borrow_mut().takes_doom() {
            // A second panic in a thread that unwinds would end the process.
            if !may_die || std::thread::panicking() {
                stay();
            }
            coroutine::kill();
        }
    }
}

/// Makes a visible operation. The thread may be halted or interrupted before it.
///
/// # Panics
///
/// If the thread is to be killed, which unwinds it; also outside of a model.
#[inline]
pub(crate) fn visible<R>(operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, true);
        let moment = engine.borrow().moment;
        if let Some(moment) = moment {
            moment();
        }
    }
    attempt(engine, true, operation)
}

/// Does a part of a wait that may last. The thread may be halted before it.
///
/// # Panics
///
/// If the thread is to be killed, which unwinds it; also outside of a model.
#[inline]
pub(crate) fn wait<R>(part: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, true);
    }
    attempt(engine, true, part)
}

/// Makes an operation that a killed thread also makes, such as its end, or that does not belong to
/// the program.
///
/// The thread may be suspended before it, but not killed: a lock that has just been taken will have
/// a guard soon.
#[inline]
pub(crate) fn aside<R>(operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = engine_of_run();
    if engine.borrow().intervenes {
        halt(engine, false);
    }
    attempt(engine, false, operation)
}

/// Stores `attempt` if the value is zero, by a weak compare-exchange that may fail spuriously.
/// Returns whether it did.
pub(crate) fn take(zero: &Zero, attempt: u64, site: Site) -> bool {
    let place = zero.place();
    let mut label = Label::new(Kind::Read, Mode::Relaxed, site);
    label.failure = Mode::Relaxed;
    label.bits = place.bits;
    label.op = RmwOp::CompareExchangeWeak;
    label.operand = attempt;
    label.expected = 0;
    visible(|engine| engine.read(&place, label)).wrote
}

/// Stops the thread that runs now, if a halt is due.
fn halt(engine: &RefCell<Engine>, may_die: bool) {
    let manner = engine.borrow_mut().comes_to_halt(may_die);
    match manner {
        None => {}
        Some(Manner::Killed) => coroutine::kill(),
        Some(Manner::Suspended) => {
            while !engine.borrow().aftermath.has_begun() {
                suspend(Signal::Switch);
            }
        }
    }
}

/// Panics inside a model, where a check cannot begin.
pub(crate) fn refuse_nesting() {
    if inside() {
        // If the run has failed, the caller stops here, as in any operation.
        ask(|_| ());
        panic!("a model cannot be checked inside another one: what this one runs is a thread of a model");
    }
}

/// Reads from the engine, in any thread, at any time, without an event.
pub(crate) fn ask<R>(question: impl FnOnce(&mut Engine) -> R) -> R {
    let mut question = Some(question);
    aside(|engine| match question.take() {
        Some(question) => Step::Done(question(engine)),
        None => Step::Switch,
    })
}

/// Whether the owners of a new `Arc` are counted. Outside of a model they are.
pub(crate) fn counts_owners() -> bool {
    !inside() || with_engine(|engine| engine.counts_owners)
}

/// Ends the run, unless owners are counted: the check begins anew.
pub(crate) fn ask_for_counts() {
    if inside() {
        aside(Engine::ask_for_counts);
    }
}

/// Ends the run if the program reads the id of a thread that equal ones may stand for: the check
/// begins anew.
pub(crate) fn tell_apart(thread: usize) {
    let may_be_another =
        |engine: &mut Engine| engine.explorer.equates_threads && engine.explorer.graph.has_equals(thread);
    if inside() && with_engine(may_be_another) {
        ask_for_counts();
    }
}

/// Uses the engine of the present run, or of the one that has just ended. The caller is inside a
/// model.
pub(crate) fn with_engine<R>(with: impl FnOnce(&mut Engine) -> R) -> R {
    let engine = ENGINE.get();
    assert!(!engine.is_null(), "there is an engine only inside a model");
    // SAFETY: The driver keeps the engine alive, as `engine_of_run` explains.
    with(&mut unsafe { &*engine }.borrow_mut())
}

/// A guard that keeps the model thread that made it from being killed.
pub(crate) struct Shield(Option<usize>);

/// Keeps the thread that runs now from being killed. Outside of a model it has no effect.
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
    coroutine::has_panicked()
}

/// Wraps the body of a model thread: reports panics and the thread's end.
///
/// It is not generic, like everything below a thread's body: programs with many threads would
/// compile slowly.
pub(crate) fn job(body: Body, site: Site) -> Job {
    Job { body, site, run: run_thread }
}

fn run_thread(body: Body, site: Site) {
    panics::enter();
    if run_to_end(body) && run_to_end(Box::new(end_locals)) {
        aside(|engine| engine.end(Label::new(Kind::End, Mode::NonAtomic, site)));
    }
}

/// Drops the values of the thread locals of the thread that runs now.
fn end_locals() {
    if !locals::are_empty() {
        locals::end_thread(ask(|engine| engine.current));
    }
}

/// Runs a part of a thread. If the thread is killed there, the part is done. Returns `false` if the
/// execution has failed there.
fn run_to_end(part: Body) -> bool {
    match catch_unwind(AssertUnwindSafe(part)) {
        Ok(()) => return true,
        Err(payload) if coroutine::is_death(&*payload) => {}
        // After the end of the run, nothing counts: the part is done.
        Err(_) if with_engine(|engine| engine.aftermath.has_begun()) => {}
        Err(payload) => {
            record(&*payload);
            return false;
        }
    }
    coroutine::forget_panic();
    true
}

/// Ends the execution with the panic that has been caught.
fn record(payload: &(dyn Any + Send)) {
    let panic = panics::describe(payload);
    with_engine(|engine| engine.fail(Cause::Panic(panic)));
}

/// Ends the execution with a caught panic, in a place that must not be unwound.
pub(crate) fn fail_with(payload: Box<dyn Any + Send>) -> ! {
    if with_engine(|engine| !engine.aftermath.has_begun()) {
        record(&*payload);
    }
    std::mem::forget(payload);
    stay()
}

/// An engine and the coroutines that run its threads.
pub(crate) struct Driver {
    engine: Box<RefCell<Engine>>,
    threads: [Option<ModelThread>; MAX_THREADS],
    stack_size: usize,
}

impl Driver {
    pub(crate) fn new(config: &Config) -> Self {
        panics::install(last_event);
        Self {
            engine: Box::new(RefCell::new(Engine::new(config))),
            threads: [const { None }; MAX_THREADS],
            stack_size: config.stack_size,
        }
    }

    /// Returns the engine, between runs.
    pub(crate) fn engine(&mut self) -> &mut Engine {
        self.engine.get_mut()
    }

    /// Runs the program once: along the graph, and beyond it.
    pub(crate) fn run(&mut self, program: &Program, site: Site) -> Ending {
        let program = Arc::clone(program);
        let main = job(Box::new(move || program()), site);
        let was_panicking = std::thread::panicking();
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
        self.engine.get_mut().note_others();
        let engine = self.engine.get_mut();
        if let Some(site) = engine.bindings.end_run() {
            // Whatever the outcome of the run, that thread may be the reason.
            engine.ending = None;
            engine.fail(Cause::Outsider(site));
        }
        let ending = engine.ending.take().unwrap_or(Ending::Discarded);
        match ending {
            Ending::Failed(_) => self.leave(),
            _ => self.finish(),
        }
        ENGINE.set(std::ptr::null());
        kept::release();
        panics::leave();
        if !was_panicking {
            coroutine::settle_panics();
        }
        ending
    }

    /// Resumes a thread.
    fn resume(&mut self, thread: usize, job: Option<Job>) -> Signal {
        let stack_size = self.stack_size;
        let slot = &mut self.threads[thread];
        let coroutine = match slot {
            Some(coroutine) => coroutine,
            None => match ModelThread::new(stack_size) {
                Ok(coroutine) => slot.insert(coroutine),
                Err(error) => panic!("cannot map a stack of {stack_size} bytes: {error}"),
            },
        };
        coroutine.resume(job)
    }

    /// Runs the threads of a run that is over to their ends.
    fn finish(&mut self) {
        self.engine.get_mut().begin_aftermath();
        loop {
            let mut engine = self.engine.borrow_mut();
            let Some(thread) = engine.next_in_aftermath() else { break };
            let job = engine.threads[thread].job.take();
            drop(engine);
            if self.resume(thread, job) == Signal::Stuck {
                self.engine.borrow_mut().leave_behind(thread);
            }
        }
        if !locals::are_empty() {
            self.engine.borrow_mut().end_turns();
            let body: Body = Box::new(locals::clear);
            self.resume(0, Some(Job { body, site: UNKNOWN, run: |body, _| body() }));
        }
        self.drop_busy();
    }

    /// Leaves the threads of a failed run as they are, and leaks all that they hold: their
    /// destructors might see a state that the program cannot be in.
    fn leave(&mut self) {
        let engine = self.engine.get_mut();
        for &thread in &engine.born {
            std::mem::forget(engine.threads[thread].job.take());
        }
        locals::leak();
        self.drop_busy();
    }

    /// Forgets the coroutines that are not idle.
    fn drop_busy(&mut self) {
        for slot in &mut self.threads {
            slot.take_if(|coroutine| !coroutine.is_idle());
        }
    }
}
