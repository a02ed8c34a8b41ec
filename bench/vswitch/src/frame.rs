//! Ethernet frames and their lists (the SPSC paper, section 6, "packet metadata").
//!
//! A frame is a heap block with exactly one owner: a client, a queue, a list of the switch. Only
//! its pointer moves. Its metadata and its Ethernet header lie in the block's first cache line, and
//! the switch touches no other line.
//!
//! Access to `next`:
//! 1. Only [`FrameList`] reads or writes it.
//! 2. It is set only while the frame is in a list; a frame outside of lists has none.
//! 3. So a frame that crosses a queue owns only itself and its bytes.

use std::fmt;
use std::ptr::NonNull;

use crate::mac::MacAddress;

/// The bytes of an Ethernet header: destination, source, type.
pub const HEADER_BYTES: usize = 14;
/// The bytes of the shortest frame on the wire without its checksum, which the frame's own block
/// holds.
pub const MINIMUM_BYTES: usize = 60;

/// An Ethernet frame with the metadata that the switch and the clients need.
#[repr(C, align(64))]
pub struct Frame {
    /// The next frame of this one's list.
    next: Option<NonNull<Frame>>,
    /// The sender's message to the receiver: a sequence number, a time stamp.
    pub tag: u64,
    /// The number of bytes that the frame holds.
    length: u32,
    /// The number of bytes that the frame had on the wire; more than it holds if a capture cut it.
    wire_length: u32,
    /// Whether the switch made it while flooding.
    is_copy: bool,
    /// The first bytes; the Ethernet header is in the first cache line.
    start: [u8; MINIMUM_BYTES],
    /// The bytes after `start`, if any.
    rest: Box<[u8]>,
}

// SAFETY: `next` is the only field that is not `Send` by itself. By rules 1 to 3 above it is `None`
// whenever a frame is handed over by itself, and a list owns all of its frames.
unsafe impl Send for Frame {}

impl Frame {
    /// Makes a frame of these bytes, cut from `wire_length` bytes on the wire. `None` if they are
    /// too few for a header.
    ///
    /// It costs one allocation, and a second one if the frame is longer than [`MINIMUM_BYTES`].
    #[must_use]
    pub fn from_bytes(bytes: &[u8], wire_length: u32, tag: u64) -> Option<Box<Self>> {
        if bytes.len() < HEADER_BYTES {
            return None;
        }
        let (head, rest) = bytes.split_at(bytes.len().min(MINIMUM_BYTES));
        let mut start = [0; MINIMUM_BYTES];
        start[..head.len()].copy_from_slice(head);
        let length = u32::try_from(bytes.len()).ok()?;
        Some(Box::new(Self { next: None, tag, length, wire_length, is_copy: false, start, rest: rest.into() }))
    }

    /// Makes a frame of [`MINIMUM_BYTES`] zeroes, without addresses.
    #[must_use]
    pub fn minimum() -> Box<Self> {
        let length = MINIMUM_BYTES as u32;
        let start = [0; MINIMUM_BYTES];
        Box::new(Self { next: None, tag: 0, length, wire_length: length, is_copy: false, start, rest: [].into() })
    }

    /// Makes the switch's copy for one more port, while flooding.
    #[must_use]
    pub(crate) fn flood_copy(&self) -> Box<Self> {
        Box::new(Self { next: None, is_copy: true, rest: self.rest.clone(), ..*self })
    }

    /// Returns the destination address.
    #[inline]
    #[must_use]
    pub fn destination(&self) -> MacAddress {
        let [a, b, c, d, e, f, ..] = self.start;
        MacAddress([a, b, c, d, e, f])
    }

    /// Returns the source address.
    #[inline]
    #[must_use]
    pub fn source(&self) -> MacAddress {
        let [_, _, _, _, _, _, a, b, c, d, e, f, ..] = self.start;
        MacAddress([a, b, c, d, e, f])
    }

    /// Writes both addresses.
    #[inline]
    pub fn address(&mut self, destination: MacAddress, source: MacAddress) {
        self.start[..6].copy_from_slice(&destination.0);
        self.start[6..12].copy_from_slice(&source.0);
    }

    /// Returns the two bytes after the addresses: the type of the frame's content.
    #[inline]
    #[must_use]
    pub fn ether_type(&self) -> u16 {
        u16::from_be_bytes([self.start[12], self.start[13]])
    }

    /// Writes the type of the frame's content.
    #[inline]
    pub fn set_ether_type(&mut self, ether_type: u16) {
        self.start[12..14].copy_from_slice(&ether_type.to_be_bytes());
    }

    /// Whether the switch made this frame while flooding. It is false for the client's frame.
    #[inline]
    #[must_use]
    pub fn is_copy(&self) -> bool {
        self.is_copy
    }

    /// Returns the number of bytes that the frame had on the wire.
    #[must_use]
    pub fn wire_length(&self) -> u32 {
        self.wire_length
    }

    /// Returns the frame's bytes, in two parts that follow each other; the second one is often
    /// empty.
    #[must_use]
    pub fn parts(&self) -> [&[u8]; 2] {
        [&self.start[..(self.length as usize).min(MINIMUM_BYTES)], &self.rest]
    }

    /// Returns a copy of the frame's bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.parts().concat()
    }
}

impl fmt::Debug for Frame {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let copy = if self.is_copy { ", copy" } else { "" };
        write!(formatter, "Frame({} -> {}, {} bytes{copy})", self.source(), self.destination(), self.length)
    }
}

/// A first-in, first-out list of frames, linked through the frames themselves. Dropping it frees
/// them all.
///
/// Every operation costs a few instructions; none allocates.
#[derive(Debug, Default)]
pub struct FrameList {
    /// First and last frame, both from `Box::into_raw`; the last one's `next` is `None`.
    ends: Option<(NonNull<Frame>, NonNull<Frame>)>,
    length: usize,
}

// SAFETY: a list owns its frames as a `Vec<Box<Frame>>` would, and does not share them.
unsafe impl Send for FrameList {}

impl FrameList {
    /// Makes an empty list.
    #[must_use]
    pub const fn new() -> Self {
        Self { ends: None, length: 0 }
    }

    /// Returns the number of frames in the list.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.length
    }

    /// Whether the list has no frame.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_none()
    }

    /// Adds a frame behind the last one.
    #[inline]
    pub fn push_back(&mut self, frame: Box<Frame>) {
        let new = NonNull::from(Box::leak(frame));
        self.ends = Some(match self.ends {
            None => (new, new),
            Some((first, mut last)) => {
                // SAFETY: the list owns its last frame, and there is no other reference to it.
                unsafe { last.as_mut() }.next = Some(new);
                (first, new)
            }
        });
        self.length += 1;
    }

    /// Adds a frame before the first one.
    #[inline]
    pub fn push_front(&mut self, mut frame: Box<Frame>) {
        frame.next = self.ends.map(|(first, _)| first);
        let new = NonNull::from(Box::leak(frame));
        self.ends = Some((new, self.ends.map_or(new, |(_, last)| last)));
        self.length += 1;
    }

    /// Takes the first frame.
    #[inline]
    pub fn pop_front(&mut self) -> Option<Box<Frame>> {
        let (first, last) = self.ends?;
        // SAFETY: every frame of a list came from `Box::leak`, and leaves the list here, once.
        let mut frame = unsafe { Box::from_raw(first.as_ptr()) };
        self.ends = frame.next.take().map(|second| (second, last));
        self.length -= 1;
        Some(frame)
    }
}

impl Drop for FrameList {
    fn drop(&mut self) {
        while self.pop_front().is_some() {}
    }
}

/// A client's own store of unused frames, so that it does not pay the allocator for every frame.
///
/// It keeps at most as many frames as it was made for. Further ones go back to the allocator.
#[derive(Debug)]
pub struct FramePool {
    unused: FrameList,
    most: usize,
}

impl FramePool {
    /// Makes an empty pool that keeps at most `most` frames.
    #[must_use]
    pub const fn new(most: usize) -> Self {
        Self { unused: FrameList::new(), most }
    }

    /// Returns a frame of [`MINIMUM_BYTES`] with any content: the one that came back last, or a new
    /// one.
    #[inline]
    pub fn take(&mut self) -> Box<Frame> {
        self.unused.pop_front().unwrap_or_else(Frame::minimum)
    }

    /// Gives a frame back. It keeps frames of [`MINIMUM_BYTES`] that are not flooding copies, and
    /// frees others.
    #[inline]
    pub fn give(&mut self, frame: Box<Frame>) {
        if self.unused.len() < self.most && !frame.is_copy && frame.length as usize == MINIMUM_BYTES {
            self.unused.push_front(frame);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tagged(tag: u64) -> Box<Frame> {
        let mut frame = Frame::minimum();
        frame.tag = tag;
        frame
    }

    fn tags(mut list: FrameList) -> Vec<u64> {
        std::iter::from_fn(|| list.pop_front().map(|frame| frame.tag)).collect()
    }

    #[test]
    fn the_metadata_and_the_header_share_the_first_cache_line() {
        assert_eq!(align_of::<Frame>(), 64);
        assert!(std::mem::offset_of!(Frame, start) + HEADER_BYTES <= 64);
    }

    #[test]
    fn bytes_of_any_length_come_back() {
        for length in [14, 59, 60, 61, 1514, 70_000] {
            let bytes: Vec<u8> = (0..length).map(|index| (index % 251) as u8).collect();
            let frame = Frame::from_bytes(&bytes, 99_999, 7).expect("long enough");
            assert_eq!(frame.to_bytes(), bytes);
            assert_eq!((frame.wire_length(), frame.tag), (99_999, 7));
            let copy = frame.flood_copy();
            assert!(copy.is_copy() && !frame.is_copy());
            assert_eq!((copy.to_bytes(), copy.wire_length(), copy.tag), (bytes, 99_999, 7));
        }
        assert!(Frame::from_bytes(&[0; 13], 13, 0).is_none());
    }

    #[test]
    fn addresses_and_type_are_where_ethernet_has_them() {
        let mut frame = Frame::minimum();
        frame.address(MacAddress([1, 2, 3, 4, 5, 6]), MacAddress([7, 8, 9, 10, 11, 12]));
        frame.set_ether_type(0x0806);
        assert_eq!(frame.to_bytes()[..15], [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 8, 6, 0]);
        assert_eq!(frame.destination(), MacAddress([1, 2, 3, 4, 5, 6]));
        assert_eq!(frame.source(), MacAddress([7, 8, 9, 10, 11, 12]));
        assert_eq!(frame.ether_type(), 0x0806);
    }

    #[test]
    fn a_list_keeps_its_order_at_both_ends() {
        let mut list = FrameList::new();
        assert!(list.is_empty() && list.pop_front().is_none());
        list.push_back(tagged(1));
        list.push_back(tagged(2));
        list.push_front(tagged(0));
        assert_eq!(list.len(), 3);
        let first = list.pop_front().expect("three frames");
        list.push_back(tagged(3));
        list.push_front(first);
        assert_eq!(tags(list), [0, 1, 2, 3]);
        let mut list = FrameList::new();
        list.push_front(tagged(5));
        list.push_back(tagged(6));
        assert_eq!(tags(list), [5, 6]);
    }

    #[test]
    fn a_long_list_is_dropped_without_recursion() {
        let mut list = FrameList::new();
        for tag in 0..200_000 {
            list.push_back(tagged(tag));
        }
        drop(list);
    }

    #[test]
    fn a_pool_keeps_a_bounded_number_of_minimum_frames() {
        let mut pool = FramePool::new(2);
        for tag in 1..=3 {
            pool.give(tagged(tag));
        }
        pool.give(tagged(4).flood_copy());
        assert_eq!([pool.take().tag, pool.take().tag, pool.take().tag], [2, 1, 0]);
        pool.give(Frame::from_bytes(&[0; 61], 61, 9).expect("long enough"));
        assert_eq!(pool.take().tag, 0);
    }
}
