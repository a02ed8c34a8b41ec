// The faults of `bwos`.

macro_rules! bwos {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

    /// A thief reports that all of a block has been read when the last entry has, without a look at
    /// the others.
    BwosLastMarkIsAll in "bwos/queue.rs":
        "self.blocks.marks(at.index).iter().all(is_read)"
        => "self.blocks.marks(at.index).iter().rev().take(if FAULT { 1 } else { usize::MAX }).all(is_read)";
    /// A thief reports that all of a block has been read when the last two entries have, as if
    /// thieves ended in the order in which they came.
    BwosLastTwoMarksAreAll in "bwos/queue.rs":
        ".all(is_read)"
        => ".take(if FAULT { 2 } else { usize::MAX }).all(is_read)";
    /// An owner that grants a block lets thieves write the mark again that the block's entries have
    /// already.
    BwosKeepsMarks in "bwos/fifo/grants.rs":
        "owner.b_pos.store(written.other_mark().0, Ordering::Relaxed)"
        => "owner.b_pos.store(if FAULT { written } else { written.other_mark() }.0, Ordering::Relaxed)";
    /// A thief seizes without a heavy fence.
    BwosSeizesAtOnce in "bwos/seize.rs":
        "    heavy_fence(Ordering::SeqCst);"
        => "    if !FAULT {
        heavy_fence(Ordering::SeqCst);
    }";
    /// A thief seizes entries beyond the owner's.
    BwosSeizesTooMuch in "bwos/lifo/thieves.rs":
        "SPos::new(at.lap, items.start + count, items.end)"
        => "SPos::new(at.lap, items.start + count, items.end + usize::from(FAULT && items.end < queue.size()))";
    /// A thief seizes from its own block the range that the owner has in another block.
    BwosSeizesElsewhere in "bwos/lifo/position.rs":
        "seen != packed(at, floor)"
        => "!FAULT && seen != packed(at, floor)";
    /// A pop does not publish its position before it looks for requests.
    BwosSeizePopsUnseen in "bwos/lifo/mod.rs":
        "        queue.position.publish_pop(*b_pos);"
        => "        if !FAULT {
            queue.position.publish_pop(*b_pos);
        }";
    /// An owner answers a request before it clears the request.
    BwosSeizeCalmsLate in "bwos/lifo/slow.rs":
        "            queue.requests.answer(end);
            queue.grant(state, end);"
        => "            if !FAULT {
                queue.requests.answer(end);
            }
            queue.grant(state, end);
            if FAULT {
                queue.requests.answer(end);
            }";
    /// An owner closes all its blocks with one number.
    BwosSeizeKeepsNumber in "bwos/lifo/slow.rs":
        "state.slow.closings = state.slow.closings.wrapping_add(1);"
        => "state.slow.closings = state.slow.closings.wrapping_add(usize::from(!FAULT));";
    /// A thief of the FIFO queue claims an entry behind the owner's.
    BwosFifoSeizesTooMuch in "bwos/fifo/thieves.rs":
        "let count = items.len().min(most);"
        => "let (count, items) = if FAULT && items.end < queue.size() {
            (1, items.end..items.end + 1)
        } else {
            (items.len().min(most), items)
        };";
    /// A pop of the FIFO queue does not publish its position before it looks for requests.
    BwosFifoSeizePopsUnseen in "bwos/fifo/mod.rs":
        "            queue.position.publish_pop(next);"
        => "            if !FAULT {
                queue.position.publish_pop(next);
            }";
    /// A pop of the FIFO queue does not check whether the entry is written.
    BwosFifoPopsUnwritten in "bwos/fifo/mod.rs":
        "if front.f_pos != front.known || learns_more(&mut front.known, *b_pos) {"
        => "if FAULT || front.f_pos != front.known || learns_more(&mut front.known, *b_pos) {";
    /// A pop of the FIFO queue does not check whether the entry is written, if the owner has come
    /// to the block at the back from another one.
    BwosFifoForgetsEnd in "bwos/fifo/mod.rs":
        "if state.front.block == state.back { state.b_pos } else { usize::MAX }"
        => "if state.front.block == state.back && !(FAULT && state.b_pos > 0) { state.b_pos } else { usize::MAX }";
    /// An owner of the FIFO queue answers a request before it clears the request.
    BwosFifoSeizeCalmsLate in "bwos/fifo/slow.rs":
        "            self.requests.answer(lent);
            self.grant(state.slow.front, lent, state);"
        => "            if !FAULT {
                self.requests.answer(lent);
            }
            self.grant(state.slow.front, lent, state);
            if FAULT {
                self.requests.answer(lent);
            }";
    /// An owner of the FIFO queue writes all its words with one number.
    BwosFifoSeizeKeepsNumber in "bwos/fifo/grants.rs":
        "state.slow.number = state.slow.number.wrapping_add(1);"
        => "state.slow.number = state.slow.number.wrapping_add(usize::from(!FAULT));";
    /// An owner of the FIFO queue counts seized items from its own position on, although the thief
    /// has left it the item of a pop that was about to come.
    BwosFifoSeizeLosesItem in "bwos/fifo/slow.rs":
        "let first = seized.first(state.front.f_pos);"
        => "let first = if FAULT { state.front.f_pos } else { seized.first(state.front.f_pos) };";
    /// A thief of the FIFO queue does not look for items that were pushed to a block after the
    /// block was seized.
    BwosFifoHidesLatePushes in "bwos/fifo/thieves.rs":
        "None => (next, all, false),"
        => "None => (next, if FAULT { written } else { all }, false),";
    /// A thief of the FIFO queue does not look for items that were pushed to a block's lent part
    /// after the block was seized.
    BwosFifoHidesLatePushesOfLent in "bwos/fifo/thieves.rs":
        "Some(_) => (written, all, true),"
        => "Some(_) => (written, if FAULT { written } else { all }, true),";
    /// A thief of the FIFO queue finds nothing in blocks that the owner has left.
    BwosFifoTrustsOldView in "bwos/fifo/thieves.rs":
        "let is_here = view.f_pos().is_some() && queue.position.view() == view;"
        => "let is_here = FAULT || view.f_pos().is_some() && queue.position.view() == view;";
    /// A thief of the FIFO queue does not check whether the owner has left a block that the thief
    /// has looked at.
    BwosFifoForgetsAnnouncement in "bwos/fifo/thieves.rs":
        "if queue.is_announced() {"
        => "if !FAULT && queue.is_announced() {";
    /// An owner of a full FIFO queue closes its block in each push.
    BwosFifoIsNeverStuck in "bwos/fifo/slow.rs":
        "queue.requests.is_pending(state.slow.stop) && !Self::has_to_give(queue, state)"
        => "!FAULT && queue.requests.is_pending(state.slow.stop) && !Self::has_to_give(queue, state)";
    /// An owner of a queue gives the item that its pop is about to take.
    BwosFifoLendsWhatItPops in "bwos/queue.rs":
        "usize::from(entry.is_none())"
        => "usize::from(!FAULT && entry.is_none())";
    /// An owner of a FIFO queue lends a single item, and says nowhere that none is left: thieves
    /// take the end for that of the written entries.
    BwosFifoLendsWithoutAnEnd in "bwos/fifo/position.rs":
        "end.map_or(0, |end| ENDS | end)"
        => "end.map_or(0, |end| if FAULT && end == 0 { 0 } else { ENDS | end })";
    /// An owner of a LIFO queue keeps a single item to itself, so that an owner that retries pushes
    /// to a full queue never gives the item.
    BwosKeepsASingleItem in "bwos/lifo/slow.rs":
        "let half = queue.own(state).saturating_sub(kept).div_ceil(2);"
        => "let given = queue.own(state).saturating_sub(kept);
        let half = if FAULT && kept == 0 { given / 2 } else { given.div_ceil(2) };";
    /// An owner that finds nothing to pop leaves the published position of the pop as it is.
    BwosPopsNothingUnseen in "bwos/lifo/slow.rs":
        "            queue.position.publish_push(state.b_pos);"
        => "            if !FAULT {
                queue.position.publish_push(state.b_pos);
            }";
    /// An owner of the FIFO queue that is dropped grants entries that thieves have claimed.
    BwosFifoLeavesClaimed in "bwos/fifo/slow.rs":
        "Some(from) if f_pos < from && from < next => {"
        => "Some(from) if !FAULT && f_pos < from && from < next => {";
    /// A thief takes one moved bound for a request that the owner's pops see.
    BwosSeizeAsksByHalf in "bwos/request.rs":
        "self.push() != NO_FAST_PUSHES || self.pop() != O::NO_FAST_POPS"
        => "self.push() != NO_FAST_PUSHES || !FAULT && self.pop() != O::NO_FAST_POPS";
    /// A thief reports an entry as read before it has read the entry.
    BwosMarksEarly in "bwos/steal.rs":
        "// SAFETY: the caller's promise.
        put("
        => "if FAULT {
            mark.store(self.read, Ordering::Release);
        }
        // SAFETY: the caller's promise.
        put(";

    } };
}
