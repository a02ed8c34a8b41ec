//! The order in which threads take the cores: each core once before SMT siblings, NUMA nodes one
//! after the other.

use std::path::Path;

/// A logical processor, as the system describes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpu {
    /// Its number.
    pub id: usize,
    /// The least number of its core's logical processors: SMT siblings have the same.
    pub core: usize,
    /// Its NUMA node.
    pub node: usize,
}

/// Returns the numbers of `cpus` in the order in which threads take them.
///
/// The first processor of each core, then the second one of each, and so on; each time in the order
/// of NUMA nodes and cores.
#[must_use]
pub fn order(cpus: &[Cpu]) -> Vec<usize> {
    // The number of usable siblings with lower numbers: a core with only its second processor
    // usable counts as a whole core.
    let rank = |cpu: &Cpu| cpus.iter().filter(|other| other.core == cpu.core && other.id < cpu.id).count();
    let mut sorted: Vec<_> = cpus.iter().map(|cpu| (rank(cpu), cpu.node, cpu.core, cpu.id)).collect();
    sorted.sort_unstable();
    sorted.into_iter().map(|(.., id)| id).collect()
}

/// The ways in which two processors can be placed, by name.
pub const PLACEMENTS: [&str; 3] = ["siblings", "one_node", "two_nodes"];

/// Returns the placement of two processors: of one core, of one NUMA node, or of two.
fn placement(one: &Cpu, other: &Cpu) -> &'static str {
    PLACEMENTS[if one.core == other.core { 0 } else { 1 + usize::from(one.node != other.node) }]
}

/// Returns the placements that `cpus` have besides that of the first two in their [`order`], each
/// with the first two processors that are placed so.
#[must_use]
pub fn further_pairs(cpus: &[Cpu]) -> Vec<(&'static str, [usize; 2])> {
    let at = |id: usize| cpus.iter().find(|cpu| cpu.id == id);
    let ordered: Vec<&Cpu> = order(cpus).into_iter().filter_map(at).collect();
    let others = |from: usize| ordered[from + 1..].iter().map(move |&other| (from, other));
    let pairs = || (0..ordered.len()).flat_map(others).map(|(from, other)| (ordered[from], other));
    let usual = pairs().next().map(|(one, other)| placement(one, other));
    let first = |name: &'static str| {
        pairs().find(|(one, other)| placement(one, other) == name).map(|(one, other)| (name, [one.id, other.id]))
    };
    PLACEMENTS.into_iter().filter(|&name| Some(name) != usual).filter_map(first).collect()
}

/// Returns those of `cores`, in their order, that are not SMT siblings of an earlier one.
#[must_use]
pub fn without_siblings(cores: &[usize]) -> Vec<usize> {
    first_of_each_core(&here(cores))
}

fn first_of_each_core(cpus: &[Cpu]) -> Vec<usize> {
    let is_first = |&(at, cpu): &(usize, &Cpu)| !cpus[..at].iter().any(|other| other.core == cpu.core);
    cpus.iter().enumerate().filter(is_first).map(|(_, cpu)| cpu.id).collect()
}

/// Returns the processors `usable`, as this system describes them. Where it does not, each is a
/// core of its own in node 0.
#[must_use]
pub fn here(usable: &[usize]) -> Vec<Cpu> {
    describe(Path::new("/sys/devices/system"), usable)
}

/// Returns the processors `usable`, as the folder `system` describes them: Linux's
/// `/sys/devices/system`, or one like it.
fn describe(system: &Path, usable: &[usize]) -> Vec<Cpu> {
    let read = |path: String| std::fs::read_to_string(system.join(path)).ok();
    let nodes: Vec<(usize, Vec<usize>)> = read("node/online".to_owned())
        .map(|list| numbers(&list))
        .unwrap_or_default()
        .into_iter()
        .filter_map(|node| Some((node, numbers(&read(format!("node/node{node}/cpulist"))?))))
        .collect();
    let cpu = |&id: &usize| {
        // Older kernels have the second name only.
        let siblings = ["core_cpus_list", "thread_siblings_list"]
            .into_iter()
            .find_map(|name| read(format!("cpu/cpu{id}/topology/{name}")));
        let core = siblings.and_then(|list| numbers(&list).into_iter().min()).unwrap_or(id);
        let node = nodes.iter().find(|(_, cpus)| cpus.contains(&id)).map_or(0, |(node, _)| *node);
        Cpu { id, core, node }
    };
    usable.iter().map(cpu).collect()
}

/// Returns the numbers of a list as Linux writes it: `0-3,8`.
fn numbers(list: &str) -> Vec<usize> {
    let range = |part: &str| {
        let (first, last) = part.split_once('-').unwrap_or((part, part));
        Some(first.trim().parse().ok()?..=last.trim().parse().ok()?)
    };
    list.trim().split(',').filter_map(range).flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes `count` processors, each with the core and node that `of` returns for it.
    fn machine(count: usize, of: impl Fn(usize) -> (usize, usize)) -> Vec<Cpu> {
        (0..count).map(|id| Cpu { id, core: of(id).0, node: of(id).1 }).collect()
    }

    #[test]
    fn sixteen_cores_of_one_socket_are_taken_by_their_numbers() {
        assert_eq!(order(&machine(16, |id| (id, 0))), (0..16).collect::<Vec<_>>());
    }

    #[test]
    fn eight_cores_with_smt_are_all_taken_before_their_siblings() {
        let siblings_last = machine(16, |id| (id % 8, 0));
        assert_eq!(order(&siblings_last), (0..16).collect::<Vec<_>>());
        let siblings_adjacent = machine(16, |id| (id / 2 * 2, 0));
        assert_eq!(order(&siblings_adjacent), [0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15]);
    }

    #[test]
    fn two_sockets_with_smt_are_filled_one_after_the_other() {
        let in_halves = machine(16, |id| (id % 8, id % 8 / 4));
        assert_eq!(order(&in_halves), [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
        let odd_and_even = machine(16, |id| (id % 8, id % 2));
        assert_eq!(order(&odd_and_even), [0, 2, 4, 6, 1, 3, 5, 7, 8, 10, 12, 14, 9, 11, 13, 15]);
    }

    #[test]
    fn in_a_cpuset_with_holes_a_sibling_whose_core_is_free_counts_as_a_core() {
        let all = machine(16, |id| (id % 8, 0));
        let usable: Vec<Cpu> = [1, 3, 8, 9, 11].map(|id| all[id]).to_vec();
        assert_eq!(order(&usable), [8, 1, 3, 9, 11]);
        assert_eq!(order(&[]), [0; 0]);
    }

    #[test]
    fn a_machine_with_siblings_and_two_nodes_has_three_placements() {
        let machine_of_two = machine(16, |id| (id % 8, id % 8 / 4));
        assert_eq!(further_pairs(&machine_of_two), [("siblings", [0, 8]), ("two_nodes", [0, 4])]);
        assert_eq!(further_pairs(&machine(2, |id| (id, id))), []);
        assert_eq!(further_pairs(&machine(4, |id| (id / 2, id / 2))), [("siblings", [0, 1])]);
        assert_eq!(further_pairs(&machine(8, |id| (id, 0))), []);
        assert_eq!(further_pairs(&[]), []);
    }

    #[test]
    fn of_siblings_the_earlier_one_is_kept() {
        let all = machine(8, |id| (id % 4, 0));
        let cpus: Vec<Cpu> = [5, 0, 1, 4, 2].map(|id| all[id]).to_vec();
        assert_eq!(first_of_each_core(&cpus), [5, 0, 2]);
    }

    #[test]
    fn lists_are_read_as_linux_writes_them() {
        assert_eq!(numbers("0-3,8,10-11\n"), [0, 1, 2, 3, 8, 10, 11]);
        assert_eq!(numbers("5"), [5]);
        assert_eq!(numbers("\n"), [0; 0]);
    }

    #[test]
    fn a_description_in_files_is_read_and_a_missing_one_means_separate_cores() {
        let system = std::env::temp_dir().join(format!("aqueduct-topology-{}", std::process::id()));
        let write = |path: &str, text: &str| {
            let path = system.join(path);
            std::fs::create_dir_all(path.parent().expect("it is in the folder")).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("node/online", "0-1\n");
        write("node/node0/cpulist", "0,2\n");
        write("node/node1/cpulist", "1,3\n");
        write("cpu/cpu0/topology/core_cpus_list", "0,2\n");
        write("cpu/cpu2/topology/core_cpus_list", "0,2\n");
        write("cpu/cpu3/topology/thread_siblings_list", "1,3\n");
        let cpu = |id, core, node| Cpu { id, core, node };
        let described = describe(&system, &[0, 1, 2, 3, 7]);
        std::fs::remove_dir_all(&system).unwrap();
        assert_eq!(described, [cpu(0, 0, 0), cpu(1, 1, 1), cpu(2, 0, 0), cpu(3, 1, 1), cpu(7, 7, 0)]);
        assert_eq!(describe(&system, &[4]), [cpu(4, 4, 0)]);
    }
}
