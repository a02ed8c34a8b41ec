// The faults of `bwos`.

macro_rules! bwos {
    ([$next:ident $($later:ident)*] $($earlier:tt)*) => { $next! { [$($later)*] $($earlier)*

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
        "            self.hold.stand.pops(next);"
        => "            if !FAULT {
                self.hold.stand.pops(next);
            }";
    /// A pop of the FIFO queue does not check whether the entry is written.
    BwosFifoPopsUnwritten in "bwos/fifo/owner.rs":
        "if self.f_pos != self.known || self.learns_more() {"
        => "if FAULT || self.f_pos != self.known || self.learns_more() {";
    /// A pop of the FIFO queue does not check whether the entry is written, if the owner has come to the block at the
    /// back from another one.
    BwosFifoForgetsEnd in "bwos/fifo/owner.rs":
        "if front == back { b_pos } else { usize::MAX }"
        => "if front == back && !(FAULT && b_pos > 0) { b_pos } else { usize::MAX }";
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
        "let half = Self::kept(top).div_ceil(2);
        self.feed(top, half);
        self.stay(top);
        (top, result)"
        => "let half = if FAULT { Self::kept(top) / 2 } else { Self::kept(top).div_ceil(2) };
        self.feed(top, half);
        self.stay(top);
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

    } };
}
