//! A pool of eight queues, each with its owner, which steals from the others (J. Wang's thesis,
//! section 4.6.2.3).
//!
//! Each owner puts items into its queue until it is full, gets until it is empty, and then attempts
//! to steal the *balancing factor*'s share of a filling from the others, by its policy. The figure
//! counts the operations that moved an item: puts, gets and steals.

use std::mem::ManuallyDrop;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use aqueduct::bwos::policy::{self, Select, Topology};

use super::kind::{Kind, Owner, Thief, drain, item, sum_to};
use super::pair::{End, Tally, part};
use aqueduct_measure::crew::{self, step, task};
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::topology;

/// Queues, and threads, of a pool.
pub(super) const MEMBERS: usize = 8;

/// The choice of queues that owners steal from: a policy of [`aqueduct::bwos::policy`], with or
/// without acceptance by chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Policy {
    select: Selection,
    by_chance: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Selection {
    Random,
    Sequential,
    Last,
    BestOfTwo,
    BestOfMany,
    Near,
}

/// The names of the selections.
const SELECTIONS: [(&str, Selection); 6] = [
    ("random", Selection::Random),
    ("sequential", Selection::Sequential),
    ("last", Selection::Last),
    ("best_of_two", Selection::BestOfTwo),
    ("best_of_many", Selection::BestOfMany),
    ("near", Selection::Near),
];

/// The end of a name where victims are accepted by chance.
const BY_CHANCE: &str = "+chance";

impl Policy {
    /// All policies, each without and with acceptance by chance.
    #[must_use]
    pub fn all() -> Vec<Self> {
        let both = |(_, select)| [false, true].map(|by_chance| Self { select, by_chance });
        SELECTIONS.into_iter().flat_map(both).collect()
    }

    /// The policy of that name: `random`, `sequential`, `last`, `best_of_two`, `best_of_many` (half
    /// of all), or `near`, with `+chance` behind it or without.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::all().into_iter().find(|policy| policy.name() == name)
    }

    /// Returns its name.
    #[must_use]
    pub fn name(self) -> String {
        let (name, _) = SELECTIONS.into_iter().find(|(_, select)| *select == self.select).expect("all have names");
        format!("{name}{}", if self.by_chance { BY_CHANCE } else { "" })
    }

    /// Whether it reads the numbers of items of queues.
    pub(super) fn estimates(self) -> bool {
        self.by_chance || matches!(self.select, Selection::BestOfTwo | Selection::BestOfMany)
    }

    /// Whether it works with our queues alone: other queues have no blocks to sample.
    pub(super) fn samples(self) -> bool {
        self.by_chance
    }

    /// The choices of the member of that number, whose threads run on those cores.
    fn of_member(self, member: usize, cores: &[usize]) -> policy::Thief {
        let select = match self.select {
            Selection::Random => Select::Random,
            Selection::Sequential => Select::Sequential,
            Selection::Last => Select::Last,
            Selection::BestOfTwo => Select::BestOf(2),
            Selection::BestOfMany => Select::BestOf(MEMBERS / 2),
            Selection::Near => Select::Near(distances(member, cores)),
        };
        let thief = policy::Thief::new(select, member as u64);
        if self.by_chance { thief.probabilistic() } else { thief }
    }
}

/// The core of a member: they are distributed evenly over `cores`, which are in the order of their
/// nodes.
fn core_of(member: usize, cores: &[usize]) -> Option<usize> {
    (!cores.is_empty()).then(|| cores[member * cores.len() / MEMBERS])
}

/// The cores that members are distributed over: SMT siblings only where there are fewer cores than
/// members.
pub(super) fn spread_over(cores: &[usize]) -> Vec<usize> {
    let whole = topology::without_siblings(cores);
    if whole.len() < MEMBERS { cores.to_vec() } else { whole }
}

/// The cores of all members.
pub(super) fn placed(cores: &[usize]) -> Vec<usize> {
    let cores = spread_over(cores);
    (0..MEMBERS).filter_map(|member| core_of(member, &cores)).collect()
}

/// Returns the members that a member steals from.
fn others(member: usize) -> impl Iterator<Item = usize> {
    (0..MEMBERS).filter(move |&other| other != member)
}

/// Returns the distances of the others from a member: first those with its L3 cache, then those on
/// its NUMA node, if the system distinguishes them. Where it does not, two nodes are made up: the
/// first and the second half of the cores.
fn distances(member: usize, cores: &[usize]) -> Topology {
    let core = |member| core_of(member, cores);
    let real = core(member).map(|own| Topology::of_cpus(own, &others(member).filter_map(core).collect::<Vec<_>>()));
    real.filter(|real| real.nodes().len() > 1).unwrap_or_else(|| {
        let node = |member: usize| member * 2 / MEMBERS;
        Topology::new(&others(member).map(|other| usize::from(node(other) != node(member))).collect::<Vec<_>>())
    })
}

/// Whether the nodes of a pool on those cores are made up.
pub(super) fn is_made_up(cores: &[usize]) -> bool {
    let cores = spread_over(cores);
    let own = core_of(0, &cores);
    let others: Vec<usize> = others(0).filter_map(|other| core_of(other, &cores)).collect();
    own.is_none_or(|own| Topology::of_cpus(own, &others).nodes().len() < 2)
}

/// One measurement of a pool.
#[derive(Clone, Debug)]
pub struct Pool {
    /// Items of a filling: what each queue can hold.
    pub capacity: usize,
    /// The number of times that each member fills its queue.
    pub times: u64,
    /// The percentage of a filling that each member then attempts to steal.
    pub factor: u32,
    /// The policy by which members choose the queue to steal from.
    pub policy: Policy,
    /// The cores that the members are distributed over.
    pub cores: Vec<usize>,
    /// The time limit of the members' wait for each other, after which the run counts as broken.
    pub patience: Duration,
}

/// The result of a measurement of a pool.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pooled {
    /// Puts, gets and steals that moved an item.
    pub operations: u64,
    /// Steals that moved an item.
    pub stolen: u64,
    /// Attempts to steal.
    pub attempts: u64,
    /// From the first member's start to the last one's end.
    pub elapsed: Duration,
}

impl Pooled {
    /// Million operations per second.
    #[must_use]
    pub fn mops_per_second(&self) -> f64 {
        self.operations as f64 / self.elapsed.as_secs_f64().max(1e-9) / 1e6
    }

    /// The percentage of attempts to steal that yielded an item.
    #[must_use]
    pub fn percent_stolen(&self) -> f64 {
        self.stolen as f64 * 100.0 / self.attempts.max(1) as f64
    }
}

/// The result of a member's work.
struct Done {
    pushed: u64,
    popped: u64,
    stolen: u64,
    attempts: u64,
    /// The sum of the items that it took, from any queue.
    sum: u64,
    /// Items that it took once all had finished, which do not count.
    left: u64,
    begin: Instant,
    end: Instant,
}

/// Runs the measurement on fresh queues of that kind.
pub(super) fn pool<K: Kind>(spec: &Pool) -> Result<Pooled, Fault> {
    let pairs = (0..MEMBERS).map(|_| K::open(spec.capacity.into()).map_err(Fault::Refused));
    let (owners, thieves): (Vec<_>, Vec<_>) = pairs.collect::<Result<Vec<_>, _>>()?.into_iter().unzip();
    let (start, end, finished) = (Barrier::new(MEMBERS), End::new(spec.patience), Tally::default());
    let (mut tasks, start, end, finished) = (Vec::new(), &start, &end, &finished);
    for (number, owner) in owners.into_iter().enumerate() {
        let victims: Vec<K::Thief> = others(number).map(|other| thieves[other].another()).collect();
        let core = core_of(number, &spec.cores);
        tasks.push(task(move || {
            let outcome = part(core, start, step(|| member(spec, number, owner, &victims, end, finished)));
            // The others do not wait for one that panicked.
            outcome.inspect_err(|_| end.finish())
        }));
    }
    check(crew::all(tasks).into_iter().collect::<Result<Vec<_>, _>>()?)
}

fn member<O: Owner, T: Thief>(
    spec: &Pool,
    number: usize,
    owner: O,
    victims: &[T],
    end: &End,
    finished: &Tally,
) -> Done {
    // The handle lives in a local, where it can live in registers, as in a user's loop.
    let mut owner = ManuallyDrop::new(owner);
    let mut thief = spec.policy.of_member(number, &spec.cores);
    let begin = Instant::now();
    let mut done = Done { pushed: 0, popped: 0, stolen: 0, attempts: 0, sum: 0, left: 0, begin, end: begin };
    let attempts = (spec.capacity as u64 * u64::from(spec.factor)).div_ceil(100);
    for _ in 0..spec.times {
        let (pushed, popped, sum) = fill_and_drain(&mut *owner, spec.capacity as u64, done.pushed);
        done.pushed = pushed;
        done.popped += popped;
        done.sum = done.sum.wrapping_add(sum);
        for _ in 0..attempts {
            if let Some(item) = thief.steal(victims).success() {
                done.stolen += 1;
                done.sum = done.sum.wrapping_add(item.get());
            }
        }
        done.attempts += attempts;
    }
    done.end = Instant::now();
    finished.add(1);
    // Until then, others may steal; what they do not take is counted by its owner.
    end.wait_until(|| finished.get() == MEMBERS as u64, || ());
    let (left, of_left) = drain(&mut *owner);
    (done.left, done.sum) = (left, done.sum.wrapping_add(of_left));
    drop(ManuallyDrop::into_inner(owner));
    done
}

/// Returns the last number pushed so far, the number of items that the owner took, and their sum.
#[inline(always)]
fn fill_and_drain(owner: &mut impl Owner, filling: u64, mut pushed: u64) -> (u64, u64, u64) {
    let most = pushed + filling;
    while pushed < most && owner.push(item(pushed + 1)) {
        pushed += 1;
    }
    let (popped, sum) = drain(owner);
    (pushed, popped, sum)
}

fn check(members: Vec<Done>) -> Result<Pooled, Fault> {
    let total = |of: fn(&Done) -> u64| members.iter().map(of).fold(0, u64::wrapping_add);
    let (pushed, stolen) = (total(|done| done.pushed), total(|done| done.stolen));
    let (popped, sum) = (total(|done| done.popped + done.stolen + done.left), total(|done| done.sum));
    let expected = total(|done| sum_to(done.pushed));
    if (popped, sum) != (pushed, expected) {
        return Err(Fault::WrongItems { popped, wanted: pushed, sum, expected });
    }
    let begin = members.iter().map(|done| done.begin).min();
    let end = members.iter().map(|done| done.end).max();
    let elapsed = begin.zip(end).map_or(Duration::ZERO, |(begin, end)| end - begin);
    let operations = pushed + total(|done| done.popped) + stolen;
    Ok(Pooled { operations, stolen, attempts: total(|done| done.attempts), elapsed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn policies_are_found_by_their_names() {
        let all = Policy::all();
        assert_eq!(all.len(), 12);
        assert!(all.iter().all(|policy| Policy::named(&policy.name()) == Some(*policy)));
        assert_eq!(Policy::named("near+chance").map(|policy| policy.by_chance), Some(true));
        assert_eq!(Policy::named("nearest"), None);
    }
}
