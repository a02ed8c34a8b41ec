faults! {
    /// A writer overwrites a block before its readers can notice.
    OverwritesUnseen in "ring/writer.rs":
        "fence(Ordering::Release);"
        => "if !FAULT {
            fence(Ordering::Release);
        }";
    /// A record is published before its words are written.
    PublishesEarly in "ring/writer.rs":
        "let mut draft = self.draft(self.time + passed, SHORT.bytes() + len);"
        => "if FAULT {
            let end = self.offset.wrapping_add((self.at + SHORT.bytes() + len) as u64);
            self.ring.words[END].store(end, Ordering::Release);
        }
        let mut draft = self.draft(self.time + passed, SHORT.bytes() + len);";
    /// A record does not keep the bytes before it in its first word.
    ForgetsTheBytesBefore in "ring/writer.rs":
        "Draft { at: self.at, stop: self.at + bytes, word: self.word, time, writer: self }"
        => "Draft { at: self.at, stop: self.at + bytes, word: if FAULT { 0 } else { self.word }, time, writer: self }";
    /// A record's last bytes are not stored.
    KeepsTheLastBytes in "ring/writer.rs":
        "writer.ring.words[self.at / 8].store(self.word, Ordering::Relaxed);"
        => "if !FAULT {
            writer.ring.words[self.at / 8].store(self.word, Ordering::Relaxed);
        }";
    /// A new block does not mark the end of the old one.
    LeavesOldWords in "ring/writer.rs":
        "if self.at <= self.stop && self"
        => "if self.at <= self.stop && !FAULT && self";
    /// The new block counts its first record among the records before it.
    CountsTheFirst in "ring/writer.rs":
        "block[RECORDS_BEFORE].store(self.records, Ordering::Relaxed);"
        => "block[RECORDS_BEFORE].store(self.records + u64::from(FAULT), Ordering::Relaxed);";
    /// A dropped writer does not publish its count.
    TakesItsCountAlong in "ring/writer.rs":
        "self.ring.words[RECORDS].store(self.records, Ordering::Relaxed);"
        => "if !FAULT {
            self.ring.words[RECORDS].store(self.records, Ordering::Relaxed);
        }";
    /// A thread claims a ring that another thread has claimed.
    ClaimsWhatIsTaken in "ring/writer.rs":
        "Ordering::Acquire, Ordering::Relaxed).ok()?;"
        => "Ordering::Acquire, Ordering::Relaxed)
            .ok()
            .or(FAULT.then_some(0))?;";
    /// A reader does not check whether a block was overwritten.
    TrustsItsCopy in "ring/reader.rs":
        "load(Ordering::Acquire) != *number;"
        => "load(Ordering::Acquire) != *number && !FAULT;";
    /// A reader takes the blocks behind the first overwritten one for valid.
    SkipsTheFirstOnly in "ring/reader.rs":
        "(first..=last).rev().find(is_old)"
        => "(if FAULT { (first..=last).find(is_old) } else { (first..=last).rev().find(is_old) })";
    /// A reader reads the last block beyond the last record.
    ReadsBehindTheEnd in "ring/reader.rs":
        "let used = (end - last * self.block_bytes()) as usize;"
        => "let past = end - last * self.block_bytes();
        let used = if FAULT { 8 * self.block_words - SPARE } else { past as usize };";
    /// A reader takes a ring whose writer has overtaken it for a damaged one.
    GivesUpAtOnce in "ring/reader.rs":
        "let is_still = self.words[END].load(Ordering::Relaxed) == end;"
        => "let is_still = FAULT || self.words[END].load(Ordering::Relaxed) == end;";
    /// The first request wakes nobody.
    AsksInVain in "pending.rs":
        "self.0.swap(1, Ordering::Release) == 0"
        => "self.0.swap(1, Ordering::Release) == u64::from(FAULT)";
    /// A request during the making of a dump counts as a part of that dump.
    BeginsUnseen in "pending.rs":
        "self.0.swap(0, Ordering::Acquire);"
        => "self.0.swap(u64::from(FAULT), Ordering::Acquire);";
}
