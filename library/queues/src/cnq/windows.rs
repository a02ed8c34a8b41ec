//! The distances between capsules in use, which bound the order (J. Wang's thesis, TU Dresden,
//! 2024, sections 3.5 and 3.6.2).
//!
//! In the thesis, a thread inspects the tube's entry a number of positions earlier. Here each side
//! keeps a window of its own. That works for any tube, also if positions do not determine slots.
//! Each window costs a thread one look at all words of its side, once per capsule; the words are
//! adjacent, so that is a line or two.

use crate::array::Array;
use crate::error::CapacityError;
use crate::sync::{AtomicUsize, Ordering};

/// The producers' window, which bounds how far others may be ahead of an open capsule.
///
/// While consumers can see an open capsule, every other capsule that they can see is fewer
/// positions after it than there are producers.
///
/// # Proof sketch
/// A producer *enters* before its capsule can be seen. It announces the capsule, raises the newest
/// position to its own by an exchange, and then reads all announcements. Let p and q be positions
/// at least as far apart as there are producers, and let q be later. The last exchange of p and the
/// first one of q are in some order:
/// 1. That of p is first. Then q finds the announcement of p, and closes the capsule of p before
///    its own can be seen.
/// 2. That of q is first. Then p finds a newest position that is too far ahead of its own, and
///    closes its own capsule. The items that it has put in by then went in with one call, which has
///    not returned.
///
/// Each producer has one open capsule at a time, so its last announcement suffices. While a
/// producer closes capsules, it could not answer a request to close its own. So it withdraws its
/// announcement before, and makes it again afterwards, with another exchange.
pub(super) struct Open {
    /// The newest position of all that have entered, then the last announcement of each producer.
    ///
    /// An announcement is the position, and in the lowest bits the number of the capsule, or
    /// `nobody` if it need not be closed.
    words: Array<AtomicUsize>,
    /// The number of bits of a capsule's number. No capsule has the number with all of them set.
    bits: u32,
}

/// A capsule that consumers are about to see.
#[derive(Clone, Copy)]
pub(super) struct Entering {
    /// The number of the capsule's producer.
    pub(super) producer: usize,
    pub(super) position: usize,
    /// The capsule's number, if the capsule should stay open.
    pub(super) open: Option<usize>,
}

impl Open {
    /// Makes a window for these producers and capsules. `first` is the first position.
    pub(super) fn new(producers: usize, capsules: usize, first: usize) -> Result<Self, CapacityError> {
        let bits = usize::BITS - capsules.leading_zeros();
        let nobody = (1 << bits) - 1;
        // No position has been entered: the newest one is that before the first.
        let word = |number| AtomicUsize::new(if number == 0 { first.wrapping_sub(1) } else { nobody });
        Ok(Self { words: Array::new(1 + producers, word)?, bits })
    }

    fn nobody(&self) -> usize {
        (1 << self.bits) - 1
    }

    /// Returns the last announcement of each producer.
    fn announced(&self) -> &[AtomicUsize] {
        &self.words[1..]
    }

    fn announcement(&self, position: usize, id: usize) -> usize {
        position << self.bits | id
    }

    /// Returns the number of the announced capsule if this position requires that it be closed.
    fn behind(&self, position: usize, announced: usize) -> Option<usize> {
        let distance =
            self.announcement(position, 0).wrapping_sub(announced & !self.nobody()).cast_signed() >> self.bits;
        let id = announced & self.nobody();
        (distance >= self.window() && id != self.nobody()).then_some(id)
    }

    fn window(&self) -> isize {
        self.announced().len().cast_signed()
    }

    /// Closes capsules that are too far behind, and returns whether this one may stay open.
    ///
    /// The caller calls it before consumers can see its capsule.
    pub(super) fn enter(&self, entering: Entering, close: impl Fn(usize)) -> bool {
        let mut newest = self.announce(entering);
        let mut withdrawn = false;
        for word in self.announced() {
            // Ordering: Acquire only keeps later stores behind (load buffering). Announcements of
            // producers whose exchange came earlier are seen. Any other changes nothing: its
            // producer is too late, or its capsule is closed.
            let found = word.load(Ordering::Acquire);
            let Some(id) = self.behind(entering.position, found) else { continue };
            // If it is this producer's capsule, the announcement is of an earlier use, which is
            // over.
            if entering.open != Some(id) {
                if !withdrawn {
                    self.withdraw(entering);
                    withdrawn = true;
                }
                close(id);
            }
            // No second close: by then the capsule could be another producer's.
            // Ordering: Relaxed, the fences of the close order it. Where it fails, the producer has
            // another capsule, and Acquire only keeps later stores behind (load buffering).
            let _ = word.compare_exchange(found, found | self.nobody(), Ordering::Relaxed, Ordering::Acquire);
        }
        if withdrawn {
            newest = self.announce(entering);
        }
        newest.wrapping_sub(entering.position).cast_signed() < self.window()
    }

    /// Announces a capsule, and returns the newest position.
    #[inline]
    fn announce(&self, entering: Entering) -> usize {
        let Entering { producer, position, open } = entering;
        let word = self.announcement(position, open.unwrap_or(self.nobody()));
        // Ordering: Relaxed, the exchange hands it on.
        self.announced()[producer].store(word, Ordering::Relaxed);
        raise(&self.words[0], position)
    }

    #[inline]
    fn withdraw(&self, entering: Entering) {
        let word = self.announcement(entering.position, self.nobody());
        // Ordering: Relaxed. A producer that reads the old word only sends a needless close
        // request.
        self.announced()[entering.producer].store(word, Ordering::Relaxed);
    }
}

/// Raises the newest position to this one, unless it is later. Returns the result.
fn raise(newest: &AtomicUsize, position: usize) -> usize {
    // Ordering: Relaxed, the exchange detects an old value.
    let mut found = newest.load(Ordering::Relaxed);
    loop {
        let raised = if found.wrapping_sub(position).cast_signed() < 0 { position } else { found };
        // Ordering: AcqRel, also where nothing changes: all exchanges of this word are one chain,
        // and a producer sees the announcements of all that came before its own (`cnq-ring/late`).
        // Where it fails, Acquire only keeps later stores behind (load buffering).
        match newest.compare_exchange(found, raised, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return raised,
            Err(now) => found = now,
        }
    }
}

/// The consumers' window. It lets a capsule be read only after all capsules far before it have been
/// read to the end.
///
/// Far before it are those that are at least as many positions before it as there are consumers.
///
/// A position belongs to the lane whose number is its remainder. A lane holds the last of its
/// positions that was finished; they are finished in order.
pub(super) struct Finished {
    lanes: Array<AtomicUsize>,
    consumers: usize,
}

impl Finished {
    /// Makes a window for these consumers. `first` is the first position.
    pub(super) fn new(consumers: usize, first: usize) -> Result<Self, CapacityError> {
        // A power of two, so that a position's lane does not jump when positions wrap.
        let count = consumers.next_power_of_two();
        // The position of the lane in the lap before the first position.
        let before = |lane: usize| AtomicUsize::new(first.wrapping_sub(1 + first.wrapping_sub(1 + lane) % count));
        Ok(Self { lanes: Array::new(count, before)?, consumers })
    }

    /// Whether the position may be read. If so, it may be read from then on.
    ///
    /// Its own lane alone would not suffice with a tube that gives out positions that may not be
    /// read yet: meanwhile, later positions of other lanes would become readable.
    #[inline]
    pub(super) fn allows(&self, position: usize) -> bool {
        // Of the positions behind this one, up to the last that must be finished, each lane has
        // one.
        let behind = position.wrapping_sub(self.consumers).wrapping_sub(self.lanes.len());
        // Ordering: Acquire only keeps later stores behind (load buffering). Nothing is handed on.
        // Only the order of pops matters, and a store that is seen is of an earlier pop.
        self.lanes.iter().all(|lane| lane.load(Ordering::Acquire).wrapping_sub(behind).cast_signed() > 0)
    }

    /// Records that the position has been read to the end.
    #[inline]
    pub(super) fn finish(&self, position: usize) {
        // Ordering: Relaxed, nothing is handed on, as in `allows`.
        self.lanes[position % self.lanes.len()].store(position, Ordering::Relaxed);
    }

    /// Returns a position that is not far from those in use.
    #[inline]
    pub(super) fn near(&self) -> usize {
        // Ordering: Relaxed, any that this thread can see will do.
        self.lanes[0].load(Ordering::Relaxed)
    }
}
