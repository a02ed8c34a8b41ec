//! A trace as a timeline: a page that needs no network, or a picture. Each thread has a row, with
//! its spans nested.

use std::collections::HashMap;
use std::io::{self, Write};
use std::sync::Arc;

use crate::json::quoted;
use crate::lives::Lives;
use crate::site::Kind;
use crate::trace::{Event, Place, Trace};

/// The page around the data.
const PAGE: [&str; 2] = [include_str!("timeline/head.html"), include_str!("timeline/tail.html")];

/// A drawn span.
struct Bar<'t> {
    event: &'t Event,
    /// The event that has the span's values.
    values_of: &'t Event,
    end: u64,
    /// The number of the line within its thread's row.
    line: usize,
}

/// A thread's row.
struct Row<'t> {
    number: u64,
    name: &'t str,
    lost: u64,
    lines: usize,
}

impl Row<'_> {
    fn title(&self) -> String {
        if self.name.is_empty() { format!("thread {}", self.number) } else { self.name.to_owned() }
    }
}

/// The contents of a drawing.
struct Timeline<'t> {
    rows: Vec<Row<'t>>,
    /// The spans, each with its row's index.
    bars: Vec<(usize, Bar<'t>)>,
    /// Events and counters, each with its row's index.
    points: Vec<(usize, &'t Event)>,
    start: u64,
    end: u64,
}

impl<'t> Timeline<'t> {
    fn of(trace: &'t Trace) -> Self {
        let mut rows: Vec<Row<'t>> = Vec::new();
        let mut row_of = HashMap::new();
        for thread in trace.threads() {
            let at = *row_of.entry(thread.number).or_insert(rows.len());
            if at == rows.len() {
                rows.push(Row { number: thread.number, name: &thread.name, lost: 0, lines: 1 });
            }
            rows[at].lost += thread.overwritten.records;
        }
        let times = || trace.events().iter().map(|event| event.nanos);
        let (start, end) = (times().next().unwrap_or(0), times().next_back().unwrap_or(0));
        let mut timeline = Self { rows, bars: Vec::new(), points: Vec::new(), start, end };
        let mut open: Vec<Open<'t>> = timeline.rows.iter().map(|_| Open::default()).collect();
        let mut lives = Lives::of(trace);
        for event in trace.events() {
            let Some(&row) = row_of.get(&event.thread) else { continue };
            if lives.includes(event) {
                continue;
            }
            match (event.place.kind, event.is_end) {
                (Kind::Span, false) => {
                    let lines = open[row].push(event, lives.values_of(event));
                    timeline.rows[row].lines = timeline.rows[row].lines.max(lines);
                }
                (Kind::Span, true) => {
                    // A span whose start was overwritten is not drawn.
                    let bar = open[row].end(&event.place, event.nanos);
                    timeline.bars.extend(bar.map(|bar| (row, bar)));
                }
                _ => timeline.points.push((row, event)),
            }
        }
        for (row, open) in open.into_iter().enumerate() {
            timeline.bars.extend(open.lines.into_iter().flatten().map(|bar| (row, Bar { end, ..bar })));
        }
        timeline
    }
}

/// The open spans of a row.
#[derive(Default)]
struct Open<'t> {
    /// The open span in each line, if any. The last line has one.
    lines: Vec<Option<Bar<'t>>>,
    /// The lines of each place's spans, from above.
    of_place: HashMap<*const Place, Vec<usize>>,
}

impl<'t> Open<'t> {
    /// Opens a span below all open spans. Returns the number of lines.
    fn push(&mut self, event: &'t Event, values_of: &'t Event) -> usize {
        let line = self.lines.len();
        self.of_place.entry(Arc::as_ptr(&event.place)).or_default().push(line);
        self.lines.push(Some(Bar { event, values_of, end: event.nanos, line }));
        self.lines.len()
    }

    /// Ends the lowest span of a place.
    fn end(&mut self, place: &Arc<Place>, end: u64) -> Option<Bar<'t>> {
        let line = self.of_place.get_mut(&Arc::as_ptr(place))?.pop()?;
        let bar = self.lines[line].take()?;
        self.lines.truncate(self.lines.iter().rposition(Option::is_some).map_or(0, |last| last + 1));
        Some(Bar { end, ..bar })
    }
}

/// Returns the values of an event as text.
fn values(event: &Event) -> String {
    let fields = event.place.fields.iter().zip(&event.values);
    fields.map(|((key, _), value)| format!("{key}={value}")).collect::<Vec<_>>().join(" ")
}

impl Trace {
    /// Writes an HTML page with a timeline. It needs no network, and supports zooming by the wheel,
    /// dragging, and searching by name.
    ///
    /// The losses of a thread are shown at the start of its row. For a span that `aqueduct-tracing`
    /// records, the events `new NAME` and `close NAME` are not drawn; the span has the fields of
    /// the first one.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write_timeline(&self, mut to: impl Write) -> io::Result<()> {
        let timeline = Timeline::of(self);
        // A text with `<` could end the script early.
        let quoted = |text: &str| quoted(text).replace('<', "\\u003c");
        writeln!(to, "{}const start = {}, end = {};", PAGE[0], timeline.start, timeline.end)?;
        write!(to, "const refused = {}, rows = [", self.refused())?;
        for Row { number, name, lost, lines } in &timeline.rows {
            write!(to, "\n{{number:{number},name:{},lost:{lost},lines:{lines}}},", quoted(name))?;
        }
        write!(to, "];\n// Row, line, start, end, name, values.\nconst bars = [")?;
        for (row, Bar { event, values_of, end, line }) in &timeline.bars {
            let (name, values) = (quoted(&event.place.name), quoted(&values(values_of)));
            write!(to, "\n[{row},{line},{},{end},{name},{values}],", event.nanos)?;
        }
        write!(to, "];\n// Row, time, name, values.\nconst points = [")?;
        for (row, event) in &timeline.points {
            let (name, values) = (quoted(&event.place.name), quoted(&values(event)));
            write!(to, "\n[{row},{},{name},{values}],", event.nanos)?;
        }
        write!(to, "];\n{}", PAGE[1])
    }

    /// Writes the timeline as a picture (SVG) of `width` pixels.
    ///
    /// # Errors
    /// The errors of `to`.
    pub fn write_timeline_svg(&self, mut to: impl Write, width: u32) -> io::Result<()> {
        let timeline = Timeline::of(self);
        svg(&timeline, &mut to, f64::from(width))
    }
}

/// Sizes in pixels: the least width of the names at the left, a line, the gap between rows, the
/// axis below, and a letter.
const LEFT: f64 = 110.0;
const LINE: f64 = 20.0;
const GAP: f64 = 12.0;
const AXIS: f64 = 28.0;
const LETTER: f64 = 6.0;

fn svg(timeline: &Timeline<'_>, to: &mut impl Write, width: f64) -> io::Result<()> {
    let mut tops = Vec::new();
    let mut height = GAP;
    for row in &timeline.rows {
        tops.push(height);
        height += LINE * row.lines as f64 + GAP;
    }
    let titles = |row: &Row<'_>| [row.title(), format!("{} overwritten", row.lost)];
    let letters = timeline.rows.iter().flat_map(titles).map(|text| text.chars().count()).max().unwrap_or(0);
    let left_end = LEFT.max(8.0 + (LETTER + 1.0) * letters as f64);
    let span = (timeline.end - timeline.start).max(1) as f64;
    let x = |nanos: u64| left_end + nanos.saturating_sub(timeline.start) as f64 / span * (width - left_end - GAP);
    let all = height + AXIS;
    writeln!(
        to,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {all}\" font-family=\"sans-serif\" font-size=\"11\">"
    )?;
    writeln!(to, "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>")?;
    for (row, top) in timeline.rows.iter().zip(&tops) {
        let y = top + LINE * 0.7;
        writeln!(to, "<text x=\"8\" y=\"{y}\">{}</text>", escaped(&row.title()))?;
        if row.lost > 0 {
            writeln!(to, "<text x=\"8\" y=\"{}\" fill=\"#b00\">{} overwritten</text>", y + 13.0, row.lost)?;
        }
    }
    for (row, Bar { event, values_of, end, line }) in &timeline.bars {
        let (left, right) = (x(event.nanos), x(*end));
        let (y, wide) = (tops[*row] + LINE * *line as f64, (right - left).max(1.0));
        let (name, hue) = (escaped(&event.place.name), hue(&event.place.name));
        write!(
            to,
            "<rect x=\"{left:.1}\" y=\"{y}\" width=\"{wide:.1}\" height=\"{}\" fill=\"hsl({hue},55%,75%)\"",
            LINE - 2.0
        )?;
        writeln!(to, "><title>{name} {} ({} ns)</title></rect>", escaped(&values(values_of)), end - event.nanos)?;
        if wide > LETTER * (event.place.name.chars().count() + 1) as f64 {
            writeln!(to, "<text x=\"{:.1}\" y=\"{}\">{name}</text>", left + 3.0, y + LINE * 0.65)?;
        }
    }
    for (row, event) in &timeline.points {
        let (x, y) = (x(event.nanos), tops[*row]);
        let text = format!("{} {}", event.place.name, values(event));
        write!(to, "<path d=\"M{x:.1} {y}l4 -6h-8z\" fill=\"#333\"><title>{}</title></path>", escaped(&text))?;
    }
    let y = height;
    writeln!(to, "<path d=\"M{left_end} {y}H{}\" stroke=\"#666\"/>", width - GAP)?;
    for part in 0..=4_u64 {
        let nanos = (span * part as f64 / 4.0) as u64;
        let at = x(timeline.start + nanos);
        let text = format!("{:.1} us", nanos as f64 / 1000.0);
        let anchor = ["start", "middle", "middle", "middle", "end"][part as usize];
        writeln!(to, "<text x=\"{at:.1}\" y=\"{}\" text-anchor=\"{anchor}\" fill=\"#666\">{text}</text>", y + 16.0)?;
    }
    writeln!(to, "</svg>")
}

/// Returns the colour of a name.
fn hue(name: &str) -> u32 {
    name.bytes().fold(7_u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % 360
}

fn escaped(text: &str) -> String {
    let mut escaped = String::new();
    for character in text.chars() {
        match character {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            // XML does not allow control characters.
            character if character.is_control() => escaped.push('\u{FFFD}'),
            character => escaped.push(character),
        }
    }
    escaped
}
