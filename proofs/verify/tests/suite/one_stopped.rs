//! The tables of `aqueduct verify --matrix`: which operations complete while the other side has
//! stopped.

use std::collections::VecDeque;
use std::sync::Arc;

use aqueduct_model::sync::Mutex;
use aqueduct_verify::VerifyArgs;
use aqueduct_verify::clients::item::{Boxed, Item};
use aqueduct_verify::clients::spsc::Setup;
use aqueduct_verify::clients::spsc::queue::{Consumer, Producer, Queue};
use aqueduct_verify::command::write;
use aqueduct_verify::progress::one_stopped::{self, Cell, Manner, Other, Row, Subject, Table, Victim};
use clap::Parser;

/// Returns the cells of one column, from the first step on.
fn column(table: &Table, victim: Victim, manner: Manner, other: Other) -> Vec<&Cell> {
    let rows = table.rows.iter().filter(|row: &&Row| row.victim == victim && row.manner == manner);
    rows.map(|row| row.cells.iter().find(|cell| cell.other == other).expect("the victim's column")).collect()
}

fn waits(cells: &[&Cell]) -> Vec<bool> {
    cells.iter().map(|cell| cell.waiting > 0).collect()
}

/// In a push, only the steps before the publication keep the new item from the consumer. In a pop,
/// only those before the slot is given back keep it from the producer.
#[test]
fn each_queue_waits_up_to_one_step_and_never_else() {
    for subject in one_stopped::subjects() {
        let table = subject.table();
        assert!(table.is_right(), "{table}");
        for (victim, other) in [(Victim::Push, Other::PopNew), (Victim::Pop, Other::PushUntilRoom)] {
            let cells = column(&table, victim, Manner::Suspended, other);
            assert!(cells.len() > 2, "{table}");
            let waits = waits(&cells);
            assert!(waits[0] && waits.is_sorted_by(|a, b| a >= b), "a step makes the others wait:\n{table}");
            assert!(cells.iter().all(|cell| cell.waiting == 0 || cell.completed == 0), "it depends:\n{table}");
        }
        assert!(!waits(&column(&table, Victim::Push, Manner::Suspended, Other::PopNew)).ends_with(&[true]), "{table}");
        for (victim, other) in [(Victim::Push, Other::PopNew), (Victim::Pop, Other::PushUntilRoom)] {
            // A handler that waits for the operation that it interrupts waits forever; any other
            // completes.
            let [cell] = column(&table, victim, Manner::Interrupted, other)[..] else { panic!("one row: {table}") };
            assert!(cell.waiting > 0 && cell.completed > 0, "{table}");
        }
        let [pop] = column(&table, Victim::Push, Manner::Interrupted, Other::Pop)[..] else { panic!("{table}") };
        assert!(pop.found.iter().eq(&["item"]) && pop.completed > 2, "one execution for each step:\n{table}");
    }
}

#[test]
fn lamports_queue_passes_an_item_in_its_third_step() {
    let subjects = one_stopped::subjects();
    let table = subjects.iter().find(|subject| subject.name() == "lamport").expect("it is there").table();
    let new = column(&table, Victim::Push, Manner::Suspended, Other::PopNew);
    assert_eq!(waits(&new), [true, true, true, false], "{table}");
    let room = column(&table, Victim::Pop, Manner::Suspended, Other::PushUntilRoom);
    assert_eq!(waits(&room), [true, true, true, false], "{table}");
    let push = column(&table, Victim::Pop, Manner::Suspended, Other::Push);
    assert!(push[2].found.iter().eq(&["full"]) && push[3].found.iter().eq(&["full", "taken"]), "{table}");
    let look = column(&table, Victim::Push, Manner::Dead, Other::Look);
    assert!(look[0].found.contains("gone"), "a dead producer drops its end: {table}");
    let text = table.to_string();
    let row = text.lines().find(|line| line.contains("suspended after step 3 (lamport.rs:")).expect("a row");
    assert!(!row.contains("waits"), "{text}");
}

/// A queue behind a lock: a thread that stops in it blocks all others.
#[derive(Clone, Copy)]
struct Locked(Setup);

struct End(Arc<Mutex<VecDeque<Boxed>>>);

impl Queue for Locked {
    type Item = Boxed;
    type Producer = End;
    type Consumer = End;
    const EXACT: bool = true;
    const COUNTS_SEEN: bool = true;

    fn ends(self) -> (End, End) {
        let items = Arc::new(Mutex::new(VecDeque::new()));
        (End(Arc::clone(&items)), End(items))
    }

    fn capacity(self) -> usize {
        self.0.capacity
    }
}

impl End {
    fn count(&self) -> usize {
        self.0.lock().expect("it is not poisoned").len()
    }
}

impl Producer for End {
    type Item = Boxed;

    fn push(&mut self, item: Boxed) -> Result<(), Boxed> {
        let mut items = self.0.lock().expect("it is not poisoned");
        // This read of the item is a step of its own.
        assert!(item.number() > 0);
        if items.len() == 2 {
            return Err(item);
        }
        items.push_back(item);
        Ok(())
    }

    fn len(&self) -> usize {
        self.count()
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn is_full(&self) -> bool {
        self.count() == 2
    }

    fn is_closed(&self) -> bool {
        false
    }

    fn capacity(&self) -> usize {
        2
    }
}

impl Consumer for End {
    type Item = Boxed;

    fn pop(&mut self) -> Option<Boxed> {
        self.0.lock().expect("it is not poisoned").pop_front()
    }

    fn len(&self) -> usize {
        self.count()
    }

    fn is_empty(&self) -> bool {
        self.count() == 0
    }

    fn is_closed(&self) -> bool {
        false
    }
}

#[test]
fn a_lock_makes_all_wait_for_a_suspended_thread_and_not_for_a_dead_one() {
    let table = Subject::new("locked", Locked).table();
    assert!(!table.is_right(), "{table}");
    for other in [Other::Pop, Other::PopOld, Other::Look] {
        // The steps are: take the lock, read the item, release the lock.
        let suspended = column(&table, Victim::Push, Manner::Suspended, other);
        assert_eq!(waits(&suspended), [false, true, true, false], "{table}");
        let dead = column(&table, Victim::Push, Manner::Dead, other);
        assert_eq!(waits(&dead), [false, false], "after the second step it opens the lock and ends:\n{table}");
    }
    assert!(table.to_string().contains("or waits"), "{table}");
}

#[derive(Debug, Parser)]
struct Arguments {
    #[command(flatten)]
    verify: VerifyArgs,
}

fn args(name: &str) -> VerifyArgs {
    Arguments::parse_from(["verify", name, "--matrix"]).verify
}

fn output(args: &VerifyArgs) -> (bool, String) {
    let mut out = Vec::new();
    let right = write(args, &mut out).expect("it can be written");
    (right, String::from_utf8(out).expect("text"))
}

#[test]
fn the_command_prints_tables_or_json_and_refuses_unknown_queues() {
    let (right, text) = output(&args("lamport"));
    assert!(right && text.matches("lamport: the ").count() == 2 && !text.contains("lazy"), "{text}");
    assert!(text.contains("what must complete completes"), "{text}");
    let (_, text) = output(&args("batched_l"));
    assert!(text.contains("batched_lamport: the producer"), "{text}");
    let (right, json) = output(&VerifyArgs { json: true, ..args("lamport") });
    let table: serde_json::Value = serde_json::from_str(&json).expect("one object");
    assert!(right && table["queue"] == "lamport", "{json}");
    assert!(table["rows"][0]["cells"][2]["other"] == "pop-new", "{json}");
    let error = write(&args("no_such"), &mut Vec::new()).expect_err("there is none").to_string();
    assert!(error.contains("no_such") && error.contains("stamped_line-late"), "{error}");
}
