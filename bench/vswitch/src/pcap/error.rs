//! The errors of a capture: the problem, its place, and a remedy.

use std::fmt;

use super::{FILE_HEADER_BYTES, LONGEST_PACKET, PACKET_HEADER_BYTES};

/// A capture that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CaptureError {
    /// The capture's name, as it was given.
    pub file: String,
    /// The byte, counted from 0, at which the error begins.
    pub position: usize,
    /// The wrong packet, counted from 1, or `None` for the header of the capture.
    pub packet: Option<usize>,
    /// The error.
    pub problem: Problem,
}

/// An error in a capture.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The file cannot be read; the system's reason.
    Unreadable(String),
    /// The file ends inside its header.
    HeaderTruncated {
        /// The number of bytes present.
        found: usize,
    },
    /// The file begins like another known format.
    OtherFormat {
        /// The format, and how to make a capture of it.
        looks_like: &'static str,
    },
    /// The file begins like no known format.
    UnknownMagic([u8; 4]),
    /// A version of the format that is not 2.4.
    Version {
        /// The number before the dot.
        major: u16,
        /// The number after the dot.
        minor: u16,
    },
    /// The packets are not Ethernet frames.
    NotEthernet {
        /// The link type's number.
        link_type: u16,
        /// Its name, if it is a common one.
        name: Option<&'static str>,
    },
    /// The file ends inside a packet's header.
    PacketHeaderTruncated {
        /// The number of bytes present.
        found: usize,
    },
    /// The file ends inside a packet.
    PacketTruncated {
        /// The number of bytes that its header promises.
        promised: u32,
        /// The number of bytes present.
        found: usize,
    },
    /// A packet's header promises more bytes than the capture can hold.
    TooLong {
        /// The number of bytes that its header promises.
        promised: u32,
        /// The greatest number of bytes of a packet of this capture.
        most: u32,
    },
    /// A packet has more bytes in the capture than it had on the wire.
    LongerThanOnTheWire {
        /// The number of bytes in the capture.
        held: u32,
        /// The number of bytes on the wire.
        wire: u32,
    },
    /// The fraction of a time stamp is a second or more.
    TimeStamp {
        /// The fraction.
        fraction: u32,
        /// The number of steps in a second.
        second: u32,
    },
}

impl Problem {
    /// Whether the file ends too early, rather than contains an error.
    #[must_use]
    pub fn is_truncation(&self) -> bool {
        matches!(self, Self::HeaderTruncated { .. } | Self::PacketHeaderTruncated { .. } | Self::PacketTruncated { .. })
    }
}

/// The advice for a capture that is truncated or damaged.
const REPAIR: &str = "record it again, or save what is whole of it with `tcpdump -r FILE -w WHOLE`";

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(reason) => write!(formatter, "cannot be read: {reason}"),
            Self::HeaderTruncated { found } => write!(
                formatter,
                "truncated: the file has {found} bytes, and the header of a capture alone has {FILE_HEADER_BYTES}"
            ),
            Self::OtherFormat { looks_like } => {
                write!(formatter, "not a classic pcap capture: this looks like {looks_like}")
            }
            Self::UnknownMagic([a, b, c, d]) => write!(
                formatter,
                "not a capture: it begins with {a:02x} {b:02x} {c:02x} {d:02x}; a pcap capture begins with \
                 a1 b2 c3 d4 or a1 b2 3c 4d, or with these bytes in reverse"
            ),
            Self::Version { major, minor } => {
                write!(formatter, "version {major}.{minor} of the pcap format; 2.4 is what can be read")
            }
            Self::NotEthernet { link_type, name } => {
                let name = name.map(|name| format!(" ({name})")).unwrap_or_default();
                write!(
                    formatter,
                    "the packets have link type {link_type}{name}; the switch forwards Ethernet frames, link type 1: \
                     record on one Ethernet interface, as in `tcpdump -i eth0 -w FILE`"
                )
            }
            Self::PacketHeaderTruncated { found } => write!(
                formatter,
                "truncated: {found} bytes are left, and a packet's header has {PACKET_HEADER_BYTES}; {REPAIR}"
            ),
            Self::PacketTruncated { promised, found } => write!(
                formatter,
                "truncated: the packet has {promised} bytes by its header, and {found} are left in the file; {REPAIR}"
            ),
            Self::TooLong { promised, most } => write!(
                formatter,
                "damaged: the packet has {promised} bytes by its header; in this capture no packet has more than \
                 {most} (and in none more than {LONGEST_PACKET}); {REPAIR}"
            ),
            Self::LongerThanOnTheWire { held, wire } => write!(
                formatter,
                "damaged: {held} bytes were recorded of a packet that had {wire} on the wire; {REPAIR}"
            ),
            Self::TimeStamp { fraction, second } => write!(
                formatter,
                "damaged: the fraction of the time stamp is {fraction}; it must be below {second}; {REPAIR}"
            ),
        }
    }
}

impl fmt::Display for CaptureError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: byte {}", self.file, self.position)?;
        match self.packet {
            Some(packet) => write!(formatter, ", packet {packet}: {}", self.problem),
            None => write!(formatter, ": {}", self.problem),
        }
    }
}

impl std::error::Error for CaptureError {}
