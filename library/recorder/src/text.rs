//! A trace as plain text.

use std::fmt::{self, Display};

use crate::site::Kind;
use crate::trace::{Event, Place, Thread, Trace};

impl Trace {
    /// Returns the trace as lines of text: the losses, then one line for each event.
    #[must_use]
    pub fn text(&self) -> impl Display + '_ {
        Text(self)
    }
}

struct Text<'t>(&'t Trace);

impl Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(trace) = self;
        writeln!(f, "# process {}: {} records, {} refused", trace.process(), trace.events().len(), trace.refused())?;
        for Thread { number, name, kept, overwritten, .. } in trace.threads() {
            writeln!(
                f,
                "# thread {number} {name:?}: {} records, before them {} overwritten of {} bytes",
                kept.records, overwritten.records, overwritten.bytes
            )?;
        }
        let gone = trace.gone();
        if gone.records > 0 {
            writeln!(f, "# threads without a record: {} overwritten of {} bytes", gone.records, gone.bytes)?;
        }
        if trace.damaged() > 0 {
            writeln!(f, "# {} damaged places", trace.damaged())?;
        }
        for event in trace.events() {
            writeln!(f, "{event}")?;
        }
        Ok(())
    }
}

/// A name with unprintable characters escaped, so that it cannot move a terminal's cursor, or start
/// a line.
struct Plain<'t>(&'t str);

impl Display for Plain<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chars().try_for_each(|character| match character {
            '"' | '\'' | '\\' => write!(f, "{character}"),
            character => write!(f, "{}", character.escape_debug()),
        })
    }
}

impl Display for Place {
    /// Writes the name, the source file and the line. Characters that are not printable are
    /// escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({}:{})", Plain(&self.name), Plain(&self.file), self.line)
    }
}

impl Display for Event {
    /// Writes the time in seconds, the thread's number, the name, and the values. Characters that
    /// are not printable are escaped.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { thread, nanos, place, is_end, values, .. } = self;
        let sign = match (place.kind, is_end) {
            (Kind::Span, false) => "> ",
            (Kind::Span, true) => "< ",
            _ => "",
        };
        let (seconds, rest) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
        write!(f, "{seconds:>4}.{rest:09} {thread:>3} {sign}{}", Plain(&place.name))?;
        for ((key, _), value) in place.fields.iter().zip(values) {
            write!(f, " {}={value}", Plain(key))?;
        }
        Ok(())
    }
}
