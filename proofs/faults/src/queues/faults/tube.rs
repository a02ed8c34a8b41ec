// The faults of `tube`.

macro_rules! tube {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A thread that finds an entry filled moves the tail for its owner without the owner's
    /// knowledge.
    IndicesFollowUnknowing in "tube/index_queues.rs":
        "let found = entry.load(Ordering::Acquire);"
        => "let found = entry.load(if FAULT { Ordering::Relaxed } else { Ordering::Acquire });";
    /// A pop takes a number from an entry of any lap.
    IndicesTakeAnyLap in "tube/index_queues.rs":
        "if self.lap(found) == self.lap(head) {"
        => "if FAULT || self.lap(found) == self.lap(head) {";
    /// A push relies on a tail that is not behind: it fills an entry of any lap.
    IndicesFillAnyLap in "tube/index_queues.rs":
        "if self.lap(found).wrapping_add(self.entries.len()) == self.lap(tail) {"
        => "if FAULT || self.lap(found).wrapping_add(self.entries.len()) == self.lap(tail) {";
    /// A thread that finds an entry filled waits until its owner has moved the tail.
    IndicesWaitForTheTail in "tube/index_queues.rs":
        "            tail = self.follow(tail);"
        => "            while FAULT && self.tail.load(Ordering::Acquire) == tail {}
            tail = self.follow(tail);";
    /// A thread that has lost a race for a number takes the next one by a store, as if only one
    /// other thread could race.
    IndicesTakeAfterLoss in "tube/index_queues.rs":
        "Err(now) => head = now,"
        => "Err(now) if FAULT && self.lap(self.entry(now).load(Ordering::Acquire)) == self.lap(now) => {
                        let index = self.index(self.entry(now).load(Ordering::Acquire));
                        self.head.store(now.wrapping_add(1), Ordering::Release);
                        return Ok(Ticket { position: now, slot: index });
                    }
                    Err(now) => head = now,";
    /// A thread that has lost a race for a position takes the next one by a store, as if only one
    /// other thread could race.
    RingTakesAfterLoss in "tube/sequenced_ring.rs":
        "Err(now) => position = now,"
        => "Err(now) if FAULT && self.turn(now).load(Ordering::Acquire) == turn(now) => {
                        head.store(now.wrapping_add(1), Ordering::Relaxed);
                        return Ok(Ticket { position: now, slot: self.slot(now) });
                    }
                    Err(now) => position = now,";

    } };
}
