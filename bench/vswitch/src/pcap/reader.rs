//! Reading a capture out of the bytes of its file.

use super::error::{CaptureError, Problem};
use super::{ByteOrder, ETHERNET, FILE_HEADER_BYTES, Format, PACKET_HEADER_BYTES, Resolution};

/// A capture whose bytes have been checked from the first to the last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capture<'a> {
    /// The capture's header.
    pub format: Format,
    /// The packets in the order of the file.
    pub packets: Vec<Packet<'a>>,
}

/// One packet of a capture.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet<'a> {
    /// The time of its recording: nanoseconds since 1970.
    pub time: u64,
    /// The number of bytes that it had on the wire.
    pub wire_length: u32,
    /// The recorded bytes.
    pub bytes: &'a [u8],
}

impl<'a> Capture<'a> {
    /// Reads the capture in `bytes`; `file` is its name in errors.
    ///
    /// # Errors
    /// [`CaptureError`] at the first byte that is wrong, or missing. No part of a damaged capture is
    /// returned.
    pub fn parse(file: &str, bytes: &'a [u8]) -> Result<Self, CaptureError> {
        let fail = |position, packet, problem| CaptureError { file: file.to_string(), position, packet, problem };
        let format = file_header(bytes).map_err(|(position, problem)| fail(position, None, problem))?;
        let mut packets = Vec::new();
        let mut position = FILE_HEADER_BYTES;
        while position < bytes.len() {
            let packet = packet(&format, &bytes[position..])
                .map_err(|(offset, problem)| fail(position + offset, Some(packets.len() + 1), problem))?;
            position += PACKET_HEADER_BYTES + packet.bytes.len();
            packets.push(packet);
        }
        Ok(Self { format, packets })
    }
}

/// The fields of a header, one after the other. The header's length has been checked.
struct Fields<'a> {
    bytes: &'a [u8],
    order: ByteOrder,
}

impl Fields<'_> {
    fn u16(&self, at: usize) -> u16 {
        self.order.read_u16([self.bytes[at], self.bytes[at + 1]])
    }

    fn u32(&self, at: usize) -> u32 {
        self.order.read_u32([self.bytes[at], self.bytes[at + 1], self.bytes[at + 2], self.bytes[at + 3]])
    }
}

/// Reads the header of the capture. An error comes with its byte.
fn file_header(bytes: &[u8]) -> Result<Format, (usize, Problem)> {
    let found = bytes.len();
    let Some(&magic) = bytes.first_chunk::<4>() else {
        return Err((found, Problem::HeaderTruncated { found }));
    };
    let (byte_order, resolution) = magic_number(magic).map_err(|problem| (0, problem))?;
    if found < FILE_HEADER_BYTES {
        return Err((found, Problem::HeaderTruncated { found }));
    }
    let fields = Fields { bytes, order: byte_order };
    let (major, minor) = (fields.u16(4), fields.u16(6));
    if (major, minor) != (2, 4) {
        return Err((4, Problem::Version { major, minor }));
    }
    let link_type_field = fields.u32(20);
    // The lower half is the type; the upper half may give the length of a frame check sequence.
    let link_type = link_type_field as u16;
    if link_type != ETHERNET {
        return Err((20, Problem::NotEthernet { link_type, name: link_type_name(link_type) }));
    }
    Ok(Format { byte_order, resolution, snapshot_length: fields.u32(16), link_type: link_type_field })
}

fn magic_number(magic: [u8; 4]) -> Result<(ByteOrder, Resolution), Problem> {
    for byte_order in [ByteOrder::Little, ByteOrder::Big] {
        for resolution in [Resolution::Microseconds, Resolution::Nanoseconds] {
            if byte_order.read_u32(magic) == resolution.magic() {
                return Ok((byte_order, resolution));
            }
        }
    }
    let looks_like = match magic {
        [0x0a, 0x0d, 0x0d, 0x0a] => {
            "pcapng; convert it with `tcpdump -r FILE -w FILE.pcap` or `editcap -F pcap FILE FILE.pcap`"
        }
        [0x1f, 0x8b, ..] => "a gzip file; unpack it with `gunzip`",
        [0x28, 0xb5, 0x2f, 0xfd] => "a zstd file; unpack it with `unzstd`",
        [0xa1, 0xb2, 0xcd, 0x34] | [0x34, 0xcd, 0xb2, 0xa1] => {
            "a modified pcap with longer packet headers; convert it with `editcap -F pcap FILE FILE.pcap`"
        }
        _ => return Err(Problem::UnknownMagic(magic)),
    };
    Err(Problem::OtherFormat { looks_like })
}

fn link_type_name(link_type: u16) -> Option<&'static str> {
    Some(match link_type {
        0 | 108 => "BSD loopback",
        9 => "PPP",
        12 | 14 | 101 => "raw IP",
        105 => "802.11",
        113 => "Linux cooked, what `tcpdump -i any` records",
        127 => "802.11 with radiotap",
        147..=162 => "private",
        192 => "per-packet information",
        220 | 189 => "USB",
        228 => "raw IPv4",
        229 => "raw IPv6",
        276 => "Linux cooked, version 2, what `tcpdump -i any` records",
        _ => return None,
    })
}

/// Reads the first packet of `bytes`. An error comes with its offset.
fn packet<'a>(format: &Format, bytes: &'a [u8]) -> Result<Packet<'a>, (usize, Problem)> {
    let Some((header, rest)) = bytes.split_at_checked(PACKET_HEADER_BYTES) else {
        return Err((0, Problem::PacketHeaderTruncated { found: bytes.len() }));
    };
    let fields = Fields { bytes: header, order: format.byte_order };
    let (seconds, fraction, held, wire) = (fields.u32(0), fields.u32(4), fields.u32(8), fields.u32(12));
    let step = format.resolution.step();
    let second = 1_000_000_000 / step;
    if fraction >= second {
        return Err((4, Problem::TimeStamp { fraction, second }));
    }
    let most = format.longest_packet();
    if held > most {
        return Err((8, Problem::TooLong { promised: held, most }));
    }
    if held > wire {
        return Err((8, Problem::LongerThanOnTheWire { held, wire }));
    }
    let Some(bytes) = rest.get(..held as usize) else {
        return Err((PACKET_HEADER_BYTES, Problem::PacketTruncated { promised: held, found: rest.len() }));
    };
    let time = u64::from(seconds) * 1_000_000_000 + u64::from(fraction) * u64::from(step);
    Ok(Packet { time, wire_length: wire, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcap::CaptureWriter;

    fn sample(format: Format) -> Vec<u8> {
        let mut writer = CaptureWriter::new(Vec::new(), format).expect("memory takes it");
        writer.write(1_700_000_000_123_456_000, 60, [&[1; 40], &[2; 20]]).expect("memory takes it");
        writer.write(1_700_000_001_000_000_000, 99, [&[3; 30], &[]]).expect("memory takes it");
        writer.finish().expect("memory takes it")
    }

    fn problem(bytes: &[u8]) -> CaptureError {
        Capture::parse("sample.pcap", bytes).expect_err("it is damaged")
    }

    const LITTLE: Format = Format::ethernet(ByteOrder::Little, Resolution::Microseconds);

    #[test]
    fn all_four_formats_come_back_as_written() {
        for byte_order in [ByteOrder::Little, ByteOrder::Big] {
            for resolution in [Resolution::Microseconds, Resolution::Nanoseconds] {
                let format = Format::ethernet(byte_order, resolution);
                let bytes = sample(format);
                let capture = Capture::parse("sample.pcap", &bytes).expect("it is whole");
                assert_eq!(capture.format, format);
                let [first, second] = capture.packets[..] else { panic!("two packets") };
                assert_eq!((first.time, first.wire_length), (1_700_000_000_123_456_000, 60));
                assert_eq!(first.bytes, [[1; 40].as_slice(), &[2; 20]].concat());
                assert_eq!((second.time, second.wire_length, second.bytes.len()), (1_700_000_001_000_000_000, 99, 30));
            }
        }
    }

    #[test]
    fn damage_is_told_with_its_byte_and_its_packet() {
        let whole = sample(LITTLE);
        let second = 24 + 16 + 60;
        let damaged = |at: usize, bytes: &[u8]| {
            let mut copy = whole.clone();
            copy[at..at + bytes.len()].copy_from_slice(bytes);
            let error = problem(&copy);
            (error.position, error.packet, error.problem)
        };
        assert_eq!(damaged(4, &[3, 0]), (4, None, Problem::Version { major: 3, minor: 4 }));
        assert_eq!(
            damaged(second + 4, &1_000_000_u32.to_le_bytes()),
            (second + 4, Some(2), Problem::TimeStamp { fraction: 1_000_000, second: 1_000_000 })
        );
        assert_eq!(
            damaged(second + 8, &300_000_u32.to_le_bytes()),
            (second + 8, Some(2), Problem::TooLong { promised: 300_000, most: 262_144 })
        );
        assert_eq!(
            damaged(second + 12, &29_u32.to_le_bytes()),
            (second + 8, Some(2), Problem::LongerThanOnTheWire { held: 30, wire: 29 })
        );
        assert_eq!(damaged(16, &59_u32.to_le_bytes()), (24 + 8, Some(1), Problem::TooLong { promised: 60, most: 59 }));
    }

    #[test]
    fn a_packet_may_be_as_long_as_the_snapshot_length() {
        let mut bytes = sample(LITTLE);
        bytes[16..20].copy_from_slice(&60_u32.to_le_bytes());
        assert_eq!(Capture::parse("sample.pcap", &bytes).expect("it is whole").packets.len(), 2);
    }

    #[test]
    fn what_is_not_an_ethernet_capture_is_told_with_what_would_be_right() {
        let mut cooked = sample(LITTLE);
        cooked[20] = 113;
        let text = problem(&cooked).to_string();
        assert!(text.starts_with("sample.pcap: byte 20: "), "{text}");
        assert!(text.contains("link type 113 (Linux cooked") && text.contains("tcpdump -i eth0 -w"), "{text}");

        let text = problem(&[0x0a, 0x0d, 0x0d, 0x0a, 0, 0]).to_string();
        assert!(text.contains("pcapng") && text.contains("editcap -F pcap"), "{text}");
        let text = problem(b"GIF89a").to_string();
        assert!(text.contains("47 49 46 38") && text.contains("a1 b2 c3 d4"), "{text}");
        let text = problem(&[]).to_string();
        assert!(text.contains("byte 0: truncated: the file has 0 bytes"), "{text}");
    }

    #[test]
    fn a_frame_check_sequence_field_is_kept() {
        let mut bytes = sample(LITTLE);
        bytes[23] = 0x24;
        let capture = Capture::parse("sample.pcap", &bytes).expect("still Ethernet");
        let copy = CaptureWriter::new(Vec::new(), capture.format).and_then(CaptureWriter::finish);
        assert_eq!(copy.expect("memory takes it"), bytes[..24]);
    }
}
