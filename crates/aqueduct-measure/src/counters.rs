//! The processor's counter of L1 data misses, for the calling thread, where the machine lends one.
//!
//! The generic event "L1 data cache, read, miss" counts on Intel's processors every line that is
//! brought into the cache, for a load or for a store: the sum that the SPSC paper reports. Elsewhere it may
//! count loads only.

#[cfg(target_os = "linux")]
mod linux {
    use perf_event::events::{Cache, CacheId, CacheOp, CacheResult};
    use perf_event::{Builder, Counter};

    /// A running counter, or none because nobody asked for one.
    #[derive(Debug)]
    pub struct Misses(Option<Counter>);

    impl Misses {
        /// Starts counting on this thread if `wanted`.
        ///
        /// # Errors
        /// What the system answered.
        pub fn start_if(wanted: bool) -> Result<Self, String> {
            if !wanted {
                return Ok(Self(None));
            }
            let event = Cache { which: CacheId::L1D, operation: CacheOp::READ, result: CacheResult::MISS };
            let refused = |error: std::io::Error| format!("perf_event_open for L1 data misses: {error}");
            let mut counter = Builder::new(event).build().map_err(refused)?;
            counter.enable().map_err(refused)?;
            Ok(Self(Some(counter)))
        }

        /// Stops and returns the count, if one was asked for and the system could read it.
        pub fn stop(self) -> Option<u64> {
            let mut counter = self.0?;
            counter.disable().ok()?;
            counter.read().ok()
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::Misses;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// No counter: only Linux's interface is known here.
    #[derive(Debug)]
    pub struct Misses;

    impl Misses {
        /// Refuses if `wanted`.
        pub fn start_if(wanted: bool) -> Result<Self, String> {
            if wanted { Err("L1 misses are read through Linux's perf_event_open".into()) } else { Ok(Self) }
        }

        /// Nothing was counted.
        pub fn stop(self) -> Option<u64> {
            None
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub use elsewhere::Misses;

/// Whether L1 misses can be counted here.
///
/// # Errors
/// What the system answered when asked for a counter.
pub fn l1_misses_available() -> Result<(), String> {
    let counter = Misses::start_if(true)?;
    match counter.stop() {
        Some(_) => Ok(()),
        None => Err("the counter of L1 data misses was lent but cannot be read".into()),
    }
}
