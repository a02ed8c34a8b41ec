//! Turns: threads of one side of a queue that share it by reference each make many operations in a
//! row.
//!
//! A word that two cores change in turn goes from one to the other for each operation. So a thread
//! that comes upon the turn of another pauses, for as long as the other makes progress, until the
//! turn is over; then the other finds that it has to pause. If pauses do not help (the others are
//! seldom at work), they become rarer.
//!
//! Threads are told apart by where their stacks lie. Two threads with one mark contend as without
//! turns. A thread with two marks pauses for itself, but seldom.

use super::seldom::Seldom;
use crate::sync::{Hint, pause};

/// The current turn. Only the length of operations depends on it, so threads may overwrite each
/// other's memory.
#[derive(Debug)]
pub(crate) struct Turns {
    /// The mark of the thread that has the turn, and the number of its operations.
    turn: Hint,
    /// How seldom a thread pauses in another's turn: the word of a [`Seldom`].
    seldom: Hint,
}

/// The number of operations of a turn.
const TURN: u32 = 256;
/// The bits that count them; those above hold the mark.
const BITS: u32 = 12;
const COUNT: u32 = (1 << BITS) - 1;

/// The spin hints of the first pause; each later one is twice as long.
const FIRST: u32 = 32;
/// The spin hints of the longest pause.
const LONGEST: u32 = 256;
/// The least number of the other thread's operations in a pause for which another pause is
/// worthwhile.
const PROGRESS: u32 = 4;

/// Stacks that lie less than 2 to this power apart may share a mark.
const STACK_BITS: u32 = 18;

/// Returns the mark of the calling thread.
#[inline(always)]
fn mark() -> u32 {
    let on_stack = 0_u8;
    (((&raw const on_stack).addr() >> STACK_BITS) as u32) << BITS
}

impl Turns {
    /// Makes the turns of a queue that no thread has used.
    pub(crate) const fn new() -> Self {
        // A turn of no thread, which is over.
        Self { turn: Hint::new(TURN), seldom: Hint::new(0) }
    }

    /// Pauses if another thread has the turn, before an operation. Returns what
    /// [`made_one`](Self::made_one) needs.
    #[inline(always)]
    pub(crate) fn wait(&self) -> u32 {
        let turn = self.turn.get();
        if turn & !COUNT == mark() || turn & COUNT >= TURN {
            return turn;
        }
        self.let_pass(turn);
        self.turn.get()
    }

    /// Notes that the calling thread has made an operation, before which it has waited.
    #[inline(always)]
    pub(crate) fn made_one(&self, turn: u32) {
        if turn & !COUNT != mark() {
            self.turn.set(mark() | 1);
        } else if turn & COUNT < TURN {
            self.turn.set(turn + 1);
        }
    }

    #[cold]
    #[inline(never)]
    fn let_pass(&self, mut turn: u32) {
        let mut seldom = Seldom::of_word(self.seldom.get());
        if !seldom.is_due() {
            self.seldom.set(seldom.word());
            return;
        }
        let mut hints = FIRST;
        loop {
            pause(hints);
            let now = self.turn.get();
            let has_used_it = now & !COUNT != turn & !COUNT || now & COUNT >= (turn & COUNT) + PROGRESS;
            if !has_used_it || now & COUNT >= TURN || hints == LONGEST {
                seldom.has_paused(has_used_it);
                self.seldom.set(seldom.word());
                return;
            }
            (turn, hints) = (now, 2 * hints);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The turn of another thread, which has made `count` operations.
    fn of_another(turns: &Turns, count: u32) {
        turns.turn.set((mark() ^ 1 << BITS) | count);
    }

    /// Returns in how many of `rounds` rounds a thread pauses that finds another one's turn each
    /// time.
    fn pauses(rounds: usize) -> usize {
        let turns = Turns::new();
        let pauses = |_: &usize| {
            of_another(&turns, 1);
            let is_due = Seldom::of_word(turns.seldom.get()).is_due();
            turns.wait();
            is_due
        };
        (0..rounds).filter(pauses).count()
    }

    #[test]
    fn a_thread_pauses_seldom_if_the_others_do_nothing_meanwhile() {
        // After 0, 1, 3, 7, ... rounds in between.
        assert_eq!(pauses(1000), 9);
    }

    #[test]
    fn no_thread_pauses_in_its_own_turn_or_after_one_that_is_over() {
        let turns = Turns::new();
        for made in 0..2 * TURN {
            let turn = turns.wait();
            turns.made_one(turn);
            assert_eq!(turns.turn.get(), mark() | (made + 1).min(TURN));
        }
        of_another(&turns, TURN);
        let turn = turns.wait();
        turns.made_one(turn);
        assert_eq!((turns.turn.get(), turns.seldom.get()), (mark() | 1, 0));
    }
}
