//! The bytes of a record.

use aqueduct_measure::items::Item;

/// Most bytes of a record.
pub const LONGEST: usize = 256;
/// Fewest bytes of a record: its number.
pub(super) const SHORTEST: usize = size_of::<u64>();

/// Returns the length of record `number`, and the byte that fills it.
#[inline]
pub(super) fn shape(number: Item) -> (usize, u8) {
    let mixed = number.get().wrapping_mul(0x9E37_79B9_7F4A_7C15);
    (SHORTEST + (mixed >> 32) as usize % (LONGEST - SHORTEST + 1), mixed as u8)
}

/// Writes a record into its bytes, whose number its shape determines.
#[inline]
pub(super) fn write(number: Item, bytes: &mut [u8]) {
    let (head, rest) = bytes.split_at_mut(SHORTEST);
    head.copy_from_slice(&number.get().to_ne_bytes());
    rest.fill(shape(number).1);
}

/// Returns the number of an undamaged record; otherwise a number that no record has.
#[inline]
pub(super) fn read(bytes: &[u8]) -> Item {
    let head = bytes.first_chunk().map(|head| u64::from_ne_bytes(*head));
    let whole = |&number: &Item| {
        let (length, fill) = shape(number);
        bytes.len() == length && bytes[SHORTEST..].iter().fold(0, |wrong, byte| wrong | (byte ^ fill)) == 0
    };
    head.and_then(Item::new).filter(whole).unwrap_or(Item::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_have_all_lengths_and_are_read_as_they_were_written() {
        let mut seen = [0; LONGEST + 1];
        for number in (1..20_000).filter_map(Item::new) {
            let (length, _) = shape(number);
            let mut bytes = vec![0; length];
            write(number, &mut bytes);
            assert_eq!(read(&bytes), number);
            assert_eq!(read(&bytes[..length - 1]), Item::MAX, "one byte is missing");
            bytes[length - 1] ^= 1;
            assert_eq!(read(&bytes), Item::MAX, "one bit is wrong");
            seen[length] += 1;
        }
        assert!(seen[..SHORTEST].iter().all(|&count| count == 0) && seen[SHORTEST..].iter().all(|&count| count > 0));
    }
}
