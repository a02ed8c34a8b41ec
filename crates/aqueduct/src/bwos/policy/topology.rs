//! The distances between a thief and its victims.

use alloc::vec::Vec;

/// A thief's victims by nodes, the nearest node first.
///
/// The program makes it, because it starts the threads and knows where they run.
/// [`of_cpus`](Self::of_cpus) helps if the threads are pinned to processors of a Linux machine.
///
/// # Examples
/// ```
/// use aqueduct::bwos::policy::{Select, Thief, Topology};
///
/// // Victims 1 and 2 are near, 0 and 3 far away.
/// let topology = Topology::new(&[20, 10, 10, 20]);
/// let thief = Thief::new(Select::Near(topology), 1);
/// # let _ = thief;
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Topology {
    nodes: Vec<Vec<usize>>,
}

impl Topology {
    /// Groups victims by distance: `distances[v]` is the distance to victim `v`.
    ///
    /// Victims of equal distance form a node.
    #[must_use]
    pub fn new(distances: &[usize]) -> Self {
        let mut far: Vec<usize> = distances.to_vec();
        far.sort_unstable();
        far.dedup();
        let node = |&distance: &usize| {
            (0..distances.len()).filter(|&victim| distances[victim] == distance).collect::<Vec<usize>>()
        };
        Self { nodes: far.iter().map(node).collect() }
    }

    /// Returns the victims of the node for attempt number `attempt`: each node has as many attempts
    /// as victims.
    pub(super) fn node(&self, attempt: usize) -> &[usize] {
        let mut before = 0;
        for node in &self.nodes {
            before += node.len();
            if attempt < before {
                return node;
            }
        }
        &[]
    }

    /// Groups the victims of a thief by NUMA nodes.
    ///
    /// The thief runs on processor `own`, the victims run on the processors `victims`. The distance
    /// is 0 on the thief's NUMA node and 1 on another, as Linux reports in `/sys`. If `/sys`
    /// reports nothing, all distances are equal.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn of_cpus(own: usize, victims: &[usize]) -> Self {
        let nodes = numa_nodes();
        let node = |cpu| nodes.iter().position(|cpus| cpus.contains(&cpu));
        let distances: Vec<usize> = victims.iter().map(|&victim| usize::from(node(victim) != node(own))).collect();
        Self::new(&distances)
    }
}

/// Returns the processors of each NUMA node.
#[cfg(feature = "std")]
fn numa_nodes() -> Vec<Vec<usize>> {
    let Ok(folder) = std::fs::read_dir("/sys/devices/system/node") else { return Vec::new() };
    let nodes = folder.flatten().map(|entry| entry.path().join("cpulist"));
    nodes.filter_map(|list| std::fs::read_to_string(list).ok()).map(|list| cpus(&list)).collect()
}

/// Parses a list of processors such as `0-3,8`.
#[cfg(feature = "std")]
fn cpus(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse::<usize>().ok()?..=last.trim().parse::<usize>().ok()?)
    };
    list.split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_victims_come_first() {
        let topology = Topology::new(&[20, 10, 20, 10, 40]);
        let nodes: Vec<&[usize]> = (0..6).map(|attempt| topology.node(attempt)).collect();
        assert_eq!(nodes, [&[1, 3][..], &[1, 3], &[0, 2], &[0, 2], &[4], &[]]);
    }

    #[cfg(feature = "std")]
    #[test]
    fn lists_of_processors_are_understood() {
        assert_eq!(cpus("0-2,8,10-11\n"), [0, 1, 2, 8, 10, 11]);
        assert_eq!(cpus("\n"), [0; 0]);
        let all: Vec<usize> = (0..4).collect();
        let victims = Topology::of_cpus(0, &all);
        assert_eq!(victims.nodes.iter().map(Vec::len).sum::<usize>(), 4);
    }
}
