//! `aqueduct bench shm`: messages between two processes.

use anyhow::{Result, anyhow};
use aqueduct_bench_shm::{self as shm, Experiment, Follower, Plan, SIZES, Wait};
use aqueduct_measure::rounds::Threads;

use super::knobs::Knobs;
use super::results::{self, or};
use crate::SUCCESS;
use crate::job::Job;

/// Options of `aqueduct bench shm`.
///
/// The queues of `aqueduct-shm` between two processes, each on a core, beside other ways between
/// processes. Each message is checked. Linux only.
#[derive(Debug, clap::Args)]
#[command(after_help = AFTER_HELP)]
pub(crate) struct ShmArgs {
    /// Experiments to run, see below [default: all]
    #[arg(value_name = "EXPERIMENT")]
    experiments: Vec<Experiment>,
    /// Ways to measure, ours and others, separated by commas: a crate or a queue of it [default:
    /// all]
    #[arg(long, value_delimiter = ',', value_name = "NAME")]
    queues: Vec<String>,
    /// Bytes of a message: 8, 64 or 1024 [default: 8,64,1024]
    #[arg(long, value_delimiter = ',', value_name = "BYTES", value_parser = bytes)]
    bytes: Vec<usize>,
    /// A side's action while it has to wait: `spin`, `sleep` [default: spin,sleep]
    #[arg(long, value_delimiter = ',', value_name = "HOW", value_parser = ["spin", "sleep"])]
    wait: Vec<String>,
    /// Numbers of producing and consuming processes, such as 2x2,8x8, in `many` [default: 2x2]
    #[arg(long, value_delimiter = ',', value_name = "PxC")]
    processes: Vec<Threads>,
    /// Capacity of a queue in messages, where that can be chosen
    #[arg(long, value_name = "MESSAGES", default_value_t = 1024)]
    capacity: usize,
    /// Show all ways, and measure nothing
    #[arg(long)]
    list: bool,
    /// Be the other process of a measurement
    #[arg(long, hide = true)]
    follow: bool,
    #[command(flatten)]
    knobs: Knobs,
}

const AFTER_HELP: &str = "\
Experiments:
  round_trip  a message goes to the other process and comes back: the median, and the slowest ones
  throughput  messages go to the other process as fast as they can
  many        messages of several producers to several consumers, each a process, by one queue
  drop_old    messages overwrite the oldest ones as fast as they can: their rate, and the share that a reader gets
  c_call      a push and a pop on one thread, by calls of the C interface and in Rust, over pointers, and by calls of
              moodycamel's C interface if the program was built with AQUEDUCT_MOODYCAMEL=FOLDER

Examples:
  aqueduct bench shm --quick
  aqueduct bench shm round_trip --bytes 8 --wait spin --queues items,iceoryx2 --rounds 21
  aqueduct bench shm many --processes 1x1,2x2,4x4 --bytes 64
  aqueduct bench shm throughput --cores 0,1 --json runs.jsonl";

/// Parses a value of `--bytes`.
fn bytes(text: &str) -> Result<usize, String> {
    let asked = text.trim().parse().ok().filter(|bytes| SIZES.contains(bytes));
    asked.ok_or_else(|| format!("{} are possible", SIZES.map(|bytes| bytes.to_string()).join(", ")))
}

impl ShmArgs {
    fn plan(&self) -> Plan {
        let waits = self.wait.iter().filter_map(|name| name.parse().ok()).collect::<Vec<Wait>>();
        Plan {
            experiments: or(&self.experiments, Experiment::ALL.to_vec()),
            queues: self.queues.clone(),
            peers: self.knobs.peers(),
            bytes: or(&self.bytes, SIZES.to_vec()),
            waits: or(&waits, Wait::ALL.to_vec()),
            processes: or(&self.processes, vec![Threads::new(2, 2)]),
            capacity: self.capacity,
            cores: self.knobs.cores(),
            pace: self.knobs.pace(),
            follower: Follower { program: None, arguments: ["bench", "shm", "--follow"].map(str::to_owned).into() },
        }
    }
}

impl Job for ShmArgs {
    fn outlook(&self) -> Result<String> {
        self.knobs.outlook(shm::outlook(&self.plan()))
    }

    /// Measures, prints the tables, writes the requested files.
    fn run(&self) -> Result<u8> {
        if self.list {
            return results::list(shm::names());
        }
        if self.follow {
            return shm::follow().map(|()| SUCCESS).map_err(|why| anyhow!(why));
        }
        let plan = self.plan();
        self.knobs.run(
            |stop, observer| shm::run(&plan, stop, observer),
            &[
                "Each run but those of the controls has a second process, which this program starts, on the second core. Each message \
                 is checked in its order and in each of its bytes, by all in the same way. In `many`, each producer and each \
                 consumer is a process, all messages are equal, and their number is checked.",
                "`items_of_threads` is the queue of `items` over the same kind of region, between two threads; `ring_of_threads` is the \
                 library's queue with pointers between two threads. `bound/two_words` is a word there and a word back, each in a cache \
                 line of its own: no queue.",
                "`nblfq` carries the lower four bytes of a message of eight: an item of it leaves its slot a counter. In `drop_old`, \
                 the items that a reader has read and those that it reports as lost are all that were written; iceoryx2 does not count.",
                "A side that sleeps calls its queue's function for that. Those of aqueduct-shm try 200 times before they sleep, but for \
                 `items_asleep`, which sleeps at once, and `items_event`, which polls a file at once, as a reactor does. iceoryx2 notifies an event for each message; pipes, sockets and ipc-channel block \
                 in the system.",
            ],
        )
    }
}
