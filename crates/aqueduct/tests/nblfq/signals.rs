//! Real signals: a handler that pushes and pops, at every instruction of a push and of a pop, and at random in two threads.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aqueduct::nblfq::Queue;

type Four = Queue<NonZeroU64, 4>;

fn item(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

/// Installs a handler that restarts system calls.
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: all-zero is a valid `sigaction`; the handler only does what may be done in one: it uses a queue.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

/// What the process that is stepped and the one that steps it share.
#[derive(Default)]
struct Shared {
    queue: Four,
    /// 1 while the operation is in progress, 2 when it is over.
    phase: AtomicUsize,
    /// Items that were pushed, as a sum of powers of two, and those that were popped.
    went: AtomicU64,
    came: AtomicU64,
    handled: AtomicUsize,
}

impl Shared {
    fn push(&self, number: u64) {
        if self.queue.push(item(number)).is_ok() {
            self.went.fetch_add(1 << (4 * number), Ordering::Relaxed);
        }
    }

    /// The number that was popped.
    fn pop(&self) -> Option<u64> {
        let number = self.queue.pop().ok()?.get();
        self.came.fetch_add(1 << (4 * number), Ordering::Relaxed);
        Some(number)
    }
}

static mut STEPPED: *const Shared = std::ptr::null();

extern "C" fn push_and_pop(_signal: libc::c_int) {
    // SAFETY: set before the signal comes, to memory that stays.
    let shared = unsafe { &*STEPPED };
    shared.push(9);
    shared.pop();
    shared.handled.fetch_add(1, Ordering::Relaxed);
}

/// The operation of one run; the items 1 to `filled` are in the queue.
#[derive(Clone, Copy, Debug)]
struct Scene {
    pushes: bool,
    filled: u64,
}

/// The child: runs the operation over and over, and stops before each run. Does nothing that is forbidden after a fork.
fn child(shared: &Shared, scene: Scene) -> ! {
    // SAFETY: plain system calls.
    unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) };
    loop {
        // A run that never ends is stopped, too.
        // SAFETY: a plain system call.
        unsafe { libc::alarm(10) };
        for number in 1..=scene.filled {
            shared.push(number);
        }
        shared.phase.store(1, Ordering::Relaxed);
        // SAFETY: stops here; goes on behind it.
        unsafe { std::arch::asm!("int3") };
        if scene.pushes {
            shared.push(8);
        } else {
            shared.pop();
        }
        shared.phase.store(2, Ordering::Relaxed);
        // What is left comes in order.
        let mut last = 0;
        while let Some(number) = shared.pop() {
            let right = number > last || (number, last) == (8, 9);
            if !right {
                // SAFETY: ends the process.
                unsafe { libc::_exit(1) };
            }
            last = number;
        }
        if shared.went.load(Ordering::Relaxed) != shared.came.load(Ordering::Relaxed) {
            // SAFETY: ends the process.
            unsafe { libc::_exit(2) };
        }
        shared.went.store(0, Ordering::Relaxed);
        shared.came.store(0, Ordering::Relaxed);
    }
}

/// Waits until the child stops, and says by which signal.
fn stopped(child: libc::pid_t, scene: Scene) -> libc::c_int {
    let mut status = 0;
    // SAFETY: plain system calls.
    let waited = unsafe { libc::waitpid(child, &mut status, 0) };
    assert_eq!(waited, child);
    assert!(libc::WIFSTOPPED(status), "{scene:?}: the child ended: {}", libc::WEXITSTATUS(status));
    libc::WSTOPSIG(status)
}

fn resume(request: libc::c_uint, child: libc::pid_t, signal: libc::c_int) {
    // SAFETY: plain system calls.
    assert_eq!(unsafe { libc::ptrace(request, child, 0, signal) }, 0, "the child can go on");
}

/// Runs the operation as often as it has instructions, with a signal after one more each time; returns how many those were.
fn step_through(scene: Scene) -> usize {
    // SAFETY: plain system calls; the mapping is as large as what is written there, and stays.
    let shared = unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            size_of::<Shared>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(memory, libc::MAP_FAILED);
        memory.cast::<Shared>().write(Shared::default());
        STEPPED = memory.cast();
        &*memory.cast::<Shared>()
    };
    handle(libc::SIGUSR1, push_and_pop);
    // SAFETY: the child only uses the queue and plain system calls.
    let child = match unsafe { libc::fork() } {
        0 => child(shared, scene),
        child => child,
    };
    assert!(child > 0, "a process can be had");
    let mut steps = 0;
    loop {
        assert_eq!(stopped(child, scene), libc::SIGTRAP, "{scene:?}: an operation never ends, after step {steps}");
        resume(libc::PTRACE_SETOPTIONS, child, libc::PTRACE_O_EXITKILL);
        let mut done = 0;
        while done < steps && shared.phase.load(Ordering::Relaxed) == 1 {
            resume(libc::PTRACE_SINGLESTEP, child, 0);
            assert_eq!(stopped(child, scene), libc::SIGTRAP);
            done += 1;
        }
        if shared.phase.load(Ordering::Relaxed) == 2 {
            break;
        }
        resume(libc::PTRACE_CONT, child, libc::SIGUSR1);
        steps += 1;
    }
    assert_eq!(shared.handled.load(Ordering::Relaxed), steps, "a handler for each instruction");
    // SAFETY: plain system calls.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    steps
}

#[test]
fn a_handler_may_come_at_every_instruction() {
    // Each instruction costs as many steps as there are before it.
    for (pushes, filled) in [(true, 3), (false, 0), (false, 1)] {
        let scene = Scene { pushes, filled };
        let steps = step_through(scene);
        assert!(steps > 20, "{scene:?}: {steps}");
    }
}

static TIMED: Four = Queue::new();
static WENT: AtomicU64 = AtomicU64::new(0);
static CAME: AtomicU64 = AtomicU64::new(0);
static HANDLED: AtomicU64 = AtomicU64::new(0);

fn push_timed(number: u64) {
    if TIMED.push(item(number)).is_ok() {
        WENT.fetch_add(number, Ordering::Relaxed);
    }
}

fn pop_timed() -> bool {
    let popped = TIMED.pop();
    if let Ok(number) = popped {
        CAME.fetch_add(number.get(), Ordering::Relaxed);
    }
    popped.is_ok()
}

extern "C" fn on_timer(_signal: libc::c_int) {
    let count = HANDLED.fetch_add(1, Ordering::Relaxed);
    push_timed(1 + count % 1000);
    pop_timed();
}

/// Two threads push and pop, and are interrupted thousands of times a second to push and pop more.
#[test]
fn timers_at_a_high_rate_lose_nothing() {
    handle(libc::SIGALRM, on_timer);
    let timer = |microseconds| {
        let time = libc::timeval { tv_sec: 0, tv_usec: microseconds };
        let value = libc::itimerval { it_interval: time, it_value: time };
        // SAFETY: a plain system call.
        assert_eq!(unsafe { libc::setitimer(libc::ITIMER_REAL, &value, std::ptr::null_mut()) }, 0);
    };
    timer(50);
    let end = Instant::now() + Duration::from_millis(500);
    std::thread::scope(|scope| {
        for thread in 0..2 {
            scope.spawn(move || {
                let mut number = thread;
                while Instant::now() < end {
                    for _ in 0..100 {
                        number += 2;
                        push_timed(1 + number % 5000);
                        pop_timed();
                    }
                }
            });
        }
    });
    timer(0);
    std::thread::sleep(Duration::from_millis(1));
    while pop_timed() {}
    let handled = HANDLED.load(Ordering::Relaxed);
    assert!(handled > 100, "only {handled} signals came");
    assert_eq!(WENT.load(Ordering::Relaxed), CAME.load(Ordering::Relaxed), "after {handled} signals");
}
