//! Estimates of the number of executions, from probes of the search tree.

use std::fmt;
use std::panic::Location;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::config::Config;
use crate::explore::Explorer;
use crate::graph::event::Site;
use crate::runtime::driver::{self, Driver, Program};
use crate::runtime::facts::Ending;

/// Knuth's estimate of the number of executions.
///
/// A probe goes down the search tree from its root, and picks one branch at each node at random. Its estimate
/// is the product of the numbers of branches on its path. The mean of many probes comes close to the number
/// of executions. But most executions can lie in parts of the tree that few probes reach; then the mean is
/// too low, and so is its error.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub struct Estimate {
    /// The number of probes.
    pub probes: u64,
    /// The mean of the probes' estimates.
    pub executions: f64,
    /// The standard error of the mean.
    pub error: f64,
}

/// The relative standard error above which a mean is no estimate.
const TOLERABLE: f64 = 0.25;

impl Estimate {
    fn of(probes: &[f64]) -> Self {
        let number = probes.len() as f64;
        let mean = probes.iter().sum::<f64>() / number;
        let variance = probes.iter().map(|probe| (probe - mean).powi(2)).sum::<f64>() / (number - 1.0);
        Self { probes: probes.len() as u64, executions: mean, error: (variance / number).sqrt() }
    }

    /// Whether the probes agree well enough, and the mean is not below the known number of `executions`.
    #[must_use]
    pub fn is_plausible(&self, executions: u64) -> bool {
        self.error <= TOLERABLE * self.executions && executions as f64 <= self.executions + 2.0 * self.error
    }

    /// Describes the number of executions when so many have been explored.
    #[must_use]
    pub fn told(&self, executions: u64) -> String {
        if self.is_plausible(executions) {
            format!("about {self}")
        } else {
            format!("an unknown number ({self} is no estimate)")
        }
    }
}

impl fmt::Display for Estimate {
    /// Writes the mean and its standard error.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1e} ± {:.1e} by {} random probes", self.executions, self.error, self.probes)
    }
}

impl Config {
    /// Estimates how many executions [`check`](Self::check) would explore.
    ///
    /// It makes at most so many random probes, at least two, for about so long. One `seed` always makes one
    /// set of probes. Executions that fail count, too.
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
        let mut driver = Driver::new(self);
        let mut found = Vec::new();
        while found.len() < 2 || found.len() < probes && began.elapsed() < limit {
            driver.engine().explorer = Explorer::prober(self.rules(), seed.wrapping_add(found.len() as u64));
            found.push(loop {
                let ending = driver.run(program, site);
                let explorer = &mut driver.engine().explorer;
                if let Ending::Complete | Ending::Failed(_) = ending {
                    break explorer.ways_so_far();
                }
                explorer.finish();
                if !explorer.backtrack() {
                    break 0.0;
                }
            });
        }
        Estimate::of(&found)
    }
}
