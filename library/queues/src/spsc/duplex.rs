//! Two queues of opposite directions in the same cache lines, for requests and responses.
//!
//! # When not to use it
//! If both directions stream at full speed, the ends disturb each other. Take two
//! [`ring`](super::ring)s then.
//!
//! # Guarantees
//! Each direction has the [guarantees of `ring`](super::ring#guarantees).
//!
//! # Design and proof
//! When two threads pass one item to and fro, two separate queues cost four crossings between the
//! cores for a round trip: on either way the writer must first take its line away from the reader
//! that waits at it (one crossing), then the reader must fetch the line (another). If both
//! directions share a line, the reader that fetches the request receives the line with the right to
//! write it, because processors hand over a modified line as a whole. It finds room for the
//! response in that line, and saves the first crossing: a round trip costs two crossings. A line
//! holds two stamps and, with items of 8 bytes, three slots for each direction.

use super::lines::{SharedWith, shared_lines};
use super::stamped_line::{REPORT_EVERY, RawConsumer, RawProducer, on_lines};
use crate::error::CapacityError;

/// The producer's handle for items `T`; items `U` go the other way.
pub type Producer<T, U> = super::Producer<RawProducer<T, SharedWith<U>>>;
/// The consumer's handle for items `T`; items `U` go the other way.
pub type Consumer<T, U> = super::Consumer<RawConsumer<T, SharedWith<U>>>;

/// One side of a connection: it sends items `S` and receives items `R`.
///
/// # Examples
/// ```
/// use aqueduct::spsc::duplex::{self, Side};
///
/// /// Doubles what has been asked for.
/// fn serve(side: &mut Side<u64, u64>) {
///     while let Ok(request) = side.consumer.pop() {
///         side.producer.push(request * 2).expect("there is room for the response to each request");
///     }
/// }
///
/// let (mut client, mut server) = duplex::new(16)?;
/// client.producer.push(21)?;
/// serve(&mut server);
/// assert_eq!(client.consumer.pop()?, 42);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
/// The fields may be moved out and used apart.
#[derive(Debug)]
pub struct Side<S: Send, R: Send> {
    /// The handle that sends to the other side.
    pub producer: Producer<S, R>,
    /// The handle that receives from the other side.
    pub consumer: Consumer<R, S>,
}

/// Makes a connection with room for at least `capacity` items either way.
///
/// # Errors
/// [`CapacityError`] if `capacity` is 0, or its bytes overflow, or there is no memory.
///
/// # Examples
/// ```
/// let (mut client, mut server) = aqueduct::spsc::duplex::new::<u32, String>(16)?;
/// client.producer.push(7)?;
/// let request = server.consumer.pop()?;
/// server.producer.push(format!("{request}!")).map_err(|_| "full")?;
/// assert_eq!(client.consumer.pop()?, "7!");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[expect(clippy::type_complexity, reason = "the two sides are each other's mirror image")]
pub fn new<A: Send, B: Send>(capacity: usize) -> Result<(Side<A, B>, Side<B, A>), CapacityError> {
    starting_at(capacity, REPORT_EVERY, 0)
}

/// Makes a connection whose indices start at `index`, for tests near their end.
///
/// The consumers report every `report_every` lines (at least 1).
#[doc(hidden)]
#[expect(clippy::type_complexity, reason = "as above")]
pub fn starting_at<A: Send, B: Send>(
    capacity: usize,
    report_every: usize,
    index: usize,
) -> Result<(Side<A, B>, Side<B, A>), CapacityError> {
    let (there, back) = shared_lines::<A, B>(capacity, report_every, index)?;
    let (to_server, from_client) = on_lines(there, capacity, report_every, index)?;
    let (to_client, from_server) = on_lines(back, capacity, report_every, index)?;
    let client = Side { producer: to_server, consumer: from_server };
    let server = Side { producer: to_client, consumer: from_client };
    Ok((client, server))
}
