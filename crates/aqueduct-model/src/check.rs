//! A check from start to end.

use std::panic::Location;
use std::sync::Arc;
use std::time::Instant;

use crate::config::Config;
use crate::report::Report;
use crate::runtime::driver::{Driver, Program};
use crate::runtime::engine::Ending;

/// Explores every execution of `program` with the default configuration.
///
/// # Panics
///
/// If an execution fails: with the failure, its trace, and how to replay it.
#[track_caller]
pub fn model<F>(program: F)
where
    F: Fn() + Send + Sync + 'static,
{
    let report = Config::new().check(program);
    if let Some(failure) = report.failure {
        panic!("{failure}");
    }
}

impl Config {
    /// Explores every execution of `program`. Does not panic when one fails.
    #[track_caller]
    pub fn check<F>(&self, program: F) -> Report
    where
        F: Fn() + Send + Sync + 'static,
    {
        let site = Location::caller();
        let program: Program = Arc::new(program);
        let began = Instant::now();
        let mut driver = Driver::new(self);
        let mut report = Report::default();
        loop {
            match driver.run(&program, site) {
                Ending::Complete => {
                    report.executions += 1;
                    report.events += driver.engine().explorer.graph.order.len() as u64;
                }
                Ending::Blocked => report.blocked += 1,
                Ending::Discarded => report.discarded += 1,
                Ending::Failed(failure) => {
                    report.failure = Some(*failure);
                    break;
                }
            }
            let over_time = (self.time_limit)
                .is_some_and(|limit| report.executions % 64 == 0 && began.elapsed() > limit);
            if over_time || self.max_executions.is_some_and(|limit| report.executions >= limit) {
                break;
            }
            if !driver.engine().explorer.backtrack() {
                report.exhaustive = true;
                break;
            }
        }
        report.seconds = began.elapsed().as_secs_f64();
        report
    }
}
