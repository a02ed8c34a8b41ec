//! The distances between a thief and its victims.

use alloc::vec::Vec;

/// A thief's victims by nodes, the nearest node first.
///
/// The program makes it, because it starts the threads and places them. [`of_cpus`](Self::of_cpus)
/// queries the system, if the threads are pinned to processors of a Linux machine.
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

    /// Returns the nodes, the nearest first: the numbers of each node's victims.
    pub fn nodes(&self) -> impl ExactSizeIterator<Item = &[usize]> {
        self.nodes.iter().map(Vec::as_slice)
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

    /// Groups the victims of a thief by the cache and the memory that they share with it.
    ///
    /// The thief runs on processor `own`, the victims run on the processors `victims`. Linux
    /// reports in `/sys` which processors share an L3 cache and a NUMA node. The distance is 0 if
    /// the victim shares the thief's L3 cache, 1 if it shares its NUMA node, and 2 otherwise. If
    /// `/sys` reports nothing of a kind, no victim counts as sharing it; so without `/sys` all
    /// distances are equal.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn of_cpus(own: usize, victims: &[usize]) -> Self {
        Self::reported_in(std::path::Path::new("/sys/devices/system"), own, victims)
    }

    /// Groups victims as [`of_cpus`](Self::of_cpus) does, as reported in that folder.
    #[cfg(feature = "std")]
    fn reported_in(system: &std::path::Path, own: usize, victims: &[usize]) -> Self {
        let near = [l3_of(system, own), node_of(system, own)];
        let distance = |victim| near.iter().position(|cpus| cpus.contains(victim)).unwrap_or(near.len());
        Self::new(&victims.iter().map(distance).collect::<Vec<usize>>())
    }
}

/// Returns the processors that share this processor's L3 cache.
#[cfg(feature = "std")]
fn l3_of(system: &std::path::Path, cpu: usize) -> Vec<usize> {
    listed(system.join(std::format!("cpu/cpu{cpu}/cache/index3/shared_cpu_list")))
}

/// Returns the processors of this processor's NUMA node.
#[cfg(feature = "std")]
fn node_of(system: &std::path::Path, cpu: usize) -> Vec<usize> {
    let Ok(folder) = std::fs::read_dir(system.join("node")) else { return Vec::new() };
    let mut nodes = folder.flatten().map(|entry| listed(entry.path().join("cpulist")));
    nodes.find(|cpus| cpus.contains(&cpu)).unwrap_or_default()
}

/// Returns the processors that a file lists: none if there is no such file.
#[cfg(feature = "std")]
fn listed(file: std::path::PathBuf) -> Vec<usize> {
    std::fs::read_to_string(file).map_or_else(|_| Vec::new(), |list| cpus(&list))
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
        assert!(topology.nodes().eq([&[1, 3][..], &[0, 2], &[4]]));
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

    /// Writes files as Linux reports them, each with its text.
    #[cfg(feature = "std")]
    fn report(name: &str, files: &[(&str, &str)]) -> std::path::PathBuf {
        let system = std::env::temp_dir().join(std::format!("aqueduct-{name}-{}", std::process::id()));
        for (file, text) in files {
            let file = system.join(file);
            std::fs::create_dir_all(file.parent().expect("a folder")).expect("it can be made");
            std::fs::write(file, text).expect("it can be written");
        }
        system
    }

    #[cfg(feature = "std")]
    #[test]
    fn victims_of_the_thiefs_cache_come_first_and_then_those_of_its_memory() {
        let files = [
            ("cpu/cpu0/cache/index3/shared_cpu_list", "0-1\n"),
            ("cpu/cpu4/cache/index3/shared_cpu_list", "4-7\n"),
            ("node/node0/cpulist", "0-3\n"),
            ("node/node1/cpulist", "4-7\n"),
            ("node/possible", "0-1\n"),
        ];
        let system = report("near", &files);
        let nodes = |own| Topology::reported_in(&system, own, &[7, 3, 1, 2, 0]).nodes;
        assert_eq!(nodes(0), [&[2, 4][..], &[1, 3], &[0]]);
        assert_eq!(nodes(4), [&[0][..], &[1, 2, 3, 4]], "its cache is all of its node");
        assert_eq!(nodes(2), [&[1, 2, 3, 4][..], &[0]], "of which no cache is reported");
        assert_eq!(nodes(9), [&[0, 1, 2, 3, 4][..]], "of which nothing is reported");
        std::fs::remove_dir_all(system).expect("it was made");
    }

    #[cfg(feature = "std")]
    #[test]
    fn without_reports_all_victims_are_equally_near() {
        let nowhere = std::path::Path::new("/nowhere");
        assert_eq!(Topology::reported_in(nowhere, 0, &[2, 0, 1]).nodes, [[0, 1, 2]]);
    }
}
