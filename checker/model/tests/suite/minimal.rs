//! The orderings that programs need: by weakening each, and from `SeqCst` everywhere.

use std::cell::RefCell;
use std::sync::Arc;

use aqueduct_model::cell::UnsafeCell;
use aqueduct_model::minimal::{Assignment, Client, Minimizer, Part, Row, Table, Verdict};
use aqueduct_model::sync::atomic::Ordering::{self, AcqRel, Acquire, Relaxed, Release, SeqCst};
use aqueduct_model::sync::atomic::{AtomicBool, AtomicUsize, fence};
use aqueduct_model::{Config, Override, thread};

fn minimizer(program: impl Fn() + Send + Sync + 'static) -> Minimizer<'static> {
    Minimizer::new(Config::new(), vec![Client::new("program", program)])
}

fn table(program: impl Fn() + Send + Sync + 'static) -> Table {
    minimizer(program).table().expect("nothing is wrong with the program")
}

/// Returns each site's operation, ordering, and the weaker ones that are allowed.
fn allowed(table: &Table) -> Vec<(String, Ordering, Vec<Ordering>)> {
    let row = |row: &Row| (row.site.what(), row.site.ordering, row.allowed().collect());
    table.rows.iter().map(row).collect()
}

fn found(assignment: &Assignment) -> Vec<(&str, Ordering)> {
    assignment.found.iter().map(|found| (found.site.operation.as_str(), found.ordering)).collect()
}

fn two() -> [(Arc<AtomicUsize>, Arc<AtomicUsize>); 2] {
    let (x, y) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    [(Arc::clone(&x), Arc::clone(&y)), (x, y)]
}

/// A program that is wrong as it is written.
fn relaxed_message() {
    let [(a, b), (x, y)] = two();
    thread::spawn(move || {
        a.store(1, Relaxed);
        b.store(1, Relaxed);
    });
    if y.load(Relaxed) == 1 {
        assert_eq!(x.load(Relaxed), 1);
    }
}

#[test]
fn a_message_needs_release_and_acquire_whatever_is_written() {
    let assignment = minimizer(relaxed_message).from_sc().expect("SeqCst is enough for it");
    assert_eq!(found(&assignment), [("store", Relaxed), ("store", Release), ("load", Acquire), ("load", Relaxed)]);
    assert!(assignment.found.iter().all(|found| found.site.ordering == Relaxed && found.undecided.is_none()));
    // The checks are: as written, all SeqCst, then for each site Relaxed, and for the two in the
    // middle the next ordering.
    assert_eq!(assignment.effort.checks, 2 + 4 + 2);
    assert!(assignment.effort.executions > 0 && assignment.effort.seconds > 0.0);

    let instead: Vec<Override> = assignment.found.iter().map(|found| found.site.instead(found.ordering)).collect();
    let report = Config::new().overrides(instead.clone()).check(relaxed_message);
    assert!(report.exhaustive, "{report}");
    for at in [1, 2] {
        let weaker = assignment.found[at].site.instead(Relaxed);
        let report = Config::new().overrides(instead.clone()).overrides([weaker]).check(relaxed_message);
        assert!(report.failure.is_some(), "{} is needed", assignment.found[at].site);
    }
}

#[test]
fn store_buffering_needs_seqcst_throughout() {
    let program = || {
        let [(a, b), (x, y)] = two();
        let other = thread::spawn(move || {
            a.store(1, Relaxed);
            b.load(Relaxed)
        });
        y.store(1, Relaxed);
        let mine = x.load(Relaxed);
        assert!(mine + other.join().unwrap() > 0, "both missed the other");
    };
    let assignment = minimizer(program).from_sc().expect("SeqCst is enough for it");
    assert_eq!(found(&assignment), [("store", SeqCst), ("load", SeqCst), ("store", SeqCst), ("load", SeqCst)]);
}

/// Sites that only weak executions reach are found on the way, and weakened, too.
#[test]
fn sites_that_show_up_late_are_weakened_too() {
    let program = || {
        let [(a, b), (x, y)] = two();
        let other = thread::spawn(move || {
            a.store(1, SeqCst);
            b.load(SeqCst)
        });
        y.store(1, SeqCst);
        let mine = x.load(SeqCst);
        if mine + other.join().unwrap() == 0 {
            x.swap(7, SeqCst);
        }
    };
    let assignment = minimizer(program).from_sc().expect("nothing can go wrong");
    let weak = [("store", Relaxed), ("load", Relaxed), ("store", Relaxed), ("load", Relaxed), ("swap", Relaxed)];
    assert_eq!(found(&assignment), weak);
}

#[test]
fn a_program_that_is_wrong_is_refused_with_its_failure() {
    let broken = minimizer(relaxed_message).table().expect_err("it is wrong as it is written");
    assert!(!broken.sequential && broken.client == "program");
    assert!(broken.to_string().starts_with("program fails with nothing weakened: main panicked"), "{broken}");
    let broken = minimizer(|| assert!(AtomicBool::new(false).load(Relaxed), "never true")).from_sc();
    let broken = broken.expect_err("no ordering helps");
    assert!(broken.sequential && broken.to_string().contains("every ordering SeqCst"), "{broken}");
}

#[test]
fn fences_are_weakened_by_their_halves() {
    let table = table(|| {
        let [(a, b), (x, y)] = two();
        thread::spawn(move || {
            a.store(1, Relaxed);
            fence(SeqCst);
            b.store(1, Relaxed);
        });
        if y.load(Relaxed) == 1 {
            fence(AcqRel);
            assert_eq!(x.load(Relaxed), 1);
        }
    });
    let fences: Vec<_> = allowed(&table).into_iter().filter(|(operation, ..)| operation == "fence").collect();
    let fence = || "fence".to_owned();
    assert_eq!(fences, [(fence(), SeqCst, vec![AcqRel, Release]), (fence(), AcqRel, vec![Acquire])]);
    let rows: Vec<&Row> = table.too_strong().collect();
    assert_eq!(rows.len(), 2);
    let steps: Vec<_> = rows[0].weaker.iter().map(|weaker| (weaker.ordering, weaker.one_step)).collect();
    assert_eq!(steps, [(AcqRel, true), (Acquire, false), (Release, false), (Relaxed, false)]);
    assert!(rows[1].weaker.iter().map(|weaker| weaker.one_step).eq([true, true, false]));
}

#[test]
fn a_compare_exchange_has_two_orderings() {
    struct Lock {
        taken: AtomicBool,
        value: UnsafeCell<i32>,
    }
    // SAFETY: the model reports accesses that the lock does not protect.
    unsafe impl Sync for Lock {}

    let table = table(|| {
        let lock = Arc::new(Lock { taken: AtomicBool::new(false), value: UnsafeCell::new(0) });
        let work = |lock: &Lock| {
            if lock.taken.compare_exchange(false, true, AcqRel, Acquire).is_ok() {
                // SAFETY: the model reports accesses that the lock does not protect.
                lock.value.with_mut(|value| unsafe { *value += 1 });
                lock.taken.store(false, Release);
            }
        };
        let other = Arc::clone(&lock);
        thread::spawn(move || work(&other));
        work(&lock);
    });
    let expected = [
        ("compare_exchange".to_owned(), AcqRel, vec![Acquire]),
        ("compare_exchange, failing".to_owned(), Acquire, vec![Relaxed]),
        ("store".to_owned(), Release, vec![]),
    ];
    assert_eq!(allowed(&table), expected);
    assert_eq!(table.rows[1].site.part, Part::Failure);
    assert!(table.rows[1].site.applies && !table.rows[1].is_needed() && table.rows[2].is_needed());
}

/// `fetch_update` loads first, with the ordering of its failure.
#[test]
fn a_load_and_a_compare_exchange_at_one_place_keep_their_orderings() {
    let table = table(|| {
        let [(a, b), (x, y)] = two();
        thread::spawn(move || {
            a.store(1, Relaxed);
            b.store(1, Release);
        });
        if y.fetch_update(Release, Acquire, |value| (value == 1).then_some(2)).is_ok() {
            assert_eq!(x.load(Relaxed), 1);
        }
    });
    let updates: Vec<_> = allowed(&table).into_iter().filter(|(operation, ..)| operation.contains("weak")).collect();
    let operation = updates[0].0.clone();
    assert!(operation.contains("load"), "{operation}");
    assert_eq!(updates, [(operation.clone(), Release, vec![Relaxed]), (operation + ", failing", Acquire, vec![])]);
}

#[test]
fn a_counterexample_can_be_replayed() {
    let message = |publish: Ordering| {
        move || {
            let [(a, b), (x, y)] = two();
            thread::spawn(move || {
                a.store(1, Relaxed);
                b.store(1, publish);
            });
            if y.load(Acquire) == 1 {
                assert_eq!(x.load(Relaxed), 1, "an early message");
            }
        }
    };
    let table = table(message(SeqCst));
    let row = table.too_strong().next().expect("Release would do");
    assert!(row.allowed().eq([Release]));
    let [_, relaxed] = &row.weaker[..] else { panic!("Release and Relaxed: {row:?}") };
    let Verdict::Forbidden { client, failure, .. } = &relaxed.verdict else { panic!("{relaxed:?}") };
    assert!(client == "program" && failure.message.contains("an early message"));
    let again = Config::new().overrides([row.site.instead(Relaxed)]).replay(&failure.replay).check(message(SeqCst));
    assert_eq!(again.failure.expect("the same failure").message, failure.message);
}

#[test]
fn a_check_that_is_cut_short_decides_nothing() {
    let message = || {
        let [(a, b), (x, y)] = two();
        thread::spawn(move || {
            a.store(1, Relaxed);
            b.store(1, SeqCst);
        });
        _ = (y.load(Relaxed), x.load(Relaxed));
    };
    let mut minimizer = Minimizer::new(Config::new().max_executions(1), vec![Client::new("short", message)]);
    let table = minimizer.table().expect("nothing is wrong with it");
    let row = table.too_strong().next().expect("nothing forbids a weaker one");
    assert!(row.allowed().next().is_none() && !row.is_needed());
    assert!(
        row.weaker
            .iter()
            .all(|weaker| matches!(&weaker.verdict, Verdict::Undecided { client, .. } if client == "short"))
    );
    let assignment = minimizer.from_sc().expect("nothing is wrong with it");
    assert!(
        assignment.found.iter().all(|found| found.ordering == SeqCst && found.undecided.as_deref() == Some("short"))
    );
}

/// The client that has failed last is checked first. A client that never reaches a site is not
/// checked for it.
#[test]
fn clients_are_asked_in_the_order_of_their_last_failure() {
    let message = |checked: bool| {
        move || {
            let [(a, b), (x, y)] = two();
            thread::spawn(move || {
                a.store(1, Relaxed);
                b.store(1, Release);
            });
            let (ready, value) = (y.load(Acquire), x.load(Relaxed));
            assert!(!checked || ready == 0 || value == 1);
        }
    };
    let elsewhere = || _ = AtomicBool::new(true).swap(false, AcqRel);
    let clients = vec![
        Client::new("lax", message(false)),
        Client::new("strict", message(true)),
        Client::new("elsewhere", elsewhere),
    ];
    let asked = RefCell::new(Vec::new());
    let table = Minimizer::new(Config::new(), clients)
        .only(|site| site.operation != "swap")
        .watch(|step| asked.borrow_mut().extend(step.weakened.map(|_| step.client.to_owned())))
        .table()
        .expect("nothing is wrong with them");
    assert_eq!(asked.into_inner(), ["lax", "strict", "strict"]);
    assert_eq!((table.rows.len(), table.effort.checks), (4, 3 + 3));
}

#[test]
fn a_client_that_is_known_is_not_checked_as_it_is_written() {
    fn program() {
        let [(a, b), (x, y)] = two();
        thread::spawn(move || {
            a.store(1, Relaxed);
            b.store(1, Release);
        });
        if y.load(SeqCst) == 1 {
            assert_eq!(x.load(Relaxed), 1);
        }
    }
    let asked = RefCell::new(Vec::new());
    let known = |name: &str| {
        asked.borrow_mut().push(name.to_owned());
        Some(Config::new().check(program))
    };
    let mut minimizer = Minimizer::new(Config::new(), vec![Client::new("program", program)]).known(known);
    let (all, fewer) = (table(program), minimizer.table().expect("nothing is wrong with it"));
    assert_eq!(allowed(&fewer), allowed(&all));
    let report = Config::new().check(program);
    assert_eq!(fewer.effort.checks, all.effort.checks - 1);
    assert_eq!(fewer.effort.executions, all.effort.executions - report.executions);
    assert_eq!(*asked.borrow(), ["program"]);

    let broken = minimizer.known(|_| Some(Config::new().check(relaxed_message))).table();
    assert_eq!(broken.expect_err("what is known of it is a failure").client, "program");
}

#[test]
fn the_last_override_of_a_site_counts_and_a_file_may_be_the_end_of_its_path() {
    let report = Config::new().check(relaxed_message);
    assert!(report.failure.is_some());
    let overridden = |file: &str, ordering| {
        let sites = report.sites.iter().map(|site| Override {
            file: file.to_owned(),
            line: site.line,
            column: site.column,
            ordering: Some(ordering),
            failure: None,
        });
        sites.collect::<Vec<_>>()
    };
    let passes = |overrides: Vec<Override>| Config::new().overrides(overrides).check(relaxed_message).exhaustive;
    assert!(passes(overridden("suite/minimal.rs", SeqCst)));
    assert!(!passes(overridden("uite/minimal.rs", SeqCst)), "the beginning of a name is missing");
    let both = |first, last| [overridden("minimal.rs", first), overridden("minimal.rs", last)].concat();
    assert!(passes(both(Relaxed, SeqCst)) && !passes(both(SeqCst, Relaxed)));
}
