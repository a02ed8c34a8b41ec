//! How long a handle waits within an operation: a consumer that is close behind the producers ([`distance`]), and a
//! thread that lost a race ([`race`]).

pub(super) mod distance;
pub(super) mod race;

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
    /// A consumer that took the last item pauses for about a microsecond if eight items or more came in its last
    /// pause. So it moves several times as many items per second when producers push as fast as they can, and an item
    /// stays in the queue for up to a microsecond longer. At less than eight items per microsecond it does not pause.
    ///
    /// A thread that lost a race for an entry pauses, the longer, the more the others achieve meanwhile: for some tens
    /// of microseconds at most.
    #[default]
    Adaptive,
    /// For latency: the handle never pauses.
    Never,
}
