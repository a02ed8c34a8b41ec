//! How the owner leaves its fast paths and comes back, and answers steal requests meanwhile.

use super::super::order::Steals;
use super::position::OwnerBlocks;
use super::queue::Queue;
use super::s_pos::Access;
use super::state::{OwnerState, SlowState};

impl<T> Queue<T> {
    /// Begins an operation on the slow path, and says whether there is a request.
    ///
    /// From here to `end_slow` nothing is seized. After a request, the owner closes its block at the
    /// front, and learns what thieves have seized. So thieves that are about to seize fail. Also
    /// returns the entry of the item that a pop has in hand, if thieves have seized those behind it.
    #[inline(always)]
    pub(super) fn begin_slow(&self, state: &mut OwnerState) -> (bool, Option<usize>) {
        self.position.withdraw();
        if self.requests.is_pending(state.slow.stop) { (true, self.recall(state)) } else { (false, None) }
    }

    /// Takes back what thieves have not claimed of the block at the front.
    ///
    /// Returns the entry of the item that a pop has in hand, if thieves have seized those behind it.
    #[cold]
    #[inline(never)]
    fn recall(&self, state: &mut OwnerState) -> Option<usize> {
        let mut in_hand = None;
        let recalled = match self.close(state).access() {
            Access::Closed => None,
            Access::Open(next) => Some(next),
            Access::Seized(seized) => {
                let first = seized.first(state.f_pos);
                in_hand = (first > state.f_pos).then_some(state.f_pos);
                self.count_claimed(state, seized.next - first);
                state.f_pos = seized.next;
                Some(seized.written)
            }
        };
        state.slow.recalled = state.slow.lent.and(recalled);
        in_hand
    }

    /// OwnerState an operation on the slow path.
    #[inline(always)]
    pub(super) fn end_slow(&self, state: &OwnerState) {
        let SlowState { front, back, lent, .. } = state.slow;
        let end = if front == back { lent } else { Some(lent.unwrap_or(self.size())) };
        self.position.publish(OwnerBlocks::new(front.index, back.index, end), state.f_pos, state.b_pos);
    }

    /// Answers steal requests, and sets the bound of fast pops.
    ///
    /// The owner publishes the items that are not published yet; if there are none, it lends the
    /// younger half of the items in the block at the front, but for the oldest `kept` ones, which it
    /// is about to pop.
    #[inline(always)]
    pub(super) fn answer_or_bound(&self, state: &mut OwnerState, is_asked: bool, kept: usize) {
        if is_asked {
            self.answer(state, kept);
        } else {
            self.stop(state);
        }
    }

    /// Answers a steal request.
    #[cold]
    #[inline(never)]
    fn answer(&self, state: &mut OwnerState, kept: usize) {
        let end = self.end(state);
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop can take it back.
        let half = (end - state.f_pos).saturating_sub(kept).div_ceil(2);
        // The answer comes after the question has been taken away: a question that comes too late is asked again. A
        // thief that sees the block's word after it sees this, too: what it asks comes after it.
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
            self.stop(state);
        }
    }

    /// Whether the owner has items that it would give after a request.
    pub(super) fn has_to_give(&self, state: &OwnerState) -> bool {
        state.slow.lent.is_none() && self.end(state) > state.f_pos || self.has_news(state)
    }

    /// Whether there is neither room for an item nor an answer to a request.
    ///
    /// Then the owner leaves the words of its blocks alone: an owner that tries again and again does not
    /// keep thieves from seizing its items.
    pub(super) fn is_stuck(&self, state: &OwnerState) -> bool {
        self.requests.is_pending(state.slow.stop) && !self.has_to_give(state) && self.is_full(state)
    }

    /// Whether the owner has no item, and thieves have none of its block: a pop leaves all as it is.
    pub(super) fn is_bare(&self, state: &OwnerState) -> bool {
        let SlowState { front, back, lent, .. } = state.slow;
        front == back && lent.is_none() && state.f_pos == state.b_pos
    }

    /// Whether thieves may take items that the owner has not published.
    fn has_news(&self, state: &OwnerState) -> bool {
        let next = match self.access(state.slow.back) {
            Access::Open(next) => Some(next),
            Access::Closed | Access::Seized(..) => state.slow.recalled,
        };
        state.b_pos > state.slow.published && self.is_lent(state) && next.is_some_and(|next| next < state.b_pos)
    }

    /// Writes the word of the block at the front after a request: the lent part is lent again.
    fn reopen(&self, state: &mut OwnerState) {
        match state.slow.recalled.take() {
            Some(next) => self.grant(state.slow.front, next, state),
            None => self.close_again(state),
        }
    }

    /// Whether thieves may take items that are pushed to the block at the back.
    pub(super) fn is_lent(&self, state: &OwnerState) -> bool {
        state.slow.front != state.slow.back || state.slow.lent.is_some()
    }

    /// Returns where fast pops end without requests: where thieves' entries begin, or the block ends.
    ///
    /// At the end of the written entries they end by themselves: each pop compares with its own `b_pos`.
    fn last(&self, state: &OwnerState) -> usize {
        state.slow.lent.unwrap_or(self.size())
    }

    /// Lets fast pops end there.
    fn stop(&self, state: &mut OwnerState) {
        let to = self.last(state);
        self.requests.move_pop(core::mem::replace(&mut state.slow.stop, to), to);
    }
}
