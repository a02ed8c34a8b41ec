//! The reads of one execution that could read from what follows from their thread's later writes.

use super::Sites;
use super::histories::{Got, Past, Pasts, Written};
use super::judge::{Judge, outcomes};
use crate::graph::Graph;

/// A read with the value of a later write, and a write of the read's thread on the way to that one.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Candidate {
    /// The thread's past with the read of that value.
    pub(super) past: Past,
    /// The write that must not depend on the read.
    pub(super) write: Written,
    /// The values of the thread's reads between the two.
    pub(super) others: Vec<Got>,
    /// The place of the read, the write and the source, as addresses.
    places: [usize; 3],
}

/// Passes each candidate of an execution.
pub(super) fn each(graph: &Graph, pasts: &Pasts, found: &mut dyn FnMut(Candidate, Sites)) {
    let judge = Judge::new(graph);
    for &read in &graph.order {
        judge.each(read, &mut |early| {
            for outcome in outcomes(graph.event(read), early.value) {
                let past = pasts.with(graph, read, early.value, outcome);
                for &exit in &early.exits {
                    let sites = [read, exit, early.source].map(|id| graph.event(id).label.site);
                    let write = pasts.written(graph, exit).expect("an exit is a write");
                    let others = pasts.between(graph, read, exit);
                    let places = sites.map(|site| std::ptr::from_ref(site).addr());
                    found(Candidate { past, write, others, places }, sites);
                }
            }
        });
    }
}
