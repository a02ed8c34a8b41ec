//! How the owner leaves its fast paths and comes back, and answers steal requests meanwhile.

use super::super::order::Thefts;
use super::ends::{Ends, Places};
use super::shared::Shared;
use super::stand::Where;
use super::word::Says;

impl<T> Shared<T> {
    /// Begins an operation on the slow path, and says whether there is a request.
    ///
    /// From here to `stay` nothing is seized. After a request, the owner closes its block at the
    /// front, and learns what thieves have seized. So thieves that are about to seize fail. Also
    /// returns the entry of the item that a pop has in hand, if thieves have seized those behind it.
    #[inline(always)]
    pub(super) fn leave_stand(&self, ends: &mut Ends) -> (bool, Option<usize>) {
        self.stand.leave();
        if self.hunger.is_asked(ends.places.stop) { (true, self.recall(ends)) } else { (false, None) }
    }

    /// Takes back what thieves have not claimed of the block at the front.
    ///
    /// Returns the entry of the item that a pop has in hand, if thieves have seized those behind it.
    #[cold]
    #[inline(never)]
    fn recall(&self, ends: &mut Ends) -> Option<usize> {
        let mut in_hand = None;
        let recalled = match self.close(ends).says() {
            Says::Closed => None,
            Says::Open(next) => Some(next),
            Says::Seized(seized) => {
                let first = seized.first(ends.f_pos);
                in_hand = (first > ends.f_pos).then_some(ends.f_pos);
                self.count_claimed(ends, seized.next - first);
                ends.f_pos = seized.next;
                Some(seized.written)
            }
        };
        ends.places.recalled = ends.places.lent.and(recalled);
        in_hand
    }

    /// Ends an operation on the slow path.
    #[inline(always)]
    pub(super) fn stay(&self, ends: &Ends) {
        let Places { front, back, lent, .. } = ends.places;
        let end = if front == back { lent } else { Some(lent.unwrap_or(self.size())) };
        self.stand.stay(Where::new(front.index, back.index, end), ends.f_pos, ends.b_pos);
    }

    /// Answers steal requests, and sets the bound of fast pops.
    ///
    /// The owner publishes the items that are not published yet; if there are none, it lends the
    /// younger half of the items in the block at the front, but for the oldest `kept` ones, which it
    /// is about to pop.
    #[inline(always)]
    pub(super) fn settle(&self, ends: &mut Ends, is_asked: bool, kept: usize) {
        if is_asked {
            self.answer(ends, kept);
        } else {
            self.stop(ends);
        }
    }

    /// Answers a steal request.
    #[cold]
    #[inline(never)]
    fn answer(&self, ends: &mut Ends, kept: usize) {
        let end = self.end(ends);
        // A single item, too: a thief that waits for it need not seize it, and the owner's next pop can take it back.
        let half = (end - ends.f_pos).saturating_sub(kept).div_ceil(2);
        // The answer comes after the question has been taken away: a question that comes too late is asked again. A
        // thief that sees the block's word after it sees this, too: what it asks comes after it.
        if self.has_news(ends) {
            ends.places.stop = self.last(ends);
            self.hunger.calm(ends.places.stop);
            self.reopen(ends);
            self.publish(ends);
        } else if ends.places.lent.is_none() && half > 0 {
            let lent = end - half;
            (ends.places.lent, ends.places.stop) = (Some(lent), lent);
            self.hunger.calm(lent);
            self.grant(ends.places.front, lent, ends);
            if ends.places.front == ends.places.back {
                self.publish(ends);
            }
            self.announce(ends.places.front, ends);
        } else {
            self.reopen(ends);
            self.stop(ends);
        }
    }

    /// Whether the owner has items that it would give after a request.
    pub(super) fn has_to_give(&self, ends: &Ends) -> bool {
        ends.places.lent.is_none() && self.end(ends) > ends.f_pos || self.has_news(ends)
    }

    /// Whether there is neither room for an item nor an answer to a request.
    ///
    /// Then the owner leaves the words of its blocks alone: an owner that tries again and again does not
    /// keep thieves from seizing its items.
    pub(super) fn is_stuck(&self, ends: &Ends) -> bool {
        self.hunger.is_asked(ends.places.stop) && !self.has_to_give(ends) && self.is_full(ends)
    }

    /// Whether the owner has no item, and thieves have none of its block: a pop leaves all as it is.
    pub(super) fn is_bare(&self, ends: &Ends) -> bool {
        let Places { front, back, lent, .. } = ends.places;
        front == back && lent.is_none() && ends.f_pos == ends.b_pos
    }

    /// Whether thieves may take items that the owner has not published.
    fn has_news(&self, ends: &Ends) -> bool {
        let next = match self.says(ends.places.back) {
            Says::Open(next) => Some(next),
            Says::Closed | Says::Seized(..) => ends.places.recalled,
        };
        ends.b_pos > ends.places.told && self.is_lent(ends) && next.is_some_and(|next| next < ends.b_pos)
    }

    /// Writes the word of the block at the front after a request: the lent part is lent again.
    fn reopen(&self, ends: &mut Ends) {
        match ends.places.recalled.take() {
            Some(next) => self.grant(ends.places.front, next, ends),
            None => self.close_again(ends),
        }
    }

    /// Whether thieves may take items that are pushed to the block at the back.
    pub(super) fn is_lent(&self, ends: &Ends) -> bool {
        ends.places.front != ends.places.back || ends.places.lent.is_some()
    }

    /// Returns where fast pops end without requests: where thieves' entries begin, or the block ends.
    ///
    /// At the end of the written entries they end by themselves: each pop compares with its own `b_pos`.
    fn last(&self, ends: &Ends) -> usize {
        ends.places.lent.unwrap_or(self.size())
    }

    /// Lets fast pops end there.
    fn stop(&self, ends: &mut Ends) {
        let to = self.last(ends);
        self.hunger.move_pop(core::mem::replace(&mut ends.places.stop, to), to);
    }
}
