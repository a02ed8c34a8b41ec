//! A trace in Perfetto's format: `TracePacket`s of protocol buffers, with interned names.
//!
//! The fields' numbers come from Perfetto's `trace_packet.proto`, `track_event.proto` and
//! `interned_data.proto`.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use crate::lives::Lives;
use crate::site::Kind;
use crate::trace::{Event, Field, Trace};

/// The track of the process.
const PROCESS_TRACK: u64 = 1;
/// The value of `sequence_flags` in the first packet, and in packets that use interned names.
const CLEARED: u64 = 1;
const NEEDS_NAMES: u64 = 2;
/// The number of the one sequence of all packets.
const SEQUENCE: u64 = 1;
/// The types of a track's events.
const BEGIN: u64 = 1;
const END: u64 = 2;
const INSTANT: u64 = 3;
const COUNT: u64 = 4;

/// A message of protocol buffers.
#[derive(Default)]
struct Message(Vec<u8>);

impl Message {
    /// Appends a number, seven bits per byte.
    fn varint(&mut self, mut number: u64) {
        while number >= 0x80 {
            self.0.push(number as u8 | 0x80);
            number >>= 7;
        }
        self.0.push(number as u8);
    }

    /// Adds a numeric field.
    fn number(mut self, field: u64, number: u64) -> Self {
        self.varint(field << 3);
        self.varint(number);
        self
    }

    /// Adds a field of floating point.
    fn double(mut self, field: u64, number: f64) -> Self {
        self.varint(field << 3 | 1);
        self.0.extend(number.to_le_bytes());
        self
    }

    /// Adds a field of text.
    fn text(self, field: u64, text: &str) -> Self {
        self.bytes(field, text.as_bytes())
    }

    /// Adds a field of a message.
    fn message(self, field: u64, message: &Self) -> Self {
        self.bytes(field, &message.0)
    }

    fn bytes(mut self, field: u64, bytes: &[u8]) -> Self {
        self.varint(field << 3 | 2);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
        self
    }
}

/// Texts with their numbers, from 1 on.
#[derive(Default)]
struct Names<'t>(HashMap<&'t str, u64>);

impl<'t> Names<'t> {
    /// Returns the text's number, and whether the number is new.
    fn number(&mut self, text: &'t str) -> (u64, bool) {
        let next = self.0.len() as u64 + 1;
        let number = *self.0.entry(text).or_insert(next);
        (number, number == next)
    }
}

/// A writer of packets, with the names that it has written.
struct Packets<'t, W> {
    to: W,
    events: Names<'t>,
    categories: Names<'t>,
    keys: Names<'t>,
}

impl<'t, W: Write> Packets<'t, W> {
    fn write(&mut self, packet: Message) -> io::Result<()> {
        self.to.write_all(&Message::default().message(1, &packet.number(10, SEQUENCE)).0)
    }

    /// Returns a packet of an event with the values of `values_of`. It includes names that were not
    /// written before.
    fn event(&mut self, event: &'t Event, values_of: &'t Event, kind: u64, track: u64) -> Message {
        let mut names = Message::default();
        let mut track_event = Message::default().number(9, kind).number(11, track);
        let named = |number: u64, text: &str| Message::default().number(1, number).text(2, text);
        let place = &*event.place;
        if kind == BEGIN || kind == INSTANT {
            let (category, is_new) = self.categories.number(&place.module);
            if is_new {
                names = names.message(1, &named(category, &place.module));
            }
            let (name, is_new) = self.events.number(&place.name);
            if is_new {
                names = names.message(2, &named(name, &place.name));
            }
            track_event = track_event.number(3, category).number(10, name);
            for ((key, _), value) in values_of.place.fields.iter().zip(&values_of.values) {
                let (number, is_new) = self.keys.number(key);
                if is_new {
                    names = names.message(3, &named(number, key));
                }
                track_event = track_event.message(4, &annotation(Message::default().number(1, number), value));
            }
        }
        if kind == COUNT {
            track_event = match event.values.first() {
                Some(Field::Unsigned(value)) if *value <= i64::MAX as u64 => track_event.number(30, *value),
                Some(Field::Unsigned(value)) => track_event.double(44, *value as f64),
                Some(Field::Signed(value)) => track_event.number(30, *value as u64),
                Some(Field::Float(value)) => track_event.double(44, *value),
                Some(Field::Bool(value)) => track_event.number(30, u64::from(*value)),
                Some(Field::Text(..)) | None => track_event,
            };
        }
        let packet = Message::default().number(8, event.nanos).number(13, NEEDS_NAMES);
        let packet = if names.0.is_empty() { packet } else { packet.message(12, &names) };
        packet.message(11, &track_event)
    }
}

/// Adds a value to the annotation of an event.
fn annotation(annotation: Message, value: &Field) -> Message {
    match value {
        Field::Bool(value) => annotation.number(2, u64::from(*value)),
        Field::Unsigned(value) => annotation.number(3, *value),
        Field::Signed(value) => annotation.number(4, *value as u64),
        Field::Float(value) => annotation.double(5, *value),
        Field::Text(text, 0) => annotation.text(6, text),
        Field::Text(text, cut) => annotation.text(6, &format!("{text}... and {cut} bytes")),
    }
}

/// Returns the track of a thread. A damaged file may have any number.
fn thread_track(thread: u64) -> u64 {
    thread.wrapping_mul(2)
}

impl Trace {
    /// Writes the trace in Perfetto's format, which `ui.perfetto.dev` opens.
    ///
    /// Each thread has a track, and so has each name of a counter. The end of a span is left out if
    /// its start was overwritten. If records of a thread were overwritten, its first event is
    /// `overwritten`, with their number and bytes. A span that `aqueduct-tracing` records has the
    /// fields of its event `new NAME`; that event and `close NAME` are left out.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write_perfetto(&self, to: impl Write) -> io::Result<()> {
        let empty = Names::default;
        let mut packets = Packets { to, events: empty(), categories: empty(), keys: empty() };
        let process = Message::default().number(1, self.process());
        let track = Message::default().number(1, PROCESS_TRACK).message(3, &process);
        packets.write(Message::default().number(13, CLEARED).message(60, &track))?;
        let firsts = self.first_times();
        for thread in self.threads() {
            let own = Message::default().number(1, self.process()).number(2, thread.number).text(5, &thread.name);
            let track = Message::default().number(1, thread_track(thread.number)).number(5, PROCESS_TRACK);
            packets.write(Message::default().message(60, &track.message(4, &own)))?;
            if thread.overwritten.records > 0 {
                let count = |key, number| Message::default().text(10, key).number(3, number);
                let track_event = Message::default()
                    .number(9, INSTANT)
                    .number(11, thread_track(thread.number))
                    .text(23, "overwritten")
                    .message(4, &count("records", thread.overwritten.records))
                    .message(4, &count("bytes", thread.overwritten.bytes));
                let first = firsts.get(&thread.number).copied().unwrap_or_default();
                packets.write(Message::default().number(8, first).message(11, &track_event))?;
            }
        }
        let (mut counters, mut described) = (Names::default(), HashSet::new());
        let mut open: HashMap<u64, u64> = HashMap::new();
        let mut lives = Lives::of(self);
        for event in self.events() {
            if lives.includes(event) {
                continue;
            }
            let mut track = thread_track(event.thread);
            let open = open.entry(event.thread).or_default();
            let kind = match (event.place.kind, event.is_end) {
                (Kind::Span, true) if *open == 0 => continue,
                (Kind::Span, true) => {
                    *open -= 1;
                    END
                }
                (Kind::Span, false) => {
                    *open += 1;
                    BEGIN
                }
                (Kind::Event, _) => INSTANT,
                (Kind::Counter, _) => {
                    let (number, _) = counters.number(&event.place.name);
                    track = PROCESS_TRACK + 2 * number;
                    if described.insert(track) {
                        let own = Message::default().number(1, track).text(2, &event.place.name);
                        let own = own.number(5, PROCESS_TRACK).message(8, &Message::default());
                        packets.write(Message::default().message(60, &own))?;
                    }
                    COUNT
                }
            };
            let values_of = if kind == BEGIN { lives.values_of(event) } else { event };
            let packet = packets.event(event, values_of, kind, track);
            packets.write(packet)?;
        }
        Ok(())
    }

    /// Returns the time of each thread's first event.
    fn first_times(&self) -> HashMap<u64, u64> {
        let mut firsts = HashMap::new();
        for event in self.events() {
            firsts.entry(event.thread).or_insert(event.nanos);
        }
        firsts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples are from the page "Encoding" of protocol buffers.
    #[test]
    fn messages_are_encoded_as_protocol_buffers_are() {
        assert_eq!(Message::default().number(1, 150).0, [0x08, 0x96, 0x01]);
        assert_eq!(Message::default().text(2, "testing").0, *b"\x12\x07testing");
        let inner = Message::default().number(1, 150);
        assert_eq!(Message::default().message(3, &inner).0, [0x1a, 0x03, 0x08, 0x96, 0x01]);
        assert_eq!(
            Message::default().number(1, -2_i64 as u64).0[1..],
            [0xfe, 255, 255, 255, 255, 255, 255, 255, 255, 1]
        );
        assert_eq!(Message::default().double(1, 1.0).0, [0x09, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f]);
    }
}
