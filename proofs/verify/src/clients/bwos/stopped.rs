//! The owner's operations complete although a thief is suspended, after each of its steps.

use aqueduct_model::{Config, Report, thread};

use super::world::{Fifo, Form, Lifo, Owns, Shape, Steals};
use crate::clients::item::{Boxed, Item};

/// The number of the thread that stops: main starts no other.
const THIEF: usize = 1;

/// The thief's call.
#[derive(Clone, Copy)]
enum Thief {
    /// The thief steals, or sends a request and finds nothing.
    Steals,
    Seizes,
}

/// The owner pops, goes on to the next block, and pops what is left, while a thief makes its call.
fn program<F: Form<Item = Boxed>>(filled: u64, does: Thief) {
    let (mut owner, stealer) = F::make(Shape::new(2, 2));
    (1..=filled).for_each(|number| assert!(owner.push(Boxed::new(number))));
    // The rest of the theft is not dropped, so that the thread has only the theft's steps.
    thread::spawn(move || {
        std::mem::forget(match does {
            Thief::Steals => stealer.steal(),
            Thief::Seizes => stealer.seize(),
        });
        std::mem::forget(stealer);
    });
    let mut numbers = filled + 1..;
    for (pops, pushes) in [(1, 2), (3, 1)] {
        let mut last = None;
        for _ in 0..pops {
            if let Some(number) = owner.pop().map(|item| item.number()) {
                assert!(last.is_none_or(|last| F::NEWEST == (number < last)), "{number} after {last:?}");
                last = Some(number);
            }
        }
        for _ in 0..pushes {
            owner.push(Boxed::new(numbers.next().expect("endless")));
        }
    }
    std::mem::forget(owner);
}

/// Returns the reports for each number of steps after which the thief stops, up to the first with
/// which it does not stop.
fn reports<F: Form<Item = Boxed>>(filled: u64, does: Thief) -> Vec<Report> {
    let mut reports = Vec::new();
    for steps in 0.. {
        let config = Config::new().finds_leaks(false).waits_fail(false).suspend(THIEF, steps);
        let report = config.check(move || program::<F>(filled, does));
        let stops = report.threads.get(THIEF).is_some_and(|thief| thief.halted > 0);
        reports.push(report);
        if steps > 0 && !stops {
            break;
        }
    }
    reports
}

/// A queue, and the call of a thief that stops after no step, one, two, and so on.
#[derive(Debug)]
pub struct Case {
    /// The queue and its items.
    pub name: &'static str,
    /// Whether there are more than 100,000 executions.
    pub is_large: bool,
    reports: fn() -> Vec<Report>,
}

impl Case {
    /// Returns the reports, by the number of the thief's steps.
    #[must_use]
    pub fn reports(&self) -> Vec<Report> {
        (self.reports)()
    }
}

/// Returns the cases: each queue, nearly empty and full, and with a thief that seizes items of the
/// owner's block.
#[must_use]
pub fn cases() -> [Case; 6] {
    let case = |name, is_large, reports| Case { name, is_large, reports };
    [
        case("lifo with 1 item", false, || reports::<Lifo<Boxed>>(1, Thief::Steals)),
        case("fifo with 1 item", false, || reports::<Fifo<Boxed>>(1, Thief::Steals)),
        case("lifo with 4 items", false, || reports::<Lifo<Boxed>>(4, Thief::Steals)),
        case("fifo with 4 items", false, || reports::<Fifo<Boxed>>(4, Thief::Steals)),
        case("lifo with 2 items, seized", false, || reports::<Lifo<Boxed>>(2, Thief::Seizes)),
        case("fifo with 2 items, seized", true, || reports::<Fifo<Boxed>>(2, Thief::Seizes)),
    ]
}
