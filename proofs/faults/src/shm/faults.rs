faults! {
    /// A side does not look again before it waits.
    LooksOnce in "bell.rs":
        "    !is_ready()\n"
        => "    FAULT || !is_ready()\n";
    /// A side that waits for its event is only woken, as if it slept.
    SignalsNothing in "bell.rs":
        "if how == u64::from(ARMED) { signal() }"
        => "if how == u64::from(ARMED) && !FAULT { signal() }";
    /// The event is signalled before the word says that nobody waits for it.
    SignalsTooEarly in "bell.rs":
        "        // The order of this store"
        => "        if FAULT && how == u64::from(ARMED) {
            signal();
            word.store(0, Ordering::Relaxed);
            return;
        }
        // The order of this store";
    /// A consumer arms itself without a look at all lanes.
    ArmsAfterOneLane in "lanes.rs":
        "bell::arm(&bell.words()[head::CONSUMER_SLEEPS], || lanes.iter_mut()"
        => "bell::arm(&bell.words()[head::CONSUMER_SLEEPS], || lanes.iter_mut().take(if FAULT { 1 } else { usize::MAX })";
    /// A side that has done something does not wake the sleeper.
    LetsSleep in "bell.rs":
        "if how != 0 {"
        => "if !FAULT && how != 0 {";
    /// The queue is found before its header is complete.
    IsFoundEarly in "layout.rs":
        "memory.iter().for_each(|word| word.store(0, Ordering::Relaxed));"
        => "if FAULT {
        memory[head::MAGIC].store(MAGIC, Ordering::Release);
    }
    memory.iter().skip(usize::from(FAULT)).for_each(|word| word.store(0, Ordering::Relaxed));";
    /// A handle takes a side that another one has.
    TakesWhatIsTaken in "layout.rs":
        "Err(found) => taken(found),"
        => "Err(_) if FAULT => Ok(value),
                Err(found) => taken(found),";
    /// A consumer does not come to the last lane.
    PassesOverALane in "lanes.rs":
        "if self.next >= self.lanes.len() {"
        => "if self.next >= self.lanes.len() - usize::from(FAULT) {";
    /// A consumer goes to sleep without a look at all lanes.
    LooksAtOneLane in "lanes.rs":
        "                lanes.iter_mut().any(|lane| !lane.is_empty()) || unless_left"
        => "                lanes.iter_mut().take(if FAULT { 1 } else { usize::MAX }).any(|lane| !lane.is_empty()) || unless_left";
    /// A producer enters a unit that the consumer has not left.
    EntersTooSoon in "items/geometry.rs":
        "(self.units - 1) * self.slots\n"
        => "(self.units - u64::from(!FAULT)) * self.slots\n";
    /// An item is published before it is written.
    PublishesItemEarly in "items/producer.rs":
        "self.put(&item);\n        self.publish();"
        => "if FAULT {
            self.write += 1;
            self.publish();
            self.write -= 1;
        }
        self.put(&item);
        self.publish();";
    /// Items of a slice are published before they are written.
    PublishesSliceEarly in "items/producer.rs":
        "let words = words_of::<T>();
            let run ="
        => "if FAULT {
                self.write += count as u64;
                self.publish();
                self.write -= count as u64;
            }
            let words = words_of::<T>();
            let run =";
    /// A successor goes on behind the last unit, and not behind the last item.
    FindsTheLastUnit in "items/producer.rs":
        "write = stamp.max(write);"
        => "write = if FAULT && stamp != 0 { stamp } else { stamp.max(write) };";
    /// A successor does not know which items were taken.
    KeepsNoPosition in "items/consumer.rs":
        "self.memory.words()[head::TAKEN].store(self.read, Ordering::Relaxed);"
        => "if !FAULT {
            self.memory.words()[head::TAKEN].store(self.read, Ordering::Relaxed);
        }";
    /// The stamp of an old lap is taken for news.
    BelievesOldStamps in "items/consumer.rs":
        "if stamp <= self.read {"
        => "if stamp == self.read || stamp < self.read && !FAULT {";
    /// The queue does not end behind the record.
    LeavesTheEndOpen in "records/producer.rs":
        "ring[geometry.index(end)].store(0, Ordering::Relaxed);"
        => "if !FAULT {
            ring[geometry.index(end)].store(0, Ordering::Relaxed);
        }";
    /// The queue ends behind the record after the record is published.
    EndsTooLate in "records/producer.rs":
        "        self.write = end;\n"
        => "        if FAULT {
            // The value if nothing was stored before.
            ring[geometry.index(end)].store(head_of(self.write.wrapping_sub(6), 8), Ordering::Relaxed);
            ring[geometry.index(end)].store(0, Ordering::Relaxed);
        }
        self.write = end;
";
    /// A record is published before its bytes are written.
    PublishesRecordEarly in "records/producer.rs":
        "bytes::put(self.ring(), self.geometry.index(self.write + 1), record);"
        => "if FAULT {
            let head = &self.ring()[self.geometry.index(self.write)];
            head.store(head_of(self.write, record.len()), Ordering::Release);
        }
        bytes::put(self.ring(), self.geometry.index(self.write + 1), record);";
    /// The word behind a record is that of the oldest one.
    HasNoRoomForTheEnd in "records/producer.rs":
        "if words + 1 > self.room() || "
        => "if words + u64::from(!FAULT) > self.room() || ";
    /// A successor takes its own first position for the end of the queue.
    FindsNoRecords in "records/producer.rs":
        "if head == 0 {"
        => "if FAULT || head == 0 {";
    /// What a dead consumer did not report is lost room.
    ReportsNothingAtFirst in "records/consumer.rs":
        "consumer.report();\n        Ok(consumer)"
        => "if !FAULT {
            consumer.report();
        }
        Ok(consumer)";
    /// A record that was released comes again to a successor.
    KeepsNoRecord in "records/consumer.rs":
        "consumer.memory.words()[head::TAKEN].store(consumer.read, Ordering::Relaxed);"
        => "if !FAULT {
            consumer.memory.words()[head::TAKEN].store(consumer.read, Ordering::Relaxed);
        }";
    /// A side that has done something does not wake the handles that sleep on one word.
    LetsAllSleep in "bell.rs":
        "    if seen & SOME_SLEEP != 0\n"
        => "    if !FAULT && seen & SOME_SLEEP != 0\n";
    /// One of many sleepers takes back that some sleep.
    TakesBackTheOthers in "bell.rs":
        "        sleep(word, asleep as u32, timeout);\n    }\n"
        => "        sleep(word, asleep as u32, timeout);
    } else if FAULT {
        word.store(seen, Ordering::Relaxed);
    }
";
    /// One of many does not look again before it sleeps.
    LooksOnceAmongOthers in "bell.rs":
        "if !is_ready() {\n        // The low half"
        => "if FAULT || !is_ready() {\n        // The low half";
    /// A cell changes hands without its item.
    FillsNothing in "cells/seat.rs":
        "        fill(self);\n"
        => "        if !FAULT {
            fill(self);
        }
";
    /// A side exchanges where the other one has not been.
    IsNeverStuck in "cells/seat.rs":
        "if turn == due {"
        => "if turn == due || FAULT && turn + 1 == due {";
    /// A place does not say what it wants.
    WantsNothing in "cells/seat.rs":
        "self.own()[INTENT].store(word, Ordering::Release);"
        => "if !FAULT {
                self.own()[INTENT].store(word, Ordering::Release);
            }";
    /// The new owner of a cell is not written into it.
    OwnsNothing in "cells/seat.rs":
        "words[geometry.cell(wanted)].store(self.place, Ordering::Relaxed);"
        => "if !FAULT {
                    words[geometry.cell(wanted)].store(self.place, Ordering::Relaxed);
                }";
    /// A place does not know which cell it has from then on.
    KeepsTheOldCell in "cells/seat.rs":
        "self.next = at + 1;"
        => "self.next = at + 1;
                if FAULT {
                    self.cell = geometry.cell_of(given).unwrap_or(wanted);
                }";
    /// A successor does not know that it holds an item.
    HoldsNothing in "cells/seat.rs":
        "self.own()[CELL].store(wanted | if self.holds { HELD } else { 0 }, Ordering::Relaxed);"
        => "self.own()[CELL].store(wanted | if self.holds && !FAULT { HELD } else { 0 }, Ordering::Relaxed);";
    /// An item that was released is held all the same.
    HoldsForever in "cells/seat.rs":
        "self.own()[CELL].store(self.cell, Ordering::Relaxed);"
        => "if !FAULT {
            self.own()[CELL].store(self.cell, Ordering::Relaxed);
        }";
    /// The hint is stored before the exchange.
    HintsTooEarly in "cells/seat.rs":
        "let slot = &words[geometry.slot(at)];"
        => "let slot = &words[geometry.slot(at)];
            if FAULT {
                words[hint_of(self.side)].store(at + 1, Ordering::Release);
            }";
    /// A successor takes the cell of its place for its own.
    BelievesItsPlace in "cells/seat.rs":
        "if wanted != cell && was_given("
        => "if wanted != cell && !FAULT && was_given(";
    /// A successor takes the cell that was wanted for its own.
    BelievesTheIntent in "cells/seat.rs":
        "was_given(words, geometry, place, given) {"
        => "(FAULT || was_given(words, geometry, place, given)) {";
    /// A successor that has found an item does not hold it.
    HoldsNoneOfTheDead in "cells/seat.rs":
        "(cell, holds) = (wanted, side == Side::Consumer);"
        => "(cell, holds) = (wanted, side == Side::Consumer && !FAULT);";
    /// A successor does not look into the ring.
    LooksIntoNoSlot in "cells/seat.rs":
        "if (0..geometry.slots()).any(is_there) {"
        => "if (0..geometry.slots()).any(is_there) && !FAULT {";
    /// A successor does not ask others what they want.
    AsksNobody in "cells/seat.rs":
        "if (0..geometry.places()).any(is_wanted) {"
        => "if (0..geometry.places()).any(is_wanted) && !FAULT {";
    /// A successor does not ask whose its cell is.
    AsksForNoOwner in "cells/seat.rs":
        "    owner() != Some(place)\n}"
        => "    !FAULT && owner() != Some(place)\n}";
    /// A successor asks others what they want before it looks into the ring.
    AsksTooEarly in "cells/seat.rs":
        "    if (0..geometry.slots())"
        => "    if FAULT {
        return (0..geometry.places()).any(is_wanted) || (0..geometry.slots()).any(is_there) || owner() != Some(place);
    }
    if (0..geometry.slots())";
    /// A successor asks for the owner before it asks others what they want.
    AsksForTheOwnerTooEarly in "cells/seat.rs":
        "    if (0..geometry.places())"
        => "    if FAULT {
        return owner() != Some(place) || (0..geometry.places()).any(is_wanted);
    }
    if (0..geometry.places())";
    /// A side of many handles does not signal the events of the other one.
    SignalsNoneOfMany in "bell.rs":
        "if armed.load(Ordering::Relaxed) != 0 {"
        => "if !FAULT && armed.load(Ordering::Relaxed) != 0 {";
    /// The events are signalled before the word says that nobody waits for them.
    SignalsManyTooEarly in "bell.rs":
        "        armed.store(0, Ordering::Relaxed);
        signal();"
        => "        if FAULT {
            signal();
            armed.store(0, Ordering::Relaxed);
        } else {
            armed.store(0, Ordering::Relaxed);
            signal();
        }";
    /// One of many handles takes back that some wait for events.
    DisarmsTheOthers in "bell.rs":
        "    announce(armed, ARMED, is_ready)
}"
        => "    let is_armed = announce(armed, ARMED, is_ready);
    if FAULT && !is_armed {
        armed.store(0, Ordering::Relaxed);
    }
    is_armed
}";
    /// A reader does not look whether the cell was in its slot all the time.
    BelievesWhatItReads in "drop_old/reader.rs":
        "if slot.load(Ordering::Relaxed) == word {"
        => "if FAULT || slot.load(Ordering::Relaxed) == word {";
    /// A reader does not count what it passes over.
    CountsNothingLost in "drop_old/reader.rs":
        "self.lost += next - self.next;"
        => "self.lost += if FAULT { 1 } else { next - self.next };";
    /// A reader that is overtaken again and again passes over the newest item, too.
    PassesOverAll in "drop_old/reader.rs":
        ".min(geometry.slots() - 1);"
        => ".min(geometry.slots() - u64::from(!FAULT));";
    /// A reader passes over fewer items than were overwritten.
    PassesOverTooFew in "drop_old/reader.rs":
        "?.saturating_sub(geometry.slots());"
        => "?.saturating_sub(geometry.slots() + u64::from(FAULT));";
    /// A late reader does not begin with the oldest item that is there.
    BeginsAtTheEnd in "drop_old/reader.rs":
        "let next = end.saturating_sub(geometry.slots());"
        => "let next = if FAULT { end } else { end.saturating_sub(geometry.slots()) };";
    /// A producer overwrites records that it has not taken out of its way.
    OverwritesTooEarly in "drop_old/records/producer.rs":
        "        self.make_room(record.len())?;"
        => "        if FAULT {
            let ring = self.geometry.ring(self.memory.words());
            bytes::put(ring, self.geometry.index(self.end + BEFORE), record);
        }
        self.make_room(record.len())?;";
    /// A record is published before it is written.
    PublishesOverwritingRecordEarly in "drop_old/records/producer.rs":
        "        write(&ring[geometry.index(self.end)], head_of(self.end, len));"
        => "        if FAULT {
            words[head::END].store(self.end + words_of(len), Ordering::Release);
        }
        write(&ring[geometry.index(self.end)], head_of(self.end, len));";
    /// The oldest record loses a word to the new one.
    TakesAWordTooFew in "drop_old/records/producer.rs":
        "saturating_sub(self.geometry.ring as u64);"
        => "saturating_sub(self.geometry.ring as u64 + u64::from(FAULT));";
    /// A producer takes the newest record out of its way, too.
    TakesTheNewest in "drop_old/records/producer.rs":
        "        if oldest >= self.end {
            return Err(RecordError::Damaged);
        }
"
        => "        if FAULT {
            oldest = self.end;
        }
";
    /// A successor counts from 0 again.
    CountsAnew in "drop_old/records/producer.rs":
        "last.map_or(0, |number| number + 1)"
        => "last.filter(|_| !FAULT).map_or(0, |number| number + 1)";
    /// A successor begins where the oldest record is.
    BeginsAtTheOldest in "drop_old/records/producer.rs":
        "is_sound.then_some([end, oldest,"
        => "is_sound.then_some([if FAULT { oldest } else { end }, oldest,";
    /// A record has all bytes for which there was room.
    PublishesAllThatWasReserved in "drop_old/records/producer.rs":
        "self.producer.publish(self.written());"
        => "self.producer.publish(if FAULT { self.capacity() } else { self.written() });";
    /// A piece that does not fill a word overwrites the piece before it.
    ForgetsTheLastPiece in "bytes.rs":
        "            self.last[..last.len()].copy_from_slice(last);"
        => "            self.last[..last.len()].copy_from_slice(if FAULT { &[0; WORD][..last.len()] } else { last });";
    /// A reader does not look whether its record was there all the time.
    BelievesTheWords in "drop_old/records/reader.rs":
        "load(Ordering::Relaxed) > self.next\n"
        => "load(Ordering::Relaxed) > self.next && !FAULT\n";
    /// A reader does not see that records were lost.
    CountsNoRecords in "drop_old/records/reader.rs":
        "self.lost += passed_over;"
        => "self.lost += if FAULT { 0 } else { passed_over };";
    /// A reader that is overtaken passes over the newest record, too.
    PassesOverTheNewest in "drop_old/records/reader.rs":
        "[head::OLDEST, head::LAST].map("
        => "[head::OLDEST, if FAULT { head::END } else { head::LAST }].map(";
    /// A reader goes to sleep without another look.
    SleepsWithoutALookAtTheEnd in "drop_old/records/reader.rs":
        "                !self.is_empty() || unless_left && peer::one_has_left("
        => "                !FAULT && !self.is_empty() || unless_left && peer::one_has_left(";
    /// A reader waits for its event without another look.
    ArmsWithoutALookAtTheEnd in "drop_old/records/reader.rs":
        "CONSUMERS_ARMED], || !self.is_empty())"
        => "CONSUMERS_ARMED], || !FAULT && !self.is_empty())";
    /// A successor looks for a turn that slots do not have where only producers exchange.
    LooksForAnotherTurn in "cells/seat.rs":
        ".wrapping_add(turns), cell);"
        => ".wrapping_add(if FAULT { 1 } else { turns }), cell);";
    /// A search does not know where a lap of the ring begins.
    KnowsNoLap in "nblfq/ring.rs":
        "self.wrapped(if at == 0 {"
        => "self.wrapped(if at == 0 && !FAULT {";
    /// A slot is filled, or emptied, where the other side has not been.
    ExchangesTooEarly in "nblfq/ring.rs":
        "if turn == due {"
        => "if turn == due || FAULT && turn == self.wrapped(due.wrapping_sub(1)) {";
    /// A slot is filled without its item.
    FillsWithNothing in "nblfq/ring.rs":
        "(self.turn(word) + 1) << self.bits | item;"
        => "(self.turn(word) + 1) << self.bits | if FAULT { 0 } else { item };";
    /// A search takes a lap that it has gone for damage, though others were at work.
    SuspectsOthers in "nblfq/ring.rs":
        "let is_unchanged = self.last == Some(self.sum);"
        => "let is_unchanged = FAULT || self.last == Some(self.sum);";
    /// A side goes to sleep without another look.
    SleepsWithoutALook in "nblfq/handles.rs":
        "                !queue.ring().waits(side) || unless_left"
        => "                !FAULT && !queue.ring().waits(side) || unless_left";
    /// A side waits for its event without another look.
    ArmsWithoutALook in "nblfq/handles.rs":
        "(armed, || !queue.ring().waits(side))"
        => "(armed, || !FAULT && !queue.ring().waits(side))";
    /// A producer wakes other producers.
    WakesItsOwnSide in "nblfq/handles.rs":
        "self.queue.bells(self.side.other());"
        => "self.queue.bells(if FAULT { self.side } else { self.side.other() });";
    /// A side that leaves wakes nobody.
    LeavesInSilence in "items/producer.rs":
        "        self.leave();
        self.wake();"
        => "        self.leave();
        if !FAULT {
            self.wake();
        }";
    /// A side wakes the other one before it leaves.
    WakesBeforeItLeaves in "cells/seat.rs":
        "        layout::leave(&self.memory.words()[self.geometry.place(self.place)], self.held);
        self.wake();"
        => "        if FAULT {
            self.wake();
        }
        layout::leave(&self.memory.words()[self.geometry.place(self.place)], self.held);
        if !FAULT {
            self.wake();
        }";
    /// A lane's producer wakes where nobody sleeps.
    WakesItsLane in "lanes.rs":
        "        self.lane.leave();
        self.wake();"
        => "        if !FAULT {
            self.lane.leave();
            self.wake();
        }";
    /// A handle without a place wakes the other side before it leaves.
    WakesBeforeItIsGone in "nblfq/handles.rs":
        "        self.count().fetch_sub(1, Ordering::Release);
        self.wake();"
        => "        if FAULT {
            self.wake();
        }
        self.count().fetch_sub(1, Ordering::Release);
        if !FAULT {
            self.wake();
        }";
    /// A side goes to sleep without a look whether the other one has left.
    SleepsThoughAllHaveLeft in "peer.rs":
        "    recorded(words).peer == Peer::Left
"
        => "    !FAULT && recorded(words).peer == Peer::Left
";
    /// The places of a side are not looked at a second time.
    LooksOnceAtTheWords in "peer.rs":
        "if matches!(peer, Peer::Alive | Peer::Unknown) || recorded(words()) == before {"
        => "if FAULT || matches!(peer, Peer::Alive | Peer::Unknown) || recorded(words()) == before {";
    /// One that has left counts more than one that is there.
    CountsTheOneThatHasLeft in "peer.rs":
        "[Peer::Alive, Peer::Unknown, Peer::Died, Peer::Left]"
        => "[if FAULT { Peer::Left } else { Peer::Alive }, Peer::Unknown, Peer::Died, Peer::Left]";
    /// A side that was left is one to which nobody has come.
    CountsNobody in "layout.rs":
        "let count = u64::from(((old >> 32) as u32).wrapping_add(1).max(1)) << 32;"
        => "let count = if FAULT { 0 } else { u64::from(((old >> 32) as u32).wrapping_add(1).max(1)) << 32 };";
    /// The word of a side has a value a second time.
    CountsToOne in "layout.rs":
        "    match claim {
        Claim::Free => {"
        => "    let count = if FAULT { 1 << 32 } else { count };
    match claim {
        Claim::Free => {";
    /// A side leaves in two steps.
    LeavesInTwoSteps in "layout.rs":
        "    let _ = side.compare_exchange(value, value & !OWNER,"
        => "    if FAULT {
        side.store(0, Ordering::Relaxed);
        side.store(value & !OWNER, Ordering::Release);
    }
    let _ = side.compare_exchange(value, value & !OWNER,";
}
