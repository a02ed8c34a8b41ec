//! The forwarding table: the port of each station.

use rustc_hash::FxHashMap;

use crate::mac::MacAddress;

/// The number of a port, from 0.
pub type PortNumber = usize;

/// The most stations that a learning table remembers, as in small hardware switches.
pub const MOST_LEARNED: usize = 65_536;

/// The stations' ports: fixed in advance as in the SPSC paper's experiments, or learned from the
/// frames that pass.
#[derive(Clone, Debug)]
pub struct ForwardingTable {
    ports: FxHashMap<u64, PortNumber>,
    learns: bool,
    learned: u64,
    not_learned: u64,
}

impl ForwardingTable {
    /// Makes an empty table that learns a station's port from every frame that the station sends.
    ///
    /// It remembers [`MOST_LEARNED`] stations. Frames to other stations are flooded.
    #[must_use]
    pub fn learning() -> Self {
        Self { ports: FxHashMap::default(), learns: true, learned: 0, not_learned: 0 }
    }

    /// Makes a table that never changes.
    #[must_use]
    pub fn fixed(stations: impl IntoIterator<Item = (MacAddress, PortNumber)>) -> Self {
        let ports = stations.into_iter().map(|(address, port)| (address.as_u64(), port)).collect();
        Self { ports, learns: false, learned: 0, not_learned: 0 }
    }

    /// Returns the station's port, if the table has it.
    #[inline]
    #[must_use]
    pub fn port_of(&self, address: MacAddress) -> Option<PortNumber> {
        self.ports.get(&address.as_u64()).copied()
    }

    /// Notes that a frame from `address` came in at `port`. A fixed table ignores it.
    ///
    /// A station that appears at another port has moved: the last port counts.
    #[inline]
    pub fn note(&mut self, address: MacAddress, port: PortNumber) {
        if !self.learns || self.port_of(address) == Some(port) {
            return;
        }
        if self.ports.len() < MOST_LEARNED || self.ports.contains_key(&address.as_u64()) {
            self.ports.insert(address.as_u64(), port);
            self.learned += 1;
        } else {
            self.not_learned += 1;
        }
    }

    /// Returns the number of times that a station was learned, or found to have moved.
    #[must_use]
    pub fn learned(&self) -> u64 {
        self.learned
    }

    /// Returns the number of frames from stations for which the table had no room.
    #[must_use]
    pub fn not_learned(&self) -> u64 {
        self.not_learned
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_station_is_learned_and_may_move() {
        let mut table = ForwardingTable::learning();
        let station = MacAddress::of_client(7);
        assert_eq!(table.port_of(station), None);
        table.note(station, 2);
        table.note(station, 2);
        assert_eq!((table.port_of(station), table.learned()), (Some(2), 1));
        table.note(station, 5);
        assert_eq!((table.port_of(station), table.learned()), (Some(5), 2));
    }

    #[test]
    fn a_full_table_still_follows_the_stations_that_it_knows() {
        let mut table = ForwardingTable::learning();
        for index in 0..=MOST_LEARNED as u32 {
            table.note(MacAddress::of_client(index), 1);
        }
        assert_eq!((table.learned(), table.not_learned()), (MOST_LEARNED as u64, 1));
        assert_eq!(table.port_of(MacAddress::of_client(MOST_LEARNED as u32)), None);
        table.note(MacAddress::of_client(0), 3);
        assert_eq!(table.port_of(MacAddress::of_client(0)), Some(3));
    }

    #[test]
    fn a_fixed_table_does_not_change() {
        let mut table = ForwardingTable::fixed([(MacAddress::of_client(1), 1)]);
        table.note(MacAddress::of_client(1), 0);
        table.note(MacAddress::of_client(2), 0);
        assert_eq!(table.port_of(MacAddress::of_client(1)), Some(1));
        assert_eq!(table.port_of(MacAddress::of_client(2)), None);
    }
}
