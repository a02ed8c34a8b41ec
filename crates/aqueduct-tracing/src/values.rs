//! Values of fields, copied into a buffer of the thread: a visitor cannot keep a reference to them.

use std::cell::RefCell;
use std::fmt::{self, Write as _};

use aqueduct_recorder::AnyValue;
use tracing_core::Field;
use tracing_core::field::Visit;

const MOST: usize = AnyValue::MOST;
const LONGEST: usize = AnyValue::LONGEST_TEXT;

thread_local! {
    static BUFFER: RefCell<Buffer> = const { RefCell::new(Buffer::new()) };
}

#[derive(Clone, Copy)]
enum Slot {
    Value(AnyValue<'static>),
    /// The text's bytes that are kept, and all of them.
    Text(usize, usize),
}

struct Buffer {
    slots: [Slot; MOST],
    texts: [[u8; LONGEST]; MOST],
}

impl Buffer {
    const fn new() -> Self {
        Self { slots: [Slot::Value(AnyValue::Absent); MOST], texts: [[0; LONGEST]; MOST] }
    }
}

/// Visits some of a callsite's `fields` fields, and gives `write` the first values and theirs, in the fields' order.
pub(crate) fn collect(
    first: &[AnyValue<'static>],
    fields: usize,
    redacted: u64,
    visit: impl FnOnce(&mut dyn Visit),
    write: impl FnOnce(&[AnyValue<'_>]),
) {
    let fill = |buffer: &mut Buffer| {
        let most = (first.len() + fields).min(MOST);
        buffer.slots[first.len()..most].fill(Slot::Value(AnyValue::Absent));
        buffer.slots.iter_mut().zip(first).for_each(|(slot, value)| *slot = Slot::Value(*value));
        let mut visitor = Visitor { buffer, first: first.len(), redacted, used: first.len() };
        visit(&mut visitor);
        let used = visitor.used;
        let mut values = [AnyValue::Absent; MOST];
        for ((value, slot), text) in values.iter_mut().zip(&buffer.slots).zip(&buffer.texts).take(used) {
            *value = match *slot {
                Slot::Value(value) => value,
                Slot::Text(kept, len) => AnyValue::Text(&text[..kept], len),
            };
        }
        write(&values[..used]);
    };
    let mut fill = Some(fill);
    let _ = BUFFER.try_with(|buffer| {
        if let Ok(mut buffer) = buffer.try_borrow_mut()
            && let Some(fill) = fill.take()
        {
            fill(&mut buffer);
        }
    });
    // The thread ends, or a `Debug` implementation that is being recorded reports something itself.
    if let Some(fill) = fill {
        fill(&mut Buffer::new());
    }
}

struct Visitor<'b> {
    buffer: &'b mut Buffer,
    /// How many values are before the first field's.
    first: usize,
    redacted: u64,
    /// How many slots have been set.
    used: usize,
}

impl Visitor<'_> {
    /// Returns the slot of a field that is to be written.
    #[inline]
    fn slot(&mut self, field: &Field) -> Option<usize> {
        let at = self.first + field.index();
        let is_redacted = self.redacted >> field.index().min(63) & 1 != 0;
        if at >= MOST || is_redacted {
            return None;
        }
        self.used = self.used.max(at + 1);
        Some(at)
    }

    #[inline]
    fn set(&mut self, field: &Field, value: AnyValue<'static>) {
        if let Some(at) = self.slot(field) {
            self.buffer.slots[at] = Slot::Value(value);
        }
    }
}

impl Visit for Visitor<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.set(field, AnyValue::Float(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.set(field, AnyValue::Signed(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.set(field, AnyValue::Unsigned(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.set(field, AnyValue::Bool(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        let Some(at) = self.slot(field) else { return };
        let kept = value.len().min(LONGEST);
        self.buffer.texts[at][..kept].copy_from_slice(&value.as_bytes()[..kept]);
        self.buffer.slots[at] = Slot::Text(kept, value.len());
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let Some(at) = self.slot(field) else { return };
        let mut text = Text { bytes: &mut self.buffer.texts[at], len: 0 };
        // A text whose formatting fails is kept as far as it came.
        let _ = write!(text, "{value:?}");
        let len = text.len;
        self.buffer.slots[at] = Slot::Text(len.min(LONGEST), len);
    }
}

/// Keeps the first bytes of a text, and counts all.
struct Text<'b> {
    bytes: &'b mut [u8; LONGEST],
    len: usize,
}

impl fmt::Write for Text<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let rest = &mut self.bytes[self.len.min(LONGEST)..];
        let kept = text.len().min(rest.len());
        rest[..kept].copy_from_slice(&text.as_bytes()[..kept]);
        self.len += text.len();
        Ok(())
    }
}
