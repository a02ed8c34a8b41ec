//! Each runtime answers each protocol, in closed and open loops.

use std::time::Duration;

use aqueduct_pool_examples::load::{self, Load, Protocol, RUNTIMES};

#[test]
fn every_server_answers() {
    for protocol in [Protocol::Http1, Protocol::Http2, Protocol::Grpc] {
        let streams = if protocol == Protocol::Http1 { 1 } else { 3 };
        for runtime in RUNTIMES {
            for rate in [None, Some(500.0)] {
                let load = Load { protocol, connections: 3, streams, rate, time: Duration::from_millis(50) };
                let outcome = load::measure(runtime, 2, load).unwrap_or_else(|error| panic!("{runtime}: {error}"));
                assert!(outcome.rate > 0.0 && outcome.times[3] >= outcome.times[0], "{runtime}: {outcome:?}");
            }
        }
    }
}
