//! Relations on at most 128 events as bit matrices, with the operators of the axioms.

/// A set of events.
pub(super) type Set = u128;

/// The most events that a relation can have.
pub(super) const CAPACITY: usize = 128;

/// A binary relation: row `a` holds every `b` with `a R b`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Relation {
    rows: Vec<Set>,
}

/// Returns the members of a set.
fn members(mut set: Set) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let first = (set != 0).then(|| set.trailing_zeros() as usize)?;
        set &= set - 1;
        Some(first)
    })
}

impl Relation {
    /// Returns the empty relation on `size` events.
    pub(super) fn empty(size: usize) -> Relation {
        Relation { rows: vec![0; size] }
    }

    /// Returns the relation whose row `a` is `rows[a]`.
    pub(super) fn from_rows(rows: Vec<Set>) -> Relation {
        Relation { rows }
    }

    pub(super) fn from_pairs(size: usize, pairs: impl IntoIterator<Item = (usize, usize)>) -> Relation {
        let mut relation = Relation::empty(size);
        for (a, b) in pairs {
            relation.rows[a] |= 1 << b;
        }
        relation
    }

    /// Returns the number of events.
    pub(super) fn size(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn holds(&self, a: usize, b: usize) -> bool {
        self.rows[a] >> b & 1 == 1
    }

    pub(super) fn union(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a | b)
    }

    pub(super) fn intersection(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & b)
    }

    pub(super) fn minus(&self, other: &Relation) -> Relation {
        self.zip(other, |a, b| a & !b)
    }

    /// Returns `self; other`.
    pub(super) fn then(&self, other: &Relation) -> Relation {
        let row = |row: &Set| members(*row).fold(0, |reached, b| reached | other.rows[b]);
        Relation { rows: self.rows.iter().map(row).collect() }
    }

    /// Returns `self^-1`.
    pub(super) fn inverse(&self) -> Relation {
        let pairs = self.rows.iter().enumerate().flat_map(|(a, row)| members(*row).map(move |b| (b, a)));
        Relation::from_pairs(self.rows.len(), pairs)
    }

    /// Returns `self?`.
    pub(super) fn or_same(&self) -> Relation {
        let rows = self.rows.iter().enumerate().map(|(a, row)| row | 1 << a).collect();
        Relation { rows }
    }

    /// Returns `self+`.
    pub(super) fn closure(&self) -> Relation {
        let mut rows = self.rows.clone();
        for through in 0..rows.len() {
            let reached = rows[through];
            for row in &mut rows {
                if *row >> through & 1 == 1 {
                    *row |= reached;
                }
            }
        }
        Relation { rows }
    }

    /// Returns `[from]; self; [to]`.
    pub(super) fn between(&self, from: Set, to: Set) -> Relation {
        let row = |(a, row): (usize, &Set)| if from >> a & 1 == 1 { row & to } else { 0 };
        Relation { rows: self.rows.iter().enumerate().map(row).collect() }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.rows.iter().all(|row| *row == 0)
    }

    /// Returns a pair of the relation, if it has one.
    pub(super) fn first_pair(&self) -> Option<(usize, usize)> {
        let first = self.rows.iter().enumerate().find(|(_, row)| **row != 0);
        first.map(|(a, row)| (a, row.trailing_zeros() as usize))
    }

    pub(super) fn is_irreflexive(&self) -> bool {
        (0..self.rows.len()).all(|a| !self.holds(a, a))
    }

    pub(super) fn is_acyclic(&self) -> bool {
        self.closure().is_irreflexive()
    }

    fn zip(&self, other: &Relation, combine: impl Fn(Set, Set) -> Set) -> Relation {
        let rows = self.rows.iter().zip(&other.rows).map(|(a, b)| combine(*a, *b)).collect();
        Relation { rows }
    }
}
