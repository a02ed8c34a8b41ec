//! `rtrb`: single items, and chunks filled in place.

use super::super::kind::{Ends, Kind, Receiver, Sender, Thing, Word};

pub(crate) struct Rtrb;

impl Kind for Rtrb {
    const NAME: &'static str = "rtrb/ring_buffer";
    const BATCHES: bool = true;
    type Sender<T: Word> = rtrb::Producer<T>;
    type Receiver<T: Word> = rtrb::Consumer<T>;

    fn open<T: Word>(capacity: usize) -> Result<Ends<Self, T>, String> {
        Ok(rtrb::RingBuffer::new(capacity))
    }
}

impl<T: Thing> Sender<T> for rtrb::Producer<T> {
    #[inline]
    fn push(&mut self, item: T) -> bool {
        rtrb::Producer::push(self, item).is_ok()
    }

    #[inline]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> T) -> usize {
        let room = match self.write_chunk_uninit(wanted) {
            Ok(chunk) => return chunk.fill_from_iter(std::iter::repeat_with(make)),
            Err(rtrb::chunks::ChunkError::TooFewSlots(room)) => room,
        };
        match self.write_chunk_uninit(room) {
            Ok(chunk) => chunk.fill_from_iter(std::iter::repeat_with(make)),
            Err(_) => 0,
        }
    }
}

impl<T: Thing> Receiver<T> for rtrb::Consumer<T> {
    #[inline]
    fn pop(&mut self, take: &mut impl FnMut(T)) -> usize {
        match rtrb::Consumer::pop(self) {
            Ok(item) => {
                take(item);
                1
            }
            Err(_) => 0,
        }
    }

    #[inline]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(T)) -> usize {
        let there = match self.read_chunk(wanted) {
            Ok(_) => wanted,
            Err(rtrb::chunks::ChunkError::TooFewSlots(there)) => there,
        };
        let Ok(chunk) = self.read_chunk(there) else {
            return 0;
        };
        let (first, second) = chunk.as_slices();
        first.iter().chain(second).copied().for_each(take);
        chunk.commit_all();
        there
    }
}
