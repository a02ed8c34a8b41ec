//! Real signals: a handler that pushes and pops, at every instruction of a push and of a pop, and
//! at random in two threads; on a queue of tagged words and on one of pairs.

use std::num::NonZeroU64;
use std::sync::atomic::{AtomicPtr, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use aqueduct::nblfq::{Queue, wide};

/// A queue of four items.
trait Four: Default {
    /// Returns whether there was room.
    fn push(&self, item: NonZeroU64) -> bool;
    fn pop(&self) -> Option<NonZeroU64>;
}

type Tagged = Queue<NonZeroU64, 4>;
type Wide = wide::Queue<NonZeroU64, 4>;

impl Four for Tagged {
    fn push(&self, item: NonZeroU64) -> bool {
        Queue::push(self, item).is_ok()
    }

    fn pop(&self) -> Option<NonZeroU64> {
        Queue::pop(self).ok()
    }
}

impl Four for Wide {
    fn push(&self, item: NonZeroU64) -> bool {
        self.open().is_ok_and(|handle| handle.push(item).is_ok())
    }

    fn pop(&self) -> Option<NonZeroU64> {
        self.open().ok()?.pop().ok()
    }
}

fn item(number: u64) -> NonZeroU64 {
    NonZeroU64::new(number).expect("not 0")
}

/// Installs a handler that restarts system calls.
fn handle(signal: libc::c_int, handler: extern "C" fn(libc::c_int)) {
    // SAFETY: all-zero is a valid `sigaction`; the handler only does what may be done in one: it
    // uses a queue.
    unsafe {
        let mut action: libc::sigaction = std::mem::zeroed();
        action.sa_sigaction = handler as *const () as usize;
        action.sa_flags = libc::SA_RESTART;
        assert_eq!(libc::sigaction(signal, &action, std::ptr::null_mut()), 0);
    }
}

/// The memory shared by the stepped process and the one that steps it.
#[derive(Default)]
struct Shared<Q> {
    queue: Q,
    /// 1 while the operation is in progress, 2 when it is over.
    phase: AtomicUsize,
    /// Items that were pushed, as a sum of powers of two, and those that were popped.
    went: AtomicU64,
    came: AtomicU64,
    handled: AtomicUsize,
}

impl<Q: Four> Shared<Q> {
    fn push(&self, number: u64) {
        if self.queue.push(item(number)) {
            self.went.fetch_add(1 << (4 * number), Ordering::Relaxed);
        }
    }

    /// The number that was popped.
    fn pop(&self) -> Option<u64> {
        let number = self.queue.pop()?.get();
        self.came.fetch_add(1 << (4 * number), Ordering::Relaxed);
        Some(number)
    }
}

/// The memory that the child shares with the test, of the type that the handler uses.
static STEPPED: AtomicPtr<()> = AtomicPtr::new(std::ptr::null_mut());

extern "C" fn push_and_pop<Q: Four>(_signal: libc::c_int) {
    // SAFETY: set before the signal, to memory that stays.
    let shared = unsafe { &*STEPPED.load(Ordering::Relaxed).cast::<Shared<Q>>() };
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

/// The child: runs the operation over and over, and stops before each run. Does nothing that is
/// forbidden after a fork.
fn child(shared: &Shared<impl Four>, scene: Scene) -> ! {
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
        // The items left come in order.
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

/// Waits until the child stops, and returns the signal.
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

/// Runs the operation over and over, with a signal after `stride` more instructions each time;
/// returns how many it has.
fn step_through<Q: Four + 'static>(scene: Scene, stride: usize) -> usize {
    // SAFETY: plain system calls; the mapping is as large as what is written there, and stays.
    let shared = unsafe {
        let memory = libc::mmap(
            std::ptr::null_mut(),
            size_of::<Shared<Q>>(),
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_SHARED | libc::MAP_ANONYMOUS,
            -1,
            0,
        );
        assert_ne!(memory, libc::MAP_FAILED);
        memory.cast::<Shared<Q>>().write(Shared::default());
        &*memory.cast::<Shared<Q>>()
    };
    STEPPED.store(std::ptr::from_ref(shared).cast_mut().cast(), Ordering::Relaxed);
    handle(libc::SIGUSR1, push_and_pop::<Q>);
    // SAFETY: the child only uses the queue and plain system calls.
    let child = match unsafe { libc::fork() } {
        0 => child(shared, scene),
        child => child,
    };
    assert!(child > 0, "a process can be had");
    let (mut steps, mut signals) = (0, 0);
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
        steps += stride;
        signals += 1;
    }
    assert_eq!(shared.handled.load(Ordering::Relaxed), signals, "a handler for each signal");
    // SAFETY: plain system calls.
    unsafe {
        libc::kill(child, libc::SIGKILL);
        libc::waitpid(child, std::ptr::null_mut(), 0);
    }
    steps
}

/// Keeps the calling thread, and its children, on the core where it is: the stepping process and
/// the stepped one take turns, and a core that sleeps meanwhile would have to be woken up for each
/// step.
fn stay_on_this_core() {
    // SAFETY: plain system calls; all-zero is an empty set.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(usize::try_from(libc::sched_getcpu()).unwrap_or(0), &mut set);
        libc::sched_setaffinity(0, size_of_val(&set), &set);
    }
}

/// One queue after the other: the handler is the process's. Without `AQUEDUCT_THOROUGH=1`, it comes
/// at every fourth.
#[test]
fn a_handler_may_come_at_every_instruction() {
    stay_on_this_core();
    // Each instruction costs as many steps as there are before it.
    let scene = |pushes, filled| Scene { pushes, filled };
    let all = std::env::var_os("AQUEDUCT_THOROUGH").is_some();
    let stride = if all { 1 } else { 4 };
    let mut steps = vec![step_through::<Tagged>(scene(true, 3), stride), step_through::<Wide>(scene(false, 1), stride)];
    if all {
        steps.extend([
            step_through::<Tagged>(scene(false, 0), stride),
            step_through::<Tagged>(scene(false, 1), stride),
            step_through::<Wide>(scene(true, 3), stride),
        ]);
    }
    assert!(steps.iter().all(|&steps| steps > 20), "{steps:?}");
}

/// A queue that two threads and their handlers use.
struct Timed<Q> {
    queue: Q,
    /// The sums of the items.
    went: AtomicU64,
    came: AtomicU64,
}

impl<Q: Four> Timed<Q> {
    const fn new(queue: Q) -> Self {
        Self { queue, went: AtomicU64::new(0), came: AtomicU64::new(0) }
    }

    fn push(&self, number: u64) {
        if self.queue.push(item(number)) {
            self.went.fetch_add(number, Ordering::Relaxed);
        }
    }

    fn pop(&self) -> bool {
        let popped = self.queue.pop();
        if let Some(number) = popped {
            self.came.fetch_add(number.get(), Ordering::Relaxed);
        }
        popped.is_some()
    }

    /// Empties the queue, and returns the sums of all items pushed and popped.
    fn sums(&self) -> [u64; 2] {
        while self.pop() {}
        [&self.went, &self.came].map(|sum| sum.load(Ordering::Relaxed))
    }
}

static TAGGED: Timed<Tagged> = Timed::new(Queue::new());
static WIDE: Timed<Wide> = Timed::new(wide::Queue::new());
static HANDLED: AtomicU64 = AtomicU64::new(0);

fn push_and_pop_both(number: u64) {
    TAGGED.push(number);
    WIDE.push(number);
    TAGGED.pop();
    WIDE.pop();
}

extern "C" fn on_timer(_signal: libc::c_int) {
    let count = HANDLED.fetch_add(1, Ordering::Relaxed);
    push_and_pop_both(1 + count % 1000);
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
                        push_and_pop_both(1 + number % 5000);
                    }
                }
            });
        }
    });
    timer(0);
    std::thread::sleep(Duration::from_millis(1));
    let handled = HANDLED.load(Ordering::Relaxed);
    assert!(handled > 100, "only {handled} signals came");
    for [went, came] in [TAGGED.sums(), WIDE.sums()] {
        assert!(went == came && went > 0, "{went} went, {came} came, after {handled} signals");
    }
}
