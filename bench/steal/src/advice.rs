//! The texts of reports on these measurements, and the uses of our queues of owners and thieves.

use aqueduct_measure::names::Bench;
use aqueduct_measure::report::guide::{Guide, Need, Offer, Topic};

/// This bench's texts for reports.
pub const GUIDE: Guide = Guide { needs: NEEDS, topic, analysis: |_| None };

const NEEDS: &[Need] = &[
    Need {
        words: "Work stealing, the newest task first",
        short: Some("work stealing"),
        bench: "steal.stolen_10.lifo",
        takes: &[LIFO],
        note: THEFT,
        ..Need::PAIR
    },
    Need {
        words: "Work stealing, the oldest task first",
        bench: "steal.stolen_10.fifo",
        takes: &[Offer { queue: "aqueduct/bwos_fifo", path: "bwos::fifo", ..LIFO }],
        note: THEFT,
        ..Need::PAIR
    },
];

const THEFT: &str = "Each task can be stolen as soon as it is pushed; from an owner that is busy elsewhere, it takes a thief some microseconds.";

const LIFO: Offer = Offer {
    queue: "aqueduct/bwos_lifo",
    path: "bwos::lifo",
    words_only: false,
    usual: false,
    code: |sketch| {
        let (path, module) = (sketch.path, sketch.path.trim_start_matches("bwos::"));
        format!(
            "use aqueduct::{path};\n\nlet (mut owner, stealer) = {module}::new({})?;\nowner.push(7_u64)?;\n\
             assert_eq!(stealer.steal().success().or(owner.pop().ok()), Some(7));",
            sketch.capacity
        )
    },
};

fn topic(bench: &Bench) -> Option<Topic> {
    Some(Topic { title: title(&bench.name)?.into(), words: words(&bench.name) })
}

/// A bench's name, taken apart: `steal.owner_20.fifo` is of `owner`, with 20 %, of a queue.
struct Name<'n> {
    what: &'n str,
    percent: &'n str,
    /// "stack" or "queue", if it has an order.
    kind: Option<&'static str>,
}

impl<'n> Name<'n> {
    fn of(bench: &'n str) -> Option<Self> {
        let name = bench.strip_prefix("steal.")?;
        let (name, kind) = match name.rsplit_once('.') {
            Some((name, "lifo")) => (name, Some("stack")),
            Some((name, "fifo")) => (name, Some("queue")),
            _ => (name, None),
        };
        let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let (what, percent) = match name.strip_suffix("_stolen").unwrap_or(name).rsplit_once('_') {
            Some(("pool", percent)) if name.ends_with("_stolen") => ("pool_stolen", percent),
            Some((what, percent)) if is_number(percent) => (what, percent),
            _ => (name, ""),
        };
        Some(Self { what, percent, kind })
    }
}

/// Returns the title of a bench of owners and thieves.
fn title(bench: &str) -> Option<String> {
    let Name { what, percent, kind } = Name::of(bench)?;
    let queue = kind.unwrap_or("queue");
    Some(match what {
        "alone" => format!("A {queue}'s owner without thieves"),
        "stolen" => format!("A {queue} of which {percent} % is stolen"),
        "owner" => format!("A {queue}'s owner while {percent} % is stolen"),
        "looked" => format!("A {queue}'s owner while a thief only looks, as often as it would steal {percent} %"),
        "lines_written" => {
            format!("A thread that writes cache lines which another one writes in {percent} % of its turns")
        }
        "lines_read" => format!("A thread that writes cache lines which another one reads in {percent} % of its turns"),
        "blocks_alone" => format!("A {queue}'s owner without thieves, by the number of blocks"),
        "blocks_stolen" => format!("A {queue} of which 10 % is stolen, by the number of blocks"),
        "hungry" => format!("Operations of a {queue}'s owner until an idle thief has an item"),
        "hungry_p99" => {
            format!("Operations of a {queue}'s owner until an idle thief has an item, in 99 % of cases")
        }
        "hungry_time" => format!("Time until an idle thief has an item of a {queue} whose owner works"),
        "idle" => format!("Time until an idle thief has an item of a {queue} whose owner does nothing"),
        "idle_p99" => {
            format!("Time until an idle thief has an item of a {queue} whose owner does nothing, in 99 % of cases")
        }
        "pool" => format!("Eight {queue}s whose owners try to steal {percent} % from each other"),
        "pool_stolen" => format!("Attempts to steal {percent} % among eight {queue}s that had an item"),
        "join_pair" => format!("Two tasks side by side, by workers with {queue}s"),
        "join_scope" => format!("Eight tasks side by side, by workers with {queue}s"),
        "join_fib" => format!("A recursion that forks in each call, by workers with {queue}s"),
        "join_fib_stolen" => format!("Stolen tasks of a recursion, by workers with {queue}s"),
        "tree" => format!("Hashes of large and small files, by workers with {queue}s"),
        "tree_small" => format!("Hashes of small files, by workers with {queue}s"),
        "tree_stolen" => format!("Stolen tasks among hashes of large and small files, by workers with {queue}s"),
        "tree_small_stolen" => format!("Stolen tasks among hashes of small files, by workers with {queue}s"),
        "tree_steals" => format!("Attempts to steal hashes of large and small files that had one, from {queue}s"),
        "tree_small_steals" => format!("Attempts to steal hashes of small files that had one, from {queue}s"),
        _ => return None,
    })
}

/// Returns the description of a bench of owners and thieves.
fn words(bench: &str) -> &'static str {
    match Name::of(bench).map_or("", |name| name.what) {
        "alone" => "The owner fills the queue and drains it, without a thief.",
        "stolen" => "The owner pushes and pops, and a thief takes the share in the name: items of both, all together.",
        "owner" => {
            "In the same measurement: what the owner does, over the time in which it does not wait for the thief."
        }
        "looked" => {
            "A thief that takes nothing asks how many items there are, as often as it would steal the share in the name: what the \
             owner does."
        }
        "lines_written" | "lines_read" => {
            "One thread writes a cache line, or one of 64, in each turn. Another one takes it in the share of its turns in the name: \
             turns of the first one."
        }
        "blocks_alone" | "blocks_stolen" => {
            "Our queues in fewer and in more blocks (8x1024: 8 blocks of 1,024 entries), without thieves, and with 10 % stolen."
        }
        "hungry" | "hungry_p99" => {
            "A queue of 64-entry blocks has two items, and an idle thief wants one: how many operations of the owner pass until the \
             thief has it."
        }
        "hungry_time" => "In the same measurement: how long it takes.",
        "idle" | "idle_p99" => "As `steal.hungry_time`, with an owner that does nothing more with its queue.",
        "pool" => {
            "Each of eight owners fills its own queue, drains it, and attempts to steal the share of a filling in the name from the \
             others: puts, gets and steals, all together."
        }
        "pool_stolen" => "In the same measurement: how many of the attempts to steal had an item.",
        "join_pair" => {
            "A worker forks one of two spins of 20 microseconds, and another worker may take it: the time of both."
        }
        "join_scope" => "A worker forks eight spins of 20 microseconds, and others may take them: the time of all.",
        "join_fib" => {
            "Fibonacci's numbers by their definition, with a fork in each call. How many tasks, all together?"
        }
        "join_fib_stolen" => "In the same measurement: the share of the tasks that another worker did.",
        "tree" => {
            "The files of a tree in memory, of 64 bytes to 64 KiB, are hashed by a worker on each core, a task for each file and each \
             directory. How many tasks, all together?"
        }
        "tree_small" => "As `steal.tree`, with files of 64 bytes.",
        "tree_stolen" | "tree_small_stolen" => {
            "In the same measurement: the share of the tasks that another worker did."
        }
        "tree_steals" | "tree_small_steals" => {
            "In the same measurement: how many of a hundred attempts to steal from one queue had a task."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_says_the_order_and_the_share_of_its_bench() {
        let titles =
            ["steal.owner_20.fifo", "steal.pool_10_stolen.lifo", "steal.join_fib_stolen.lifo", "steal.lines_read_50"];
        assert_eq!(
            titles.map(|name| title(name).unwrap_or_default()),
            [
                "A queue's owner while 20 % is stolen",
                "Attempts to steal 10 % among eight stacks that had an item",
                "Stolen tasks of a recursion, by workers with stacks",
                "A thread that writes cache lines which another one reads in 50 % of its turns",
            ]
        );
        assert_eq!(["mpmc.throughput", "steal.pigeons.lifo"].map(|name| topic(&name.into())), [None, None]);
    }
}
