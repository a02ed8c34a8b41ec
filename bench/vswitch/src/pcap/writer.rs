//! Writing a capture.

use std::io::{self, Write};

use super::Format;

/// A writer of packets behind a capture's header.
///
/// It does not buffer: give it a [`std::io::BufWriter`] for a file.
#[derive(Debug)]
pub struct CaptureWriter<W> {
    output: W,
    format: Format,
}

impl<W: Write> CaptureWriter<W> {
    /// Writes the header.
    ///
    /// # Errors
    /// The errors of `output`.
    pub fn new(mut output: W, format: Format) -> io::Result<Self> {
        let order = format.byte_order;
        output.write_all(&order.write_u32(format.resolution.magic()))?;
        output.write_all(&order.write_u16(2))?;
        output.write_all(&order.write_u16(4))?;
        // Every writer leaves the time zone and the accuracy of the time stamps at 0.
        output.write_all(&[0; 8])?;
        output.write_all(&order.write_u32(format.snapshot_length))?;
        output.write_all(&order.write_u32(format.link_type))?;
        Ok(Self { output, format })
    }

    /// Writes a packet: its time in nanoseconds since 1970, its bytes on the wire, its bytes here
    /// in two parts.
    ///
    /// # Errors
    /// The errors of `output`, or `InvalidInput` if the format has no room for the time or for the
    /// packet.
    pub fn write(&mut self, time: u64, wire_length: u32, parts: [&[u8]; 2]) -> io::Result<()> {
        let seconds = u32::try_from(time / 1_000_000_000)
            .map_err(|_| invalid("a time stamp after the year 2106 does not fit the pcap format"))?;
        let held = u32::try_from(parts[0].len() + parts[1].len())
            .ok()
            .filter(|&held| held <= self.format.longest_packet() && held <= wire_length)
            .ok_or_else(|| invalid("the packet is longer than the capture's snapshot length, or than on the wire"))?;
        let fraction = (time % 1_000_000_000) as u32 / self.format.resolution.step();
        for field in [seconds, fraction, held, wire_length] {
            self.output.write_all(&self.format.byte_order.write_u32(field))?;
        }
        self.output.write_all(parts[0])?;
        self.output.write_all(parts[1])
    }

    /// Flushes, and returns the output.
    ///
    /// # Errors
    /// The errors of `output`.
    pub fn finish(mut self) -> io::Result<W> {
        self.output.flush()?;
        Ok(self.output)
    }
}

fn invalid(reason: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, reason)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pcap::{ByteOrder, Resolution};

    #[test]
    fn what_the_format_cannot_hold_is_refused() {
        let format = Format::ethernet(ByteOrder::Big, Resolution::Nanoseconds);
        let mut writer = CaptureWriter::new(Vec::new(), format).expect("memory takes it");
        let kind = |result: io::Result<()>| result.expect_err("it does not fit").kind();
        assert_eq!(kind(writer.write(u64::MAX, 60, [&[0; 60], &[]])), io::ErrorKind::InvalidInput);
        assert_eq!(kind(writer.write(0, 59, [&[0; 60], &[]])), io::ErrorKind::InvalidInput);
        assert_eq!(kind(writer.write(0, 400_000, [&[0; 60], &[0; 300_000]])), io::ErrorKind::InvalidInput);
        assert_eq!(writer.finish().expect("memory takes it").len(), 24);
    }
}
