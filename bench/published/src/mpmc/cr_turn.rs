//! CRTurn (Ramalhete and Correia, "A Wait-Free Queue with Wait-Free Memory Reclamation", PPoPP
//! 2017, poster): a list whose threads publish requests, and help each other in turn: after the
//! thread of the last node in the list comes the next one with a request to push, and after the one
//! that took the last item the next one with a request to pop. So with n threads, an operation is
//! done after n steps.
//!
//! Nodes are reclaimed by hazard pointers, as in the paper. It scans them for each node that is
//! given up; here a thread does when it has twice as many as can be held, which is faster.
//!
//! # Orderings
//! Sequentially consistent, as published, but for two stores of the thread's own requests.

use std::collections::BTreeSet;
use std::ptr;
use std::sync::{Arc, Mutex};

use aqueduct_measure::run::Apart;

use super::hazards::Hazards;
use super::sync::{AtomicPtr, AtomicU64, Ordering, free, make};

/// Instead of a thread's number: none.
const NOBODY: u64 = u64::MAX;

/// Places of a thread's hazard pointers.
const HEAD_OR_TAIL: usize = 0;
const NEXT: usize = 1;
const ANSWER: usize = 2;

/// A node of the list. The first one's item has been taken.
#[derive(Debug)]
struct Node {
    item: u64,
    /// The thread that pushed it.
    producer: usize,
    /// The thread that gets it.
    consumer: AtomicU64,
    next: AtomicPtr<Node>,
}

impl Node {
    #[inline]
    fn new(item: u64, producer: usize) -> *mut Self {
        make(Self { item, producer, consumer: AtomicU64::new(NOBODY), next: AtomicPtr::new(ptr::null_mut()) })
    }
}

/// A thread's pending requests.
#[derive(Debug)]
struct Wants {
    /// The node that is to be pushed, or null.
    push: AtomicPtr<Node>,
    /// The thread has a request to pop as long as both are equal. The second is the node that it
    /// got last.
    pop: AtomicPtr<Node>,
    answer: AtomicPtr<Node>,
}

#[derive(Debug)]
struct List {
    head: Apart<AtomicPtr<Node>>,
    tail: Apart<AtomicPtr<Node>>,
    wants: Box<[Apart<Wants>]>,
    hazards: Hazards<Node>,
    /// The node that the list began with, and nodes that threads had given up but not freed when
    /// they were dropped.
    left: Mutex<Vec<*mut Node>>,
}

// SAFETY: the nodes are reached by atomics, and freed by the rule of the hazard pointers.
unsafe impl Send for List {}
// SAFETY: as for `Send`.
unsafe impl Sync for List {}

impl Drop for List {
    fn drop(&mut self) {
        let read = |word: &AtomicPtr<Node>| word.load(Ordering::Relaxed);
        let left = self.left.get_mut().expect("nobody panics with it");
        // A node can be here more than once: as a thread's last one and as the first of the list.
        let mut nodes: BTreeSet<*mut Node> = left.drain(..).collect();
        nodes.extend(self.wants.iter().flat_map(|Apart(wants)| [read(&wants.pop), read(&wants.answer)]));
        let mut node = read(&self.head.0);
        while !node.is_null() {
            nodes.insert(node);
            // SAFETY: nodes from the head on have not been freed.
            node = read(unsafe { &(*node).next });
        }
        for node in nodes {
            // SAFETY: made by `Node::new`, and no other thread has the list any more.
            unsafe { free(node) };
        }
    }
}

/// A thread's end of the queue, which is unbounded.
#[derive(Debug)]
pub struct CrTurn {
    list: Arc<List>,
    number: usize,
    given_up: Vec<*mut Node>,
}

// SAFETY: what has been given up is this thread's alone to free.
unsafe impl Send for CrTurn {}

impl Drop for CrTurn {
    fn drop(&mut self) {
        self.list.left.lock().expect("nobody panics with it").append(&mut self.given_up);
    }
}

/// Makes an empty queue, and an end for each of `threads` threads.
pub fn new(threads: usize) -> Vec<CrTurn> {
    let first = Node::new(0, 0);
    let wants = || Wants {
        push: AtomicPtr::new(ptr::null_mut()),
        pop: AtomicPtr::new(Node::new(0, 0)),
        answer: AtomicPtr::new(Node::new(0, 0)),
    };
    let list = Arc::new(List {
        head: Apart(AtomicPtr::new(first)),
        tail: Apart(AtomicPtr::new(first)),
        wants: (0..threads).map(|_| Apart(wants())).collect(),
        hazards: Hazards::new(threads),
        left: Mutex::new(vec![first]),
    });
    (0..threads).map(|number| CrTurn { list: Arc::clone(&list), number, given_up: Vec::new() }).collect()
}

/// Replaces `expected` by `new`.
#[inline]
fn exchange(word: &AtomicPtr<Node>, expected: *mut Node, new: *mut Node) {
    // Where it fails, another thread has done it.
    let _ = word.compare_exchange(expected, new, Ordering::SeqCst, Ordering::SeqCst);
}

#[inline]
fn read(word: &AtomicPtr<Node>) -> *mut Node {
    word.load(Ordering::SeqCst)
}

impl CrTurn {
    #[inline]
    fn wants(&self, thread: usize) -> &Wants {
        &self.list.wants[thread].0
    }

    #[inline]
    fn hold(&self, place: usize, node: *mut Node) -> *mut Node {
        self.list.hazards.hold(self.number, place, node)
    }

    /// Returns the node that `word` leads to, if it still does once it is held.
    #[inline]
    fn held(&self, word: &AtomicPtr<Node>) -> Option<*mut Node> {
        let node = self.hold(HEAD_OR_TAIL, read(word));
        (read(word) == node).then_some(node)
    }

    /// Adds an item.
    #[inline]
    pub fn push(&mut self, item: u64) {
        let (list, threads) = (&*self.list, self.list.wants.len());
        let mine = &self.wants(self.number).push;
        mine.store(Node::new(item, self.number), Ordering::SeqCst);
        for _ in 0..threads {
            if read(mine).is_null() {
                break;
            }
            // With n threads, this thread's turn has come when the tail has moved n times.
            let Some(tail) = self.held(&list.tail.0) else { continue };
            // SAFETY: held, and it was the tail after that.
            let last = unsafe { &*tail };
            let served = &self.wants(last.producer).push;
            if read(served) == tail {
                exchange(served, tail, ptr::null_mut());
            }
            let in_turn = (1..=threads).map(|by| read(&self.wants((last.producer + by) % threads).push));
            if let Some(next) = in_turn.into_iter().find(|node| !node.is_null()) {
                exchange(&last.next, ptr::null_mut(), next);
            }
            let next = read(&last.next);
            if !next.is_null() {
                exchange(&list.tail.0, tail, next);
            }
        }
        // Ordering: Release; the node is in the list.
        mine.store(ptr::null_mut(), Ordering::Release);
        list.hazards.clear(self.number);
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        let (list, wants) = (&*self.list, self.wants(self.number));
        let (before, asked) = (read(&wants.pop), read(&wants.answer));
        wants.pop.store(asked, Ordering::SeqCst);
        for _ in 0..list.wants.len() {
            if read(&wants.answer) != asked {
                break;
            }
            let Some(head) = self.held(&list.head.0) else { continue };
            if head == read(&list.tail.0) {
                // It is empty: the request is taken back, unless another thread has begun to answer
                // it.
                wants.pop.store(before, Ordering::SeqCst);
                self.settle(asked);
                if read(&wants.answer) != asked {
                    wants.pop.store(asked, Ordering::Relaxed);
                    break;
                }
                list.hazards.clear(self.number);
                return None;
            }
            if let Some(next) = self.next_of(head)
                && self.assign(head, next) != NOBODY
            {
                self.answer(head, next);
            }
        }
        let mine = read(&wants.answer);
        // The head may still have to move to it.
        if let Some(head) = self.held(&list.head.0)
            // SAFETY: held, and it was the head after that.
            && read(unsafe { &(*head).next }) == mine
        {
            exchange(&list.head.0, head, mine);
        }
        // SAFETY: it is freed once this thread gives it up, which is after its next pop.
        let item = unsafe { (*mine).item };
        list.hazards.clear(self.number);
        // SAFETY: no thread reaches it any more: it is neither in the list nor a request.
        unsafe { list.hazards.give_up(&mut self.given_up, before) };
        Some(item)
    }

    /// Returns the node after the head, held, if that is still the head.
    #[inline]
    fn next_of(&self, head: *mut Node) -> Option<*mut Node> {
        // SAFETY: held by the caller.
        let next = self.hold(NEXT, read(unsafe { &(*head).next }));
        (read(&self.list.head.0) == head).then_some(next)
    }

    /// Assigns the node after the head to the next thread with a request to pop. Returns the thread
    /// that has it.
    #[inline]
    fn assign(&self, head: *mut Node, next: *mut Node) -> u64 {
        let threads = self.list.wants.len() as u64;
        // SAFETY: both are held.
        let (head, next) = unsafe { (&*head, &*next) };
        let turn = head.consumer.load(Ordering::SeqCst);
        let in_turn = (1..=threads).map(|by| turn.wrapping_add(by) % threads);
        let wants_one = |&thread: &u64| {
            let wants = self.wants(thread as usize);
            read(&wants.pop) == read(&wants.answer)
        };
        if let Some(thread) = in_turn.into_iter().find(wants_one) {
            Self::give_to(next, thread);
        }
        next.consumer.load(Ordering::SeqCst)
    }

    #[inline]
    fn give_to(node: &Node, thread: u64) {
        if node.consumer.load(Ordering::SeqCst) == NOBODY {
            let _ = node.consumer.compare_exchange(NOBODY, thread, Ordering::SeqCst, Ordering::SeqCst);
        }
    }

    /// Answers the thread that has the node after the head, and moves the head.
    #[inline]
    fn answer(&self, head: *mut Node, next: *mut Node) {
        // SAFETY: held by the caller.
        let thread = unsafe { &(*next).consumer }.load(Ordering::SeqCst) as usize;
        let answer = &self.wants(thread).answer;
        if thread == self.number {
            // Ordering: Release; others only check whether it has changed.
            answer.store(next, Ordering::Release);
        } else {
            // Held, so that it does not come back as another node in the meantime.
            let seen = self.hold(ANSWER, read(answer));
            if seen != next && read(&self.list.head.0) == head {
                exchange(answer, seen, next);
            }
        }
        exchange(&self.list.head.0, head, next);
    }

    /// After a request was taken back: if there is a node meanwhile, it may have been given to this
    /// thread. Where no thread has it, this thread takes it.
    #[cold]
    fn settle(&self, asked: *mut Node) {
        let list = &*self.list;
        let head = read(&list.head.0);
        if read(&self.wants(self.number).answer) != asked || head == read(&list.tail.0) {
            return;
        }
        self.hold(HEAD_OR_TAIL, head);
        if read(&list.head.0) != head {
            return;
        }
        let Some(next) = self.next_of(head) else { return };
        if self.assign(head, next) == NOBODY {
            // SAFETY: held.
            Self::give_to(unsafe { &*next }, self.number as u64);
        }
        self.answer(head, next);
    }
}
