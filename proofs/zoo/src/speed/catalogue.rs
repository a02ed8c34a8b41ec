//! The programs by name, small ones first.

use crate::worlds;

/// A program, compiled for every checker.
#[derive(Debug)]
pub struct Program {
    /// A name for the command line.
    pub name: &'static str,
    /// The program's description.
    pub about: &'static str,
    /// The number of threads besides the main one.
    pub threads: usize,
    pub(super) ours: fn(),
    #[cfg(feature = "rivals")]
    pub(super) loom: fn(),
    #[cfg(feature = "rivals")]
    pub(super) shuttle: fn(),
}

macro_rules! programs {
    ($($name:literal, $threads:literal, $about:literal, $($function:tt)::+ $(<$($size:literal),+>)?;)*) => {
        /// Every program.
        pub const PROGRAMS: &[Program] = &[$(Program {
            name: $name,
            about: $about,
            threads: $threads,
            ours: worlds::aqueduct::programs::$($function)::+ $(::<$($size),+>)?,
            #[cfg(feature = "rivals")]
            loom: worlds::loom::programs::$($function)::+ $(::<$($size),+>)?,
            #[cfg(feature = "rivals")]
            shuttle: worlds::shuttle::programs::$($function)::+ $(::<$($size),+>)?,
        }),*];
    };
}

programs! {
    "store_buffering", 2, "store buffering with SC fences", store_buffering;
    "independent_reads", 4, "IRIW with release and acquire", independent_reads;
    "counter_2x3", 2, "2 threads count 3 times each", counter<2, 3>;
    "counter_3x2", 3, "3 threads count 2 times each", counter<3, 2>;
    "counter_3x3", 3, "3 threads count 3 times each", counter<3, 3>;
    "counter_3x4", 3, "3 threads count 4 times each", counter<3, 4>;
    "ticket_lock_2x2", 2, "a ticket lock, 2 threads, 2 times each", ticket_lock<2, 2>;
    "ticket_lock_3x1", 3, "a ticket lock, 3 threads", ticket_lock<3, 1>;
    "treiber_2x1", 2, "Treiber's stack, 2 threads push and pop", treiber_stack<2, 1>;
    "treiber_2x2", 2, "Treiber's stack, 2 threads push 2 and pop 2", treiber_stack<2, 2>;
    "michael_scott_1x3", 2, "Michael and Scott's queue, 3 items, one consumer", michael_scott<1, 3>;
    "michael_scott_2x1", 3, "Michael and Scott's queue, 2 producers of 1 item, one consumer", michael_scott<2, 1>;
    "michael_scott_2x2", 3, "Michael and Scott's queue, 2 producers of 2 items, one consumer", michael_scott<2, 2>;
    "ring_4", 2, "a ring of 2 slots, 4 items, both sides wait", ring<4>;
    "ring_8", 2, "a ring of 2 slots, 8 items, both sides wait", ring<8>;
    "sparse_2x4", 2, "2 threads, 4 counts each among work of their own: about 80 events", sparse<2, 4>;
    "sparse_3x2", 3, "3 threads, 2 counts each among work of their own: about 60 events", sparse<3, 2>;
    "sparse_3x3", 3, "3 threads, 3 counts each among work of their own: about 90 events", sparse<3, 3>;
}

/// Returns the programs of these names, or all programs if there are no names.
pub(super) fn chosen(names: &[String]) -> Result<Vec<&'static Program>, String> {
    if names.is_empty() {
        return Ok(PROGRAMS.iter().collect());
    }
    names
        .iter()
        .map(|name| {
            PROGRAMS.iter().find(|program| program.name == name).ok_or_else(|| {
                let known: Vec<&str> = PROGRAMS.iter().map(|program| program.name).collect();
                format!("there is no program {name}; there are: {}", known.join(", "))
            })
        })
        .collect()
}
