//! The pattern of `io_uring`: submissions one way, completions the other.

use std::time::{Duration, Instant};

use aqueduct::bbq;

use super::batch::{Batch, Sizes};
use super::flow::{Rx, Tx, pop_some, push_all};
use super::io_ring;
#[cfg(feature = "peers")]
use super::peers;
use super::plan::Plan;
use aqueduct_measure::crew::step;
use aqueduct_measure::record::{Placement, Role};
use aqueduct_measure::rounds::Fault;
use aqueduct_measure::rounds::{Cell, Figure, Measured, Place};
use aqueduct_measure::run::{GivenUp, Run};
use aqueduct_measure::unit::Unit;

/// A request, as large as `io_uring`'s.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Submission {
    /// The number that comes back with the completion.
    user_data: u64,
    /// The file, the buffer and so on, which are not read here.
    rest: [u64; 7],
}

/// A confirmation, as large as `io_uring`'s.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(super) struct Completion {
    user_data: u64,
    result: i32,
    flags: u32,
}

/// The time limit after which a run counts as broken.
const PATIENCE: Duration = Duration::from_secs(20);

/// The handles of both queues.
type Pair<S, R, C, D> = ((S, R), (C, D));

/// The constructor of both, for a number of submissions.
type Open<S, R, C, D> = fn(usize) -> Result<Pair<S, R, C, D>, Fault>;

/// Returns a cell for each kind of queue, size and batch.
pub(super) fn cells(plan: &Plan, cores: &[usize]) -> Vec<Cell<'static>> {
    let mut cells = Vec::new();
    for &size in &plan.submissions {
        for batch in [Batch::Of(1), Batch::Random] {
            cells.push(cell("aqueduct/bbq_spsc", false, size, batch, cores, |size| {
                let refused = |error| Fault::Refused(format!("{error}"));
                Ok((bbq::spsc::new(size).map_err(refused)?, bbq::spsc::new(2 * size).map_err(refused)?))
            }));
            cells.push(cell("aqueduct/bbq_mpmc", false, size, batch, cores, |size| {
                let refused = |error| Fault::Refused(format!("{error}"));
                Ok((bbq::mpmc::new(size).map_err(refused)?, bbq::mpmc::new(2 * size).map_err(refused)?))
            }));
            if plan.peers {
                cells.push(cell("published/io_uring", true, size, batch, cores, |size| {
                    Ok((io_ring::ring(size, true), io_ring::ring(2 * size, false)))
                }));
            }
            #[cfg(feature = "peers")]
            if plan.peers {
                cells.push(cell("rtrb/ring_buffer", true, size, batch, cores, |size| {
                    Ok((rtrb::RingBuffer::new(size), rtrb::RingBuffer::new(2 * size)))
                }));
                cells.push(cell("crossbeam-queue/array_queue", true, size, batch, cores, |size| {
                    Ok((peers::array_queue(size), peers::array_queue(2 * size)))
                }));
                cells.push(cell("crossbeam-channel/bounded", true, size, batch, cores, |size| {
                    Ok((crossbeam_channel::bounded(size), crossbeam_channel::bounded(2 * size)))
                }));
            }
        }
    }
    cells
}

fn cell<S, R, C, D>(
    queue: &'static str,
    peer: bool,
    size: usize,
    batch: Batch,
    cores: &[usize],
    open: Open<S, R, C, D>,
) -> Cell<'static>
where
    S: Tx<Submission> + 'static,
    R: Rx<Submission> + 'static,
    C: Tx<Completion> + 'static,
    D: Rx<Completion> + 'static,
{
    const BENCH: &str = "exchange.io_uring";
    let place = Place { producers: 1, consumers: 1, capacity: size, batch: batch.in_records() };
    let three: [Option<usize>; 3] = std::array::from_fn(|place| cores.get(place % cores.len().max(1)).copied());
    let of = |cores: &[Option<usize>]| cores.iter().copied().flatten().collect();
    let placement = Placement { producers: of(&three[..1]), consumers: of(&three[1..]) };
    let cell = Cell::new(place.words(BENCH), queue, Role::of_queue(peer), place, move |requests| {
        let elapsed = exchange(open(size)?, batch, requests, three)?;
        let value = elapsed.as_nanos() as f64 / requests as f64;
        Ok(Measured { figures: vec![Figure::new(BENCH, Unit::Ns, value)], done: requests, elapsed })
    });
    cell.on(placement)
}

/// Runs the three threads; returns the time from the first one's start to the last confirmation.
fn exchange<S, R, C, D>(
    queues: Pair<S, R, C, D>,
    batch: Batch,
    requests: u64,
    cores: [Option<usize>; 3],
) -> Result<Duration, Fault>
where
    S: Tx<Submission>,
    R: Rx<Submission>,
    C: Tx<Completion>,
    D: Rx<Completion>,
{
    let ((submitter, taker), (confirmer, reaper)) = queues;
    let run = &Run::new(3, requests, PATIENCE);
    let (submitted, confirmed, reaped) = std::thread::scope(|scope| {
        let submitting = scope.spawn(|| run.take_part(cores[0], step(|| submit(submitter, batch, requests, run))));
        let confirming =
            scope.spawn(|| run.take_part(cores[1], step(|| confirm(taker, confirmer, batch, requests, run))));
        let reaping = scope.spawn(|| run.take_part(cores[2], step(|| reap(reaper, batch, requests, run))));
        let caught = "it catches panics";
        (submitting.join().expect(caught), confirming.join().expect(caught), reaping.join().expect(caught))
    });
    let began = submitted.began.min(confirmed.began).min(reaped.began);
    let (seen, in_order, ended) = reaped.outcome?;
    let all = submitted.outcome?.is_ok() && confirmed.outcome?.is_ok();
    if !all || seen < requests {
        return Err(Fault::Stuck { popped: seen, wanted: requests });
    }
    if !in_order {
        return Err(Fault::WrongAnswer("completions came that were not the next ones"));
    }
    Ok(ended.saturating_duration_since(began))
}

fn submit(mut to: impl Tx<Submission>, batch: Batch, requests: u64, run: &Run) -> Result<(), GivenUp> {
    let mut sizes = Sizes::new(batch, 1);
    let mut items = vec![Submission::default(); batch.most()];
    let mut next = 0;
    while next < requests {
        let count = sizes.next().min((requests - next) as usize);
        for item in &mut items[..count] {
            *item = Submission { user_data: next, rest: [next; 7] };
            next += 1;
        }
        push_all(&mut to, &items[..count], run)?;
    }
    Ok(())
}

fn confirm(
    mut from: impl Rx<Submission>,
    mut to: impl Tx<Completion>,
    batch: Batch,
    requests: u64,
    run: &Run,
) -> Result<(), GivenUp> {
    let mut sizes = Sizes::new(batch, 2);
    let mut taken = vec![Submission::default(); batch.most()];
    let mut confirmations = vec![Completion::default(); batch.most()];
    let mut done = 0;
    while done < requests {
        let count = pop_some(&mut from, &mut taken[..sizes.next()], run)?;
        for (confirmation, request) in confirmations.iter_mut().zip(&taken[..count]) {
            *confirmation = Completion { user_data: request.user_data, result: request.rest[6] as i32, flags: 0 };
        }
        push_all(&mut to, &confirmations[..count], run)?;
        done += count as u64;
    }
    Ok(())
}

/// Takes all confirmations. Returns their number, whether they were in order, and the time of the
/// last one.
fn reap(mut from: impl Rx<Completion>, batch: Batch, requests: u64, run: &Run) -> (u64, bool, Instant) {
    let mut sizes = Sizes::new(batch, 3);
    let mut items = vec![Completion::default(); batch.most()];
    let (mut seen, mut in_order) = (0, true);
    while seen < requests {
        let Ok(count) = pop_some(&mut from, &mut items[..sizes.next()], run) else {
            break;
        };
        for item in &items[..count] {
            in_order &= (item.user_data, item.result, item.flags) == (seen, seen as i32, 0);
            seen += 1;
        }
    }
    (seen, in_order, Instant::now())
}

#[cfg(test)]
mod tests {
    use super::*;
    use aqueduct_measure::rounds::Pace;

    #[test]
    fn every_request_is_confirmed_in_order() {
        let pace = Pace::new(1, Duration::from_millis(1));
        let plan = Plan {
            experiments: Vec::new(),
            peers: true,
            submissions: vec![32, 1024],
            sides: Vec::new(),
            events: 32,
            cores: Vec::new(),
            pace,
        };
        let cells = cells(&plan, &[]);
        let queues = if cfg!(feature = "peers") { 6 } else { 3 };
        assert_eq!(cells.len(), 2 * 2 * queues);
        for cell in cells {
            let measured = (cell.run)(3_000).unwrap_or_else(|fault| panic!("{cell:?}: {fault}"));
            assert_eq!(measured.done, 3_000);
        }
    }

    /// Changes the tenth item.
    struct Changing(io_ring::Submitter<Submission>, u32);

    impl Tx<Submission> for Changing {
        fn push(&mut self, item: Submission) -> bool {
            self.1 += 1;
            self.0.push(if self.1 == 10 { Submission { user_data: 3, ..item } } else { item })
        }

        fn push_slice(&mut self, items: &[Submission]) -> usize {
            self.0.push_slice(items)
        }
    }

    #[test]
    fn a_wrong_request_is_noticed() {
        let (submitter, taker) = io_ring::ring(64, true);
        let queues = ((Changing(submitter, 0), taker), io_ring::ring(64, false));
        assert!(matches!(exchange(queues, Batch::Of(1), 20, [None; 3]), Err(Fault::WrongAnswer(_))));
    }
}
