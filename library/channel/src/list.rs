//! A list of waiters in the order of their arrival.

use std::mem;

/// Stands for "no entry".
const NONE: usize = usize::MAX;

/// A doubly linked list in a vector: every operation takes constant time, and no waiter allocates
/// once the vector has grown to the largest number of waiters.
///
/// An entry that has been unlinked keeps its key and its value until it is removed.
#[derive(Debug)]
pub(crate) struct List<E> {
    entries: Vec<Entry<E>>,
    first: usize,
    last: usize,
    /// First free entry; `after` leads to the other free entries.
    free: usize,
    /// Number of linked entries.
    len: usize,
}

#[derive(Debug)]
struct Entry<E> {
    /// `None` if the entry is free.
    value: Option<E>,
    is_linked: bool,
    before: usize,
    after: usize,
}

impl<E> List<E> {
    pub(crate) const fn new() -> Self {
        Self { entries: Vec::new(), first: NONE, last: NONE, free: NONE, len: 0 }
    }

    /// Returns the number of linked entries.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// Returns the key of the first entry.
    pub(crate) fn first(&self) -> Option<usize> {
        (self.first != NONE).then_some(self.first)
    }

    /// Returns the key of the first entry for which `is_right` returns true.
    pub(crate) fn find(&self, mut is_right: impl FnMut(&E) -> bool) -> Option<usize> {
        let mut key = self.first;
        loop {
            let entry = self.entries.get(key)?;
            if entry.value.as_ref().is_some_and(&mut is_right) {
                return Some(key);
            }
            key = entry.after;
        }
    }

    /// Returns the value of an entry that has not been removed.
    pub(crate) fn get(&mut self, key: usize) -> &mut E {
        match &mut self.entries[key].value {
            Some(value) => value,
            None => unreachable!("the entry has been removed"),
        }
    }

    /// Returns the value of an entry, unless it has been removed.
    pub(crate) fn find_by_key(&mut self, key: usize) -> Option<&mut E> {
        self.entries[key].value.as_mut()
    }

    /// Returns the values of all entries, including those that are not linked.
    pub(crate) fn values_mut(&mut self) -> impl Iterator<Item = &mut E> {
        self.entries.iter_mut().filter_map(|entry| entry.value.as_mut())
    }

    /// Adds an entry that is not linked, and returns its key.
    #[inline]
    pub(crate) fn insert_unlinked(&mut self, value: E) -> usize {
        if self.free == NONE {
            self.grow();
        }
        let key = self.free;
        let entry = &mut self.entries[key];
        self.free = entry.after;
        entry.value = Some(value);
        key
    }

    /// Adds a free entry.
    #[cold]
    #[inline(never)]
    fn grow(&mut self) {
        self.free = self.entries.len();
        self.entries.push(Entry { value: None, is_linked: false, before: NONE, after: NONE });
    }

    /// Adds an entry, at the end or as the first one, and returns its key.
    #[inline]
    pub(crate) fn insert(&mut self, value: E, is_first: bool) -> usize {
        let key = self.insert_unlinked(value);
        self.link(key, is_first);
        key
    }

    /// Links an entry that is not linked, at the end or as the first one.
    #[inline]
    pub(crate) fn link(&mut self, key: usize, is_first: bool) {
        let (before, after) = if is_first { (NONE, self.first) } else { (self.last, NONE) };
        let entry = &mut self.entries[key];
        (entry.before, entry.after, entry.is_linked) = (before, after, true);
        *self.link_from(before) = key;
        *self.link_to(after) = key;
        self.len += 1;
    }

    /// Returns the link to the entry after `before`.
    fn link_from(&mut self, before: usize) -> &mut usize {
        if before == NONE { &mut self.first } else { &mut self.entries[before].after }
    }

    /// Returns the link to the entry before `after`.
    fn link_to(&mut self, after: usize) -> &mut usize {
        if after == NONE { &mut self.last } else { &mut self.entries[after].before }
    }

    pub(crate) fn is_linked(&self, key: usize) -> bool {
        self.entries[key].is_linked
    }

    /// Takes the entry out of the order, if it is there.
    pub(crate) fn unlink(&mut self, key: usize) {
        let Entry { is_linked: true, before, after, .. } = self.entries[key] else { return };
        *self.link_from(before) = after;
        *self.link_to(after) = before;
        self.entries[key].is_linked = false;
        self.len -= 1;
    }

    /// Removes the entry and returns its value.
    #[inline]
    pub(crate) fn remove(&mut self, key: usize) -> E {
        self.unlink(key);
        let entry = &mut self.entries[key];
        entry.after = mem::replace(&mut self.free, key);
        match entry.value.take() {
            Some(value) => value,
            None => unreachable!("the entry has been removed"),
        }
    }
}
