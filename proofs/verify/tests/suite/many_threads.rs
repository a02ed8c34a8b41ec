//! Threads that wait for each other in the queues of many threads.

use std::collections::BTreeMap;
use std::sync::{LazyLock, OnceLock};

use aqueduct_faults::queues::Fault;
use aqueduct_verify::clients::threads::{Nothing, Refused};
use aqueduct_verify::clients::{bbq, cnq, exact, nblfq, unbounded};
use aqueduct_verify::faults;
use aqueduct_verify::progress::many_threads::Subject;
use aqueduct_verify::progress::many_threads::{Answer, Others, Table};
use aqueduct_verify::progress::one_stopped::{Manner, Victim};

/// Returns the possible results of the others while this victim is frozen.
fn results(table: &Table, victim: Victim, others: Others) -> Vec<&[Answer]> {
    let rows = table.rows.iter().filter(|row| row.scene.victim == victim && row.manner == Manner::Suspended);
    let cells = rows.flat_map(|row| row.cells.iter().filter(|cell| cell.others == others));
    cells.flat_map(|cell| cell.answers.iter().map(Vec::as_slice)).collect()
}

fn find<'a>(subjects: &'a [Subject], name: &str) -> &'a Subject {
    subjects.iter().find(|subject| subject.name() == name).expect("a queue")
}

/// Returns the table of one of [`subjects`]. Several tests read it, and it is made once.
fn table(name: &str) -> &'static Table {
    static TABLES: LazyLock<BTreeMap<String, OnceLock<Table>>> =
        LazyLock::new(|| subjects().iter().map(|subject| (subject.name().to_owned(), OnceLock::new())).collect());
    TABLES[name].get_or_init(|| find(&subjects(), name).table())
}

/// Returns the queues of blocks.
fn subjects() -> Vec<Subject> {
    [bbq::world::stalls(), cnq::world::stalls()].into_iter().flatten().collect()
}

/// Returns the first row that is wrong with this fault.
fn first_wrong(fault: Fault, name: &str) -> Table {
    find(&faults::progress(fault), name).first_wrong().unwrap_or_else(|| panic!("{fault:?} is not seen in {name}"))
}

/// A stalled push blocks threads that come to its entry. A stalled pop blocks those that come to
/// its block a lap later. Neither blocks any other thread.
#[test]
fn threads_wait_only_where_the_victim_is() {
    for subject in bbq::world::stalls() {
        let table = table(subject.name());
        assert!(table.is_right(), "{table}");
        assert!(table.rows.len() > 10, "{table}");
    }
}

#[test]
fn a_stalled_push_is_busy_for_threads_at_its_entry() {
    for name in ["bbq-mpsc", "bbq-mpmc", "bbq-shared", "bbq-drop_old_mpmc", "faaq", "faaq-shared"] {
        let table = table(name);
        let answers = results(table, Victim::Push, Others::Pop);
        assert!(answers.contains(&&[Answer::Popped(1, Nothing::Busy)][..]), "{table}");
        assert!(answers.contains(&&[Answer::Popped(2, Nothing::Empty)][..]), "{table}");
    }
}

/// All items are gone, but one block cannot be used again, whether its first or its last entry is
/// the victim's.
#[test]
fn a_stalled_pop_is_busy_for_threads_at_its_block_a_lap_later() {
    for name in ["bbq-spmc", "bbq-mpmc", "bbq-shared", "faaq", "faaq-shared"] {
        let table = table(name);
        let answers = results(table, Victim::Pop, Others::PopThenPush);
        for pushes in [1, 2] {
            let busy = [Answer::Popped(1, Nothing::Empty), Answer::Pushed(pushes, Some(Refused::Busy))];
            assert!(answers.contains(&&busy[..]), "{pushes} pushes: {table}");
        }
    }
}

/// A stalled reader blocks no thread.
#[test]
fn a_stalled_reader_is_overwritten() {
    for name in ["bbq-drop_old_spmc", "bbq-drop_old_mpmc"] {
        let table = table(name);
        let answers = results(table, Victim::Pop, Others::Push);
        assert!(!answers.is_empty() && answers.iter().all(|run| matches!(run, [Answer::Pushed(6, None)])), "{table}");
    }
}

/// A thread may stop anywhere in the lock-free queues: all others complete, as if its operation had
/// happened, or as if it had not.
#[test]
fn no_thread_waits_in_the_lock_free_queues() {
    for subject in nblfq::stalls().into_iter().chain(unbounded::stalls()) {
        let table = subject.table();
        assert!(table.is_right(), "{table}");
        let cells = || table.rows.iter().flat_map(|row| &row.cells);
        assert!(cells().all(|cell| cell.waiting == 0 && cell.completed > 0), "{table}");
        assert!(!table.to_string().contains("Busy"), "{table}");
    }
}

/// A stalled push is busy for consumers at its slot, and a stalled pop for producers a lap later.
/// `Full` is exact.
#[test]
fn threads_wait_in_the_exact_queue_only_for_the_victims_slot() {
    for (subject, capacity) in exact::stalls().into_iter().zip([2, 3]) {
        let table = subject.table();
        assert!(table.is_right() && table.rows.len() > 10, "{table}");
        let pops = results(&table, Victim::Push, Others::Pop);
        assert!(pops.contains(&&[Answer::Popped(1, Nothing::Busy)][..]), "{table}");
        let pushes = results(&table, Victim::Pop, Others::PopThenPush);
        let busy = [Answer::Popped(1, Nothing::Empty), Answer::Pushed(capacity - 2, Some(Refused::Busy))];
        assert!(pushes.contains(&&busy[..]), "{table}");
        let full = [Answer::Popped(2, Nothing::Empty), Answer::Pushed(capacity, Some(Refused::Full))];
        assert!(pushes.contains(&&full[..]), "{table}");
    }
}

/// CNQ: a stalled consumer keeps its capsule, and threads wait for those too far behind it. Threads
/// wait for a stalled producer with a new capsule if the tube already has it in its order; with a
/// tube of index queues, none does.
#[test]
fn threads_wait_in_a_nested_queue_only_for_the_victims_capsule() {
    let ring = table("cnq-ring");
    let index_queues = table("cnq-indices");
    for table in [&ring, &index_queues] {
        assert!(table.is_right() && table.rows.len() > 40, "{table}");
        let pops = results(table, Victim::Pop, Others::Pop);
        assert!(pops.contains(&&[Answer::Popped(2, Nothing::Busy)][..]), "behind the window: {table}");
        assert!(pops.contains(&&[Answer::Popped(0, Nothing::Empty)][..]), "all there is: {table}");
        assert!(pops.contains(&&[Answer::Popped(5, Nothing::Empty)][..]), "it has nothing yet: {table}");
    }
    let busy = [Answer::Popped(2, Nothing::Busy)];
    assert!(results(ring, Victim::Push, Others::Pop).contains(&&busy[..]), "{ring}");
    let pushing = index_queues.rows.iter().filter(|row| row.scene.victim == Victim::Push);
    assert!(pushing.flat_map(|row| &row.cells).all(|cell| !cell.to_string().contains("Busy")), "{index_queues}");
}

/// A producer that has taken a position only closes no other thread's capsule: the others fill all
/// that they get.
#[test]
fn capsules_are_filled_if_no_other_thread_enters() {
    let partly_used = |subjects: Vec<Subject>| {
        let subject = find(&subjects, "cnq-ring");
        let scenes = subject.scenes().iter().filter(|scene| scene.victim == Victim::Push && scene.filled == 2);
        let rows = scenes.filter_map(|&scene| subject.rows(scene).nth(3));
        let cells: Vec<_> = rows.flat_map(|row| row.cells).collect();
        assert!(!cells.is_empty(), "a push has three steps");
        let mut answers = cells.iter().flat_map(|cell| cell.answers.iter().flatten());
        answers.any(|answer| matches!(answer, Answer::Pushed(count, _) if count % 2 == 1))
    };
    assert!(!partly_used(cnq::world::stalls()));
    assert!(partly_used(faults::progress(Fault::CnqClosesItself)));
}

/// The tables tell right from wrong.
#[test]
fn faults_are_seen() {
    let faults = [
        (Fault::BbqLastEntryIsAll, "bbq-spmc"),
        (Fault::BbqBusyIsFull, "bbq-mpmc"),
        (Fault::BbqLeavesTheHeadBehind, "bbq-mpmc"),
        (Fault::BbqFollowsNoHead, "bbq-mpmc"),
        (Fault::CnqRefusedIsEmpty, "cnq-ring"),
        (Fault::IndicesWaitForTheTail, "cnq-indices"),
        (Fault::ExactBusyIsFull, "exact-2"),
        (Fault::ExactBusyIsEmpty, "exact-3"),
    ];
    for (fault, name) in faults {
        let table = first_wrong(fault, name);
        assert!(table.to_string().contains("WRONG"), "{fault:?}: {table}");
    }
    // While a push is not complete, `Empty` is never false, but it is not the whole truth.
    let table = find(&faults::progress(Fault::BbqBusyIsEmpty), "bbq-mpmc").table();
    let answers = results(&table, Victim::Push, Others::Pop);
    assert!(!answers.contains(&&[Answer::Popped(1, Nothing::Busy)][..]), "{table}");
}

/// A thread that waits for another one also waits when that one is stopped, before the step after
/// which its item is visible.
#[test]
fn a_push_that_waits_is_seen() {
    let text = first_wrong(Fault::NblfqWaitsForTheHead, "nblfq-3").to_string();
    // A loop of several loads is not one of the model's waits, and does not end.
    let wrong: Vec<&str> = text.lines().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.iter().all(|line| line.contains("victim: Push") && line.contains("TooManyEvents")), "{text}");
    assert!(wrong.iter().any(|line| line.contains("suspended after step 4")), "{text}");
}

/// A consumer that waits for a producer also waits when the producer is stopped.
#[test]
fn a_pop_that_waits_is_seen() {
    let text = first_wrong(Fault::UnboundedWaitsForTheProducer, "unbounded-2").to_string();
    let wrong: Vec<&str> = text.lines().filter(|line| line.starts_with("WRONG")).collect();
    assert!(wrong.iter().any(|line| line.contains("victim: Push") && line.contains("suspended after step")), "{text}");
}
