//! Subscribers of `tracing`. Each run has its own, which its threads make their default: as long as
//! no other subscriber exists, `tracing` caches for each place whether the subscriber wants it.

use std::any::Any;
use std::io;
use std::marker::PhantomData;

use aqueduct_measure::record::Role;
use aqueduct_measure::rounds::Fault;
use tracing::dispatcher::DefaultGuard;
use tracing::{Dispatch, info, info_span};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::{Registry, fmt};

use super::{Handle, Kind, MEMORY};

/// The constructor of a subscriber.
pub(crate) trait Make: 'static {
    const NAME: &'static str;
    const ROLE: Role = Role::Peer;

    /// Makes a subscriber, and a value that has to be kept until its end.
    fn make() -> (Dispatch, Option<Box<dyn Any + Send>>);
}

/// A subscriber of `tracing`.
pub(crate) struct Subscriber<M>(PhantomData<M>);

/// A subscriber, and the value that its end waits for.
pub(crate) struct Run {
    dispatch: Dispatch,
    ends: std::sync::Mutex<Option<Box<dyn Any + Send>>>,
}

/// Keeps the subscriber as the thread's default.
pub(crate) struct Default(#[expect(dead_code, reason = "its end resets the default")] DefaultGuard);

impl Default {
    pub(crate) fn of(dispatch: &Dispatch) -> Self {
        Self(tracing::dispatcher::set_default(dispatch))
    }
}

impl<M: Make> Kind for Subscriber<M> {
    const NAME: &'static str = M::NAME;
    const ROLE: Role = M::ROLE;
    const HAS_SPANS: bool = true;
    type Shared = Run;
    type Handle<'s> = Default;

    fn open() -> Result<Run, Fault> {
        let (dispatch, ends) = M::make();
        Ok(Run { dispatch, ends: std::sync::Mutex::new(ends) })
    }

    fn enter(shared: &Run) -> Default {
        Default::of(&shared.dispatch)
    }

    fn close(shared: Run, _: u64) -> Result<Option<f64>, Fault> {
        let Run { dispatch, ends } = shared;
        drop(dispatch);
        drop(ends);
        Ok(None)
    }
}

impl Handle for Default {
    #[inline(always)]
    fn none(&mut self) {
        info!("none");
    }

    #[inline(always)]
    fn one(&mut self, number: u64) {
        info!(number, "one");
    }

    #[inline(always)]
    fn four(&mut self, [a, b, c, d]: [u64; 4]) {
        info!(a, b, c, d, "four");
    }

    #[inline(always)]
    fn span(&mut self, number: u64) {
        let _entered = info_span!("span", number).entered();
    }
}

/// Formatted lines, which a thread of the crate `tracing-appender` writes to nowhere.
pub(crate) struct Lines;
pub(crate) type Appender = Subscriber<Lines>;

impl Make for Lines {
    const NAME: &'static str = "tracing/fmt + tracing-appender";

    fn make() -> (Dispatch, Option<Box<dyn Any + Send>>) {
        let (writer, guard) = tracing_appender::non_blocking(io::sink());
        (Dispatch::new(fmt().with_writer(writer).with_ansi(false).finish()), Some(Box::new(guard)))
    }
}

/// JSON for Chrome, which a thread of the crate writes to nowhere.
pub(crate) struct Json;
pub(crate) type Chrome = Subscriber<Json>;

impl Make for Json {
    const NAME: &'static str = "tracing/chrome";

    fn make() -> (Dispatch, Option<Box<dyn Any + Send>>) {
        let (layer, guard) = tracing_chrome::ChromeLayerBuilder::new().writer(io::sink()).include_args(true).build();
        (Dispatch::new(Registry::default().with(layer)), Some(Box::new(guard)))
    }
}

/// The last events in memory.
pub(crate) struct Last;
pub(crate) type FlightRecorder = Subscriber<Last>;

impl Make for Last {
    const NAME: &'static str = "tracing/flight-recorder";

    fn make() -> (Dispatch, Option<Box<dyn Any + Send>>) {
        // The crate's limit is a number of events, which it keeps on the heap. With 256 bytes for
        // each, they fill the memory.
        let recorder = tracing_flight_recorder::FlightRecorder::new(MEMORY / 256);
        let layer = tracing_flight_recorder::FlightRecorderLayer::new(recorder);
        (Dispatch::new(Registry::default().with(layer)), None)
    }
}

/// The registry of spans that layers need, without a layer: the least cost of a span with any
/// layer.
pub(crate) struct NoLayer;
pub(crate) type Alone = Subscriber<NoLayer>;

impl Make for NoLayer {
    const NAME: &'static str = "bound/tracing's registry";
    const ROLE: Role = Role::Bound;

    fn make() -> (Dispatch, Option<Box<dyn Any + Send>>) {
        (Dispatch::new(Registry::default()), None)
    }
}
