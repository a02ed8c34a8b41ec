//! Every queue that can be measured, with its guarantee and its measurements.

use std::ops::RangeInclusive;

use super::concurrent::Of;
use super::messages::{Answered, Messages};
use super::plan::Plan;
use super::processes::messages_over;
use super::queues;
use super::slot::Slot;
use crate::mpmc::alone::alone;
#[cfg(feature = "peers")]
use crate::mpmc::peers::heapless;
use crate::mpmc::stream::stream_numbers_over;
use crate::mpmc::{Alone, AloneTime, Fault, Kind, Stream, Streamed, ours};
use aqueduct_measure::rounds::select;

/// The progress of other threads when a thread stops in the middle of a push or a pop.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Progress {
    /// Lock-free, and nothing is allocated.
    LockFree,
    /// Lock-free up to the allocator; memory that is retired meanwhile is not freed.
    Allocates,
    /// Operations return `Full`, `Empty` or `Busy` although there is room, or an item.
    Refuses,
    /// Operations wait inside a push or a pop.
    Waits,
    /// Single-threaded: a bound.
    Alone,
}

impl Progress {
    /// All of them, the strictest first.
    pub const ALL: [Self; 5] = [Self::LockFree, Self::Allocates, Self::Refuses, Self::Waits, Self::Alone];

    /// Returns it as a part of a sentence.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::LockFree => "lock-free",
            Self::Allocates => "lock-free but for memory",
            Self::Refuses => "a stopped thread makes others be refused",
            Self::Waits => "a stopped thread makes others wait",
            Self::Alone => "no queue, a bound",
        }
    }
}

/// Whether this build has the experiments with messages.
const HAS_MESSAGES: bool = cfg!(feature = "workloads");

/// A queue or a bound under test.
#[derive(Clone, Copy, Debug)]
pub struct Contestant {
    /// `CRATE/QUEUE`.
    pub name: &'static str,
    /// Whether it is a peer, not one of aqueduct's queues.
    pub peer: bool,
    /// Its guarantee.
    pub progress: Progress,
    /// Lets producers push and consumers pop.
    pub stream: fn(&Stream<'_>) -> Result<Streamed, Fault>,
    /// Measures a call on one thread.
    pub alone: fn(&Alone) -> Result<AloneTime, Fault>,
    /// Lets nodes exchange messages.
    pub messages: fn(&Messages<'_>) -> Result<Answered, Fault>,
}

/// Returns a queue of kind `K`: a caller's own, for example.
#[must_use]
pub fn contestant<K: Kind>(progress: Progress) -> Contestant {
    Contestant {
        name: K::NAME,
        peer: K::PEER,
        progress,
        stream: |spec| stream_numbers_over(spec, &|| K::open(spec.capacity, spec.threads)),
        alone: alone::<K>,
        messages: |spec| {
            if !HAS_MESSAGES {
                return Err(Fault::Refused("this build has not the feature `workloads`".to_owned()));
            }
            messages_over(spec, &|threads| K::open(spec.capacity, threads))
        },
    }
}

/// The capacities of those of our queues that have it in their type.
pub const CAPACITIES: [usize; 3] = [16, 128, 1024];

/// The least and the greatest capacity that can be asked for.
pub const RANGE: RangeInclusive<usize> = 2..=1 << 24;

/// Returns our two forms with that capacity, tagged words and pairs of words.
macro_rules! ours_of {
    ($($capacity:tt)*) => {
        [
            contestant::<Of<queues::ours::Tagged<queues::ours::$($capacity)*>>>(Progress::LockFree),
            contestant::<Of<queues::ours::Wide<queues::ours::$($capacity)*>>>(Progress::LockFree),
        ]
    };
}

/// Returns all queues of this build that can have that capacity, or the next one that they can:
/// ours, then the lock-free peers, then the others.
///
/// # Errors
/// If the capacity is not in the [`RANGE`].
pub fn contestants(capacity: usize) -> Result<Vec<Contestant>, String> {
    if !RANGE.contains(&capacity) {
        let (least, most) = RANGE.into_inner();
        return Err(format!("--capacity: {capacity} items: between {least} and {most} are possible"));
    }
    let mut all = match capacity {
        16 => ours_of!(Fixed<16>).to_vec(),
        128 => ours_of!(Fixed<128>).to_vec(),
        1024 => ours_of!(Fixed<1024>).to_vec(),
        _ => Vec::new(),
    };
    all.extend(ours_of!(Dynamic));
    all.push(contestant::<ours::Mpmc>(Progress::Refuses));
    all.push(contestant::<Of<Slot>>(Progress::Alone));
    #[cfg(target_arch = "x86_64")]
    all.push(contestant::<Of<queues::scqp::Scqp>>(Progress::LockFree));
    all.push(contestant::<Of<queues::ncq::Ncq>>(Progress::LockFree));
    #[cfg(feature = "published")]
    all.extend(published());
    all.push(contestant::<Of<queues::looping::Looping>>(Progress::Allocates));
    #[cfg(all(feature = "peers", target_arch = "x86_64"))]
    all.push(contestant::<Of<queues::lcrq::Lcrq>>(Progress::Allocates));
    #[cfg(feature = "peers")]
    all.extend(peers());
    #[cfg(feature = "peers")]
    if heapless::has(capacity) {
        all.push(contestant::<heapless::Heapless>(Progress::Refuses));
    }
    Ok(all)
}

#[cfg(feature = "published")]
fn published() -> Vec<Contestant> {
    use crate::mpmc::published::ends;
    use crate::mpmc::published::shared::ScqWithData;
    vec![
        contestant::<ScqWithData>(Progress::LockFree),
        #[cfg(target_arch = "x86_64")]
        contestant::<ends::Wcq>(Progress::LockFree),
        #[cfg(target_arch = "x86_64")]
        contestant::<ends::Ymc>(Progress::Allocates),
        contestant::<ends::Turn>(Progress::Allocates),
    ]
}

#[cfg(feature = "peers")]
fn peers() -> [Contestant; 5] {
    use super::peers::SegQueue;
    use crate::mpmc::peers::queues as others;
    use queues::michael_scott::MichaelScott;
    [
        contestant::<Of<MichaelScott>>(Progress::Allocates),
        contestant::<others::ArrayQueue>(Progress::Waits),
        contestant::<Of<SegQueue>>(Progress::Waits),
        contestant::<others::ConcurrentQueue>(Progress::Waits),
        contestant::<others::GilMpmc>(Progress::Refuses),
    ]
}

/// Returns the queues of the plan.
///
/// # Errors
/// If there is no queue of a name in the plan with its capacity, or none is left; the text lists
/// the known ones. Or if the capacity is not in the [`RANGE`].
pub fn selected(plan: &Plan) -> Result<Vec<Contestant>, String> {
    select(contestants(plan.capacity)?, &plan.queues, |one| one.name.into(), |one| plan.peers || !one.peer)
}
