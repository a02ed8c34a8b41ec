//! Maps by call site.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hasher of addresses: during a check, sites are compared as pointers.
#[derive(Default)]
pub(crate) struct AddressHasher(u64);

impl Hasher for AddressHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.write_u64(u64::from(byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    }
}

/// A map by the address of a call site.
pub(crate) type SiteMap<V> = HashMap<u64, V, BuildHasherDefault<AddressHasher>>;
