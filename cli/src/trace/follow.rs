//! `aqueduct trace FILE --follow`: the records of a process that runs, as it makes them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result};
use aqueduct_recorder::{Event, Trace};

use crate::{INTERRUPTED, SUCCESS, interrupt, output};

/// The time between two looks at the file.
const PAUSE: Duration = Duration::from_millis(100);

/// The position up to which each thread's records have been read.
#[derive(Default)]
struct Seen {
    /// The number of each thread's next record. A damaged file may have any number, so these have
    /// more bits.
    next: BTreeMap<u64, u128>,
    /// The number of records that were overwritten before they were seen.
    lost: BTreeMap<u64, u128>,
}

impl Seen {
    /// Returns the records that are new, and for each thread how many before them are lost.
    fn news<'t>(&mut self, trace: &'t Trace) -> (Vec<&'t Event>, BTreeMap<u64, u128>) {
        let (mut news, mut lost) = (Vec::new(), BTreeMap::new());
        for event in trace.events() {
            let next = self.next.entry(event.thread).or_default();
            let Some(gap) = u128::from(event.number).checked_sub(*next) else { continue };
            if gap > 0 {
                *lost.entry(event.thread).or_default() += gap;
            }
            *next += gap + 1;
            news.push(event);
        }
        for (thread, gap) in &lost {
            *self.lost.entry(*thread).or_default() += gap;
        }
        (news, lost)
    }
}

/// Whether the system lists a process of that number.
fn runs(process: u64) -> bool {
    !cfg!(target_os = "linux") || Path::new(&format!("/proc/{process}")).exists()
}

/// Prints the records that `keep` wants, each once, until the process has ended or Ctrl-C is
/// pressed. Then prints how many were overwritten before they were seen.
pub(super) fn follow(file: &Path, keep: impl Fn(&Trace, &Event) -> bool) -> Result<u8> {
    interrupt::listen()?;
    let mut seen = Seen::default();
    let mut first = None;
    loop {
        // The process is looked up before the file is read, so that its last records are seen.
        let process = Trace::open(file).with_context(|| file.display().to_string())?.process();
        let is_over = !runs(process) || interrupt::interrupted();
        let trace = Trace::open(file).with_context(|| file.display().to_string())?;
        let recording = (trace.process(), trace.start_unix_nanos());
        if *first.get_or_insert(recording) != recording {
            output::print("# the file is another recording's now\n")?;
            break;
        }
        let (news, lost) = seen.news(&trace);
        let mut text = String::new();
        for (thread, records) in lost {
            writeln!(text, "# thread {thread}: {records} records were overwritten before they were seen")?;
        }
        for event in news.into_iter().filter(|event| keep(&trace, event)) {
            writeln!(text, "{event}")?;
        }
        output::print(&text)?;
        if is_over {
            break;
        }
        thread::sleep(PAUSE);
    }
    let (records, lost): (u128, u128) = (seen.next.values().sum(), seen.lost.values().sum());
    output::print(&format!("# {records} records of {} threads, {lost} of them not seen\n", seen.next.len()))?;
    Ok(if interrupt::interrupted() { INTERRUPTED } else { SUCCESS })
}
