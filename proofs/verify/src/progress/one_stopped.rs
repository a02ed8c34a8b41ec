//! The operations that complete although the other side of a queue has stopped.
//!
//! One thread does one operation of one side, the victim's, and is suspended or killed after each
//! of its steps. Main does an operation of the other side at any time, and reaches its end in all
//! executions, in some, or in none.

use std::collections::BTreeSet;
use std::fmt;
use std::iter;
use std::panic::Location;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use aqueduct_model::{Config, await_until, interrupt, on_record, thread};
use serde::Serialize;

use crate::clients::item::{Boxed, Item, Wide};
use crate::clients::spsc::duplex::Duplex;
use crate::clients::spsc::queue::{Consumer, Producer, Queue};
use crate::clients::spsc::{
    BatchedImprovedFastForward, BatchedLamport, FastForward, ImprovedFastForward, Lamport, LazyLamport, Setup,
    StampedLine,
};

/// The operation that stops in the middle.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Victim {
    /// A push of the second item into a queue with room for two.
    Push,
    /// A pop from a full queue.
    Pop,
}

/// The way in which the victim stops.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Manner {
    /// The victim never goes on.
    Suspended,
    /// The victim panics, and its end is dropped.
    Dead,
    /// The victim goes on, but the other side's operation runs within it at any step, as an
    /// interrupt handler on its core does.
    Interrupted,
}

/// The other side's operation meanwhile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Other {
    /// Pops once.
    Pop,
    /// Pops until the old item comes.
    PopOld,
    /// Pops until the item comes that the victim pushes.
    PopNew,
    /// Pushes once.
    Push,
    /// Pushes until there is room.
    PushUntilRoom,
    /// Calls `len` and `is_closed`.
    Look,
    /// Drops its end.
    Drop,
}

impl Victim {
    /// Returns the operations of the other side.
    pub fn others(self) -> &'static [Other] {
        match self {
            Self::Push => &[Other::Pop, Other::PopOld, Other::PopNew, Other::Look, Other::Drop],
            Self::Pop => &[Other::Push, Other::PushUntilRoom, Other::Look, Other::Drop],
        }
    }
}

impl Other {
    /// Whether the operation waits for the victim by design. All others must complete whatever the
    /// victim does.
    pub fn waits(self) -> bool {
        matches!(self, Self::PopNew | Self::PushUntilRoom)
    }

    fn title(self) -> &'static str {
        match self {
            Self::Pop => "pop",
            Self::PopOld => "pop the old item",
            Self::PopNew => "pop the new item",
            Self::Push => "push",
            Self::PushUntilRoom => "push until room",
            Self::Look => "look",
            Self::Drop => "drop",
        }
    }
}

/// The results of one operation of the other side.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cell {
    /// The operation.
    pub other: Other,
    /// The number of executions in which it completed.
    pub completed: u64,
    /// The number of executions in which it waits forever.
    pub waiting: u64,
    /// The operation's results, over all executions.
    pub found: BTreeSet<&'static str>,
    /// The first wrong execution, if there is one: the kind of its error, and what happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, String)>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((kind, _)) = &self.failure {
            return write!(f, "no: {kind}");
        }
        let found: Vec<&str> = self.found.iter().copied().collect();
        let done = if found.is_empty() { "yes".to_owned() } else { format!("yes: {}", found.join(", ")) };
        match (self.completed, self.waiting) {
            (_, 0) => f.write_str(&done),
            (0, _) => f.write_str("waits"),
            _ => write!(f, "{done}; or waits"),
        }
    }
}

/// A row: the victim stopped after a number of steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// The operation that stops.
    pub victim: Victim,
    /// The way in which the victim stops.
    pub manner: Manner,
    /// The number of steps; meaningless for an interrupted victim.
    pub steps: usize,
    /// The file and line of the last step.
    pub after: Vec<String>,
    /// The other side's operations, in the order of [`Victim::others`].
    pub cells: Vec<Cell>,
}

/// A queue's rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Table {
    /// The queue.
    pub queue: String,
    /// The rows by victim, then manner, then steps.
    pub rows: Vec<Row>,
}

impl Table {
    /// Whether every row is right.
    pub fn is_right(&self) -> bool {
        self.rows.iter().all(Row::is_right)
    }

    /// Whether a death leads to an error.
    pub fn has_wrong_deaths(&self) -> bool {
        (self.rows.iter().filter(|row| row.manner == Manner::Dead))
            .any(|row| row.cells.iter().any(|cell| cell.failure.is_some()))
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for victim in [Victim::Push, Victim::Pop] {
            let what = match victim {
                Victim::Push => "the producer stops in a push, with one item in the queue",
                Victim::Pop => "the consumer stops in a pop from the full queue",
            };
            writeln!(f, "{}: {what}", self.queue)?;
            let rows = || self.rows.iter().filter(|row| row.victim == victim);
            let titles = victim.others().iter().map(|other| other.title());
            write_rows(f, titles, rows().map(|row| (title(row.manner, row.steps, &row.after), &*row.cells)))?;
            for cell in rows().filter(|row| row.manner != Manner::Dead).flat_map(|row| &row.cells) {
                if let Some((_, message)) = &cell.failure {
                    writeln!(f, "  {}: {message}", cell.other.title())?;
                }
            }
            writeln!(f)?;
        }
        Ok(())
    }
}

/// Writes a line of titles, and a line for each row with its own title, in columns.
pub(crate) fn write_rows<'r, C: fmt::Display + 'r>(
    f: &mut fmt::Formatter<'_>,
    titles: impl Iterator<Item = &'r str>,
    rows: impl Iterator<Item = (String, &'r [C])>,
) -> fmt::Result {
    let mut lines: Vec<Vec<String>> = vec![iter::once("stopped").chain(titles).map(str::to_owned).collect()];
    lines.extend(rows.map(|(title, cells)| iter::once(title).chain(cells.iter().map(C::to_string)).collect()));
    let width = |column: usize| lines.iter().filter_map(|line| line.get(column)).map(String::len).max().unwrap_or(0);
    let widths: Vec<usize> = (0..lines[0].len()).map(width).collect();
    for line in &lines {
        let columns: Vec<String> = line.iter().zip(&widths).map(|(text, &width)| format!("{text:width$}")).collect();
        writeln!(f, "  {}", columns.join("  ").trim_end())?;
    }
    Ok(())
}

impl Row {
    /// Whether the row is right: only operations that wait by design wait, and no execution is
    /// wrong.
    ///
    /// No operation of a queue panics between its steps. So if a death leaves an item to both
    /// sides, the table shows it, and it counts as right.
    pub fn is_right(&self) -> bool {
        self.cells.iter().all(|cell| {
            (cell.waiting == 0 || cell.other.waits()) && (cell.failure.is_none() || self.manner == Manner::Dead)
        })
    }
}

/// Describes how and where the victim stopped.
pub(crate) fn title(manner: Manner, steps: usize, after: &[String]) -> String {
    let how = match manner {
        Manner::Suspended => "suspended",
        Manner::Dead => "dead",
        Manner::Interrupted => return "interrupted at any step".to_owned(),
    };
    match steps {
        0 => format!("{how} before its first step"),
        steps => format!("{how} after step {steps} ({})", after.join(", ")),
    }
}

/// A queue with a name, in which threads are stopped.
pub struct Subject {
    name: String,
    table: Box<dyn Fn() -> Vec<Row>>,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subject {
    /// Makes a subject. `make` gets a setup with room for two items.
    pub fn new<Q: Queue>(name: &str, make: impl Fn(Setup) -> Q) -> Self {
        let queue = make(Setup::wrapping(2, 0));
        Self {
            name: name.to_owned(),
            table: Box::new(move || [Victim::Push, Victim::Pop].map(|v| rows(queue, v)).concat()),
        }
    }

    /// The queue's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Explores all rows.
    pub fn table(&self) -> Table {
        Table { queue: self.name.clone(), rows: (self.table)() }
    }
}

/// Returns the queues of [`clients::all`](crate::clients::all), with the clients' items.
pub fn subjects() -> Vec<Subject> {
    vec![
        Subject::new("lamport", Lamport::<Boxed>::new),
        Subject::new("lazy_lamport", LazyLamport::<Wide<7>>::new),
        Subject::new("batched_lamport", BatchedLamport::<Wide<7>>::new),
        Subject::new("fast_forward", FastForward::<Boxed>::new),
        Subject::new("improved_fast_forward", ImprovedFastForward::<Boxed>::new),
        Subject::new("improved_fast_forward-2", |s| ImprovedFastForward::<Boxed>::new(s.stretch(2))),
        Subject::new("batched_improved_fast_forward", BatchedImprovedFastForward::<Boxed>::new),
        Subject::new("batched_improved_fast_forward-2", |s| BatchedImprovedFastForward::<Boxed>::new(s.stretch(2))),
        Subject::new("stamped_line", StampedLine::<Wide<5>>::new),
        Subject::new("stamped_line-2", StampedLine::<Wide<2>>::new),
        Subject::new("stamped_line-late", |s| StampedLine::<Wide<5>>::new(s.stretch(2))),
        Subject::new("duplex", Duplex::<Wide<1>>::new),
        Subject::new("duplex-2", Duplex::<Boxed>::new),
    ]
}

/// The number of the thread that stops: main starts no other.
const VICTIM: usize = 1;

/// The most rounds of waiting that change something. A longer wait counts as one that never ends.
const ROUNDS: u32 = 4;

/// Returns the rows of one victim.
fn rows<Q: Queue>(queue: Q, victim: Victim) -> Vec<Row> {
    let mut rows = Vec::new();
    for steps in 0.. {
        let (row, stops) = row(queue, victim, Manner::Suspended, steps);
        if steps > 0 && !stops {
            break;
        }
        rows.push(row);
    }
    // The last step is the end of the operation, so the victim cannot die after it.
    for steps in 0..rows.len() - 1 {
        let (mut row, dies) = row(queue, victim, Manner::Dead, steps);
        if dies || row.cells.iter().any(|cell| cell.failure.is_some()) {
            row.after.clone_from(&rows[steps].after);
            rows.push(row);
        }
    }
    rows.push(row(queue, victim, Manner::Interrupted, 0).0);
    rows
}

/// Returns one row, and whether the victim stops in any execution.
fn row<Q: Queue>(queue: Q, victim: Victim, manner: Manner, steps: usize) -> (Row, bool) {
    let mut after = BTreeSet::new();
    let mut stops = false;
    let cells = victim.others().iter().map(|&other| {
        let seen = explore(manner, steps, move |found| match victim {
            Victim::Push => stop_push(queue, manner, other, found),
            Victim::Pop => stop_pop(queue, manner, other, found),
        });
        stops |= seen.stops;
        after.extend(seen.after);
        let Seen { completed, waiting, found, failure, .. } = seen;
        Cell { other, completed, waiting, found, failure }
    });
    let cells = cells.collect();
    (Row { victim, manner, steps, after: after.into_iter().collect(), cells }, stops)
}

/// The results of main's operation, over all executions.
pub(crate) struct Seen<A> {
    pub(crate) completed: u64,
    pub(crate) waiting: u64,
    pub(crate) found: BTreeSet<A>,
    pub(crate) failure: Option<(String, String)>,
    /// Whether the victim stops in any of them.
    pub(crate) stops: bool,
    /// The calls after which it stops.
    pub(crate) after: Vec<String>,
}

/// Explores a program whose first thread stops after a number of steps.
pub(crate) fn explore<A: Ord + Send + 'static>(
    manner: Manner,
    steps: usize,
    program: impl Fn(&Found<A>) + Send + Sync + 'static,
) -> Seen<A> {
    let config = Config::new().finds_leaks(false).waits_fail(false).yield_bound(ROUNDS);
    let config = match manner {
        Manner::Suspended => config.suspend(VICTIM, steps),
        Manner::Dead => config.kill(VICTIM, steps),
        Manner::Interrupted => config,
    };
    let found = Found::default();
    let notes = found.clone();
    let report = config.check(move || program(&notes));
    let main = report.threads.first().cloned().unwrap_or_default();
    let stopped = report.threads.get(VICTIM);
    Seen {
        completed: main.ended,
        waiting: main.waiting + report.cut,
        found: found.take(),
        failure: report.failure.as_ref().map(|failure| (format!("{:?}", failure.kind), failure.message.clone())),
        stops: stopped.is_some_and(|thread| thread.halted > 0),
        after: stopped.iter().flat_map(|thread| &thread.halted_after).map(|site| short(site)).collect(),
    }
}

fn short(site: &Location<'_>) -> String {
    let file = Path::new(site.file()).file_name().unwrap_or_default();
    format!("{}:{}", file.to_string_lossy(), site.line())
}

/// The results of an operation, over all executions.
pub(crate) struct Found<A>(Arc<Mutex<BTreeSet<A>>>);

impl<A> Clone for Found<A> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<A> Default for Found<A> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<A: Ord> Found<A> {
    /// Adds a result, unless the execution is not on record.
    pub(crate) fn note(&self, what: A) {
        if !on_record() {
            return;
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner).insert(what);
    }

    fn take(&self) -> BTreeSet<A> {
        std::mem::take(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

/// Lets the victim's operation and the other side's meet: in two threads, or in one, with a
/// handler.
pub(crate) fn meet<V: 'static, O>(manner: Manner, victim: impl FnOnce() -> V + 'static, end: O, other: impl Fn(O)) {
    if manner == Manner::Interrupted {
        let end = std::cell::Cell::new(Some(end));
        interrupt::with_handler(|| end.take().into_iter().for_each(&other), victim);
        return;
    }
    // The rest of the operation is not dropped, so that the thread has its steps only. Its memory
    // is the model's, which begins anew in each execution.
    thread::spawn(move || std::mem::forget(victim()));
    other(end);
}

/// The producer pushes item 2 and stops. The other side has the consumer.
fn stop_push<Q: Queue>(queue: Q, manner: Manner, other: Other, found: &Found<&'static str>) {
    let (mut producer, consumer) = queue.ends();
    assert!(producer.push(Item::new(1)).is_ok(), "an empty queue takes an item");
    let item = Item::new(2);
    let push = move || {
        let refused = producer.push(item).err();
        (producer, refused)
    };
    meet(manner, push, consumer, |consumer| consume::<Q>(consumer, other, found));
}

fn consume<Q: Queue>(mut consumer: Q::Consumer, other: Other, found: &Found<&'static str>) {
    let see = |item: Q::Item, number| assert_eq!(item.number(), number, "items come in order");
    match other {
        Other::Pop => match consumer.pop() {
            Some(item) => {
                see(item, 1);
                found.note("item");
            }
            None => found.note("empty"),
        },
        Other::PopOld => see(pop_waiting(&mut consumer), 1),
        Other::PopNew => (1..=2).for_each(|number| see(pop_waiting(&mut consumer), number)),
        Other::Look => {
            let (len, gone) = (consumer.len(), consumer.is_closed());
            assert!(len <= 2 && consumer.is_empty() <= (len == 0), "{len} items of 2");
            found.note(if gone { "gone" } else { "there" });
        }
        Other::Drop | Other::Push | Other::PushUntilRoom => drop(consumer),
    }
}

fn pop_waiting<C: Consumer>(consumer: &mut C) -> C::Item {
    await_until(|| !consumer.is_empty());
    consumer.pop().expect("nothing came while there was an item")
}

/// The consumer pops and stops. The other side has the producer.
fn stop_pop<Q: Queue>(queue: Q, manner: Manner, other: Other, found: &Found<&'static str>) {
    let (mut producer, mut consumer) = queue.ends();
    let mut next = 1;
    while producer.push(Item::new(next)).is_ok() {
        next += 1;
    }
    let pop = move || {
        let popped = consumer.pop();
        (consumer, popped)
    };
    meet(manner, pop, (producer, Item::new(next)), |(producer, item)| produce::<Q>(producer, item, other, found));
}

fn produce<Q: Queue>(mut producer: Q::Producer, item: Q::Item, other: Other, found: &Found<&'static str>) {
    match other {
        Other::Push => found.note(if producer.push(item).is_ok() { "taken" } else { "full" }),
        Other::PushUntilRoom => {
            await_until(|| !producer.is_full());
            assert!(producer.push(item).is_ok(), "a push was refused while there was room");
        }
        Other::Look => {
            let (len, gone) = (producer.len() as u64, producer.is_closed());
            assert!(len < item.number(), "{len} items of {}", item.number() - 1);
            found.note(if gone { "gone" } else { "there" });
        }
        Other::Drop | Other::Pop | Other::PopOld | Other::PopNew => drop(producer),
    }
}
