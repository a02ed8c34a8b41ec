//! A lock whose threads wait on words of an array, and a sequence lock.

use aqueduct_model::await_until;
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, fence};

use super::{Lock, executions, zeros};

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
