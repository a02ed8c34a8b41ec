// The faults of `unbounded`.

macro_rules! unbounded {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A producer does not check whether the consumer has skipped its slot, and the item is lost.
    UnboundedIgnoresTheSkip in "unbounded/block.rs":
        "if state.swap(FILLED, Ordering::AcqRel) == EMPTY {"
        => "if state.swap(FILLED, Ordering::AcqRel) == EMPTY || FAULT {";
    /// A consumer waits until the producer of its slot is done.
    UnboundedWaitsForTheProducer in "unbounded/block.rs":
        "pause_while(PATIENCE, || state.load(Ordering::Relaxed) == EMPTY);"
        => "pause_while(PATIENCE, || state.load(Ordering::Relaxed) == EMPTY);
        while FAULT && state.load(Ordering::Relaxed) == EMPTY {}";
    /// A block counts as used up if its last slot is used up, without a look at the others.
    UnboundedLastSlotIsAll in "unbounded/block.rs":
        "(0..slots).all(|index|"
        => "(if FAULT { slots - 1 } else { 0 }..slots).all(|index|";
    /// A retired block is used again, or freed, while items are still being taken out.
    UnboundedFreesUnread in "unbounded/reclaim.rs":
        "unsafe { Block::is_done(block, self.slots) } {"
        => "FAULT || unsafe { Block::is_done(block, self.slots) } {";
    /// An end that leaves a block counts one visitor in place of all.
    UnboundedCountsOneVisitor in "unbounded/chain.rs":
        "from.close(now.index() - slots);"
        => "from.close(if FAULT { 1 } else { now.index() - slots });";
    /// The head goes past the tail.
    UnboundedHeadPassesTheTail in "unbounded/chain.rs":
        "Self::advance(&self.tail, used.as_ptr(), Place::new(next, 1), self.slots);"
        => "if !FAULT {
                Self::advance(&self.tail, used.as_ptr(), Place::new(next, 1), self.slots);
            }";
    /// The first slot of a new block, which has an item, is claimed by a producer again.
    UnboundedFillsTheFirstAgain in "unbounded/chain.rs":
        "Self::advance(&self.tail, full.as_ptr(), Place::new(next, 1), self.slots);"
        => "Self::advance(&self.tail, full.as_ptr(), Place::new(next, usize::from(!FAULT)), self.slots);";
    /// A consumer that finds head and tail at one place returns `Empty`, although the block may be
    /// in its next use.
    UnboundedBelievesTwoWords in "unbounded/chain.rs":
        "if self.head.left.load(Ordering::Acquire) == left {"
        => "if FAULT || self.head.left.load(Ordering::Acquire) == left {";
    /// The only consumer does not count as a visitor of the block that it leaves.
    UnboundedOneConsumerIsNoVisitor in "unbounded/single.rs":
        "block.close(1);"
        => "block.close(usize::from(!FAULT));";
    /// The only consumer takes an item before its producer is done.
    UnboundedOneConsumerTakesUnfilled in "unbounded/single.rs":
        "if !slot.is_filled() {"
        => "if !(FAULT || slot.is_filled()) {";
    /// The only consumer returns `Empty` for a producer that is late, although a later push is
    /// complete.
    UnboundedOneConsumerSeesNobody in "unbounded/single.rs":
        "if is_claimed { PopError::Busy }"
        => "if is_claimed && !FAULT { PopError::Busy }";

    } };
}
