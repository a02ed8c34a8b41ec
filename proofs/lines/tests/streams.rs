//! The counts are those of the queues' actions.

use aqueduct_lines::machine::Costs;
use aqueduct_lines::streams::{self, Stream, Streamed};

/// Returns a short run of a queue of that name.
fn run(name: &str, producers: usize, consumers: usize, batch: usize) -> Streamed {
    run_on(Costs::default(), name, producers, consumers, batch)
}

fn run_on(costs: Costs, name: &str, producers: usize, consumers: usize, batch: usize) -> Streamed {
    let kind = streams::ALL.iter().find(|kind| kind.name == name).expect("a queue");
    let stream = Stream { costs, producers, consumers, batch, capacity: 1024, items: 8000, work: 0 };
    streams::run(*kind, &stream).expect("a queue for these threads")
}

#[test]
fn an_item_costs_a_locked_instruction_on_each_side_with_many_threads() {
    for (name, locked) in [("spsc", 0.0), ("mpsc", 1.0), ("spmc", 1.0), ("mpmc", 2.0)] {
        let streamed = run(name, 1, 1, 1);
        let each = streamed.each(streamed.counts.all().locked);
        assert!((each - locked).abs() < 0.05, "{name}: {each}");
    }
}

#[test]
fn a_producer_alone_moves_a_line_once_for_its_items_and_fails_in_no_exchange() {
    let streamed = run("spsc", 1, 1, 1);
    let all = streamed.counts.all();
    // Seven items lie in a line, which comes and goes.
    assert!((2.0 / 7.0 - streamed.each(all.transfers)).abs() < 0.1, "{}", streamed.each(all.transfers));
    assert_eq!(all.failed, 0);
}

/// A capsule's items lie in adjacent lines, and most of these lines come before they are loaded.
#[test]
fn lines_that_are_asked_for_ahead_are_not_waited_for() {
    let waited = |ahead: usize| {
        let streamed = run_on(Costs { ahead, ..Costs::default() }, "cnq_sequenced_1000", 1, 1, 1);
        streamed.each(streamed.counts.all().waited)
    };
    assert!(waited(2) < waited(0) / 2.0, "{} and {}", waited(2), waited(0));
}

/// A push without a handle requests the line of its exchanged word once.
#[test]
fn producers_without_handles_move_the_line_of_their_word_once() {
    let costs = Costs { transfer: 1000, ..Costs::default() };
    let kind = streams::ALL.iter().find(|kind| kind.name == "queue").expect("a queue");
    let stream = Stream { costs, producers: 15, consumers: 1, batch: 1, capacity: 4096, items: 40_000, work: 0 };
    let streamed = streams::run(*kind, &stream).expect("a queue for these threads");
    let each = streamed.each(streamed.counts.all().transfers);
    assert!(each < 1.5, "{each}");
}

/// A line goes to the reader and comes back, and seldom twice.
#[test]
fn a_reader_that_keeps_up_does_not_follow_a_line_behind_the_producer() {
    let costs = Costs::default();
    let kind = streams::ALL.iter().find(|kind| kind.name == "drop_old").expect("a queue");
    let stream = Stream { costs, producers: 1, consumers: 1, batch: 1, capacity: 4096, items: 40_000, work: 160 };
    let streamed = streams::run(*kind, &stream).expect("a queue for these threads");
    let each = streamed.each(streamed.counts.all().transfers);
    assert!(each < 0.4, "{each}");
}

#[test]
fn every_queue_moves_all_items() {
    for kind in streams::ALL {
        let threads = if kind.name == "spsc" { [1, 1] } else { [1, 3] };
        let [one, other] = threads;
        for (producers, consumers) in [(one, other), (other, one)] {
            let costs = Costs::default();
            let stream = Stream { costs, producers, consumers, batch: 3, capacity: 512, items: 1200, work: 100 };
            let Some(streamed) = streams::run(*kind, &stream) else { continue };
            assert!(streamed.items == 1200 && streamed.time > 0, "{} {producers}x{consumers}", kind.name);
        }
    }
}
