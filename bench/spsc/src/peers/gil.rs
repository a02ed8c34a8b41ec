//! `gil`: single items, and batches in place in its buffers.

use std::num::NonZeroUsize;

use super::super::kind::{Ends, Kind, Receiver, Sender, Word};

pub(crate) struct Gil;

impl Kind for Gil {
    const NAME: &'static str = "gil/spsc";
    const BATCHES: bool = true;
    type Sender<T: Word> = gil::spsc::Sender<T>;
    type Receiver<T: Word> = gil::spsc::Receiver<T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        let capacity = NonZeroUsize::new(capacity).ok_or("gil's capacity is at least 1")?;
        Ok(gil::spsc::channel(capacity))
    }
}

impl<T: Word> Sender<T> for gil::spsc::Sender<T> {
    #[inline]
    fn push(&mut self, item: T) -> bool {
        self.try_send(item).is_ok()
    }

    #[inline]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        let buffer = self.write_buffer();
        let count = wanted.min(buffer.len());
        for slot in &mut buffer[..count] {
            slot.write(make());
        }
        // SAFETY: `count` slots of the buffer were written just now.
        unsafe { self.commit(count) };
        count
    }
}

impl<T: Word> Receiver<T> for gil::spsc::Receiver<T> {
    #[inline]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.try_recv() {
            Some(item) => {
                take(item);
                1
            }
            None => 0,
        }
    }

    #[inline]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        let mut guard = self.read_guard();
        let items = guard.as_slice();
        let count = wanted.min(items.len());
        items[..count].iter().copied().for_each(take);
        guard.advance(count);
        count
    }
}
