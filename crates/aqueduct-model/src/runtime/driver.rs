//! Drives runs: resumes the coroutine whose turn it is, and lets visible operations reach the
//! engine from inside.

use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;

use super::coroutine::{self, Job, ModelThread, Signal, suspend, unwind};
use super::engine::{Ending, Engine, Step};
use super::locals;
use crate::config::Config;
use crate::graph::clock::MAX_THREADS;
use crate::graph::event::{EventId, Kind, Label, Mode, Site};
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
    // SAFETY: As in `visible`.
    !engine.is_null() && unsafe { &*engine }.borrow().ending.is_some()
}

/// The last event of the thread that runs now.
pub(crate) fn last_event() -> Option<EventId> {
    let engine = ENGINE.get();
    if engine.is_null() {
        return None;
    }
    // SAFETY: As in `visible`.
    let engine = unsafe { &*engine }.try_borrow().ok()?;
    let position = engine.threads[engine.current].position;
    Some(EventId::new(engine.current, position.checked_sub(1)?))
}

/// Does a visible operation: asks the engine until it is done, and lets others run in between.
///
/// # Panics
///
/// Unwinds the model thread when the run has ended. Panics outside of a model.
#[inline]
pub(crate) fn visible<R>(mut operation: impl FnMut(&mut Engine) -> Step<R>) -> R {
    let engine = ENGINE.get();
    assert!(!engine.is_null(), "this operation exists only inside a model");
    // SAFETY: The driver sets the pointer for as long as its engine lives and runs model threads.
    let engine = unsafe { &*engine };
    if engine.borrow().ending.is_some() {
        // A destructor runs while the thread unwinds. What it would see is not a state that the
        // program can be in, so it must not go on.
        loop {
            suspend(Signal::Stuck);
        }
    }
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

/// Asks the engine something that every thread may ask at any time.
pub(crate) fn ask<R>(question: impl FnOnce(&mut Engine) -> R) -> R {
    let mut question = Some(question);
    visible(|engine| match question.take() {
        Some(question) => Step::Done(question(engine)),
        None => Step::Switch,
    })
}

/// Wraps the body of a model thread: reports panics and the thread's end.
pub(crate) fn job(body: impl FnOnce() + 'static, site: Site) -> Job {
    Box::new(move || {
        panics::enter();
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            body();
            locals::end_thread();
        }));
        match outcome {
            Ok(()) => {
                visible(|engine| engine.end(Label::new(Kind::End, Mode::NonAtomic, site)));
            }
            Err(payload) => fail_with(payload),
        }
    })
}

/// Ends the execution with the panic that has been caught, or goes on unwinding.
pub(crate) fn fail_with(payload: Box<dyn Any + Send>) -> ! {
    if coroutine::is_unwinding(&*payload) {
        resume_unwind(payload);
    }
    let panic = panics::describe(&*payload);
    visible(|engine| -> Step<()> {
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
