//! The search for a client that orders calls further, and in which no order of the calls explains
//! their results.
//!
//! # The search
//!
//! A client is a partial order of the calls. If it orders more, the memory model allows less, and
//! fewer orders of the calls are linearizations. The search begins with the client that was run,
//! and takes one of its linearizations. A client that has none must order two of its calls
//! otherwise: there is one branch for each pair for which the memory model allows that. A branch
//! leaves out the pairs of those before it, whose clients have been searched.

use super::checker::NotLinearizable;
use super::record::{Call, Record};
use super::spec::Spec;

/// A client in which no order of the calls explains their results.
pub(super) struct Unexplained {
    /// The pairs of calls that this client orders, and the client that was run does not.
    pub(super) pairs: Vec<(usize, usize)>,
    pub(super) error: NotLinearizable,
}

/// Whether the memory model allows the execution in a client that orders these pairs of calls, too.
pub(super) type Allows<'a> = &'a dyn Fn(&[(usize, usize)]) -> bool;

struct Clients<'a, S: Spec> {
    record: &'a Record<S>,
    allows: Allows<'a>,
    /// For each call, the calls that some client has before it, and the client that was run has
    /// not.
    possible: Vec<u64>,
    /// The calls in an order that few clients contradict.
    preference: Vec<usize>,
}

impl<S: Spec> Record<S> {
    /// Returns a client in which the calls have no linearization, if there is one. The one that was
    /// run has one.
    pub(super) fn unexplained(&self, allows: Allows<'_>) -> Option<Unexplained> {
        let clients = Clients::new(self, allows);
        let found = clients.search(&mut Vec::new(), &mut vec![0; self.len()])?;
        Some(clients.shortened(found))
    }

    /// Returns the calls of a client that orders these pairs of calls, too.
    fn ordered_by(&self, pairs: &[(usize, usize)]) -> Self {
        let mut record = Self::new(self.spec.clone());
        for call in &self.calls {
            let Call { thread, ref input, ref output, before, known } = *call;
            record.push(Call { thread, input: input.clone(), output: output.clone(), before, known });
        }
        for &(first, second) in pairs {
            record.calls[second].before |= 1 << first;
        }
        record.close();
        record
    }
}

impl<'a, S: Spec> Clients<'a, S> {
    fn new(record: &'a Record<S>, allows: Allows<'a>) -> Self {
        let is_possible = |first: usize, second: usize| record.overlap(first, second) && allows(&[(first, second)]);
        let before = |second: usize| {
            (0..record.len()).filter(|&first| is_possible(first, second)).fold(0, |set, first| set | 1 << first)
        };
        let possible: Vec<u64> = (0..record.len()).map(before).collect();
        let after = |call: usize| possible.iter().filter(|before| *before & 1 << call != 0).count() as isize;
        let mut preference: Vec<usize> = (0..record.len()).collect();
        preference.sort_by_key(|&call| possible[call].count_ones() as isize - after(call));
        Self { record, allows, possible, preference }
    }

    /// Returns the pairs of a client without a linearization that orders these pairs, and none of
    /// those in `searched`: for each call, calls before it.
    fn search(&self, pairs: &mut Vec<(usize, usize)>, searched: &mut Vec<u64>) -> Option<Vec<(usize, usize)>> {
        let record = self.record.ordered_by(pairs);
        if record.calls.iter().zip(&*searched).any(|(call, searched)| call.before & searched != 0) {
            return None;
        }
        let Ok(order) = record.linearization_in(&self.preference) else { return Some(pairs.clone()) };
        let mut here = searched.clone();
        for (place, &first) in order.iter().enumerate() {
            for &second in &order[..place] {
                // The client would have the call that comes later here before the one that comes
                // earlier.
                if self.possible[second] & !here[second] & 1 << first == 0 || !record.overlap(first, second) {
                    continue;
                }
                pairs.push((first, second));
                let found = if (self.allows)(pairs) { self.search(pairs, &mut here) } else { None };
                pairs.pop();
                if found.is_some() {
                    return found;
                }
                here[second] |= 1 << first;
            }
        }
        None
    }

    /// Leaves out pairs that the client need not order.
    fn shortened(&self, mut pairs: Vec<(usize, usize)>) -> Unexplained {
        let error = |pairs: &[(usize, usize)]| self.record.ordered_by(pairs).linearization().err();
        let mut at = 0;
        while at < pairs.len() {
            let pair = pairs.remove(at);
            if error(&pairs).is_none() {
                pairs.insert(at, pair);
                at += 1;
            }
        }
        pairs.sort_unstable();
        let Some(error) = error(&pairs) else { unreachable!("a client that was found has no linearization") };
        Unexplained { pairs, error }
    }
}
