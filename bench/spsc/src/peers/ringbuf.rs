//! `ringbuf`: single items through its caching halves, batches in place in its slices.

use ringbuf::HeapRb;
use ringbuf::traits::{Consumer, Producer, Raw, Split};

use super::super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};

pub(crate) struct Ringbuf;

impl Kind for Ringbuf {
    const NAME: &'static str = "ringbuf/heap_rb";
    const BATCHES: bool = true;
    type Sender<T: Word> = ringbuf::HeapProd<T>;
    type Receiver<T: Word> = ringbuf::HeapCons<T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        Ok(HeapRb::new(capacity).split())
    }
}

impl<T: Thing> Sender<T> for ringbuf::HeapProd<T> {
    #[inline]
    fn push(&mut self, item: T) -> bool {
        self.try_push(item).is_ok()
    }

    #[inline]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        let (first, second) = self.vacant_slices_mut();
        let mut count = 0;
        for slot in first.iter_mut().chain(second).take(wanted) {
            slot.write(make());
            count += 1;
        }
        // SAFETY: `count` vacant slots were written just now.
        unsafe { self.advance_write_index(count) };
        count
    }
}

impl<T: Thing> Receiver<T> for ringbuf::HeapCons<T> {
    #[inline]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match self.try_pop() {
            Some(item) => {
                take(item);
                1
            }
            None => 0,
        }
    }

    #[inline]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        let (first, second) = self.as_slices();
        let mut count = 0;
        for item in first.iter().chain(second).take(wanted) {
            take(*item);
            count += 1;
        }
        // SAFETY: `count` items were read just now; they are `Copy`, so none is dropped twice.
        unsafe { self.advance_read_index(count) };
        count
    }
}
