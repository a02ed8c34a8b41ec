//! A small version of the NBLFQ paper's communication library: two nodes send each other messages
//! over a socket, and pass each of them through a queue of submissions and one of completions on
//! either node.
//!
//! ```text
//!   near node                                                far node
//!   requesters -> submissions -> workers -> socket -> workers -> completions -> answerers
//!   requesters <- completions <- workers <- socket <- workers <- submissions <- answerers
//! ```
//!
//! A requester submits a message and waits for the answer: while it waits it takes completions,
//! also those of others, and notes whose they are. All threads of a node share its two queues, and
//! no thread blocks in the system: a worker polls the socket and the queue in turn. Without workers
//! each node is one thread that does all of it.

use std::io::{self, ErrorKind};
use std::net::UdpSocket;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use quanta::Clock;

use super::line::Line;
use crate::mpmc::stream::Opened;
use crate::mpmc::{Fault, Item, Receiver, Sender, Threads, Times};
use aqueduct_measure::crew::{self, Step, step, task};
use aqueduct_measure::record::Placement;
use aqueduct_measure::run::{self, Part, YIELD};

/// One measurement with messages.
#[derive(Clone, Copy, Debug)]
pub struct Messages<'a> {
    /// Threads of a node that send or answer messages.
    pub threads: usize,
    /// Threads of a node that serve the socket. With none there is one thread, which does that too.
    pub workers: usize,
    /// Whether each node is a process; then it has one thread.
    pub apart: bool,
    /// Items that a queue can hold.
    pub capacity: usize,
    /// Messages that each requester sends, one after the other.
    pub each: u64,
    /// The cores, used in turn; none leaves the placement to the system.
    pub cores: &'a [usize],
    /// The time limit after which the run counts as broken.
    pub patience: Duration,
}

impl Messages<'_> {
    pub(super) fn core(&self, place: usize) -> Option<usize> {
        (!self.cores.is_empty()).then(|| self.cores[place % self.cores.len()])
    }

    /// Returns the cores of requesters and answerers, and of the workers of both nodes, which are
    /// placed between them.
    pub(super) fn placement(&self) -> Placement {
        let (first, workers) = (self.threads, 2 * self.workers);
        let of = |places: Range<usize>| places.filter_map(|place| self.core(place));
        Placement {
            producers: of(0..first).chain(of(first + workers..self.all_threads())).collect(),
            consumers: of(first..first + workers).collect(),
        }
    }

    /// Threads of both nodes.
    pub(super) fn all_threads(&self) -> usize {
        2 * (self.threads + self.workers)
    }
}

/// The result of a measurement with messages.
#[derive(Clone, Debug, PartialEq)]
pub struct Answered {
    /// Messages that were sent and answered.
    pub messages: u64,
    /// The time that they took.
    pub elapsed: Duration,
    /// The time of each, from its submission until its sender had the answer.
    pub times: Times,
}

/// A requester's number is above these bits of an item, the message's in them.
const NUMBER_BITS: u32 = 32;

/// The message after all others, for a node that is a process. No requester has as high a number.
pub(super) const LAST: Item = Item::MAX;

/// Runs the measurement in this process, on queues that `open` makes.
pub(super) fn messages_together<S: Sender, R: Receiver>(
    spec: &Messages<'_>,
    open: &dyn Fn(Threads) -> Opened<S, R>,
) -> Result<Answered, Fault> {
    if spec.threads == 0 || (spec.workers == 0 && spec.threads > 1) {
        return Err(Fault::Refused("without workers a node is one thread".to_owned()));
    }
    let [near, far] = wire().map_err(|error| Fault::Refused(format!("no socket: {error}")))?;
    let (near, far) = (Node::open(spec, open, &near)?, Node::open(spec, open, &far)?);
    let run = &Run::new(spec, spec.all_threads());
    let mut cores = (0..).map(|place| spec.core(place));
    let mut core = || cores.next().flatten();
    let (mut requesters, mut others) = (Vec::new(), Vec::new());
    for (at, app) in near.apps.into_iter().enumerate() {
        let core = core();
        requesters.push(task(move || run.take_part(core, step(|| request(run, app, at, spec.each)))));
    }
    for worker in near.workers.into_iter().chain(far.workers) {
        let core = core();
        others.push(task(move || run.take_part(core, step(|| work(run, worker)))));
    }
    for app in far.apps {
        let core = core();
        others.push(task(move || run.take_part(core, step(|| answer(run, app)))));
    }
    let (requested, served) = crew::both(requesters, others);
    check(spec, requested, served)
}

/// Returns the result, or the error that explains most.
pub(super) fn check(
    spec: &Messages<'_>,
    requested: Vec<Result<Requested, Fault>>,
    served: Vec<Result<(), Fault>>,
) -> Result<Answered, Fault> {
    let faults =
        requested.iter().filter_map(|part| part.as_ref().err()).chain(served.iter().filter_map(|p| p.as_ref().err()));
    // A fault of one thread leaves the others waiting.
    if let Some(fault) = faults.min_by_key(|fault| matches!(fault, Fault::Stuck { .. })) {
        return Err(fault.clone());
    }
    let mut parts = requested.into_iter().flatten();
    let Requested { mut elapsed, mut times } = parts.next().expect("there is a requester");
    for part in parts {
        elapsed = elapsed.max(part.elapsed);
        times.merge(&part.times);
    }
    Ok(Answered { messages: spec.each * spec.threads as u64, elapsed, times })
}

/// Returns two sockets that are connected. They keep message boundaries. On this machine's own
/// network, a message that is accepted is not lost.
pub(super) fn wire() -> io::Result<[UdpSocket; 2]> {
    let ends = [UdpSocket::bind(("127.0.0.1", 0))?, UdpSocket::bind(("127.0.0.1", 0))?];
    for (end, other) in [(0, 1), (1, 0)] {
        ends[end].connect(ends[other].local_addr()?)?;
        ends[end].set_nonblocking(true)?;
    }
    Ok(ends)
}

/// A node's threads, or what they hold.
pub(super) struct Node<S, R> {
    pub(super) apps: Vec<App<S, R>>,
    workers: Vec<Worker<S, R>>,
}

impl<S: Sender, R: Receiver> Node<S, R> {
    pub(super) fn open(
        spec: &Messages<'_>,
        open: &dyn Fn(Threads) -> Opened<S, R>,
        socket: &UdpSocket,
    ) -> Result<Self, Fault> {
        let workers = spec.workers.max(1);
        let (submit, submitted) = open(Threads::new(spec.threads, workers)).map_err(Fault::Refused)?;
        let (complete, completed) = open(Threads::new(workers, spec.threads)).map_err(Fault::Refused)?;
        let mut workers = Vec::new();
        for (submissions, completions) in submitted.into_iter().zip(complete) {
            let socket = socket.try_clone().map_err(|error| Fault::Refused(format!("no socket: {error}")))?;
            workers.push(Worker { submissions, completions, socket });
        }
        let apps = submit.into_iter().zip(completed);
        let mut apps: Vec<_> =
            apps.map(|(submissions, completions)| App { submissions, completions, worker: None }).collect();
        if spec.workers == 0 {
            apps[0].worker = workers.pop();
        }
        Ok(Self { apps, workers })
    }
}

/// The shared state of all threads of a run.
pub(super) struct Run {
    shared: run::Run,
    /// The last message of each requester that has been answered.
    arrived: Vec<Line<AtomicU64>>,
    /// The weight of a failure: see [`Run::failed`].
    step: u32,
}

impl Run {
    /// Makes the state of a run. This process contributes `threads` of its threads.
    pub(super) fn new(spec: &Messages<'_>, threads: usize) -> Self {
        Self {
            shared: run::Run::new(threads, spec.threads as u64, spec.patience),
            arrived: (0..spec.threads).map(|_| Line::default()).collect(),
            // With more threads than cores, a thread that waits yields its core at once.
            step: if spec.all_threads() > spec.cores.len() { YIELD } else { 1 },
        }
    }

    pub(super) fn take_part<T>(&self, core: Option<usize>, part: Step<'_, Result<T, Fault>>) -> Result<T, Fault> {
        let Part { outcome, .. } = self.shared.take_part(core, part);
        let outcome = outcome.and_then(|outcome| outcome);
        if outcome.is_err() {
            self.shared.end();
        }
        outcome
    }

    /// Waits a moment, after the `failures`th failed attempt in succession.
    #[inline(always)]
    fn wait(&self, failures: &mut u32) -> Result<(), Fault> {
        *failures = failures.wrapping_add(self.step);
        self.shared.failed(*failures).map_err(|_| self.stuck())
    }

    #[cold]
    fn stuck(&self) -> Fault {
        // Ordering: relaxed; only for the text of the fault.
        let arrived = self.arrived.iter().map(|line| line.0.load(Ordering::Relaxed)).sum();
        Fault::Stuck { popped: arrived, wanted: arrived + 1 }
    }

    /// Counts an answer, which any thread can receive.
    #[inline(always)]
    fn arrive(&self, item: Item) -> Result<(), Fault> {
        const WRONG: Fault = Fault::WrongAnswer("an answer came twice, or one that nobody waited for");
        let (requester, number) = (item.get() >> NUMBER_BITS, item.get() & u64::from(u32::MAX));
        let arrived = &self.arrived.get(requester as usize).ok_or(WRONG)?.0;
        // Ordering: relaxed; a number only. One message of a requester is on its way, so one thread
        // at a time is here for it.
        if number != arrived.load(Ordering::Relaxed) + 1 {
            return Err(WRONG);
        }
        arrived.store(number, Ordering::Relaxed);
        Ok(())
    }
}

/// The state of a thread that sends or answers.
pub(super) struct App<S, R> {
    submissions: S,
    completions: R,
    /// Without workers, this thread's own worker.
    worker: Option<Worker<S, R>>,
}

impl<S: Sender, R: Receiver> App<S, R> {
    #[inline(always)]
    fn submit(&mut self, run: &Run, item: Item) -> Result<(), Fault> {
        let mut failures = 0;
        while !self.submissions.push(item) {
            self.go_on(run, &mut failures)?;
        }
        Ok(())
    }

    /// Does a worker's step if there is no worker, and waits a moment otherwise.
    #[inline(always)]
    fn go_on(&mut self, run: &Run, failures: &mut u32) -> Result<(), Fault> {
        let served = match &mut self.worker {
            Some(worker) => worker.turn(run)?,
            None => false,
        };
        if served { Ok(()) } else { run.wait(failures) }
    }
}

/// The state of the thread that serves the socket.
struct Worker<S, R> {
    submissions: R,
    completions: S,
    socket: UdpSocket,
}

impl<S: Sender, R: Receiver> Worker<S, R> {
    /// Sends a submitted message and passes a received one on. Returns whether there was one.
    #[inline(always)]
    fn turn(&mut self, run: &Run) -> Result<bool, Fault> {
        let submitted = self.submissions.pop();
        if let Some(item) = submitted {
            self.send(run, item)?;
        }
        let received = self.receive()?;
        if received == Some(LAST) {
            run.shared.end();
            return Ok(true);
        }
        if let Some(item) = received {
            let mut failures = 0;
            while !self.completions.push(item) {
                run.wait(&mut failures)?;
            }
        }
        Ok(submitted.is_some() || received.is_some())
    }

    fn send(&self, run: &Run, item: Item) -> Result<(), Fault> {
        let mut failures = 0;
        loop {
            match self.socket.send(&item.get().to_ne_bytes()) {
                Ok(_) => return Ok(()),
                Err(error) if error.kind() == ErrorKind::WouldBlock => run.wait(&mut failures)?,
                Err(error) => return Err(Fault::Refused(format!("the socket does not send: {error}"))),
            }
        }
    }

    fn receive(&self) -> Result<Option<Item>, Fault> {
        let mut bytes = [0; 8];
        match self.socket.recv(&mut bytes) {
            Ok(_) => Ok(Item::new(u64::from_ne_bytes(bytes))),
            Err(error) if error.kind() == ErrorKind::WouldBlock => Ok(None),
            Err(error) => Err(Fault::Refused(format!("the socket does not receive: {error}"))),
        }
    }
}

/// The result of a requester.
pub(super) struct Requested {
    elapsed: Duration,
    times: Times,
}

/// Sends messages one after the other, each when the one before has been answered.
pub(super) fn request<S: Sender, R: Receiver>(
    run: &Run,
    mut app: App<S, R>,
    number: usize,
    each: u64,
) -> Result<Requested, Fault> {
    let clock = Clock::new();
    let mut times = Times::new(&clock);
    // Ordering: relaxed; a number only.
    let is_answered = |message: u64| run.arrived[number].0.load(Ordering::Relaxed) == message;
    let began = Instant::now();
    for message in 1..=each {
        let begin = clock.raw();
        let item = Item::new((number as u64) << NUMBER_BITS | message).ok_or_else(|| run.stuck())?;
        app.submit(run, item)?;
        let mut failures = 0;
        while !is_answered(message) {
            if let Some(item) = app.completions.pop() {
                run.arrive(item)?;
            } else if run.shared.is_over() {
                return Err(run.stuck());
            } else {
                app.go_on(run, &mut failures)?;
            }
        }
        times.add(clock.raw().saturating_sub(begin));
    }
    if run.shared.report(1) {
        run.shared.end();
    }
    Ok(Requested { elapsed: began.elapsed(), times })
}

/// Answers messages until the run is over.
pub(super) fn answer<S: Sender, R: Receiver>(run: &Run, mut app: App<S, R>) -> Result<(), Fault> {
    let mut failures = 0;
    while !run.shared.is_over() {
        if let Some(item) = app.completions.pop() {
            app.submit(run, item)?;
            failures = 0;
        } else {
            app.go_on(run, &mut failures)?;
        }
    }
    Ok(())
}

/// Serves the socket until the run is over.
fn work<S: Sender, R: Receiver>(run: &Run, mut worker: Worker<S, R>) -> Result<(), Fault> {
    let mut failures = 0;
    while !run.shared.is_over() {
        if worker.turn(run)? {
            failures = 0;
        } else {
            run.wait(&mut failures)?;
        }
    }
    Ok(())
}
