//! A measurement with many threads, by its workload.

use super::drain::drain;
use super::kind::{Kind, Receiver, Sender};
use super::open_loop::OpenLoop;
use super::parcel::Complex;
use super::stream::{Opened, Stream, Streamed, run};
use super::timed::{Latency, Profiling};
use super::work::{Fairness, Simple};
use super::workload::Workload;
use aqueduct_measure::rounds::Fault;

/// Runs the measurement on a fresh queue of that kind.
pub(super) fn stream<K: Kind>(spec: &Stream<'_>) -> Result<Streamed, Fault> {
    stream_over(spec, &|| K::open(spec.capacity, spec.threads))
}

/// Runs the measurement on a queue that `open` makes.
pub(super) fn stream_over<S: Sender, R: Receiver>(
    spec: &Stream<'_>,
    open: &dyn Fn() -> Opened<S, R>,
) -> Result<Streamed, Fault> {
    /// Items of each producer in the trial before addresses travel.
    const TRIAL: u64 = 1000;
    if spec.workload.carries_addresses() {
        // A queue that loses or doubles items must be caught with numbers: with addresses it would
        // free memory twice.
        run(&Stream { workload: Workload::Simple, items_each: TRIAL, ..*spec }, open, &Simple)?;
    }
    match spec.workload {
        Workload::Simple => run(spec, open, &Simple),
        Workload::Drain if Workload::ALL_ARE_BUILT => drain(spec, open),
        Workload::Complex if Workload::ALL_ARE_BUILT => run(spec, open, &Complex),
        Workload::Latency if Workload::ALL_ARE_BUILT => run(spec, open, &Latency::new()),
        Workload::Fairness if Workload::ALL_ARE_BUILT => run(spec, open, &Fairness),
        Workload::Profiling if Workload::ALL_ARE_BUILT => run(spec, open, &Profiling::new()),
        Workload::OpenLoop(offered) if Workload::ALL_ARE_BUILT => {
            run(spec, open, &OpenLoop::new(offered, spec.threads.producers))
        }
        absent => {
            Err(Fault::Refused(format!("this build has no {absent:?} workload: it has not the feature `workloads`")))
        }
    }
}
