//! A trace in the Common Trace Format 1.8 (<https://diamon.org/ctf/v1.8.3/>), which Babeltrace and
//! Trace Compass read.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;
use std::sync::Arc;

use crate::ring::Amount;
use crate::site::Kind;
use crate::trace::{Event, Field, Place, Trace};
use crate::value::Type;

/// The number at the start of each packet.
const MAGIC: u32 = 0xC1FC_1FC1;

/// The declarations of all traces: types, packets, and the head of each event. All sizes are whole
/// bytes, so there is no padding.
const DECLARATIONS: &str = r"
typealias integer { size = 8; align = 8; signed = false; } := u8;
typealias integer { size = 32; align = 8; signed = false; } := u32;
typealias integer { size = 64; align = 8; signed = false; } := u64;
typealias integer { size = 64; align = 8; signed = true; } := i64;
typealias floating_point { exp_dig = 11; mant_dig = 53; align = 8; } := f64;
typealias integer { size = 64; align = 8; signed = false; map = clock.recording.value; } := nanos;

trace {
    major = 1;
    minor = 8;
    byte_order = le;
    packet.header := struct { u32 magic; u32 stream_id; };
};

stream {
    id = 0;
    packet.context := struct {
        u64 content_size;
        u64 packet_size;
        nanos timestamp_begin;
        nanos timestamp_end;
        u64 events_discarded;
        u64 bytes_discarded;
        u64 thread;
        string thread_name;
    };
    event.header := struct { u32 id; nanos timestamp; };
};
";

/// A thread's stream: its losses before its first event, and its events.
#[derive(Default)]
struct Stream<'t> {
    name: &'t str,
    lost: Amount,
    events: Vec<&'t Event>,
}

/// The events' classes: a number for each place, and another number for the end of a span of the
/// place.
#[derive(Default)]
struct Classes<'t> {
    found: Vec<(&'t Arc<Place>, bool)>,
    numbers: HashMap<(*const Place, bool), u32>,
}

impl<'t> Classes<'t> {
    fn number(&mut self, event: &'t Event) -> u32 {
        *self.numbers.entry((Arc::as_ptr(&event.place), event.is_end)).or_insert_with(|| {
            self.found.push((&event.place, event.is_end));
            self.found.len() as u32 - 1
        })
    }
}

impl Trace {
    /// Writes the trace as a folder in the Common Trace Format 1.8: `metadata`, and a stream for
    /// each thread.
    ///
    /// The start of a span `NAME` is the event `NAME begin`, its end `NAME end`. The overwritten
    /// records of a thread are discarded events before its first event. Threads without a remaining
    /// record share one stream, `gone`.
    ///
    /// # Errors
    /// If the folder exists already, or a file cannot be written.
    pub fn write_ctf(&self, folder: impl AsRef<Path>) -> io::Result<()> {
        let folder = folder.as_ref();
        fs::create_dir(folder)?;
        let mut streams = BTreeMap::<u64, Stream<'_>>::new();
        for thread in self.threads() {
            let stream = streams.entry(thread.number).or_default();
            stream.name = &thread.name;
            stream.lost = stream.lost.plus(thread.overwritten);
        }
        for event in self.events() {
            streams.entry(event.thread).or_default().events.push(event);
        }
        let mut classes = Classes::default();
        for (number, stream) in &streams {
            fs::write(folder.join(format!("thread_{number}")), stream_bytes(*number, stream, &mut classes))?;
        }
        if self.gone().records > 0 {
            let gone = Stream { name: "gone", lost: self.gone(), events: Vec::new() };
            fs::write(folder.join("gone"), stream_bytes(0, &gone, &mut classes))?;
        }
        fs::write(folder.join("metadata"), self.metadata(&classes).map_err(|_| ErrorKind::InvalidData)?)
    }

    fn metadata(&self, classes: &Classes<'_>) -> Result<String, std::fmt::Error> {
        let start = self.start_unix_nanos();
        let mut text = format!("/* CTF 1.8 */\n{DECLARATIONS}");
        writeln!(text, "\nenv {{ tracer_name = \"aqueduct-recorder\"; process = {}; }};", self.process())?;
        write!(text, "\nclock {{ name = recording; freq = 1000000000; ")?;
        writeln!(text, "offset_s = {}; offset = {}; }};", start / 1_000_000_000, start % 1_000_000_000)?;
        for (number, (place, is_end)) in classes.found.iter().enumerate() {
            let phase = match (place.kind, is_end) {
                (Kind::Span, true) => " end",
                (Kind::Span, false) => " begin",
                _ => "",
            };
            let (name, module) = (quoted(&format!("{}{phase}", place.name)), quoted(&place.module));
            let place_in_file = quoted(&format!("{}:{}", place.file, place.line));
            writeln!(text, "\n// {module}, {place_in_file}\nevent {{\n    id = {number};\n    name = {name};")?;
            writeln!(text, "    stream_id = 0;\n    fields := struct {{")?;
            for (field, (key, kind)) in place.fields.iter().enumerate().filter(|_| !is_end) {
                let kind = match kind {
                    Type::Unsigned => "u64",
                    Type::Signed => "i64",
                    Type::Float => "f64",
                    Type::Bool => "u8",
                    Type::Text => "string",
                };
                writeln!(text, "        {kind} {};", identifier(key, field, &place.fields))?;
            }
            writeln!(text, "    }};\n}};")?;
        }
        Ok(text)
    }
}

/// Returns the packets of a stream. A reader computes the number of discarded events from two
/// packets. So the first packet is empty, and the second one has all events.
fn stream_bytes<'t>(thread: u64, stream: &Stream<'t>, classes: &mut Classes<'t>) -> Vec<u8> {
    let times = || stream.events.iter().map(|event| event.nanos);
    let first = times().next().unwrap_or(0);
    let mut events = Vec::new();
    for event in &stream.events {
        events.extend(classes.number(event).to_le_bytes());
        events.extend(event.nanos.to_le_bytes());
        event.values.iter().for_each(|value| put(value, &mut events));
    }
    let last = times().next_back().unwrap_or(0);
    let mut bytes = packet(thread, stream.name, [first; 2], Amount::default(), &[]);
    bytes.extend(packet(thread, stream.name, [first, last], stream.lost, &events));
    bytes
}

fn packet(thread: u64, name: &str, times: [u64; 2], lost: Amount, events: &[u8]) -> Vec<u8> {
    let mut name = text_bytes(name);
    let bytes = 2 * 4 + 7 * 8 + name.len() + events.len();
    let bits = 8 * bytes as u64;
    let mut packet = Vec::with_capacity(bytes);
    packet.extend(MAGIC.to_le_bytes());
    packet.extend(0_u32.to_le_bytes());
    for word in [bits, bits, times[0], times[1], lost.records, lost.bytes, thread] {
        packet.extend(word.to_le_bytes());
    }
    packet.append(&mut name);
    packet.extend(events);
    packet
}

fn put(value: &Field, to: &mut Vec<u8>) {
    match value {
        Field::Unsigned(number) => to.extend(number.to_le_bytes()),
        Field::Signed(number) => to.extend(number.to_le_bytes()),
        Field::Float(number) => to.extend(number.to_le_bytes()),
        Field::Bool(value) => to.push(u8::from(*value)),
        Field::Text(text, 0) => to.extend(text_bytes(text)),
        Field::Text(text, cut) => to.extend(text_bytes(&format!("{text}... and {cut} bytes"))),
    }
}

/// Returns a text in the format's encoding, which ends with a zero byte. A zero within the text
/// becomes the symbol for zero.
fn text_bytes(text: &str) -> Vec<u8> {
    let mut bytes = text.replace('\0', "\u{2400}").into_bytes();
    bytes.push(0);
    bytes
}

/// Returns a field's name as an identifier. Readers remove the leading underscore, without which a
/// name could be a keyword. A duplicate name gets its field's index.
fn identifier(name: &str, at: usize, fields: &[(String, Type)]) -> String {
    let plain =
        |name: &str| -> String { name.chars().map(|it| if it.is_ascii_alphanumeric() { it } else { '_' }).collect() };
    let own = plain(name);
    if fields[..at].iter().any(|(other, _)| plain(other) == own) { format!("_{own}_{at}") } else { format!("_{own}") }
}

/// Returns a text as a literal of the metadata.
fn quoted(text: &str) -> String {
    let mut literal = String::from("\"");
    for character in text.chars() {
        match character {
            '"' | '\\' => literal.extend(['\\', character]),
            character if character.is_control() => literal.push('\u{FFFD}'),
            character => literal.push(character),
        }
    }
    literal + "\""
}
