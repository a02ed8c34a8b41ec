//! Who waits for whom in the queues of many threads.

use aqueduct_broken::Fault;
use aqueduct_verify::many::{Nothing, Refused};
use aqueduct_verify::matrix::{Manner, Victim};
use aqueduct_verify::stalls::{Answer, Others, Table};
use aqueduct_verify::{bbq, broken_bbq, nblfq};

/// What the others can be told while this victim is frozen somewhere.
fn told(table: &Table, victim: Victim, others: Others) -> Vec<&[Answer]> {
    let rows = table.rows.iter().filter(|row| row.scene.victim == victim && row.manner == Manner::Suspended);
    let cells = rows.flat_map(|row| row.cells.iter().filter(|cell| cell.others == others));
    cells.flat_map(|cell| cell.answers.iter().map(Vec::as_slice)).collect()
}

fn table(name: &str) -> Table {
    let subjects = bbq::world::stalls();
    subjects.iter().find(|subject| subject.name() == name).expect("it is there").table()
}

/// A push that stalls holds up who comes to its entry, a pop that stalls who comes to its block a lap later, and nobody else.
#[test]
fn nobody_waits_but_where_the_victim_is() {
    for subject in bbq::world::stalls() {
        let table = subject.table();
        assert!(table.is_right(), "{table}");
        assert!(table.rows.len() > 10, "{table}");
    }
}

#[test]
fn a_stalled_push_is_busy_for_who_comes_to_it() {
    for name in ["bbq-mpsc", "bbq-mpmc", "bbq-shared", "bbq-drop_old_mpmc", "faaq", "faaq-shared"] {
        let table = table(name);
        let told = told(&table, Victim::Push, Others::Pop);
        assert!(told.contains(&&[Answer::Popped(1, Nothing::Busy)][..]), "{table}");
        assert!(told.contains(&&[Answer::Popped(2, Nothing::Empty)][..]), "{table}");
    }
}

/// All items are gone, but one block cannot be used again, whether its first or its last entry is the victim's.
#[test]
fn a_stalled_pop_is_busy_for_who_comes_to_its_block_a_lap_later() {
    for name in ["bbq-spmc", "bbq-mpmc", "bbq-shared", "faaq", "faaq-shared"] {
        let table = table(name);
        let told = told(&table, Victim::Pop, Others::PopThenPush);
        for pushes in [1, 2] {
            let busy = [Answer::Popped(1, Nothing::Empty), Answer::Pushed(pushes, Some(Refused::Busy))];
            assert!(told.contains(&&busy[..]), "{pushes} pushes: {table}");
        }
    }
}

/// A reader that stalls holds up nobody.
#[test]
fn a_stalled_reader_is_overwritten() {
    for name in ["bbq-drop_old_spmc", "bbq-drop_old_mpmc"] {
        let table = table(name);
        let told = told(&table, Victim::Pop, Others::Push);
        assert!(!told.is_empty() && told.iter().all(|run| matches!(run, [Answer::Pushed(6, None)])), "{table}");
    }
}

/// Whoever stops in the lock-free queue, wherever: all others complete, as if the victim's operation had happened or had not.
#[test]
fn nobody_waits_in_the_lock_free_queue() {
    for subject in nblfq::stalls() {
        let table = subject.table();
        assert!(table.is_right(), "{table}");
        let cells = || table.rows.iter().flat_map(|row| &row.cells);
        assert!(cells().all(|cell| cell.waiting == 0 && cell.completed > 0), "{table}");
        assert!(!table.to_string().contains("Busy"), "{table}");
    }
}

/// The tables tell right from wrong.
#[test]
fn faults_are_seen() {
    let faulty = |fault, name| {
        let subjects = broken_bbq::stalls(fault);
        subjects.iter().find(|subject| subject.name() == name).expect("it is there").table()
    };
    for (fault, name) in [(Fault::BbqLastEntryIsAll, "bbq-spmc"), (Fault::BbqBusyIsFull, "bbq-mpmc")] {
        let table = faulty(fault, name);
        assert!(!table.is_right() && table.to_string().contains("WRONG"), "{fault:?}: {table}");
    }
    // `Empty` is never a lie where a push is not complete, but not the whole truth.
    let table = faulty(Fault::BbqBusyIsEmpty, "bbq-mpmc");
    let told = told(&table, Victim::Push, Others::Pop);
    assert!(!told.contains(&&[Answer::Popped(1, Nothing::Busy)][..]), "{table}");
}
