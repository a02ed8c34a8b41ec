//! Locks whose threads wait on words of an array, of nodes, or of a futex, and a sequence lock.

use aqueduct_model::await_until;
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};

use super::{Lock, ended, executions, zeros};

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

/// Linux's lock of Mellor-Crummey and Scott. A node is named by its number; 0 is none.
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
