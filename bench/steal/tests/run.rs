//! Work stealing: a plan yields its records, wrong queues are detected, wrong plans are refused.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use aqueduct::bwos::Steal;
use aqueduct::bwos::policy::Victim;
use aqueduct_bench_steal::{
    Alone, Experiment, Fault, Files, Findings, GUIDE, Hungry, Item, Join, Kind, Order, Owner, Plan, Policy, Pool, Room,
    Shape, Shared, Stolen, Subject, Thief, Tree, measure, run, selected, subject_of, subjects,
};
use aqueduct_measure::names::Bench;
use aqueduct_measure::report::guide;
use aqueduct_measure::rounds::Quiet;
use aqueduct_measure::unit::{Better, Unit};

#[path = "../../measure/tests/faulty/mod.rs"]
mod faulty;
use faulty::{DENIES, DOUBLES, LOSES, PANICS, SOUND, Store, patience};

fn tiny() -> Plan {
    let (patience, slice) = (patience(SOUND), Duration::from_micros(200));
    let policies = ["random", "best_of_two", "near+chance"].into_iter().filter_map(Policy::named).collect();
    let (capacity, batches, factors) = (256, vec![1, 8], vec![0, 10]);
    // Hashing takes a while without optimisation.
    let experiments = Experiment::ALL.into_iter().filter(|&one| one != Experiment::Tree).collect();
    Plan { experiments, capacity, batches, factors, policies, rounds: 2, slice, patience, ..Plan::full() }
}

fn run_quietly(plan: &Plan) -> Findings {
    run(plan, &AtomicBool::new(false), &mut Quiet).expect("the plan is sound")
}

/// Checks that pages and tables say in words what a bench measures.
fn has_words(bench: &Bench) {
    let (title, words) = (guide::title(&[GUIDE], bench), guide::words(&[GUIDE], bench));
    assert!(title != bench.name && !words.is_empty(), "{bench} has no words");
}

/// The queues whose thieves can take only one item at a time.
const SINGLY: [&str; 5] = [
    "xenium/chase_work_stealing_deque",
    "eigen/run_queue",
    "published/taskflow_unbounded",
    "published/taskflow_bounded",
    "published/bbq",
];

#[test]
fn every_queue_yields_its_records() {
    let findings = run_quietly(&tiny());
    assert_eq!(findings.faults, []);
    assert_eq!(findings.rounds, 2);
    for subject in subjects() {
        let order = subject.order().name();
        let count = |bench: &str, batch: usize| {
            let bench = format!("steal.{bench}.{order}");
            let of = |record: &&aqueduct_measure::record::Record| {
                (&*record.queue.name, &*record.bench.name, record.batch) == (subject.name(), &*bench, batch)
            };
            findings.records.iter().filter(of).count()
        };
        assert_eq!(count("alone", 1), 1, "{}", subject.name());
        let thieves = usize::from(subject.has_thieves());
        let in_batches = thieves * usize::from(!SINGLY.contains(&subject.name()));
        for bench in ["hungry", "hungry_p99", "hungry_time", "idle", "idle_p99", "join_pair", "join_scope"] {
            assert_eq!(count(bench, 1), thieves, "{bench} {}", subject.name());
        }
        let forks = if order == "lifo" { thieves } else { 0 };
        assert_eq!(["join_fib", "join_fib_stolen"].map(|bench| count(bench, 1)), [forks; 2], "{}", subject.name());
        for percent in [0, 10, 20, 50] {
            // Bounds take part in measurements without thefts; the precomputed split also in those
            // with a fixed share.
            let singly = if percent == 0 || subject.name() == "bound/divided_ring" { 1 } else { thieves };
            for bench in [format!("stolen_{percent}"), format!("owner_{percent}")] {
                assert_eq!(
                    [1, 8].map(|batch| count(&bench, batch)),
                    [singly, in_batches],
                    "{bench} {}",
                    subject.name()
                );
            }
        }
        assert_eq!(count("pool_0", 1), thieves, "{}", subject.name());
        let tells = !subject.name().starts_with("st3/") && subject.name() != "published/bbq";
        for percent in [0, 10, 20, 50] {
            let looked = count(&format!("looked_{percent}"), 1);
            assert_eq!(looked, if tells { thieves } else { 0 }, "{percent} {}", subject.name());
        }
        let in_blocks = |record: &&aqueduct_measure::record::Record| {
            record.bench.name.starts_with("steal.blocks")
                && record.queue.name.starts_with(&format!("{}:", subject.name()))
        };
        let divisions = if subject.name().starts_with("aqueduct/") { 7 } else { 0 };
        assert_eq!(findings.records.iter().filter(in_blocks).count(), 2 * divisions, "{}", subject.name());
        let by_policy = |record: &&aqueduct_measure::record::Record| {
            record.bench.name == format!("steal.pool_10.{order}")
                && record.queue.name.strip_prefix(subject.name()).is_some_and(|rest| rest.starts_with(':'))
        };
        let policies = match subject.name().split('/').next() {
            Some("aqueduct") => 3,
            // They do not report their number of items.
            Some("st3") => 1,
            _ if subject.name() == "published/bbq" => 1,
            // Acceptance by chance is for queues with blocks.
            Some("crossbeam-deque" | "eigen" | "xenium" | "published") => 2,
            _ => 0,
        };
        assert_eq!(findings.records.iter().filter(by_policy).count(), policies, "{}", subject.name());
    }
    let lines = findings.records.iter().filter(|record| record.bench.name.starts_with("steal.lines_")).count();
    assert_eq!(lines, 4 * 2 * 2, "four shares, written and read, sets of 1 and of 64");
    for record in &findings.records {
        has_words(&record.bench);
        assert_eq!(record.runs.len(), 2);
        assert!(record.min >= 0.0 && record.min <= record.median && record.median <= record.max, "{record:?}");
    }
    assert!(
        findings
            .records
            .iter()
            .all(|record| [Unit::Mitems, Unit::Mops, Unit::Mtasks, Unit::Percent, Unit::Share].contains(&record.unit)
                == (record.unit.better() == Better::More))
    );
}

fn stolen_of(subject: &dyn Subject, percent: u32, batch: usize, patience: Duration) -> Result<Shared, Fault> {
    let (capacity, blocks, items, only_looks, cores) = (256, None, 20_000, false, [None; 2]);
    subject.stolen(&Stolen { capacity, blocks, items, percent, batch, only_looks, cores, patience })
}

#[test]
fn members_of_a_pool_steal_by_every_policy() {
    for subject in subjects().iter().filter(|subject| subject.has_thieves()) {
        for policy in Policy::all().into_iter().filter(|&policy| subject.can_by(policy)) {
            let patience = patience(SOUND);
            let spec = Pool { capacity: 256, times: 4, factor: 50, policy, cores: Vec::new(), patience };
            let pooled = subject.pool(&spec).unwrap_or_else(|fault| panic!("{}: {fault}", subject.name()));
            assert_eq!(pooled.attempts, 8 * 4 * 128);
            assert!(pooled.stolen <= pooled.attempts);
            // Each item is put once and taken once, except the few that are left in the end.
            assert!(pooled.operations <= 2 * 8 * 4 * 256 && pooled.operations > 8 * 4 * 256, "{pooled:?}");
        }
    }
}

#[test]
fn a_tree_yields_a_record_for_each_kind_of_files() {
    let queues = vec!["bwos_lifo".to_owned()];
    let findings = run_quietly(&Plan { experiments: vec![Experiment::Tree], queues, rounds: 1, ..tiny() });
    let benches: Vec<&str> = findings.records.iter().map(|record| &*record.bench.name).collect();
    let expected = ["tree", "tree_small", "tree_stolen", "tree_small_stolen", "tree_steals", "tree_small_steals"];
    assert_eq!(benches, expected.map(|bench| format!("steal.{bench}.lifo")));
    findings.records.iter().for_each(|record| has_words(&record.bench));
    let units: Vec<Unit> = findings.records.iter().map(|record| record.unit).collect();
    assert_eq!(units, [Unit::Mtasks, Unit::Mtasks, Unit::Share, Unit::Share, Unit::Percent, Unit::Percent]);
    assert!(findings.records[..2].iter().all(|record| record.min > 0.0));
}

#[test]
fn workers_hash_a_tree_with_queues_that_are_too_small_for_it() {
    for subject in subjects().iter().filter(|subject| subject.has_thieves()) {
        for capacity in [4, 1024] {
            let (files, patience) = (Files::Small, patience(SOUND));
            let spec = Tree { capacity, times: 3, files, cores: Vec::new(), patience };
            let hashed = subject.tree(&spec).unwrap_or_else(|fault| panic!("{}: {fault}", subject.name()));
            assert!(hashed.tasks.is_multiple_of(3) && hashed.stolen < hashed.tasks, "{hashed:?}");
            assert!(hashed.stolen <= hashed.attempts, "{hashed:?}");
        }
    }
}

#[test]
fn forks_and_joins_of_every_shape_are_all_done() {
    for subject in subjects().iter().filter(|subject| subject.has_thieves()) {
        for (shape, each) in [(Shape::Pair, 1), (Shape::Scope, 8), (Shape::Fib, 4180)] {
            if shape == Shape::Fib && subject.order() == Order::Fifo {
                continue;
            }
            let spec = Join { shape, times: 3, cores: Vec::new(), patience: patience(SOUND) };
            let joined = subject.join(&spec).unwrap_or_else(|fault| panic!("{}: {fault}", subject.name()));
            assert_eq!(joined.tasks, 3 * each, "{} {shape:?}", subject.name());
            assert!(joined.stolen <= joined.tasks, "{joined:?}");
        }
    }
}

#[test]
fn the_thief_gets_the_share_that_was_asked_for() {
    for (percent, batch) in [(0, 1), (10, 1), (20, 8), (50, 1), (50, 32)] {
        for subject in subjects().iter().filter(|subject| subject.can(Experiment::Stolen, batch)) {
            let shared = stolen_of(subject.as_ref(), percent, batch, patience(SOUND))
                .unwrap_or_else(|fault| panic!("{}: {fault}", subject.name()));
            // The last filling's share may still be in the queue, and the one before by half.
            let wanted = 200 * u64::from(percent);
            assert!(
                (wanted.saturating_sub(200)..=wanted).contains(&shared.stolen),
                "{} {percent}: {shared:?}",
                subject.name()
            );
            assert!((19_700..=20_000).contains(&shared.items), "{}: {shared:?}", subject.name());
            assert!(shared.busy <= shared.elapsed, "{shared:?}");
        }
    }
}

/// A queue whose owner takes the newest item and whose thieves take the oldest, that does `WRONG`.
struct Broken<const WRONG: u8>;

#[derive(Clone)]
struct End(Arc<Store>);

impl Owner for End {
    fn push(&mut self, item: Item) -> bool {
        self.0.push(item)
    }

    fn pop(&mut self) -> Option<Item> {
        self.0.items().pop_back()
    }
}

impl Victim for End {
    type Item = Item;

    fn steal_granted(&self) -> Steal<Item> {
        let oldest = if self.0.wrong == DENIES { None } else { self.0.items().pop_front() };
        oldest.map_or(Steal::Empty, Steal::Success)
    }

    fn granted(&self, _block: usize) -> usize {
        self.0.items().len()
    }
}

impl Thief for End {
    fn another(&self) -> Self {
        self.clone()
    }

    fn steal_one(&mut self) -> Option<Item> {
        self.steal_granted().success()
    }
}

impl<const WRONG: u8> Kind for Broken<WRONG> {
    const NAME: &'static str = "test/broken";
    const ORDER: Order = Order::Lifo;
    const BATCHES: bool = false;
    type Owner = End;
    type Thief = End;

    fn open(_room: Room) -> Result<(End, End), String> {
        let end = End(Store::new(WRONG, usize::MAX));
        Ok((end.clone(), end))
    }
}

fn alone<const WRONG: u8>() -> Result<u64, Fault> {
    let spec = Alone { capacity: 128, blocks: None, times: 3, core: None };
    subject_of::<Broken<WRONG>>().alone(&spec).map(|drained| drained.items)
}

fn stolen<const WRONG: u8>() -> Result<bool, Fault> {
    stolen_of(subject_of::<Broken<WRONG>>().as_ref(), 20, 1, patience(WRONG)).map(|shared| shared.stolen > 3800)
}

fn hungry<const WRONG: u8>() -> Result<usize, Fault> {
    let spec = Hungry { works: WRONG != DENIES, times: 60, cores: [None; 2], patience: patience(WRONG) };
    subject_of::<Broken<WRONG>>().hungry(&spec).map(|fed| fed.operations.len())
}

fn join<const WRONG: u8>(shape: Shape) -> Result<u64, Fault> {
    let spec = Join { shape, times: 30, cores: Vec::new(), patience: patience(WRONG) };
    subject_of::<Broken<WRONG>>().join(&spec).map(|joined| joined.tasks)
}

fn pool<const WRONG: u8>() -> Result<u64, Fault> {
    let (policy, patience) = (Policy::named("last").unwrap(), patience(WRONG));
    let spec = Pool { capacity: 32, times: 10, factor: 50, policy, cores: Vec::new(), patience };
    subject_of::<Broken<WRONG>>().pool(&spec).map(|pooled| pooled.attempts)
}

fn tree<const WRONG: u8>() -> Result<bool, Fault> {
    let (files, patience) = (Files::Small, patience(WRONG));
    let spec = Tree { capacity: 32, times: 2, files, cores: Vec::new(), patience };
    subject_of::<Broken<WRONG>>().tree(&spec).map(|hashed| hashed.tasks > 10_000)
}

#[test]
fn a_queue_that_loses_or_doubles_an_item_is_caught() {
    assert_eq!((alone::<SOUND>(), stolen::<SOUND>(), hungry::<SOUND>()), (Ok(384), Ok(true), Ok(60)));
    assert!(matches!(alone::<LOSES>(), Err(Fault::WrongItems { popped: 127, wanted: 128, .. })));
    assert!(matches!(alone::<DOUBLES>(), Err(Fault::WrongItems { popped: 129, .. })));
    assert!(matches!(stolen::<LOSES>(), Err(Fault::WrongItems { popped: 19_999, wanted: 20_000, .. })));
    assert!(matches!(stolen::<DOUBLES>(), Err(Fault::WrongItems { popped: 20_001, .. })));
    assert_eq!((pool::<SOUND>(), tree::<SOUND>()), (Ok(8 * 10 * 16), Ok(true)));
    for outcome in [tree::<LOSES>(), tree::<DOUBLES>()] {
        assert!(matches!(outcome, Err(Fault::WrongItems { .. })), "{outcome:?}");
    }
    assert_eq!([Shape::Pair, Shape::Scope, Shape::Fib].map(join::<SOUND>), [Ok(30), Ok(240), Ok(125_400)]);
    for outcome in [join::<LOSES>(Shape::Scope), join::<DOUBLES>(Shape::Scope), join::<DOUBLES>(Shape::Fib)] {
        assert!(matches!(outcome, Err(Fault::WrongItems { .. })), "{outcome:?}");
    }
    for outcome in [hungry::<LOSES>(), hungry::<DOUBLES>()] {
        assert!(matches!(outcome, Err(Fault::WrongItems { .. })), "{outcome:?}");
    }
    for outcome in [pool::<LOSES>(), pool::<DOUBLES>()] {
        assert!(matches!(outcome, Err(Fault::WrongItems { wanted: 2560, .. })), "{outcome:?}");
    }
}

#[test]
fn a_queue_that_panics_or_gives_its_thief_nothing_ends_the_run() {
    let panicked = Fault::Panicked("the hundredth".to_owned());
    assert_eq!((alone::<PANICS>(), stolen::<PANICS>()), (Err(panicked.clone()), Err(panicked.clone())));
    assert_eq!((pool::<PANICS>(), tree::<PANICS>()), (Err(panicked.clone()), Err(panicked)));
    assert_eq!(join::<PANICS>(Shape::Scope), Err(Fault::Panicked("the hundredth".to_owned())));
    assert_eq!(join::<DENIES>(Shape::Pair), Ok(30), "the owner does what no thief takes");
    assert!(matches!(stolen::<DENIES>(), Err(Fault::Stuck { wanted: 20_000, .. })));
    assert_eq!(hungry::<DENIES>(), Err(Fault::WrongAnswer("a thief that was hungry did not get one of two items")));
}

#[test]
fn a_fault_takes_the_figure_s_place() {
    let plan = Plan { experiments: vec![Experiment::Alone], ..tiny() };
    let findings = measure(&plan, &[subject_of::<Broken<LOSES>>()], &AtomicBool::new(false), &mut Quiet).unwrap();
    let [(bench, queue, fault)] = &findings.faults[..] else { panic!("{:?}", findings.faults) };
    assert_eq!((bench.as_str(), queue.as_str()), ("steal.alone.lifo", "test/broken"));
    assert!(fault.to_string().starts_with("items were lost, repeated or changed: 255 of 256"), "{fault}");
    assert_eq!(findings.records, []);
}

#[test]
fn a_plan_that_cannot_be_followed_is_refused_in_words() {
    let refusal = |plan: Plan| run(&plan, &AtomicBool::new(false), &mut Quiet).expect_err("the plan is unsound");
    assert!(refusal(Plan { capacity: 1, ..tiny() }).contains("2 items are the least"));
    assert!(refusal(Plan { batches: vec![257], ..tiny() }).contains("a batch of 257 is not between 1 and"));
    assert!(refusal(Plan { percents: vec![51], ..tiny() }).contains("between 0 and 50"));
    assert!(refusal(Plan { factors: vec![101], ..tiny() }).contains("between 0 and 100"));
    assert!(refusal(Plan { blocks: vec![0], ..tiny() }).contains("between 1 and the capacity"));
    assert!(refusal(Plan { slice: Duration::ZERO, ..tiny() }).contains("slice"));
    let bound = vec!["array_ring".to_owned()];
    let only_stolen = Plan { experiments: vec![Experiment::Stolen], percents: vec![20], queues: bound, ..tiny() };
    assert!(refusal(only_stolen).contains("bounds have no thieves"));
    let unknown = selected(&Plan { queues: vec!["bwos_lofi".to_owned()], ..tiny() }).err().expect("no such queue");
    assert!(subjects().iter().all(|subject| unknown.contains(subject.name())), "{unknown}");
}
