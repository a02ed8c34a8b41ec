//! Handlers of signals record at places that have not recorded yet, whatever their thread is doing.

#![cfg(unix)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;
use std::{mem, process, ptr, thread};

use aqueduct_recorder::{AnyValue, Builder, Dumps, Kind, Level, Recorder, Site, event, in_handler, record_any};

/// The system's allocator, which counts the handlers' allocations.
struct Watched;

static ALLOCATED: AtomicU64 = AtomicU64::new(0);

thread_local! {
    static IN_HANDLER: Cell<bool> = const { Cell::new(false) };
}

fn watch() {
    if IN_HANDLER.with(Cell::get) {
        ALLOCATED.fetch_add(1, Relaxed);
    }
}

// SAFETY: all calls go to the system's allocator.
unsafe impl GlobalAlloc for Watched {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        watch();
        // SAFETY: the caller keeps the contract.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, start: *mut u8, layout: Layout) {
        watch();
        // SAFETY: the caller keeps the contract.
        unsafe { System.dealloc(start, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Watched = Watched;

/// The places of handlers, each of which records once.
static SITES: OnceLock<Vec<Site>> = OnceLock::new();
static NEXT: AtomicUsize = AtomicUsize::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handle(_: libc::c_int) {
    IN_HANDLER.with(|is_within| is_within.set(true));
    let site = SITES.get().and_then(|sites| sites.get(NEXT.fetch_add(1, Relaxed)));
    if let Some(site) = site {
        in_handler(|| record_any(site, &[AnyValue::Unsigned(1)]));
        HANDLED.fetch_add(1, Relaxed);
    }
    IN_HANDLER.with(|is_within| is_within.set(false));
}

/// Runs `body` in a thread, and sends signals to it until it ends. If it hangs, the process is
/// ended.
fn under_signals(body: impl FnOnce() + Send + 'static) {
    let (itself, target) = mpsc::channel();
    let (done, ended) = mpsc::channel();
    let running = thread::spawn(move || {
        // SAFETY: the call has no conditions.
        itself.send(unsafe { libc::pthread_self() } as usize).expect("the test waits for it");
        body();
        done.send(()).expect("the test waits for it");
        // The thread must exist while signals are sent to it.
        thread::park();
    });
    let target = target.recv().expect("a thread") as libc::pthread_t;
    let is_over = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            while !is_over.load(Relaxed) {
                // SAFETY: the thread is parked at its end.
                unsafe { libc::pthread_kill(target, libc::SIGUSR1) };
                thread::sleep(Duration::from_micros(20));
            }
        });
        if ended.recv_timeout(Duration::from_secs(60)).is_err() {
            // A thread that waits for its own lock cannot be ended.
            eprintln!("a handler fails, or waits for its own thread");
            process::abort();
        }
        is_over.store(true, Relaxed);
    });
    running.thread().unpark();
    running.join().expect("its end");
}

fn allocate(rounds: usize) {
    for round in 0..rounds {
        let boxes: Vec<Box<[u8]>> = (0..20).map(|n| vec![0; 1 + 50 * n + round % 7].into_boxed_slice()).collect();
        assert_eq!(boxes.len(), 20);
    }
}

/// One test for all, because a process has one recorder.
#[test]
fn handlers_record_at_new_places_without_the_allocator_and_never_wait_for_their_own_thread() {
    let recorder = Builder::new().rings(6).table_bytes(16 << 20).install().expect("the first one");
    let site = |_| Site::new(Kind::Event, "handled", "target", "file", 1, &["n"]).with_level(Some(Level::Error));
    SITES.set((0..60_000).map(site).collect()).expect("it is set once");
    // With this number, a search through all places takes longer than the time between two signals.
    let others: &'static Vec<Site> = Box::leak(Box::new((0..30_000).map(site).collect()));
    // SAFETY: the handler accesses atomics, a thread local without a destructor, and the recorder
    // as its page allows.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut()), 0);
    }
    let count = |recorder: Recorder| {
        let trace = recorder.trace();
        (
            trace.overwritten().records + trace.events().iter().filter(|it| it.place.name == "handled").count() as u64,
            trace,
        )
    };

    // A thread that has recorded: its handlers' records are written.
    under_signals(|| {
        event!("the thread has a ring");
        allocate(40_000);
    });
    let (written, trace) = count(recorder);
    assert!(written > 100, "{written} of {HANDLED:?}");
    assert_eq!(written + trace.refused(), HANDLED.load(Relaxed), "written or refused");

    // A thread that has not recorded: its handlers' records are refused, and the thread gets no
    // ring.
    let (before, handled) = (recorder.trace(), HANDLED.load(Relaxed));
    under_signals(|| allocate(20_000));
    let after = recorder.trace();
    assert!(HANDLED.load(Relaxed) > handled + 10);
    assert_eq!(after.refused() - before.refused(), HANDLED.load(Relaxed) - handled);
    assert_eq!(after.threads().len(), before.threads().len());

    // A thread that searches all places, which takes the lock.
    let directory = std::env::temp_dir().join(format!("aqueduct-handlers-{}", process::id()));
    let request = Dumps::new(&directory).on_request(recorder, |_| ()).expect("a thread");
    let before = recorder.trace().refused();
    under_signals(move || {
        others.iter().for_each(|site| record_any(site, &[AnyValue::Unsigned(1)]));
        recorder.dump_on(Level::Error, request).expect("nothing asks yet");
    });
    assert!(recorder.trace().refused() > before, "signals came in the middle");
    assert_eq!(ALLOCATED.load(Relaxed), 0, "handlers leave the allocator alone");
    let _ = std::fs::remove_dir_all(&directory);
}
