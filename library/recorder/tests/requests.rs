//! A signal handler requests dumps.

#![cfg(unix)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{OnceLock, mpsc};
use std::time::Duration;
use std::{env, fs, mem, process, ptr};

use aqueduct_recorder::{Builder, DumpRequest, Dumps, Field, Trace, event};

static REQUEST: OnceLock<DumpRequest> = OnceLock::new();
static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handle(_: libc::c_int) {
    HANDLED.fetch_add(1, Relaxed);
    REQUEST.get().expect("it was set").dump();
}

/// Time after which a test fails. A passing test does not wait for it.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_dump_has_all_records_before_its_signal() {
    let recorder = Builder::new().rings(2).ring_bytes(64 << 10).install().expect("the first one");
    let directory = env::temp_dir().join(format!("aqueduct-requests-{}", process::id()));
    let (sender, dumps) = mpsc::channel();
    let done = move |dump| sender.send(dump).expect("the test listens");
    let request = Dumps::new(&directory).on_request(recorder, done).expect("a thread");
    REQUEST.set(request).expect("it is set once");
    // SAFETY: the handler accesses nothing but atomics and a request, which handlers may use.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut()), 0);
    }
    for round in 0..20_u64 {
        event!("round", round);
        // SAFETY: the signal has a handler, which runs in this thread before the call returns.
        assert_eq!(unsafe { libc::raise(libc::SIGUSR1) }, 0);
        assert_eq!(HANDLED.load(Relaxed), round + 1);
        let path = dumps.recv_timeout(PATIENCE).expect("a dump for each signal").expect("it is written");
        let trace = Trace::open(path).expect("a dump");
        let rounds: Vec<&[Field]> = trace.events().iter().map(|event| &event.values[..]).collect();
        assert_eq!(rounds, (0..=round).map(|it| vec![Field::Unsigned(it)]).collect::<Vec<_>>());
    }
    assert!(dumps.try_recv().is_err(), "no dump that nobody asked for");
    // Many signals at once: there are no more dumps than signals, and the last dump has all
    // records.
    for round in 20..1020_u64 {
        event!("round", round);
        // SAFETY: the signal has a handler.
        assert_eq!(unsafe { libc::raise(libc::SIGUSR1) }, 0);
    }
    let mut seen = 0;
    while seen < 1020 {
        let path = dumps.recv_timeout(PATIENCE).expect("a dump after the last signal").expect("it is written");
        seen = Trace::open(path).expect("a dump").events().len();
    }
    fs::remove_dir_all(directory).expect("the dumps");
}
