//! A trace in Chrome's JSON format, which Perfetto's and Chrome's viewers open.

use std::collections::HashMap;
use std::io::{self, Write};

use crate::json::{in_json, quoted};
use crate::lives::Lives;
use crate::site::Kind;
use crate::trace::{Event, Trace};

impl Trace {
    /// Writes the trace in Chrome's JSON format.
    ///
    /// The end of a span is left out if its start was overwritten. `otherData` has the numbers of
    /// overwritten and refused records. A span that `aqueduct-tracing` records has the fields of
    /// its event `new NAME`; that event and `close NAME` are left out.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write_chrome_json(&self, mut to: impl Write) -> io::Result<()> {
        let process = self.process();
        write!(to, "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"refused\":{},", self.refused())?;
        let gone = self.gone();
        write!(to, "\"gone\":{{\"records\":{},\"bytes\":{}}}", gone.records, gone.bytes)?;
        for thread in self.threads() {
            let lost = thread.overwritten;
            write!(to, ",\"thread {}\":{{\"overwritten\":{},\"bytes\":{}}}", thread.number, lost.records, lost.bytes)?;
        }
        write!(to, "}},\"traceEvents\":[")?;
        let mut separator = "\n";
        for thread in self.threads().iter().filter(|thread| !thread.name.is_empty()) {
            let number = thread.number;
            write!(to, "{separator}{{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":{process},\"tid\":{number},")?;
            write!(to, "\"args\":{{\"name\":{}}}}}", quoted(&thread.name))?;
            separator = ",\n";
        }
        let mut open: HashMap<u64, u64> = HashMap::new();
        let mut lives = Lives::of(self);
        for event in self.events() {
            if lives.includes(event) {
                continue;
            }
            let open = open.entry(event.thread).or_default();
            let phase = match (event.place.kind, event.is_end) {
                (Kind::Span, true) if *open == 0 => continue,
                (Kind::Span, true) => {
                    *open -= 1;
                    "E"
                }
                (Kind::Span, false) => {
                    *open += 1;
                    "B"
                }
                (Kind::Counter, _) => "C",
                (Kind::Event, _) => "i",
            };
            write!(to, "{separator}")?;
            let values_of = if phase == "B" { lives.values_of(event) } else { event };
            write_event(&mut to, event, values_of, phase, process)?;
            separator = ",\n";
        }
        writeln!(to, "\n]}}")
    }
}

/// Writes an event with the values of `values_of`.
fn write_event(to: &mut impl Write, event: &Event, values_of: &Event, phase: &str, process: u64) -> io::Result<()> {
    let Event { thread, nanos, place, .. } = event;
    write!(to, "{{\"ph\":\"{phase}\",\"pid\":{process},\"tid\":{thread},")?;
    // In microseconds.
    write!(to, "\"ts\":{}.{:03},\"name\":{}", nanos / 1000, nanos % 1000, quoted(&place.name))?;
    if phase == "i" {
        write!(to, ",\"s\":\"t\"")?;
    }
    write!(to, ",\"cat\":{},\"args\":{{", quoted(&place.module))?;
    for (at, ((key, _), value)) in values_of.place.fields.iter().zip(&values_of.values).enumerate() {
        let comma = if at == 0 { "" } else { "," };
        write!(to, "{comma}{}:{}", quoted(key), in_json(value))?;
    }
    write!(to, "}}}}")
}
