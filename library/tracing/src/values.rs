//! Values of fields. They are copied into a buffer of the thread, because a visitor cannot keep
//! references to them.

use std::cell::RefCell;
use std::fmt;

use aqueduct_recorder::{AnyValue, ValueBuffer};
use tracing_core::Field;
use tracing_core::field::Visit;

thread_local! {
    static BUFFER: RefCell<ValueBuffer> = const { RefCell::new(ValueBuffer::new()) };
}

/// Visits some of a callsite's fields, and calls `write` with `first` and the fields' values, in
/// the fields' order.
#[inline]
pub(crate) fn collect(
    first: &[AnyValue<'_>],
    redacted: u64,
    visit: impl Fn(&mut dyn Visit),
    write: impl Fn(&ValueBuffer),
) {
    let fill = |buffer: &mut ValueBuffer| {
        buffer.clear();
        first.iter().for_each(|value| buffer.push(*value));
        let mut visitor = Visitor { buffer, first: first.len(), redacted, only: None, is_disordered: false };
        visit(&mut visitor);
        if visitor.is_disordered {
            visitor.sort(first, &visit);
        }
        write(visitor.buffer);
    };
    let filled = BUFFER.try_with(|buffer| buffer.try_borrow_mut().map(|mut buffer| fill(&mut buffer)));
    if !matches!(filled, Ok(Ok(()))) {
        // The thread is ending, or a `Debug` implementation that is being recorded reports an event
        // itself.
        fill(&mut ValueBuffer::new());
    }
}

struct Visitor<'b> {
    buffer: &'b mut ValueBuffer,
    /// Number of values before that of the first field.
    first: usize,
    redacted: u64,
    /// The only field to be taken, or `None` for all.
    only: Option<usize>,
    /// True if a field was visited after a later one, or twice.
    is_disordered: bool,
}

impl Visitor<'_> {
    /// Takes the fields one by one. If a field is visited twice, its first value is taken.
    #[cold]
    fn sort(&mut self, first: &[AnyValue<'_>], visit: &impl Fn(&mut dyn Visit)) {
        self.buffer.clear();
        first.iter().for_each(|value| self.buffer.push(*value));
        for only in 0..AnyValue::MOST - first.len() {
            self.only = Some(only);
            visit(self);
        }
    }

    /// Advances to the value of a field. The fields in between are absent. Returns whether the
    /// field is to be written.
    #[inline]
    fn goes_to(&mut self, field: &Field) -> bool {
        let (index, at) = (field.index(), self.first + field.index());
        let is_redacted = self.redacted >> index.min(63) & 1 != 0;
        if at >= AnyValue::MOST || is_redacted || self.only.is_some_and(|only| only != index) {
            return false;
        }
        if self.buffer.len() > at {
            self.is_disordered = true;
            return false;
        }
        while self.buffer.len() < at {
            self.buffer.push(AnyValue::Absent);
        }
        true
    }

    #[inline]
    fn push(&mut self, field: &Field, value: AnyValue<'_>) {
        if self.goes_to(field) {
            self.buffer.push(value);
        }
    }
}

impl Visit for Visitor<'_> {
    fn record_f64(&mut self, field: &Field, value: f64) {
        self.push(field, AnyValue::Float(value));
    }

    fn record_i64(&mut self, field: &Field, value: i64) {
        self.push(field, AnyValue::Signed(value));
    }

    fn record_u64(&mut self, field: &Field, value: u64) {
        self.push(field, AnyValue::Unsigned(value));
    }

    fn record_bool(&mut self, field: &Field, value: bool) {
        self.push(field, AnyValue::Bool(value));
    }

    fn record_str(&mut self, field: &Field, value: &str) {
        self.push(field, AnyValue::Text(value.as_bytes(), value.len()));
    }

    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        if self.goes_to(field) {
            self.buffer.push_text(|text| write!(text, "{value:?}"));
        }
    }
}
