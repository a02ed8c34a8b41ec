//! The sweep: our queues for many on both sides, in given divisions into blocks.

use std::sync::Arc;

use aqueduct::bbq::{self, Geometry};

use super::by_workload::stream_over;
use super::kind::Kind;
use super::ours::{Mpmc, Shared};
use super::plan::Plan;
use super::stream::{Stream, Streamed};
use super::subject::Subject;
use aqueduct_measure::rounds::{Fault, check_memory};

/// A measurement of a queue with a given division.
pub(super) type Divided = fn(Geometry, &Stream<'_>) -> Result<Streamed, Fault>;

/// Returns the measurement of `subject` with a given division, if it can have one.
pub(super) fn divided(subject: &dyn Subject) -> Option<Divided> {
    match subject.name() {
        Mpmc::NAME => Some(|geometry, spec| {
            stream_over(spec, &|| {
                let (producer, consumer) = bbq::mpmc::with_geometry(geometry).map_err(|error| error.to_string())?;
                Ok((vec![producer; spec.threads.producers], vec![consumer; spec.threads.consumers]))
            })
        }),
        Shared::NAME => Some(|geometry, spec| {
            stream_over(spec, &|| {
                let queue = Arc::new(bbq::Queue::with_geometry(geometry).map_err(|error| error.to_string())?);
                Ok((vec![Arc::clone(&queue); spec.threads.producers], vec![queue; spec.threads.consumers]))
            })
        }),
        _ => None,
    }
}

/// Returns the divisions of a plan, by their number of blocks, then by their size.
///
/// # Errors
/// A sentence that names the impossible division, and the possible ones.
pub(super) fn geometries(plan: &Plan) -> Result<Vec<Geometry>, String> {
    /// A queue's division.
    const OPTIONS: &str = "blocks, --block-size";
    let pairs = plan.blocks.iter().flat_map(|&blocks| plan.block_sizes.iter().map(move |&size| (blocks, size)));
    pairs
        .map(|(blocks, size)| {
            let geometry = Geometry::new(blocks, size)
                .map_err(|error| format!("--{OPTIONS}: {blocks} blocks of {size} entries: {error}"))?;
            check_memory(OPTIONS, geometry.capacity())?;
            Ok(geometry)
        })
        .collect()
}
