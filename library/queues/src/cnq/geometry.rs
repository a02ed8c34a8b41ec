//! The division of a queue into capsules, and the order that follows from it.

use core::fmt;

/// The number of bits of a capsule's number.
pub(super) const ID_BITS: u32 = usize::BITS / 2 - 4;

/// The greatest number of capsules and handles together.
const MOST: usize = (1 << ID_BITS) - 2;

/// The greatest number of items of a capsule.
const MOST_ITEMS: usize = usize::MAX >> 4;

/// The division of a queue: capsules, items of a capsule, producers and consumers.
///
/// # Examples
/// ```
/// use aqueduct::cnq::{Geometry, Queue};
///
/// // 16 capsules of 32 items, for two producers and two consumers.
/// let geometry = Geometry::new(16, 32, 2, 2)?;
/// let queue = Queue::<u64>::new(geometry)?;
/// assert_eq!((queue.capacity(), queue.k()), (512, geometry.k()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # The order
/// Producers write to at most as many consecutive capsules as there can be producers. Consumers
/// read from at most as many consecutive capsules as there can be consumers. An item can be
/// overtaken only from a capsule less than that many places behind its own, and it overtakes only
/// items less than that many places ahead. [`k`](Self::k) follows from this.
///
/// J. Wang's thesis (TU Dresden, 2024, section 3.5) takes one number of capsules for both sides and
/// calculates with `k = 2 * D * capsule_size`. So with two producers and two consumers, capsules
/// here have twice as many items for an equal k, and with one consumer more than that.
///
/// With a tube that checks a position before it takes it
/// ([`SequencedRing`](crate::tube::SequencedRing)), the exact bound is less by `m - 1`, where `m`
/// is the number of producers or of consumers, whichever is less. With capsules of one item it is
/// 1, the tube's own order. The tests check that bound, and find an execution that needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    capsules: usize,
    capsule_size: usize,
    producers: usize,
    consumers: usize,
}

/// Why a queue cannot have a geometry. The message says what is wrong and what is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GeometryError {
    /// The number of producers or of consumers is 0, or too large.
    Handles {
        /// The producers asked for.
        producers: usize,
        /// The consumers asked for.
        consumers: usize,
        /// The maximum of both together.
        most: usize,
    },
    /// The order is too strict for these numbers of producers and consumers.
    Order {
        /// The k asked for.
        k: usize,
        /// The least possible k for these producers and consumers.
        least: usize,
        /// The producers asked for.
        producers: usize,
        /// The consumers asked for.
        consumers: usize,
    },
    /// The number of capsules, or of their items, is 0 or too large.
    Capsules {
        /// The number of capsules asked for.
        capsules: usize,
        /// The items per capsule asked for.
        capsule_size: usize,
        /// The maximum number of capsules for these handles.
        most: usize,
        /// The maximum number of items of a capsule.
        most_items: usize,
    },
    /// The capacity asked for was 0.
    Zero,
}

impl fmt::Display for GeometryError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Handles { producers, consumers, most } => write!(
                f,
                "{producers} producers and {consumers} consumers were asked for; there has to be 1 of each at least, and \
                 {most} together at most"
            ),
            Self::Order { k, least, producers, consumers } => write!(
                f,
                "k = {k} was asked for; with {producers} producers and {consumers} consumers it must be at least {least}"
            ),
            Self::Capsules { capsules, capsule_size, most, most_items } => write!(
                f,
                "{capsules} capsules of {capsule_size} items were asked for; possible are 1 to {most} of 1 to {most_items}"
            ),
            Self::Zero => f.write_str("capacity 0 was asked for; it must be at least 1"),
        }
    }
}

impl core::error::Error for GeometryError {}

impl Geometry {
    /// Divides a queue into `capsules` capsules of `capsule_size` items.
    ///
    /// With no more capsules than consumers, idle handles can hold all of them, and a push returns
    /// `Full` although there is no item. [`for_order`](Self::for_order) takes enough capsules.
    ///
    /// # Errors
    /// [`GeometryError`] if the division is impossible.
    pub const fn new(
        capsules: usize,
        capsule_size: usize,
        producers: usize,
        consumers: usize,
    ) -> Result<Self, GeometryError> {
        if let Err(error) = check(producers, consumers) {
            return Err(error);
        }
        let most = (MOST / 2 + 1) - producers;
        if capsules < 1 || capsules > most || capsule_size < 1 || capsule_size > MOST_ITEMS {
            return Err(GeometryError::Capsules { capsules, capsule_size, most, most_items: MOST_ITEMS });
        }
        Ok(Self { capsules, capsule_size, producers, consumers })
    }

    /// Chooses the largest capsules for at least `capacity` items, relaxed by less than `k`.
    ///
    /// `k = 1` is strict first in, first out: with one producer and one consumer only.
    ///
    /// # Errors
    /// [`GeometryError`] if it is impossible; `k` must be at least `producers + consumers - 1`.
    ///
    /// # Examples
    /// ```
    /// use aqueduct::cnq::Geometry;
    ///
    /// let geometry = Geometry::for_order(1000, 100_000, 2, 2)?;
    /// assert_eq!((geometry.capsule_size(), geometry.k()), (499, 999));
    ///
    /// let error = Geometry::for_order(10, 100_000, 8, 8).expect_err("too many threads for that order");
    /// assert_eq!(error.to_string(), "k = 10 was asked for; with 8 producers and 8 consumers it must be at least 15");
    /// # Ok::<(), aqueduct::cnq::GeometryError>(())
    /// ```
    pub fn for_order(k: usize, capacity: usize, producers: usize, consumers: usize) -> Result<Self, GeometryError> {
        check(producers, consumers)?;
        if capacity == 0 {
            return Err(GeometryError::Zero);
        }
        let others = producers + consumers - 2;
        if k <= others {
            return Err(GeometryError::Order { k, least: others + 1, producers, consumers });
        }
        // Each handle can hold a capsule that is partly used; with as many again, the queue goes
        // on.
        let capsules = 2 * (producers + consumers);
        let by_capacity = (capacity / capsules).clamp(1, MOST_ITEMS);
        let capsule_size = (k - 1).checked_div(others).unwrap_or(by_capacity).min(by_capacity);
        Self::new(capacity.div_ceil(capsule_size).max(capsules), capsule_size, producers, consumers)
    }

    /// Returns the number of capsules. A tube may have more.
    #[must_use]
    pub const fn capsules(self) -> usize {
        self.capsules
    }

    /// Returns the number of items of a capsule.
    #[must_use]
    pub const fn capsule_size(self) -> usize {
        self.capsule_size
    }

    /// Returns how many producers can be registered at a time.
    #[must_use]
    pub const fn producers(self) -> usize {
        self.producers
    }

    /// Returns how many consumers can be registered at a time.
    #[must_use]
    pub const fn consumers(self) -> usize {
        self.consumers
    }

    /// Returns the order: a popped item is one of the `k` oldest.
    ///
    /// An item that has become the oldest is one of the next `k` that are popped. `k` is
    /// `(producers + consumers - 2) * capsule_size + 1`.
    #[must_use]
    pub const fn k(self) -> usize {
        (self.producers + self.consumers - 2).saturating_mul(self.capsule_size).saturating_add(1)
    }
}

/// Checks that these numbers of handles are possible.
const fn check(producers: usize, consumers: usize) -> Result<(), GeometryError> {
    let most = MOST / 2;
    if producers < 1 || consumers < 1 || producers > most || consumers > most - producers {
        return Err(GeometryError::Handles { producers, consumers, most });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_what_is_asked_or_better() {
        for (producers, consumers) in [(1, 1), (1, 2), (2, 1), (2, 2), (3, 5), (16, 16)] {
            let least = producers + consumers - 1;
            for k in (least..least + 50).chain([1000, 10_000]) {
                for capacity in [1, 7, 100, 1 << (usize::BITS / 4)] {
                    let geometry = Geometry::for_order(k, capacity, producers, consumers).expect("it is possible");
                    assert!(geometry.k() <= k, "{geometry:?} for {k}");
                    assert!(geometry.capsules() * geometry.capsule_size() >= capacity, "{geometry:?} for {capacity}");
                    assert!(geometry.capsules() > consumers, "{geometry:?}");
                }
            }
            let refused = Geometry::for_order(least - 1, 100, producers, consumers);
            assert_eq!(refused, Err(GeometryError::Order { k: least - 1, least, producers, consumers }));
        }
    }

    #[test]
    fn capsules_are_as_large_as_the_order_allows() {
        let size = |k, capacity, producers, consumers| {
            Geometry::for_order(k, capacity, producers, consumers).expect("it is possible").capsule_size()
        };
        assert_eq!([size(1000, 1 << 16, 2, 2), size(1000, 1 << 16, 4, 1)], [499, 333]);
        assert_eq!([size(3, 1 << 10, 2, 2), size(2, 1 << 10, 2, 1)], [1, 1]);
        assert_eq!(size(1, 1 << 20, 1, 1), (1 << 20) / 4, "one of either keeps any order");
    }

    #[test]
    fn the_impossible_is_refused() {
        for (producers, consumers) in [(0, 1), (1, 0), (MOST, 1), (1, MOST), (usize::MAX, usize::MAX)] {
            let error = Geometry::for_order(usize::MAX, 10, producers, consumers).expect_err("impossible");
            assert_eq!(error, GeometryError::Handles { producers, consumers, most: MOST / 2 });
        }
        assert_eq!(Geometry::for_order(10, 0, 1, 1), Err(GeometryError::Zero));
        for (capsules, capsule_size) in [(0, 1), (1, 0), (MOST, 1), (1, usize::MAX)] {
            assert!(matches!(Geometry::new(capsules, capsule_size, 1, 1), Err(GeometryError::Capsules { .. })));
        }
        assert!(Geometry::for_order(2, usize::MAX, 2, 1).is_err());
    }
}
