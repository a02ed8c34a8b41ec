//! The queue of Yang and Mellor-Crummey ("A Wait-free Queue as Fast as Fetch-and-Add", PPoPP 2016):
//! an endless array, of which pushes and pops take the next cells by fetch-and-add. A pop that
//! comes to a cell first makes it useless. A push that failed some times in a row publishes a
//! request, which pops that come to later cells serve; a pop that failed publishes one that other
//! pops serve.
//!
//! The array is a list of segments. They are reclaimed as in the paper: a thread publishes which
//! segment it works in, and a pop that has used up its spare segment frees those that no thread
//! works in. The authors run it on x86-64, where a fetch-and-add is a full barrier, on which that
//! reclamation relies; so it is built there only.
//!
//! # What differs from the authors' code
//! - A pop that is served by request passes the cells up to the one that serves it, as in the
//!   paper. In the code each cell that a helping thread looks at is passed, and an item that has
//!   come to a later one is lost.
//! - A thread that helps a pop keeps its own segments as well, which are freed under it otherwise.
//! - A pop that fails to claim a request to push reads its state and its item again. In the code
//!   the state is new and the item may be the request's before.
//!
//! An execution of the model checker shows how the first loses an item; the others are by reading.
//!
//! # Orderings
//! As the authors' code for x86-64: sequentially consistent where it has a locked instruction,
//! otherwise release and acquire; loads of what both sides mark are sequentially consistent, which
//! costs nothing there.

mod segments;

use std::ptr;
use std::sync::Arc;

use aqueduct_measure::run::Apart;

use super::sync::{AtomicI64, AtomicPtr, AtomicU64, Ordering, barrier_of_locked, fence, free};
use segments::{Cell, Segment};

/// In a cell: nothing has come yet.
const NOTHING: u64 = 0;
/// In a cell: no item, or request, will come.
const NEVER: u64 = u64::MAX;

/// Instead of a segment: the thread works in none.
const IDLE: u64 = u64::MAX;
/// Instead of the first segment: a thread frees segments.
const BUSY: i64 = -1;

/// The state of a thread that the others read.
#[derive(Debug)]
struct Peer<const N: usize> {
    /// The number of the first segment that it may read, or [`IDLE`].
    works_in: AtomicU64,
    /// The segments of its last push and of its last pop.
    pushed_in: AtomicPtr<Segment<N>>,
    popped_in: AtomicPtr<Segment<N>>,
    /// A request to push: the cell from which on it is to be served while it is positive, and then
    /// the cell that serves it, negated.
    push: AtomicI64,
    item: AtomicU64,
    /// A request to pop: the cell from which on it is to be served, and the last cell that may
    /// serve it, negated once it does.
    pop: AtomicI64,
    candidate: AtomicI64,
}

#[derive(Debug)]
struct Array<const N: usize> {
    pushes: Apart<AtomicI64>,
    pops: Apart<AtomicI64>,
    /// The first segment, and its number, or [`BUSY`].
    first: Apart<(AtomicPtr<Segment<N>>, AtomicI64)>,
    peers: Box<[Apart<Peer<N>>]>,
}

impl<const N: usize> Drop for Array<N> {
    fn drop(&mut self) {
        let mut segment = self.first.0.0.load(Ordering::Relaxed);
        while !segment.is_null() {
            // SAFETY: segments from the first on have not been freed, and no other thread has the
            // queue.
            let next = unsafe { &(*segment).next }.load(Ordering::Relaxed);
            // SAFETY: it has not been freed.
            unsafe { free(segment) };
            segment = next;
        }
    }
}

/// Raises a counter to `value`, if it is less.
#[inline]
fn raise(counter: &AtomicI64, value: i64) {
    let mut now = counter.load(Ordering::Relaxed);
    while now < value {
        match counter.compare_exchange(now, value, Ordering::SeqCst, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => now = other,
        }
    }
}

/// A thread's end of the queue, which is unbounded: after `PATIENCE` failed attempts it requests
/// help, and it checks `SPINS` times whether a push comes to a cell.
#[derive(Debug)]
pub struct Ymc<const N: usize, const PATIENCE: u32, const SPINS: u32> {
    array: Arc<Array<N>>,
    number: usize,
    /// The first cell at which its next push, or pop, may begin.
    push_from: u64,
    pop_from: u64,
    /// The thread whose request to push it serves next, and which request, if it has seen that
    /// before.
    serves_push_of: usize,
    seen_push: i64,
    /// The thread whose request to pop it serves next.
    serves_pop_of: usize,
    spare: *mut Segment<N>,
}

// SAFETY: its spare segment is its own.
unsafe impl<const N: usize, const P: u32, const S: u32> Send for Ymc<N, P, S> {}

impl<const N: usize, const P: u32, const S: u32> Drop for Ymc<N, P, S> {
    fn drop(&mut self) {
        if !self.spare.is_null() {
            // SAFETY: it is not in the list.
            unsafe { free(self.spare) };
        }
    }
}

/// Makes an empty queue, and an end for each of `threads` threads.
pub fn new<const N: usize, const P: u32, const S: u32>(threads: usize) -> Vec<Ymc<N, P, S>> {
    let first = Segment::new();
    let peer = || Peer {
        works_in: AtomicU64::new(IDLE),
        pushed_in: AtomicPtr::new(first),
        popped_in: AtomicPtr::new(first),
        push: AtomicI64::new(0),
        item: AtomicU64::new(NOTHING),
        pop: AtomicI64::new(0),
        candidate: AtomicI64::new(-1),
    };
    let array = Arc::new(Array {
        // Cells count from 1, so that each can be negated.
        pushes: Apart(AtomicI64::new(1)),
        pops: Apart(AtomicI64::new(1)),
        first: Apart((AtomicPtr::new(first), AtomicI64::new(0))),
        peers: (0..threads).map(|_| Apart(peer())).collect(),
    });
    let end = |number: usize| Ymc {
        array: Arc::clone(&array),
        number,
        push_from: 0,
        pop_from: 0,
        serves_push_of: (number + 1) % threads,
        seen_push: 0,
        serves_pop_of: (number + 1) % threads,
        spare: Segment::new(),
    };
    (0..threads).map(end).collect()
}

impl<const N: usize, const PATIENCE: u32, const SPINS: u32> Ymc<N, PATIENCE, SPINS> {
    fn after(&self, peer: usize) -> usize {
        (peer + 1) % self.array.peers.len()
    }

    /// Returns the segment of a cell, going on from `segment`, and the cell. Adds segments that are
    /// missing.
    ///
    /// # Safety
    /// The segment is one that this thread keeps from being freed, and not behind the cell.
    unsafe fn find<'a>(
        spare: &mut *mut Segment<N>,
        mut segment: *mut Segment<N>,
        cell: i64,
    ) -> (*mut Segment<N>, &'a Cell) {
        // SAFETY: the caller's promise, and segments behind one that is kept are kept.
        while let current = unsafe { &*segment }
            && current.number < cell / N as i64
        {
            // Ordering: Acquire pairs with the exchange below: the segment's content.
            let mut next = current.next.load(Ordering::Acquire);
            if next.is_null() {
                let new = if spare.is_null() { Segment::new() } else { *spare };
                *spare = new;
                // SAFETY: no other thread has it yet.
                unsafe { (*new).number = current.number + 1 };
                match current.next.compare_exchange(ptr::null_mut(), new, Ordering::AcqRel, Ordering::Acquire) {
                    Ok(_) => (next, *spare) = (new, ptr::null_mut()),
                    Err(other) => next = other,
                }
            }
            segment = next;
        }
        // SAFETY: kept, as those before.
        (segment, unsafe { &(&(*segment).cells)[cell as usize % N] })
    }

    /// As [`Self::find`], from a segment that `place` leads to, and moves the place there.
    ///
    /// # Safety
    /// As [`Self::find`].
    #[inline(always)]
    unsafe fn find_from<'a>(spare: &mut *mut Segment<N>, place: &AtomicPtr<Segment<N>>, cell: i64) -> &'a Cell {
        // SAFETY: the caller's promise.
        let (segment, cell) = unsafe { Self::find(spare, place.load(Ordering::Acquire), cell) };
        // Ordering: Release pairs with the Acquire of the threads that read it: the segment is
        // there.
        place.store(segment, Ordering::Release);
        cell
    }

    /// Adds an item, which is not 0 nor the greatest number.
    #[inline]
    pub fn push(&mut self, item: u64) {
        let array = Arc::as_ptr(&self.array);
        // SAFETY: this end keeps the array, and the reference does not outlive this call.
        let array = unsafe { &*array };
        let peer = &array.peers[self.number].0;
        // Ordering: Release pairs with the Acquire in `first_kept`: the segments before have been
        // read, and the places moved. The next fetch-and-add is a barrier.
        peer.works_in.store(self.push_from, Ordering::Release);
        let mut last = 0;
        let is_in = (0..=PATIENCE).any(|_| {
            last = array.pushes.0.fetch_add(1, Ordering::SeqCst);
            barrier_of_locked();
            // SAFETY: kept since the line above.
            let cell = unsafe { Self::find_from(&mut self.spare, &peer.pushed_in, last) };
            cell.item.compare_exchange(NOTHING, item, Ordering::SeqCst, Ordering::Relaxed).is_ok()
        });
        if !is_in {
            self.push_by_request(array, item, last);
        }
        // SAFETY: kept.
        self.push_from = unsafe { (*peer.pushed_in.load(Ordering::Relaxed)).number } as u64;
        // Ordering: Release pairs with the Acquire in `first_kept`: this thread reads no segment
        // any more.
        peer.works_in.store(IDLE, Ordering::Release);
    }

    #[cold]
    fn push_by_request(&mut self, array: &Array<N>, item: u64, since: i64) {
        let peer = &array.peers[self.number].0;
        // Ordering: Release pairs with the load in `serve_push`: the item of the request before is
        // in its cell.
        peer.item.store(item, Ordering::Release);
        // Ordering: Release pairs with the load in `serve_push`: the item.
        peer.push.store(since, Ordering::Release);
        let mut segment = peer.pushed_in.load(Ordering::Relaxed);
        let mut tried;
        loop {
            tried = array.pushes.0.fetch_add(1, Ordering::SeqCst);
            // SAFETY: kept since the push began.
            let (found, cell) = unsafe { Self::find(&mut self.spare, segment, tried) };
            segment = found;
            let mine = self.number as u64 + 1;
            let is_free = cell.push.compare_exchange(NOTHING, mine, Ordering::SeqCst, Ordering::Relaxed).is_ok();
            if is_free && cell.item.load(Ordering::SeqCst) != NEVER {
                // If it fails, another thread has found a cell.
                let _ = peer.push.compare_exchange(since, -tried, Ordering::SeqCst, Ordering::Relaxed);
                break;
            }
            if peer.push.load(Ordering::SeqCst) <= 0 {
                break;
            }
        }
        let served_by = -peer.push.load(Ordering::SeqCst);
        // SAFETY: kept; the cell is behind those of the attempts before.
        let cell = unsafe { Self::find_from(&mut self.spare, &peer.pushed_in, served_by) };
        if served_by > tried {
            raise(&array.pushes.0, served_by + 1);
        }
        // Ordering: Release; what the item stands for.
        cell.item.store(item, Ordering::Release);
    }

    /// Takes the oldest item.
    #[inline]
    pub fn pop(&mut self) -> Option<u64> {
        let array = Arc::as_ptr(&self.array);
        // SAFETY: as in `push`.
        let array = unsafe { &*array };
        let peer = &array.peers[self.number].0;
        // Ordering: as in `push`.
        peer.works_in.store(self.pop_from, Ordering::Release);
        let mut last = 0;
        let outcome = (0..=PATIENCE).find_map(|_| {
            last = array.pops.0.fetch_add(1, Ordering::SeqCst);
            barrier_of_locked();
            // SAFETY: kept since the line above.
            let cell = unsafe { Self::find_from(&mut self.spare, &peer.popped_in, last) };
            match self.settle(array, cell, last) {
                NOTHING => Some(None),
                NEVER => None,
                item => {
                    let taken = cell.pop.compare_exchange(NOTHING, NEVER, Ordering::SeqCst, Ordering::Relaxed);
                    taken.is_ok().then_some(Some(item))
                }
            }
        });
        let item = outcome.unwrap_or_else(|| self.pop_by_request(array, last));
        if item.is_some() {
            self.serve_pop(array, self.serves_pop_of);
            self.serves_pop_of = self.after(self.serves_pop_of);
        }
        // SAFETY: kept.
        self.pop_from = unsafe { (*peer.popped_in.load(Ordering::Relaxed)).number } as u64;
        // Ordering: Release, as in `push`.
        peer.works_in.store(IDLE, Ordering::Release);
        if self.spare.is_null() {
            self.free_segments(array);
            self.spare = Segment::new();
        }
        item
    }

    /// Waits for a while until an item comes to a cell.
    fn look(cell: &Cell) -> u64 {
        let mut item = cell.item.load(Ordering::SeqCst);
        for _ in 0..SPINS {
            if item != NOTHING {
                break;
            }
            std::hint::spin_loop();
            item = cell.item.load(Ordering::SeqCst);
        }
        item
    }

    /// Returns the item of a cell that a pop has come to; [`NEVER`], if none comes there; or
    /// [`NOTHING`], if none comes there and the queue was empty. The cell may serve a request to
    /// push.
    #[inline]
    fn settle(&mut self, array: &Array<N>, cell: &Cell, number: i64) -> u64 {
        let item = Self::look(cell);
        if item != NOTHING && item != NEVER {
            return item;
        }
        if item == NOTHING
            && let Err(now) = cell.item.compare_exchange(NOTHING, NEVER, Ordering::SeqCst, Ordering::SeqCst)
            && now != NEVER
        {
            return now;
        }
        self.serve_push(array, cell, number)
    }

    #[cold]
    fn serve_push(&mut self, array: &Array<N>, cell: &Cell, number: i64) -> u64 {
        let mut request = cell.push.load(Ordering::SeqCst);
        if request == NOTHING {
            request = self.choose_push(array, cell, number);
        }
        // No thread pushes here.
        let is_behind = || array.pushes.0.load(Ordering::SeqCst) <= number;
        if request == NEVER {
            return if is_behind() { NOTHING } else { NEVER };
        }
        let peer = &array.peers[request as usize - 1].0;
        loop {
            let state = peer.push.load(Ordering::SeqCst);
            // The item is of that state, if what follows finds the state unchanged or the item not
            // in its cell.
            let item = peer.item.load(Ordering::SeqCst);
            if state > number {
                // The request is a later one.
                if cell.item.load(Ordering::SeqCst) == NEVER && is_behind() {
                    return NOTHING;
                }
                break;
            }
            if state > 0 && peer.push.compare_exchange(state, -number, Ordering::SeqCst, Ordering::SeqCst).is_err() {
                // Another thread has found a cell for it, perhaps this one.
                continue;
            }
            if state > 0 || (state == -number && cell.item.load(Ordering::SeqCst) == NEVER) {
                raise(&array.pushes.0, number + 1);
                // Ordering: Release publishes what the item stands for.
                cell.item.store(item, Ordering::Release);
            }
            break;
        }
        cell.item.load(Ordering::SeqCst)
    }

    /// Chooses the request that a cell may serve, in turn. Returns the thread's, counted from 1, or
    /// [`NEVER`].
    fn choose_push(&mut self, array: &Array<N>, cell: &Cell, number: i64) -> u64 {
        let push_of = |peer: usize| array.peers[peer].0.push.load(Ordering::SeqCst);
        let mut state = push_of(self.serves_push_of);
        if self.seen_push != 0 && self.seen_push != state {
            // The request that it had seen has been served.
            self.seen_push = 0;
            self.serves_push_of = self.after(self.serves_push_of);
            state = push_of(self.serves_push_of);
        }
        let theirs = self.serves_push_of as u64 + 1;
        let mut request = NOTHING;
        let mut is_missed = false;
        if state > 0 && state <= number {
            match cell.push.compare_exchange(NOTHING, theirs, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => request = theirs,
                Err(other) => (request, is_missed) = (other, other != theirs),
            }
        }
        if is_missed {
            self.seen_push = state;
        } else {
            self.seen_push = 0;
            self.serves_push_of = self.after(self.serves_push_of);
        }
        if request == NOTHING {
            match cell.push.compare_exchange(NOTHING, NEVER, Ordering::SeqCst, Ordering::SeqCst) {
                Ok(_) => request = NEVER,
                Err(other) => request = other,
            }
        }
        request
    }

    #[cold]
    fn pop_by_request(&mut self, array: &Array<N>, since: i64) -> Option<u64> {
        let peer = &array.peers[self.number].0;
        // Ordering: Release for both: a thread that sees the second sees the first.
        peer.pop.store(since, Ordering::Release);
        peer.candidate.store(since, Ordering::Release);
        self.serve_pop(array, self.number);
        let served_by = -peer.candidate.load(Ordering::SeqCst);
        // Cells that were only looked at are not passed: an item may have come to one of them.
        raise(&array.pops.0, served_by + 1);
        // SAFETY: kept since the pop began.
        let cell = unsafe { Self::find_from(&mut self.spare, &peer.popped_in, served_by) };
        let item = cell.item.load(Ordering::Acquire);
        (item != NEVER).then_some(item)
    }

    /// Serves a thread's request to pop, if it has one.
    fn serve_pop(&mut self, array: &Array<N>, whose: usize) {
        let (mine, theirs) = (&array.peers[self.number].0, &array.peers[whose].0);
        // Ordering: Acquire pairs with the Release in `pop_by_request`.
        let mut candidate = theirs.candidate.load(Ordering::Acquire);
        let since = theirs.pop.load(Ordering::Acquire);
        if candidate < since {
            return;
        }
        let mut start = theirs.popped_in.load(Ordering::Acquire);
        // Its own segments stay kept.
        let works_in = theirs.works_in.load(Ordering::Relaxed).min(mine.works_in.load(Ordering::Relaxed));
        mine.works_in.store(works_in, Ordering::Release);
        // Ordering: this thread publishes what it reads, and then checks whether the request is
        // still there; the thread that frees segments has looked at both.
        fence(Ordering::SeqCst);
        candidate = theirs.candidate.load(Ordering::Acquire);
        let (mut next, mut tried, mut found) = (since + 1, since, 0);
        loop {
            let mut segment = start;
            while candidate == tried && found == 0 {
                // SAFETY: kept, since the request is still there.
                let (at, cell) = unsafe { Self::find(&mut self.spare, segment, next) };
                segment = at;
                let item = self.settle(array, cell, next);
                if item == NOTHING || (item != NEVER && cell.pop.load(Ordering::SeqCst) == NOTHING) {
                    found = next;
                } else {
                    candidate = theirs.candidate.load(Ordering::Acquire);
                }
                next += 1;
            }
            if found != 0 {
                match theirs.candidate.compare_exchange(candidate, found, Ordering::SeqCst, Ordering::Acquire) {
                    Ok(_) => candidate = found,
                    Err(now) => candidate = now,
                }
                // A cell that was found stays this request's, unless a later one is its candidate.
                found = if candidate >= found { 0 } else { found };
            }
            if candidate < 0 || theirs.pop.load(Ordering::SeqCst) != since {
                return;
            }
            // SAFETY: kept, since the request is still there.
            let (at, cell) = unsafe { Self::find(&mut self.spare, start, candidate) };
            start = at;
            let request = whose as u64 + 1;
            let is_served = cell.item.load(Ordering::SeqCst) == NEVER
                || match cell.pop.compare_exchange(NOTHING, request, Ordering::SeqCst, Ordering::SeqCst) {
                    Ok(_) => true,
                    Err(other) => other == request,
                };
            if is_served {
                let _ = theirs.candidate.compare_exchange(candidate, -candidate, Ordering::SeqCst, Ordering::Relaxed);
                return;
            }
            tried = candidate;
            next = next.max(candidate + 1);
        }
    }
}
