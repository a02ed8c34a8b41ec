//! A signal handler records, also in the middle of a record of its own thread.

#![cfg(unix)]

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use std::{mem, ptr, thread};

use aqueduct_recorder::{Builder, Field, event};

static HANDLED: AtomicU64 = AtomicU64::new(0);

extern "C" fn handle(_: libc::c_int) {
    let number = HANDLED.fetch_add(1, Relaxed);
    event!("handled", number);
}

#[test]
fn records_of_a_handler_are_written_or_counted_as_refused() {
    // Room for all records on any machine: at most 100,000 of the loop, and one for each signal of
    // 300 ms.
    let recorder = Builder::new().rings(2).ring_bytes(64 << 20).install().expect("the first one");
    // SAFETY: the handler accesses nothing but atomics and the recorder, which handlers may use.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = handle as extern "C" fn(libc::c_int) as libc::sighandler_t;
        assert_eq!(libc::sigaction(libc::SIGUSR1, &action, ptr::null_mut()), 0);
    }
    let (start, mut written) = (Instant::now(), 0_u64);
    // SAFETY: the thread exists until it is joined.
    let target = unsafe { libc::pthread_self() } as usize;
    let is_over = AtomicU64::new(0);
    thread::scope(|scope| {
        scope.spawn(|| {
            while is_over.load(Relaxed) == 0 {
                // SAFETY: the scope's thread waits for this one.
                unsafe { libc::pthread_kill(target as libc::pthread_t, libc::SIGUSR1) };
            }
        });
        while start.elapsed() < Duration::from_millis(300) && written < 100_000 {
            event!("interrupted", number = written, text = "of several words");
            written += 1;
        }
        is_over.store(1, Relaxed);
    });
    let trace = recorder.trace();
    let of = |name: &str| -> Vec<u64> {
        let events = trace.events().iter().filter(|event| event.place.name == name);
        events.map(|event| if let Field::Unsigned(number) = event.values[0] { number } else { u64::MAX }).collect()
    };
    assert_eq!((trace.damaged(), trace.overwritten().records), (0, 0));
    assert!(of("interrupted").into_iter().eq(0..written), "each record of the thread is there");
    let handled = of("handled");
    assert!(handled.windows(2).all(|pair| pair[0] < pair[1]));
    assert_eq!(handled.len() as u64 + trace.refused(), HANDLED.load(Relaxed), "written or refused");
}
