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
        "Err(owner) => Err(ClaimError::Taken { owner }),"
        => "Err(_) if FAULT => Ok(()),
            Err(owner) => Err(ClaimError::Taken { owner }),";
    /// A consumer does not come to the last lane.
    PassesOverALane in "lanes.rs":
        "if self.next >= self.lanes.len() {"
        => "if self.next >= self.lanes.len() - usize::from(FAULT) {";
    /// A consumer goes to sleep without a look at all lanes.
    LooksAtOneLane in "lanes.rs":
        "timeout, || lanes.iter_mut()"
        => "timeout, || lanes.iter_mut().take(if FAULT { 1 } else { usize::MAX })";
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
        "self.write = end;\n        Ok(())"
        => "if FAULT {
            // What is there if nothing was stored before.
            ring[geometry.index(end)].store(head_of(self.write.wrapping_sub(6), 8), Ordering::Relaxed);
            ring[geometry.index(end)].store(0, Ordering::Relaxed);
        }
        self.write = end;
        Ok(())";
    /// A record is published before its bytes are written.
    PublishesRecordEarly in "records/producer.rs":
        "bytes::put(ring, geometry.index(self.write + 1), record);"
        => "if FAULT {
            ring[geometry.index(self.write)].store(head_of(self.write, record.len()), Ordering::Release);
        }
        bytes::put(ring, geometry.index(self.write + 1), record);";
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
}
