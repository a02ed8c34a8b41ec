//! A buffer for values that arrive one by one, as the bytes of a record.

use std::fmt;

use crate::ring::Draft;
use crate::value::{AnyValue, Encoding, LONGEST_TEXT, MOST_VALUES, Row, TEXT_HEAD};

/// The bytes of eight texts.
const CAPACITY: usize = MOST_VALUES * (TEXT_HEAD + LONGEST_TEXT);

/// A buffer for up to eight values of a record that arrive one by one.
/// [`record_buffer`](crate::record_buffer) records them.
///
/// It does not allocate, and has a size of about 4 KiB, so a thread should keep one.
///
/// # Examples
/// ```
/// use std::fmt::Write as _;
///
/// use aqueduct_recorder::{AnyValue, Builder, Kind, Site, ValueBuffer, record_buffer};
///
/// static SITE: Site = Site::new(Kind::Event, "request", "server", file!(), line!(), &["bytes", "user"]);
///
/// let recorder = Builder::new().install()?;
/// let mut values = ValueBuffer::new();
/// values.push(AnyValue::Unsigned(1500));
/// values.push_text(|text| write!(text, "{:?}", Some("ann")));
/// record_buffer(&SITE, &values);
/// assert_eq!(recorder.trace().events()[0].values.len(), 2);
/// # Ok::<(), aqueduct_recorder::InstallError>(())
/// ```
pub struct ValueBuffer {
    signature: u32,
    /// The number of values, absent values included.
    values: usize,
    /// The number of used bytes.
    used: usize,
    bytes: [u8; CAPACITY],
}

impl ValueBuffer {
    /// Makes a buffer without values.
    #[must_use]
    pub const fn new() -> Self {
        Self { signature: 0, values: 0, used: 0, bytes: [0; CAPACITY] }
    }

    /// Removes all values.
    #[inline]
    pub fn clear(&mut self) {
        (self.signature, self.values, self.used) = (0, 0, 0);
    }

    /// Returns the number of values, absent values included.
    #[must_use]
    #[inline]
    pub fn len(&self) -> usize {
        self.values
    }

    /// Whether the buffer has no value.
    #[must_use]
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.values == 0
    }

    /// Appends the value of the site's next field. A ninth value is ignored.
    #[inline]
    pub fn push(&mut self, value: AnyValue<'_>) {
        if self.values == MOST_VALUES {
            return;
        }
        match value {
            AnyValue::Absent => self.values += 1,
            AnyValue::Unsigned(number) => self.push_bytes(Encoding::Unsigned64, number.to_le_bytes()),
            AnyValue::Signed(number) => self.push_bytes(Encoding::Signed64, number.to_le_bytes()),
            AnyValue::Float(number) => self.push_bytes(Encoding::Float64, number.to_le_bytes()),
            AnyValue::Bool(value) => self.push_bytes(Encoding::Bool, [u8::from(value)]),
            AnyValue::Text(bytes, len) => {
                let kept = &bytes[..bytes.len().min(LONGEST_TEXT)];
                let start = self.used + TEXT_HEAD;
                self.bytes[start..start + kept.len()].copy_from_slice(kept);
                self.end_text(kept.len(), len);
            }
        }
    }

    /// Appends the text that `write` writes, as the value of the site's next field. A ninth value
    /// is ignored.
    ///
    /// If `write` fails, the buffer keeps the text up to the failure.
    pub fn push_text(&mut self, write: impl FnOnce(&mut dyn fmt::Write) -> fmt::Result) {
        if self.values == MOST_VALUES {
            return;
        }
        let start = self.used + TEXT_HEAD;
        let mut text = Text { bytes: &mut self.bytes[start..start + LONGEST_TEXT], len: 0 };
        let _ = write(&mut text);
        let len = text.len;
        self.end_text(len.min(LONGEST_TEXT), len);
    }

    #[inline]
    fn push_bytes<const N: usize>(&mut self, encoding: Encoding, bytes: [u8; N]) {
        self.bytes[self.used..self.used + N].copy_from_slice(&bytes);
        self.add(encoding, N);
    }

    /// Ends a text, whose first `kept` bytes were written behind the last value. The whole text has
    /// `len` bytes.
    fn end_text(&mut self, kept: usize, len: usize) {
        let head = kept as u64 | (len.min(u32::MAX as usize) as u64) << 16;
        self.bytes[self.used..self.used + TEXT_HEAD].copy_from_slice(&head.to_le_bytes()[..TEXT_HEAD]);
        self.add(Encoding::Text, TEXT_HEAD + kept);
    }

    #[inline]
    fn add(&mut self, encoding: Encoding, bytes: usize) {
        self.signature |= (encoding as u32) << (4 * self.values);
        self.values += 1;
        self.used += bytes;
    }

    /// Returns the bytes of each value that is not redacted.
    fn kept(&self, redacted: u8) -> impl Iterator<Item = &[u8]> {
        let mut rest = &self.bytes[..self.used];
        let each = (0..MOST_VALUES).map(move |at| {
            let len = Encoding::of(self.signature >> (4 * at) & 0xf).map_or(0, |encoding| encoding.len_at(rest));
            let (value, behind) = rest.split_at(len);
            rest = behind;
            value
        });
        each.enumerate().filter(move |(at, _)| redacted >> at & 1 == 0).map(|(_, value)| value)
    }
}

impl Row for ValueBuffer {
    #[inline]
    fn signature(&self) -> u32 {
        self.signature
    }

    #[inline]
    fn bytes(&self, redacted: u8) -> usize {
        if redacted == 0 { self.used } else { self.kept(redacted).map(<[u8]>::len).sum() }
    }

    #[inline]
    fn put(&self, redacted: u8, draft: &mut Draft<'_, '_>) {
        if redacted == 0 {
            draft.put_bytes(&self.bytes[..self.used]);
        } else {
            self.kept(redacted).for_each(|value| draft.put_bytes(value));
        }
    }
}

impl Default for ValueBuffer {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ValueBuffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ValueBuffer").field("values", &self.values).field("bytes", &self.used).finish_non_exhaustive()
    }
}

/// A writer that keeps the first bytes of a text, and counts all bytes.
struct Text<'b> {
    bytes: &'b mut [u8],
    len: usize,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if let Some(room) = self.bytes.get_mut(self.len..) {
            let kept = text.len().min(room.len());
            room[..kept].copy_from_slice(&text.as_bytes()[..kept]);
        }
        self.len += text.len();
        Ok(())
    }
}
