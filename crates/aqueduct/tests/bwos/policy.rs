//! Policies: queues with items are found, fuller ones more often, near ones first.

use aqueduct::bwos::policy::{Select, Thief, Topology, Victim};
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
    // Each was asked in the end, and gives at its next operation.
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

/// Steals while one queue is full and the other nearly empty, and says how often that was from the fuller one.
fn share_of_the_fuller(thief: &mut Thief) -> f64 {
    let geometry = Geometry::new(9, 8).expect("small");
    let (mut full, from_full) = fifo::with_geometry::<bool>(geometry).expect("there is memory");
    let (mut empty, from_empty) = fifo::with_geometry::<bool>(geometry).expect("there is memory");
    let victims = [from_full, from_empty];
    let (mut fuller, thefts) = (0, 2000);
    for _ in 0..thefts {
        // Anew each time: what is stolen from the middle leaves no room.
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
