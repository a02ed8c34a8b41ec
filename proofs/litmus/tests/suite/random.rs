//! The generator of random programs and the shrinker.

use aqueduct_litmus::ast::{Access, Expr, MemoryOrder, Program, Statement, StatementKind};
use aqueduct_litmus::oracle::{self, Limits, Question};
use aqueduct_litmus::outcome::{Model, ReleaseSequences};
use aqueduct_litmus::parse::parse;
use aqueduct_litmus::random::{self, Flavour, Rng};

#[test]
fn random_programs_are_litmus_tests() {
    let mut rng = Rng::with_seed(1);
    for flavour in Flavour::ALL {
        for _ in 0..300 {
            let program = random::program(&mut rng, flavour);
            let printed = program.to_string();
            let again = parse(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
            assert_eq!(again.to_string(), printed);
        }
    }
}

/// Each flavour reaches its corner.
#[test]
fn flavours_reach_their_corners() {
    let mut rng = Rng::with_seed(2);
    let question =
        Question { loop_bound: 2, limits: Limits { partial: 5_000, complete: 20_000 }, ..Question::default() };
    let programs = if std::env::var_os("AQUEDUCT_THOROUGH").is_some() { 100 } else { 40 };
    for flavour in Flavour::ALL {
        let (mut racy, mut weak, mut blocked, mut judged) = (0, 0, 0, 0);
        for _ in 0..programs {
            let program = random::program(&mut rng, flavour);
            let Ok(outcome) = oracle::outcome(&program, &question) else {
                continue;
            };
            let other = match flavour {
                Flavour::ReleaseSequence => Question { release_sequences: ReleaseSequences::C11, ..question },
                _ => Question { model: Model::Sc, ..question },
            };
            let stricter = oracle::outcome(&program, &other).expect("fewer executions");
            judged += 1;
            racy += usize::from(outcome.racy);
            weak += usize::from(outcome != stricter);
            blocked += usize::from(outcome.blocked > 0);
            assert!(outcome.racy || outcome.executions >= stricter.executions);
        }
        println!("{flavour:?}: {judged} judged, stricter {weak}, {racy} racy, {blocked} blocked");
        assert!(judged * 4 > programs * 3, "{flavour:?}: {judged} judged");
        assert!(weak * 20 > programs, "{flavour:?}: the stricter model differs on {weak}");
        let plain = matches!(flavour, Flavour::Plain | Flavour::ReleaseSequence);
        assert_eq!(plain, racy > 0, "{flavour:?}: {racy} racy");
        assert!(!plain || racy < judged - programs / 20, "{flavour:?}: {racy} racy");
        assert_eq!(flavour == Flavour::Control, blocked > 0, "{flavour:?}: {blocked} blocked");
    }
}

fn has_seq_cst_store(body: &[Statement]) -> bool {
    body.iter().any(|statement| match &statement.kind {
        StatementKind::Store { order, .. } => *order == Some(MemoryOrder::SeqCst),
        StatementKind::If { then, otherwise, .. } => has_seq_cst_store(then) || has_seq_cst_store(otherwise),
        StatementKind::While { body, .. } => has_seq_cst_store(body),
        _ => false,
    })
}

#[test]
fn shrinks_to_what_matters() {
    let mut rng = Rng::with_seed(3);
    let fails = |program: &Program| program.threads.iter().any(|thread| has_seq_cst_store(&thread.body));
    let program = std::iter::repeat_with(|| random::program(&mut rng, Flavour::SeqCst))
        .find(|program| fails(program) && program.threads.len() == 3)
        .expect("endless");
    let small = random::shrink(program, fails);
    assert_eq!(small.threads.len(), 1);
    assert_eq!(small.threads[0].body.len(), 1, "{small}");
}

#[test]
fn shrinks_orderings_and_branches() {
    let text = "C t\n{ x = 0; }\nP0 (atomic_int* x) {\n\
                int r = atomic_load_explicit(x, memory_order_seq_cst);\n\
                if (r == 0) { r = atomic_fetch_add_explicit(x, 1, memory_order_seq_cst); }\n}\nexists (x=1)";
    let is_rmw = |statement: &Statement| {
        let StatementKind::Assign { value: Expr::Access(access), .. } = &statement.kind else {
            return false;
        };
        matches!(**access, Access::Rmw { .. })
    };
    let fails = |program: &Program| match &program.threads[0].body[..] {
        [.., last] => match &last.kind {
            StatementKind::If { then, .. } => then.iter().any(is_rmw),
            _ => is_rmw(last),
        },
        [] => false,
    };
    let small = random::shrink(parse(text).expect("a test"), fails);
    let printed = small.to_string();
    assert!(printed.contains("  r = atomic_fetch_add_explicit(x, 1, memory_order_relaxed);\n}"), "{printed}");
    assert!(!printed.contains("if") && !printed.contains("load"), "{printed}");
}
