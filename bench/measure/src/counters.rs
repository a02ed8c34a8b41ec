//! The processor's counter of L1 data misses, for the calling thread, where the machine has one for
//! it.
//!
//! The generic event "L1 data cache, read, miss" counts on Intel's processors every line that is
//! brought into the cache, for a load or for a store: the sum that the SPSC paper reports.
//! Elsewhere it may count loads only.

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{self, Read};
    use std::os::fd::FromRawFd;

    /// The beginning of the kernel's `perf_event_attr`, as its first version was
    /// (`PERF_ATTR_SIZE_VER0`).
    #[repr(C)]
    struct Attributes {
        kind: u32,
        size: u32,
        config: u64,
        sample_period: u64,
        sample_type: u64,
        read_format: u64,
        flags: u64,
        wakeup_events: u32,
        breakpoint_type: u32,
        breakpoint_address: u64,
    }

    const _: () = assert!(size_of::<Attributes>() == 64, "as long as the kernel knows it");

    impl Attributes {
        /// Makes the attributes of a counter of L1 data cache read misses, of this process's own
        /// instructions.
        fn l1_data_misses() -> Self {
            const HARDWARE_CACHE: u32 = 3;
            const L1_DATA: u64 = 0;
            const READ: u64 = 0;
            const MISS: u64 = 1;
            const EXCLUDE_KERNEL: u64 = 1 << 5;
            const EXCLUDE_HYPERVISOR: u64 = 1 << 6;
            Self {
                kind: HARDWARE_CACHE,
                size: size_of::<Self>() as u32,
                config: L1_DATA | READ << 8 | MISS << 16,
                sample_period: 0,
                sample_type: 0,
                read_format: 0,
                flags: EXCLUDE_KERNEL | EXCLUDE_HYPERVISOR,
                wakeup_events: 0,
                breakpoint_type: 0,
                breakpoint_address: 0,
            }
        }

        /// Returns a counter of the calling thread, which runs.
        fn open(&self) -> io::Result<File> {
            const THIS_THREAD: libc::pid_t = 0;
            const ANY_CORE: libc::c_int = -1;
            const NO_GROUP: libc::c_int = -1;
            const CLOSE_ON_EXEC: libc::c_ulong = 8;
            // SAFETY: the attributes are alive, and their size field is right; the call only reads
            // them.
            let answer = unsafe {
                libc::syscall(libc::SYS_perf_event_open, self, THIS_THREAD, ANY_CORE, NO_GROUP, CLOSE_ON_EXEC)
            };
            let Ok(counter @ 0..) = libc::c_int::try_from(answer) else {
                return Err(io::Error::last_os_error());
            };
            // SAFETY: the call has just opened it for us.
            Ok(unsafe { File::from_raw_fd(counter) })
        }
    }

    /// A running counter, or `None` if none was wanted.
    #[derive(Debug)]
    pub struct Misses(Option<File>);

    impl Misses {
        /// Starts counting on this thread if `wanted`.
        ///
        /// # Errors
        /// The system's error.
        pub fn start_if(wanted: bool) -> Result<Self, String> {
            if !wanted {
                return Ok(Self(None));
            }
            let counter = Attributes::l1_data_misses().open();
            counter
                .map(|counter| Self(Some(counter)))
                .map_err(|error| format!("perf_event_open for L1 data misses: {error}"))
        }

        /// Returns the count, if one was asked for and the system could read it.
        pub fn stop(self) -> Option<u64> {
            let mut count = [0; size_of::<u64>()];
            self.0?.read_exact(&mut count).ok()?;
            Some(u64::from_ne_bytes(count))
        }
    }
}

#[cfg(target_os = "linux")]
pub use linux::Misses;

#[cfg(not(target_os = "linux"))]
mod elsewhere {
    /// No counter: only Linux's interface is implemented.
    #[derive(Debug)]
    pub struct Misses;

    impl Misses {
        /// Refuses if `wanted`.
        pub fn start_if(wanted: bool) -> Result<Self, String> {
            if wanted { Err("L1 misses are read through Linux's perf_event_open".into()) } else { Ok(Self) }
        }

        /// Returns `None`: nothing was counted.
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
/// The system's error, if it refuses a counter.
pub fn l1_misses_available() -> Result<(), String> {
    let counter = Misses::start_if(true)?;
    match counter.stop() {
        Some(_) => Ok(()),
        None => Err("the counter of L1 data misses was lent but cannot be read".into()),
    }
}
