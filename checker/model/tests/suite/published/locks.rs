//! Locks and a barrier: threads wait on words of their own, of an array, of nodes, or of a futex.
//! And a sequence lock.

use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};
use aqueduct_model::{await_until, cell};

use super::{ended, executions, zeros};

/// A lock's word or words, and the guarded cell.
struct Lock {
    words: [AtomicUsize; 2],
    guarded: cell::UnsafeCell<usize>,
}

impl Lock {
    fn new() -> Self {
        Self { words: zeros(), guarded: cell::UnsafeCell::new(0) }
    }

    fn write(&self) {
        // SAFETY: The caller holds the lock.
        self.guarded.with_mut(|guarded| unsafe { *guarded = 1 });
    }
}

// SAFETY: The checker finds races on the cell.
unsafe impl Sync for Lock {}

#[test]
fn ticket_locks() {
    let run = |lock: &Lock| {
        let [next, owner] = &lock.words;
        let ticket = next.fetch_add(1, Relaxed);
        await_until(|| owner.load(Acquire) == ticket);
        lock.write();
        owner.store(owner.load(Relaxed) + 1, Release);
    };
    // ticketlock: 2.
    assert_eq!(executions(Lock::new, &[run, run]), 2);
}

#[test]
fn locks_that_test_and_exchange() {
    let run = |lock: &Lock| {
        let [word, _] = &lock.words;
        await_until(|| word.load(Relaxed) == 0 && word.compare_exchange(0, 1, Acquire, Acquire).is_ok());
        lock.write();
        word.store(0, Release);
    };
    // spinlock: 4.
    assert_eq!(executions(Lock::new, &[run, run]), 4);
    let run = |lock: &Lock| {
        let [word, _] = &lock.words;
        await_until(|| word.load(Relaxed) == 0 && word.swap(1, Acquire) == 0);
        lock.write();
        word.store(0, Release);
    };
    // ttaslock: 4. A round whose exchange writes what it has read has changed nothing.
    assert_eq!(executions(Lock::new, &[run, run]), 4);
}

#[test]
fn a_barrier_of_two() {
    let wait = |lock: &Lock| {
        let [waiting, step] = &lock.words;
        let before = step.load(SeqCst);
        if waiting.fetch_add(1, SeqCst) == 1 {
            waiting.store(0, SeqCst);
            step.fetch_add(1, SeqCst);
        } else {
            await_until(|| step.load(SeqCst) != before);
        }
    };
    // barrier: 2.
    assert_eq!(executions(Lock::new, &[wait, wait]), 2);
}

#[test]
fn linuxs_locks_of_readers_and_writers() {
    const BIAS: usize = 0x10_0000;
    fn lock(lock: &Lock, weight: usize, is_free: fn(usize) -> bool) {
        let word = &lock.words[0];
        while !is_free(word.fetch_sub(weight, Acquire)) {
            word.fetch_add(weight, Relaxed);
            await_until(|| is_free(word.load(Relaxed)));
        }
    }
    let run = |shared: &Lock| {
        let word = &shared.words[0];
        lock(shared, 1, |before| before.cast_signed() > 0);
        // SAFETY: Readers share.
        shared.guarded.with(|guarded| unsafe { *guarded });
        word.fetch_add(1, Release);
        lock(shared, BIAS, |before| before == BIAS);
        shared.write();
        word.fetch_add(BIAS, Release);
    };
    let shared = || {
        let lock = Lock::new();
        Lock { words: [AtomicUsize::new(BIAS), AtomicUsize::new(0)], ..lock }
    };
    // linuxrwlocks: 14. GenMC blocks a round whose additions cancel out; here other threads see
    // them.
    assert_eq!(executions(shared, &[run, run]), 222);
}

/// A ticket lock with an array of words, on which those wait that are not next.
#[test]
fn ticket_locks_with_a_waiting_array() {
    struct Array {
        lock: Lock,
        words: [AtomicUsize; 8],
    }
    let run = |array: &Array| {
        let [next, owner] = &array.lock.words;
        let ticket = next.fetch_add(1, Relaxed);
        let ahead = |owner: usize| ticket - owner;
        let first = ahead(owner.load(Acquire));
        if first > 1 {
            let word = &array.words[ticket];
            let mut before = word.load(Acquire);
            while ahead(owner.load(Relaxed)) > 1 {
                await_until(|| word.load(Acquire) != before);
                before = word.load(Acquire);
            }
        }
        if first > 0 {
            await_until(|| owner.load(Acquire) == ticket);
        }
        array.lock.write();
        let following = owner.load(Relaxed) + 1;
        owner.store(following, Release);
        array.words[following + 1].fetch_add(1, Release);
    };
    // twalock: 4.
    assert_eq!(executions(|| Array { lock: Lock::new(), words: zeros() }, &[run, run]), 4);
}

/// Linux's sequence lock: one writer and one reader, which reads again if the number has changed.
#[test]
fn sequence_locks() {
    struct Sequence {
        number: AtomicUsize,
        shared: AtomicUsize,
        lock: Mutex<()>,
    }
    let read = |sequence: &Sequence| {
        await_until(|| {
            let before = sequence.number.load(Relaxed);
            if before % 2 == 1 {
                return false;
            }
            fence(AcqRel);
            sequence.shared.load(Relaxed);
            fence(AcqRel);
            sequence.number.load(SeqCst) == before
        });
    };
    let write = |sequence: &Sequence| {
        let _guard = sequence.lock.lock();
        sequence.number.fetch_add(1, SeqCst);
        fence(AcqRel);
        sequence.shared.store(42, Relaxed);
        fence(AcqRel);
        sequence.number.fetch_add(1, SeqCst);
    };
    let shared = || Sequence { number: AtomicUsize::new(0), shared: AtomicUsize::new(0), lock: Mutex::new(()) };
    // seqlock-atomic: 2.
    assert_eq!(executions(shared, &[read, write]), 2);
}

/// Linux's lock of Mellor-Crummey and Scott. A node is named by its number; 0 stands for no node.
#[test]
fn locks_of_mellor_crummey_and_scott() {
    struct Queued {
        last: AtomicUsize,
        next: [AtomicUsize; 3],
        is_locked: [AtomicUsize; 3],
        lock: Lock,
    }
    fn run<const NODE: usize>(shared: &Queued) {
        shared.is_locked[NODE].store(0, Relaxed);
        shared.next[NODE].store(0, Relaxed);
        let before = shared.last.swap(NODE, AcqRel);
        if before != 0 {
            shared.next[before].store(NODE, Relaxed);
            await_until(|| shared.is_locked[NODE].load(Acquire) != 0);
        }
        shared.lock.write();
        let mut next = shared.next[NODE].load(Relaxed);
        if next == 0 {
            if shared.last.compare_exchange(NODE, 0, Release, Relaxed).is_ok() {
                return;
            }
            await_until(|| {
                next = shared.next[NODE].load(Relaxed);
                next != 0
            });
        }
        shared.is_locked[next].store(1, Release);
    }
    let shared = || Queued { last: AtomicUsize::new(0), next: zeros(), is_locked: zeros(), lock: Lock::new() };
    // mcs_spinlock: 6.
    assert_eq!(ended(shared, &[run::<1>, run::<2>]), 6);
}

/// Linux's queued lock. The lowest byte of its word is set if it is taken, the next one if a thread
/// waits for that alone, and the rest is the last thread of a queue behind that one.
struct Pending {
    word: AtomicUsize,
    next: [AtomicUsize; 4],
    is_first: [AtomicUsize; 4],
    lock: Lock,
}

impl Pending {
    const TAKEN: usize = 1;
    const WAITS: usize = 1 << 8;
    const NODE: u32 = 16;

    fn new() -> Self {
        Self { word: AtomicUsize::new(0), next: zeros(), is_first: zeros(), lock: Lock::new() }
    }

    fn lock(&self, node: usize) {
        let Err(mut seen) = self.word.compare_exchange(0, Self::TAKEN, Acquire, Relaxed) else { return };
        if seen == Self::WAITS {
            await_until(|| {
                seen = self.word.load(Relaxed);
                seen != Self::WAITS
            });
        }
        while seen & !Self::TAKEN == 0 {
            let new = if seen == 0 { Self::TAKEN } else { Self::TAKEN | Self::WAITS };
            match self.word.compare_exchange(seen, new, Acquire, Acquire) {
                Ok(0) => return,
                Ok(_) => {
                    await_until(|| self.word.load(Acquire) & Self::TAKEN == 0);
                    self.word.fetch_sub(Self::WAITS - Self::TAKEN, Relaxed);
                    return;
                }
                Err(now) => seen = now,
            }
        }
        self.queue(node);
    }

    fn queue(&self, node: usize) {
        self.is_first[node].store(0, Relaxed);
        self.next[node].store(0, Relaxed);
        let mut seen = self.word.load(Relaxed);
        if seen == 0 && self.word.compare_exchange(0, Self::TAKEN, Acquire, Relaxed).is_ok() {
            return;
        }
        await_until(|| {
            seen = self.word.load(Relaxed);
            let new = seen & ((1 << Self::NODE) - 1) | node << Self::NODE;
            self.word.compare_exchange(seen, new, AcqRel, Relaxed).is_ok()
        });
        let before = seen >> Self::NODE;
        if before != 0 {
            self.next[before].store(node, Relaxed);
            await_until(|| self.is_first[node].load(Acquire) != 0);
        }
        await_until(|| {
            seen = self.word.load(Acquire);
            seen & (Self::TAKEN | Self::WAITS) == 0
        });
        if seen >> Self::NODE == node && self.word.compare_exchange(seen, Self::TAKEN, Acquire, Relaxed).is_ok() {
            return;
        }
        self.word.fetch_or(Self::TAKEN, Relaxed);
        let mut next = 0;
        await_until(|| {
            next = self.next[node].load(Relaxed);
            next != 0
        });
        self.is_first[next].store(1, Release);
    }

    fn run<const NODE: usize>(&self) {
        self.lock(NODE);
        self.lock.write();
        self.word.fetch_sub(Self::TAKEN, Release);
    }
}

#[test]
fn linuxs_queued_locks() {
    // qspinlock: 6.
    assert_eq!(executions(Pending::new, &[Pending::run::<1>, Pending::run::<2>]), 6);
    // Only three threads need the queue, and no number is published for them. A node is set up by
    // relaxed stores, which may come last, so that in other executions one thread waits forever.
    let three = [Pending::run::<1>, Pending::run::<2>, Pending::run::<3>];
    assert_eq!(ended(Pending::new, &three), 330);
}

/// A lock whose threads sleep on a futex.
#[test]
fn locks_that_sleep() {
    let run = |lock: &Lock| {
        let [word, signal] = &lock.words;
        if word.compare_exchange(0, 1, Acquire, Acquire).is_err() {
            loop {
                let _ = word.compare_exchange(1, 2, Relaxed, Relaxed);
                let before = signal.load(Acquire);
                if word.load(Acquire) == 2 {
                    await_until(|| signal.load(Acquire) != before);
                }
                if word.compare_exchange(0, 2, Acquire, Acquire).is_ok() {
                    break;
                }
            }
        }
        lock.write();
        if word.compare_exchange(1, 0, Release, Relaxed).is_err() {
            word.store(0, Release);
            signal.fetch_add(1, Release);
        }
    };
    // mutex: 12.
    assert_eq!(executions(Lock::new, &[run, run]), 12);
}
