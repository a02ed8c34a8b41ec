//! The guarantees of CNQ while one of its threads has stopped.

use serde::Serialize;

use crate::clients::threads::{Nothing, Refused};
use crate::progress::many_threads::{Answer, Scene};
use crate::progress::one_stopped::Victim;

/// A queue of capsules, for two producers and two consumers. One producer and one consumer have
/// done all earlier operations, so the items lie in one capsule after the other. The victim is one
/// of these two. The other two are new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Nested {
    /// The number of capsules.
    pub capsules: usize,
    /// The number of items of each.
    pub size: usize,
    /// True if the tube distinguishes a slot that is still to be filled from no slot.
    pub busy_pushes: bool,
}

impl Nested {
    /// Whether the others can get these answers, one after the other.
    #[must_use]
    pub fn allows(self, scene: Scene, answers: &[Answer]) -> bool {
        let mut popped = 0;
        answers.iter().all(|&answer| match answer {
            Answer::Popped(count, nothing) => {
                popped = count;
                match nothing {
                    Nothing::Empty => self.allows_empty(scene, count),
                    Nothing::Busy => self.allows_busy(scene, count),
                }
            }
            Answer::Pushed(count, Some(Refused::Full)) => count >= self.free(scene, popped),
            // CNQ returns `Full` if the tube is busy, and overwrites nothing.
            Answer::Pushed(_, Some(Refused::Busy) | None) => false,
        })
    }

    /// Returns the number of items in the capsule that the first consumer has, or is about to take.
    fn held(self, scene: Scene) -> usize {
        let begun = scene.before % self.size;
        let has_one = begun > 0 || scene.victim == Victim::Pop;
        if has_one { scene.filled.min(self.size - begun) } else { 0 }
    }

    /// Whether `Empty` is allowed: no items are left but those that the first consumer has, and
    /// perhaps the one that is being pushed.
    fn allows_empty(self, scene: Scene, count: usize) -> bool {
        let most = scene.filled + usize::from(scene.victim == Victim::Push);
        (scene.filled - self.held(scene)..=most).contains(&count)
    }

    /// Whether `Busy` is allowed: the next item is in a capsule that is coming into the tube; or in
    /// the second capsule after the first consumer's, which may be read only after that one has
    /// been read to the end.
    fn allows_busy(self, scene: Scene, count: usize) -> bool {
        let held = self.held(scene);
        let coming = self.busy_pushes && self.opens(scene) && count + held >= scene.filled;
        let too_far = held > 0 && count >= self.size && count + held < scene.filled;
        coming || too_far
    }

    /// Whether the victim's push needs a new capsule.
    fn opens(self, scene: Scene) -> bool {
        scene.victim == Victim::Push && (scene.before + scene.filled).is_multiple_of(self.size)
    }

    /// Returns the number of places that are certainly free when `popped` items have been popped.
    /// Not free are the capsules from the first that has not been read to the end up to the last
    /// that has been taken. Neither are all places but the first of a capsule that the victim
    /// closes, because it has come into the victim's window ahead of the victim.
    fn free(self, scene: Scene, popped: usize) -> usize {
        let taken = (scene.before + scene.filled).div_ceil(self.size) + usize::from(self.opens(scene));
        let read = if self.held(scene) > 0 { scene.before } else { scene.before + popped.min(scene.filled) };
        let closed = if self.opens(scene) { self.size - 1 } else { 0 };
        (self.capsules + read / self.size - taken) * self.size - closed
    }
}
