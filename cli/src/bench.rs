//! `aqueduct bench`: the benches, each with every knob.

#[cfg(feature = "channels")]
mod channel;
mod cnq;
mod drop_old;
mod exchange;
mod knobs;
#[cfg(feature = "checkers")]
mod model;
mod mpmc;
mod names;
mod nblfq;
#[cfg(feature = "pools")]
mod pool;
#[cfg(feature = "recorders")]
mod recorder;
mod records;
mod results;
#[cfg(feature = "processes")]
mod shm;
mod spsc;
mod steal;

use std::sync::atomic::AtomicBool;

use aqueduct_measure::rounds::Observer;
use clap::Subcommand;

use crate::job::Job;

#[cfg(feature = "channels")]
use channel::ChannelArgs;
use cnq::CnqArgs;
use drop_old::DropOldArgs;
use exchange::ExchangeArgs;
pub(crate) use knobs::item_bytes;
#[cfg(feature = "checkers")]
use model::ModelArgs;
use mpmc::MpmcArgs;
use nblfq::NblfqArgs;
#[cfg(feature = "pools")]
use pool::PoolArgs;
#[cfg(feature = "recorders")]
use recorder::RecorderArgs;
use records::RecordsArgs;
pub(crate) use results::{Gathered, code, facts};
#[cfg(feature = "processes")]
use shm::ShmArgs;
use spsc::SpscArgs;
use steal::StealArgs;

#[cfg(not(feature = "channels"))]
crate::absent::absent! {
    "channels", "this build does not measure channels":
    ChannelArgs = "bench channel";
}

#[cfg(not(feature = "pools"))]
crate::absent::absent! {
    "pools", "this build does not measure pools":
    PoolArgs = "bench pool";
}

#[cfg(not(feature = "recorders"))]
crate::absent::absent! {
    "recorders", "this build does not measure recorders":
    RecorderArgs = "bench recorder";
}

#[cfg(not(feature = "processes"))]
crate::absent::absent! {
    "processes", "this build does not measure processes":
    ShmArgs = "bench shm";
}

#[cfg(not(feature = "checkers"))]
crate::absent::absent! {
    "checkers", "this build has no model checker":
    ModelArgs = "bench model";
}

/// The benches.
#[derive(Debug, Subcommand)]
pub(crate) enum Bench {
    /// Queues with one producer and one consumer
    Spsc(SpscArgs),
    /// Queues with many producers and many consumers
    #[command(visible_aliases = ["mpsc", "spmc"])]
    Mpmc(MpmcArgs),
    /// Lock-free queues for many producers and many consumers, and messages that pass through them
    #[command(visible_alias = "lockfree")]
    Nblfq(NblfqArgs),
    /// k-relaxed FIFO queues
    #[command(visible_alias = "relaxed")]
    Cnq(CnqArgs),
    /// Work-stealing queues: one owner, and thieves
    Steal(StealArgs),
    /// Channels, for threads and for tasks (feature `channels`)
    Channel(ChannelArgs),
    /// Queues that overwrite items not read in time
    DropOld(DropOldArgs),
    /// Queues of records of any length
    Records(RecordsArgs),
    /// Pools: the cost of joins and tasks (feature `pools`)
    Pool(PoolArgs),
    /// The flight recorder: the cost of an event (feature `recorders`)
    Recorder(RecorderArgs),
    /// Messages between two processes, in shared memory and otherwise (feature `processes`)
    Shm(ShmArgs),
    /// Workloads of programs: submissions and completions, events
    Exchange(ExchangeArgs),
    /// The model checker, side by side with loom and shuttle
    Model(ModelArgs),
}

impl Bench {
    /// Returns the bench as a job.
    pub(crate) fn job(self) -> Box<dyn Job> {
        match self {
            Self::Spsc(args) => Box::new(args),
            Self::Mpmc(args) => Box::new(args),
            Self::Nblfq(args) => Box::new(args),
            Self::Cnq(args) => Box::new(args),
            Self::Steal(args) => Box::new(args),
            Self::Channel(args) => Box::new(args),
            Self::DropOld(args) => Box::new(args),
            Self::Records(args) => Box::new(args),
            Self::Pool(args) => Box::new(args),
            Self::Recorder(args) => Box::new(args),
            Self::Shm(args) => Box::new(args),
            Self::Exchange(args) => Box::new(args),
            Self::Model(args) => Box::new(args),
        }
    }

    /// Runs the requested measurements, and shows and writes nothing: for the benches of papers.
    ///
    /// # Errors
    /// If no paper has the bench, or the bench cannot make the requested measurements.
    pub(crate) fn measure(&self, stop: &AtomicBool, observer: &mut dyn Observer) -> Result<Gathered, String> {
        match self {
            Self::Spsc(args) => args.measure(stop, observer).map(Gathered::from),
            Self::Mpmc(args) => args.measure(stop, observer).map(Gathered::from),
            Self::Nblfq(args) => args.measure(stop, observer).map(Gathered::from),
            Self::Cnq(args) => args.measure(stop, observer).map(Gathered::from),
            Self::Steal(args) => args.measure(stop, observer).map(Gathered::from),
            Self::DropOld(args) => args.measure(stop, observer).map(Gathered::from),
            Self::Exchange(args) => args.measure(stop, observer).map(Gathered::from),
            _ => Err("no paper has that bench".to_owned()),
        }
    }
}
