//! The rules of sleeping and waking.
//!
//! # Rules
//! 1. A *searcher* is a worker that looks for work in the queues of other workers. At most half of
//!    the workers search, and at least two may: a worker that is being woken to search must not
//!    keep the one that has just finished a job from looking for the next one.
//! 2. A thread that adds a job reads the word that counts searchers and sleepers. If workers sleep
//!    and none searches, the thread wakes one of them, which is a searcher from then on. So one job
//!    wakes one worker, and a burst does not wake all at once.
//! 3. A searcher that stops, because it has found a job or needs none any more, wakes another
//!    worker if it was the last searcher: there may be more jobs.
//! 4. A worker that goes to sleep while no worker searches any more looks into all queues once
//!    again, after it has announced its sleep in the word and executed a fence: a heavy one, if
//!    another worker is awake, or may run a user's handler while it sleeps.
//! 5. A searcher looks for a number of rounds before it sleeps: for all of them if it was woken,
//!    because there is work then. Otherwise, each search that finds nothing halves the worker's
//!    number. A search that finds work restores it, and so does a sleep so short that a longer
//!    search would have found work.
//!
//! # No job is forgotten
//! A thread that adds a job executes a fence between the push and its load of the word. A worker's
//! fence is light, and costs nothing on Linux; any other thread's is the processor's. Suppose that
//! the thread wakes no worker. Then it has read a word in which a worker searches, or none sleeps.
//! Let `w` be the first later value of the word in which no worker searches and one sleeps. If a
//! searcher that stopped has written `w`, that searcher wakes another worker (rule 3), which finds
//! the job, or is followed by another word `w`. If a worker that went to sleep has written `w`, it
//! finds the job, or another worker has taken it (rule 4):
//! - If another worker was awake, or may run a handler, the sleeper's heavy fence comes after the
//!   thread's fence.
//! - Otherwise, the thread may be no worker. Then both fences are the processor's, and the
//!   sleeper's comes later.
//! - Or the thread is a worker that slept when `w` was written. The lock puts its push before the
//!   sleeper's look: a worker that was woken later reads `w`, or a later word. The worker may also
//!   have stolen the job in its own last look; then it looks at the word again when it
//!   [leaves](Sleep::leave) the list.
//!
//! # Workers that sleep alone
//! A worker that must not take foreign jobs is not in the list of those that a new job wakes. If
//! all workers sleep in this way, a new job wakes none. Then [`relieve`](Sleep::relieve) is called
//! once, a while after the last of them went to sleep. It wakes one that may take foreign jobs
//! after all, if there is one and all still sleep in this way. That worker searches, and enters the
//! list as others do.
//!
//! # No latch is forgotten
//! An atomic read-modify-write sets a latch, and returns whether the latch's worker sleeps. The
//! worker announces its sleep in the latch before it enters the list, and reads the latch after
//! that. So the waker finds the worker in the list, or the worker has seen the latch.

use aqueduct::fences;

use crate::sync::{AtomicUsize, Mutex, Ordering, Sleeper, fence, park};

/// One searcher in the word. The lower half counts the sleepers.
const SEARCHER: usize = 1 << (usize::BITS / 2);

/// The bit of the word that is set if light fences are not free. It never changes.
const PAYS: usize = 1 << (usize::BITS - 1);

/// The greatest number of workers in a pool.
pub(crate) const MOST: usize = SEARCHER / 2 - 1;

/// Returns the number of searchers in a word.
const fn searchers(word: usize) -> usize {
    (word & !PAYS) / SEARCHER
}

/// Whether a new job has to wake a worker: a worker sleeps, and none searches.
const fn needs_waker(word: usize) -> bool {
    (word & !PAYS).wrapping_sub(1) < MOST
}

/// The state of a worker.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    Awake,
    /// The worker is in the list: a job or a latch can wake it.
    Listed,
    /// The worker sleeps, and leaves foreign work to others. In a pool in which all workers do so,
    /// one that may take foreign work is woken to take it.
    Alone {
        takes_others: bool,
    },
}

/// A worker's place to sleep.
#[derive(Debug)]
#[repr(align(128))]
struct Bed {
    /// Written by the worker, and by its waker under the lock.
    signal: AtomicUsize,
}

/// The values of a signal.
const ASLEEP: usize = 0;
const WOKEN: usize = 1;
const WOKEN_TO_SEARCH: usize = 2;
const RELIEVED: usize = 3;

#[derive(Debug)]
struct List {
    /// The sleepers, the lowest at the end. The lowest is woken first. So the workers that are
    /// woken first, second and so on are those of the burst before, whose caches are warm, and the
    /// system finds each a core of its own.
    order: Vec<usize>,
    workers: Vec<(State, Option<Sleeper>)>,
    /// Number of workers that are awake.
    awake: usize,
    /// True if worker 0 is a guest: a thread that may do other work for any time.
    has_guest: bool,
    /// True if [`relieve`](Sleep::relieve) is about to be called.
    expects_relief: bool,
    /// Worker that was relieved last.
    relieved: usize,
}

impl List {
    /// Returns a worker that may take foreign work, if all workers leave it to others. Workers are
    /// chosen in turn, so that their stacks grow alike.
    fn find_relief(&self) -> Option<usize> {
        // A guest may leave at any time, and does not come back to look.
        let is_guest = |state| usize::from(self.has_guest && self.workers[0].0 == state);
        if self.awake > is_guest(State::Awake) || self.order.len() > is_guest(State::Listed) {
            return None;
        }
        let workers = self.workers.len();
        let in_turn = (1..=workers).map(|distance| (self.relieved + distance) % workers);
        in_turn.into_iter().find(|&index| self.workers[index].0 == State::Alone { takes_others: true })
    }

    /// Marks the worker as awake.
    fn get_up(&mut self, index: usize) -> Option<Sleeper> {
        self.awake += 1;
        let (state, sleeper) = &mut self.workers[index];
        *state = State::Awake;
        sleeper.take()
    }
}

/// The last look of a worker that goes to sleep, into all queues.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[must_use]
pub enum LastLook {
    /// Another worker searches, and has its last look later.
    Needless,
    /// No other worker is awake.
    Alone,
    /// Another worker is awake, and may add jobs.
    Beside,
}

impl LastLook {
    /// Returns the look beside workers that may run a user's handler while they sleep. The handler
    /// may add jobs.
    pub fn beside_handlers(self, are_there: bool) -> Self {
        if self == Self::Alone && are_there { Self::Beside } else { self }
    }

    /// Executes the fence before the look. Returns whether the worker has to look.
    #[inline]
    pub fn begin(self) -> bool {
        match self {
            Self::Needless => return false,
            // Ordering: SeqCst pairs with the fence in `notify_from_outside`: that thread sees the
            // sleeper, or the sleeper sees the job.
            Self::Alone => fence(Ordering::SeqCst),
            // Pairs with the light fence in `notify`, and with the fence in `notify_from_outside`.
            Self::Beside => fences::heavy(),
        }
        true
    }
}

/// The state of all sleeping workers.
#[derive(Debug)]
#[repr(align(128))]
pub struct Sleep {
    /// The numbers of searchers and sleepers. Alone on its line, because each push reads it.
    word: AtomicUsize,
    beds: Box<[Bed]>,
    list: Mutex<List>,
}

impl Sleep {
    /// Makes the state of `workers` workers, which are awake.
    pub fn new(workers: usize) -> Self {
        Self::with_guest(workers, false)
    }

    /// Makes the state of `workers` workers, which are awake. Worker 0 may be a guest: a thread
    /// that may do other work for any time.
    pub(crate) fn with_guest(workers: usize, has_guest: bool) -> Self {
        let is_free = fences::prepare();
        let order = Vec::with_capacity(workers);
        let states = vec![(State::Awake, None); workers];
        let (expects_relief, relieved) = (false, 0);
        let list = List { order, workers: states, awake: workers, has_guest, expects_relief, relieved };
        Self {
            word: AtomicUsize::new(if is_free { 0 } else { PAYS }),
            beds: (0..workers).map(|_| Bed { signal: AtomicUsize::new(ASLEEP) }).collect(),
            list: Mutex::new(list),
        }
    }

    /// Wakes a worker if rule 2 requires it. A worker calls this after it has added a job.
    #[inline(always)]
    pub fn notify(&self) {
        // Pairs with the heavy fence of the last look: this thread sees the sleeper, or the sleeper
        // sees the job.
        fences::free_light();
        // Ordering: Acquire keeps the caller's later writes behind the load (load buffering).
        let word = self.word.load(Ordering::Acquire);
        if word != 0 {
            self.notify_sleeper(word);
        }
    }

    /// Wakes a worker if rule 2 requires it. Any thread may call this after it has added a job.
    pub fn notify_from_outside(&self) {
        // Ordering: SeqCst pairs with both fences of the last look: this thread sees the sleeper,
        // or the sleeper sees the job.
        fence(Ordering::SeqCst);
        // Ordering: Acquire, as in `notify`.
        if needs_waker(self.word.load(Ordering::Acquire)) {
            self.wake_one();
        }
    }

    /// Wakes a worker if rule 2 requires it, by the word that a thread has read after a free fence.
    #[cold]
    fn notify_sleeper(&self, mut word: usize) {
        if word & PAYS != 0 {
            // `free_light` has executed no fence.
            fences::light();
            // Ordering: Acquire, as in `notify`.
            word = self.word.load(Ordering::Acquire);
        }
        if needs_waker(word) {
            self.wake_one();
        }
    }

    /// Wakes a worker as a searcher, if one sleeps and none searches.
    #[cold]
    fn wake_one(&self) {
        let woken = {
            let mut list = self.list.lock();
            // Ordering: Acquire, as in `notify`: the caller's later writes may be relaxed.
            if !needs_waker(self.word.load(Ordering::Acquire)) {
                return;
            }
            let Some(index) = list.order.pop() else { return };
            self.word.fetch_add(SEARCHER - 1, Ordering::Relaxed);
            self.rouse(&mut list, index, WOKEN_TO_SEARCH)
        };
        woken.wake();
    }

    /// Wakes this worker, if it sleeps: its latch is set, or it has a job of its own.
    #[cold]
    pub fn wake(&self, index: usize) {
        let woken = {
            let mut list = self.list.lock();
            match list.workers[index].0 {
                State::Awake => return,
                State::Listed => {
                    list.order.retain(|&other| other != index);
                    // Ordering: Acquire, as in `notify`: the caller's later writes may be relaxed.
                    self.word.fetch_sub(1, Ordering::Acquire);
                }
                State::Alone { .. } => {}
            }
            self.rouse(&mut list, index, WOKEN)
        };
        woken.wake();
    }

    fn rouse(&self, list: &mut List, index: usize, signal: usize) -> Sleeper {
        let sleeper = list.get_up(index);
        // Ordering: Release pairs with the Acquire in `sleep`; without it, a woken searcher may not
        // see the jobs that its waker has seen.
        self.beds[index].signal.store(signal, Ordering::Release);
        sleeper.expect("it sleeps")
    }

    /// Makes the worker a searcher, unless enough others search.
    pub fn start_search(&self) -> bool {
        let most = (self.beds.len() / 2).max(2);
        let word = self.word.load(Ordering::Relaxed);
        if searchers(word) >= most {
            return false;
        }
        // More workers may search for a moment, which only affects the cost.
        // Ordering: Release keeps the write behind relaxed reads of this thread, such as that of an
        // `Arc`'s drop (load buffering).
        self.word.fetch_add(SEARCHER, Ordering::Release);
        true
    }

    /// Stops a search, because the searcher has found a job or needs none any more.
    pub fn stop_search(&self) {
        // Ordering: Release and Acquire pass this thread's view of jobs on to the worker that it
        // wakes.
        let before = self.word.fetch_sub(SEARCHER, Ordering::AcqRel);
        if needs_waker(before - SEARCHER) {
            self.wake_one();
        }
    }

    /// Registers the worker, a searcher or not, as asleep. Its last look comes next.
    pub fn enter(&self, index: usize, is_searcher: bool) -> LastLook {
        let mut list = self.list.lock();
        self.lie_down(&mut list, index, State::Listed);
        let place = list.order.partition_point(|&other| other > index);
        list.order.insert(place, index);
        let before = if is_searcher {
            self.word.fetch_sub(SEARCHER - 1, Ordering::Relaxed) - SEARCHER
        } else {
            self.word.fetch_add(1, Ordering::Relaxed)
        };
        match searchers(before) {
            0 if list.awake == 0 => LastLook::Alone,
            0 => LastLook::Beside,
            _ => LastLook::Needless,
        }
    }

    /// Registers a non-searching worker as a sleeper that leaves foreign work to others.
    ///
    /// Returns true if all workers do so now. Then the caller has to have
    /// [`relieve`](Self::relieve) called.
    #[must_use]
    pub fn enter_alone(&self, index: usize, takes_others: bool) -> bool {
        let mut list = self.list.lock();
        self.lie_down(&mut list, index, State::Alone { takes_others });
        let needs_relief = !list.expects_relief && list.find_relief().is_some();
        list.expects_relief |= needs_relief;
        needs_relief
    }

    /// If all workers leave foreign work to others, wakes one of them that takes it, if there is
    /// one.
    pub fn relieve(&self) {
        let woken = {
            let mut list = self.list.lock();
            list.expects_relief = false;
            let Some(index) = list.find_relief() else { return };
            list.relieved = index;
            self.rouse(&mut list, index, RELIEVED)
        };
        woken.wake();
    }

    /// Wakes all workers that leave foreign work to others.
    #[cold]
    pub fn wake_those_alone(&self) {
        let woken: Vec<_> = {
            let mut list = self.list.lock();
            let is_alone = |index: &usize| matches!(list.workers[*index].0, State::Alone { .. });
            let alone: Vec<_> = (0..list.workers.len()).filter(is_alone).collect();
            alone.into_iter().map(|index| self.rouse(&mut list, index, WOKEN)).collect()
        };
        woken.iter().for_each(Sleeper::wake);
    }

    fn lie_down(&self, list: &mut List, index: usize, state: State) {
        debug_assert_eq!(list.workers[index].0, State::Awake);
        list.awake -= 1;
        list.workers[index] = (state, Some(Sleeper::current()));
        self.beds[index].signal.store(ASLEEP, Ordering::Relaxed);
    }

    /// Takes the worker out of the list, because it does not sleep after all. It is not a searcher
    /// afterwards, and wakes another worker if it has found a job and no worker searches.
    pub fn leave(&self, index: usize, has_found: bool) {
        let was_woken_to_search = {
            let mut list = self.list.lock();
            match list.workers[index].0 {
                State::Listed => {
                    list.order.retain(|&other| other != index);
                    self.word.fetch_sub(1, Ordering::Relaxed);
                    list.get_up(index);
                    false
                }
                State::Alone { .. } => {
                    list.get_up(index);
                    false
                }
                State::Awake => self.beds[index].signal.load(Ordering::Relaxed) == WOKEN_TO_SEARCH,
            }
        };
        if was_woken_to_search {
            self.stop_search();
        } else if has_found && needs_waker(self.word.load(Ordering::Relaxed)) {
            self.wake_one();
        }
    }

    /// Sleeps until the worker is woken. Returns whether the worker is a searcher now.
    pub fn sleep(&self, index: usize) -> bool {
        self.signal_of(index) == WOKEN_TO_SEARCH
    }

    /// Sleeps until the worker is woken. Returns whether it has to take foreign work now.
    pub fn sleep_alone(&self, index: usize) -> bool {
        self.signal_of(index) == RELIEVED
    }

    /// Sleeps until the worker is woken. Returns how it was woken.
    fn signal_of(&self, index: usize) -> usize {
        loop {
            // Ordering: Acquire pairs with the Release in `rouse`.
            match self.beds[index].signal.load(Ordering::Acquire) {
                ASLEEP => park(),
                signal => return signal,
            }
        }
    }
}
