//! How a queue is divided, and what follows for its order.

use core::fmt;

/// Bits of a capsule's number.
pub(super) const ID_BITS: u32 = usize::BITS / 2 - 4;

/// The most capsules and handles together.
const MOST: usize = (1 << ID_BITS) - 2;

/// The most items of a capsule.
const MOST_ITEMS: usize = usize::MAX >> 4;

/// How a queue is divided: so many capsules of so many items, for so many producers and consumers at a time.
///
/// # The order
/// Producers write to as many capsules in a row at most as there can be producers, and consumers read from as many in a row as
/// there can be consumers. An item can be overtaken only from a capsule that is less than so far behind its own, and overtakes
/// only what is less than so far ahead. That makes [`k`](Self::k).
///
/// The seed (3.5) takes the same number of capsules on both sides and reckons with `k = 2 * D * capsule_size`. So with two
/// producers and two consumers, capsules here have twice as many items for the same k, and with one consumer more than that.
///
/// With a tube that asks before it takes a position ([`SequencedRing`](crate::tube::SequencedRing)), the exact bound is less by `m - 1`, where
/// `m` is the number of producers or of consumers, whichever is less; and with capsules of one item it is 1, the tube's own order. The
/// suite checks that one, and finds an execution that needs it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Geometry {
    capsules: usize,
    capsule_size: usize,
    producers: usize,
    consumers: usize,
}

/// A queue cannot be divided like that. It reads as what is wrong and what is possible.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum GeometryError {
    /// There have to be handles on both sides, and not too many.
    Handles {
        /// The producers asked for.
        producers: usize,
        /// The consumers asked for.
        consumers: usize,
        /// The most that both together can be.
        most: usize,
    },
    /// So many threads cannot keep that order.
    Order {
        /// The k asked for.
        k: usize,
        /// The least that is possible for so many producers and consumers.
        least: usize,
        /// The producers asked for.
        producers: usize,
        /// The consumers asked for.
        consumers: usize,
    },
    /// There has to be a capsule, with an item in it, and not too many of either.
    Capsules {
        /// The number of capsules asked for.
        capsules: usize,
        /// The items of a capsule asked for.
        capsule_size: usize,
        /// The most capsules for so many handles.
        most: usize,
        /// The most items of a capsule.
        most_items: usize,
    },
    /// A capacity of 0 was asked for.
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
    /// Explicitly so. With no more capsules than consumers, idle handles can hold all of them, and a push says `Full` though there is
    /// no item; [`for_order`](Self::for_order) takes enough.
    ///
    /// # Errors
    /// [`GeometryError`] if it is impossible.
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

    /// For at least `capacity` items whose order is wrong by less than `k`: 1 asks for first in, first out, as one
    /// producer and one consumer always have it. Capsules are as large as both allow.
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
        // Each handle can hold a capsule that is partly used; with as many again, the queue goes on.
        let capsules = 2 * (producers + consumers);
        let by_capacity = (capacity / capsules).clamp(1, MOST_ITEMS);
        let capsule_size = (k - 1).checked_div(others).unwrap_or(by_capacity).min(by_capacity);
        Self::new(capacity.div_ceil(capsule_size).max(capsules), capsule_size, producers, consumers)
    }

    /// The number of capsules; a tube may make it more.
    #[must_use]
    pub const fn capsules(self) -> usize {
        self.capsules
    }

    /// Items of a capsule.
    #[must_use]
    pub const fn capsule_size(self) -> usize {
        self.capsule_size
    }

    /// How many producers can be registered at a time.
    #[must_use]
    pub const fn producers(self) -> usize {
        self.producers
    }

    /// How many consumers can be registered at a time.
    #[must_use]
    pub const fn consumers(self) -> usize {
        self.consumers
    }

    /// The order: each item that is popped is one of the `k` oldest, and an item that has become the oldest is one of the next `k`
    /// that are popped. That is `(producers + consumers - 2) * capsule_size + 1`.
    #[must_use]
    pub const fn k(self) -> usize {
        (self.producers + self.consumers - 2).saturating_mul(self.capsule_size).saturating_add(1)
    }
}

/// Whether there can be so many handles.
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
