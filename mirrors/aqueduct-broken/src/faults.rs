faults! {
    /// A block counts as open to consumers unless its producers' cursor is that of a used-up block; but a load
    /// may return an old value of that lap, from before it was used up. (With an Acquire load there is none:
    /// then equality does no harm.)
    BbqOpenUnlessUsedUp in "bbq/block.rs":
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
    /// A reader of a drop-old queue does not check, after it has copied an item, whether the item was
    /// overwritten meanwhile.
    BbqReaderDoesNotLook in "bbq/consumer/reader.rs":
        "if !ring.has_overwritten(self.head, self.block) {"
        => "if FAULT || !ring.has_overwritten(self.head, self.block) {";
    /// A reader of a drop-old queue takes laps for ordered: from half of the laps on, a later lap counts as an
    /// earlier one.
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
    /// A single consumer goes on from one line to the next without a check whether the next one is filled.
    BbqGoesOnUnseen in "bbq/consumer/single.rs":
        "if unsafe { P::committed(slot.line, 0, next, count) } < count {"
        => "if !FAULT && unsafe { P::committed(slot.line, 0, next, count) } < count {";
    /// A consumer seals a block for fetch-and-add as soon as its last entry is committed, without a look at the
    /// others.
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
    /// A push that needs a block whose items have all been popped, or are being popped, returns `Full`.
    BbqBusyIsFull in "bbq/items.rs":
        "!ring.consumers_are_beyond(head.lap_before(head.offset()))"
        => "(FAULT || !ring.consumers_are_beyond(head.lap_before(head.offset())))";
    /// A producer opens the next block for producers without a check for threads that are still in it.
    BbqOpensAnyBlock in "bbq/producer/many.rs":
        "let is_free = K::Reuse::is_free(ring, to);"
        => "let is_free = FAULT || K::Reuse::is_free(ring, to);";
    /// A producer that finds its block in a later lap goes on there, although the queue's head may not have
    /// reached that lap.
    BbqFollowsNoHead in "bbq/producer/many.rs":
        "if self.cursor.begin() == actual.begin() {"
        => "if FAULT || self.cursor.begin() == actual.begin() {";
    /// A thread that looks for its place works in the block of the head that it found, in any lap of the block.
    BbqTakesAnyLap in "bbq/ring.rs":
        "if cursor.begin() == head.begin() {"
        => "if FAULT || cursor.begin() == head.begin() {";
    /// A consumer returns `Empty` instead of `Busy` while the oldest item is still being pushed.
    BbqBusyIsEmpty in "bbq/line.rs":
        "if allocated.offset() > reserved.offset() { Reason::Busy }"
        => "if !FAULT && allocated.offset() > reserved.offset() { Reason::Busy }";
    /// A reader of a drop-old queue that finds its block in a later lap goes by its knowledge of the earlier
    /// lap.
    BbqKeepsTheOldHead in "bbq/consumer/reader.rs":
        "if at.begin() != self.head.begin() {"
        => "if !FAULT && at.begin() != self.head.begin() {";
    /// A consumer that finds its block in another lap works there, wherever the head is.
    BbqLeavesTheHeadBehind in "bbq/consumer/many.rs":
        "if actual.begin() == self.cursor.begin() {"
        => "if FAULT || actual.begin() == self.cursor.begin() {";
    /// One of many producers reports that it has filled a block alone, although others have claimed entries of
    /// the block.
    BbqSaysAlone in "bbq/producer/many.rs":
        "self.alone = false;"
        => "self.alone &= FAULT;";
    /// One of many producers that comes to a fresh block and pauses there reports that it has filled that block
    /// alone, although others have claimed entries of it meanwhile.
    BbqStaysAlone in "bbq/producer/many.rs":
        "self.move_to(ring, now);"
        => "let was_alone = self.alone;
            self.move_to(ring, now);
            self.alone |= FAULT && was_alone && self.cursor == now;";
    /// A producer that opens a block in a lap that renews reports the block as committed in that lap.
    BbqRenewsToThisLap in "bbq/items.rs":
        "let before = head.lap_before(ring.size());"
        => "let before = if FAULT { head.begin().plus(ring.size()) } else { head.lap_before(ring.size()) };";
    /// A producer that renews heads of records overwrites heads that another producer has written since.
    BbqRenewsBlindly in "bbq/records/bytes.rs":
        "let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Relaxed);"
        => "if FAULT {
                    word.store(before.0 | CONSUMED, Ordering::Relaxed);
                } else {
                    let _ = word.compare_exchange(old.0, before.0 | CONSUMED, Ordering::Relaxed, Ordering::Relaxed);
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
    /// A producer that has lost a race takes the next entry by a store, as if only one other producer could
    /// race. The order survives that with two producers of an item each, and not with three.
    BbqTakesAfterLoss in "bbq/producer/many.rs":
        "Err(actual) => state.lost(ring, &mut race, count, actual),"
        => "Err(actual) if FAULT && actual.begin() == at.begin() && actual.offset() + count <= ring.size() => {
                state.cursor = actual.plus(count);
                ring.words(state.block).producers.allocated.store(state.cursor.0, Ordering::Relaxed);
                return Ok((actual, count));
            }
            Err(actual) => state.lost(ring, &mut race, count, actual),";
    /// A producer adds the whole slice to a block's word, so the part beyond the end reaches the lap.
    BbqAdderPassesAllOffsets in "bbq/producer/fetch_add.rs":
        "add(ring, state, most.min(left).min(AT_ONCE))"
        => "add(ring, state, if FAULT { most } else { most.min(left).min(AT_ONCE) })";
    /// A producer takes an addition that found the block's end for a claim of an entry.
    BbqAdderTakesTheEnd in "bbq/producer/fetch_add.rs":
        "    if at.offset() >= size {
        state.cursor"
        => "    if at.offset() >= size + usize::from(FAULT) {
        state.cursor";
    /// A producer whose addition came late works in a block that the head may not have reached.
    BbqAdderLeavesTheHead in "bbq/producer/fetch_add.rs":
        "    if is_late {
        bring_head("
        => "    if is_late && !FAULT {
        bring_head(";
    /// A producer whose addition came late takes the block to be in the lap that it knew.
    BbqAdderKeepsItsLap in "bbq/producer/fetch_add.rs":
        "    Some((at, count))"
        => "    if FAULT && is_late {
        return Some((at.lap_before(at.offset()), count));
    }
    Some((at, count))";
    /// A producer opens a block only if no other producer is beyond the block's end at that moment.
    BbqAdderOpensAtTheEndOnly in "bbq/producer/fetch_add.rs":
        "Err(actual) => seen = Cursor(actual),
            }"
        => "Err(_) if FAULT => return false,
                Err(actual) => seen = Cursor(actual),
            }";
    /// A consumer that has lost a race takes the next entry by a store, as if only one other consumer could
    /// race.
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
    /// A consumer that seals a block, and lost a race for that, writes the mark by a store, as if only one
    /// other consumer could race.
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
    /// A reader of a drop-old queue that was overtaken goes to a block without a check whether the block is
    /// open.
    BbqGoesBlindly in "bbq/consumer/reader.rs":
        "let can_go = spare == 0 || "
        => "let can_go = FAULT || spare == 0 || ";
    /// A reader of a drop-old queue that goes on to a later block does not count the items that it skips.
    BbqSkipsUncounted in "bbq/consumer/reader.rs":
        "self.lost = self.lost.wrapping_add(skipped);"
        => "self.lost = self.lost.wrapping_add(if FAULT { 0 } else { skipped });";
    /// The only reader of a drop-old queue does not check, after it has copied items, whether they were overwritten
    /// meanwhile.
    BbqOnlyReaderDoesNotLook in "bbq/consumer/reader_alone.rs":
        "if !ring.has_overwritten(self.head, self.block) {"
        => "if FAULT || !ring.has_overwritten(self.head, self.block) {";
    /// The only reader of a drop-old queue leaves a block that was overwritten, and counts as lost only what it has
    /// copied in vain.
    BbqOnlyReaderCountsTheCopied in "bbq/consumer/reader_alone.rs":
        "self.lost = self.lost.wrapping_add(left as u64);"
        => "self.lost = self.lost.wrapping_add(if FAULT { count } else { left } as u64);";
    /// The only reader of a drop-old queue leaves parts of overwritten items in the slice, behind those it has read.
    BbqOnlyReaderLeavesParts in "bbq/consumer/reader_alone.rs":
        "(count..touched).for_each("
        => "(count..if FAULT { count } else { touched }).for_each(";
    /// The only reader of a drop-old queue goes on beyond lost items within one slice.
    BbqOnlyReaderLeavesAGap in "bbq/consumer/reader_alone.rs":
        "if adjoins && skipped > 0 {"
        => "if !FAULT && adjoins && skipped > 0 {";
    /// A producer enters and closes nothing.
    CnqClosesNothing in "cnq/windows.rs":
        "                close(id);
            }"
        => "                if !FAULT {
                    close(id);
                }
            }";
    /// A producer that enters in time closes its own capsule all the same.
    CnqClosesItself in "cnq/producer.rs":
        "if open.is_some() && !stays_open {"
        => "if open.is_some() && (FAULT || !stays_open) {";
    /// A producer that enters closes only the capsules that are a multiple of the window behind its own. The
    /// order survives that with two producers, and not with three.
    CnqClosesItsLaneOnly in "cnq/windows.rs":
        "(distance >= self.window() && id != self.nobody())"
        => "(distance >= self.window() && id != self.nobody() && !(FAULT && distance % self.window() != 0))";
    /// A producer that enters when others are too far ahead keeps its capsule open.
    CnqStaysOpenLate in "cnq/windows.rs":
        "newest.wrapping_sub(entering.position).cast_signed() < self.window()"
        => "FAULT || newest.wrapping_sub(entering.position).cast_signed() < self.window()";
    /// A producer that has closed other capsules does not check again whether it is too late itself.
    CnqLooksOnce in "cnq/windows.rs":
        "            newest = self.announce(entering);"
        => "            let again = self.announce(entering);
            if !FAULT {
                newest = again;
            }";
    /// A producer publishes an item by adding to the count, whether the capsule has been closed or not, as in
    /// J. Wang's thesis.
    CnqAddsToTheCount in "cnq/capsule.rs":
        "state.0 == base || self.answer("
        => "FAULT || state.0 == base || self.answer(";
    /// A consumer believes the count of a capsule that is about to be closed.
    CnqBelievesTheCount in "cnq/capsule.rs":
        "let mut state = State(self.state.load(Ordering::Acquire));
        if state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);"
        => "let mut state = State(self.state.load(Ordering::Acquire));
        if !FAULT && state.is_asked() {
            state = self.settle(state, PATIENCE_WITH_OTHERS);";
    /// A producer that has filled a capsule answers a thread that asks to close it in another use.
    CnqAnswersForAnother in "cnq/capsule.rs":
        "if state.0 == base | State::ASKED {"
        => "if FAULT && state.is_asked() || state.0 == base | State::ASKED {";
    /// A producer that finds that the consumer has left keeps its old spare.
    CnqKeepsTheSpare in "cnq/producer.rs":
        "if consumer_left {"
        => "if !FAULT && consumer_left {";
    /// A consumer gives back a capsule that its producer has not left.
    CnqGivesBackTheCapsule in "cnq/consumer.rs":
        "if producer_left { id } else { spare }"
        => "if FAULT || producer_left { id } else { spare }";
    /// A consumer closes a capsule and leaves it, although an item has come meanwhile.
    CnqClosesUnseen in "cnq/consumer.rs":
        "capsule.close(capsules.size);"
        => "capsule.close(capsules.size);
            if FAULT {
                self.leave(held);
            }";
    /// Consumers read any capsule that they get.
    CnqHasNoWindow in "cnq/windows.rs":
        "self.lanes.iter().all("
        => "FAULT || self.lanes.iter().all(";
    /// A consumer asks only the lane of its position whether it may read there. The order survives that with
    /// two consumers, and not with three on a tube that gives out positions which may not be read yet.
    CnqAsksItsLaneOnly in "cnq/windows.rs":
        ".wrapping_sub(behind).cast_signed() > 0)"
        => ".wrapping_sub(behind).cast_signed() > 0
            || FAULT && !core::ptr::eq(lane, &self.lanes[position % self.lanes.len()]))";
    /// A consumer reads a fragment from its first item on.
    CnqReadsAgain in "cnq/consumer.rs":
        "SlotContent { read: self.read, ..held.content }"
        => "SlotContent { read: if FAULT { 0 } else { self.read }, ..held.content }";
    /// A consumer returns `Empty` although the next capsule is only not to be read yet.
    CnqRefusedIsEmpty in "cnq/consumer.rs":
        "        Nothing::Busy | Nothing::Refused => PopError::Busy,"
        => "        Nothing::Refused if FAULT => PopError::Empty,
        Nothing::Busy | Nothing::Refused => PopError::Busy,";
    /// A consumer reads the capsule that it gets, without regard to the capsule that it asked for.
    CnqReadsTheForbidden in "cnq/consumer.rs":
        "self.hold(ticket, is_permitted);"
        => "self.hold(ticket, FAULT || is_permitted);";
    /// A consumer that gets a fragment in place of a capsule that it may not read forgets that capsule.
    CnqForgetsTheForbidden in "cnq/consumer.rs":
        "self.leave_fragment(held.ticket, SlotContent { read: 0, ..held.content });"
        => "if !FAULT {
            self.leave_fragment(held.ticket, SlotContent { read: 0, ..held.content });
        }";
    /// A consumer that needs the next capsule does not look for fragments.
    CnqForgetsFragments in "cnq/consumer.rs":
        "let taken = match fragments.any() {"
        => "let taken = match !FAULT && fragments.any() {";
    /// A thread that finds an entry filled moves the tail for its owner without the owner's knowledge.
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
    /// A thread that has lost a race for a number takes the next one by a store, as if only one other thread
    /// could race.
    IndicesTakeAfterLoss in "tube/index_queues.rs":
        "Err(now) => head = now,"
        => "Err(now) if FAULT && self.lap(self.entry(now).load(Ordering::Acquire)) == self.lap(now) => {
                        let index = self.index(self.entry(now).load(Ordering::Acquire));
                        self.head.store(now.wrapping_add(1), Ordering::Release);
                        return Ok(Ticket { position: now, slot: index });
                    }
                    Err(now) => head = now,";
    /// A thread that has lost a race for a position takes the next one by a store, as if only one other thread
    /// could race.
    RingTakesAfterLoss in "tube/sequenced_ring.rs":
        "Err(now) => position = now,"
        => "Err(now) if FAULT && self.turn(now).load(Ordering::Acquire) == turn(now) => {
                        head.store(now.wrapping_add(1), Ordering::Relaxed);
                        return Ok(Ticket { position: now, slot: self.slot(now) });
                    }
                    Err(now) => position = now,";
    /// A push takes any empty slot, in any lap.
    NblfqAnyEmptySlot in "nblfq/ring.rs":
        "if S::is_empty(here) && S::count(here) == lap {"
        => "if S::is_empty(here) && (FAULT || S::count(here) == lap) {";
    /// Pushes do not begin a new lap at the ring's first slot.
    NblfqNoNewLap in "nblfq/ring.rs":
        "let lap = if at == 0 { S::plus_one(last) } else { last };"
        => "let lap = if at == 0 && !FAULT { S::plus_one(last) } else { last };";
    /// A pop takes any item, the oldest or not.
    NblfqAnyItem in "nblfq/ring.rs":
        "if S::count(here) == due {"
        => "if S::count(here) == due || FAULT && !S::is_empty(here) {";
    /// A push returns `Full` if two neighbours are filled, in any laps. With one or two pushes at a time, the
    /// hint of the end leads to the end.
    NblfqFullByNeighbours in "nblfq/ring.rs":
        "S::count(here) == S::minus_one(lap)"
        => "(FAULT || S::count(here) == S::minus_one(lap))";
    /// A pop does not count: the slot has its value from before the push again, and an exchange that expects
    /// that value succeeds.
    NblfqPopDoesNotCount in "nblfq/ring.rs":
        "S::empty(S::plus_one(due))"
        => "S::empty(if FAULT { due } else { S::plus_one(due) })";
    /// A push that finds an item where the head should be waits until the push of that item has moved the head.
    NblfqWaitsForTheHead in "nblfq/ring.rs":
        "let here = read(slots, at);
            // The lap in which the slot before was filled last; in that one, or the next, it is this one's turn."
        => "let mut here = read(slots, at);
            while FAULT && !S::is_empty(here) && S::is_empty(read(slots, next(at, count))) {
                at = self.head.load(Ordering::Relaxed);
                left = read(slots, before(at, count));
                here = read(slots, at);
            }";
    /// A queue whose capacity is chosen when it is made has a slot fewer than was asked for.
    NblfqForgetsASlot in "nblfq/slots.rs":
        "Array::new(capacity.max(2), |_| S::EMPTY)?"
        => "Array::new((capacity - usize::from(FAULT)).max(2), |_| S::EMPTY)?";
    /// The slot before the last is followed by the first one, but the slot before the first one is the last.
    NblfqTurnsEarly in "nblfq/ring.rs":
        "if index + 1 == count { 0 } else { index + 1 }"
        => "if index + 1 == count - usize::from(FAULT && count > 2) { 0 } else { index + 1 }";
    /// A producer does not check whether the consumer has skipped its slot, and the item is lost.
    UnboundedIgnoresTheSkip in "unbounded/block.rs":
        "if self.state.swap(FILLED, Ordering::AcqRel) == EMPTY {"
        => "if self.state.swap(FILLED, Ordering::AcqRel) == EMPTY || FAULT {";
    /// A consumer waits until the producer of its slot is done.
    UnboundedWaitsForTheProducer in "unbounded/block.rs":
        "pause_while(PATIENCE, || self.state.load(Ordering::Relaxed) == EMPTY);"
        => "pause_while(PATIENCE, || self.state.load(Ordering::Relaxed) == EMPTY);
        while FAULT && self.state.load(Ordering::Relaxed) == EMPTY {}";
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
    /// A consumer that finds head and tail at one place returns `Empty`, although the block may be in its next
    /// use.
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
    /// The only consumer returns `Empty` for a producer that is late, although a later push is complete.
    UnboundedOneConsumerSeesNobody in "unbounded/single.rs":
        "if is_claimed { PopError::Busy }"
        => "if is_claimed && !FAULT { PopError::Busy }";
    /// A thief reports that all of a block has been read when the last entry has, without a look at the others.
    BwosLastMarkIsAll in "bwos/lifo/theft.rs":
        "self.blocks.marks(at.index).iter().all(is_read)"
        => "self.blocks.marks(at.index).iter().rev().take(if FAULT { 1 } else { usize::MAX }).all(is_read)";
    /// A thief of the FIFO queue reports that all of a block has been read when the last entry has.
    BwosFifoLastMarkIsAll in "bwos/fifo/theft.rs":
        "self.blocks.marks(block).iter().all(is_read)"
        => "self.blocks.marks(block).iter().rev().take(if FAULT { 1 } else { usize::MAX }).all(is_read)";
    /// A thief reports that all of a block has been read when the last two entries have, as if thieves ended in
    /// the order in which they came.
    BwosLastTwoMarksAreAll in "bwos/lifo/theft.rs":
        ".all(is_read)"
        => ".take(if FAULT { 2 } else { usize::MAX }).all(is_read)";
    /// A thief of the FIFO queue reports that all of a block has been read when the last two entries have.
    BwosFifoLastTwoMarksAreAll in "bwos/fifo/theft.rs":
        ".all(is_read)"
        => ".take(if FAULT { 2 } else { usize::MAX }).all(is_read)";
    /// An owner that grants a block lets thieves write the mark again that the block's entries have already.
    BwosKeepsMarks in "bwos/fifo/shared.rs":
        "owner.b_pos.store(written.other_mark().0, Ordering::Relaxed)"
        => "owner.b_pos.store(if FAULT { written } else { written.other_mark() }.0, Ordering::Relaxed)";
    /// A thief seizes without a heavy fence.
    BwosSeizesAtOnce in "bwos/lifo/seizure.rs":
        "        heavy_fence(Ordering::SeqCst);"
        => "        if !FAULT {
            heavy_fence(Ordering::SeqCst);
        }";
    /// A thief seizes entries beyond the owner's.
    BwosSeizesTooMuch in "bwos/lifo/seizure.rs":
        "Word::new(at.lap, floor + count, pos)"
        => "Word::new(at.lap, floor + count, pos + usize::from(FAULT && pos < self.size()))";
    /// A thief seizes from its own block the range that the owner has in another block.
    BwosSeizesElsewhere in "bwos/lifo/stand.rs":
        "seen != packed(at, floor)"
        => "!FAULT && seen != packed(at, floor)";
    /// A pop does not publish its position before it looks for requests.
    BwosSeizePopsUnseen in "bwos/lifo/owner.rs":
        "        self.hold.stand.pops(self.pos);"
        => "        if !FAULT {
            self.hold.stand.pops(self.pos);
        }";
    /// An owner answers a request before it clears the request.
    BwosSeizeCalmsLate in "bwos/lifo/shared.rs":
        "            self.hunger.calm(end);
            self.grant(top, end);"
        => "            if !FAULT {
                self.hunger.calm(end);
            }
            self.grant(top, end);
            if FAULT {
                self.hunger.calm(end);
            }";
    /// An owner closes all its blocks with one number.
    BwosSeizeKeepsNumber in "bwos/lifo/shared.rs":
        "top.below.closings = top.below.closings.wrapping_add(1);"
        => "top.below.closings = top.below.closings.wrapping_add(usize::from(!FAULT));";
    /// A thief of the FIFO queue seizes without a heavy fence.
    BwosFifoSeizesAtOnce in "bwos/fifo/seizure.rs":
        "        heavy_fence(Ordering::SeqCst);"
        => "        if !FAULT {
            heavy_fence(Ordering::SeqCst);
        }";
    /// A thief of the FIFO queue claims an entry behind the owner's.
    BwosFifoSeizesTooMuch in "bwos/fifo/seizure.rs":
        "let count = found.min(most);"
        => "let (count, found) = if FAULT && f_pos + found < self.size() { (found + 1, found + 1) } else { (found.min(most), found) };";
    /// A pop of the FIFO queue does not publish its position before it looks for requests.
    BwosFifoSeizePopsUnseen in "bwos/fifo/owner.rs":
        "            self.hold.stand.pops(self.f_pos);"
        => "            if !FAULT {
                self.hold.stand.pops(self.f_pos);
            }";
    /// A pop of the FIFO queue does not check whether the entry is written.
    BwosFifoPopsUnwritten in "bwos/fifo/owner.rs":
        "if !self.is_at_end() {" => "if FAULT || !self.is_at_end() {";
    /// An owner of the FIFO queue answers a request before it clears the request.
    BwosFifoSeizeCalmsLate in "bwos/fifo/answer.rs":
        "            self.hunger.calm(lent);
            self.grant(ends.places.front, lent, ends);"
        => "            if !FAULT {
                self.hunger.calm(lent);
            }
            self.grant(ends.places.front, lent, ends);
            if FAULT {
                self.hunger.calm(lent);
            }";
    /// An owner of the FIFO queue writes all its words with one number.
    BwosFifoSeizeKeepsNumber in "bwos/fifo/shared.rs":
        "ends.places.number = ends.places.number.wrapping_add(1);"
        => "ends.places.number = ends.places.number.wrapping_add(usize::from(!FAULT));";
    /// An owner of the FIFO queue counts seized items from its own position on, although the thief has left it
    /// the item of a pop that was about to come.
    BwosFifoSeizeLosesItem in "bwos/fifo/answer.rs":
        "let first = seized.first(ends.f_pos);"
        => "let first = if FAULT { ends.f_pos } else { seized.first(ends.f_pos) };";
    /// A thief of the FIFO queue does not look for items that were pushed to a block after the block was
    /// seized.
    BwosFifoHidesLatePushes in "bwos/fifo/seizure.rs":
        "None => (next, all, false),"
        => "None => (next, if FAULT { written } else { all }, false),";
    /// A thief of the FIFO queue does not look for items that were pushed to a block's lent part after the
    /// block was seized.
    BwosFifoHidesLatePushesOfLent in "bwos/fifo/seizure.rs":
        "Some(_) => (written, all, true),"
        => "Some(_) => (written, if FAULT { written } else { all }, true),";
    /// A thief of the FIFO queue finds nothing in blocks that the owner has left.
    BwosFifoTrustsOldView in "bwos/fifo/seizure.rs":
        "let is_here = view.f_pos().is_some() && self.stand.view() == view;"
        => "let is_here = FAULT || view.f_pos().is_some() && self.stand.view() == view;";
    /// A thief of the FIFO queue does not check whether the owner has left a block that the thief has looked
    /// at.
    BwosFifoForgetsOffer in "bwos/fifo/seizure.rs":
        "if self.is_offered() {"
        => "if !FAULT && self.is_offered() {";
    /// An owner of a full FIFO queue closes its block in each push.
    BwosFifoIsNeverStuck in "bwos/fifo/answer.rs":
        "self.hunger.is_asked(ends.places.stop) && !self.has_to_give(ends)"
        => "!FAULT && self.hunger.is_asked(ends.places.stop) && !self.has_to_give(ends)";
    /// An owner of a FIFO queue lends the item that its pop is about to take.
    BwosFifoLendsWhatItPops in "bwos/fifo/shared.rs":
        "usize::from(entry.is_none())"
        => "usize::from(!FAULT && entry.is_none())";
    /// An owner of a FIFO queue lends a single item, and says nowhere that none is left: thieves take the end for that
    /// of the written entries.
    BwosFifoLendsWithoutAnEnd in "bwos/fifo/stand.rs":
        "end.map_or(0, |end| ENDS | end)"
        => "end.map_or(0, |end| if FAULT && end == 0 { 0 } else { ENDS | end })";
    /// An owner of a LIFO queue keeps a single item to itself, so that an owner that retries pushes to a full
    /// queue never gives the item.
    BwosKeepsASingleItem in "bwos/lifo/shared.rs":
        "let half = Self::kept(&top).div_ceil(2);
        self.feed(&mut top, half);
        self.stay(&top);
        (top, result)"
        => "let half = if FAULT { Self::kept(&top) / 2 } else { Self::kept(&top).div_ceil(2) };
        self.feed(&mut top, half);
        self.stay(&top);
        (top, result)";
    /// An owner that finds nothing to pop leaves the published position of the pop as it is.
    BwosPopsNothingUnseen in "bwos/lifo/shared.rs":
        "            self.stand.pushed(top.pos);
            return (top, None);"
        => "            if !FAULT {
                self.stand.pushed(top.pos);
            }
            return (top, None);";
    /// An owner of the FIFO queue that is dropped grants entries that thieves have claimed.
    BwosFifoLeavesClaimed in "bwos/fifo/shared.rs":
        "Some(from) if f_pos < from && from < next => {"
        => "Some(from) if !FAULT && f_pos < from && from < next => {";
    /// A thief takes one moved bound for a request that the owner's pops see.
    BwosSeizeAsksByHalf in "bwos/hunger.rs":
        "self.push() != NEVER || self.pop() != STARVED"
        => "self.push() != NEVER || !FAULT && self.pop() != STARVED";
    /// A thief reports an entry as read before it has read the entry.
    BwosMarksEarly in "bwos/steal.rs":
        "// SAFETY: the caller's promise.
            put("
        => "if FAULT {
                mark.store(self.read, Ordering::Release);
            }
            // SAFETY: the caller's promise.
            put(";
}
