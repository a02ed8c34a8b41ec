//! `hello` and `greeter` under load, on our pool, on tokio, and on smol: requests a second, times,
//! processor time, and the workers' thefts.
//!
//! The server's connections, bodies and settings are equal in all runtimes; no server sets timers.

mod client;
mod servers;
mod wire;

use std::fmt;
use std::io;
use std::net::TcpListener;
use std::time::Duration;

use aqueduct_measure::machine;

pub use client::Load;
pub use wire::Protocol;

use servers::Server;

/// The runtimes' names.
pub const RUNTIMES: [&str; 4] =
    [servers::Ours::NAME, servers::OursWithTokio::NAME, servers::Tokio::NAME, servers::Smol::NAME];

/// The figures of one run of a server.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Answered requests a second.
    pub rate: f64,
    /// Times of answers in microseconds: p50, p90, p99 and p99.9.
    pub times: [f64; 4],
    /// The server's processor time of an answer, in microseconds.
    pub processor: f64,
    /// Thefts and sleeps of workers for a thousand answers, if the runtime counts them.
    pub counts: Option<(f64, f64)>,
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [p50, p90, p99, p999] = self.times;
        write!(f, "{:>9.0} {p50:>8.1} {p90:>8.1} {p99:>8.1} {p999:>8.1} {:>8.2}", self.rate, self.processor)?;
        match self.counts {
            Some((thefts, sleeps)) => write!(f, " {thefts:>8.2} {sleeps:>8.2}"),
            None => write!(f, " {:>8} {:>8}", "-", "-"),
        }
    }
}

impl Outcome {
    /// Returns the median of each figure.
    ///
    /// # Panics
    /// If there is no outcome.
    #[must_use]
    pub fn median(outcomes: &[Self]) -> Self {
        let of = |figure: &dyn Fn(&Self) -> f64| {
            let mut figures: Vec<f64> = outcomes.iter().map(figure).collect();
            figures.sort_by(f64::total_cmp);
            figures[figures.len() / 2]
        };
        let count = |figure: &dyn Fn((f64, f64)) -> f64| of(&|outcome| outcome.counts.map_or(0.0, figure));
        Self {
            rate: of(&|outcome| outcome.rate),
            times: std::array::from_fn(|place| of(&|outcome| outcome.times[place])),
            processor: of(&|outcome| outcome.processor),
            counts: outcomes[0].counts.map(|_| (count(&|counts| counts.0), count(&|counts| counts.1))),
        }
    }
}

/// Measures a server on this runtime, after a tenth of the time without measurement.
///
/// # Errors
/// If a connection fails, or an answer is wrong.
///
/// # Panics
/// If there is no such runtime.
pub fn measure(runtime: &str, workers: usize, load: Load) -> io::Result<Outcome> {
    match runtime {
        servers::Ours::NAME => measure_on::<servers::Ours>(workers, load),
        servers::OursWithTokio::NAME => measure_on::<servers::OursWithTokio>(workers, load),
        servers::Tokio::NAME => measure_on::<servers::Tokio>(workers, load),
        servers::Smol::NAME => measure_on::<servers::Smol>(workers, load),
        other => panic!("no runtime is named {other}"),
    }
}

fn measure_on<S: Server>(workers: usize, load: Load) -> io::Result<Outcome> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    listener.set_nonblocking(true)?;
    let address = listener.local_addr()?;
    let server = S::start(workers, listener, load.protocol)?;
    client::run(address, Load { time: load.time / 10, ..load })?;
    let (ran_before, counted_before) = (machine::time_on_cores().unwrap_or_default(), server.counts());
    let seen = client::run(address, load)?;
    let ran = machine::time_on_cores().unwrap_or_default().saturating_sub(ran_before + seen.processor);
    let counted = server.counts();
    server.stop();
    let answers = seen.times.count().max(1) as f64;
    Ok(Outcome {
        rate: answers / seen.elapsed.as_secs_f64(),
        times: [0.5, 0.9, 0.99, 0.999].map(|fraction| seen.times.quantile_ns(fraction) / 1e3),
        processor: as_micros(ran) / answers,
        counts: counted_before.zip(counted).map(|(before, after)| {
            let per_thousand = |before: usize, after: usize| (after - before) as f64 * 1e3 / answers;
            (per_thousand(before.thefts, after.thefts), per_thousand(before.sleeps, after.sleeps))
        }),
    })
}

fn as_micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}
