//! The ends of pools: what exit handlers may do, and threads that are workers already.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use aqueduct_pool::{
    ThreadBuilder, ThreadPoolBuilder, broadcast, join, scope, spawn, spawn_broadcast, spawn_fifo, task,
};

/// Time after which a test has failed, instead of hanging.
const HUNG: Duration = Duration::from_secs(20);

/// Makes a pool of two workers with this exit handler, and ends it. Returns the message of each
/// panic of the handler.
fn end_with(handler: impl Fn() + Send + Sync + 'static) -> Vec<String> {
    let (panics, messages) = mpsc::channel();
    thread::spawn(move || {
        let pool = ThreadPoolBuilder::new()
            .num_threads(2)
            .panic_handler(move |panic| {
                let message = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                panics
                    .send(message.or_else(|| panic.downcast_ref().cloned()).expect("a text"))
                    .expect("the test waits");
            })
            .exit_handler(move |_| handler())
            .build()
            .expect("threads can be made");
        pool.install(|| join(|| (), || ()));
        pool.close();
    });
    let mut all = Vec::new();
    loop {
        match messages.recv_timeout(HUNG) {
            Ok(message) => all.push(message),
            // The pool's memory is free.
            Err(RecvTimeoutError::Disconnected) => return all,
            Err(RecvTimeoutError::Timeout) => panic!("an exit handler hangs"),
        }
    }
}

/// A job that is spawned after the end of its pool runs within the call.
#[test]
fn jobs_of_exit_handlers_run() {
    let runs = Arc::new(AtomicUsize::new(0));
    let theirs = Arc::clone(&runs);
    let panics = end_with(move || {
        let add = || {
            let runs = Arc::clone(&theirs);
            move || {
                runs.fetch_add(1, Ordering::SeqCst);
            }
        };
        let before = theirs.load(Ordering::SeqCst);
        spawn(add());
        spawn_fifo(add());
        assert!(theirs.load(Ordering::SeqCst) >= before + 2, "they have run");
        // A job that spawns one.
        let inner = add();
        spawn(move || spawn(inner));
        join(|| scope(|scope| scope.spawn(|_| spawn(add()))), || spawn(add()));
    });
    assert_eq!(panics, [""; 0]);
    assert_eq!(runs.load(Ordering::SeqCst), 2 * 5);
}

#[test]
fn tasks_of_exit_handlers_are_aborted() {
    let panics = end_with(|| assert!(task::spawn(async { 7 }).join().expect_err("it is late").is_aborted()));
    assert_eq!(panics, [""; 0]);
}

#[test]
fn broadcasts_of_exit_handlers_are_refused() {
    for handler in [|| drop(broadcast(|_| ())), || spawn_broadcast(|_| ())] {
        let panics = end_with(handler);
        assert_eq!(panics.len(), 2);
        assert!(panics.iter().all(|message| message.contains("the pool has ended")), "{panics:?}");
    }
}

/// A pool's worker cannot be the worker of another pool as well.
#[test]
fn a_worker_does_not_run_as_another_one() {
    static BUILDER: Mutex<Option<ThreadBuilder>> = Mutex::new(None);
    let keep = |thread| {
        *BUILDER.lock().unwrap() = Some(thread);
        Ok(())
    };
    let inner = ThreadPoolBuilder::new().num_threads(1).spawn_handler(keep).build().expect("threads can be made");
    let outer = ThreadPoolBuilder::new().num_threads(1).build().expect("threads can be made");
    let panic = catch_unwind(AssertUnwindSafe(|| {
        outer.install(|| {
            let builder = BUILDER.lock().unwrap().take().expect("it was kept");
            builder.run();
        });
    }));
    let panic = panic.expect_err("the thread is a worker");
    let message = panic.downcast_ref::<&str>().expect("a text");
    assert!(message.contains("already") && message.contains("a thread of its own"), "{message}");
    // The outer worker is what it was before.
    assert_eq!(outer.install(|| join(|| 1, aqueduct_pool::current_thread_index)), (1, Some(0)));
    drop(inner);
    outer.close();
}
