//! The guarantees of CNQ while one of its threads has stopped.

use serde::Serialize;

use crate::clients::threads::{Nothing, Refused};
use crate::progress::many_threads::{Answer, Scene};
use crate::progress::one_stopped::Victim;

/// A queue of capsules, for two producers and two consumers. One of each has done all that was done before, so the
/// items lie in one capsule after the other; the victim is one of those two. The others are new.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
pub struct Nested {
    /// The number of capsules.
    pub capsules: usize,
    /// Items of each.
    pub size: usize,
    /// Whether the tube tells a slot that is to be filled yet from none.
    pub busy_pushes: bool,
}

impl Nested {
    /// Whether the others can be told that, one after the other.
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
            // CNQ says `Full` where the tube is busy, and overwrites nothing.
            Answer::Pushed(_, Some(Refused::Busy) | None) => false,
        })
    }

    /// Items in the capsule that the first consumer has, or is about to take.
    fn held(self, scene: Scene) -> usize {
        let begun = scene.before % self.size;
        let has_one = begun > 0 || scene.victim == Victim::Pop;
        if has_one { scene.filled.min(self.size - begun) } else { 0 }
    }

    /// All is gone but what the first consumer has, and perhaps the item that is being pushed.
    fn allows_empty(self, scene: Scene, count: usize) -> bool {
        let most = scene.filled + usize::from(scene.victim == Victim::Push);
        (scene.filled - self.held(scene)..=most).contains(&count)
    }

    /// The next item is in a capsule that is coming into the tube; or in one that is the second after the first
    /// consumer's, which may not be read while that one has not been read to the end.
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

    /// Places in capsules that are free for certain, when `popped` items have been popped: all but those from the first
    /// that has not been read to the end up to the last that has been taken; and all but the first of one that a victim
    /// closes, which has come into its window ahead of it.
    fn free(self, scene: Scene, popped: usize) -> usize {
        let taken = (scene.before + scene.filled).div_ceil(self.size) + usize::from(self.opens(scene));
        let read = if self.held(scene) > 0 { scene.before } else { scene.before + popped.min(scene.filled) };
        let closed = if self.opens(scene) { self.size - 1 } else { 0 };
        (self.capsules + read / self.size - taken) * self.size - closed
    }
}
