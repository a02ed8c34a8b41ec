//! Queues of ports that are not of `aqueduct::spsc`: blocks, and other crates' queues.

use std::iter::from_fn;
use std::sync::Arc;

use aqueduct::bbq::{self, Single};
use aqueduct::error::{CapacityError, PushError};
use crossbeam_queue::ArrayQueue;

use crate::frame::{Frame, FrameList};
use crate::ports::{BbqSpsc, CrossbeamArrayQueue, FrameConsumer, FrameProducer, QueueKind, RtrbRingBuffer};

impl QueueKind for BbqSpsc {
    type Producer = bbq::Producer<Box<Frame>, Single, Single>;
    type Consumer = bbq::Consumer<Box<Frame>, Single, Single>;

    fn queue(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        bbq::spsc::new(capacity)
    }
}

impl FrameProducer for bbq::Producer<Box<Frame>, Single, Single> {
    #[inline]
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>> {
        self.push(frame).map_err(PushError::into_inner)
    }

    fn put_list(&mut self, list: &mut FrameList) -> usize {
        self.push_iter(from_fn(|| list.pop_front()))
    }
}

impl FrameConsumer for bbq::Consumer<Box<Frame>, Single, Single> {
    #[inline]
    fn take(&mut self) -> Option<Box<Frame>> {
        self.pop().ok()
    }

    fn take_batch(&mut self, most: usize, each: impl FnMut(Box<Frame>)) -> usize {
        self.pop_each(most, each)
    }
}

impl QueueKind for RtrbRingBuffer {
    type Producer = rtrb::Producer<Box<Frame>>;
    type Consumer = rtrb::Consumer<Box<Frame>>;

    fn queue(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        Ok(rtrb::RingBuffer::new(capacity))
    }
}

impl FrameProducer for rtrb::Producer<Box<Frame>> {
    #[inline]
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>> {
        self.push(frame).map_err(|rtrb::PushError::Full(frame)| frame)
    }

    fn put_list(&mut self, list: &mut FrameList) -> usize {
        let most = self.slots().min(list.len());
        let chunk = self.write_chunk_uninit(most);
        chunk.map_or(0, |chunk| chunk.fill_from_iter(from_fn(|| list.pop_front())))
    }
}

impl FrameConsumer for rtrb::Consumer<Box<Frame>> {
    #[inline]
    fn take(&mut self) -> Option<Box<Frame>> {
        self.pop().ok()
    }

    fn take_batch(&mut self, most: usize, each: impl FnMut(Box<Frame>)) -> usize {
        let most = self.slots().min(most);
        let Ok(chunk) = self.read_chunk(most) else { return 0 };
        chunk.into_iter().for_each(each);
        most
    }
}

impl QueueKind for CrossbeamArrayQueue {
    type Producer = Arc<ArrayQueue<Box<Frame>>>;
    type Consumer = Arc<ArrayQueue<Box<Frame>>>;

    fn queue(capacity: usize) -> Result<(Self::Producer, Self::Consumer), CapacityError> {
        let queue = Arc::new(ArrayQueue::new(capacity));
        Ok((Arc::clone(&queue), queue))
    }
}

impl FrameProducer for Arc<ArrayQueue<Box<Frame>>> {
    #[inline]
    fn put(&mut self, frame: Box<Frame>) -> Result<(), Box<Frame>> {
        self.push(frame)
    }
}

impl FrameConsumer for Arc<ArrayQueue<Box<Frame>>> {
    #[inline]
    fn take(&mut self) -> Option<Box<Frame>> {
        self.pop()
    }
}
