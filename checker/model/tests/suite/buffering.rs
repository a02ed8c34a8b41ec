//! Load buffering: reads that could read from a consequence of later writes of their threads.

use std::alloc::Layout;
use std::sync::Arc;

use aqueduct_model::alloc::{alloc, dealloc};
use aqueduct_model::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicUsize, Ordering, fence, light_fence};
use aqueduct_model::{Config, thread};

/// Two locations.
type Pair = Arc<[AtomicUsize; 2]>;

/// Returns the number of pairs, those that are known to be exchangeable among them, of two threads
/// that share two locations.
fn pairs(one: fn(&[AtomicUsize; 2]), other: fn(&[AtomicUsize; 2])) -> (usize, usize) {
    let count = |jobs: usize| {
        let report = Config::new().load_buffering(true).jobs(jobs).check(move || {
            let both: Pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
            let shared = Arc::clone(&both);
            let handle = thread::spawn(move || one(&shared));
            other(&both);
            handle.join().unwrap();
        });
        assert!(report.exhaustive, "{report}");
        let pairs = report.load_buffering.expect("it was asked for");
        (pairs.len(), pairs.iter().filter(|pair| pair.follows).count())
    };
    let counts = count(1);
    assert_eq!(counts, count(2), "on two threads");
    counts
}

/// Reads the first location and writes the second, whatever was read.
fn forwards(x: &[AtomicUsize; 2]) {
    x[0].load(Relaxed);
    x[1].store(1, Relaxed);
}

/// Reads the second location and writes the first.
fn backwards(x: &[AtomicUsize; 2]) {
    x[1].load(Relaxed);
    x[0].store(1, Relaxed);
}

#[test]
fn two_relaxed_reads_before_relaxed_writes_can_both_be_exchanged() {
    assert_eq!(pairs(forwards, backwards), (2, 2));
}

#[test]
fn what_keeps_the_order_of_one_thread_leaves_no_cycle() {
    let kept: [fn(&[AtomicUsize; 2]); 7] = [
        |x| {
            x[1].load(Acquire);
            x[0].store(1, Relaxed);
        },
        |x| {
            x[1].load(Relaxed);
            x[0].store(1, Release);
        },
        |x| {
            x[1].load(Relaxed);
            fence(Acquire);
            x[0].store(1, Relaxed);
        },
        |x| {
            x[1].load(Relaxed);
            fence(Release);
            x[0].store(1, Relaxed);
        },
        |x| {
            x[1].fetch_add(0, SeqCst);
            x[0].store(1, Relaxed);
        },
        |x| {
            x[1].load(Relaxed);
            x[0].swap(1, AcqRel);
        },
        |x| {
            x[0].store(1, Relaxed);
            x[1].load(Relaxed);
        },
    ];
    for (index, &other) in kept.iter().enumerate() {
        // The other thread's pair is kept by nothing, so the cycle is made by it alone, if at all.
        let ordered = |x: &[AtomicUsize; 2]| {
            x[0].load(Acquire);
            x[1].store(1, Relaxed);
        };
        assert_eq!(pairs(ordered, other), (0, 0), "{index}");
    }
}

/// A dependency that only compilers see does not order a processor's accesses.
#[test]
fn a_light_fence_keeps_no_order() {
    let light = |x: &[AtomicUsize; 2]| {
        x[1].load(Relaxed);
        light_fence(SeqCst);
        x[0].store(1, Relaxed);
    };
    assert_eq!(pairs(forwards, light), (2, 2));
}

#[test]
fn an_order_that_is_kept_in_one_thread_leaves_the_read_of_the_other() {
    let kept = |x: &[AtomicUsize; 2]| {
        x[1].load(Acquire);
        x[0].store(1, Relaxed);
    };
    assert_eq!(pairs(forwards, kept), (1, 1));
    let released = |x: &[AtomicUsize; 2]| {
        x[1].load(Relaxed);
        x[0].store(1, Release);
    };
    assert_eq!(pairs(forwards, released), (1, 1));
    // Then the second thread's write happens after the first one's read.
    let synchronizes = |x: &[AtomicUsize; 2]| {
        x[0].load(Relaxed);
        x[1].store(1, Release);
    };
    assert_eq!(pairs(synchronizes, kept), (0, 0));
}

/// Values that depend on each other would come out of thin air.
#[test]
fn writes_that_depend_on_the_reads_stay_behind_them() {
    let copies = [
        |x: &[AtomicUsize; 2]| x[1].store(x[0].load(Relaxed), Relaxed),
        |x: &[AtomicUsize; 2]| x[0].store(x[1].load(Relaxed), Relaxed),
    ];
    assert_eq!(pairs(copies[0], copies[1]), (0, 0), "by value");
    let branches = [
        |x: &[AtomicUsize; 2]| {
            if x[0].load(Relaxed) == 1 {
                x[1].store(1, Relaxed);
            }
        },
        |x: &[AtomicUsize; 2]| {
            if x[1].load(Relaxed) == 1 {
                x[0].store(1, Relaxed);
            }
        },
    ];
    assert_eq!(pairs(branches[0], branches[1]), (0, 0), "by a branch");
    // No execution of RC11 has there the value of the cycle, so the dependency is unknown.
    assert_eq!(pairs(copies[0], backwards), (1, 0), "one of the two");
    assert_eq!(pairs(branches[0], backwards), (1, 0), "one of the two");
}

/// A branch whose two ways have an equal write is not a dependency: compilers drop it.
#[test]
fn a_branch_with_equal_ends_keeps_no_order() {
    let either = |x: &[AtomicUsize; 2]| match x[0].load(Relaxed) {
        0 => x[1].store(1, Relaxed),
        value => x[1].store(value / value, Relaxed),
    };
    assert_eq!(pairs(either, backwards), (2, 2));
}

/// The two halves of a read-modify-write are one; later accesses are not kept behind a relaxed one.
#[test]
fn a_relaxed_read_modify_write_is_a_read_that_can_be_exchanged() {
    let adds = |x: &[AtomicUsize; 2]| {
        x[0].fetch_add(2, Relaxed);
        x[1].store(1, Relaxed);
    };
    assert_eq!(pairs(adds, backwards), (2, 2));
    let only = [
        |x: &[AtomicUsize; 2]| {
            x[0].fetch_add(1, Relaxed);
            x[1].fetch_add(1, Relaxed);
        },
        |x: &[AtomicUsize; 2]| {
            x[1].fetch_add(1, Relaxed);
            x[0].fetch_add(1, Relaxed);
        },
    ];
    assert_eq!(pairs(only[0], only[1]), (2, 0));
}

/// A thread's accesses to some locations.
type Part = fn(&[AtomicUsize; 4]);

/// Returns the number of pairs of threads that share some locations. The main thread reads these
/// after their end.
fn pairs_of(threads: &[Part], last: Part) -> usize {
    let threads = threads.to_vec();
    let report = Config::new().load_buffering(true).check(move || {
        let all = Arc::new([0; 4].map(AtomicUsize::new));
        let begin = |&thread: &Part| {
            let all = Arc::clone(&all);
            thread::spawn(move || thread(&all))
        };
        let handles: Vec<_> = threads.iter().map(begin).collect();
        handles.into_iter().for_each(|handle| handle.join().unwrap());
        last(&all);
    });
    assert!(report.exhaustive, "{report}");
    report.load_buffering.expect("it was asked for").len()
}

/// Reads after the cycle read values of their time.
#[test]
fn a_later_look_at_the_location_of_an_early_read_modify_write_hides_nothing() {
    let late: Part = |x| {
        x[1].load(Acquire);
        x[0].store(1, Release);
    };
    let early: [Part; 4] = [
        |x| {
            x[0].swap(2, Relaxed);
            x[1].store(1, Relaxed);
        },
        |x| {
            x[0].fetch_add(2, Relaxed);
            x[1].store(1, Relaxed);
        },
        |x| {
            _ = x[0].compare_exchange(0, 2, Relaxed, Relaxed);
            x[1].store(1, Relaxed);
        },
        |x| {
            x[0].load(Relaxed);
            x[1].store(1, Relaxed);
            x[0].load(Relaxed);
        },
    ];
    for (index, &early) in early.iter().enumerate() {
        assert_eq!(pairs_of(&[early, late], |_| {}), 1, "{index}, without a look");
        assert_eq!(pairs_of(&[early, late], |x| _ = x[0].load(Relaxed)), 1, "{index}, with a look");
    }
}

/// Where the early one did not come first, a compare-exchange succeeds that fails in all executions
/// of RC11.
#[test]
fn a_compare_exchange_that_fails_only_because_of_an_early_one_could_have_been_first() {
    let early: Part = |x| {
        x[0].fetch_add(1, Relaxed);
        x[1].store(1, Relaxed);
    };
    let late: Part = |x| {
        if x[1].load(Acquire) == 1 {
            _ = x[0].compare_exchange(0, 5, Release, Relaxed);
        }
    };
    assert_eq!(pairs_of(&[early, late], |_| {}), 1);
    let never: Part = |x| {
        if x[1].load(Acquire) == 1 {
            _ = x[0].compare_exchange(7, 5, Release, Relaxed);
        }
    };
    assert_eq!(pairs_of(&[early, never], |_| {}), 0);
}

#[test]
fn a_compare_exchange_that_acquires_only_if_it_succeeds_can_fail_late() {
    let early: Part = |x| {
        _ = x[0].compare_exchange(0, 2, Acquire, Relaxed);
        x[1].store(1, Relaxed);
    };
    let late: Part = |x| {
        x[1].load(Acquire);
        x[0].store(1, Release);
    };
    assert_eq!(pairs_of(&[early, late], |_| {}), 1);
}

/// With the value of the cycle, all executions of RC11 find another value at the second read.
#[test]
fn a_write_that_depends_on_another_read_only_does_not_depend_on_the_first() {
    let early: Part = |x| {
        x[0].load(Relaxed);
        let copied = x[2].load(Relaxed);
        x[1].store(copied, Relaxed);
    };
    let late: Part = |x| {
        if x[1].load(Acquire) == 5 {
            x[0].store(1, Relaxed);
        }
    };
    let one_or_the_other: Part = |x| match x[3].load(Relaxed) {
        0 => x[2].store(5, Relaxed),
        _ => x[0].store(1, Relaxed),
    };
    assert_eq!(pairs_of(&[early, late, one_or_the_other, |x| x[3].store(1, Relaxed)], |_| {}), 1);
}

/// A later fence then acquires nothing from the other write of that value.
#[test]
fn an_equal_value_from_a_write_that_releases_nothing_is_another() {
    let sends: Part = |x| {
        x[3].store(1, Relaxed);
        x[0].store(1, Release);
    };
    let passes: Part = |x| {
        if x[0].load(Relaxed) == 1 {
            x[2].store(1, Release);
        }
    };
    let early: Part = |x| {
        if x[2].load(Acquire) == 1 {
            x[0].load(Relaxed);
            x[1].store(1, Relaxed);
            fence(Acquire);
            x[3].load(Relaxed);
        }
    };
    let late: Part = |x| {
        if x[1].load(Acquire) == 1 {
            x[0].store(1, Relaxed);
        }
    };
    assert_eq!(pairs_of(&[sends, passes, early, late], |_| {}), 1);
}

/// A read of the later write comes before no write that the other fence is behind.
#[test]
fn an_equal_value_orders_fences_in_another_way() {
    let early: Part = |x| {
        x[3].store(1, Relaxed);
        fence(SeqCst);
        x[0].load(Relaxed);
        x[1].store(1, Relaxed);
    };
    let passes: Part = |x| {
        if x[1].load(Acquire) == 1 {
            x[2].store(1, Relaxed);
        }
    };
    let late: Part = |x| {
        if x[2].load(Acquire) == 1 {
            x[0].store(0, Relaxed);
            fence(SeqCst);
            x[3].load(Relaxed);
        }
    };
    assert_eq!(pairs_of(&[early, passes, late], |_| {}), 1);
}

#[test]
fn the_report_says_where_and_why() {
    let program = || {
        let x: Pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let y = Arc::clone(&x);
        thread::spawn(move || forwards(&y));
        backwards(&x);
    };
    let report = Config::new().load_buffering(true).check(program);
    let text = report.to_string();
    assert!(text.contains("load buffering: the read at ") && text.contains("buffering.rs:"), "{text}");
    let none = Config::new().load_buffering(true).check(|| {
        let x = Arc::new(AtomicUsize::new(0));
        let y = Arc::clone(&x);
        thread::spawn(move || y.store(1, Ordering::Relaxed));
        x.load(Relaxed);
    });
    assert!(none.to_string().ends_with("no load buffering"), "{none}");
    assert_eq!(Config::new().check(program).load_buffering, None);
}

/// A place that the read chooses is a dependency, where the checker knows the places from one
/// execution to the next.
#[test]
fn a_write_to_a_place_that_depends_on_the_read_stays_behind_it() {
    type Three = [AtomicUsize; 3];
    let count = |forwards: fn(&Three)| {
        let report = Config::new().load_buffering(true).check(move || {
            // SAFETY: A layout that is not empty.
            let memory = unsafe { alloc(Layout::new::<Three>()) }.cast::<Three>();
            // SAFETY: The memory is that of the layout, and no other thread has it yet.
            unsafe { memory.write([0; 3].map(AtomicUsize::new)) };
            // SAFETY: It was just written, and both threads have ended before it is freed.
            let x: &'static Three = unsafe { &*memory };
            let handle = thread::spawn(move || forwards(x));
            x[1].load(Relaxed);
            x[0].store(1, Relaxed);
            handle.join().unwrap();
            // SAFETY: It was allocated with this layout, and no thread has it any more.
            unsafe { dealloc(memory.cast(), Layout::new::<Three>()) };
        });
        report.load_buffering.expect("it was asked for").len()
    };
    assert_eq!(count(|x| x[1 + x[0].load(Relaxed)].store(7, Relaxed)), 0, "another place for each value");
    assert_eq!(count(|x| x[1 + x[0].load(Relaxed) / 2].store(7, Relaxed)), 2, "one place for both values");
}

/// Returns the number of pairs of three threads. If the second one finds in `inbox` the message of
/// the first, it reads and then writes whatever it reads. Under RC11, that read finds a 1 only
/// without the message.
fn pairs_behind<M: Default + Send + Sync + 'static>(send: fn(&M), has_message: fn(&M) -> bool) -> usize {
    let report = Config::new().load_buffering(true).check(move || {
        let both: Pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let inbox = Arc::new(M::default());
        let (x, messages) = (Arc::clone(&both), Arc::clone(&inbox));
        thread::spawn(move || {
            x[0].store(1, Relaxed);
            x[0].store(0, Relaxed);
            send(&messages);
        });
        let x = Arc::clone(&both);
        thread::spawn(move || {
            let message = has_message(&inbox);
            x[0].load(Relaxed);
            if message {
                x[1].store(1, Relaxed);
            }
        });
        if both[1].load(Relaxed) == 1 {
            both[0].store(1, Relaxed);
        }
    });
    assert!(report.exhaustive, "{report}");
    report.load_buffering.expect("it was asked for").len()
}

/// A value behind a lock, without an event of the model, decides whether the write follows.
#[test]
fn what_a_lock_protects_belongs_to_the_past_of_its_reader() {
    use aqueduct_model::sync::Mutex;
    let send = |inbox: &Mutex<bool>| *inbox.lock().unwrap() = true;
    assert_eq!(pairs_behind(send, |inbox| *inbox.lock().unwrap()), 1);
}

/// A message in memory that is not a cell of the model, behind a lock of the program's own.
#[derive(Default)]
struct Plain {
    locked: AtomicUsize,
    message: std::cell::UnsafeCell<bool>,
}

// SAFETY: Only `with`, behind the lock, has the message.
unsafe impl Sync for Plain {}

impl Plain {
    /// Returns the result of `then` for the message, if the lock is open.
    fn with<R>(&self, then: impl FnOnce(&mut bool) -> R) -> Option<R> {
        self.locked.compare_exchange(0, 1, Acquire, Relaxed).ok()?;
        // SAFETY: The exchange and the store below keep others out.
        let result = then(unsafe { &mut *self.message.get() });
        self.locked.store(0, Release);
        Some(result)
    }
}

#[test]
fn what_no_event_shows_belongs_to_the_past_of_its_reader() {
    let send = |inbox: &Plain| _ = inbox.with(|message| *message = true);
    assert_eq!(pairs_behind(send, |inbox| inbox.with(|message| *message) == Some(true)), 1);
}

/// A client of the minimizer may forbid load buffering as it forbids failures.
#[test]
fn an_ordering_that_only_load_buffering_needs_is_needed_if_that_is_asked() {
    use aqueduct_model::minimal::{Client, Minimizer};
    let program = || {
        let x: Pair = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
        let y = Arc::clone(&x);
        thread::spawn(move || {
            y[0].load(Acquire);
            y[1].store(1, Relaxed);
        });
        x[1].load(Acquire);
        x[0].store(1, Relaxed);
    };
    let too_strong = |client: Client| {
        let table = Minimizer::new(Config::new(), vec![client]).table().expect("it passes");
        table.too_strong().count()
    };
    assert_eq!(too_strong(Client::new("loads", program)), 2);
    assert_eq!(too_strong(Client::new("loads", program).against_load_buffering()), 0);
}
