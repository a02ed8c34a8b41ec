//! The thief's operation of FIFO queues alone.

use super::super::order::Fifo;
use super::super::steal::Steal;
use super::super::stealer::Stealer;

impl<T> Stealer<T, Fifo> {
    /// Steals an item of one block, without a steal request if there is none.
    ///
    /// The block is `block` modulo their number. With a block chosen at random this is the
    /// randomised stealing of J. Wang's thesis (TU Dresden, 2024, section 4.3.4): its chance of
    /// success grows with how full the queue is.
    pub fn steal_of(&self, block: usize) -> Steal<T> {
        self.sampled(block)
    }
}
