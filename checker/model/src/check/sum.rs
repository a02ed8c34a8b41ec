//! Lines with a checksum at their end.

use std::io::{self, BufRead};

/// The FNV-1a hash. Any change of one byte changes it, and so do nearly all others.
#[derive(Debug)]
pub(super) struct Checksum(u64);

impl Default for Checksum {
    fn default() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }
}

impl Checksum {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        }
    }

    pub(super) fn value(&self) -> u64 {
        self.0
    }

    /// Returns the line that ends a file with this checksum.
    pub(super) fn line(&self) -> String {
        format!("checksum {:016x}\n", self.0)
    }
}

/// The lines of a file before its checksum.
#[derive(Debug)]
pub(super) struct Lines<R> {
    file: R,
    line: Vec<u8>,
    sum: Checksum,
    whole: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(file: R) -> Self {
        Self { file, line: Vec::new(), sum: Checksum::default(), whole: false }
    }

    /// Returns the next line, or `None` at the checksum or at the end of the file.
    pub(super) fn next(&mut self) -> io::Result<Option<&[u8]>> {
        self.line.clear();
        self.file.read_until(b'\n', &mut self.line)?;
        if self.line == self.sum.line().as_bytes() {
            self.whole = self.file.fill_buf()?.is_empty();
            return Ok(None);
        }
        self.sum.add(&self.line);
        Ok((!self.line.is_empty()).then_some(self.line.as_slice()))
    }

    /// Returns the checksum of the lines read so far.
    pub(super) fn sum(&self) -> u64 {
        self.sum.value()
    }

    /// Whether the file ends with the checksum of its lines.
    pub(super) fn are_whole(&self) -> bool {
        self.whole
    }
}
