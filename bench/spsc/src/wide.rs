//! Queues of items of more than a word, in `spsc.throughput`: the common queues, of ours and of
//! other crates.

use std::num::NonZeroU64;

use aqueduct::error::CapacityError;
use aqueduct::{bbq, spsc};

use super::alone::{Alone, AloneTime};
use super::bounce::{Bounce, Bounced};
use super::kind::{Receiver, Sender};
use super::ours::{Batched, Single};
use super::pair::Fault;
use super::payload::Unloaded;
use super::stream::{Stream, Streamed, stream_over};
use super::subject::{Subject, Workload};
use aqueduct_measure::items::Wide;
use aqueduct_measure::record::{Payload, Role};

/// Returns queues of items of `item_bytes` bytes; none if that size is not built in: a build
/// without the feature `workloads` has none of them.
pub(super) fn all(item_bytes: usize) -> Vec<Box<dyn Subject>> {
    if !cfg!(feature = "workloads") {
        return Vec::new();
    }
    match item_bytes {
        16 => of::<2>(),
        64 => of::<8>(),
        256 => of::<32>(),
        4096 => of::<512>(),
        _ => Vec::new(),
    }
}

fn of<const WORDS: usize>() -> Vec<Box<dyn Subject>> {
    let ours = Role::Ours;
    let text_of = |error: CapacityError| error.to_string();
    #[cfg_attr(not(feature = "peers"), expect(unused_mut, reason = "peers come after them"))]
    let mut all = vec![
        one::<WORDS, _, _>("aqueduct/ring", ours, true, move |n| batched(spsc::ring::new::<Wide<WORDS>>(n))),
        one::<WORDS, _, _>("aqueduct/lamport", ours, false, move |n| {
            let (producer, consumer) = spsc::lamport::new::<Wide<WORDS>>(n).map_err(text_of)?;
            Ok((Single(producer), Single(consumer)))
        }),
        one::<WORDS, _, _>("aqueduct/batched_lamport", ours, true, move |n| {
            batched(spsc::batched_lamport::new::<Wide<WORDS>>(n))
        }),
        one::<WORDS, _, _>("aqueduct/bbq_spsc", ours, true, move |n| bbq::spsc::new::<Wide<WORDS>>(n).map_err(text_of)),
    ];
    #[cfg(feature = "peers")]
    {
        use super::kind::Kind;
        use super::peers::{channels, ringbuf, rtrb, single};
        use ::ringbuf::traits::Split;

        let peer = Role::Peer;
        all.extend([
            one::<WORDS, _, _>(rtrb::Rtrb::NAME, peer, true, |n| Ok(::rtrb::RingBuffer::<Wide<WORDS>>::new(n))),
            one::<WORDS, _, _>(ringbuf::Ringbuf::NAME, peer, true, |n| {
                Ok(::ringbuf::HeapRb::<Wide<WORDS>>::new(n).split())
            }),
            one::<WORDS, _, _>(single::ArrayQueue::NAME, peer, false, single::ArrayQueue::make::<Wide<WORDS>>),
            one::<WORDS, _, _>(
                channels::CrossbeamChannel::NAME,
                peer,
                false,
                channels::CrossbeamChannel::make::<Wide<WORDS>>,
            ),
            one::<WORDS, _, _>(
                channels::StdSyncChannel::NAME,
                peer,
                false,
                channels::StdSyncChannel::make::<Wide<WORDS>>,
            ),
        ]);
    }
    all
}

fn batched<P, C>(opened: Result<(P, C), CapacityError>) -> Result<(Batched<P>, Batched<C>), String> {
    let (producer, consumer) = opened.map_err(|error| error.to_string())?;
    Ok((Batched(producer), Batched(consumer)))
}

/// A queue that `open` makes.
struct Of<S, R> {
    name: &'static str,
    role: Role,
    batches: bool,
    open: Open<S, R>,
}

type Open<S, R> = Box<dyn Fn(usize) -> Result<(S, R), String> + Send + Sync>;

fn one<const WORDS: usize, S, R>(
    name: &'static str,
    role: Role,
    batches: bool,
    open: impl Fn(usize) -> Result<(S, R), String> + Send + Sync + 'static,
) -> Box<dyn Subject>
where
    S: Sender<Wide<WORDS>> + 'static,
    R: Receiver<Wide<WORDS>> + 'static,
{
    let open = move |capacity| {
        open(capacity).map(|(sender, receiver)| (Numbered::<_, WORDS>(sender), Numbered::<_, WORDS>(receiver)))
    };
    Box::new(Of { name, role, batches, open: Box::new(open) })
}

/// A handle with the width of its items in its type.
struct Numbered<H, const WORDS: usize>(H);

impl<const WORDS: usize, S: Sender<Wide<WORDS>>> Sender<NonZeroU64> for Numbered<S, WORDS> {
    #[inline(always)]
    fn push(&mut self, number: NonZeroU64) -> bool {
        self.0.push(Wide::of(number))
    }

    #[inline(always)]
    fn push_batch(&mut self, wanted: usize, make: &mut impl FnMut() -> NonZeroU64) -> usize {
        self.0.push_batch(wanted, &mut || Wide::of(make()))
    }
}

impl<const WORDS: usize, R: Receiver<Wide<WORDS>>> Receiver<NonZeroU64> for Numbered<R, WORDS> {
    #[inline(always)]
    fn pop(&mut self, take: &mut impl FnMut(NonZeroU64)) -> usize {
        self.0.pop(&mut |item| take(item.number()))
    }

    #[inline(always)]
    fn pop_batch(&mut self, wanted: usize, take: &mut impl FnMut(NonZeroU64)) -> usize {
        self.0.pop_batch(wanted, &mut |item| take(item.number()))
    }
}

impl<S: Sender<NonZeroU64>, R: Receiver<NonZeroU64>> Subject for Of<S, R> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn role(&self) -> Role {
        self.role
    }

    fn can(&self, workload: Workload) -> bool {
        match workload {
            Workload::Stream { batch, payload, loaded } => {
                (batch == 1 || self.batches) && payload == Payload::Embedded && !loaded
            }
            Workload::Bounce { .. } | Workload::Alone => false,
        }
    }

    fn stream(&self, spec: &Stream) -> Result<Streamed, Fault> {
        // Numbers need no buffers, so the number of items that fit does not matter.
        stream_over::<Unloaded, _, _>(spec, (self.open)(spec.capacity).map_err(Fault::Refused)?, spec.capacity)
    }

    fn bounce(&self, _spec: &Bounce) -> Result<Bounced, Fault> {
        Err(unable())
    }

    fn alone(&self, _spec: &Alone) -> Result<AloneTime, Fault> {
        Err(unable())
    }
}

fn unable() -> Fault {
    Fault::Refused("items of more than a word are measured in spsc.throughput only".into())
}
