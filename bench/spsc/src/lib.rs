//! The experiments with single-producer single-consumer queues.
//!
//! Build a [`Plan`], call [`run`], read the [`Record`](aqueduct_measure::record::Record)s. The
//! methods are those of Maffione, Lettieri and Rizzo (2018, "the SPSC paper" in this crate),
//! sections 5.1 to 5.3. The abilities of a queue, a peer or a bound ([`Subject::can`]) decide its
//! experiments.

mod advice;
mod alone;
mod analysis;
mod bounce;
mod bounds;
mod catalogue;
mod kind;
mod ours;
mod pair;
mod payload;
#[cfg(feature = "peers")]
mod peers;
mod plan;
mod run;
mod stream;
mod subject;
pub mod table1;
mod task;
mod wide;

pub use advice::{EXACTLY_BOUNDED, GUIDE};
pub use alone::{Alone, AloneTime};
pub use bounce::{Bounce, Bounced, TRIPS_PER_CHUNK};
pub use catalogue::{selected, subjects};
pub use kind::{Ends, Kind, Receiver, Sender, Word};
pub use pair::{Conditions, Fault};
pub use payload::{BUFFER_BYTES, Buffer};
pub use plan::{Experiment, Plan, REGIMES, Regime, Wait};
pub use run::{outlook, run};
pub use stream::{Stream, Streamed};
pub use subject::{Subject, Workload, subject_of};

pub use aqueduct_measure::rounds::{Observer, Quiet};

/// The result of a run.
pub type Findings = aqueduct_measure::rounds::Findings<Fault>;
