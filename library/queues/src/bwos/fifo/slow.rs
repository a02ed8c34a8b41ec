//! The owner's slow paths: it leaves its fast paths, answers steal requests, and comes back.

use super::position::{GONE, OwnerBlocks};
use super::words::{Access, SPos, Seized};
use crate::bwos::block::Location;
use crate::bwos::order::{Fifo, SlowPaths};
use crate::bwos::queue::{OwnerState, Queue};
use crate::sync::Ordering;

impl SlowPaths for Fifo {
    /// An owner that tries again and again leaves the words of its blocks alone, and does not keep
    /// thieves from seizing its items.
    fn is_stuck<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        queue.requests.is_pending(state.slow.stop) && !Self::has_to_give(queue, state) && Self::is_full(queue, state)
    }

    /// True if the owner has no item, and thieves have none of its block.
    fn finds_nothing<T>(_queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        let is_one = state.slow.front == state.slow.back;
        is_one && state.slow.lent.is_none() && state.front.f_pos == state.b_pos
    }

    /// After a request, the owner closes its block at the front, and reads what thieves have
    /// seized. So the exchanges of thieves that are about to seize fail.
    #[inline(always)]
    fn begin<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> (bool, Option<usize>) {
        queue.position.withdraw();
        if queue.requests.is_pending(state.slow.stop) { (true, queue.recall(state)) } else { (false, None) }
    }

    #[inline(always)]
    fn advance<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> bool {
        queue.advance_back(state).is_some()
    }

    #[inline(always)]
    fn go_to_item<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) {
        queue.advance_front(state);
    }

    /// The owner publishes the items that are not published yet; if there are none, it lends the
    /// younger half of the items in the block at the front.
    #[inline(always)]
    fn answer<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>, is_requested: bool, kept: usize) {
        if is_requested {
            queue.answer(state, kept);
        } else {
            queue.bound_pops(state);
        }
    }

    #[inline(always)]
    fn take_entry<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) -> Option<usize> {
        (state.front.f_pos < queue.end(state)).then(|| {
            state.front.f_pos += 1;
            state.front.f_pos - 1
        })
    }

    #[inline(always)]
    fn end<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) {
        let (front, back, lent) = (state.slow.front, state.slow.back, state.slow.lent);
        let end = if front == back { lent } else { Some(lent.unwrap_or(queue.size())) };
        queue.position.publish(OwnerBlocks::new(front.index, back.index, end), state.front.f_pos, state.b_pos);
    }

    /// If thieves have claimed some of the lent entries, the block is left as one that is seized:
    /// then the entries in front of those can be taken, too.
    fn leave<T>(queue: &Queue<T, Self>, state: &mut OwnerState<Self>) {
        _ = Self::begin(queue, state);
        let (front, f_pos) = (state.slow.front, state.front.f_pos);
        let lent = state.slow.lent.take();
        let next = lent.map_or(f_pos, |from| queue.take_over(from, state));
        match lent {
            Some(from) if f_pos < from && from < next => {
                let word = SPos::closed(queue.number(state)).seized(f_pos, f_pos, next);
                // Ordering: Release pairs with the Acquire of thieves that take these items;
                // without it, they do not see where the items end
                // (`bwos-fifo/seized-answered-left`).
                queue.thieves(front.index).s_pos.store(word.0, Ordering::Release);
                state.slow.lent = lent;
            }
            Some(from) if f_pos < from => queue.grant(front, f_pos, state),
            _ => queue.grant(front, next, state),
        }
        queue.publish(state);
        queue.announce(front, state);
        state.front.f_pos = GONE;
        Self::end(queue, state);
    }

    fn has_to_give<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        state.slow.lent.is_none() && queue.end(state) > state.front.f_pos || queue.has_news(state)
    }

    fn len<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> usize {
        let mut len = queue.at_front(state).0;
        let mut block = state.slow.front;
        while block != state.slow.back {
            block = block.next(queue.block_count());
            if let Access::Open(next) = queue.access(block) {
                len += queue.written_end(block, state) - next;
            }
        }
        len
    }

    fn is_empty<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        Self::len(queue, state) == 0
    }

    fn is_full<T>(queue: &Queue<T, Self>, state: &OwnerState<Self>) -> bool {
        if state.b_pos < queue.size() {
            return false;
        }
        let next = state.slow.back.next(queue.block_count());
        // Ordering: Relaxed, the owner's own.
        let mut claimed = queue.blocks.head(next.index).owner.claimed.load(Ordering::Relaxed);
        if next.index == state.slow.front.index {
            let (left, seized) = queue.at_front(state);
            if left > 0 {
                return true;
            }
            // The owner counts what it has lent as claimed when it goes on.
            claimed += seized + state.slow.lent.map_or(0, |from| queue.size() - from);
        }
        claimed > 0 && !queue.is_read(next, claimed)
    }
}

impl<T> Queue<T, Fifo> {
    /// Takes back what thieves have not claimed of the block at the front.
    ///
    /// Returns the entry of the item that a pop has in hand, if thieves have seized those behind
    /// it.
    #[cold]
    #[inline(never)]
    fn recall(&self, state: &mut OwnerState<Fifo>) -> Option<usize> {
        let mut in_hand = None;
        let recalled = match self.close(state).access() {
            Access::Closed => None,
            Access::Open(next) => Some(next),
            Access::Seized(seized) => {
                let first = seized.first(state.front.f_pos);
                in_hand = (first > state.front.f_pos).then_some(state.front.f_pos);
                self.count_claimed(state, seized.next - first);
                state.front.f_pos = seized.next;
                Some(seized.written)
            }
        };
        state.slow.recalled = state.slow.lent.and(recalled);
        in_hand
    }

    /// Answers a steal request.
    #[cold]
    #[inline(never)]
    fn answer(&self, state: &mut OwnerState<Fifo>, kept: usize) {
        let end = self.end(state);
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop
        // can take it back.
        let half = (end - state.front.f_pos).saturating_sub(kept).div_ceil(2);
        // The request is taken away before it is answered: one that comes too late is sent again. A
        // thief that sees the block's word after it sees this, too: its request comes after it.
        if self.has_news(state) {
            state.slow.stop = self.last(state);
            self.requests.answer(state.slow.stop);
            self.reopen(state);
            self.publish(state);
        } else if state.slow.lent.is_none() && half > 0 {
            let lent = end - half;
            (state.slow.lent, state.slow.stop) = (Some(lent), lent);
            self.requests.answer(lent);
            self.grant(state.slow.front, lent, state);
            if state.slow.front == state.slow.back {
                self.publish(state);
            }
            self.announce(state.slow.front, state);
        } else {
            self.reopen(state);
            self.bound_pops(state);
        }
    }

    /// Whether thieves may take items that the owner has not published.
    fn has_news(&self, state: &OwnerState<Fifo>) -> bool {
        let next = match self.access(state.slow.back) {
            Access::Open(next) => Some(next),
            Access::Closed | Access::Seized(..) => state.slow.recalled,
        };
        state.b_pos > state.slow.published && self.is_lent(state) && next.is_some_and(|next| next < state.b_pos)
    }

    /// Writes the word of the block at the front after a request: the lent part is lent again.
    fn reopen(&self, state: &mut OwnerState<Fifo>) {
        match state.slow.recalled.take() {
            Some(next) => self.grant(state.slow.front, next, state),
            None => self.close_again(state),
        }
    }

    /// Whether thieves may take items that are pushed to the block at the back.
    pub(super) fn is_lent(&self, state: &OwnerState<Fifo>) -> bool {
        state.slow.front != state.slow.back || state.slow.lent.is_some()
    }

    /// Returns where fast pops end without requests: where thieves' entries begin, or the block
    /// ends.
    ///
    /// At the end of the written entries they end by themselves: each pop compares with its own
    /// `b_pos`.
    fn last(&self, state: &OwnerState<Fifo>) -> usize {
        state.slow.lent.unwrap_or(self.size())
    }

    /// Lets fast pops end there.
    fn bound_pops(&self, state: &mut OwnerState<Fifo>) {
        let to = self.last(state);
        self.requests.move_pop(core::mem::replace(&mut state.slow.stop, to), to);
    }

    /// Returns which entries of a block thieves may take.
    fn access(&self, block: Location) -> Access {
        // Ordering: Relaxed, the owner sees its own words, and thieves only take.
        SPos(self.thieves(block.index).s_pos.load(Ordering::Relaxed)).access()
    }

    /// Returns the end of the written entries of a block.
    fn written_end(&self, block: Location, state: &OwnerState<Fifo>) -> usize {
        if block == state.slow.back { state.b_pos } else { self.size() }
    }

    /// Returns how many items are left in the block at the front, and how many thieves have seized
    /// of it that the owner has not counted yet.
    fn at_front(&self, state: &OwnerState<Fifo>) -> (usize, usize) {
        let (end, f_pos) = (self.end(state), state.front.f_pos);
        let lent = |next| if state.slow.lent.is_some() { self.written_end(state.slow.front, state) - next } else { 0 };
        match self.access(state.slow.front) {
            Access::Closed => (end - f_pos, 0),
            Access::Open(next) => (end - f_pos + lent(next), 0),
            Access::Seized(Seized { next, written, .. }) => (end - next + lent(written), next - f_pos),
        }
    }
}
