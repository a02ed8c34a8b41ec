//! A signal handler pushes to a queue in a `static`, and the program pops what has happened. The
//! handler can interrupt any thread anywhere, also in the middle of a push or a pop of the queue:
//! NBLFQ is lock-free and never allocates.
//!
//! cargo run -p aqueduct --example signal_handler

#[cfg(target_os = "linux")]
mod linux {
    use std::num::NonZeroU32;
    use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
    use std::thread;
    use std::{error::Error, io};

    use aqueduct::error::PopError;
    use aqueduct::nblfq::Queue;

    const SIGNALS: u32 = 2000;

    static EVENTS: Queue<NonZeroU32, 64> = Queue::new();
    /// Signals for which the queue had no room.
    static LOST: AtomicU32 = AtomicU32::new(0);

    /// Handles a signal. A handler may not allocate, lock or print.
    extern "C" fn on_signal(number: libc::c_int) {
        let event = NonZeroU32::new(number.unsigned_abs());
        if event.is_none_or(|event| EVENTS.push(event).is_err()) {
            LOST.fetch_add(1, Relaxed);
        }
    }

    fn handle(signal: libc::c_int) -> io::Result<()> {
        let handler: extern "C" fn(libc::c_int) = on_signal;
        // SAFETY: the handler calls only lock-free operations on statics.
        let previous = unsafe { libc::signal(signal, handler as libc::sighandler_t) };
        if previous == libc::SIG_ERR { Err(io::Error::last_os_error()) } else { Ok(()) }
    }

    pub(crate) fn run() -> Result<(), Box<dyn Error>> {
        handle(libc::SIGUSR1)?;
        handle(libc::SIGUSR2)?;
        let raise = |signal| {
            for _ in 0..SIGNALS {
                // SAFETY: the signal has a handler, which interrupts this thread and has returned
                // when `raise` does.
                unsafe { libc::raise(signal) };
                thread::yield_now();
            }
        };
        let (mut first, mut second) = (0, 0);
        thread::scope(|scope| {
            let threads = [scope.spawn(move || raise(libc::SIGUSR1)), scope.spawn(move || raise(libc::SIGUSR2))];
            loop {
                let is_last = threads.iter().all(thread::ScopedJoinHandle::is_finished);
                match EVENTS.pop() {
                    Ok(event) if event.get() == libc::SIGUSR1.unsigned_abs() => first += 1,
                    Ok(_) => second += 1,
                    Err(PopError::Empty) if is_last => break,
                    Err(PopError::Empty | PopError::Busy) => thread::yield_now(),
                }
            }
        });
        let lost = LOST.load(Relaxed);
        println!("{first} times SIGUSR1, {second} times SIGUSR2, and {lost} signals found the queue full");
        assert_eq!(first + second + lost, 2 * SIGNALS, "each signal is counted");
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    linux::run()
}

#[cfg(not(target_os = "linux"))]
fn main() {
    println!("this example raises signals as Linux has them");
}
