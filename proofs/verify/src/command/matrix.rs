//! `aqueduct verify --matrix`: which operations complete while threads have stopped in the middle
//! of one.

use std::io::{self, Write};

use super::{VerifyArgs, invalid};
use crate::clients::{bbq, cnq, exact, nblfq, unbounded};
use crate::progress::many_threads;
use crate::progress::one_stopped::{self, Subject};

/// A queue whose threads are stopped: with one thread on either side, or with many.
enum Stopped {
    Two(Subject),
    Many(many_threads::Subject),
}

impl Stopped {
    fn all() -> Vec<Self> {
        let two = one_stopped::subjects().into_iter().map(Self::Two);
        two.chain(
            bbq::world::stalls()
                .into_iter()
                .chain(nblfq::stalls())
                .chain(exact::stalls())
                .chain(unbounded::stalls())
                .chain(cnq::world::stalls())
                .map(Self::Many),
        )
        .collect()
    }

    fn name(&self) -> &str {
        match self {
            Self::Two(subject) => subject.name(),
            Self::Many(subject) => subject.name(),
        }
    }
}

/// Returns the queues that the arguments ask for.
fn stopped<'a>(args: &VerifyArgs, subjects: &'a [Stopped]) -> io::Result<Vec<&'a Stopped>> {
    let wanted = |subject: &&Stopped| args.name.as_ref().is_none_or(|name| subject.name().contains(name.as_str()));
    let chosen: Vec<&Stopped> = match subjects.iter().find(|subject| args.name.as_deref() == Some(subject.name())) {
        Some(exact) => vec![exact],
        None => subjects.iter().filter(wanted).collect(),
    };
    if chosen.is_empty() {
        let known: Vec<&str> = subjects.iter().map(Stopped::name).collect();
        let name = args.name.as_deref().unwrap_or_default();
        return Err(invalid(format!("no queue has `{name}` in its name; there are {}", known.join(", "))));
    }
    Ok(chosen)
}

/// Returns the number of queues that the arguments ask for.
pub(super) fn queues(args: &VerifyArgs) -> io::Result<usize> {
    Ok(stopped(args, &Stopped::all())?.len())
}

/// Writes the tables of these queues. Returns whether all of them are right.
pub(super) fn write(args: &VerifyArgs, out: &mut dyn Write) -> io::Result<bool> {
    let subjects = Stopped::all();
    let chosen = stopped(args, &subjects)?;
    let (mut right, mut deaths, mut waits) = (true, false, false);
    for subject in chosen {
        let (text, json) = match subject {
            Stopped::Two(subject) => {
                let table = subject.table();
                right &= table.is_right();
                deaths |= table.has_wrong_deaths();
                waits = true;
                (table.to_string(), serde_json::to_string(&table)?)
            }
            Stopped::Many(subject) => {
                let table = subject.table();
                right &= table.is_right();
                (table.to_string(), serde_json::to_string(&table)?)
            }
        };
        if args.json {
            writeln!(out, "{json}")?
        } else {
            write!(out, "{text}")?
        }
        out.flush()?;
    }
    if !args.json {
        let verdict = if right { "what must complete completes" } else { "SOMETHING WAITS OR FAILS THAT MUST NOT" };
        let design = "`pop the new item` and `push until room` wait for the other side by design";
        let design = if waits { format!("; {design}") } else { String::new() };
        writeln!(out, "{verdict}{design}")?;
        if deaths {
            writeln!(
                out,
                "no operation panics between its steps: where a death there is an error (`no`), it cannot happen"
            )?;
        }
    }
    Ok(right)
}
