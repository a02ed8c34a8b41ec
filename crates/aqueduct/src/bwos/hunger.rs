//! How thieves ask an owner that keeps all items to itself for some, at no cost to an owner whom nobody asks.
//!
//! An owner compares its position with a bound in each push and in each pop, and leaves the fast path where it has reached it.
//! Both bounds are here, on a line that nobody writes as long as nobody is hungry, so that comparing with it costs no more than with
//! a register. A thief that finds nothing moves both bounds to where every position has reached them: so the owner's next
//! operation leaves the fast path, finds out why, and if it has two items or more, gives the older half to the thieves.
//! While it has fewer, the bounds stay where they are, so that the operation that brings the second item gives one away.

use crate::isolated::Isolated;
use crate::sync::{AtomicUsize, Ordering, is_greater, is_less};

/// The two bounds. `STARVED` is where the bound of pops is moved.
pub(super) struct Hunger<const STARVED: usize> {
    bounds: Isolated<Bounds>,
    block_size: usize,
}

struct Bounds {
    /// A push is quick below this: in a block of `block_size` entries below that, or never.
    push: AtomicUsize,
    /// A pop is quick beyond this (or below, as the order of items has it), or never.
    pop: AtomicUsize,
}

/// The bound of pushes that every position has reached.
const NEVER: usize = 0;

impl<const STARVED: usize> Hunger<STARVED> {
    pub(super) const fn new(block_size: usize, pop: usize) -> Self {
        let bounds = Bounds { push: AtomicUsize::new(block_size), pop: AtomicUsize::new(pop) };
        Self { bounds: Isolated(bounds), block_size }
    }

    // Ordering: Relaxed throughout, by owner and thieves alike. A bound that is seen late is one operation more on the
    // fast path, and one that is seen early one on the slow path; what is given and taken is ordered elsewhere.

    /// Where quick pushes end.
    #[inline(always)]
    pub(super) fn push(&self) -> usize {
        self.bounds.push.load(Ordering::Relaxed)
    }

    /// Where quick pops end.
    fn pop(&self) -> usize {
        self.bounds.pop.load(Ordering::Relaxed)
    }

    /// Whether a push to that position is quick.
    #[inline(always)]
    pub(super) fn lets_push(&self, position: usize) -> bool {
        is_greater(&self.bounds.push, position)
    }

    /// Whether a pop from in front of that position is quick, where quick pops end with the oldest item.
    #[inline(always)]
    pub(super) fn lets_pop_down(&self, position: usize) -> bool {
        is_less(&self.bounds.pop, position)
    }

    /// Whether a pop from that position is quick, where quick pops end behind the newest item.
    #[inline(always)]
    pub(super) fn lets_pop_up(&self, position: usize) -> bool {
        is_greater(&self.bounds.pop, position)
    }

    /// Thieves: asks for items.
    pub(super) fn ask(&self) {
        // Who is asked already is left alone with its line.
        if self.push() != NEVER {
            self.bounds.push.store(NEVER, Ordering::Relaxed);
            self.bounds.pop.store(STARVED, Ordering::Relaxed);
        }
    }

    /// The owner, on its slow path: whether somebody asks. `pop` is where it has said that quick pops end.
    pub(super) fn is_asked(&self, pop: usize) -> bool {
        self.push() == NEVER || self.pop() != pop
    }

    /// The owner: something was given; pops end there from now on.
    pub(super) fn calm(&self, pop: usize) {
        self.bounds.push.store(self.block_size, Ordering::Relaxed);
        self.bounds.pop.store(pop, Ordering::Relaxed);
    }

    /// The owner: pops end at `to` from now on, and not at `from`. Who asks meanwhile, or asked before, goes on asking.
    pub(super) fn move_pop(&self, from: usize, to: usize) {
        if from != to && self.bounds.pop.swap(to, Ordering::Relaxed) != from {
            self.bounds.pop.store(STARVED, Ordering::Relaxed);
        }
    }
}
