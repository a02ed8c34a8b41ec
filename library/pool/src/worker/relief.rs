//! Relief for a pool whose workers all wait and take nothing but their own work ([rule
//! 4](super::wait)).

use std::sync::Arc as Shared;
use std::task::{Wake, Waker};
use std::time::{Duration, Instant};

use crate::registry::Registry;
use crate::sync::{Arc, WATCHES};
use crate::time::clock;

/// The time until a worker takes other work beyond its bound: stacks grow by at most one job in
/// this time.
const PERIOD: Duration = Duration::from_millis(1);

struct Relief(Arc<Registry>);

impl Wake for Relief {
    fn wake(self: Shared<Self>) {
        self.0.sleep().relieve();
    }
}

/// Makes one worker take other work after a period, unless a worker is awake by then.
pub(super) fn call(registry: &Arc<Registry>) {
    if WATCHES {
        clock::set(Instant::now() + PERIOD, &Waker::from(Shared::new(Relief(Arc::clone(registry)))));
    } else {
        registry.sleep().relieve();
    }
}
