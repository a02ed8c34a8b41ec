//! The cores of the switch's and the clients' threads.

use std::thread;

use aqueduct_measure::machine;

/// The cores of the switch and of its clients.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placement {
    /// The switch's core, or `None` if the system does not list its cores; then no thread is
    /// pinned.
    pub switch: Option<usize>,
    /// The clients' cores. Each has one thread, whose clients take turns; never empty.
    pub clients: Vec<Option<usize>>,
}

impl Placement {
    /// Chooses the first of `wanted` for the switch and the others for the clients, or from all
    /// cores if none are wanted: each core once before SMT siblings, NUMA nodes one after the
    /// other.
    ///
    /// The switch and all clients may share a single core: that works, and its figures say little.
    ///
    /// # Errors
    /// A sentence with the usable cores, if one that is wanted is not among them.
    pub fn choose(wanted: &[usize]) -> Result<Self, String> {
        let cores = machine::cores(wanted)?;
        let switch = cores.first().copied();
        let clients = match cores.as_slice() {
            [] | [_] => vec![switch],
            [_, others @ ..] => others.iter().copied().map(Some).collect(),
        };
        Ok(Self { switch, clients })
    }

    /// Whether the switch may have to share its core with clients.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        self.switch.is_none() || self.clients.contains(&self.switch)
    }

    /// Deals clients out to the clients' cores in turn. Cores without a client are left out.
    #[must_use]
    pub fn deal<C>(&self, clients: Vec<C>) -> Vec<(Option<usize>, Vec<C>)> {
        let mut crews: Vec<_> = self.clients.iter().map(|core| (*core, Vec::new())).collect();
        let count = crews.len();
        for (number, client) in clients.into_iter().enumerate() {
            crews[number % count].1.push(client);
        }
        crews.retain(|(_, crew)| !crew.is_empty());
        crews
    }

    /// Waits a moment for the other threads: yields the core if they need it, else spins.
    #[inline]
    pub fn wait(&self) {
        if self.is_shared() {
            thread::yield_now();
        } else {
            std::hint::spin_loop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_switch_has_a_core_to_itself_if_there_are_two() {
        let usable = machine::usable_cores();
        let placement = Placement::choose(&[]).expect("nothing was asked for");
        assert_eq!(placement.switch, machine::cores(&[]).expect("nothing was asked for").first().copied());
        assert_eq!(placement.is_shared(), usable.len() < 2);
        let alone = Placement::choose(&usable[..1]).expect("a usable core");
        assert_eq!(alone.clients, [alone.switch]);
        assert!(alone.is_shared());
        let refusal = Placement::choose(&[99_999]).expect_err("no machine has that core");
        assert!(refusal.contains("core 99999") && refusal.contains(&format!("{usable:?}")), "{refusal}");
    }

    #[test]
    fn clients_are_dealt_out_evenly() {
        let placement = Placement { switch: Some(0), clients: vec![Some(1), Some(2), Some(3)] };
        let crews = placement.deal(vec!['a', 'b', 'c', 'd']);
        assert_eq!(crews, [(Some(1), vec!['a', 'd']), (Some(2), vec!['b']), (Some(3), vec!['c'])]);
        assert_eq!(placement.deal(vec!['a']), [(Some(1), vec!['a'])]);
    }
}
