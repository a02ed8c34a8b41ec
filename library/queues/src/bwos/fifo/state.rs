//! The owner's state: a part for its fast paths, and a part for its slow paths alone.

use core::ptr::NonNull;

use super::super::location::Location;
use super::announcement::Announcement;
use super::queue::{BlockHead, FIRST_NUMBER};

/// The state of the owner's fast paths. It is in the handle, and in registers if the handle is.
#[derive(Clone, Copy)]
pub(super) struct Cursors {
    pub(super) back: NonNull<BlockHead>,
    /// Entries of the block at the back up to here are written.
    pub(super) b_pos: usize,
    pub(super) front: NonNull<BlockHead>,
    /// Entries of the block at the front up to here are taken.
    pub(super) f_pos: usize,
}

/// The owner's place: its [`Cursors`], as they were when it last left its fast paths, and its [`SlowState`].
///
/// It is in the queue, and not in the handle, where it would take registers from the caller's loops. Slow paths change
/// it where it lies: a copy reads pairs of words that have just been written one by one, which processors do slowly.
pub(super) struct OwnerState {
    pub(super) back: NonNull<BlockHead>,
    pub(super) b_pos: usize,
    pub(super) front: NonNull<BlockHead>,
    pub(super) f_pos: usize,
    pub(super) slow: SlowState,
}

/// The state of the owner's slow paths.
pub(super) struct SlowState {
    pub(super) back: Location,
    pub(super) front: Location,
    /// Entries of the block at the front are lent from here on.
    pub(super) lent: Option<usize>,
    /// OwnerBlocks fast pops end without requests.
    pub(super) stop: usize,
    /// The last published `b_pos` of the block at the back.
    pub(super) published: usize,
    /// The last announcement.
    pub(super) announced: Announcement,
    /// The number of the last word.
    pub(super) number: usize,
    /// The first lent entry that thieves have not claimed, while the lent part is closed.
    pub(super) recalled: Option<usize>,
}

impl OwnerState {
    /// Returns the state for the owner's fast paths.
    #[inline(always)]
    pub(super) fn cursors(&self) -> Cursors {
        let Self { back, b_pos, front, f_pos, .. } = *self;
        Cursors { back, b_pos, front, f_pos }
    }

    /// Returns the place of an owner in that block, the first one of that lap.
    pub(super) fn first(block: NonNull<BlockHead>, lap: usize, stop: usize) -> Self {
        Self { back: block, b_pos: 0, front: block, f_pos: 0, slow: SlowState::first(lap, stop) }
    }
}

impl SlowState {
    /// Returns the slow of an owner in the first block of that lap.
    fn first(lap: usize, stop: usize) -> Self {
        let location = Location { lap, index: 0 };
        let (announced, number) = (Announcement::NOTHING, FIRST_NUMBER);
        Self { back: location, front: location, lent: None, stop, published: 0, announced, number, recalled: None }
    }
}
