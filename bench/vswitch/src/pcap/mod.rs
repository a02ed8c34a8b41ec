//! Captures in the classic pcap format, link type Ethernet.
//!
//! The format has a header of 24 bytes, and 16 bytes before each packet, in the byte order of the
//! writing machine. This crate reads and writes it itself, because an error must name the byte and
//! the packet of the damage, and because packets that were cut by the capture's snapshot length
//! must pass.

mod error;
mod reader;
mod writer;

pub use error::{CaptureError, Problem};
pub use reader::{Capture, Packet};
pub use writer::CaptureWriter;

/// The bytes of the header of a capture.
const FILE_HEADER_BYTES: usize = 24;
/// The bytes of the header of each packet.
const PACKET_HEADER_BYTES: usize = 16;
/// The link type of Ethernet.
const ETHERNET: u16 = 1;
/// The longest packet that any program records.
const LONGEST_PACKET: u32 = 262_144;

/// The byte order of a capture's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ByteOrder {
    /// Least significant byte first, as x86 and most others.
    Little,
    /// Most significant byte first.
    Big,
}

impl ByteOrder {
    fn read_u16(self, bytes: [u8; 2]) -> u16 {
        match self {
            Self::Little => u16::from_le_bytes(bytes),
            Self::Big => u16::from_be_bytes(bytes),
        }
    }

    fn read_u32(self, bytes: [u8; 4]) -> u32 {
        match self {
            Self::Little => u32::from_le_bytes(bytes),
            Self::Big => u32::from_be_bytes(bytes),
        }
    }

    fn write_u16(self, value: u16) -> [u8; 2] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }

    fn write_u32(self, value: u32) -> [u8; 4] {
        match self {
            Self::Little => value.to_le_bytes(),
            Self::Big => value.to_be_bytes(),
        }
    }
}

/// The unit of the fraction of a capture's time stamps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resolution {
    /// Millionths of a second.
    Microseconds,
    /// Billionths of a second.
    Nanoseconds,
}

impl Resolution {
    /// Returns the number with which a capture of this resolution begins.
    const fn magic(self) -> u32 {
        match self {
            Self::Microseconds => 0xa1b2_c3d4,
            Self::Nanoseconds => 0xa1b2_3c4d,
        }
    }

    /// Returns the nanoseconds of a step.
    const fn step(self) -> u32 {
        match self {
            Self::Microseconds => 1_000,
            Self::Nanoseconds => 1,
        }
    }
}

/// The header of a capture. A capture that is written with another one's format has an equal
/// header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Format {
    /// The order of the bytes of all numbers.
    pub byte_order: ByteOrder,
    /// The resolution of the time stamps.
    pub resolution: Resolution,
    /// The longest packet that the capture may hold, in bytes; longer ones were cut. 0 means
    /// unknown.
    pub snapshot_length: u32,
    /// The link type's field: Ethernet in its lower half; the upper half may describe a frame check
    /// sequence.
    link_type: u32,
}

impl Format {
    /// Makes an Ethernet capture in this byte order and resolution, with packets of up to 262,144
    /// bytes.
    #[must_use]
    pub const fn ethernet(byte_order: ByteOrder, resolution: Resolution) -> Self {
        Self { byte_order, resolution, snapshot_length: LONGEST_PACKET, link_type: ETHERNET as u32 }
    }

    /// Returns the greatest number of bytes of a packet in a capture with this header.
    const fn longest_packet(&self) -> u32 {
        match self.snapshot_length {
            1..LONGEST_PACKET => self.snapshot_length,
            _ => LONGEST_PACKET,
        }
    }
}
