//! One queue that several producers and several consumers share, each of which is a process.
//!
//! All messages have one number, because the order of different producers' messages is not fixed.
//! Their bytes and the number of received messages are checked. The measuring process ends the run
//! by messages of another number, one for each consumer.

use aqueduct_measure::machine;
use aqueduct_measure::rounds::{Fault, Threads};

use crate::control::{Control, refused};
use crate::kinds::{self, Kind};
use crate::link::{Came, Link, receive_by_spinning, spin};
use crate::message::{Large, Line, Message, Small};
use crate::plan::{Follower, Wait};
use crate::process::{OVER, Other, READY, expect, nanoseconds};
use crate::work::{Led, Task, now};

/// A transport that several processes can share on both sides.
pub(crate) trait Shared: Kind {
    /// The queue that carries messages, and an unused one in the other direction: a link has both.
    type Both;

    /// Makes both queues, for `processes` processes.
    fn make<M: Message>(task: &Task, processes: usize) -> Result<Self::Both, Fault>;

    /// Sends both queues to another process.
    fn give(both: &Self::Both, control: &Control) -> Result<(), Fault>;

    /// Receives the queues that [`give`](Self::give) sent.
    fn take(control: &Control) -> Result<Self::Both, Fault>;

    /// Makes a producer's link, or a consumer's.
    fn link<M: Message>(
        task: &Task,
        processes: usize,
        both: Self::Both,
        produces: bool,
    ) -> Result<Self::Link<M>, Fault>;
}

/// An action on each transport that can be shared.
pub(crate) trait VisitShared {
    fn visit<K: Shared>(&mut self);
}

/// The word that the other process receives in place of a transport's name.
pub(crate) const WORD: &str = "many";
/// The numbers of the messages, and of those that end a consumer.
const NUMBER: u64 = 7;
const LAST: u64 = 1 << 40;

/// Measures the given number of processes, on the cores in turn.
pub(crate) fn measure<K: Shared>(
    task: Task,
    processes: Threads,
    cores: &[usize],
    follower: &Follower,
) -> Result<Led, Fault> {
    match task.bytes {
        bytes if bytes == size_of::<Small>() => lead::<K, Small>(task, processes, cores, follower),
        bytes if bytes == size_of::<Line>() => lead::<K, Line>(task, processes, cores, follower),
        _ => lead::<K, Large>(task, processes, cores, follower),
    }
}

fn lead<K: Shared, M: Message>(
    task: Task,
    Threads { producers, consumers }: Threads,
    cores: &[usize],
    follower: &Follower,
) -> Result<Led, Fault> {
    // This process has a link, too.
    let all = producers + consumers + 1;
    let both = K::make::<M>(&task, all)?;
    let threads = Threads { producers, consumers };
    let parts = (0..producers).map(|at| {
        let part = task.amount / producers as u64 + u64::from((at as u64) < task.amount % producers as u64);
        (Some(part), threads.core_of_producer(at, cores))
    });
    let parts = parts.chain((0..consumers).map(|at| (None, threads.core_of_consumer(at, cores))));
    let mut others = Vec::new();
    for (part, core) in parts {
        let (other, control) = Other::start(follower)?;
        let core = core.map_or_else(String::new, |core| core.to_string());
        let task = Task { amount: part.unwrap_or(0), ..task };
        let role = if part.is_some() { PRODUCES } else { CONSUMES };
        for text in [WORD, K::NAME, &task.to_string(), &all.to_string(), role, &core] {
            control.send_text(text)?;
        }
        K::give(&both, &control)?;
        others.push((other, control));
    }
    let mut own = K::link::<M>(&task, all, both, true)?;
    others.iter().try_for_each(|(_, control)| expect(control, READY).map(drop))?;
    let began = now();
    others.iter().try_for_each(|(_, control)| control.send_text(READY))?;
    let (producing, consuming) = others.split_at(producers);
    producing.iter().try_for_each(|(_, control)| expect(control, OVER).map(drop))?;
    consuming.iter().try_for_each(|_| send::<M>(&mut own, task.wait, LAST))?;
    let (mut over, mut came) = (began, 0);
    for (_, control) in consuming {
        let text = expect(control, OVER)?;
        let (time, count) = text.trim().split_once(' ').ok_or_else(|| refused("no time and count"))?;
        over = over.max(nanoseconds(time)?);
        came += count.parse::<u64>().map_err(refused)?;
    }
    others.iter().try_for_each(|(_, control)| control.send_text(READY))?;
    others.into_iter().try_for_each(|(other, _)| other.join())?;
    if came != task.amount {
        return Err(Fault::WrongAnswer("another number of messages came than was sent, or other bytes"));
    }
    Ok(Led { began, over, times: None, read: None })
}

const PRODUCES: &str = "produces";
const CONSUMES: &str = "consumes";

fn send<M: Message>(link: &mut impl Link<M>, wait: Wait, number: u64) -> Result<(), Fault> {
    if wait == Wait::Sleep { link.send(number) } else { spin(|| link.try_send(number)) }
}

/// Receives messages until one with another number comes.
fn receive_all<M: Message>(link: &mut impl Link<M>, wait: Wait) -> Result<u64, Fault> {
    let mut count = 0;
    loop {
        let came = match wait {
            Wait::Sleep => link.receive(NUMBER)?,
            Wait::Spin => receive_by_spinning(|| link.try_receive(NUMBER))?,
        };
        if came == Came::Wrong {
            return Ok(count);
        }
        count += 1;
    }
}

/// Runs a producer or a consumer, as the measuring process requests.
pub(crate) fn follow(control: &Control) -> Result<(), Fault> {
    struct Following<'a> {
        control: &'a Control,
        name: &'a str,
        task: Task,
        all: usize,
        produces: bool,
        outcome: Result<(), Fault>,
    }

    impl VisitShared for Following<'_> {
        fn visit<K: Shared>(&mut self) {
            if K::NAME == self.name {
                let Self { control, task, all, produces, .. } = self;
                self.outcome = match task.bytes {
                    bytes if bytes == size_of::<Small>() => follow_with::<K, Small>(*task, *all, *produces, control),
                    bytes if bytes == size_of::<Line>() => follow_with::<K, Line>(*task, *all, *produces, control),
                    _ => follow_with::<K, Large>(*task, *all, *produces, control),
                };
            }
        }
    }

    let (name, task) = (control.receive_text()?, control.receive_text()?.parse().map_err(Fault::Refused)?);
    let (all, produces) = (control.receive_text()?.parse().map_err(refused)?, control.receive_text()? == PRODUCES);
    machine::pin(control.receive_text()?.parse().ok());
    let outcome = Err(Fault::Refused(format!("no processes share `{name}`")));
    let mut following = Following { control, name: &name, task, all, produces, outcome };
    kinds::visit_shared(&mut following);
    following.outcome
}

fn follow_with<K: Shared, M: Message>(task: Task, all: usize, produces: bool, control: &Control) -> Result<(), Fault> {
    let mut link = K::link::<M>(&task, all, K::take(control)?, produces)?;
    control.send_text(READY)?;
    control.receive_text()?;
    if produces {
        (0..task.amount).try_for_each(|_| send::<M>(&mut link, task.wait, NUMBER))?;
        control.send_text(OVER)?;
    } else {
        let count = receive_all::<M>(&mut link, task.wait)?;
        control.send_text(&format!("{OVER} {} {count}", now().as_nanos()))?;
    }
    // Other processes may still use the queue.
    control.receive_text().map(drop)
}
