//! The parts that every bench needs, without a queue: the machine and its cores, threads that start
//! together, rounds of measurements, statistics, records, and reports of them.
//!
//! A bench lists its [`Cell`](rounds::Cell)s, has them measured by [`rounds::measure`], and passes
//! the resulting [`Record`](record::Record)s to [`report`].

pub mod chance;
pub mod counters;
pub mod crew;
pub mod items;
pub mod load;
pub mod machine;
pub mod names;
pub mod rate;
pub mod record;
pub mod report;
pub mod rounds;
pub mod run;
pub mod statistics;
pub mod times;
pub mod topology;
pub mod unit;
