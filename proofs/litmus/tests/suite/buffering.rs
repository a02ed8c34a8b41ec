//! Load buffering: the checker's report about a program against the oracle that allows load
//! buffering.

use aqueduct_litmus::ast::Program;
use aqueduct_litmus::oracle::{self, Limits, Question, buffering};
use aqueduct_litmus::parse::parse;
use aqueduct_litmus::random::Rng;
use aqueduct_litmus::run::{self, Settings};

/// Returns the number of pairs that the checker reports, or `None` if the program is racy or too
/// big.
fn pairs(program: &Program) -> Option<usize> {
    let settings = Settings::default();
    let answer = run::run_with(program, &settings, run::config(&settings).load_buffering(true)).ok()?;
    Some(answer.load_buffering?.len())
}

/// Returns whether load buffering adds final states to those of RC11, or `None` if the program is
/// too big.
fn adds_states(program: &Program) -> Option<bool> {
    let limits = Limits { partial: 5_000, complete: 40_000 };
    let question = Question { limits, ..Question::default() };
    let outcome = oracle::outcome(program, &question).ok().filter(|outcome| !outcome.racy)?;
    let states = buffering::states(program, &question).ok()?;
    Some(!states.is_subset(&outcome.states))
}

fn two(one: &str, other: &str) -> Program {
    let text = format!(
        "C two\n{{ x = 0; y = 0; }}\nP0 (atomic_int* x, atomic_int* y) {{ {one} }}\nP1 (atomic_int* x, atomic_int* y) {{ {other} }}\nexists (x=1)"
    );
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The oracle allows load buffering, and no value out of thin air.
#[test]
fn the_oracle_allows_load_buffering_and_nothing_out_of_thin_air() {
    const RELAXED: &str = "memory_order_relaxed";
    let forwards = format!("int r = atomic_load_explicit(x, {RELAXED}); atomic_store_explicit(y, 1, {RELAXED});");
    let backwards = format!("int r = atomic_load_explicit(y, {RELAXED}); atomic_store_explicit(x, 1, {RELAXED});");
    let copies = format!("int r = atomic_load_explicit(x, {RELAXED}); atomic_store_explicit(y, r, {RELAXED});");
    let copies_back = format!("int r = atomic_load_explicit(y, {RELAXED}); atomic_store_explicit(x, r, {RELAXED});");
    let branches = format!(
        "int r = atomic_load_explicit(x, {RELAXED}); if (r == 1) {{ atomic_store_explicit(y, 1, {RELAXED}); }}"
    );
    let branches_back = format!(
        "int r = atomic_load_explicit(y, {RELAXED}); if (r == 1) {{ atomic_store_explicit(x, 1, {RELAXED}); }}"
    );
    let acquires = backwards.replace(&format!("load_explicit(y, {RELAXED}"), "load_explicit(y, memory_order_acquire");
    let fenced = backwards.replace("; atomic_store", "; atomic_thread_fence(memory_order_acquire); atomic_store");
    for (one, other, adds) in [
        (&forwards, &backwards, true),
        (&copies, &backwards, true),
        (&branches, &backwards, true),
        (&copies, &copies_back, false),
        (&branches, &branches_back, false),
        (&forwards, &acquires, true),
        (&copies, &acquires, false),
        (&copies, &fenced, false),
    ] {
        let program = two(one, other);
        assert_eq!(adds_states(&program), Some(adds), "{program}");
        assert!(!adds || pairs(&program) > Some(0), "{program}");
    }
}

/// **Soundness, tested**: where the checker reports no pair, load buffering adds no final state.
#[test]
fn no_pair_means_that_load_buffering_adds_nothing() {
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 15_000 } else { 2_000 };
    let mut rng = Rng::with_seed(11);
    let (mut judged, mut adding, mut reported) = (0, 0, 0);
    for _ in 0..programs {
        let program = circle(&mut rng);
        let (Some(pairs), Some(adds)) = (pairs(&program), adds_states(&program)) else {
            continue;
        };
        judged += 1;
        adding += usize::from(adds);
        reported += usize::from(pairs > 0);
        assert!(!adds || pairs > 0, "load buffering adds states, and no pair is reported:\n{program}");
    }
    println!("{judged} judged: load buffering adds states to {adding}, pairs are reported of {reported}");
    assert!(judged * 3 > programs && adding * 20 > judged && (judged - reported) * 5 > judged);
}

/// Returns a program whose threads form a circle: each reads a location and writes the next one's.
/// One more thread may stand beside it.
fn circle(rng: &mut Rng) -> Program {
    let threads = if rng.u8(..4) == 0 { 3 } else { 2 };
    let names = &["x", "y", "z"][..threads];
    let mut initial: String = names.iter().map(|name| format!("{name} = 0; ")).collect();
    // Each thread has its own locations for the expected values of compare-exchanges.
    initial.extend((0..threads).map(|thread| format!("e{thread} = {}; f{thread} = 0; ", rng.u8(..2))));
    let mut text = format!("C circle\n{{ {initial}}}\n");
    let parameters = names.iter().map(|name| format!("atomic_int* {name}")).collect::<Vec<_>>().join(", ");
    for thread in 0..threads {
        let body = [
            other(rng, names, 6),
            read(rng, names[thread], thread),
            other(rng, names, 3),
            write(rng, names[(thread + 1) % threads], thread),
            other(rng, names, 6),
            later(rng, names),
        ];
        text += &format!("P{thread} ({parameters}, int* e{thread}, int* f{thread}) {{ {} }}\n", body.concat());
    }
    if rng.u8(..3) == 0 {
        text += &format!("P{threads} ({parameters}) {{ {}}}\n", bystander(rng, names));
    }
    text += "exists (x=1)";
    parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

fn one_of<'a>(rng: &mut Rng, of: &[&'a str]) -> &'a str {
    of[rng.usize(..of.len())]
}

/// Returns an ordering, relaxed in three of four cases.
fn order(rng: &mut Rng, strong: &[&'static str]) -> String {
    let order = if rng.u8(..4) > 0 { "relaxed" } else { one_of(rng, strong) };
    format!("memory_order_{order}")
}

/// Returns a compare-exchange.
fn exchange(rng: &mut Rng, at: &str, expected: &str, value: u8) -> String {
    let strength = one_of(rng, &["strong", "strong", "weak"]);
    let order = order(rng, &["acquire", "release", "acq_rel"]);
    format!("atomic_compare_exchange_{strength}_explicit({at}, {expected}, {value}, {order}, memory_order_relaxed); ")
}

/// Returns a statement that reads a location into `r`, or whether the location has the value that
/// the thread expects.
fn read(rng: &mut Rng, from: &str, thread: usize) -> String {
    let both = ["acquire", "release", "acq_rel"];
    match rng.u8(..8) {
        0 => format!("int r = atomic_fetch_add_explicit({from}, 1, {}); ", order(rng, &both)),
        1 => format!("int r = atomic_fetch_or_explicit({from}, 1, {}); ", order(rng, &both)),
        2 => format!("int r = atomic_exchange_explicit({from}, 2, {}); ", order(rng, &both)),
        3 => format!("int r = {}", exchange(rng, from, &format!("e{thread}"), 2)),
        _ => format!("int r = atomic_load_explicit({from}, {}); ", order(rng, &["acquire", "seq_cst"])),
    }
}

/// Returns a statement that writes a location: independent of `r`, or after a branch on it, or with
/// its value.
fn write(rng: &mut Rng, to: &str, thread: usize) -> String {
    let order = order(rng, &["release", "seq_cst"]);
    let store = |value: &str| format!("atomic_store_explicit({to}, {value}, {order}); ");
    match rng.u8(..13) {
        0 => format!("atomic_fetch_add_explicit({to}, 1, {order}); "),
        1 => format!("atomic_exchange_explicit({to}, r, {order}); "),
        2 => store("r"),
        3 => store("r + 1"),
        4 => format!("if (r == 1) {{ {}}} ", store("1")),
        5 => format!("if (r == 0) {{ {}}} else {{ {}}} ", store("1"), store("1")),
        6 => format!("if (r == 0) {{ {}}} else {{ {}}} ", store("1"), store("2")),
        7 => format!("int s = {}", exchange(rng, to, &format!("f{thread}"), 1)),
        8 => format!("if (r == 1) {{ int s = {}}} ", exchange(rng, to, &format!("f{thread}"), 1)),
        9 => store("0"),
        _ => store("1"),
    }
}

/// Returns nothing, or in one of `rare` cases another access or a fence.
fn other(rng: &mut Rng, names: &[&str], rare: u8) -> String {
    if rng.u8(..rare) > 0 {
        return String::new();
    }
    let name = one_of(rng, names);
    match rng.u8(..6) {
        0 => format!("atomic_thread_fence(memory_order_{}); ", one_of(rng, &["acquire", "release", "seq_cst"])),
        1 => format!("atomic_store_explicit({name}, 3, {}); ", order(rng, &["release"])),
        2 => format!("atomic_fetch_add_explicit({name}, 1, {}); ", order(rng, &["release", "acquire"])),
        _ => format!("atomic_load_explicit({name}, {}); ", order(rng, &["acquire"])),
    }
}

/// Returns nothing, or a read of a location after the thread's part in the circle.
fn later(rng: &mut Rng, names: &[&str]) -> String {
    let fence = if rng.u8(..4) == 0 {
        format!("atomic_thread_fence(memory_order_{}); ", one_of(rng, &["acquire", "seq_cst"]))
    } else {
        String::new()
    };
    match rng.u8(..3) {
        0 => format!("{fence}int q = atomic_load_explicit({}, {}); ", one_of(rng, names), order(rng, &["acquire"])),
        _ => String::new(),
    }
}

/// Returns the body of a thread beside the circle: it reads, or also writes a location that depends
/// on its reads.
fn bystander(rng: &mut Rng, names: &[&str]) -> String {
    let look = format!("int a = atomic_load_explicit({}, {}); ", one_of(rng, names), order(rng, &["acquire"]));
    let branches = rng.bool();
    let mut store =
        || format!("atomic_store_explicit({}, {}, memory_order_relaxed); ", one_of(rng, names), rng.u8(..3));
    if branches { format!("{look}if (a == 0) {{ {}}} else {{ {}}} ", store(), store()) } else { look + &store() }
}
