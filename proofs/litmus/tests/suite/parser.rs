//! The texts that the parser reads, its errors for others, and that damage never makes it panic.

use std::fs;

use aqueduct_litmus::ast::{
    Access, BinaryOp, Expr, LocationKind, MemoryOrder, Proposition, Quantifier, RmwOp, StatementKind,
};
use aqueduct_litmus::parse::{parse, parse_bytes};

use crate::support;

/// Returns a test with `body` as its one thread, which may use `x` (atomic), `e` (plain) and the
/// register `r`.
fn with_body(body: &str) -> String {
    format!("C t\n{{ x = 0; e = 0; }}\nP0 (atomic_int* x, int* e) {{\nint r = 0;\n{body}\n}}\nexists (x=0)\n")
}

/// Returns the second statement of the thread of [`with_body`]; the first is `int r = 0;`.
fn statement(body: &str) -> StatementKind {
    let program = parse(&with_body(body)).unwrap_or_else(|error| panic!("{body}: {error}"));
    program.threads[0].body[1].kind.clone()
}

#[track_caller]
fn assert_error(text: &str, place: (usize, usize), message: &str) {
    let error = parse(text).expect_err(text);
    assert_eq!((error.line, error.column), place, "{error}");
    assert!(error.message.contains(message), "{error}\nshould say: {message}");
}

#[track_caller]
fn assert_body_error(body: &str, column: usize, message: &str) {
    assert_error(&with_body(body), (5, column), message);
}

#[test]
fn reads_every_atomic_function() {
    for op in RmwOp::ALL {
        for order in MemoryOrder::ALL {
            let kind = statement(&format!("r = {}(x, r + 2, {});", op.c_name(), order.c_name()));
            let two = Box::new(Expr::Constant(2));
            let operand = Expr::Binary(BinaryOp::Add, Box::new(Expr::Register(0)), two);
            let access = Access::Rmw { op, location: 0, operand, order };
            assert_eq!(kind, StatementKind::Assign { register: 0, value: Expr::Access(Box::new(access)) });
        }
    }
    let kind = statement("atomic_store_explicit(x, -1, memory_order_release);");
    let value = Expr::Constant(-1);
    assert_eq!(kind, StatementKind::Store { location: 0, value, order: Some(MemoryOrder::Release) });
    let kind = statement("r = atomic_load_explicit(x, memory_order_acquire);");
    let load = Access::Load { location: 0, order: Some(MemoryOrder::Acquire) };
    assert_eq!(kind, StatementKind::Assign { register: 0, value: Expr::Access(Box::new(load)) });
    assert_eq!(statement("atomic_thread_fence(memory_order_acq_rel);"), StatementKind::Fence(MemoryOrder::AcqRel));
}

#[test]
fn reads_compare_exchange_with_its_expected_value_in_memory() {
    for weak in [false, true] {
        let strength = if weak { "weak" } else { "strong" };
        let kind = statement(&format!(
            "atomic_compare_exchange_{strength}_explicit(x, e, 3, memory_order_acq_rel, memory_order_seq_cst);"
        ));
        let access = Access::CompareExchange {
            location: 0,
            expected: 1,
            desired: Expr::Constant(3),
            success: MemoryOrder::AcqRel,
            failure: MemoryOrder::SeqCst,
            weak,
        };
        assert_eq!(kind, StatementKind::Discard(access));
    }
}

#[test]
fn reads_plain_accesses_branches_and_loops() {
    let one = || Expr::Constant(1);
    let plain = || Expr::Access(Box::new(Access::Load { location: 1, order: None }));
    assert_eq!(statement("*e = 1;"), StatementKind::Store { location: 1, value: one(), order: None });
    // Inside a body `(*` starts no comment, as in C.
    let condition = Expr::Binary(BinaryOp::Equal, Box::new(plain()), Box::new(one()));
    let kind = statement("if (*e == 1) r = 1; else { *e = 1; }");
    let then = vec![StatementKind::Assign { register: 0, value: one() }];
    let otherwise = vec![StatementKind::Store { location: 1, value: one(), order: None }];
    let StatementKind::If { condition: found, then: a, otherwise: b } = kind else { panic!("{kind:?}") };
    assert_eq!(found, condition);
    assert_eq!(a.into_iter().map(|s| s.kind).collect::<Vec<_>>(), then);
    assert_eq!(b.into_iter().map(|s| s.kind).collect::<Vec<_>>(), otherwise);
    let kind = statement("while (!(r < 1)) { r = *e; }");
    let StatementKind::While { body, .. } = kind else { panic!("{kind:?}") };
    assert_eq!(body[0].kind, StatementKind::Assign { register: 0, value: plain() });
    assert_eq!(body[0].line, 5);
}

#[test]
fn operators_bind_as_in_c() {
    let text = |body: &str| {
        let program = parse(&with_body(body)).expect(body);
        program
            .to_string()
            .lines()
            .find(|line| line.contains("r = ") && line.contains('1'))
            .unwrap_or("")
            .trim()
            .to_string()
    };
    assert_eq!(text("r = 1 + 2 * 3 == 7 && r | 1 & 2;"), "r = ((1 + (2 * 3)) == 7) && (r | (1 & 2));");
    assert_eq!(text("r = 1 - 2 - 3;"), "r = (1 - 2) - 3;");
    assert_eq!(text("r = ~1 ^ !r < 2;"), "r = (~1) ^ ((!r) < 2);");
}

#[test]
fn reads_headers_comments_and_every_form_of_initial_state() {
    let program = parse(
        "(* a (* nested *) comment *)\nC MP+rel-acq.v2\n\"PodWR Fre\"\nHash=12ab\nOrig=Rfe Pod\n\
         { x = 1; [y] = -2; int e = 3; atomic_int z; } // the rest is C\n\
         P0 (atomic_int *x, atomic_int* late) { /* nothing */ int r; }\nP1 (void) {}\nP2 () { ; }\n\
         ~exists (* with a comment *) (0:r=0 /\\ [x]=1 \\/ not (y=-2 /\\ true) \\/ ~false)\n",
    )
    .expect("all of it is accepted");
    assert_eq!(program.name, "MP+rel-acq.v2");
    let locations: Vec<_> = program.locations.iter().map(|l| (l.name.as_str(), l.initial, l.kind)).collect();
    let (atomic, plain) = (LocationKind::Atomic, LocationKind::Plain);
    assert_eq!(locations, [("x", 1, atomic), ("y", -2, plain), ("e", 3, plain), ("z", 0, atomic), ("late", 0, atomic)]);
    assert_eq!(program.threads.len(), 3);
    assert_eq!(program.condition.quantifier, Quantifier::NotExists);
    assert!(matches!(program.condition.proposition, Proposition::Or(..)));
}

#[test]
fn says_where_and_what_is_accepted() {
    assert_error("", (1, 1), "starts with `C NAME`");
    assert_error("X86 SB\n{}", (1, 1), "starts with `C NAME`, not with `X86`");
    assert_error("C\n{}", (1, 2), "the name of the test");
    assert_error("C t\nP0 () {}\nexists (true)", (2, 1), "the initial state, `{ x = 0; ... }`, not `P0`");
    assert_error("C t\n{ 0:r0 = 1; }", (2, 3), "a location, as in `x = 0;`");
    assert_error("C t\n{ x = 1; x = 2; }", (2, 10), "two initial values");
    assert_error("C t\n{ x = 2147483648; }", (2, 7), "does not fit an `int`");
    assert_error("C t\n{}\nP1 () {}", (3, 1), "expected `P0`, not `P1`");
    assert_error("C t\n{}\nP0 (int x) {}", (3, 9), "parameters are pointers");
    assert_error("C t\n{}\nP0 (volatile int* x) {}", (3, 5), "`atomic_int* x` or `int* e`, not `volatile`");
    assert_error("C t\n{}\nP0 (int* x) {}\nP1 (atomic_int* x) {}", (4, 17), "both `atomic_int` and `int`");
    assert_error("C t\n{}\nP0 (int* x) {}\n", (4, 1), "the condition");
    assert_error("C t\n{}\nP0 () {}\nlocations [x;]", (4, 1), "the condition");
    assert_error("C t\n{}\nP0 () {}\nexists (0:r=1)", (4, 11), "no register `r`");
    assert_error("C t\n{}\nP0 () {}\nexists (1:r=1)", (4, 9), "no thread 1; threads are 0 to 0");
    assert_error("C t\n{}\nP0 () {}\nexists (x=1)", (4, 9), "no location is called `x`");
    assert_error("C t\n{ x = 0; }\nP0 () {}\nexists (x=1) x", (4, 14), "nothing after the condition");
    assert_error("C t\n{ x = 0; } (* never closed", (2, 12), "no closing `*)`");
    assert_error("C t\n{ ü = 0; }", (2, 3), "no character 'ü'");
}

#[test]
fn refuses_what_c_or_the_model_has_no_meaning_for() {
    assert_body_error("r = atomic_load(x);", 5, "unknown function `atomic_load`; accepted are");
    assert_body_error("r = atomic_load_explicit(x, memory_order_release);", 29, "does not fit a load, which takes");
    assert_body_error("atomic_store_explicit(x, 1, memory_order_acquire);", 29, "does not fit a store");
    assert_body_error("r = atomic_load_explicit(x, memory_order_consume);", 29, "does not fit a load");
    let failure = "atomic_compare_exchange_strong_explicit(x, e, 1, memory_order_relaxed, memory_order_release);";
    assert_body_error(failure, 72, "does not fit a failure");
    assert_body_error("r = atomic_load_explicit(e, memory_order_relaxed);", 26, "`e` has the wrong type");
    assert_body_error("*x = 1;", 2, "`x` has the wrong type here; expected a parameter of type `int*`");
    assert_body_error("r = *y;", 6, "`y` is no parameter of this thread");
    assert_body_error("r = e;", 5, "read memory with `*e`");
    assert_body_error("q = 1;", 1, "`q` is no register here; declare it");
    assert_body_error("int r = 1;", 5, "already declared");
    assert_body_error("int e = 1;", 5, "already a parameter");
    assert_body_error("{ int q = 1; } r = q;", 20, "`q` is no register here");
    assert_body_error("r = *e + *e;", 10, "cannot access memory twice");
    assert_body_error("if (r && *e) r = 1;", 10, "right side of `&&` and `||`");
    assert_body_error("atomic_store_explicit(x, *e, memory_order_relaxed);", 26, "an argument cannot access memory");
    assert_body_error("r = 7 / 2;", 7, "expected `;`, not `/`");
    assert_body_error("r = 0x10;", 5, "numbers are decimal");
    assert_body_error("for (;;) {}", 1, "expected a statement");
    assert_body_error("r++;", 1, "expected a statement");
    assert_error(&with_body("r = 1"), (6, 1), "expected `;`, not `}`");
}

#[test]
fn bounds_nesting_and_length() {
    assert_body_error(&format!("r = {}1;", "(".repeat(100_000)), 69, "nests deeper than 64");
    assert_body_error(&format!("r = {}1;", "-(".repeat(100_000)), 69, "nests deeper than 64");
    assert_body_error(&"{".repeat(100_000), 65, "nests deeper than 64");
    assert_body_error(&format!("r = 1{};", "+1".repeat(100_000)), 2007, "more than 1000 operators");
    let condition = format!("C t\n{{ x = 0; }}\nP0 () {{}}\nexists (x=0{})", " /\\ x=0".repeat(100_000));
    assert!(parse(&condition).expect_err("too long").message.contains("more than 1000 operators"));
    assert_body_error(&"while (1) ".repeat(100_000), 648, "nests deeper than 64");
}

#[test]
fn bytes_that_are_not_text_have_a_place() {
    let error = parse_bytes(b"C t\n{ x\xff = 0; }").expect_err("not UTF-8");
    assert_eq!((error.line, error.column), (2, 4));
    assert!(error.message.contains("not UTF-8"));
}

#[test]
fn printing_and_parsing_again_changes_nothing() {
    for case in support::corpus() {
        let printed = case.program.to_string();
        let again = parse(&printed).unwrap_or_else(|error| panic!("{}: {error}\n{printed}", case.name));
        assert_eq!(again.to_string(), printed);
        assert_eq!((again.locations, again.condition), (case.program.locations, case.program.condition));
    }
}

/// Damages the files of the corpus: cuts, changes and removes bytes. The result is a program or an
/// error with a place inside the text, never a panic.
#[test]
fn damaged_files_never_panic() {
    let mut random = fastrand::Rng::with_seed(7);
    let mut refused = 0;
    for case in support::corpus() {
        let text = fs::read(support::corpus_folder().join(format!("{}.litmus", case.name))).expect("the program");
        for _ in 0..150 {
            let damaged = damage(&text, &mut random);
            if let Err(error) = parse_bytes(&damaged) {
                let lines = damaged.iter().filter(|byte| **byte == b'\n').count() + 1;
                assert!((1..=lines).contains(&error.line) && error.column >= 1, "{error}");
                assert!(!error.message.is_empty());
                refused += 1;
            }
        }
    }
    assert!(refused > 10_000, "only {refused} damaged files were refused");
}

fn damage(text: &[u8], random: &mut fastrand::Rng) -> Vec<u8> {
    let mut text = text.to_vec();
    for _ in 0..random.usize(1..4) {
        let at = random.usize(..text.len().max(1));
        match random.u8(..6) {
            0 => text.truncate(at),
            1 => drop(text.drain(at..(at + random.usize(..20)).min(text.len()))),
            2 => text.splice(at..at, std::iter::repeat_with(|| random.u8(..)).take(3)).for_each(drop),
            3 => text.splice(at..at, *b"(*").for_each(drop),
            4 if !text.is_empty() => text[at] = b"(){};=*\"\\/&|~C:0\n"[random.usize(..17)],
            _ => {
                let other = random.usize(..text.len().max(1));
                let piece = text[other..(other + 30).min(text.len())].to_vec();
                text.splice(at..at, piece).for_each(drop);
            }
        }
    }
    text
}
