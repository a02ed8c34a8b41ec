//! Ethernet addresses.

use std::fmt;

/// A 48-bit Ethernet address, in the order of the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MacAddress(pub [u8; 6]);

impl MacAddress {
    /// The address that all stations listen to.
    pub const BROADCAST: Self = Self([0xff; 6]);

    /// Makes the address of client number `index` of a workload: locally administered and unicast.
    #[must_use]
    pub const fn of_client(index: u32) -> Self {
        let [a, b, c, d] = index.to_be_bytes();
        Self([0x02, 0x00, a, b, c, d])
    }

    /// Returns the client of an address of [`of_client`](Self::of_client), or any number for
    /// another address.
    #[must_use]
    pub const fn client(self) -> u32 {
        let [_, _, a, b, c, d] = self.0;
        u32::from_be_bytes([a, b, c, d])
    }

    /// Whether it names a group of stations: multicast, or broadcast.
    #[must_use]
    pub const fn is_group(self) -> bool {
        self.0[0] & 1 == 1
    }

    /// Returns the address as one number, for hashing.
    #[must_use]
    pub const fn as_u64(self) -> u64 {
        let [a, b, c, d, e, f] = self.0;
        u64::from_be_bytes([0, 0, a, b, c, d, e, f])
    }

    /// Returns the address with dashes, `02-00-00-00-00-01`, for file names on any system.
    #[must_use]
    pub fn file_stem(self) -> String {
        self.to_string().replace(':', "-")
    }
}

impl fmt::Display for MacAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [a, b, c, d, e, f] = self.0;
        write!(formatter, "{a:02x}:{b:02x}:{c:02x}:{d:02x}:{e:02x}:{f:02x}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_have_unicast_addresses_that_lead_back_to_them() {
        for index in [0, 1, 255, 256, 0x0102_0304] {
            let address = MacAddress::of_client(index);
            assert!(!address.is_group());
            assert_eq!(address.client(), index);
        }
    }

    #[test]
    fn groups_and_names() {
        assert!(MacAddress::BROADCAST.is_group());
        assert!(MacAddress([0x33, 0x33, 0, 0, 0, 1]).is_group());
        let address = MacAddress([0x02, 0, 0, 0, 0xab, 0x09]);
        assert_eq!(address.to_string(), "02:00:00:00:ab:09");
        assert_eq!(address.file_stem(), "02-00-00-00-ab-09");
        assert_eq!(address.as_u64(), 0x0200_0000_ab09);
    }
}
