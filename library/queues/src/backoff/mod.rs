//! Backoff within an operation: of a consumer that is close behind the producers ([`distance`]),
//! and of a thread that lost a race ([`contention`]).

mod contention;
mod distance;
mod patience;
mod seldom;
mod shared_distance;
mod trial;
mod turns;

pub(crate) use contention::{Contention, HINTS_OF_A_CLAIM, HINTS_OF_A_RECORD, Race};
pub(crate) use distance::Distance;
pub(crate) use patience::Patience;
pub(crate) use shared_distance::{NEAR, SharedDistance};
pub(crate) use turns::Turns;

/// Whether a handle backs off within its operations.
///
/// # Examples
/// ```
/// use aqueduct::bbq::{self, Backoff};
///
/// let (mut producer, mut consumer) = bbq::mpmc::new(100)?;
/// consumer.set_backoff(Backoff::Never);
/// let mut other = consumer.clone();
/// producer.push(7)?;
/// assert_eq!(other.pop(), Ok(7));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Backoff {
    /// For throughput: the handle pauses while it measures that this pays.
    ///
    /// A consumer that took the last item may pause for about a microsecond, so that producers have
    /// the lines to themselves. It does so only while at least eight items come in a pause, and, if
    /// it meets no other consumer, only while it has measured that items come at least a tenth
    /// faster by it: both depend on the distance of the cores and on the rate of the producers. An
    /// item may stay in the queue for a microsecond longer then.
    ///
    /// A thread that lost a race for an entry pauses, the longer, the more the others achieve
    /// meanwhile: for some tens of microseconds at most.
    #[default]
    Adaptive,
    /// For latency: the handle never pauses.
    Never,
}
