//! Clients in the model: right objects pass in all executions, faulty ones are found.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize as NativeUsize, Ordering as NativeOrdering};

use aqueduct_model::linearizability::QueueOp::{self, Pop, Push};
use aqueduct_model::linearizability::QueueResult::{self, Busy, Empty, Full, Popped, Pushed};
use aqueduct_model::linearizability::{
    Deque, DequeOp, DropOld, Fifo, History, Register, RegisterOp, RegisterResult, Spec, Spurious, Stack,
};
use aqueduct_model::sync::Mutex;
use aqueduct_model::sync::atomic::AtomicUsize;
use aqueduct_model::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::{Config, Failure, MemoryModel, thread};

use crate::support::failure;

/// Runs the bodies as threads, after `first` and before the check.
fn client<S, O>(spec: S, object: O, first: fn(&History<S>, &O), bodies: &[fn(&History<S>, &O)])
where
    S: Spec + 'static,
    O: 'static,
{
    let shared = Arc::new((History::new(spec), object));
    first(&shared.0, &shared.1);
    let threads: Vec<_> = (bodies.iter())
        .map(|&body| {
            let shared = Arc::clone(&shared);
            thread::spawn(move || body(&shared.0, &shared.1))
        })
        .collect();
    threads.into_iter().for_each(|thread| thread.join().unwrap());
    shared.0.check();
}

/// Returns the failure, which must be one of linearizability.
fn broken(program: impl Fn() + Send + Sync + Clone + 'static) -> Failure {
    let failure = failure(program).expect("the object is broken");
    assert!(failure.message.contains("the history is not linearizable"), "{failure}");
    failure
}

/// Asserts that the program passes in all executions, and returns their number.
fn right(program: impl Fn() + Send + Sync + 'static) -> u64 {
    let report = Config::new().check(program);
    assert!(report.failure.is_none(), "{}", report.failure.unwrap());
    assert!(report.exhaustive);
    report.executions
}

/// A queue behind a lock.
type Locked = Mutex<VecDeque<usize>>;

fn push_locked(queue: &Locked, item: usize) -> QueueResult<usize> {
    queue.lock().unwrap().push_back(item);
    Pushed
}

fn pop_locked(queue: &Locked) -> QueueResult<usize> {
    queue.lock().unwrap().pop_front().into()
}

#[test]
fn a_queue_behind_a_lock() {
    let recorded = right(|| {
        client(
            Fifo::new(),
            Locked::default(),
            |_, _| (),
            &[
                |history, queue| {
                    history.call(Push(1), || push_locked(queue, 1));
                    history.call(Push(2), || push_locked(queue, 2));
                },
                |history, queue| {
                    history.call(Push(3), || push_locked(queue, 3));
                },
                |history, queue| {
                    history.call(Pop, || pop_locked(queue));
                    history.call(Pop, || pop_locked(queue));
                },
            ],
        );
    });
    let bare = right(|| {
        let queue = Arc::new(Locked::default());
        let bodies: [fn(&Locked); 3] = [
            |queue| {
                push_locked(queue, 1);
                push_locked(queue, 2);
            },
            |queue| {
                push_locked(queue, 3);
            },
            |queue| {
                pop_locked(queue);
                pop_locked(queue);
            },
        ];
        let threads = bodies.map(|body| {
            let queue = Arc::clone(&queue);
            thread::spawn(move || body(&queue))
        });
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    // Five critical sections of three threads in any order that the threads allow: 5! / (2! 1! 2!).
    assert_eq!((recorded, bare), (30, 30), "a history costs no executions");
}

/// Its lock lets newer items overtake older ones.
#[test]
fn a_queue_that_is_a_stack() {
    let program = |spec: Fifo<usize>| {
        client(
            spec,
            Locked::default(),
            |history, queue| {
                history.call(Push(1), || push_locked(queue, 1));
                history.call(Push(2), || push_locked(queue, 2));
            },
            &[|history, queue| {
                history.call(Pop, || queue.lock().unwrap().pop_back().into());
            }],
        );
    };
    broken(move || program(Fifo::new()));
}

/// A stack as a list of nodes, whose names are numbers from 1. 0 is the end of the list.
#[derive(Default)]
struct Treiber {
    head: AtomicUsize,
    next: [AtomicUsize; 4],
}

impl Treiber {
    fn push(&self, node: usize) -> QueueResult<usize> {
        loop {
            let head = self.head.load(Relaxed);
            self.next[node].store(head, Relaxed);
            if self.head.compare_exchange(head, node, AcqRel, Relaxed).is_ok() {
                return Pushed;
            }
        }
    }

    fn pop(&self) -> QueueResult<usize> {
        loop {
            let head = self.head.load(Acquire);
            if head == 0 {
                return Empty;
            }
            let next = self.next[head].load(Relaxed);
            if self.head.compare_exchange(head, next, AcqRel, Relaxed).is_ok() {
                return Popped(head);
            }
        }
    }

    /// Reads the head and writes it in two steps.
    fn pop_in_two_steps(&self) -> QueueResult<usize> {
        let head = self.head.load(Relaxed);
        if head == 0 {
            return Empty;
        }
        self.head.store(self.next[head].load(Relaxed), Relaxed);
        Popped(head)
    }
}

fn stack(pop: fn(&Treiber) -> QueueResult<usize>) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        client(
            Stack::new(),
            (Treiber::default(), pop),
            |history, (stack, _)| {
                history.call(Push(1), || stack.push(1));
            },
            &[
                |history, (stack, pop)| {
                    history.call(Push(2), || stack.push(2));
                    history.call(Pop, || pop(stack));
                },
                |history, (stack, pop)| {
                    history.call(Pop, || pop(stack));
                },
            ],
        );
    }
}

#[test]
fn treiber_stacks() {
    assert!(right(stack(Treiber::pop)) > 2);
    broken(stack(Treiber::pop_in_two_steps));
}

/// An array of items. Consumers take the next one.
#[derive(Default)]
struct Counted {
    items: [AtomicUsize; 2],
    tail: AtomicUsize,
    head: AtomicUsize,
}

impl Counted {
    fn push(&self, item: usize) -> QueueResult<usize> {
        let tail = self.tail.load(Relaxed);
        self.items[tail].store(item, Relaxed);
        self.tail.store(tail + 1, Release);
        Pushed
    }

    /// Takes the next item, or returns `lost` if another consumer was faster.
    fn pop(&self, lost: QueueResult<usize>) -> QueueResult<usize> {
        let head = self.head.load(Acquire);
        if head == self.tail.load(Acquire) {
            return Empty;
        }
        let item = self.items[head].load(Relaxed);
        match self.head.compare_exchange(head, head + 1, AcqRel, Relaxed) {
            Ok(_) => Popped(item),
            Err(_) => lost,
        }
    }
}

fn two_consumers<S>(spec: S, body: fn(&History<S>, &Counted))
where
    S: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>> + 'static,
{
    let first = |history: &History<S>, queue: &Counted| {
        history.call(Push(1), || queue.push(1));
        history.call(Push(2), || queue.push(2));
    };
    client(spec, Counted::default(), first, &[body, body]);
}

/// It returns `Empty` although the items were pushed before both consumers began: one of the two is
/// left.
#[test]
fn a_queue_that_says_empty_and_is_not() {
    let found = broken(|| {
        two_consumers(Fifo::new(), |history, queue| {
            history.call(Pop, || queue.pop(Empty));
        })
    });
    assert!(found.message.contains("Pop -> Empty") || found.message.contains("Pop      Empty"), "{found}");
    right(|| {
        two_consumers(Fifo::new(), |history, queue| {
            history.call(Pop, || queue.pop(Busy));
        })
    });
    right(|| {
        let lenient = Spurious::new(Fifo::new(), |_, result| *result == Empty);
        two_consumers(lenient, |history, queue| {
            history.call(Pop, || queue.pop(Empty));
        });
    });
}

/// A ring of two slots for one producer and one consumer.
struct Ring {
    slots: [AtomicUsize; 2],
    head: AtomicUsize,
    tail: AtomicUsize,
    orders: RingOrders,
}

/// The ordering in which an index is stored by its owner, and the one in which the other side loads
/// it.
#[derive(Clone, Copy)]
struct RingOrders {
    store_tail: Ordering,
    store_head: Ordering,
    load: Ordering,
}

impl Ring {
    fn push(&self, item: usize) -> QueueResult<usize> {
        let tail = self.tail.load(Relaxed);
        if tail - self.head.load(self.orders.load) == self.slots.len() {
            return Full;
        }
        self.slots[tail % 2].store(item, Relaxed);
        self.tail.store(tail + 1, self.orders.store_tail);
        Pushed
    }

    fn pop(&self) -> QueueResult<usize> {
        let head = self.head.load(Relaxed);
        if head == self.tail.load(self.orders.load) {
            return Empty;
        }
        let item = self.slots[head % 2].load(Relaxed);
        self.head.store(head + 1, self.orders.store_head);
        Popped(item)
    }
}

fn ring<S>(spec: S, orders: RingOrders) -> impl Fn() + Send + Sync + Clone + 'static
where
    S: Spec<Input = QueueOp<usize>, Output = QueueResult<usize>> + Send + Sync + 'static,
{
    move || {
        let (slots, head, tail) = Default::default();
        client(
            spec.clone(),
            Ring { slots, head, tail, orders },
            |_, _| (),
            &[
                |history, ring| {
                    for item in 1..4 {
                        history.call(Push(item), || ring.push(item));
                    }
                },
                |history, ring| {
                    for _ in 0..3 {
                        history.call(Pop, || ring.pop());
                    }
                },
            ],
        );
    }
}

const RELEASING: RingOrders = RingOrders { store_tail: Release, store_head: Release, load: Acquire };

/// With release and acquire, `Full` and `Empty` of one moment may both be out of date, as in store
/// buffering. A ring is a strict queue only with `SeqCst`; with less, one of the two must be
/// declared.
#[test]
fn a_ring_may_be_full_and_empty_at_once() {
    let strict = || Fifo::new().bounded(2);
    let found = broken(ring(strict(), RELEASING));
    assert!(found.message.contains("Full") && found.message.contains("Empty"), "{found}");
    let sequential = RingOrders { store_tail: SeqCst, store_head: SeqCst, load: SeqCst };
    assert!(right(ring(strict(), sequential)) > 10);
    assert!(right(ring(Spurious::new(strict(), |_, result| *result == Full), RELEASING)) > 10);
    right(ring(Spurious::new(strict(), |_, result| *result == Empty), RELEASING));
}

/// A ring that publishes with `Relaxed` returns old items, which only a weak memory shows.
#[test]
fn a_ring_that_does_not_publish() {
    let spec = || Spurious::new(Fifo::new().bounded(2), |_, result| *result == Full);
    let relaxed = RingOrders { store_tail: Relaxed, ..RELEASING };
    broken(ring(spec(), relaxed));
    let report = Config::new().model(MemoryModel::Sc).check(ring(spec(), relaxed));
    assert!(report.failure.is_none() && report.exhaustive, "interleavings do not show it");
}

/// Pops under a lock that it only tries to take.
fn try_pop(queue: &Locked, unlocks: bool) -> QueueResult<usize> {
    match queue.try_lock() {
        Err(_) => Busy,
        Ok(mut items) => {
            let item = items.pop_front();
            if !unlocks {
                std::mem::forget(items);
            }
            item.into()
        }
    }
}

#[test]
fn busy_only_while_another_call_overlaps() {
    static BUSY: NativeUsize = NativeUsize::new(0);
    let push = |history: &History<Fifo<usize>>, queue: &Locked| {
        history.call(Push(1), || push_locked(queue, 1));
    };
    let pop: fn(&History<Fifo<usize>>, &Locked) = |history, queue| {
        if history.call(Pop, || try_pop(queue, true)) == Busy {
            BUSY.fetch_add(1, NativeOrdering::Relaxed);
        }
    };
    right(move || client(Fifo::new(), Locked::default(), push, &[pop, pop]));
    assert!(BUSY.load(NativeOrdering::Relaxed) > 0, "the lock is taken in some execution");
    let found = broken(move || {
        client(
            Fifo::new(),
            Locked::default(),
            push,
            &[|history, queue| {
                history.call(Pop, || try_pop(queue, false));
                history.call(Pop, || try_pop(queue, false));
            }],
        );
    });
    assert!(found.message.contains("no other call overlaps"), "{found}");
}

/// Returns a program with a buffer of one item behind a lock, which counts overwritten items, or
/// does not.
fn overwriting(counts: bool) -> impl Fn() + Send + Sync + Clone + 'static {
    move || {
        client(
            DropOld::new(1),
            (Mutex::new((None, 0)), counts),
            |_, _| (),
            &[
                |history, (buffer, counts)| {
                    for item in 1..3 {
                        history.call(Push(item), || {
                            let mut state = buffer.lock().unwrap();
                            let overwrites = state.0.replace(item).is_some();
                            state.1 += usize::from(overwrites && *counts);
                            Pushed
                        });
                    }
                },
                |history, (buffer, _)| {
                    for _ in 0..2 {
                        history.call(Pop, || {
                            let mut state = buffer.lock().unwrap();
                            let lost = std::mem::take(&mut state.1);
                            state.0.take().map(|item| (item, lost)).into()
                        });
                    }
                },
            ],
        );
    }
}

#[test]
fn a_buffer_that_overwrites() {
    assert_eq!(right(overwriting(true)), 6);
    let found = broken(overwriting(false));
    assert!(found.message.contains("Popped((2, 0))"), "{found}");
}

#[test]
fn a_deque_behind_a_lock() {
    type Calls = History<Deque<usize>>;
    let program = |steal: fn(&Locked) -> QueueResult<usize>| {
        move || {
            let shared = Arc::new((Calls::new(Deque::lifo()), Locked::default()));
            let thieves = Arc::clone(&shared);
            let thief = thread::spawn(move || {
                thieves.0.call(DequeOp::Steal, || steal(&thieves.1));
            });
            let (history, deque) = &*shared;
            history.call(DequeOp::Push(1), || push_locked(deque, 1));
            history.call(DequeOp::Push(2), || push_locked(deque, 2));
            history.call(DequeOp::Pop, || deque.lock().unwrap().pop_back().into());
            thief.join().unwrap();
            history.check();
        }
    };
    assert_eq!(right(program(pop_locked)), 4);
    broken(program(|deque| deque.lock().unwrap().pop_back().into()));
}

/// An atomic is a register with any orderings, because one location is coherent. A swap in two
/// steps is not.
#[test]
fn registers() {
    type Calls = History<Register<usize>>;
    right(|| {
        client(
            Register::new(0),
            AtomicUsize::new(0),
            |_, _| (),
            &[
                |history: &Calls, x| {
                    history.call(RegisterOp::Write(1), || write(x, 1));
                },
                |history, x| {
                    history.call(RegisterOp::Write(2), || write(x, 2));
                    history.call(RegisterOp::Read, || RegisterResult::Value(x.load(Relaxed)));
                },
                |history, x| {
                    history.call(RegisterOp::Read, || RegisterResult::Value(x.load(Relaxed)));
                    history.call(RegisterOp::Read, || RegisterResult::Value(x.load(Relaxed)));
                },
            ],
        );
    });
    broken(|| {
        let swap = |history: &Calls, x: &AtomicUsize| {
            history.call(RegisterOp::Swap(1), || {
                let old = x.load(Acquire);
                x.store(1, Release);
                RegisterResult::Value(old)
            });
        };
        client(Register::new(0), AtomicUsize::new(0), |_, _| (), &[swap, swap]);
    });
}

fn write(x: &AtomicUsize, value: usize) -> RegisterResult<usize> {
    x.store(value, Relaxed);
    RegisterResult::Written
}
