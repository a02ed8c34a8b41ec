//! `aqueduct trace`: shows, filters, counts and converts the events in a flight recorder's file.

mod follow;

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result};
use aqueduct_recorder::{Event, Kind, Level, Place, Trace};

use crate::job::Job;
use crate::{Misuse, SUCCESS, output};

/// Options of `aqueduct trace`.
#[derive(Debug, clap::Args)]
pub(crate) struct TraceArgs {
    /// A recorder's file: a dump, or the file of a running or killed process
    file: PathBuf,
    /// Only events whose name has this text in it
    #[arg(long, value_name = "TEXT")]
    name: Option<String>,
    /// Only events of the thread of this name or number
    #[arg(long, value_name = "THREAD")]
    thread: Option<String>,
    /// Only events of this level (error, warn, info, debug, trace) or a more severe one
    #[arg(long, value_name = "LEVEL")]
    level: Option<Level>,
    /// Only the last part of the time, such as 5ms or 2s
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration)]
    last: Option<Duration>,
    /// Show how many records each place has
    #[arg(long, conflicts_with_all = ["spans", "to"])]
    count: bool,
    /// Show how long each span took, with a histogram
    #[arg(long, conflicts_with = "to")]
    spans: bool,
    /// Show records as the process makes them, until it ends or Ctrl-C
    #[arg(long, conflicts_with_all = ["count", "spans", "to", "last", "out"])]
    follow: bool,
    /// The format to write
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    to: Format,
    /// Write to this file, or new folder (ctf), not to the terminal
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
enum Format {
    /// One event a line
    Text,
    /// JSON that browsers' viewers and Perfetto open
    Chrome,
    /// Perfetto's own format
    Perfetto,
    /// The Common Trace Format 1.8, a folder
    Ctf,
    /// A page with a timeline, which needs no network
    Html,
    /// A picture of the timeline
    Svg,
}

impl Job for TraceArgs {
    fn outlook(&self) -> Result<String> {
        Ok(format!("{} of the {} records in {}", self.what(), self.read()?.events().len(), self.file.display()))
    }

    /// Reads the file, and shows or writes the requested parts.
    fn run(&self) -> Result<u8> {
        if self.follow {
            return follow::follow(&self.file, |trace, event| {
                let is_thread = |wanted: &String| threads(trace, wanted).contains(&event.thread);
                self.is_wanted(&event.place) && self.thread.as_ref().is_none_or(is_thread)
            });
        }
        let trace = self.read()?;
        let mut bytes = Vec::new();
        if self.count {
            bytes.extend(counts(&trace).bytes());
        } else if self.spans {
            bytes.extend(spans(&trace).bytes());
        } else {
            match self.to {
                Format::Text => write!(bytes, "{}", trace.text())?,
                Format::Chrome => trace.write_chrome_json(&mut bytes)?,
                Format::Perfetto => trace.write_perfetto(&mut bytes)?,
                Format::Ctf => return self.write_ctf(&trace),
                Format::Html => trace.write_timeline(&mut bytes)?,
                Format::Svg => trace.write_timeline_svg(&mut bytes, 1000)?,
            }
        }
        match &self.out {
            Some(path) => {
                self.spare_input(path)?;
                let write = || {
                    let mut out = BufWriter::new(File::create(path)?);
                    out.write_all(&bytes)?;
                    out.flush()
                };
                write().with_context(|| format!("cannot write {}", path.display()))?;
            }
            None => output::print(&String::from_utf8_lossy(&bytes))?,
        }
        Ok(SUCCESS)
    }
}

impl TraceArgs {
    fn write_ctf(&self, trace: &Trace) -> Result<u8> {
        let Some(folder) = &self.out else {
            return Err(Misuse("this format is a new folder: --out FOLDER is needed".to_owned()).into());
        };
        trace.write_ctf(folder).with_context(|| format!("cannot write {}", folder.display()))?;
        Ok(SUCCESS)
    }

    /// Refuses to overwrite the input file: its process may still record into it.
    fn spare_input(&self, out: &Path) -> Result<()> {
        match (fs::canonicalize(&self.file), fs::canonicalize(out)) {
            (Ok(file), Ok(out)) if file == out => {
                Err(Misuse(format!("--out: {} is the recorder's file itself; name another one", out.display())).into())
            }
            _ => Ok(()),
        }
    }

    fn what(&self) -> &'static str {
        if self.count {
            "a count"
        } else if self.spans {
            "the durations"
        } else {
            "a list"
        }
    }

    /// Reads the events that the filters leave.
    fn read(&self) -> Result<Trace> {
        if self.to == Format::Perfetto && self.out.is_none() {
            return Err(Misuse("Perfetto's format is not for a terminal: --out FILE is needed".to_owned()).into());
        }
        let mut trace = Trace::open(&self.file).with_context(|| self.file.display().to_string())?;
        if let Some(last) = self.last {
            trace = trace.last_nanos(u64::try_from(last.as_nanos()).unwrap_or(u64::MAX));
        }
        if let Some(wanted) = &self.thread {
            let numbers = threads(&trace, wanted);
            if numbers.is_empty() {
                return Err(Misuse(format!("no thread {wanted:?} has records in {}", self.file.display())).into());
            }
            trace = trace.filter(|event| numbers.contains(&event.thread));
        }
        Ok(trace.filter(|event| self.is_wanted(&event.place)))
    }

    /// Whether the filters by name and level let the records of a place through. A level refuses
    /// places without one.
    fn is_wanted(&self, place: &Place) -> bool {
        self.name.as_ref().is_none_or(|wanted| place.name.contains(wanted.as_str()))
            && self.level.is_none_or(|wanted| place.level.is_some_and(|level| level <= wanted))
    }
}

/// Returns the numbers of the threads of this name or number.
fn threads(trace: &Trace, wanted: &str) -> Vec<u64> {
    let is_it = |number: u64, name: &str| name == wanted || number.to_string() == *wanted;
    trace.threads().iter().filter(|it| is_it(it.number, &it.name)).map(|it| it.number).collect()
}

/// The key of a place: a place with values of several types has several entries in the table.
fn key(place: &Place) -> (&str, &str, u32) {
    (&place.name, &place.file, place.line)
}

fn counts(trace: &Trace) -> String {
    let mut counts = BTreeMap::new();
    for event in trace.events().iter().filter(|event| !event.is_end) {
        counts.entry(key(&event.place)).or_insert((&*event.place, 0_u64)).1 += 1;
    }
    let mut text = String::new();
    for (place, count) in counts.values() {
        let _ = writeln!(text, "{count:>10}  {place}");
    }
    text
}

/// Returns the durations of the spans that are in the trace from start to end, by place.
fn durations(events: &[Event]) -> Vec<(&Place, Vec<u64>)> {
    // A thread's spans of different places may end in another order than that of a stack.
    let mut open: HashMap<_, Vec<u64>> = HashMap::new();
    let mut durations = BTreeMap::new();
    for event in events.iter().filter(|event| event.place.kind == Kind::Span) {
        let key = key(&event.place);
        let open = open.entry((event.thread, key)).or_default();
        if !event.is_end {
            open.push(event.nanos);
        } else if let Some(start) = open.pop() {
            // The start of another span was overwritten.
            let (_, nanos) = durations.entry(key).or_insert((&*event.place, Vec::new()));
            nanos.push(event.nanos.saturating_sub(start));
        }
    }
    durations.values_mut().for_each(|(_, nanos)| nanos.sort_unstable());
    durations.into_values().collect()
}

fn spans(trace: &Trace) -> String {
    let mut text = String::new();
    for (place, nanos) in durations(trace.events()) {
        let at = |per_mille: usize| nanos[(nanos.len() - 1) * per_mille / 1000];
        let _ = writeln!(
            text,
            "{place}: {} spans, min {} ns, p50 {} ns, p99 {} ns, max {} ns",
            nanos.len(),
            at(0),
            at(500),
            at(990),
            at(1000)
        );
        let mut classes = BTreeMap::new();
        for nanos in &nanos {
            *classes.entry(nanos.checked_ilog2().unwrap_or(0)).or_insert(0_usize) += 1;
        }
        let most = classes.values().copied().max().unwrap_or(1);
        for (class, count) in classes {
            let bar = "#".repeat((count * 40).div_ceil(most));
            let _ = writeln!(text, "  from {:>12} ns {count:>8} {bar}", 1_u64 << class);
        }
    }
    text
}
