//! Policies: queues with items are found, fuller ones more often, near ones first.

use aqueduct::bwos::policy::{Divides, Select, Thief, Topology, Victim};
use aqueduct::bwos::{Geometry, Steal, fifo, lifo};

fn policies(victims: usize) -> Vec<Select> {
    let far: Vec<usize> = (0..victims).map(|victim| victim % 2).collect();
    vec![
        Select::Random,
        Select::Sequential,
        Select::Last,
        Select::BestOf(2),
        Select::BestOf(victims / 2),
        Select::BestOf(0),
        Select::Near(Topology::new(&far)),
        Select::Near(Topology::new(&[])),
        Select::Near(Topology::new(&[0; 100])),
    ]
}

fn each_policy_finds_all<V: Victim<Item = usize>>(kept: usize, make: impl Fn(&[usize]) -> Vec<V>) {
    for select in policies(6) {
        for probabilistic in [false, true] {
            let victims = make(&[0, 60, 0, 25, 60, 0]);
            let mut thief = Thief::new(select.clone(), 5);
            if probabilistic {
                thief = thief.probabilistic();
            }
            let count = std::iter::from_fn(|| thief.steal(&victims).success()).count();
            // Each of the three keeps the blocks that it is at.
            assert!((145 - 3 * kept..=145).contains(&count), "{select:?}, {probabilistic}: {count}");
            assert!(thief.steal::<V>(&[]).is_empty());
        }
    }
}

#[test]
fn each_policy_finds_all_that_there_is() {
    let geometry = Geometry::new(9, 8).expect("small");
    let mut owners = std::sync::Mutex::new(Vec::new());
    each_policy_finds_all(8, |items| {
        let make = |&items: &usize| {
            let (mut owner, stealer) = lifo::with_geometry(geometry).expect("there is memory");
            (0..items).for_each(|item| owner.push(item).expect("there is room"));
            owners.lock().expect("nobody panics").push(owner);
            stealer
        };
        items.iter().map(make).collect()
    });
    // Each has a steal request in the end, and makes items visible at its next operation.
    for owner in owners.get_mut().expect("nobody panics") {
        let _ = owner.pop();
    }
    let owners = std::sync::Mutex::new(Vec::new());
    each_policy_finds_all(16, |items| {
        let make = |&items: &usize| {
            let (mut owner, stealer) = fifo::with_geometry(geometry).expect("there is memory");
            (0..items).for_each(|item| owner.push(item).expect("there is room"));
            owners.lock().expect("nobody panics").push(owner);
            stealer
        };
        items.iter().map(make).collect()
    });
}

#[test]
fn a_thief_that_finds_nothing_asks_all() {
    let queues: Vec<_> = (0..4).map(|_| lifo::new::<usize>(400).expect("there is memory")).collect();
    let (mut owners, victims): (Vec<_>, Vec<_>) = queues.into_iter().unzip();
    let mut thief = Thief::new(Select::Random, 1).probabilistic();
    assert_eq!(thief.steal(&victims), Steal::Empty);
    for (number, owner) in owners.iter_mut().enumerate() {
        assert!(owner.push(10 * number).is_ok() && owner.push(10 * number + 1).is_ok());
    }
    let mut stolen: Vec<usize> = std::iter::from_fn(|| thief.steal(&victims).success()).collect();
    stolen.sort_unstable();
    assert_eq!(stolen, [0, 10, 20, 30]);
}

/// Steals while one queue is full and the other nearly empty, and returns the number of thefts from
/// the fuller one.
fn share_of_the_fuller(thief: &mut Thief) -> f64 {
    let geometry = Geometry::new(9, 8).expect("small");
    let (mut full, from_full) = fifo::with_geometry::<bool>(geometry).expect("there is memory");
    let (mut empty, from_empty) = fifo::with_geometry::<bool>(geometry).expect("there is memory");
    let victims = [from_full, from_empty];
    let (mut fuller, thefts) = (0, 2000);
    for _ in 0..thefts {
        // Anew each time: an item stolen from the middle leaves no room.
        while full.pop().is_ok() {}
        while full.push(true).is_ok() {}
        // One block of nine can be stolen from.
        (0..16).for_each(|_| _ = empty.push(false));
        fuller += u32::from(thief.steal(&victims).success().expect("there is something"));
        while empty.pop().is_ok() {}
    }
    f64::from(fuller) / f64::from(thefts)
}

#[test]
fn fuller_queues_are_stolen_from_more_often() {
    let even = share_of_the_fuller(&mut Thief::new(Select::Random, 1));
    assert!((0.4..0.6).contains(&even), "{even}");
    let weighed = share_of_the_fuller(&mut Thief::new(Select::Random, 1).probabilistic());
    assert!(weighed > 0.7, "{weighed}");
    let best = share_of_the_fuller(&mut Thief::new(Select::BestOf(2), 1));
    assert!(best > 0.6, "{best}");
}

/// Steals half of the rest after each theft, until nothing is left.
fn thefts_by_half<V: Divides<Item = usize>>(
    victim: &V,
    own: &mut V::Owner,
    mut pop: impl FnMut(&mut V::Owner) -> Option<usize>,
) -> (Vec<usize>, Thief) {
    let mut thief = Thief::new(Select::Sequential, 1);
    let mut came = Vec::new();
    while let Steal::Success(item) = thief.steal_half(core::slice::from_ref(victim), own) {
        came.push(item);
        came.extend(core::iter::from_fn(|| pop(own)));
    }
    (came, thief)
}

#[test]
fn half_of_a_queue_comes_over_several_blocks_at_once() {
    let geometry = Geometry::new(9, 8).expect("small");
    let (mut owner, stealer) = lifo::with_geometry(geometry).expect("there is memory");
    let (mut own, _) = lifo::new(100).expect("there is memory");
    (0..65).for_each(|item| owner.push(item).expect("there is room"));
    assert_eq!(stealer.steal_half_into(&mut own), 32);
    assert_eq!(own.len(), 32);
    assert_eq!(own.pop(), Ok(31));

    let (mut owner, stealer) = fifo::with_geometry(geometry).expect("there is memory");
    let (mut own, _) = fifo::new(100).expect("there is memory");
    (0..65).for_each(|item| owner.push(item).expect("there is room"));
    // The block that the owner pops from is its own.
    assert_eq!(stealer.steal_half_into(&mut own), 28);
    assert_eq!((own.len(), owner.len()), (28, 37));
}

#[test]
fn half_of_a_queue_is_as_much_as_the_thief_has_room_for() {
    let geometry = Geometry::new(9, 8).expect("small");
    let (mut owner, stealer) = lifo::with_geometry(geometry).expect("there is memory");
    let (mut own, _) = lifo::with_geometry(Geometry::new(2, 3).expect("small")).expect("there is memory");
    (0..65).for_each(|item| owner.push(item).expect("there is room"));
    assert_eq!(stealer.steal_half_into(&mut own), 6);
    assert_eq!(stealer.steal_half_into(&mut own), 0);
    assert_eq!((own.len(), owner.len()), (6, 59));
}

#[test]
fn a_thief_counts_its_attempts_and_what_came() {
    let (mut owner, stealer) = lifo::new(400).expect("there is memory");
    let (mut own, _) = lifo::new(400).expect("there is memory");
    (0..300).for_each(|item| owner.push(item).expect("there is room"));
    let (mut came, thief) = thefts_by_half(&stealer, &mut own, |own| own.pop().ok());
    let counts = thief.counts();
    assert_eq!(counts.steals + counts.moved, came.len() as u64);
    assert!(counts.moved > counts.steals, "{counts:?}");
    assert!(counts.attempts > counts.steals && counts.retries > 0, "{counts:?}");
    let left = core::iter::from_fn(|| owner.pop().ok());
    came.extend(left);
    came.sort_unstable();
    assert_eq!(came, (0..300).collect::<Vec<_>>());

    let (mut owner, stealer) = fifo::new(400).expect("there is memory");
    let (mut own, _) = fifo::new(400).expect("there is memory");
    (0..300).for_each(|item| owner.push(item).expect("there is room"));
    let (mut came, thief) = thefts_by_half(&stealer, &mut own, |own| own.pop().ok());
    assert_eq!(thief.counts().steals + thief.counts().moved, came.len() as u64);
    came.extend(core::iter::from_fn(|| owner.pop().ok()));
    came.sort_unstable();
    assert_eq!(came, (0..300).collect::<Vec<_>>());
}

#[test]
fn near_victims_are_stolen_from_first() {
    let queues: Vec<_> = (0..4).map(|_| lifo::new::<usize>(400).expect("there is memory")).collect();
    let (mut owners, victims): (Vec<_>, Vec<_>) = queues.into_iter().unzip();
    for (number, owner) in owners.iter_mut().enumerate() {
        while owner.push(number).is_ok() {}
    }
    // Two sockets: the thief is on that of victims 1 and 3.
    let mut thief = Thief::new(Select::Near(Topology::new(&[1, 0, 1, 0])), 9);
    let stolen: Vec<usize> = (0..600).map(|_| thief.steal(&victims).success().expect("they are full")).collect();
    assert!(stolen.iter().all(|number| number % 2 == 1), "{stolen:?}");
    let far = std::iter::from_fn(|| thief.steal(&victims).success()).filter(|number| number % 2 == 0).count();
    assert!(far > 500, "{far}");
}
