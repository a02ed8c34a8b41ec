//! Requests, and the work of several threads on one of them.

use super::super::sync::{AtomicU64, Ordering};
use super::patience::Patience;
use super::record::{DONE, MARK_BITS, Side, UNTAKEN, exchange, load, position, store};
use super::ring::{Local, Ring};

impl Ring {
    /// Marks the request to push that has got this position as done.
    #[cold]
    pub(super) fn finish_push(&self, thread: usize, at: u64) {
        let threads = self.records.len();
        let others = (1..threads).map(|by| self.record((thread + by) % threads));
        for counter in others.map(|record| &record.push_at) {
            if load(counter) == at << MARK_BITS {
                exchange(counter, at << MARK_BITS, at << MARK_BITS | DONE);
                return;
            }
        }
    }

    /// Publishes a request, and does it together with those that find it.
    #[cold]
    pub(super) fn request<P: Patience>(&self, thread: usize, side: Side, failed_at: u64, wants: u64) {
        let record = self.record(thread);
        let number = load(&record.number);
        store(record.at(side), failed_at << MARK_BITS);
        store(&record.start, failed_at << MARK_BITS);
        store(&record.wants, wants);
        store(&record.begun, number);
        self.work_on::<P>(thread, thread, number, side);
        // In this order: a thread that finds the number unchanged has read its request.
        store(&record.number, number + 1);
        store(&record.wants, 0);
    }

    /// Now and then, looks whether another thread needs help.
    #[inline(always)]
    pub(super) fn help<P: Patience>(&self, local: &mut Local) {
        local.left -= 1;
        if local.left == 0 {
            local.left = P::HELPS_AFTER;
            self.help_next::<P>(local);
        }
    }

    #[cold]
    fn help_next<P: Patience>(&self, local: &mut Local) {
        let whose = local.next;
        local.next = (whose + 1) % self.records.len();
        let record = self.record(whose);
        if whose == local.thread || load(&record.wants) == 0 {
            return;
        }
        let number = load(&record.begun);
        let wants = load(&record.wants);
        if wants != 0 && load(&record.number) == number {
            let side = if wants == 1 { Side::Pop } else { Side::Push };
            self.work_on::<P>(local.thread, whose, number, side);
        }
    }

    /// Works on the request of that number until it is done.
    fn work_on<P: Patience>(&self, me: usize, whose: usize, number: u64, side: Side) {
        let record = self.record(whose);
        let (mut seen, wants) = (load(&record.start), load(&record.wants));
        while load(&record.number) == number
            && let Some(at) = self.agree::<P>(me, whose, side, &mut seen)
        {
            // Without this, the position could be a later request's.
            if load(&record.number) != number {
                return;
            }
            let is_done = match side {
                Side::Push => self.push_for(whose, at, wants - 2),
                Side::Pop => self.pop_for(whose, at),
            };
            if is_done {
                return;
            }
        }
    }

    /// Returns the position after the one that this thread has `seen` that all threads take that
    /// work on the request; or nothing, if it is done.
    fn agree<P: Patience>(&self, me: usize, whose: usize, side: Side, seen: &mut u64) -> Option<u64> {
        let (end, counter) = (self.end(side), self.record(whose).at(side));
        let mut at;
        loop {
            let now = self.settled::<P>(side, counter);
            match now {
                Some(now) if exchange(counter, *seen, now << MARK_BITS | UNTAKEN) => {
                    at = now;
                    *seen = now << MARK_BITS | UNTAKEN;
                }
                _ => {
                    *seen = load(counter);
                    if *seen & DONE != 0 {
                        return None;
                    }
                    at = position(*seen);
                    if *seen & UNTAKEN == 0 {
                        return Some(at);
                    }
                }
            }
            self.announce::<P>(me, whose, side, at);
            // SAFETY: a queue is made only where it is available.
            if unsafe { end.exchange([0, at], [me as u64 + 1, at + 1]) } {
                break;
            }
        }
        if side == Side::Pop {
            self.threshold.0.fetch_sub(1, Ordering::SeqCst);
        }
        exchange(counter, at << MARK_BITS | UNTAKEN, at << MARK_BITS);
        // SAFETY: as for the one before. If it fails, another thread has removed the name.
        unsafe { end.exchange([me as u64 + 1, at + 1], [0, at + 1]) };
        *seen = at << MARK_BITS;
        Some(at)
    }

    /// Writes down for which request this thread is about to take a position.
    fn announce<P: Patience>(&self, me: usize, whose: usize, side: Side, at: u64) {
        let step = self.record(me).step::<P>(side);
        let number = load(&step.number) + 1;
        store(&step.number, number);
        store(&step.whose, 2 * whose as u64 + u64::from(side == Side::Pop));
        store(&step.to, at);
        store(&step.begun, number);
    }

    /// Returns the value of a counter of the ring in which no thread's name is left, having done
    /// for that thread what it was about to do; or nothing, if the request is done.
    fn settled<P: Patience>(&self, side: Side, counter: &AtomicU64) -> Option<u64> {
        let end = self.end(side);
        loop {
            if load(counter) & DONE != 0 {
                return None;
            }
            let (name, at) = (end.first(), end.second());
            let Some(thread) = (name as usize).checked_sub(1) else { return Some(at) };
            let step = self.record(thread).step::<P>(side);
            let number = load(&step.begun);
            let (whose, to) = (load(&step.whose), load(&step.to));
            let is_whole = load(&step.number) == number;
            // If the name is still there, it is this step's: its thread announces no other one
            // before it is gone.
            let is_there = || P::AS_PUBLISHED || (end.first() == name && end.second() == at);
            if is_whole && is_there() {
                let of = if whose & 1 == 1 { Side::Pop } else { Side::Push };
                exchange(self.record(whose as usize / 2).at(of), to << MARK_BITS | UNTAKEN, to << MARK_BITS);
            }
            // SAFETY: as in `agree`.
            if unsafe { end.exchange([name, at], [0, at]) } {
                return Some(at);
            }
        }
    }

    /// Puts the index at `tail` for a request, if the entry is free. Returns whether it is there.
    #[inline]
    fn push_for(&self, whose: usize, tail: u64, index: u64) -> bool {
        let (cycle, entry) = (self.cycle(tail), self.entry(tail));
        loop {
            let (note, word) = (entry.first(), entry.second());
            if self.cycle_in(word) >= cycle || note >= cycle {
                // Another thread has put it there for this request, or has decided against this
                // entry.
                return self.cycle_in(word) == cycle && self.index(word) != self.none();
            }
            let is_free = self.is_vacant(word) && (self.is_safe(word) || self.head.0.second() <= tail);
            if !is_free {
                // SAFETY: as in `agree`.
                if unsafe { entry.exchange([note, word], [cycle, word]) } {
                    return false;
                }
                continue;
            }
            let new = self.word(cycle, true, false, index);
            // SAFETY: as in `agree`.
            if unsafe { !entry.exchange([note, word], [note, new]) } {
                continue;
            }
            if exchange(&self.record(whose).push_at, tail << MARK_BITS, tail << MARK_BITS | DONE) {
                // If it fails, a pop has consumed it, or has marked it.
                entry.exchange_second(new, self.word(cycle, true, true, index));
            }
            self.set_threshold();
            return true;
        }
    }

    /// Looks for an index at `head` for a request. Returns whether there is one. If the ring is
    /// empty, the request is done, too.
    #[inline]
    fn pop_for(&self, whose: usize, head: u64) -> bool {
        let (cycle, entry) = (self.cycle(head), self.entry(head));
        let done = || exchange(&self.record(whose).pop_at, head << MARK_BITS, head << MARK_BITS | DONE);
        loop {
            let (note, word) = (entry.first(), entry.second());
            if self.cycle_in(word) == cycle && self.index(word) != self.none() {
                done();
                return true;
            }
            if self.cycle_in(word) >= cycle {
                break;
            }
            if !self.is_vacant(word) && note < cycle {
                // All threads that come to this position pass it from here on, even if it becomes
                // vacant.
                // SAFETY: as in `agree`.
                unsafe { entry.exchange([note, word], [cycle, word]) };
                continue;
            }
            let new = self.passed(word, cycle);
            // SAFETY: as in `agree`.
            if word == new || unsafe { entry.exchange([note, word], [note, new]) } {
                break;
            }
        }
        if self.tail.0.second() <= head + 1 {
            self.move_tail();
        }
        if self.threshold.0.load(Ordering::SeqCst) < 0 {
            // If this fails, others have gone on to another position, where there may be an index
            // for the request.
            done();
        }
        false
    }
}
