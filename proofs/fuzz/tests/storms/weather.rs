//! Rounds for some seconds, the watchdog of a round that stands still, and the account of messages.

use std::fmt::Display;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::process;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant, SystemTime};

use aqueduct_fuzz::{Random, number};

/// The seconds of each storm, unless the environment sets others: together a minute of the gate.
const SECONDS: u64 = 20;

/// A round takes milliseconds. After this time it stands still, also on a busy machine.
const PATIENCE: Duration = Duration::from_secs(60);

/// Returns the number of threads of a round: at least two.
pub(crate) fn threads() -> usize {
    number("AQUEDUCT_STORM_THREADS").unwrap_or(8).max(2) as usize
}

/// Runs rounds, each of which returns how many `things` it has accounted for.
pub(crate) fn storm(name: &str, things: impl Display, mut round: impl FnMut(&mut Random) -> usize) {
    let clock = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).map_or(1, |time| time.as_millis() as u64);
    let first = number("AQUEDUCT_STORM_SEED").unwrap_or(clock);
    let rounds = number("AQUEDUCT_STORM_ROUNDS");
    let end = Instant::now() + Duration::from_secs(number("AQUEDUCT_STORM_SECONDS").unwrap_or(SECONDS));
    let repeat = move |seed| format!("AQUEDUCT_STORM_SEED={seed} AQUEDUCT_STORM_ROUNDS=1");
    let now = Arc::new(AtomicU64::new(first));
    let (ended, watch) = channel::<()>();
    let watchdog = {
        let (now, name) = (Arc::clone(&now), name.to_owned());
        thread::spawn(move || {
            let mut last = first;
            while watch.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let seed = now.load(SeqCst);
                if seed == last {
                    eprintln!("{name}: a round stands still; to repeat it: {}", repeat(seed));
                    process::exit(101);
                }
                last = seed;
            }
        })
    };
    let (mut seed, mut accounted) = (first, 0);
    while rounds.map_or_else(|| Instant::now() < end, |rounds| seed.wrapping_sub(first) < rounds) {
        match catch_unwind(AssertUnwindSafe(|| round(&mut Random::new(seed)))) {
            Ok(count) => accounted += count,
            Err(panic) => {
                eprintln!("{name}: a round has failed; to repeat it: {}", repeat(seed));
                resume_unwind(panic);
            }
        }
        seed = seed.wrapping_add(1);
        // Twice the patience may pass before the watchdog looks: it looks at whole rounds only.
        now.store(seed, SeqCst);
    }
    drop(ended);
    watchdog.join().expect("the watchdog ends with the storm");
    assert!(accounted > 0, "{name}: nothing was done");
    println!("{name}: {} rounds, {accounted} {things}, each accounted for", seed.wrapping_sub(first));
}

/// The fate of each message of a round: how often it was received, and how often dropped.
#[derive(Debug)]
pub(crate) struct Ledger {
    messages: Vec<(AtomicU32, AtomicU32)>,
}

impl Ledger {
    pub(crate) fn new(count: usize) -> Arc<Self> {
        Arc::new(Self { messages: (0..count).map(|_| Default::default()).collect() })
    }

    /// Asserts that each message was dropped once and received once at most, and returns how many
    /// were received.
    pub(crate) fn close(&self, about: &str) -> usize {
        let mut all = 0;
        for (number, (received, dropped)) in self.messages.iter().enumerate() {
            let (received, dropped) = (received.load(SeqCst), dropped.load(SeqCst));
            assert_eq!(dropped, 1, "{about}: message {number} was dropped {dropped} times");
            assert!(received <= 1, "{about}: message {number} was received {received} times");
            all += received as usize;
        }
        all
    }
}

/// A message that records its end in a ledger.
#[derive(Debug)]
pub(crate) struct Message {
    ledger: Arc<Ledger>,
    number: usize,
}

impl Message {
    /// Each number is used once.
    pub(crate) fn new(ledger: &Arc<Ledger>, number: usize) -> Self {
        Self { ledger: Arc::clone(ledger), number }
    }

    pub(crate) fn receive(self) {
        self.ledger.messages[self.number].0.fetch_add(1, SeqCst);
    }
}

impl Drop for Message {
    fn drop(&mut self) {
        self.ledger.messages[self.number].1.fetch_add(1, SeqCst);
    }
}
