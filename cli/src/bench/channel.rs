//! `aqueduct bench channel`: channels for threads and for tasks.

use std::time::Duration;

use anyhow::Result;
use aqueduct_bench_channel::{self as channel, Experiment, Plan};
use aqueduct_measure::rounds::Threads;

use super::knobs::Knobs;
use super::results::{self, or};
use crate::job::Job;
use crate::{INTERRUPTED, SUCCESS, interrupt, output};

/// Options of `aqueduct bench channel`.
///
/// Channels side by side with those of other crates, between threads, and between tasks of a tokio
/// runtime with two workers. Every run is checked: each message came once.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ChannelArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Channels to measure, ours and others, separated by commas: a crate or a channel of it
    /// [default: all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Numbers of senders and receivers [default: 1x1,4x1,1x4,4x4, quick: 1x1,4x1]
    #[arg(long, value_delimiter = ',', value_name = "SxR")]
    threads: Vec<Threads>,
    /// Capacities in messages, 0 for rendezvous channels, in `blocking` and `tasks` [default:
    /// 1,100,4096, quick: 100]
    #[arg(long, value_delimiter = ',', value_name = "MESSAGES")]
    capacity: Vec<usize>,
    /// Leave out channels without a limit in `blocking` and `tasks`
    #[arg(long)]
    no_unbounded: bool,
    /// Instead of measuring: send this number of messages over each channel of `dropped`, and
    /// report that none was lost
    #[arg(long, value_name = "COUNT")]
    lose_none_of: Option<u64>,
    /// Show all channels, and measure nothing
    #[arg(long)]
    list: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  blocking   messages per second between threads
  tasks      messages per second between tasks
  pingpong   a message there and one back, between two threads or tasks that sleep meanwhile
  pinball    balls that pass between 13 tasks with a channel each
  funnel     13 tasks send to one, eight times side by side
  bursts     16 messages, and then nothing for half a millisecond: their delay, and their cost
  open_loop  a message is due every 20 and every 2 microseconds: the delay of its receipt
  one_core   a sender and a receiver on one core
  alone      one thread sends and receives: the cost of a message while no thread waits
  select     receives from eight channels
  oneshot    a channel for one message is made, used and dropped
  broadcast  a task sends to 1, 4 and 16 others, and each receives all messages or counts those that it loses
  latest     a task sends values, and 1, 4 and 16 others read the newest one
  dropped    tasks drop by chance half of the futures that are not ready at once

Examples:
  aqueduct bench channel --quick --html page.html
  aqueduct bench channel blocking --threads 1x1,4x4 --capacity 0,100 --no-unbounded --rounds 21
  aqueduct bench channel pingpong alone --queues aqueduct,crossbeam-channel,std --json runs.jsonl
  aqueduct bench channel --lose-none-of 100000000 --queues aqueduct";

impl ChannelArgs {
    fn plan(&self) -> Plan {
        let all = [Threads::PAIR, Threads::new(4, 1), Threads::new(1, 4), Threads::new(4, 4)];
        let (threads, capacities) =
            if self.knobs.is_quick() { (&all[..2], vec![100]) } else { (&all[..], vec![1, 100, 4096]) };
        Plan {
            experiments: or(&self.experiments, Experiment::ALL.to_vec()),
            queues: self.queues.clone(),
            peers: self.knobs.peers(),
            threads: or(&self.threads, threads.to_vec()),
            capacities: or(&self.capacity, capacities),
            unbounded: !self.no_unbounded,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
        }
    }
}

impl Job for ChannelArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(channel::outlook(&self.plan()))
    }

    /// Measures, prints the tables, writes the requested files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(channel::names());
        }
        let plan = self.plan();
        if let Some(messages) = self.lose_none_of {
            return lose_none_of(messages, &plan);
        }
        self.knobs.run(
            |stop, observer| channel::run(&plan, stop, observer),
            &[
                "All wait as their authors have them wait. Tasks run on a tokio runtime with two workers, a core each.",
                "Benches that end in `unbounded` are of channels without a limit. In others, a channel of capacity 0 is a rendezvous channel.",
                "In `dropped`, half of the futures that are not ready at once are dropped, by chance. Only ours and tokio's promise that no message \
                 is lost then.",
                "Every run checks how many messages came, and their sum.",
            ],
        )
    }
}

/// Sends `messages` messages over each channel while futures are dropped, and prints a line for
/// each.
fn lose_none_of(messages: u64, plan: &Plan) -> Result<u8> {
    let stop = interrupt::listen()?;
    let mut printed = Ok(());
    let mut say = |name: &str, words: &str, came: u64, elapsed: Duration| {
        let line = format!("{name:<18} {words:<36} {came:>11} messages, none lost, {:>6.1} s\n", elapsed.as_secs_f64());
        if printed.is_ok() {
            printed = output::print(&line);
        }
    };
    channel::lose_nothing(plan, messages, stop, &mut say).map_err(anyhow::Error::msg)?;
    printed?;
    if interrupt::interrupted() {
        output::print("Stopped by Ctrl-C.\n")?;
        return Ok(INTERRUPTED);
    }
    Ok(SUCCESS)
}
