//! The entries by name.

use crate::worlds;

/// What it takes to see a bug.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Memory {
    /// Some interleaving shows it.
    Interleaving,
    /// Only weak memory shows it.
    Weak,
}

/// A bug, compiled for every checker.
#[derive(Debug)]
pub struct Entry {
    /// A short name, as `Z1`.
    pub id: &'static str,
    /// Where it was, and what goes wrong.
    pub about: &'static str,
    /// What it takes to see it.
    pub memory: Memory,
    /// The broken and the repaired program, for our checker, for loom and for shuttle.
    pub(crate) programs: [[fn(); 2]; 3],
}

macro_rules! entries {
    ($($id:literal, $module:ident, $memory:ident, $about:literal;)*) => {
        /// Every entry.
        pub const ENTRIES: &[Entry] = &[$(Entry {
            id: $id,
            about: $about,
            memory: Memory::$memory,
            programs: [
                [worlds::aqueduct::entries::$module::broken, worlds::aqueduct::entries::$module::repaired],
                [worlds::loom::entries::$module::broken, worlds::loom::entries::$module::repaired],
                [worlds::shuttle::entries::$module::broken, worlds::shuttle::entries::$module::repaired],
            ],
        }),*];
    };
}

entries! {
    "L1", l1_rmw_reads_old, Weak, "a read-modify-write comes before the reset that it should count on";
    "Z1", z01_ring_head_then_tail, Weak, "DPDK's ring: a new head with an old tail";
}
