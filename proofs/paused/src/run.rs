//! The workouts, round by round, until the time is up.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use aqueduct_paused::pauses::Mode;
use aqueduct_paused::workouts::Case;

use crate::options::Options;

/// The results of one case, in one mode.
#[derive(Clone, Default)]
struct Tally {
    rounds: u64,
    items: u64,
    points: u64,
    least_k: usize,
    /// The round that failed, its error, and its time.
    failure: Option<(u64, String, Duration)>,
}

/// A case in one mode, and its results.
struct Job {
    case: Case,
    mode: Mode,
    tally: Mutex<Tally>,
}

/// The time after which the next case runs.
const SLICE: Duration = Duration::from_millis(20);

/// Runs the options' cases. Returns whether an error was found.
pub(crate) fn run(options: &Options) -> Result<bool, String> {
    let cases = options.cases();
    if cases.is_empty() {
        return Err("there is no such case".to_owned());
    }
    let begin = Instant::now();
    let modes = if options.round.is_some() { &[Mode::Turns] } else { options.mode.each() };
    let mut jobs = Vec::new();
    for (past, &mode) in modes.iter().enumerate() {
        let end = begin + Duration::from_secs_f64(options.seconds * (past + 1) as f64 / modes.len() as f64);
        let of_mode = cases.iter().map(|&case| Job { case, mode, tally: Mutex::default() }).collect();
        jobs.extend(work(options, of_mode, begin, end));
        if options.first && jobs.iter().any(|job| job.tally().failure.is_some()) {
            break;
        }
    }
    print(options, &jobs, begin.elapsed());
    Ok(jobs.iter().any(|job| job.tally().failure.is_some()))
}

impl Job {
    fn tally(&self) -> Tally {
        self.tally.lock().expect("nobody panics with it").clone()
    }

    /// Runs some rounds. Returns whether more will follow.
    fn run(&self, options: &Options, begin: Instant) -> bool {
        let since = Instant::now();
        loop {
            let mut tally = self.tally.lock().expect("nobody panics with it");
            if tally.failure.is_some() {
                return false;
            }
            let round = options.round.unwrap_or((options.seed << 32) + tally.rounds);
            tally.rounds += 1;
            drop(tally);
            let outcome = self.case.run(self.mode, round, options.fault);
            let mut tally = self.tally.lock().expect("nobody panics with it");
            tally.points += outcome.points;
            match outcome.result {
                Ok(found) => {
                    tally.items += found.items as u64;
                    tally.least_k = tally.least_k.max(found.least_k);
                }
                Err(what) => tally.failure = tally.failure.take().or(Some((round, what, begin.elapsed()))),
            }
            if options.round.is_some() || tally.failure.is_some() {
                return false;
            }
            if since.elapsed() > SLICE {
                return true;
            }
        }
    }
}

/// Runs the jobs in turn until the time is up, on all cores.
fn work(options: &Options, jobs: Vec<Job>, begin: Instant, end: Instant) -> Vec<Job> {
    let cores = options.cores.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let workers = if jobs[0].mode == Mode::Free { cores.div_ceil(4) } else { cores };
    let (next, is_over) = (AtomicUsize::new(0), AtomicBool::new(false));
    // Ordering: Relaxed throughout, because these are a number and a hint.
    let worker = || {
        let mut idle = 0;
        while idle < jobs.len() && !is_over.load(Ordering::Relaxed) {
            let at = next.fetch_add(1, Ordering::Relaxed);
            // Each case is run once, however short the time is.
            if Instant::now() > end && at >= jobs.len() || options.round.is_some() && at >= jobs.len() {
                break;
            }
            let job = &jobs[at % jobs.len()];
            idle = if job.run(options, begin) { 0 } else { idle + 1 };
            if options.first && job.tally().failure.is_some() {
                is_over.store(true, Ordering::Relaxed);
            }
        }
    };
    thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(worker)).collect();
        let mut said = Instant::now();
        while !workers.iter().all(|worker| worker.is_finished()) {
            thread::sleep(Duration::from_millis(20));
            if said.elapsed() > Duration::from_secs(2) {
                said = Instant::now();
                say(&jobs, begin);
            }
        }
    });
    jobs
}

/// Prints the progress.
fn say(jobs: &[Job], begin: Instant) {
    let tallies: Vec<Tally> = jobs.iter().map(Job::tally).collect();
    let rounds: u64 = tallies.iter().map(|tally| tally.rounds).sum();
    let failures = tallies.iter().filter(|tally| tally.failure.is_some()).count();
    eprintln!("{:4} s  {:?}: {rounds} rounds, {failures} cases failed", begin.elapsed().as_secs(), jobs[0].mode);
}

fn print(options: &Options, jobs: &[Job], took: Duration) {
    if options.json {
        println!("{{\"seconds\": {:.2}, \"seed\": {}, \"cases\": [", took.as_secs_f64(), options.seed);
    }
    for (number, Job { case, mode, tally }) in jobs.iter().enumerate() {
        let Tally { rounds, items, points, least_k, failure } = &*tally.lock().expect("nobody panics with it");
        if options.json {
            let failure = failure.as_ref().map_or("null".to_owned(), |(round, what, after)| {
                let (what, after) = (what.escape_default(), after.as_secs_f64());
                format!("{{\"round\": {round}, \"what\": \"{what}\", \"after\": {after:.3}}}")
            });
            let comma = if number + 1 < jobs.len() { "," } else { "" };
            println!(
                "  {{\"case\": \"{case}\", \"mode\": \"{mode:?}\", \"rounds\": {rounds}, \"items\": {items}, \
                 \"points\": {points}, \"least_k\": {least_k}, \"failure\": {failure}}}{comma}"
            );
        } else {
            println!("{case:36} {mode:?}  {rounds:8} rounds  {items:10} items  {points:11} points  k >= {least_k}");
            if let Some((round, what, after)) = failure {
                println!("    FAILED in round {round}, after {:.2} s: {what}", after.as_secs_f64());
                if *mode == Mode::Turns {
                    let fault = options.fault.map_or(String::new(), |fault| format!(" --fault {fault:?}"));
                    println!("    again: aqueduct-paused --only \"{case}\" --round {round}{fault}");
                }
            }
        }
    }
    if options.json {
        println!("]}}");
    }
}
