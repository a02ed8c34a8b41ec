//! Stalls in queues of many threads: the results of the others' pushes and pops while one thread is
//! frozen.
//!
//! One thread, the victim, does one operation, and is suspended after each of its steps, or
//! interrupted by the others' operations at any step. Meanwhile main pushes or pops until it is
//! refused, or both, one after the other. The queue's kind must [allow](Kind::allows) its last
//! result and the number of operations that succeeded before.

use std::collections::BTreeSet;
use std::fmt;

use aqueduct_faults::queues::Fault;
use serde::Serialize;

use crate::clients::item::Item;
use crate::clients::threads::{Form, Pop, Push};
pub use crate::progress::guarantees::{Answer, Kind, Scene};
use crate::progress::one_stopped::{Found, Manner, Victim, explore, meet, title, write_rows};

/// The others' operations, one after the other, each until it is refused.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Others {
    /// They pop.
    Pop,
    /// They push.
    Push,
    /// They pop, and then push.
    PopThenPush,
    /// They pop and then push, for several laps.
    Laps,
}

impl Others {
    const ALL: [Self; 4] = [Self::Pop, Self::Push, Self::PopThenPush, Self::Laps];

    fn pops(self) -> bool {
        self != Self::Push
    }

    fn pushes(self) -> bool {
        self != Self::Pop
    }

    fn title(self) -> &'static str {
        match self {
            Self::Pop => "pops",
            Self::Push => "pushes",
            Self::PopThenPush => "pops, then pushes",
            Self::Laps => "so for laps",
        }
    }
}

/// The results of the others' operations.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Cell {
    /// The operations.
    pub others: Others,
    /// The number of executions in which they completed.
    pub completed: u64,
    /// The number of executions in which one of them waits forever.
    pub waiting: u64,
    /// The operations' results, over all executions.
    pub answers: BTreeSet<Vec<Answer>>,
    /// The first wrong execution, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub failure: Option<(String, String)>,
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some((kind, _)) = &self.failure {
            return write!(f, "no: {kind}");
        }
        let told = self.answers.iter().map(|run| run.iter().map(Answer::to_string).collect::<Vec<_>>().join(" + "));
        let told: Vec<String> = told.collect();
        let waits = if self.waiting == 0 { "" } else { "; or waits" };
        write!(f, "{}{waits}", told.join(", "))
    }
}

/// A row: the victim stopped after a number of steps.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Row {
    /// The state before.
    pub scene: Scene,
    /// The way in which the victim stops.
    pub manner: Manner,
    /// The number of steps; meaningless for an interrupted victim.
    pub steps: usize,
    /// The file and line of the last step.
    pub after: Vec<String>,
    /// The others' operations.
    pub cells: Vec<Cell>,
}

/// A queue's rows.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Table {
    /// The queue.
    pub queue: String,
    /// The queue's guarantee.
    pub kind: Kind,
    /// The rows by scene, then manner, then steps.
    pub rows: Vec<Row>,
}

impl Table {
    /// Whether every row is right.
    #[must_use]
    pub fn is_right(&self) -> bool {
        self.wrong().next().is_none()
    }

    /// Returns the wrong cells.
    fn wrong(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        let cells = self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)));
        cells.filter(|(row, cell)| {
            let allowed = cell.answers.iter().all(|run| self.kind.allows(row.scene, run));
            !(allowed && cell.failure.is_none() && cell.waiting == 0 && cell.completed > 0)
        })
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for rows in self.rows.chunk_by(|one, other| one.scene == other.scene) {
            let Scene { victim, before, filled } = rows[0].scene;
            let what = match victim {
                Victim::Push => "a producer stops in a push",
                Victim::Pop => "a consumer stops in a pop",
            };
            writeln!(f, "{}: {what}, with {filled} items in the queue after {before}", self.queue)?;
            let cells = rows.iter().map(|row| &row.cells).max_by_key(|cells| cells.len()).into_iter().flatten();
            let titles = cells.map(|cell| cell.others.title());
            write_rows(f, titles, rows.iter().map(|row| (title(row.manner, row.steps, &row.after), &*row.cells)))?;
            writeln!(f)?;
        }
        for (row, cell) in self.wrong() {
            let failure = cell.failure.as_ref().map_or("", |(_, message)| message);
            let at = title(row.manner, row.steps, &row.after);
            writeln!(f, "WRONG: {:?} {at}: {}: {cell} {failure}", row.scene, cell.others.title())?;
        }
        Ok(())
    }
}

/// The rows of a scene, each explored when it is asked for.
type Rows = Box<dyn Iterator<Item = Row>>;

/// A queue with a name, in which threads are stopped.
pub struct Subject {
    name: String,
    rows: Box<dyn Fn(Scene, Option<Fault>) -> Rows>,
    kind: Kind,
    scenes: &'static [Scene],
    fault: Option<Fault>,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Subject {
    /// Makes a subject of a form of a queue, which must keep the kind's guarantee in these scenes.
    pub fn new<F: Form>(name: &str, shape: F::Shape, kind: Kind, scenes: &'static [Scene]) -> Self {
        let rows = move |scene, fault| Box::new(rows::<F>(shape, kind, scene, fault)) as Rows;
        Self { name: name.to_owned(), rows: Box::new(rows), kind, scenes, fault: None }
    }

    /// Returns this subject with a fault of `aqueduct-faults`, if the queue is of that library.
    pub(crate) fn with_fault(self, fault: Fault) -> Self {
        Self { fault: Some(fault), ..self }
    }

    /// Returns its name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the states in which the victim begins.
    #[must_use]
    pub fn scenes(&self) -> &'static [Scene] {
        self.scenes
    }

    /// Returns the rows of one scene, each explored when it is asked for.
    ///
    /// There is one for each step of an undisturbed victim, and one with interrupts.
    pub fn rows(&self, scene: Scene) -> impl Iterator<Item = Row> {
        (self.rows)(scene, self.fault)
    }

    /// Explores all rows.
    #[must_use]
    pub fn table(&self) -> Table {
        self.table_of(self.scenes.iter().flat_map(|&scene| self.rows(scene)).collect())
    }

    /// Explores the rows up to the first wrong one. Returns the table of that row, if there is one.
    #[must_use]
    pub fn first_wrong(&self) -> Option<Table> {
        let rows = self.scenes.iter().flat_map(|&scene| self.rows(scene));
        rows.map(|row| self.table_of(vec![row])).find(|table| !table.is_right())
    }

    fn table_of(&self, rows: Vec<Row>) -> Table {
        Table { queue: self.name.clone(), kind: self.kind, rows }
    }
}

fn rows<F: Form>(shape: F::Shape, kind: Kind, scene: Scene, fault: Option<Fault>) -> impl Iterator<Item = Row> {
    let stops = move |steps| {
        let alone = move |_: &Found<()>| program::<F>(shape, scene, Manner::Suspended, |_, _| ());
        explore(Manner::Suspended, steps, alone).stops
    };
    let suspended = (0..).take_while(move |&steps| steps == 0 || stops(steps));
    let manners = suspended.map(|steps| (Manner::Suspended, steps)).chain([(Manner::Interrupted, 0)]);
    manners.map(move |(manner, steps)| row::<F>(shape, kind, scene, manner, steps, fault))
}

/// Explores one row.
fn row<F: Form>(shape: F::Shape, kind: Kind, scene: Scene, manner: Manner, steps: usize, fault: Option<Fault>) -> Row {
    let pushing = F::MANY_PRODUCERS || scene.victim == Victim::Pop;
    let popping = F::MANY_CONSUMERS || scene.victim == Victim::Push;
    let mut after = BTreeSet::new();
    // In all orders with a suspended victim's steps, laps would have too many executions.
    let laps = kind.has_laps() && manner == Manner::Interrupted;
    let possible = Others::ALL.into_iter().filter(|&others| {
        (pushing || !others.pushes()) && (popping || !others.pops()) && (laps || others != Others::Laps)
    });
    let cells = possible.map(|others| {
        let seen = explore(manner, steps, move |found: &Found<Vec<Answer>>| {
            let found = found.clone();
            let work = move |producer, consumer| found.note(work::<F>(producer, consumer, kind, others));
            aqueduct_faults::queues::with(fault, || program::<F>(shape, scene, manner, work));
        });
        after.extend(seen.after);
        Cell { others, completed: seen.completed, waiting: seen.waiting, answers: seen.found, failure: seen.failure }
    });
    let cells = cells.collect();
    Row { scene, manner, steps, after: after.into_iter().collect(), cells }
}

/// Runs the victim's operation, and the others' meanwhile.
fn program<F: Form>(
    shape: F::Shape,
    scene: Scene,
    manner: Manner,
    work: impl Fn(Option<F::Producer>, Option<F::Consumer>),
) {
    let (mut producers, mut consumers) =
        F::make(shape, 1 + usize::from(F::MANY_PRODUCERS), 1 + usize::from(F::MANY_CONSUMERS));
    for number in 1..=scene.before as u64 {
        assert!(producers[0].push(F::Item::new(number)).is_ok(), "there is room");
        assert!(consumers[0].pop().is_ok_and(|item| item.number() == number), "it is there");
    }
    for number in 1..=scene.filled as u64 {
        assert!(producers[0].push(F::Item::new(100 + number)).is_ok(), "there is room");
    }
    let work = |(producer, consumer)| work(producer, consumer);
    match scene.victim {
        Victim::Push => {
            let (mut victim, item) = (producers.remove(0), F::Item::new(200));
            let operation = move || {
                let result = victim.push(item);
                (victim, result)
            };
            meet(manner, operation, (producers.pop(), consumers.pop()), work);
        }
        Victim::Pop => {
            let mut victim = consumers.remove(0);
            let operation = move || {
                let result = victim.pop();
                (victim, result)
            };
            meet(manner, operation, (producers.pop(), consumers.pop()), work);
        }
    }
}

/// This number of rounds of pops and pushes is three laps, even if one of two blocks cannot be
/// used.
const ROUNDS: usize = 6;

/// Runs the others' operations.
fn work<F: Form>(
    producer: Option<F::Producer>,
    consumer: Option<F::Consumer>,
    kind: Kind,
    others: Others,
) -> Vec<Answer> {
    let (mut producer, mut consumer) = (producer, consumer);
    let mut next = 300;
    let mut push = || Some(push_all(producer.as_mut()?, &mut next, kind.most()));
    let mut pop = || Some(pop_all(consumer.as_mut()?));
    let answers = match others {
        Others::Pop => vec![pop()],
        Others::Push => vec![push()],
        Others::PopThenPush => vec![pop(), push()],
        Others::Laps => (0..ROUNDS).flat_map(|_| [pop(), push()]).collect(),
    };
    answers.into_iter().flatten().collect()
}

fn push_all<T: Item>(producer: &mut impl Push<T>, next: &mut u64, most: usize) -> Answer {
    for count in 0..most {
        if let Err(refused) = producer.push(T::new(*next)) {
            return Answer::Pushed(count, Some(refused));
        }
        *next += 1;
    }
    Answer::Pushed(most, None)
}

/// Pops until the queue is empty. Items must come in the order in which they were pushed.
fn pop_all<T: Item>(consumer: &mut impl Pop<T>) -> Answer {
    let mut last = 0;
    for count in 0.. {
        match consumer.pop() {
            Ok(item) => {
                assert!(item.number() > last || item.number() == 200 && last >= 300, "{} after {last}", item.number());
                last = item.number();
            }
            Err(nothing) => return Answer::Popped(count, nothing),
        }
    }
    unreachable!("a queue holds only a limited number of items")
}
