//! Events of an execution graph: a thread's operation, its mode and its location.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::clock::Clock;

/// The place of an operation in the program's source.
pub(crate) type Site = &'static Location<'static>;

/// The site of an event that was loaded from a file, until a replay sets it.
pub(crate) static UNKNOWN: Site = Location::caller();

fn unknown() -> Site {
    UNKNOWN
}

/// An event's name: its thread and its position there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EventId(u32);

impl EventId {
    /// The initial write of any location. It has no thread.
    pub(crate) const INIT: Self = Self(u32::MAX);

    #[inline]
    pub(crate) fn new(thread: usize, index: usize) -> Self {
        Self((thread as u32) << 16 | index as u32)
    }

    #[inline]
    pub(crate) fn thread(self) -> usize {
        (self.0 >> 16) as usize
    }

    #[inline]
    pub(crate) fn index(self) -> usize {
        (self.0 & 0xffff) as usize
    }

    #[inline]
    pub(crate) fn is_init(self) -> bool {
        self == Self::INIT
    }
}

impl fmt::Debug for EventId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_init() { f.write_str("init") } else { write!(f, "{}:{}", self.thread(), self.index()) }
    }
}

/// A location's name: an atomic, a cell, or an allocation.
pub(crate) type LocId = u32;

/// The location of fences and thread events, which have none.
pub(crate) const NO_LOC: LocId = u32::MAX;

/// The mode of an access or a fence.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Mode {
    NonAtomic,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    SeqCst,
}

impl Mode {
    pub(crate) fn of(ordering: Ordering) -> Self {
        match ordering {
            Ordering::Relaxed => Self::Relaxed,
            Ordering::Acquire => Self::Acquire,
            Ordering::Release => Self::Release,
            Ordering::AcqRel => Self::AcqRel,
            _ => Self::SeqCst,
        }
    }

    #[inline]
    pub(crate) fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::SeqCst)
    }

    #[inline]
    pub(crate) fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::SeqCst)
    }

    /// Returns core's name of the mode.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::NonAtomic => "non-atomic",
            Self::Relaxed => "Relaxed",
            Self::Acquire => "Acquire",
            Self::Release => "Release",
            Self::AcqRel => "AcqRel",
            Self::SeqCst => "SeqCst",
        }
    }
}

/// The kind of an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Kind {
    Read,
    Write,
    Fence,
    /// The cheap side of a pair of asymmetric fences.
    LightFence,
    /// The expensive side of a pair of asymmetric fences.
    HeavyFence,
    CellRead,
    CellWrite,
    Create,
    End,
    Join,
    Alloc,
    Free,
}

impl Kind {
    /// Whether the kind is a fence.
    pub(crate) fn is_fence(self) -> bool {
        matches!(self, Self::Fence | Self::LightFence | Self::HeavyFence)
    }

    /// Whether the kind is not an access to one atomic location.
    pub(crate) fn is_nonatomic(self) -> bool {
        matches!(self, Self::CellRead | Self::CellWrite | Self::Alloc | Self::Free)
    }

    /// Whether the kind begins, ends or waits for a thread.
    pub(crate) fn is_of_threads(self) -> bool {
        matches!(self, Self::Create | Self::End | Self::Join)
    }

    /// Whether the kind conflicts with every other access to the location.
    pub(crate) fn is_writing(self) -> bool {
        matches!(self, Self::Write | Self::CellWrite | Self::Alloc | Self::Free)
    }
}

/// The function by which a read-modify-write computes its write.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum RmwOp {
    /// A plain load: it writes nothing.
    None,
    Swap,
    Add,
    /// An addition that also continues the release sequences of an earlier write of its thread: the
    /// event with index `expected`.
    Carry,
    Sub,
    And,
    Nand,
    Or,
    Xor,
    MaxSigned,
    MinSigned,
    MaxUnsigned,
    MinUnsigned,
    CompareExchange,
    CompareExchangeWeak,
    /// A compare-exchange that takes a lock, and waits where it fails.
    Lock,
    /// An addition that takes a share of a lock. It waits, and writes nothing, where it reads
    /// `expected`.
    Share,
    /// An addition that writes nothing where it reads `expected`.
    AddUnless,
    /// A load in a wait that fails below `expected`, whatever follows: see `explore::locks`.
    Await,
}

impl RmwOp {
    /// Returns the value that replaces `old`. Both values and the result have `bits` bits.
    pub(crate) fn apply(self, old: u64, operand: u64, bits: u32) -> u64 {
        let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
        let new = match self {
            Self::None | Self::Await => old,
            Self::Swap | Self::CompareExchange | Self::CompareExchangeWeak | Self::Lock => operand,
            Self::Add | Self::Carry | Self::Share | Self::AddUnless => old.wrapping_add(operand),
            Self::Sub => old.wrapping_sub(operand),
            Self::And => old & operand,
            Self::Nand => !(old & operand),
            Self::Or => old | operand,
            Self::Xor => old ^ operand,
            Self::MaxSigned => signed(old).max(signed(operand)) as u64,
            Self::MinSigned => signed(old).min(signed(operand)) as u64,
            Self::MaxUnsigned => old.max(operand),
            Self::MinUnsigned => old.min(operand),
        };
        new & (u64::MAX >> (64 - bits))
    }

    /// Whether the operation never writes.
    pub(crate) fn is_load(self) -> bool {
        matches!(self, Self::None | Self::Await)
    }

    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::CompareExchange | Self::CompareExchangeWeak | Self::Lock)
    }

    /// Whether the operation takes a lock, and waits where it fails: see `explore::locks`.
    pub(crate) fn locks(self) -> bool {
        matches!(self, Self::Lock | Self::Share)
    }
}

/// The part of an event that the program determines, and that replays must repeat.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Label {
    pub(crate) kind: Kind,
    /// The mode that the program names: for a compare-exchange, that of its success.
    pub(crate) mode: Mode,
    /// The mode of a compare-exchange's failure.
    pub(crate) failure: Mode,
    pub(crate) op: RmwOp,
    /// The width of the location's values in bits.
    pub(crate) bits: u8,
    /// The operand of a read-modify-write, the value of a write, the other thread of a create or
    /// a join, the offset of an access to raw memory, 1 of an allocation that is initialised.
    pub(crate) operand: u64,
    /// The expected value of a compare-exchange, the length of an access to raw memory, the earlier
    /// write of a [`RmwOp::Carry`].
    pub(crate) expected: u64,
    #[serde(skip, default = "unknown")]
    pub(crate) site: Site,
}

impl Label {
    pub(crate) fn new(kind: Kind, mode: Mode, site: Site) -> Self {
        Self { kind, mode, failure: mode, op: RmwOp::None, bits: 64, operand: 0, expected: 1, site }
    }

    /// Whether a read-modify-write that reads this value writes nothing.
    pub(crate) fn fails_on(&self, value: u64) -> bool {
        match self.op {
            RmwOp::Share | RmwOp::AddUnless => value == self.expected,
            op => op.compares() && value != self.expected,
        }
    }
}

/// An event of the graph.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    /// The events that happen before this event, and itself.
    pub(crate) hb: Clock,
    /// The events before this event in program order and reads-from, and itself.
    pub(crate) porf: Clock,
    /// The events that an acquire read of this write synchronizes with.
    pub(crate) release: Clock,
    /// The events that an acquire fence directly after this event would synchronize with, by the
    /// relaxed reads so far.
    pub(crate) pending: Clock,
    pub(crate) label: Label,
    /// The value read or written, in the present replay.
    pub(crate) value: u64,
    /// The source of a read, or the end that a join waits for.
    pub(crate) rf: EventId,
    pub(crate) loc: LocId,
    /// The place in the order of addition.
    pub(crate) stamp: u32,
    /// A write's index in the modification order; `u32::MAX` while it has no place there.
    pub(crate) mo: u32,
    /// The mode that applies, after a compare-exchange has succeeded or failed.
    pub(crate) mode: Mode,
    /// True for the read of a read-modify-write that writes, and for the write of one.
    pub(crate) exclusive: bool,
    /// True for a write that an earlier read was made to read from.
    pub(crate) revisits: bool,
    /// True for a write that has overtaken an operation that locks.
    pub(crate) overtakes: bool,
    /// True for a weak compare-exchange that fails although it reads the expected value.
    pub(crate) spurious: bool,
    /// True if its thread yielded to others before it, by a spin hint or in a wait. In one for a
    /// lock, it does so only while the lock is taken.
    pub(crate) yields: bool,
    /// True if the report of sites has the event in its present state.
    pub(crate) noted: bool,
    /// One more than the index of the thread's last release fence so far; 0 if there is none.
    pub(crate) release_fence: u16,
}

/// A thread's pause right before an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum Pause {
    #[default]
    None,
    /// The thread begins a round of a wait.
    Round,
    /// The thread gives a hint that it spins.
    Hint,
}

/// The index of a write without a place in the modification order.
pub(crate) const UNPLACED: u32 = u32::MAX;

impl Event {
    pub(crate) fn is_sc(&self) -> bool {
        let kind = self.label.kind;
        self.mode == Mode::SeqCst && (matches!(kind, Kind::Read | Kind::Write) || kind.is_fence())
    }
}
