//! The classic litmus families in one table: the number of executions of each program, and whether
//! the outcome that gives the family its name is allowed.
//!
//! Threads are written in shorthand: `x=1 rel` stores, `x acq` loads into the next register,
//! `x+=1 rlx` is a fetch-and-add and `x<-1 rlx` an exchange, both into the next register,
//! `fence sc` is a fence.

use aqueduct_litmus::ast::Program;
use aqueduct_litmus::oracle::{self, Question};
use aqueduct_litmus::outcome::{Outcome, ReleaseSequences};
use aqueduct_litmus::parse::parse;
use aqueduct_litmus::run::{Settings, run};

use Verdict::{Allowed, Forbidden};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Allowed,
    Forbidden,
}

struct Row {
    name: &'static str,
    threads: &'static [&'static str],
    outcome: &'static str,
    verdict: Verdict,
    executions: u64,
}

const fn row(
    name: &'static str,
    threads: &'static [&'static str],
    outcome: &'static str,
    verdict: Verdict,
    executions: u64,
) -> Row {
    Row { name, threads, outcome, verdict, executions }
}

const MP: &str = "1:r0=1 /\\ 1:r1=0";
const SB: &str = "0:r0=0 /\\ 1:r0=0";
const S: &str = "1:r0=1 /\\ x=2";
const R: &str = "1:r0=0 /\\ y=2";
const TWO_TWO_W: &str = "x=1 /\\ y=1";
const WRC: &str = "1:r0=1 /\\ 2:r0=1 /\\ 2:r1=0";
const RWC: &str = "1:r0=1 /\\ 1:r1=0 /\\ 2:r0=0";
const IRIW: &str = "2:r0=1 /\\ 2:r1=0 /\\ 3:r0=1 /\\ 3:r1=0";
const Z6: &str = "2:r0=1 /\\ 2:r1=0 /\\ y=2";
const CO_RR: &str = "1:r0=1 /\\ 1:r1=0";
const SEQUENCE: &str = "1:r0=2 /\\ 1:r1=0";
const CHAIN: &str = "2:r0=2 /\\ 2:r1=0";

#[rustfmt::skip]
const TABLE: &[Row] = &[
    // Message passing.
    row("MP", &["x=1 rlx; y=1 rlx", "y rlx; x rlx"], MP, Allowed, 4),
    row("MP+rel+rlx", &["x=1 rlx; y=1 rel", "y rlx; x rlx"], MP, Allowed, 4),
    row("MP+rlx+acq", &["x=1 rlx; y=1 rlx", "y acq; x rlx"], MP, Allowed, 4),
    row("MP+rel+acq", &["x=1 rlx; y=1 rel", "y acq; x rlx"], MP, Forbidden, 3),
    row("MP+sc", &["x=1 sc; y=1 sc", "y sc; x sc"], MP, Forbidden, 3),
    row("MP+frel+facq", &["x=1 rlx; fence rel; y=1 rlx", "y rlx; fence acq; x rlx"], MP, Forbidden, 3),
    row("MP+rel+facq", &["x=1 rlx; y=1 rel", "y rlx; fence acq; x rlx"], MP, Forbidden, 3),
    row("MP+frel+acq", &["x=1 rlx; fence rel; y=1 rlx", "y acq; x rlx"], MP, Forbidden, 3),
    row("MP+far+far", &["x=1 rlx; fence acq_rel; y=1 rlx", "y rlx; fence acq_rel; x rlx"], MP, Forbidden, 3),
    row("MP+fsc+fsc", &["x=1 rlx; fence sc; y=1 rlx", "y rlx; fence sc; x rlx"], MP, Forbidden, 3),
    row("MP+facq+frel", &["x=1 rlx; fence acq; y=1 rlx", "y rlx; fence rel; x rlx"], MP, Allowed, 4),
    // Store buffering.
    row("SB", &["x=1 rlx; y rlx", "y=1 rlx; x rlx"], SB, Allowed, 4),
    row("SB+rel+acq", &["x=1 rel; y acq", "y=1 rel; x acq"], SB, Allowed, 4),
    row("SB+far+far", &["x=1 rlx; fence acq_rel; y rlx", "y=1 rlx; fence acq_rel; x rlx"], SB, Allowed, 4),
    row("SB+sc+acq", &["x=1 sc; y acq", "y=1 sc; x sc"], SB, Allowed, 4),
    row("SB+sc", &["x=1 sc; y sc", "y=1 sc; x sc"], SB, Forbidden, 3),
    row("SB+fsc+fsc", &["x=1 rlx; fence sc; y rlx", "y=1 rlx; fence sc; x rlx"], SB, Forbidden, 3),
    row("SB+fsc+sc", &["x=1 rlx; fence sc; y rlx", "y=1 sc; x sc"], SB, Forbidden, 3),
    row("SB+fsc", &["x=1 rlx; fence sc; y rlx", "y=1 rlx; x rlx"], SB, Allowed, 4),
    row("SB+xchg", &["x<-1 acq_rel; y rlx", "y<-1 acq_rel; x rlx"], "0:r1=0 /\\ 1:r1=0", Allowed, 4),
    row("SB+xchg+sc", &["x<-1 sc; y sc", "y<-1 sc; x sc"], "0:r1=0 /\\ 1:r1=0", Forbidden, 3),
    // Load buffering: RC11 forbids cycles of program order and reads-from.
    row("LB", &["x rlx; y=1 rlx", "y rlx; x=1 rlx"], "0:r0=1 /\\ 1:r0=1", Forbidden, 3),
    row("LB+acq+rel", &["x acq; y=1 rel", "y acq; x=1 rel"], "0:r0=1 /\\ 1:r0=1", Forbidden, 3),
    // S, R, 2+2W.
    row("S", &["x=2 rlx; y=1 rlx", "y rlx; x=1 rlx"], S, Allowed, 4),
    row("S+rel+acq", &["x=2 rlx; y=1 rel", "y acq; x=1 rlx"], S, Forbidden, 3),
    row("S+rel+rlx", &["x=2 rlx; y=1 rel", "y rlx; x=1 rlx"], S, Allowed, 4),
    row("R", &["x=1 rlx; y=1 rlx", "y=2 rlx; x rlx"], R, Allowed, 4),
    row("R+rel+acq", &["x=1 rel; y=1 rel", "y=2 rel; x acq"], R, Allowed, 4),
    row("R+sc", &["x=1 sc; y=1 sc", "y=2 sc; x sc"], R, Forbidden, 3),
    row("R+fsc+fsc", &["x=1 rlx; fence sc; y=1 rlx", "y=2 rlx; fence sc; x rlx"], R, Forbidden, 3),
    row("2+2W", &["x=1 rlx; y=2 rlx", "y=1 rlx; x=2 rlx"], TWO_TWO_W, Allowed, 4),
    row("2+2W+rel", &["x=1 rel; y=2 rel", "y=1 rel; x=2 rel"], TWO_TWO_W, Allowed, 4),
    row("2+2W+sc", &["x=1 sc; y=2 sc", "y=1 sc; x=2 sc"], TWO_TWO_W, Forbidden, 3),
    row("2+2W+fsc", &["x=1 rlx; fence sc; y=2 rlx", "y=1 rlx; fence sc; x=2 rlx"], TWO_TWO_W, Forbidden, 3),
    // Three threads.
    row("WRC", &["x=1 rlx", "x rlx; y=1 rlx", "y rlx; x rlx"], WRC, Allowed, 8),
    row("WRC+rel+acq", &["x=1 rel", "x acq; y=1 rel", "y acq; x rlx"], WRC, Forbidden, 7),
    row("WRC+rlx+rel+acq", &["x=1 rlx", "x rlx; y=1 rel", "y acq; x rlx"], WRC, Forbidden, 7),
    row("WRC+rel+rlx", &["x=1 rel", "x acq; y=1 rlx", "y acq; x rlx"], WRC, Allowed, 8),
    row("RWC", &["x=1 rlx", "x acq; y acq", "y=1 rel; x acq"], RWC, Allowed, 8),
    row("RWC+sc", &["x=1 sc", "x sc; y sc", "y=1 sc; x sc"], RWC, Forbidden, 7),
    row("RWC+fsc", &["x=1 rlx", "x rlx; fence sc; y rlx", "y=1 rlx; fence sc; x rlx"], RWC, Forbidden, 7),
    row("RWC+acq+fsc", &["x=1 rel", "x acq; y acq", "y=1 rlx; fence sc; x rlx"], RWC, Allowed, 8),
    row("W+RWC+fsc", &["x=1 rlx; z=1 rel", "z acq; fence sc; y rlx", "y=1 rlx; fence sc; x rlx"], RWC, Forbidden, 7),
    row("W+RWC+sc", &["x=1 sc; z=1 sc", "z sc; y sc", "y=1 sc; x sc"], RWC, Forbidden, 7),
    row("W+RWC+rel+acq", &["x=1 sc; z=1 rel", "z acq; y sc", "y=1 sc; x sc"], RWC, Forbidden, 7),
    row("W+RWC+one location", &["x=1 sc; x=2 rel", "x acq; y sc", "y=1 sc; x sc"],
        "1:r0=2 /\\ 1:r1=0 /\\ 2:r0=0", Allowed, 18),
    row("ISA2", &["x=1 rlx; y=1 rel", "y acq; z=1 rel", "z acq; x rlx"], WRC, Forbidden, 7),
    row("ISA2+rlx", &["x=1 rlx; y=1 rel", "y rlx; z=1 rel", "z acq; x rlx"], WRC, Allowed, 8),
    row("Z6", &["x=1 rel; y=1 rel", "y=2 rel; z=1 rel", "z acq; x acq"], Z6, Allowed, 8),
    row("Z6+sc", &["x=1 sc; y=1 sc", "y=2 sc; z=1 sc", "z sc; x sc"], Z6, Forbidden, 7),
    row("Z6.U", &["x=1 sc; y=1 rel", "y+=1 sc; y rlx", "y=3 sc; x sc"], "1:r0=1 /\\ 1:r1=3 /\\ 2:r0=0", Allowed, 24),
    // Four threads.
    row("IRIW", &["x=1 rlx", "y=1 rlx", "x rlx; y rlx", "y rlx; x rlx"], IRIW, Allowed, 16),
    row("IRIW+acq", &["x=1 rel", "y=1 rel", "x acq; y acq", "y acq; x acq"], IRIW, Allowed, 16),
    row("IRIW+sc", &["x=1 sc", "y=1 sc", "x sc; y sc", "y sc; x sc"], IRIW, Forbidden, 15),
    row("IRIW+fsc", &["x=1 rlx", "y=1 rlx", "x rlx; fence sc; y rlx", "y rlx; fence sc; x rlx"], IRIW, Forbidden, 15),
    row("IRIW+acq+sc", &["x=1 sc", "y=1 sc", "x acq; y sc", "y acq; x sc"], IRIW, Allowed, 16),
    // Coherence of one location.
    row("CoRR", &["x=1 rlx", "x rlx; x rlx"], CO_RR, Forbidden, 3),
    row("CoWW", &["x=1 rlx; x=2 rlx"], "x=1", Forbidden, 1),
    row("CoRW1", &["x rlx; x=1 rlx"], "0:r0=1", Forbidden, 1),
    row("CoRW2", &["x rlx; x=1 rlx", "x=2 rlx"], "0:r0=2 /\\ x=2", Forbidden, 3),
    row("CoWR", &["x=1 rlx; x rlx", "x=2 rlx"], "0:r0=2 /\\ x=1", Forbidden, 3),
    row("CoIRIW", &["x=1 rlx", "x=2 rlx", "x rlx; x rlx", "x rlx; x rlx"],
        "2:r0=1 /\\ 2:r1=2 /\\ 3:r0=2 /\\ 3:r1=1", Forbidden, 72),
    // Release sequences: read-modify-writes continue them, later stores of the same thread do not.
    row("RelSeq+store", &["x=1 rlx; y=1 rel; y=2 rlx", "y acq; x rlx"], SEQUENCE, Allowed, 5),
    row("RelSeq+rmw", &["x=1 rlx; y=1 rel", "y+=1 rlx", "y acq; x rlx"], CHAIN, Forbidden, 9),
    row("RelSeq+frel+rmw", &["x=1 rlx; fence rel; y=1 rlx", "y+=1 rlx", "y acq; x rlx"], CHAIN, Forbidden, 9),
    row("RelSeq+rmw+facq", &["x=1 rlx; y=1 rel", "y+=1 rlx", "y rlx; fence acq; x rlx"], CHAIN, Forbidden, 9),
    row("RelSeq+other store", &["x=1 rlx; y=1 rel", "y=2 rlx", "y acq; x rlx"], CHAIN, Allowed, 10),
    // Atomicity.
    row("2 FAA", &["x+=1 rlx", "x+=1 rlx"], "0:r0=0 /\\ 1:r0=0", Forbidden, 2),
    row("3 FAA", &["x+=1 rlx", "x+=1 rlx", "x+=1 rlx"], "x=2", Forbidden, 6),
    row("4 FAA", &["x+=1 rlx", "x+=1 rlx", "x+=1 rlx", "x+=1 rlx"], "x=3", Forbidden, 24),
    row("FAA+store", &["x+=1 rlx", "x=2 rlx", "x+=1 rlx"], "x=1", Forbidden, 6),
    row("xchg reads old", &["x=1 rlx; y=1 rlx", "y rlx; x<-2 rlx"], "1:r0=1 /\\ 1:r1=0", Allowed, 4),
];

fn order(shorthand: &str) -> &'static str {
    match shorthand {
        "rlx" => "memory_order_relaxed",
        "acq" => "memory_order_acquire",
        "rel" => "memory_order_release",
        "acq_rel" => "memory_order_acq_rel",
        "sc" => "memory_order_seq_cst",
        other => panic!("{other} is no ordering"),
    }
}

/// Returns `x=1 rel` as C. `register` is the number of the next register.
fn statement(shorthand: &str, register: &mut usize) -> String {
    let (what, order_name) = shorthand.trim().rsplit_once(' ').expect("an operation and an ordering");
    let order = order(order_name);
    if what == "fence" {
        return format!("atomic_thread_fence({order});");
    }
    let call = if let Some((location, value)) = what.split_once("+=") {
        format!("atomic_fetch_add_explicit({location}, {value}, {order})")
    } else if let Some((location, value)) = what.split_once("<-") {
        format!("atomic_exchange_explicit({location}, {value}, {order})")
    } else if let Some((location, value)) = what.split_once('=') {
        return format!("atomic_store_explicit({location}, {value}, {order});");
    } else {
        format!("atomic_load_explicit({what}, {order})")
    };
    *register += 1;
    format!("int r{} = {call};", *register - 1)
}

fn program(row: &Row) -> Program {
    let mut text = format!("C {}\n{{ x = 0; y = 0; z = 0; }}\n", row.name);
    for (number, thread) in row.threads.iter().enumerate() {
        let mut register = 0;
        let body: Vec<String> = thread.split(';').map(|part| statement(part, &mut register)).collect();
        text += &format!("P{number} (atomic_int* x, atomic_int* y, atomic_int* z) {{ {} }}\n", body.join(" "));
    }
    text += &format!("exists ({})\n", row.outcome);
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn mismatch(row: &Row, program: &Program, outcome: &Outcome) -> Option<String> {
    let verdict = if outcome.condition(program) == Some(true) { Allowed } else { Forbidden };
    let agrees = (outcome.executions, verdict) == (row.executions, row.verdict);
    (!agrees).then(|| {
        format!(
            "{}: {} executions, {verdict:?}; expected {}, {:?}",
            row.name, outcome.executions, row.executions, row.verdict
        )
    })
}

#[test]
fn the_families_are_as_the_table_says() {
    let mut mismatches = Vec::new();
    for row in TABLE {
        let program = program(row);
        let oracle = oracle::outcome(&program, &Question::default()).expect("small enough");
        let checker = run(&program, &Settings::default()).expect("within the checker's limits").outcome;
        assert_eq!(oracle, checker, "{}", row.name);
        mismatches.extend(mismatch(row, &program, &checker));
    }
    assert!(mismatches.is_empty(), "{}", mismatches.join("\n"));
}

/// This is the one family that C11's release sequences change.
#[test]
fn stores_continue_release_sequences_in_c11_alone() {
    let row = TABLE.iter().find(|row| row.name == "RelSeq+store").expect("it is in the table");
    let program = program(row);
    for (release_sequences, allowed) in [(ReleaseSequences::Cpp20, true), (ReleaseSequences::C11, false)] {
        let settings = Settings { release_sequences, ..Settings::default() };
        let checker = run(&program, &settings).expect("within the checker's limits").outcome;
        assert_eq!(checker.condition(&program), Some(allowed), "{release_sequences:?}");
    }
}
