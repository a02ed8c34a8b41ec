//! Checks of a user's choice of measurements.

use std::borrow::Cow;
use std::fmt::Display;
use std::time::Duration;

use super::{Threads, check_memory};

/// Whether `asked` is the queue's name, the part after its slash, or the crate before it; the part
/// in brackets, such as a `k`, may be left out.
pub fn is_called(name: &str, asked: &str) -> bool {
    let asked = asked.trim();
    let fits = |name: &str| {
        name == asked || name.split_once('/').is_some_and(|(before, after)| before == asked || after == asked)
    };
    fits(name) || name.split_once('[').is_some_and(|(bare, _)| fits(bare))
}

/// Returns the asked and wanted elements of `all`; all wanted ones, if none is asked for.
///
/// # Errors
/// If an asked name does not exist, or no element is left; the error lists the possible names.
pub fn select<T>(
    all: Vec<T>,
    asked: &[String],
    name: impl Fn(&T) -> Cow<'_, str>,
    is_wanted: impl Fn(&T) -> bool,
) -> Result<Vec<T>, String> {
    let names = all.iter().map(&name).collect::<Vec<_>>().join(", ");
    if let Some(unknown) = asked.iter().find(|asked| !all.iter().any(|one| is_called(&name(one), asked))) {
        return Err(format!("--queues: there is no queue `{unknown}`; there are: {names}"));
    }
    let is_asked = |one: &T| asked.is_empty() || asked.iter().any(|asked| is_called(&name(one), asked));
    let left: Vec<T> = all.into_iter().filter(|one| is_asked(one) && is_wanted(one)).collect();
    if left.is_empty() {
        return Err(format!("no queue is left to measure; there are: {names}"));
    }
    Ok(left)
}

/// Checks that a queue can hold `capacity` items, that the memory suffices for them, and that it
/// can be asked for these batches.
///
/// # Errors
/// A sentence that begins with the program's option, and names the possible values; the errors of
/// the functions below do, too.
pub fn check_sizes(capacity: usize, batches: &[usize]) -> Result<(), String> {
    if capacity == 0 {
        return Err("--capacity: the capacity is 0; a queue must hold at least one item".to_owned());
    }
    check_memory("capacity", capacity)?;
    match batches.iter().find(|&&batch| batch == 0 || batch > capacity) {
        Some(batch) => {
            Err(format!("--batch, --capacity: a batch of {batch} is not between 1 and the capacity, {capacity}"))
        }
        None => Ok(()),
    }
}

/// Checks that these numbers of threads are possible.
pub fn check_threads(all: &[Threads]) -> Result<(), String> {
    let of = |threads: &Threads| check_sides("threads", threads, &[threads.producers, threads.consumers]);
    all.iter().try_for_each(of)
}

/// Checks that this number of threads of one side is possible. `option` is the name of the
/// program's option.
pub fn check_side(option: &str, count: usize) -> Result<(), String> {
    check_sides(option, &count, &[count])
}

fn check_sides(option: &str, asked: &dyn Display, sides: &[usize]) -> Result<(), String> {
    if sides.iter().all(|side| (1..=Threads::MOST).contains(side)) {
        return Ok(());
    }
    Err(format!("--{option}: {asked} threads: between 1 and {} are possible on either side", Threads::MOST))
}

/// Checks that a slice is long enough for a measurement.
pub fn check_slice(slice: Duration) -> Result<(), String> {
    if slice.is_zero() {
        return Err("a slice of no time measures nothing; 1 ms is the least that makes sense".to_owned());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [&str; 4] = ["aqueduct/cnq[k=2]", "aqueduct/cnq[k=10]", "aqueduct/ring", "peer/ring"];

    fn chosen(asked: &[&str], peers: bool) -> Result<Vec<&'static str>, String> {
        let asked: Vec<String> = asked.iter().map(|&name| name.to_owned()).collect();
        select(ALL.to_vec(), &asked, |one| (*one).into(), |one| peers || !one.starts_with("peer"))
    }

    #[test]
    fn a_name_means_a_queue_with_every_k_and_a_crate_all_of_its_queues() {
        assert_eq!(chosen(&[], true).unwrap(), ALL);
        assert_eq!(chosen(&["cnq"], true).unwrap(), ALL[..2]);
        assert_eq!(chosen(&["cnq[k=10]", " aqueduct/cnq[k=2]"], true).unwrap(), ALL[..2]);
        assert_eq!(chosen(&["aqueduct"], true).unwrap(), ALL[..3]);
        assert_eq!(chosen(&["ring"], true).unwrap(), ALL[2..]);
        assert_eq!(chosen(&["ring"], false).unwrap(), ["aqueduct/ring"]);
    }

    #[test]
    fn names_that_nobody_has_and_choices_that_leave_nothing_are_refused() {
        let names = ALL.join(", ");
        assert_eq!(
            chosen(&["cnq", "cnk"], true),
            Err(format!("--queues: there is no queue `cnk`; there are: {names}"))
        );
        let unknown = "there is no queue `cnq[k=3]`; there are";
        assert_eq!(chosen(&["cnq[k=3]"], true), Err(format!("--queues: {unknown}: {names}")));
        assert_eq!(chosen(&["peer"], false), Err(format!("no queue is left to measure; there are: {names}")));
    }

    #[test]
    fn sizes_threads_and_slices_are_checked() {
        assert_eq!(check_sizes(8, &[1, 8]), Ok(()));
        for (capacity, batch, option) in
            [(0, 1, "capacity"), (8, 0, "batch"), (8, 9, "batch"), (usize::MAX, 1, "capacity")]
        {
            let refused = check_sizes(capacity, &[1, batch]).unwrap_err();
            assert!(refused.starts_with(&format!("--{option}")), "{capacity} {batch}: {refused}");
        }
        assert_eq!(check_threads(&[Threads::PAIR, Threads::new(Threads::MOST, 1)]), Ok(()));
        for (producers, consumers) in [(0, 1), (1, 0), (1, Threads::MOST + 1)] {
            let refused = check_threads(&[Threads::PAIR, Threads::new(producers, consumers)]).unwrap_err();
            let words = format!("--threads: {producers}x{consumers} threads: between 1 and 256");
            assert!(refused.starts_with(&words), "{refused}");
        }
        assert!(check_slice(Duration::ZERO).is_err() && check_slice(Duration::from_nanos(1)).is_ok());
    }
}
