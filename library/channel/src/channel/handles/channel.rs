//! The channel that shared handles refer to.

use crate::channel::core::Core;
use crate::channel::queues::Buffer;
use crate::channel::rendezvous::Rendezvous;

/// A channel of any kind.
#[allow(clippy::large_enum_variant, reason = "a channel has memory of its own, and a box would cost each access")]
pub(crate) enum Channel<T> {
    Buffered(Core<()>, Buffer<T>),
    Rendezvous(Rendezvous<T>),
}
