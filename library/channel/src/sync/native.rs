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

/// Hints before an attempt. A message that comes between two attempts waits for the second one, so there are few hints:
/// an attempt that fails reads lines that the core has, until another thread writes them.
const HINTS: u32 = 2;

/// Rounds of a spin that are of pause hints only.
const HINTED: usize = 64;

/// Rounds after them, in which other threads of the core have their turn, whatever time they take.
const LEAST_YIELDS: usize = 4;

/// Rounds of yields at most, for a clock that stands still.
const MOST_YIELDS: usize = 200;

/// For how long a thread yields at most: waking one whose core sleeps takes 20 to 40 microseconds on virtual machines.
const WAKE_UP: Duration = Duration::from_micros(40);

/// Rounds of a spin that takes about as long as another thread's operation.
pub(crate) const BRIEF: usize = 8;

/// How many spins in a row end in a park before the next ones are brief: one that does may be chance.
const PATIENCE: u32 = 2;

/// How many parks come after the first long spin in vain before the next long one looks whether it helps now.
const FIRST_PAUSE: u32 = 16;

/// Their number at most: it doubles with each long spin in vain. Then long spins cost 0.6 microseconds for a park, and
/// two threads that wake each other are for 6 milliseconds at most in a state in which both park each time.
const LONGEST_PAUSE: u32 = 64;

/// For how long a thread repeats its attempts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Length {
    /// For [`BRIEF`] rounds.
    Brief,
    /// Until the first yields have brought nothing.
    Short,
    /// For [`WAKE_UP`].
    Long,
}

/// What spins of a thread have brought lately: those in vain may take more of its core than all else that a receiver
/// does between two parks (`results/channel.md`).
///
/// It is the thread's and not a channel's: a spin would have to write a word that other threads read, and a channel for
/// one message has no history.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct History {
    /// How many spins in a row have ended in a park.
    in_vain: u32,
    /// How many parks come before the next long spin.
    until_long: u32,
    /// How many came before, or come after, the last long one in vain.
    pause: u32,
}

impl History {
    const NEW: Self = Self { in_vain: 0, until_long: 0, pause: 0 };

    /// The length of the next spin.
    fn next(self) -> Length {
        match self {
            Self { until_long: 0, .. } => Length::Long,
            Self { in_vain: ..PATIENCE, .. } => Length::Short,
            _ => Length::Brief,
        }
    }

    /// The history after a spin of this length that has brought nothing.
    fn after_park(self, length: Length) -> Self {
        let in_vain = self.in_vain.saturating_add(1);
        if length == Length::Long {
            let pause = (2 * self.pause).clamp(FIRST_PAUSE, LONGEST_PAUSE);
            Self { in_vain, until_long: pause, pause }
        } else {
            Self { in_vain, until_long: self.until_long - 1, ..self }
        }
    }

    /// The history after a spin that has brought something in this round.
    fn after_success(self, round: usize) -> Self {
        if round > HINTED + LEAST_YIELDS {
            // Nothing but a long one could.
            Self::NEW
        } else if round >= BRIEF {
            Self { in_vain: 0, ..self }
        } else {
            // One that ends so early says nothing about longer ones.
            self
        }
    }
}

/// The end of a spin.
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
            // Without a look at the clock, so that a short wait is not made longer.
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

/// Lets some time pass before the `round`th of some attempts in a row.
pub(crate) fn relax(round: usize) {
    if round < HINTED {
        pause(HINTS);
    } else {
        thread::yield_now();
    }
}

/// After how many spins in a row that were ended by a yield the next ones begin with yields: what the thread waits for
/// seems to happen on its own core, and hints hold it up.
const CONVINCED: u32 = 2;

/// Every how many spins one begins with hints nevertheless.
const DOUBT: u32 = 16;

thread_local! {
    /// How many of the thread's spins in a row were ended by a yield.
    static YIELDED: Cell<u32> = const { Cell::new(0) };

    static HISTORY: Cell<History> = const { Cell::new(History::NEW) };
}

/// The round with which the thread's next spin begins.
pub(crate) fn first_round() -> usize {
    let yielded = YIELDED.get();
    if yielded < CONVINCED || yielded.is_multiple_of(DOUBT) { 0 } else { HINTED }
}

/// An attempt of the thread has succeeded in this round of a spin.
pub(crate) fn spun(round: usize) {
    // One of the first yields: a later one only took the time that the other thread needed on its core.
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
    /// Whether it has been woken since it has last begun to wait. Others' words are found under locks.
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

/// Whether the calling thread has been woken since it has last asked.
pub(crate) fn take_wake_up() -> bool {
    OWN.try_with(|own| own.0.is_woken.swap(false, Ordering::Relaxed)).unwrap_or(false)
}

/// Executes `times` spin hints.
fn pause(times: u32) {
    for _ in 0..times {
        spin_loop();
    }
}

/// After how many rounds of a snooze a thread sleeps.
const PERSISTENT: u32 = 1000;

/// Lets another thread complete its operation, for the `round`th time.
#[cold]
pub(crate) fn snooze(round: u32) {
    match round {
        0..6 if longest_spin() > 0 => pause(1 << round),
        0..PERSISTENT => thread::yield_now(),
        // The other thread may be of a lower priority, and not run while this one only yields.
        _ => thread::sleep(WAKE_UP),
    }
}

/// Picks numbers by chance.
pub(crate) struct Dice {
    /// A fraction of 2 to the power of 64: what is left of it when a number has been picked is a random fraction, too.
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

/// A random number.
fn random() -> u64 {
    thread_local! {
        static STATE: Cell<u64> = Cell::new(RandomState::new().build_hasher().finish() | 1);
    }
    // Marsaglia's xorshift. A thread that ends has no state any more.
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

/// Returns how many attempts a thread makes at most before it parks. On one core, nobody else can make any succeed.
pub(crate) fn longest_spin() -> usize {
    static LONGEST: OnceLock<usize> = OnceLock::new();
    *LONGEST.get_or_init(|| if cores() > 1 { HINTED + MOST_YIELDS } else { 0 })
}

/// The number of cores that the process may use. The calling thread may be bound to one of them.
#[cold]
fn cores() -> u32 {
    let of_main_thread = fs::read_to_string("/proc/self/status").ok().and_then(|status| cores_in(&status));
    of_main_thread.unwrap_or_else(|| available_parallelism().map_or(1, |cores| cores.get() as u32))
}

/// The number of cores in the status of a thread, as Linux tells it: `Cpus_allowed`, a mask.
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
        let attempts_in_vain = move || rounds_until(None);
        let next = || HISTORY.get().next();
        let short = HINTED + LEAST_YIELDS + 1;
        thread::spawn(move || {
            assert!(next() == Length::Long && attempts_in_vain() >= short);
            assert_eq!((next(), attempts_in_vain()), (Length::Short, short));
            for _ in 1..FIRST_PAUSE {
                assert_eq!((next(), attempts_in_vain()), (Length::Brief, BRIEF));
            }
            // The next one looks whether it helps again: it does, later than a short one would have ended.
            assert_eq!(next(), Length::Long);
            spun(short);
            assert_eq!(HISTORY.get(), History::NEW);
            // What ends a spin early is no reason for longer ones, and a deadline none for shorter ones.
            (0..2).for_each(|_| _ = attempts_in_vain());
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
