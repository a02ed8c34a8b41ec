//! Estimates of the number of executions, from probes of the search tree.
//!
//! Knuth's probes keep one alternative at each fork. Where most alternatives lead to few executions
//! and some to many, most of his probes find little, and a few find a hundred times the number of
//! executions: the mean of 20,000 of them was half of it for a client of 7,824 executions. So a
//! probe keeps as many as it can while it has few runs.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::explore::Explorer;
use crate::graph::event::Site;
use crate::report::progress;
use crate::runtime::driver::{self, Driver, Program};
use crate::runtime::facts::Ending;

use super::TICK;

/// An estimate of the number of executions.
///
/// A probe explores a part of the search tree: at each fork it keeps some of the alternatives,
/// chosen at random, and each execution that it reaches stands for as many as would be there if
/// chance had chosen all alike. So the mean of the probes is right on average: this is Knuth's
/// estimator, whose probes keep one alternative at each fork, with larger parts where the program's
/// size allows it.
///
/// # The interval
///
/// Nine of ten intervals [`low`](Self::low) to [`high`](Self::high) hold the number of executions.
/// The two ends differ in kind:
///
/// - `low` is proved. A bet on probes that pay in proportion to their estimates could win 20 times
///   its stake if the number were lower, which has at most one chance in 20, whatever the tree
///   looks like.
/// - `high` cannot be: a part of the tree that few probes reach may hold any number of executions.
///   A few probes then are far above the others, which are all below the number: the mean is too
///   low most of the time, and its standard error, too. So `high` is on the logarithmic scale, and
///   leans on the skewness of the probes. A test measures how often it is above the number. Where
///   the probes differ too much for that, `high` is infinite.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Estimate {
    /// The number of probes. It is 1 if one probe has explored everything, and 0 if preemptions are
    /// bounded and the time was too short to count all executions within the bound: `low` is the
    /// number of those that were found.
    pub probes: u64,
    /// The mean of the probes' estimates.
    pub executions: f64,
    /// The standard error of the mean.
    pub error: f64,
    /// The lower end of the interval.
    pub low: f64,
    /// The upper end of the interval, or infinity.
    pub high: f64,
}

/// The relative standard error above which there is no upper end.
const TOLERABLE: f64 = 0.25;

/// The least number of probes for an upper end.
const LEAST_PROBES: usize = 16;

/// The probability that the lower end is above the number of executions.
const MISSES_BELOW: f64 = 0.05;

/// The number of standard errors by which the upper end is above the mean, if probes are not
/// skewed: 99.5 % of a normal distribution are below.
const ABOVE: f64 = 2.576;

impl Estimate {
    /// Makes the result of a probe that has explored everything.
    fn exact(executions: f64) -> Self {
        Self { probes: 1, executions, error: 0.0, low: executions, high: executions }
    }

    /// Makes the result of a search that has found this number of executions.
    fn at_least(executions: f64) -> Self {
        Self { probes: 0, executions, error: f64::INFINITY, low: executions, high: f64::INFINITY }
    }

    fn of(probes: &[f64]) -> Self {
        let number = probes.len() as f64;
        let mean = probes.iter().sum::<f64>() / number;
        let moment = |power| probes.iter().map(|probe| (probe - mean).powi(power)).sum::<f64>();
        let error = (moment(2) / (number - 1.0) / number).sqrt();
        let low = if mean > 0.0 { low(probes, mean) } else { 0.0 };
        let high = if probes.len() < LEAST_PROBES || error > TOLERABLE * mean || mean == 0.0 {
            f64::INFINITY
        } else if error == 0.0 {
            mean
        } else {
            // Johnson's correction of Student's interval for skewed distributions, on the
            // logarithmic scale.
            let skewness = moment(3) / number / (moment(2) / number).powf(1.5);
            let errors = ABOVE + skewness.max(0.0) * (2.0 * ABOVE * ABOVE + 1.0) / (6.0 * number.sqrt());
            mean * (error / mean * errors).exp()
        };
        Self { probes: probes.len() as u64, executions: mean, error, low, high }
    }

    /// Whether the probes agree well enough for an interval, which does not end below the known
    /// number of `executions`.
    #[must_use]
    pub fn is_plausible(&self, executions: u64) -> bool {
        self.high.is_finite() && executions as f64 <= self.high
    }

    /// Describes the number of executions when `executions` have been explored.
    #[must_use]
    pub fn told(&self, executions: u64) -> String {
        if self.is_plausible(executions) {
            format!("about {self}")
        } else {
            format!("an unknown number, at least {:.1e} ({self} is no estimate)", self.low.max(executions as f64))
        }
    }
}

/// Returns the number of executions above which 20 of the bets on `probes` never win 20 times their
/// stake.
///
/// A bet puts the same share of its money on each probe, which pays its estimate divided by the
/// number of executions that the bet is against. If that number is right, no bet gains on average,
/// whatever the distribution of the probes; so a gain of 1 / [`MISSES_BELOW`] is a reason to
/// believe in a greater number. The money is divided among several shares, because the best one
/// depends on the distribution.
fn low(probes: &[f64], mean: f64) -> f64 {
    const SHARES: i32 = 8;
    let gain = |number: f64| {
        let gains = (1..=SHARES).map(|halvings| {
            let share = 0.5_f64.powi(halvings);
            probes.iter().map(|probe| (share * (probe / number - 1.0)).ln_1p()).sum::<f64>().exp()
        });
        gains.sum::<f64>() / f64::from(SHARES)
    };
    // The gain falls with the number, and is below 1 at the mean.
    let (mut low, mut high) = (0.0, mean);
    for _ in 0..24 {
        let middle = f64::midpoint(low, high);
        if gain(middle) >= MISSES_BELOW.recip() {
            low = middle;
        } else {
            high = middle;
        }
    }
    low
}

impl fmt::Display for Estimate {
    /// Writes the mean, the interval and its coverage.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let &Self { probes, executions, low, high, .. } = self;
        match probes {
            0 => write!(f, "at least {executions:.0}"),
            1 => write!(f, "{executions:.0}, which are all"),
            _ if high.is_finite() => {
                write!(f, "{executions:.1e} (90 %: {low:.1e} to {high:.1e}) by {probes} random probes")
            }
            _ => write!(f, "{executions:.1e} (95 %: at least {low:.1e}) by {probes} random probes"),
        }
    }
}

impl Config {
    /// Estimates how many executions [`check`](Self::check) would explore.
    ///
    /// It makes at most `probes` random probes, at least two, for about `limit`. One `seed` always
    /// makes one set of probes. Executions that fail count, too, but a probe ends at the first of
    /// them, so that programs that fail may have more executions than the estimate. A program
    /// that is small enough is explored as a whole, and the estimate is exact. If
    /// [preemptions](Self::max_preemptions) are bounded, executions are counted for about `limit`,
    /// and the estimate is exact or a lower bound. With
    /// [`progress`](Self::progress), the standard error stream shows the estimate so far.
    ///
    /// # Panics
    ///
    /// If a model runs the caller.
    #[track_caller]
    pub fn estimate<F>(&self, probes: usize, seed: u64, limit: Duration, program: F) -> Estimate
    where
        F: Fn() + Send + Sync + 'static,
    {
        driver::refuse_nesting();
        let program: Program = Arc::new(program);
        self.probe(probes, seed, limit, &program, Location::caller())
    }

    pub(super) fn probe(&self, probes: usize, seed: u64, limit: Duration, program: &Program, site: Site) -> Estimate {
        let began = Instant::now();
        let mut prober = Prober { config: self, driver: Driver::new(self), program, site };
        if self.max_preemptions.is_some() {
            let counted = prober.count(began, limit);
            if prober.has_begun_to_count() {
                return self.clone().all_drop_orders(true).probe(probes, seed, limit, program, site);
            }
            return counted;
        }
        let keep = prober.choose(seed);
        let mut found = Vec::new();
        if keep >= 1.0 && !prober.has_begun_to_count() {
            return Estimate::exact(prober.probe(keep, seed, u64::MAX).executions);
        }
        let mut shown = began;
        while found.len() < 2 || found.len() < probes && began.elapsed() < limit {
            if prober.has_begun_to_count() {
                return self.clone().all_drop_orders(true).probe(probes, seed, limit, program, site);
            }
            found.push(prober.probe(keep, seed.wrapping_add(found.len() as u64), u64::MAX).executions);
            if self.progress && shown.elapsed() >= TICK {
                shown = Instant::now();
                progress::show_estimate(&Estimate::of(&found).told(0), began.elapsed());
            }
        }
        if shown > began {
            progress::clear();
        }
        Estimate::of(&found)
    }
}

/// The probabilities to choose from. The first one leaves one alternative of each choice.
const KEPT: [f64; 9] = [0.0, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1.0];

/// The number of probes that show how much work a probability makes, and how many runs they may
/// have in all.
const TRIES: u64 = 4;
const RUNS: u64 = 256;

/// The maker of probes of a program.
struct Prober<'a> {
    config: &'a Config,
    driver: Driver,
    program: &'a Program,
    site: Site,
}

/// The findings of a probe.
struct Probe {
    /// Its estimate of the number of executions.
    executions: f64,
    runs: u64,
}

impl Prober<'_> {
    /// Whether a run has needed a count of owners that was not kept.
    fn has_begun_to_count(&mut self) -> bool {
        self.driver.engine().needs_counts
    }

    /// Returns the greatest probability whose probes have few runs: the more of the tree a probe
    /// sees, the less they differ.
    fn choose(&mut self, seed: u64) -> f64 {
        let mut chosen = KEPT[0];
        for keep in KEPT.into_iter().skip(1) {
            let mut runs = 0;
            for attempt in 0..TRIES {
                runs += self.probe(keep, !seed.wrapping_add(attempt), RUNS + 1 - runs).runs;
                if runs > RUNS {
                    return chosen;
                }
            }
            chosen = keep;
        }
        chosen
    }

    /// Counts the executions within a bound on preemptions, for as long as `limit`. The findings of
    /// the search decide its further course, so that a part of it is no measure of the rest.
    fn count(&mut self, began: Instant, limit: Duration) -> Estimate {
        self.driver.engine().explorer = Explorer::new(self.config.rules());
        let mut executions = 0.0;
        while began.elapsed() < limit && !self.has_begun_to_count() {
            let ending = self.driver.run(self.program, self.site);
            let explorer = &mut self.driver.engine().explorer;
            let is_failed = matches!(ending, Ending::Failed(_));
            executions += f64::from(is_failed || matches!(ending, Ending::Complete) && explorer.is_counted());
            explorer.finish();
            if is_failed || !explorer.backtrack() {
                return Estimate::exact(executions);
            }
        }
        Estimate::at_least(executions)
    }

    /// Explores a part of the search tree, in `most` runs at most.
    fn probe(&mut self, keep: f64, seed: u64, most: u64) -> Probe {
        let engine = self.driver.engine();
        engine.explorer = Explorer::prober(self.config.rules(), keep, seed);
        engine.explorer.equates_threads = self.config.equates_threads();
        let mut probe = Probe { executions: 0.0, runs: 0 };
        while probe.runs < most {
            let ending = self.driver.run(self.program, self.site);
            let explorer = &mut self.driver.engine().explorer;
            probe.runs += 1;
            if matches!(ending, Ending::Failed(_) | Ending::Complete) {
                probe.executions += explorer.ways_so_far();
            }
            explorer.finish();
            // After an error of memory there is nothing to go back to.
            if matches!(ending, Ending::Failed(_)) || !explorer.backtrack() {
                break;
            }
        }
        probe
    }
}
