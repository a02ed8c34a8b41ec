//! The two nodes as processes, as those of the NBLFQ paper's communication library are.
//!
//! A node is one thread of its process. Its queues are its own; messages pass between the processes
//! by the socket alone.

use std::io;
use std::net::UdpSocket;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::messages::{Answered, LAST, Messages, Node, Run, answer, check, messages_together, request, wire};
use crate::mpmc::stream::Opened;
use crate::mpmc::{Fault, Receiver, Sender, Threads};
use aqueduct_measure::crew::step;

/// Runs the measurement on queues that `open` makes, in this process or between it and a copy of
/// it.
pub(super) fn messages_over<S: Sender, R: Receiver>(
    spec: &Messages<'_>,
    open: &dyn Fn(Threads) -> Opened<S, R>,
) -> Result<Answered, Fault> {
    if spec.apart { messages_apart(spec, open) } else { messages_together(spec, open) }
}

/// Runs the measurement between this process and a copy of it.
fn messages_apart<S: Sender, R: Receiver>(
    spec: &Messages<'_>,
    open: &dyn Fn(Threads) -> Opened<S, R>,
) -> Result<Answered, Fault> {
    if (spec.threads, spec.workers) != (1, 0) {
        return Err(Fault::Refused("a node that is a process is one thread".to_owned()));
    }
    let [near, far] = wire().map_err(|error| Fault::Refused(format!("no socket: {error}")))?;
    // SAFETY: of the state that other threads may have left in the middle of a change, the copy
    // uses the allocator's alone, which the C library keeps usable.
    match unsafe { libc::fork() } {
        -1 => Err(Fault::Refused(format!("no second process: {}", io::Error::last_os_error()))),
        0 => {
            let done = catch_unwind(AssertUnwindSafe(|| serve(spec, open, &far)));
            // SAFETY: ends the copy at once, without the work at the end of a process, which is
            // this one's.
            unsafe { libc::_exit(i32::from(!matches!(done, Ok(Ok(()))))) }
        }
        copy => {
            let asked = request_from_copy(spec, open, &near);
            let was_asked = asked.is_ok() && near.send(&LAST.get().to_ne_bytes()).is_ok();
            let ended = end_of(copy, was_asked);
            let answered = check(spec, vec![asked], Vec::new())?;
            if ended { Ok(answered) } else { Err(Fault::WrongAnswer("the other process did not end well")) }
        }
    }
}

fn request_from_copy<S: Sender, R: Receiver>(
    spec: &Messages<'_>,
    open: &dyn Fn(Threads) -> Opened<S, R>,
    socket: &UdpSocket,
) -> Result<super::messages::Requested, Fault> {
    let mut node = Node::open(spec, open, socket)?;
    let run = Run::new(spec, 1);
    let app = node.apps.remove(0);
    run.take_part(spec.core(0), step(|| request(&run, app, 0, spec.each)))
}

fn serve<S: Sender, R: Receiver>(
    spec: &Messages<'_>,
    open: &dyn Fn(Threads) -> Opened<S, R>,
    socket: &UdpSocket,
) -> Result<(), Fault> {
    let mut node = Node::open(spec, open, socket)?;
    let run = Run::new(spec, 1);
    let app = node.apps.remove(0);
    run.take_part(spec.core(1), step(|| answer(&run, app)))
}

/// Waits for the end of the copy, and kills it first unless it has received the request to end.
/// Returns whether it ended without a fault.
fn end_of(copy: libc::pid_t, was_asked: bool) -> bool {
    let mut status = 0;
    // SAFETY: the copy is this process's child, which no other thread waits for; the status is
    // alive.
    unsafe {
        if !was_asked {
            libc::kill(copy, libc::SIGKILL);
        }
        libc::waitpid(copy, &raw mut status, 0) == copy && status == 0
    }
}
