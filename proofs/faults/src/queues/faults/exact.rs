// The faults of the queue of an exact capacity.

macro_rules! exact {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A push takes a slot that a permit has reserved.
    ExactForgetsPermits in "exact/ring.rs":
        "let last = if permits == 0 {"
        => "let last = if FAULT || permits == 0 {";
    /// A permit's push does not learn from the producer that found the slot free.
    ExactPermitLearnsNothing in "exact/ring.rs":
        "self.tail.compare_exchange(word, used, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.tail.compare_exchange(
                word,
                used,
                if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                Ordering::Relaxed,
            )";
    /// A permit that has been used keeps its slot.
    ExactPermitStays in "exact/ring.rs":
        "((word / PERMIT - 1) * PERMIT) |"
        => "((word / PERMIT - u64::from(!FAULT)) * PERMIT) |";
    /// A permit that is dropped keeps its slot.
    ExactPermitKeepsItsSlot in "exact/ring.rs":
        "self.tail.fetch_sub(PERMIT, Ordering::Relaxed);"
        => "self.tail.fetch_sub(if FAULT { 0 } else { PERMIT }, Ordering::Relaxed);";
    /// A consumer takes an item, and does not release what it did before.
    ExactPopHidesWhatWasBefore in "exact/ring.rs":
        "self.head.compare_exchange(position, next, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.head.compare_exchange(
                    position,
                    next,
                    if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                    Ordering::Relaxed,
                )";
    /// A consumer finds nothing, and does not acquire what the thread did before that took the
    /// item.
    ExactEmptyHidesWhatWasBefore in "exact/ring.rs":
        "let now = self.head.load(Ordering::Acquire)"
        => "let now = self.head.load(if FAULT { Ordering::Relaxed } else { Ordering::Acquire })";
    /// A producer takes a slot, and does not release what it did before.
    ExactPushHidesWhatWasBefore in "exact/ring.rs":
        "self.tail.compare_exchange(word, next, Ordering::SeqCst, Ordering::Relaxed)"
        => "self.tail.compare_exchange(
                    word,
                    next,
                    if FAULT { Ordering::Relaxed } else { Ordering::SeqCst },
                    Ordering::Relaxed,
                )";
    /// A producer finds no slot, and does not acquire what the thread did before that took it.
    ExactFullHidesWhatWasBefore in "exact/ring.rs":
        "let now = self.tail.load(Ordering::Acquire)"
        => "let now = self.tail.load(if FAULT { Ordering::Relaxed } else { Ordering::Acquire })";
    /// The last slot is never used.
    ExactForgetsASlot in "exact/ring.rs":
        "if index < self.capacity() {
            lap | index as u64
        } else {
            (lap + self.lap) & POSITION | (index - self.capacity()) as u64"
        => "let capacity = self.capacity() - usize::from(FAULT && self.capacity() > 1);
        if index < capacity {
            lap | index as u64
        } else {
            (lap + self.lap) & POSITION | (index - capacity) as u64";
    /// The position after the last one of a lap is the first one of that lap.
    ExactKeepsItsLap in "exact/ring.rs":
        "} else {
            (lap + self.lap) & POSITION"
        => "} else {
            (lap + if FAULT { 0 } else { self.lap }) & POSITION";
    /// Positions that have wrapped around are not cut to their bits: they count as permits.
    ExactWrapsIntoPermits in "exact/ring.rs":
        "(position + self.lap) & POSITION"
        => "(position + self.lap) & if FAULT { u64::MAX } else { POSITION }";
    /// A push returns `Full` while a consumer is in the middle of the pop that makes room.
    ExactBusyIsFull in "exact/ring.rs":
        "Err(if is_full {"
        => "Err(if FAULT || is_full {";
    /// A pop returns `Empty` while a producer is in the middle of its push.
    ExactBusyIsEmpty in "exact/ring.rs":
        "Err(if is_empty {"
        => "Err(if FAULT || is_empty {";
    /// The queue is dropped without its items.
    ExactDropsNothing in "exact/ring.rs":
        "if core::mem::needs_drop::<T>() {"
        => "if core::mem::needs_drop::<T>() && !FAULT {";

    } };
}
