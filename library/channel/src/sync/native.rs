//! The native backend: std's threads and clock.

mod mutex;
mod task;

use std::cell::{Cell, UnsafeCell};
use std::fs;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::hint::spin_loop;
use std::mem::MaybeUninit;
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::thread::{self, Thread, available_parallelism};
use std::time::{Duration, Instant};

pub(crate) use mutex::Mutex;
pub(crate) use std::sync::Arc;
pub(crate) use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering, fence};
pub(crate) use task::{may_spin_in_task, spun_in_task};

/// Memory for a value that one thread hands to another.
#[derive(Debug)]
pub(crate) struct Slot<T>(UnsafeCell<MaybeUninit<T>>);

impl<T> Slot<T> {
    /// Makes a slot without a value.
    pub(crate) const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    /// Moves a value in. One that is there is forgotten.
    ///
    /// # Safety
    /// No other thread accesses the slot at the same time.
    pub(crate) unsafe fn put(&self, value: T) {
        // SAFETY: the caller has the slot to itself.
        unsafe { *self.0.get() = MaybeUninit::new(value) };
    }

    /// Moves the value out.
    ///
    /// # Safety
    /// There is a value, and no other thread accesses the slot at the same time.
    pub(crate) unsafe fn take(&self) -> T {
        // SAFETY: the caller has the slot to itself, and it holds a value.
        unsafe { (*self.0.get()).assume_init_read() }
    }
}

/// Puts a value into memory of its own.
pub(crate) fn allocate<T>(value: T) -> NonNull<T> {
    NonNull::from(Box::leak(Box::new(value)))
}

/// Drops the value and frees its memory.
///
/// # Safety
/// It comes from [`allocate`], and nothing uses it any more.
pub(crate) unsafe fn free<T>(value: NonNull<T>) {
    // SAFETY: `allocate` has leaked a box.
    drop(unsafe { Box::from_raw(value.as_ptr()) });
}

/// Whether the time is over.
pub(crate) fn has_passed(deadline: Option<Instant>) -> bool {
    deadline.is_some_and(|deadline| Instant::now() >= deadline)
}

/// Parks the calling thread, at most until the deadline. Returns whether the deadline has passed.
pub(crate) fn park(deadline: Option<Instant>) -> bool {
    let Some(deadline) = deadline else {
        thread::park();
        return false;
    };
    let left = deadline.saturating_duration_since(Instant::now());
    if !left.is_zero() {
        thread::park_timeout(left);
    }
    has_passed(Some(deadline))
}

/// Hints before an attempt. A message that comes between two attempts waits for the second one, so
/// there are few hints. An attempt that fails reads lines that are in the core's cache until
/// another thread writes them.
const HINTS: u32 = 2;

/// Rounds of a spin that execute pause hints only.
const HINTED: usize = 64;

/// Rounds after them in which the thread yields, however long that takes.
const LEAST_YIELDS: usize = 4;

/// Largest number of rounds that yield, in case the clock stands still.
const MOST_YIELDS: usize = 200;

/// Longest time for which a thread yields: about the time that waking a thread on an idle core
/// takes on virtual machines.
const WAKE_UP: Duration = Duration::from_micros(40);

/// Rounds of a spin that takes about as long as another thread's operation.
pub(crate) const BRIEF: usize = 8;

/// Number of spins in a row that end in a park before the next spins are brief. One such spin may
/// be chance.
const PATIENCE: u32 = 2;

/// Number of parks after the first unsuccessful long spin before the next long one, which tests
/// whether it helps now.
const FIRST_PAUSE: u32 = 16;

/// Largest number of such parks: it doubles with each unsuccessful long spin. The bound limits the
/// time that two threads that wake each other remain in a state in which both park each time.
const LONGEST_PAUSE: u32 = 64;

/// Length of a spin.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    /// For [`BRIEF`] rounds.
    Brief,
    /// Until the first yields have been unsuccessful.
    Short,
    /// For [`WAKE_UP`].
    Long,
}

/// Recent success of a thread's spins. Unsuccessful spins may take more of its core than all other
/// work that a receiver does between two parks (`results/channel.md`).
///
/// It belongs to the thread, not to a channel: a channel's history would be a word that spins write
/// and other threads read, and a channel for one message has no history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct History {
    /// Number of spins in a row that have ended in a park.
    failed: u32,
    /// Number of parks before the next long spin.
    until_long: u32,
    /// Number of parks between the last unsuccessful long spin and the next long one.
    pause: u32,
}

impl History {
    const NEW: Self = Self { failed: 0, until_long: 0, pause: 0 };

    /// The length of the next spin.
    fn next(self) -> Length {
        match self {
            Self { until_long: 0, .. } => Length::Long,
            Self { failed: ..PATIENCE, .. } => Length::Short,
            _ => Length::Brief,
        }
    }

    /// Returns the history after a spin of this length that was unsuccessful.
    fn after_park(self, length: Length) -> Self {
        let failed = self.failed.saturating_add(1);
        if length == Length::Long {
            let pause = (2 * self.pause).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            Self { failed, until_long: pause, pause }
        } else {
            Self { failed, until_long: self.until_long - 1, ..self }
        }
    }

    /// Returns the history after a spin that has succeeded in this round.
    fn after_success(self, round: usize) -> Self {
        if round > HINTED + LEAST_YIELDS {
            // Only a long spin succeeds that late.
            Self::NEW
        } else if round >= BRIEF {
            Self { failed: 0, ..self }
        } else {
            // A spin that ends so early is no evidence about longer ones.
            self
        }
    }
}

/// The limit of a spin.
pub(crate) struct Limit {
    since: Option<Instant>,
    deadline: Option<Instant>,
    length: Length,
}

impl Limit {
    pub(crate) fn new(deadline: Option<Instant>) -> Self {
        Self { since: None, deadline, length: HISTORY.get().next() }
    }

    /// Whether the spin is to end after this round.
    pub(crate) fn is_reached(&mut self, round: usize) -> bool {
        let is_over = if round < HINTED {
            // No look at the clock here, so that a short wait is not made longer.
            self.length == Length::Brief && round + 1 == BRIEF
        } else {
            let now = Instant::now();
            let since = *self.since.get_or_insert(now);
            if self.deadline.is_some_and(|deadline| now >= deadline) {
                return true;
            }
            let was_long = self.length != Length::Long || now - since >= WAKE_UP;
            round >= HINTED + LEAST_YIELDS && was_long || round + 1 == HINTED + MOST_YIELDS
        };
        if is_over {
            HISTORY.set(HISTORY.get().after_park(self.length));
        }
        is_over
    }
}

/// Lets some time pass before the `round`th attempt of a spin.
pub(crate) fn relax(round: usize) {
    if round < HINTED {
        pause(HINTS);
    } else {
        thread::yield_now();
    }
}

/// Number of spins in a row, ended by a yield, after which the next ones begin with yields. The
/// change that the thread waits for then seems to come from its own core, and hints delay it.
const CONVINCED: u32 = 2;

/// Period, in spins, at which a spin begins with hints nevertheless.
const DOUBT: u32 = 16;

thread_local! {
    /// Number of the thread's spins in a row that were ended by a yield.
    static YIELDED: Cell<u32> = const { Cell::new(0) };

    static HISTORY: Cell<History> = const { Cell::new(History::NEW) };
}

/// Returns the round with which the thread's next spin begins.
pub(crate) fn first_round() -> usize {
    let yielded = YIELDED.get();
    if yielded < CONVINCED || yielded.is_multiple_of(DOUBT) { 0 } else { HINTED }
}

/// Records that an attempt of the thread has succeeded in this round of a spin.
pub(crate) fn spun(round: usize) {
    // One of the first yields: a later one only took the time that the other thread needed on its
    // core.
    let helped = (HINTED..HINTED + LEAST_YIELDS).contains(&round);
    YIELDED.set(if helped { YIELDED.get().wrapping_add(1) } else { 0 });
    HISTORY.set(HISTORY.get().after_success(round));
}

/// A thread that others wake.
#[derive(Clone, Debug)]
pub(crate) struct Sleeper(Arc<Sleep>);

#[derive(Debug)]
struct Sleep {
    thread: Thread,
    /// True if the thread has been woken since it last began to wait. Other threads find their data
    /// under locks.
    is_woken: AtomicBool,
}

thread_local! {
    static OWN: Sleeper = Sleeper::new();
}

impl Sleeper {
    fn new() -> Self {
        Self(Arc::new(Sleep { thread: thread::current(), is_woken: AtomicBool::new(false) }))
    }

    /// The calling thread. One that ends does not find its wake-ups before it parks.
    pub(crate) fn current() -> Self {
        OWN.try_with(Self::clone).unwrap_or_else(|_| Self::new())
    }

    pub(crate) fn wake(&self) {
        self.0.is_woken.store(true, Ordering::Relaxed);
        self.0.thread.unpark();
    }
}

/// Whether the calling thread has been woken since the last call.
pub(crate) fn take_wake_up() -> bool {
    OWN.try_with(|own| own.0.is_woken.swap(false, Ordering::Relaxed)).unwrap_or(false)
}

/// Executes `times` spin hints.
fn pause(times: u32) {
    for _ in 0..times {
        spin_loop();
    }
}

/// Number of rounds after which a snoozing thread sleeps.
const PERSISTENT: u32 = 1000;

/// Lets another thread complete its operation, for the `round`th time.
#[cold]
pub(crate) fn snooze(round: u32) {
    match round {
        0..6 if longest_spin() > 0 => pause(1 << round),
        0..PERSISTENT => thread::yield_now(),
        // The other thread may have a lower priority, and not run while this one only yields.
        _ => thread::sleep(WAKE_UP),
    }
}

/// A source of random numbers.
pub(crate) struct Dice {
    /// A fraction of 2 to the power of 64. What remains of it after a number is picked is a random
    /// fraction, too.
    fraction: u64,
    picks: u32,
}

impl Dice {
    pub(crate) fn new() -> Self {
        Self { fraction: 0, picks: 0 }
    }

    /// Picks a number below `count`, which is not 0.
    #[inline]
    pub(crate) fn pick(&mut self, count: usize) -> usize {
        // A fraction has bits for four numbers below 65,536.
        if self.picks.is_multiple_of(4) {
            self.fraction = random();
        }
        self.picks += 1;
        let product = u128::from(self.fraction) * count as u128;
        self.fraction = product as u64;
        (product >> 64) as usize
    }
}

/// Returns a random number.
fn random() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish() | 1);
    }
    // Marsaglia's xorshift. A thread that is ending has no state any more.
    let next = STATE.try_with(|state| {
        let mut next = state.get();
        next ^= next << 13;
        next ^= next >> 7;
        next ^= next << 17;
        state.set(next);
        next
    });
    next.unwrap_or(0)
}

/// Returns the largest number of attempts of a spin before the thread parks. On one core, no other
/// thread can make one succeed.
pub(crate) fn longest_spin() -> usize {
    static LONGEST: OnceLock<usize> = OnceLock::new();
    *LONGEST.get_or_init(|| if cores() > 1 { HINTED + MOST_YIELDS } else { 0 })
}

/// Returns the number of cores that the process may use. The calling thread may be bound to one of
/// them.
#[cold]
fn cores() -> u32 {
    let of_main_thread = fs::read_to_string("/proc/self/status").ok().and_then(|status| cores_in(&status));
    of_main_thread.unwrap_or_else(|| available_parallelism().map_or(1, |cores| cores.get() as u32))
}

/// Returns the number of cores in the `Cpus_allowed` mask of a thread's status on Linux.
fn cores_in(status: &str) -> Option<u32> {
    let mask = status.lines().find_map(|line| line.strip_prefix("Cpus_allowed:"))?;
    Some(mask.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum())
}

/// Returns a number that no other call returns.
pub(crate) fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Whether the calling thread unwinds its stack.
pub(crate) fn is_panicking() -> bool {
    thread::panicking()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cores_are_counted_in_the_mask_of_the_status() {
        let status = |mask: &str| format!("Name:\tcat\nCpus_allowed:\t{mask}\nCpus_allowed_list:\t0-99\n");
        for (mask, cores) in [("1", 1), ("3", 2), ("ff,ffffffff", 40), ("00000000,0000000a", 2)] {
            assert_eq!(cores_in(&status(mask)), Some(cores), "{mask}");
        }
        assert_eq!(cores_in("Name:\tcat\n"), None);
    }

    #[test]
    fn long_spins_become_rare_if_they_bring_nothing_and_come_back_if_one_does() {
        let park = |history: &mut History| {
            let length = history.next();
            *history = history.after_park(length);
            length
        };
        let mut history = History::NEW;
        let lengths: Vec<_> = (0..300).map(|_| park(&mut history)).collect();
        let places = |asked| (0..300).filter(|&at| lengths[at] == asked).collect::<Vec<_>>();
        // After pauses of 16, 32, 64, 64 parks.
        assert_eq!(places(Length::Long), [0, 17, 50, 115, 180, 245]);
        assert_eq!(places(Length::Short), [1]);
        assert_eq!(history.after_success(HINTED).next(), Length::Short);
        assert_eq!(history.after_success(HINTED + LEAST_YIELDS + 1).next(), Length::Long);
    }

    #[test]
    fn threads_spin_for_less_if_that_brings_nothing() {
        if longest_spin() == 0 {
            return;
        }
        // The rounds of a spin without success.
        let rounds_until = |deadline| {
            let mut limit = Limit::new(deadline);
            let mut rounds = first_round()..longest_spin();
            let is_last = |round: usize| {
                relax(round);
                limit.is_reached(round)
            };
            rounds.position(is_last).expect("a spin has a limit") + 1
        };
        let failed_attempts = move || rounds_until(None);
        let next = || HISTORY.get().next();
        let short = HINTED + LEAST_YIELDS + 1;
        thread::spawn(move || {
            assert!(next() == Length::Long && failed_attempts() >= short);
            assert_eq!((next(), failed_attempts()), (Length::Short, short));
            for _ in 1..FIRST_PAUSE {
                assert_eq!((next(), failed_attempts()), (Length::Brief, BRIEF));
            }
            // The next spin tests whether long ones help again: it succeeds, later than a short one
            // would have ended.
            assert_eq!(next(), Length::Long);
            spun(short);
            assert_eq!(HISTORY.get(), History::NEW);
            // An early success is no reason for longer spins, and a deadline no reason for shorter
            // ones.
            (0..2).for_each(|_| _ = failed_attempts());
            spun(BRIEF - 1);
            assert_eq!(next(), Length::Brief);
            spun(short - 1);
            assert_eq!(next(), Length::Short);
            let history = HISTORY.get();
            assert_eq!(rounds_until(Some(Instant::now())), HINTED + 1);
            assert_eq!(HISTORY.get(), history);
        })
        .join()
        .expect("the spins are as long as said");
    }
}
