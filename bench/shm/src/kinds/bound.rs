//! The machine's bound: a word in each direction, each in a cache line of its own.

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use aqueduct_shm::{Memory, Region, Word};

use super::Kind;
use crate::control::{Control, refused};
use crate::link::{Came, Link};
use crate::message::{Message, Small};
use crate::plan::Wait;
use crate::work::Task;

/// Two words without a queue.
pub(crate) struct TwoWords;

/// Bytes of the region, and words from one to the other: further apart than what is moved together.
const BYTES: usize = 4096;
const APART: usize = 64;

/// A side's two words.
pub(crate) struct WordsLink {
    region: Region,
    out: usize,
    back: usize,
}

impl WordsLink {
    fn word(&self, at: usize) -> &Word {
        &self.region.words()[at]
    }
}

impl<M: Message> Link<M> for WordsLink {
    /// Overwrites the last one: this is not a queue.
    #[inline(always)]
    fn try_send(&mut self, number: u64) -> Result<bool, Fault> {
        self.word(self.out).store(number + 1, std::sync::atomic::Ordering::Release);
        Ok(true)
    }

    #[inline(always)]
    fn try_receive(&mut self, number: u64) -> Result<Came, Fault> {
        let found = self.word(self.back).load(std::sync::atomic::Ordering::Acquire);
        Ok(if found == number { Came::Nothing } else { Came::is_right(found == number + 1) })
    }
}

impl Kind for TwoWords {
    const NAME: &'static str = "bound/two_words";
    const ROLE: Role = Role::Bound;
    const WAITS: &'static [Wait] = &[Wait::Spin];
    const LONGEST: usize = size_of::<Small>();
    const ROUND_TRIPS_ONLY: bool = true;
    type Link<M: Message> = WordsLink;

    fn lead<M: Message>(_: &Task, control: &Control) -> Result<WordsLink, Fault> {
        let region = Region::anonymous("aqueduct bench", BYTES).map_err(refused)?;
        region.send(control.socket()).map_err(refused)?;
        Ok(WordsLink { region, out: 0, back: APART })
    }

    fn follow<M: Message>(_: &Task, control: &Control) -> Result<WordsLink, Fault> {
        let region = Region::receive(control.socket()).map_err(refused)?;
        Ok(WordsLink { region, out: APART, back: 0 })
    }
}
