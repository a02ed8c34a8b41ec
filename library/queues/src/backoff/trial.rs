//! The trial of backing off: a consumer that meets no other one tries both ways, and compares.
//!
//! How much it pays depends on how far apart the cores are, and on what limits the producers. If
//! they send at a rate of their own, it does not pay at all, and an item would only come later. So
//! the consumer takes some items without backing off and some with it, twice in turn, and compares
//! the times. Then it takes many items in the faster way, and tries again.

/// A consumer's measurements of the gain from backing off.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trial {
    /// The offset from which on the items of this window are counted; less than 0 if that is blocks
    /// ago.
    from: usize,
    /// Start of the window, in ticks; 0 before the first one.
    began: u64,
    /// The least time of an item in this trial, in parts of a tick: without backing off, and with
    /// it.
    least: [u64; 2],
    /// Number of windows left before the stage ends.
    left: u16,
    /// Number of windows for which the next decision holds.
    hold: u16,
    stage: Stage,
    /// The last decision: true if backing off was the faster way.
    pays: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    /// Windows without backing off and with it, in turn.
    Trying,
    /// The consumer uses the faster way.
    Decided,
}

/// The least number of items of a window.
const WINDOW: usize = 512;
/// The number of windows of a trial: two without backing off, and two with it.
const TRIED: u16 = 4;
/// The least number of windows that a decision holds.
const SHORTEST: u16 = 16;
/// The greatest number of windows that a decision holds.
const LONGEST: u16 = 1024;
/// Times are kept in this part of a tick.
const PARTS: u64 = 64;

impl Trial {
    pub(super) const fn new() -> Self {
        Self { from: 0, began: 0, least: [u64::MAX; 2], left: 0, hold: SHORTEST, stage: Stage::Decided, pays: true }
    }

    /// Whether the consumer may back off now.
    pub(super) const fn may_back_off(&self) -> bool {
        match self.stage {
            Stage::Trying => self.left % 2 == 1,
            Stage::Decided => self.pays,
        }
    }

    /// Whether the window that contains `offset` is complete.
    #[inline(always)]
    pub(super) const fn is_over(&self, offset: usize) -> bool {
        offset.wrapping_sub(self.from) >= WINDOW
    }

    /// Returns this memory with its offset counted from the next block, after one of `size`
    /// entries.
    #[inline(always)]
    pub(super) const fn entered(self, size: usize) -> Self {
        Self { from: self.from.wrapping_sub(size), ..self }
    }

    /// Ends a window at `offset`. `was_alone` is true if the consumer met no other one in it.
    ///
    /// Ticks that are always 0 leave everything as it is: there is no clock.
    pub(super) fn end_window(&mut self, offset: usize, now: u64, was_alone: bool) {
        if !was_alone {
            *self = Self { from: offset, ..Self::new() };
            return;
        }
        let items = offset.wrapping_sub(self.from) as u64;
        let time = now.wrapping_sub(self.began).saturating_mul(PARTS) / items.max(1);
        let is_first = self.began == 0;
        (self.from, self.began) = (offset, now);
        if is_first {
            return;
        }
        if self.stage == Stage::Trying {
            let least = &mut self.least[usize::from(self.may_back_off())];
            *least = time.min(*least);
        }
        if self.left > 0 {
            self.left -= 1;
            return;
        }
        if self.stage == Stage::Trying { self.decide() } else { self.try_again() }
    }

    fn try_again(&mut self) {
        (self.stage, self.left, self.least) = (Stage::Trying, TRIED - 1, [u64::MAX; 2]);
    }

    /// Backing off pays if an item takes a tenth less time by it.
    fn decide(&mut self) {
        let [near, far] = self.least;
        let pays = far.saturating_mul(10) <= near.saturating_mul(9);
        self.hold = if pays == self.pays { self.hold.saturating_mul(2).min(LONGEST) } else { SHORTEST };
        (self.stage, self.left, self.pays) = (Stage::Decided, self.hold, pays);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs `windows` windows, in which an item takes `near` ticks, or `far` where the consumer
    /// backs off.
    ///
    /// Returns the number of windows in which it backs off.
    fn run(trial: &mut Trial, windows: usize, near: u64, far: u64) -> usize {
        let mut backed_off = 0;
        for _ in 0..windows {
            let time = if trial.may_back_off() { far } else { near };
            backed_off += usize::from(trial.may_back_off());
            // In blocks of half a window.
            for _ in 0..2 {
                *trial = trial.entered(WINDOW / 2);
            }
            let now = trial.began.max(1) + time * WINDOW as u64;
            assert!(trial.is_over(0));
            trial.end_window(0, now, true);
        }
        backed_off
    }

    #[test]
    fn the_consumer_does_what_is_faster_and_tries_the_other_seldom() {
        const MANY: usize = 20_000;
        let mut trial = Trial::new();
        let share = |backed_off| backed_off as f64 / MANY as f64;
        assert!(share(run(&mut trial, MANY, 100, 50)) > 0.99);
        assert!(share(run(&mut trial, MANY, 100, 100)) < 0.07, "the first trial comes after up to 1024 windows");
        assert!(share(run(&mut trial, MANY, 100, 100)) < 0.01);
        assert!(share(run(&mut trial, MANY, 100, 91)) < 0.01, "less than a tenth");
        assert!(share(run(&mut trial, MANY, 100, 90)) > 0.9);
    }

    #[test]
    fn one_window_that_is_disturbed_changes_no_decision() {
        for disturbed in 0..TRIED {
            let mut trial = Trial { began: 1, ..Trial::new() };
            trial.try_again();
            while trial.stage == Stage::Trying {
                let factor = if trial.left == disturbed { 1000 } else { 1 };
                run(&mut trial, 1, 100 * factor, 50 * factor);
            }
            assert!(trial.pays, "{disturbed}");
        }
    }

    #[test]
    fn a_consumer_that_meets_another_one_backs_off_as_before_any_trial() {
        let mut trial = Trial::new();
        run(&mut trial, 100, 100, 100);
        assert!(!trial.may_back_off());
        trial.end_window(WINDOW, trial.began + 1, false);
        assert!(trial.may_back_off() && trial.began == 0);
    }

    #[test]
    fn without_a_clock_it_stays_as_it_was() {
        let mut trial = Trial::new();
        for _ in 0..100 {
            trial.end_window(WINDOW, 0, true);
            assert!(trial.may_back_off());
        }
    }
}
