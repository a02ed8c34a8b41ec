//! Makes a failing program small: drops threads and statements, flattens branches, weakens
//! orderings, while it still fails.

use crate::ast::{Access, Condition, Expr, MemoryOrder, Program, Proposition, Quantifier, Statement, StatementKind};

/// Returns the smallest program that still `fails`, found by ever smaller steps from `program`.
///
/// The condition of the result is `exists true`: a difference that needs the condition cannot be
/// shrunk this way. It calls `fails` a few hundred times for a program of a dozen statements.
pub fn shrink(program: Program, mut fails: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program;
    smallest.condition = Condition { quantifier: Quantifier::Exists, proposition: Proposition::Constant(true) };
    while let Some(smaller) = candidates(&smallest).into_iter().find(|candidate| fails(candidate)) {
        smallest = smaller;
    }
    smallest
}

/// Returns every program that is one step smaller, the biggest steps first.
fn candidates(program: &Program) -> Vec<Program> {
    let mut found = Vec::new();
    for thread in 0..program.threads.len() {
        if program.threads.len() > 1 {
            let mut without = program.clone();
            without.threads.remove(thread);
            found.push(without);
        }
    }
    for thread in 0..program.threads.len() {
        for body in smaller_blocks(&program.threads[thread].body) {
            let mut simpler = program.clone();
            simpler.threads[thread].body = body;
            found.push(simpler);
        }
    }
    found
}

fn smaller_blocks(block: &[Statement]) -> Vec<Vec<Statement>> {
    let replace = |position: usize, by: Vec<Statement>| {
        let mut new = block.to_vec();
        new.splice(position..=position, by);
        new
    };
    let removed = (0..block.len()).map(|position| replace(position, Vec::new()));
    let simplified = block.iter().enumerate().flat_map(|(position, statement)| {
        smaller_statements(&statement.kind).into_iter().map(move |by| (position, by))
    });
    removed.chain(simplified.map(|(position, by)| replace(position, by))).collect()
}

fn smaller_statements(kind: &StatementKind) -> Vec<Vec<Statement>> {
    let one = |kind: StatementKind| vec![Statement::from(kind)];
    match kind {
        StatementKind::Assign { register, value: Expr::Access(access) } => {
            let assign = |access| StatementKind::Assign { register: *register, value: Expr::Access(Box::new(access)) };
            smaller_accesses(access).into_iter().map(|access| one(assign(access))).collect()
        }
        StatementKind::Assign { .. } => Vec::new(),
        StatementKind::Discard(access) => {
            smaller_accesses(access).into_iter().map(|access| one(StatementKind::Discard(access))).collect()
        }
        StatementKind::Store { location, value, order } => {
            let store = |value: &Expr, order| StatementKind::Store { location: *location, value: value.clone(), order };
            let weaker = order.map_or(Vec::new(), |order| weaker(order, false));
            let mut found: Vec<_> = weaker.into_iter().map(|order| one(store(value, Some(order)))).collect();
            if !matches!(value, Expr::Constant(_)) {
                found.push(one(store(&Expr::Constant(1), *order)));
            }
            found
        }
        StatementKind::Fence(order) => {
            weaker(*order, true).into_iter().map(|order| one(StatementKind::Fence(order))).collect()
        }
        StatementKind::If { condition, then, otherwise } => {
            let rebuilt = |then: Vec<Statement>, otherwise: Vec<Statement>| {
                one(StatementKind::If { condition: condition.clone(), then, otherwise })
            };
            let mut found = vec![then.clone(), otherwise.clone()];
            found.extend(smaller_blocks(then).into_iter().map(|then| rebuilt(then, otherwise.clone())));
            found.extend(smaller_blocks(otherwise).into_iter().map(|otherwise| rebuilt(then.clone(), otherwise)));
            found
        }
        StatementKind::While { condition, body } => {
            let smaller = smaller_blocks(body).into_iter();
            let rebuilt = |body| one(StatementKind::While { condition: condition.clone(), body });
            std::iter::once(body.clone()).chain(smaller.map(rebuilt)).collect()
        }
    }
}

fn smaller_accesses(access: &Access) -> Vec<Access> {
    match access {
        Access::Load { order: None, .. } => Vec::new(),
        Access::Load { location, order: Some(order) } => {
            let weaker = weaker(*order, false).into_iter();
            weaker.map(|order| Access::Load { location: *location, order: Some(order) }).collect()
        }
        Access::Rmw { op, location, operand, order } => {
            let weaker = weaker(*order, true).into_iter();
            let rmw = |order| Access::Rmw { op: *op, location: *location, operand: operand.clone(), order };
            weaker.map(rmw).collect()
        }
        Access::CompareExchange { location, expected, desired, success, failure, weak } => {
            let rebuilt = |success, failure, weak| {
                let (location, expected, desired) = (*location, *expected, desired.clone());
                Access::CompareExchange { location, expected, desired, success, failure, weak }
            };
            let mut found = if *weak { vec![rebuilt(*success, *failure, false)] } else { Vec::new() };
            found.extend(weaker(*success, true).into_iter().map(|success| rebuilt(success, *failure, *weak)));
            found.extend(weaker(*failure, false).into_iter().map(|failure| rebuilt(*success, failure, *weak)));
            found
        }
    }
}

/// Returns the weaker orders. `acq_rel` becomes `acquire` or `release` only `both_ways`, if both
/// have a meaning.
fn weaker(order: MemoryOrder, both_ways: bool) -> Vec<MemoryOrder> {
    match order {
        MemoryOrder::Relaxed => Vec::new(),
        MemoryOrder::Acquire | MemoryOrder::Release => vec![MemoryOrder::Relaxed],
        MemoryOrder::AcqRel => vec![MemoryOrder::Acquire, MemoryOrder::Release],
        MemoryOrder::SeqCst if both_ways => vec![MemoryOrder::Relaxed, MemoryOrder::AcqRel],
        MemoryOrder::SeqCst => vec![MemoryOrder::Relaxed],
    }
}
