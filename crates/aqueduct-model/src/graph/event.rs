//! Events of an execution graph: a thread's operation, its mode and its location.

use std::fmt;
use std::panic::Location;
use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::clock::Clock;

/// Where in the program an operation stands.
pub(crate) type Site = &'static Location<'static>;

/// The site of an event that comes from a file, until a replay tells.
pub(crate) static UNKNOWN: Site = Location::caller();

fn unknown() -> Site {
    UNKNOWN
}

/// Names an event by its thread and its position there.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct EventId(u32);

impl EventId {
    /// The initial write of any location. It belongs to no thread.
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

/// Names a location: an atomic, a cell, or an allocation.
pub(crate) type LocId = u32;

/// No location: fences and thread events.
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

    /// Returns the name that core gives it.
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

/// What an event is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum Kind {
    Read,
    Write,
    Fence,
    /// The cheap one of a pair of asymmetric fences.
    LightFence,
    /// The expensive one of a pair of asymmetric fences.
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
    /// Returns a fence of any kind.
    pub(crate) fn is_fence(self) -> bool {
        matches!(self, Self::Fence | Self::LightFence | Self::HeavyFence)
    }

    /// Not an access to one atomic location.
    pub(crate) fn is_nonatomic(self) -> bool {
        matches!(self, Self::CellRead | Self::CellWrite | Self::Alloc | Self::Free)
    }

    /// Begins, ends or waits for a thread.
    pub(crate) fn is_of_threads(self) -> bool {
        matches!(self, Self::Create | Self::End | Self::Join)
    }

    /// Conflicts with every other access to the location.
    pub(crate) fn is_writing(self) -> bool {
        matches!(self, Self::Write | Self::CellWrite | Self::Alloc | Self::Free)
    }
}

/// How a read-modify-write computes what it writes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[repr(u8)]
pub(crate) enum RmwOp {
    /// A plain load: it writes nothing.
    None,
    Swap,
    Add,
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
}

impl RmwOp {
    /// Returns what is written over `old`. Both values have `bits` bits; the result has too.
    pub(crate) fn apply(self, old: u64, operand: u64, bits: u32) -> u64 {
        let signed = |v: u64| (v << (64 - bits)) as i64 >> (64 - bits);
        let new = match self {
            Self::None => old,
            Self::Swap | Self::CompareExchange | Self::CompareExchangeWeak => operand,
            Self::Add => old.wrapping_add(operand),
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

    pub(crate) fn compares(self) -> bool {
        matches!(self, Self::CompareExchange | Self::CompareExchangeWeak)
    }
}

/// What the program asks for: the part of an event that replays must repeat.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Label {
    pub(crate) kind: Kind,
    /// The mode asked for: of a compare-exchange, that of its success.
    pub(crate) mode: Mode,
    /// Of a compare-exchange, the mode of its failure.
    pub(crate) failure: Mode,
    pub(crate) op: RmwOp,
    /// The width of the location's values in bits.
    pub(crate) bits: u8,
    /// The operand of a read-modify-write, the value of a write, the other thread of a create or
    /// a join, the offset of an access to raw memory, 1 of an allocation that is initialised.
    pub(crate) operand: u64,
    /// The expected value of a compare-exchange, the length of an access to raw memory.
    pub(crate) expected: u64,
    #[serde(skip, default = "unknown")]
    pub(crate) site: Site,
}

impl Label {
    pub(crate) fn new(kind: Kind, mode: Mode, site: Site) -> Self {
        Self { kind, mode, failure: mode, op: RmwOp::None, bits: 64, operand: 0, expected: 1, site }
    }
}

/// An event of the graph.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct Event {
    /// What happens before it, itself included.
    pub(crate) hb: Clock,
    /// What is before it in the order of program and reads-from, itself included.
    pub(crate) porf: Clock,
    /// What an acquiring reader of this write learns.
    pub(crate) release: Clock,
    /// What an acquire fence right after this event would learn from relaxed reads so far.
    pub(crate) pending: Clock,
    pub(crate) label: Label,
    /// The value read or written, in the present replay.
    pub(crate) value: u64,
    /// Where a read reads from; the end that a join waits for.
    pub(crate) rf: EventId,
    pub(crate) loc: LocId,
    /// The place in the order of addition.
    pub(crate) stamp: u32,
    /// A write's index in the modification order; `u32::MAX` while it has no place there.
    pub(crate) mo: u32,
    /// The mode that applies, after a compare-exchange has succeeded or failed.
    pub(crate) mode: Mode,
    /// A read that is the first half of a read-modify-write that writes, or the write of one.
    pub(crate) exclusive: bool,
    /// A write that an earlier read was made to read from.
    pub(crate) revisits: bool,
    /// A weak compare-exchange that fails although the value is the expected one.
    pub(crate) spurious: bool,
    /// It has been noted in the report of sites as it is.
    pub(crate) noted: bool,
    /// One more than the index of the thread's last release fence so far; 0 if there is none.
    pub(crate) release_fence: u16,
}

/// A write that has no place in the modification order.
pub(crate) const UNPLACED: u32 = u32::MAX;

impl Event {
    pub(crate) fn is_sc(&self) -> bool {
        let kind = self.label.kind;
        self.mode == Mode::SeqCst && (matches!(kind, Kind::Read | Kind::Write) || kind.is_fence())
    }
}
