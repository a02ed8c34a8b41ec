//! The crate `dial9`: events in memory, which a thread of the crate collects from the other
//! threads.

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use dial9::core::clock_monotonic_ns;
use dial9::format::TraceEvent;
use dial9::{Dial9Handle, MemoryBuffer};

use super::{Handle, Kind, MEMORY};

/// The crate's recorder, whose memory loses its oldest part. It has no spans for its users' events.
pub(crate) struct Dial9;

impl Kind for Dial9 {
    const NAME: &'static str = "dial9/memory buffer";
    const ROLE: Role = Role::Peer;
    const HAS_SPANS: bool = false;
    type Shared = dial9::Recorder;
    type Handle<'s> = Dial9Handle;

    fn open() -> Result<dial9::Recorder, Fault> {
        let buffer = MemoryBuffer::new(MEMORY as u64).map_err(|error| Fault::Refused(error.to_string()))?;
        Ok(dial9::recorder(buffer).build())
    }

    fn enter(shared: &dial9::Recorder) -> Dial9Handle {
        shared.handle().clone()
    }

    fn close(shared: dial9::Recorder, _: u64) -> Result<Option<f64>, Fault> {
        drop(shared);
        Ok(None)
    }
}

#[derive(TraceEvent)]
struct Nothing {
    #[traceevent(timestamp)]
    time: u64,
}

#[derive(TraceEvent)]
struct One {
    #[traceevent(timestamp)]
    time: u64,
    number: u64,
}

#[derive(TraceEvent)]
struct Four {
    #[traceevent(timestamp)]
    time: u64,
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

impl Handle for Dial9Handle {
    #[inline(always)]
    fn none(&mut self) {
        self.record_event(Nothing { time: clock_monotonic_ns() });
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        self.record_event(One { time: clock_monotonic_ns(), number });
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        self.record_event(Four { time: clock_monotonic_ns(), a, b, c, d });
    }

    fn span(&mut self, _: u64) {}
}
