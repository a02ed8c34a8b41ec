//! The fewest preemptions with which an execution can be run, by trying all orders of its events.
//!
//! An order respects program order and reads-from. A switch from a thread that still has events is
//! a preemption, and so is a spurious failure.

use std::collections::HashMap;
use std::ops::ControlFlow;

use super::{Execution, Question, TooBig, paths};
use crate::ast::Program;
use crate::machine::Code;
use crate::outcome::FinalState;

/// Returns the fewest preemptions and the final state of each execution that is neither racy nor
/// blocked.
///
/// # Errors
///
/// [`TooBig`] if the program exceeds a limit of the question.
pub fn preemptions(program: &Program, question: &Question) -> Result<Vec<(u32, FinalState)>, TooBig> {
    let mut found = Vec::new();
    let code = Code::new(program, question.loop_bound);
    paths::search(program, &code, question, None, &mut |execution| {
        if !execution.blocked && execution.race.is_none() {
            found.push((fewest(execution), execution.state.clone()));
        }
        ControlFlow::Continue(())
    })?;
    Ok(found)
}

/// The events of each thread, each with the thread and position of the event that it reads from.
type Threads = Vec<Vec<Option<(usize, usize)>>>;

fn fewest(execution: &Execution) -> u32 {
    let mut places = Vec::new();
    let mut threads = Threads::new();
    for event in &execution.events {
        places.push(event.thread.map(|thread| {
            threads.resize(threads.len().max(thread + 1), Vec::new());
            threads[thread].push(None);
            (thread, threads[thread].len() - 1)
        }));
    }
    for (event, source) in execution.reads_from.iter().enumerate() {
        if let (Some((thread, index)), Some(source)) = (places[event], source) {
            threads[thread][index] = places[*source];
        }
    }
    let switches = rest(&threads, &vec![0; threads.len()], None, &mut HashMap::new());
    switches.expect("an execution has an order") + execution.spurious
}

/// Returns the fewest preemptions of the remaining events. `done` counts the events of each thread
/// so far, and the last of these was the current thread's.
fn rest(
    threads: &Threads,
    done: &[usize],
    current: Option<usize>,
    known: &mut HashMap<(Vec<usize>, Option<usize>), Option<u32>>,
) -> Option<u32> {
    let key = (done.to_vec(), current);
    if let Some(&known) = known.get(&key) {
        return known;
    }
    let is_over = |thread: usize| done[thread] == threads[thread].len();
    let possible = (0..threads.len()).filter(|&thread| {
        !is_over(thread) && threads[thread][done[thread]].is_none_or(|(source, index)| index < done[source])
    });
    let fewest = if (0..threads.len()).all(is_over) {
        Some(0)
    } else {
        let costs = possible.filter_map(|thread| {
            let preempts = current.is_some_and(|current| current != thread && !is_over(current));
            let mut done = done.to_vec();
            done[thread] += 1;
            Some(rest(threads, &done, Some(thread), known)? + u32::from(preempts))
        });
        costs.min()
    };
    known.insert(key, fewest);
    fewest
}
