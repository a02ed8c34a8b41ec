//! A measurement with another process.

use std::io::stdin;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use aqueduct_measure::crew::{apart, task};
use aqueduct_measure::machine;
use aqueduct_measure::record::Placement;
use aqueduct_measure::rounds::Fault;

use crate::control::{Control, refused};
use crate::kinds::{self, Kind, Visit};
use crate::link::Link;
use crate::many;
use crate::message::{Large, Line, Message, Small};
use crate::overwrite;
use crate::plan::Follower;
use crate::work::{Led, Task};

/// A process that is killed at the latest when this is dropped.
pub(crate) struct Other(Child);

impl Other {
    /// Starts the other process. Its standard input is the other end of the socket.
    pub(crate) fn start(follower: &Follower) -> Result<(Self, Control), Fault> {
        let (ours, theirs) = UnixStream::pair().map_err(refused)?;
        let program = match &follower.program {
            Some(program) => program.clone(),
            None => std::env::current_exe().map_err(refused)?,
        };
        let mut command = Command::new(program);
        command.args(&follower.arguments).stdin(OwnedFd::from(theirs)).stdout(Stdio::null());
        // Ctrl-C is for the process that measures: it ends after the measurement.
        command.process_group(0);
        let child = command.spawn().map_err(refused)?;
        Ok((Self(child), Control::new(ours).map_err(refused)?))
    }

    pub(crate) fn join(mut self) -> Result<(), Fault> {
        let status = self.0.wait().map_err(refused)?;
        if status.success() { Ok(()) } else { Err(Fault::Refused(format!("the other process ended: {status}"))) }
    }
}

impl Drop for Other {
    fn drop(&mut self) {
        // After `join` the process has ended, and the kill's error does not matter.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The cores of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cores {
    pub(crate) ours: Option<usize>,
    pub(crate) theirs: Option<usize>,
}

impl Cores {
    pub(crate) fn placement(self) -> Placement {
        Placement { producers: self.ours.into_iter().collect(), consumers: self.theirs.into_iter().collect() }
    }

    pub(crate) fn first_two(cores: &[usize]) -> Self {
        Self { ours: cores.first().copied(), theirs: cores.get(1).or(cores.first()).copied() }
    }
}

/// Does the task with the other process.
pub(crate) fn measure<K: Kind>(whole: Task, cores: Cores, follower: &Follower) -> Result<Led, Fault> {
    apart(task(move || {
        machine::pin(cores.ours);
        match whole.bytes {
            bytes if bytes == size_of::<Small>() => lead::<K, Small>(whole, cores, follower),
            bytes if bytes == size_of::<Line>() => lead::<K, Line>(whole, cores, follower),
            _ => lead::<K, Large>(whole, cores, follower),
        }
    }))
}

fn lead<K: Kind, M: Message>(task: Task, cores: Cores, follower: &Follower) -> Result<Led, Fault> {
    let (other, control) = Other::start(follower)?;
    control.send_text(K::NAME)?;
    control.send_text(&task.to_string())?;
    control.send_text(&cores.theirs.map_or_else(String::new, |core| core.to_string()))?;
    let link = K::lead::<M>(&task, &control)?;
    expect(&control, READY)?;
    let (led, link) = task.lead::<M, _>(link)?;
    let over = nanoseconds(&expect(&control, OVER)?)?;
    let led = Led { over: led.over.max(over), ..led };
    control.send_text(READY)?;
    other.join()?;
    drop(link);
    Ok(led)
}

pub(crate) fn nanoseconds(text: &str) -> Result<Duration, Fault> {
    text.trim().parse().map(Duration::from_nanos).map_err(refused)
}

pub(crate) const READY: &str = "ready";
pub(crate) const OVER: &str = "over";
const FAULT: &str = "fault";

/// Receives a text that begins with `start`, and returns the rest.
pub(crate) fn expect(control: &Control, start: &str) -> Result<String, Fault> {
    let text = control.receive_text()?;
    match (text.strip_prefix(start), text.strip_prefix(FAULT)) {
        (Some(rest), _) => Ok(rest.to_owned()),
        (None, Some(why)) => Err(Fault::Refused(format!("the other process:{why}"))),
        (None, None) => Err(Fault::Refused(format!("the other process says: {text}"))),
    }
}

/// Runs the task that the process at the other end of the standard input requests, and returns.
///
/// # Errors
/// A sentence that names the error: the standard input is not the socket of a measurement, or a
/// transport failed.
pub fn follow() -> Result<(), String> {
    let socket = stdin().as_fd().try_clone_to_owned().map_err(|why| why.to_string())?;
    let control = Control::new(UnixStream::from(socket)).map_err(|_| {
        "the other side of a measurement is started by `aqueduct bench shm`, and not by people".to_owned()
    })?;
    let outcome = followed(&control);
    if let Err(fault) = &outcome {
        // If the measuring process has ended, the text is not needed.
        let _ = control.send_text(&format!("{FAULT} {fault}"));
    }
    outcome.map_err(|fault| fault.to_string())
}

fn followed(control: &Control) -> Result<(), Fault> {
    struct Following<'a> {
        control: &'a Control,
        name: &'a str,
        task: Task,
        outcome: Result<(), Fault>,
    }

    impl Visit for Following<'_> {
        fn visit<K: Kind>(&mut self) {
            if K::NAME == self.name {
                self.outcome = match self.task.bytes {
                    bytes if bytes == size_of::<Small>() => follow_with::<K, Small>(self.task, self.control),
                    bytes if bytes == size_of::<Line>() => follow_with::<K, Line>(self.task, self.control),
                    _ => follow_with::<K, Large>(self.task, self.control),
                };
            }
        }
    }

    let name = control.receive_text()?;
    if name == many::WORD {
        return many::follow(control);
    }
    if name == overwrite::WORD {
        return overwrite::follow(control);
    }
    let (task, core) = (control.receive_text()?.parse().map_err(Fault::Refused)?, control.receive_text()?);
    machine::pin(core.parse().ok());
    let unknown = Err(Fault::Refused(format!("there is no way `{name}`")));
    let mut following = Following { control, name: &name, task, outcome: unknown };
    kinds::visit(&mut following);
    following.outcome
}

fn follow_with<K: Kind, M: Message>(task: Task, control: &Control) -> Result<(), Fault> {
    let link = K::follow::<M>(&task, control)?;
    control.send_text(READY)?;
    let (over, link) = task.follow::<M, _>(link)?;
    control.send_text(&format!("{OVER} {}", over.as_nanos()))?;
    // The other side may still use the queues.
    let ready = control.receive_text();
    drop(link);
    ready.map(drop)
}

/// Does the task with a second thread of this process.
pub(crate) fn measure_threads<M, L: Link<M> + Send>(
    task: Task,
    cores: Cores,
    (ours, theirs): (L, L),
) -> Result<Led, Fault> {
    use aqueduct_measure::crew::{pair, task as part};
    let led = part(move || {
        machine::pin(cores.ours);
        task.lead::<M, _>(ours)
    });
    let followed = part(move || {
        machine::pin(cores.theirs);
        task.follow::<M, _>(theirs)
    });
    let (led, over) = pair(led, followed);
    // Both links still exist: neither was dropped while the other side worked.
    let ((led, _ours), (over, _theirs)) = (led?, over?);
    Ok(Led { over: led.over.max(over), ..led })
}
