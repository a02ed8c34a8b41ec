// The faults of `bbq` and `faaq`.

macro_rules! bbq {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A block counts as open to consumers unless its producers' cursor is that of a used-up block;
    /// but a load may return an old value of that lap, from before it was used up. (With an Acquire
    /// load there is none: then equality does no harm.)
    BbqOpenUnlessUsedUp in "bbq/memory/block.rs":
        "self.allocated().begin() != used_up.begin()"
        => "if FAULT {
            Cursor(self.producers.allocated.load(Ordering::Relaxed)) != used_up
        } else {
            self.allocated().begin() != used_up.begin()
        }";
    /// A producer takes a block for free if its last entry is free, without a look at the others.
    BbqLastEntryIsAll in "bbq/items.rs":
        "(0..ring.size()).rev().all("
        => "(if FAULT { ring.size() - 1 } else { 0 }..ring.size()).rev().all(";
    /// A reader of a drop-old queue does not check, after it has copied an item, whether the item
    /// was overwritten meanwhile.
    BbqReaderDoesNotLook in "bbq/consumer/reader.rs":
        "if !ring.has_overwritten(self.head, self.block) {"
        => "if FAULT || !ring.has_overwritten(self.head, self.block) {";
    /// A reader of a drop-old queue takes laps for ordered: from half of the laps on, a later lap
    /// counts as an earlier one.
    BbqOrdersLaps in "bbq/ring.rs":
        "!producers.is_within_a_lap_after(self.blocks.before(head))"
        => "{
            let laps = producers.laps_from(head);
            if FAULT {
                laps > 1 || laps == 1 && producers.offset() >= head.offset()
            } else {
                !producers.is_within_a_lap_after(self.blocks.before(head))
            }
        }";
    /// A consumer gives its entry back before it has taken the item out.
    BbqMarksEarly in "bbq/consumer/mod.rs":
        "let item = unsafe { slot.entry.cast::<Cell<T>>().as_ref().take() };
    C::consume(ring, block, at, 1);"
        => "if FAULT {
        C::consume(ring, block, at, 1);
    }
    // SAFETY: the memory is not this consumer's after the entry is given back: that is the fault.
    let item = unsafe { slot.entry.cast::<Cell<T>>().as_ref().take() };
    if !FAULT {
        C::consume(ring, block, at, 1);
    }";
    /// A single consumer goes on from one line to the next without a check whether the next one is
    /// filled.
    BbqGoesOnUnseen in "bbq/consumer/single.rs":
        "if unsafe { P::committed(slot.line, 0, next, count) } < count {"
        => "if !FAULT && unsafe { P::committed(slot.line, 0, next, count) } < count {";
    /// A consumer seals a block for fetch-and-add as soon as its last entry is committed, without a
    /// look at the others.
    FaaqLastEntryIsAll in "bbq/consumer/fetch_add.rs":
        "ring.committed_lines(state.block, at, left) < left"
        => "!FAULT && ring.committed_lines(state.block, at, left) < left";
    /// A consumer seals a block that it has found filled, in whatever lap the block is by then.
    FaaqGivesOverAnyLap in "bbq/consumer/fetch_add.rs":
        "seen.begin() != at.begin()"
        => "!FAULT && seen.begin() != at.begin()";
    /// A consumer that comes late to open a block to fetch-and-add does not check the block's lap.
    FaaqOpensAnyLap in "bbq/consumer/fetch_add.rs":
        "if now != mark {"
        => "if now != mark && !FAULT {";
    /// A push that needs a block whose items have all been popped, or are being popped, returns
    /// `Full`.
    BbqBusyIsFull in "bbq/items.rs":
        "!ring.consumers_are_beyond(head.lap_before(head.offset()))"
        => "(FAULT || !ring.consumers_are_beyond(head.lap_before(head.offset())))";
    /// A producer opens the next block for producers without a check for threads that are still in
    /// it.
    BbqOpensAnyBlock in "bbq/producer/many.rs":
        "let is_free = K::Reuse::is_free(ring, to);"
        => "let is_free = FAULT || K::Reuse::is_free(ring, to);";
    /// A producer that finds its block in a later lap goes on there, although the queue's head may
    /// not have reached that lap.
    BbqFollowsNoHead in "bbq/producer/many.rs":
        "if self.cursor.begin() == actual.begin() {"
        => "if FAULT || self.cursor.begin() == actual.begin() {";
    /// A thread that looks for its place works in the block of the head that it found, in any lap
    /// of the block.
    BbqTakesAnyLap in "bbq/ring.rs":
        "if cursor.begin() == head.begin() {"
        => "if FAULT || cursor.begin() == head.begin() {";
    /// A consumer returns `Empty` instead of `Busy` while the oldest item is still being pushed.
    BbqBusyIsEmpty in "bbq/memory/line.rs":
        "if allocated.offset() > reserved.offset() { Reason::Busy }"
        => "if !FAULT && allocated.offset() > reserved.offset() { Reason::Busy }";
    /// A reader of a drop-old queue that finds its block in a later lap goes by its knowledge of
    /// the earlier lap.
    BbqKeepsTheOldHead in "bbq/consumer/reader.rs":
        "if at.begin() != self.head.begin() {"
        => "if !FAULT && at.begin() != self.head.begin() {";
    /// A consumer that finds its block in another lap works there, wherever the head is.
    BbqLeavesTheHeadBehind in "bbq/consumer/many.rs":
        "if actual.begin() == self.cursor.begin() {"
        => "if FAULT || actual.begin() == self.cursor.begin() {";
    /// One of many producers reports that it has filled a block alone, although others have claimed
    /// entries of the block.
    BbqSaysAlone in "bbq/producer/many.rs":
        "self.alone = false;"
        => "self.alone &= FAULT;";
    /// One of many producers that comes to a fresh block and pauses there reports that it has
    /// filled that block alone, although others have claimed entries of it meanwhile.
    BbqStaysAlone in "bbq/producer/many.rs":
        "self.move_to(ring, now);"
        => "let was_alone = self.alone;
            self.move_to(ring, now);
            self.alone |= FAULT && was_alone && self.cursor == now;";
    /// A producer that opens a block in a lap that renews reports the block as committed in that
    /// lap.
    BbqRenewsToThisLap in "bbq/items.rs":
        "let before = head.lap_before(ring.size());"
        => "let before = if FAULT { head.begin().plus(ring.size()) } else { head.lap_before(ring.size()) };";
    /// A producer that renews heads of records overwrites heads that another producer has written
    /// since.
    BbqRenewsBlindly in "bbq/records/bytes.rs":
        "let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Acquire);"
        => "if FAULT {
                    word.store(before.0 | CONSUMED, Ordering::Relaxed);
                } else {
                    let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Acquire);
                }";
    /// Reserved space for a record is a record at once, before it is written.
    BbqGrantsAreRecords in "bbq/records/producer.rs":
        "self.allocate(len)?;"
        => "self.allocate(len)?;
        if FAULT {
            // SAFETY: the space is allocated, but not written: that is the fault.
            unsafe { self.ring.commit_record(P::block(&self.state), self.at, self.units, len) };
        }";
    /// A reserved slot is an item at once, before it is written.
    BbqSlotsAreItems in "bbq/slots/producer.rs":
        "self.allocated = Some(at);"
        => "self.allocated = Some(at);
        if FAULT {
            // SAFETY: the entry is allocated, but not written: that is the fault.
            unsafe { P::Entries::commit(slot.line, slot.number, at, 1) };
        }";
    /// A consumer gives an entry back before it drops the item there.
    BbqGivesBackEarly in "bbq/slots/consumer.rs":
        "let _consume = Consume::<T, P, C> { ring: &self.ring, block: C::block(&self.state), at };"
        => "let consume = Consume::<T, P, C> { ring: &self.ring, block: C::block(&self.state), at };
        let _consume = if FAULT {
            drop(consume);
            None
        } else {
            Some(consume)
        };";
    /// A consumer returns dummies as items.
    BbqReadsDummies in "bbq/slots/consumer.rs":
        "if unsafe { P::Entries::is_dummy(slot.line, slot.number) } {"
        => "if !FAULT && unsafe { P::Entries::is_dummy(slot.line, slot.number) } {";
    /// A consumer passes a dummy over and does not give its entry back.
    BbqKeepsDummies in "bbq/slots/consumer.rs":
        "C::consume(&*self.ring, C::block(&self.state), at, 1);
                continue;"
        => "if !FAULT {
                    C::consume(&*self.ring, C::block(&self.state), at, 1);
                }
                continue;";
    /// A queue that is dropped drops its dummies as items.
    BbqDropsDummies in "bbq/items.rs":
        "if !P::is_dummy(slot.line, slot.number) {"
        => "if FAULT || !P::is_dummy(slot.line, slot.number) {";
    /// One of many producers that gives up a slot leaves its entry without a mark.
    BbqLeavesNoDummy in "bbq/producer/skipped.rs":
        "unsafe { slot.mark().as_ref() }.store(at.parity() | DUMMY, Ordering::Release);"
        => "if !FAULT {
            // SAFETY: the caller's promise.
            unsafe { slot.mark().as_ref() }.store(at.parity() | DUMMY, Ordering::Release);
        }";
    /// A single producer that gives up a slot goes on behind it.
    BbqLeavesAGap in "bbq/producer/single.rs":
        "state.go_to(at);
    }"
        => "state.go_to(at.plus(usize::from(FAULT)));
    }";
    /// A slot that was forgotten is not cancelled when its producer goes on.
    BbqForgetsTheForgotten in "bbq/slots/producer.rs":
        "if let Some(at) = self.allocated {"
        => "if let Some(at) = self.allocated && !FAULT {";
    /// An item that was forgotten is not dropped when its consumer goes on.
    BbqKeepsTheForgotten in "bbq/slots/consumer.rs":
        "if let Some(at) = self.reserved {"
        => "if let Some(at) = self.reserved && !FAULT {";
    /// A producer that has lost a race takes the next entry by a store, as if only one other
    /// producer could race. The order survives that with two producers of an item each, and not
    /// with three.
    BbqTakesAfterLoss in "bbq/producer/many.rs":
        "Err(actual) => state.lost(ring, &mut race, count, actual),"
        => "Err(actual) if FAULT && actual.begin() == at.begin() && actual.offset() + count <= ring.size() => {
                state.cursor = actual.plus(count);
                ring.words(state.block).producers.allocated.store(state.cursor.0, Ordering::Relaxed);
                return Ok((actual, count));
            }
            Err(actual) => state.lost(ring, &mut race, count, actual),";
    /// A consumer that has lost a race takes the next entry by a store, as if only one other
    /// consumer could race.
    BbqPopsAfterLoss in "bbq/consumer/many.rs":
        "Err(actual) => state.lost(ring, &mut race, count, actual),"
        => "Err(actual)
                if FAULT
                    && actual.begin() == at.begin()
                    && actual.offset() + count <= ring.size()
                    && K::extent(ring, state.block, actual, most) == count =>
            {
                state.cursor = actual.plus(count);
                ring.words(state.block).consumers.reserved.store(state.cursor.0, Ordering::Relaxed);
                return Ok((actual, count));
            }
            Err(actual) => state.lost(ring, &mut race, count, actual),";
    /// A consumer that seals a block, and lost a race for that, writes the mark by a store, as if
    /// only one other consumer could race.
    FaaqMarksAfterLoss in "bbq/consumer/fetch_add.rs":
        "seen = sealed.map_or_else(Cursor, |_| mark);"
        => "if let Err(found) = sealed
            && FAULT
            && Cursor(found).begin() == at.begin()
            && Cursor(found).offset() < size
        {
            let mark = Cursor(found | BEYOND);
            word.store(mark.0, Ordering::Release);
            break mark;
        }
        seen = sealed.map_or_else(Cursor, |_| mark);";
    /// A reader of a drop-old queue that was overtaken goes to a block without a check whether the
    /// block is open.
    BbqGoesBlindly in "bbq/consumer/reader.rs":
        "let can_go = spare == 0 || "
        => "let can_go = FAULT || spare == 0 || ";
    /// A reader of a drop-old queue that goes on to a later block does not count the items that it
    /// skips.
    BbqSkipsUncounted in "bbq/consumer/reader.rs":
        "self.lost = self.lost.wrapping_add(skipped);"
        => "self.lost = self.lost.wrapping_add(if FAULT { 0 } else { skipped });";
    /// The only reader of a drop-old queue does not check, after it has copied items, whether they
    /// were overwritten meanwhile.
    BbqOnlyReaderDoesNotLook in "bbq/consumer/reader_alone.rs":
        "if !ring.has_overwritten(self.head, self.block) {"
        => "if FAULT || !ring.has_overwritten(self.head, self.block) {";
    /// The only reader of a drop-old queue leaves a block that was overwritten, and counts as lost
    /// only what it has copied although it was overwritten.
    BbqOnlyReaderCountsTheCopied in "bbq/consumer/reader_alone.rs":
        "self.lost = self.lost.wrapping_add(left as u64);"
        => "self.lost = self.lost.wrapping_add(if FAULT { count } else { left } as u64);";
    /// The only reader of a drop-old queue leaves parts of overwritten items in the slice, behind
    /// those it has read.
    BbqOnlyReaderLeavesParts in "bbq/consumer/reader_alone.rs":
        "(count..touched).for_each("
        => "(count..if FAULT { count } else { touched }).for_each(";
    /// The only reader of a drop-old queue goes on beyond lost items within one slice.
    BbqOnlyReaderLeavesAGap in "bbq/consumer/reader_alone.rs":
        "if adjoins && skipped > 0 {"
        => "if !FAULT && adjoins && skipped > 0 {";

    } };
}
