//! The guides of this build's benches: the advice on their queues, and the texts on their
//! measurements.

use aqueduct_bench_exchange::{drop_old, exchange, records};
use aqueduct_bench_mpmc::{cnq, mpmc, nblfq};
use aqueduct_bench_spsc as spsc;
use aqueduct_bench_steal as steal;
use aqueduct_measure::report::guide::Guide;

/// The guides of all benches, in the order of the advice.
pub(crate) const GUIDES: &[Guide] = &[
    spsc::GUIDE,
    mpmc::GUIDE,
    drop_old::GUIDE,
    records::GUIDE,
    steal::GUIDE,
    cnq::GUIDE,
    nblfq::GUIDE,
    exchange::GUIDE,
    #[cfg(feature = "channels")]
    aqueduct_bench_channel::GUIDE,
    #[cfg(feature = "pools")]
    aqueduct_bench_pool::GUIDE,
    #[cfg(feature = "recorders")]
    aqueduct_bench_recorder::GUIDE,
    #[cfg(feature = "processes")]
    aqueduct_bench_shm::GUIDE,
];

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::{Path, PathBuf};

    use aqueduct_measure::names::{Bench, Queue};
    use aqueduct_measure::record::{Place, Record, Role, WORD};
    use aqueduct_measure::report::{advice, guide, recommend};
    use aqueduct_measure::unit::Unit;
    use clap::CommandFactory;

    use crate::options::Options;

    /// Returns the commands of `aqueduct bench`.
    fn commands() -> Vec<String> {
        let options = Options::command();
        let bench = options.find_subcommand("bench").expect("there are benches");
        bench.get_subcommands().map(|command| command.get_name().to_owned()).collect()
    }

    fn record(bench: &str, queue: &str, (producers, consumers): (usize, usize), batch: usize) -> Record {
        let (Ok(bench), Ok(queue)) = (bench.parse::<Bench>(), queue.parse::<Queue>());
        let place = Place { producers, consumers, capacity: 65_536, batch };
        Record::of(bench, queue, Role::Ours, place, Unit::Mitems, vec![1000.0, 1100.0, 1200.0])
    }

    /// A figure for each need, and some that serve no need.
    fn records() -> Vec<Record> {
        vec![
            record("spsc.throughput", "aqueduct/batched_improved_fast_forward", (1, 1), 32),
            record("spsc.pingpong", "aqueduct/duplex", (1, 1), 1),
            record("mpmc.throughput", "aqueduct/bbq_mpmc", (2, 2), 1),
            record("mpmc.throughput", "aqueduct/faaq", (4, 4), 1),
            record("mpmc.throughput", "aqueduct/bbq_queue", (2, 2), 32),
            record("mpmc.throughput", "aqueduct/bbq_mpsc", (4, 1), 1),
            record("mpmc.throughput", "aqueduct/bbq_spmc", (1, 4), 1),
            record("drop-old.written", "aqueduct/bbq_drop_old_mpmc", (2, 0), 1),
            record("drop-old.written", "aqueduct/bbq_drop_old_mpmc", (2, 1), 1),
            record("drop-old.written", "aqueduct/bbq_drop_old_spmc", (1, 1), 1),
            record("records.throughput", "aqueduct/records_spsc", (1, 1), 1),
            record("records.throughput", "aqueduct/records_mpmc", (2, 2), 1),
            record("steal.stolen_10.lifo", "aqueduct/bwos_lifo", (1, 1), 1),
            record("steal.stolen_10.fifo", "aqueduct/bwos_fifo", (1, 1), 1),
            record("cnq.throughput", "aqueduct/bbq_mpmc", (2, 2), 1),
            record("cnq.throughput", "aqueduct/cnq_faaq[k=1000]", (2, 2), 1),
            record("nblfq.pairs", "aqueduct/bbq_mpmc", (1, 1), 1),
            record("nblfq.pairs", "aqueduct/nblfq_wide_dynamic", (1, 1), 1),
            record("exchange.io_uring", "aqueduct/bbq_mpmc", (1, 1), 1),
            record("exchange.io_uring", "aqueduct/bbq_spsc", (1, 1), 0),
        ]
    }

    #[test]
    fn every_family_has_its_answer_from_the_figures_with_most_threads() {
        let found = recommend::recommend(&records(), GUIDES);
        let answers: Vec<&str> = found.iter().map(|one| one.path).collect();
        assert_eq!(
            answers,
            [
                "spsc::batched_improved_fast_forward",
                "spsc::duplex",
                "mpsc",
                "spmc",
                "faaq",
                "bbq::Queue",
                "drop_old::spmc",
                "drop_old::mpmc",
                "records::spsc",
                "records::mpmc",
                "bwos::lifo",
                "bwos::fifo",
                "cnq::Queue over FetchAddBlocks",
                "nblfq::wide::DynamicQueue",
                "bbq::spsc"
            ]
        );
        for one in &found {
            assert!(one.code.contains("::new") || one.code.contains("::with_tube"), "{}: {}", one.queue, one.code);
        }
        let theft = found.iter().find(|one| one.path == "bwos::lifo").expect("it is there");
        assert!(theft.why.contains("Each task can be stolen as soon as it is pushed"), "{}", theft.why);
    }

    /// The page of the library's crate has a queue for each need, too. `compare` measures no
    /// unbounded queue.
    #[test]
    fn the_advice_can_name_each_queue_of_the_librarys_table() {
        let page = fs::read_to_string(root().join("library/queues/README.md")).expect("the page");
        let (_, table) = page.split_once("## Which queue?").expect("the table");
        let rows = table.split("##").next().unwrap_or_default().lines().filter(|line| line.contains("::new`"));
        let calls: Vec<&str> = rows.flat_map(|row| row.split('`').filter(|word| word.ends_with("::new"))).collect();
        assert!(calls.len() >= 12, "{calls:?}");
        for call in calls.into_iter().filter(|call| !call.starts_with("unbounded::")) {
            let bare = |path: &str| path.trim_start_matches("bbq::").to_owned();
            let named = bare(call.trim_end_matches("::new"));
            let offers = || GUIDES.iter().flat_map(|guide| guide.needs).flat_map(|need| need.takes);
            let is_offered = |path: &str| path.split(" over ").next().is_some_and(|path| bare(path) == named);
            assert!(offers().any(|offer| is_offered(offer.path)), "no advice names {call}");
        }
    }

    /// Reports name only queues that they have lines for.
    #[test]
    fn a_measured_queue_that_is_no_offer_is_not_recommended() {
        let records = [record("mpmc.throughput", "aqueduct/bbq_records", (2, 2), 1)];
        assert_eq!(recommend::recommend(&records, GUIDES), []);
    }

    #[test]
    fn no_line_of_the_advice_is_wider_than_a_terminal() {
        let text = anstream::adapter::strip_str(&advice::render(&recommend::recommend(&records(), GUIDES))).to_string();
        for line in text.lines() {
            assert!(line.chars().count() <= 80, "{} columns: {line}", line.chars().count());
        }
    }

    #[test]
    fn each_need_is_of_a_bench_that_has_a_command_a_title_and_words() {
        let needs: Vec<_> = GUIDES.iter().flat_map(|guide| guide.needs).collect();
        assert_eq!(needs.len(), 20);
        for need in needs {
            let bench = Bench::new(need.bench);
            assert!(commands().iter().any(|name| need.bench.split('.').next() == Some(name)), "{bench}");
            assert!(guide::title(GUIDES, &bench) != bench.name && !guide::words(GUIDES, &bench).is_empty(), "{bench}");
            assert!(!need.takes.is_empty(), "{}", need.words);
        }
    }

    #[test]
    fn each_offer_is_a_queue_that_its_bench_measures() {
        let widest = if cfg!(feature = "workloads") { 64 } else { WORD };
        let many = [WORD, widest].map(|item_bytes| {
            let plan = mpmc::Plan { item_bytes, ..mpmc::Plan::full() };
            mpmc::selected(&plan).expect("there are queues").iter().map(|subject| subject.name()).collect::<Vec<_>>()
        });
        let cnq: Vec<String> = cnq::contestants(&[8]).iter().map(|one| one.queue.name.clone()).collect();
        let nblfq = nblfq::contestants(1024).expect("it is a capacity");
        for offer in mpmc::GUIDE.needs.iter().flat_map(|need| need.takes) {
            let is_measured = many.iter().any(|names| names.contains(&offer.queue));
            assert!(is_measured || widest == WORD && offer.queue.contains("slots"), "{}", offer.queue);
        }
        for offer in cnq::GUIDE.needs.iter().flat_map(|need| need.takes) {
            assert!(cnq.iter().any(|name| name == offer.queue), "{}", offer.queue);
        }
        for offer in nblfq::GUIDE.needs.iter().flat_map(|need| need.takes) {
            assert!(nblfq.iter().any(|one| one.name == offer.queue), "{}", offer.queue);
        }
        for offer in records::GUIDE.needs.iter().flat_map(|need| need.takes) {
            assert!(records::contestants().iter().any(|one| one.name == offer.queue), "{}", offer.queue);
        }
    }

    fn root() -> PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("the workspace's folder").to_owned()
    }

    /// Returns all files below a folder whose names have this end.
    fn files(folder: &Path, end: &str) -> Vec<PathBuf> {
        let mut found = Vec::new();
        for entry in fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                found.extend(files(&path, end));
            } else if path.extension().is_some_and(|it| it == end) {
                found.push(path);
            }
        }
        found
    }

    /// The switch has a command of its own, and DPDK a program of its own.
    #[test]
    fn the_kept_records_are_named_as_the_commands() {
        let mut known = commands();
        known.extend(["vswitch", "dpdk"].map(str::to_owned));
        let mut rooms = BTreeSet::new();
        for path in files(&root().join("results"), "jsonl") {
            for line in fs::read_to_string(&path).expect("a text").lines() {
                let record: serde_json::Value = serde_json::from_str(line).expect("a record");
                let bench = record["bench"].as_str().expect("a name");
                let (room, _) = bench.split_once('.').unwrap_or((bench, ""));
                assert!(known.iter().any(|name| name == room), "{}: {bench}", path.display());
                rooms.insert(room.to_owned());
            }
        }
        assert!(rooms.len() >= 5, "{rooms:?}");
    }

    /// Returns a file's lines without its tests.
    fn without_tests(path: &Path) -> String {
        let text = fs::read_to_string(path).expect("a text");
        text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default().to_owned()
    }

    /// `measure` gets its texts on queues and benches as data, so its sources have none of their
    /// names.
    #[test]
    fn measure_names_no_queue_and_no_bench() {
        let many = mpmc::Plan::full();
        let mut names: BTreeSet<String> = spsc::subjects().iter().map(|one| one.name().to_owned()).collect();
        names.extend(mpmc::selected(&many).expect("there are queues").iter().map(|one| one.name().to_owned()));
        names.extend(steal::subjects().iter().map(|one| one.name().to_owned()));
        names.extend(cnq::contestants(&[8]).iter().map(|one| one.queue.name.clone()));
        names.extend(nblfq::contestants(1024).expect("a capacity").iter().map(|one| one.name.to_owned()));
        names.extend(records::contestants().iter().map(|one| one.name.to_owned()));
        let ours = names.iter().filter_map(|name| name.strip_prefix("aqueduct/")).map(str::to_owned);
        let words: BTreeSet<String> =
            ours.chain(["bbq", "bwos", "cnq", "nblfq", "faaq", "spsc", "mpmc"].map(str::to_owned)).collect();
        let experiments = (spsc::Experiment::ALL.map(spsc::Experiment::name).into_iter())
            .chain(mpmc::Experiment::ALL.map(mpmc::Experiment::name))
            .chain(steal::Experiment::ALL.map(steal::Experiment::name))
            .chain(cnq::Experiment::ALL.map(cnq::Experiment::name))
            .chain(nblfq::Experiment::ALL.map(nblfq::Experiment::name))
            .chain(drop_old::Experiment::ALL.map(drop_old::Experiment::name))
            .chain(exchange::Experiment::ALL.map(exchange::Experiment::name));
        // Some names are common words. A name behind a dot is not, nor is a name of several words.
        let end = |name: &str| if name.contains(['_', '-']) { format!("{name}\"") } else { format!(".{name}\"") };
        let ends: Vec<String> = experiments.map(end).collect();
        let starts: Vec<String> =
            commands().iter().flat_map(|name| [format!("\"{name}."), format!("`{name}.")]).collect();
        let is_word = |sign: char| sign.is_alphanumeric() || sign == '_';
        let names_one = |line: &str| {
            line.contains("\"aqueduct/")
                || line.contains("`aqueduct/")
                || line.split(|sign| !is_word(sign)).any(|word| words.contains(word))
                || starts.iter().chain(&ends).any(|part| line.contains(part))
        };
        let sources = files(&root().join("bench/measure/src"), "rs");
        assert!(sources.len() > 40, "{} files", sources.len());
        let mut found = Vec::new();
        for path in sources.iter().filter(|path| !path.ends_with("fixture.rs") && !path.ends_with("tests.rs")) {
            let text = without_tests(path);
            let lines = text.lines().enumerate().filter(|(_, line)| names_one(line));
            found.extend(lines.map(|(at, line)| format!("{}:{}: {}", path.display(), at + 1, line.trim())));
        }
        assert!(found.is_empty(), "these lines name a queue or a bench:\n{}", found.join("\n"));
    }
}
