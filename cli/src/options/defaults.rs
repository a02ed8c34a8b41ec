//! The help quotes the defaults of the plans correctly.

use std::fmt::Display;
use std::time::Duration;

use aqueduct_bench_mpmc::mpmc;
use aqueduct_bench_spsc as spsc;
use aqueduct_bench_steal as steal;
use aqueduct_zoo::speed;
use clap::{CommandFactory, Parser};

use super::Options;

/// Returns the help of an option of a bench.
fn help(bench: &str, option: &str) -> String {
    let command = Options::command();
    let benches = command.find_subcommand("bench").expect("there are benches");
    let of_bench = benches.find_subcommand(bench).unwrap_or_else(|| panic!("there is no bench {bench}"));
    let argument = of_bench.get_arguments().find(|argument| argument.get_long() == Some(option));
    let argument = argument.unwrap_or_else(|| panic!("{bench} has no --{option}"));
    argument.get_help().map(ToString::to_string).unwrap_or_default()
}

#[track_caller]
fn quotes(bench: &str, option: &str, defaults: &str) {
    let help = help(bench, option);
    assert!(help.contains(&format!("[default: {defaults}")), "--{option} of {bench} says: {help}");
}

fn full_and_quick(full: impl Display, quick: impl Display) -> String {
    format!("{full}, quick: {quick}]")
}

fn list(values: &[impl Display]) -> String {
    values.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}

/// Formats a range from the first value to the last.
fn range(values: &[usize]) -> String {
    format!("{} to {}", values[0], values[values.len() - 1])
}

fn ms(duration: Duration) -> u128 {
    duration.as_millis()
}

#[test]
fn those_of_one_producer_and_one_consumer() {
    let (full, quick) = (spsc::Plan::full(), spsc::Plan::quick());
    quotes("spsc", "rounds", &full_and_quick(full.rounds, quick.rounds));
    quotes("spsc", "time", &full_and_quick(ms(full.slice), ms(quick.slice)));
    quotes("spsc", "cell-time", &full_and_quick(ms(full.matrix_slice), ms(quick.matrix_slice)));
    assert_eq!(full.limit, None);
    quotes("spsc", "limit", &full_and_quick("none", quick.limit.map_or(0, |limit| limit.time.as_secs())));
    let (stream, bounce) = (format!("{:?}", full.stream_wait), format!("{:?}", full.bounce_wait));
    quotes("spsc", "wait", &format!("{} and {}", stream.to_lowercase(), bounce.to_lowercase()));
}

#[test]
fn those_of_many_threads() {
    let (full, quick) = (mpmc::Plan::full(), mpmc::Plan::quick());
    quotes("mpmc", "rounds", &full_and_quick(full.rounds, quick.rounds));
    quotes("mpmc", "slice", &full_and_quick(ms(full.slice), ms(quick.slice)));
    quotes("mpmc", "batch", &list(&full.batches));
    quotes("mpmc", "blocks", &full_and_quick(range(&full.blocks), range(&quick.blocks)));
    quotes("mpmc", "block-size", &full_and_quick(range(&full.block_sizes), range(&quick.block_sizes)));
    let capacities = (full.capacity, full.drain_capacity, full.latency_capacity);
    quotes("mpmc", "capacity", &format!("{}, drain: {}, latency: {}]", capacities.0, capacities.1, capacities.2));
}

#[test]
fn those_of_work_stealing() {
    let (full, quick) = (steal::Plan::full(), steal::Plan::quick());
    quotes("steal", "rounds", &full_and_quick(full.rounds, quick.rounds));
    quotes("steal", "slice", &full_and_quick(ms(full.slice), ms(quick.slice)));
    quotes("steal", "stolen", &list(&full.percents));
    quotes("steal", "batch", &list(&full.batches));
    quotes("steal", "factors", &full_and_quick(list(&full.factors), list(&quick.factors)));
    quotes("steal", "blocks", &list(&full.blocks));
}

#[test]
fn those_of_the_model_checkers() {
    let (full, quick) = (speed::Plan::full(), speed::Plan::quick());
    quotes("model", "rounds", &full_and_quick(full.rounds, quick.rounds));
    quotes("model", "limit", &full_and_quick(full.limit.as_secs_f64(), quick.limit.as_secs_f64()));
}

/// A quick run ends in time because its plan has a time limit. Tests of the plans show what is then
/// left out.
#[test]
fn each_quick_bench_has_an_end_within_a_minute() {
    let all = [
        "spsc",
        "mpmc",
        "mpmc oversubscription",
        "channel",
        "pool",
        "recorder",
        "drop-old",
        "records",
        "shm",
        "exchange",
        "steal",
        "cnq",
        "nblfq",
    ];
    let optional = [
        ("channel", cfg!(feature = "channels")),
        ("pool", cfg!(feature = "pools")),
        ("recorder", cfg!(feature = "recorders")),
        ("shm", cfg!(feature = "processes")),
    ];
    let is_built = |bench: &&str| !optional.contains(&(*bench, false));
    for bench in all.into_iter().filter(is_built) {
        // 10,000 rounds take hours.
        let line = format!("aqueduct bench {bench} --quick --rounds 10000");
        let options = Options::try_parse_from(line.split(' ')).unwrap_or_else(|error| panic!("{error}"));
        let outlook = options.command.expect("a bench").job().outlook().expect("it can be measured");
        let least = outlook.split(" s at least").next().and_then(|before| before.rsplit(' ').next());
        let least: f64 = least.and_then(|seconds| seconds.parse().ok()).unwrap_or_else(|| panic!("{outlook}"));
        assert!((1.0..60.0).contains(&least), "{bench}: {outlook}");
    }
}
