//! Counts of sent and received messages: each comes once.

use aqueduct_measure::rounds::Fault;

/// A number of messages, and the sum of their numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) count: u64,
    sum: u64,
}

impl Tally {
    #[inline(always)]
    pub(crate) fn add(&mut self, message: u64) {
        self.count += 1;
        self.sum = self.sum.wrapping_add(message);
    }

    /// Checks that each sent message came once.
    ///
    /// # Errors
    /// The fault of a channel that has lost a message, or given one twice.
    pub(crate) fn check(
        sent: impl IntoIterator<Item = Self>,
        came: impl IntoIterator<Item = Self>,
    ) -> Result<(), Fault> {
        let (sent, came): (Self, Self) = (sent.into_iter().sum(), came.into_iter().sum());
        if sent == came {
            return Ok(());
        }
        Err(Fault::WrongItems { popped: came.count, wanted: sent.count, sum: came.sum, expected: sent.sum })
    }
}

impl std::iter::Sum for Tally {
    fn sum<I: Iterator<Item = Self>>(all: I) -> Self {
        all.fold(Self::default(), |sum, one| Self { count: sum.count + one.count, sum: sum.sum.wrapping_add(one.sum) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(messages: &[u64]) -> Tally {
        let mut tally = Tally::default();
        messages.iter().for_each(|&message| tally.add(message));
        tally
    }

    #[test]
    fn a_message_that_is_lost_or_comes_twice_is_noticed() {
        assert_eq!(Tally::check([of(&[1, 2]), of(&[3])], [of(&[3, 1]), of(&[2])]), Ok(()));
        for wrong in [&[1, 2][..], &[1, 2, 2], &[1, 2, 3, 3]] {
            assert!(matches!(Tally::check([of(&[1, 2, 3])], [of(wrong)]), Err(Fault::WrongItems { .. })), "{wrong:?}");
        }
    }
}
